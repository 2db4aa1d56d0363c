/* Definitions for the schema: policies, modes and contention models by the tables of their parameters; metrics;
 * demands. */
#include "../model/layout.h"
#include "schema.h"

#include "../model/device_model.h"
#include "../model/limits.h"
#include "../model/policy/contention_use.h"
#include "../model/policy/registry.h"

#include <stdio.h>
#include <string.h>

static json_t *param_schema(const struct sms_param *param)
{
    char fallback[64];
    json_t *schema = param->unit == SMS_UNIT_CHOICE
                         ? schema_choice(param->choices)
                         : schema_number(sms__param_dimension(param->unit), param->min, param->max);
    sms__print_param(fallback, sizeof fallback, param, param->fallback);
    json_object_set_new(schema, "default",
                        param->unit == SMS_UNIT_COUNT    ? json_integer((json_int_t)param->fallback)
                        : param->unit == SMS_UNIT_NUMBER ? json_real(param->fallback)
                                                         : json_string(fallback));
    if (param->unit == SMS_UNIT_CHOICE)
        return schema_described(schema, param->help);
    char text[512], min[64], max[64];
    sms__print_param(min, sizeof min, param, param->min);
    sms__print_param(max, sizeof max, param, param->max);
    snprintf(text, sizeof text, "%s (%s to %s)", param->help, min, max);
    return schema_described(schema, text);
}

static json_t *params_schema(const struct sms_param *params)
{
    json_t *properties = json_object();
    for (; params && params->name; params++)
        json_object_set_new(properties, params->name, param_schema(params));
    return schema_object(properties);
}

/* Something that is used by name, or as {NAME: {PARAMETER: VALUE}}. */
struct uses {
    json_t *names, *helps, *forms;
};

static struct uses begin_uses(void) { return (struct uses){json_array(), json_array(), json_object()}; }

static void add_name(struct uses *uses, const char *name, const char *help)
{
    json_array_append_new(uses->names, json_string(name));
    json_array_append_new(uses->helps, json_string(help ? help : ""));
}

static void add_use(struct uses *uses, const char *name, const char *help, const struct sms_param *params)
{
    add_name(uses, name, help);
    json_object_set_new(uses->forms, name, schema_described(params_schema(params), help));
}

/* `caps:` of a mode, beside its parameters. */
static void add_caps(const struct uses *uses, const char *mode)
{
    json_t *caps = schema_named(schema_number(SMS__RATIO, SMS__THREADS_LEAST, 1), 1, 0);
    json_object_set_new(json_object_get(json_object_get(uses->forms, mode), "properties"), "caps",
                        schema_described(caps, "share of the SMs of each, in place of its active_threads"));
}

static json_t *names_of(struct uses *uses)
{
    return json_pack("{so so}", "enum", uses->names, "enumDescriptions", uses->helps);
}

static json_t *end_uses(struct uses *uses)
{
    json_t *pair = schema_object(uses->forms);
    json_object_set_new(pair, "minProperties", json_integer(1));
    json_object_set_new(pair, "maxProperties", json_integer(1));
    return schema_either(names_of(uses), pair);
}

/* All policies of a kind. */
static json_t *policies(const struct sms_load_options *options, enum sms__known_kind kind)
{
    struct uses uses = begin_uses();
    struct sms__known known;
    for (size_t i = 0; (known = sms__known_at(options, kind, i)).name; i++)
        add_use(&uses, known.name, known.help, known.params);
    return end_uses(&uses);
}

/* A profile, or {PROFILE: MODE}. */
static json_t *instance(void)
{
    json_t *own = schema_object(json_object());
    json_object_set_new(own, "additionalProperties", schema_refer("mode"));
    json_object_set_new(own, "minProperties", json_integer(1));
    json_object_set_new(own, "maxProperties", json_integer(1));
    return schema_either(schema_name(), own);
}

/* The instances that a mode makes, and what their processes do. */
static json_t *split_mode(const char *help)
{
    json_t *form = schema_object(
        json_pack("{so so}", "instances",
                  schema_described(schema_list(schema_refer("instance"), 1, SMS__INSTANCES_MAX),
                                   "profiles of the device's mig, or {PROFILE: MODE}"),
                  "inside", schema_described(schema_refer("mode"), "of instances without a mode; default time_slice")));
    json_object_set_new(form, "required", json_pack("[s]", "instances"));
    return schema_described(form, help);
}

/* A mode with instances is never a name alone, because it must list them. */
static json_t *mode(const struct sms_load_options *options)
{
    struct uses uses = begin_uses();
    const struct sms_sharing_mode *form;
    for (size_t i = 0; (form = sms__known_at(options, SMS__MODE, i).item); i++) {
        if (form->instances)
            json_object_set_new(uses.forms, form->name, split_mode(form->help));
        else
            add_use(&uses, form->name, form->help, form->params);
        if (form->caps)
            add_caps(&uses, form->name);
    }
    return end_uses(&uses);
}

/* One for all devices, or one for each. */
static json_t *modes(void) { return schema_either(schema_refer("mode"), schema_list(schema_refer("mode"), 1, 0)); }

/* A policy alone, or a mapping of one or more parts: the policy itself, if `key` is not NULL, and share policy, mode
 * and block policy. */
static json_t *with_parts(const struct sms_load_options *options, json_t *alone, const char *key)
{
    json_t *properties = json_pack("{so so so}", "share", policies(options, SMS__SHARE), "mode", modes(), "block",
                                   schema_refer("block_policy"));
    if (key)
        json_object_set_new(properties, key, json_deep_copy(alone));
    json_t *parts = schema_object(properties);
    json_object_set_new(parts, "minProperties", json_integer(1));
    json_array_append_new(json_object_get(alone, "anyOf"), parts);
    return alone;
}

static json_t *curves(void)
{
    json_t *point = schema_list(schema_number(SMS__RATIO, 0, SMS__CURVE_MAX), 2, 2);
    return schema_described(schema_named(schema_list(point, 1, 0), 0, SMS_RESOURCES_MAX),
                            "by resource, points [usage, overhead] that rise");
}

static json_t *slowdowns(void)
{
    json_t *row = schema_named(schema_number(SMS__RATIO, 1, SMS__SLOWDOWN_MAX), 0, SMS__CLASSES_MAX);
    return schema_described(schema_named(row, 1, SMS__CLASSES_MAX), "by class, the factor beside each class");
}

static json_t *contention_form(const struct sms_contention *model)
{
    json_t *form = schema_described(params_schema(model->params), model->help);
    json_t *properties = json_object_get(form, "properties");
    json_object_set_new(properties, "model", json_pack("{s[s]}", "enum", model->name));
    json_object_set_new(form, "required", json_pack("[s]", "model"));
    if (model->curves)
        json_object_set_new(properties, "curves", curves());
    if (model->pairs) {
        json_object_set_new(properties, "slowdown", slowdowns());
        json_array_append_new(json_object_get(form, "required"), json_string("slowdown"));
    }
    return form;
}

/* A model by name, unless it needs more, or a mapping with its name and parameters. */
static json_t *contention(const struct sms_load_options *options)
{
    struct uses uses = begin_uses();
    const struct sms_contention *model;
    json_t *any = json_array();
    for (size_t i = 0; (model = sms__known_at(options, SMS__CONTENTION, i).item); i++) {
        if (!model->pairs)
            add_name(&uses, model->name, model->help);
        json_array_append_new(any, contention_form(model));
    }
    json_decref(uses.forms);
    json_array_insert_new(any, 0, names_of(&uses));
    return json_pack("{so}", "anyOf", any);
}

static json_t *queues(const struct sms_load_options *options)
{
    struct uses uses = begin_uses();
    struct sms__known queue;
    for (size_t i = 0; (queue = sms__known_at(options, SMS__QUEUE, i)).name; i++)
        add_name(&uses, queue.name, queue.help);
    json_decref(uses.forms);
    return names_of(&uses);
}

/* A count of units, or a share. */
static json_t *demand(void)
{
    json_t *units = schema_number(SMS__COUNT, 0, SMS__UNITS_MAX),
           *share = schema_number(SMS__RATIO, 0, SMS__DEMAND_MAX);
    return schema_named(schema_either(units, share), 0, SMS_RESOURCES_MAX);
}

/* Several subjects have metrics of the same name; the first one's formula is shown. The loader checks that the subject
 * of an expectation has the metric. */
static json_t *metrics(void)
{
    struct uses uses = begin_uses();
    add_name(&uses, "gain", "of the host: kernels_per_s over another policy's, less 1");
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        for (size_t m = 0; m < count; m++) {
            bool known = false;
            for (size_t i = 0; i < json_array_size(uses.names); i++)
                known |= !strcmp(json_string_value(json_array_get(uses.names, i)), metric[m].name);
            if (!known)
                add_name(&uses, metric[m].name, metric[m].formula);
        }
    }
    json_decref(uses.forms);
    return names_of(&uses);
}

void schema_add_uses(json_t *definitions, const struct sms_load_options *options)
{
    json_object_set_new(definitions, "block_policy", policies(options, SMS__BLOCK));
    json_object_set_new(definitions, "share_policy", with_parts(options, policies(options, SMS__SHARE), NULL));
    json_object_set_new(definitions, "place_policy", with_parts(options, policies(options, SMS__PLACE), "place"));
    json_object_set_new(definitions, "mode", mode(options));
    json_object_set_new(definitions, "instance", instance());
    json_object_set_new(definitions, "contention_model", contention(options));
    json_object_set_new(definitions, "queue_discipline", queues(options));
    json_object_set_new(definitions, "demand", demand());
    json_object_set_new(definitions, "metric", metrics());
}
