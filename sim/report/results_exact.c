/* Whether results are exact: nothing is drawn, so another seed gives the same. */
#include "results.h"

#include <math.h>

static bool is_alike(const struct sms_results *results, size_t policy, enum sms_subject subject, size_t idx)
{
    size_t count;
    sms_metrics(subject, &count);
    for (size_t at = count; at < count * results->replications; at++) {
        double first = sms_results_value(results, policy, 0, subject, idx, at % count);
        double value = sms_results_value(results, policy, at / count, subject, idx, at % count);
        if (value != first && !(isnan(value) && isnan(first)))
            return false;
    }
    return true;
}

static bool subjects_alike(const struct sms_results *results, enum sms_subject subject)
{
    for (size_t idx = 0; idx < sms_results_subjects(results, subject); idx++)
        for (size_t p = 0; p < results->policies; p++)
            if (!is_alike(results, p, subject, idx))
                return false;
    return true;
}

/* Whether replications have done nothing but repeat each other, in any metric of anything. One metric alone says
 * little: a rare event has happened in none of the first few. */
static bool all_alike(const struct sms_results *results)
{
    bool alike = true;
    for (int s = 0; s < SMS_SUBJECTS && alike; s++)
        alike = subjects_alike(results, (enum sms_subject)s);
    return alike;
}

static bool draws_kernels(const struct sms_scenario *scenario)
{
    bool drawn = false;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++) {
            const struct sms__kernel *kernel = &scenario->vm[v].workload->kernel[k];
            drawn |= kernel->spread == SMS__EXPONENTIAL || kernel->jitter > 0;
        }
    return drawn;
}

static bool draws_arrivals(const struct sms_scenario *scenario)
{
    bool drawn = scenario->drawn;
    for (size_t v = 0; v < scenario->vms; v++)
        drawn |= scenario->vm[v].arrivals == SMS__POISSON;
    return drawn;
}

/* What a cluster draws shows in any two replications, but for events that may be too rare for that. */
static bool may_draw(const struct sms_scenario *scenario)
{
    if (scenario->cluster)
        return scenario->cluster->failures > 0 || scenario->cluster->monitor;
    return draws_kernels(scenario) || draws_arrivals(scenario);
}

bool sms_results_exact(const struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    if (may_draw(scenario))
        return false;
    if (results->replications > 1)
        return all_alike(results);
    return !scenario->cluster && !scenario->shares; /* their policies may draw */
}
