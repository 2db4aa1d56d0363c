/* Judges values (verdict.h). */
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sms__is_share_of_misses(const struct sms__result *of)
{
    return of->metric != SIZE_MAX && !strcmp(sms__metric_name(of->subject, of->metric), "deadline_miss_ratio");
}

double sms__most_missed(const struct sms__result *of, size_t policy)
{
    if (!sms__is_share_of_misses(of) ||
        sms_results_estimate(of->results, policy, of->subject, of->idx, of->metric).mean != 0)
        return NAN;
    return fmin(3 / sms__counted(of, policy), 1);
}

/* Whether the result is one of the cluster's that begins with one of the words; the last is NULL. */
static bool begins_with(const struct sms__result *of, const char *const *word)
{
    bool begins = false;
    for (; of->subject == SMS_CLUSTER && of->metric != SIZE_MAX && *word; word++)
        begins |= !strncmp(sms__metric_name(of->subject, of->metric), *word, strlen(*word));
    return begins;
}

static double of_cluster(const struct sms__result *of, size_t policy, const char *metric)
{
    const size_t idx = (size_t)sms_metric_index(SMS_CLUSTER, metric);
    return sms_results_estimate(of->results, policy, SMS_CLUSTER, 0, idx).mean;
}

double sms__left_waiting(const struct sms__result *of, size_t policy)
{
    static const char *const of_placed[] = {"wait_",     "pending_", "turnaround_", "slowdown_",
                                            "job_miss_", "float_",   NULL};
    return begins_with(of, of_placed) ? of_cluster(of, policy, "waiting_count") : 0;
}

double sms__left_unended(const struct sms__result *of, size_t policy)
{
    static const char *const of_done[] = {"turnaround_", "slowdown_", NULL};
    return begins_with(of, of_done) ? of_cluster(of, policy, "pods_count") - of_cluster(of, policy, "done_count") -
                                          of_cluster(of, policy, "failed_count")
                                    : 0;
}

bool sms__allows_verdict(const struct sms_results *results, const struct sms_question *asked)
{
    const struct sms__result of = {results, 0, asked->subject, asked->idx, asked->metric};
    bool allows = true;
    for (size_t p = 0; p < results->policies; p++)
        allows &= sms__is_judged(&of, p);
    return allows || sms_results_exact(results);
}

/* Puts all policies that have a value into the group. */
static void tell_none_apart(const struct sms__samples *samples, struct sms__best *best, bool *in_group)
{
    best->verdict = SMS__BEST_CHANCE;
    best->next = SIZE_MAX;
    best->group = 0;
    best->equal = false;
    for (size_t p = 0; p < samples->policies; p++) {
        in_group[p] = false;
        for (size_t r = 0; r < samples->replications; r++)
            in_group[p] |= !isnan(samples->value[p * samples->replications + r]);
        best->group += in_group[p];
    }
}

bool sms__results_best(const struct sms_results *results, const struct sms_question *asked, size_t first,
                       struct sms__best *best, bool *in_group, double *adjusted)
{
    const size_t policies = results->policies, n = results->replications;
    double *value = calloc(policies * n + 1, sizeof *value);
    for (size_t i = 0; value && i < policies * n; i++)
        value[i] = sms_results_value(results, i / n, i % n, asked->subject, asked->idx, asked->metric);
    const struct sms__samples samples = {value, policies, n, asked->better, sms_results_exact(results)};
    const bool found = value && sms__find_best(&samples, first, best, in_group, adjusted);
    if (found && best->verdict == SMS__BEST_DIFFERS && !sms__allows_verdict(results, asked))
        tell_none_apart(&samples, best, in_group);
    free(value);
    return found;
}
