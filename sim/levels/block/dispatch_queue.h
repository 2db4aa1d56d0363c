/* Dispatch queues: kernels whose blocks wait. */
#ifndef SMS_LEVELS_BLOCK_DISPATCH_QUEUE_H
#define SMS_LEVELS_BLOCK_DISPATCH_QUEUE_H

#include "search.h"

/* A cycle of turns among launches of a queue. */
struct sms__turn {
    const void *first; /* launch of the stream that had the first turn of the cycle, or its next */
    size_t turns;      /* ended since then */
};

/* A dispatch queue: waiting launches by falling priority, then by rank, then by position. */
struct sms__dispatch_queue {
    struct sms__launch_list list;
    struct sms__launch *equal;   /* one of priority and rank of the first, perhaps the last of them; NULL: the first */
    struct sms__launch *current; /* the next to ask in this dispatch; those before it were refused */
    uint64_t dispatch;           /* the dispatch for which `current` is valid */
    struct sms__turn turn;
    size_t ring_start;                       /* the SM at which a ring search starts */
    struct sms__launch_list *lane;           /* by shape, in the order that they had; NULL before the first launch. One
                                              * whose turn has ended since is put in its place when it comes first */
    struct sms__dispatch_queue *next, *prev; /* queues with a waiting launch, in the order of their first launches */
};

/* The dispatch queues of a device. */
struct sms__dispatch_queues {
    struct sms__dispatch_queue *queue; /* [count] */
    size_t count;
    struct sms__dispatch_queue *first, *last; /* queues with a waiting launch */
    size_t waiting;                           /* launches */
    uint64_t positions, dispatches;
    bool takes_turns, passes_over; /* by the discipline */
};

void sms__dispatch_queue_init(struct sms__blocks *device);
void sms__dispatch_queue_join(struct sms__blocks *device, struct sms__launch *launch);
/* Call this when a block of the launch was placed. The launch leaves its queue if that was its last block; otherwise,
 * its turn may end. Returns the queue that is next in this dispatch, or NULL. */
struct sms__dispatch_queue *sms__dispatch_queue_serve(struct sms__blocks *device, struct sms__launch *launch);
/* Returns `launch`, or the first after it whose shape has not been refused, or NULL. */
struct sms__launch *sms__dispatch_queue_skip(const struct sms__dispatch_queue *queue,
                                             const struct sms__block_search *search, struct sms__launch *launch);

/* Like sms__dispatch_queue_skip, with the frequent case inline. */
static inline struct sms__launch *sms__dispatch_queue_open(const struct sms__block_search *search,
                                                           const struct sms__dispatch_queue *queue,
                                                           struct sms__launch *launch)
{
    return launch && sms__is_refused(search, launch->shape) ? sms__dispatch_queue_skip(queue, search, launch) : launch;
}

/* Returns the launch of the queue at which the dispatch under way continues. */
static inline struct sms__launch *sms__dispatch_queue_current(const struct sms__dispatch_queues *queues,
                                                              const struct sms__dispatch_queue *queue)
{
    return queue->dispatch == queues->dispatches ? queue->current : queue->list.first;
}

/* True if there is a launch, and no launch of a higher priority waits in the queue. */
static inline bool sms__dispatch_queue_may_go(const struct sms__dispatch_queue *queue, const struct sms__launch *launch)
{
    return launch && launch->priority == queue->list.first->priority;
}

#endif
