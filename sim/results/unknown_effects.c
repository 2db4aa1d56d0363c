/* What draws of what is not known say: how often a policy is best, and which parameter moves its lead. */
#include "unknown_effects.h"

#include "../base/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

void sms__unknowns_free(struct sms__unknowns *unknowns)
{
    if (unknowns)
        sms__arena_release(&unknowns->arena);
    free(unknowns);
}

double sms__draw_unknown(gsl_rng *stream, uint64_t seed, const char *name, double spread)
{
    sms__stream_again(stream, seed, name, 0);
    return spread * gsl_cdf_ugaussian_Pinv(gsl_rng_uniform_pos(stream));
}

static double value_of(const struct sms__unknowns *unknowns, size_t policy, size_t draw)
{
    return unknowns->value[policy * unknowns->draws + draw];
}

/* Whether no policy is better in the draw; `alone`: and no other is as good. */
static bool is_best(const struct sms__unknowns *unknowns, size_t policy, size_t draw, bool alone)
{
    const double value = value_of(unknowns, policy, draw);
    bool best = !isnan(value);
    for (size_t p = 0; p < unknowns->policies && best; p++) {
        double ahead = (value - value_of(unknowns, p, draw)) * unknowns->better;
        best = p == policy || !(alone ? ahead <= 0 : ahead < 0);
    }
    return best;
}

static size_t count_best(const struct sms__unknowns *unknowns, size_t policy, bool alone)
{
    size_t count = 0;
    for (size_t d = 0; d < unknowns->draws; d++)
        count += is_best(unknowns, policy, d, alone);
    return count;
}

static double mean_of(const struct sms__unknowns *unknowns, size_t policy)
{
    struct sms__moments mean = {0};
    for (size_t d = 0; d < unknowns->draws; d++)
        if (!isnan(value_of(unknowns, policy, d)))
            sms__estimate_add(&mean, value_of(unknowns, policy, d));
    return sms__estimate_close(mean).mean;
}

/* Whether p is the greater rival of the two. */
static bool rivals_more(const struct sms__unknowns *unknowns, size_t p, size_t than)
{
    const size_t wins = count_best(unknowns, p, false), others = count_best(unknowns, than, false);
    const double mean = mean_of(unknowns, p), other = mean_of(unknowns, than);
    return wins != others ? wins > others : (mean - other) * unknowns->better > 0 || (isnan(other) && !isnan(mean));
}

static size_t find_rival(const struct sms__unknowns *unknowns, size_t policy)
{
    size_t rival = SIZE_MAX;
    for (size_t p = 0; p < unknowns->policies; p++)
        if (p != policy && (rival == SIZE_MAX || rivals_more(unknowns, p, rival)))
            rival = p;
    return rival;
}

/* The middle 90 % of the ratios. Leaves NAN where some draw has none. */
static void find_range(const struct sms__unknowns *unknowns, size_t policy, struct sms__standing *standing)
{
    double *ratio = malloc((unknowns->draws + 1) * sizeof *ratio);
    bool any = ratio && standing->rival != SIZE_MAX;
    for (size_t d = 0; d < unknowns->draws && any; d++) {
        const double base = value_of(unknowns, standing->rival, d);
        ratio[d] = value_of(unknowns, policy, d) / base;
        any = base > 0 && !isnan(ratio[d]);
    }
    if (any) {
        gsl_sort(ratio, 1, unknowns->draws);
        standing->low = gsl_stats_quantile_from_sorted_data(ratio, 1, unknowns->draws, 0.05);
        standing->high = gsl_stats_quantile_from_sorted_data(ratio, 1, unknowns->draws, 0.95);
    }
    free(ratio);
}

struct sms__standing sms__standing_of(const struct sms__unknowns *unknowns, size_t policy)
{
    struct sms__standing standing = {.best = count_best(unknowns, policy, true), .low = NAN, .high = NAN};
    standing.shared = count_best(unknowns, policy, false) - standing.best;
    standing.rival = find_rival(unknowns, policy);
    find_range(unknowns, policy, &standing);
    return standing;
}

/* The lead rises with the ratio of the two values, and is defined where a value is 0. Without a rival it is the value.
 */
static double lead_of(const struct sms__unknowns *unknowns, size_t policy, size_t rival, size_t draw)
{
    const double value = value_of(unknowns, policy, draw);
    if (rival == SIZE_MAX)
        return value;
    const double other = value_of(unknowns, rival, draw);
    const double sum = fabs(value) + fabs(other);
    return sum > 0 ? (value - other) * unknowns->better / sum : sum;
}

/* The correlation of one parameter over the draws in which both policies have a value. `scratch` is [4][draws]. */
static struct sms__influence influence_of(const struct sms__unknowns *unknowns, size_t policy, size_t rival,
                                          const struct sms__unknown *item, double *scratch)
{
    double *lead = scratch, *drawn = scratch + unknowns->draws;
    size_t n = 0;
    for (size_t d = 0; d < unknowns->draws; d++) {
        lead[n] = lead_of(unknowns, policy, rival, d);
        drawn[n] = item->logarithm[d];
        n += !isnan(lead[n]);
    }
    const double correlation = sms__rank_correlation(drawn, lead, n, drawn + unknowns->draws);
    return (struct sms__influence){correlation, sms__correlation_p_value(correlation, n)};
}

bool sms__influences(const struct sms__unknowns *unknowns, size_t policy, size_t rival, struct sms__influence *out)
{
    const size_t n = unknowns->count;
    double *scratch = calloc(4 * unknowns->draws + 1, sizeof *scratch), *p = calloc(2 * n + 1, sizeof *p);
    bool done = scratch && p;
    for (size_t i = 0; i < n && done; i++) {
        out[i] = influence_of(unknowns, policy, rival, &unknowns->item[i], scratch);
        p[i] = out[i].p;
    }
    done = done && sms_holm(p, p + n, n);
    for (size_t i = 0; i < n && done; i++)
        out[i].p = p[n + i];
    free(scratch);
    free(p);
    return done;
}
