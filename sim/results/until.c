/* `run: {until: ...}`: replications are added until the mean of a metric is known well enough under every policy. */
#include "results.h"

#include "../base/statistics.h"

#include <math.h>

static struct sms_estimate first_of(const struct sms_results *results, const struct sms_until *until, size_t policy,
                                    size_t n)
{
    return sms__results_first(results, policy, until->subject, until->idx, until->metric, n);
}

/* The precision of the least precise policy after the first n replications. What repeats is precise. */
static double reached(const struct sms_results *results, const struct sms_until *until, size_t n)
{
    double greatest = 0;
    for (size_t p = 0; p < results->policies; p++) {
        struct sms_estimate first = first_of(results, until, p, n);
        bool known = !isnan(first.mean) && sms__results_repeat(results, p);
        double own = known ? 0 : sms__precision(first);
        greatest = own > greatest ? own : greatest;
    }
    return greatest;
}

/* The names have been checked with the scenario. */
bool sms_results_until(const struct sms_results *results, struct sms_until *out)
{
    if (out)
        *out = (struct sms_until){0};
    if (!results || !out || !results->until || !(results->scenario->until.precision > 0))
        return false;
    const struct sms__until *until = &results->scenario->until;
    const struct sms__expect *of = &until->of;
    *out = (struct sms_until){.wanted = until->precision, .most = (size_t)until->most};
    sms__results_find(results, of, &out->subject, &out->idx);
    out->metric = (size_t)sms_metric_index(out->subject, of->metric);
    out->reached = reached(results, out, results->replications);
    if (sms_results_exact(results) && !(fabs(first_of(results, out, 0, results->replications).mean) > 0))
        out->reached = INFINITY; /* 0 % of nothing */
    return true;
}

/* Counts, up to `most`, the latest replications at which the precision was reached. */
static size_t held(const struct sms_results *results, const struct sms_until *until, size_t most)
{
    size_t n = results->replications, count = 0;
    while (count < most && n - count >= results->scenario->replications &&
           reached(results, until, n - count) <= until->wanted)
        count++;
    return count;
}

/* If the spread is small by chance, the precision is soon lost again. So it has to hold while this many replications
 * are added (Hoad, Robinson and Davies 2010, Journal of the Operational Research Society 61). */
enum { AHEAD = 5 };

/* Until the precision is reached, asks for as many replications as would be enough if spread and mean stayed as they
 * are, and at most doubles them: each look at the data is a chance to stop too early. Exact results need no more. */
size_t sms__until_next(const struct sms_results *results)
{
    struct sms_until until;
    size_t n = results->replications, next = 2 * n;
    if (!(results->scenario->until.precision > 0))
        return sms__limit_next(results);
    if (!sms_results_until(results, &until) || sms_results_exact(results))
        return n;
    size_t count = held(results, &until, AHEAD + 1);
    double excess = until.reached / until.wanted, enough = ceil((double)n * excess * excess);
    if (count > 0)
        next = n + AHEAD + 1 - count;
    else if (enough < (double)next)
        next = enough > (double)n ? (size_t)enough : n + 1;
    return next < results->room ? next : results->room;
}

static void describe(const struct sms_results *results, const struct sms_until *until, char *out, size_t size)
{
    snprintf(out, size, "%s of %s", sms__metric_name(until->subject, until->metric),
             sms_results_subject(results, until->subject, until->idx));
}

/* Returns the first policy whose mean is 0 and not known exactly beside those of others, or NULL. */
static const char *without_mean(const struct sms_results *results, const struct sms_until *until)
{
    bool exact = sms_results_exact(results);
    for (size_t p = 0; p < results->policies; p++)
        if (first_of(results, until, p, results->replications).mean == 0 && (exact || !sms__results_repeat(results, p)))
            return sms_results_policy(results, p);
    return NULL;
}

static bool has_mean(const struct sms_results *results, const struct sms_until *until)
{
    bool has = true;
    for (size_t p = 0; p < results->policies; p++)
        has &= !isnan(first_of(results, until, p, results->replications).mean);
    return has;
}

void sms__until_warn(struct sms_results *results)
{
    struct sms_until until;
    char what[300];
    sms__limit_warn(results);
    if (!sms_results_until(results, &until) || until.reached <= until.wanted)
        return;
    describe(results, &until, what, sizeof what);
    const char *none = without_mean(results, &until);
    if (none)
        sms__error(&results->warnings, SMS_OK, results->scenario->until.node->mark,
                   "after %zu replications %s is 0 on average under %s, so it has no precision in %%",
                   results->replications, what, none);
    else if (isinf(until.reached) && has_mean(results, &until))
        sms__error(&results->warnings, SMS_OK, results->scenario->until.node->mark,
                   "%s is the same in all %zu replications, which does not show its precision", what,
                   results->replications);
    else if (isinf(until.reached))
        sms__error(&results->warnings, SMS_OK, results->scenario->until.node->mark,
                   "after %zu replications %s has no mean, and so no precision", results->replications, what);
    else
        sms__error(&results->warnings, SMS_OK, results->scenario->until.node->mark,
                   "after the maximum of %zu replications %s is known to ± %.*g %%, not %.4g %%", results->replications,
                   what, sms__digits(100 * until.reached, 2), 100 * until.reached, 100 * until.wanted);
}
