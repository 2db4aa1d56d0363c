/* Which metric of what answers a scenario's question, as an index into its results. */
#include "results.h"

#include <string.h>

bool sms_results_question(const struct sms_results *results, struct sms_question *out)
{
    if (out)
        *out = (struct sms_question){0};
    if (!results || !out)
        return false;
    const struct sms__answer *answer = &results->scenario->answer;
    const struct sms__expect *of = &answer->of;
    const char *name = of->vm ? of->vm : of->process ? of->process : of->resource ? of->resource : of->of_node;
    size_t metrics, subjects;
    *out = (struct sms_question){.subject = sms__expect_subject(of), .better = answer->sign, .declared = answer->node};
    const struct sms_metric *metric = sms_metrics(out->subject, &metrics);
    subjects = sms_results_subjects(results, out->subject);
    while (out->metric < metrics && strcmp(metric[out->metric].name, of->metric) != 0)
        out->metric++;
    while (name && out->idx < subjects && strcmp(sms_results_subject(results, out->subject, out->idx), name) != 0)
        out->idx++;
    return out->metric < metrics && out->idx < subjects;
}
