/* The clock and the run loop. Levels register sources of events and what to do
 * when they fire; the engine knows none of them. */
#ifndef SMS_ENGINE_ENGINE_H
#define SMS_ENGINE_ENGINE_H

#include "queue.h"

#include <stdatomic.h>

/* What a source does at its time. It may set its own next event; a source that
 * does not is taken out of the queue. */
struct sms__handler {
    void (*fire)(void *subject, uint64_t now);
    void *subject;
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
    uint64_t now;                 /* ps */
    uint64_t events, max_events;  /* max 0: no limit */
    uint32_t firing;
    bool refreshed, stopped;
    const atomic_bool *cancel;
    struct sms__action *first, **last;
};

void sms__engine_init(struct sms__engine *engine, struct sms__arena *arena, uint32_t sources);
uint32_t sms__engine_source(struct sms__engine *engine, void (*fire)(void *subject, uint64_t now), void *subject);
void sms__engine_at(struct sms__engine *engine, uint32_t source, enum sms__level level, uint64_t time);
void sms__engine_never(struct sms__engine *engine, uint32_t source);

/* Queues the action for the end of this instant, unless it is queued. */
void sms__engine_defer(struct sms__engine *engine, struct sms__action *action);

/* Runs until nothing is left or a handler sets `stopped`. SMS_OK, SMS_ECANCELED or SMS_ELIMIT. */
int sms__engine_run(struct sms__engine *engine);

/* now + delay, or UINT64_MAX where that is beyond the clock. Delays are rounded
 * up to whole picoseconds and are at least 1: time goes on. */
static inline uint64_t sms__after(uint64_t now, double delay_ps)
{
    if (!(delay_ps < 9.2e18))
        return UINT64_MAX;
    uint64_t whole = (uint64_t)delay_ps;
    whole += (double)whole < delay_ps;
    whole += whole == 0;
    return whole > UINT64_MAX - now ? UINT64_MAX : now + whole;
}

#endif
