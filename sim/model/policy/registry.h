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

#include "../../yaml/fields.h"

/* The names of the library's queue disciplines, terminated by NULL. */
extern const char *const sms__queue_names[];

/* The order is that in which a label names them. */
enum sms__known_kind { SMS__PLACE, SMS__SHARE, SMS__MODE, SMS__BLOCK, SMS__CONTENTION, SMS__QUEUE, SMS__KINDS };

/* A policy, mode or model of any kind: what the structs of all kinds begin with. */
struct sms__known {
    size_t size; /* of the struct that it was compiled with; 0: not told */
    const char *name, *help;
    const struct sms_param *params; /* a queue discipline has none */
    const void *item;               /* the struct of its kind, or NULL */
};

/* The idx-th of a kind. Beyond the last all is 0. */
struct sms__known sms__known_at(const struct sms_load_options *options, enum sms__known_kind kind, size_t idx);
struct sms__known sms__find_known(const struct sms_load_options *options, enum sms__known_kind kind, const char *name);
size_t sms__count_known(const struct sms_load_options *options, enum sms__known_kind kind);

/* Reports the unknown `what` that a scalar names, with the nearest of the kinds from `first` to the one before `end`.
 * Reports nothing if a plug-in was refused, because that may have it. */
void sms__complain_unknown_kind(struct sms__reader *reader, const struct sms__node *node, const char *what,
                                enum sms__known_kind first, enum sms__known_kind end);

/* The number of those of a kind that the options add. */
size_t sms__count_added(const struct sms_load_options *options, enum sms__known_kind kind);
/* Makes `count` pointers to structs of the kind those that the options add. */
void sms__set_added(struct sms_load_options *options, enum sms__known_kind kind, const void *const *list, size_t count);

/* Returns what is wrong with the policies, modes and models that options add, or NULL. */
const char *sms__options_misuse(const struct sms_load_options *options);

#endif
