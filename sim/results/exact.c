/* Whether results are exact: nothing is drawn, so any seed gives the same. */
#include "results.h"

#include "../model/draws.h"

#include <math.h>

/* NAN is the same as NAN. */
static bool are_same(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* One metric alone says little: an event that is rare happens in none of the first few replications. */
bool sms__results_repeat(const struct sms_results *results, size_t policy)
{
    const struct sms__values *run = &results->values[policy * results->room];
    bool same = !sms__draws(results->scenario);
    for (size_t r = 1; r < results->replications && same; r++)
        for (int s = 0; s < SMS_SUBJECTS; s++)
            same &= are_same(run[0].of[s], run[r].of[s], sms__values_count(results, (enum sms_subject)s));
    return same;
}

static bool is_exact(const struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    bool exact = !sms__draws(scenario);
    for (size_t p = 0; p < results->policies && exact; p++)
        exact = sms__results_repeat(results, p);
    return exact && (results->replications > 1 || (!scenario->cluster && !scenario->shares)); /* policies may draw */
}

/* Tables ask for each of their rows, so the answer is kept: to find it all tenants are looked at. */
bool sms_results_exact(const struct sms_results *results)
{
    if (!results)
        return false;
    return results->options ? is_exact(results) : results->exact;
}
