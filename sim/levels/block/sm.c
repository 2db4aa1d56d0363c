/* One SM: the groups of blocks on it. Invariants: the residents of a group are sorted by their ends, and usage, limits
 * and counters always equal the sums over the residents. */
#include "internal.h"

#include <string.h>

/* Adds the resident threads since the last integration to the intervals that this time spans. */
static void fill_bins(struct sms__sm_state *sm, uint64_t now)
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

void sms__sm_integrate(struct sms__sm_state *sm, uint64_t now)
{
    uint64_t elapsed = now - sm->integrated_ps;
    if (elapsed == 0)
        return;
    sm->composition->time_ps += elapsed;
    if (!sm->device->compositions.shared)
        sms__composition_record(sm->device, sm->composition);
    if (sm->device->setup.run->bins)
        fill_bins(sm, now);
    sm->integrated_ps = now;
}

/* Call this before the SM's blocks change. The SM is rated again at the end of this instant. */
static void touch(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    sms__sm_integrate(sm, now);
    if (sm->dirty)
        return;
    sm->dirty = true;
    device->rating.dirty[device->rating.dirty_count++] = sm->idx;
}

void sms__emit_block_span(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch, uint64_t start,
                          uint64_t end, uint32_t blocks)
{
    if (!sms__observes(device->setup.observer, SMS_RUN_STAY))
        return;
    struct sms_stay stay = {device->setup.idx, sm, launch->vm, launch->kernel->name, start, end, blocks};
    sms__observe(device->setup.observer, (struct sms_run_event){SMS_RUN_STAY, .stay = &stay});
}

void sms__record_leave(struct sms__launch *launch, uint64_t work, uint64_t elapsed, uint32_t blocks)
{
    struct sms__kernel_record *record = launch->record;
    launch->resident -= blocks;
    launch->left += blocks;
    record->blocks += blocks;
    launch->span->residence_ps += (sms__integral)elapsed * blocks;
    launch->span->work_ps += (sms__integral)work * blocks;
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

/* A block that leaves and one of the same group that comes before the SM is rated change neither its composition nor
 * its groups. Then its speeds stay as they are, and it is only scheduled again. Call these two for every change. A
 * place while something is owed is one of refill.c. */
static inline void note_leave(struct sms__sm_state *sm, const struct sms__launch *launch, uint32_t blocks, uint64_t now)
{
    sm->changed |= sm->gone || blocks > 1;
    sm->gone = launch->kin;
    if (sm->device->search.knows_room && sm->device->policy.cacheable && !sm->changed)
        sm->owed = launch->shape; /* another may take its place: refill.c */
    else
        sms__compose(sm, launch->shape, -(int64_t)blocks, now);
}

static inline void note_place(struct sms__sm_state *sm, const struct sms__launch *launch, uint32_t blocks, uint64_t now)
{
    sm->changed |= sm->gone != launch->kin || blocks > 1;
    sm->gone = NULL;
    if (!sm->owed)
        sms__compose(sm, launch->shape, blocks, now);
    sm->owed = NULL;
}

/* Removes the first resident of a group, and returns its launch. */
static struct sms__launch *leave(struct sms__sm_state *sm, struct sms__group *group, uint64_t now)
{
    uint16_t at = group->first;
    struct sms__resident *resident = &sm->resident[at];
    struct sms__launch *launch = sm->cold[at].launch;
    sms__emit_block_span(sm->device, sm->idx, launch, sm->cold[at].start, now, resident->blocks);
    note_leave(sm, launch, resident->blocks, now);
    sms__record_leave(launch, sm->cold[at].work, now - sm->cold[at].start, resident->blocks);
    group->blocks -= resident->blocks;
    group->first = resident->next;
    if (group->first == SMS__NONE)
        group->last = SMS__NONE;
    else
        sm->resident[group->first].prev = SMS__NONE;
    if (!sm->device->policy.cacheable)
        sms__notify_policy(launch, SMS_BLOCKS_LEFT, sm, resident->blocks);
    resident->next = sm->free;
    sm->free = at;
    return launch;
}

/* True if the group has a resident that ends now. */
static bool is_due(const struct sms__sm_state *sm, const struct sms__group *group, uint64_t now)
{
    return group->first != SMS__NONE && sms__group_due(group, sm->resident[group->first].end) <= now;
}

/* Removes the residents that end now. Returns the launches that end with them. */
static struct sms__launch *leave_all(struct sms__sm_state *sm, struct sms__group *group, uint64_t now)
{
    struct sms__launch *ended = NULL, **list = &ended;
    do
        list = sms__list_ended(list, leave(sm, group, now));
    while (is_due(sm, group, now));
    return ended;
}

struct sms__launch **sms__list_ended(struct sms__launch **list, struct sms__launch *launch)
{
    if (launch->waiting | launch->resident)
        return list;
    launch->end.is_due = true;
    launch->end.next = NULL;
    *list = launch;
    return &launch->end.next;
}

static void end_launch(struct sms__launch *launch, uint64_t now)
{
    launch->end.is_due = false;
    sms__notify_policy(launch, SMS_BLOCKS_ENDED, NULL, 0);
    launch->record->launches++;
    if (launch->done == 0)
        sms__histogram_add(&launch->record->latency, now - launch->launched_ps);
    launch->ended(launch->subject, now);
}

/* What follows the end of one may drop another. */
void sms__end_launches(struct sms__launch *list, uint64_t now)
{
    for (struct sms__launch *launch = list, *next; launch; launch = next) {
        next = launch->end.next;
        if (launch->end.is_due)
            end_launch(launch, now);
    }
}

void sms__remove_group(struct sms__sm_state *sm, size_t g)
{
    sm->groups--;
    sm->changed = true;
    memmove(&sm->group[g], &sm->group[g + 1], (sm->groups - g) * sizeof *sm->group);
}

/* Ends the blocks of the group that end now. Returns true if the group has others. */
static bool end_blocks(struct sms__sm_state *sm, size_t g, uint64_t now)
{
    struct sms__launch *ended = leave_all(sm, &sm->group[g], now);
    bool has_others = sm->group[g].first != SMS__NONE;
    if (!has_others)
        sms__remove_group(sm, g);
    if (ended)
        sms__end_launches(ended, now);
    return has_others;
}

void sms__sm_fire(void *subject, uint64_t now)
{
    struct sms__sm_state *sm = subject;
    touch(sm, now);
    sms__log_departure(sm->device, sm->idx);
    sm->device->left++;
    sms__engine_defer(sm->device->setup.engine, &sm->device->dispatch);
    if (sm->next_group != SMS__NONE) {
        end_blocks(sm, sm->next_group, now);
        return;
    }
    for (size_t g = 0; g < sm->groups;)
        g += !is_due(sm, &sm->group[g], now) || end_blocks(sm, g, now);
}

static void unlink_resident(struct sms__sm_state *sm, struct sms__group *group, uint16_t at)
{
    struct sms__resident *pool = sm->resident, *resident = &pool[at];
    *(resident->prev == SMS__NONE ? &group->first : &pool[resident->prev].next) = resident->next;
    *(resident->next == SMS__NONE ? &group->last : &pool[resident->next].prev) = resident->prev;
    group->blocks -= resident->blocks;
    resident->next = sm->free;
    sm->free = at;
}

/* Removes the launch's residents, and returns how many blocks they are. Counts the work that they have done, as for
 * blocks under way at the end of a run. */
static uint64_t drop_residents(struct sms__sm_state *sm, struct sms__group *group, struct sms__launch *launch,
                               uint64_t now)
{
    double clock = sms__group_clock(group, now);
    uint64_t blocks = group->blocks;
    for (uint16_t i = group->first, next; i != SMS__NONE; i = next) {
        const struct sms__resident *resident = &sm->resident[i];
        next = resident->next;
        if (sm->cold[i].launch != launch)
            continue;
        sms__record_part(launch, sm->cold[i].work, resident->end - clock, now - sm->cold[i].start,
                         (int64_t)resident->blocks);
        sms__compose(sm, launch->shape, -(int64_t)resident->blocks, now);
        unlink_resident(sm, group, i);
    }
    return blocks - group->blocks;
}

void sms__sm_drop(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now)
{
    size_t g = 0;
    while (g < sm->groups && sm->group[g].kin != launch->kin)
        g++;
    if (g == sm->groups)
        return;
    touch(sm, now);
    uint64_t blocks = drop_residents(sm, &sm->group[g], launch, now);
    if (blocks == 0)
        return;
    sms__log_departure(sm->device, sm->idx);
    sm->device->left++;
    sm->changed = true;
    if (sm->group[g].blocks == 0)
        sms__remove_group(sm, g);
    sm->next_group = SMS__NONE;
    sms__notify_policy(launch, SMS_BLOCKS_LEFT, sm, blocks);
}

struct sms__group sms__new_group(struct sms__launch *launch, uint64_t now)
{
    return (struct sms__group){.kin = launch->kin,
                               .fit = launch->fit,
                               .shape = (uint32_t)(launch->shape - launch->device->search.shape),
                               .speed = 1,
                               .slow = 1,
                               .sm_slow = 1,
                               .since = now,
                               .first = SMS__NONE,
                               .last = SMS__NONE};
}

static struct sms__group *group_of(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now)
{
    size_t found =
        sm->groups; /* visits all groups, because the branch predictor handles a full loop better than an early exit */
    for (size_t g = 0; g < sm->groups; g++)
        found = sm->group[g].kin == launch->kin ? g : found;
    sm->changed |= found == sm->groups;
    if (found == sm->groups)
        sm->group[sm->groups++] = sms__new_group(launch, now);
    return &sm->group[found];
}

static bool is_equal(const struct sms__resident_cold *a, const struct sms__resident_cold *b)
{
    return a->launch == b->launch && a->start == b->start && a->work == b->work;
}

/* Inserts a resident so that the list stays sorted by end, and among equal ends by arrival. */
static void insert(struct sms__sm_state *sm, struct sms__group *group, struct sms__resident new,
                   struct sms__resident_cold cold)
{
    struct sms__resident *pool = sm->resident;
    uint16_t after = group->last;
    while (after != SMS__NONE && pool[after].end > new.end)
        after = pool[after].prev;
    for (uint16_t i = after; i != SMS__NONE && pool[i].end == new.end; i = pool[i].prev)
        if (is_equal(&sm->cold[i], &cold)) {
            pool[i].blocks += new.blocks;
            return;
        }
    uint16_t at = sm->free, before = after == SMS__NONE ? group->first : pool[after].next;
    sm->free = pool[at].next;
    new.prev = after;
    new.next = before;
    pool[at] = new;
    sm->cold[at] = cold;
    *(after == SMS__NONE ? &group->first : &pool[after].next) = at;
    *(before == SMS__NONE ? &group->last : &pool[before].prev) = at;
}

uint64_t sms__draw(const struct sms__footprint *fit, const struct sms__kernel *kernel, gsl_rng *stream)
{
    double times = 1;
    if (!sms__is_drawn(kernel))
        return fit->work;
    if (kernel->spread == SMS__EXPONENTIAL)
        times = sms__exponential(stream);
    else
        times = sms__uniform_about_one(stream, kernel->jitter);
    double ps = fit->work_ps * times + 0.5;
    uint64_t work = (uint64_t)(ps < SMS__TIME_MAX_PS ? ps : SMS__TIME_MAX_PS); /* longer than any run */
    return work > 0 ? work : 1;
}

uint64_t sms__draw_work(const struct sms__launch *launch)
{
    return sms__draw(launch->fit, launch->kernel, launch->stream);
}

void sms__record_placed(struct sms__launch *launch, uint32_t blocks, uint64_t now)
{
    launch->waiting -= blocks;
    launch->resident += blocks;
    launch->record->placed += blocks;
    launch->record->wait_ps += (sms__integral)(now - launch->launched_ps) * blocks;
}

void sms__sm_place(struct sms__sm_state *sm, struct sms__launch *launch, uint32_t blocks, uint64_t now)
{
    touch(sm, now);
    struct sms__group *group = group_of(sm, launch, now);
    uint64_t work = sms__draw_work(launch);
    double end = sms__group_clock(group, now) + (double)work;
    insert(sm, group, (struct sms__resident){.end = end, .blocks = blocks},
           (struct sms__resident_cold){launch, now, work});
    group->blocks += blocks;
    note_place(sm, launch, blocks, now);
    sms__record_placed(launch, blocks, now);
    if (!sm->device->policy.cacheable)
        sms__notify_policy(launch, SMS_BLOCKS_PLACED, sm, blocks);
}
