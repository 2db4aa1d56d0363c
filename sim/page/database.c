#include "points.h"

#include "../report/output.h"

#include <math.h>
#include <string.h>

static int complain(struct sms__points *points)
{
    int code = sqlite3_errcode(points->file);
    if (code == SQLITE_INTERRUPT)
        return SMS_ECANCELED;
    if (code == SQLITE_NOMEM)
        return SMS_ENOMEM;
    return sms__fail(&points->page->errors, code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? SMS_EIO : SMS_EINPUT,
                     points->page->source, "%s; is it the database of a sweep?", sqlite3_errmsg(points->file));
}

static int stop(void *user) { return atomic_load((const atomic_bool *)user); }

int sms__points_open(struct sms__points *points, const char *path)
{
    static const char setup[] = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;";
    if (sqlite3_open_v2(path, &points->file, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return complain(points);
    sqlite3_db_config(points->file, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (points->page->cancel)
        sqlite3_progress_handler(points->file, 100000, stop, (void *)(uintptr_t)points->page->cancel);
    return sqlite3_exec(points->file, setup, NULL, NULL, NULL) == SQLITE_OK ? SMS_OK : complain(points);
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
