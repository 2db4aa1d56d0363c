/* `run: {until: ...}`: replications are added until the mean of a metric is known well enough under every policy. */
#include "results.h"

#include "../base/statistics.h"

#include <math.h>
#include <string.h>

static size_t subject_index(const struct sms_results *results, enum sms_subject subject, const char *name)
{
    size_t i = 0;
    while (name && strcmp(sms_results_subject(results, subject, i), name) != 0)
        i++;
    return i;
}

static size_t metric_index(enum sms_subject subject, const char *name)
{
    size_t count, m = 0;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    while (strcmp(metric[m].name, name) != 0)
        m++;
    return m;
}

/* Names have been checked with the scenario. */
bool sms_results_until(const struct sms_results *results, struct sms_until *out)
{
    const struct sms__until *until = &results->scenario->until;
    const struct sms__expect *of = &until->of;
    *out = (struct sms_until){.wanted = until->precision, .most = (size_t)until->most};
    if (!results->until)
        return false;
    out->subject = sms__expect_subject(of);
    out->idx = subject_index(results, out->subject, of->vm ? of->vm : of->process ? of->process : of->of_node);
    out->metric = metric_index(out->subject, of->metric);
    for (size_t p = 0; p < results->policies; p++) {
        double own = sms__precision(sms_results_estimate(results, p, out->subject, out->idx, out->metric));
        out->reached = own > out->reached ? own : out->reached;
    }
    return true;
}

/* As many as would be enough if spread and mean stayed as they are, at most as many again as there are: few looks at
 * the data, of which each is a chance to stop too early. */
size_t sms__until_next(const struct sms_results *results)
{
    struct sms_until until;
    size_t n = results->replications, next = 2 * n;
    if (!sms_results_until(results, &until) || until.reached <= until.wanted)
        return n;
    double excess = until.reached / until.wanted, enough = ceil((double)n * excess * excess);
    if (enough < (double)next)
        next = (size_t)enough;
    next = next > n ? next : n + 1;
    return next < results->room ? next : results->room;
}

static void describe(const struct sms_results *results, const struct sms_until *until, char *out, size_t size)
{
    size_t count;
    const char *metric = sms_metrics(until->subject, &count)[until->metric].name;
    snprintf(out, size, "%s of %.60s", metric, sms_results_subject(results, until->subject, until->idx));
}

void sms__until_warn(struct sms_results *results)
{
    struct sms_until until;
    char what[200];
    if (!sms_results_until(results, &until) || until.reached <= until.wanted)
        return;
    describe(results, &until, what, sizeof what);
    if (isinf(until.reached))
        sms__error(&results->warnings, SMS_OK, results->scenario->until.node->mark,
                   "after %zu replications %s has no mean to be precise about", results->replications, what);
    else
        sms__error(&results->warnings, SMS_OK, results->scenario->until.node->mark,
                   "after %zu replications, which are the most, %s is known to ± %.2g %%, not %.4g %%",
                   results->replications, what, 100 * until.reached, 100 * until.wanted);
}
