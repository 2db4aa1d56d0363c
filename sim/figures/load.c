/* Reads CSV files of a results folder into tables of a database in memory. */
#define _GNU_SOURCE
#include "figures.h"

#include "../report/output.h"

#include "../base/escape.h"
#include "../base/read.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CSV_MIB = 4096, BLOCK_BYTES = 65536, COLUMNS_MOST = 1000, JSON_MIB = 512 };

/* State of the reader of one file. */
struct reader {
    struct sms__figures *figures;
    const char *path, *table;
    sqlite3_str *columns; /* the table's definition, while the header is read */
    sqlite3_stmt *insert;
    bool text[COLUMNS_MOST]; /* of each column */
    int width, cell;         /* fields of the header, and of the current line so far */
    size_t line;
    bool failed;
};

static void complain(struct reader *reader, const char *what)
{
    if (!reader->failed)
        sms__fail(&reader->figures->errors, SMS_EINPUT, reader->path, "line %zu: %s", reader->line, what);
    reader->failed = true;
}

static void check(struct reader *reader, bool ok)
{
    if (!ok && !reader->failed)
        sms__figures_error(reader->figures, reader->path);
    reader->failed |= !ok;
}

/* Columns of names; all others are of numbers. */
static bool is_text(const char *column)
{
    static const char *const names[] = {"scenario", "policy",  "host",  "vm",       "process", "device", "resource",
                                        "kernel",   "cluster", "node",  "gpus",     "pod",     "state",  "ended",
                                        "subject",  "name",    "model", "interval", "metric"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], column))
            return true;
    return false;
}

static void take_header(struct reader *reader, const char *text)
{
    if (reader->cell > COLUMNS_MOST) {
        complain(reader, "has too many columns");
        return;
    }
    reader->text[reader->cell - 1] = is_text(text);
    sqlite3_str_appendf(reader->columns, "%s\"%w\" %s", reader->cell > 1 ? ", " : "", text,
                        is_text(text) ? "TEXT" : "REAL");
}

static void take_number(struct reader *reader, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (*end || !isfinite(value))
        complain(reader, "a number is malformed");
    else
        check(reader, sqlite3_bind_double(reader->insert, reader->cell, value) == SQLITE_OK);
}

static void take_field(void *bytes, size_t length, void *user)
{
    struct reader *reader = user;
    const char *text = bytes;
    reader->cell++;
    if (reader->failed)
        return;
    if (length >= SMS__FIELD_BYTES || !sms__is_printable(text, length))
        complain(reader, "a field is too long, is not UTF-8, or holds control characters");
    else if (reader->line == 1)
        take_header(reader, text);
    else if (reader->cell > reader->width)
        complain(reader, "has not as many fields as the first line");
    else if (reader->text[reader->cell - 1])
        check(reader,
              sqlite3_bind_text(reader->insert, reader->cell, text, (int)length, SQLITE_TRANSIENT) == SQLITE_OK);
    else if (length)
        take_number(reader, text);
}

/* Creates the table, and prepares the statement that fills it. */
static void end_header(struct reader *reader)
{
    sqlite3 *file = reader->figures->file;
    char *columns = sqlite3_str_finish(reader->columns);
    reader->columns = NULL;
    reader->width = reader->cell;
    char *create = sqlite3_mprintf("CREATE TABLE %s (%s)", reader->table, columns ? columns : "");
    sqlite3_str *insert = sqlite3_str_new(file);
    sqlite3_str_appendf(insert, "INSERT INTO %s VALUES (?", reader->table);
    for (int i = 1; i < reader->width; i++)
        sqlite3_str_appendall(insert, ",?");
    sqlite3_str_appendall(insert, ")");
    char *text = sqlite3_str_finish(insert);
    if (columns && create && text)
        check(reader, sqlite3_exec(file, create, NULL, NULL, NULL) == SQLITE_OK &&
                          sqlite3_prepare_v2(file, text, -1, &reader->insert, NULL) == SQLITE_OK);
    else
        reader->failed = true;
    sqlite3_free(columns);
    sqlite3_free(create);
    sqlite3_free(text);
}

static void take_line(int end, void *user)
{
    struct reader *reader = user;
    (void)end;
    if (!reader->failed && reader->line == 1)
        end_header(reader);
    else if (!reader->failed && reader->cell != reader->width)
        complain(reader, "has not as many fields as the first line");
    else if (!reader->failed)
        check(reader, sqlite3_step(reader->insert) == SQLITE_DONE && sqlite3_reset(reader->insert) == SQLITE_OK &&
                          sqlite3_clear_bindings(reader->insert) == SQLITE_OK);
    reader->line++;
    reader->cell = 0;
}

static int parse(struct reader *reader, struct csv_parser *parser, struct sms__input *input)
{
    char bytes[BLOCK_BYTES];
    ssize_t n = 0;
    bool whole = true;
    while (whole && !reader->failed && (n = sms__input_read(input, bytes, sizeof bytes)) > 0)
        whole = csv_parse(parser, bytes, (size_t)n, take_field, take_line, reader) == (size_t)n;
    if (n < 0)
        return sms__fail(&reader->figures->errors, SMS_EIO, reader->path, "cannot be read: %s", strerror(errno));
    whole = whole && (reader->failed || csv_fini(parser, take_field, take_line, reader) == 0);
    if (!whole && csv_error(parser) == CSV_ENOMEM)
        return SMS_ENOMEM;
    if (!whole)
        complain(reader, "is not CSV");
    if (reader->line < 2)
        complain(reader, "is empty");
    return !reader->failed ? SMS_OK : reader->figures->errors.count ? SMS_EINPUT : SMS_ENOMEM;
}

int sms__csv_load(struct sms__figures *figures, const char *path, const char *table)
{
    struct csv_parser parser;
    struct sms__input input;
    int code = sms__input_open(path, (uint64_t)CSV_MIB << 20, &input, &figures->errors);
    if (code)
        return code;
    struct reader reader = {.figures = figures, .path = path, .table = table, .line = 1};
    reader.columns = sqlite3_str_new(figures->file);
    code = csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) ? SMS_ENOMEM : SMS_OK;
    csv_set_blk_size(&parser, BLOCK_BYTES); /* bounds the memory of a field without end */
    if (code == SMS_OK)
        code = parse(&reader, &parser, &input);
    sqlite3_finalize(reader.insert);
    sqlite3_free(sqlite3_str_finish(reader.columns));
    csv_free(&parser);
    sms__input_close(&input);
    return code;
}

/* The questions and bounds are in comparison.json, which becomes one field. */
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
    static const char *const tables[] = {"hosts",   "vms",   "resources", "heatmap",    "timeline",  "processes",
                                         "devices", "spans", "cluster",   "allocation", "placements"};
    struct sms__arena *arena = &figures->arena;
    int code = SMS_OK;
    size_t loaded = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && code == SMS_OK; i++) {
        const char *path = sms__print(arena, "%s/%s.csv", figures->source, tables[i]);
        if (access(path, F_OK) == 0) {
            code = sms__csv_load(figures, path, tables[i]);
            loaded++;
        }
    }
    if (code == SMS_OK && loaded == 0)
        return sms__fail(&figures->errors, SMS_EIO, figures->source,
                         "has no results; is this a folder of 'smsched run --out' or of a sweep?");
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
    return sms__csv_load(figures, figures->source, "comparison");
}
