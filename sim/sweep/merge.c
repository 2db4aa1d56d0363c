/* Journals into a folder of CSV files and a database, point by point in the order of their numbers. */
#include "database.h"

#include "../base/sources.h"
#include "../report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const file_names[SMS_SUBJECTS] = {"hosts.csv",     "vms.csv",     "resources.csv", "kernels.csv",
                                                     "processes.csv", "devices.csv", "cluster.csv",   "nodes.csv"};

static const char *const state_names[] = {"missing", "done", "failed"};

struct merge {
    const struct sms__index *index;
    const char *folder; /* under its temporary name */
    FILE *points, *of[SMS_SUBJECTS];
    struct sms__database *database;
    struct sms__bytes record;
    struct sms__point_head head;
    struct sms__arena arena; /* of one point */
    struct sms__merged_point point;
    const char *place; /* "point,scenario,values...", as CSV */
    const char **policy;
    uint32_t policies, replications;
    uint64_t warned; /* points that were done with warnings */
    char why[400];   /* it failed: the first reason */
};

/* Of a file in the folder, or of one that is read. */
static int fail(struct merge *merge, const char *name, const char *why)
{
    if (!merge->why[0])
        snprintf(merge->why, sizeof merge->why, "%s: %s", name, why);
    return SMS_EIO;
}

static FILE *open_file(struct merge *merge, const char *name)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", merge->folder, name);
    FILE *file = fopen(path, "we");
    if (!file)
        fail(merge, name, strerror(errno));
    return file;
}

/* Quoted where it must be. */
static void put_field(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static void put_columns(const struct merge *merge, FILE *to)
{
    const struct sms__plan *plan = merge->index->plan;
    fputs("point,scenario", to);
    for (size_t i = 0; i < plan->columns; i++) {
        fputc(',', to);
        put_field(to, plan->column[i].path->text);
    }
}

static FILE *open_subject(struct merge *merge, enum sms_subject s)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(s, &metrics);
    FILE *to = merge->of[s] = open_file(merge, file_names[s]);
    if (!to)
        return NULL;
    put_columns(merge, to);
    fprintf(to, ",policy,replication,%s", sms__subject_word(s));
    for (size_t m = 0; m < metrics; m++)
        fprintf(to, ",%s", metric[m].name);
    fputc('\n', to);
    return to;
}

static void find_point(struct merge *merge)
{
    const struct sms__plan *plan = merge->index->plan;
    struct sms__merged_point *point = &merge->point;
    struct sms__place place;
    sms__point_place(plan, point->point, &place);
    point->scenario = place.base->name[place.scenario];
    point->value = SMS__NEW(&merge->arena, const char *, plan->columns);
    for (size_t i = 0; i < plan->axes; i++)
        for (size_t c = 0; c < plan->axis[i].columns; c++) {
            const struct sms__node *value =
                sms__column_value(&merge->arena, plan, &plan->axis[i], place.position[i], c);
            point->value[plan->axis[i].first + c] =
                value->kind == SMS__SCALAR ? value->text : sms__node_flow(&merge->arena, value);
        }
}

/* "12,s1,2.55,fifo": into the arena, for it begins every row of the point. */
static void find_place(struct merge *merge)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    merge->place = NULL;
    if (!to)
        return;
    fprintf(to, "%llu,%s", (unsigned long long)merge->point.point, merge->point.scenario);
    for (size_t i = 0; i < merge->index->plan->columns; i++) {
        fputc(',', to);
        put_field(to, merge->point.value[i]);
    }
    if (fclose(to) == 0)
        merge->place = sms__copy(&merge->arena, text, size);
    free(text);
}

static bool put_row(struct merge *merge, const struct sms__merged_row *row, size_t metrics)
{
    FILE *to = merge->of[row->subject] ? merge->of[row->subject] : open_subject(merge, row->subject);
    if (!to)
        return false;
    fputs(merge->place, to);
    fputc(',', to);
    put_field(to, row->policy);
    fprintf(to, ",%u,", row->replication);
    put_field(to, row->name);
    for (size_t m = 0; m < metrics; m++)
        if (isnan(row->value[m]))
            fputc(',', to);
        else
            fprintf(to, ",%.12g", row->value[m]);
    fputc('\n', to);
    return sms__database_row(merge->database, row);
}

static bool put_subject(struct merge *merge, enum sms_subject subject)
{
    size_t metrics;
    struct sms__bytes *record = &merge->record;
    sms_metrics(subject, &metrics);
    bool whole = true;
    uint32_t count = sms__record_get_u32(record);
    if (count > record->capacity)
        record->failed = true;
    if (record->failed)
        return false;
    const char **name = SMS__NEW(&merge->arena, const char *, count);
    double *value = SMS__NEW(&merge->arena, double, metrics);
    for (uint32_t i = 0; i < count; i++)
        name[i] = sms__record_get_string(record);
    for (uint32_t i = 0; whole && !record->failed && i < merge->policies * merge->replications * count; i++) {
        uint32_t policy = i / count / merge->replications;
        for (size_t m = 0; m < metrics; m++)
            value[m] = sms__record_get_double(record);
        whole = put_row(merge,
                        &(struct sms__merged_row){merge->point.point, subject, policy, i / count % merge->replications,
                                                  i % count, merge->policy[policy], name[i % count], value},
                        metrics);
    }
    return whole && !record->failed;
}

static bool put_results(struct merge *merge)
{
    struct sms__bytes *record = &merge->record;
    merge->policies = sms__record_get_u32(record);
    merge->replications = sms__record_get_u32(record);
    bool whole = true;
    if (merge->policies > record->capacity)
        record->failed = true;
    if (record->failed)
        return false;
    merge->policy = SMS__NEW(&merge->arena, const char *, merge->policies);
    for (uint32_t i = 0; i < merge->policies; i++)
        merge->policy[i] = sms__record_get_string(record);
    for (int s = 0; whole && s < SMS_SUBJECTS; s++)
        if (merge->index->plan->keep & 1u << s)
            whole = put_subject(merge, (enum sms_subject)s);
    return whole;
}

static int put_point(void *user)
{
    struct merge *merge = user;
    struct sms__merged_point *point = &merge->point;
    enum sms__point_state state = merge->index->where[point->point].state;
    find_point(merge);
    find_place(merge);
    if (!merge->place)
        return SMS_ENOMEM;
    const char *journal = sms__index_journal(merge->index, point->point);
    if (state && !sms__index_record(merge->index, point->point, &merge->record, &merge->head))
        return fail(merge, journal, "cannot be read");
    point->state = state_names[state];
    point->message = state ? sms__record_get_string(&merge->record) : "";
    fprintf(merge->points, "%s,%s,", merge->place, point->state);
    merge->warned += state == SMS__POINT_DONE && point->message[0];
    put_field(merge->points, point->message);
    fputc('\n', merge->points);
    bool whole = sms__database_point(merge->database, point);
    if (whole && state == SMS__POINT_DONE)
        whole = put_results(merge);
    if (merge->record.failed)
        fail(merge, journal, "cannot be understood");
    return merge->record.failed || !whole ? SMS_EIO : SMS_OK;
}

/* Whether all of it was written, and is on the disk. */
static bool close_whole(struct merge *merge, const char *name, FILE *file)
{
    errno = 0;
    bool whole = fflush(file) == 0 && fsync(fileno(file)) == 0 && !ferror(file);
    if (!whole)
        fail(merge, name, errno ? strerror(errno) : "cannot be written");
    if (fclose(file) == 0 || !whole)
        return whole;
    fail(merge, name, strerror(errno));
    return false;
}

/* No date: the same results give the same bytes. */
static bool put_manifest(struct merge *merge)
{
    const struct sms__index *index = merge->index;
    FILE *file = open_file(merge, "manifest.json");
    if (!file)
        return false;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_integer(1));
    json_object_set_new(object, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(object, "sources", json_string(sms__sources()));
    json_object_set_new(object, "plan", json_string(index->plan->name));
    json_object_set_new(object, "text", json_string(index->plan->node->mark.text));
    json_object_set_new(object, "points", json_integer((json_int_t)index->plan->points));
    json_object_set_new(object, "done", json_integer((json_int_t)index->done));
    json_object_set_new(object, "failed", json_integer((json_int_t)index->failed));
    bool whole = json_dumpf(object, file, JSON_INDENT(2)) == 0;
    fputc('\n', file);
    json_decref(object);
    if (!whole)
        fail(merge, "manifest.json", "cannot be written");
    return close_whole(merge, "manifest.json", file) && whole;
}

static int put_points(struct merge *merge)
{
    int code = SMS_OK;
    put_columns(merge, merge->points);
    fputs(",state,message\n", merge->points);
    for (uint64_t i = 0; code == SMS_OK && i < merge->index->plan->points; i++) {
        merge->point.point = i;
        code = sms__guard(&merge->arena, put_point, merge);
        sms__arena_release(&merge->arena);
        if (ferror(merge->points))
            code = SMS_EIO;
    }
    return code;
}

/* As close_whole. */
static bool end_database(struct merge *merge, const char *path)
{
    char why[SMS__DATABASE_WHY];
    if (!sms__database_end(merge->database, merge->index, why)) {
        fail(merge, "sweep.db", why);
        return false;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && fsync(fd) == 0;
    if (!whole)
        fail(merge, "sweep.db", strerror(errno));
    if (fd >= 0)
        close(fd);
    return whole;
}

static int write_files(struct merge *merge)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/sweep.db", merge->folder);
    merge->database = sms__database_begin(path, merge->index->plan);
    merge->points = merge->database ? open_file(merge, "points.csv") : NULL;
    int code = merge->points ? put_points(merge) : SMS_EIO;
    bool whole = merge->points && close_whole(merge, "points.csv", merge->points);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (merge->of[s])
            whole = close_whole(merge, file_names[s], merge->of[s]) && whole;
    if (!merge->database)
        code = SMS_ENOMEM;
    else
        whole = end_database(merge, path) && whole;
    if (code == SMS_OK && !(whole && put_manifest(merge)))
        code = SMS_EIO;
    return code;
}

/* What a merge that was killed has left is thrown away. */
static int begin(const char *temporary, struct sms_errors *errors)
{
    sms__folder_abandon(temporary);
    if (mkdir(temporary, 0777) == 0)
        return SMS_OK;
    return sms__fail(errors, SMS_EIO, temporary, "cannot be made: %s", strerror(errno));
}

/* The old results stay until the new ones are whole. */
int sms__sweep_merge(const struct sms__index *index, uint64_t *warned, struct sms_errors *errors)
{
    char results[4200], temporary[4200];
    struct merge merge = {.index = index, .folder = temporary};
    if ((size_t)snprintf(temporary, sizeof temporary, "%s/results.partial", index->folder) >= sizeof temporary)
        return sms__fail(errors, SMS_EIO, index->folder, "the name is too long");
    snprintf(results, sizeof results, "%s/results", index->folder);
    int code = begin(temporary, errors);
    if (code)
        return code;
    code = write_files(&merge);
    *warned = merge.warned;
    free(merge.record.at);
    if (code == SMS_OK) {
        sms__folder_abandon(results);
        code = sms__folder_end(temporary, results, errors);
    } else {
        sms__fail(errors, code, temporary, "cannot be written: %s", code == SMS_ENOMEM ? "no memory" : merge.why);
        sms__folder_abandon(temporary);
    }
    return code;
}
