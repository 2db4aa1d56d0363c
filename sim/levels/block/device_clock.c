/* Device clocks: resources of scope device, for contention models with `slowdown` or `is_max_min`. A group that the
 * device slows more than its SM does follows a clock that it shares with all such groups. So a change of the device's
 * usage changes one clock, not every SM. An SM is visited only when one of its groups is the next to end, or when the
 * other of the two slowdowns becomes the greater one. Where slowdowns add up (join.h), groups follow no clock: it says
 * what the device adds to the sum.
 *
 * Invariant: `keys`, `rises` and `falls` of a clock agree with the groups of every SM that is not dirty. */
#include "internal.h"

#include <math.h>
#include <string.h>

struct sms__device_clock *sms__device_clock_of(const struct sms__blocks *device, const struct sms__footprint *fit)
{
    if (!fit->of_device)
        return NULL;
    for (size_t c = 0; c < device->clocks; c++)
        if (device->clock[c].resources == fit->of_device)
            return &device->clock[c];
    return NULL;
}

void sms__mark_changed(struct sms__sm_state *sm)
{
    struct sms__blocks *device = sm->device;
    sm->rated = NULL;
    if (sm->dirty)
        return;
    sm->dirty = true;
    device->rating.dirty[device->rating.dirty_count++] = sm->idx;
}

/* Returns true if it slows by another factor than it did. */
static inline bool set_slow(struct sms__device_clock *clock, double slow, uint64_t now)
{
    if (slow == clock->slow)
        return false;
    clock->base = sms__device_clock_reading(clock, now);
    clock->since = now;
    clock->slow = slow;
    clock->speed = 1 / slow;
    return true;
}

/* Returns by how much the device slows those that follow each clock; NULL if that follows from levels, or there is
 * none. */
static inline const double *slows_of(struct sms__blocks *device)
{
    struct sms__implied *implied = &device->rating.implied;
    if (device->setup.contention->is_max_min || !device->clocks)
        return NULL;
    return sms__device_usage_row(device, implied)->slow;
}

/* Gives a clock its speed. Returns true if that changed. */
static inline bool advance(struct sms__blocks *device, size_t c, const double *slows, uint64_t now)
{
    struct sms__device_clock *clock = &device->clock[c];
    return set_slow(clock, slows ? slows[c] : sms__sum(device->rating.levels.slow, clock->resources, INFINITY), now);
}

/* Where slowdowns add up: follows the usage of the device, unless it has fallen by no more than the grain. Returns
 * false then. */
static bool feel(struct sms__rating *rating)
{
    bool follows = false;
    for (uint32_t left = rating->device_scope; left; left &= left - 1) {
        const double is = rating->pressure[__builtin_ctz(left)], felt = rating->felt[__builtin_ctz(left)];
        follows |= is > felt || is < felt * (1 - rating->join.grain);
    }
    for (uint32_t left = follows ? rating->device_scope : 0; left; left &= left - 1)
        rating->felt[__builtin_ctz(left)] = rating->pressure[__builtin_ctz(left)];
    return follows;
}

bool sms__device_clock_advance(struct sms__blocks *device, uint64_t now)
{
    bool changed = false;
    if (device->rating.adds && !feel(&device->rating))
        return false;
    for (size_t c = 0; c < device->clocks; c++)
        changed |= advance(device, c, slows_of(device), now);
    return changed;
}

static void init_bounds(struct sms__bounds *bounds, struct sms__blocks *device)
{
    size_t groups = (device->sms + SMS__TOGETHER - 1) / SMS__TOGETHER;
    *bounds = (struct sms__bounds){SMS__NEW(device->arena, double, device->sms),
                                   SMS__NEW(device->arena, double, groups), INFINITY};
    for (size_t s = 0; s < device->sms; s++)
        bounds->value[s] = INFINITY;
    for (size_t g = 0; g < groups; g++)
        bounds->least[g] = INFINITY;
}

/* Marks those of some SMs whose number is below the limit. Returns the least number of the others. */
static double mark_among(struct sms__blocks *device, struct sms__bounds *bounds, size_t from, double limit)
{
    size_t end = from + SMS__TOGETHER < device->sms ? from + SMS__TOGETHER : device->sms;
    double least = INFINITY;
    for (size_t s = from; s < end; s++) {
        if (bounds->value[s] < limit) {
            bounds->value[s] = INFINITY;
            sms__mark_changed(&device->sm[s]);
        }
        least = sms__lower(least, bounds->value[s]);
    }
    return least;
}

/* Marks the SMs whose number is below the limit. */
static __attribute__((noinline)) void mark_below(struct sms__blocks *device, struct sms__bounds *bounds, double limit)
{
    bounds->first = INFINITY;
    for (size_t g = 0; g * SMS__TOGETHER < device->sms; g++) {
        if (bounds->least[g] < limit)
            bounds->least[g] = mark_among(device, bounds, g * SMS__TOGETHER, limit);
        bounds->first = sms__lower(bounds->first, bounds->least[g]);
    }
}

/* Marks the SMs with a group that must now start or stop following the clock. */
static inline void find_crossings(struct sms__device_clock *clock)
{
    if (clock->rises.first < clock->slow)
        mark_below(clock->device, &clock->rises, clock->slow);
    if (clock->falls.first < -clock->slow)
        mark_below(clock->device, &clock->falls, -clock->slow);
}

void sms__device_clock_update(struct sms__blocks *device, uint64_t now)
{
    const double *slows = slows_of(device);
    for (size_t c = 0; c < device->clocks; c++)
        if (advance(device, c, slows, now))
            find_crossings(&device->clock[c]);
}

/* Returns a reading that the clock has not passed, for ends that it has: more than it reads, because that is rounded.
 */
static double not_passed(const struct sms__device_clock *clock, uint64_t now)
{
    return sms__device_clock_reading(clock, now) * (1 + 0x1p-48) + 1;
}

struct sms__sm_state *sms__device_clock_only(struct sms__device_clock *clock, uint64_t now)
{
    const uint64_t mask = clock->keys.mask;
    size_t first = sms__tournament_first(&clock->keys) & mask;
    struct sms__sm_state *sm = &clock->device->sm[first];
    const struct sms__next_ends *next = &clock->next[first];
    double limit = next->first * (1 + 0x1p-48) + 2; /* in whole ps the clock reads at most 1 more */
    if (sms__tournament_other(&clock->keys, first) <= ((union sms__key){.number = limit}.bits | mask) ||
        sms__device_clock_due(clock, next->first) > now)
        return NULL;
    sm->next_group = next->second > limit ? next->group : NULL;
    return sm;
}

/* Schedules the SMs below a node whose blocks end now, so that they fire in the order of SMs. Keys above the limit are
 * of later ends. Returns when the first of the others ends whose keys are not above it. */
static uint64_t schedule_due(struct sms__device_clock *clock, size_t node, double limit, uint64_t now)
{
    if (clock->keys.node[node] > limit)
        return SMS__NEVER;
    if (node < clock->keys.leaves) {
        uint64_t a = schedule_due(clock, 2 * node, limit, now), b = schedule_due(clock, 2 * node + 1, limit, now);
        return a < b ? a : b;
    }
    struct sms__sm_state *sm = &clock->device->sm[node - clock->keys.leaves];
    uint64_t time = sms__device_clock_due(clock, clock->next[sm->idx].first);
    if (time > now)
        return time;
    sms__tournament_set(&clock->keys, sm->idx, SMS__NO_KEY);
    clock->next[sm->idx].first = INFINITY;
    sm->next_group = NULL;
    sms__sm_times_set(&clock->device->times, sm->idx, now);
    return SMS__NEVER;
}

void sms__device_clock_end(struct sms__device_clock *clock, uint64_t now)
{
    double limit = (union sms__key){sms__reading_key(clock, not_passed(clock, now), clock->keys.mask)}.number;
    uint64_t next = schedule_due(clock, 1, limit, now);
    sms__device_clock_schedule(clock, now);
    clock->due = clock->due <= now ? next : clock->due;
}

static void add_clock(struct sms__blocks *device, uint32_t resources)
{
    for (size_t c = 0; c < device->clocks; c++)
        if (device->clock[c].resources == resources)
            return;
    struct sms__device_clock *clock = &device->clock[device->clocks++];
    *clock =
        (struct sms__device_clock){.device = device, .resources = resources, .speed = 1, .slow = 1, .due = SMS__NEVER};
    clock->next = SMS__NEW(device->arena, struct sms__next_ends, device->sms);
    for (size_t s = 0; s < device->sms; s++)
        clock->next[s].first = INFINITY;
    sms__tournament_init(&clock->keys, device->arena, device->sms);
    init_bounds(&clock->rises, device);
    init_bounds(&clock->falls, device);
}

void sms__device_clock_init(struct sms__blocks *device)
{
    const struct sms__footprint *const *kernel_type = device->setup.kernel_type;
    if (!device->setup.contention->slowdown && !device->setup.contention->is_max_min)
        return;
    device->clock = SMS__NEW(device->arena, struct sms__device_clock, device->setup.max_clocks);
    for (size_t k = 0; k < device->setup.kernel_types; k++)
        if (kernel_type[k] && kernel_type[k]->of_device)
            add_clock(device, kernel_type[k]->of_device);
}
