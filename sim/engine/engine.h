/* The clock and the run loop. Levels register sources of events and what to do
 * when they fire; the engine knows none of them. */
#ifndef SMS_ENGINE_ENGINE_H
#define SMS_ENGINE_ENGINE_H

#include "queue.h"

#include <stdatomic.h>

/* At equal times lower levels go first: what ends is gone before what decides.
 * Sources of one level go in the order in which they were registered. */
enum sms__level {
    SMS__LEVEL_DEVICE_CLOCK,
    SMS__LEVEL_BLOCK,
    SMS__LEVEL_LINK,
    SMS__LEVEL_TENANT,
    SMS__LEVEL_POLICY,
    SMS__LEVEL_RUN,
    SMS__LEVELS
};

/* What a source does at its time. It may set its own next event; a source that
 * does not is taken out of the queue. */
struct sms__handler {
    void (*fire)(void *subject, uint64_t now);
    void *subject;
    const void *touched; /* what else it will look at first, to be fetched ahead of time; or NULL */
};

/* Work to do once when everything else at this instant has happened. */
struct sms__action {
    void (*act)(void *subject, uint64_t now);
    void *subject;
    struct sms__action *next;
    bool queued;
};

struct sms__engine {
    struct sms__queue queue;
    struct sms__handler *handler; /* by source */
    size_t next[SMS__LEVELS];     /* source of each level */
    size_t sources;
    bool plain;                  /* looks at every source for the next event, instead of asking the queue */
    uint64_t now;                /* ps */
    uint64_t events, max_events; /* max 0: no limit */
    size_t firing;
    bool refreshed, stopped;
    bool again; /* something is due at this instant that was not when it began to fire */
    const atomic_bool *cancel;
    struct sms__action *first, **last;
};

/* For so many sources of each level. */
void sms__engine_init(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS]);
size_t sms__engine_source(struct sms__engine *engine, enum sms__level level, void (*fire)(void *subject, uint64_t now),
                          void *subject);

/* The source's next event is at `time`, not before now; SMS__NEVER: it has none. */
void sms__engine_at(struct sms__engine *engine, size_t source, uint64_t time);

/* Queues the action for the end of this instant, unless it is queued. */
void sms__engine_defer(struct sms__engine *engine, struct sms__action *action);

/* Runs until nothing is left or a handler sets `stopped`. SMS_OK, SMS_ECANCELED or SMS_ELIMIT. */
int sms__engine_run(struct sms__engine *engine);

/* The same for an engine inside another one: runs all that happens until `to`, included, and then it is `to`. */
int sms__engine_advance(struct sms__engine *engine, uint64_t to);

/* When the next event is; now, if work is deferred to the end of this instant; SMS__NEVER, if there is none. */
uint64_t sms__engine_next(const struct sms__engine *engine);

/* The same, asked by a handler or an action: not the event that fires. */
uint64_t sms__engine_then(const struct sms__engine *engine);

/* now + delay, or SMS__NEVER where that is beyond the clock. Delays are rounded
 * up to whole picoseconds and are at least 1: time goes on. */
static inline uint64_t sms__after(uint64_t now, double delay_ps)
{
    if (!(delay_ps < 9.2e18))
        return SMS__NEVER;
    int64_t whole = (int64_t)delay_ps;
    whole += (double)whole < delay_ps;
    whole = whole > 1 ? whole : 1;
    return (uint64_t)whole > SMS__NEVER - now ? SMS__NEVER : now + (uint64_t)whole;
}

/* The same, where a delay of nothing is none. */
static inline uint64_t sms__in(uint64_t now, double delay_ps) { return delay_ps > 0 ? sms__after(now, delay_ps) : now; }

#endif
