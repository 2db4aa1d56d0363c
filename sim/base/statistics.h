/* Statistics of samples: estimates with confidence intervals, tests, and the end of the warm-up
 * (docs/explanation/statistics.md).
 */
#ifndef SMS_BASE_STATISTICS_H
#define SMS_BASE_STATISTICS_H

#include <smsched/smsched.h>

#include <math.h>

/* What becomes an estimate. Begins zeroed. */
struct sms__moments {
    size_t n;
    double mean, m2; /* m2: the sum of squared deviations from the mean */
};

/* Adds a value (Welford's method). */
void sms__estimate_add(struct sms__moments *moments, double value);
/* Returns the estimate with its standard deviation and the half-width of Student's 95 % interval of the mean. Both are
 * NAN for fewer than two values, and the mean is NAN for none. The half-width is NAN as well if all values are equal,
 * because values without a spread do not tell how far off their mean is. */
struct sms_estimate sms__estimate_close(struct sms__moments moments);

/* Returns the factor of Student's 95 % interval of the mean of n >= 2 values. It is rounded to 1e-7, so that the last
 * bits of a library function decide nothing. */
double sms__student95(size_t n);
/* Returns the quantile of Student's t that the mean of n >= 2 values exceeds by chance with the probability `error`, in
 * ]0, 0.5]; rounded in the same way. */
double sms__student(size_t n, double error);
/* Returns Student's t of n values, moved by their skewness so that it is about as often as Student's above a quantile.
 * It grows with t (P. Hall, Journal of the Royal Statistical Society B 54, 1992). */
double sms__skewed_t(double t, double skewness, size_t n);
/* Returns the mean of a Poisson distribution that gives so few as `seen`, at most some thousands, with the probability
 * `error`; rounded in the same way. */
double sms__poisson_most(double seen, double error);
/* Returns the half-width of the 95 % interval divided by the mean's absolute value. INFINITY for fewer than two values,
 * for values without a spread, and for a mean of 0. */
double sms__precision(struct sms_estimate estimate);

/* Whether two values differ by no more than rounding, 1e-12 of them. */
bool sms__is_same(double a, double b);

/* Values of two policies in the same replications, the second one's as the base. Begins zeroed. */
struct sms__pairs {
    struct sms__moments value, base, difference;
    double product; /* of deviations, summed */
    bool no_ratio;  /* a base is not above 0 */
};

/* Adds a pair, unless one of the values is NAN. A value that is the same but for rounding counts as the base. */
void sms__pairs_add(struct sms__pairs *pairs, double value, double base);
/* Returns the difference of the means. */
struct sms_estimate sms__pairs_difference(const struct sms__pairs *pairs);
/* Returns the ratio of the means, which never contradicts the order of the means, with the standard deviation of its
 * linear approximation (delta method: Cochran, Sampling Techniques, 1977, chapter 6). Where a base is not above 0 there
 * is no ratio (n 0, mean NAN). */
struct sms_estimate sms__pairs_ratio(const struct sms__pairs *pairs);
/* Returns the p-value of a ratio of 1, or of no difference where there is no ratio; NAN if there is none. */
double sms__pairs_p_value(const struct sms__pairs *pairs);

/* A p-value below this counts as a difference. */
#define SMS__SIGNIFICANT 0.05

/* How n values fall into two groups, the lower first. */
struct sms__regimes {
    size_t count[2];
    double mean[2], end[2]; /* end: the least and the greatest of all values */
};
enum sms__regime { SMS__ONE_REGIME, SMS__STRAY_VALUE, SMS__TWO_REGIMES };

/* Tells whether the values that are not NAN fall into two groups that are more than 10 of their standard deviations and
 * 1 % of their mean apart. Sorts the values, and sets the groups. Two regimes have at least two values each: of 5
 * normal values 1 in 90 looks so by chance, of 10 less than 1 in 5000. Of 6 and more values one alone may stand apart:
 * it is a stray, because it may be another regime or the tail of this one. One regime for fewer than 5 values. */
enum sms__regime sms__find_regimes(double *value, size_t count, struct sms__regimes *regimes);

/* Returns Spearman's rank correlation of n pairs; equal values share the mean of their ranks. `scratch` has room for 2
 * n numbers. NAN for fewer than two pairs, and where one side has no spread. */
double sms__rank_correlation(const double *a, const double *b, size_t n, double *scratch);
/* Returns the p-value of no correlation, by Student's t. NAN for fewer than 3 pairs, and for a correlation of NAN. */
double sms__correlation_p_value(double correlation, size_t n);

/* Returns how many of the first values of a series to drop as warm-up, a multiple of 5. It is the number that makes the
 * standard error of the mean smallest, computed over batches of 5 (MSER-5: White 1997, Simulation 69(6); White, Cobb
 * and Spratt, Winter Simulation Conference 2000). Returns SMS__UNSTEADY for fewer than 10 batches, and if more than
 * half should go, because then the series reached no steady state. Never drops the last tenth, at least 5 batches: a
 * few batches may be alike by chance (Hoad, Robinson and Davies, Winter Simulation Conference 2008). */
#define SMS__UNSTEADY SIZE_MAX
size_t sms__mser5(const double *value, size_t count);

/* True if the mean of the first `first` values is more than 5 standard errors away from the mean of the rest, both over
 * batches of 5. */
bool sms__differs(const double *value, size_t count, size_t first);

/* The digits of a number for %.*g: `least`, or as many as its whole part has, because 1e+05 is hard to read. */
static inline int sms__digits(double value, int least)
{
    const double above = fabs(value) + 0.5;
    const int whole = above >= 1 && above < 1e15 ? (int)log10(above) + 1 : 0;
    return whole > least ? whole : least;
}

#endif
