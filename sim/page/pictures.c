/* Pictures of a run: timelines, heat maps, allocation. Its CSV files become tables of a database in memory, and SQL
 * makes JSON of them. page/tables.sql has the tables and what each line must meet, page/pictures.sql the queries. */
#include "page.h"

#include "../base/escape.h"
#include "../base/read.h"
#include "../report/output.h"

#include <csv.h>
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

enum { CSV_MIB = 4096, BLOCK_BYTES = 65536, FIELD_BYTES = 4096, COLUMNS = 64, STEP = 100000 };

struct pictures {
    struct sms__page *page;
    const char *folder;
    sqlite3 *file;
    int code;
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
    int error = sqlite3_errcode(pictures->file);
    if (code || step == SQLITE_DONE)
        return code;
    if (error == SQLITE_INTERRUPT || error == SQLITE_NOMEM)
        return error == SQLITE_NOMEM ? SMS_ENOMEM : SMS_ECANCELED;
    return sms__fail(&pictures->page->errors, SMS_EINPUT, pictures->folder, "%s", sqlite3_errmsg(pictures->file));
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

/* ---- CSV files ---- */

struct reader {
    struct pictures *pictures;
    const char *path, *table;
    sqlite3_stmt *insert;
    int parameter[COLUMNS]; /* of each column of the file; 0: the table has no such column */
    int cell, width;
    size_t line;
};

static void complain(struct reader *reader, const char *what)
{
    if (reader->pictures->code == SMS_OK)
        reader->pictures->code =
            sms__fail(&reader->pictures->page->errors, SMS_EINPUT, reader->path, "line %zu: %s", reader->line, what);
}

static void take_field(void *bytes, size_t length, void *user)
{
    struct reader *reader = user;
    int cell = reader->cell++;
    if (reader->pictures->code)
        return;
    if (cell >= COLUMNS || length >= FIELD_BYTES || !sms__is_printable(bytes, length)) {
        complain(reader, "a field is too long, is not UTF-8, or holds control characters");
        return;
    }
    if (reader->line == 1) {
        const char *name = sms__print(&reader->pictures->page->arena, ":%s", (const char *)bytes);
        reader->parameter[cell] = sqlite3_bind_parameter_index(reader->insert, name);
    } else if (reader->parameter[cell] && length &&
               sqlite3_bind_text(reader->insert, reader->parameter[cell], bytes, (int)length, SQLITE_TRANSIENT))
        reader->pictures->code = SMS_ENOMEM;
}

static void take_line(int end, void *user)
{
    struct reader *reader = user;
    struct pictures *pictures = reader->pictures;
    (void)end;
    if (reader->line == 1)
        reader->width = reader->cell;
    else if (pictures->code == SMS_OK && reader->cell != reader->width)
        complain(reader, "has not as many fields as the first line");
    else if (pictures->code == SMS_OK && sqlite3_step(reader->insert) != SQLITE_DONE) {
        if (sqlite3_errcode(pictures->file) == SQLITE_NOMEM)
            pictures->code = SMS_ENOMEM;
        complain(reader, sqlite3_errmsg(pictures->file));
    }
    sqlite3_reset(reader->insert);
    sqlite3_clear_bindings(reader->insert);
    reader->line++;
    reader->cell = 0;
}

static void parse(struct reader *reader, struct csv_parser *parser, struct sms__input *input)
{
    char bytes[BLOCK_BYTES];
    ssize_t n = 0;
    struct pictures *pictures = reader->pictures;
    bool whole = true;
    while (whole && pictures->code == SMS_OK && (n = sms__input_read(input, bytes, sizeof bytes)) > 0)
        whole = csv_parse(parser, bytes, (size_t)n, take_field, take_line, reader) == (size_t)n;
    if (n < 0)
        pictures->code =
            sms__fail(&pictures->page->errors, SMS_EIO, reader->path, "cannot be read: %s", strerror(errno));
    whole = whole && (pictures->code || csv_fini(parser, take_field, take_line, reader) == 0);
    if (!whole && csv_error(parser) == CSV_ENOMEM)
        pictures->code = SMS_ENOMEM;
    else if (!whole)
        complain(reader, "is not CSV");
}

static int read_csv(struct pictures *pictures, const char *path, const char *insert)
{
    struct csv_parser parser;
    struct sms__input input;
    struct reader reader = {.pictures = pictures, .path = path, .line = 1};
    int code = sms__input_open(path, (uint64_t)CSV_MIB << 20, &input, &pictures->page->errors);
    if (code)
        return code;
    bool ready = csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) == 0;
    csv_set_blk_size(&parser, BLOCK_BYTES); /* bounds the memory of a field without end */
    if (ready && sqlite3_prepare_v2(pictures->file, insert, -1, &reader.insert, NULL) == SQLITE_OK)
        parse(&reader, &parser, &input);
    else
        pictures->code = SMS_ENOMEM;
    sqlite3_finalize(reader.insert);
    csv_free(&parser);
    sms__input_close(&input);
    return pictures->code;
}

/* A row of the list of tables: the name, and the statement that fills the table. */
static int read_table(struct pictures *pictures, sqlite3_stmt *row)
{
    struct sms__page *page = pictures->page;
    const char *name = (const char *)sqlite3_column_text(row, 0), *insert = (const char *)sqlite3_column_text(row, 1);
    if (!name || !insert)
        return SMS_ENOMEM;
    const char *path = sms__print(&page->arena, "%s/%s.csv", pictures->folder, name);
    return access(path, F_OK) ? SMS_OK : read_csv(pictures, path, insert);
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

static int is_cancelled(void *cancel) { return cancel && atomic_load((const atomic_bool *)cancel); }

int sms__page_read_pictures(struct sms__page *page, const char *folder)
{
    static const char list[] =
        "SELECT name, 'INSERT INTO ' || name || (SELECT ' (' || group_concat(name) || ') VALUES (:' || "
        "group_concat(name, ',:') || ')' FROM pragma_table_info(m.name)) FROM sqlite_master m ORDER BY m.rowid";
    struct pictures pictures = {.page = page, .folder = folder};
    int code = sqlite3_open(":memory:", &pictures.file) ? SMS_ENOMEM : SMS_OK;
    if (code == SMS_OK)
        sqlite3_progress_handler(pictures.file, STEP, is_cancelled, (void *)(uintptr_t)page->cancel);
    if (code == SMS_OK)
        code = run_file(&pictures, "tables.sql", NULL);
    if (code == SMS_OK)
        code = run_sql(&pictures, "BEGIN", NULL);
    if (code == SMS_OK)
        code = run_sql(&pictures, list, read_table);
    if (code == SMS_OK)
        code = run_file(&pictures, "pictures.sql", take_result);
    sqlite3_close(pictures.file);
    return code;
}
