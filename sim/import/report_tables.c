/* Queries the tables of a report of Nsight Systems. Which tables and columns there are depends on its version. */
#include "report_tables.h"

#include "../base/read.h"

#include <string.h>

static int fail_query(struct sms__report *report)
{
    int code = sqlite3_errcode(report->database.file);
    if (code == SQLITE_NOMEM)
        return SMS_ENOMEM;
    if (sms__untrusted_is_exhausted(&report->database))
        return sms__fail(report->errors, SMS_EINPUT, report->path, "takes more than %llu steps to read: it is damaged",
                         (unsigned long long)report->database.steps_max);
    if (code == SQLITE_NOTADB)
        return sms__fail(report->errors, SMS_EINPUT, report->path,
                         "is no SQLite database that can be read (encrypted?)");
    return sms__fail(report->errors, code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? SMS_EIO : SMS_EINPUT,
                     report->path, "is damaged: %.200s; export it again: nsys export --type sqlite REPORT.nsys-rep",
                     sqlite3_errmsg(report->database.file));
}

/* Prepares SQL, which is freed. */
static int prepare(struct sms__report *report, sqlite3_str *text, sqlite3_stmt **statement)
{
    char *sql = sqlite3_str_finish(text);
    if (!sql)
        return SMS_ENOMEM;
    int prepared = sqlite3_prepare_v2(report->database.file, sql, -1, statement, NULL);
    sqlite3_free(sql);
    return prepared == SQLITE_OK ? SMS_OK : fail_query(report);
}

/* Rows are handled in a guard, so that the statement is always finalized. */
struct query {
    struct sms__report *report;
    sqlite3_stmt *statement;
    sms__report_row *row;
    void *user;
};

static int query_body(void *user)
{
    struct query *query = user;
    int code = SMS_OK, step = SQLITE_DONE;
    while (code == SMS_OK && (step = sqlite3_step(query->statement)) == SQLITE_ROW)
        code = query->row(query->user, query->statement);
    return code == SMS_OK && step != SQLITE_DONE ? fail_query(query->report) : code;
}

int sms__report_query(struct sms__report *report, sqlite3_str *text, sms__report_row *row, void *user)
{
    struct query query = {report, NULL, row, user};
    int code = prepare(report, text, &query.statement);
    if (code == SMS_OK)
        code = sms__guard(report->arena, query_body, &query);
    sqlite3_finalize(query.statement);
    return code;
}

static int mark_found(void *found, sqlite3_stmt *row)
{
    (void)row;
    *(bool *)found = true;
    return SMS_OK;
}

int sms__report_has(struct sms__report *report, const char *table, const char *column, bool *found)
{
    sqlite3_str *text = sqlite3_str_new(report->database.file);
    *found = false;
    if (column)
        sqlite3_str_appendf(text, "SELECT 1 FROM pragma_table_info(%Q) WHERE name = %Q", table, column);
    else
        sqlite3_str_appendf(
            text, "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = %Q", table);
    return sms__report_query(report, text, mark_found, found);
}

/* Appends the table's columns to a query, NULL for those that it lacks. */
static int append_columns(struct sms__report *report, const struct sms__report_table *table, sqlite3_str *text)
{
    int code = SMS_OK;
    for (int c = 0; code == SMS_OK && c < SMS__REPORT_COLUMNS && table->column[c]; c++) {
        bool found = false;
        code = sms__report_has(report, table->name, table->column[c], &found);
        if (code == SMS_OK && !found && c < table->required)
            code = sms__fail(report->errors, SMS_EINPUT, report->path,
                             "the table %s has no column '%s'%s%s%s: this program reads reports up to schema %d",
                             table->name, table->column[c], *report->schema ? " (schema " : "", report->schema,
                             *report->schema ? ")" : "", SMS__REPORT_SCHEMA);
        sqlite3_str_appendf(text, found ? "%s\"%w\"" : "%sNULL", c ? ", " : "", table->column[c]);
    }
    return code;
}

int sms__report_read(struct sms__report *report, const struct sms__report_table *table, sms__report_row *row,
                     void *user)
{
    bool found;
    int code = sms__report_has(report, table->name, NULL, &found);
    if (code != SMS_OK || !found)
        return code;
    sqlite3_str *text = sqlite3_str_new(report->database.file);
    sqlite3_str_appendall(text, "SELECT ");
    code = append_columns(report, table, text);
    sqlite3_str_appendf(text, " FROM main.\"%w\"", table->name);
    if (code == SMS_OK)
        return sms__report_query(report, text, row, user);
    sqlite3_free(sqlite3_str_finish(text));
    return code;
}

int64_t sms__report_whole(sqlite3_stmt *row, int column, int64_t missing)
{
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER)
        return missing;
    int64_t value = sqlite3_column_int64(row, column);
    return value >= 0 && value <= INT64_C(1) << 53 ? value : missing;
}

const char *sms__report_text(struct sms__report *report, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (!text && sqlite3_errcode(report->database.file) == SQLITE_NOMEM)
        sms__arena_give_up(report->arena);
    return text ? text : "";
}

static uint64_t big_endian(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Explains a file that is no SQLite database, and one that is cut off. The header has the size of a page at byte 16,
 * the number of pages at byte 28 (sqlite.org/fileformat2.html). */
static int check_header(const char *path, struct sms_errors *errors)
{
    struct sms__input input;
    unsigned char head[100] = {0};
    int code = sms__input_open(path, INT64_MAX, &input, errors);
    if (code)
        return code;
    ssize_t size = sms__input_read(&input, head, sizeof head);
    sms__input_close(&input);
    if (size < 0)
        return sms__fail(errors, SMS_EIO, path, "cannot be read");
    if (size == 0)
        return sms__fail(errors, SMS_EINPUT, path,
                         "is empty: export it again: nsys export --type sqlite REPORT.nsys-rep");
    if (head[0] == 0x1f && head[1] == 0x8b)
        return sms__fail(errors, SMS_EINPUT, path, "is compressed: unpack it with gunzip");
    if (memcmp(head, "SQLite format 3", 16) != 0)
        return sms__fail(errors, SMS_EINPUT, path,
                         "is no SQLite database; make one of a report: nsys export --type sqlite REPORT.nsys-rep");
    uint64_t page = big_endian(head + 16, 2), bytes = (page == 1 ? 65536 : page) * big_endian(head + 28, 4);
    if (input.size < bytes || size < (ssize_t)sizeof head)
        return sms__fail(errors, SMS_EINPUT, path,
                         "is cut off: it has %llu of %llu bytes; export it again: nsys export --type sqlite "
                         "REPORT.nsys-rep",
                         (unsigned long long)input.size, (unsigned long long)(bytes > 100 ? bytes : 100));
    return SMS_OK;
}

int sms__report_open(struct sms__report *report)
{
    int code = check_header(report->path, report->errors);
    return code ? code : sms__untrusted_open(&report->database, report->path, report->errors);
}
