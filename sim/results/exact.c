/* Whether results are exact: nothing is drawn, so any seed gives the same. */
#include "results.h"

#include "../model/draws.h"

#include <math.h>

/* Whether two runs have the same values of a subject; NAN is the same as NAN. */
static bool are_same(const struct sms__values *a, const struct sms__values *b, int subject, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double x = a->of[subject][i], y = b->of[subject][i];
        if (x != y && !(isnan(x) && isnan(y)))
            return false;
    }
    return true;
}

/* One metric alone says little: an event that is rare happens in none of the first few replications. */
bool sms__results_repeat(const struct sms_results *results, size_t policy)
{
    const struct sms__values *first = &results->values[policy * results->room];
    bool same = !sms__draws(results->scenario);
    for (size_t r = 1; r < results->replications && same; r++)
        for (int s = 0; s < SMS_SUBJECTS; s++)
            same &= are_same(first, first + r, s, sms__values_count(results, (enum sms_subject)s));
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
