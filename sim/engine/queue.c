#include "queue.h"

void sms__queue_init(struct sms__queue *queue, struct sms__arena *arena, uint32_t capacity)
{
    *queue = (struct sms__queue){.capacity = capacity};
    queue->heap = SMS__NEW(arena, struct sms__entry, capacity);
    queue->place = SMS__NEW(arena, uint32_t, capacity);
}

uint32_t sms__queue_source(struct sms__queue *queue) { return queue->sources++; }

static inline bool before(const struct sms__entry *a, uint64_t time, uint64_t order)
{
    return a->time < time || (a->time == time && a->order < order);
}

static inline void put(struct sms__queue *queue, uint32_t at, uint64_t time, uint64_t order)
{
    queue->heap[at].time = time;
    queue->heap[at].order = order;
    queue->place[(uint32_t)order] = at + 1;
}

static uint32_t rise(struct sms__queue *queue, uint32_t at, uint64_t time, uint64_t order)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / 2;
        const struct sms__entry *above = &queue->heap[parent];
        if (before(above, time, order))
            break;
        put(queue, at, above->time, above->order);
        at = parent;
    }
    return at;
}

static uint32_t sink(struct sms__queue *queue, uint32_t at, uint64_t time, uint64_t order)
{
    const struct sms__entry *heap = queue->heap;
    for (uint32_t child = 2 * at + 1; child < queue->size; child = 2 * at + 1) {
        if (child + 1 < queue->size)
            child += before(&heap[child + 1], heap[child].time, heap[child].order);
        if (!before(&heap[child], time, order))
            break;
        put(queue, at, heap[child].time, heap[child].order);
        at = child;
    }
    return at;
}

void sms__queue_set(struct sms__queue *queue, uint32_t source, enum sms__level level, uint64_t time)
{
    uint64_t order = (uint64_t)level << 32 | source;
    uint32_t place = queue->place[source];
    uint32_t at = place ? place - 1 : queue->size++;
    if (!place || !before(&queue->heap[at], time, order))
        at = rise(queue, at, time, order);
    else
        at = sink(queue, at, time, order);
    put(queue, at, time, order);
}

void sms__queue_clear(struct sms__queue *queue, uint32_t source)
{
    uint32_t place = queue->place[source];
    if (!place)
        return;
    queue->place[source] = 0;
    struct sms__entry last = queue->heap[--queue->size];
    uint32_t at = place - 1;
    if (at == queue->size)
        return;
    uint32_t up = rise(queue, at, last.time, last.order);
    put(queue, up == at ? sink(queue, at, last.time, last.order) : up, last.time, last.order);
}
