/* `run: {until: {limit: ...}}`: replications are doubled until the mean of a metric is told to be above or below a
 * limit under every policy. Each look at them may err with an equal part of the error that is allowed,
 * because a rule that looks until it sees something would else see it sooner or later. */
#include "verdict.h"

#include "../base/statistics.h"

#include <math.h>

/* At how many numbers of replications the rule looks at most. */
static double count_looks(const struct sms_scenario *scenario)
{
    double looks = 1;
    for (uint64_t n = scenario->replications; n < scenario->until.most; n *= 2)
        looks++;
    return looks;
}

/* Metric and subject of the limit; the names were checked with the scenario. */
static struct sms_question limited(const struct sms_results *results)
{
    struct sms_question of = {0};
    sms__results_find(results, &results->scenario->until.of, &of.subject, &of.idx);
    of.metric = (size_t)sms_metric_index(of.subject, results->scenario->until.of.metric);
    return of;
}

/* How far the mean may be off by chance. Of no misses in n jobs there are fewer than -ln(error) / n (the rule of three,
 * at this error). Otherwise values without a spread tell nothing of chance. */
static double most_off(const struct sms_results *results, size_t policy, const struct sms_question *of,
                       struct sms_estimate estimate)
{
    const double error = (1 - results->scenario->until.confidence) / count_looks(results->scenario);
    if (!isnan(sms__most_missed(results, policy, of->subject, of->idx, of->metric)))
        return -log(error) / sms__counted(results, policy, of->subject, of->idx, of->metric);
    if (estimate.n < 2 || !(estimate.sd > 0))
        return INFINITY;
    return sms__student(estimate.n, error) * estimate.sd / sqrt((double)estimate.n);
}

enum sms__told sms__told_of_limit(const struct sms_results *results, size_t policy)
{
    const struct sms_question of = limited(results);
    const struct sms_estimate estimate = sms_results_estimate(results, policy, of.subject, of.idx, of.metric);
    const double off = estimate.mean - results->scenario->until.limit.value;
    const bool exact = sms_results_exact(results) || sms__results_repeat(results, policy);
    if (isnan(off) || (!exact && (sms__maximum_of(results, policy, of.subject, of.idx, of.metric) ||
                                  sms__mostly_zero(results, policy, of.subject, of.idx, of.metric))))
        return SMS__NOT_TOLD;
    const double most = exact ? 0 : most_off(results, policy, &of, estimate);
    if (fabs(off) > most)
        return off > 0 ? SMS__ABOVE : SMS__BELOW;
    return exact ? SMS__AT_LIMIT : SMS__NOT_TOLD;
}

size_t sms__limit_next(const struct sms_results *results)
{
    const struct sms_question of = limited(results);
    const size_t n = results->replications;
    bool told = true;
    for (size_t p = 0; p < results->policies; p++)
        told &= sms__told_of_limit(results, p) != SMS__NOT_TOLD;
    if (told || sms_results_exact(results) || !sms__allows_verdict(results, &of))
        return n;
    return 2 * n < results->room ? 2 * n : results->room;
}

void sms__limit_warn(struct sms_results *results)
{
    const struct sms__until *until = &results->scenario->until;
    const struct sms_question of = limited(results);
    size_t metrics;
    for (size_t p = 0; results->until && until->precision <= 0 && p < results->policies; p++) {
        const char *policy = sms_results_policy(results, p),
                   *subject = sms_results_subject(results, of.subject, of.idx);
        const char *metric = sms_metrics(of.subject, &metrics)[of.metric].name;
        const struct sms_estimate estimate = sms_results_estimate(results, p, of.subject, of.idx, of.metric);
        const size_t most = sms__maximum_of(results, p, of.subject, of.idx, of.metric);
        if (sms__told_of_limit(results, p) != SMS__NOT_TOLD)
            continue;
        if (isnan(estimate.mean))
            sms__error(&results->warnings, SMS_OK, until->node->mark, "%s of %.60s has no value under %.60s", metric,
                       subject, policy);
        else if (most) {
            sms__error(&results->warnings, SMS_OK, until->node->mark,
                       "%s of %.60s is of %zu jobs, and so their maximum, which has no interval", metric, subject,
                       most);
            return;
        } else
            sms__error(&results->warnings, SMS_OK, until->node->mark,
                       "after %zu replications %s of %.60s is not told from %.6g under %.60s: %.6g ± %.2g",
                       results->replications, metric, subject, until->limit.value, policy, estimate.mean,
                       isnan(estimate.ci95) ? 0 : estimate.ci95);
    }
}
