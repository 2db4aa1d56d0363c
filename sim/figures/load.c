/* Reads CSV files of a results folder into tables of a database in memory. */
#define _GNU_SOURCE
#include "figures.h"

#include "../report/output.h"

#include "../base/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COLUMNS_MOST = 1000,
    FIELD_BYTES = 16384 /* SMs of a part, of which there may be many ranges */,
    JSON_MIB = 512
};

struct table {
    struct sms__figures *figures;
    const char *name;
    sqlite3_str *columns, *values; /* of the table's definition, and of the insertion, while the header is read */
    sqlite3_stmt *insert;
    bool text[COLUMNS_MOST]; /* of each column */
};

static void check(struct sms__csv *csv, bool ok)
{
    if (!ok && csv->code == SMS_OK)
        csv->code = sms__figures_error(((struct table *)csv->user)->figures, csv->path);
}

/* Columns of names; all others are of numbers. */
static bool is_text(const char *column)
{
    static const char *const names[] = {"scenario", "policy",  "host",    "vm",    "process",  "device", "resource",
                                        "class",    "kernel",  "cluster", "node",  "gpus",     "pod",    "state",
                                        "ended",    "subject", "name",    "model", "interval", "metric", "ranges"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], column))
            return true;
    return false;
}

static void take_field(struct sms__csv *csv, const char *text, size_t length)
{
    struct table *table = csv->user;
    char *end;
    if (csv->column > COLUMNS_MOST) {
        sms__csv_complain(csv, "has too many columns");
        return;
    }
    bool *names = &table->text[csv->column - 1];
    double value = strtod(text, &end);
    if (csv->line == 1) {
        *names = is_text(text);
        sqlite3_str_appendf(table->columns, "%s\"%w\" %s", csv->column > 1 ? ", " : "", text, *names ? "TEXT" : "REAL");
        sqlite3_str_appendall(table->values, csv->column > 1 ? ",?" : "?");
    } else if (*names)
        check(csv, sqlite3_bind_text(table->insert, csv->column, text, (int)length, SQLITE_TRANSIENT) == SQLITE_OK);
    else if (length && (*end || !isfinite(value)))
        sms__csv_complain(csv, "a number is malformed");
    else if (length)
        check(csv, sqlite3_bind_double(table->insert, csv->column, value) == SQLITE_OK);
}

/* Creates the table, and prepares the statement that fills it. */
static void end_header(struct sms__csv *csv)
{
    struct table *table = csv->user;
    sqlite3 *file = table->figures->file;
    char *columns = sqlite3_str_finish(table->columns), *values = sqlite3_str_finish(table->values);
    char *create = sqlite3_mprintf("CREATE TABLE %s (%s)", table->name, columns);
    char *insert = sqlite3_mprintf("INSERT INTO %s VALUES (%s)", table->name, values);
    table->columns = table->values = NULL;
    if (!columns || !values || !create || !insert)
        csv->code = SMS_ENOMEM;
    else
        check(csv, sqlite3_exec(file, create, NULL, NULL, NULL) == SQLITE_OK &&
                       sqlite3_prepare_v2(file, insert, -1, &table->insert, NULL) == SQLITE_OK);
    sqlite3_free(columns);
    sqlite3_free(values);
    sqlite3_free(create);
    sqlite3_free(insert);
}

static void take_line(struct sms__csv *csv)
{
    const struct table *table = csv->user;
    if (csv->line == 1)
        end_header(csv);
    else
        check(csv, sqlite3_step(table->insert) == SQLITE_DONE && sqlite3_reset(table->insert) == SQLITE_OK &&
                       sqlite3_clear_bindings(table->insert) == SQLITE_OK);
}

static int load_table(struct sms__figures *figures, const char *path, const char *name)
{
    struct table table = {figures, name, sqlite3_str_new(figures->file), sqlite3_str_new(figures->file), NULL, {0}};
    struct sms__csv csv = {path, &figures->errors, &table, take_field, take_line, FIELD_BYTES, 0, 0, 0, SMS_OK};
    int code = sms__csv_read(&csv);
    if (code == SMS_OK && csv.line < 2)
        code = sms__fail(&figures->errors, SMS_EINPUT, path, "line 1: is empty");
    sqlite3_finalize(table.insert);
    sqlite3_free(sqlite3_str_finish(table.columns));
    sqlite3_free(sqlite3_str_finish(table.values));
    return code;
}

/* The questions and bounds are in comparison.json, advice is in advice.json. Either becomes one field. */
static int load_json(struct sms__figures *figures, const char *path)
{
    char *bytes;
    size_t size;
    sqlite3_stmt *insert = NULL;
    int code = sms__file_bytes(&figures->arena, path, (uint64_t)JSON_MIB << 20, &bytes, &size, &figures->errors);
    if (code)
        return code;
    bool ok = sqlite3_prepare_v2(figures->file, "INSERT INTO answers SELECT ?1 WHERE json_valid(?1)", -1, &insert,
                                 NULL) == SQLITE_OK &&
              sqlite3_bind_text64(insert, 1, bytes, size, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK &&
              sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_finalize(insert);
    if (!ok)
        return sms__figures_error(figures, path);
    return sqlite3_changes(figures->file) ? SMS_OK : sms__fail(&figures->errors, SMS_EINPUT, path, "is not JSON");
}

static int load_folder(struct sms__figures *figures)
{
    static const char *const tables[] = {"hosts",      "vms",        "resources", "heatmap", "timeline",
                                         "processes",  "devices",    "spans",     "parts",   "cluster",
                                         "allocation", "placements", "latencies", "classes"};
    struct sms__arena *arena = &figures->arena;
    int code = SMS_OK;
    size_t loaded = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && code == SMS_OK; i++) {
        const char *path = sms__print(arena, "%s/%s.csv", figures->source, tables[i]);
        if (access(path, F_OK) == 0) {
            code = load_table(figures, path, tables[i]);
            loaded++;
        }
    }
    const char *advice = sms__print(arena, "%s/advice.json", figures->source);
    if (code == SMS_OK && loaded == 0 && access(advice, F_OK) == 0)
        return load_json(figures, advice);
    if (code == SMS_OK && loaded == 0)
        return sms__fail(&figures->errors, SMS_EINPUT, figures->source,
                         "has no results; is this a folder of 'smsched run --out', of advice or of a sweep?");
    const char *json = sms__print(arena, "%s/comparison.json", figures->source);
    return code || access(json, F_OK) ? code : load_json(figures, json);
}

static int is_cancelled(void *cancel) { return atomic_load((atomic_bool *)cancel); }

int sms__figures_load(struct sms__figures *figures)
{
    struct stat status;
    if (sqlite3_open(":memory:", &figures->file) != SQLITE_OK ||
        sqlite3_exec(figures->file, "BEGIN; CREATE TABLE answers (text)", NULL, NULL, NULL) != SQLITE_OK)
        return sms__figures_error(figures, figures->source);
    sqlite3_progress_handler(figures->file, 100000, is_cancelled, figures->cancel);
    if (stat(figures->source, &status) == 0 && S_ISDIR(status.st_mode))
        return load_folder(figures);
    return load_table(figures, figures->source, "comparison");
}
