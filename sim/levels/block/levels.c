/* Max-min fairness across SMs. The users of a full resource of scope device rise together, and stop at one speed, its
 * level. Until then no SM is slowed by another. So the level follows from the speeds that each SM alone allows, which
 * are kept as steps: the demand of the groups that stop at the same speed. Only an SM whose blocks change gets new
 * steps.
 *
 * Groups that a level stops follow a device clock. A level that changes concerns an SM only if one of its groups starts
 * or stops following the clock, which device_clock.c finds, or if the SM is coupled: a group that the level does not
 * stop gets what those that it stops leave. Such a group G uses the resource of its SM that stops it together with a
 * group F that a level stops earlier. So F's level is below what the SM allows F, that is at most what it allows G, and
 * this is at most G's own level. Hence with several full resources, too, the SM is coupled as long as F follows a
 * clock, in whatever order the levels change.
 *
 * If a second resource of scope device is full, the SMs are rated below the level of the first to find the second, and
 * so on. Only this visits all SMs. */
#include "internal.h"

#include <string.h>

/* The length of a step: a speed, and a demand for each resource of scope device. */
static size_t stride(const struct sms__blocks *device)
{
    return 1 + (size_t)__builtin_popcount(device->rating.device_scope);
}

void sms__levels_init(struct sms__blocks *device)
{
    struct sms__levels *levels = &device->rating.levels;
    size_t most = device->sms * device->setup.model->sm.blocks;
    if (!device->setup.contention->shares_device || !device->setup.device_scope)
        return;
    levels->own_slow = SMS__NEW(device->arena, double, most);
    levels->step = SMS__NEW(device->arena, double, most *stride(device));
    levels->steps = SMS__NEW(device->arena, uint32_t, device->sms);
}

void sms__describe(const struct sms__sm_state *sm)
{
    struct sms__rating *rating = &sm->device->rating;
    for (size_t g = 0; g < sm->groups; g++) {
        const struct sms__group *group = &sm->group[g];
        rating->group[g] =
            (struct sms_group){sm->idx, group->blocks, group->fit->pressure, &rating->speed[g], group->fit->cls, 0};
    }
}

bool sms__shares_device(const struct sms__blocks *device)
{
    return device->setup.contention->shares_device && device->clocks;
}

/* Returns by how much the resources of scope device slow the block. */
static double slow_of(const struct sms__levels *levels, const struct sms__footprint *fit)
{
    double slow = 1;
    for (uint32_t left = fit->of_device; left; left &= left - 1) {
        double by = levels->slow[__builtin_ctz(left)];
        slow = by > slow ? by : slow;
    }
    return slow;
}

/* Rates the SM's groups, no faster than the levels allow if `within` is set. */
static void rate_sm(const struct sms__sm_state *sm, bool within)
{
    struct sms__blocks *device = sm->device;
    struct sms__rating *rating = &device->rating;
    sms__describe(sm);
    for (size_t g = 0; within && g < sm->groups; g++) {
        double slow = slow_of(&rating->levels, sm->group[g].fit);
        rating->group[g].most = slow > 1 ? 1 / slow : 0;
    }
    device->setup.contention->rate(&device->setup.contention_view, sm->composition->pressure, rating->group,
                                   sm->groups);
}

static double *steps_of(const struct sms__blocks *device, size_t sm)
{
    return device->rating.levels.step + sm * device->setup.model->sm.blocks * stride(device);
}

static double *own_slow(const struct sms__sm_state *sm)
{
    return sm->device->rating.levels.own_slow + sm->idx * sm->device->setup.model->sm.blocks;
}

/* Adds the group to the step of its speed. Demands are whole parts, so their sums do not depend on the order. */
static void add_step(const struct sms__sm_state *sm, const struct sms__group *group, double speed)
{
    const struct sms__blocks *device = sm->device;
    uint32_t *steps = &device->rating.levels.steps[sm->idx];
    double *step = steps_of(device, sm->idx), *end = step + *steps * stride(device);
    while (step < end && *step != speed)
        step += stride(device);
    if (step == end) {
        memset(step, 0, stride(device) * sizeof *step);
        *step = speed;
        ++*steps;
    }
    for (uint32_t left = device->rating.device_scope; left; left &= left - 1)
        *++step += group->fit->pressure[__builtin_ctz(left)] * group->blocks;
}

/* Finds the steps from rating.speed. */
static void find_steps(const struct sms__sm_state *sm)
{
    sm->device->rating.levels.steps[sm->idx] = 0;
    for (size_t g = 0; g < sm->groups; g++)
        if (sm->group[g].fit->of_device)
            add_step(sm, &sm->group[g], sm->device->rating.speed[g]);
}

static void rate_alone(const struct sms__sm_state *sm)
{
    rate_sm(sm, false);
    for (size_t g = 0; g < sm->groups; g++)
        own_slow(sm)[g] = 1 / sm->device->rating.speed[g];
    find_steps(sm);
}

/* Returns the speed that the groups of steps of at least `level` can reach together; 2 if there are none. */
static double reach(const struct sms__blocks *device, size_t column, double level)
{
    double left = SMS_FULL * (double)device->sms, rising = 0;
    for (size_t s = 0; s < device->sms; s++) {
        const double *step = steps_of(device, s);
        for (uint32_t i = 0; i < device->rating.levels.steps[s]; i++, step += stride(device)) {
            bool below = *step < level;
            left -= below ? *step * step[column] : 0;
            rising += below ? 0 : step[column];
        }
    }
    return rising > 0 ? left / rising : 2;
}

/* Returns the speed at which the resource stops its users. What groups of lower steps leave lets it rise, until no
 * further step is below it. The result depends only on the steps and not on those before. */
static double find_level(const struct sms__blocks *device, int r)
{
    uint32_t before = device->rating.device_scope & (((uint32_t)1 << r) - 1);
    size_t column = 1 + (size_t)__builtin_popcount(before);
    double level = 0;
    for (double next; level < 1 && (next = reach(device, column, level)) > level;)
        level = next;
    return level;
}

/* Finds the lowest level of the resources. Returns its resource, or -1 if no resource is full. */
static int find_lowest(struct sms__blocks *device, uint32_t resources)
{
    int first = -1;
    double lowest = 1;
    for (uint32_t left = resources; left; left &= left - 1) {
        double level = find_level(device, __builtin_ctz(left));
        first = level < lowest ? __builtin_ctz(left) : first;
        lowest = level < lowest ? level : lowest;
    }
    if (first >= 0)
        device->rating.levels.slow[first] = 1 / lowest;
    return first;
}

static uint32_t find_oversubscribed(const struct sms__blocks *device)
{
    uint32_t over = 0;
    for (uint32_t left = device->rating.device_scope; left; left &= left - 1) {
        int r = __builtin_ctz(left);
        over |= (uint32_t)(device->rating.pressure[r] > SMS_FULL * (double)device->sms) << r;
    }
    return over;
}

static void find_levels(struct sms__blocks *device)
{
    struct sms__levels *levels = &device->rating.levels;
    memset(levels->slow, 0, sizeof levels->slow);
    levels->stale = false;
    uint32_t over = find_oversubscribed(device);
    for (int r; (r = find_lowest(device, over)) >= 0;) {
        over &= ~((uint32_t)1 << r);
        levels->stale |= over != 0;
        for (size_t s = 0; over && s < device->sms; s++) {
            rate_sm(&device->sm[s], true);
            find_steps(&device->sm[s]);
        }
    }
}

void sms__levels_find(struct sms__blocks *device, bool all)
{
    struct sms__rating *rating = &device->rating;
    all |= rating->levels.stale;
    for (size_t s = 0; all && s < device->sms; s++)
        rate_alone(&device->sm[s]);
    for (size_t i = 0; !all && i < rating->dirty_count; i++) {
        const struct sms__sm_state *sm = &device->sm[rating->dirty[i]];
        if (sm->changed || sm->gone)
            rate_alone(sm);
    }
    find_levels(device);
}

void sms__levels_mark(struct sms__blocks *device)
{
    const struct sms__levels *levels = &device->rating.levels;
    for (size_t s = 0; levels->coupled && s < device->sms; s++)
        if (device->sm[s].coupled)
            sms__mark_changed(&device->sm[s]);
}

/* Returns by how much a level slows the group if the group follows a device clock for that, otherwise 1. As in rate.c,
 * a group of which both slowdowns are equal keeps following what it follows. */
static double slow_of_follower(const struct sms__sm_state *sm, size_t g)
{
    double slow = slow_of(&sm->device->rating.levels, sm->group[g].fit), own = own_slow(sm)[g];
    return slow > own || (slow == own && sm->group[g].clock) ? slow : 1;
}

/* True if a level stops a group, and the SM stops another at a speed that may be above this level. */
static bool is_coupled(const struct sms__sm_state *sm)
{
    double most = 1;
    bool coupled = false;
    for (size_t g = 0; g < sm->groups; g++) {
        double slow = slow_of_follower(sm, g);
        most = slow > most ? slow : most;
    }
    for (size_t g = 0; most > 1 && g < sm->groups; g++)
        coupled |= own_slow(sm)[g] > 1 && slow_of_follower(sm, g) == 1 &&
                   slow_of(&sm->device->rating.levels, sm->group[g].fit) < most;
    return coupled;
}

/* Returns the slowdown by the SM of a group that was rated within the levels. */
static double slow_within(const struct sms_group *rated, double own, double level)
{
    bool by_device = rated->most > 0 && *rated->speed >= rated->most;
    if (!by_device)
        return 1 / *rated->speed;
    return own < level ? own : 1;
}

const double *sms__levels_rate(struct sms__sm_state *sm)
{
    struct sms__rating *rating = &sm->device->rating;
    bool coupled = is_coupled(sm);
    rating->levels.coupled += (size_t)coupled - (size_t)sm->coupled;
    sm->coupled = coupled;
    if (!coupled)
        return own_slow(sm);
    rate_sm(sm, true);
    for (size_t g = 0; g < sm->groups; g++)
        rating->speed[g] = slow_within(&rating->group[g], own_slow(sm)[g], slow_of(&rating->levels, sm->group[g].fit));
    return rating->speed;
}
