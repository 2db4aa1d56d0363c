#include "points.h"

#include "../base/read.h"
#include "../report/output.h"

#include <math.h>
#include <string.h>

/* A database from elsewhere may hold anything. It is opened as a file that nobody changes, so that no journal beside it
 * is looked for; views, triggers, virtual tables and computed columns of it are not used; each of its pages is used
 * once, which bounds what it can hold by its size; and the steps of all queries together are limited. */
enum { STEPS_AT_ONCE = 100000, STEPS_LEAST = 100000000, STEPS_A_BYTE = 200, VALUE_BYTES = 64 * 1024 * 1024 };

static int complain(struct sms__points *points)
{
    struct sms_errors *errors = &points->page->errors;
    int code = sqlite3_errcode(points->file);
    if (code == SQLITE_INTERRUPT && points->steps > points->steps_most)
        return sms__fail(errors, SMS_EINPUT, points->page->source,
                         "takes more than %llu steps to read; is it the database of a sweep?",
                         (unsigned long long)points->steps_most);
    if (code == SQLITE_INTERRUPT)
        return SMS_ECANCELED;
    if (code == SQLITE_NOMEM)
        return SMS_ENOMEM;
    return sms__fail(errors, code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? SMS_EIO : SMS_EINPUT,
                     points->page->source, "%s; is it the database of a sweep?", sqlite3_errmsg(points->file));
}

static int count_steps(void *user)
{
    struct sms__points *points = user;
    points->steps += STEPS_AT_ONCE;
    return points->steps > points->steps_most || (points->page->cancel && atomic_load(points->page->cancel));
}

/* A URI, in which a path may not have some characters. */
static char *uri_of(const char *path)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, path[0] == '/' ? "file://" : "file:");
    for (; *path; path++)
        sqlite3_str_appendf(text, strchr("%?#", *path) ? "%%%02x" : "%c", *path);
    sqlite3_str_appendall(text, "?immutable=1");
    return sqlite3_str_finish(text);
}

static int open_file(struct sms__points *points, const char *path)
{
    struct sms__input input;
    int code = sms__input_open(path, INT64_MAX, &input, &points->page->errors);
    if (code)
        return code;
    points->steps_most = STEPS_LEAST + STEPS_A_BYTE * input.size;
    sms__input_close(&input);
    char *uri = uri_of(path);
    if (!uri)
        return SMS_ENOMEM;
    int opened = sqlite3_open_v2(uri, &points->file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    sqlite3_free(uri);
    return opened == SQLITE_OK ? SMS_OK : complain(points);
}

static void distrust(struct sms__points *points)
{
    static const struct {
        int id, most;
    } limits[] = {{SQLITE_LIMIT_LENGTH, VALUE_BYTES},
                  {SQLITE_LIMIT_COLUMN, 512},
                  {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(points->file, limits[i].id, limits[i].most);
    sqlite3_db_config(points->file, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(points->file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(points->file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(points->file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL); /* but those of this connection */
    sqlite3_progress_handler(points->file, STEPS_AT_ONCE, count_steps, points);
}

static int refuse(struct sms__points *points, sqlite3_stmt *row, void *what)
{
    return sms__fail(&points->page->errors, SMS_EINPUT, points->page->source,
                     "has %s, %.100s; is it the database of a sweep?", (const char *)what,
                     sms__points_text(points, row, 0));
}

static int check_row(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    (void)user;
    const char *said = sms__points_text(points, row, 0);
    if (!strcmp(said, "ok"))
        return SMS_OK;
    return sms__fail(&points->page->errors, SMS_EINPUT, points->page->source, "is damaged: %.200s", said);
}

static int ask_this(struct sms__points *points, const char *sql,
                    int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), const char *what)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, sql);
    return sms__points_ask(points, text, row, (void *)(uintptr_t)what);
}

/* A virtual table has no page of its own. Computed columns are hidden ones. */
static int check_content(struct sms__points *points)
{
    static const char setup[] =
        "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints "
        "= ON;";
    if (sqlite3_exec(points->file, setup, NULL, NULL, NULL) != SQLITE_OK)
        return complain(points);
    int code = ask_this(points, "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0 LIMIT 1",
                        refuse, "a virtual table");
    if (code == SMS_OK)
        code =
            ask_this(points,
                     "SELECT m.name || '.' || c.name FROM main.sqlite_master m, pragma_table_xinfo(m.name, 'main') c "
                     "WHERE m.type = 'table' AND c.hidden <> 0 LIMIT 1",
                     refuse, "a computed column");
    return code == SMS_OK ? ask_this(points, "PRAGMA main.quick_check(1)", check_row, NULL) : code;
}

int sms__points_open(struct sms__points *points, const char *path)
{
    int code = open_file(points, path);
    if (code)
        return code;
    distrust(points);
    return check_content(points);
}

int sms__points_ask(struct sms__points *points, sqlite3_str *text,
                    int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), void *user)
{
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_str_finish(text);
    int code = SMS_OK, step = SQLITE_DONE;
    if (!sql)
        return SMS_ENOMEM;
    if (sqlite3_prepare_v2(points->file, sql, -1, &statement, NULL) != SQLITE_OK)
        code = complain(points);
    sqlite3_free(sql);
    while (code == SMS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        code = row ? row(points, statement, user) : SMS_OK;
    if (code == SMS_OK && step != SQLITE_DONE)
        code = complain(points);
    sqlite3_finalize(statement);
    return code;
}

const char *sms__points_text(struct sms__points *points, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? sms__copy(&points->page->arena, text, strlen(text)) : "";
}

int sms__points_count(struct sms__points *points, sqlite3_stmt *row, void *count)
{
    (void)points;
    *(size_t *)count = (size_t)sqlite3_column_int64(row, 0);
    return SMS_OK;
}

json_t *sms__points_number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? json_null()
                                                           : sms__json_number(sqlite3_column_double(row, column));
}
