/* Compares policies with the best one. */
#include "best.h"

#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static double value_of(const struct sms__samples *samples, size_t policy, size_t replication)
{
    return samples->value[policy * samples->replications + replication];
}

static double mean_of(const struct sms__samples *samples, size_t policy)
{
    struct sms__moments estimate = {0};
    for (size_t r = 0; r < samples->replications; r++)
        if (!isnan(value_of(samples, policy, r)))
            sms__estimate_add(&estimate, value_of(samples, policy, r));
    return estimate.n ? estimate.mean : NAN;
}

/* The policy with the best mean: `first` if others only equal it. With `without`, of those that are not in it. */
static size_t best_of(const struct sms__samples *samples, size_t first, const bool *without)
{
    size_t best = SIZE_MAX;
    double most = NAN;
    for (size_t i = 0; i <= samples->policies; i++) {
        const size_t policy = i ? i - 1 : first;
        const double mean = mean_of(samples, policy);
        if (isnan(mean) || (without && without[policy]) || (best < SIZE_MAX && !((mean - most) * samples->better > 0)))
            continue;
        best = policy;
        most = mean;
    }
    return best;
}

static struct sms__pairs pairs_of(const struct sms__samples *samples, size_t policy, size_t over)
{
    struct sms__pairs pairs = {0};
    for (size_t r = 0; r < samples->replications; r++)
        sms__pairs_add(&pairs, value_of(samples, policy, r), value_of(samples, over, r));
    return pairs;
}

/* Whether the policy has a value, or none, wherever the best one does, and the same. */
static bool is_same(const struct sms__samples *samples, size_t policy, size_t best)
{
    for (size_t r = 0; r < samples->replications; r++) {
        const double a = value_of(samples, policy, r), b = value_of(samples, best, r);
        if (!sms__is_same(a, b) && !(isnan(a) && isnan(b)))
            return false;
    }
    return true;
}

/* A difference that is the same in all of several replications has no p-value, and is told apart. */
static bool is_constant(const struct sms__pairs *pairs, bool exact)
{
    const struct sms_estimate difference = sms__pairs_difference(pairs);
    return difference.n > !exact && difference.mean != 0 && !(difference.sd > 0);
}

/* Fills in p-values, and which policies are told apart by them from one; `over`: changes are over that one, else of it.
 */
static void fill_group(const struct sms__samples *samples, size_t one, bool over, double *p, bool *in_group)
{
    double *adjusted = p + samples->policies;
    for (size_t i = 0; i < samples->policies; i++) {
        const struct sms__pairs pairs = over ? pairs_of(samples, i, one) : pairs_of(samples, one, i);
        const bool apart = i != one && is_constant(&pairs, samples->exact);
        p[i] = i == one || apart ? NAN : sms__pairs_p_value(&pairs);
        in_group[i] = !apart && !isnan(mean_of(samples, i));
    }
    if (sms_holm(p, adjusted, samples->policies))
        for (size_t i = 0; i < samples->policies; i++)
            in_group[i] &= !(adjusted[i] < SMS__SIGNIFICANT);
}

static void count_group(const struct sms__samples *samples, struct sms__best *best, const bool *in_group)
{
    bool all_same = true;
    best->equal = true;
    for (size_t i = 0; i < samples->policies; i++) {
        const bool same = is_same(samples, i, best->best);
        best->group += in_group[i];
        best->equal &= same || !in_group[i];
        all_same &= same;
    }
    best->next = best_of(samples, best->best, in_group);
    best->verdict = all_same                                        ? SMS__BEST_SAME
                    : samples->replications == 1 && !samples->exact ? SMS__BEST_ONCE
                    : best->next < SIZE_MAX                         ? SMS__BEST_DIFFERS
                                                                    : SMS__BEST_CHANCE;
}

bool sms__find_best(const struct sms__samples *samples, size_t first, struct sms__best *best, bool *in_group,
                    double *adjusted)
{
    *best = (struct sms__best){.best = best_of(samples, first, NULL), .next = SIZE_MAX};
    for (size_t i = 0; i < samples->policies; i++)
        in_group[i] = false;
    for (size_t i = 0; adjusted && i < samples->policies; i++)
        adjusted[i] = NAN;
    if (best->best == SIZE_MAX)
        return true;
    double *p = calloc(2 * samples->policies + 1, sizeof *p);
    if (!p)
        return false;
    fill_group(samples, best->best, best->best == first, p, in_group);
    for (size_t i = 0; i < samples->policies && samples->replications == 1 && !samples->exact; i++)
        in_group[i] = is_same(samples, i, best->best);
    count_group(samples, best, in_group);
    for (size_t i = 0; adjusted && i < samples->policies; i++)
        adjusted[i] = p[samples->policies + i];
    free(p);
    return true;
}

bool sms__find_changes(const struct sms__samples *samples, size_t first, int *change)
{
    double *p = calloc(2 * samples->policies + 1, sizeof *p);
    bool *same = calloc(samples->policies + 1, sizeof *same);
    const bool made = p && same;
    if (made)
        fill_group(samples, first, true, p, same);
    for (size_t i = 0; made && i < samples->policies; i++) {
        const double more = (mean_of(samples, i) - mean_of(samples, first)) * samples->better;
        change[i] = same[i] ? 0 : (more > 0) - (more < 0);
    }
    free(same);
    free(p);
    return made;
}
