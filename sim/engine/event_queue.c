/* Sets up the event queue. Invariant of the queue: each inner node holds the earlier of its two children. */
#include "event_queue.h"

void sms__queue_init(struct sms__queue *queue, struct sms__arena *arena, size_t sources)
{
    queue->leaves = 2;
    while (queue->leaves < sources)
        queue->leaves *= 2;
    queue->match = SMS__NEW(arena, struct sms__match, 2 * queue->leaves);
    for (size_t i = 0; i < 2 * queue->leaves; i++)
        queue->match[i].time = SMS__NEVER;
}
