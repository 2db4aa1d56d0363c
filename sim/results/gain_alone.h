/* What each policy gains for a tenant that has the GPU to itself. That is no gain of sharing: a policy that admits
 * fewer blocks of a kernel that wants more than 100 % alone helps the kernel against itself.
 *
 * With the option `alone_each`, each tenant runs alone under each policy, in the first replication, and in the others
 * if some policy made a difference there. Tenants that no policy can treat differently are left out, and so are the
 * further ones of an entry with a count, which are taken to gain as much as its first. */
#ifndef SMS_RESULTS_GAIN_ALONE_H
#define SMS_RESULTS_GAIN_ALONE_H

#include "results.h"

/* Makes those runs, if the options ask for them, and keeps what they measured. */
int sms__gain_alone_find(struct sms_results *results, struct sms_errors *errors);

/* Whether those runs were made, and whether policies make a difference to the tenant alone. */
bool sms__has_gain_alone(const struct sms_results *results);
bool sms__gains_alone(const struct sms_results *results, size_t vm);

/* The same of tenants that are told of: not of the further ones of an entry with a count. */
bool sms__tells_gain_alone(const struct sms_results *results, size_t vm);

/* The speed of the tenant alone under a policy, over that under a baseline; 1 if there is no difference. */
struct sms_estimate sms__gain_alone(const struct sms_results *results, size_t policy, size_t baseline, size_t vm);

/* The same speed over that of the stand-alone runs, under `alone:`. */
struct sms_estimate sms__progress_alone(const struct sms_results *results, size_t policy, size_t vm);

/* The ratio of two policies' STP, if each compares tenants with themselves alone under that policy: what is left of a
 * gain of STP. n 0 without values. */
struct sms_estimate sms__gain_left(const struct sms_results *results, size_t policy, size_t baseline);

#endif
