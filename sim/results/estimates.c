/* Estimates over the replications, and which of them have no interval. */
#include "verdict.h"

#include "../base/statistics.h"

#include <math.h>
#include <string.h>

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Jobs of the class, or of all tenants if `cls` is NULL; if `timed`, of those with a deadline. Each pod may have one.
 */
static double jobs_of(const struct sms_results *results, const struct sms__values *values, const char *cls, bool timed)
{
    double jobs = 0;
    for (size_t v = 0; v < results->scenario->vms; v++) {
        const struct sms__tenant *vm = &results->scenario->vm[v];
        const bool has = vm->deadline_ps > 0 || results->scenario->cluster;
        jobs += (!cls || vm->cls == cls) && (!timed || has) ? values->counted[v] : 0;
    }
    return jobs;
}

/* How many jobs or pods a value is of; NAN where that is not known. */
static double count_in(const struct sms_results *results, const struct sms__values *values, enum sms_subject subject,
                       size_t idx, const char *name)
{
    const double *pods = values->counted + results->scenario->vms;
    const bool misses = !strcmp(name, "deadline_miss_ratio");
    if (subject == SMS_VM && (misses || begins(name, "job_latency_")))
        return values->counted[idx];
    if (subject == SMS_HOST && misses)
        return jobs_of(results, values, NULL, true);
    if (subject == SMS_CLASS && (misses || begins(name, "job_latency_")))
        return jobs_of(results, values, results->scenario->cls.name[idx], misses);
    if (subject != SMS_CLUSTER)
        return NAN;
    if (misses)
        return pods[SMS__COUNT_TIMED];
    if (begins(name, "slowdown_"))
        return pods[SMS__COUNT_SLOWDOWNS];
    if (begins(name, "wait_"))
        return pods[SMS__COUNT_WAITS];
    return begins(name, "turnaround_") ? pods[SMS__COUNT_TURNAROUNDS] : (double)NAN;
}

static double count_of(const struct sms__result *of, size_t policy, size_t replication)
{
    const struct sms_results *results = of->results;
    return count_in(results, &results->values[policy * results->room + replication], of->subject, of->idx,
                    sms__metric_name(of->subject, of->metric));
}

double sms__counted(const struct sms__result *of, size_t policy)
{
    double sum = 0;
    for (size_t r = 0; r < of->results->replications; r++)
        sum += count_of(of, policy, r);
    return sum;
}

bool sms__is_greatest(const struct sms__result *of)
{
    return of->metric != SIZE_MAX && strstr(sms__metric_name(of->subject, of->metric), "_max_");
}

size_t sms__maximum_of(const struct sms__result *of, size_t policy)
{
    const char *name = of->metric == SIZE_MAX ? "" : sms__metric_name(of->subject, of->metric);
    const double of_percentile = strstr(name, "_p99_") ? 100 : strstr(name, "_p95_") ? 20 : 0;
    const double enough = sms__is_greatest(of) ? INFINITY : of_percentile;
    double least = INFINITY;
    for (size_t r = 0; r < of->results->replications && enough > 0; r++) {
        const double count = count_of(of, policy, r);
        least = count > 0 && count < least ? count : least;
    }
    return least < enough ? (size_t)least : 0;
}

/* With a baseline, a policy's number or -1, the difference from it. */
static double value_in(const struct sms__result *of, size_t policy, long baseline, size_t replication)
{
    double value = sms_results_value(of->results, policy, replication, of->subject, of->idx, of->metric);
    if (baseline >= 0)
        value -= sms_results_value(of->results, (size_t)baseline, replication, of->subject, of->idx, of->metric);
    return value;
}

/* The value that a percentile has in more than half of the replications, but not in all; NAN if there is none.
 * Percentiles of jobs take few values, because jobs repeat. */
static double majority(const struct sms__result *of, size_t policy, long baseline)
{
    const size_t n = sms_results_replications(of->results);
    const char *name = of->metric < sms__metric_count(of->subject) ? sms__metric_name(of->subject, of->metric) : "";
    double found = NAN;
    size_t lead = 0, times = 0, values = 0;
    if (!strstr(name, "_p50_") && !strstr(name, "_p95_") && !strstr(name, "_p99_"))
        return NAN;
    /* If unlike values are taken away in pairs, the one that more than half of them have is left. */
    for (size_t r = 0; r < n; r++) {
        const double value = value_in(of, policy, baseline, r);
        found = lead ? found : value;
        if (!isnan(value))
            lead += value == found ? 1 : (size_t)-1;
        values += !isnan(value);
    }
    for (size_t r = 0; r < n; r++)
        times += value_in(of, policy, baseline, r) == found;
    return 2 * times > values && times < values ? found : (double)NAN;
}

bool sms__is_judged(const struct sms__result *of, size_t policy)
{
    return !sms__maximum_of(of, policy) && !sms__mostly_zero(of, policy);
}

bool sms__mostly_same(const struct sms__result *of, size_t policy) { return !isnan(majority(of, policy, -1)); }

bool sms__mostly_zero(const struct sms__result *of, size_t policy) { return majority(of, policy, -1) == 0; }

struct sms_estimate sms__results_first(const struct sms_results *results, size_t policy, enum sms_subject subject,
                                       size_t idx, size_t metric, size_t n)
{
    struct sms__moments estimate = {0};
    for (size_t i = 0; i < n; i++) {
        double value = sms_results_value(results, policy, i, subject, idx, metric);
        if (!isnan(value))
            sms__estimate_add(&estimate, value);
    }
    return sms__estimate_close(estimate);
}

struct sms_estimate sms_results_estimate(const struct sms_results *results, size_t policy, enum sms_subject subject,
                                         size_t idx, size_t metric)
{
    const size_t n = sms_results_replications(results);
    struct sms_estimate estimate = sms__results_first(results, policy, subject, idx, metric, n);
    const struct sms__result of = {results, policy, subject, idx, metric};
    if (!isnan(estimate.ci95) && (sms__maximum_of(&of, policy) || sms__mostly_same(&of, policy)))
        estimate.ci95 = NAN;
    return estimate;
}

/* The estimate of a change, which `close` makes of the pairs; without an interval if it is mostly the same or a value
 * does not allow a verdict. */
static struct sms_estimate change(const struct sms__result *of, size_t policy, size_t baseline,
                                  struct sms_estimate (*close)(const struct sms__pairs *pairs))
{
    struct sms__pairs pairs = {0};
    for (size_t i = 0; i < sms_results_replications(of->results); i++)
        sms__pairs_add(&pairs, value_in(of, policy, -1, i), value_in(of, baseline, -1, i));
    struct sms_estimate estimate = close(&pairs);
    if (!isnan(estimate.ci95) &&
        (!sms__is_judged(of, policy) || !sms__is_judged(of, baseline) || !isnan(majority(of, policy, (long)baseline))))
        estimate.ci95 = NAN;
    return estimate;
}

struct sms_estimate sms_results_ratio(const struct sms_results *results, size_t policy, size_t baseline,
                                      enum sms_subject subject, size_t idx, size_t metric)
{
    return change(&(struct sms__result){results, policy, subject, idx, metric}, policy, baseline, sms__pairs_ratio);
}

struct sms_estimate sms_results_difference(const struct sms_results *results, size_t policy, size_t baseline,
                                           enum sms_subject subject, size_t idx, size_t metric)
{
    return change(&(struct sms__result){results, policy, subject, idx, metric}, policy, baseline,
                  sms__pairs_difference);
}
