/* Whether results are exact: nothing is drawn, so another seed gives the same. */
#include "results.h"

#include "../model/draws.h"

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

bool sms_results_exact(const struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    if (sms__draws(scenario))
        return false;
    if (results->replications > 1)
        return all_alike(results);
    return !scenario->cluster && !scenario->shares; /* their policies may draw */
}
