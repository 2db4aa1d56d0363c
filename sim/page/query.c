/* Runs queries of a sweep's database, fills SQL templates, and turns rows into JSON. */
#include "points.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <string.h>

int sms__points_error(struct sms__points *points)
{
    struct sms_errors *errors = &points->page->errors;
    int code = sqlite3_errcode(points->file);
    if (code == SQLITE_INTERRUPT && sms__untrusted_is_exhausted(&points->database))
        return sms__fail(errors, SMS_EINPUT, points->page->source,
                         "takes more than %llu steps to read; is it the database of a sweep?",
                         (unsigned long long)points->database.steps_max);
    if (code == SQLITE_INTERRUPT)
        return SMS_ECANCELED;
    if (code == SQLITE_NOMEM)
        return SMS_ENOMEM;
    return sms__fail(errors, code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? SMS_EIO : SMS_EINPUT,
                     points->page->source, "%s; is it the database of a sweep?", sqlite3_errmsg(points->file));
}

int sms__points_query(struct sms__points *points, sqlite3_str *text,
                      int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), void *user)
{
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_str_finish(text);
    int code = SMS_OK, step = SQLITE_DONE;
    if (!sql)
        return SMS_ENOMEM;
    if (sqlite3_prepare_v2(points->file, sql, -1, &statement, NULL) != SQLITE_OK)
        code = sms__points_error(points);
    sqlite3_free(sql);
    while (code == SMS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        code = row ? row(points, statement, user) : SMS_OK;
    if (code == SMS_OK && step != SQLITE_DONE)
        code = sms__points_error(points);
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

int sms__query_run(struct sms__points *points, const struct sms__query *query, const char *template,
                   int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), void *user)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    for (; *template; template ++)
        if (strchr("[{", *template))
            template = append_each(text, points, query, template);
        else if (*template == '$' && query)
            sqlite3_str_appendall(text, query->table);
        else
            sqlite3_str_appendchar(text, 1, *template);
    return sms__points_query(points, text, row, user);
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

int sms__query_nest(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    const struct sms__query_rows *rows = user;
    json_t *outer = json_array(), *inner = outer;
    for (int c = 0; c < sqlite3_column_count(row); c++) {
        if (c >= (int)rows->scalars && (c - (int)rows->scalars) % (int)rows->metrics == 0) {
            inner = json_array();
            json_array_append_new(outer, inner);
        }
        json_array_append_new(inner, cell_json(points, row, c));
    }
    json_array_append_new(rows->list, outer);
    return SMS_OK;
}

int sms__query_list(struct sms__points *points, sqlite3_stmt *row, void *list)
{
    return sms__query_nest(points, row, &(struct sms__query_rows){list, (size_t)sqlite3_column_count(row), 1});
}

/* ---- opening: the database may come from anywhere and hold anything. Its views, triggers, virtual tables and computed
 * columns are not used. ---- */

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
