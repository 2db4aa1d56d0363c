/* Opens and queries a sweep's database, which may come from anywhere and hold anything. It is opened as immutable, so
 * that SQLite looks for no journal beside it. Its views, triggers, virtual tables and computed columns are not used.
 * Each of its pages is used once, so its size bounds its content. The steps of all queries together are limited. */
#include "query.h"

#include "../base/read.h"
#include "../report/output.h"

#include <math.h>
#include <string.h>

enum { STEPS_AT_ONCE = 100000, STEPS_LEAST = 100000000, STEPS_A_BYTE = 200, VALUE_BYTES = 64 * 1024 * 1024 };

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
    return opened == SQLITE_OK ? SMS_OK : sms__points_error(points);
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

/* Rejects virtual tables, which have no root page, and computed columns, which are hidden. */
static int check_content(struct sms__points *points)
{
    static const char setup[] =
        "PRAGMA temp_store = FILE; PRAGMA temp.cache_size = -65536; PRAGMA cell_size_check = ON; "
        "PRAGMA ignore_check_constraints = ON;";
    if (sqlite3_exec(points->file, setup, NULL, NULL, NULL) != SQLITE_OK)
        return sms__points_error(points);
    int code = sms__query_run(points, NULL,
                              "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0 LIMIT 1",
                              reject_row, (void *)(uintptr_t) "a virtual table");
    if (code == SMS_OK)
        code = sms__query_run(
            points, NULL,
            "SELECT m.name || '.' || c.name FROM main.sqlite_master m, pragma_table_xinfo(m.name, 'main') c "
            "WHERE m.type = 'table' AND c.hidden <> 0 LIMIT 1",
            reject_row, (void *)(uintptr_t) "a computed column");
    return code == SMS_OK ? sms__query_run(points, NULL, "PRAGMA main.quick_check(1)", check_row, NULL) : code;
}

int sms__points_open(struct sms__points *points, const char *path)
{
    int code = open_file(points, path);
    if (code)
        return code;
    restrict_connection(points);
    return check_content(points);
}
