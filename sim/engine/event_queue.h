/* The event queue. It holds one time for each source (an SM, a stream, a timer): that of its next event. Scheduling a
 * source again replaces its time, so there are no stale events. Events are ordered by time, then by source number,
 * never by address.
 *
 * The queue is a tournament tree. Each source has a leaf, and each inner node holds the lesser time of its two
 * children. A change replays one path to the root. Nodes hold no source: that of the first event is found from the root
 * down, since the leaves are in the order of sources. Neither way has a branch that depends on times, because a
 * processor could not predict it. */
#ifndef SMS_ENGINE_EVENT_QUEUE_H
#define SMS_ENGINE_EVENT_QUEUE_H

#include "../base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* The time of an event that never happens. */
#define SMS__NEVER UINT64_MAX

/* The first event. */
struct sms__match {
    uint64_t time;   /* ps */
    size_t source;   /* of equal times, the least */
    uint64_t second; /* ps: the time of the event after it */
    bool tied;       /* the same as its own; takes less to find out */
};

struct sms__queue {
    uint64_t *time; /* [2 leaves]: 1 is the root, the children of i are 2i and 2i + 1 */
    size_t leaves;  /* the leaf of source 0; the others follow */
};

/* Prepares the queue for sources 0 .. sources - 1, all without an event. */
void sms__queue_init(struct sms__queue *queue, struct sms__arena *arena, size_t sources);

/* Sets the time of a source's next event; SMS__NEVER removes it. */
static inline void sms__queue_set(struct sms__queue *queue, size_t source, uint64_t time)
{
    uint64_t *node = queue->time;
    size_t at = queue->leaves + source;
    node[at] = time;
    while (at > 1) {
        uint64_t other = node[at ^ 1];
        time = other < time ? other : time;
        at /= 2;
        node[at] = time;
    }
}

static inline uint64_t sms__queue_time(const struct sms__queue *queue, size_t source)
{
    return queue->time[queue->leaves + source];
}

/* Returns the time of the next event; SMS__NEVER if there is none. */
static inline uint64_t sms__queue_least(const struct sms__queue *queue) { return queue->time[1]; }

/* Returns the first event below a node, and the time of the second there. */
static inline struct sms__match sms__queue_below(const struct sms__queue *queue, size_t at)
{
    const uint64_t *node = queue->time;
    const uint64_t time = node[at];
    uint64_t second = SMS__NEVER;
    bool tied = false;
    while (at < queue->leaves) {
        uint64_t left = node[2 * at], right = node[2 * at + 1];
        uint64_t other = left ^ right ^ time; /* one of both is `time` */
        second = other < second ? other : second;
        tied |= left == right;
        at = 2 * at + (time < left);
    }
    return (struct sms__match){time, at - queue->leaves, second, tied};
}

/* Returns the next event. Its time is SMS__NEVER if there is none. */
static inline struct sms__match sms__queue_first(const struct sms__queue *queue) { return sms__queue_below(queue, 1); }

/* Returns the node below which is the earliest event of all sources but this one. */
static inline size_t sms__queue_rival(const struct sms__queue *queue, size_t source)
{
    const uint64_t *node = queue->time;
    size_t rival = (queue->leaves + source) ^ 1;
    for (size_t at = (queue->leaves + source) / 2; at > 1; at /= 2)
        rival = node[at ^ 1] < node[rival] ? at ^ 1 : rival;
    return rival;
}

/* Returns the time of the earliest event of all sources but this one; SMS__NEVER if there is none. */
static inline uint64_t sms__queue_other(const struct sms__queue *queue, size_t source)
{
    const uint64_t *node = queue->time;
    uint64_t time = SMS__NEVER;
    for (size_t at = queue->leaves + source; at > 1; at /= 2)
        time = node[at ^ 1] < time ? node[at ^ 1] : time;
    return time;
}

#endif
