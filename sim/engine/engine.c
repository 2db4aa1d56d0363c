#include "engine.h"

#include <smsched/error.h>

void sms__engine_init(struct sms__engine *engine, struct sms__arena *arena, uint32_t sources)
{
    *engine = (struct sms__engine){.firing = UINT32_MAX};
    sms__queue_init(&engine->queue, arena, sources);
    engine->handler = SMS__NEW(arena, struct sms__handler, sources);
    engine->last = &engine->first;
}

uint32_t sms__engine_source(struct sms__engine *engine, void (*fire)(void *subject, uint64_t now), void *subject)
{
    uint32_t source = sms__queue_source(&engine->queue);
    engine->handler[source] = (struct sms__handler){fire, subject};
    return source;
}

void sms__engine_at(struct sms__engine *engine, uint32_t source, enum sms__level level, uint64_t time)
{
    engine->refreshed |= source == engine->firing;
    if (time == UINT64_MAX)
        sms__queue_clear(&engine->queue, source);
    else
        sms__queue_set(&engine->queue, source, level, time);
}

void sms__engine_never(struct sms__engine *engine, uint32_t source)
{
    engine->refreshed |= source == engine->firing;
    sms__queue_clear(&engine->queue, source);
}

void sms__engine_defer(struct sms__engine *engine, struct sms__action *action)
{
    if (action->queued)
        return;
    action->queued = true;
    action->next = NULL;
    *engine->last = action;
    engine->last = &action->next;
}

static void act_all(struct sms__engine *engine)
{
    while (engine->first) {
        struct sms__action *action = engine->first;
        engine->first = action->next;
        if (!engine->first)
            engine->last = &engine->first;
        action->queued = false;
        action->act(action->subject, engine->now);
    }
}

/* Fires the next source. Where nothing else happens at this instant, the actions
 * run before the source leaves the top of the heap: most often they give it its
 * next time, and replacing the top costs half of taking it out and putting it in. */
static void fire_next(struct sms__engine *engine)
{
    uint32_t source = sms__entry_source(&engine->queue.heap[0]);
    bool tied = sms__queue_tied(&engine->queue);
    engine->firing = source;
    engine->refreshed = false;
    engine->handler[source].fire(engine->handler[source].subject, engine->now);
    if (!tied)
        act_all(engine);
    if (!engine->refreshed)
        sms__queue_clear(&engine->queue, source);
    engine->firing = UINT32_MAX;
}

static int interrupted(const struct sms__engine *engine)
{
    if (engine->max_events && engine->events >= engine->max_events)
        return SMS_ELIMIT;
    if (engine->cancel && atomic_load_explicit(engine->cancel, memory_order_relaxed))
        return SMS_ECANCELED;
    return SMS_OK;
}

int sms__engine_run(struct sms__engine *engine)
{
    while (!engine->stopped) {
        const struct sms__queue *queue = &engine->queue;
        if (engine->first && (queue->size == 0 || queue->heap[0].time != engine->now)) {
            act_all(engine);
            continue;
        }
        if (queue->size == 0)
            break;
        engine->now = queue->heap[0].time;
        fire_next(engine);
        engine->events++;
        int code = interrupted(engine); /* after every event: one may take long where SMs are many */
        if (code)
            return code;
    }
    return SMS_OK;
}
