/* Checks the metric that a page is to begin with. For a run it must have a better direction and a value for the whole
 * host or cluster. For a sweep it must differ between points or policies. */
#include "page.h"

#include "../report/output.h"

#include <string.h>

struct metric_list {
    const char *name[256];
    size_t count;
};

static const char *metric_name(const void *user, size_t i) { return ((const struct metric_list *)user)->name[i]; }

static void add_metric(struct metric_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->name[i], name))
            return;
    if (list->count < sizeof list->name / sizeof *list->name)
        list->name[list->count++] = name;
}

static bool is_total(const json_t *row)
{
    const char *name = json_string_value(json_array_get(row, 1));
    return !name || !strcmp(name, "all") || !strcmp(name, "cluster");
}

static bool has_value(const json_t *table, size_t metric)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(table, "rows"), i, row)
    {
        if (is_total(row) && json_is_number(json_array_get(json_array_get(row, 2), metric)))
            return true;
    }
    return false;
}

static void add_table(struct metric_list *list, const json_t *scenario, enum sms_subject subject)
{
    const json_t *table = json_object_get(json_object_get(scenario, "tables"), sms__subject_word(subject));
    size_t i, count;
    json_t *name;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    json_array_foreach(json_object_get(table, "metrics"), i, name)
    {
        long m = sms_metric_index(subject, json_string_value(name));
        if (m >= 0 && metric[m].better && has_value(table, i))
            add_metric(list, metric[m].name);
    }
}

static void add_run(struct metric_list *list, const json_t *scenarios)
{
    static const enum sms_subject subjects[] = {SMS_CLUSTER, SMS_HOST, SMS_PROCESS};
    size_t i;
    json_t *scenario;
    json_array_foreach(scenarios, i, scenario)
    {
        for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
            add_table(list, scenario, subjects[s]);
    }
}

static void add_sweep(struct metric_list *list, const json_t *views)
{
    size_t i, m;
    json_t *view, *name;
    json_array_foreach(views, i, view)
    {
        json_array_foreach(json_object_get(view, "metrics"), m, name) { add_metric(list, json_string_value(name)); }
    }
}

int sms__page_check_metric(struct sms__page *page)
{
    struct metric_list list = {.count = 0};
    const char *names = "";
    add_run(&list, json_object_get(page->data, "scenarios"));
    add_sweep(&list, json_object_get(page->data, "subjects"));
    for (size_t i = 0; i < list.count; i++) {
        if (page->metric && !strcmp(list.name[i], page->metric))
            return SMS_OK;
        names = sms__print(&page->arena, "%s%s%s", names, i ? ", " : "", list.name[i]);
    }
    if (!page->metric)
        return SMS_OK;
    const char *nearest = sms__nearest(page->metric, list.count, metric_name, &list);
    return sms__fail(&page->errors, SMS_EINPUT, NULL, "this page cannot begin with '%.60s'%s%s%s it can begin with %s",
                     page->metric, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : ";",
                     list.count ? names : "none");
}
