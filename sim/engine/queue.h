/* The queue of events. An event is a source (an SM, a stream, a clock mark) with
 * the time of its next event; to schedule again is to replace, so a stale event
 * cannot exist. Order: time, then level, then the source's number; never an
 * address. */
#ifndef SMS_ENGINE_QUEUE_H
#define SMS_ENGINE_QUEUE_H

#include "../base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* At equal times lower levels go first: what ends is gone before what decides. */
enum sms__level { SMS__LEVEL_BLOCK, SMS__LEVEL_LINK, SMS__LEVEL_TENANT, SMS__LEVEL_RUN };

struct sms__entry {
    uint64_t time;
    uint64_t order; /* level and number of the source */
};

struct sms__queue {
    struct sms__entry *heap; /* binary, the first is the next */
    uint32_t *place;         /* of each source in the heap, from 1; 0: not in it */
    uint32_t size, sources, capacity;
};

void sms__queue_init(struct sms__queue *queue, struct sms__arena *arena, uint32_t capacity);

/* A new source; its number. At most `capacity` of them. */
uint32_t sms__queue_source(struct sms__queue *queue);

/* Sets the time of a source's next event, or takes it out. */
void sms__queue_set(struct sms__queue *queue, uint32_t source, enum sms__level level, uint64_t time);
void sms__queue_clear(struct sms__queue *queue, uint32_t source);

static inline uint32_t sms__entry_source(const struct sms__entry *entry) { return (uint32_t)entry->order; }

/* Whether the next two events are at one time. */
static inline bool sms__queue_tied(const struct sms__queue *queue)
{
    uint64_t time = queue->heap[0].time;
    return (queue->size > 1 && queue->heap[1].time == time) || (queue->size > 2 && queue->heap[2].time == time);
}

#endif
