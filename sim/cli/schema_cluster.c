/* The schema of clusters: entries of nodes and pods, and what goes with one scheduler. */
#include "schema.h"

#include "../model/cluster/cluster.h"
#include "../model/cluster/entries.h"

/* The columns of an entry's table are keys of such entries. */
static void name_columns(json_t *properties, const struct sms__field *fields)
{
    json_t *keys = json_array(), *table = json_object_get(json_object_get(properties, "table"), "properties");
    for (; fields->name; fields++)
        if (fields->type != SMS__REFERENCE && fields->fields != sms__table_fields && !fields->needs)
            json_array_append_new(keys, json_string(fields->name));
    json_object_set_new(json_object_get(table, "columns"), "items", json_pack("{so}", "enum", keys));
}

/* A sample has no shape of its own, and one of two ends. */
static json_t *sample_rules(void)
{
    json_t *none = json_object();
    for (const char *const *key = sms__sampled_keys; *key; key++)
        json_object_set_new(none, *key, json_false());
    return json_pack("{so s[{s[s]}{s[s]}]}", "properties", none, "oneOf", "required", "until", "required", "count");
}

/* Nodes and pods: a table, a sample, or an entry with a name. Beside a table of pods its name may stand. */
void schema_add_entry_rules(json_t *object, const struct sms__field *fields)
{
    name_columns(json_object_get(object, "properties"), fields);
    const bool pods = schema_find(fields, "sample") != NULL;
    json_t *alone = json_pack("{s{s[s]}}", "propertyNames", "enum", "table");
    json_t *rest = json_pack("{s[s]}", "required", "name");
    if (pods) {
        json_array_append_new(json_object_get(json_object_get(alone, "propertyNames"), "enum"), json_string("name"));
        rest = json_pack("{s{s[s]} so so}", "if", "required", "sample", "then", sample_rules(), "else", rest);
    }
    json_object_set_new(object, "if", json_pack("{s[s]}", "required", "table"));
    json_object_set_new(object, "then", alone);
    json_object_set_new(object, "else", rest);
}

/* {KEY: false, ...}, and no such columns in a table. */
static json_t *refuse(json_t *keys)
{
    json_t *none = json_object(), *key;
    size_t i;
    json_array_foreach(keys, i, key) json_object_set_new(none, json_string_value(key), json_false());
    json_object_set_new(none, "table",
                        json_pack("{s{s{s{s{so}}}}}", "properties", "columns", "items", "not", "enum", keys));
    return json_pack("{s{so}}", "items", "properties", none);
}

/* What goes with the scheduler gpushare alone. */
json_t *schema_cluster(void)
{
    json_t *schema = schema_mapping(sms__cluster_tables[0].fields, false), *nodes = json_array(), *pods = json_array();
    for (const char *const *key = sms__gpushare_node_keys; *key; key++)
        json_array_append_new(nodes, json_string(*key));
    for (const char *const *key = sms__gpushare_pod_keys; *key; key++)
        json_array_append_new(pods, json_string(*key));
    json_t *of_pods = refuse(pods);
    json_object_set_new(json_object_get(json_object_get(of_pods, "items"), "properties"), "gpu_memory",
                        json_pack("{s{ss}}", "not", "type", "array"));
    json_object_set_new(schema, "if",
                        json_pack("{s[s] s{s{s[s] s{s{s[s]}}}}}", "required", "scheduler", "properties", "scheduler",
                                  "required", "kind", "properties", "kind", "enum", "gpushare"));
    json_object_set_new(schema, "then", json_object());
    json_object_set_new(schema, "else", json_pack("{s{so so}}", "properties", "nodes", refuse(nodes), "pods", of_pods));
    return schema;
}
