/* Groups, and which to try next: those that grow by one copy from a group that works, and that promise the most beyond
 * what their copies and their GPU would do elsewhere. */
#include "pack.h"

#include "../base/hash.h"

#include <math.h>
#include <string.h>

/* What a price must leave of a group's worth. */
static const double GAIN_LEAST = 1e-6;

static uint64_t hash_of(size_t kind, const uint64_t *copies, size_t count)
{
    uint64_t hash = kind;
    for (size_t p = 0; p < count; p++)
        hash = sms__hash(hash, copies[p]);
    return hash;
}

static bool is_known(const struct sms__pack *pack, size_t kind, const uint64_t *copies)
{
    const uint64_t hash = hash_of(kind, copies, pack->programs->count);
    for (size_t g = 0; g < pack->groups; g++)
        if (pack->group[g]->hash == hash && pack->group[g]->kind == kind &&
            !memcmp(pack->group[g]->copies, copies, pack->programs->count * sizeof *copies))
            return true;
    return false;
}

static size_t *pair_of(const struct sms__pack *pack, size_t kind, size_t p, size_t q)
{
    const size_t count = pack->programs->count;
    return &pack->pair[(kind * count + p) * count + q];
}

void sms__pack_add(struct sms__arena *arena, struct sms__pack *pack, size_t kind, const uint64_t *copies)
{
    const size_t count = pack->programs->count;
    size_t of[2] = {0}, found = 0;
    struct sms__group *group = SMS__NEW(arena, struct sms__group, 1);
    group->kind = kind;
    group->copies = SMS__NEW(arena, uint64_t, count);
    group->per_s = SMS__NEW(arena, double, count);
    memcpy(group->copies, copies, count * sizeof *copies);
    group->hash = hash_of(kind, copies, count);
    for (size_t p = 0; p < count; p++) {
        group->size += copies[p];
        for (uint64_t copy = 0; copy < copies[p] && found < 2; copy++)
            of[found++] = p;
    }
    *SMS__APPEND(arena, pack->group, pack->groups) = group;
    if (group->size == 2)
        *pair_of(pack, kind, of[0], of[1]) = *pair_of(pack, kind, of[1], of[0]) = pack->groups;
}

struct sms__group *sms__pack_alone(const struct sms__pack *pack, size_t kind, size_t p)
{
    return pack->group[kind * pack->programs->count + p];
}

const struct sms__group *sms__pack_pair(const struct sms__pack *pack, size_t kind, size_t p, size_t q)
{
    const size_t pair = *pair_of(pack, kind, p, q);
    return pair ? pack->group[pair - 1] : NULL;
}

double sms__pack_value(const struct sms__pack *pack, enum sms__goal goal, uint64_t size, double worth)
{
    return goal == SMS__FEWEST_GPUS ? -1 : (double)(pack->copies + 1) * (double)size + worth; /* more than all work */
}

/* ---- which to try ---- */

/* The share that is taken of the resource most asked for: by all, each as alone; or by those whose jobs arrive. */
static double use_of(const struct sms__pack *pack, size_t kind, const uint64_t *copies, bool arriving)
{
    double most = 0;
    for (size_t r = 0; r < SMS_RESOURCES_MAX; r++) {
        double use = 0;
        for (size_t p = 0; p < pack->programs->count; p++)
            if (!arriving || pack->programs->program[p].per_s > 0)
                use += (double)copies[p] * pack->use[(kind * pack->programs->count + p) * SMS_RESOURCES_MAX + r];
        most = fmax(most, use);
    }
    return most;
}

enum sms__prune sms__pack_prune(const struct sms__pack *pack, size_t kind, const uint64_t *copies)
{
    double memory = 0;
    uint64_t size = 0, exclusive = 0;
    for (size_t p = 0; p < pack->programs->count; p++) {
        size += copies[p];
        exclusive += copies[p] && sms__program_is_exclusive(&pack->programs->program[p]);
    }
    if (exclusive && size > 1)
        return SMS__APART;
    for (size_t p = 0; p < pack->programs->count; p++)
        memory += (double)copies[p] * sms__pack_alone(pack, kind, p)->memory;
    if (memory > (double)pack->kind[kind].device->memory)
        return SMS__NO_MEMORY;
    return use_of(pack, kind, copies, true) > 1 ? SMS__TOO_MUCH : SMS__MAY_WORK;
}

/* Copies of p that do so much each in a group, at most: as in pairs with its members, and in the group without another.
 */
static double rate_beside(const struct sms__pack *pack, const struct sms__group *group, size_t p, size_t other)
{
    const struct sms__group *pair = sms__pack_pair(pack, group->kind, p, other);
    return pair ? pair->per_s[p] / (double)pair->copies[p] : sms__pack_alone(pack, group->kind, p)->per_s[p];
}

/* What the group with one more copy of p is worth at most, as far as is known; -INFINITY: it does not work. */
static double worth_with(const struct sms__pack *pack, const struct sms__group *group, size_t p)
{
    double worth = 0, own = sms__pack_alone(pack, group->kind, p)->per_s[p];
    for (size_t q = 0; q < pack->programs->count; q++) {
        const struct sms__group *pair = sms__pack_pair(pack, group->kind, p, q);
        if (!group->copies[q])
            continue;
        if (pair && !pair->works)
            return -INFINITY;
        const double each = group->per_s[q] / (double)group->copies[q];
        worth += (double)group->copies[q] * fmin(each, rate_beside(pack, group, q, p)) / pack->unit_per_s[q];
        own = fmin(own, rate_beside(pack, group, p, q));
    }
    return sms__pack_alone(pack, group->kind, p)->works ? worth + own / pack->unit_per_s[p] : -INFINITY;
}

/* Keeps the candidate if it is among the most promising; equal ones in the order in which they are found. */
static void keep(struct sms__prices *prices, struct sms__candidate candidate)
{
    struct sms__candidate *top = prices->top;
    size_t at = prices->count;
    for (size_t i = 0; i < prices->count; i++)
        if (top[i].hash == candidate.hash)
            return;
    while (at > 0 && top[at - 1].promise < candidate.promise)
        at--;
    if (at == SMS__PACK_ROUND)
        return;
    prices->count += prices->count < SMS__PACK_ROUND;
    memmove(&top[at + 1], &top[at], (prices->count - 1 - at) * sizeof *top);
    top[at] = candidate;
}

/* Such a group may work, and has not been tried. */
static bool is_open(const struct sms__pack *pack, size_t kind, const uint64_t *copies)
{
    return sms__pack_prune(pack, kind, copies) == SMS__MAY_WORK && !is_known(pack, kind, copies);
}

static void consider(const struct sms__pack *pack, const struct sms__group *group, size_t p, struct sms__prices *prices,
                     uint64_t *copies)
{
    const size_t kind = group->kind, programs = pack->programs->count;
    const double worth = worth_with(pack, group, p);
    memcpy(copies, group->copies, programs * sizeof *copies);
    copies[p]++;
    const double *price = prices->price;
    double cost = price[programs + kind] + price[programs + pack->kinds] * (double)(group->size + 1);
    for (size_t q = 0; q < programs; q++)
        cost += (double)copies[q] * price[q];
    const double value = sms__pack_value(pack, prices->goal, group->size + 1, 0) - cost;
    const double most = value + (prices->goal == SMS__MOST_WORK ? worth : 0);
    if (isinf(worth) || most <= GAIN_LEAST || !is_open(pack, kind, copies))
        return;
    const double promise = value + worth / fmax(use_of(pack, kind, copies, false), 1);
    keep(prices, (struct sms__candidate){group, p, promise, hash_of(kind, copies, programs)});
}

void sms__pack_grow(struct sms__arena *arena, struct sms__pack *pack, size_t kind, struct sms__prices *prices)
{
    uint64_t *copies = SMS__NEW(arena, uint64_t, pack->programs->count);
    prices->count = 0;
    for (size_t g = 0; g < pack->groups; g++) {
        const struct sms__group *group = pack->group[g];
        for (size_t p = 0; p < pack->programs->count; p++)
            if (group->kind == kind && group->works && group->size < SMS__SHARING_MAX &&
                group->copies[p] < pack->programs->program[p].least)
                consider(pack, group, p, prices, copies);
    }
    for (size_t i = 0; i < prices->count; i++) {
        if (pack->groups >= prices->most) {
            pack->open = true;
            return;
        }
        memcpy(copies, prices->top[i].parent->copies, pack->programs->count * sizeof *copies);
        copies[prices->top[i].p]++;
        sms__pack_add(arena, pack, kind, copies);
    }
}

/* With one more copy of p, `copies` in all, the group may work as far as is known, and was not tried. */
static bool may_take(const struct sms__pack *pack, const struct sms__group *group, size_t p, uint64_t *copies)
{
    memcpy(copies, group->copies, pack->programs->count * sizeof *copies);
    copies[p]++;
    return group->size < SMS__SHARING_MAX && !isinf(worth_with(pack, group, p)) && is_open(pack, group->kind, copies);
}

void sms__pack_extend(struct sms__arena *arena, struct sms__pack *pack, const uint64_t *times, size_t most)
{
    const size_t groups = pack->groups;
    uint64_t *copies = SMS__NEW(arena, uint64_t, pack->programs->count);
    for (size_t p = 0; p < pack->programs->count; p++) {
        uint64_t placed = 0;
        for (size_t g = 0; g < groups; g++)
            placed += times[g] * pack->group[g]->copies[p];
        for (size_t g = 0; g < groups && placed < pack->programs->program[p].least && pack->groups < most; g++)
            if (times[g] && may_take(pack, pack->group[g], p, copies))
                sms__pack_add(arena, pack, pack->group[g]->kind, copies);
    }
}
