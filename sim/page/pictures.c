/* Reads the CSV files of a folder of results and makes the page's pictures: heat maps, timelines and allocation. */
#include "pictures.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <stdlib.h>
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
    struct sms__pictures *pictures;
    struct sms__timeline item[PICTURES];
    size_t count;
    bool left_out;
};

/* The timeline of a group; NULL beyond PICTURES. */
static struct sms__timeline *add_timeline(struct timelines *timelines, const char *kind,
                                          const struct sms__group_of *group)
{
    timelines->left_out |= timelines->count == PICTURES;
    if (timelines->count == PICTURES)
        return NULL;
    struct sms__timeline *timeline = &timelines->item[timelines->count++];
    *timeline = (struct sms__timeline){.kind = kind, .scenario = group->scenario, .policy = group->policy};
    return timeline;
}

static void add_span(struct timelines *timelines, struct sms__timeline *timeline, struct sms__span span)
{
    if (timeline)
        *SMS__APPEND(&timelines->pictures->plot.arena, timeline->span, timeline->spans) = span;
}

static void add_processes(struct timelines *timelines, const struct sms__group_of *group)
{
    const struct sms__state_span *s =
        (const struct sms__state_span *)timelines->pictures->plot.state_span.row + group->from;
    struct sms__timeline *timeline = add_timeline(timelines, "processes", group);
    for (size_t i = 0; i < group->count; i++)
        add_span(timelines, timeline,
                 (struct sms__span){s[i].process, s[i].state, 1, s[i].start_ns, s[i].end_ns, NULL});
}

static void add_blocks(struct timelines *timelines, const struct sms__group_of *group)
{
    const struct sms__block_span *b =
        (const struct sms__block_span *)timelines->pictures->plot.block_span.row + group->from;
    struct sms__timeline *timeline = add_timeline(timelines, "blocks", group);
    for (size_t i = 0; i < group->count; i++)
        add_span(timelines, timeline,
                 (struct sms__span){b[i].sm, b[i].vm, b[i].blocks, b[i].start_ns, b[i].end_ns, NULL});
}

/* Adds pods on GPUs and pods that wait. */
static void add_pods(struct timelines *timelines, const struct sms__group_of *group)
{
    struct sms__plot *plot = &timelines->pictures->plot;
    struct sms__pods_drawn *drawn = SMS__NEW(&plot->arena, struct sms__pods_drawn, 1);
    *drawn = sms__draw_pods(plot, group);
    struct sms__timeline *timeline = drawn->spans ? add_timeline(timelines, "pods", group) : NULL;
    if (timeline)
        timeline->row = &drawn->row;
    for (size_t i = 0; i < drawn->spans; i++) {
        const struct sms__gpu_span *span = &drawn->span[i];
        add_span(timelines, timeline,
                 (struct sms__span){span->row, span->state, 1, span->start_ns, span->end_ns, span->pod->pod});
    }
}

static json_t *timelines_json(struct sms__pictures *pictures)
{
    const struct {
        const struct sms__groups *groups;
        void (*add)(struct timelines *timelines, const struct sms__group_of *group);
    } kinds[] = {{&pictures->plot.state_span.groups, add_processes},
                 {&pictures->plot.block_span.groups, add_blocks},
                 {&pictures->plot.pod_span.groups, add_pods}};
    struct timelines *timelines = SMS__NEW(&pictures->plot.arena, struct timelines, 1);
    json_t *list = json_array();
    timelines->pictures = pictures;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t g = 0; g < kinds[k].groups->count; g++)
            kinds[k].add(timelines, &kinds[k].groups->item[g]);
    for (size_t i = 0; i < timelines->count; i++) {
        timelines->item[i].max_spans = SMS__PAGE_SPANS / timelines->count;
        timelines->item[i].name_bytes = SMS__PAGE_NAMES / timelines->count;
        json_t *one = sms__timeline_json(pictures, &timelines->item[i], strcmp(timelines->item[i].kind, "blocks") != 0);
        if (one)
            json_array_append_new(list, one);
    }
    if (timelines->left_out)
        sms__page_note(pictures->page, "Only the first %d timelines are shown.", PICTURES);
    return list;
}

/* ---- clusters ---- */

static void get_allocation(const void *rows, size_t i, double value[3])
{
    const struct sms__point *point = (const struct sms__point *)rows + i;
    memcpy(value, (double[]){point->arrived, point->allocated, point->fragments}, 3 * sizeof *value);
}

static void get_placement(const void *rows, size_t i, double value[3])
{
    const struct sms__pod_span *placed = (const struct sms__pod_span *)rows + i;
    memcpy(value, (double[]){placed->start_ns, placed->wait_ns, placed->allocated}, 3 * sizeof *value);
}

/* Three values of each row. Keeps at most about POINTS rows: every n-th, and the last. */
static json_t *series_json(struct sms__pictures *pictures, const struct sms__rows *rows,
                           void (*get)(const void *rows, size_t i, double value[3]), const char *file)
{
    const struct sms__plot *plot = &pictures->plot;
    json_t *list = json_array();
    bool thinned = false;
    for (size_t g = 0; g < rows->groups.count && g < PICTURES; g++) {
        const struct sms__group_of *group = &rows->groups.item[g];
        const size_t step = (group->count + POINTS - 1) / POINTS;
        json_t *values = json_array();
        double value[3];
        thinned |= step > 1;
        for (size_t i = 0; i < group->count; i++) {
            get(rows->row, group->from + i, value);
            for (size_t k = 0; k < 3 && (i % step == 0 || i + 1 == group->count); k++)
                json_array_append_new(values, sms__json_number(value[k]));
        }
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "scenario", plot->scenario.name[group->scenario],
                                              "policy", plot->policy.name[group->policy], "values", values));
    }
    if (thinned)
        sms__page_note(pictures->page, "Not all rows of %s are drawn, but about %d for each policy, evenly spaced.",
                       file, POINTS);
    return list;
}

/* ---- all ---- */

static int by_number(const void *a, const void *b)
{
    const struct sms__group_of *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Brings the pictures into the order of the files. Scenarios may have the same policies in different orders. */
static void sort_groups(struct sms__plot *plot)
{
    struct sms__rows *rows[] = {&plot->heat, &plot->block_span, &plot->state_span, &plot->pod_span, &plot->point};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i]->groups.count)
            qsort(rows[i]->groups.item, rows[i]->groups.count, sizeof *rows[i]->groups.item, by_number);
}

static int draw(void *user)
{
    struct sms__pictures *pictures = user;
    struct sms__plot *plot = &pictures->plot;
    json_t *data = pictures->page->data;
    int code = sms__plot_read(plot);
    if (code)
        return code;
    sort_groups(plot);
    json_t *heat = sms__heat_json(pictures);
    if (!heat)
        return SMS_EINPUT;
    json_object_set_new(data, "heat", heat);
    json_object_set_new(data, "timelines", timelines_json(pictures));
    json_object_set_new(data, "vms", names_json(&plot->vm));
    json_object_set_new(data, "processes", names_json(&plot->process));
    json_object_set_new(data, "states", names_json(&plot->state));
    json_object_set_new(data, "endings", names_json(&plot->ending));
    json_object_set_new(data, "allocation", series_json(pictures, &plot->point, get_allocation, "allocation.csv"));
    json_object_set_new(data, "placements", series_json(pictures, &plot->pod_span, get_placement, "placements.csv"));
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
