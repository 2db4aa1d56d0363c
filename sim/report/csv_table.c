/* Tables of a database from the CSV files of a results folder, for the queries of pages and figures. */
#include "output.h"

#include "../base/sqlite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 1000, FIELD_BYTES = 16384 /* SMs of a part, of which there may be many ranges */ };

struct filling {
    sqlite3 *file;
    const char *table;
    bool declared;      /* the table is there already */
    sqlite3_str *names; /* of the columns that are kept, while the first line is read */
    sqlite3_str *marks; /* of their values in the insertion */
    sqlite3_stmt *insert;
    struct {
        bool kept, text;
    } column[COLUMNS_MOST];
};

static void check(struct sms__csv *csv, bool ok)
{
    sqlite3 *file = ((const struct filling *)csv->user)->file;
    const int code = ok ? SQLITE_OK : sqlite3_errcode(file);
    if (code == SQLITE_NOMEM || code == SQLITE_INTERRUPT)
        csv->code = code == SQLITE_NOMEM ? SMS_ENOMEM : SMS_ECANCELED;
    else if (!ok)
        sms__csv_complain(csv, 1, sqlite3_errmsg(file));
}

/* Columns of names; all others are of numbers. */
static bool is_text(const char *column)
{
    static const char *const names[] = {"scenario", "policy", "host",   "vm",      "process", "device",
                                        "resource", "class",  "kernel", "cluster", "node",    "gpus",
                                        "pod",      "state",  "ended",  "subject", "name",    "model",
                                        "interval", "metric", "ranges", "reason"};
    const size_t count = sizeof names / sizeof *names;
    return sms__find_name(column, count, sms__text_at, names) < count;
}

static void take_name(struct sms__csv *csv, const char *name)
{
    struct filling *filling = csv->user;
    const bool text = is_text(name);
    const bool kept = !filling->declared || sqlite3_table_column_metadata(filling->file, "main", filling->table, name,
                                                                          NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
    const char *between = sqlite3_str_length(filling->names) ? ", " : "";
    filling->column[csv->column - 1].kept = kept;
    filling->column[csv->column - 1].text = text;
    if (kept) {
        sqlite3_str_appendf(filling->names, "%s\"%w\"%s", between, name,
                            filling->declared ? ""
                            : text            ? " TEXT"
                                              : " REAL");
        sqlite3_str_appendf(filling->marks, "%s?%d", between, csv->column);
    }
}

static void take_field(struct sms__csv *csv, const char *text, size_t length)
{
    struct filling *filling = csv->user;
    const size_t i = (size_t)csv->column - 1;
    char *end;
    const double value = strtod(text, &end);
    if (csv->column > COLUMNS_MOST)
        sms__csv_complain(csv, 1, "has too many columns");
    else if (csv->rows == 0)
        take_name(csv, text);
    else if (!filling->column[i].kept || (!length && !(filling->column[i].text && !filling->declared)))
        return;
    else if (filling->column[i].text)
        check(csv, !sqlite3_bind_text(filling->insert, csv->column, text, (int)length, SQLITE_TRANSIENT));
    else if (*end || !isfinite(value))
        sms__csv_complain(csv, csv->column, "a number is malformed");
    else
        check(csv, !sqlite3_bind_double(filling->insert, csv->column, value));
}

/* Creates the table, unless it is declared, and prepares the statement that fills it. */
static void end_header(struct sms__csv *csv)
{
    struct filling *filling = csv->user;
    if (!sqlite3_str_errcode(filling->names) && !sqlite3_str_length(filling->names))
        sms__csv_complain(csv, 1, "has none of its columns");
    char *names = sqlite3_str_finish(filling->names), *marks = sqlite3_str_finish(filling->marks);
    char *create = sqlite3_mprintf("CREATE TABLE %s (%s)", filling->table, names);
    filling->names = filling->marks = NULL;
    if (csv->code == SMS_OK && (!names || !marks || !create))
        csv->code = SMS_ENOMEM;
    if (csv->code == SMS_OK)
        check(csv, filling->declared || sqlite3_exec(filling->file, create, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_free(create);
    char *insert = filling->declared ? sqlite3_mprintf("INSERT INTO %s (%s) VALUES (%s)", filling->table, names, marks)
                                     : sqlite3_mprintf("INSERT INTO %s VALUES (%s)", filling->table, marks);
    if (csv->code == SMS_OK && !insert)
        csv->code = SMS_ENOMEM;
    if (csv->code == SMS_OK)
        check(csv, !sqlite3_prepare_v2(filling->file, insert, -1, &filling->insert, NULL));
    sqlite3_free(insert);
    sqlite3_free(names);
    sqlite3_free(marks);
}

static void take_line(struct sms__csv *csv)
{
    const struct filling *filling = csv->user;
    if (csv->rows == 0)
        end_header(csv);
    else
        check(csv, sqlite3_step(filling->insert) == SQLITE_DONE && sqlite3_reset(filling->insert) == SQLITE_OK &&
                       sqlite3_clear_bindings(filling->insert) == SQLITE_OK);
}

int sms__csv_table(sqlite3 *file, const char *path, const char *table, struct sms_errors *errors)
{
    struct filling filling = {.file = file, .table = table};
    filling.declared = !sqlite3_table_column_metadata(file, "main", table, NULL, NULL, NULL, NULL, NULL, NULL);
    filling.names = sqlite3_str_new(file);
    filling.marks = sqlite3_str_new(file);
    struct sms__csv csv = {
        .path = path, .errors = errors, .user = &filling, .field = take_field, .row = take_line, .most = FIELD_BYTES};
    int code = sms__csv_read(&csv);
    if (code == SMS_OK && csv.rows < 1)
        code = sms__fail(errors, SMS_EINPUT, path, "is empty");
    sqlite3_finalize(filling.insert);
    sqlite3_free(sqlite3_str_finish(filling.names));
    sqlite3_free(sqlite3_str_finish(filling.marks));
    return code;
}
