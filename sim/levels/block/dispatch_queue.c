/* Kernels whose blocks wait, in dispatch queues of which each owner has one: a context under MPS, else all of the
 * device. In a queue blocks of a higher priority go first, and a block that waits holds back those of lower priorities
 * even where they would fit (CUDA programming guide; measured by Amert et al., RTSS 2017). Among equal priorities a
 * launch keeps its place, or goes to the end after each block where kernels take turns. Queues take turns, whatever
 * the discipline inside them; that no context of MPS holds up another is an assumption.
 *
 * Launches of one shape stand or fall together: once one is refused, the others need not be asked, nor even be walked
 * past. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct kind {
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

static int compare_shapes(const struct kind *x, const struct kind *y)
{
    int order = compare_fits(x->fit, y->fit);
    size_t a = x->allowed ? x->allowed->owner + 1 : 0, b = y->allowed ? y->allowed->owner + 1 : 0;
    return order ? order : (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;
    int order = compare_shapes(x, y);
    return order ? order : (x->idx > y->idx) - (x->idx < y->idx);
}

void sms__dispatch_queue_init(struct sms__blocks *device, const struct sms__fit *const *kinds, size_t n_kinds)
{
    size_t present = 0, count = 0; /* under time slices a unit has the kinds of one process in thousands */
    for (size_t k = 0; k < n_kinds; k++)
        present += kinds[k] != NULL;
    struct kind *sorted = SMS__NEW(device->arena, struct kind, present);
    for (size_t k = 0; k < n_kinds; k++)
        if (kinds[k])
            sorted[count++] = (struct kind){kinds[k], device->allowed ? device->allowed[k] : NULL, k};
    qsort(sorted, count, sizeof *sorted, compare);
    device->shape = SMS__NEW(device->arena, struct sms__shape, count);
    device->shape_of = SMS__NEW(device->arena, struct sms__shape *, n_kinds);
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

/* At the end of its priority. */
static void insert_in_line(struct sms__dispatch_queue *queue, struct sms__launch *launch)
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
    struct sms__launch *before = lane->tail;
    while (before && before->priority < launch->priority)
        before = before->before;
    launch->before = before;
    launch->alike = before ? before->alike : lane->head;
    *(before ? &before->alike : &lane->head) = launch;
    *(launch->alike ? &launch->alike->before : &lane->tail) = launch;
}

static void take_out_of_line(struct sms__dispatch_queue *queue, struct sms__launch *launch)
{
    *(launch->prev ? &launch->prev->next : &queue->head) = launch->next;
    *(launch->next ? &launch->next->prev : &queue->tail) = launch->prev;
}

static void take_out_of_lane(struct sms__lane *lane, struct sms__launch *launch)
{
    *(launch->before ? &launch->before->alike : &lane->head) = launch->alike;
    *(launch->alike ? &launch->alike->before : &lane->tail) = launch->before;
}

static void move_to_end(struct sms__blocks *device, struct sms__launch *launch)
{
    take_out_of_line(launch->queue, launch);
    insert_in_line(launch->queue, launch);
    if (launch->alike) {
        take_out_of_lane(launch->lane, launch);
        insert_in_lane(launch->lane, launch);
    }
    launch->place = ++device->places;
}

/* At the end of the queues. */
static void insert_line(struct sms__blocks *device, struct sms__dispatch_queue *queue)
{
    queue->prev = device->last;
    queue->next = NULL;
    *(device->last ? &device->last->next : &device->first) = queue;
    device->last = queue;
}

static void take_out_line(struct sms__blocks *device, struct sms__dispatch_queue *queue)
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
    launch->shape = device->shape_of[launch->kind];
    launch->lane = &queue->lane[launch->shape - device->shape];
    if (!queue->head)
        insert_line(device, queue);
    insert_in_line(queue, launch);
    insert_in_lane(launch->lane, launch);
    launch->place = ++device->places;
    device->waiting++;
    device->varied += sms__is_drawn(launch->kernel);
}

void sms__dispatch_queue_leave(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->queue;
    take_out_of_line(queue, launch);
    take_out_of_lane(launch->lane, launch);
    if (!queue->head) {
        take_out_line(device, queue);
        if (device->queues > 1) /* its next launch may be another owner's */
            queue->turn = (struct sms__turn){0};
        device->turn.began = device->turn.began == queue ? NULL : device->turn.began;
    }
    device->waiting--;
    device->varied -= sms__is_drawn(launch->kernel);
}

static bool is_last_of_priority(const struct sms__launch *launch)
{
    return !launch->next || launch->next->priority < launch->priority;
}

/* Whether a turn ends now that another must begin: kernels (or queues) in turn would meet the same SMs for ever where
 * the number of SMs is a multiple of theirs. So after as many blocks as there are SMs the turn does not come to the one
 * with which it began the last time. */
static bool is_met_again(struct sms__turn *turn, const void *served, const void *next, size_t sms)
{
    turn->began = turn->began ? turn->began : served;
    if (++turn->blocks < sms)
        return false;
    turn->blocks = 0;
    return turn->began == next;
}

/* Which launch of its queue is next once a block of this one is placed. */
static void pass_turn(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->queue;
    bool turns = device->takes_turns;
    queue->at = !turns && launch->waiting ? launch : launch->next;
    if (launch->waiting == 0) {
        sms__dispatch_queue_leave(device, launch);
    } else if (turns && is_last_of_priority(launch)) {
        queue->at = launch;
    } else if (turns) {
        move_to_end(device, launch);
    }
    if (!turns || !queue->at || is_last_of_priority(queue->at))
        return;
    if (is_met_again(&queue->turn, launch, queue->at, device->sms)) {
        struct sms__launch *again = queue->at;
        queue->at = again->next;
        move_to_end(device, again);
    }
    queue->turn.began = queue->turn.blocks ? queue->turn.began : queue->at;
}

struct sms__dispatch_queue *sms__dispatch_queue_serve(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__dispatch_queue *queue = launch->queue, *next = queue->next;
    queue->dispatch = device->dispatches;
    launch->served_ps = device->engine->now;
    pass_turn(device, launch);
    if (!next)
        return queue->head ? queue : NULL;
    if (queue->head) {
        take_out_line(device, queue);
        insert_line(device, queue);
    }
    if (next->next && is_met_again(&device->turn, queue->head ? queue : next, next, device->sms)) {
        struct sms__dispatch_queue *again = next;
        next = again->next;
        take_out_line(device, again);
        insert_line(device, again);
    }
    device->turn.began = device->turn.blocks ? device->turn.began : next;
    return next;
}

static bool is_earlier(const struct sms__launch *a, const struct sms__launch *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->place < b->place;
}

/* The first launch of a lane that has not been refused: none such stands before `at`. */
static struct sms__launch *jump(const struct sms__dispatch_queue *queue, const struct sms__blocks *device)
{
    struct sms__launch *best = NULL;
    for (size_t i = 0; i < device->shapes; i++) {
        struct sms__launch *own = queue->lane[i].head;
        if (own && !sms__is_refused(device, own->shape) && (!best || is_earlier(own, best)))
            best = own;
    }
    return best;
}

struct sms__launch *sms__dispatch_queue_skip(const struct sms__dispatch_queue *queue, const struct sms__blocks *device,
                                             struct sms__launch *launch)
{
    for (size_t steps = 0; launch && sms__is_refused(device, launch->shape); launch = launch->next)
        if (++steps > device->shapes)
            return jump(queue, device);
    return launch;
}
