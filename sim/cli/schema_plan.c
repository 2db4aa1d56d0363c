/* The schema of plans of sweeps: what their tables of fields do not say themselves. */
#include "schema.h"

#include "../sweep/sweep.h"

/* A number in whatever unit. */
static json_t *end_of_range(void)
{
    return json_pack("{s[ss] ss}", "type", "number", "string", "pattern",
                     "^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?[^0-9xX]*$");
}

static json_t *path_pattern(void)
{
    return json_pack("{ss ss}", "pattern", "^(?!.*\\.\\.)(?!scenario$)[^.](.{0,198}[^.])?$", "description",
                     "keys, names of entries, their numbers from 0 or *, with points between them");
}

static json_t *path(void)
{
    json_t *schema = path_pattern();
    json_object_set_new(schema, "type", json_pack("[ss]", "string", "number"));
    return schema;
}

static json_t *files(const struct sms__field *field)
{
    json_t *file = json_pack("{ss si}", "type", "string", "minLength", 1);
    return schema_either(json_deep_copy(file), schema_list(file, field->least, field->most));
}

/* Of VMs, of processes or of pods: the scenario says which. */
static json_t *policies(void)
{
    return schema_list(json_pack("{s[{ss}{ss}{ss}]}", "anyOf", "$ref", "#/definitions/block_policy", "$ref",
                                 "#/definitions/share_policy", "$ref", "#/definitions/place_policy"),
                       1, 0);
}

/* {PATH: list or range}. */
static json_t *varied(json_t *range)
{
    return json_pack("{ss si si so so}", "type", "object", "minProperties", 1, "maxProperties", SMS__COLUMNS_MAX,
                     "propertyNames", path_pattern(), "additionalProperties",
                     schema_either(json_pack("{ss si}", "type", "array", "minItems", 1), range));
}

/* Equal ratios have steps, and either steps or step are given; where points are drawn neither is. */
static json_t *range(bool sampled)
{
    json_t *object = schema_mapping(sms__range_fields, false);
    if (sampled) {
        json_object_set_new(json_object_get(object, "properties"), "steps", json_false());
        json_object_set_new(json_object_get(object, "properties"), "step", json_false());
        return object;
    }
    json_object_set_new(object, "oneOf", json_pack("[{s[s]}{s[s]}]", "required", "steps", "required", "step"));
    json_object_set_new(object, "if",
                        json_pack("{s[s] s{s{s[s]}}}", "required", "scale", "properties", "scale", "enum", "log"));
    json_object_set_new(object, "then", json_pack("{s{sb}}", "properties", "step", 0));
    return object;
}

static json_t *refer(const char *definition) { return json_pack("{ss}", "$ref", definition); }

/* One of three words alone, or fields that vary together. */
static json_t *axis(void)
{
    json_t *words = json_pack("{so so so}", "sobol", refer("#/definitions/spread"), "random",
                              refer("#/definitions/spread"), "mixes", refer("#/definitions/mix"));
    json_t *alone = schema_object(words);
    json_object_set_new(alone, "maxProperties", json_integer(1));
    json_t *any =
        json_pack("{s[{s[s]}{s[s]}{s[s]}]}", "anyOf", "required", "sobol", "required", "random", "required", "mixes");
    return json_pack("{so so so}", "if", any, "then", alone, "else", varied(refer("#/definitions/range")));
}

json_t *schema_plan_form(const struct sms__field *field)
{
    switch (field->form) {
    case SMS__FORM_FILES:
        return files(field);
    case SMS__FORM_POLICIES:
        return policies();
    case SMS__FORM_AXES:
        return schema_list(axis(), field->least, field->most);
    case SMS__FORM_END:
        return end_of_range();
    case SMS__FORM_SPREAD:
        return varied(range(true));
    case SMS__FORM_POOL:
        return schema_list(json_object(), field->least, field->most);
    default:
        return schema_list(path(), field->least, field->most);
    }
}

void schema_add_plan(json_t *to)
{
    json_object_set_new(to, "plan", schema_mapping(sms__plan_tables[0].fields, false));
    json_object_set_new(to, "range", range(false));
    json_object_set_new(to, "spread", schema_mapping(sms__spread_fields, false));
    json_object_set_new(to, "mix", schema_mapping(sms__mix_fields, false));
}
