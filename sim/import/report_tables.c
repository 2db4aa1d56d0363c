/* Queries the tables of a report of Nsight Systems. Which tables and columns there are depends on its version. */
#include "report_tables.h"

#include "../base/sqlite.h"
#include "gzip.h"

#include <string.h>

void sms__report_fail(struct sms__report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sms__verror(report->errors, SMS_EINPUT, (struct sms__mark){.file = report->path}, format, args);
    va_end(args);
    report->code = SMS_EINPUT;
}

enum { ROWS_SHOWN = 4096 };

static void fail_query(struct sms__report *report)
{
    int code = sqlite3_errcode(report->database.file);
    if (sms__untrusted_is_exhausted(&report->database))
        sms__report_fail(report, "takes more than %llu steps to read: it is damaged",
                         (unsigned long long)report->database.steps_max);
    else if (code == SQLITE_NOTADB)
        sms__report_fail(report, "is no SQLite database that can be read (encrypted?)");
    else
        report->code = sms__sqlite_fail(report->database.file, report->path, "",
                                        ": it is damaged; export it again: nsys export --type sqlite REPORT.nsys-rep",
                                        report->errors);
}

/* Rows are handled in a guard, so that the statement is always finalized. */
struct query {
    struct sms__report *report;
    sqlite3_stmt *statement;
    sms__report_row *row;
    void *user;
};

static void show_progress(struct sms__report *report)
{
    report->rows++;
    if (report->watch && report->rows % ROWS_SHOWN == 0 && report->rows < report->all_rows)
        report->watch->show(report->watch->user, report->bytes * report->rows / report->all_rows, report->bytes);
}

static int query_body(void *user)
{
    struct query *query = user;
    int step = SQLITE_ROW;
    while (query->report->code == SMS_OK && (step = sqlite3_step(query->statement)) == SQLITE_ROW) {
        query->row(query->user, query->statement);
        show_progress(query->report);
    }
    if (query->report->code == SMS_OK && step != SQLITE_DONE)
        fail_query(query->report);
    return query->report->code;
}

void sms__report_query(struct sms__report *report, sms__report_row *row, void *user, const char *format, ...)
{
    struct query query = {report, NULL, row, user};
    va_list args;
    if (report->code != SMS_OK)
        return;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    if (!sql)
        report->code = SMS_ENOMEM;
    else if (sqlite3_prepare_v2(report->database.file, sql, -1, &query.statement, NULL) != SQLITE_OK)
        fail_query(report);
    else
        report->code = sms__guard(report->arena, query_body, &query);
    sqlite3_finalize(query.statement);
    sqlite3_free(sql);
}

static void ignore_row(void *user, sqlite3_stmt *row) { (void)user, (void)row; }

static void mark_found(void *found, sqlite3_stmt *row)
{
    (void)row;
    *(bool *)found = true;
}

bool sms__report_has(struct sms__report *report, const char *table, const char *column)
{
    bool found = false;
    sms__report_query(report, mark_found, &found,
                      "SELECT 1 FROM main.sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND "
                      "t.rootpage > 0 AND t.name = %Q AND c.name = coalesce(%Q, c.name) LIMIT 1",
                      table, column);
    return found;
}

void sms__report_find(void *user, sqlite3_stmt *row)
{
    struct sms__report_found *found = user;
    const char *text = sms__report_text(found->report, row, 0);
    found->text = sms__copy(found->report->arena, text, strlen(text));
}

const char *sms__report_named(struct sms__report *report, int64_t number)
{
    struct sms__report_found found = {report, ""};
    sms__report_query(report, sms__report_find, &found, "SELECT value FROM temp.texts WHERE id = %lld",
                      (long long)number);
    return found.text;
}

/* The SQL of a column that may hold numbers of texts. */
static const char *text_column(struct sms__report *report, const char *name)
{
    return sms__print(report->arena,
                      "CASE typeof(\"%s\") WHEN 'integer' THEN (SELECT value FROM temp.texts WHERE id = \"%s\")"
                      " ELSE \"%s\" END",
                      name, name, name);
}

const char *sms__report_column(struct sms__report *report, const char *table, const char *column)
{
    const bool texts = *column == '#' && report->has_texts;
    const char *sql = NULL;
    for (size_t length; *column; column += length) {
        column += strspn(column, "#");
        length = strcspn(column, "#");
        const char *name = sms__copy(report->arena, column, length);
        if (!sms__report_has(report, table, name))
            continue;
        const char *each = texts ? text_column(report, name) : sms__print(report->arena, "\"%s\"", name);
        sql = sql ? sms__print(report->arena, "coalesce(nullif(%s, ''), %s)", sql, each) : each;
    }
    return sql;
}

void sms__report_rows(struct sms__report *report, const struct sms__report_table *table, sms__report_row *row,
                      void *user)
{
    const char *columns = "";
    if (!sms__report_has(report, table->name, NULL))
        return;
    for (int c = 0; c < SMS__REPORT_COLUMNS && table->column[c]; c++) {
        const char *column = sms__report_column(report, table->name, table->column[c]);
        if (report->code == SMS_OK && !column && c < table->required)
            sms__report_fail(report,
                             "the table %s has no column '%s'%s%s%s: this program reads reports up to schema %d",
                             table->name, table->column[c], *report->schema ? " (schema " : "", report->schema,
                             *report->schema ? ")" : "", SMS__REPORT_SCHEMA);
        columns = sms__print(report->arena, "%s%s%s", columns, c ? ", " : "", column ? column : "NULL");
    }
    sms__report_query(report, row, user, "SELECT %s FROM main.\"%w\"", columns, table->name);
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

/* The file, or what it holds if it is compressed. `bytes` is NULL if it is not, and then `head` has its first ones. */
struct contents {
    char *bytes;
    size_t size;
    unsigned char head[100];
    size_t head_size;
};

static int read_contents(struct sms__report *report, struct contents *contents)
{
    struct sms__gzip gzip;
    int code = sms__gzip_open(&gzip, report->path, report->most, report->errors);
    if (code == SMS_OK)
        code = sms__gzip_read(&gzip, contents->head, sizeof contents->head, &contents->head_size, report->errors);
    contents->size = gzip.file_size;
    const bool packed = code == SMS_OK && !gzdirect(gzip.file);
    sms__gzip_close(&gzip);
    if (packed)
        code = sms__plain_bytes(report->arena, report->path, report->most, &contents->bytes, &contents->size,
                                report->errors);
    report->bytes = contents->size;
    return code;
}

/* Explains a file that is no SQLite database, and one that is cut off. The header has the size of a page at byte 16,
 * the number of pages at byte 28 (sqlite.org/fileformat2.html). */
static void check_header(struct sms__report *report, const struct contents *contents)
{
    const unsigned char *head = contents->head;
    uint64_t page = big_endian(head + 16, 2), bytes = (page == 1 ? 65536 : page) * big_endian(head + 28, 4);
    if (contents->head_size == 0)
        sms__report_fail(report, "is empty: export it again: nsys export --type sqlite REPORT.nsys-rep");
    else if (memcmp(head, "SQLite format 3", 16) != 0)
        sms__report_fail(report, "is no SQLite database; make one of a report: nsys export --type sqlite "
                                 "REPORT.nsys-rep");
    else if (contents->size < bytes || contents->head_size < sizeof contents->head)
        sms__report_fail(report,
                         "is cut off: it has %llu of %llu bytes; export it again: nsys export --type sqlite "
                         "REPORT.nsys-rep",
                         (unsigned long long)contents->size, (unsigned long long)(bytes > 100 ? bytes : 100));
}

/* Copies the texts once, cut, because a row for each launch names one: rows times the length of a name would be read
 * otherwise. */
static void copy_texts(struct sms__report *report)
{
    sms__report_query(report, ignore_row, NULL, "PRAGMA temp_store = MEMORY");
    sms__report_query(report, ignore_row, NULL, "CREATE TEMP TABLE texts (id INTEGER PRIMARY KEY, value)");
    report->has_texts = sms__report_has(report, "StringIds", "value");
    if (report->has_texts && sms__report_has(report, "StringIds", "id"))
        sms__report_query(report, ignore_row, NULL,
                          "INSERT OR IGNORE INTO temp.texts SELECT id, CASE WHEN length(CAST(value AS BLOB)) > %d THEN "
                          "CAST(substr(CAST(value AS BLOB), 1, %d) AS TEXT) || '#' || id ELSE value END FROM "
                          "main.StringIds WHERE typeof(id) = 'integer'",
                          SMS__REPORT_TEXT, SMS__REPORT_TEXT);
}

struct reading {
    struct sms__report *report;
    void (*body)(void *user);
    void *user;
};

static int read_body(void *user)
{
    struct reading *reading = user;
    copy_texts(reading->report);
    reading->body(reading->user);
    return reading->report->code;
}

int sms__report_read(struct sms__report *report, void (*body)(void *user), void *user)
{
    struct reading reading = {report, body, user};
    struct contents contents = {.size = 0};
    report->code = read_contents(report, &contents);
    if (report->code == SMS_OK)
        check_header(report, &contents);
    if (report->code == SMS_OK)
        report->code = contents.bytes ? sms__untrusted_open_bytes(&report->database, report->path, contents.bytes,
                                                                  contents.size, report->errors)
                                      : sms__untrusted_open(&report->database, report->path, report->errors);
    if (report->code == SMS_OK)
        report->code = sms__guard(report->arena, read_body, &reading);
    sqlite3_close(report->database.file);
    return report->code;
}
