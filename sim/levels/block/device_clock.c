/* Device clocks: resources of scope device, for contention models with `slowdown` or `shares_device`. A group that the
 * device slows more than its SM does follows a clock that it shares with all such groups. So a change of the device's
 * usage changes one clock, not every SM. An SM is visited only when one of its groups is the next to end, or when the
 * other of the two slowdowns becomes the greater one.
 *
 * Invariant: `node`, `rises` and `falls` of a clock agree with the groups of every SM that is not dirty. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { TOGETHER = 64 }; /* SMs that share a bound */

/* The key of an SM without a group that follows the clock. */
static const uint64_t NO_KEY = UINT64_MAX;

/* Returns the key of a reading, which has the SM in place of its last bits. Doubles that are not negative have the same
 * order as their bits. */
static uint64_t key_of(const struct sms__device_clock *clock, double reading, size_t sm)
{
    uint64_t bits;
    reading = reading > 0 ? reading : 0;
    memcpy(&bits, &reading, sizeof bits);
    return (bits & ~clock->mask) | sm;
}

/* Keys are unique and say which SM they are of, so a match compares and moves 64 bits, half of an event's. */
static void set_key(struct sms__device_clock *clock, size_t sm, double reading)
{
    uint64_t *node = clock->node, key = reading == INFINITY ? NO_KEY : key_of(clock, reading, sm);
    node[clock->leaves + sm] = key;
    for (size_t at = clock->leaves + sm; at > 1;) {
        uint64_t other = node[at ^ 1];
        key = other < key ? other : key;
        at /= 2;
        node[at] = key;
    }
}

/* Returns the least key of all other SMs. */
static inline uint64_t other_key(const struct sms__device_clock *clock, size_t sm)
{
    uint64_t least = NO_KEY;
    for (size_t at = clock->leaves + sm; at > 1; at /= 2)
        least = clock->node[at ^ 1] < least ? clock->node[at ^ 1] : least;
    return least;
}

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

bool sms__device_clock_advance(struct sms__device_clock *clock, uint64_t now)
{
    struct sms__blocks *device = clock->device;
    double slow = device->setup.contention->shares_device ? sms__greatest(device->rating.levels.slow, clock->resources)
                                                          : sms__device_usage_slows(device)[clock - device->clock];
    if (slow == clock->slow)
        return false;
    clock->base = sms__device_clock_reading(clock, now);
    clock->since = now;
    clock->slow = slow;
    clock->speed = 1 / slow;
    return true;
}

static double lower(double a, double b) { return a < b ? a : b; }

static void init_bounds(struct sms__bounds *bounds, struct sms__blocks *device)
{
    size_t groups = (device->sms + TOGETHER - 1) / TOGETHER;
    *bounds = (struct sms__bounds){SMS__NEW(device->arena, double, device->sms),
                                   SMS__NEW(device->arena, double, groups), INFINITY};
    for (size_t s = 0; s < device->sms; s++)
        bounds->value[s] = INFINITY;
    for (size_t g = 0; g < groups; g++)
        bounds->least[g] = INFINITY;
}

static inline void set_bound(struct sms__bounds *bounds, size_t sm, double value)
{
    if (bounds->value[sm] == value)
        return;
    bounds->value[sm] = value;
    bounds->least[sm / TOGETHER] = lower(bounds->least[sm / TOGETHER], value);
    bounds->first = lower(bounds->first, value);
}

/* Marks those of some SMs whose number is below the limit. Returns the least number of the others. */
static double mark_among(struct sms__blocks *device, struct sms__bounds *bounds, size_t from, double limit)
{
    size_t end = from + TOGETHER < device->sms ? from + TOGETHER : device->sms;
    double least = INFINITY;
    for (size_t s = from; s < end; s++) {
        if (bounds->value[s] < limit) {
            bounds->value[s] = INFINITY;
            sms__mark_changed(&device->sm[s]);
        }
        least = lower(least, bounds->value[s]);
    }
    return least;
}

/* Marks the SMs whose number is below the limit. */
static __attribute__((noinline)) void mark_below(struct sms__blocks *device, struct sms__bounds *bounds, double limit)
{
    bounds->first = INFINITY;
    for (size_t g = 0; g * TOGETHER < device->sms; g++) {
        if (bounds->least[g] < limit)
            bounds->least[g] = mark_among(device, bounds, g * TOGETHER, limit);
        bounds->first = lower(bounds->first, bounds->least[g]);
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
    for (size_t c = 0; c < device->clocks; c++)
        if (sms__device_clock_advance(&device->clock[c], now))
            find_crossings(&device->clock[c]);
}

/* Returns the time of a reading. INFINITY is never read. */
static uint64_t due(const struct sms__device_clock *clock, double reading)
{
    return sms__after(clock->since, (reading - clock->base) * clock->slow);
}

/* Looks for the first end on the SMs below a node of which the keys are not above the limit. */
static void find_among(struct sms__device_clock *clock, size_t node, uint64_t limit)
{
    if (clock->node[node] > limit)
        return;
    if (node < clock->leaves) {
        find_among(clock, 2 * node, limit);
        find_among(clock, 2 * node + 1, limit);
        return;
    }
    double reading = clock->next[node - clock->leaves].first;
    if (reading < clock->reading) {
        clock->reading = reading;
        clock->first = node - clock->leaves;
    }
}

/* Keys that differ in the SM alone say nothing about their order. */
static __attribute__((noinline)) void find_first_of_equals(struct sms__device_clock *clock)
{
    clock->reading = INFINITY;
    find_among(clock, 1, clock->node[1] | clock->mask);
}

/* Finds the SM of which a group ends first. */
static inline void find_first(struct sms__device_clock *clock)
{
    uint64_t first = clock->node[1];
    clock->changed = false;
    clock->first = first & clock->mask;
    clock->reading = first == NO_KEY ? INFINITY : clock->next[clock->first].first;
    clock->later = other_key(clock, clock->first);
    if ((first ^ clock->later) <= clock->mask && first != NO_KEY)
        find_first_of_equals(clock);
}

void sms__device_clock_schedule(struct sms__blocks *device)
{
    for (struct sms__device_clock *clock = device->clock, *end = clock + device->clocks; clock < end; clock++) {
        if (clock->changed)
            find_first(clock);
        sms__engine_at(device->setup.engine, clock->source, due(clock, clock->reading));
    }
}

void sms__device_clock_track(struct sms__device_clock *clock, const struct sms__sm_state *sm)
{
    struct sms__next_ends *next = &clock->next[sm->idx];
    double first = INFINITY, second = INFINITY, rises = INFINITY, falls = INFINITY, before = next->first;
    const struct sms__group *group = sm->group;
    size_t earliest = 0;
    for (size_t g = 0; g < sm->groups; g++, group++) {
        if (group->wide != clock)
            continue;
        if (!group->clock) {
            rises = lower(rises, group->sm_slow);
            continue;
        }
        double reading = group->clock_base + (sm->resident[group->first].end - group->base);
        falls = lower(falls, -group->sm_slow);
        earliest = reading < first ? g : earliest;
        second = lower(second, reading < first ? first : reading);
        first = lower(first, reading);
    }
    set_bound(&clock->rises, sm->idx, rises);
    set_bound(&clock->falls, sm->idx, falls);
    *next = (struct sms__next_ends){first, second, earliest};
    if (first != before) {
        clock->changed = true;
        set_key(clock, sm->idx, first);
    }
}

/* Returns a reading that the clock has not passed, for ends that it has: more than it reads, because that is rounded.
 */
static double not_passed(const struct sms__device_clock *clock, uint64_t now)
{
    return sms__device_clock_reading(clock, now) * (1 + 0x1p-48) + 1;
}

/* Fires the first SM if nothing else happens at this instant: there is no order to keep. Its key stays until it is
 * rated at the end of this instant, since it is dirty. */
static bool fire_alone(const struct sms__device_clock *clock, double limit, uint64_t key, uint64_t now)
{
    struct sms__engine *engine = clock->device->setup.engine;
    struct sms__sm_state *sm = &clock->device->sm[clock->first];
    const struct sms__next_ends *next = &clock->next[clock->first];
    if (!engine->alone || engine->first || clock->later <= key)
        return false;
    sm->next_group = next->second > limit ? (uint16_t)next->group : SMS__NONE;
    engine->events++;
    engine->handler[sm->source].fire(sm, now);
    return true;
}

/* Schedules the SMs below a node whose blocks end now, so that they fire in the order of SMs. Keys above the limit are
 * of later ends. */
static void schedule_due(struct sms__device_clock *clock, size_t node, uint64_t limit, uint64_t now)
{
    if (clock->node[node] > limit)
        return;
    if (node < clock->leaves) {
        schedule_due(clock, 2 * node, limit, now);
        schedule_due(clock, 2 * node + 1, limit, now);
        return;
    }
    struct sms__sm_state *sm = &clock->device->sm[node - clock->leaves];
    if (due(clock, clock->next[sm->idx].first) > now)
        return;
    set_key(clock, sm->idx, INFINITY);
    clock->next[sm->idx].first = INFINITY;
    sm->next_group = SMS__NONE;
    sms__engine_at(clock->device->setup.engine, sm->source, now);
}

static void fire(void *subject, uint64_t now)
{
    struct sms__device_clock *clock = subject;
    double limit = not_passed(clock, now);
    uint64_t key = key_of(clock, limit, clock->mask);
    if (fire_alone(clock, limit, key, now))
        return;
    clock->changed = true;
    schedule_due(clock, 1, key, now);
}

static void add_clock(struct sms__blocks *device, uint32_t resources)
{
    for (size_t c = 0; c < device->clocks; c++)
        if (device->clock[c].resources == resources)
            return;
    struct sms__device_clock *clock = &device->clock[device->clocks++];
    *clock = (struct sms__device_clock){.device = device, .resources = resources, .speed = 1, .slow = 1};
    clock->source = sms__engine_source(device->setup.engine, SMS__LEVEL_DEVICE_CLOCK, fire, clock);
    clock->next = SMS__NEW(device->arena, struct sms__next_ends, device->sms);
    for (size_t s = 0; s < device->sms; s++)
        clock->next[s].first = INFINITY;
    for (clock->leaves = 2; clock->leaves < device->sms;)
        clock->leaves *= 2;
    clock->mask = clock->leaves - 1;
    clock->node = SMS__NEW(device->arena, uint64_t, 2 * clock->leaves);
    for (size_t i = 0; i < 2 * clock->leaves; i++)
        clock->node[i] = NO_KEY;
    init_bounds(&clock->rises, device);
    init_bounds(&clock->falls, device);
}

void sms__device_clock_init(struct sms__blocks *device)
{
    const struct sms__footprint *const *kernel_type = device->setup.kernel_type;
    if (!device->setup.contention->slowdown && !device->setup.contention->shares_device)
        return;
    device->clock = SMS__NEW(device->arena, struct sms__device_clock, device->setup.max_clocks);
    for (size_t k = 0; k < device->setup.kernel_types; k++)
        if (kernel_type[k] && kernel_type[k]->of_device)
            add_clock(device, kernel_type[k]->of_device);
}
