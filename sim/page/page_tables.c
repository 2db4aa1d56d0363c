/* Puts the runs of summary.json and comparison.json into the page, which makes tables of them. Both have one object for
 * each scenario, with an object for each policy. */
#include "page.h"

#include "../report/output.h"

#include <string.h>

/* Keys of the subjects in a run. If not all fit, the first ones are kept. */
static const char *const subjects[] = {"host",    "cluster", "processes", "vms",
                                       "classes", "devices", "resources", "kernels"};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* Loads one object for each scenario. Several are in an array. */
static int load_objects(struct sms__page *page, const char *name, json_t **list)
{
    const char *path = sms__print(&page->arena, "%s/%s", page->source, name);
    int code = sms__read_json(path, list, &page->errors);
    if (json_is_object(*list))
        *list = json_pack("[o]", *list);
    return code;
}

static json_t *get_run(const json_t *scenario, size_t policy)
{
    return json_array_get(json_object_get(scenario, "runs"), policy);
}

/* Numbers in a value, whatever its depth. */
static size_t count_numbers(const json_t *value)
{
    size_t sum = json_is_number(value);
    const char *key;
    json_t *part;
    for (size_t i = 0; i < json_array_size(value); i++)
        sum += count_numbers(json_array_get(value, i));
    json_object_foreach((json_t *)(uintptr_t)value, key, part) sum += count_numbers(part);
    return sum;
}

/* Counts the numbers of a subject in all runs of the scenarios, or removes them. */
static size_t visit(const json_t *scenarios, const char *subject, bool remove)
{
    size_t numbers = 0;
    json_t *run;
    for (size_t i = 0; i < json_array_size(scenarios) && i < SMS__PAGE_SCENARIOS; i++)
        for (size_t p = 0; (run = get_run(json_array_get(scenarios, i), p)); p++) {
            numbers += count_numbers(json_object_get(run, subject));
            if (remove)
                json_object_del(run, subject);
        }
    return numbers;
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

/* Keeps the subjects whose numbers fit a page, and notes the others. */
static void limit_subjects(struct sms__page *page, const json_t *summary, const json_t *comparison)
{
    size_t sum = 0;
    for (size_t s = 0; s < SUBJECTS; s++) {
        size_t numbers = visit(summary, subjects[s], false) + visit(comparison, subjects[s], false);
        bool fits = sum + numbers <= SMS__PAGE_NUMBERS / 2;
        sum += fits ? numbers : 0;
        if (fits)
            continue;
        visit(summary, subjects[s], true);
        visit(comparison, subjects[s], true);
        sms__page_note(
            page, "The %zu numbers of '%s' are left out, because they are too many for a page. The folder has them.",
            numbers, subjects[s]);
    }
}

/* The p-value of a comparison after Holm's correction. A change without a verdict holds as little as one that is
 * chance, and one that is the same in all replications holds. */
static json_t *p_value_of(const json_t *comparison)
{
    const char *verdict = json_string_value(json_object_get(comparison, "verdict"));
    json_t *p = json_object_get(comparison, "p_holm");
    if (verdict && !strcmp(verdict, "no verdict"))
        return json_integer(1);
    if (verdict && !strcmp(verdict, "same in all replications") &&
        json_number_value(json_object_get(comparison, "difference")) != 0)
        return json_integer(0);
    return p ? json_incref(p) : json_null();
}

/* Leaves of each comparison what the page shows: what it is of, and its p-value. */
static json_t *shorten(const json_t *comparisons)
{
    static const char *const keys[] = {"policy", "subject", "name", "metric"};
    json_t *all = json_array();
    for (size_t i = 0; i < json_array_size(comparisons); i++) {
        const json_t *one = json_array_get(comparisons, i);
        json_t *list = json_array();
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            json_array_append(list, json_object_get(one, keys[k]));
        json_array_append_new(list, p_value_of(one));
        json_array_append_new(all, list);
    }
    return all;
}

/* The scenario of summary.json, with what comparison.json adds: changes over the first policy, their tests, bounds,
 * draws of what is not known. */
static json_t *join(json_t *summary, const json_t *comparison)
{
    static const char *const keys[][2] = {{"runs", "ratios"}, {"bounds", "bounds"}, {"unknowns", "unknowns"}};
    json_object_set_new(summary, "comparisons", shorten(json_object_get(comparison, "comparisons")));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(comparison, keys[i][0]))
            json_object_set(summary, keys[i][1], json_object_get(comparison, keys[i][0]));
    return summary;
}

static int fill(struct sms__page *page, const json_t *summary, const json_t *comparison, json_t *scenarios)
{
    size_t count = json_array_size(summary);
    if (count > SMS__PAGE_SCENARIOS)
        sms__page_note(page, "Of %zu scenarios, only the first %d are shown.", count, SMS__PAGE_SCENARIOS);
    limit_subjects(page, summary, comparison);
    for (size_t i = 0; i < count && i < SMS__PAGE_SCENARIOS; i++) {
        json_t *one = json_array_get(summary, i), *other = json_array_get(comparison, i);
        if (!match(one, other))
            return sms__fail(&page->errors, SMS_EINPUT, page->source,
                             "summary.json and comparison.json have different scenarios or policies");
        json_array_append(scenarios, join(one, other));
    }
    return SMS_OK;
}

int sms__page_read_tables(struct sms__page *page, json_t *scenarios)
{
    json_t *summary = NULL, *comparison = NULL;
    int code = load_objects(page, "summary.json", &summary);
    if (code == SMS_OK)
        code = load_objects(page, "comparison.json", &comparison);
    if (code == SMS_OK)
        code = fill(page, summary, comparison, scenarios);
    json_decref(summary);
    json_decref(comparison);
    return code;
}
