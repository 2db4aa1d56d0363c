/* The run loop. Invariants: time never goes back, and at equal times sources fire in the order of their numbers, so a
 * run does not depend on addresses or on the order in which events were set. */
#include "engine.h"

#include <smsched/error.h>

static const size_t none = SIZE_MAX;
static const bool never = false;

static uint32_t queue_of(int level) { return level < SMS__EVENT_QUEUES ? (uint32_t)level : SMS__EVENT_QUEUES - 1; }

void sms__engine_init(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS])
{
    size_t count[SMS__EVENT_QUEUES] = {0};
    *engine = (struct sms__engine){.firing = none, .tell_at = SMS__NEVER, .ended = &never};
    for (int l = 0; l < SMS__LEVELS; l++) {
        engine->begin[queue_of(l)] = l < SMS__EVENT_QUEUES ? engine->sources : engine->begin[queue_of(l)];
        engine->next[l] = engine->sources;
        engine->sources += sources[l];
        count[queue_of(l)] += sources[l];
    }
    for (size_t q = 0; q < SMS__EVENT_QUEUES; q++)
        sms__queue_init(&engine->queue[q], arena, count[q]);
    engine->handler = SMS__NEW(arena, struct sms__handler, engine->sources);
    engine->last = &engine->first;
}

size_t sms__engine_source(struct sms__engine *engine, enum sms__level level, void (*fire)(void *subject, uint64_t now),
                          void *subject)
{
    size_t source = engine->next[level]++;
    uint32_t queue = queue_of((int)level), place = (uint32_t)(source - engine->begin[queue]);
    engine->handler[source] = (struct sms__handler){.fire = fire, .subject = subject, .queue = queue, .place = place};
    return source;
}

static inline void set(struct sms__engine *engine, size_t source, uint64_t time)
{
    sms__queue_set(&engine->queue[engine->handler[source].queue], engine->handler[source].place, time);
}

void sms__engine_at(struct sms__engine *engine, size_t source, uint64_t time)
{
    engine->refreshed |= source == engine->firing;
    if (source != engine->firing && time < engine->others)
        engine->others = time;
    if (sms__engine_time(engine, source) != time)
        set(engine, source, time);
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

/* The reference for the queue: looks at every source. */
static struct sms__match scan(const struct sms__engine *engine)
{
    struct sms__match first = {SMS__NEVER, 0};
    for (size_t s = 0; s < engine->sources; s++) {
        uint64_t time = sms__engine_time(engine, s);
        if (time < first.time)
            first = (struct sms__match){time, s};
    }
    return first;
}

/* Returns the time of the next event. */
static inline uint64_t first_time(const struct sms__engine *engine)
{
    uint64_t time = SMS__NEVER;
    for (size_t q = 0; q < SMS__EVENT_QUEUES; q++)
        time = sms__queue_least(&engine->queue[q]) < time ? sms__queue_least(&engine->queue[q]) : time;
    return time;
}

/* Returns the source of the first event, which is now. */
static inline size_t find_first(const struct sms__engine *engine)
{
    size_t first = 0;
    if (engine->linear_scan)
        return scan(engine).source;
    while (sms__queue_least(&engine->queue[first]) != engine->now)
        first++;
    return engine->begin[first] + sms__queue_first(&engine->queue[first]).source;
}

static inline void fire_next(struct sms__engine *engine, size_t source)
{
    const struct sms__handler *handler = &engine->handler[source];
    engine->firing = source;
    engine->refreshed = false;
    handler->fire(handler->subject, engine->now);
    if (!engine->refreshed)
        set(engine, source, SMS__NEVER);
    engine->firing = none;
}

static bool is_cancelled(const struct sms__engine *engine)
{
    return *engine->ended || (engine->cancel && atomic_load_explicit(engine->cancel, memory_order_relaxed));
}

bool sms__engine_ends(struct sms__engine *engine)
{
    engine->stopped |= is_cancelled(engine);
    return engine->stopped;
}

enum { AT_ONCE = 256 }; /* events that a handler goes through before the run may be cancelled by another thread */

void sms__engine_own(struct sms__engine *engine, size_t source)
{
    uint64_t left = engine->max_events ? engine->max_events - engine->events : AT_ONCE;
    engine->pause = engine->events + (left < AT_ONCE ? left : AT_ONCE);
    const struct sms__handler *handler = &engine->handler[source];
    uint64_t equals = sms__queue_other(&engine->queue[handler->queue], handler->place).time;
    uint64_t quiet = sms__engine_quiet_until(engine);
    quiet = quiet < engine->tell_at ? quiet : engine->tell_at;
    engine->others = equals < quiet ? equals : quiet;
}

void sms__engine_settle(struct sms__engine *engine)
{
    if (engine->first && engine->others > engine->now && !engine->stopped)
        act_all(engine);
}

/* Does the deferred work, or else fires the next event up to `to`. Returns false if there was nothing to do. After
 * `until`, deferred work stays. */
static inline bool step(struct sms__engine *engine, uint64_t to)
{
    uint64_t time = first_time(engine);
    if (engine->first && time != engine->now && engine->now <= engine->until) {
        act_all(engine);
        return true;
    }
    if (time > to)
        return false;
    engine->now = time;
    if (time >= engine->tell_at) {
        engine->tell(engine->tell_user, time);
        engine->tell_at = time + engine->tell_every;
    }
    fire_next(engine, find_first(engine));
    engine->events++;
    return true;
}

/* Looks at the limits after every event: one may take long if there are many SMs. */
static int run(struct sms__engine *engine, uint64_t to, uint64_t until)
{
    engine->until = until;
    while (!engine->stopped && step(engine, to)) {
        if (engine->max_events && engine->events >= engine->max_events)
            return SMS_ELIMIT;
        if (is_cancelled(engine))
            return SMS_ECANCELED;
    }
    return SMS_OK;
}

int sms__engine_run(struct sms__engine *engine) { return run(engine, SMS__NEVER - 1, SMS__NEVER - 1); }

int sms__engine_advance(struct sms__engine *engine, uint64_t to)
{
    uint64_t last = to < SMS__NEVER ? to : SMS__NEVER - 1;
    int code = run(engine, last, last);
    engine->now = to;
    return code;
}

int sms__engine_advance_open(struct sms__engine *engine, uint64_t to)
{
    int code = to > 0 ? run(engine, to, to - 1) : SMS_OK;
    engine->now = to;
    return code;
}

uint64_t sms__engine_next(const struct sms__engine *engine) { return engine->first ? engine->now : first_time(engine); }

uint64_t sms__engine_next_other(const struct sms__engine *engine, size_t source)
{
    const struct sms__handler *handler = &engine->handler[source];
    uint64_t next = engine->first ? engine->now : SMS__NEVER;
    for (uint32_t q = 0; q < SMS__EVENT_QUEUES; q++) {
        const struct sms__queue *queue = &engine->queue[q];
        const uint64_t time =
            q == handler->queue ? sms__queue_other(queue, handler->place).time : sms__queue_least(queue);
        next = time < next ? time : next;
    }
    return next;
}
