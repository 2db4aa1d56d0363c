/* Generates the schema from the tables of fields. A field's type gives its form, a custom field's `form` names it. */
#include "schema.h"

#include "../sweep/sweep.h"
#include "list.h"

#include <stdio.h>
#include <string.h>

#define HUGE_NUMBER 1e300

/* A mapping by a table; `loose`: none of its keys is required. */
static json_t *mapping(const struct sms__field *fields, bool loose);

static json_t *number_of(const struct sms__field *field)
{
    return schema_number(field->dimension, field->min, field->max);
}

static json_t *measure(const struct sms__field *field)
{
    json_t *number = schema_number(SMS__RATIO, -HUGE_NUMBER, HUGE_NUMBER);
    (void)field;
    json_object_del(number, "minimum");
    json_object_del(number, "maximum");
    return schema_either(number, schema_number(SMS__TIME, -HUGE_NUMBER, HUGE_NUMBER));
}

static json_t *names(const struct sms__field *field)
{
    return schema_either(schema_name(), schema_list(schema_name(), field->least, field->most));
}

static json_t *number_or_list(const struct sms__field *field)
{
    json_t *item = field->fields ? mapping(field->fields, false) : number_of(field);
    return schema_either(number_of(field), schema_list(item, field->least, field->most));
}

static json_t *number_or_fields(const struct sms__field *field)
{
    return schema_either(number_of(field), mapping(field->fields, false));
}

static json_t *time_by_share(const struct sms__field *field)
{
    json_t *shares =
        json_pack("{ss si si so so}", "type", "object", "minProperties", 2, "maxProperties", 16, "propertyNames",
                  schema_number(SMS__RATIO, 0, 1), "additionalProperties", number_of(field));
    return schema_either(number_of(field), shares);
}

static json_t *file_name(void) { return json_pack("{ss si}", "type", "string", "minLength", 1); }

static json_t *files(const struct sms__field *field)
{
    return schema_either(file_name(), schema_list(file_name(), field->least, field->most));
}

static json_t *end_of_range(const struct sms__field *field)
{
    (void)field;
    return json_pack("{s[ss] ss}", "type", "number", "string", "pattern",
                     "^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?[^0-9xX]*$");
}

static json_t *path_pattern(void)
{
    return json_pack("{ss ss}", "pattern", "^(?!.*\\.\\.)(?!scenario$)[^.](.{0,198}[^.])?$", "description",
                     "keys, names of entries, their numbers from 0 or *, with points between them");
}

static json_t *paths(const struct sms__field *field)
{
    json_t *path = path_pattern();
    json_object_set_new(path, "type", json_pack("[ss]", "string", "number"));
    return schema_list(path, field->least, field->most);
}

/* {PATH: list or range}. */
static json_t *varied(json_t *range)
{
    return json_pack("{ss si si so so}", "type", "object", "minProperties", 1, "maxProperties", SMS__COLUMNS_MAX,
                     "propertyNames", path_pattern(), "additionalProperties",
                     schema_either(json_pack("{ss si}", "type", "array", "minItems", 1), range));
}

/* One of three words alone, or fields that vary together. */
static json_t *axes(const struct sms__field *field)
{
    json_t *words = schema_object(json_pack("{so so so}", "sobol", schema_refer("spread"), "random",
                                            schema_refer("spread"), "mixes", schema_refer("mix")));
    json_object_set_new(words, "maxProperties", json_integer(1));
    json_t *any = json_pack("{s[ooo]}", "anyOf", schema_has("sobol"), schema_has("random"), schema_has("mixes"));
    return schema_list(schema_when(any, words, varied(schema_refer("range"))), field->least, field->most);
}

static json_t *vary(const struct sms__field *field)
{
    (void)field;
    return varied(schema_refer("range"));
}

/* Ranges from which points are drawn have neither steps nor step. */
static json_t *spread(const struct sms__field *field)
{
    json_t *range = mapping(sms__range_fields, false);
    (void)field;
    json_object_set_new(json_object_get(range, "properties"), "steps", json_false());
    json_object_set_new(json_object_get(range, "properties"), "step", json_false());
    return varied(range);
}

static json_t *pool(const struct sms__field *field) { return schema_list(json_object(), field->least, field->most); }

#define REFER(definition) "{\"$ref\": \"#/definitions/" definition "\"}"

/* The forms of custom fields: as JSON, or a function of the field. */
static const struct form {
    const char *json;
    json_t *(*make)(const struct sms__field *field);
} forms[] = {
    [SMS__FORM_TENANTS] = {"{\"anyOf\": [" REFER("block_policy") ", " REFER("share_policy") "]}"},
    [SMS__FORM_POLICY] = {REFER("block_policy")},
    [SMS__FORM_PLACE] = {REFER("place_policy")},
    [SMS__FORM_POLICIES] = {"{\"type\": \"array\", \"items\": {\"anyOf\": [" REFER("block_policy") ", " REFER(
        "share_policy") ", " REFER("place_policy") "]}, \"minItems\": 1}"},
    [SMS__FORM_DEMAND] = {REFER("demand")},
    [SMS__FORM_METRIC] = {REFER("metric")},
    [SMS__FORM_LABELS] = {"{\"type\": \"object\", \"additionalProperties\": "
                          "{\"type\": [\"string\", \"number\", \"boolean\", \"null\"]}}"},
    [SMS__FORM_ROW] = {"{\"type\": \"array\"}"},
    [SMS__FORM_CONTENTION] = {REFER("contention_model")},
    [SMS__FORM_QUEUE] = {REFER("queue_discipline")},
    [SMS__FORM_MEASURE] = {.make = measure},
    [SMS__FORM_NAMES] = {.make = names},
    [SMS__FORM_NUMBER_OR_LIST] = {.make = number_or_list},
    [SMS__FORM_SMS] = {"{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 1}, {\"type\": \"array\", \"minItems\": 1, "
                       "\"items\": {\"type\": [\"string\", \"integer\"]}}]}"},
    [SMS__FORM_NUMBER_OR_FIELDS] = {.make = number_or_fields},
    [SMS__FORM_TIME_BY_SHARE] = {.make = time_by_share},
    [SMS__FORM_FILES] = {.make = files},
    [SMS__FORM_AXES] = {.make = axes},
    [SMS__FORM_VARY] = {.make = vary},
    [SMS__FORM_END] = {.make = end_of_range},
    [SMS__FORM_SPREAD] = {.make = spread},
    [SMS__FORM_POOL] = {.make = pool},
    [SMS__FORM_PATHS] = {.make = paths},
    [SMS__FORM_INSTANCE] = {REFER("instance")},
    [SMS__FORM_MODE] = {"{\"anyOf\": [" REFER("mode") ", {\"type\": \"array\", \"minItems\": 1, \"items\": " REFER(
        "mode") "}]}"},
};

/* Adds the keys of a table, except its first, to those of `object`. None of them is required. */
static void add_overrides(json_t *object, const struct sms__field *fields)
{
    json_t *more = mapping(fields + 1, true);
    json_object_update(json_object_get(object, "properties"), json_object_get(more, "properties"));
    json_decref(more);
}

/* A mapping by `fields` if the first of them is one of its choices, otherwise as `others`. */
static json_t *mapping_instead(const struct sms__field *fields, json_t *others)
{
    json_t *given =
        json_pack("{s[s] s{so}}", "required", fields->name, "properties", fields->name, schema_choice(fields->choices));
    return schema_when(given, mapping(fields, false), others);
}

static json_t *mapping_or_instead(const struct sms__field *field, bool loose)
{
    json_t *object = mapping(field->fields, loose && (field->holds == SMS__NAMED || !field->read));
    if (field->overrides)
        add_overrides(object, field->overrides);
    for (const struct sms__field *const *form = field->instead; form && *form; form++)
        object = mapping_instead(*form, object);
    return object;
}

/* One value of a field, without its help. */
static json_t *value_of(const struct sms__field *field, bool loose)
{
    const struct form *form = &forms[field->form];
    if (field->form)
        return form->json ? json_loads(form->json, 0, NULL) : form->make(field);
    switch (field->type) {
    case SMS__TEXT:
        return schema_any_scalar();
    case SMS__NAME:
    case SMS__REFERENCE:
        return schema_name();
    case SMS__CHOICE:
        return schema_choice(field->choices);
    case SMS__CUSTOM:
        return json_object();
    default:
        break;
    }
    json_t *value = field->type == SMS__FIELDS ? mapping_or_instead(field, loose) : number_of(field);
    return field->word ? schema_either(json_pack("{s[s]}", "enum", field->word), value) : value;
}

static bool is_number(const struct sms__field *field)
{
    return field->form == SMS__FORM_NONE && (field->type == SMS__QUANTITY || field->type == SMS__SPAN ||
                                             field->type == SMS__INTEGER || field->type == SMS__MILLI);
}

static json_t *field_schema(const struct sms__field *field, bool loose)
{
    char text[512];
    json_t *schema = value_of(field, loose);
    if (field->holds == SMS__MANY)
        schema = schema_list(schema, field->least, field->most);
    else if (field->holds == SMS__NAMED)
        schema = schema_named(schema, loose ? 0 : field->least, field->most);
    if (!is_number(field))
        return schema_described(schema, field->help);
    snprintf(text, sizeof text, "%s (%s to %s)", field->help, sms__bound(field->dimension, field->min).text,
             sms__bound(field->dimension, field->max).text);
    return schema_described(schema, text);
}

/* Exactly one of the keys that have the same `one_of` as `first`. */
static json_t *one_of(const struct sms__field *first)
{
    json_t *choices = json_array();
    for (const struct sms__field *field = first; field->name; field++)
        if (field->one_of && !strcmp(field->one_of, first->one_of))
            json_array_append_new(choices, schema_has(field->name));
    return json_pack("{so}", "oneOf", choices);
}

static bool is_first_of_group(const struct sms__field *fields, const struct sms__field *field)
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

static void add_field_rules(json_t *object, const struct sms__field *fields, bool loose)
{
    json_t *required = json_array(), *needs = json_object(), *rules = json_array();
    for (const struct sms__field *field = fields; field->name; field++) {
        if (field->required && !loose)
            json_array_append_new(required, json_string(field->name));
        if (field->needs)
            json_object_set_new(needs, field->name, json_pack("[s]", field->needs));
        if (field->one_of && is_first_of_group(fields, field))
            json_array_append_new(rules, one_of(field));
    }
    set_if_any(object, "required", required);
    set_if_any(object, "dependencies", needs);
    set_if_any(object, "allOf", rules);
}

static json_t *mapping(const struct sms__field *fields, bool loose)
{
    json_t *properties = json_object(), *object = schema_object(properties);
    for (const struct sms__field *field = fields; field->name; field++)
        if (!field->refuse)
            json_object_set_new(properties, field->name, field_schema(field, loose));
    add_field_rules(object, fields, loose);
    return object;
}

/* As the loader decides: a plan; else a scenario, with nodes or without; else a workload; else a device. */
static json_t *kinds(void)
{
    json_t *none = json_pack("{s[oooo] s{s{ss} s{ss} s{ss} s{ss}}}", "anyOf", schema_has("device"),
                             schema_has("workload"), schema_has("scenario"), schema_has("plan"), "properties", "device",
                             "description", "a device", "workload", "description", "a workload", "scenario",
                             "description", "a scenario", "plan", "description", "a plan of a sweep");
    json_t *scenario = schema_when(schema_either(schema_has("nodes"), schema_has("pods")), schema_refer("cluster"),
                                   schema_refer("scenario"));
    json_t *heir = schema_when(schema_has("inherits"), schema_refer("heir"), schema_refer("device"));
    json_t *device = schema_when(schema_has("device"), heir, none);
    json_t *workload = schema_when(schema_has("workload"), schema_refer("workload"), device);
    json_t *tenants = schema_when(schema_has("scenario"), scenario, workload);
    return schema_when(schema_has("plan"), schema_refer("plan"), tenants);
}

json_t *schema_of_files(const struct sms_load_options *options)
{
    const struct {
        const char *name;
        const struct sms__field *fields;
    } definition[] = {{"device", sms__device_fields},
                      {"workload", sms__workload_tables()[0].fields},
                      {"scenario", sms__scenario_tables()[0].fields},
                      {"cluster", sms__cluster_tables[0].fields},
                      {"plan", sms__plan_tables[0].fields},
                      {"range", sms__range_fields},
                      {"spread", sms__spread_fields},
                      {"mix", sms__mix_fields}};
    json_t *definitions = json_object(), *schema = kinds();
    json_object_set_new(schema, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(schema, "title", json_string("A device, a workload, a scenario or a plan of smsched"));
    json_object_set_new(schema, "type", json_string("object"));
    for (size_t i = 0; i < sizeof definition / sizeof *definition; i++)
        json_object_set_new(definitions, definition[i].name, mapping(definition[i].fields, false));
    json_object_set_new(definitions, "heir", mapping(sms__device_fields, true));
    schema_add_uses(definitions, options);
    json_object_set_new(schema, "definitions", definitions);
    return schema;
}
