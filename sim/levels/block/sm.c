/* One SM: the groups of blocks on it. Invariants: the residents of a group are sorted by their ends, and usage, limits
 * and counters always equal the sums over the residents. */
#include "internal.h"

#include <string.h>

void sms__sm_fill_bins(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__record *run = sm->device->setup.run;
    uint64_t *bins = run->bin + (sm->device->setup.first_sm + sm->idx) * run->bins;
    uint64_t from = sm->integrated_ps;
    while (from < now) {
        uint64_t bin = from / run->bin_ps, end = (bin + 1) * run->bin_ps;
        if (bin >= run->bins)
            return;
        uint64_t to = end < now ? end : now;
        bins[bin] += sm->composition->used[SMS_THREADS] * (to - from);
        from = to;
    }
}

/* Call this before the SM's blocks change. The SM is rated again at the end of this instant. Where groups tell launches
 * apart, they may change without the composition. */
void sms__sm_touch(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    sms__sm_integrate(sm, now);
    if (device->tells_launches)
        sm->rated = NULL;
    if (sm->dirty)
        return;
    sm->dirty = true;
    device->rating.dirty[device->rating.dirty_count++] = sm->idx;
}

void sms__emit_block_span(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch, uint64_t start,
                          uint64_t end, uint32_t blocks)
{
    struct sms_stay stay = {device->setup.idx, sm, launch->vm, launch->kernel->name, start, end, blocks};
    sms__observe(device->setup.observer, (struct sms_run_event){SMS_RUN_STAY, .stay = &stay});
}

void sms__record_part(struct sms__launch *launch, uint64_t work, double left, uint64_t elapsed, int64_t blocks)
{
    struct sms__kernel_record *record = launch->record;
    uint64_t undone = left > 0 ? (uint64_t)(left + 0.5) : 0;
    launch->span->residence_ps += (sms__integral)elapsed * blocks;
    uint64_t done = work - (undone < work ? undone : work);
    uint64_t parts = sms__parts((double)done, (double)work);
    launch->span->work_ps += (sms__integral)done * blocks;
    record->block_parts += (sms__integral)parts * blocks;
    launch->parts += parts * (uint64_t)(blocks < 0 ? -blocks : blocks);
}

void sms__remove_group(struct sms__sm_state *sm, struct sms__block_group *group)
{
    sm->groups--;
    sm->rated = NULL;
    memmove(group, group + 1, (size_t)(&sm->group[sm->groups] - group) * sizeof *group);
}

/* Field by field, because gcc makes a whole literal on the stack first, and reading that back stalls: a sixth of the
 * time of small kernels. */
void sms__start_group(struct sms__block_group *group, struct sms__launch *launch, uint64_t now)
{
    group->kin = launch->kin;
    group->fit = launch->fit;
    group->wide = sms__device_clock_of(launch->device, launch->fit);
    group->shape = (uint32_t)launch->shape->idx;
    group->base = 0;
    group->speed = 1;
    group->slow = 1;
    group->sm_slow = 1;
    group->since = now;
    group->clock = NULL;
    group->clock_base = 0;
    group->blocks = 0;
    group->first = SMS__NONE;
    group->last = SMS__NONE;
}

static struct sms__block_group *group_of(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now)
{
    struct sms__block_group *end = sm->group + sm->groups, *found = end;
    /* visits all groups, because the branch predictor handles a full loop better than an early exit */
    for (struct sms__block_group *group = sm->group; group < end; group++)
        found = group->kin == launch->kin ? group : found;
    if (found == end) {
        sms__start_group(end, launch, now);
        sm->groups++;
        sm->rated = NULL;
    }
    return found;
}

static bool is_equal(const struct sms__resident_cold *a, const struct sms__resident_cold *b)
{
    return a->launch == b->launch && a->start == b->start && a->work == b->work;
}

/* Inserts a resident so that the list stays sorted by end, and among equal ends by arrival. */
static void insert(struct sms__sm_state *sm, struct sms__block_group *group, double end, struct sms__resident_cold cold)
{
    struct sms__resident *pool = sm->resident;
    uint16_t after = group->last;
    while (after != SMS__NONE && pool[after].end > end)
        after = pool[after].prev;
    for (uint16_t i = after; i != SMS__NONE && pool[i].end >= end; i = pool[i].prev)
        if (is_equal(&sm->cold[i], &cold)) {
            pool[i].blocks++;
            return;
        }
    uint16_t at = sm->free, before = after == SMS__NONE ? group->first : pool[after].next;
    sm->free = pool[at].next;
    pool[at] = (struct sms__resident){end, 1, before, after};
    sm->cold[at] = cold;
    *(after == SMS__NONE ? &group->first : &pool[after].next) = at;
    *(before == SMS__NONE ? &group->last : &pool[before].prev) = at;
}

uint64_t sms__draw(const struct sms__footprint *fit, const struct sms__kernel *kernel, gsl_rng *stream)
{
    double times;
    if (kernel->spread == SMS__EXPONENTIAL)
        times = sms__exponential(stream);
    else if (kernel->jitter > 0)
        times = sms__uniform_about_one(stream, kernel->jitter);
    else
        return fit->work;
    double ps = fit->work_ps * times + 0.5;
    int64_t work = (int64_t)(ps < SMS__TIME_MAX_PS ? ps : SMS__TIME_MAX_PS); /* longer than any run */
    return work > 0 ? (uint64_t)work : 1;
}

uint64_t sms__draw_work(const struct sms__launch *launch)
{
    return sms__draw(launch->fit, launch->kernel, launch->stream);
}

void sms__sm_put(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now)
{
    struct sms__block_group *group = group_of(sm, launch, now);
    uint64_t work = sms__draw_work(launch);
    double end = sms__group_clock(group, now) + (double)(int64_t)work;
    insert(sm, group, end, (struct sms__resident_cold){launch, now, work});
    group->blocks++;
    sms__record_placed(launch, now);
}

void sms__sm_place(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now)
{
    sms__sm_touch(sm, now);
    sms__sm_put(sm, launch, now);
    sms__compose(sm, launch->shape, 1, now);
    if (!sm->device->policy.cacheable)
        sms__notify_policy(launch, SMS_BLOCKS_PLACED, sm, 1);
}
