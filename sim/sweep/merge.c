/* Journals into a folder of CSV files, point by point in the order of their numbers. */
#include "sweep.h"

#include "../report/output.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const file_names[SMS_SUBJECTS] = {"hosts.csv",     "vms.csv",     "resources.csv", "kernels.csv",
                                                     "processes.csv", "devices.csv", "cluster.csv"};

static const char *const state_names[] = {"missing", "done", "failed"};

struct merge {
    const struct sms__index *index;
    const char *folder; /* under its temporary name */
    FILE *points, *of[SMS_SUBJECTS];
    struct sms__bytes record;
    struct sms__point_head head;
    struct sms__arena arena; /* of one point */
    uint64_t point;
    const char *place; /* "point,scenario,values...", as CSV */
    const char **policy;
    uint32_t policies, replications;
};

static FILE *open_file(const struct merge *merge, const char *name)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", merge->folder, name);
    return fopen(path, "we");
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

static FILE *open_subject(struct merge *merge, int s)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &metrics);
    FILE *to = merge->of[s] = open_file(merge, file_names[s]);
    if (!to)
        return NULL;
    put_columns(merge, to);
    fprintf(to, ",policy,replication,%s", sms__subject_word((enum sms_subject)s));
    for (size_t m = 0; m < metrics; m++)
        fprintf(to, ",%s", metric[m].name);
    fputc('\n', to);
    return to;
}

/* "12,s1,2.55,fifo": into the arena, for it begins every row of the point. */
static void find_place(struct merge *merge)
{
    const struct sms__plan *plan = merge->index->plan;
    struct sms__place place;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    sms__point_place(plan, merge->point, &place);
    if (!to)
        return;
    fprintf(to, "%llu,%s", (unsigned long long)merge->point, place.base->name[place.scenario]);
    for (size_t i = 0; i < plan->axes; i++)
        for (size_t c = 0; c < plan->axis[i].columns; c++) {
            fputc(',', to);
            const struct sms__node *value =
                sms__column_value(&merge->arena, plan, &plan->axis[i], place.position[i], c);
            put_field(to, value->kind == SMS__SCALAR ? value->text : sms__node_flow(&merge->arena, value));
        }
    if (fclose(to) == 0)
        merge->place = sms__copy(&merge->arena, text, size);
    free(text);
}

static void put_row(struct merge *merge, FILE *to, uint32_t policy, uint32_t replication, const char *name)
{
    fputs(merge->place, to);
    fputc(',', to);
    put_field(to, merge->policy[policy]);
    fprintf(to, ",%u,", replication);
    put_field(to, name);
}

static void put_subject(struct merge *merge, int s)
{
    size_t metrics;
    struct sms__bytes *record = &merge->record;
    sms_metrics((enum sms_subject)s, &metrics);
    uint32_t count = sms__record_get_u32(record);
    if (count > record->capacity)
        return;
    FILE *to = count && !merge->of[s] ? open_subject(merge, s) : merge->of[s];
    const char **name = SMS__NEW(&merge->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        name[i] = sms__record_get_string(record);
    for (uint32_t row = 0; to && !record->failed && row < merge->policies * merge->replications * count; row++) {
        uint32_t policy = row / count / merge->replications;
        put_row(merge, to, policy, row / count % merge->replications, name[row % count]);
        for (size_t m = 0; m < metrics; m++) {
            double value = sms__record_get_double(record);
            fputc(',', to);
            if (!isnan(value))
                fprintf(to, "%.12g", value);
        }
        fputc('\n', to);
    }
}

static void put_results(struct merge *merge)
{
    struct sms__bytes *record = &merge->record;
    merge->policies = sms__record_get_u32(record);
    merge->replications = sms__record_get_u32(record);
    if (merge->policies > record->capacity)
        return;
    merge->policy = SMS__NEW(&merge->arena, const char *, merge->policies);
    for (uint32_t i = 0; i < merge->policies; i++)
        merge->policy[i] = sms__record_get_string(record);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (merge->index->plan->keep & 1u << s)
            put_subject(merge, s);
}

static int put_point(void *user)
{
    struct merge *merge = user;
    const struct sms__where *where = &merge->index->where[merge->point];
    const char *message = "";
    merge->place = NULL;
    find_place(merge);
    if (!merge->place)
        return SMS_ENOMEM;
    if (where->state && !sms__index_record(merge->index, merge->point, &merge->record, &merge->head))
        return SMS_EIO;
    if (where->state == SMS__POINT_FAILED)
        message = sms__record_get_string(&merge->record);
    fprintf(merge->points, "%s,%s,", merge->place, state_names[where->state]);
    put_field(merge->points, message);
    fputc('\n', merge->points);
    if (where->state == SMS__POINT_DONE)
        put_results(merge);
    return merge->record.failed ? SMS_EIO : SMS_OK;
}

static bool close_whole(FILE *file)
{
    bool whole = !ferror(file) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && whole;
}

/* No date: the same results give the same bytes. */
static bool put_manifest(const struct merge *merge)
{
    const struct sms__index *index = merge->index;
    FILE *file = open_file(merge, "manifest.json");
    json_t *object = json_object();
    if (!file)
        return false;
    json_object_set_new(object, "format", json_integer(1));
    json_object_set_new(object, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(object, "plan", json_string(index->plan->name));
    json_object_set_new(object, "text", json_string(index->plan->node->mark.text));
    json_object_set_new(object, "points", json_integer((json_int_t)index->plan->points));
    json_object_set_new(object, "done", json_integer((json_int_t)index->done));
    json_object_set_new(object, "failed", json_integer((json_int_t)index->failed));
    bool whole = json_dumpf(object, file, JSON_INDENT(2)) == 0;
    fputc('\n', file);
    json_decref(object);
    return close_whole(file) && whole;
}

static int put_points(struct merge *merge)
{
    int code = SMS_OK;
    put_columns(merge, merge->points);
    fputs(",state,message\n", merge->points);
    for (merge->point = 0; code == SMS_OK && merge->point < merge->index->plan->points; merge->point++) {
        code = sms__guard(&merge->arena, put_point, merge);
        sms__arena_release(&merge->arena);
        if (ferror(merge->points))
            code = SMS_EIO;
    }
    return code;
}

static int write_files(struct merge *merge)
{
    merge->points = open_file(merge, "points.csv");
    int code = merge->points ? put_points(merge) : SMS_EIO;
    bool whole = merge->points && close_whole(merge->points);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (merge->of[s])
            whole = close_whole(merge->of[s]) && whole;
    if (code == SMS_OK && !(whole && put_manifest(merge)))
        code = SMS_EIO;
    return code;
}

int sms__sweep_merge(const struct sms__index *index, struct sms_errors *errors)
{
    char results[4200], temporary[4300];
    struct merge merge = {.index = index, .folder = temporary};
    if ((size_t)snprintf(results, sizeof results, "%s/results", index->folder) >= sizeof results)
        return sms__fail(errors, SMS_EIO, index->folder, "the name is too long");
    if (access(results, F_OK) == 0)
        sms__folder_abandon(results); /* it can be made again */
    int code = sms__folder_begin(results, temporary, sizeof temporary, errors);
    if (code)
        return code;
    code = write_files(&merge);
    free(merge.record.at);
    if (code)
        sms__fail(errors, code, temporary, "cannot be written: %s", code == SMS_ENOMEM ? "no memory" : strerror(errno));
    else
        code = sms__folder_end(temporary, results, errors);
    if (code)
        sms__folder_abandon(temporary);
    return code;
}
