/* Dispatch queues: kernels whose blocks wait. Under MPS each context has a queue; otherwise the device has one.
 *
 * Within a queue blocks of a higher priority go first. A block that waits also holds back those of lower priorities,
 * even if they would fit (CUDA programming guide; measured by Amert et al., RTSS 2017). Among equal priorities a launch
 * keeps its position, or, where kernels take turns, moves to the end after each block. Queues take turns, whatever the
 * discipline within them. That no MPS context can hold up another is an assumption.
 *
 * All launches of a shape get the same answer. Once one is refused, the others are not asked, and lanes even allow to
 * jump over them. Invariant: a launch is in its queue and in its lane exactly while it has waiting blocks. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct kernel_type {
    const struct sms__fit *fit;
    const struct sms__allowed *allowed;
    size_t idx;
};

static int compare_fits(const struct sms__fit *a, const struct sms__fit *b)
{
    int order = memcmp(a->needs, b->needs, sizeof a->needs);
    for (int r = 0; !order && r < SMS_RESOURCES_MAX; r++)
        order = (a->demand[r] > b->demand[r]) - (a->demand[r] < b->demand[r]);
    return order;
}

static int compare_shapes(const struct kernel_type *x, const struct kernel_type *y)
{
    int order = compare_fits(x->fit, y->fit);
    size_t a = x->allowed ? x->allowed->owner + 1 : 0, b = y->allowed ? y->allowed->owner + 1 : 0;
    return order ? order : (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct kernel_type *x = a, *y = b;
    int order = compare_shapes(x, y);
    return order ? order : (x->idx > y->idx) - (x->idx < y->idx);
}

void sms__dispatch_queue_init(struct sms__blocks *device, const struct sms__fit *const *kernel_types,
                              size_t n_kernel_types)
{
    size_t present = 0, count = 0; /* under time slices a context may have few of thousands of kernel types */
    for (size_t k = 0; k < n_kernel_types; k++)
        present += kernel_types[k] != NULL;
    struct kernel_type *sorted = SMS__NEW(device->arena, struct kernel_type, present);
    for (size_t k = 0; k < n_kernel_types; k++)
        if (kernel_types[k])
            sorted[count++] = (struct kernel_type){kernel_types[k], device->allowed ? device->allowed[k] : NULL, k};
    qsort(sorted, count, sizeof *sorted, compare);
    device->shape = SMS__NEW(device->arena, struct sms__shape, count);
    device->shape_of = SMS__NEW(device->arena, struct sms__shape *, n_kernel_types);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_shapes(&sorted[i - 1], &sorted[i]))
            device->shape[device->shapes++] =
                (struct sms__shape){.fit = sorted[i].fit,
                                    .allowed = sorted[i].allowed,
                                    .request = {.adds = sorted[i].fit->adds, .needs = sorted[i].fit->needs}};
        device->shape_of[sorted[i].idx] = &device->shape[device->shapes - 1];
    }
    device->takes_turns = device->discipline == SMS_QUEUE_INTERLEAVE || device->discipline == SMS_QUEUE_RR_FIFO;
    device->passes_over = device->discipline == SMS_QUEUE_INTERLEAVE || device->discipline == SMS_QUEUE_KERNEL_FIFO;
    device->queues = device->owners > 0 ? device->owners : 1;
    device->queue = SMS__NEW(device->arena, struct sms__dispatch_queue, device->queues);
}

/* Inserts the launch after all others of its priority. */
static void insert_in_queue(struct sms__dispatch_queue *queue, struct sms__launch *launch)
{
    struct sms__launch *prev = queue->tail;
    while (prev && prev->priority < launch->priority)
        prev = prev->prev;
    launch->prev = prev;
    launch->next = prev ? prev->next : queue->head;
    *(prev ? &prev->next : &queue->head) = launch;
    *(launch->next ? &launch->next->prev : &queue->tail) = launch;
}

static void insert_in_lane(struct sms__lane *lane, struct sms__launch *launch)
{
    struct sms__launch *prev = lane->tail;
    while (prev && prev->priority < launch->priority)
        prev = prev->lane_prev;
    launch->lane_prev = prev;
    launch->lane_next = prev ? prev->lane_next : lane->head;
    *(prev ? &prev->lane_next : &lane->head) = launch;
    *(launch->lane_next ? &launch->lane_next->lane_prev : &lane->tail) = launch;
}

static void remove_from_queue(struct sms__dispatch_queue *queue, struct sms__launch *launch)
{
    *(launch->prev ? &launch->prev->next : &queue->head) = launch->next;
    *(launch->next ? &launch->next->prev : &queue->tail) = launch->prev;
}

static void remove_from_lane(struct sms__lane *lane, struct sms__launch *launch)
{
    *(launch->lane_prev ? &launch->lane_prev->lane_next : &lane->head) = launch->lane_next;
    *(launch->lane_next ? &launch->lane_next->lane_prev : &lane->tail) = launch->lane_prev;
}

static void move_to_end(struct sms__blocks *device, struct sms__launch *launch)
{
    remove_from_queue(launch->queue, launch);
    insert_in_queue(launch->queue, launch);
    if (launch->lane_next) {
        remove_from_lane(launch->lane, launch);
        insert_in_lane(launch->lane, launch);
    }
    launch->position = ++device->positions;
}

/* Puts the queue behind all others. */
static void append_queue(struct sms__blocks *device, struct sms__dispatch_queue *queue)
{
    queue->prev = device->last;
    queue->next = NULL;
    *(device->last ? &device->last->next : &device->first) = queue;
    device->last = queue;
}

static void remove_queue(struct sms__blocks *device, struct sms__dispatch_queue *queue)
{
    *(queue->prev ? &queue->prev->next : &device->first) = queue->next;
    *(queue->next ? &queue->next->prev : &device->last) = queue->prev;
}

void sms__dispatch_queue_join(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = &device->queue[launch->owner];
    if (!queue->lane)
        queue->lane = SMS__NEW(device->arena, struct sms__lane, device->shapes);
    launch->queue = queue;
    launch->shape = device->shape_of[launch->kernel_type];
    launch->lane = &queue->lane[launch->shape - device->shape];
    if (!queue->head)
        append_queue(device, queue);
    insert_in_queue(queue, launch);
    insert_in_lane(launch->lane, launch);
    launch->position = ++device->positions;
    device->waiting++;
    device->waiting_random += sms__is_drawn(launch->kernel);
}

void sms__dispatch_queue_leave(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->queue;
    remove_from_queue(queue, launch);
    remove_from_lane(launch->lane, launch);
    if (!queue->head) {
        remove_queue(device, queue);
        if (device->queues > 1) /* it may have a new owner when a launch joins again */
            queue->turn = (struct sms__turn){0};
        device->turn.first = device->turn.first == queue ? NULL : device->turn.first;
    }
    device->waiting--;
    device->waiting_random -= sms__is_drawn(launch->kernel);
}

static bool is_last_of_priority(const struct sms__launch *launch)
{
    return !launch->next || launch->next->priority < launch->priority;
}

/* Counts a block that was placed, and returns true if the next turn must be skipped. Without skipping, if the number of
 * SMs is a multiple of the number of kernels (or queues), each of them would always get the same SMs. So after as many
 * blocks as there are SMs, the turn skips the kernel that had the first turn. */
static bool returns_to_first(struct sms__turn *turn, const void *served, const void *next, size_t sms)
{
    turn->first = turn->first ? turn->first : served;
    if (++turn->blocks < sms)
        return false;
    turn->blocks = 0;
    return turn->first == next;
}

/* Finds the next launch of the queue after a block of this one was placed. */
static void advance_queue(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->queue;
    bool turns = device->takes_turns;
    queue->current = !turns && launch->waiting ? launch : launch->next;
    if (launch->waiting == 0) {
        sms__dispatch_queue_leave(device, launch);
    } else if (turns && is_last_of_priority(launch)) {
        queue->current = launch;
    } else if (turns) {
        move_to_end(device, launch);
    }
    if (!turns || !queue->current || is_last_of_priority(queue->current))
        return;
    if (returns_to_first(&queue->turn, launch, queue->current, device->sms)) {
        struct sms__launch *again = queue->current;
        queue->current = again->next;
        move_to_end(device, again);
    }
    queue->turn.first = queue->turn.blocks ? queue->turn.first : queue->current;
}

struct sms__dispatch_queue *sms__dispatch_queue_serve(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->queue, *next = queue->next;
    queue->dispatch = device->dispatches;
    launch->served_ps = device->engine->now;
    advance_queue(device, launch);
    if (!next)
        return queue->head ? queue : NULL;
    if (queue->head) {
        remove_queue(device, queue);
        append_queue(device, queue);
    }
    if (next->next && returns_to_first(&device->turn, queue->head ? queue : next, next, device->sms)) {
        struct sms__dispatch_queue *again = next;
        next = again->next;
        remove_queue(device, again);
        append_queue(device, again);
    }
    device->turn.first = device->turn.blocks ? device->turn.first : next;
    return next;
}

static bool is_earlier(const struct sms__launch *a, const struct sms__launch *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->position < b->position;
}

/* Returns the first launch in the queue whose shape has not been refused. It never comes before the current launch,
 * because those were all refused. */
static struct sms__launch *first_open(const struct sms__dispatch_queue *queue, const struct sms__blocks *device)
{
    struct sms__launch *best = NULL;
    for (size_t i = 0; i < device->shapes; i++) {
        struct sms__launch *head = queue->lane[i].head;
        if (head && !sms__is_refused(device, head->shape) && (!best || is_earlier(head, best)))
            best = head;
    }
    return best;
}

struct sms__launch *sms__dispatch_queue_skip(const struct sms__dispatch_queue *queue, const struct sms__blocks *device,
                                             struct sms__launch *launch)
{
    for (size_t steps = 0; launch && sms__is_refused(device, launch->shape); launch = launch->next)
        if (++steps > device->shapes)
            return first_open(queue, device);
    return launch;
}
