/* Fills SQL templates, and turns the rows of their results into JSON. */
#include "query.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <string.h>

static void append_char(sqlite3_str *text, const struct sms__query *query, char c, size_t metric, size_t number)
{
    if (c == '#')
        sqlite3_str_appendf(text, "%d", (int)number);
    else if (c == '@')
        sqlite3_str_appendall(text, query->metric[metric].name);
    else if (c == '~')
        sqlite3_str_appendf(text, "%d", query->metric[metric].better);
    else if (c == '$')
        sqlite3_str_appendall(text, query->table);
    else
        sqlite3_str_appendchar(text, 1, c);
}

/* Appends what the brackets at `from` hold, as often as they ask for. Returns the closing bracket. */
static const char *append_each(sqlite3_str *text, const struct sms__query *query, const char *from)
{
    const bool metrics = *from == '[';
    const char *end = strchr(from, metrics ? ']' : '}');
    for (size_t i = 0; i < (metrics ? query->metrics : query->axes); i++)
        for (const char *c = from + 1; c < end; c++)
            append_char(text, query, *c, i, metrics ? i : query->axis[i]);
    return end;
}

int sms__query_run(struct sms__points *points, const struct sms__query *query, const char *template,
                   int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), void *user)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    for (; *template; template ++)
        if (strchr("[{", *template))
            template = append_each(text, query, template);
        else
            append_char(text, query, *template, 0, 0);
    return sms__points_query(points, text, row, user);
}

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
