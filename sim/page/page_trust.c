/* Which measurements cover the scenarios of a results folder. */
#include "page.h"

#include "../report/trust.h"

#include <string.h>

/* The manifest's entry of a scenario, or NULL. */
static const json_t *entry_of(const json_t *manifest, const json_t *scenario)
{
    size_t i;
    json_t *entry;
    json_array_foreach(
        json_object_get(manifest, "scenarios"), i,
        entry) if (json_equal(json_object_get(entry, "scenario"), json_object_get(scenario, "scenario"))) return entry;
    return NULL;
}

static const struct sms_scenario *find_scenario(const struct sms_file *file, const char *name)
{
    for (size_t i = 0; i < sms_file_scenarios(file); i++)
        if (!strcmp(sms_scenario_name(sms_file_scenario(file, i)), name))
            return sms_file_scenario(file, i);
    return NULL;
}

static json_t *lines_json(const struct sms__trust_names *lines)
{
    json_t *list = json_array();
    for (size_t i = 0; i < lines->count; i++)
        json_array_append_new(list, json_string(lines->name[i]));
    return list;
}

/* A text that cannot be read any more, because a model of it is gone, says so on the page. */
static int add_lines(const struct sms__page *page, struct sms__trust *trust, const json_t *entry, json_t *scenario)
{
    static const char *gone = "not known: the scenario cannot be read as it was";
    const char *text = json_string_value(json_object_get(entry, "text"));
    const char *path = json_string_value(json_object_get(entry, "file"));
    const char *name = json_string_value(json_object_get(scenario, "scenario"));
    const char *metric = json_string_value(json_object_get(json_object_get(scenario, "answer"), "metric"));
    struct sms__trust_names lines = {&gone, 1};
    struct sms_errors errors;
    struct sms_file *file = NULL;
    int code =
        text && path && name ? sms_file_load_text(text, strlen(text), path, page->trust, &file, &errors) : SMS_OK;
    if (code == SMS_ENOMEM)
        return code;
    code = SMS_OK;
    if (file && metric && find_scenario(file, name))
        code = sms__trust_say(trust, find_scenario(file, name), metric, &lines);
    sms_file_free(file);
    json_object_set_new(scenario, "trust", lines_json(&lines));
    return code;
}

int sms__page_add_trust(struct sms__page *page, const json_t *manifest, json_t *scenarios)
{
    struct sms__trust *trust;
    size_t i;
    json_t *scenario;
    int code = sms__trust_load(page->trust, &trust, &page->errors);
    json_array_foreach(scenarios, i, scenario) if (code == SMS_OK) code =
        add_lines(page, trust, entry_of(manifest, scenario), scenario);
    sms__trust_free(trust);
    return code;
}
