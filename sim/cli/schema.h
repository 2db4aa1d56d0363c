/* A JSON schema (draft-07) of the files that smsched reads, made of the tables that it reads them by. */
#ifndef SMS_CLI_SCHEMA_H
#define SMS_CLI_SCHEMA_H

#include "../yaml/fields.h"

#include <jansson.h>

/* All return new references. */

/* A number of a dimension, with or without a unit. */
json_t *schema_number(enum sms__dimension dimension, double min, double max);
json_t *schema_name(void);
/* One of several words; those that YAML reads as a boolean may be one. */
json_t *schema_choice(const char *const *choices);
/* A mapping by a table; `loose`: none of its keys is required. */
json_t *schema_mapping(const struct sms__field *fields, bool loose);
/* {"type": "object", "additionalProperties": false, "properties": properties}. */
json_t *schema_object(json_t *properties);
/* {"type": "array", "items": items} with so many; most 0: no limit. */
json_t *schema_list(json_t *items, size_t least, size_t most);
/* Either. */
json_t *schema_either(json_t *a, json_t *b);
/* Sets "description", which takes a "$ref" into "allOf": in draft-07 nothing stands beside one. */
json_t *schema_described(json_t *schema, const char *text);

/* schema_forms.c: what a field of a form may be, and the definitions that this refers to. */
json_t *schema_form(const struct sms__field *field);
void schema_add_definitions(json_t *to);

/* schema_cluster.c: rules of fields with a `table`, for what schema_mapping has made of them; and of all of a cluster. */
void schema_add_entry_rules(json_t *object, const struct sms__field *fields);
json_t *schema_cluster(void);
/* The field of that name, or NULL. */
const struct sms__field *schema_find(const struct sms__field *fields, const char *name);

/* schema_plan.c: the same of plans. */
json_t *schema_plan_form(const struct sms__field *field);
void schema_add_plan(json_t *to);

#endif
