/* Walks the rows of results. */
#include "rows.h"

struct sms__row sms__rows(const struct sms_results *results)
{
    return (struct sms__row){.results = results, .metric = SIZE_MAX};
}

bool sms__next_row(struct sms__row *row)
{
    for (row->metric++; row->policy < sms_results_policies(row->results); row->policy++, row->subject = SMS_HOST)
        for (; row->subject < SMS_SUBJECTS; row->subject++, row->idx = 0)
            for (; row->idx < sms_results_subjects(row->results, row->subject); row->idx++, row->metric = 0)
                if (row->metric < sms__metric_count(row->subject))
                    return true;
    return false;
}

struct sms__row sms__row_of(const struct sms_results *results, enum sms_subject subject, size_t idx, const char *metric)
{
    return (struct sms__row){results, 0, subject, idx, (size_t)sms_metric_index(subject, metric)};
}

const char *sms__row_policy(const struct sms__row *row) { return sms_results_policy(row->results, row->policy); }
const char *sms__row_word(const struct sms__row *row) { return sms__subject_word(row->subject); }
const char *sms__row_subject(const struct sms__row *row)
{
    return sms_results_subject(row->results, row->subject, row->idx);
}
const char *sms__row_metric(const struct sms__row *row) { return sms__metric_name(row->subject, row->metric); }

struct sms_estimate sms__row_estimate(const struct sms__row *row, size_t policy)
{
    return sms_results_estimate(row->results, policy, row->subject, row->idx, row->metric);
}

struct sms_estimate sms__row_ratio(const struct sms__row *row, size_t policy, size_t baseline)
{
    return sms_results_ratio(row->results, policy, baseline, row->subject, row->idx, row->metric);
}

struct sms_estimate sms__row_difference(const struct sms__row *row, size_t policy, size_t baseline)
{
    return sms_results_difference(row->results, policy, baseline, row->subject, row->idx, row->metric);
}

struct sms_estimate sms__row_shown(const struct sms__row *row, long baseline)
{
    return baseline < 0 ? sms__row_estimate(row, row->policy) : sms__row_ratio(row, row->policy, (size_t)baseline);
}
