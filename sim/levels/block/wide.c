/* Resources of scope device, in models that say how much a resource slows its
 * users: where the device slows a block more than its SM does, its group follows
 * a clock that all such groups share. A change of the device's usage then changes
 * one clock, not every SM; an SM is looked at only when one of its groups is next
 * to end, or when the greater of the two slowdowns becomes the other. */
#include "inside.h"

#include <string.h>

/* The bits of doubles that are not negative are in their order. */
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

struct sms__wide *sms__wide_of(const struct sms__blocks *device, const struct sms__fit *fit)
{
    if (!fit->wide)
        return NULL;
    for (size_t w = 0; w < device->wides; w++)
        if (device->wide[w].resources == fit->wide)
            return &device->wide[w];
    return NULL;
}

static void mark_dirty(struct sms__blocks *device, size_t idx)
{
    struct sms__sm_state *sm = &device->sm[idx];
    if (sm->dirty)
        return;
    sm->dirty = true;
    device->dirty[device->dirties++] = sm->idx;
}

bool sms__wide_advance(struct sms__wide *wide, uint64_t now)
{
    const struct sms__blocks *device = wide->device;
    double slow = 1;
    for (uint32_t left = wide->resources; left; left &= left - 1) {
        size_t r = (size_t)__builtin_ctz(left);
        double by = sms__slowdown(device, r, device->total[r] / (double)device->sms);
        slow = by > slow ? by : slow;
    }
    if (slow == wide->slow)
        return false;
    wide->base = sms__wide_clock(wide, now);
    wide->since = now;
    wide->slow = slow;
    wide->speed = 1 / slow;
    return true;
}

/* SMs with a group that must now follow the other clock. */
static void find_crossings(struct sms__wide *wide)
{
    uint64_t slow = bits_of(wide->slow);
    for (struct sms__match m; (m = sms__queue_first(&wide->rises)).time < slow;) {
        sms__queue_set(&wide->rises, m.source, SMS__NEVER);
        mark_dirty(wide->device, m.source);
    }
    for (struct sms__match m; (m = sms__queue_first(&wide->falls)).time < ~slow;) {
        sms__queue_set(&wide->falls, m.source, SMS__NEVER);
        mark_dirty(wide->device, m.source);
    }
}

void sms__wide_update(struct sms__blocks *device, uint64_t now)
{
    for (size_t w = 0; w < device->wides; w++)
        if (sms__wide_advance(&device->wide[w], now))
            find_crossings(&device->wide[w]);
}

static uint64_t due(const struct sms__wide *wide, uint64_t key)
{
    if (key == SMS__NEVER)
        return SMS__NEVER;
    return sms__after(wide->since, (value_of(key) - wide->base) * wide->slow);
}

void sms__wide_schedule(struct sms__blocks *device)
{
    for (size_t w = 0; w < device->wides; w++) {
        struct sms__wide *wide = &device->wide[w];
        sms__engine_at(device->engine, wide->source, due(wide, sms__queue_first(&wide->key).time));
    }
}

static void set_if_new(struct sms__queue *queue, size_t sm, uint64_t key)
{
    if (sms__queue_time(queue, sm) != key)
        sms__queue_set(queue, sm, key);
}

static void note(struct sms__wide *wide, const struct sms__sm_state *sm)
{
    uint64_t key = SMS__NEVER, rises = SMS__NEVER, falls = SMS__NEVER;
    for (size_t g = 0; g < sm->groups; g++) {
        const struct sms__group *group = &sm->group[g];
        uint64_t own = bits_of(group->own);
        if (group->launch->fit->wide != wide->resources)
            continue;
        if (!group->bound) {
            rises = own < rises ? own : rises;
            continue;
        }
        uint64_t end = bits_of(group->mark + (sm->resident[group->first].end - group->base));
        key = end < key ? end : key;
        falls = ~own < falls ? ~own : falls;
    }
    set_if_new(&wide->key, sm->idx, key);
    set_if_new(&wide->rises, sm->idx, rises);
    set_if_new(&wide->falls, sm->idx, falls);
}

void sms__wide_note(struct sms__sm_state *sm)
{
    for (size_t w = 0; w < sm->device->wides; w++)
        note(&sm->device->wide[w], sm);
}

/* Hands over to the SMs whose blocks end now: they fire in their own order. */
static void fire(void *subject, uint64_t now)
{
    struct sms__wide *wide = subject;
    struct sms__blocks *device = wide->device;
    for (struct sms__match m; due(wide, (m = sms__queue_first(&wide->key)).time) <= now;) {
        sms__queue_set(&wide->key, m.source, SMS__NEVER);
        sms__engine_at(device->engine, device->sm[m.source].source, now);
    }
}

static void add(struct sms__blocks *device, uint32_t resources)
{
    for (size_t w = 0; w < device->wides; w++)
        if (device->wide[w].resources == resources)
            return;
    struct sms__wide *wide = &device->wide[device->wides++];
    *wide = (struct sms__wide){.device = device, .resources = resources, .speed = 1, .slow = 1};
    wide->source = sms__engine_source(device->engine, SMS__LEVEL_WIDE, fire, wide);
    sms__queue_init(&wide->key, device->arena, device->sms);
    sms__queue_init(&wide->rises, device->arena, device->sms);
    sms__queue_init(&wide->falls, device->arena, device->sms);
}

void sms__wide_init(struct sms__blocks *device, const struct sms__fit *const *kinds, size_t n_kinds)
{
    if (!device->contention->slowdown)
        return;
    device->wide = SMS__NEW(device->arena, struct sms__wide, device->max_wides);
    for (size_t k = 0; k < n_kinds; k++)
        if (kinds[k] && kinds[k]->wide)
            add(device, kinds[k]->wide);
}
