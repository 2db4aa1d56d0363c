/* What samples say: estimates with confidence intervals. */
#ifndef SMS_BASE_STATISTICS_H
#define SMS_BASE_STATISTICS_H

#include <smsched/smsched.h>

/* A sample, one value at a time into a zeroed estimate (Welford: `sd` is the sum of squares until it is closed). */
void sms__estimate_add(struct sms_estimate *estimate, double value);
/* Standard deviation and the half-width of Student's 95 % interval of the mean; a mean of NaN without values, and
 * 0 for both with less than two. */
struct sms_estimate sms__estimate_close(struct sms_estimate estimate);

#endif
