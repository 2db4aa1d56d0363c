/* Rules between keys for the schema: tenants and policies, processes, entries of clusters, ranges of sweeps. */
#include "schema.h"

#include "../model/cluster/cluster.h"
#include "../model/cluster/tables.h"
#include "../sweep/sweep.h"

static json_t *properties_of(json_t *object) { return json_object_get(object, "properties"); }

static void set_when(json_t *object, json_t *condition, json_t *then, json_t *otherwise)
{
    json_object_set_new(object, "if", condition);
    json_object_set_new(object, "then", then);
    json_object_set_new(object, "else", otherwise);
}

/* The columns of a table are keys of entries. */
static void name_columns(json_t *properties, const struct sms__field *fields)
{
    json_t *keys = json_array(), *table = json_object_get(json_object_get(properties, "table"), "properties");
    for (; fields->name; fields++)
        if (fields->type != SMS__REFERENCE && fields->fields != sms__table_fields && !fields->needs)
            json_array_append_new(keys, json_string(fields->name));
    json_object_set_new(json_object_get(table, "columns"), "items", json_pack("{so}", "enum", keys));
}

/* A sample has no resources of its own, and either `until` or `count`. */
static json_t *sample_rules(void)
{
    json_t *none = json_object();
    for (const char *const *key = sms__sampled_keys; *key; key++)
        json_object_set_new(none, *key, json_false());
    return json_pack("{so s[oo]}", "properties", none, "oneOf", schema_has("until"), schema_has("count"));
}

/* An entry of nodes or pods is a table, a sample, or has a name. A table of pods can have a name too. */
static void add_entry_rules(json_t *object, const struct sms__field *fields)
{
    name_columns(properties_of(object), fields);
    json_t *alone = json_pack("{s{s[s]}}", "propertyNames", "enum", "table"), *rest = schema_has("name");
    if (json_object_get(properties_of(object), "sample")) {
        json_array_append_new(json_object_get(json_object_get(alone, "propertyNames"), "enum"), json_string("name"));
        rest = schema_when(schema_has("sample"), sample_rules(), rest);
    }
    set_when(object, schema_has("table"), alone, rest);
}

/* Entries have none of these keys: {KEY: false, ...}, and their tables no such columns. */
static json_t *refuse(const char *const *key)
{
    json_t *none = json_object(), *keys = json_array();
    for (; *key; key++) {
        json_array_append_new(keys, json_string(*key));
        json_object_set_new(none, *key, json_false());
    }
    json_object_set_new(none, "table",
                        json_pack("{s{s{s{s{so}}}}}", "properties", "columns", "items", "not", "enum", keys));
    return json_pack("{s{so}}", "items", "properties", none);
}

/* Some keys of nodes and pods are for guests only. */
static void add_cluster_rules(json_t *object)
{
    json_t *pods = refuse(sms__guest_pod_keys), *kinds = json_array();
    for (const char *const *kind = sms__scheduler_kinds + 1; *kind; kind++)
        json_array_append_new(kinds, json_string(*kind));
    json_object_set_new(properties_of(json_object_get(pods, "items")), "gpu_memory",
                        json_pack("{s{ss}}", "not", "type", "array"));
    set_when(object,
             json_pack("{s[s] s{s{s[s] s{s{so}}}}}", "required", "scheduler", "properties", "scheduler", "required",
                       "kind", "properties", "kind", "enum", kinds),
             json_object(), json_pack("{s{so so}}", "properties", "nodes", refuse(sms__guest_node_keys), "pods", pods));
}

void schema_add_rules(json_t *object, const struct sms__field *fields)
{
    /* With streams of a list, which have workloads of their own, a process has none. Otherwise it has one, or draws
     * one. The policies are of processes or of VMs. A range has either steps or step, and if its ratios are equal,
     * steps. */
    const struct {
        const struct sms__field *fields;
        const char *json;
    } rules[] = {
        {sms__process_fields,
         "{\"if\": {\"required\": [\"streams\"], \"properties\": {\"streams\": {\"type\": \"array\"}}},"
         " \"then\": {\"properties\": {\"workload\": false, \"draw\": false}},"
         " \"else\": {\"oneOf\": [{\"required\": [\"workload\"]}, {\"required\": [\"draw\"]}]}}"},
        {sms__scenario_tables()[0].fields,
         "{\"if\": {\"required\": [\"processes\"]},"
         " \"then\": {\"properties\": {\"policies\": {\"items\": {\"$ref\": \"#/definitions/share_policy\"}}}},"
         " \"else\": {\"properties\": {\"policies\": {\"items\": {\"$ref\": \"#/definitions/block_policy\"}}}}}"},
        {sms__range_fields, "{\"oneOf\": [{\"required\": [\"steps\"]}, {\"required\": [\"step\"]}],"
                            " \"if\": {\"required\": [\"scale\"], \"properties\": {\"scale\": {\"enum\": [\"log\"]}}},"
                            " \"then\": {\"properties\": {\"step\": false}}}"}};
    if (json_object_get(properties_of(object), "table"))
        add_entry_rules(object, fields);
    if (fields == sms__cluster_tables[0].fields)
        add_cluster_rules(object);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].fields == fields) {
            json_t *rule = json_loads(rules[i].json, 0, NULL);
            json_object_update(object, rule);
            json_decref(rule);
        }
}
