/* Writes the results of a point to the CSV files and the database. A file is created with its first row. */
#include "merge.h"

#include "../base/decimal.h"
#include "../base/escape.h"
#include "../report/output.h"

#include <sqlite3.h>

/* The bounds have a file behind those of the subjects. */
enum { BOUNDS = SMS_SUBJECTS };

static const char *file_name(int file)
{
    return file == BOUNDS ? "bounds.csv" : sms__subject_file((enum sms_subject)file);
}

FILE *sms__merge_open(struct sms__merge *merge, const char *name)
{
    const struct sms__plan *plan = merge->index->plan;
    FILE *to = sms__folder_open(merge->folder, name, merge->errors);
    if (!to)
        return NULL;
    fputs("point,scenario", to);
    for (size_t i = 0; i < plan->columns; i++) {
        fputc(',', to);
        sms__print_csv(to, plan->column[i].path->text);
    }
    return to;
}

/* Begins a row of a file. Creates the file if this is its first row. Returns NULL after an error. */
static FILE *begin_row(struct sms__merge *merge, int file)
{
    size_t metrics = 0;
    FILE *to = merge->file[file];
    if (!to) {
        to = merge->file[file] = sms__merge_open(merge, file_name(file));
        if (!to)
            return NULL;
        const struct sms_metric *metric = file == BOUNDS ? NULL : sms_metrics((enum sms_subject)file, &metrics);
        if (file == BOUNDS)
            fputs(",metric,steady_per_s,run_per_s,binds,share_ratio,no_bound_because", to);
        else
            fprintf(to, ",policy,replication,%s", sms__subject_word((enum sms_subject)file));
        for (size_t m = 0; m < metrics; m++)
            fprintf(to, ",%s", metric[m].name);
        fputc('\n', to);
    }
    fputs(merge->row_prefix.bytes, to);
    return to;
}

/* Adds a field to a row of a file, and binds it to a parameter of the statement that inserts the row into the database.
 */
static void put_text(FILE *to, sqlite3_stmt *insert, int parameter, const char *text)
{
    fputc(',', to);
    sms__print_csv(to, text);
    sms__bind_text(insert, parameter, text);
}

/* The field is empty where there is no value. */
static void put_number(FILE *to, sqlite3_stmt *insert, int parameter, double value)
{
    fputc(',', to);
    sms__print_number(to, value);
    sms__bind_number(insert, parameter, value);
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
    sqlite3_stmt *insert = merge->database.row[row->subject];
    FILE *to = begin_row(merge, row->subject);
    if (!to)
        return false;
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)merge->point);
    sqlite3_bind_int64(insert, 2, row->policy);
    sqlite3_bind_int64(insert, 3, row->replication);
    sqlite3_bind_int64(insert, 6, row->number);
    put_text(to, insert, 5, merge->policy[row->policy]);
    fprintf(to, ",%u", row->replication);
    put_text(to, insert, 4, row->name);
    for (size_t m = 0; m < metrics; m++)
        put_number(to, insert, 7 + (int)m, sms__content_number(&merge->content));
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

/* The bound of one metric over all policies; a number that is unknown is NAN, a text "". */
static bool write_bound(struct sms__merge *merge, enum sms_bounded metric)
{
    struct sms__content *content = &merge->content;
    sqlite3_stmt *insert = merge->database.bound;
    FILE *to = begin_row(merge, BOUNDS);
    if (!to)
        return false;
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)merge->point);
    put_text(to, insert, 2, sms_bound_metric(metric));
    put_number(to, insert, 3, sms__content_number(content)); /* steady_per_s */
    put_number(to, insert, 4, sms__content_number(content)); /* run_per_s */
    put_text(to, insert, 5, sms__content_text(content));     /* binds */
    put_number(to, insert, 6, sms__content_number(content)); /* share_ratio */
    put_text(to, insert, 7, sms__content_text(content));     /* no_bound_because */
    fputc('\n', to);
    return !content->failed && sms__database_insert(&merge->database, insert);
}

/* What the point asks, and the mean by which each policy answers it. Then whether it is not told apart from the best,
 * what is left of its gain of STP, whether it meets the limits, and half of its interval. */
static bool write_answers(struct sms__merge *merge)
{
    struct sms__content *content = &merge->content;
    sqlite3_stmt *insert = merge->database.answer;
    const char *subject = sms__content_text(content), *name = sms__content_text(content),
               *metric = sms__content_text(content);
    const int better = sms__content_number(content) > 0 ? 1 : -1;
    bool succeeded = true;
    for (uint32_t p = 0; succeeded && p < merge->policies; p++) {
        const double value = sms__content_number(content), in_group = sms__content_number(content),
                     left = sms__content_number(content);
        const enum sms__told told = sms__content_told(content);
        const double half = sms__content_number(content);
        for (uint32_t i = 0; i < merge->own; i++)
            sms__content_number(content);
        sms__content_text(content); /* the remark of a search */
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
        sqlite3_bind_int(insert, 9, in_group > 0);
        sms__bind_number(insert, 10, left);
        sqlite3_bind_int(insert, 11, told);
        sms__bind_number(insert, 12, half);
        succeeded = sms__database_insert(&merge->database, insert);
    }
    return succeeded && !content->failed;
}

/* What policies gain over the first for tenants that have the GPU to themselves. */
static bool write_gains_alone(struct sms__merge *merge)
{
    struct sms__content *content = &merge->content;
    sqlite3_stmt *insert = merge->database.gain_alone;
    const uint32_t tenants = sms__content_count(content);
    bool succeeded = true;
    for (uint32_t i = 0; succeeded && i < tenants; i++) {
        const char *name = sms__content_text(content);
        for (uint32_t p = 0; succeeded && p < merge->policies; p++) {
            sqlite3_bind_int64(insert, 1, (sqlite3_int64)merge->point);
            sqlite3_bind_int64(insert, 2, p);
            sms__bind_text(insert, 3, merge->policy[p]);
            sms__bind_text(insert, 4, name);
            sms__bind_number(insert, 5, sms__content_number(content));
            succeeded = !content->failed && sms__database_insert(&merge->database, insert);
        }
    }
    return succeeded && !content->failed;
}

bool sms__merge_results(struct sms__merge *merge)
{
    struct sms__content *content = &merge->content;
    merge->policies = sms__content_count(content);
    merge->replications = sms__content_count(content);
    merge->own = sms__content_count(content);
    merge->policy = SMS__NEW(&merge->arena, const char *, merge->policies);
    for (uint32_t i = 0; i < merge->policies; i++)
        merge->policy[i] = sms__content_text(content);
    bool succeeded = !content->failed && write_answers(merge) && write_gains_alone(merge);
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
    for (int f = 0; f <= BOUNDS; f++)
        if (merge->file[f] && sms__folder_close(merge->folder, file_name(f), merge->file[f], merge->errors) != SMS_OK)
            succeeded = false;
    return succeeded;
}
