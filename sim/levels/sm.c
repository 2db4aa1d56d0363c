/* One SM: groups of blocks that come, run at one speed, and go. */
#include "block.h"

/* Adds the occupancy since the last settling to the intervals it spans. */
static void fill_bins(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__record *run = sm->device->run;
    float *bins = run->bin + (sm->device->first_sm + sm->idx) * run->bins;
    double share = (double)sm->used[SMS_THREADS] / (double)sm->device->model->sm.threads;
    uint64_t from = sm->settled_ps;
    while (from < now) {
        uint64_t bin = from / run->bin_ps, end = (bin + 1) * run->bin_ps;
        if (bin >= run->bins)
            return;
        uint64_t to = end < now ? end : now;
        bins[bin] += (float)(share * (double)(to - from) / (double)run->bin_ps);
        from = to;
    }
}

static void record_excess(struct sms__sm_state *sm, double elapsed)
{
    struct sms__device_record *record = sm->device->record;
    for (size_t r = 0; r < sm->device->model->resources; r++) {
        double excess = sm->usage[r] - SMS_FULL;
        bool own = sm->device->model->resource[r].scope == SMS_SCOPE_SM;
        if (!own || excess <= 0)
            continue;
        record->excess[r] += excess * elapsed;
        record->over_ps[r] += elapsed;
    }
}

void sms__sm_settle(struct sms__sm_state *sm, uint64_t now)
{
    if (now == sm->settled_ps)
        return;
    double elapsed = (double)(now - sm->settled_ps);
    for (size_t g = 0; g < sm->groups; g++) {
        struct sms__group *group = &sm->group[g];
        struct sms__kernel_record *record = group->launch->record;
        double done = group->speed * elapsed;
        group->clock += done;
        record->residence_ps += elapsed * group->blocks;
        record->work_ps += done * group->blocks;
    }
    if (sm->groups)
        sm->device->record->active_ps += elapsed;
    if (sm->over)
        record_excess(sm, elapsed);
    if (sm->device->run->bins)
        fill_bins(sm, now);
    sm->settled_ps = now;
}

static void mark_dirty(struct sms__sm_state *sm)
{
    struct sms__blocks *device = sm->device;
    if (sm->dirty)
        return;
    sm->dirty = true;
    device->dirty[device->dirties++] = sm->idx;
}

static bool is_full(const struct sms__sm_state *sm) { return sm->used[SMS_BLOCKS] == sm->device->model->sm.blocks; }

/* Adds (sign 1) or takes away (-1) what `blocks` equal blocks use. */
static void account(struct sms__sm_state *sm, const struct sms__fit *fit, double sign, uint64_t blocks, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    double times = sign * (double)blocks;
    device->full -= is_full(sm);
    for (size_t r = 0; r < device->model->resources; r++)
        sm->usage[r] += times * fit->demand[r];
    for (int l = 0; l < SMS_LIMITS; l++)
        sm->used[l] += sign > 0 ? blocks * fit->needs[l] : -(blocks * fit->needs[l]);
    device->full += is_full(sm);
    if (!fit->device_wide)
        return;
    sms__settle_total(device, now);
    for (size_t r = 0; r < device->model->resources; r++)
        device->total[r] += times * fit->demand[r];
}

static void observe_stay(const struct sms__sm_state *sm, const struct sms__launch *launch,
                         const struct sms__resident *resident, uint64_t now)
{
    const struct sms__blocks *device = sm->device;
    if (!device->label || !device->options->on_stay)
        return;
    struct sms_stay stay = {device->idx,     sm->idx, launch->vm,      launch->kernel->name,
                            resident->start, now,     resident->blocks};
    device->options->on_stay(device->options->user, device->label, &stay);
}

/* The first resident of a group leaves. */
static void leave(struct sms__sm_state *sm, struct sms__group *group, uint64_t now)
{
    uint16_t at = group->first;
    struct sms__resident *resident = &sm->resident[at];
    struct sms__launch *launch = group->launch;
    observe_stay(sm, launch, resident, now);
    account(sm, launch->fit, -1, resident->blocks, now);
    group->blocks -= resident->blocks;
    launch->resident -= resident->blocks;
    launch->record->blocks += resident->blocks;
    group->first = resident->next;
    if (group->first == SMS__NONE)
        group->last = SMS__NONE;
    else
        sm->resident[group->first].prev = SMS__NONE;
    resident->next = sm->free;
    sm->free = at;
}

/* Whatever is less than half a picosecond of progress away has ended. */
static bool is_over(const struct sms__sm_state *sm, const struct sms__group *group)
{
    return group->first != SMS__NONE && sm->resident[group->first].end - group->clock <= 0.5 * group->speed;
}

/* This SM may now take blocks that it refused. */
static void welcome(struct sms__sm_state *sm)
{
    struct sms__blocks *device = sm->device;
    uint64_t bit = (uint64_t)1 << (sm->idx % 64);
    device->leaves++;
    for (const struct sms__launch *launch = device->head; launch; launch = launch->next)
        device->candidate[launch->kind * device->words + sm->idx / 64] |= bit;
}

static void end_launch(struct sms__launch *launch, uint64_t now)
{
    if (launch->waiting || launch->resident)
        return;
    launch->record->launches++;
    sms__histogram_add(&launch->record->latency, now - launch->launched_ps);
    launch->ended(launch->subject, now);
}

void sms__sm_fire(void *subject, uint64_t now)
{
    struct sms__sm_state *sm = subject;
    sms__sm_settle(sm, now);
    mark_dirty(sm);
    sms__engine_defer(sm->device->engine, &sm->device->dispatch);
    for (size_t g = 0; g < sm->groups;) {
        struct sms__group *group = &sm->group[g];
        struct sms__launch *launch = group->launch;
        bool left = is_over(sm, group);
        while (is_over(sm, group))
            leave(sm, group, now);
        if (group->first == SMS__NONE)
            *group = sm->group[--sm->groups];
        else
            g++;
        if (left) {
            welcome(sm);
            end_launch(launch, now);
        }
    }
}

static struct sms__group *group_of(struct sms__sm_state *sm, struct sms__launch *launch)
{
    for (size_t g = 0; g < sm->groups; g++)
        if (sm->group[g].launch == launch)
            return &sm->group[g];
    struct sms__group *group = &sm->group[sm->groups++];
    *group = (struct sms__group){.launch = launch, .speed = 1, .first = SMS__NONE, .last = SMS__NONE};
    return group;
}

static void insert(struct sms__sm_state *sm, struct sms__group *group, double end, uint64_t now)
{
    uint16_t after = group->last;
    while (after != SMS__NONE && sm->resident[after].end > end)
        after = sm->resident[after].prev;
    if (after != SMS__NONE && sm->resident[after].end == end && sm->resident[after].start == now) {
        sm->resident[after].blocks++;
        return;
    }
    uint16_t at = sm->free;
    sm->free = sm->resident[at].next;
    uint16_t before = after == SMS__NONE ? group->first : sm->resident[after].next;
    sm->resident[at] = (struct sms__resident){end, now, 1, before, after};
    if (after == SMS__NONE)
        group->first = at;
    else
        sm->resident[after].next = at;
    if (before == SMS__NONE)
        group->last = at;
    else
        sm->resident[before].prev = at;
}

static double draw_work(const struct sms__launch *launch)
{
    const struct sms__kernel *kernel = launch->kernel;
    if (kernel->spread == SMS__EXPONENTIAL)
        return launch->fit->work_ps * sms__exponential(launch->stream);
    if (kernel->jitter > 0)
        return launch->fit->work_ps * sms__uniform_about_one(launch->stream, kernel->jitter);
    return launch->fit->work_ps;
}

void sms__sm_place(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now)
{
    sms__sm_settle(sm, now);
    mark_dirty(sm);
    struct sms__group *group = group_of(sm, launch);
    insert(sm, group, group->clock + draw_work(launch), now);
    group->blocks++;
    account(sm, launch->fit, 1, 1, now);
    launch->waiting--;
    launch->resident++;
    launch->record->placed++;
    launch->record->wait_ps += (double)(now - launch->launched_ps);
}
