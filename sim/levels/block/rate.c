/* Speeds: asks the contention model about the SMs that changed, and schedules the time at which the next block of each
 * leaves. Invariant: a group's clock is brought up to date exactly when its speed changes. */
#include "internal.h"

#include <math.h>

void sms__rate_init(struct sms__blocks *device)
{
    const struct sms__device *model = device->setup.model;
    struct sms__rating *rating = &device->rating;
    rating->dirty = SMS__NEW(device->arena, uint32_t, device->sms);
    rating->group = SMS__NEW(device->arena, struct sms_group, model->sm.blocks);
    rating->known =
        SMS__NEW(device->arena, struct sms__known_slowdown, (size_t)__builtin_popcount(rating->knees) * SMS__KNOWN);
    rating->speed = SMS__NEW(device->arena, double, model->sm.blocks);
    rating->spreads =
        device->setup.device_scope && !device->setup.contention->slowdown && !device->setup.contention->is_max_min;
    for (size_t r = 0; r < model->resources; r++)
        *(model->resource[r].scope == SMS_SCOPE_SM ? &rating->sm_scope : &rating->device_scope) |= (uint32_t)1 << r;
}

static const double *average_device_scope(const struct sms__blocks *device, const double *of_sm,
                                          const double *of_device, double buffer[SMS_RESOURCES_MAX])
{
    if (!device->setup.device_scope)
        return of_sm;
    for (size_t r = 0; r < device->setup.model->resources; r++)
        buffer[r] =
            device->setup.model->resource[r].scope == SMS_SCOPE_DEVICE ? of_device[r] / (double)device->sms : of_sm[r];
    return buffer;
}

const double *sms__visible_usage(const struct sms__blocks *device, const struct sms__composition *composition,
                                 double buffer[SMS_RESOURCES_MAX])
{
    return average_device_scope(device, composition->usage, device->rating.total, buffer);
}

/* Slows a group by the greater of two factors: its SM's and the device's. If the device's is greater, the group follows
 * the device clock. If they are equal, it keeps following what it follows. */
static inline __attribute__((always_inline)) void set_shared_speed(struct sms__block_group *group, double sm_slow,
                                                                   double speed, uint64_t now)
{
    struct sms__device_clock *clock = group->wide, *follows = group->clock;
    if (clock && clock->slow != sm_slow)
        follows = clock->slow > sm_slow ? clock : NULL;
    group->sm_slow = sm_slow;
    if (follows == group->clock && (follows || sm_slow == group->slow))
        return;
    group->base = sms__group_clock(group, now);
    group->since = now;
    group->clock = follows;
    group->clock_base = follows ? sms__device_clock_reading(follows, now) : 0;
    group->slow = sm_slow;
    group->speed = speed;
}

/* Slows a group by its SM. `speed` is 1 / sm_slow. */
static inline __attribute__((always_inline)) void set_speed(struct sms__block_group *group, double sm_slow,
                                                            double speed, uint64_t now)
{
    if (sm_slow == group->slow)
        return;
    group->base += (double)(int64_t)(now - group->since) * group->speed;
    group->since = now;
    group->slow = sm_slow;
    group->speed = speed;
}

uint32_t sms__sm_slowdowns(const struct sms__blocks *device, const struct sms__composition *composition,
                           double slowdown[SMS_RESOURCES_MAX])
{
    const double *pressure = composition->pressure;
    uint32_t slowing = device->rating.knees;
    for (size_t r = 0; r < device->setup.model->resources; r++)
        slowing |= (uint32_t)(pressure[r] > SMS_FULL) << r;
    slowing &= device->rating.sm_scope;
    for (uint32_t left = slowing; left; left &= left - 1) {
        int r = __builtin_ctz(left);
        slowdown[r] = sms__slowdown(device, (size_t)r, pressure[r]);
    }
    return slowing;
}

/* Gives a group the speed that its SM and the device allow. `speed` is 1 / sm_slow. */
static inline __attribute__((always_inline)) void give(struct sms__block_group *group, double sm_slow, double speed,
                                                       uint64_t now)
{
    if (group->wide)
        set_shared_speed(group, sm_slow, speed, now);
    else
        set_speed(group, sm_slow, speed, now);
}

/* Each group is as slow as the slowest resource that it uses. Where a shared composition has worked that out, schedule
 * does this. */
static void slow_down(struct sms__sm_state *sm, uint64_t now)
{
    double slowdown[SMS_RESOURCES_MAX];
    uint32_t slowing = sms__sm_slowdowns(sm->device, sm->composition, slowdown);
    uint32_t last = 0; /* what slowed the group before; most groups of an SM are slowed by the same resources */
    double sm_slow = 1, speed = 1;
    for (struct sms__block_group *group = sm->group, *end = group + sm->groups; group < end; group++) {
        uint32_t by = slowing & group->fit->of_sm;
        if (by != last) {
            sm_slow = sms__sum(slowdown, by, INFINITY);
            speed = 1 / sm_slow;
        }
        last = by;
        give(group, sm_slow, speed, now);
    }
}

/* Gives a group its speed where slowdowns add up. */
static inline __attribute__((always_inline)) void join(struct sms__block_group *group, double exponent, uint64_t now)
{
    double slow = group->sm_slow;
    if (group->wide)
        slow = sms__joined(slow + (group->wide->slow - 1), exponent);
    set_speed(group, slow, 1 / slow, now);
}

/* Gives the groups of an SM their speeds where slowdowns add up. */
static __attribute__((noinline)) void join_sm(struct sms__sm_state *sm, uint64_t now)
{
    const struct sms__rating *rating = &sm->device->rating;
    const struct sms__composed *known = sm->device->compositions.shared ? sm->composition->shape : NULL;
    double slowdown[SMS_RESOURCES_MAX];
    uint32_t slowing = known ? 0 : sms__sm_slowdowns(sm->device, sm->composition, slowdown);
    for (struct sms__block_group *group = sm->group, *end = group + sm->groups; group < end; group++) {
        group->sm_slow = known ? known[group->shape].slow : sms__sm_slow(rating, slowdown, slowing, group->fit);
        join(group, rating->join.exponent, now);
    }
}

/* Describes the SM's groups to the contention model. */
static void describe(const struct sms__sm_state *sm)
{
    struct sms__rating *rating = &sm->device->rating;
    for (size_t g = 0; g < sm->groups; g++) {
        const struct sms__block_group *group = &sm->group[g];
        rating->group[g] =
            (struct sms_group){sm->idx, group->blocks, group->fit->pressure, &rating->speed[g], group->fit->cls};
    }
}

/* Asks a model with `rate` for the speeds of the SM's groups. */
static void ask_model(struct sms__sm_state *sm)
{
    struct sms__blocks *device = sm->device;
    double buffer[SMS_RESOURCES_MAX];
    describe(sm);
    const double *usage = average_device_scope(device, sm->composition->pressure, device->rating.pressure, buffer);
    device->setup.contention->rate(&device->setup.contention_view, usage, device->rating.group, sm->groups);
}

/* Gives the groups the speeds that the model computed. */
static void apply_speeds(struct sms__sm_state *sm, uint64_t now)
{
    for (size_t g = 0; g < sm->groups; g++) {
        struct sms__block_group *group = &sm->group[g];
        double speed = sm->device->rating.speed[g];
        if (speed == group->speed)
            continue;
        if (!(speed > 0 && speed <= 1)) {
            sms__stop_run(sm->device,
                          "contention model '%.60s' gives blocks of SM %u a speed of %g, which is not in (0, 1]",
                          sm->device->setup.contention->name, sm->idx, isnan(speed) ? NAN : speed);
            return;
        }
        group->base = sms__group_clock(group, now);
        group->since = now;
        group->speed = speed;
        group->slow = 1 / speed;
    }
}

/* Gives each group the lower of two speeds: its SM's and the device's. */
static __attribute__((noinline)) void share(struct sms__sm_state *sm, uint64_t now)
{
    const double *slow = sms__levels_rate(sm);
    for (size_t g = 0; g < sm->groups; g++)
        set_shared_speed(&sm->group[g], slow[g], 1 / slow[g], now);
}

bool sms__rates_alike(struct sms__sm_state *sm)
{
    bool alike = true;
    if (!sm->device->setup.contention->rate || !sm->groups)
        return true;
    ask_model(sm);
    for (size_t g = 0; g < sm->groups; g++)
        alike &= sm->device->rating.speed[g] == sm->group[g].speed;
    return alike;
}

void sms__rate_groups(struct sms__sm_state *sm, uint64_t now)
{
    const struct sms_contention *model = sm->device->setup.contention;
    if (sm->device->rating.adds)
        join_sm(sm, now);
    else if (model->slowdown)
        slow_down(sm, now);
    else if (model->is_max_min)
        share(sm, now);
    else {
        ask_model(sm);
        apply_speeds(sm, now);
    }
}

/* Notes when the device's slowdown makes a group start or stop following its clock. */
static inline __attribute__((always_inline)) void bound(struct sms__crossings *at, const struct sms__block_group *group)
{
    at->rises = group->clock ? at->rises : sms__lower(at->rises, group->sm_slow);
    at->falls = group->clock ? sms__lower(at->falls, -group->sm_slow) : at->falls;
}

/* Notes when a group that follows a clock ends. */
static inline __attribute__((always_inline)) void note(struct sms__next_ends *next, const struct sms__sm_state *sm,
                                                       struct sms__block_group *group)
{
    double reading = group->clock_base + (sm->resident[group->first].end - group->base);
    next->group = reading < next->first ? group : next->group;
    next->second = sms__lower(next->second, reading < next->first ? next->first : reading);
    next->first = sms__lower(next->first, reading);
}

static const struct sms__next_ends nothing = {INFINITY, NULL, INFINITY};
static const struct sms__crossings nowhere = {INFINITY, INFINITY};

/* Updates what device clocks but the first keep of the SM, and when they are due. */
static __attribute__((noinline)) void track_others(const struct sms__sm_state *sm, uint64_t now)
{
    struct sms__device_clock *first = sm->device->clock;
    for (struct sms__device_clock *clock = first + 1; clock < first + sm->device->clocks; clock++) {
        struct sms__next_ends next = nothing;
        struct sms__crossings at = nowhere;
        for (struct sms__block_group *group = sm->group, *end = group + sm->groups; group < end; group++) {
            if (group->wide == clock)
                bound(&at, group);
            if (group->clock == clock)
                note(&next, sm, group);
        }
        if (sms__device_clock_keep(clock, sm->idx, &next))
            sms__device_clock_schedule(clock, now);
        sms__device_clock_bound(clock, sm->idx, &at);
    }
}

/* Schedules the next end of a block. Groups that follow a device clock are scheduled by that clock, if there are such
 * `clocks`. `anew` is NULL, or has the speeds that groups get before. `as_rated`: no speed has changed. Always inline,
 * because the loop over groups is the most frequent one. So it looks for the first device clock, too; most devices have
 * no other. */
static inline __attribute__((always_inline)) void
schedule_by(struct sms__sm_state *sm, const struct sms__composed *anew, bool as_rated, bool clocks, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    struct sms__device_clock *clock = device->clock;
    struct sms__next_ends wide = nothing;
    struct sms__crossings at = nowhere;
    uint64_t first = SMS__NEVER;
    struct sms__block_group *next = NULL;
    for (struct sms__block_group *group = sm->group, *end = group + sm->groups; group < end; group++) {
        if (anew && clocks)
            give(group, anew[group->shape].slow, anew[group->shape].speed, now);
        else if (anew)
            set_speed(group, anew[group->shape].slow, anew[group->shape].speed, now);
        if (clocks && !as_rated && group->wide && group->wide == clock)
            bound(&at, group);
        if (clocks && group->clock) {
            if (group->clock == clock)
                note(&wide, sm, group);
            continue;
        }
        uint64_t due = sms__after(group->since, (sm->resident[group->first].end - group->base) * group->slow);
        next = due < first ? group : due == first ? NULL : next;
        first = due < first ? due : first;
    }
    sm->next_group = next;
    sms__sm_times_set(&device->times, sm->idx, first);
    if (!clocks)
        return;
    if (sms__device_clock_keep(clock, sm->idx, &wide) && as_rated)
        sms__device_clock_schedule(clock, now);
    if (!as_rated)
        sms__device_clock_bound(clock, sm->idx, &at);
    if (device->clocks > 1)
        track_others(sm, now);
}

static inline __attribute__((always_inline)) void schedule(struct sms__sm_state *sm, const struct sms__composed *anew,
                                                           bool as_rated, uint64_t now)
{
    if (sm->device->clocks)
        schedule_by(sm, anew, as_rated, true, now);
    else
        schedule_by(sm, anew, as_rated, false, now);
}

void sms__schedule_as_rated(struct sms__sm_state *sm, uint64_t now) { schedule(sm, NULL, true, now); }

static inline __attribute__((always_inline)) void rate_sm(struct sms__sm_state *sm, uint64_t now)
{
    const struct sms__blocks *device = sm->device;
    sm->rated = sm->composition;
    if (device->compositions.shared && sm->composition->even && !sm->coupled)
        schedule(sm, sm->composition->shape, false, now);
    else {
        sms__rate_groups(sm, now);
        schedule(sm, NULL, false, now);
    }
}

uint64_t sms__rate_only(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__block_group *group = sm->group;
    sm->rated = sm->composition;
    if (sm->device->compositions.shared) {
        const struct sms__composed *anew = &sm->composition->shape[group->shape];
        set_speed(group, anew->slow, anew->speed, now);
    } else {
        sms__rate_groups(sm, now);
    }
    return sms__group_due(group, sm->resident[group->first].end);
}

/* Rates every SM, because a change of the usage of a resource of scope device affects all of them. */
static void rate_everywhere(struct sms__blocks *device, uint64_t now)
{
    device->rating.dirty_count = 0;
    for (size_t s = 0; s < device->sms; s++) {
        device->sm[s].rated = NULL;
        device->sm[s].dirty = false;
        rate_sm(&device->sm[s], now);
    }
}

/* True if a change on some SMs may change speeds on others, in a way that only the model knows. */
static bool affects_all_sms(struct sms__blocks *device)
{
    if (!device->rating.spreads || device->rating.dirty_count == 0)
        return false;
    bool before = device->rating.oversubscribed;
    device->rating.oversubscribed = sms__is_oversubscribed(device);
    return before || device->rating.oversubscribed || !device->rating.free_below_full;
}

/* True if the usage of the whole device is as it was at the last rating. */
static bool are_as_rated(const struct sms__blocks *device)
{
    bool same = true;
    for (size_t i = 0; i < device->rating.dirty_count && same; i++)
        same = device->sm[device->rating.dirty[i]].rated == device->sm[device->rating.dirty[i]].composition;
    return same;
}

/* Joins the groups of an SM with another slowdown of the device. Those that do not use it keep their speed; their sum
 * may be an old one, because a composition tells their speed alone. Returns when the SM's next block ends. */
static inline uint64_t join_again(struct sms__sm_state *sm, uint64_t now)
{
    const double exponent = sm->device->rating.join.exponent;
    uint64_t first = SMS__NEVER;
    sm->next_group = NULL;
    for (struct sms__block_group *group = sm->group, *end = group + sm->groups; group < end; group++) {
        if (group->wide)
            join(group, exponent, now);
        uint64_t due = sms__group_due(group, sm->resident[group->first].end);
        sm->next_group = due < first ? group : due == first ? NULL : sm->next_group;
        first = due < first ? due : first;
    }
    return first;
}

/* Follows the device's usage where slowdowns add up. What SMs add to the sums is as it was; those of which it is not
 * are rated after this. */
static __attribute__((noinline)) void update_sums(struct sms__blocks *device, uint64_t now)
{
    if (!sms__device_clock_advance(device, now))
        return;
    for (size_t s = 0; s < device->sms; s++)
        sms__sm_times_put(&device->times, s, join_again(&device->sm[s], now));
    sms__tournament_play(&device->times.keys);
}

/* Finds the speeds that the device allows, and the SMs that must be rated for that. */
static void update_device(struct sms__blocks *device, uint64_t now)
{
    bool by_levels = device->setup.contention->is_max_min;
    if (device->rating.adds) {
        update_sums(device, now);
        return;
    }
    if (by_levels)
        sms__levels_find(device);
    sms__device_clock_update(device, now);
    if (by_levels)
        sms__levels_mark(device);
}

static void rate_dirty(struct sms__blocks *device, uint64_t now)
{
    for (size_t i = 0; i < device->rating.dirty_count; i++) {
        struct sms__sm_state *sm = &device->sm[device->rating.dirty[i]];
        sm->dirty = false;
        rate_sm(sm, now);
    }
    device->rating.dirty_count = 0;
}

static inline void schedule_clocks(struct sms__blocks *device, uint64_t now)
{
    for (size_t c = 0, clocks = device->clocks; c < clocks; c++)
        sms__device_clock_schedule(&device->clock[c], now);
}

void sms__rate(struct sms__blocks *device, uint64_t now)
{
    if (affects_all_sms(device))
        rate_everywhere(device, now);
    if (device->clocks && !are_as_rated(device))
        update_device(device, now);
    rate_dirty(device, now);
    schedule_clocks(device, now);
}

void sms__rate_changed(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    sm->dirty = true; /* so that it is not listed */
    if (device->clocks)
        update_device(device, now);
    sm->dirty = false;
    rate_sm(sm, now);
    if (!device->clocks)
        return;
    if (device->rating.dirty_count)
        rate_dirty(device, now);
    schedule_clocks(device, now);
}
