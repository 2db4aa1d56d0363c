/* Dispatch queues: kernels whose blocks wait. A device has one for all launches that may use all of its SMs, those of
 * several processes under MPS included, as was measured on an H100. Launches that are kept to some SMs have another.
 *
 * Within a queue blocks of a higher priority go first. A block that waits also holds back those of lower priorities,
 * even if they would fit (CUDA programming guide; measured by Amert et al., RTSS 2017). Among equal priorities the
 * queue discipline (smsched/queue.h) gives ranks and turns: a launch keeps its position until its turn ends, and then
 * moves behind its equals. Queues are in the same order, that of their first launches. But a block that waits holds
 * back none of another queue, also on SMs that both have.
 *
 * All launches of a shape get the same answer. Once one is refused, the others are not asked, and lanes even allow to
 * jump over them. Invariant: a launch is in its queue and in its lane exactly while it has waiting blocks. */
#include "internal.h"

#include <math.h>
#include <string.h>

void sms__dispatch_queue_init(struct sms__blocks *device)
{
    struct sms__dispatch_queues *queues = &device->queues;
    queues->takes_turns = device->setup.discipline->turn != NULL;
    queues->passes_over = device->setup.discipline->passes_over;
    queues->count = device->setup.owners > 0 ? device->setup.owners : 1;
    queues->queue = SMS__NEW(device->arena, struct sms__dispatch_queue, queues->count);
}

static bool goes_before(const struct sms__launch *a, const struct sms__launch *b)
{
    return a->entry.order < b->entry.order;
}

/* True if no other launch of its priority and rank comes after it. */
static bool is_last_among_equals(const struct sms__launch *launch)
{
    return !launch->in[SMS__QUEUE].next || goes_before(launch, launch->in[SMS__QUEUE].next);
}

/* Returns the last of the first launch's equals, among which turns end. */
static struct sms__launch *last_equal(struct sms__dispatch_queue *queue)
{
    struct sms__launch *last = queue->equal ? queue->equal : queue->list.first;
    while (!is_last_among_equals(last))
        last = last->in[SMS__QUEUE].next;
    return queue->equal = last;
}

/* Returns the launch behind which one goes that goes before the last, or NULL. Not inline, because that is rare. */
static __attribute__((noinline)) struct sms__launch *find_place(struct sms__dispatch_queue *queue,
                                                                const struct sms__launch *launch)
{
    struct sms__launch *prev = queue->list.last;
    if (!goes_before(queue->list.first, launch))
        prev = goes_before(launch, queue->list.first) ? NULL : last_equal(queue);
    while (prev && goes_before(launch, prev))
        prev = prev->in[SMS__QUEUE].prev;
    return prev;
}

/* Inserts the launch behind all others of its priority and rank. */
static inline void insert_in_queue(struct sms__dispatch_queue *queue, struct sms__launch *launch)
{
    struct sms__launch *prev = queue->list.last;
    if (prev && goes_before(launch, prev))
        prev = find_place(queue, launch);
    sms__launch_insert(&queue->list, SMS__QUEUE, launch, prev);
    queue->equal = prev ? queue->equal : launch;
}

static void remove_from_queue(struct sms__dispatch_queue *queue, struct sms__launch *launch)
{
    queue->equal = queue->equal == launch ? launch->in[SMS__QUEUE].prev : queue->equal;
    sms__launch_remove(&queue->list, SMS__QUEUE, launch);
}

/* True if the launch is before the other in its lane, or would be. */
static bool is_earlier(const struct sms__launch *a, const struct sms__launch *b)
{
    return goes_before(a, b) || (!goes_before(b, a) && a->entry.lane_position < b->entry.lane_position);
}

static void insert_in_lane(struct sms__launch_list *lane, struct sms__launch *launch)
{
    struct sms__launch *prev = lane->last;
    launch->entry.lane_position = launch->entry.position;
    while (prev && is_earlier(launch, prev))
        prev = prev->in[SMS__LANE].prev;
    sms__launch_insert(lane, SMS__LANE, launch, prev);
}

/* Puts the launch behind its equals. Another one comes after it. */
static inline void move_to_end(struct sms__blocks *device, struct sms__launch *launch)
{
    remove_from_queue(launch->entry.queue, launch);
    insert_in_queue(launch->entry.queue, launch);
    launch->entry.position = ++device->queues.positions;
}

/* True if the queue's first launch is before that of the other. */
static bool leads(const struct sms__dispatch_queue *queue, const struct sms__dispatch_queue *other)
{
    const struct sms__launch *a = queue->list.first, *b = other->list.first;
    return goes_before(a, b) || (!goes_before(b, a) && a->entry.position < b->entry.position);
}

/* Puts the queue, which has a launch, in its place among the others. */
static void insert_queue(struct sms__blocks *device, struct sms__dispatch_queue *queue)
{
    struct sms__dispatch_queue *prev = device->queues.last;
    while (prev && leads(queue, prev))
        prev = prev->prev;
    queue->prev = prev;
    queue->next = prev ? prev->next : device->queues.first;
    *(queue->prev ? &queue->prev->next : &device->queues.first) = queue;
    *(queue->next ? &queue->next->prev : &device->queues.last) = queue;
}

static void remove_queue(struct sms__blocks *device, struct sms__dispatch_queue *queue)
{
    *(queue->prev ? &queue->prev->next : &device->queues.first) = queue->next;
    *(queue->next ? &queue->next->prev : &device->queues.last) = queue->prev;
}

/* Returns a number that rises with the value. */
static uint64_t rising(double value)
{
    uint64_t bits, sign = (uint64_t)1 << 63;
    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* Asks the discipline for the launch's rank and turn. */
static void ask_discipline(struct sms__blocks *device, struct sms__launch *launch)
{
    const struct sms_queue_discipline *discipline = device->setup.discipline;
    const struct sms_queued queued = {.tenant = launch->tenant,
                                      .tenant_name = launch->vm,
                                      .kernel_name = launch->kernel->name,
                                      .launch = launch->number,
                                      .blocks = launch->blocks,
                                      .block_ps = launch->fit->work_ps * launch->fit->alone,
                                      .priority = launch->priority,
                                      .launched_ps = launch->launched_ps,
                                      .deadline_ps = launch->deadline_ps};
    double rank = discipline->rank ? discipline->rank(&queued) : 0;
    uint64_t turn = discipline->turn ? discipline->turn(&queued) : 1;
    if (device->setup.options->check)
        sms__oracle->check_queued(device, &queued, rank, turn);
    if (!isfinite(rank)) /* no order follows */
        sms__stop_run(device, "queue discipline '%.60s' gives a kernel of '%.60s' a rank that is not finite",
                      discipline->name, launch->vm);
    launch->entry.order = (sms__order)rising(-launch->priority) << 64 | rising(rank);
    launch->entry.turn = launch->entry.turn_left = turn > 0 ? turn : 1;
}

void sms__dispatch_queue_join(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = &device->queues.queue[launch->owner];
    ask_discipline(device, launch);
    if (!queue->lane)
        queue->lane = SMS__NEW(device->arena, struct sms__launch_list, device->search.count);
    launch->entry.queue = queue;
    launch->shape = device->search.shape_of[launch->kernel_type];
    sms__shape_begin(device, launch->shape);
    launch->kin = device->tells_launches ? (const void *)launch : launch->shape;
    launch->entry.lane = &queue->lane[launch->shape->idx];
    if (queue->list.first)
        remove_queue(device, queue);
    insert_in_queue(queue, launch);
    launch->entry.position = ++device->queues.positions;
    insert_queue(device, queue);
    insert_in_lane(launch->entry.lane, launch);
    device->queues.waiting++;
    sms__search_wait(device, launch->shape);
}

/* Not inline, so that turns have few registers to save. */
static __attribute__((noinline)) void leave_queue(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->entry.queue;
    remove_from_queue(queue, launch);
    sms__launch_remove(launch->entry.lane, SMS__LANE, launch);
    if (!queue->list.first) {
        remove_queue(device, queue);
        if (queue != device->queues.queue) /* it may have a new owner when a launch joins again; the first has none */
            queue->turn = (struct sms__turn){0};
    }
    device->queues.waiting--;
    sms__search_stop_waiting(device, launch->shape);
    sms__waits_end(device, launch);
}

/* The SMs that all launches of its queue may use. */
static size_t sms_of_queue(const struct sms__blocks *device, const struct sms__launch *launch)
{
    const struct sms__allowed *allowed = launch->shape->allowed;
    size_t sms = 0;
    for (size_t w = 0; allowed && w < (device->sms + 63) / 64; w++)
        sms += (size_t)__builtin_popcountll(allowed->row[w]);
    return allowed ? sms : device->sms;
}

/* Counts a turn that ended, and returns true if the next one must be skipped. Without skipping, if the number of SMs is
 * a multiple of the number of kernels and each places one block a turn, each of them would always get the same SMs. So
 * after as many turns as there are SMs, the kernel that had the first turn is skipped. */
static bool returns_to_first(struct sms__turn *turn, const void *served, const void *next, size_t sms)
{
    turn->first = turn->first ? turn->first : served;
    if (++turn->turns < sms)
        return false;
    turn->turns = 0;
    return turn->first == next;
}

/* Counts a block that was placed, and returns true if the launch's turn ends with it. */
static bool ends_turn(struct sms__launch *launch)
{
    if (launch->waiting && --launch->entry.turn_left)
        return false;
    launch->entry.turn_left = launch->entry.turn;
    return true;
}

/* Finds the next launch of the queue after a block of this one was placed. */
static void advance_queue(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->entry.queue;
    bool ends = device->queues.takes_turns && ends_turn(launch);
    if (launch->waiting && (!ends || is_last_among_equals(launch))) {
        if (ends && device->queues.count > 1) /* there may be equals in another queue */
            launch->entry.position = ++device->queues.positions;
        queue->current = launch;
        return;
    }
    queue->current = launch->in[SMS__QUEUE].next;
    if (launch->waiting)
        move_to_end(device, launch);
    else
        leave_queue(device, launch);
    if (!ends || !queue->current || (!launch->waiting && is_last_among_equals(queue->current)))
        return;
    if (returns_to_first(&queue->turn, launch, queue->current, sms_of_queue(device, launch))) {
        struct sms__launch *again = queue->current;
        queue->current = again->in[SMS__QUEUE].next;
        move_to_end(device, again);
    }
    queue->turn.first = queue->turn.turns ? queue->turn.first : queue->current;
}

/* After a block of this queue was placed, with others behind it: returns the next in this dispatch. Not inline, because
 * most devices have one queue. */
static __attribute__((noinline)) struct sms__dispatch_queue *advance_queues(struct sms__blocks *device,
                                                                            struct sms__dispatch_queue *queue)
{
    struct sms__dispatch_queue *next = queue->next;
    if (!queue->list.first)
        return next;
    if (!leads(next, queue))
        return queue;
    remove_queue(device, queue);
    insert_queue(device, queue);
    return next;
}

struct sms__dispatch_queue *sms__dispatch_queue_serve(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->entry.queue;
    queue->dispatch = device->queues.dispatches;
    launch->entry.served_ps = device->setup.engine->now;
    advance_queue(device, launch);
    if (queue->next)
        return advance_queues(device, queue);
    return queue->list.first ? queue : NULL;
}

/* Returns the first launch of the lane. */
static struct sms__launch *lane_head(struct sms__launch_list *lane)
{
    struct sms__launch *head;
    while ((head = lane->first) && head->entry.lane_position != head->entry.position) {
        sms__launch_remove(lane, SMS__LANE, head);
        insert_in_lane(lane, head);
    }
    return head;
}

/* Returns the first launch in the queue whose shape has not been refused. It never comes before the current launch,
 * because those were all refused. */
static struct sms__launch *first_open(const struct sms__dispatch_queue *queue, const struct sms__block_search *search)
{
    struct sms__launch *best = NULL;
    for (size_t i = 0; i < search->shapes; i++) {
        struct sms__launch *head = lane_head(&queue->lane[i]);
        if (head && !sms__is_refused(search, head->shape) && (!best || is_earlier(head, best)))
            best = head;
    }
    return best;
}

struct sms__launch *sms__dispatch_queue_skip(const struct sms__dispatch_queue *queue,
                                             const struct sms__block_search *search, struct sms__launch *launch)
{
    for (size_t steps = 0; launch && sms__is_refused(search, launch->shape); launch = launch->in[SMS__QUEUE].next)
        if (++steps > search->shapes)
            return first_open(queue, search);
    return launch;
}
