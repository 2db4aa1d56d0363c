/* The walk over results. A result is one metric of one subject under one policy. All that print results walk them, or
 * look one up by the metric's name, and take words and values from it. */
#ifndef SMS_REPORT_WALK_H
#define SMS_REPORT_WALK_H

#include "../base/statistics.h"
#include "../results/comparison.h"
#include "../results/metrics.h"

/* The walk: `for (struct sms__result r = sms__walk(results); sms__next_result(&r);)`, by policy, subject, index,
 * metric.
 */
struct sms__result sms__walk(const struct sms_results *results);
bool sms__next_result(struct sms__result *result);

/* The result of the first policy. */
struct sms__result sms__result_of(const struct sms_results *results, enum sms_subject subject, size_t idx,
                                  const char *metric);

/* The words of a result: "round_robin", "vm", "a", "jobs_per_s". */
const char *sms__result_policy(const struct sms__result *result);
const char *sms__result_word(const struct sms__result *result);
const char *sms__result_subject(const struct sms__result *result);
const char *sms__result_metric(const struct sms__result *result);
/* How many characters of a metric's name people read: not its `_ns`, because values have units of their own. The macros
 * are what "%.*s" takes of a metric, and "%s %.*s" of a result. */
int sms__shown_length(const char *metric);
#define SMS__SHOWN(metric) sms__shown_length(metric), metric
#define SMS__SHOWN_RESULT(result) sms__result_subject(result), SMS__SHOWN(sms__result_metric(result))

/* The value under any policy, and over a baseline. Where the values of the replications fall into two regimes, the
 * interval of value and ratio covers both, because a run is in one of them and not at their mean. */
struct sms_estimate sms__result_estimate(const struct sms__result *result, size_t policy);
struct sms_estimate sms__result_ratio(const struct sms__result *result, size_t policy, size_t baseline);
struct sms_estimate sms__result_difference(const struct sms__result *result, size_t policy, size_t baseline);

/* The least number of sms__maximum_of (results/verdict.h) under any policy; 0 if there is none. */
size_t sms__result_least_maximum(const struct sms__result *result);
/* The word for `count` of what a value counts: "jobs" or "pods". */
const char *sms__result_counts(const struct sms__result *result, double count);

/* How the values of the replications fall into regimes, over a baseline that is not negative; the values are then
 * ratios. One regime as well when out of memory. */
enum sms__regime sms__result_regimes(const struct sms__result *result, size_t policy, long baseline,
                                     struct sms__regimes *regimes);

/* What printers show under its own policy: the value, or the ratio over a baseline that is not negative. */
struct sms_estimate sms__result_shown(const struct sms__result *result, long baseline);

#endif
