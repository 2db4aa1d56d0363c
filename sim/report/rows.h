/* A row of results: one metric of one subject under one policy. All that print results walk rows, or look one up by the
 * metric's name, and take words and values from the row. */
#ifndef SMS_REPORT_ROWS_H
#define SMS_REPORT_ROWS_H

#include "metrics.h"

/* A p-value below this counts as a difference. */
#define SMS__SIGNIFICANT 0.05

struct sms__row {
    const struct sms_results *results;
    size_t policy;
    enum sms_subject subject;
    size_t idx, metric; /* SIZE_MAX: the subject has no such metric, and so no values */
};

/* The walk: `for (struct sms__row row = sms__rows(results); sms__next_row(&row);)`, by policy, subject, index, metric.
 */
struct sms__row sms__rows(const struct sms_results *results);
bool sms__next_row(struct sms__row *row);

/* The row of the first policy. */
struct sms__row sms__row_of(const struct sms_results *results, enum sms_subject subject, size_t idx,
                            const char *metric);

/* Words of a row: "round_robin", "vm", "a", "jobs_per_s". */
const char *sms__row_policy(const struct sms__row *row);
const char *sms__row_word(const struct sms__row *row);
const char *sms__row_subject(const struct sms__row *row);
const char *sms__row_metric(const struct sms__row *row);

/* The value of a row under another policy than its own, and over a baseline. */
struct sms_estimate sms__row_estimate(const struct sms__row *row, size_t policy);
struct sms_estimate sms__row_ratio(const struct sms__row *row, size_t policy, size_t baseline);
struct sms_estimate sms__row_difference(const struct sms__row *row, size_t policy, size_t baseline);

/* What printers show: the value, or the ratio over a baseline that is not negative. */
struct sms_estimate sms__row_shown(const struct sms__row *row, long baseline);

#endif
