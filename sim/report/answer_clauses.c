/* What follows the answer in its line: what it assumes, what the best policy costs, how far it may be from the
 * optimum. */
#include "answer.h"

#include "output.h"

#include "../base/statistics.h"
#include "../results/results.h"
#include "../results/verdict.h"

#include <math.h>
#include <string.h>

/* ---- what is assumed ---- */

/* With less than a twentieth of the kernel time known, the ranking is of the time alone. */
static const double UNKNOWN = 0.95;

/* Policies that run kernels of several tenants at the same time, and those that do not. */
struct beside {
    size_t policies, others;
};

static struct beside beside_of(const struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    struct beside beside = {0, 0};
    for (size_t p = 0; p < results->policies && !scenario->cluster && scenario->vms > 1; p++)
        if (!scenario->shares || sms__mode_runs_beside(&sms__ran(results, p)->mode))
            beside.policies++;
        else
            beside.others++;
    return beside;
}

/* The largest share of a tenant's kernel time that has no demands. */
static double unmeasured(const struct sms_scenario *scenario)
{
    double most = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t c = 0; c < scenario->vm[v].choices; c++)
            most = fmax(most, scenario->vm[v].choice[c].workload->unmeasured);
    return most;
}

static bool demands_any(const struct sms__workload *workload)
{
    size_t k = 0;
    while (k < workload->kernels && !workload->kernel[k].demands)
        k++;
    return k < workload->kernels;
}

static bool has_demands(const struct sms_scenario *scenario)
{
    bool any = false;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t c = 0; c < scenario->vm[v].choices; c++)
            any |= demands_any(scenario->vm[v].choice[c].workload);
    return any;
}

bool sms__answer_is_unknown(const struct sms__outcome *answer)
{
    const struct sms_scenario *scenario = sms_results_scenario(answer->results);
    const struct beside beside = beside_of(answer->results);
    return beside.policies && beside.others && (unmeasured(scenario) >= UNKNOWN || !has_demands(scenario));
}

void sms__answer_put_reserve(const struct sms__outcome *answer, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(answer->results);
    const double without = 100 * unmeasured(scenario);
    if (!beside_of(answer->results).policies || sms__answer_is_unknown(answer))
        return;
    if (without >= 0.5)
        fprintf(to, "; this assumes that the kernels without demands, %.0f %% of kernel time, slow no others", without);
    else if (has_demands(scenario) && sms__contention_is_assumed(scenario))
        fprintf(to, "; contention %s is assumed", scenario->contention.label);
}

/* ---- what else matters ---- */

void sms__answer_put_few(const struct sms__outcome *answer, FILE *to)
{
    const size_t least = sms__result_least_maximum(&answer->asked);
    bool zeros = false;
    for (size_t p = 0; p < sms_results_policies(answer->results); p++)
        zeros |= sms__mostly_zero(&answer->asked, p);
    if (least)
        fprintf(to, "; this is the maximum of %zu %s%s", least, sms__result_counts(&answer->asked, (double)least),
                sms__is_greatest(&answer->asked) ? "" : ", not a percentile");
    if (zeros)
        fputs("; 0 in most replications", to);
}

/* Throughput may be best where somebody starves, and the latency of one tenant where the others do. */
static const double STARVES = 0.05;

void sms__answer_put_starved(const struct sms__outcome *answer, FILE *to)
{
    const struct sms__result fairness = sms__result_of(answer->results, SMS_HOST, 0, "fairness_ratio");
    const char *best = sms_results_policy(answer->results, answer->best.best);
    if (fairness.metric == SIZE_MAX || !strcmp(sms__result_metric(&answer->asked), "fairness_ratio"))
        return;
    const double least = sms__result_estimate(&fairness, answer->best.best).mean;
    if (least < STARVES)
        fprintf(to, "; under %s the slowest tenant makes %.2g %% of the fastest one's progress", best, 100 * least);
}

/* Processes and pods that fail are left out of times and means, which may be best because of that. */
void sms__answer_put_failed(const struct sms__outcome *answer, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(answer->results);
    if (!scenario->shares && !scenario->cluster)
        return;
    const enum sms_subject subject = scenario->cluster ? SMS_CLUSTER : SMS_PROCESS;
    const struct sms__result row =
        sms__result_of(answer->results, subject, scenario->cluster ? 0 : scenario->vms, "failed_count");
    static const char *const words[2][2] = {{"processes fail and are", "process fails and is"},
                                            {"pods fail and are", "pod fails and is"}};
    const double failed = sms__result_estimate(&row, answer->best.best).mean;
    if (failed > 0)
        fprintf(to, "; under %s %.*g %s left out", sms_results_policy(answer->results, answer->best.best),
                sms__digits(failed, 3), failed, words[scenario->cluster != NULL][failed == 1]);
}

static void put_policy(const struct sms__outcome *answer, size_t policy, FILE *to)
{
    if (sms_results_policies(answer->results) > 1)
        fprintf(to, " under %s", sms_results_policy(answer->results, policy));
}

/* No miss of few jobs is not the same as none. */
static void put_most_missed(const struct sms__outcome *answer, const struct sms__result *misses, const char *before,
                            const char *after, FILE *to)
{
    const double most = sms__most_missed(misses, answer->best.best);
    if (!isnan(most) && !sms_results_exact(answer->results))
        fprintf(to, "%sat most %.*g %%%s", before, sms__digits(100 * most, 2), 100 * most, after);
}

/* If a time of waiting is asked for, missed deadlines matter, too. */
void sms__answer_put_misses(const struct sms__outcome *answer, FILE *to)
{
    const char *metric = sms__result_metric(&answer->asked);
    const bool waits = strstr(metric, "latency") || strstr(metric, "turnaround");
    const struct sms__result misses =
        sms__result_of(answer->results, answer->asked.subject, answer->asked.idx, "deadline_miss_ratio");
    const double best = sms__result_estimate(&misses, answer->best.best).mean,
                 base = sms__result_estimate(&misses, answer->baseline).mean;
    if (!strcmp(metric, "deadline_miss_ratio"))
        put_most_missed(answer, &answer->asked, "; no deadline was missed: ", " with a confidence of 95 %", to);
    if (!waits || isnan(best) || isnan(base))
        return;
    fprintf(to, "; deadlines missed: %.3g %%", 100 * best);
    put_policy(answer, answer->best.best, to);
    put_most_missed(answer, &misses, " (", ")", to);
    if (best != base) {
        fprintf(to, " instead of %.3g %%", 100 * base);
        put_policy(answer, answer->baseline, to);
    }
}

/* Tells how many pods are in no mean, if another policy leaves out fewer; of equal policies, of the one that leaves out
 * most. Returns whether it did. */
static bool put_left_out(const struct sms__outcome *answer, double (*left)(const struct sms__result *of, size_t policy),
                         const char *which, FILE *to)
{
    size_t most = answer->best.best, least = most;
    double more = left(&answer->asked, most), fewer = more;
    for (size_t p = 0; p < sms_results_policies(answer->results); p++) {
        const double count = left(&answer->asked, p);
        if (answer->in_group[p] && count > more)
            more = count, most = p;
        if (count < fewer)
            fewer = count, least = p;
    }
    if (!(more > fewer))
        return false;
    fprintf(to, "; without pods that %s: %.*g", which, sms__digits(more, 4), more);
    put_policy(answer, most, to);
    fprintf(to, " instead of %.*g", sms__digits(fewer, 4), fewer);
    put_policy(answer, least, to);
    return true;
}

/* A policy may seem quick because it leaves some pods waiting, or running, at the end. */
void sms__answer_put_left_out(const struct sms__outcome *answer, FILE *to)
{
    if (!put_left_out(answer, sms__left_waiting, "still wait at the end", to))
        put_left_out(answer, sms__left_unended, "have not ended", to);
}

/* No policy is above the bound, and the best one that was run is a lower end. */
void sms__answer_put_bound(const struct sms__outcome *answer, FILE *to)
{
    struct sms_bound bound;
    for (int m = 0; m < SMS_BOUNDED && answer->asked.subject == SMS_HOST; m++) {
        if (strcmp(sms__result_metric(&answer->asked), sms_bound_metric((enum sms_bounded)m)) != 0 ||
            sms_results_bound(answer->results, (enum sms_bounded)m, &bound, NULL))
            continue;
        if (isnan(sms_bound_gap(&bound, answer->value.mean)))
            continue;
        const struct sms__scale unit = sms__scale_of(sms_bound_metric((enum sms_bounded)m), bound.run_per_s);
        fprintf(to, "; the optimum is between %s and %s, which no policy exceeds",
                sms__value_in(answer->value.mean, NAN, unit).text, sms__value_in(bound.run_per_s, NAN, unit).text);
    }
}

/* Names what the best policy makes worse by more than half a percent, of what concerns all tenants. Not what may be
 * chance. */
void sms__answer_put_cost(const struct sms__outcome *answer, FILE *to)
{
    static const char *const metrics[] = {"fairness_ratio", "stp_ratio", "antt_ratio", "deadline_miss_ratio"};
    const enum sms_subject subject = sms_results_scenario(answer->results)->cluster ? SMS_CLUSTER : SMS_HOST;
    const size_t best = answer->best.best;
    const char *between = "; it costs ";
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics && answer->best.group == 1; i++) {
        const struct sms__result row = sms__result_of(answer->results, subject, 0, metrics[i]);
        if (row.metric == SIZE_MAX || !strcmp(metrics[i], sms__result_metric(&answer->asked)) ||
            best == answer->baseline)
            continue;
        struct sms_estimate change = sms__result_ratio(&row, best, answer->baseline);
        change.mean -= 1;
        if (!(change.mean * sms_metrics(subject, NULL)[row.metric].better < -0.005) ||
            sms_p_value(change, 0) >= SMS__SIGNIFICANT)
            continue;
        fprintf(to, "%s%s %s", between, sms__metric_words(metrics[i]), sms__percent(true, 100 * change.mean, NAN).text);
        between = ", ";
    }
}
