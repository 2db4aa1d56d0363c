/* Turns the rows of heatmap.csv into heat maps. SMs and intervals are averaged in groups until all maps fit a page. */
#include "pictures.h"

#include "../report/output.h"

#include <math.h>

enum { MAPS = 60, BINS = 4096, SMS_MOST = 20000 };

/* The heat map of one scenario under one policy. */
struct map {
    const struct sms__group_of *group;
    const struct sms__heat *heat; /* [group->count] */
    size_t sms, bins;
    double *value; /* [sms][bins], occupancy; NAN: no value */
};

struct maps {
    struct sms__pictures *pictures;
    struct map map[MAPS];
    size_t count;
    size_t sms_each, bins_each; /* SMs and intervals in each cell of the page */
};

static size_t bin_index(const struct map *map, const struct sms__heat *heat)
{
    double width = map->heat->width_ns, bin = width > 0 ? round(heat->time_ns / width) : INFINITY;
    return bin < BINS ? (size_t)bin : BINS;
}

/* Finds the size of a map. Returns false for rows that no run writes. */
static bool measure_map(struct map *map)
{
    for (size_t i = 0; i < map->group->count; i++) {
        const struct sms__heat *heat = &map->heat[i];
        size_t bin = bin_index(map, heat);
        if (bin == BINS || heat->sm >= SMS_MOST)
            return false;
        map->bins = bin + 1 > map->bins ? bin + 1 : map->bins;
        map->sms = (size_t)heat->sm + 1 > map->sms ? (size_t)heat->sm + 1 : map->sms;
    }
    return true;
}

static int measure_maps(struct maps *maps)
{
    const struct sms__plot *plot = &maps->pictures->plot;
    const struct sms__groups *groups = &plot->heat.groups;
    struct sms_errors *errors = &maps->pictures->page->errors;
    size_t cells = 0;
    for (; maps->count < groups->count && maps->count < MAPS; maps->count++) {
        struct map *map = &maps->map[maps->count];
        *map = (struct map){.group = &groups->item[maps->count]};
        map->heat = (const struct sms__heat *)plot->heat.row + map->group->from;
        if (!measure_map(map))
            return sms__fail(errors, SMS_EINPUT, plot->folder, "heatmap.csv: an SM, a time or a width is out of range");
        cells += map->sms * map->bins;
    }
    /* A run writes a row for each cell. This keeps a few rows with large indices from taking much memory. */
    if (cells / 16 > plot->heat.count + (1 << 16))
        return sms__fail(errors, SMS_EINPUT, plot->folder,
                         "heatmap.csv: it has too few rows for its SMs and intervals");
    if (groups->count > MAPS)
        sms__page_note(maps->pictures->page, "Only the first %d heat maps are shown.", MAPS);
    return SMS_OK;
}

static void fill_map(struct sms__arena *arena, struct map *map)
{
    map->value = SMS__NEW(arena, double, map->sms * map->bins);
    for (size_t i = 0; i < map->sms * map->bins; i++)
        map->value[i] = NAN;
    for (size_t i = 0; i < map->group->count; i++)
        map->value[(size_t)map->heat[i].sm * map->bins + bin_index(map, &map->heat[i])] = map->heat[i].occupancy;
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
    const struct sms__plot *plot = &pictures->plot;
    struct maps *maps = SMS__NEW(&pictures->plot.arena, struct maps, 1);
    maps->pictures = pictures;
    if (measure_maps(maps))
        return NULL;
    choose_cell_size(maps);
    json_t *list = json_array();
    for (size_t m = 0; m < maps->count; m++) {
        struct map *map = &maps->map[m];
        fill_map(&pictures->plot.arena, map);
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:i, s:o}", "scenario",
                                              plot->scenario.name[map->group->scenario], "policy",
                                              plot->policy.name[map->group->policy], "width_ns",
                                              sms__json_number(map->heat->width_ns * (double)maps->bins_each), "sms",
                                              (int)maps->sms_each, "rows", rows_json(maps, map)));
    }
    return list;
}
