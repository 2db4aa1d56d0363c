#include "schema.h"
#include "list.h"
#include "../model/cluster/entries.h"

#include "../report/json_write.h"

#include <stdio.h>
#include <string.h>

#define DIGITS "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"

/* Whole numbers without a point. */
static json_t *bound(double value)
{
    bool whole = value > -1e18 && value < 1e18 && value == (double)(json_int_t)value;
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

/* A number as text: sign, digits that are not all 0 where it may not be, a unit. */
static json_t *pattern_of(enum sms__dimension dimension, double min)
{
    char text[256];
    const char *unit;
    bool bare = false;
    int used = snprintf(text, sizeof text, "^%s%s" DIGITS " *(", min < 0 ? "[-+]?" : "\\+?",
                        min > 0 ? "(?=[0-9.]*[1-9])" : "");
    for (size_t i = 0, n = 0; (unit = sms__dimension_unit(dimension, i)); i++) {
        bare |= !*unit;
        if (*unit)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", n++ ? "|" : "", unit);
    }
    snprintf(text + used, sizeof text - (size_t)used, ")%s$", bare ? "?" : "");
    return json_string(text);
}

json_t *schema_number(enum sms__dimension dimension, double min, double max)
{
    if (dimension == SMS__COUNT)
        return json_pack("{ss so so}", "type", "integer", "minimum", bound(min), "maximum", bound(max));
    if (*sms__dimension_unit(dimension, 0) && sms__dimension_unit(dimension, 1) && *sms__dimension_unit(dimension, 1))
        return json_pack("{ss so}", "type", "string", "pattern", pattern_of(dimension, min));
    return json_pack("{s[ss] so so so}", "type", "number", "string", "minimum", bound(min), "maximum", bound(max),
                     "pattern", pattern_of(dimension, min));
}

/* As sms__read_name has it. YAML takes 1080 for a number and true for a boolean, which are names as well. */
json_t *schema_name(void)
{
    return json_pack("{s[sss] ss}", "type", "string", "number", "boolean", "pattern",
                     "^(?!/)(?!.*\\.\\.)[A-Za-z0-9_./-]{1,100}$");
}

json_t *schema_choice(const char *const *choices)
{
    json_t *words = json_array();
    for (; *choices; choices++) {
        bool is_true = !strcmp(*choices, "true");
        if (is_true || !strcmp(*choices, "false"))
            json_array_append_new(words, json_boolean(is_true));
        json_array_append_new(words, json_string(*choices));
    }
    return json_pack("{so}", "enum", words);
}

json_t *schema_object(json_t *properties)
{
    return json_pack("{ss so sb}", "type", "object", "properties", properties, "additionalProperties", 0);
}

json_t *schema_list(json_t *items, size_t least, size_t most)
{
    json_t *list = json_pack("{ss so}", "type", "array", "items", items);
    if (least)
        json_object_set_new(list, "minItems", json_integer((json_int_t)least));
    if (most)
        json_object_set_new(list, "maxItems", json_integer((json_int_t)most));
    return list;
}

json_t *schema_either(json_t *a, json_t *b) { return json_pack("{s[oo]}", "anyOf", a, b); }

json_t *schema_described(json_t *schema, const char *text)
{
    if (json_object_get(schema, "$ref"))
        return json_pack("{ss s[o]}", "description", text, "allOf", schema);
    json_object_set_new(schema, "description", json_string(text));
    return schema;
}

static json_t *has(const char *key) { return json_pack("{s[s]}", "required", key); }

static json_t *when(json_t *condition, json_t *then, json_t *otherwise)
{
    return json_pack("{so so so}", "if", condition, "then", then, "else", otherwise);
}

/* A mapping of names to values. */
static json_t *named(json_t *values, size_t least, size_t most)
{
    json_t *map =
        json_pack("{ss so so}", "type", "object", "propertyNames", schema_name(), "additionalProperties", values);
    if (least)
        json_object_set_new(map, "minProperties", json_integer((json_int_t)least));
    if (most)
        json_object_set_new(map, "maxProperties", json_integer((json_int_t)most));
    return map;
}

/* What else a device in a scenario may say, for `fields` have been put into `object`. */
static void add_overrides(json_t *object, const struct sms__field *fields)
{
    json_t *more = schema_mapping(fields + 1, true);
    json_object_update(json_object_get(object, "properties"), json_object_get(more, "properties"));
    json_decref(more);
}

/* By the fields that stand instead of others, where their first one says so. */
static json_t *mapping_instead(const struct sms__field *fields, json_t *others)
{
    json_t *said =
        json_pack("{s[s] s{so}}", "required", fields->name, "properties", fields->name, schema_choice(fields->choices));
    return when(said, schema_mapping(fields, false), others);
}

static json_t *mapping_of(const struct sms__field *field, bool loose)
{
    json_t *object = schema_mapping(field->fields, loose && field->holds == SMS__NAMED);
    if (field->overrides)
        add_overrides(object, field->overrides);
    return field->instead ? mapping_instead(field->instead, object) : object;
}

/* One value of a field, without what it is for. */
static json_t *value_of(const struct sms__field *field, bool loose)
{
    if (field->form)
        return schema_form(field);
    switch (field->type) {
    case SMS__TEXT:
        return json_pack("{s[ssss]}", "type", "string", "number", "boolean", "null");
    case SMS__NAME:
    case SMS__REFERENCE:
        return schema_name();
    case SMS__CHOICE:
        return schema_choice(field->choices);
    case SMS__FIELDS:
        return mapping_of(field, loose);
    case SMS__CUSTOM:
        return json_object();
    default:
        break;
    }
    json_t *number = schema_number(field->dimension, field->min, field->max);
    return field->word ? schema_either(json_pack("{s[s]}", "enum", field->word), number) : number;
}

static bool is_number(const struct sms__field *field)
{
    return field->form == SMS__FORM_NONE && (field->type == SMS__QUANTITY || field->type == SMS__SPAN ||
                                             field->type == SMS__INTEGER || field->type == SMS__MILLI);
}

static json_t *field_schema(const struct sms__field *field, bool loose)
{
    char text[512], low[40], high[40];
    json_t *schema = value_of(field, loose);
    if (field->holds == SMS__MANY)
        schema = schema_list(schema, field->least, field->most);
    else if (field->holds == SMS__NAMED)
        schema = named(schema, loose ? 0 : field->least, field->most);
    if (!is_number(field))
        return schema_described(schema, field->help);
    sms__print_bound(low, sizeof low, field->dimension, field->min);
    sms__print_bound(high, sizeof high, field->dimension, field->max);
    snprintf(text, sizeof text, "%s (%s to %s)", field->help, low, high);
    return schema_described(schema, text);
}

/* Exactly one of the keys with the words of `first`. */
static json_t *one_of(const struct sms__field *first)
{
    json_t *choices = json_array();
    for (const struct sms__field *field = first; field->name; field++)
        if (field->one_of && !strcmp(field->one_of, first->one_of))
            json_array_append_new(choices, json_pack("{s[s]}", "required", field->name));
    return json_pack("{so}", "oneOf", choices);
}

static bool is_first_of_words(const struct sms__field *fields, const struct sms__field *field)
{
    for (; fields < field; fields++)
        if (fields->one_of && !strcmp(fields->one_of, field->one_of))
            return false;
    return true;
}

static void set_if_any(json_t *object, const char *key, json_t *value)
{
    if (json_is_array(value) ? json_array_size(value) : json_object_size(value))
        json_object_set_new(object, key, value);
    else
        json_decref(value);
}

static void add_rules(json_t *object, const struct sms__field *fields, bool loose)
{
    json_t *required = json_array(), *needs = json_object(), *rules = json_array();
    for (const struct sms__field *field = fields; field->name; field++) {
        if (field->required && !loose)
            json_array_append_new(required, json_string(field->name));
        if (field->needs)
            json_object_set_new(needs, field->name, json_pack("[s]", field->needs));
        if (field->one_of && is_first_of_words(fields, field))
            json_array_append_new(rules, one_of(field));
    }
    set_if_any(object, "required", required);
    set_if_any(object, "dependencies", needs);
    set_if_any(object, "allOf", rules);
}

const struct sms__field *schema_find(const struct sms__field *fields, const char *name)
{
    while (fields->name && strcmp(fields->name, name) != 0)
        fields++;
    return fields->name ? fields : NULL;
}

/* Streams of a list have workloads of their own; else a process has one, or draws one. */
static void add_process_rules(json_t *object)
{
    json_t *listed = json_pack("{s[s] s{s{ss}}}", "required", "streams", "properties", "streams", "type", "array");
    json_t *none = json_pack("{s{sb sb}}", "properties", "workload", 0, "draw", 0);
    json_t *rule = when(listed, none, json_pack("{s[oo]}", "oneOf", has("workload"), has("draw")));
    json_object_update(object, rule);
    json_decref(rule);
}

json_t *schema_mapping(const struct sms__field *fields, bool loose)
{
    json_t *properties = json_object(), *object = schema_object(properties);
    for (const struct sms__field *field = fields; field->name; field++)
        if (!field->refuse)
            json_object_set_new(properties, field->name, field_schema(field, loose));
    add_rules(object, fields, loose);
    if (schema_find(fields, "table"))
        schema_add_entry_rules(object, fields);
    if (fields == sms__process_fields)
        add_process_rules(object);
    return object;
}

/* What `policies:` hold where there are processes, and where there are VMs. */
static json_t *items_of_policies(const char *definition)
{
    return json_pack("{s{s{s{ss}}}}", "properties", "policies", "items", "$ref", definition);
}

static json_t *scenario_schema(void)
{
    json_t *schema = schema_mapping(sms__scenario_tables()[0].fields, false);
    json_object_set_new(schema, "if", json_pack("{s[s]}", "required", "processes"));
    json_object_set_new(schema, "then", items_of_policies("#/definitions/share_policy"));
    json_object_set_new(schema, "else", items_of_policies("#/definitions/block_policy"));
    return schema;
}

static json_t *refer(const char *definition) { return json_pack("{ss}", "$ref", definition); }

/* As the loader decides: a plan; else a scenario, of nodes or not; else a workload; else a device. */
static json_t *kinds(void)
{
    json_t *none =
        json_pack("{s[oooo] s{s{ss} s{ss} s{ss} s{ss}}}", "anyOf", has("device"), has("workload"), has("scenario"),
                  has("plan"), "properties", "device", "description", "a device", "workload", "description",
                  "a workload", "scenario", "description", "a scenario", "plan", "description", "a plan of a sweep");
    json_t *scenario =
        when(schema_either(has("nodes"), has("pods")), refer("#/definitions/cluster"), refer("#/definitions/scenario"));
    json_t *device = when(has("device"), refer("#/definitions/device"), none);
    json_t *workload = when(has("workload"), refer("#/definitions/workload"), device);
    json_t *tenants = when(has("scenario"), scenario, workload);
    return when(has("plan"), refer("#/definitions/plan"), tenants);
}

int list_schema(const struct cli *cli)
{
    (void)cli;
    json_t *definitions = json_object(), *schema = kinds();
    json_object_set_new(schema, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(schema, "title", json_string("A device, a workload, a scenario or a plan of smsched"));
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(definitions, "device", schema_mapping(sms__device_fields, false));
    json_object_set_new(definitions, "workload", schema_mapping(sms__workload_tables()[0].fields, false));
    json_object_set_new(definitions, "scenario", scenario_schema());
    json_object_set_new(definitions, "cluster", schema_cluster());
    schema_add_definitions(definitions);
    schema_add_plan(definitions);
    json_object_set_new(schema, "definitions", definitions);
    sms__json_write(schema, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12)); /* cli_finish tells of a failure */
    return EXIT_OK;
}
