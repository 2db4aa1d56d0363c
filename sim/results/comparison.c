/* Compares a metric under two policies. */
#include "comparison.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

enum sms__regime sms__regimes_of(const struct sms__result *result, size_t policy, long baseline,
                                 struct sms__regimes *regimes, bool *failed)
{
    const struct sms_results *results = result->results;
    const size_t n = result->metric == SIZE_MAX ? 0 : sms_results_replications(results);
    double *value = calloc(n ? n : 1, sizeof *value);
    *failed |= !value;
    for (size_t r = 0; r < n && value; r++) {
        value[r] = sms_results_value(results, policy, r, result->subject, result->idx, result->metric);
        if (baseline >= 0)
            value[r] /= sms_results_value(results, (size_t)baseline, r, result->subject, result->idx, result->metric);
    }
    const enum sms__regime found = value ? sms__find_regimes(value, n, regimes) : SMS__ONE_REGIME;
    free(value);
    return found;
}

bool sms_results_regimes(const struct sms_results *results, size_t policy, enum sms_subject subject, size_t idx,
                         size_t metric, double mean[2])
{
    const struct sms__result of = {results, policy, subject, idx, metric};
    struct sms__regimes regimes;
    bool failed = false;
    if (!mean)
        return false;
    const bool two = sms__regimes_of(&of, policy, -1, &regimes, &failed) == SMS__TWO_REGIMES;
    for (size_t i = 0; i < 2; i++)
        mean[i] = two ? regimes.mean[i] : (double)NAN;
    return two;
}

struct sms_estimate sms__cover_regimes(const struct sms__result *result, size_t policy, long baseline,
                                       struct sms_estimate estimate, bool *failed)
{
    struct sms__regimes regimes;
    if (estimate.ci95 > 0 && sms__regimes_of(result, policy, baseline, &regimes, failed) == SMS__TWO_REGIMES)
        estimate.ci95 = fmax(estimate.ci95, fmax(estimate.mean - regimes.end[0], regimes.end[1] - estimate.mean));
    return estimate;
}

/* The smaller one of the numbers of jobs of which two policies' values are the maximum; 0 if neither is. */
static size_t fewest(const struct sms__result *of, size_t policy, size_t baseline)
{
    const size_t a = sms__maximum_of(of, policy), b = sms__maximum_of(of, baseline);
    return a && (!b || a < b) ? a : b;
}

struct sms_comparison sms__compare(const struct sms__result *of, size_t policy, size_t baseline, bool *failed)
{
    const struct sms_results *results = of->results;
    const struct sms_estimate base = sms_results_estimate(results, baseline, of->subject, of->idx, of->metric);
    const struct sms_estimate ratio = sms_results_ratio(results, policy, baseline, of->subject, of->idx, of->metric);
    struct sms_comparison compared = {
        .ratio = sms__cover_regimes(of, policy, (long)baseline, ratio, failed),
        .difference = sms_results_difference(results, policy, baseline, of->subject, of->idx, of->metric),
        .p = NAN,
        .maximum_of = fewest(of, policy, baseline),
    };
    compared.judged = sms_results_exact(results) || (sms__is_judged(of, policy) && sms__is_judged(of, baseline));
    const bool nothing =
        base.mean == 0 && !(base.sd > 0) && compared.difference.mean == 0 && !(compared.difference.sd > 0);
    if (policy == baseline)
        return compared;
    if (!isnan(compared.ratio.mean))
        compared.p = sms_p_value(compared.ratio, 1);
    else if (!nothing)
        compared.p = sms_p_value(compared.difference, 0);
    return compared;
}

struct sms_comparison sms_results_compare(const struct sms_results *results, size_t policy, size_t baseline,
                                          enum sms_subject subject, size_t idx, size_t metric)
{
    const struct sms_estimate none = {0, NAN, NAN, NAN};
    const struct sms__result of = {results, policy, subject, idx, metric};
    const struct sms_comparison nothing = {none, none, NAN, false, 0};
    struct sms_comparison compared = nothing;
    bool failed = false;
    if (policy < sms_results_policies(results) && baseline < sms_results_policies(results) &&
        idx < sms_results_subjects(results, subject) && metric < sms__metric_count(subject))
        compared = sms__compare(&of, policy, baseline, &failed);
    return failed ? nothing : compared;
}
