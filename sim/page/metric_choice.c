/* Checks the metric that a page is to begin with. For a run it must have a better direction and a value for the whole
 * host or cluster, or be what the scenario asks for. For a sweep it must differ between points or policies. */
#include "page.h"

#include "../report/output.h"

#include <string.h>

static const char *metric_name(const void *names, size_t i) { return json_string_value(json_array_get(names, i)); }

static void add_name(json_t *names, const char *name)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        if (!strcmp(metric_name(names, i), name))
            return;
    json_array_append_new(names, json_string(name));
}

/* Adds the metrics with a better direction of which a run's host, cluster or processes have a value in total. */
static void add_run(json_t *names, const json_t *run, enum sms_subject subject, const char *key)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    const json_t *whole = json_object_get(run, key);
    for (size_t i = 0; json_is_array(whole) && i < json_array_size(json_object_get(run, key)); i++) {
        const json_t *one = json_array_get(json_object_get(run, key), i);
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name && (!strcmp(name, "all") || !strcmp(name, "cluster")))
            whole = one;
    }
    for (size_t m = 0; m < count; m++)
        if (metric[m].better && json_is_number(json_object_get(whole, metric[m].name)))
            add_name(names, metric[m].name);
}

static void add_all(const struct sms__page *page, json_t *names)
{
    const json_t *scenarios = json_object_get(page->data, "scenarios"),
                 *views = json_object_get(page->data, "subjects");
    for (size_t i = 0; i < json_array_size(scenarios); i++) {
        const json_t *scenario = json_array_get(scenarios, i), *runs = json_object_get(scenario, "runs");
        const char *asked = json_string_value(json_object_get(json_object_get(scenario, "answer"), "metric"));
        if (asked)
            add_name(names, asked);
        for (size_t p = 0; p < json_array_size(runs); p++) {
            add_run(names, json_array_get(runs, p), SMS_CLUSTER, "cluster");
            add_run(names, json_array_get(runs, p), SMS_HOST, "host");
            add_run(names, json_array_get(runs, p), SMS_PROCESS, "processes");
        }
    }
    for (size_t v = 0; v < json_array_size(views); v++) {
        const json_t *metrics = json_object_get(json_array_get(views, v), "metrics");
        for (size_t m = 0; m < json_array_size(metrics); m++)
            add_name(names, metric_name(metrics, m));
    }
}

int sms__page_check_metric(struct sms__page *page)
{
    json_t *names = json_array();
    const char *list = "none", *nearest;
    bool found = !page->metric;
    add_all(page, names);
    for (size_t i = 0; i < json_array_size(names) && !found; i++) {
        found = !strcmp(metric_name(names, i), page->metric);
        list = i ? sms__print(&page->arena, "%s, %s", list, metric_name(names, i)) : metric_name(names, i);
    }
    nearest = found ? NULL : sms__nearest(page->metric, json_array_size(names), metric_name, names);
    int code = found ? SMS_OK
                     : sms__fail(&page->errors, SMS_EINPUT, NULL,
                                 "this page cannot begin with '%.60s'%s%s%s it can begin with %s", page->metric,
                                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : ";", list);
    json_decref(names);
    return code;
}
