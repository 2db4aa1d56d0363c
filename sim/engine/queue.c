#include "queue.h"

void sms__queue_init(struct sms__queue *queue, struct sms__arena *arena, uint32_t capacity)
{
    *queue = (struct sms__queue){.capacity = capacity};
    queue->heap = SMS__NEW(arena, struct sms__entry, capacity);
    queue->place = SMS__NEW(arena, uint32_t, capacity);
}

uint32_t sms__queue_source(struct sms__queue *queue) { return queue->sources++; }

static inline bool before(struct sms__entry a, struct sms__entry b)
{
    return a.time < b.time || (a.time == b.time && a.order < b.order);
}

static inline void put(struct sms__queue *queue, uint32_t at, struct sms__entry entry)
{
    queue->heap[at] = entry;
    queue->place[sms__entry_source(&entry)] = at + 1;
}

static uint32_t rise(struct sms__queue *queue, uint32_t at, struct sms__entry entry)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / 2;
        if (!before(entry, queue->heap[parent]))
            break;
        put(queue, at, queue->heap[parent]);
        at = parent;
    }
    return at;
}

static uint32_t sink(struct sms__queue *queue, uint32_t at, struct sms__entry entry)
{
    for (uint32_t child = 2 * at + 1; child < queue->size; child = 2 * at + 1) {
        if (child + 1 < queue->size)
            child += before(queue->heap[child + 1], queue->heap[child]);
        if (!before(queue->heap[child], entry))
            break;
        put(queue, at, queue->heap[child]);
        at = child;
    }
    return at;
}

void sms__queue_set(struct sms__queue *queue, uint32_t source, enum sms__level level, uint64_t time)
{
    struct sms__entry entry = {time, (uint64_t)level << 32 | source};
    uint32_t place = queue->place[source];
    uint32_t at = place ? place - 1 : queue->size++;
    if (!place || before(entry, queue->heap[at]))
        at = rise(queue, at, entry);
    else
        at = sink(queue, at, entry);
    put(queue, at, entry);
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
    uint32_t up = rise(queue, at, last);
    put(queue, up == at ? sink(queue, at, last) : up, last);
}
