/* Occupancy of SMs over time: a figure for each scenario, a panel for each policy. */
#include "plot.h"

struct map {
    struct sms__plot *plot;
    struct sms__groups groups; /* of the scenario */
    size_t panels;
    double end_ns, width_ns, sms;
    struct sms__figure_files files;
};

static void measure(struct map *map, const struct sms__group_of *group)
{
    for (size_t i = group->from; i < group->from + group->count; i++) {
        const struct sms__heat *heat = (const struct sms__heat *)map->plot->heat.row + i;
        map->end_ns = heat->time_ns + heat->width_ns > map->end_ns ? heat->time_ns + heat->width_ns : map->end_ns;
        map->width_ns = heat->width_ns;
        map->sms = heat->sm + 1 > map->sms ? heat->sm + 1 : map->sms;
    }
}

static void write_block(const struct map *map, const struct sms__group_of *group)
{
    fprintf(map->files.data, "# policy %s\n# time_ns sm occupancy_ratio\n", map->plot->policy.name[group->policy]);
    for (size_t i = group->from; i < group->from + group->count; i++) {
        const struct sms__heat *heat = (const struct sms__heat *)map->plot->heat.row + i;
        fprintf(map->files.data, "%.3f %g %.4f\n", heat->time_ns + heat->width_ns / 2, heat->sm, heat->occupancy);
    }
    fprintf(map->files.data, "\n\n");
}

static void write_panels(struct map *map)
{
    FILE *to = map->files.variables;
    struct sms__unit unit = sms__time_unit(map->end_ns);
    fprintf(to, "array panel_title[%zu]\n", map->plot->policy.count);
    for (size_t g = 0; g < map->groups.count; g++) {
        write_block(map, &map->groups.item[g]);
        sms__print_text(to, "panel_title", ++map->panels, map->plot->policy.name[map->groups.item[g].policy], 46);
    }
    fprintf(to, "panels = %zu\nunit = '%s'\nunit_ns = %g\nend_ns = %.3f\nwidth_ns = %.3f\nsms = %g\n", map->panels,
            unit.name, unit.size, map->end_ns, map->width_ns, map->sms);
}

static int write_map(struct sms__plot *plot, size_t scenario)
{
    struct map map = {.plot = plot, .groups = sms__groups_of(&plot->heat.groups, scenario)};
    const char *name = sms__figure_name(plot, "heatmap", plot->scenario.name[scenario]);
    for (size_t g = 0; g < map.groups.count; g++)
        measure(&map, &map.groups.item[g]);
    if (map.end_ns <= 0)
        return sms__name_index(&plot->arena, &plot->left_out, name), SMS_OK;
    int code = sms__figure_open(plot, "heatmap.gp", name, &map.files);
    if (code)
        return code;
    write_panels(&map);
    return sms__figure_close(plot, &map.files);
}

int sms__write_heatmaps(struct sms__plot *plot)
{
    int code = SMS_OK;
    for (size_t s = 0; s < plot->scenario.count && code == SMS_OK; s++)
        code = write_map(plot, s);
    return code;
}
