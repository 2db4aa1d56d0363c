/* Runs queries of a sweep's database, fills SQL templates, and turns rows into JSON. */
#include "points.h"

#include "../base/sqlite.h"
#include "../report/json_write.h"
#include "../report/output.h"

#include <string.h>

void sms__points_fail(struct sms__points *points, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sms__verror(&points->page->errors, SMS_EINPUT, (struct sms__mark){.file = points->page->source}, format, args);
    va_end(args);
    points->code = SMS_EINPUT;
}

/* Reports SQLite's latest error. */
static void fail_query(struct sms__points *points)
{
    int code = sqlite3_errcode(points->file);
    if (code == SQLITE_INTERRUPT && sms__untrusted_is_exhausted(&points->database))
        sms__points_fail(points, "takes more than %llu steps to read; is it the database of a sweep?",
                         (unsigned long long)points->database.steps_max);
    else if (code == SQLITE_INTERRUPT)
        points->code = SMS_ECANCELED;
    else
        points->code = sms__sqlite_fail(points->file, points->page->source, "", "; is it the database of a sweep?",
                                        &points->page->errors);
}

void sms__points_query(struct sms__points *points, sqlite3_str *text, sms__points_row *row, void *user)
{
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_str_finish(text);
    int step = SQLITE_ROW;
    if (!sql && points->code == SMS_OK)
        points->code = SMS_ENOMEM;
    if (points->code == SMS_OK && sqlite3_prepare_v2(points->file, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_query(points);
    sqlite3_free(sql);
    while (points->code == SMS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        if (row)
            row(points, statement, user);
    if (points->code == SMS_OK && step != SQLITE_DONE)
        fail_query(points);
    sqlite3_finalize(statement);
}

const char *sms__points_text(struct sms__points *points, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? sms__copy(&points->page->arena, text, strlen(text)) : "";
}

void sms__points_count(struct sms__points *points, sqlite3_stmt *row, void *count)
{
    (void)points;
    *(size_t *)count = (size_t)sqlite3_column_int64(row, 0);
}

/* ---- templates ---- */

/* A metric or axis that brackets stand for. */
struct item {
    size_t index;
    const char *name;
    int better;
};

static struct item get_item(const struct sms__points *points, const struct sms__query *query, bool is_metric, size_t i)
{
    if (is_metric)
        return (struct item){i, query->metric[i].name, query->metric[i].better};
    const size_t axis = query ? query->axis[i] : i;
    return (struct item){axis, points->axis[axis].column, 0};
}

static void append_char(sqlite3_str *text, char c, const struct item *item)
{
    if (c == '#')
        sqlite3_str_appendf(text, "%d", (int)item->index);
    else if (c == '@')
        sqlite3_str_appendall(text, item->name);
    else if (c == '~')
        sqlite3_str_appendf(text, "%d", item->better);
    else
        sqlite3_str_appendchar(text, 1, c);
}

/* Appends the text in the brackets at `from` for each item. Returns the closing bracket. */
static const char *append_each(sqlite3_str *text, const struct sms__points *points, const struct sms__query *query,
                               const char *from)
{
    const bool is_metric = *from == '[';
    const char *end = strchr(from, is_metric ? ']' : '}');
    const size_t metrics = query ? query->metrics : 0, axes = query ? query->axes : points->axes;
    for (size_t i = 0; i < (is_metric ? metrics : axes); i++) {
        const struct item item = get_item(points, query, is_metric, i);
        for (const char *c = from + 1; c < end; c++)
            append_char(text, *c, &item);
    }
    return end;
}

void sms__query_run(struct sms__points *points, const struct sms__query *query, const char *template,
                    sms__points_row *row, void *user)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    for (; *template; template ++)
        if (strchr("[{", *template))
            template = append_each(text, points, query, template);
        else if (*template == '$' && query)
            sqlite3_str_appendall(text, query->table);
        else
            sqlite3_str_appendchar(text, 1, *template);
    sms__points_query(points, text, row, user);
}

/* ---- rows ---- */

static json_t *cell_json(struct sms__points *points, sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
        return json_null();
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return sms__json_number(sqlite3_column_double(row, column));
    default:
        return sms__json_text(sms__points_text(points, row, column));
    }
}

void sms__query_nest(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    const struct sms__query_rows *rows = user;
    json_t *outer = json_array(), *inner = outer;
    for (int c = 0; c < sqlite3_column_count(row); c++) {
        if (c >= (int)rows->scalars && (c - (int)rows->scalars) % (int)rows->metrics == 0) {
            json_array_append_new(outer, json_array());
            inner = json_array_get(outer, json_array_size(outer) - 1);
        }
        json_array_append_new(inner, cell_json(points, row, c));
    }
    json_array_append_new(rows->list, outer);
}

void sms__query_list(struct sms__points *points, sqlite3_stmt *row, void *list)
{
    sms__query_nest(points, row, &(struct sms__query_rows){list, (size_t)sqlite3_column_count(row), 1});
}

void sms__query_keep(struct sms__points *points, const struct sms__query *query, const char *template, json_t *object,
                     const char *key)
{
    sms__query_run(points, query, template, sms__query_list, sms__json_keep(object, key, json_array()));
}

/* ---- opening: the database may come from anywhere and hold anything. Its views, triggers, virtual tables and computed
 * columns are not used. ---- */

static void reject_row(struct sms__points *points, sqlite3_stmt *row, void *what)
{
    sms__points_fail(points, "has %s, %.100s; is it the database of a sweep?", (const char *)what,
                     sms__points_text(points, row, 0));
}

/* A page that SQLite has no memory for is told as one that is damaged. */
static void check_row(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    (void)user;
    const char *result = sms__points_text(points, row, 0);
    if (strstr(result, "unable to get the page. error code=7")) /* SQLITE_NOMEM */
        points->code = SMS_ENOMEM;
    else if (strcmp(result, "ok") != 0)
        sms__points_fail(points, "is damaged: %.200s", result);
}

/* Rejects virtual tables, which have no root page, and computed columns, which are hidden. */
void sms__points_open(struct sms__points *points, const char *path)
{
    static const char setup[] =
        "PRAGMA temp_store = FILE; PRAGMA temp.cache_size = -65536; PRAGMA cell_size_check = ON; "
        "PRAGMA ignore_check_constraints = ON;";
    points->database.cancel = points->page->cancel;
    points->code = sms__untrusted_open(&points->database, path, &points->page->errors);
    points->file = points->database.file;
    if (points->code == SMS_OK && !sms__add_aggregates(points->file))
        points->code = SMS_ENOMEM;
    if (points->code == SMS_OK && sqlite3_exec(points->file, setup, NULL, NULL, NULL) != SQLITE_OK)
        fail_query(points);
    sms__query_run(points, NULL, "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0 LIMIT 1",
                   reject_row, (void *)(uintptr_t) "a virtual table");
    sms__query_run(points, NULL,
                   "SELECT m.name || '.' || c.name FROM main.sqlite_master m, pragma_table_xinfo(m.name, 'main') c "
                   "WHERE m.type = 'table' AND c.hidden <> 0 LIMIT 1",
                   reject_row, (void *)(uintptr_t) "a computed column");
    sms__query_run(points, NULL, "PRAGMA main.quick_check(1)", check_row, NULL);
}
