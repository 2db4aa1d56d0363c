/* Pictures of a run: timelines, heat maps, allocation. Its CSV files become tables of a database in memory, and SQL
 * makes JSON of them. page/tables.sql has the tables and what each line must meet, page/pictures.sql the queries. */
#include "points.h"

#include "../base/read.h"
#include "../base/sqlite.h"
#include "../report/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 100000 };

struct pictures {
    struct sms__page *page;
    const char *folder;
    sqlite3 *file;
};

/* Runs SQL up to its end, and calls `row` for each row. SMS_ECANCELED and SMS_ENOMEM add no error. */
static int run_sql(struct pictures *pictures, const char *sql, int (*row)(struct pictures *pictures, sqlite3_stmt *row))
{
    sqlite3_stmt *statement = NULL;
    int code = SMS_OK, step = SQLITE_DONE;
    while (code == SMS_OK && step == SQLITE_DONE && *sql) {
        step = sqlite3_prepare_v2(pictures->file, sql, -1, &statement, &sql) ? SQLITE_ERROR : SQLITE_DONE;
        while (step != SQLITE_ERROR && statement && code == SMS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
            code = row ? row(pictures, statement) : SMS_OK;
        sqlite3_finalize(statement);
    }
    if (code || step == SQLITE_DONE)
        return code;
    if (sqlite3_errcode(pictures->file) == SQLITE_INTERRUPT)
        return SMS_ECANCELED;
    return sms__sqlite_fail(pictures->file, pictures->folder, "", "", &pictures->page->errors);
}

static int run_file(struct pictures *pictures, const char *name,
                    int (*row)(struct pictures *pictures, sqlite3_stmt *row))
{
    struct sms__page *page = pictures->page;
    const char *text, *path = sms__print(&page->arena, "%s/page/%s", page->share, name);
    if (access(path, R_OK))
        return sms__fail(&page->errors, SMS_EIO, path, "cannot be read: %s", strerror(errno));
    int code = sms__file_text(&page->arena, path, &text, &page->errors);
    return code ? code : run_sql(pictures, text, row);
}

/* A row of the list of tables. */
static int read_table(struct pictures *pictures, sqlite3_stmt *row)
{
    struct sms__page *page = pictures->page;
    const char *name = (const char *)sqlite3_column_text(row, 0);
    if (!name)
        return SMS_ENOMEM;
    name = sms__copy(&page->arena, name, strlen(name));
    const char *path = sms__print(&page->arena, "%s/%s.csv", pictures->folder, name);
    return access(path, F_OK) ? SMS_OK : sms__csv_table(pictures->file, path, name, &page->errors);
}

/* ---- JSON ---- */

static int take_result(struct pictures *pictures, sqlite3_stmt *row)
{
    struct sms__page *page = pictures->page;
    const char *key = (const char *)sqlite3_column_text(row, 0), *text = (const char *)sqlite3_column_text(row, 1);
    if (!key || !text)
        return SMS_ENOMEM;
    if (!strcmp(key, "error"))
        return sms__fail(&page->errors, SMS_EINPUT, pictures->folder, "%s", text);
    if (!strcmp(key, "note"))
        return sms__page_note(page, "%s", text), SMS_OK;
    return json_object_set_new(page->data, key, json_loads(text, 0, NULL)) ? SMS_ENOMEM : SMS_OK;
}

int sms__page_read_pictures(struct sms__page *page, const char *folder)
{
    struct pictures pictures = {.page = page, .folder = folder};
    int code = sqlite3_open(":memory:", &pictures.file) || !sms__add_aggregates(pictures.file) ? SMS_ENOMEM : SMS_OK;
    if (code == SMS_OK)
        sqlite3_progress_handler(pictures.file, STEP, sms__sqlite_is_cancelled, (void *)(uintptr_t)page->cancel);
    code = code ? code : run_file(&pictures, "tables.sql", NULL);
    code = code ? code : run_sql(&pictures, "BEGIN", NULL);
    code = code ? code : run_sql(&pictures, "SELECT name FROM sqlite_master ORDER BY rowid", read_table);
    code = code ? code : run_file(&pictures, "pictures.sql", take_result);
    sqlite3_close(pictures.file);
    return code;
}
