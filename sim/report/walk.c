/* Walks results. */
#include "walk.h"
#include "memory.h"

#include "../base/suffix.h"
#include "../results/verdict.h"

#include <string.h>

int sms__shown_length(const char *metric)
{
    return (int)(strlen(metric) - (sms__ends_with(metric, "_ns") ? strlen("_ns") : 0));
}

struct sms__result sms__walk(const struct sms_results *results)
{
    return (struct sms__result){.results = results, .metric = SIZE_MAX};
}

bool sms__next_result(struct sms__result *result)
{
    const size_t policies = sms_results_policies(result->results);
    for (result->metric++; result->policy < policies; result->metric = 0) {
        const size_t subjects = sms_results_subjects(result->results, result->subject);
        if (result->idx < subjects && result->metric < sms__metric_count(result->subject))
            return true;
        if (++result->idx < subjects)
            continue;
        result->idx = 0;
        result->policy += ++result->subject == SMS_SUBJECTS;
        result->subject = result->subject == SMS_SUBJECTS ? SMS_HOST : result->subject;
    }
    return false;
}

struct sms__result sms__result_of(const struct sms_results *results, enum sms_subject subject, size_t idx,
                                  const char *metric)
{
    return (struct sms__result){results, 0, subject, idx, (size_t)sms_metric_index(subject, metric)};
}

const char *sms__result_policy(const struct sms__result *result)
{
    return sms_results_policy(result->results, result->policy);
}
const char *sms__result_word(const struct sms__result *result) { return sms__subject_word(result->subject); }
const char *sms__result_subject(const struct sms__result *result)
{
    return sms_results_subject(result->results, result->subject, result->idx);
}
const char *sms__result_metric(const struct sms__result *result)
{
    return sms__metric_name(result->subject, result->metric);
}

static void note_failed(bool failed)
{
    if (failed)
        sms__note_memory(NULL);
}

enum sms__regime sms__result_regimes(const struct sms__result *result, size_t policy, long baseline,
                                     struct sms__regimes *regimes)
{
    bool failed = false;
    const enum sms__regime found = sms__regimes_of(result, policy, baseline, regimes, &failed);
    note_failed(failed);
    return found;
}

static struct sms_estimate cover_regimes(const struct sms__result *result, size_t policy, long baseline,
                                         struct sms_estimate estimate)
{
    bool failed = false;
    estimate = sms__cover_regimes(result, policy, baseline, estimate, &failed);
    note_failed(failed);
    return estimate;
}

struct sms_estimate sms__result_estimate(const struct sms__result *result, size_t policy)
{
    return cover_regimes(result, policy, -1,
                         sms_results_estimate(result->results, policy, result->subject, result->idx, result->metric));
}

struct sms_estimate sms__result_ratio(const struct sms__result *result, size_t policy, size_t baseline)
{
    return cover_regimes(
        result, policy, (long)baseline,
        sms_results_ratio(result->results, policy, baseline, result->subject, result->idx, result->metric));
}

struct sms_estimate sms__result_difference(const struct sms__result *result, size_t policy, size_t baseline)
{
    return sms_results_difference(result->results, policy, baseline, result->subject, result->idx, result->metric);
}

size_t sms__result_least_maximum(const struct sms__result *result)
{
    size_t least = 0;
    for (size_t p = 0; p < sms_results_policies(result->results); p++) {
        const size_t of = sms__maximum_of(result, p);
        least = of && (!least || of < least) ? of : least;
    }
    return least;
}

const char *sms__result_counts(const struct sms__result *result, double count)
{
    static const char *const words[2][2] = {{"jobs", "job"}, {"pods", "pod"}};
    return words[result->subject == SMS_CLUSTER][count == 1];
}

struct sms_estimate sms__result_shown(const struct sms__result *result, long baseline)
{
    return baseline < 0 ? sms__result_estimate(result, result->policy)
                        : sms__result_ratio(result, result->policy, (size_t)baseline);
}
