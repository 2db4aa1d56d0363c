/* Opens and queries a sweep's database, which may come from anywhere and hold anything. It is opened as immutable, so
 * that SQLite looks for no journal beside it. Its views, triggers, virtual tables and computed columns are not used.
 * Each of its pages is used once, so its size bounds its content. The steps of all queries together are limited. */
#include "points.h"

#include "../base/read.h"
#include "../report/output.h"

#include <math.h>
#include <string.h>

enum { STEPS_AT_ONCE = 100000, STEPS_LEAST = 100000000, STEPS_A_BYTE = 200, VALUE_BYTES = 64 * 1024 * 1024 };

static int report_error(struct sms__points *points)
{
    struct sms_errors *errors = &points->page->errors;
    int code = sqlite3_errcode(points->file);
    if (code == SQLITE_INTERRUPT && points->steps > points->steps_max)
        return sms__fail(errors, SMS_EINPUT, points->page->source,
                         "takes more than %llu steps to read; is it the database of a sweep?",
                         (unsigned long long)points->steps_max);
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
    return points->steps > points->steps_max || (points->page->cancel && atomic_load(points->page->cancel));
}

/* Makes a URI, in which some characters of the path must be escaped. */
static char *make_uri(const char *path)
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
    points->steps_max = STEPS_LEAST + STEPS_A_BYTE * input.size;
    sms__input_close(&input);
    char *uri = make_uri(path);
    if (!uri)
        return SMS_ENOMEM;
    int opened = sqlite3_open_v2(uri, &points->file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    sqlite3_free(uri);
    return opened == SQLITE_OK ? SMS_OK : report_error(points);
}

static void restrict_connection(struct sms__points *points)
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
    /* Temporary views of this connection still work. */
    sqlite3_db_config(points->file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_progress_handler(points->file, STEPS_AT_ONCE, count_steps, points);
}

static int reject_row(struct sms__points *points, sqlite3_stmt *row, void *what)
{
    return sms__fail(&points->page->errors, SMS_EINPUT, points->page->source,
                     "has %s, %.100s; is it the database of a sweep?", (const char *)what,
                     sms__points_text(points, row, 0));
}

static int check_row(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    (void)user;
    const char *result = sms__points_text(points, row, 0);
    if (!strcmp(result, "ok"))
        return SMS_OK;
    return sms__fail(&points->page->errors, SMS_EINPUT, points->page->source, "is damaged: %.200s", result);
}

static int query_sql(struct sms__points *points, const char *sql,
                     int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), const char *what)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, sql);
    return sms__points_query(points, text, row, (void *)(uintptr_t)what);
}

/* Rejects virtual tables, which have no root page, and computed columns, which are hidden. */
static int check_content(struct sms__points *points)
{
    static const char setup[] =
        "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints "
        "= ON;";
    if (sqlite3_exec(points->file, setup, NULL, NULL, NULL) != SQLITE_OK)
        return report_error(points);
    int code = query_sql(points, "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0 LIMIT 1",
                         reject_row, "a virtual table");
    if (code == SMS_OK)
        code =
            query_sql(points,
                      "SELECT m.name || '.' || c.name FROM main.sqlite_master m, pragma_table_xinfo(m.name, 'main') c "
                      "WHERE m.type = 'table' AND c.hidden <> 0 LIMIT 1",
                      reject_row, "a computed column");
    return code == SMS_OK ? query_sql(points, "PRAGMA main.quick_check(1)", check_row, NULL) : code;
}

int sms__points_open(struct sms__points *points, const char *path)
{
    int code = open_file(points, path);
    if (code)
        return code;
    restrict_connection(points);
    return check_content(points);
}

int sms__points_query(struct sms__points *points, sqlite3_str *text,
                      int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), void *user)
{
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_str_finish(text);
    int code = SMS_OK, step = SQLITE_DONE;
    if (!sql)
        return SMS_ENOMEM;
    if (sqlite3_prepare_v2(points->file, sql, -1, &statement, NULL) != SQLITE_OK)
        code = report_error(points);
    sqlite3_free(sql);
    while (code == SMS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        code = row ? row(points, statement, user) : SMS_OK;
    if (code == SMS_OK && step != SQLITE_DONE)
        code = report_error(points);
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
