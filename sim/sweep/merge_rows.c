/* Writes the results of a point to the CSV files and the database. A file is created with its first row. */
#include "merge.h"

#include "../base/escape.h"
#include "../report/output.h"

#include <math.h>
#include <sqlite3.h>

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

/* One subject under one policy in one replication. */
struct row {
    enum sms_subject subject;
    uint32_t policy, replication;
    uint32_t number; /* of the subject, since two may share a name: kernel b/c of VM a, and kernel c of VM a/b */
    const char *name;
};

/* Copies the row's metrics from the record to the file and to the database. */
static bool write_row(struct sms__merge *merge, const struct row *row, size_t metrics)
{
    FILE *to = merge->subject_file[row->subject];
    sqlite3_stmt *insert = merge->database.row[row->subject];
    if (!to)
        to = open_subject(merge, row->subject);
    if (!to)
        return false;
    fprintf(to, "%s,", merge->row_prefix.bytes);
    sms__print_csv(to, merge->policy[row->policy]);
    fprintf(to, ",%u,", row->replication);
    sms__print_csv(to, row->name);
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)merge->point);
    sqlite3_bind_int64(insert, 2, row->policy);
    sqlite3_bind_int64(insert, 3, row->replication);
    sms__bind_text(insert, 4, row->name);
    sms__bind_text(insert, 5, merge->policy[row->policy]);
    sqlite3_bind_int64(insert, 6, row->number);
    for (size_t m = 0; m < metrics; m++) {
        double value = sms__content_number(&merge->content);
        write_number(to, value);
        sms__bind_number(insert, 7 + (int)m, value);
    }
    fputc('\n', to);
    if (row->replication >= merge->database.replications)
        merge->database.replications = row->replication + 1;
    return !merge->content.failed && sms__database_insert(&merge->database, insert);
}

static bool write_subject(struct sms__merge *merge, enum sms_subject subject)
{
    size_t metrics;
    sms_metrics(subject, &metrics);
    uint32_t count = sms__content_count(&merge->content);
    const char **name = SMS__NEW(&merge->arena, const char *, count);
    bool succeeded = !merge->content.failed;
    for (uint32_t i = 0; i < count; i++)
        name[i] = sms__content_text(&merge->content);
    for (uint64_t i = 0; succeeded && i < (uint64_t)merge->policies * merge->replications * count; i++)
        succeeded = write_row(merge,
                              &(struct row){subject, (uint32_t)(i / count / merge->replications),
                                            (uint32_t)(i / count % merge->replications), (uint32_t)(i % count),
                                            name[i % count]},
                              metrics);
    return succeeded;
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

/* The bound of one metric over all policies; a number that is unknown is NAN, a text "". */
static bool write_bound(struct sms__merge *merge, enum sms_bounded metric)
{
    struct sms__content *content = &merge->content;
    sqlite3_stmt *insert = merge->database.bound;
    const double steady = sms__content_number(content), run = sms__content_number(content);
    const char *binds = sms__content_text(content);
    const double share = sms__content_number(content);
    const char *reason = sms__content_text(content);
    FILE *to = merge->bounds || content->failed ? merge->bounds : open_bounds(merge);
    if (!to || content->failed)
        return false;
    fprintf(to, "%s,%s", merge->row_prefix.bytes, sms_bound_metric(metric));
    write_number(to, steady);
    write_number(to, run);
    fputc(',', to);
    sms__print_csv(to, binds);
    write_number(to, share);
    fputc(',', to);
    sms__print_csv(to, reason);
    fputc('\n', to);
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)merge->point);
    sms__bind_text(insert, 2, sms_bound_metric(metric));
    sms__bind_number(insert, 3, steady);
    sms__bind_number(insert, 4, run);
    sms__bind_text(insert, 5, binds);
    sms__bind_number(insert, 6, share);
    sms__bind_text(insert, 7, reason);
    return sms__database_insert(&merge->database, insert);
}

/* What the point asks, and the value by which each policy answers it: its mean over the replications. */
static bool write_answers(struct sms__merge *merge)
{
    struct sms__content *content = &merge->content;
    sqlite3_stmt *insert = merge->database.answer;
    const char *subject = sms__content_text(content), *name = sms__content_text(content),
               *metric = sms__content_text(content);
    const int better = sms__content_number(content) > 0 ? 1 : -1;
    bool succeeded = true;
    for (uint32_t p = 0; succeeded && p < merge->policies; p++) {
        double value = sms__content_number(content);
        if (content->failed || !metric[0])
            continue;
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)merge->point);
        sqlite3_bind_int64(insert, 2, p);
        sms__bind_text(insert, 3, merge->policy[p]);
        sms__bind_text(insert, 4, subject);
        sms__bind_text(insert, 5, name);
        sms__bind_text(insert, 6, metric);
        sqlite3_bind_int(insert, 7, better);
        sms__bind_number(insert, 8, value);
        succeeded = sms__database_insert(&merge->database, insert);
    }
    return succeeded && !content->failed;
}

bool sms__merge_results(struct sms__merge *merge)
{
    struct sms__content *content = &merge->content;
    merge->policies = sms__content_count(content);
    merge->replications = sms__content_count(content);
    merge->policy = SMS__NEW(&merge->arena, const char *, merge->policies);
    for (uint32_t i = 0; i < merge->policies; i++)
        merge->policy[i] = sms__content_text(content);
    bool succeeded = !content->failed && write_answers(merge);
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
