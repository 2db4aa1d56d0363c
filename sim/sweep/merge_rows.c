/* Writes the results of a point to the CSV files and the database. A file is created with its first row. */
#include "merge.h"

#include "../base/escape.h"
#include "../report/output.h"

#include <math.h>

static const char bounds_name[] = "bounds.csv";

static FILE *open_subject(struct sms__merge *merge, enum sms_subject s)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(s, &metrics);
    FILE *to = merge->subject_file[s] = sms__merge_open(merge, sms__subject_file(s));
    if (!to)
        return NULL;
    sms__merge_columns(merge, to);
    fprintf(to, ",policy,replication,%s", sms__subject_word(s));
    for (size_t m = 0; m < metrics; m++)
        fprintf(to, ",%s", metric[m].name);
    fputc('\n', to);
    return to;
}

/* Leaves the field empty where there is no value. */
static void write_number(FILE *to, double value)
{
    fputc(',', to);
    if (!isnan(value))
        fprintf(to, "%.12g", value);
}

static bool write_row(struct sms__merge *merge, const struct sms__merged_row *row, size_t metrics)
{
    FILE *to =
        merge->subject_file[row->subject] ? merge->subject_file[row->subject] : open_subject(merge, row->subject);
    if (!to)
        return false;
    fputs(merge->row_prefix.bytes, to);
    fputc(',', to);
    sms__print_csv(to, row->policy);
    fprintf(to, ",%u,", row->replication);
    sms__print_csv(to, row->name);
    for (size_t m = 0; m < metrics; m++)
        write_number(to, row->value[m]);
    fputc('\n', to);
    return sms__database_row(merge->database, row);
}

static bool write_subject(struct sms__merge *merge, enum sms_subject subject)
{
    size_t metrics;
    struct sms__bytes *record = &merge->record;
    sms_metrics(subject, &metrics);
    bool succeeded = true;
    uint32_t count = sms__record_get_u32(record);
    if (count > record->capacity)
        record->failed = true;
    if (record->failed)
        return false;
    const char **name = SMS__NEW(&merge->arena, const char *, count);
    double *value = SMS__NEW(&merge->arena, double, metrics);
    for (uint32_t i = 0; i < count; i++)
        name[i] = sms__record_get_string(record);
    for (uint32_t i = 0; succeeded && !record->failed && i < merge->policies * merge->replications * count; i++) {
        uint32_t policy = i / count / merge->replications;
        for (size_t m = 0; m < metrics; m++)
            value[m] = sms__record_get_double(record);
        succeeded =
            write_row(merge,
                      &(struct sms__merged_row){merge->point.point, subject, policy, i / count % merge->replications,
                                                i % count, merge->policy[policy], name[i % count], value},
                      metrics);
    }
    return succeeded && !record->failed;
}

static FILE *open_bounds(struct sms__merge *merge)
{
    FILE *to = merge->bounds = sms__merge_open(merge, bounds_name);
    if (!to)
        return NULL;
    sms__merge_columns(merge, to);
    fputs(",metric,steady_per_s,run_per_s,binds,share_ratio,no_bound_because\n", to);
    return to;
}

static bool write_bound(struct sms__merge *merge, enum sms_bounded metric)
{
    struct sms__record_bound bound;
    sms__record_get_bound(&merge->record, &bound);
    if (merge->record.failed)
        return false;
    FILE *to = merge->bounds ? merge->bounds : open_bounds(merge);
    if (!to)
        return false;
    fprintf(to, "%s,%s", merge->row_prefix.bytes, sms_bound_metric(metric));
    write_number(to, bound.steady_per_s);
    write_number(to, bound.run_per_s);
    fputc(',', to);
    sms__print_csv(to, bound.binds);
    write_number(to, bound.share);
    fputc(',', to);
    sms__print_csv(to, bound.reason);
    fputc('\n', to);
    return sms__database_bound(merge->database, merge->point.point, metric, &bound);
}

static bool write_answer(struct sms__merge *merge)
{
    struct sms__record_question question;
    bool succeeded = true;
    sms__record_get_question(&merge->record, &question);
    for (uint32_t p = 0; succeeded && p < merge->policies; p++) {
        double value = sms__record_get_double(&merge->record);
        if (!merge->record.failed && question.metric[0])
            succeeded =
                sms__database_answer(merge->database, &(struct sms__merged_answer){merge->point.point, p,
                                                                                   merge->policy[p], &question, value});
    }
    return succeeded && !merge->record.failed;
}

bool sms__merge_results(struct sms__merge *merge)
{
    struct sms__bytes *record = &merge->record;
    merge->policies = sms__record_get_u32(record);
    merge->replications = sms__record_get_u32(record);
    bool succeeded = true;
    if (merge->policies > record->capacity)
        record->failed = true;
    if (record->failed)
        return false;
    merge->policy = SMS__NEW(&merge->arena, const char *, merge->policies);
    for (uint32_t i = 0; i < merge->policies; i++)
        merge->policy[i] = sms__record_get_string(record);
    succeeded = write_answer(merge);
    for (int s = 0; succeeded && s < SMS_SUBJECTS; s++)
        if (merge->index->plan->keep & 1u << s)
            succeeded = write_subject(merge, (enum sms_subject)s);
    for (int m = 0; succeeded && merge->index->plan->keep & SMS__KEEP_BOUND && m < SMS_BOUNDED; m++)
        succeeded = write_bound(merge, (enum sms_bounded)m);
    return succeeded;
}

bool sms__merge_close_rows(struct sms__merge *merge)
{
    bool succeeded = true;
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (merge->subject_file[s])
            succeeded =
                sms__merge_close(merge, sms__subject_file((enum sms_subject)s), merge->subject_file[s]) && succeeded;
    if (merge->bounds)
        succeeded = sms__merge_close(merge, bounds_name, merge->bounds) && succeeded;
    return succeeded;
}
