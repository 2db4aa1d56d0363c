/* What samples say: estimates with confidence intervals, tests, the end of a warm-up (docs/statistics.md). */
#ifndef SMS_BASE_STATISTICS_H
#define SMS_BASE_STATISTICS_H

#include <smsched/smsched.h>

/* A sample, one value at a time into a zeroed estimate (Welford: `sd` is the sum of squares until it is closed). */
void sms__estimate_add(struct sms_estimate *estimate, double value);
/* Standard deviation and the half-width of Student's 95 % interval of the mean. A mean of NAN without values; both are
 * NAN with fewer than two values, and the half-width is where all values are the same: values without a spread do not
 * say how far their mean is off. */
struct sms_estimate sms__estimate_close(struct sms_estimate estimate);

/* The factor of Student's 95 % interval of the mean of n >= 2 values, in steps of 1e-7: last bits of a library decide
 * nothing. */
double sms__student95(size_t n);
/* Half of that interval over the mean's absolute value: INFINITY with fewer than two values, without a spread, and
 * around a mean of 0. */
double sms__precision(struct sms_estimate estimate);

/* Probabilities p of n comparisons, made to hold for all together: the chance that any of those with an adjusted one
 * below a is there by chance is at most a (Holm 1979, Scandinavian Journal of Statistics 6). NAN is no comparison and
 * stays. Returns false without memory. */
bool sms__holm(const double *p, double *adjusted, size_t n);

/* How many of the first values of a series to drop as warm-up, a multiple of 5: those without which the standard error
 * of the mean is least, by means of batches of 5 (MSER-5: White 1997, Simulation 69(6); White, Cobb and Spratt, Winter
 * Simulation Conference 2000). If more than half should be dropped, no steady state was reached: SMS__UNSTEADY, as for
 * less than 10 batches. The last tenth, at least 5 batches, is never dropped (Hoad, Robinson and Davies, Winter
 * Simulation Conference 2008: a few batches may be alike by chance). */
#define SMS__UNSTEADY SIZE_MAX
size_t sms__mser5(const double *value, size_t count);

/* Whether so many of the first values are another population than the rest: batches of 5 whose means are more than
 * 5 standard errors of the difference apart. */
bool sms__differs(const double *value, size_t count, size_t first);

#endif
