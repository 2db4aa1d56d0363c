/* The event queue. It holds one time for each source (an SM, a stream, a timer): that of its next event. Scheduling a
 * source again replaces its time, so there are no stale events. Events are ordered by time, then by source number,
 * never by address.
 *
 * The queue is a tournament tree. Each source has a leaf, and each inner node holds the winner of its two children. A
 * change replays one path to the root. The replay has no branch that depends on times, because a processor could not
 * predict it. */
#ifndef SMS_ENGINE_EVENT_QUEUE_H
#define SMS_ENGINE_EVENT_QUEUE_H

#include "../base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* The time of an event that never happens. */
#define SMS__NEVER UINT64_MAX

struct sms__match {
    uint64_t time;   /* ps */
    uint64_t source; /* the winner of the match */
};

__extension__ typedef unsigned __int128 sms__rank;

static inline sms__rank sms__rank_of(struct sms__match match) { return (sms__rank)match.time << 64 | match.source; }

struct sms__queue {
    struct sms__match *match; /* [2 leaves]: 1 is the root, the children of i are 2i and 2i + 1 */
    size_t leaves;            /* the leaf of source 0; the others follow */
};

/* Prepares the queue for sources 0 .. sources - 1, all without an event. */
static inline void sms__queue_init(struct sms__queue *queue, struct sms__arena *arena, size_t sources)
{
    queue->leaves = 2;
    while (queue->leaves < sources)
        queue->leaves *= 2;
    queue->match = SMS__NEW(arena, struct sms__match, 2 * queue->leaves);
    for (size_t i = 0; i < 2 * queue->leaves; i++)
        queue->match[i].time = SMS__NEVER;
}

/* Gives the leaf its source's next event. A match is one comparison of time and source number together, as a 128-bit
 * number. */
static inline void sms__queue_replay(struct sms__queue *queue, size_t leaf, struct sms__match own)
{
    enum { EACH = sizeof(struct sms__match) };
    char *match = (char *)queue->match;
    size_t at = leaf * EACH; /* in bytes, so that no step of the loop has to scale it */
    *(struct sms__match *)(match + at) = own;
    for (sms__rank winner = sms__rank_of(own); at > EACH;) {
        sms__rank other = sms__rank_of(*(struct sms__match *)(match + (at ^ EACH)));
        winner = other < winner ? other : winner;
        at = at / 2 & ~(size_t)(EACH - 1);
        *(struct sms__match *)(match + at) = (struct sms__match){(uint64_t)(winner >> 64), (uint64_t)winner};
    }
}

/* Sets the time of a source's next event; SMS__NEVER removes it. */
static inline void sms__queue_set(struct sms__queue *queue, size_t source, uint64_t time)
{
    sms__queue_replay(queue, queue->leaves + source, (struct sms__match){time, source});
}

/* Returns the time of the next event; SMS__NEVER if there is none. */
static inline uint64_t sms__queue_least(const struct sms__queue *queue) { return queue->match[1].time; }

/* Returns the next event. Its time is SMS__NEVER if there is none. */
static inline struct sms__match sms__queue_first(const struct sms__queue *queue) { return queue->match[1]; }

static inline uint64_t sms__queue_time(const struct sms__queue *queue, size_t source)
{
    return queue->match[queue->leaves + source].time;
}

/* Returns the earliest event of all sources but this one. If several have its time, it is any of them; if there is
 * none, its time is SMS__NEVER. */
static inline struct sms__match sms__queue_other(const struct sms__queue *queue, size_t source)
{
    const struct sms__match *match = queue->match;
    size_t other = queue->leaves + source;
    uint64_t time = SMS__NEVER;
    for (size_t at = other; at > 1; at /= 2) {
        bool earlier = match[at ^ 1].time < time;
        other = earlier ? at ^ 1 : other;
        time = earlier ? match[at ^ 1].time : time;
    }
    return (struct sms__match){time, match[other].source};
}

#endif
