/* Merges the journals into a folder of CSV files and a database, in the order of the points' numbers. The bytes depend
 * on the points alone, not on shards, machines or folders. */
#include "merge.h"

#include "../base/escape.h"
#include "../base/sources.h"
#include "../report/json_write.h"
#include "../report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char database_name[] = "sweep.db";
static const char *const state_names[] = {"missing", "done", "failed"};

FILE *sms__merge_open(struct sms__merge *merge, const char *name)
{
    return sms__folder_open(merge->folder, name, merge->errors);
}

/* Reports an error about a file in the sweep's folder. */
static int fail(struct sms__merge *merge, const char *name, const char *why)
{
    char path[SMS__PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", merge->index->folder, name);
    return sms__fail(merge->errors, SMS_EIO, path, "%s", why);
}

void sms__merge_columns(const struct sms__merge *merge, FILE *to)
{
    const struct sms__plan *plan = merge->index->plan;
    fputs("point,scenario", to);
    for (size_t i = 0; i < plan->columns; i++) {
        fputc(',', to);
        sms__print_csv(to, plan->column[i].path->text);
    }
}

static void describe_point(struct sms__merge *merge)
{
    const struct sms__plan *plan = merge->index->plan;
    struct sms__merged_point *point = &merge->point;
    struct sms__coordinates coordinates;
    sms__point_coordinates(plan, point->point, &coordinates);
    point->scenario = coordinates.base->name[coordinates.scenario];
    point->value = SMS__NEW(&merge->arena, const char *, plan->columns);
    for (size_t i = 0; i < plan->axes; i++)
        for (size_t c = 0; c < plan->axis[i].columns; c++) {
            const struct sms__node *value =
                sms__column_value(&merge->arena, plan, &plan->axis[i], coordinates.position[i], c);
            point->value[plan->axis[i].first + c] =
                value->kind == SMS__SCALAR ? value->text : sms__node_flow(&merge->arena, value);
        }
}

/* Prints "12,s1,2.55,fifo", with which every row of the point begins. False: out of memory. */
static bool build_row_prefix(struct sms__merge *merge)
{
    merge->row_prefix.length = 0;
    FILE *to = sms__buffer_open(&merge->row_prefix);
    if (!to)
        return false;
    fprintf(to, "%llu,%s", (unsigned long long)merge->point.point, merge->point.scenario);
    for (size_t i = 0; i < merge->index->plan->columns; i++) {
        fputc(',', to);
        sms__print_csv(to, merge->point.value[i]);
    }
    return sms__buffer_close(&merge->row_prefix, to);
}

static int write_point(void *user)
{
    struct sms__merge *merge = user;
    struct sms__merged_point *point = &merge->point;
    enum sms__point_state state = merge->index->location[point->point].state;
    describe_point(merge);
    if (!build_row_prefix(merge))
        return SMS_ENOMEM;
    const char *journal = sms__index_journal(merge->index, point->point);
    if (state && !sms__index_record(merge->index, point->point, &merge->record, &merge->head))
        return fail(merge, journal, "cannot be read");
    point->key = state ? merge->head.key : NULL;
    point->state = state_names[state];
    point->message = state ? sms__record_get_string(&merge->record) : "";
    fprintf(merge->points, "%s,%s,", merge->row_prefix.bytes, point->state);
    merge->warned += state == SMS__POINT_DONE && point->message[0];
    sms__print_csv(merge->points, point->message);
    fputc('\n', merge->points);
    bool succeeded = sms__database_point(merge->database, point);
    if (succeeded && state == SMS__POINT_DONE)
        succeeded = sms__merge_results(merge);
    if (merge->record.failed)
        fail(merge, journal, "cannot be understood");
    return merge->record.failed || !succeeded ? SMS_EIO : SMS_OK;
}

bool sms__merge_close(struct sms__merge *merge, const char *name, FILE *file)
{
    return sms__folder_close(merge->folder, name, file, merge->errors) == SMS_OK;
}

/* Leaves out folders and shards, on which the results must not depend. */
static json_t *make_command(const struct sms__plan *plan)
{
    const char *slash = strrchr(plan->path, '/');
    json_t *name = sms__json_path(slash ? slash + 1 : plan->path);
    json_t *command = name ? json_sprintf("smsched sweep %s", json_string_value(name)) : NULL;
    json_decref(name);
    return command;
}

static json_t *make_answer(const struct sms__plan *plan)
{
    return json_pack("{ss? ss? ss?}", "metric", sms__plan_asks(plan, "metric"), "of", sms__plan_asks(plan, "of"),
                     "better", sms__plan_asks(plan, "better"));
}

/* The manifest has no date, so that the same results give the same bytes. */
static json_t *make_manifest(const struct sms__index *index)
{
    json_t *object = json_object();
    json_object_set_new(object, "format", json_integer(1));
    json_object_set_new(object, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(object, "sources", json_string(sms__sources()));
    json_object_set_new(object, "command", make_command(index->plan));
    json_object_set_new(object, "plan", json_string(index->plan->name));
    json_object_set_new(object, "text", sms__json_text(index->plan->node->mark.text));
    if (index->plan->fixed[SMS__PLAN_ANSWER])
        json_object_set_new(object, "answer", make_answer(index->plan));
    json_object_set_new(object, "points", json_integer((json_int_t)index->plan->points));
    json_object_set_new(object, "done", json_integer((json_int_t)index->done));
    json_object_set_new(object, "failed", json_integer((json_int_t)index->failed));
    return object;
}

static int write_points(struct sms__merge *merge)
{
    int code = SMS_OK;
    sms__merge_columns(merge, merge->points);
    fputs(",state,message\n", merge->points);
    for (uint64_t i = 0; code == SMS_OK && i < merge->index->plan->points; i++) {
        if (atomic_load(merge->cancel))
            return sms__fail(merge->errors, SMS_ECANCELED, merge->index->folder, "interrupted");
        merge->point.point = i;
        code = sms__guard(&merge->arena, write_point, merge);
        sms__arena_release(&merge->arena);
        if (ferror(merge->points))
            code = SMS_EIO;
    }
    return code;
}

/* Closes the database and flushes it to the disk. */
static bool close_database(struct sms__merge *merge, const char *path)
{
    char why[SMS__DATABASE_MESSAGE_BYTES], final[SMS__PATH_BYTES];
    snprintf(final, sizeof final, "%s/%s", merge->folder->partial.target, database_name);
    if (!sms__database_end(merge->database, merge->index, why)) {
        sms__fail(merge->errors, SMS_EIO, final, "cannot be written: %s", why);
        return false;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool succeeded = fd >= 0 && fsync(fd) == 0;
    if (!succeeded)
        sms__fail(merge->errors, SMS_EIO, final, "cannot be written: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return succeeded;
}

static int write_files(struct sms__merge *merge)
{
    char path[SMS__PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/%s", merge->folder->partial.name, database_name);
    merge->database = sms__database_begin(path, merge->index->plan);
    if (!merge->database)
        return sms__fail(merge->errors, SMS_ENOMEM, merge->folder->partial.target, "out of memory");
    sms__folder_add(merge->folder, database_name);
    merge->points = sms__merge_open(merge, "points.csv");
    int code = merge->points ? write_points(merge) : SMS_EIO;
    bool succeeded = merge->points && sms__merge_close(merge, "points.csv", merge->points);
    succeeded = sms__merge_close_rows(merge) && succeeded;
    succeeded = close_database(merge, path) && succeeded;
    if (code == SMS_ENOMEM)
        sms__fail(merge->errors, code, merge->folder->partial.target, "out of memory");
    return code == SMS_OK && !succeeded ? SMS_EIO : code;
}

static bool results_path(char results[SMS__PATH_BYTES], const char *folder)
{
    return (size_t)snprintf(results, SMS__PATH_BYTES, "%s/results", folder) < SMS__PATH_BYTES;
}

int sms__sweep_check_results(const char *folder, struct sms_errors *errors)
{
    char results[SMS__PATH_BYTES];
    return results_path(results, folder) ? sms__folder_check(results, SMS__FOLDER_REPLACE, errors)
                                         : sms__fail(errors, SMS_EIO, folder, "the name is too long");
}

int sms__sweep_merge(const struct sms__index *index, const atomic_bool *cancel, uint64_t *warned,
                     struct sms_errors *errors)
{
    char results[SMS__PATH_BYTES];
    struct sms__folder folder = {0};
    struct sms__merge merge = {.index = index, .folder = &folder, .cancel = cancel, .errors = errors};
    if (!results_path(results, index->folder))
        return sms__fail(errors, SMS_EIO, index->folder, "the name is too long");
    int code = sms__folder_begin(&folder, results, SMS__FOLDER_REPLACE, errors);
    if (code == SMS_OK)
        code = write_files(&merge);
    if (code == SMS_OK)
        code = sms__folder_end(&folder, make_manifest(index), errors);
    sms__folder_abandon(&folder);
    *warned = merge.warned;
    free(merge.record.data);
    free(merge.row_prefix.bytes);
    return code;
}
