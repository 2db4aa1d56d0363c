/* Merges the stores into a folder of CSV files and a database, in the order of the points' numbers. The bytes depend
 * on the points alone, not on shards, machines or folders. */
#include "merge.h"
#include "frontier.h"

#include "../base/escape.h"
#include "../base/sources.h"
#include "../report/json_write.h"
#include "../report/memory.h"
#include "../report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char database_name[] = "sweep.db";
static const char *const state_names[] = {"missing", "done", "failed"};

/* Reports an error about a file in the sweep's folder. */
static int fail(struct sms__merge *merge, const char *name, const char *why)
{
    char path[SMS__PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", merge->index->folder, name);
    return sms__fail(merge->errors, SMS_EIO, path, "%s", why);
}

/* Prints "12,s1,2.55,fifo", with which every row of the point begins, and binds the same to the database's row. False:
 * out of memory. */
static bool describe_point(struct sms__merge *merge)
{
    const struct sms__plan *plan = merge->index->plan;
    struct sms__coordinates coordinates;
    sqlite3_stmt *row = merge->database.point;
    merge->row_prefix.length = 0;
    FILE *to = sms__buffer_open(&merge->row_prefix);
    if (!to)
        return false;
    sms__point_coordinates(plan, merge->point, &coordinates);
    const char *scenario = coordinates.base->name[coordinates.scenario];
    fprintf(to, "%llu,%s", (unsigned long long)merge->point, scenario);
    sqlite3_bind_int64(row, 1, (sqlite3_int64)merge->point);
    sms__bind_text(row, 2, scenario);
    for (size_t c = 0; c < plan->columns; c++) {
        const char *text = sms__point_text(&merge->arena, plan, &coordinates, c);
        fputc(',', to);
        sms__print_csv(to, text);
        sms__bind_text(row, 5 + (int)c, text);
    }
    return sms__buffer_close(&merge->row_prefix, to);
}

/* Adds a point to points.csv and to the table `point`. */
static bool add_point(struct sms__merge *merge, bool missing)
{
    enum sms__point_state state = merge->index->location[merge->point].state;
    const char *message = missing ? "" : sms__content_text(&merge->content);
    fprintf(merge->points, "%s,%s,", merge->row_prefix.bytes, state_names[state]);
    sms__print_csv(merge->points, message);
    fputc('\n', merge->points);
    merge->warned += state == SMS__POINT_DONE && message[0];
    sms__bind_text(merge->database.point, 3, state_names[state]);
    sms__bind_text(merge->database.point, 4, message);
    return sms__database_insert(&merge->database, merge->database.point);
}

static int write_point(void *user)
{
    struct sms__merge *merge = user;
    struct sms__point_record record;
    const char *store = sms__index_store(merge->index, merge->point);
    if (!describe_point(merge))
        return SMS_ENOMEM;
    if (*store && !sms__index_record(merge->index, merge->point, &record))
        return fail(merge, store, "cannot be read");
    if (*store)
        merge->content = (struct sms__content){record.content, record.size, false};
    bool succeeded = add_point(merge, !*store);
    if (succeeded && *store && !record.failed)
        succeeded = sms__merge_results(merge);
    if (*store && merge->content.failed)
        fail(merge, store, "cannot be understood");
    return succeeded && !(*store && merge->content.failed) ? SMS_OK : SMS_EIO;
}

/* Leaves out folders and shards, on which the results must not depend. */
static json_t *make_command(const struct sms__plan *plan)
{
    const char *slash = strrchr(plan->path, '/');
    char *line =
        sms__note_memory(sms__shell_line(3, (const char *const[]){"smsched", "sweep", slash ? slash + 1 : plan->path}));
    json_t *command = line ? sms__json_path(line) : NULL;
    free(line);
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
    json_object_set_new(object, "points", json_integer((json_int_t)index->wanted));
    json_object_set_new(object, "done", json_integer((json_int_t)index->done));
    json_object_set_new(object, "failed", json_integer((json_int_t)index->failed));
    return object;
}

static int write_points(struct sms__merge *merge)
{
    int code = SMS_OK;
    fputs(",state,message\n", merge->points);
    for (uint64_t i = 0; code == SMS_OK && i < merge->index->plan->points; i++) {
        if (atomic_load(merge->cancel))
            return sms__fail(merge->errors, SMS_ECANCELED, merge->index->folder, "interrupted");
        merge->point = i;
        if (merge->index->search && merge->index->location[i].state == SMS__POINT_MISSING)
            continue;
        code = sms__guard(&merge->arena, write_point, merge);
        sms__arena_release(&merge->arena);
        if (ferror(merge->points))
            code = SMS_EIO;
    }
    return code;
}

struct found_rows {
    struct sms__merge *merge;
    FILE *to;
};

/* An answer of a search, to found.csv and to the table `found`. */
static bool add_found(void *user, const struct sms__search_row *row)
{
    const struct found_rows *rows = user;
    const struct sms__plan *plan = rows->merge->index->plan;
    sqlite3_stmt *insert = rows->merge->database.found;
    const char *scenario = row->coordinates->base->name[row->coordinates->scenario];
    const char *text[] = {row->found->policy, row->value[0], row->value[1], row->state, row->remark};
    fputs(scenario, rows->to);
    for (size_t c = 0; c < sms__search_columns(plan); c++) {
        fputc(',', rows->to);
        sms__print_csv(rows->to, sms__point_text(&rows->merge->arena, plan, row->coordinates, c));
    }
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)row->found->point);
    sqlite3_bind_int64(insert, 2, (sqlite3_int64)row->position);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        fputc(',', rows->to);
        sms__print_csv(rows->to, text[i]);
        sms__bind_text(insert, 3 + (int)i, text[i]);
    }
    fprintf(rows->to, ",%llu,%llu\n", (unsigned long long)row->found->points,
            (unsigned long long)row->found->replications);
    sqlite3_bind_int64(insert, 8, (sqlite3_int64)row->found->points);
    sqlite3_bind_int64(insert, 9, (sqlite3_int64)row->found->replications);
    return sms__database_insert(&rows->merge->database, insert);
}

static int write_answers(void *user)
{
    const struct found_rows *rows = user;
    const struct sms__index *index = rows->merge->index;
    return sms__search_rows(index->search, &rows->merge->arena, add_found, user) ? SMS_OK : SMS_EIO;
}

static int write_found(struct sms__merge *merge)
{
    const struct sms__plan *plan = merge->index->plan;
    FILE *to = merge->index->search ? sms__folder_open(merge->folder, "found.csv", merge->errors) : NULL;
    if (!to)
        return merge->index->search ? SMS_EIO : SMS_OK;
    fputs("scenario", to);
    for (size_t c = 0; c < sms__search_columns(plan); c++) {
        fputc(',', to);
        sms__print_csv(to, plan->column[c].path->text);
    }
    const char *const *names = sms__search_names(plan);
    fprintf(to, ",policy,%s,%s,state,remark,points,replications\n", names[0], names[1]);
    struct found_rows rows = {merge, to};
    int code = sms__guard(&merge->arena, write_answers, &rows);
    sms__arena_release(&merge->arena);
    int closed = sms__folder_close(merge->folder, "found.csv", to, merge->errors);
    return code ? code : closed;
}

/* Closes the database and flushes it to the disk. */
static bool close_database(struct sms__merge *merge, const char *path)
{
    char final[SMS__PATH_BYTES];
    snprintf(final, sizeof final, "%s/%s", merge->folder->partial.target, database_name);
    if (!sms__database_end(&merge->database, merge->index)) {
        sms__fail(merge->errors, SMS_EIO, final, "cannot be written: %s", merge->database.message);
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
    sms__database_begin(&merge->database, path, merge->index->plan);
    sms__folder_add(merge->folder, database_name);
    merge->points = sms__merge_open(merge, "points.csv");
    int code = merge->points ? write_points(merge) : SMS_EIO;
    if (code == SMS_OK)
        code = write_found(merge);
    bool succeeded =
        merge->points && sms__folder_close(merge->folder, "points.csv", merge->points, merge->errors) == SMS_OK;
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
    char results[SMS__PATH_BYTES], manifest[SMS__PATH_BYTES];
    if (!results_path(results, folder))
        return sms__fail(errors, SMS_EIO, folder, "the name is too long");
    snprintf(manifest, sizeof manifest, "%s/manifest.json", folder);
    if (sms__folder_lists(manifest))
        return sms__fail(errors, SMS_EIO, folder, "holds results of another command; name another folder");
    return sms__folder_check(results, SMS__FOLDER_REPLACE, errors);
}

int sms__sweep_merge(struct sms__index *index, const atomic_bool *cancel, uint64_t *warned, struct sms_errors *errors)
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
    free(merge.row_prefix.bytes);
    return code;
}

static void report_waiting(const char *folder)
{
    sms__print_visible(stderr, folder);
    fputs(": another process is merging; waiting for it\n", stderr);
}

int sms__merge_lock(const char *folder, const atomic_bool *cancel, struct sms_errors *errors)
{
    char path[4400];
    int size = snprintf(path, sizeof path, "%s/merge.lock", folder);
    int fd = (size_t)size < sizeof path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666) : -1;
    if (fd < 0) {
        if (errno == ENOENT)
            sms__fail(errors, SMS_EIO, folder, "no such folder: nothing has been run yet");
        else
            sms__fail(errors, SMS_EIO, path, "cannot be written: %s", strerror(errno));
        return -1;
    }
    for (bool first = true; !sms__lock(fd, LOCK_EX | LOCK_NB); first = false) {
        if (first)
            report_waiting(folder);
        if (atomic_load(cancel)) {
            sms__fail(errors, SMS_ECANCELED, folder, "interrupted");
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return fd;
}
