/* Makes tables from summary.json and comparison.json, which have one object for each scenario. A table has the metrics
 * of one subject that have values. Its rows have policy, name, means, half-widths, changes over the first policy, and
 * the half-widths of the changes. */
#include "page.h"

#include "../report/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Keys of the subjects in the JSON of runs. If not all tables fit, the first ones are kept. */
static const struct {
    const char *key;
    enum sms_subject subject;
} subjects[] = {{"host", SMS_HOST},      {"cluster", SMS_CLUSTER},    {"processes", SMS_PROCESS}, {"vms", SMS_VM},
                {"devices", SMS_DEVICE}, {"resources", SMS_RESOURCE}, {"kernels", SMS_KERNEL}};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

struct tables {
    struct sms__page *page;
    json_t *summary, *comparison; /* arrays of scenarios */
    size_t numbers;               /* kept so far */
};

/* Loads one object for each scenario. Several are in an array; older versions wrote them one after another. */
static int load_objects(struct sms__page *page, const char *name, json_t *list)
{
    const char *path = sms__print(&page->arena, "%s/%s", page->source, name);
    if (access(path, F_OK) && errno == ENOENT)
        return sms__fail(&page->errors, SMS_EIO, path, "cannot be read: %s; folders of older versions lack it",
                         strerror(errno));
    int code = sms__read_json(path, list, &page->errors);
    json_t *array = json_array_get(list, 0);
    if (code || !json_is_array(array))
        return code;
    json_incref(array);
    bool copied = json_array_clear(list) == 0 && json_array_extend(list, array) == 0;
    json_decref(array);
    return copied ? SMS_OK : SMS_ENOMEM;
}

/* The objects of a subject in a run are an array, or a single object. */
static size_t count_items(const json_t *subject)
{
    return json_is_array(subject) ? json_array_size(subject) : subject != NULL;
}

static const json_t *get_item(const json_t *subject, size_t i)
{
    return json_is_array(subject) ? json_array_get(subject, i) : (i == 0 ? subject : NULL);
}

static const json_t *get_run(const json_t *scenario, size_t policy)
{
    return json_array_get(json_object_get(scenario, "runs"), policy);
}

/* Whether a metric has a value for any policy and name. */
static bool has_values(const json_t *scenario, const char *key, const char *metric)
{
    const json_t *run;
    for (size_t p = 0; (run = get_run(scenario, p)); p++)
        for (size_t i = 0; i < count_items(json_object_get(run, key)); i++)
            if (json_is_number(json_object_get(get_item(json_object_get(run, key), i), metric)))
                return true;
    return false;
}

static json_t *metrics_json(const json_t *scenario, size_t subject)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subjects[subject].subject, &count);
    json_t *list = json_array();
    for (size_t m = 0; m < count; m++)
        if (has_values(scenario, subjects[subject].key, metric[m].name))
            json_array_append_new(list, json_string(metric[m].name));
    return list;
}

static json_t *numbers_json(const json_t *object, const json_t *metrics)
{
    json_t *list = json_array();
    for (size_t m = 0; m < json_array_size(metrics); m++) {
        json_t *value = json_object_get(object, json_string_value(json_array_get(metrics, m)));
        json_array_append(list, json_is_number(value) ? value : json_null());
    }
    return list;
}

/* [policy, name, means, half-widths, changes, half-widths of those]; a ratio of 1.1 is a change of 0.1. */
static json_t *row_json(size_t policy, const json_t *value, const json_t *ratio, const json_t *metrics)
{
    json_t *name = json_object_get(value, "name"), *row = json_array(), *change = numbers_json(ratio, metrics);
    for (size_t m = 0; m < json_array_size(change); m++)
        if (json_is_number(json_array_get(change, m)))
            json_array_set_new(change, m, sms__json_number(json_number_value(json_array_get(change, m)) - 1));
    json_array_append_new(row, json_integer((json_int_t)policy));
    json_array_append(row, json_is_string(name) ? name : json_null());
    json_array_append_new(row, numbers_json(value, metrics));
    json_array_append_new(row, numbers_json(json_object_get(value, "ci95"), metrics));
    json_array_append_new(row, change);
    json_array_append_new(row, numbers_json(json_object_get(ratio, "ci95"), metrics));
    return row;
}

static json_t *table_json(const json_t *summary, const json_t *comparison, size_t subject)
{
    const char *key = subjects[subject].key;
    json_t *metrics = metrics_json(summary, subject), *rows = json_array();
    const json_t *run;
    for (size_t p = 0; (run = get_run(summary, p)); p++) {
        const json_t *values = json_object_get(run, key), *ratios = json_object_get(get_run(comparison, p), key);
        for (size_t i = 0; i < count_items(values); i++)
            json_array_append_new(rows, row_json(p, get_item(values, i), get_item(ratios, i), metrics));
    }
    return json_pack("{s:o, s:o}", "metrics", metrics, "rows", rows);
}

static size_t count_numbers(const json_t *table)
{
    return 4 * json_array_size(json_object_get(table, "metrics")) * json_array_size(json_object_get(table, "rows"));
}

/* Adds the tables of a subject for all scenarios, or for none if they do not all fit. */
static void add_subject(struct tables *tables, json_t *scenarios, size_t subject)
{
    size_t numbers = 0, rows = 0, i;
    json_t *scenario, *built = json_array();
    const char *word = sms__subject_word(subjects[subject].subject);
    json_array_foreach(scenarios, i, scenario)
    {
        json_t *table = table_json(json_array_get(tables->summary, i), json_array_get(tables->comparison, i), subject);
        rows += json_array_size(json_object_get(table, "rows"));
        numbers += count_numbers(table);
        json_array_append_new(built, numbers + tables->numbers <= SMS__PAGE_NUMBERS ? table : json_null());
        if (numbers + tables->numbers > SMS__PAGE_NUMBERS)
            json_decref(table);
    }
    bool fits = numbers + tables->numbers <= SMS__PAGE_NUMBERS;
    if (!fits)
        sms__page_note(
            tables->page,
            "%zu rows of subject '%s' are left out, because they are too many for a page. The folder has them.", rows,
            word);
    tables->numbers += fits ? numbers : 0;
    json_array_foreach(scenarios, i,
                       scenario) if (fits && json_array_size(json_object_get(json_array_get(built, i), "rows")))
        json_object_set(json_object_get(scenario, "tables"), word, json_array_get(built, i));
    json_decref(built);
}

/* The comparisons as [policy, subject, name, metric, p after Holm's correction]. */
static json_t *comparisons_json(const json_t *comparison, const json_t *policies)
{
    static const char *const keys[] = {"policy", "subject", "name", "metric", "p_holm"};
    json_t *list = json_array(), *item;
    size_t i;
    json_array_foreach(json_object_get(comparison, "comparisons"), i, item)
    {
        json_t *row = json_array();
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            json_array_append(row, json_object_get(item, keys[k]) ? json_object_get(item, keys[k]) : json_null());
        for (size_t p = 0; p < json_array_size(policies); p++)
            if (json_equal(json_array_get(policies, p), json_array_get(row, 0)))
                json_array_set_new(row, 0, json_integer((json_int_t)p));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *begin_scenario(const json_t *summary, const json_t *comparison)
{
    static const char *const keys[] = {"scenario", "question",  "contention", "queue", "seed",  "replications",
                                       "until",    "warmup_ns", "warnings",   "notes", "exact", "answer"};
    json_t *object = json_object(), *policies = json_array();
    const json_t *run, *bounds = json_object_get(comparison, "bounds");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(summary, keys[i]))
            json_object_set(object, keys[i], json_object_get(summary, keys[i]));
    for (size_t p = 0; (run = get_run(summary, p)); p++)
        json_array_append(policies, json_object_get(run, "policy"));
    json_object_set_new(object, "policies", policies);
    if (bounds)
        json_object_set_new(object, "bounds", json_copy(json_object_get(comparison, "bounds")));
    json_object_set_new(object, "comparisons", comparisons_json(comparison, policies));
    json_object_set_new(object, "tables", json_object());
    return object;
}

/* Whether both files have the same scenario and policies, in the same order. */
static bool match(const json_t *summary, const json_t *comparison)
{
    const json_t *run;
    if (!json_is_string(json_object_get(summary, "scenario")) || !get_run(summary, 0) ||
        !json_equal(json_object_get(summary, "scenario"), json_object_get(comparison, "scenario")))
        return false;
    for (size_t p = 0; (run = get_run(summary, p)) || get_run(comparison, p); p++)
        if (!json_is_string(json_object_get(run, "policy")) ||
            !json_equal(json_object_get(run, "policy"), json_object_get(get_run(comparison, p), "policy")))
            return false;
    return true;
}

static int fill(struct tables *tables, json_t *scenarios)
{
    struct sms__page *page = tables->page;
    size_t count = json_array_size(tables->summary);
    if (count > SMS__PAGE_SCENARIOS)
        sms__page_note(page, "Of %zu scenarios, only the first %d are shown.", count, SMS__PAGE_SCENARIOS);
    for (size_t i = 0; i < count && i < SMS__PAGE_SCENARIOS; i++) {
        const json_t *summary = json_array_get(tables->summary, i), *other = json_array_get(tables->comparison, i);
        if (!match(summary, other))
            return sms__fail(&page->errors, SMS_EINPUT, page->source,
                             "summary.json and comparison.json have different scenarios or policies");
        json_array_append_new(scenarios, begin_scenario(summary, other));
    }
    for (size_t subject = 0; subject < SUBJECTS; subject++)
        add_subject(tables, scenarios, subject);
    return SMS_OK;
}

int sms__page_read_tables(struct sms__page *page, json_t *scenarios)
{
    struct tables tables = {.page = page, .summary = json_array(), .comparison = json_array()};
    int code = load_objects(page, "summary.json", tables.summary);
    if (code == SMS_OK)
        code = load_objects(page, "comparison.json", tables.comparison);
    if (code == SMS_OK)
        code = fill(&tables, scenarios);
    json_decref(tables.summary);
    json_decref(tables.comparison);
    return code;
}
