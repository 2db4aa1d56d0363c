/* Turns the rows of heatmap.csv into heat maps. SMs and intervals are averaged in groups until all maps fit a page. */
#include "pictures.h"

#include "../report/output.h"

#include <math.h>

enum { MAPS = 60, BINS = 4096, SMS_MOST = 20000 };

/* The heat map of one scenario under one policy. */
struct map {
    size_t scenario, policy, sms, bins;
    double width_ns;
    double *value; /* [sms][bins], occupancy; NAN: no value */
};

struct maps {
    struct sms__pictures *pictures;
    struct map *map;
    size_t count;
    size_t left_out;            /* number of maps beyond MAPS */
    size_t sms_each, bins_each; /* SMs and intervals in each cell of the page */
};

static struct map *find_map(struct maps *maps, const struct sms__heat *heat)
{
    for (size_t i = maps->count; i-- > 0;)
        if (maps->map[i].scenario == heat->scenario && maps->map[i].policy == heat->policy)
            return &maps->map[i];
    if (maps->count == MAPS)
        return NULL;
    struct map *map = SMS__APPEND(&maps->pictures->plot.arena, maps->map, maps->count);
    *map = (struct map){.scenario = heat->scenario, .policy = heat->policy, .width_ns = heat->width_ns};
    return map;
}

static size_t bin_index(const struct map *map, const struct sms__heat *heat)
{
    double bin = map->width_ns > 0 ? round(heat->time_ns / map->width_ns) : INFINITY;
    return bin < BINS ? (size_t)bin : BINS;
}

/* A run writes a row for each cell. This keeps a few rows with large indices from taking much memory. */
static bool is_dense(const struct maps *maps)
{
    size_t cells = 0;
    for (size_t m = 0; m < maps->count; m++)
        cells += maps->map[m].sms * maps->map[m].bins;
    return cells / 16 <= maps->pictures->plot.heats + (1 << 16);
}

/* Finds the size of each map, and rejects files that no run writes. */
static int measure_maps(struct maps *maps)
{
    const struct sms__plot *plot = &maps->pictures->plot;
    size_t skipped = 0;
    for (size_t i = 0; i < plot->heats; i++) {
        const struct sms__heat *heat = &plot->heat[i];
        struct map *map = find_map(maps, heat);
        if (!map) {
            skipped++;
            continue;
        }
        size_t bin = bin_index(map, heat);
        if (bin == BINS || heat->sm >= SMS_MOST)
            return sms__fail(&maps->pictures->page->errors, SMS_EINPUT, plot->folder,
                             "heatmap.csv: an SM, a time or a width is out of range");
        map->bins = bin + 1 > map->bins ? bin + 1 : map->bins;
        map->sms = (size_t)heat->sm + 1 > map->sms ? (size_t)heat->sm + 1 : map->sms;
    }
    if (!is_dense(maps))
        return sms__fail(&maps->pictures->page->errors, SMS_EINPUT, plot->folder,
                         "heatmap.csv: it has too few rows for its SMs and intervals");
    if (skipped)
        sms__page_note(maps->pictures->page, "Only the first %d heat maps are shown.", MAPS);
    return SMS_OK;
}

static void fill_maps(struct maps *maps)
{
    struct sms__plot *plot = &maps->pictures->plot;
    for (size_t m = 0; m < maps->count; m++) {
        struct map *map = &maps->map[m];
        map->value = SMS__NEW(&plot->arena, double, map->sms * map->bins);
        for (size_t i = 0; i < map->sms * map->bins; i++)
            map->value[i] = NAN;
    }
    for (size_t i = 0; i < plot->heats; i++) {
        const struct map *map = find_map(maps, &plot->heat[i]);
        if (map)
            map->value[(size_t)plot->heat[i].sm * map->bins + bin_index(map, &plot->heat[i])] = plot->heat[i].occupancy;
    }
}

static size_t count_groups(size_t count, size_t each) { return (count + each - 1) / each; }

static size_t count_cells(const struct maps *maps)
{
    size_t sum = 0;
    for (size_t m = 0; m < maps->count; m++)
        sum += count_groups(maps->map[m].sms, maps->sms_each) * count_groups(maps->map[m].bins, maps->bins_each);
    return sum;
}

/* Groups intervals before SMs, because a page is too narrow for all intervals anyway. */
static void choose_cell_size(struct maps *maps)
{
    maps->sms_each = maps->bins_each = 1;
    while (count_cells(maps) > SMS__PAGE_CELLS) {
        if (maps->bins_each < 4)
            maps->bins_each *= 2;
        else
            maps->sms_each *= 2;
    }
    if (maps->bins_each > 1)
        sms__page_note(maps->pictures->page,
                       "Each cell of a heat map is the mean of %zu intervals and %zu SMs of heatmap.csv.",
                       maps->bins_each, maps->sms_each);
}

/* Mean occupancy in ten thousandths, because the file has four digits. */
static json_t *cell_json(const struct maps *maps, const struct map *map, size_t row, size_t column)
{
    double sum = 0;
    size_t n = 0;
    for (size_t s = row * maps->sms_each; s < map->sms && s < (row + 1) * maps->sms_each; s++)
        for (size_t b = column * maps->bins_each; b < map->bins && b < (column + 1) * maps->bins_each; b++)
            if (!isnan(map->value[s * map->bins + b])) {
                sum += map->value[s * map->bins + b];
                n++;
            }
    return n ? json_integer((json_int_t)round(fmin(sum / (double)n, 1e6) * 10000)) : json_null();
}

static json_t *rows_json(const struct maps *maps, const struct map *map)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < count_groups(map->sms, maps->sms_each); r++) {
        json_t *row = json_array();
        for (size_t c = 0; c < count_groups(map->bins, maps->bins_each); c++)
            json_array_append_new(row, cell_json(maps, map, r, c));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *sms__heat_json(struct sms__pictures *pictures)
{
    struct maps maps = {.pictures = pictures};
    if (measure_maps(&maps))
        return NULL;
    fill_maps(&maps);
    choose_cell_size(&maps);
    json_t *list = json_array();
    for (size_t m = 0; m < maps.count; m++) {
        const struct map *map = &maps.map[m];
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:i, s:o}", "scenario",
                                              pictures->plot.scenario.name[map->scenario], "policy",
                                              pictures->plot.policy.name[map->policy], "width_ns",
                                              sms__json_number(map->width_ns * (double)maps.bins_each), "sms",
                                              (int)maps.sms_each, "rows", rows_json(&maps, map)));
    }
    return list;
}
