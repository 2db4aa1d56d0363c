/* Finds the axes of a sweep in its database: which fields vary, over which values, and which of them always change
 * together. Long lists of values are reduced to intervals or cut, so that every axis has few values. */
#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* BINS: number of intervals of a long axis. JOINED_MAX: fields with more values are not joined with others. */
enum { BINS = 16, JOINED_MAX = 16 };

/* What the scan of the points found out about one column. */
struct scanned {
    struct sms__axis_view axis;
    size_t beyond; /* number of points with values beyond SMS__AXIS_VALUES */
    bool numeric;
};

struct columns {
    struct scanned *item;
    size_t count, left_out;
    bool joined;
};

/* Splits "75 %" into 75 and "%". Only numbers of one unit are compared. */
static bool is_number(const char *text, double *number, const char **unit)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || !isfinite(*number) || strlen(end) > 8)
        return false;
    *unit = end + strspn(end, " ");
    return true;
}

static void add_column(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct columns *columns = user;
    const char *name = sms__points_text(points, row, 0);
    if (!strcmp(name, "point") || !strcmp(name, "state") || !strcmp(name, "message"))
        return;
    char *column = sqlite3_mprintf("\"%w\"", name);
    if (!column) {
        points->code = SMS_ENOMEM;
        return;
    }
    struct scanned *scanned = SMS__APPEND(&points->page->arena, columns->item, columns->count);
    *scanned = (struct scanned){.numeric = true,
                                .axis = {.name = name,
                                         .column = sms__copy(&points->page->arena, column, strlen(column)),
                                         .value = SMS__NEW(&points->page->arena, const char *, SMS__AXIS_VALUES + 1),
                                         .from = INFINITY,
                                         .to = -INFINITY}};
    sqlite3_free(column);
}

static void scan_number(struct scanned *scanned, const char *text)
{
    double number;
    const char *unit;
    if (!scanned->numeric)
        return;
    scanned->numeric = is_number(text, &number, &unit) && (!scanned->axis.unit || !strcmp(scanned->axis.unit, unit));
    if (!scanned->numeric)
        return;
    if (!scanned->axis.unit)
        scanned->axis.unit = unit;
    scanned->axis.from = fmin(scanned->axis.from, number);
    scanned->axis.to = fmax(scanned->axis.to, number);
}

static size_t value_index(const struct sms__axis_view *axis, const char *text)
{
    return sms__find_name(text, axis->values, sms__text_at, axis->value);
}

static void scan_point(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct columns *columns = user;
    for (size_t c = 0; c < columns->count; c++) {
        struct scanned *scanned = &columns->item[c];
        const char *raw = (const char *)sqlite3_column_text(row, (int)c);
        raw = raw ? raw : "";
        bool known = value_index(&scanned->axis, raw) < scanned->axis.values;
        if (known)
            continue;
        const char *text = scanned->axis.values < SMS__AXIS_VALUES || !scanned->axis.unit
                               ? sms__copy(&points->page->arena, raw, strlen(raw))
                               : raw;
        bool first = !scanned->axis.unit;
        scan_number(scanned, text);
        if (first && scanned->axis.unit)
            scanned->axis.unit = sms__copy(&points->page->arena, scanned->axis.unit, strlen(scanned->axis.unit));
        if (scanned->axis.values < SMS__AXIS_VALUES)
            scanned->axis.value[scanned->axis.values++] = text;
        else
            scanned->beyond++;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const char *unit;
    double x = 0, y = 0;
    is_number(*(const char *const *)a, &x, &unit);
    is_number(*(const char *const *)b, &y, &unit);
    return (x > y) - (x < y);
}

/* The middle of an interval, of equal ratio on a log axis. */
static double middle(const struct sms__axis_view *axis, size_t bin)
{
    double fraction = ((double)bin + 0.5) / BINS;
    return axis->log ? axis->from * pow(axis->to / axis->from, fraction)
                     : axis->from + (axis->to - axis->from) * fraction;
}

static void make_bins(struct sms__points *points, struct sms__axis_view *axis)
{
    axis->binned = true;
    axis->log = axis->from > 0 && axis->to / axis->from >= 30;
    axis->values = BINS;
    for (size_t i = 0; i < BINS; i++)
        axis->value[i] =
            sms__print(&points->page->arena, "%.4g%s%s", middle(axis, i), axis->unit[0] ? " " : "", axis->unit);
    sms__page_note(points->page, "The values of %.100s are grouped into %d intervals.", axis->name, BINS);
}

/* Turns a scanned column into an axis of the page. */
static void finish_axis(struct sms__points *points, struct scanned *scanned)
{
    struct sms__axis_view *axis = &scanned->axis;
    const char *unit;
    if (scanned->beyond && scanned->numeric)
        make_bins(points, axis);
    else if (scanned->beyond) {
        axis->value[axis->values++] = "others";
        sms__page_note(points->page, "Of the values of %.100s, only %d are shown separately.", axis->name,
                       SMS__AXIS_VALUES);
    } else if (scanned->numeric)
        qsort((void *)axis->value, axis->values, sizeof *axis->value, compare_numbers);
    if (!scanned->numeric)
        axis->unit = "";
    else
        axis->number = SMS__NEW(&points->page->arena, double, axis->values);
    for (size_t i = 0; axis->number && i < axis->values; i++)
        is_number(axis->value[i], &axis->number[i], &unit);
    points->axis[points->axes++] = *axis;
}

/* The index of a value on an axis, as the SQL function axis_index(axis, value). */
static void find_index(sqlite3_context *context, int count, sqlite3_value **value)
{
    const struct sms__points *points = sqlite3_user_data(context);
    const struct sms__axis_view *axis = &points->axis[sqlite3_value_int(value[0])];
    const char *raw = (const char *)sqlite3_value_text(value[1]), *text = raw ? raw : "", *unit;
    double number = 0;
    (void)count;
    if (!axis->binned) {
        size_t i = value_index(axis, text);
        sqlite3_result_int64(context, (sqlite3_int64)(i < axis->values ? i : axis->values - 1));
        return;
    }
    is_number(text, &number, &unit);
    double fraction = axis->log ? log(number / axis->from) / log(axis->to / axis->from)
                                : (number - axis->from) / (axis->to - axis->from);
    sqlite3_result_int(context, (int)fmax(0, fmin(BINS - 1, fraction * BINS)));
}

static void make_cells(struct sms__points *points)
{
    if (sqlite3_create_function(points->file, "axis_index", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, points, find_index,
                                NULL, NULL) != SQLITE_OK)
        points->code = SMS_ENOMEM;
    sms__query_run(points, NULL, "CREATE TEMP TABLE cell (point INTEGER PRIMARY KEY{, a# INTEGER})", NULL, NULL);
    sms__query_run(points, NULL,
                   "INSERT OR IGNORE INTO temp.cell SELECT point{, axis_index(#, @)} FROM main.point "
                   "WHERE state = 'done'",
                   NULL, NULL);
}

static void scan_points(struct sms__points *points, struct columns *columns)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT ");
    for (size_t c = 0; c < columns->count; c++)
        sqlite3_str_appendf(text, "%s%s", c ? ", " : "", columns->item[c].axis.column);
    sqlite3_str_appendall(text, " FROM main.point WHERE state = 'done' ORDER BY point");
    sms__points_query(points, text, scan_point, columns);
}

/* ---- fields that change together ---- */

static void reset_column(struct scanned *scanned, bool numeric)
{
    struct sms__axis_view *axis = &scanned->axis;
    *scanned = (struct scanned){
        .numeric = numeric,
        .axis = {.name = axis->name, .column = axis->column, .value = axis->value, .from = INFINITY, .to = -INFINITY}};
}

/* Whether each value of one field occurs with one value of the other only. False if missing points could be the reason.
 */
static bool is_alike(struct sms__points *points, const struct scanned *a, const struct scanned *b, size_t missing)
{
    size_t values = a->axis.values, pairs = 0;
    if (!b->axis.column || values != b->axis.values || values < 2 || values > JOINED_MAX ||
        values * (values - 1) <= missing)
        return false;
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendf(text, "SELECT count(*) FROM (SELECT DISTINCT %s, %s FROM main.point WHERE state = 'done')",
                        a->axis.column, b->axis.column);
    sms__points_query(points, text, sms__points_count, &pairs);
    return points->code == SMS_OK && pairs == values;
}

/* Makes a field "a, b" with values such as "1, 80". The second field then has no column, which drops it. */
static void join_column(struct sms__points *points, struct scanned *to, struct scanned *from, const char **column)
{
    struct sms__arena *arena = &points->page->arena;
    to->axis.name = sms__print(arena, "%s, %s", to->axis.name, from->axis.name);
    *column = sms__print(arena, "%s || ', ' || coalesce(%s, '')", *column, from->axis.column);
    from->axis.column = NULL;
}

/* Points that are not there; they may be the reason that pairs of values are not. */
static size_t count_missing(struct sms__points *points)
{
    size_t missing = 0;
    sms__query_run(points, NULL, "SELECT count(*) FROM main.point WHERE state <> 'done'", sms__points_count, &missing);
    return missing;
}

/* Joins each column with the later ones that change together with it. */
static void join_columns(struct sms__points *points, struct columns *columns)
{
    const size_t missing = count_missing(points);
    for (size_t a = 0; a < columns->count; a++) {
        struct scanned *first = &columns->item[a];
        if (!first->axis.column)
            continue;
        const char *column = sms__print(&points->page->arena, "coalesce(%s, '')", first->axis.column);
        bool any = false;
        for (size_t b = a + 1; b < columns->count; b++) {
            if (!is_alike(points, first, &columns->item[b], missing))
                continue;
            join_column(points, first, &columns->item[b], &column);
            any = true;
        }
        if (any) {
            first->axis.column = column;
            reset_column(first, false);
            columns->joined = true;
        }
    }
}

/* Drops the joined columns and scans the points again, now with the joined values. */
static void scan_joined(struct sms__points *points, struct columns *columns)
{
    struct columns all = *columns;
    columns->count = 0;
    for (size_t c = 0; c < all.count; c++)
        if (all.item[c].axis.column) {
            struct scanned column = all.item[c];
            reset_column(&column, all.item[c].axis.values > 0);
            columns->item[columns->count++] = column;
        }
    scan_points(points, columns);
}

/* ---- axes that are not crossed ---- */

/* Two axes are crossed if every pair of their values occurs. Axes that are drawn at random or listed as mixes are not,
 * so along one of them the others change, too. */
enum { VALUES = SMS__AXIS_VALUES + 1 };

/* The pairs of values of two axes that occur. */
struct pairs {
    bool present[VALUES][VALUES];
};

static void take_cell(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct pairs *pairs = user;
    size_t value[SMS__AXES];
    for (size_t i = 0; i < points->axes; i++) {
        value[i] = (size_t)sqlite3_column_int64(row, (int)i);
        for (size_t k = 0; k < i; k++)
            pairs[i * points->axes + k].present[value[i]][value[k]] = true;
    }
}

/* Number of pairs that do not occur, of values that do. */
static size_t count_holes(const struct pairs *pairs)
{
    bool row[VALUES] = {false}, column[VALUES] = {false};
    size_t rows = 0, columns = 0, pairs_present = 0;
    for (size_t i = 0; i < VALUES; i++)
        for (size_t k = 0; k < VALUES; k++) {
            row[i] |= pairs->present[i][k];
            column[k] |= pairs->present[i][k];
            pairs_present += pairs->present[i][k];
        }
    for (size_t i = 0; i < VALUES; i++) {
        rows += row[i];
        columns += column[i];
    }
    return rows * columns - pairs_present;
}

static void find_crossing(struct sms__points *points)
{
    const size_t axes = points->axes;
    if (axes < 2)
        return;
    const size_t missing = count_missing(points);
    struct pairs *pairs = SMS__NEW(&points->page->arena, struct pairs, axes * axes);
    sms__query_run(points, NULL, "SELECT {a#, }0 FROM temp.cell", take_cell, pairs);
    for (size_t i = 0; i < axes; i++)
        for (size_t k = 0; k < i; k++)
            if (count_holes(&pairs[i * axes + k]) > missing) {
                points->axis[i].with |= 1U << k;
                points->axis[k].with |= 1U << i;
            }
}

void sms__points_axes(struct sms__points *points)
{
    struct columns columns = {.count = 0};
    sms__query_run(points, NULL, "SELECT name FROM pragma_table_info('point') ORDER BY cid", add_column, &columns);
    if (points->code == SMS_OK && columns.count == 0)
        sms__points_fail(points, "has no table 'point'; is it the database of a sweep?");
    scan_points(points, &columns);
    join_columns(points, &columns);
    if (columns.joined)
        scan_joined(points, &columns);
    if (points->code != SMS_OK)
        return;
    for (size_t c = 0; c < columns.count; c++)
        if (columns.item[c].axis.values > 1 && points->axes < SMS__AXES)
            finish_axis(points, &columns.item[c]);
        else
            columns.left_out += columns.item[c].axis.values > 1;
    if (columns.left_out)
        sms__page_note(points->page, "%zu varied fields are not shown, because a page has at most %d axes.",
                       columns.left_out, SMS__AXES);
    make_cells(points);
    find_crossing(points);
}
