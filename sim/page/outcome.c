/* The rows of a subject go by point by point, of each the first policy first: they are put together here rather than in
 * SQL, which would sort all of them for it. */
#include "subjects.h"

#include "../report/output.h"

#include "../base/statistics.h"

#include <math.h>
#include <string.h>

enum { REPLICATIONS = 1000 };

/* The point whose rows go by. */
struct sms__at_hand {
    bool any;
    sqlite3_int64 point;
    size_t cell[SMS__GROUPS];
    struct sms__sum *mean, *change; /* [names][positions][metrics] */
    bool *seen;                     /* [names][positions] */
    double *first;                  /* [names][replications][metrics]: of the first policy */
    struct sms__sum *replication;   /* [names][positions][replications][metrics]: changes, of all points */
    size_t replications;
};

static void add(struct sms__sum *sum, double value)
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

/* What is selected first; then the axes, the metrics. */
enum { NAME, POSITION, POINT, REPLICATION, AXES };

/* ---- a point that is whole ---- */

static void add_outcome(struct sms__outcome *outcome, int better, double mean, double change)
{
    add(&outcome->mean, mean);
    if (isnan(change))
        return;
    outcome->least = outcome->change.n ? fmin(outcome->least, change) : change;
    outcome->most = outcome->change.n ? fmax(outcome->most, change) : change;
    outcome->better += better * change > 0;
    add(&outcome->change, change);
}

/* Who has the best mean: alone, with others, or as all have it. */
static void count_best(struct sms__subject_view *view, size_t name, size_t m)
{
    const struct sms__sum *mean = view->at_hand->mean;
    double most = -INFINITY, value[SMS__POSITIONS];
    size_t all = 0, equals = 0;
    for (size_t p = 0; p < view->positions; p++) {
        value[p] = view->metric[m].better * sms__sum_mean(mean[(name * view->positions + p) * view->metrics + m]);
        all += !isnan(value[p]);
        equals = value[p] > most ? 1 : equals + (value[p] == most);
        most = fmax(value[p], most);
    }
    for (size_t p = 0; p < view->positions && view->metric[m].better; p++) {
        struct sms__outcome *outcome = &view->outcome[(name * view->positions + p) * view->metrics + m];
        outcome->best += value[p] == most && equals == 1;
        outcome->shared += value[p] == most && equals > 1;
        outcome->equal += value[p] == most && equals > 1 && equals == all;
    }
}

static void add_to_group(struct sms__subject_view *view, size_t g, size_t entry)
{
    struct sms__group *group = &view->group[g];
    const struct sms__at_hand *hand = view->at_hand;
    size_t place = hand->cell[g] * view->names * view->positions + entry;
    group->points[place]++;
    for (size_t m = 0; m < view->metrics; m++) {
        add(&group->mean[place * view->metrics + m], sms__sum_mean(hand->mean[entry * view->metrics + m]));
        add(&group->change[place * view->metrics + m], sms__sum_mean(hand->change[entry * view->metrics + m]));
    }
}

static void close_entry(struct sms__subject_view *view, size_t entry)
{
    const struct sms__at_hand *hand = view->at_hand;
    view->count[entry]++;
    for (size_t i = entry * view->metrics; i < (entry + 1) * view->metrics; i++)
        add_outcome(&view->outcome[i], view->metric[i % view->metrics].better, sms__sum_mean(hand->mean[i]),
                    sms__sum_mean(hand->change[i]));
    for (size_t g = 0; g < view->groups; g++)
        add_to_group(view, g, entry);
}

static void close_point(struct sms__subject_view *view)
{
    struct sms__at_hand *hand = view->at_hand;
    size_t entries = view->names * view->positions;
    for (size_t e = 0; e < entries && hand->any; e++)
        if (hand->seen[e])
            close_entry(view, e);
    for (size_t n = 0; n < view->names && hand->any; n++)
        for (size_t m = 0; m < view->metrics; m++)
            count_best(view, n, m);
    memset(hand->mean, 0, entries * view->metrics * sizeof *hand->mean);
    memset(hand->change, 0, entries * view->metrics * sizeof *hand->change);
    memset(hand->seen, 0, entries * sizeof *hand->seen);
    for (size_t i = 0; i < view->names * hand->replications * view->metrics; i++)
        hand->first[i] = NAN;
}

/* ---- its rows ---- */

static void open_point(struct sms__subject_view *view, sqlite3_stmt *row)
{
    struct sms__at_hand *hand = view->at_hand;
    close_point(view);
    hand->any = true;
    hand->point = sqlite3_column_int64(row, POINT);
    for (size_t g = 0; g < view->groups; g++) {
        const struct sms__group *group = &view->group[g];
        hand->cell[g] = 0;
        for (size_t i = 0; i < group->axes; i++)
            hand->cell[g] = hand->cell[g] * view->points->axis[group->axis[i]].values +
                            (size_t)sqlite3_column_int64(row, AXES + (int)group->axis[i]);
    }
}

static void take_values(struct sms__subject_view *view, sqlite3_stmt *row, size_t name, size_t position,
                        size_t replication)
{
    struct sms__at_hand *hand = view->at_hand;
    size_t entry = name * view->positions + position;
    double *first = &hand->first[(name * hand->replications + replication) * view->metrics];
    struct sms__sum *over = &hand->replication[(entry * hand->replications + replication) * view->metrics];
    hand->seen[entry] = true;
    for (size_t m = 0; m < view->metrics; m++) {
        int column = AXES + (int)(view->points->axes + m);
        bool there = sqlite3_column_type(row, column) != SQLITE_NULL;
        double value = there ? sqlite3_column_double(row, column) : NAN;
        if (view->position[position] == 0)
            first[m] = value;
        double change = first[m] != 0 ? value / first[m] - 1 : NAN;
        add(&hand->mean[entry * view->metrics + m], value);
        add(&hand->change[entry * view->metrics + m], change);
        add(&over[m], change);
    }
}

static int take_row(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct sms__subject_view *view = user;
    struct sms__at_hand *hand = view->at_hand;
    (void)points;
    if (!hand->any || sqlite3_column_int64(row, POINT) != hand->point)
        open_point(view, row);
    size_t name = name_index(view, (const char *)sqlite3_column_text(row, NAME));
    size_t position = position_index(view, sqlite3_column_int64(row, POSITION));
    sqlite3_int64 replication = sqlite3_column_int64(row, REPLICATION);
    if (name < view->names && position < view->positions && replication >= 0 &&
        (size_t)replication < hand->replications)
        take_values(view, row, name, position, (size_t)replication);
    return SMS_OK;
}

static int take_count(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    double most = sqlite3_column_double(row, 0);
    *(size_t *)user = most >= 0 && most < REPLICATIONS ? (size_t)most + 1 : REPLICATIONS;
    if (most >= REPLICATIONS)
        sms__page_note(points->page, "Of the replications the first %d count.", REPLICATIONS);
    return SMS_OK;
}

static int begin(struct sms__subject_view *view)
{
    struct sms__arena *arena = &view->points->page->arena;
    struct sms__at_hand *hand = view->at_hand = SMS__NEW(arena, struct sms__at_hand, 1);
    size_t entries = view->names * view->positions;
    sqlite3_str *text = sqlite3_str_new(view->points->file);
    sqlite3_str_appendf(text, "SELECT max(replication) FROM main.%s", view->word);
    int code = sms__points_ask(view->points, text, take_count, &hand->replications);
    hand->mean = SMS__NEW(arena, struct sms__sum, entries * view->metrics);
    hand->change = SMS__NEW(arena, struct sms__sum, entries * view->metrics);
    hand->seen = SMS__NEW(arena, bool, entries);
    hand->first = SMS__NEW(arena, double, view->names * hand->replications * view->metrics);
    hand->replication = SMS__NEW(arena, struct sms__sum, entries * hand->replications * view->metrics);
    view->outcome = SMS__NEW(arena, struct sms__outcome, entries * view->metrics);
    view->count = SMS__NEW(arena, size_t, entries);
    return code;
}

/* Each replication is one of the sample: its mean change over the points. */
static struct sms_estimate estimate(const struct sms__subject_view *view, size_t entry, size_t m)
{
    const struct sms__at_hand *hand = view->at_hand;
    struct sms_estimate over = {0};
    for (size_t r = 0; r < hand->replications; r++) {
        double change = sms__sum_mean(hand->replication[(entry * hand->replications + r) * view->metrics + m]);
        if (!isnan(change))
            sms__estimate_add(&over, change);
    }
    return sms__estimate_close(over);
}

int sms__subject_read(struct sms__subject_view *view)
{
    int code = begin(view);
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
    code = sms__points_ask(view->points, text, take_row, view);
    close_point(view);
    for (size_t i = 0; i < view->names * view->positions * view->metrics; i++)
        view->outcome[i].over = estimate(view, i / view->metrics, i % view->metrics);
    return code;
}

/* ---- JSON ---- */

static json_t *column_json(const struct sms__subject_view *view, size_t entry, double (*value)(struct sms__outcome of))
{
    json_t *list = json_array();
    for (size_t m = 0; m < view->metrics; m++)
        json_array_append_new(list, sms__json_number(value(view->outcome[entry * view->metrics + m])));
    return list;
}

static double mean_of(struct sms__outcome of) { return sms__sum_mean(of.mean); }
static double change_of(struct sms__outcome of) { return sms__sum_mean(of.change); }
static double least_of(struct sms__outcome of) { return of.change.n ? of.least : NAN; }
static double most_of(struct sms__outcome of) { return of.change.n ? of.most : NAN; }
static double better_of(struct sms__outcome of) { return (double)of.better; }
static double best_of(struct sms__outcome of) { return (double)of.best; }
static double shared_of(struct sms__outcome of) { return (double)of.shared; }
static double equal_of(struct sms__outcome of) { return (double)of.equal; }

static double interval_of(struct sms__outcome of) { return of.over.ci95; }

json_t *sms__subject_outcomes_json(const struct sms__subject_view *view)
{
    static double (*const columns[])(struct sms__outcome) = {mean_of,   change_of, interval_of, least_of, most_of,
                                                             better_of, best_of,   shared_of,   equal_of};
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
