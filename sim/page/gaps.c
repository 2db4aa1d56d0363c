/* Computes how far each policy of a sweep is below the bound. The rows of the view `gap` are read once, and the view is
 * the one that the merge defines. */
#include "subjects.h"

#include "../report/json_write.h"
#include "../report/output.h"
#include "../sweep/database.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 20000, EACH = 6 }; /* NUMBERS: the page's share for gaps along axes; EACH: numbers for each mean */

/* The gaps of all points, or of those with one value of an axis. */
struct gap {
    double sum, min, max;
    sqlite3_int64 min_point, max_point;
    size_t n;
};

struct gaps {
    struct sms__points *points;
    struct sms__labels labels;
    struct gap *all;              /* [metrics][positions] */
    struct gap *along[SMS__AXES]; /* [metrics][values][positions]; NULL: left out for size */
};

static void add_value(struct gap *gap, double value, sqlite3_int64 point)
{
    if (gap->n == 0 || value < gap->min || (value == gap->min && point < gap->min_point)) {
        gap->min = value;
        gap->min_point = point;
    }
    if (gap->n == 0 || value > gap->max || (value == gap->max && point < gap->max_point)) {
        gap->max = value;
        gap->max_point = point;
    }
    gap->sum += value;
    gap->n++;
}

enum { POINT, POSITION, METRIC, GAP, AXES };

static int add_gap(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct gaps *gaps = user;
    const struct sms__labels *labels = &gaps->labels;
    const char *metric = (const char *)sqlite3_column_text(row, METRIC);
    const double value = sqlite3_column_double(row, GAP);
    const sqlite3_int64 point = sqlite3_column_int64(row, POINT);
    size_t m = 0, p = 0;
    while (m < SMS_BOUNDED && strcmp(sms_bound_metric((enum sms_bounded)m), metric ? metric : "") != 0)
        m++;
    while (p < labels->positions && (sqlite3_int64)labels->position[p] != sqlite3_column_int64(row, POSITION))
        p++;
    if (m == SMS_BOUNDED || p == labels->positions)
        return SMS_OK;
    add_value(&gaps->all[m * labels->positions + p], value, point);
    for (size_t a = 0; a < points->axes; a++) {
        size_t value_index = (size_t)sqlite3_column_int64(row, AXES + (int)a);
        if (gaps->along[a])
            add_value(&gaps->along[a][(m * points->axis[a].values + value_index) * labels->positions + p], value,
                      point);
    }
    return SMS_OK;
}

/* Allocates the sums of all axes, in their order, that fit the page. */
static void allocate_gaps(struct gaps *gaps)
{
    struct sms__points *points = gaps->points;
    struct sms__arena *arena = &points->page->arena;
    size_t used = 0, skipped = 0;
    gaps->all = SMS__NEW(arena, struct gap, SMS_BOUNDED * gaps->labels.positions);
    for (size_t a = 0; a < points->axes; a++) {
        size_t means = SMS_BOUNDED * points->axis[a].values * gaps->labels.positions;
        bool fits = used + EACH * means <= NUMBERS;
        gaps->along[a] = fits ? SMS__NEW(arena, struct gap, means) : NULL;
        used += fits ? EACH * means : 0;
        skipped += !fits;
    }
    points->numbers += used;
    if (skipped)
        sms__page_note(points->page,
                       "Gaps to the bound are not shown along %zu of the axes, because there are too many values.",
                       skipped);
}

static int read_gaps(struct gaps *gaps)
{
    struct sms__points *points = gaps->points;
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT g.point, g.position, g.metric, g.gap_ratio");
    for (size_t a = 0; a < points->axes; a++)
        sqlite3_str_appendf(text, ", c.a%d", (int)a);
    sqlite3_str_appendall(text, " FROM temp.gap g JOIN temp.cell c ON c.point = g.point WHERE g.gap_ratio IS NOT NULL");
    return sms__points_query(points, text, add_gap, gaps);
}

/* ---- JSON ---- */

static int take_pair(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    json_t *pair = json_array();
    json_array_append_new(pair, sms__json_text(sms__points_text(points, row, 0)));
    json_array_append_new(pair, json_integer(sqlite3_column_int64(row, 1)));
    json_array_append_new(user, pair);
    return SMS_OK;
}

/* Counts the points for each text of a bound: [text, points], most frequent first. */
static int count_texts(struct sms__points *points, const char *column, const char *metric, json_t *list)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendf(text,
                        "SELECT b.%s, count(*) FROM main.bound b JOIN temp.cell c ON c.point = b.point "
                        "WHERE b.metric = %Q AND b.%s <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 8",
                        column, metric, column);
    return sms__points_query(points, text, take_pair, list);
}

/* [policy, points, mean, least, its point, greatest, its point] */
static json_t *overall_json(const struct gaps *gaps, size_t m)
{
    json_t *list = json_array();
    for (size_t p = 0; p < gaps->labels.positions; p++) {
        const struct gap *gap = &gaps->all[m * gaps->labels.positions + p];
        if (gap->n)
            json_array_append_new(list, json_pack("[I, I, o, o, I, o, I]", (json_int_t)p, (json_int_t)gap->n,
                                                  sms__json_number(gap->sum / (double)gap->n),
                                                  sms__json_number(gap->min), (json_int_t)gap->min_point,
                                                  sms__json_number(gap->max), (json_int_t)gap->max_point));
    }
    return list;
}

/* [value of the axis, policy, points, mean, least, greatest]; null without room. */
static json_t *axis_json(const struct gaps *gaps, size_t a, size_t m)
{
    const size_t positions = gaps->labels.positions, values = gaps->points->axis[a].values;
    json_t *list = gaps->along[a] ? json_array() : json_null();
    for (size_t i = 0; gaps->along[a] && i < values * positions; i++) {
        const struct gap *gap = &gaps->along[a][m * values * positions + i];
        if (gap->n)
            json_array_append_new(list, json_pack("[I, I, I, o, o, o]", (json_int_t)(i / positions),
                                                  (json_int_t)(i % positions), (json_int_t)gap->n,
                                                  sms__json_number(gap->sum / (double)gap->n),
                                                  sms__json_number(gap->min), sms__json_number(gap->max)));
    }
    return list;
}

static int add_metric(const struct gaps *gaps, size_t m, json_t *metrics)
{
    struct sms__points *points = gaps->points;
    const char *name = sms_bound_metric((enum sms_bounded)m);
    json_t *binds = json_array(), *reasons = json_array(), *axes = json_array();
    for (size_t a = 0; a < points->axes; a++)
        json_array_append_new(axes, axis_json(gaps, a, m));
    json_object_set_new(metrics, name,
                        json_pack("{s:o, s:o, s:o, s:o}", "binds", binds, "no_bound_because", reasons, "overall",
                                  overall_json(gaps, m), "axes", axes));
    int code = count_texts(points, "binds", name, binds);
    return code == SMS_OK ? count_texts(points, "no_bound_because", name, reasons) : code;
}

/* The result is null for sweeps that keep no bounds, or that an older version made. */
int sms__points_gaps(struct sms__points *points)
{
    struct gaps *gaps = SMS__NEW(&points->page->arena, struct gaps, 1);
    size_t tables = 0;
    sqlite3_str *text = sqlite3_str_new(points->file);
    gaps->points = points;
    json_object_set_new(points->page->data, "bounds", json_null());
    sqlite3_str_appendall(text, "SELECT count(*) FROM main.sqlite_master WHERE name IN ('gap', 'bound', 'host')");
    int code = sms__points_query(points, text, sms__points_count, &tables);
    if (code || tables < 3)
        return code;
    code = sms__points_policies(points, "host", &gaps->labels);
    if (code)
        return code;
    allocate_gaps(gaps);
    text = sqlite3_str_new(points->file);
    sms__database_gaps(text, true);
    code = sms__points_query(points, text, NULL, NULL);
    if (code == SMS_OK)
        code = read_gaps(gaps);
    json_t *metrics = json_object(), *policies = json_array();
    for (size_t p = 0; p < gaps->labels.positions; p++)
        json_array_append_new(policies, sms__json_text(gaps->labels.policy[p]));
    json_object_set_new(points->page->data, "bounds",
                        json_pack("{s:o, s:o}", "policies", policies, "metrics", metrics));
    for (size_t m = 0; m < SMS_BOUNDED && code == SMS_OK; m++)
        code = add_metric(gaps, m, metrics);
    return code;
}
