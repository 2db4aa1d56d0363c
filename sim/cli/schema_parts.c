/* Parts of a JSON schema: numbers with units, names, choices, lists, mappings, conditions. */
#include "schema.h"
#include "../base/buffer.h"

#include <stdio.h>
#include <string.h>

#define DIGITS "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"

/* Whole numbers are written without a point. */
static json_t *bound(double value)
{
    bool whole = value > -1e18 && value < 1e18 && value == (double)(json_int_t)value;
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

/* The pattern of a number as text: a sign, digits (not all 0 if the number cannot be 0), and a unit. */
static json_t *pattern_of(enum sms__dimension dimension, double min)
{
    char text[256];
    const char *unit;
    bool bare = false;
    snprintf(text, sizeof text, "^%s%s" DIGITS " *(", min < 0 ? "[-+]?" : "\\+?", min > 0 ? "(?=[0-9.]*[1-9])" : "");
    for (size_t i = 0, n = 0; (unit = sms__dimension_unit(dimension, i)); i++) {
        bare |= !*unit;
        if (*unit)
            sms__append(text, sizeof text, "%s%s", n++ ? "|" : "", unit);
    }
    sms__append(text, sizeof text, ")%s$%s", bare ? "?" : "", bare || min > 0 ? "" : "|^0$");
    return json_string(text);
}

json_t *schema_number(enum sms__dimension dimension, double min, double max)
{
    if (dimension == SMS__COUNT)
        return json_pack("{ss so so}", "type", "integer", "minimum", bound(min), "maximum", bound(max));
    const bool bare = !*sms__dimension_unit(dimension, 0) || !*sms__dimension_unit(dimension, 1);
    if (!bare && min > 0)
        return json_pack("{ss so}", "type", "string", "pattern", pattern_of(dimension, min));
    return json_pack("{s[ss] so so so}", "type", "number", "string", "minimum", bound(bare ? min : 0), "maximum",
                     bound(bare ? max : 0), "pattern", pattern_of(dimension, min));
}

/* As in sms__read_name. YAML reads 1080 as a number and true as a boolean, but they are names too. */
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

static void set_limits(json_t *schema, const char *least_key, size_t least, const char *most_key, size_t most)
{
    if (least)
        json_object_set_new(schema, least_key, json_integer((json_int_t)least));
    if (most)
        json_object_set_new(schema, most_key, json_integer((json_int_t)most));
}

json_t *schema_list(json_t *items, size_t least, size_t most)
{
    json_t *list = json_pack("{ss so}", "type", "array", "items", items);
    set_limits(list, "minItems", least, "maxItems", most);
    return list;
}

json_t *schema_named(json_t *values, size_t least, size_t most)
{
    json_t *map =
        json_pack("{ss so so}", "type", "object", "propertyNames", schema_name(), "additionalProperties", values);
    set_limits(map, "minProperties", least, "maxProperties", most);
    return map;
}

json_t *schema_any_scalar(void) { return json_pack("{s[ssss]}", "type", "string", "number", "boolean", "null"); }

json_t *schema_has(const char *key) { return json_pack("{s[s]}", "required", key); }

json_t *schema_when(json_t *condition, json_t *then, json_t *otherwise)
{
    return json_pack("{so so so}", "if", condition, "then", then, "else", otherwise);
}

json_t *schema_refer(const char *definition)
{
    char path[80];
    snprintf(path, sizeof path, "#/definitions/%s", definition);
    return json_pack("{ss}", "$ref", path);
}

json_t *schema_either(json_t *a, json_t *b) { return json_pack("{s[oo]}", "anyOf", a, b); }

json_t *schema_described(json_t *schema, const char *text)
{
    if (json_object_get(schema, "$ref"))
        return json_pack("{ss s[o]}", "description", text, "allOf", schema);
    json_object_set_new(schema, "description", json_string(text));
    return schema;
}
