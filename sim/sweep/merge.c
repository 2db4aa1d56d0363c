/* Journals into a folder of CSV files and a database, point by point in the order of their numbers. */
#include "merge.h"

#include "../base/sources.h"
#include "../report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const state_names[] = {"missing", "done", "failed"};

int sms__merge_fail(struct sms__merge *merge, const char *name, const char *why)
{
    if (!merge->why[0])
        snprintf(merge->why, sizeof merge->why, "%s: %s", name, why);
    return SMS_EIO;
}

FILE *sms__merge_open(struct sms__merge *merge, const char *name)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", merge->folder, name);
    FILE *file = fopen(path, "we");
    if (!file)
        sms__merge_fail(merge, name, strerror(errno));
    return file;
}

void sms__merge_field(FILE *to, const char *text)
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

void sms__merge_columns(const struct sms__merge *merge, FILE *to)
{
    const struct sms__plan *plan = merge->index->plan;
    fputs("point,scenario", to);
    for (size_t i = 0; i < plan->columns; i++) {
        fputc(',', to);
        sms__merge_field(to, plan->column[i].path->text);
    }
}

static void find_point(struct sms__merge *merge)
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
static void find_place(struct sms__merge *merge)
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
        sms__merge_field(to, merge->point.value[i]);
    }
    if (fclose(to) == 0)
        merge->place = sms__copy(&merge->arena, text, size);
    free(text);
}

static int put_point(void *user)
{
    struct sms__merge *merge = user;
    struct sms__merged_point *point = &merge->point;
    enum sms__point_state state = merge->index->where[point->point].state;
    find_point(merge);
    find_place(merge);
    if (!merge->place)
        return SMS_ENOMEM;
    const char *journal = sms__index_journal(merge->index, point->point);
    if (state && !sms__index_record(merge->index, point->point, &merge->record, &merge->head))
        return sms__merge_fail(merge, journal, "cannot be read");
    point->key = state ? merge->head.key : NULL;
    point->state = state_names[state];
    point->message = state ? sms__record_get_string(&merge->record) : "";
    fprintf(merge->points, "%s,%s,", merge->place, point->state);
    merge->warned += state == SMS__POINT_DONE && point->message[0];
    sms__merge_field(merge->points, point->message);
    fputc('\n', merge->points);
    bool whole = sms__database_point(merge->database, point);
    if (whole && state == SMS__POINT_DONE)
        whole = sms__merge_results(merge);
    if (merge->record.failed)
        sms__merge_fail(merge, journal, "cannot be understood");
    return merge->record.failed || !whole ? SMS_EIO : SMS_OK;
}

/* Whether all of it was written, and is on the disk. */
bool sms__merge_close(struct sms__merge *merge, const char *name, FILE *file)
{
    errno = 0;
    bool whole = fflush(file) == 0 && fsync(fileno(file)) == 0 && !ferror(file);
    if (!whole)
        sms__merge_fail(merge, name, errno ? strerror(errno) : "cannot be written");
    if (fclose(file) == 0 || !whole)
        return whole;
    sms__merge_fail(merge, name, strerror(errno));
    return false;
}

/* Without folders and shards, so that results are the same wherever and however they came to be. */
static json_t *command_of(const struct sms__plan *plan)
{
    const char *slash = strrchr(plan->path, '/');
    return json_sprintf("smsched sweep %s", slash ? slash + 1 : plan->path);
}

/* No date: the same results give the same bytes. */
static bool put_manifest(struct sms__merge *merge)
{
    const struct sms__index *index = merge->index;
    FILE *file = sms__merge_open(merge, "manifest.json");
    if (!file)
        return false;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_integer(1));
    json_object_set_new(object, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(object, "sources", json_string(sms__sources()));
    json_object_set_new(object, "command", command_of(index->plan));
    json_object_set_new(object, "plan", json_string(index->plan->name));
    json_object_set_new(object, "text", json_string(index->plan->node->mark.text));
    json_object_set_new(object, "points", json_integer((json_int_t)index->plan->points));
    json_object_set_new(object, "done", json_integer((json_int_t)index->done));
    json_object_set_new(object, "failed", json_integer((json_int_t)index->failed));
    bool whole = json_dumpf(object, file, JSON_INDENT(2)) == 0;
    fputc('\n', file);
    json_decref(object);
    if (!whole)
        sms__merge_fail(merge, "manifest.json", "cannot be written");
    return sms__merge_close(merge, "manifest.json", file) && whole;
}

static int put_points(struct sms__merge *merge)
{
    int code = SMS_OK;
    sms__merge_columns(merge, merge->points);
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

/* As sms__merge_close. */
static bool end_database(struct sms__merge *merge, const char *path)
{
    char why[SMS__DATABASE_WHY];
    if (!sms__database_end(merge->database, merge->index, why)) {
        sms__merge_fail(merge, "sweep.db", why);
        return false;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && fsync(fd) == 0;
    if (!whole)
        sms__merge_fail(merge, "sweep.db", strerror(errno));
    if (fd >= 0)
        close(fd);
    return whole;
}

static int write_files(struct sms__merge *merge)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/sweep.db", merge->folder);
    merge->database = sms__database_begin(path, merge->index->plan);
    merge->points = merge->database ? sms__merge_open(merge, "points.csv") : NULL;
    int code = merge->points ? put_points(merge) : SMS_EIO;
    bool whole = merge->points && sms__merge_close(merge, "points.csv", merge->points);
    whole = sms__merge_close_rows(merge) && whole;
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
    struct sms__merge merge = {.index = index, .folder = temporary};
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
