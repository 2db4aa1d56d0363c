/* `run: {until: {where: ...}}`: replications are doubled until it is told, under every policy, that means meet all
 * limits, or that one of them misses its own. The looks at them share the error that is allowed, because a rule that
 * looks until it sees something would else see it sooner or later. Each has a part in proportion to the square of
 * its replications (Lan and DeMets, Biometrika 70, 1983), because Student's t errs most where a few skewed values are
 * all there is.
 *
 * Limits share that error where they have to. One that is missed may be any of them, so each tells that with an equal
 * part (Bonferroni). That all are met is wrong only if one that is missed is told to be met, so each of them may tell
 * that with all of it (the intersection-union test: Berger, Technometrics 24, 1982). */
#include "verdict.h"

#include "../base/statistics.h"

#include <math.h>

/* The part of the error that a look after n replications has. */
static double part_of_error(const struct sms_scenario *scenario, size_t n)
{
    double all = pow((double)scenario->until.most, 2);
    for (uint64_t look = scenario->replications; look < scenario->until.most; look *= 2)
        all += pow((double)look, 2);
    return pow((double)n, 2) / all;
}

/* The names were checked with the scenario. */
struct sms__result sms__limit_asks(const struct sms_results *results, const struct sms__limit *limit)
{
    struct sms__result of = {.results = results};
    sms__results_find(results, &limit->of, &of.subject, &of.idx);
    of.metric = (size_t)sms_metric_index(of.subject, limit->of.metric);
    return of;
}

/* Of so many misses Student's t tells enough. */
enum { MISSES_ENOUGH = 100 };

/* How far a share of misses may be above its mean, if jobs miss independently of each other: their number then varies
 * no more than Poisson's. Of no misses in n jobs this is -ln(error) / n (the rule of three, at this error). */
static double most_above(const struct sms__result *of, size_t policy, double mean, double error)
{
    const double jobs = sms__counted(of, policy);
    return mean * jobs > MISSES_ENOUGH ? 0 : sms__poisson_most(mean * jobs, error) / jobs - mean;
}

/* Of three values or more. */
static double skewness(const struct sms__result *of, size_t policy, struct sms_estimate estimate)
{
    const double n = (double)estimate.n;
    double cubes = 0;
    for (size_t r = 0; r < of->results->replications; r++) {
        const double value = sms_results_value(of->results, policy, r, of->subject, of->idx, of->metric);
        const double off = isnan(value) ? 0 : (value - estimate.mean) / estimate.sd;
        cubes += off * off * off;
    }
    return n / (n - 1) / (n - 2) * cubes;
}

/* Whether the mean is beyond the limit, on the side where it is, by more than chance. Values without a spread tell
 * nothing of that, unless all jobs miss: as few meet their deadline as miss if none does. Student's t alone would be
 * told too often where misses are rare, so that most replications have none by chance, and where values are skewed. */
static bool is_beyond(const struct sms__result *of, size_t policy, double limit, double error)
{
    const struct sms_estimate estimate = sms_results_estimate(of->results, policy, of->subject, of->idx, of->metric);
    const double off = estimate.mean - limit;
    const bool misses = sms__is_share_of_misses(of);
    if (misses && estimate.mean == 1)
        return off > most_above(of, policy, 0, error);
    const double above = misses && off < 0 ? most_above(of, policy, estimate.mean, error) : 0;
    if (above > 0 && (estimate.mean == 0 || -off <= above))
        return -off > above;
    if (estimate.n < 2 || !(estimate.sd > 0))
        return false;
    const double t = fabs(off) * sqrt((double)estimate.n) / estimate.sd, enough = sms__student(estimate.n, error);
    const double skew = estimate.n < 3 ? 0 : copysign(1, off) * skewness(of, policy, estimate);
    return t > enough && sms__skewed_t(t, skew, estimate.n) > enough;
}

enum sms__told sms__tell_limit(const struct sms_results *results, size_t policy, const struct sms__limit *limit)
{
    const struct sms__until *until = &results->scenario->until;
    const struct sms__result of = sms__limit_asks(results, limit);
    const double mean = sms_results_estimate(results, policy, of.subject, of.idx, of.metric).mean;
    const double good = (mean - limit->value.value) * limit->side;
    const double error = (1 - until->confidence) * part_of_error(results->scenario, results->replications);
    if (isnan(good))
        return SMS__NOT_TOLD;
    if (sms_results_exact(results) || sms__results_repeat(results, policy))
        return good > 0 || (limit->at && !(good < 0)) ? SMS__MET : SMS__MISSED;
    if (!sms__is_judged(&of, policy))
        return SMS__NOT_TOLD;
    if (!is_beyond(&of, policy, limit->value.value, good > 0 ? error : error / (double)until->limits))
        return SMS__NOT_TOLD;
    return good > 0 ? SMS__MET : SMS__MISSED;
}

enum sms__told sms__told_of_limits(const struct sms_results *results, size_t policy)
{
    const struct sms__until *until = &results->scenario->until;
    enum sms__told all = SMS__MET;
    for (size_t i = 0; i < until->limits && all != SMS__MISSED; i++) {
        const enum sms__told told = sms__tell_limit(results, policy, &until->limit[i]);
        all = told == SMS__MET ? all : told;
    }
    return all;
}

/* Whether more replications may tell more of a policy of which not enough is told. */
static bool may_tell(const struct sms_results *results, size_t policy)
{
    const struct sms__until *until = &results->scenario->until;
    bool may = false;
    if (sms__told_of_limits(results, policy) != SMS__NOT_TOLD)
        return false;
    for (size_t i = 0; i < until->limits; i++) {
        const struct sms__result of = sms__limit_asks(results, &until->limit[i]);
        may |= sms__tell_limit(results, policy, &until->limit[i]) == SMS__NOT_TOLD && sms__is_judged(&of, policy);
    }
    return may;
}

size_t sms__limit_next(const struct sms_results *results)
{
    const size_t n = results->replications;
    bool more = false;
    for (size_t p = 0; p < results->policies; p++)
        more |= may_tell(results, p);
    if (!more || sms_results_exact(results))
        return n;
    return 2 * n < results->room ? 2 * n : results->room;
}

/* Says why a limit is not told. False: it says the same of all policies. */
static bool doubt(const struct sms_results *results, size_t p, const struct sms__limit *limit, struct sms_errors *out)
{
    const struct sms__result of = sms__limit_asks(results, limit);
    const struct sms_estimate estimate = sms_results_estimate(results, p, of.subject, of.idx, of.metric);
    const char *policy = sms_results_policy(results, p), *metric = limit->of.metric,
               *subject = sms_results_subject(results, of.subject, of.idx);
    const size_t most = sms__maximum_of(&of, p);
    const double half = isnan(estimate.ci95) ? 0 : estimate.ci95;
    if (isnan(estimate.mean))
        sms__error(out, SMS_OK, limit->key->mark, "%s of %s has no value under %s", metric, subject, policy);
    else if (most)
        sms__error(out, SMS_OK, limit->key->mark,
                   "%s of %s comes from %zu jobs, so it is their maximum, which has no interval", metric, subject,
                   most);
    else if (estimate.n > 1 && !(estimate.sd > 0) && !sms__is_share_of_misses(&of))
        sms__error(out, SMS_OK, limit->key->mark,
                   "in all %zu replications %s of %s is %.*g under %s, so no test tells whether that is chance: limit "
                   "a metric that varies, or deadline_miss_ratio",
                   results->replications, metric, subject, sms__digits(estimate.mean, 6), estimate.mean, policy);
    else
        sms__error(out, SMS_OK, limit->key->mark,
                   "after %zu replications %s of %s cannot be distinguished from %.*g under %s: %.*g ± %.*g",
                   results->replications, metric, subject, sms__digits(limit->value.value, 6), limit->value.value,
                   policy, sms__digits(estimate.mean, 6), estimate.mean, sms__digits(half, 2), half);
    return isnan(estimate.mean) || !most;
}

/* The same of the first limit that leaves a policy undecided. */
static bool warn_of_doubt(const struct sms_results *results, size_t p, struct sms_errors *out)
{
    const struct sms__until *until = &results->scenario->until;
    size_t i = 0;
    while (i < until->limits && sms__tell_limit(results, p, &until->limit[i]) != SMS__NOT_TOLD)
        i++;
    return i == until->limits || sms__told_of_limits(results, p) != SMS__NOT_TOLD ||
           doubt(results, p, &until->limit[i], out);
}

/* A wait may meet its limit because some pods still wait. */
static void warn_of_waiting(const struct sms_results *results, size_t p, struct sms_errors *out)
{
    const struct sms__until *until = &results->scenario->until;
    for (size_t i = 0; i < until->limits; i++) {
        const struct sms__result of = sms__limit_asks(results, &until->limit[i]);
        const double left = sms__left_waiting(&of, p);
        if (left > 0 && sms__tell_limit(results, p, &until->limit[i]) == SMS__MET)
            sms__error(out, SMS_OK, until->limit[i].key->mark,
                       "%s of %s under %s is without pods that still wait at the end: %.*g", until->limit[i].of.metric,
                       sms_results_subject(results, of.subject, of.idx), sms_results_policy(results, p),
                       sms__digits(left, 4), left);
    }
}

void sms__limit_remark(const struct sms_results *results, size_t policy, struct sms_errors *out)
{
    if (!results->until)
        return;
    warn_of_doubt(results, policy, out);
    warn_of_waiting(results, policy, out);
}

void sms__limit_warn(struct sms_results *results)
{
    bool each = results->until;
    for (size_t p = 0; each && p < results->policies; p++)
        each = warn_of_doubt(results, p, &results->warnings);
    for (size_t p = 0; results->until && p < results->policies; p++)
        warn_of_waiting(results, p, &results->warnings);
}
