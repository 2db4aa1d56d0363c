/* Finds in the results what a scenario names: by its question, its precision, its expectations. */
#include "results.h"

#include <math.h>

static const char *name_of(const struct sms__expect *of)
{
    return of->vm ? of->vm : of->process ? of->process : of->resource ? of->resource : of->cls ? of->cls : of->of_node;
}

bool sms__results_find(const struct sms_results *results, const struct sms__expect *of, enum sms_subject *subject,
                       size_t *idx)
{
    const char *name = name_of(of);
    *subject = sms__expect_subject(of);
    *idx = *subject == SMS_DEVICE ? (size_t)of->device : 0;
    if (name)
        *idx = sms__find_subject(results, *subject, name);
    return *idx < sms_results_subjects(results, *subject);
}

bool sms_results_question(const struct sms_results *results, struct sms_question *out)
{
    if (out)
        *out = (struct sms_question){0};
    if (!results || !out)
        return false;
    const struct sms__answer *answer = &results->scenario->answer;
    bool found = sms__results_find(results, &answer->of, &out->subject, &out->idx);
    long metric = sms_metric_index(out->subject, answer->of.metric);
    out->metric = metric < 0 ? 0 : (size_t)metric;
    out->better = answer->sign;
    out->declared = answer->node;
    return found && metric >= 0;
}

size_t sms__results_leader(const struct sms_results *results, const struct sms_question *asked, size_t start,
                           size_t without)
{
    size_t best = start;
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        const double mean = sms_results_estimate(results, p, asked->subject, asked->idx, asked->metric).mean;
        const double most = sms_results_estimate(results, best, asked->subject, asked->idx, asked->metric).mean;
        if (p != without && ((mean - most) * asked->better > 0 || (isnan(most) && !isnan(mean))))
            best = p;
    }
    return best;
}
