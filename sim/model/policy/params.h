/* Parameters, by the table of the policy, mode or model that they belong to. */
#ifndef SMS_MODEL_POLICY_PARAMS_H
#define SMS_MODEL_POLICY_PARAMS_H

#include <smsched/policy.h>

#include "../../yaml/fields.h"

enum { SMS__PARAMS_MAX = 16 };

size_t sms__count_params(const struct sms_param *params);
void sms__default_params(const struct sms_param *params, double *values);
void sms__read_param(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                     const struct sms_param *params, double *values);
void sms__read_params(struct sms__reader *reader, const struct sms__node *map, const struct sms_param *params,
                      double *values);
/* "name", or "name(limit=150% slice=4 ms)" with the parameters that differ from their defaults. */
const char *sms__param_label(struct sms__arena *arena, const char *name, const struct sms_param *params,
                             const double *values);
/* The label as results show it: itself, or where it has more than SMS__LABEL_MAX bytes its beginning and a hash of all
 * of it, so that labels which differ anywhere still do. */
const char *sms__bounded_label(struct sms__arena *arena, const char *label);
/* The dimension of a unit other than a choice. */
enum sms__dimension sms__param_dimension(enum sms_unit unit);
/* A value in the parameter's unit: "150 %", "4 ms", "add". */
void sms__print_param(char *out, size_t size, const struct sms_param *param, double value);

/* Takes `NAME` or `{NAME: {PARAMETER: VALUE, ...}}` apart; the parameters may be NULL. Returns whether it is one. */
bool sms__split_use(struct sms__reader *reader, const struct sms__node *node, const struct sms__node **name,
                    const struct sms__node **params);

#endif
