/* Which policies are best, and which values allow no verdict. A maximum, and so a percentile of few jobs, grows with
 * the length of the run, and a percentile that is mostly 0 has no spread to judge by. */
#ifndef SMS_RESULTS_VERDICT_H
#define SMS_RESULTS_VERDICT_H

#include "results.h"

#include "../base/best.h"

/* Whether the metric is the greatest value, of however many. */
bool sms__is_greatest(const struct sms__result *of);

/* How many jobs (pods, of a cluster) the value is the maximum of, in the replication with fewest; 0 if it is none, or
 * is of something else. The 99th percentile is the maximum of fewer than 100 values, the 95th of fewer than 20. */
size_t sms__maximum_of(const struct sms__result *of, size_t policy);

/* Whether the metric is a percentile with the same value in more than half of the replications, but not in all. It has
 * no interval, because a few replications do not show how far the others are away. The second: that value is 0. */
bool sms__mostly_same(const struct sms__result *of, size_t policy);
bool sms__mostly_zero(const struct sms__result *of, size_t policy);

/* Whether the value allows a verdict: it is neither a maximum nor mostly 0. Exact results always do. */
bool sms__is_judged(const struct sms__result *of, size_t policy);

/* Whether the metric is the share of jobs or pods that missed their deadline. */
bool sms__is_share_of_misses(const struct sms__result *of);

/* If no deadline was missed: the share of misses is below this with a confidence of 95 %. It is 3 / jobs (the rule of
 * three), at most 1. NAN for other values and metrics. It means nothing where results are exact. */
double sms__most_missed(const struct sms__result *of, size_t policy);

/* Over all replications, how many jobs or pods the value is of. */
double sms__counted(const struct sms__result *of, size_t policy);

/* How many pods wait at the end under the policy, on average over the replications, if the metric leaves them out: it
 * is of pods that were placed. Otherwise 0. */
double sms__left_waiting(const struct sms__result *of, size_t policy);
/* The pods, in the mean of replications, that have not ended and did not fail, if the result is one of ended pods;
 * otherwise 0. */
double sms__left_unended(const struct sms__result *of, size_t policy);

/* Whether the values of the metric that is asked for can be judged under all policies: if nothing is drawn, any can. */
bool sms__allows_verdict(const struct sms_results *results, const struct sms_question *asked);

/* sms__find_best of the metric that is asked for. If values of it allow no verdict, all policies that have one are in
 * the group, unless nothing is drawn. Returns false when out of memory. */
bool sms__results_best(const struct sms_results *results, const struct sms_question *asked, size_t first,
                       struct sms__best *best, bool *in_group, double *adjusted);

#endif
