#include "subjects.h"

#include "../base/statistics.h"

#include <math.h>
#include <string.h>

static void add(struct sms__sum *sum, double value)
{
    if (isnan(value))
        return;
    sum->sum += value;
    sum->n++;
}

static double number_at(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
}

static size_t name_index(const struct sms__subject_view *view, const char *name)
{
    size_t i = 0;
    while (i < view->names && strcmp(view->name[i], name ? name : "") != 0)
        i++;
    return i;
}

static size_t position_index(const struct sms__subject_view *view, sqlite3_int64 position)
{
    size_t i = 0;
    while (i < view->positions && (sqlite3_int64)view->position[i] != position)
        i++;
    return i;
}

/* What is selected first: name, position, point; then the axes, the means, the changes. */
enum { NAME, POSITION, POINT, AXES };

static void add_to_group(struct sms__subject_view *view, struct sms__group *group, sqlite3_stmt *row, size_t name,
                         size_t position)
{
    const struct sms__points *points = view->points;
    int values = AXES + (int)points->axes;
    size_t cell = 0;
    for (size_t i = 0; i < group->axes; i++)
        cell =
            cell * points->axis[group->axis[i]].values + (size_t)sqlite3_column_int64(row, AXES + (int)group->axis[i]);
    size_t entry = (cell * view->names + name) * view->positions + position;
    group->points[entry]++;
    for (size_t m = 0; m < view->metrics; m++) {
        add(&group->mean[entry * view->metrics + m], number_at(row, values + (int)m));
        add(&group->change[entry * view->metrics + m], number_at(row, values + (int)(view->metrics + m)));
    }
}

/* The best of the point before this one counts. */
static void close_point(struct sms__subject_view *view)
{
    for (size_t m = 0; m < view->metrics && view->name_at_hand < view->names; m++)
        if (!isnan(view->best_value[m]))
            view->spread[(view->name_at_hand * view->positions + view->best[m]) * view->metrics + m].best++;
    for (size_t m = 0; m < view->metrics; m++)
        view->best_value[m] = NAN;
}

static void add_spread(struct sms__subject_view *view, size_t m, size_t entry, double mean, double change)
{
    struct sms__outcome *spread = &view->spread[entry * view->metrics + m];
    int better = view->metric[m].better;
    add(&spread->mean, mean);
    if (!isnan(mean) && (isnan(view->best_value[m]) || better * mean > better * view->best_value[m])) {
        view->best_value[m] = mean;
        view->best[m] = entry % view->positions;
    }
    if (isnan(change))
        return;
    spread->least = spread->change.n ? fmin(spread->least, change) : change;
    spread->most = spread->change.n ? fmax(spread->most, change) : change;
    spread->better += better * change > 0;
    add(&spread->change, change);
}

static int take_point(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__subject_view *view = user;
    size_t name = name_index(view, (const char *)sqlite3_column_text(row, NAME));
    size_t position = position_index(view, sqlite3_column_int64(row, POSITION));
    int values = AXES + (int)points->axes;
    if (sqlite3_column_int64(row, POINT) != view->point || name != view->name_at_hand)
        close_point(view);
    view->point = sqlite3_column_int64(row, POINT);
    view->name_at_hand = name;
    if (name == view->names || position == view->positions)
        return SMS_OK;
    size_t entry = name * view->positions + position;
    view->count[entry]++;
    for (size_t m = 0; m < view->metrics; m++)
        add_spread(view, m, entry, number_at(row, values + (int)m), number_at(row, values + (int)(view->metrics + m)));
    for (size_t g = 0; g < view->groups; g++)
        add_to_group(view, &view->group[g], row, name, position);
    return SMS_OK;
}

/* Name, position, replication; then the changes. */
static int take_replication(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__subject_view *view = user;
    size_t name = name_index(view, (const char *)sqlite3_column_text(row, NAME));
    size_t position = position_index(view, sqlite3_column_int64(row, POSITION));
    (void)points;
    for (size_t m = 0; m < view->metrics && name < view->names && position < view->positions; m++) {
        double change = number_at(row, 3 + (int)m);
        if (!isnan(change))
            sms__estimate_add(&view->spread[(name * view->positions + position) * view->metrics + m].over, change);
    }
    return SMS_OK;
}

static void put_changes(const struct sms__subject_view *view, sqlite3_str *text)
{
    for (size_t m = 0; m < view->metrics; m++)
        sqlite3_str_appendf(text, ", avg(a.%s / nullif(b.%s, 0) - 1)", view->metric[m].name, view->metric[m].name);
    sqlite3_str_appendf(text,
                        " FROM temp.cell c CROSS JOIN main.%s a ON a.point = c.point LEFT JOIN main.%s b ON b.point = "
                        "a.point AND b.position = 0 AND b.replication = a.replication AND b.name = a.name ",
                        view->word, view->word);
}

static int read_points(struct sms__subject_view *view)
{
    sqlite3_str *text = sqlite3_str_new(view->points->file);
    sqlite3_str_appendall(text, "SELECT a.name, a.position, a.point");
    for (size_t i = 0; i < view->points->axes; i++)
        sqlite3_str_appendf(text, ", c.a%d", (int)i);
    for (size_t m = 0; m < view->metrics; m++)
        sqlite3_str_appendf(text, ", avg(a.%s)", view->metric[m].name);
    put_changes(view, text);
    sqlite3_str_appendall(text, "GROUP BY a.point, a.name, a.position ORDER BY a.point, a.name, a.position");
    return sms__points_ask(view->points, text, take_point, view);
}

static int read_replications(struct sms__subject_view *view)
{
    sqlite3_str *text = sqlite3_str_new(view->points->file);
    sqlite3_str_appendall(text, "SELECT a.name, a.position, a.replication");
    put_changes(view, text);
    sqlite3_str_appendall(text, "WHERE a.position > 0 GROUP BY a.name, a.position, a.replication ORDER BY a.name, "
                                "a.position, a.replication");
    return sms__points_ask(view->points, text, take_replication, view);
}

int sms__subject_read(struct sms__subject_view *view)
{
    size_t entries = view->names * view->positions;
    view->spread = SMS__NEW(&view->points->page->arena, struct sms__outcome, entries * view->metrics);
    view->count = SMS__NEW(&view->points->page->arena, size_t, entries);
    view->name_at_hand = view->names;
    int code = read_points(view);
    close_point(view);
    return code == SMS_OK ? read_replications(view) : code;
}

static json_t *column_json(const struct sms__subject_view *view, size_t entry, double (*value)(struct sms__outcome of))
{
    json_t *list = json_array();
    for (size_t m = 0; m < view->metrics; m++)
        json_array_append_new(list, sms__page_number(value(view->spread[entry * view->metrics + m])));
    return list;
}

static double mean_of(struct sms__outcome of) { return sms__sum_mean(of.mean); }
static double change_of(struct sms__outcome of) { return sms__sum_mean(of.change); }
static double least_of(struct sms__outcome of) { return of.change.n ? of.least : NAN; }
static double most_of(struct sms__outcome of) { return of.change.n ? of.most : NAN; }
static double better_of(struct sms__outcome of) { return (double)of.better; }
static double best_of(struct sms__outcome of) { return (double)of.best; }

static double interval_of(struct sms__outcome of)
{
    struct sms_estimate estimate = sms__estimate_close(of.over);
    return estimate.n > 1 ? estimate.ci95 : NAN;
}

json_t *sms__subject_spread_json(const struct sms__subject_view *view)
{
    static double (*const columns[])(struct sms__outcome) = {mean_of, change_of, interval_of, least_of,
                                                             most_of, better_of, best_of};
    json_t *list = json_array();
    for (size_t e = 0; e < view->names * view->positions; e++) {
        json_t *row = json_array();
        json_array_append_new(row, json_integer((json_int_t)(e / view->positions)));
        json_array_append_new(row, json_integer((json_int_t)(e % view->positions)));
        json_array_append_new(row, json_integer((json_int_t)view->count[e]));
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            json_array_append_new(row, column_json(view, e, columns[c]));
        json_array_append_new(list, row);
    }
    return list;
}
