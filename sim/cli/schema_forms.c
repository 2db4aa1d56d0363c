/* The parts of the schema that no table of fields describes: policies, modes and contention models by the tables of
 * their parameters, metrics, demands. */
#include "schema.h"
#include "../model/limits.h"
#include "../model/policy/contention.h"
#include "../model/policy/registry.h"
#include "../model/policy/use.h"

#include <stdio.h>
#include <string.h>

#define HUGE_NUMBER 1e300
static json_t *ratio(double max) { return schema_number(SMS__RATIO, 0, max); }

static json_t *param_schema(const struct sms_param *param)
{
    char fallback[64];
    json_t *schema = param->unit == SMS_UNIT_CHOICE
                         ? schema_choice(param->choices)
                         : schema_number(sms__param_dimension(param->unit), param->min, param->max);
    sms__print_param(fallback, sizeof fallback, param, param->fallback);
    json_object_set_new(schema, "default",
                        param->unit == SMS_UNIT_COUNT ? json_integer((json_int_t)param->fallback)
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

/* Something by name, or {NAME: {PARAMETER: VALUE}}: gathered one by one. */
struct uses {
    json_t *names, *helps, *forms;
};

static struct uses begin_uses(void) { return (struct uses){json_array(), json_array(), json_object()}; }

static void add_name(struct uses *uses, const char *name, const char *help)
{
    json_array_append_new(uses->names, json_string(name));
    json_array_append_new(uses->helps, json_string(help));
}

static void add_use(struct uses *uses, const char *name, const char *help, const struct sms_param *params)
{
    add_name(uses, name, help);
    json_object_set_new(uses->forms, name, schema_described(params_schema(params), help));
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

static json_t *block_policies(void)
{
    struct uses uses = begin_uses();
    const struct sms_block_policy *policy;
    for (size_t i = 0; (policy = sms__policy_at(NULL, i)); i++)
        add_use(&uses, policy->name, policy->help, policy->params);
    return end_uses(&uses);
}

static json_t *place_uses(void)
{
    struct uses uses = begin_uses();
    const struct sms_place_policy *policy;
    for (size_t i = 0; (policy = sms__place_at(NULL, i)); i++)
        add_use(&uses, policy->name, policy->help, policy->params);
    return end_uses(&uses);
}

static json_t *share_policies(void)
{
    struct uses uses = begin_uses();
    const struct sms_share_policy *policy;
    for (size_t i = 0; (policy = sms__share_at(NULL, i)); i++)
        add_use(&uses, policy->name, policy->help, policy->params);
    return end_uses(&uses);
}

/* A mode with instances is never a name alone: it has to say which. */
static json_t *modes(void)
{
    struct uses uses = begin_uses();
    const struct sms__mode_form *mode;
    for (size_t i = 0; (mode = sms__mode_at(i)); i++) {
        if (!mode->instances) {
            add_use(&uses, mode->name, mode->help, mode->params);
            continue;
        }
        json_t *form = schema_described(params_schema(mode->params), mode->help);
        json_object_set_new(
            json_object_get(form, "properties"), "instances",
            schema_described(schema_list(schema_name(), 1, SMS__INSTANCES_MAX), "profiles of the device's mig"));
        json_object_set_new(form, "required", json_pack("[s]", "instances"));
        json_object_set_new(uses.forms, mode->name, form);
    }
    return end_uses(&uses);
}

/* What an entry of policies may name, one or more of it, beside `place` if that is not NULL. */
static json_t *parts_with(json_t *place)
{
    json_t *properties = json_pack("{so so s{ss}}", "share", share_policies(), "mode", modes(), "block", "$ref",
                                   "#/definitions/block_policy");
    if (place)
        json_object_set_new(properties, "place", place);
    json_t *parts = schema_object(properties);
    json_object_set_new(parts, "minProperties", json_integer(1));
    return parts;
}

/* Where tenants are processes: a share policy, or one to three parts. */
static json_t *sharing(void)
{
    json_t *plain = share_policies();
    json_array_append_new(json_object_get(plain, "anyOf"), parts_with(NULL));
    return plain;
}

/* Where they are pods: a place policy, or one to four parts. */
static json_t *place_policies(void)
{
    json_t *plain = place_uses();
    json_array_append_new(json_object_get(plain, "anyOf"), parts_with(place_uses()));
    return plain;
}

static json_t *mapping_to(json_t *values, size_t most)
{
    return json_pack("{ss so so so}", "type", "object", "propertyNames", schema_name(), "maxProperties",
                     json_integer((json_int_t)most), "additionalProperties", values);
}

static json_t *curves(void)
{
    json_t *point = schema_list(ratio(SMS__CURVE_MAX), 2, 2);
    return schema_described(mapping_to(schema_list(point, 1, 0), SMS_RESOURCES_MAX),
                            "by resource, points [usage, overhead] that rise");
}

static json_t *slowdowns(void)
{
    json_t *row = mapping_to(schema_number(SMS__RATIO, 1, SMS__SLOWDOWN_MAX), SMS__CLASSES_MAX);
    json_t *rows = mapping_to(row, SMS__CLASSES_MAX);
    json_object_set_new(rows, "minProperties", json_integer(1));
    return schema_described(rows, "by class, the factor beside each class");
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
static json_t *contention(void)
{
    struct uses uses = begin_uses();
    const struct sms_contention *model;
    json_t *any = json_array();
    for (size_t i = 0; (model = sms__contention_at(NULL, i)); i++) {
        if (!model->pairs)
            add_name(&uses, model->name, model->help);
        json_array_append_new(any, contention_form(model));
    }
    json_decref(uses.forms);
    json_array_insert_new(any, 0, names_of(&uses));
    return json_pack("{so}", "anyOf", any);
}

/* A count of units, or a share. */
static json_t *demand(void)
{
    json_t *count = schema_number(SMS__COUNT, 0, SMS__UNITS_MAX);
    return mapping_to(schema_either(count, ratio(SMS__DEMAND_MAX)), SMS_RESOURCES_MAX);
}

/* A metric belongs to what the expectation is of: that is left to the loader. */
static json_t *metrics(void)
{
    struct uses uses = begin_uses();
    add_name(&uses, "gain", "of the host: kernels_per_s over another policy's, less 1");
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        for (size_t m = 0; m < count; m++) {
            bool told = false;
            for (size_t i = 0; i < json_array_size(uses.names); i++)
                told |= !strcmp(json_string_value(json_array_get(uses.names, i)), metric[m].name);
            if (!told)
                add_name(&uses, metric[m].name, metric[m].formula);
        }
    }
    json_decref(uses.forms);
    return names_of(&uses);
}

static json_t *measure(void)
{
    json_t *number = schema_number(SMS__RATIO, -HUGE_NUMBER, HUGE_NUMBER);
    json_object_del(number, "minimum");
    json_object_del(number, "maximum");
    return schema_either(number, schema_number(SMS__TIME, -HUGE_NUMBER, HUGE_NUMBER));
}

static json_t *number_or_list(const struct sms__field *field)
{
    json_t *number = schema_number(field->dimension, field->min, field->max);
    json_t *item = field->fields ? schema_mapping(field->fields, false) : json_deep_copy(number);
    return schema_either(number, schema_list(item, field->least, field->most));
}

json_t *schema_form(const struct sms__field *field)
{
    switch (field->form) {
    case SMS__FORM_POLICY:
        return json_pack("{ss}", "$ref", "#/definitions/block_policy");
    case SMS__FORM_PLACE:
        return json_pack("{ss}", "$ref", "#/definitions/place_policy");
    case SMS__FORM_CONTENTION:
        return contention();
    case SMS__FORM_DEMAND:
        return json_pack("{ss}", "$ref", "#/definitions/demand");
    case SMS__FORM_MEASURE:
        return measure();
    case SMS__FORM_METRIC:
        return json_pack("{ss}", "$ref", "#/definitions/metric");
    case SMS__FORM_NAMES:
        return schema_either(schema_name(), schema_list(schema_name(), field->least, field->most));
    case SMS__FORM_NUMBER_OR_LIST:
        return number_or_list(field);
    case SMS__FORM_NUMBER_OR_FIELDS:
        return schema_either(schema_number(field->dimension, field->min, field->max),
                             schema_mapping(field->fields, false));
    case SMS__FORM_LABELS:
        return json_pack("{ss s{s[ssss]}}", "type", "object", "additionalProperties", "type", "string", "number",
                         "boolean", "null");
    case SMS__FORM_ROW:
        return json_pack("{ss}", "type", "array");
    case SMS__FORM_TENANTS: /* the scenario says which */
    case SMS__FORM_NONE:
        return json_object();
    default:
        return schema_plan_form(field);
    }
}

void schema_add_definitions(json_t *to)
{
    json_object_set_new(to, "block_policy", block_policies());
    json_object_set_new(to, "share_policy", sharing());
    json_object_set_new(to, "place_policy", place_policies());
    json_object_set_new(to, "demand", demand());
    json_object_set_new(to, "metric", metrics());
}
