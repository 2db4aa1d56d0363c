/* Reads the CSV files of a folder of results and makes the page's pictures: heat maps, timelines and allocation. */
#include "pictures.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <math.h>
#include <string.h>

enum { PICTURES = 60, POINTS = 1000 };

static json_t *names_json(const struct sms__names *names)
{
    json_t *list = json_array();
    for (size_t i = 0; i < names->count; i++)
        json_array_append_new(list, sms__json_text(names->name[i]));
    return list;
}

/* ---- timelines ---- */

struct timelines {
    struct sms__timeline *item;
    size_t count, left_out;
};

static struct sms__timeline *find_timeline(struct sms__pictures *pictures, struct timelines *timelines,
                                           const char *kind, size_t scenario, size_t policy)
{
    for (size_t i = timelines->count; i-- > 0;)
        if (timelines->item[i].kind == kind && timelines->item[i].scenario == scenario &&
            timelines->item[i].policy == policy)
            return &timelines->item[i];
    if (timelines->count == PICTURES) {
        timelines->left_out++;
        return NULL;
    }
    struct sms__timeline *timeline = SMS__APPEND(&pictures->plot.arena, timelines->item, timelines->count);
    *timeline = (struct sms__timeline){.kind = kind, .scenario = scenario, .policy = policy};
    return timeline;
}

static void add_span(struct sms__pictures *pictures, struct sms__timeline *timeline, struct sms__span span)
{
    if (timeline)
        *SMS__APPEND(&pictures->plot.arena, timeline->span, timeline->spans) = span;
}

static void gather_spans(struct sms__pictures *pictures, struct timelines *timelines, const char *blocks,
                         const char *processes)
{
    const struct sms__plot *plot = &pictures->plot;
    for (size_t i = 0; i < plot->stretches; i++) {
        const struct sms__stretch *s = &plot->stretch[i];
        add_span(pictures, find_timeline(pictures, timelines, processes, s->scenario, s->policy),
                 (struct sms__span){s->process, s->state, 1, s->start_ns, s->end_ns, NULL});
    }
    for (size_t i = 0; i < plot->boxes; i++) {
        const struct sms__box *b = &plot->box[i];
        add_span(pictures, find_timeline(pictures, timelines, blocks, b->scenario, b->policy),
                 (struct sms__span){b->sm, b->vm, b->blocks, b->start_ns, b->end_ns, NULL});
    }
}

/* Adds the pods of one scenario and policy, on GPUs and waiting. */
static void gather_pods(struct sms__pictures *pictures, struct timelines *timelines, const struct sms__group_of *group)
{
    static const char pods[] = "pods";
    struct sms__plot *plot = &pictures->plot;
    struct sms__pods_drawn *drawn = SMS__NEW(&plot->arena, struct sms__pods_drawn, 1);
    *drawn = sms__draw_pods(plot, group);
    struct sms__timeline *timeline =
        drawn->stays ? find_timeline(pictures, timelines, pods, group->scenario, group->policy) : NULL;
    if (timeline)
        timeline->row = &drawn->row;
    for (size_t i = 0; i < drawn->stays; i++) {
        const struct sms__pod_stay *stay = &drawn->stay[i];
        add_span(pictures, timeline,
                 (struct sms__span){stay->row, stay->state, 1, stay->start_ns, stay->end_ns, stay->tenure->pod});
    }
}

static json_t *timelines_json(struct sms__pictures *pictures)
{
    static const char blocks[] = "blocks", processes[] = "processes";
    struct timelines timelines = {.count = 0};
    json_t *list = json_array();
    gather_spans(pictures, &timelines, blocks, processes);
    for (size_t g = 0; g < pictures->plot.grouped.tenure_groups.count; g++)
        gather_pods(pictures, &timelines, &pictures->plot.grouped.tenure_groups.item[g]);
    for (size_t i = 0; i < timelines.count; i++) {
        timelines.item[i].max_spans = SMS__PAGE_SPANS / timelines.count;
        timelines.item[i].name_bytes = SMS__PAGE_NAMES / timelines.count;
        json_t *one = sms__timeline_json(pictures, &timelines.item[i], timelines.item[i].kind != blocks);
        if (one)
            json_array_append_new(list, one);
    }
    if (timelines.left_out)
        sms__page_note(pictures->page, "Only the first %d timelines are shown.", PICTURES);
    return list;
}

/* ---- clusters ---- */

/* The values of one scenario under one policy, three numbers for each step. */
struct series {
    size_t scenario, policy, count;
    json_t *values;
};

struct series_list {
    struct series *item;
    size_t count;
};

static struct series *find_series(struct sms__pictures *pictures, struct series_list *series_list, size_t scenario,
                                  size_t policy)
{
    for (size_t i = series_list->count; i-- > 0;)
        if (series_list->item[i].scenario == scenario && series_list->item[i].policy == policy)
            return &series_list->item[i];
    if (series_list->count == PICTURES)
        return NULL;
    struct series *series = SMS__APPEND(&pictures->plot.arena, series_list->item, series_list->count);
    *series = (struct series){.scenario = scenario, .policy = policy, .values = json_array()};
    return series;
}

static void add_values(struct series *series, const double value[3])
{
    series->count++;
    for (int i = 0; i < 3; i++)
        json_array_append_new(series->values, sms__json_number(value[i]));
}

/* Keeps at most about POINTS steps: every n-th, and the last. */
static json_t *thin_series(const struct series *series)
{
    json_t *list = json_array();
    size_t step = (series->count + POINTS - 1) / POINTS;
    for (size_t i = 0; i < series->count; i++)
        for (size_t k = 0; k < 3 && (i % step == 0 || i + 1 == series->count); k++)
            json_array_append(list, json_array_get(series->values, 3 * i + k));
    return list;
}

static json_t *series_json(struct sms__pictures *pictures, struct series_list *series_list, const char *file)
{
    const struct sms__plot *plot = &pictures->plot;
    json_t *list = json_array();
    bool thinned = false;
    for (size_t i = 0; i < series_list->count; i++) {
        const struct series *series = &series_list->item[i];
        thinned |= series->count > POINTS;
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o}", "scenario", plot->scenario.name[series->scenario], "policy",
                                        plot->policy.name[series->policy], "values", thin_series(series)));
        json_decref(series->values);
    }
    if (thinned)
        sms__page_note(pictures->page, "Not all rows of %s are drawn, but about %d for each policy, evenly spaced.",
                       file, POINTS);
    return list;
}

static json_t *allocation_json(struct sms__pictures *pictures)
{
    struct series_list series_list = {.count = 0};
    for (size_t i = 0; i < pictures->plot.points; i++) {
        const struct sms__point *point = &pictures->plot.point[i];
        struct series *series = find_series(pictures, &series_list, point->scenario, point->policy);
        if (series)
            add_values(series, (double[]){point->arrived, point->allocated, point->fragments});
    }
    return series_json(pictures, &series_list, "allocation.csv");
}

static json_t *placements_json(struct sms__pictures *pictures)
{
    struct series_list series_list = {.count = 0};
    for (size_t i = 0; i < pictures->plot.tenures; i++) {
        const struct sms__tenure *placed = &pictures->plot.tenure[i];
        struct series *series = find_series(pictures, &series_list, placed->scenario, placed->policy);
        if (series)
            add_values(series, (double[]){placed->start_ns, placed->wait_ns, placed->allocated});
    }
    return series_json(pictures, &series_list, "placements.csv");
}

/* ---- all ---- */

static int draw(void *user)
{
    struct sms__pictures *pictures = user;
    struct sms__plot *plot = &pictures->plot;
    json_t *data = pictures->page->data;
    int code = sms__plot_read(plot);
    if (code)
        return code;
    json_t *heat = sms__heat_json(pictures);
    if (!heat)
        return SMS_EINPUT;
    json_object_set_new(data, "heat", heat);
    json_object_set_new(data, "timelines", timelines_json(pictures));
    json_object_set_new(data, "vms", names_json(&plot->vm));
    json_object_set_new(data, "processes", names_json(&plot->process));
    json_object_set_new(data, "states", names_json(&plot->state));
    json_object_set_new(data, "endings", names_json(&plot->ending));
    json_object_set_new(data, "allocation", allocation_json(pictures));
    json_object_set_new(data, "placements", placements_json(pictures));
    return SMS_OK;
}

int sms__page_read_pictures(struct sms__page *page, const char *folder)
{
    struct sms__pictures pictures = {.page = page, .plot = {.folder = folder}};
    int code = sms__guard(&pictures.plot.arena, draw, &pictures);
    if (code && pictures.plot.errors.count)
        page->errors = pictures.plot.errors;
    sms__arena_release(&pictures.plot.arena);
    return code;
}
