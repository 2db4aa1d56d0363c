/* Estimates, tests and the end of the warm-up (docs/explanation/statistics.md). */
#include "statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

void sms__estimate_add(struct sms__moments *moments, double value)
{
    double delta = value - moments->mean;
    moments->n++;
    moments->mean += delta / (double)moments->n;
    moments->m2 += delta * (value - moments->mean);
}

struct sms_estimate sms__estimate_close(struct sms__moments moments)
{
    if (moments.n == 0)
        return (struct sms_estimate){0, NAN, NAN, NAN};
    if (moments.n == 1)
        return (struct sms_estimate){1, moments.mean, NAN, NAN};
    double n = (double)moments.n, sd = sqrt(moments.m2 / (n - 1));
    double ci95 = sd > 0 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * sd / sqrt(n) : NAN;
    return (struct sms_estimate){moments.n, moments.mean, sd, ci95};
}

double sms__student(size_t n, double error)
{
    return floor(gsl_cdf_tdist_Qinv(error, (double)n - 1) * 1e7 + 0.5) / 1e7;
}

double sms__skewed_t(double t, double skewness, size_t n)
{
    const double a = skewness / (3 * sqrt((double)n));
    return t + a * t * t + a * a * t * t * t / 3 + a / 2;
}

double sms__poisson_most(double seen, double error)
{
    return floor(gsl_cdf_chisq_Qinv(error, 2 * (seen + 1)) / 2 * 1e7 + 0.5) / 1e7;
}

double sms__student95(size_t n) { return floor(gsl_cdf_tdist_Pinv(0.975, (double)n - 1) * 1e7 + 0.5) / 1e7; }

double sms__precision(struct sms_estimate estimate)
{
    if (estimate.n < 2 || !(estimate.sd > 0))
        return INFINITY;
    double half = sms__student95(estimate.n) * estimate.sd / sqrt((double)estimate.n);
    return estimate.mean != 0 ? half / fabs(estimate.mean) : INFINITY;
}

double sms_p_value(struct sms_estimate estimate, double expected)
{
    double off = fabs(estimate.mean - expected);
    if (estimate.n < 2 || !(estimate.sd > 0))
        return NAN;
    return 2 * gsl_cdf_tdist_Q(off / (estimate.sd / sqrt((double)estimate.n)), (double)estimate.n - 1);
}

/* Sums of the same terms in another order differ by so little, always in the same direction: no policy did that. */
static const double ROUNDING = 1e-12;

bool sms__is_same(double a, double b) { return a == b || fabs(a - b) <= ROUNDING * fmin(fabs(a), fabs(b)); }

void sms__pairs_add(struct sms__pairs *pairs, double value, double base)
{
    if (isnan(value) || isnan(base))
        return;
    if (sms__is_same(value, base))
        value = base;
    const double off = base - pairs->base.mean;
    sms__estimate_add(&pairs->value, value);
    sms__estimate_add(&pairs->base, base);
    sms__estimate_add(&pairs->difference, value - base);
    pairs->product += off * (value - pairs->value.mean);
    pairs->no_ratio |= !(base > 0);
}

struct sms_estimate sms__pairs_difference(const struct sms__pairs *pairs)
{
    return sms__estimate_close(pairs->difference);
}

struct sms_estimate sms__pairs_ratio(const struct sms__pairs *pairs)
{
    if (pairs->no_ratio || pairs->value.n == 0)
        return sms__estimate_close((struct sms__moments){0});
    const double base = pairs->base.mean, ratio = pairs->value.mean / base;
    const double squares = pairs->value.m2 - 2 * ratio * pairs->product + ratio * ratio * pairs->base.m2;
    return sms__estimate_close((struct sms__moments){pairs->value.n, ratio, fmax(squares, 0) / (base * base)});
}

double sms__pairs_p_value(const struct sms__pairs *pairs)
{
    return pairs->no_ratio ? sms_p_value(sms__pairs_difference(pairs), 0) : sms_p_value(sms__pairs_ratio(pairs), 1);
}

/* The number of values below the widest gap. */
static size_t widest_gap(const double *value, size_t n)
{
    size_t widest = 1;
    for (size_t i = 2; i < n; i++)
        if (value[i] - value[i - 1] > value[widest] - value[widest - 1])
            widest = i;
    return widest;
}

enum { REGIMES_LEAST = 5, STRAY_LEAST = 6, REGIMES_APART = 10 };

enum sms__regime sms__find_regimes(double *value, size_t count, struct sms__regimes *regimes)
{
    struct sms__moments group[2] = {{0}, {0}}, all = {0};
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(value[i]))
            continue;
        sms__estimate_add(&all, value[i]);
        value[n++] = value[i];
    }
    if (n < REGIMES_LEAST)
        return SMS__ONE_REGIME;
    gsl_sort(value, 1, n);
    const size_t low = widest_gap(value, n);
    for (size_t i = 0; i < n; i++)
        sms__estimate_add(&group[i >= low], value[i]);
    const double gap = value[low] - value[low - 1], sd = sqrt((group[0].m2 + group[1].m2) / (double)(n - 2));
    *regimes = (struct sms__regimes){{low, n - low}, {group[0].mean, group[1].mean}, {value[0], value[n - 1]}};
    if (!(gap > REGIMES_APART * sd) || !(gap > 0.01 * fabs(all.mean)))
        return SMS__ONE_REGIME;
    if (low > 1 && n - low > 1)
        return SMS__TWO_REGIMES;
    return n < STRAY_LEAST ? SMS__ONE_REGIME : SMS__STRAY_VALUE;
}

bool sms_holm(const double *p, double *adjusted, size_t n)
{
    size_t *order = n == 0 || (p && adjusted) ? calloc(n ? n : 1, sizeof *order) : NULL, count = 0;
    double least = 0;
    if (!order)
        return false;
    for (size_t i = 0; i < n; i++) {
        adjusted[i] = isnan(p[i]) ? INFINITY : p[i]; /* sorts NAN last */
        count += !isnan(p[i]);
    }
    gsl_sort_index(order, adjusted, 1, n);
    for (size_t i = 0; i < n; i++) {
        double *value = &adjusted[order[i]];
        if (i < count)
            least = fmax(least, fmin(1, *value * (double)(count - i)));
        *value = i < count ? least : NAN;
    }
    free(order);
    return true;
}

double sms__rank_correlation(const double *a, const double *b, size_t n, double *scratch)
{
    return n < 2 ? NAN : gsl_stats_spearman(a, 1, b, 1, n, scratch);
}

double sms__correlation_p_value(double correlation, size_t n)
{
    if (n < 3 || isnan(correlation))
        return NAN;
    double freedom = (double)n - 2, rest = 1 - correlation * correlation;
    return rest > 0 ? 2 * gsl_cdf_tdist_Q(fabs(correlation) * sqrt(freedom / rest), freedom) : 0;
}

enum { BATCH = 5, BATCHES_LEAST = 10, BATCHES_TAIL = 5 };

static double batch_mean(const double *value, size_t batch)
{
    double sum = 0;
    for (size_t i = batch * BATCH; i < (batch + 1) * BATCH; i++)
        sum += value[i];
    return sum / BATCH;
}

/* Goes from the end to the beginning, so that each batch is added once. */
size_t sms__mser5(const double *value, size_t count)
{
    size_t batches = count / BATCH, tail = batches / 10 > BATCHES_TAIL ? batches / 10 : BATCHES_TAIL, best = batches;
    double least = INFINITY;
    struct sms__moments rest = {0};
    if (batches < BATCHES_LEAST)
        return SMS__UNSTEADY;
    for (size_t b = batches; b-- > 0;) {
        sms__estimate_add(&rest, batch_mean(value, b));
        double error = rest.m2 / ((double)rest.n * (double)rest.n);
        if (rest.n < tail || error > least)
            continue;
        least = error;
        best = b;
    }
    return best > batches / 2 ? SMS__UNSTEADY : best * BATCH;
}

bool sms__differs(const double *value, size_t count, size_t first)
{
    struct sms__moments part[2] = {{0}, {0}};
    for (size_t b = 0; b < count / BATCH; b++)
        sms__estimate_add(&part[b * BATCH >= first], batch_mean(value, b));
    if (part[0].n == 0 || part[1].n < 2)
        return false;
    double off = part[0].mean - part[1].mean, n[2] = {(double)part[0].n, (double)part[1].n};
    double variance = part[1].m2 / (n[1] - 1) * (1 / n[0] + 1 / n[1]);
    return off * off > 25 * variance;
}
