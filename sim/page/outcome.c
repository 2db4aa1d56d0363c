/* Sums the rows of a subject over the points. Rows arrive point by point, each with the first policy first, so a change
 * can be computed as soon as its row arrives. Doing this in SQL would sort all rows. */
#include "subjects.h"

#include "../report/output.h"

#include "../base/statistics.h"

#include <math.h>
#include <string.h>

enum { REPLICATIONS = 1000 };

/* Sums of the point whose rows are being read. */
struct sms__current_point {
    bool is_open;
    sqlite3_int64 point;
    size_t cell[SMS__GROUPS];
    struct sms__sum *mean, *change; /* [names][positions][metrics] */
    bool *seen;                     /* [names][positions] */
    double *first;                  /* [names][replications][metrics], values of the first policy */
    struct sms__sum *replication;   /* [names][positions][replications][metrics], changes over all points */
    size_t replications;
};

static void add_value(struct sms__sum *sum, double value)
{
    if (isnan(value))
        return;
    sum->sum += value;
    sum->n++;
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

/* Columns of the query. The axes and then the metrics follow. */
enum { NAME, POSITION, POINT, REPLICATION, AXES };

/* ---- finished points ---- */

static void add_outcome(struct sms__outcome *outcome, int better, double mean, double change)
{
    add_value(&outcome->mean, mean);
    if (isnan(change))
        return;
    outcome->min = outcome->change.n ? fmin(outcome->min, change) : change;
    outcome->max = outcome->change.n ? fmax(outcome->max, change) : change;
    outcome->better += better * change > 0;
    add_value(&outcome->change, change);
}

/* Counts for each policy whether it has the best mean alone, shares it with some, or shares it with all. */
static void count_winners(struct sms__subject_view *view, size_t name, size_t m)
{
    const struct sms__sum *mean = view->current->mean;
    double max = -INFINITY, value[SMS__POSITIONS];
    size_t valued = 0, equals = 0;
    for (size_t p = 0; p < view->positions; p++) {
        value[p] = view->metric[m].better * sms__sum_mean(mean[(name * view->positions + p) * view->metrics + m]);
        valued += !isnan(value[p]);
        equals = value[p] > max ? 1 : equals + (value[p] == max);
        max = fmax(value[p], max);
    }
    for (size_t p = 0; p < view->positions && view->metric[m].better; p++) {
        struct sms__outcome *outcome = &view->outcome[(name * view->positions + p) * view->metrics + m];
        outcome->best += value[p] == max && equals == 1;
        outcome->shared += value[p] == max && equals > 1;
        outcome->equal += value[p] == max && equals > 1 && equals == valued;
    }
}

static void add_to_group(struct sms__subject_view *view, size_t g, size_t entry)
{
    struct sms__group *group = &view->group[g];
    const struct sms__current_point *current = view->current;
    size_t slot = current->cell[g] * view->names * view->positions + entry;
    group->points[slot]++;
    for (size_t m = 0; m < view->metrics; m++) {
        add_value(&group->mean[slot * view->metrics + m], sms__sum_mean(current->mean[entry * view->metrics + m]));
        add_value(&group->change[slot * view->metrics + m], sms__sum_mean(current->change[entry * view->metrics + m]));
    }
}

static void finish_entry(struct sms__subject_view *view, size_t entry)
{
    const struct sms__current_point *current = view->current;
    view->count[entry]++;
    for (size_t i = entry * view->metrics; i < (entry + 1) * view->metrics; i++)
        add_outcome(&view->outcome[i], view->metric[i % view->metrics].better, sms__sum_mean(current->mean[i]),
                    sms__sum_mean(current->change[i]));
    for (size_t g = 0; g < view->groups; g++)
        add_to_group(view, g, entry);
}

static void finish_point(struct sms__subject_view *view)
{
    struct sms__current_point *current = view->current;
    size_t entries = view->names * view->positions;
    for (size_t e = 0; e < entries && current->is_open; e++)
        if (current->seen[e])
            finish_entry(view, e);
    for (size_t n = 0; n < view->names && current->is_open; n++)
        for (size_t m = 0; m < view->metrics; m++)
            count_winners(view, n, m);
    memset(current->mean, 0, entries * view->metrics * sizeof *current->mean);
    memset(current->change, 0, entries * view->metrics * sizeof *current->change);
    memset(current->seen, 0, entries * sizeof *current->seen);
    for (size_t i = 0; i < view->names * current->replications * view->metrics; i++)
        current->first[i] = NAN;
}

/* ---- rows ---- */

static void begin_point(struct sms__subject_view *view, sqlite3_stmt *row)
{
    struct sms__current_point *current = view->current;
    finish_point(view);
    current->is_open = true;
    current->point = sqlite3_column_int64(row, POINT);
    for (size_t g = 0; g < view->groups; g++) {
        const struct sms__group *group = &view->group[g];
        current->cell[g] = 0;
        for (size_t i = 0; i < group->axes; i++)
            current->cell[g] = current->cell[g] * view->points->axis[group->axis[i]].values +
                               (size_t)sqlite3_column_int64(row, AXES + (int)group->axis[i]);
    }
}

static void add_values(struct sms__subject_view *view, sqlite3_stmt *row, size_t name, size_t position,
                       size_t replication)
{
    struct sms__current_point *current = view->current;
    size_t entry = name * view->positions + position;
    double *first = &current->first[(name * current->replications + replication) * view->metrics];
    struct sms__sum *change_sample =
        &current->replication[(entry * current->replications + replication) * view->metrics];
    current->seen[entry] = true;
    for (size_t m = 0; m < view->metrics; m++) {
        int column = AXES + (int)(view->points->axes + m);
        bool has_value = sqlite3_column_type(row, column) != SQLITE_NULL;
        double value = has_value ? sqlite3_column_double(row, column) : NAN;
        if (view->position[position] == 0)
            first[m] = value;
        double change = first[m] != 0 ? value / first[m] - 1 : NAN;
        add_value(&current->mean[entry * view->metrics + m], value);
        add_value(&current->change[entry * view->metrics + m], change);
        add_value(&change_sample[m], change);
    }
}

static int add_row(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__subject_view *view = user;
    struct sms__current_point *current = view->current;
    (void)points;
    if (!current->is_open || sqlite3_column_int64(row, POINT) != current->point)
        begin_point(view, row);
    size_t name = name_index(view, (const char *)sqlite3_column_text(row, NAME));
    size_t position = position_index(view, sqlite3_column_int64(row, POSITION));
    sqlite3_int64 replication = sqlite3_column_int64(row, REPLICATION);
    if (name < view->names && position < view->positions && replication >= 0 &&
        (size_t)replication < current->replications)
        add_values(view, row, name, position, (size_t)replication);
    return SMS_OK;
}

static int read_replications(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    double max = sqlite3_column_double(row, 0);
    *(size_t *)user = max >= 0 && max < REPLICATIONS ? (size_t)max + 1 : REPLICATIONS;
    if (max >= REPLICATIONS)
        sms__page_note(points->page, "Only the first %d replications are used.", REPLICATIONS);
    return SMS_OK;
}

static int allocate_sums(struct sms__subject_view *view)
{
    struct sms__arena *arena = &view->points->page->arena;
    struct sms__current_point *current = view->current = SMS__NEW(arena, struct sms__current_point, 1);
    size_t entries = view->names * view->positions;
    sqlite3_str *text = sqlite3_str_new(view->points->file);
    sqlite3_str_appendf(text, "SELECT max(replication) FROM main.%s", view->word);
    int code = sms__points_query(view->points, text, read_replications, &current->replications);
    current->mean = SMS__NEW(arena, struct sms__sum, entries * view->metrics);
    current->change = SMS__NEW(arena, struct sms__sum, entries * view->metrics);
    current->seen = SMS__NEW(arena, bool, entries);
    current->first = SMS__NEW(arena, double, view->names * current->replications * view->metrics);
    current->replication = SMS__NEW(arena, struct sms__sum, entries * current->replications * view->metrics);
    view->outcome = SMS__NEW(arena, struct sms__outcome, entries * view->metrics);
    view->count = SMS__NEW(arena, size_t, entries);
    return code;
}

/* Estimates the mean change. Each replication is one sample: its mean change over the points. */
static struct sms_estimate estimate(const struct sms__subject_view *view, size_t entry, size_t m)
{
    const struct sms__current_point *current = view->current;
    struct sms_estimate change_sample = {0};
    for (size_t r = 0; r < current->replications; r++) {
        double change = sms__sum_mean(current->replication[(entry * current->replications + r) * view->metrics + m]);
        if (!isnan(change))
            sms__estimate_add(&change_sample, change);
    }
    return sms__estimate_close(change_sample);
}

int sms__subject_read(struct sms__subject_view *view)
{
    int code = allocate_sums(view);
    if (code)
        return code;
    sqlite3_str *text = sqlite3_str_new(view->points->file);
    sqlite3_str_appendall(text, "SELECT r.name, r.position, r.point, r.replication");
    for (size_t i = 0; i < view->points->axes; i++)
        sqlite3_str_appendf(text, ", c.a%d", (int)i);
    for (size_t m = 0; m < view->metrics; m++)
        sqlite3_str_appendf(text, ", r.%s", view->metric[m].name);
    sqlite3_str_appendf(text,
                        " FROM temp.cell c CROSS JOIN main.%s r ON r.point = c.point "
                        "ORDER BY c.point, r.position, r.replication, r.name",
                        view->word);
    code = sms__points_query(view->points, text, add_row, view);
    finish_point(view);
    for (size_t i = 0; i < view->names * view->positions * view->metrics; i++)
        view->outcome[i].change_sample = estimate(view, i / view->metrics, i % view->metrics);
    return code;
}

/* ---- JSON ---- */

static json_t *column_json(const struct sms__subject_view *view, size_t entry,
                           double (*value)(struct sms__outcome outcome))
{
    json_t *list = json_array();
    for (size_t m = 0; m < view->metrics; m++)
        json_array_append_new(list, sms__json_number(value(view->outcome[entry * view->metrics + m])));
    return list;
}

static double mean_value(struct sms__outcome outcome) { return sms__sum_mean(outcome.mean); }
static double mean_change(struct sms__outcome outcome) { return sms__sum_mean(outcome.change); }
static double min_change(struct sms__outcome outcome) { return outcome.change.n ? outcome.min : NAN; }
static double max_change(struct sms__outcome outcome) { return outcome.change.n ? outcome.max : NAN; }
static double better_points(struct sms__outcome outcome) { return (double)outcome.better; }
static double best_points(struct sms__outcome outcome) { return (double)outcome.best; }
static double shared_points(struct sms__outcome outcome) { return (double)outcome.shared; }
static double equal_points(struct sms__outcome outcome) { return (double)outcome.equal; }

static double change_interval(struct sms__outcome outcome) { return outcome.change_sample.ci95; }

json_t *sms__subject_outcomes_json(const struct sms__subject_view *view)
{
    static double (*const columns[])(struct sms__outcome) = {mean_value,  mean_change,   change_interval,
                                                             min_change,  max_change,    better_points,
                                                             best_points, shared_points, equal_points};
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
