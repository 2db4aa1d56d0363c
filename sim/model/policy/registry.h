/* Policies and contention models by name: those of the options, then the library's. */
#ifndef SMS_MODEL_POLICY_REGISTRY_H
#define SMS_MODEL_POLICY_REGISTRY_H

#include <smsched/contention.h>
#include <smsched/place.h>
#include <smsched/policy.h>
#include <smsched/share.h>
#include <smsched/smsched.h>

const struct sms_block_policy *sms__find_policy(const struct sms_load_options *options, const char *name);
const struct sms_contention *sms__find_contention(const struct sms_load_options *options, const char *name);
const struct sms_block_policy *sms__policy_at(const struct sms_load_options *options, size_t idx); /* NULL beyond */
const struct sms_contention *sms__contention_at(const struct sms_load_options *options, size_t idx);
const struct sms_share_policy *sms__find_share(const struct sms_load_options *options, const char *name);
const struct sms_share_policy *sms__share_at(const struct sms_load_options *options, size_t idx);
const struct sms_place_policy *sms__find_place(const struct sms_load_options *options, const char *name);
const struct sms_place_policy *sms__place_at(const struct sms_load_options *options, size_t idx);

/* What is wrong with the policies and models that options add, or NULL. */
const char *sms__options_misuse(const struct sms_load_options *options);

#endif
