/* The run loop. Invariants: time never goes back, and at equal times sources fire in the order of their numbers, so a
 * run does not depend on addresses or on the order in which events were set. */
#include "engine.h"

#include <smsched/error.h>

static const size_t none = SIZE_MAX;

enum { FEW = 256 }; /* sources whose subjects stay in the cache */

static size_t leaves_for(size_t sources)
{
    size_t leaves = 1;
    while (leaves < sources)
        leaves *= 2;
    return leaves;
}

/* Sources in a branch of the queue. */
struct part {
    size_t first, sources, leaves;
};

/* Sources of the first levels have most events, so their leaves are near the root: there are as many branches as
 * levels, the first a child of the root, the second of its other child, and so on. A level has none of its own if the
 * leaves of the one before suffice. Returns how many branches there are. */
static size_t divide(struct part *part, const size_t sources[SMS__LEVELS])
{
    size_t parts = 0, first = 0;
    for (int l = 0; l < SMS__LEVELS; first += sources[l++]) {
        struct part *last = parts ? &part[parts - 1] : NULL;
        if (last && last->sources + sources[l] <= last->leaves)
            last->sources += sources[l];
        else if (sources[l])
            part[parts++] = (struct part){first, sources[l], leaves_for(sources[l])};
    }
    return parts;
}

static void grow_queue(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS])
{
    struct part part[SMS__LEVELS];
    size_t parts = divide(part, sources), nodes = 2;
    engine->handler = SMS__NEW(arena, struct sms__handler, engine->sources + 1);
    for (size_t p = 0; p < parts; p++) {
        size_t root = p + 1 < parts ? ((size_t)4 << p) - 2 : ((size_t)1 << parts) - 1;
        size_t leaf = root * part[p].leaves;
        for (size_t i = 0; i < part[p].sources; i++)
            engine->handler[part[p].first + i].leaf = leaf + i;
        nodes = nodes > leaf + part[p].leaves ? nodes : leaf + part[p].leaves;
    }
    sms__queue_init_nodes(&engine->queue, arena, nodes);
}

void sms__engine_init(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS])
{
    *engine = (struct sms__engine){.firing = none, .tell_at = SMS__NEVER};
    for (int l = 0; l < SMS__LEVELS; l++) {
        engine->next[l] = engine->sources;
        engine->sources += sources[l];
    }
    engine->fetches = engine->sources > FEW;
    grow_queue(engine, arena, sources);
    engine->last = &engine->first;
}

size_t sms__engine_source(struct sms__engine *engine, enum sms__level level, void (*fire)(void *subject, uint64_t now),
                          void *subject)
{
    size_t source = engine->next[level]++;
    engine->handler[source].fire = fire;
    engine->handler[source].subject = subject;
    return source;
}

static inline void set(struct sms__engine *engine, size_t source, uint64_t time)
{
    sms__queue_replay(&engine->queue, engine->handler[source].leaf, (struct sms__match){time, source});
}

void sms__engine_at(struct sms__engine *engine, size_t source, uint64_t time)
{
    engine->refreshed |= source == engine->firing;
    engine->due_again |= time <= engine->now;
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
static struct sms__match find_first(const struct sms__engine *engine)
{
    struct sms__match first = {SMS__NEVER, 0};
    for (size_t s = 0; s < engine->sources; s++) {
        uint64_t time = sms__engine_time(engine, s);
        if (time < first.time)
            first = (struct sms__match){time, s};
    }
    return first;
}

static struct sms__match first_event(const struct sms__engine *engine)
{
    return engine->linear_scan ? find_first(engine) : sms__queue_first(&engine->queue);
}

/* Always inlined: gcc drops calls of functions that do nothing but fetch. */
static inline __attribute__((always_inline)) void fetch_lines(const void *start, int lines)
{
    enum { LINE = 64 };
    for (int i = 0; start && i < lines; i++)
        __builtin_prefetch((const char *)start + i * LINE);
}

/* Returns the time of the event after this one. With many subjects, none stays in the cache. So the subject that will
 * probably be next is fetched while this one fires, and the matches of its path that few other sources share. */
static uint64_t look_ahead(const struct sms__engine *engine, size_t source)
{
    enum { MATCHES = 4, OWN_LINES = 4, TOUCHED_LINES = 12 };
    size_t leaf = engine->handler[source].leaf;
    if (!engine->fetches)
        return sms__queue_beaten(&engine->queue, leaf).time;
    struct sms__match second = sms__queue_beaten(&engine->queue, leaf);
    const struct sms__handler *next = &engine->handler[second.source];
    for (size_t i = 0, at = next->leaf; i < MATCHES; i++, at /= 2)
        __builtin_prefetch(&engine->queue.match[at]);
    fetch_lines(next->subject, OWN_LINES);
    fetch_lines(next->touched, TOUCHED_LINES);
    return second.time;
}

/* Fires the next source. If nothing else happens at this instant, the actions run before the source leaves the queue:
 * they usually set its next time, and one change of the queue is cheaper than two. */
static void fire_next(struct sms__engine *engine, size_t source)
{
    engine->alone = look_ahead(engine, source) != engine->now && !engine->linear_scan;
    engine->firing = source;
    engine->refreshed = engine->due_again = false;
    engine->handler[source].fire(engine->handler[source].subject, engine->now);
    if (engine->alone && !engine->due_again && !engine->stopped)
        act_all(engine);
    if (!engine->refreshed)
        set(engine, source, SMS__NEVER);
    engine->firing = none;
}

static bool is_cancelled(const struct sms__engine *engine)
{
    return (engine->ended && *engine->ended) ||
           (engine->cancel && atomic_load_explicit(engine->cancel, memory_order_relaxed));
}

bool sms__engine_ends(struct sms__engine *engine)
{
    engine->stopped |= is_cancelled(engine);
    return engine->stopped;
}

static int check_limits(const struct sms__engine *engine)
{
    if (engine->max_events && engine->events >= engine->max_events)
        return SMS_ELIMIT;
    return is_cancelled(engine) ? SMS_ECANCELED : SMS_OK;
}

/* Does the deferred work, or else fires the next event up to `to`. Returns false if there was nothing to do. */
static bool step(struct sms__engine *engine, uint64_t to)
{
    struct sms__match next = first_event(engine);
    if (engine->first && next.time != engine->now) {
        act_all(engine);
        return true;
    }
    if (next.time == SMS__NEVER || next.time > to)
        return false;
    engine->now = next.time;
    if (next.time >= engine->tell_at) {
        engine->tell(engine->tell_user, next.time);
        engine->tell_at = next.time + engine->tell_every;
    }
    fire_next(engine, next.source);
    engine->events++;
    return true;
}

int sms__engine_run(struct sms__engine *engine)
{
    int code = SMS_OK;
    while (!engine->stopped && code == SMS_OK && step(engine, SMS__NEVER))
        code = check_limits(engine); /* after every event: one may take long if there are many SMs */
    return code;
}

int sms__engine_advance(struct sms__engine *engine, uint64_t to)
{
    int code = SMS_OK;
    while (!engine->stopped && code == SMS_OK && step(engine, to))
        code = check_limits(engine);
    engine->now = to;
    return code;
}

uint64_t sms__engine_next(const struct sms__engine *engine)
{
    return engine->first ? engine->now : first_event(engine).time;
}

uint64_t sms__engine_next_other(const struct sms__engine *engine)
{
    struct sms__match first = sms__queue_first(&engine->queue);
    if (engine->first)
        return engine->now;
    bool is_firing = first.source == engine->firing && !engine->refreshed;
    return is_firing ? sms__queue_beaten(&engine->queue, engine->handler[first.source].leaf).time : first.time;
}
