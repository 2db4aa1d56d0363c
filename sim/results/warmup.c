/* The end of the warm-up, found by MSER-5. Its series is the number of kernels that end in each thousandth of the run,
 * of all tenants and of each, summed over replications, which averages out noise (Welch). */
#include "notes.h"

#include "../base/statistics.h"
#include "../model/draws.h"

#include <math.h>

/* The number of parts of the series that are within the run, wherever it ends. If parts are only a few ps long, the
 * last ones are beyond the end. */
static size_t count_parts(const struct sms_scenario *scenario)
{
    double end_ps = scenario->duration_ps - sms__slack_ps(scenario);
    double parts = floor(end_ps / (double)sms__series_ps(scenario));
    if (sms__slack_ps(scenario) <= 0)
        parts = ceil(scenario->duration_ps / (double)sms__series_ps(scenario));
    return parts < SMS__SERIES ? (size_t)parts : SMS__SERIES;
}

/* With fewer kernels, one in five parts on average, nothing is concluded. */
enum { KERNELS_LEAST = SMS__SERIES / 5 };

static double total(const double *series, size_t parts)
{
    double sum = 0;
    for (size_t i = 0; i < parts; i++)
        sum += series[i];
    return sum;
}

static bool is_empty(const double *series, size_t parts) { return total(series, parts) < KERNELS_LEAST; }

/* Returns the longest warm-up, in parts, that any policy or tenant needs. Sets the policy under which one has no end in
 * the first half, or NULL. */
static size_t find(struct sms_results *results, const char **unsteady)
{
    size_t parts = count_parts(results->scenario), rows = sms__series_rows(results->scenario), most = 0;
    *unsteady = NULL;
    for (size_t i = 0; i < results->policies * rows; i++) {
        const double *series = results->series + i * SMS__SERIES;
        size_t found = is_empty(series, parts) ? 0 : sms__mser5(series, parts);
        if (found == SMS__UNSTEADY) {
            *unsteady = sms_results_policy(results, i / rows);
            found = parts / 2;
        }
        most = found > most ? found : most;
    }
    return most;
}

/* Pilots do not count as replications. */
static void forget_pilots(struct sms_results *results)
{
    for (size_t i = 0; i < results->policies * sms__series_rows(results->scenario) * SMS__SERIES; i++)
        results->series[i] = 0;
}

static struct sms__mark mark_of(const struct sms_scenario *scenario)
{
    return sms__node_get(sms__node_get(scenario->node, "run"), "warmup")->mark;
}

/* Returns the number of kernels of a row under the policy with most, of those under which it has too few; -1 if it has
 * enough under all. */
static double too_few(const struct sms_results *results, size_t row, size_t rows, size_t parts)
{
    double most = -1;
    for (size_t p = 0; p < results->policies; p++) {
        double sum = total(results->series + (p * rows + row) * SMS__SERIES, parts);
        most = sum < KERNELS_LEAST && sum > most ? sum : most;
    }
    return most;
}

/* Warns of tenants that ran too few kernels to be considered. */
static void warn_short(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    size_t rows = sms__series_rows(scenario), parts = count_parts(scenario);
    struct sms__names names = {0};
    for (size_t row = rows > 1; row < rows; row++) {
        double most = too_few(results, row, rows, parts);
        if (most >= 0)
            sms__names_add(&names, row ? scenario->vm[row - 1].name : "all", most);
    }
    if (names.count)
        sms__error(&results->warnings, SMS_OK, mark_of(scenario),
                   "the warm-up was found without tenants of which fewer than %d kernels ended in %d pilots: %s",
                   KERNELS_LEAST, SMS__PILOTS, sms__names_print(results, &names));
}

/* All policies are measured over the same time, after the longest warm-up that any of them needs. */
int sms__find_warmup(struct sms_results *results, struct sms_errors *errors)
{
    if (!results->scenario->find_warmup)
        return SMS_OK;
    const struct sms_scenario *scenario = results->scenario;
    const char *unsteady;
    int code = sms__run_pilots(results, SMS__PILOTS, errors);
    if (code)
        return code;
    results->measured = *scenario;
    results->measured.warmup_ps = (double)find(results, &unsteady) * (double)sms__series_ps(scenario);
    results->scenario = &results->measured;
    warn_short(results);
    forget_pilots(results);
    if (unsteady)
        sms__error(&results->warnings, SMS_OK, mark_of(scenario),
                   "no steady state in the first half of the run under %s: results leave that half out", unsteady);
    return SMS_OK;
}

/* A beginning is reported if it changes the mean by more than this. */
#define SHIFT 0.01

static double mean(const double *series, size_t parts) { return total(series, parts) / (double)parts; }

/* A part at the beginning of the measured time that differs from the rest. */
struct beginning {
    size_t row, parts;
    double shift; /* relative change of the mean */
};

/* `row` counts those of all policies. */
static struct beginning find_beginning(const struct sms_results *results, size_t row, size_t first, size_t parts)
{
    const double *measured = results->series + row * SMS__SERIES + first;
    size_t count = parts - first, found = is_empty(measured, count) ? 0 : sms__mser5(measured, count);
    found = found == SMS__UNSTEADY ? count / 10 * 5 : found;
    if (found == 0 || !sms__differs(measured, count, found))
        return (struct beginning){0};
    double rest = mean(measured + found, count - found);
    if (rest <= 0) /* no kernel ends any more, so there is no rate to compare with */
        return (struct beginning){0};
    return (struct beginning){row, found, mean(measured, count) / rest - 1};
}

static void warn(struct sms_results *results, const struct beginning *worst, double end_ps)
{
    const struct sms_scenario *scenario = results->scenario;
    size_t rows = sms__series_rows(scenario), row = worst->row % rows;
    sms__error(&results->warnings, SMS_OK, mark_of(scenario),
               "the warm-up looks too short: under %s kernels of %s end at a different rate until about %.3g ms, "
               "which moves the mean by %+.2g %%",
               sms_results_policy(results, worst->row / rows), row ? scenario->vm[row - 1].name : "all", end_ps / 1e9,
               100 * worst->shift);
}

/* When tenants end, the rate changes. */
static size_t count_ends(const struct sms_scenario *scenario)
{
    size_t ends = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        ends += scenario->vm[v].repeat != 0;
    return ends;
}

/* A tenant that starts within the measured time is not in a steady state, even if too few kernels show it. */
static void warn_late(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__tenant *last = &scenario->vm[0];
    for (size_t v = 1; v < scenario->vms; v++)
        last = scenario->vm[v].start_ps > last->start_ps ? &scenario->vm[v] : last;
    if (last->start_ps > scenario->warmup_ps)
        sms__error(&results->warnings, SMS_OK, mark_of(scenario),
                   "the warm-up looks too short: it ends at %.3g ms, and %s starts at %.3g ms",
                   scenario->warmup_ps / 1e9, last->name, last->start_ps / 1e9);
}

/* A run whose work is done before its warm-up ends is counted as a whole, as if there were none. The makespan is of the
 * tenants that end. */
static void warn_unused(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const size_t makespan = SMS__HOST_makespan_ns - SMS__FIRST_HOST;
    for (size_t p = 0; p < results->policies && !scenario->cluster; p++) {
        const double end_ps = sms_results_estimate(results, p, SMS_HOST, 0, makespan).mean * 1e3;
        if (!(end_ps <= scenario->warmup_ps))
            continue;
        sms__error(&results->warnings, SMS_OK, mark_of(scenario),
                   "the warm-up is left out: it ends at %.3g ms, and under %s all work is done at %.3g ms",
                   scenario->warmup_ps / 1e9, sms_results_policy(results, p), end_ps / 1e9);
        return;
    }
}

void sms__warmup_warn(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    if (scenario->warmup_ps > 0 && count_ends(scenario) == scenario->vms)
        warn_unused(results);
    if (scenario->warmup_ps <= 0 || scenario->find_warmup || !sms__series_ps(scenario) || count_ends(scenario))
        return;
    double width_ps = (double)sms__series_ps(scenario);
    size_t first = (size_t)ceil(scenario->warmup_ps / width_ps), parts = count_parts(scenario);
    struct beginning worst = {0};
    for (size_t i = 0; i < results->policies * sms__series_rows(scenario) && first < parts; i++) {
        struct beginning own = find_beginning(results, i, first, parts);
        worst = fabs(own.shift) > fabs(worst.shift) ? own : worst;
    }
    if (fabs(worst.shift) > SHIFT)
        warn(results, &worst, (double)(first + worst.parts) * width_ps);
    else
        warn_late(results);
}
