/* Device clocks: resources of scope device, for contention models with `slowdown` or `shares_device`. A group that the
 * device slows more than its SM does follows a clock that it shares with all such groups. So a change of the device's
 * usage changes one clock, not every SM. An SM is visited only when one of its groups is the next to end, or when the
 * other of the two slowdowns becomes the greater one.
 *
 * Invariant: `key`, `rises` and `falls` of a clock agree with the groups of every SM that is not dirty. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { TOGETHER = 64 }; /* SMs that share a bound */

/* Doubles that are not negative have the same order as their bits. */
static uint64_t bits_of(double value)
{
    uint64_t bits;
    value = value > 0 ? value : 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
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
static void mark_below(struct sms__blocks *device, struct sms__bounds *bounds, double limit)
{
    if (bounds->first >= limit)
        return;
    bounds->first = INFINITY;
    for (size_t g = 0; g * TOGETHER < device->sms; g++) {
        if (bounds->least[g] < limit)
            bounds->least[g] = mark_among(device, bounds, g * TOGETHER, limit);
        bounds->first = lower(bounds->first, bounds->least[g]);
    }
}

/* Marks the SMs with a group that must now start or stop following the clock. */
static void find_crossings(struct sms__device_clock *clock)
{
    mark_below(clock->device, &clock->rises, clock->slow);
    mark_below(clock->device, &clock->falls, -clock->slow);
}

void sms__device_clock_update(struct sms__blocks *device, uint64_t now)
{
    for (size_t c = 0; c < device->clocks; c++)
        if (sms__device_clock_advance(&device->clock[c], now))
            find_crossings(&device->clock[c]);
}

/* Returns the time of a reading. INFINITY, and SMS__NEVER as a number, are never read. */
static uint64_t due_at(const struct sms__device_clock *clock, double reading)
{
    return sms__after(clock->since, (reading - clock->base) * clock->slow);
}

static uint64_t due(const struct sms__device_clock *clock, uint64_t key) { return due_at(clock, value_of(key)); }

void sms__device_clock_schedule(struct sms__blocks *device)
{
    for (size_t c = 0; c < device->clocks; c++) {
        struct sms__device_clock *clock = &device->clock[c];
        sms__engine_at(device->setup.engine, clock->source, due(clock, sms__queue_least(&clock->key)));
    }
}

void sms__device_clock_bound(const struct sms__sm_state *sm)
{
    for (size_t c = 0; c < sm->device->clocks; c++) {
        struct sms__device_clock *clock = &sm->device->clock[c];
        double rises = INFINITY, falls = INFINITY;
        for (const struct sms__group *group = sm->group; group < sm->group + sm->groups; group++) {
            if (group->wide != clock)
                continue;
            rises = group->clock ? rises : lower(rises, group->sm_slow);
            falls = group->clock ? lower(falls, -group->sm_slow) : falls;
        }
        set_bound(&clock->rises, sm->idx, rises);
        set_bound(&clock->falls, sm->idx, falls);
    }
}

/* Updates what the clock keeps of the SM. */
static void track(struct sms__device_clock *clock, const struct sms__sm_state *sm)
{
    uint64_t key = bits_of(clock->next[sm->idx].first);
    if (sms__queue_time(&clock->key, sm->idx) != key)
        sms__queue_set(&clock->key, sm->idx, key);
}

void sms__device_clock_track(struct sms__sm_state *sm)
{
    for (size_t c = 0; c < sm->device->clocks; c++)
        track(&sm->device->clock[c], sm);
}

/* Fires the first SM if nothing else happens at this instant: there is no order to keep. Its `key` stays until it is
 * rated at the end of this instant, since it is dirty. */
static bool fire_alone(const struct sms__device_clock *clock, uint64_t now)
{
    size_t first = sms__queue_first(&clock->key).source;
    struct sms__engine *engine = clock->device->setup.engine;
    struct sms__sm_state *sm = &clock->device->sm[first];
    if (!engine->alone || engine->first || due(clock, sms__queue_other(&clock->key, first).time) <= now)
        return false;
    sm->next_group = due_at(clock, clock->next[first].second) > now ? (uint16_t)clock->next[first].group : SMS__NONE;
    engine->events++;
    engine->handler[sm->source].fire(sm, now);
    return true;
}

/* Schedules the SMs whose blocks end now, so that they fire in the order of SMs. */
static void fire(void *subject, uint64_t now)
{
    struct sms__device_clock *clock = subject;
    struct sms__blocks *device = clock->device;
    if (fire_alone(clock, now))
        return;
    for (struct sms__match m; due(clock, (m = sms__queue_first(&clock->key)).time) <= now;) {
        sms__queue_set(&clock->key, m.source, SMS__NEVER);
        device->sm[m.source].next_group = SMS__NONE;
        sms__engine_at(device->setup.engine, device->sm[m.source].source, now);
    }
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
        clock->next[s].first = clock->next[s].second = INFINITY;
    sms__queue_init(&clock->key, device->arena, device->sms);
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
