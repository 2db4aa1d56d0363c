/* Opens and checks a sweep's database, which may come from anywhere and hold anything. Its views, triggers, virtual
 * tables and computed columns are not used. */
#include "query.h"

#include "../report/output.h"

#include <string.h>

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
    points->database.cancel = points->page->cancel;
    int code = sms__untrusted_open(&points->database, path, &points->page->errors);
    points->file = points->database.file;
    return code ? code : check_content(points);
}
