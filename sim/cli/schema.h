/* A JSON schema (draft-07) of the files that smsched reads, generated from the tables by which it reads them. schema.c
 * makes it of fields, schema_uses.c has policies, contention models and metrics, and schema_parts.c what
 * all of them are made of. The loader alone knows rules between keys that no table of fields has. All functions return
 * new references. */
#ifndef SMS_CLI_SCHEMA_H
#define SMS_CLI_SCHEMA_H

#include <smsched/smsched.h>

#include "../yaml/fields.h"

#include <jansson.h>

/* A number of a dimension, with or without a unit. */
json_t *schema_number(enum sms__dimension dimension, double min, double max);
json_t *schema_name(void);
json_t *schema_any_scalar(void);
/* One of several words. A word that YAML reads as a boolean can be one too. */
json_t *schema_choice(const char *const *choices);
/* {"type": "object", "additionalProperties": false, "properties": properties}. */
json_t *schema_object(json_t *properties);
/* A list of `least` to `most` items, and a mapping from as many names to values; most 0: no limit. */
json_t *schema_list(json_t *items, size_t least, size_t most);
json_t *schema_named(json_t *values, size_t least, size_t most);
json_t *schema_either(json_t *a, json_t *b);
json_t *schema_has(const char *key);
json_t *schema_when(json_t *condition, json_t *then, json_t *otherwise);
json_t *schema_refer(const char *definition);
/* Sets "description". A "$ref" is moved into "allOf", because draft-07 ignores everything beside it. */
json_t *schema_described(json_t *schema, const char *text);

/* schema_uses.c: definitions of policies, modes and contention models, those that the options add included, and of
 * demands and metrics. */
void schema_add_uses(json_t *definitions, const struct sms_load_options *options);

#endif
