/* SQL aggregates over the replications of a point, by the same functions that judge a run. */
#include "points.h"

#include "../base/best.h"
#include "../base/statistics.h"

#include <math.h>
#include <stdlib.h>

/* ---- ci95(x) ---- */

static void add_sample(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct sms__moments *moments = sqlite3_aggregate_context(context, sizeof *moments);
    (void)count;
    if (!moments)
        sqlite3_result_error_nomem(context);
    else if (sqlite3_value_type(*value) != SQLITE_NULL)
        sms__estimate_add(moments, sqlite3_value_double(*value));
}

static void end_samples(sqlite3_context *context)
{
    const struct sms__moments *moments = sqlite3_aggregate_context(context, 0);
    if (moments)
        sqlite3_result_double(context, sms__estimate_close(*moments).ci95); /* NAN becomes NULL */
}

/* ---- change_ci95(value, base) ---- */

static double number_of(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL ? (double)NAN : sqlite3_value_double(value);
}

static void add_pair(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct sms__pairs *pairs = sqlite3_aggregate_context(context, sizeof *pairs);
    (void)count;
    if (pairs)
        sms__pairs_add(pairs, number_of(value[0]), number_of(value[1]));
    else
        sqlite3_result_error_nomem(context);
}

static void end_pairs(sqlite3_context *context)
{
    const struct sms__pairs *pairs = sqlite3_aggregate_context(context, 0);
    if (pairs)
        sqlite3_result_double(context, sms__pairs_ratio(pairs).ci95);
}

/* ---- best_group(policy, replication, value, better) ---- */

enum { REPLICATIONS = 1000, EQUAL_BIT = 40 };

struct group {
    double *value; /* [SMS__POSITIONS][room] */
    size_t room, replications, policies;
    int better;
};

/* Makes room for as many replications. Returns false when out of memory. */
static bool grow(struct group *group, size_t replications)
{
    const size_t room = replications > 2 * group->room ? replications : 2 * group->room;
    double *value = replications <= group->room ? group->value : malloc(SMS__POSITIONS * room * sizeof *value);
    if (!value || replications <= group->room)
        return value;
    for (size_t i = 0; i < SMS__POSITIONS * room; i++)
        value[i] = i % room < group->room ? group->value[i / room * group->room + i % room] : (double)NAN;
    free(group->value);
    group->value = value;
    group->room = room;
    return true;
}

static void add_value(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct group *group = sqlite3_aggregate_context(context, sizeof *group);
    const sqlite3_int64 policy = sqlite3_value_int64(value[0]), replication = sqlite3_value_int64(value[1]);
    (void)count;
    if (policy < 0 || policy >= SMS__POSITIONS || replication < 0 || replication >= REPLICATIONS)
        return;
    if (!group || !grow(group, (size_t)replication + 1)) {
        sqlite3_result_error_nomem(context);
        return;
    }
    group->value[(size_t)policy * group->room + (size_t)replication] = number_of(value[2]);
    group->better = sqlite3_value_int(value[3]);
    group->policies = (size_t)policy >= group->policies ? (size_t)policy + 1 : group->policies;
    group->replications = (size_t)replication >= group->replications ? (size_t)replication + 1 : group->replications;
}

/* Moves the rows together, and returns the bits; 0 where neither more nor less is better. */
static sqlite3_int64 judge(struct group *group)
{
    bool in_group[SMS__POSITIONS];
    struct sms__best best;
    sqlite3_int64 bits = 0;
    for (size_t i = 0; i < group->policies * group->replications; i++)
        group->value[i] = group->value[i / group->replications * group->room + i % group->replications];
    const struct sms__samples samples = {group->value, group->policies, group->replications, group->better, false};
    if (!group->better || !sms__find_best(&samples, 0, &best, in_group))
        return 0;
    for (size_t p = 0; p < group->policies; p++)
        bits |= (sqlite3_int64)in_group[p] << p;
    return best.verdict == SMS__BEST_SAME ? bits | (sqlite3_int64)1 << EQUAL_BIT : bits;
}

static void end_group(sqlite3_context *context)
{
    struct group *group = sqlite3_aggregate_context(context, 0);
    if (!group || !group->value)
        return;
    sqlite3_result_int64(context, judge(group));
    free(group->value);
}

bool sms__add_aggregates(sqlite3 *file)
{
    return sqlite3_create_function(file, "ci95", 1, SQLITE_UTF8, NULL, NULL, add_sample, end_samples) == SQLITE_OK &&
           sqlite3_create_function(file, "change_ci95", 2, SQLITE_UTF8, NULL, NULL, add_pair, end_pairs) == SQLITE_OK &&
           sqlite3_create_function(file, "best_group", 4, SQLITE_UTF8, NULL, NULL, add_value, end_group) == SQLITE_OK;
}
