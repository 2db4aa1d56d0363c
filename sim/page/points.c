#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many intervals, and values that are written side by side with those of another field. */
enum { BINS = 16, TOGETHER = 16 };

/* What is seen of one column, point by point. */
struct seen {
    struct sms__axis_view axis;
    size_t more; /* points with values beyond SMS__AXIS_VALUES */
    bool numeric;
};

struct columns {
    struct seen *item;
    size_t count, left_out;
    bool joined;
};

/* "75 %": 75, in "%"; numbers of one unit can be compared. */
static bool is_number(const char *text, double *number, const char **unit)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || !isfinite(*number) || strchr("nNiI", text[text[0] == '-']) || strlen(end) > 8)
        return false;
    *unit = end + strspn(end, " ");
    return true;
}

static int take_column(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct columns *columns = user;
    const char *name = sms__points_text(points, row, 0);
    if (!strcmp(name, "point") || !strcmp(name, "state") || !strcmp(name, "message"))
        return SMS_OK;
    sqlite3_str *quoted = sqlite3_str_new(points->file);
    sqlite3_str_appendf(quoted, "\"%w\"", name);
    char *column = sqlite3_str_finish(quoted);
    if (!column)
        return SMS_ENOMEM;
    struct seen *seen = SMS__APPEND(&points->page->arena, columns->item, columns->count);
    *seen = (struct seen){.numeric = true,
                          .axis = {.name = name,
                                   .column = sms__copy(&points->page->arena, column, strlen(column)),
                                   .value = SMS__NEW(&points->page->arena, const char *, SMS__AXIS_VALUES + 1),
                                   .from = INFINITY,
                                   .to = -INFINITY}};
    sqlite3_free(column);
    return SMS_OK;
}

static void see_number(struct seen *seen, const char *text)
{
    double number;
    const char *unit;
    if (!seen->numeric)
        return;
    seen->numeric = is_number(text, &number, &unit) && (!seen->axis.unit || !strcmp(seen->axis.unit, unit));
    if (!seen->numeric)
        return;
    if (!seen->axis.unit)
        seen->axis.unit = unit;
    seen->axis.from = fmin(seen->axis.from, number);
    seen->axis.to = fmax(seen->axis.to, number);
}

static size_t index_of(const struct sms__axis_view *axis, const char *text)
{
    for (size_t i = 0; i < axis->values; i++)
        if (!strcmp(axis->value[i], text))
            return i;
    return axis->values;
}

static int see_point(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct columns *columns = user;
    for (size_t c = 0; c < columns->count; c++) {
        struct seen *seen = &columns->item[c];
        const char *raw = (const char *)sqlite3_column_text(row, (int)c);
        raw = raw ? raw : "";
        bool known = index_of(&seen->axis, raw) < seen->axis.values;
        if (known)
            continue;
        const char *text = seen->axis.values < SMS__AXIS_VALUES || !seen->axis.unit
                               ? sms__copy(&points->page->arena, raw, strlen(raw))
                               : raw;
        bool first = !seen->axis.unit;
        see_number(seen, text);
        if (first && seen->axis.unit)
            seen->axis.unit = sms__copy(&points->page->arena, seen->axis.unit, strlen(seen->axis.unit));
        if (seen->axis.values < SMS__AXIS_VALUES)
            seen->axis.value[seen->axis.values++] = text;
        else
            seen->more++;
    }
    return SMS_OK;
}

static int by_number(const void *a, const void *b)
{
    const char *unit;
    double x = 0, y = 0;
    is_number(*(const char *const *)a, &x, &unit);
    is_number(*(const char *const *)b, &y, &unit);
    return (x > y) - (x < y);
}

/* The middle of an interval. */
static double middle(const struct sms__axis_view *axis, size_t bin)
{
    double part = ((double)bin + 0.5) / BINS;
    return axis->log ? axis->from * pow(axis->to / axis->from, part) : axis->from + (axis->to - axis->from) * part;
}

static void cut_in_bins(struct sms__points *points, struct sms__axis_view *axis)
{
    axis->binned = true;
    axis->log = axis->from > 0 && axis->to / axis->from >= 30;
    axis->values = BINS;
    for (size_t i = 0; i < BINS; i++)
        axis->value[i] =
            sms__print(&points->page->arena, "%.4g%s%s", middle(axis, i), axis->unit[0] ? " " : "", axis->unit);
    sms__page_note(points->page, "The values of %.100s are put together in %d intervals.", axis->name, BINS);
}

/* What is seen becomes an axis. */
static void settle(struct sms__points *points, struct seen *seen)
{
    struct sms__axis_view *axis = &seen->axis;
    const char *unit;
    if (seen->more && seen->numeric)
        cut_in_bins(points, axis);
    else if (seen->more) {
        axis->rest = true;
        axis->value[axis->values++] = "others";
        sms__page_note(points->page, "Of the values of %.100s %d are told apart.", axis->name, SMS__AXIS_VALUES);
    } else if (seen->numeric)
        qsort((void *)axis->value, axis->values, sizeof *axis->value, by_number);
    if (!seen->numeric)
        axis->unit = "";
    else
        axis->number = SMS__NEW(&points->page->arena, double, axis->values);
    for (size_t i = 0; axis->number && i < axis->values; i++)
        is_number(axis->value[i], &axis->number[i], &unit);
    points->axis[points->axes++] = *axis;
}

/* The index of a value among those of the axis: SQL's function at(axis, value). */
static void find_index(sqlite3_context *context, int count, sqlite3_value **value)
{
    const struct sms__points *points = sqlite3_user_data(context);
    const struct sms__axis_view *axis = &points->axis[sqlite3_value_int(value[0])];
    const char *raw = (const char *)sqlite3_value_text(value[1]), *text = raw ? raw : "", *unit;
    double number = 0;
    (void)count;
    if (!axis->binned) {
        size_t i = index_of(axis, text);
        sqlite3_result_int64(context, (sqlite3_int64)(i < axis->values ? i : axis->values - 1));
        return;
    }
    is_number(text, &number, &unit);
    double part = axis->log ? log(number / axis->from) / log(axis->to / axis->from)
                            : (number - axis->from) / (axis->to - axis->from);
    sqlite3_result_int(context, (int)fmax(0, fmin(BINS - 1, part * BINS)));
}

static int make_cells(struct sms__points *points)
{
    if (sqlite3_create_function(points->file, "axis_index", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, points, find_index,
                                NULL, NULL) != SQLITE_OK)
        return SMS_ENOMEM;
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "CREATE TEMP TABLE cell (point INTEGER PRIMARY KEY");
    for (size_t i = 0; i < points->axes; i++)
        sqlite3_str_appendf(text, ", a%d INTEGER", (int)i);
    sqlite3_str_appendall(text, ")");
    int code = sms__points_ask(points, text, NULL, NULL);
    if (code)
        return code;
    text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "INSERT OR IGNORE INTO temp.cell SELECT point");
    for (size_t i = 0; i < points->axes; i++)
        sqlite3_str_appendf(text, ", axis_index(%d, %s)", (int)i, points->axis[i].column);
    sqlite3_str_appendall(text, " FROM main.point WHERE state = 'done'");
    return sms__points_ask(points, text, NULL, NULL);
}

static int see_points(struct sms__points *points, struct columns *columns)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT ");
    for (size_t c = 0; c < columns->count; c++)
        sqlite3_str_appendf(text, "%s%s", c ? ", " : "", columns->item[c].axis.column);
    sqlite3_str_appendall(text, " FROM main.point WHERE state = 'done' ORDER BY point");
    return sms__points_ask(points, text, see_point, columns);
}

/* ---- fields that change together ---- */

static void forget(struct seen *seen, bool numeric)
{
    struct sms__axis_view *axis = &seen->axis;
    *seen = (struct seen){
        .numeric = numeric,
        .axis = {.name = axis->name, .column = axis->column, .value = axis->value, .from = INFINITY, .to = -INFINITY}};
}

/* Whether each value of one field is there with one of the other only; not if missing points could be the reason. */
static int compare_columns(struct sms__points *points, const struct seen *a, const struct seen *b, size_t missing,
                           bool *together)
{
    size_t values = a->axis.values, pairs = 0;
    *together = false;
    if (!b->axis.column || values != b->axis.values || values < 2 || values > TOGETHER ||
        values * (values - 1) <= missing)
        return SMS_OK;
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendf(text, "SELECT count(*) FROM (SELECT DISTINCT %s, %s FROM main.point WHERE state = 'done')",
                        a->axis.column, b->axis.column);
    int code = sms__points_ask(points, text, sms__points_count, &pairs);
    *together = pairs == values;
    return code;
}

/* "a, b" with the values "1, 80"; the second is dropped as it then has no column. */
static void join(struct sms__points *points, struct seen *to, struct seen *from, const char **column)
{
    struct sms__arena *arena = &points->page->arena;
    to->axis.name = sms__print(arena, "%s, %s", to->axis.name, from->axis.name);
    *column = sms__print(arena, "%s || ', ' || coalesce(%s, '')", *column, from->axis.column);
    from->axis.column = NULL;
}

/* With each column those after it that change as it does. */
static int join_columns(struct sms__points *points, struct columns *columns)
{
    size_t missing = 0;
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT count(*) FROM main.point WHERE state <> 'done'");
    int code = sms__points_ask(points, text, sms__points_count, &missing);
    for (size_t a = 0; a < columns->count && code == SMS_OK; a++) {
        struct seen *first = &columns->item[a];
        if (!first->axis.column)
            continue;
        const char *column = sms__print(&points->page->arena, "coalesce(%s, '')", first->axis.column);
        bool together, any = false;
        for (size_t b = a + 1; b < columns->count && code == SMS_OK; b++) {
            code = compare_columns(points, first, &columns->item[b], missing, &together);
            if (code == SMS_OK && together)
                join(points, first, &columns->item[b], &column);
            any |= code == SMS_OK && together;
        }
        if (any) {
            first->axis.column = column;
            forget(first, false);
            columns->joined = true;
        }
    }
    return code;
}

/* Only joined ones are seen again. */
static int see_joined(struct sms__points *points, struct columns *columns)
{
    struct columns all = *columns;
    columns->count = 0;
    for (size_t c = 0; c < all.count; c++)
        if (all.item[c].axis.column) {
            struct seen kept = all.item[c];
            forget(&kept, all.item[c].axis.values > 0);
            columns->item[columns->count++] = kept;
        }
    return see_points(points, columns);
}

int sms__points_axes(struct sms__points *points)
{
    struct columns columns = {.count = 0};
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT name FROM pragma_table_info('point') ORDER BY cid");
    int code = sms__points_ask(points, text, take_column, &columns);
    if (code == SMS_OK && columns.count == 0)
        code = sms__fail(&points->page->errors, SMS_EINPUT, points->page->source,
                         "has no table 'point'; is it the database of a sweep?");
    if (code == SMS_OK)
        code = see_points(points, &columns);
    if (code == SMS_OK)
        code = join_columns(points, &columns);
    if (code == SMS_OK && columns.joined)
        code = see_joined(points, &columns);
    for (size_t c = 0; c < columns.count && code == SMS_OK; c++)
        if (columns.item[c].axis.values > 1 && points->axes < SMS__AXES)
            settle(points, &columns.item[c]);
        else
            columns.left_out += columns.item[c].axis.values > 1;
    if (columns.left_out)
        sms__page_note(points->page, "%zu varied fields beyond %d are not shown.", columns.left_out, SMS__AXES);
    if (code == SMS_OK)
        code = make_cells(points);
    return code == SMS_OK ? sms__points_crossing(points) : code;
}
