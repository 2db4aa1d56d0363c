/* Policies, modes, queue disciplines and contention models by name. Those that the load options add come before those
 * of the library, so they may replace one of the same name. */
#ifndef SMS_MODEL_POLICY_REGISTRY_H
#define SMS_MODEL_POLICY_REGISTRY_H

#include <smsched/contention.h>
#include <smsched/mode.h>
#include <smsched/place.h>
#include <smsched/policy.h>
#include <smsched/share.h>
#include <smsched/smsched.h>

/* The names of the library's queue disciplines, terminated by NULL. */
extern const char *const sms__queue_names[];

/* The order is that in which a label names them. */
enum sms__kind { SMS__PLACE, SMS__SHARE, SMS__MODE, SMS__BLOCK, SMS__CONTENTION, SMS__QUEUE, SMS__KINDS };

/* A policy, mode or model of any kind. */
struct sms__known {
    const char *name; /* NULL: there is none */
    const struct sms_param *params;
    size_t size;      /* of the struct that it was compiled with; 0: not told */
    const void *item; /* the struct of its kind */
};

/* The idx-th of a kind, without a name beyond the last. */
struct sms__known sms__known_at(const struct sms_load_options *options, enum sms__kind kind, size_t idx);
struct sms__known sms__find_known(const struct sms_load_options *options, enum sms__kind kind, const char *name);

/* NULL beyond the last. */
const struct sms_block_policy *sms__policy_at(const struct sms_load_options *options, size_t idx);
const struct sms_share_policy *sms__share_at(const struct sms_load_options *options, size_t idx);
const struct sms_place_policy *sms__place_at(const struct sms_load_options *options, size_t idx);
const struct sms_contention *sms__contention_at(const struct sms_load_options *options, size_t idx);
const struct sms_queue_discipline *sms__queue_at(const struct sms_load_options *options, size_t idx);
const struct sms_sharing_mode *sms__mode_at(const struct sms_load_options *options, size_t idx);

/* Returns what is wrong with the policies, modes and models that options add, or NULL. */
const char *sms__options_misuse(const struct sms_load_options *options);

#endif
