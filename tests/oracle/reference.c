/* The reference engine of the block level. It stores every block by itself, asks every SM for every block, and computes
 * every speed again at every event. It caches nothing and skips nothing. It shares with the fast engine what a block, a
 * limit, a policy and a model mean, and none of the code that makes the fast engine fast. */
#include "oracle.h"

#include "../../sim/levels/block/internal.h"

#include <string.h>

struct reference_block {
    struct sms__launch *launch;
    double end;
    uint64_t start, work;
};

/* The blocks on one SM, in order of arrival. Their groups are those of struct sms__sm_state, without residents. */
struct block_list {
    struct reference_block *block;
    size_t blocks;
    size_t source; /* of the SM's events */
};

struct sms__reference {
    struct block_list *list; /* [sms] */
};

static struct sms__block_group *group_of(struct sms__sm_state *sm, const struct sms__launch *launch)
{
    for (size_t g = 0; g < sm->groups; g++)
        if (sm->group[g].kin == launch->kin)
            return &sm->group[g];
    return NULL;
}

static void place(struct sms__blocks *device, size_t s, struct sms__launch *launch, uint64_t now)
{
    struct sms__sm_state *sm = &device->sm[s];
    struct block_list *list = &device->reference->list[s];
    sms__sm_integrate(sm, now);
    if (!group_of(sm, launch))
        sms__start_group(&sm->group[sm->groups++], launch, now);
    struct sms__block_group *group = group_of(sm, launch);
    uint64_t work = sms__draw_work(launch);
    list->block[list->blocks++] =
        (struct reference_block){launch, sms__group_clock(group, now) + (double)work, now, work};
    group->blocks++;
    sms__compose(sm, launch->shape, 1, now);
    sms__record_placed(launch, now);
    sms__notify_policy(launch, SMS_BLOCKS_PLACED, sm, 1);
}

static void remove_block(struct block_list *list, size_t i)
{
    list->blocks--;
    memmove(&list->block[i], &list->block[i + 1], (list->blocks - i) * sizeof *list->block);
}

/* Returns the group's block that ends first, among equals the one that was placed first; or SIZE_MAX. */
static size_t first_to_end(const struct block_list *list, const struct sms__block_group *group)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < list->blocks; i++)
        if (list->block[i].launch->kin == group->kin &&
            (first == SIZE_MAX || list->block[i].end < list->block[first].end))
            first = i;
    return first;
}

static bool is_equal(const struct reference_block *a, const struct reference_block *b)
{
    return a->launch == b->launch && a->end == b->end && a->start == b->start && a->work == b->work;
}

/* Removes the group's next block, with those that were placed and end together with it. Returns its launch; NULL if
 * none ends now. */
static struct sms__launch *leave(struct sms__blocks *device, size_t s, struct sms__block_group *group, uint64_t now)
{
    struct block_list *list = &device->reference->list[s];
    size_t first = first_to_end(list, group);
    uint32_t equal = 0;
    if (first == SIZE_MAX || sms__group_due(group, list->block[first].end) > now)
        return NULL;
    struct reference_block gone = list->block[first];
    struct sms__launch *launch = gone.launch;
    for (size_t i = first; i < list->blocks;) {
        if (!is_equal(&list->block[i], &gone)) {
            i++;
            continue;
        }
        remove_block(list, i);
        sms__compose(&device->sm[s], launch->shape, -1, now);
        sms__record_leave(launch, gone.work, now - gone.start, 1);
        group->blocks--;
        equal++;
    }
    sms__notify_policy(launch, SMS_BLOCKS_LEFT, &device->sm[s], equal);
    if (sms__observes(device->setup.observer, SMS_RUN_STAY))
        sms__emit_block_span(device, s, launch, gone.start, now, equal);
    return launch;
}

static void fire(void *subject, uint64_t now)
{
    struct sms__sm_state *sm = subject;
    struct sms__blocks *device = sm->device;
    sms__sm_integrate(sm, now);
    device->left++;
    sms__engine_defer(device->setup.engine, &device->dispatch);
    struct sms__launch *ended = NULL;
    for (size_t g = 0; g < sm->groups;) {
        struct sms__block_group *group = &sm->group[g];
        for (struct sms__launch *left; (left = leave(device, sm->idx, group, now));)
            sms__list_ended(&ended, left);
        if (group->blocks)
            g++;
        else
            sms__remove_group(sm, &sm->group[g]);
    }
    sms__end_launches(ended, now);
}

void sms__reference_init(struct sms__blocks *device)
{
    device->reference = SMS__NEW(device->arena, struct sms__reference, 1);
    device->reference->list = SMS__NEW(device->arena, struct block_list, device->sms);
    for (size_t s = 0; s < device->sms; s++)
        device->reference->list[s] = (struct block_list){
            .block = SMS__NEW(device->arena, struct reference_block, device->setup.model->sm.blocks),
            .source = sms__engine_source(device->setup.engine, SMS__LEVEL_BLOCK, fire, &device->sm[s])};
}

/* Returns the SM that the policy's search takes among all SMs that admit the block, or -1. */
static long search(struct sms__blocks *device, const struct sms__launch *launch)
{
    enum sms_search kind = device->setup.policy->policy->search;
    size_t start = kind == SMS_SEARCH_BEST ? 0 : launch->entry.queue->ring_start;
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
        launch->entry.queue->ring_start = ((size_t)best + (kind == SMS_SEARCH_RING)) % device->sms;
    return best;
}

/* Places one block of the queue, if one fits. */
static void place_from(struct sms__blocks *device, struct sms__dispatch_queue *queue, struct sms__dispatch_queue **next,
                       uint64_t now)
{
    for (struct sms__launch *launch = sms__dispatch_queue_current(&device->queues, queue);
         sms__dispatch_queue_may_go(queue, launch); launch = launch->in[SMS__QUEUE].next) {
        size_t ring_start = launch->entry.queue->ring_start;
        long sm = search(device, launch);
        if (sm >= 0 && sms__dispatcher_is_busy(device, now)) {
            device->dispatcher.blocked = true;
            launch->entry.queue->ring_start = ring_start;
            *next = NULL;
            return;
        }
        if (sm >= 0) {
            place(device, (size_t)sm, launch, now);
            sms__dispatcher_start(device, now);
            *next = sms__dispatch_queue_serve(device, launch);
            return;
        }
        if (!device->queues.passes_over || sms__patience_expired(device, launch))
            return;
    }
}

static void offer(struct sms__blocks *device, uint64_t now)
{
    device->queues.dispatches++;
    for (struct sms__dispatch_queue *queue = device->queues.first, *next; queue; queue = next) {
        next = queue->next;
        place_from(device, queue, &next, now);
    }
}

static void schedule(struct sms__blocks *device, size_t s)
{
    const struct block_list *list = &device->reference->list[s];
    uint64_t soonest = SMS__NEVER;
    for (size_t i = 0; i < list->blocks; i++) {
        uint64_t due = sms__group_due(group_of(&device->sm[s], list->block[i].launch), list->block[i].end);
        soonest = due < soonest ? due : soonest;
    }
    sms__engine_at(device->setup.engine, list->source, soonest);
}

static void rate_all(struct sms__blocks *device, uint64_t now)
{
    if (device->setup.contention->is_max_min)
        sms__levels_find(device);
    sms__device_clock_advance(device, now);
    for (size_t s = 0; s < device->sms; s++) {
        sms__rate_groups(&device->sm[s], now);
        schedule(device, s);
    }
}

void sms__reference_dispatch(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    device->dispatcher.blocked = false;
    sms__dispatcher_admit(device, now);
    if (!device->held)
        offer(device, now);
    sms__waits_look(device, now);
    sms__dispatcher_schedule(device);
    rate_all(device, now);
}

void sms__reference_add_partial(struct sms__blocks *device, size_t s, int sign, uint64_t now)
{
    const struct block_list *list = &device->reference->list[s];
    for (size_t i = 0; i < list->blocks; i++) {
        const struct reference_block *block = &list->block[i];
        double clock = sms__group_clock(group_of(&device->sm[s], block->launch), now);
        sms__record_part(block->launch, block->work, block->end - clock, now - block->start, sign);
    }
}
