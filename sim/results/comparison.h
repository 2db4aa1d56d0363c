/* One metric under two policies, and the regimes into which the values of its replications fall. */
#ifndef SMS_RESULTS_COMPARISON_H
#define SMS_RESULTS_COMPARISON_H

#include "../base/statistics.h"
#include "results.h"

/* How the values of the replications fall into regimes, over a baseline that is not negative; the values are then
 * ratios. One regime as well when out of memory, which sets *failed. */
enum sms__regime sms__regimes_of(const struct sms__result *result, size_t policy, long baseline,
                                 struct sms__regimes *regimes, bool *failed);
/* Widens an interval so that it covers both regimes, because a run is in one of them and not at their mean. */
struct sms_estimate sms__cover_regimes(const struct sms__result *result, size_t policy, long baseline,
                                       struct sms_estimate estimate, bool *failed);
/* sms_results_compare, which sets *failed when out of memory. */
struct sms_comparison sms__compare(const struct sms__result *result, size_t policy, size_t baseline, bool *failed);

#endif
