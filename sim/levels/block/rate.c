/* Speeds: asks the contention model about the SMs that changed, and tells the
 * engine when the next block of each will leave. */
#include "internal.h"

const double *sms__seen_usage(const struct sms__sm_state *sm, double patched[SMS_RESOURCES_MAX])
{
    const struct sms__blocks *device = sm->device;
    if (!device->device_scope)
        return sm->usage;
    for (size_t r = 0; r < device->model->resources; r++)
        patched[r] = device->model->resource[r].scope == SMS_SCOPE_DEVICE ? device->total[r] / (double)device->sms
                                                                          : sm->usage[r];
    return patched;
}

/* The integrals of the device's own resources, up to now. */
void sms__integrate_total(struct sms__blocks *device, uint64_t now)
{
    uint64_t elapsed = now - device->total_since_ps;
    double full = SMS_FULL * (double)device->sms;
    device->total_since_ps = now;
    if (elapsed == 0)
        return;
    for (size_t r = 0; r < device->model->resources; r++) {
        double excess = device->total[r] - full;
        if (device->model->resource[r].scope != SMS_SCOPE_DEVICE || excess <= 0)
            continue;
        device->record->excess[r] += (sms__integral)(uint64_t)excess * elapsed;
        device->record->over_ps[r] += (sms__integral)elapsed * device->sms;
    }
}

double sms__slowdown(const struct sms__blocks *device, size_t r, double usage)
{
    if (device->contention->free_below_full && usage <= SMS_FULL)
        return 1;
    double slowdown = device->contention->slowdown(&device->contention_view, r, usage);
    return slowdown > 1 ? slowdown : 1;
}

/* Time over 100 % is the times at which that ended less those at which it began. */
static void note_changes(struct sms__sm_state *sm, uint32_t over, uint64_t now)
{
    for (uint32_t left = sm->over ^ over; left; left &= left - 1) {
        int r = __builtin_ctz(left);
        sm->device->record->over_ps[r] += over >> r & 1 ? -(sms__integral)now : (sms__integral)now;
    }
    sm->over = over;
}

static inline void find_over(struct sms__sm_state *sm, uint64_t now)
{
    const struct sms__blocks *device = sm->device;
    uint32_t over = 0;
    for (size_t r = 0; r < device->model->resources; r++)
        over |= (uint32_t)(sm->usage[r] > SMS_FULL) << r;
    over &= device->own;
    if (over != sm->over)
        note_changes(sm, over, now);
}

void sms__find_over(struct sms__sm_state *sm, uint64_t now) { find_over(sm, now); }

/* Slows a group by what its SM lacks, or by what the device lacks if that is more.
 * Which of the two it follows changes only when the other becomes the greater. */
static void set_pace(struct sms__blocks *device, struct sms__group *group, double own, uint64_t now)
{
    struct sms__device_clock *clock = sms__device_clock_of(device, group->launch->fit), *bound = group->bound;
    if (clock && clock->slow != own)
        bound = clock->slow > own ? clock : NULL;
    group->own = own;
    if (bound == group->bound && (bound || own == group->slow))
        return;
    group->base = sms__group_clock(group, now);
    group->since = now;
    group->bound = bound;
    group->mark = bound ? sms__device_clock_reading(bound, now) : 0;
    group->slow = own;
    group->speed = 1 / own;
}

/* Each group is as slow as the slowest resource that it uses. */
void sms__pace_groups(struct sms__sm_state *sm, struct sms__group *groups, size_t count, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    double slowdown[SMS_RESOURCES_MAX];
    uint32_t slow = device->contention->free_below_full ? sm->over : device->own;
    for (uint32_t left = slow; left; left &= left - 1) {
        int r = __builtin_ctz(left);
        slowdown[r] = device->contention->slowdown(&device->contention_view, (size_t)r, sm->usage[r]);
    }
    for (size_t g = 0; g < count; g++) {
        double own = 1;
        for (uint32_t left = slow & groups[g].launch->fit->of_sm; left; left &= left - 1) {
            double by = slowdown[__builtin_ctz(left)];
            own = by > own ? by : own;
        }
        set_pace(device, &groups[g], own, now);
    }
}

static size_t describe(const struct sms__sm_state *sm, struct sms_group *out)
{
    struct sms__blocks *device = sm->device;
    double *speed = device->rate_speed + (out - device->rate_group);
    for (size_t g = 0; g < sm->groups; g++) {
        struct sms__group *group = &sm->group[g];
        out[g] =
            (struct sms_group){sm->idx, group->blocks, group->launch->fit->demand, &speed[g], group->launch->fit->cls};
    }
    return sm->groups;
}

/* Takes over the speeds that a model has given. */
void sms__adopt(struct sms__group *groups, const struct sms_group *rated, size_t count, uint64_t now)
{
    for (size_t g = 0; g < count; g++) {
        struct sms__group *group = &groups[g];
        double speed = *rated[g].speed;
        if (speed == group->speed)
            continue;
        group->base = sms__group_clock(group, now);
        group->since = now;
        group->speed = speed;
        group->slow = 1 / speed;
    }
}

/* The next of the groups' own events. Groups that follow the device's clock are seen to by that one's. */
static void schedule(struct sms__sm_state *sm)
{
    uint64_t soonest = SMS__NEVER, next = SMS__NONE;
    bool bound = false, tied = false;
    for (size_t g = 0; g < sm->groups; g++) {
        struct sms__group *group = &sm->group[g];
        bound |= group->bound != NULL;
        group->due = group->bound ? SMS__NEVER : sms__group_due(group, sm->resident[group->first].end);
        tied = group->due == soonest || (tied && group->due > soonest);
        next = group->due < soonest ? g : next;
        soonest = group->due < soonest ? group->due : soonest;
    }
    sm->next_group = (uint16_t)(bound || tied ? SMS__NONE : next);
    sms__engine_at(sm->device->engine, sm->source, soonest);
    if (sm->device->clocks)
        sms__device_clock_observe(sm);
}

static void rate_sm(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    double patched[SMS_RESOURCES_MAX];
    find_over(sm, now);
    if (device->contention->slowdown) {
        sms__pace_groups(sm, sm->group, sm->groups, now);
    } else {
        size_t count = describe(sm, device->rate_group);
        device->contention->rate(&device->contention_view, sms__seen_usage(sm, patched), device->rate_group, count);
        sms__adopt(sm->group, device->rate_group, count, now);
    }
    schedule(sm);
}

static void rate_jointly(struct sms__blocks *device, uint64_t now)
{
    size_t count = 0, first = 0;
    for (size_t s = 0; s < device->sms; s++)
        count += describe(&device->sm[s], device->rate_group + count);
    device->contention->rate_device(&device->contention_view, device->sms, device->rate_group, count,
                                    device->rate_scratch);
    for (size_t s = 0; s < device->sms; s++) {
        struct sms__sm_state *sm = &device->sm[s];
        find_over(sm, now);
        sms__adopt(sm->group, device->rate_group + first, sm->groups, now);
        first += sm->groups;
        schedule(sm);
    }
}

/* A change of a device-clock usage is felt on every SM. */
static void rate_everywhere(struct sms__blocks *device, uint64_t now)
{
    if (device->contention->rate_device) {
        rate_jointly(device, now);
        return;
    }
    for (size_t s = 0; s < device->sms; s++)
        rate_sm(&device->sm[s], now);
}

bool sms__is_pressed(const struct sms__blocks *device)
{
    bool pressed = false;
    for (size_t r = 0; r < device->model->resources; r++)
        pressed |= device->total[r] > SMS_FULL * (double)device->sms;
    return pressed;
}

/* Whether what changed on some SMs changes speeds on others in a way that only the model knows. */
static bool is_felt_everywhere(struct sms__blocks *device)
{
    if (!device->device_scope || device->contention->slowdown || device->dirties == 0)
        return false;
    bool before = device->pressed;
    device->pressed = sms__is_pressed(device);
    return before || device->pressed || !device->contention->free_below_full;
}

void sms__rate(struct sms__blocks *device, uint64_t now)
{
    bool everywhere = is_felt_everywhere(device);
    if (everywhere)
        rate_everywhere(device, now);
    if (device->clocks && device->dirties)
        sms__device_clock_update(device, now);
    for (size_t i = 0; i < device->dirties; i++) {
        struct sms__sm_state *sm = &device->sm[device->dirty[i]];
        sm->dirty = false;
        if (!everywhere)
            rate_sm(sm, now);
    }
    if (device->clocks && device->dirties)
        sms__device_clock_schedule(device);
    device->dirties = 0;
}
