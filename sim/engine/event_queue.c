/* Sets up the event queue. Invariant of the queue: each inner node holds the earlier of its two children. */
#include "event_queue.h"

void sms__queue_init_nodes(struct sms__queue *queue, struct sms__arena *arena, size_t nodes)
{
    queue->match = SMS__NEW(arena, struct sms__match, nodes);
    for (size_t i = 0; i < nodes; i++)
        queue->match[i].time = SMS__NEVER;
}

void sms__queue_init(struct sms__queue *queue, struct sms__arena *arena, size_t sources)
{
    queue->leaves = 2;
    while (queue->leaves < sources)
        queue->leaves *= 2;
    sms__queue_init_nodes(queue, arena, 2 * queue->leaves);
}
