/* The reference engine of the block level. It stores every block by itself, asks every SM for every block, and computes
 * every speed again at every event. It caches nothing and skips nothing. It shares with the fast engine what a block, a
 * limit, a policy and a model mean, and none of the code that makes the fast engine fast. */
#include "internal.h"

#include <string.h>

struct reference_block {
    struct sms__launch *launch;
    double end;
    uint64_t start, work;
};

/* Groups as in block.h, but without residents; blocks in order of arrival. */
struct reference_sm {
    struct sms__group *group;
    struct reference_block *block;
    size_t groups, blocks;
};

struct sms__reference {
    struct reference_sm *sm;
};

void sms__reference_init(struct sms__blocks *device)
{
    size_t limit = device->model->sm.blocks;
    device->reference = SMS__NEW(device->arena, struct sms__reference, 1);
    device->reference->sm = SMS__NEW(device->arena, struct reference_sm, device->sms);
    for (size_t s = 0; s < device->sms; s++) {
        device->reference->sm[s].group = SMS__NEW(device->arena, struct sms__group, limit);
        device->reference->sm[s].block = SMS__NEW(device->arena, struct reference_block, limit);
    }
}

static struct sms__group *group_of(struct reference_sm *sm, const struct sms__launch *launch)
{
    for (size_t g = 0; g < sm->groups; g++)
        if (sm->group[g].launch == launch)
            return &sm->group[g];
    return NULL;
}

uint64_t sms__reference_resident(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch)
{
    const struct sms__group *group = group_of(&device->reference->sm[sm], launch);
    return group ? group->blocks : 0;
}

static void place(struct sms__blocks *device, size_t s, struct sms__launch *launch, uint64_t now)
{
    struct reference_sm *sm = &device->reference->sm[s];
    sms__sm_integrate(&device->sm[s], now);
    if (!group_of(sm, launch))
        sm->group[sm->groups++] = sms__new_group(launch, now);
    struct sms__group *group = group_of(sm, launch);
    uint64_t work = sms__draw_work(launch);
    sm->block[sm->blocks++] = (struct reference_block){launch, sms__group_clock(group, now) + (double)work, now, work};
    group->blocks++;
    sms__account(&device->sm[s], launch->fit, 1, now);
    sms__record_placed(launch, 1, now);
    sms__notify_policy(launch, SMS_BLOCKS_PLACED, &device->sm[s], 1);
}

static void remove_block(struct reference_sm *sm, size_t i)
{
    sm->blocks--;
    memmove(&sm->block[i], &sm->block[i + 1], (sm->blocks - i) * sizeof *sm->block);
}

/* Returns the group's block that ends first, among equals the one that was placed first; or SIZE_MAX. */
static size_t first_to_end(const struct reference_sm *sm, const struct sms__launch *launch)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < sm->blocks; i++)
        if (sm->block[i].launch == launch && (first == SIZE_MAX || sm->block[i].end < sm->block[first].end))
            first = i;
    return first;
}

static bool is_equal(const struct reference_block *a, const struct reference_block *b)
{
    return a->launch == b->launch && a->end == b->end && a->start == b->start && a->work == b->work;
}

/* Removes the group's next block, with those that were placed and end together with it. False if none ends now. */
static bool leave(struct sms__blocks *device, size_t s, struct sms__group *group, uint64_t now)
{
    struct reference_sm *sm = &device->reference->sm[s];
    struct sms__launch *launch = group->launch;
    size_t first = first_to_end(sm, launch);
    uint32_t equal = 0;
    if (first == SIZE_MAX || sms__group_due(group, sm->block[first].end) > now)
        return false;
    struct reference_block gone = sm->block[first];
    for (size_t i = first; i < sm->blocks;) {
        if (!is_equal(&sm->block[i], &gone)) {
            i++;
            continue;
        }
        remove_block(sm, i);
        sms__account(&device->sm[s], launch->fit, -1, now);
        sms__record_leave(launch, gone.work, now - gone.start, 1);
        group->blocks--;
        equal++;
    }
    sms__notify_policy(launch, SMS_BLOCKS_LEFT, &device->sm[s], equal);
    sms__emit_block_span(device, s, launch, gone.start, now, equal);
    return true;
}

void sms__reference_drop(struct sms__blocks *device, size_t s, struct sms__launch *launch, uint64_t now)
{
    struct reference_sm *sm = &device->reference->sm[s];
    struct sms__group *group = group_of(sm, launch);
    if (!group)
        return;
    uint32_t blocks = group->blocks;
    sms__sm_integrate(&device->sm[s], now);
    for (size_t i = 0; i < sm->blocks;) {
        const struct reference_block block = sm->block[i];
        if (block.launch != launch) {
            i++;
            continue;
        }
        remove_block(sm, i);
        sms__record_part(block.launch, block.work, block.end - sms__group_clock(group, now), now - block.start, 1);
        sms__account(&device->sm[s], launch->fit, -1, now);
    }
    sm->groups--;
    memmove(group, group + 1, (size_t)(sm->group + sm->groups - group) * sizeof *group);
    sms__notify_policy(launch, SMS_BLOCKS_LEFT, &device->sm[s], blocks);
}

void sms__reference_fire(void *subject, uint64_t now)
{
    struct sms__sm_state *state = subject;
    struct sms__blocks *device = state->device;
    struct reference_sm *sm = &device->reference->sm[state->idx];
    sms__sm_integrate(state, now);
    sms__engine_defer(device->engine, &device->dispatch);
    for (size_t g = 0; g < sm->groups;) {
        struct sms__group *group = &sm->group[g];
        struct sms__launch *launch = group->launch;
        bool left = false;
        while (leave(device, state->idx, group, now))
            left = true;
        if (group->blocks) {
            g++;
        } else {
            sm->groups--;
            memmove(group, group + 1, (sm->groups - g) * sizeof *group);
        }
        if (left)
            sms__end_launch(launch, now);
    }
}

/* Returns the SM that the policy's search takes among all SMs that admit the block, or -1. */
static long search(struct sms__blocks *device, const struct sms__launch *launch)
{
    enum sms_search kind = device->policy->policy->search;
    size_t start = kind == SMS_SEARCH_BEST ? 0 : device->ring_start;
    long best = -1;
    double highest = 0;
    for (size_t i = 0; i < device->sms; i++) {
        const struct sms__sm_state *sm = &device->sm[(start + i) % device->sms];
        if (!sms__may_use(launch->shape->allowed, sm->idx) || sms__verdict(device, sm, launch) != SMS__ALLOWED)
            continue;
        double score = kind == SMS_SEARCH_BEST ? sms__score(device, sm, launch) : 0;
        if (best >= 0 && score <= highest)
            continue;
        best = sm->idx;
        highest = score;
    }
    if (best >= 0)
        device->ring_start = ((size_t)best + (kind == SMS_SEARCH_RING)) % device->sms;
    return best;
}

/* Places one block of the queue, if one fits. */
static void place_from(struct sms__blocks *device, struct sms__dispatch_queue *queue, struct sms__dispatch_queue **next,
                       uint64_t now)
{
    for (struct sms__launch *launch = sms__dispatch_queue_current(device, queue);
         sms__dispatch_queue_may_go(queue, launch); launch = launch->next) {
        long sm = search(device, launch);
        if (sm >= 0) {
            place(device, (size_t)sm, launch, now);
            *next = sms__dispatch_queue_serve(device, launch);
            return;
        }
        if (!device->passes_over)
            return;
        if (sms__patience_expired(device, launch)) {
            *next = sms__dispatch_queue_after_blocked(launch, *next);
            return;
        }
    }
}

static void offer(struct sms__blocks *device, uint64_t now)
{
    device->dispatches++;
    for (struct sms__dispatch_queue *queue = device->first, *next; queue; queue = next) {
        next = queue->next;
        place_from(device, queue, &next, now);
    }
}

/* Describes the groups of an SM for the contention model. */
static size_t describe(const struct sms__blocks *device, size_t s, struct sms_group *out, double *speed)
{
    const struct reference_sm *sm = &device->reference->sm[s];
    for (size_t g = 0; g < sm->groups; g++)
        out[g] = (struct sms_group){s, sm->group[g].blocks, sm->group[g].launch->fit->demand, &speed[g],
                                    sm->group[g].launch->fit->cls};
    return sm->groups;
}

static void rate_one(struct sms__blocks *device, size_t s, uint64_t now)
{
    struct reference_sm *sm = &device->reference->sm[s];
    double buffer[SMS_RESOURCES_MAX];
    if (device->contention->slowdown) {
        sms__rate_groups(&device->sm[s], sm->group, sm->groups, now);
        return;
    }
    size_t count = describe(device, s, device->rate_group, device->rate_speed);
    device->contention->rate(&device->contention_view, sms__visible_usage(&device->sm[s], buffer), device->rate_group,
                             count);
    sms__apply_speeds(sm->group, device->rate_group, count, now);
}

static void rate_jointly(struct sms__blocks *device, uint64_t now)
{
    size_t count = 0, first = 0;
    for (size_t s = 0; s < device->sms; s++)
        count += describe(device, s, device->rate_group + count, device->rate_speed + count);
    device->contention->rate_device(&device->contention_view, device->sms, device->rate_group, count,
                                    device->rate_scratch);
    for (size_t s = 0; s < device->sms; s++) {
        sms__apply_speeds(device->reference->sm[s].group, device->rate_group + first, device->reference->sm[s].groups,
                          now);
        first += device->reference->sm[s].groups;
    }
}

static void schedule(struct sms__blocks *device, size_t s)
{
    struct reference_sm *sm = &device->reference->sm[s];
    uint64_t soonest = SMS__NEVER;
    for (size_t i = 0; i < sm->blocks; i++) {
        uint64_t due = sms__group_due(group_of(sm, sm->block[i].launch), sm->block[i].end);
        soonest = due < soonest ? due : soonest;
    }
    sms__engine_at(device->engine, device->sm[s].source, soonest);
}

static void rate_all(struct sms__blocks *device, uint64_t now)
{
    bool joint = device->device_scope && device->contention->rate_device &&
                 (sms__is_oversubscribed(device) || !device->contention->free_below_full);
    for (size_t s = 0; s < device->sms; s++)
        sms__update_oversubscribed(&device->sm[s], now);
    for (size_t c = 0; c < device->clocks; c++)
        sms__device_clock_advance(&device->clock[c], now);
    if (joint)
        rate_jointly(device, now);
    for (size_t s = 0; s < device->sms; s++) {
        if (!joint)
            rate_one(device, s, now);
        schedule(device, s);
    }
}

void sms__reference_dispatch(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    if (!device->held)
        offer(device, now);
    rate_all(device, now);
}

void sms__reference_add_partial(struct sms__blocks *device, size_t s, int sign, uint64_t now)
{
    struct reference_sm *sm = &device->reference->sm[s];
    for (size_t i = 0; i < sm->blocks; i++) {
        const struct reference_block *block = &sm->block[i];
        double clock = sms__group_clock(group_of(sm, block->launch), now);
        sms__record_part(block->launch, block->work, block->end - clock, now - block->start, sign);
    }
}
