/* SQL aggregates over the replications of a point, by the same functions that judge a run. */
#include "points.h"

#include "../base/best.h"
#include "../base/statistics.h"

#include <math.h>
#include <stdlib.h>

/* ---- avg(x), ci95(x) ---- */

static void add_sample(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct sms__moments *moments = sqlite3_aggregate_context(context, sizeof *moments);
    (void)count;
    if (!moments)
        sqlite3_result_error_nomem(context);
    else if (sqlite3_value_type(*value) != SQLITE_NULL)
        sms__estimate_add(moments, sqlite3_value_double(*value));
}

/* In place of SQLite's own, which adds up in another way since version 3.43. */
static void end_mean(sqlite3_context *context)
{
    const struct sms__moments *moments = sqlite3_aggregate_context(context, 0);
    if (moments)
        sqlite3_result_double(context, moments->n ? moments->mean : (double)NAN);
}

static void end_samples(sqlite3_context *context)
{
    const struct sms__moments *moments = sqlite3_aggregate_context(context, 0);
    if (moments)
        sqlite3_result_double(context, sms__estimate_close(*moments).ci95); /* NAN becomes NULL */
}

/* ---- best_group(policy, replication, value, better), changes(policy, replication, value, better) ---- */

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
    group->value[(size_t)policy * group->room + (size_t)replication] =
        sqlite3_value_type(value[2]) == SQLITE_NULL ? (double)NAN : sqlite3_value_double(value[2]);
    group->better = sqlite3_value_int(value[3]);
    group->policies = (size_t)policy >= group->policies ? (size_t)policy + 1 : group->policies;
    group->replications = (size_t)replication >= group->replications ? (size_t)replication + 1 : group->replications;
}

/* Sets the bits of those in the group of the best, and whether all are equal. Returns false when out of memory. */
static bool judge_best(const struct sms__samples *samples, uint64_t *bits)
{
    bool in_group[SMS__POSITIONS];
    struct sms__best best;
    if (!sms__find_best(samples, 0, &best, in_group, NULL))
        return false;
    for (size_t p = 0; p < samples->policies; p++)
        *bits |= (uint64_t)in_group[p] << p;
    *bits |= (uint64_t)(best.verdict == SMS__BEST_SAME) << EQUAL_BIT;
    return true;
}

/* The bits of those that are better than the first, and from bit 32 on of those that are worse. */
static bool judge_changes(const struct sms__samples *samples, uint64_t *bits)
{
    int change[SMS__POSITIONS];
    if (!sms__find_changes(samples, 0, change))
        return false;
    for (size_t p = 0; p < samples->policies; p++)
        *bits |= (uint64_t)(change[p] > 0) << p | (uint64_t)(change[p] < 0) << (p + 32);
    return true;
}

/* Moves the rows together, and ends with the bits; with 0 where neither more nor less is better. */
static void end_with(sqlite3_context *context, bool (*judge)(const struct sms__samples *samples, uint64_t *bits))
{
    uint64_t bits = 0;
    struct group *group = sqlite3_aggregate_context(context, 0);
    if (!group || !group->value)
        return;
    for (size_t i = 0; i < group->policies * group->replications; i++)
        group->value[i] = group->value[i / group->replications * group->room + i % group->replications];
    const struct sms__samples samples = {group->value, group->policies, group->replications, group->better, false};
    if (!group->better || judge(&samples, &bits))
        sqlite3_result_int64(context, (sqlite3_int64)bits);
    else
        sqlite3_result_error_nomem(context);
    free(group->value);
}

static void end_best(sqlite3_context *context) { end_with(context, judge_best); }

static void end_changes(sqlite3_context *context) { end_with(context, judge_changes); }

bool sms__add_aggregates(sqlite3 *file)
{
    static const struct {
        const char *name;
        int arguments;
        void (*add)(sqlite3_context *context, int count, sqlite3_value **value);
        void (*end)(sqlite3_context *context);
    } aggregate[] = {{"avg", 1, add_sample, end_mean},
                     {"ci95", 1, add_sample, end_samples},
                     {"best_group", 4, add_value, end_best},
                     {"changes", 4, add_value, end_changes}};
    bool added = true;
    for (size_t i = 0; i < sizeof aggregate / sizeof *aggregate; i++)
        added &= sqlite3_create_function(file, aggregate[i].name, aggregate[i].arguments, SQLITE_UTF8, NULL, NULL,
                                         aggregate[i].add, aggregate[i].end) == SQLITE_OK;
    return added;
}
