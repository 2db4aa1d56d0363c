/* The clock and the run loop. Each level registers sources of events and the functions to call when they fire. The
 * engine does not know the levels. */
#ifndef SMS_ENGINE_ENGINE_H
#define SMS_ENGINE_ENGINE_H

#include "event_queue.h"

#include <stdatomic.h>

/* At equal times lower levels go first, so that decisions see everything that has ended. Sources of one level go in the
 * order in which they were registered. */
enum sms__level {
    SMS__LEVEL_BLOCK,
    SMS__LEVEL_LINK,
    SMS__LEVEL_TENANT,
    SMS__LEVEL_POLICY,
    SMS__LEVEL_RUN,
    SMS__LEVELS
};

/* Blocks have most events, and a queue of their own. All other levels have the last one. */
enum { SMS__EVENT_QUEUES = 2 };

/* The function of a source. It may set the source's next event; if it does not, the source leaves the queue. */
struct sms__handler {
    void (*fire)(void *subject, uint64_t now);
    void *subject;
    uint32_t queue, place; /* the source's queue, and its number there */
};

/* Work to do once, after everything else at this instant. */
struct sms__action {
    void (*act)(void *subject, uint64_t now);
    void *subject;
    struct sms__action *next;
    bool queued;
};

struct sms__engine {
    struct sms__queue queue[SMS__EVENT_QUEUES];
    size_t begin[SMS__EVENT_QUEUES]; /* the first source of each queue */
    struct sms__handler *handler;    /* by source */
    size_t next[SMS__LEVELS];        /* the next source to register, by level */
    size_t sources;
    bool linear_scan;                  /* finds the next event by looking at every source, not by the queue */
    uint64_t now;                      /* ps */
    uint64_t until;                    /* ps: it runs up to then, if it is inside another one */
    uint64_t others;                   /* no other source has an event before it; while sms__engine_own is in use */
    uint64_t pause;                    /* events after which the run loop looks at limits; the same */
    uint64_t events, max_events;       /* max 0: no limit */
    size_t firing;                     /* the source that fires, or SIZE_MAX */
    bool refreshed;                    /* the source that fires has set its next event */
    bool stopped;                      /* set by a handler to end the run */
    const atomic_bool *cancel;         /* NULL, or ends the run once it is true; another thread may set it */
    const bool *ended;                 /* the same, set by this thread */
    struct sms__action *first, **last; /* deferred actions */
    uint64_t tell_at, tell_every;      /* when `tell` is called next; SMS__NEVER: not at all. How often */
    void (*tell)(void *user, uint64_t now);
    void *tell_user;
};

/* Prepares for `sources[l]` sources of each level l. */
void sms__engine_init(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS]);
/* Registers the next source of a level and returns its number. */
size_t sms__engine_source(struct sms__engine *engine, enum sms__level level, void (*fire)(void *subject, uint64_t now),
                          void *subject);

/* Sets the time of the source's next event, in place of any other. `time` is not before now; SMS__NEVER means none. */
void sms__engine_at(struct sms__engine *engine, size_t source, uint64_t time);

/* Returns the time of the source's next event, or SMS__NEVER. */
static inline uint64_t sms__engine_time(const struct sms__engine *engine, size_t source)
{
    const struct sms__handler *handler = &engine->handler[source];
    return sms__queue_time(&engine->queue[handler->queue], handler->place);
}

/* For handlers that go through a long list at one instant: true if the run ends, because a handler has stopped it or
 * because it was cancelled. */
bool sms__engine_ends(struct sms__engine *engine);

/* Queues the action for the end of this instant, unless it is queued already. */
void sms__engine_defer(struct sms__engine *engine, struct sms__action *action);

/* Runs until no event is left or a handler sets `stopped`. Returns SMS_OK, SMS_ECANCELED or SMS_ELIMIT. */
int sms__engine_run(struct sms__engine *engine);

/* Like sms__engine_run, for an engine inside another one: runs all events up to and including `to`, then sets the clock
 * to `to`. */
int sms__engine_advance(struct sms__engine *engine, uint64_t to);

/* The same, but leaves to a later call what is deferred at `to`. */
int sms__engine_advance_open(struct sms__engine *engine, uint64_t to);

/* Returns the time of the next event: now if actions are deferred, SMS__NEVER if there is none. */
uint64_t sms__engine_next(const struct sms__engine *engine);

/* The same without the events of the source. */
uint64_t sms__engine_next_other(const struct sms__engine *engine, size_t source);

/* For the handler of a source that keeps many events of its own, as of the SMs of a device: it may go on to the next of
 * them by itself while nothing else is to happen before. Call this first, then the others after each of its events. */
void sms__engine_own(struct sms__engine *engine, size_t source);

/* True if nothing else happens at this instant, and no work is deferred. */
static inline bool sms__engine_is_quiet(const struct sms__engine *engine)
{
    return engine->others > engine->now && !engine->first;
}

/* Does the deferred work, unless something else happens at this instant, which goes first. */
void sms__engine_settle(struct sms__engine *engine);

/* Counts an event, and goes on to the next at `time`. Returns false if the handler has to return instead. */
static inline bool sms__engine_goes_on(struct sms__engine *engine, uint64_t time)
{
    if (time >= engine->others || engine->first || engine->stopped || *engine->ended ||
        engine->events + 1 >= engine->pause)
        return false;
    engine->events++;
    engine->now = time;
    return true;
}

/* Returns the time before which no level above that of blocks acts. */
static inline uint64_t sms__engine_quiet_until(const struct sms__engine *engine)
{
    uint64_t others = sms__queue_least(&engine->queue[SMS__EVENT_QUEUES - 1]);
    return others <= engine->until ? others : engine->until + 1;
}

/* Returns now + delay, or SMS__NEVER if that is beyond the clock. */
static inline uint64_t sms__later(uint64_t now, uint64_t delay_ps)
{
    uint64_t time;
    return __builtin_add_overflow(now, delay_ps, &time) ? SMS__NEVER : time;
}

/* The same of a delay that is rounded up to whole picoseconds, at least 1, so that time always advances.
 *
 * A double times `below` is a little lower. Its whole part is 1 less than the delay rounded up, whether that is whole
 * or not, which takes fewer instructions than to compare. It is lower by more than rounding adds, so that a delay is
 * whole where exact arithmetic makes it whole: otherwise blocks that end together end 1 ps apart, which decides who
 * goes first. Beyond `longest` it would be lower by too much; ceil would be a call there, for which the compiler saves
 * registers even where it is not made: 2 % of the instructions of a block. */
static inline uint64_t sms__after(uint64_t now, double delay_ps)
{
    const double below = 1 - 0x1p-46, least = 0.5, longest = 0x1p40;
    double lower = delay_ps * below;
    int64_t less; /* than the delay, by 1 */
    lower = lower > least ? lower : least;
    if (__builtin_expect(delay_ps <= longest, 1))
        less = (int64_t)lower;
    else if (delay_ps < 9.2e18)
        less = (int64_t)delay_ps - ((double)(int64_t)delay_ps == delay_ps);
    else
        return SMS__NEVER;
    return sms__later(now, (uint64_t)less + 1);
}

/* Like sms__after, but a delay of 0 stays 0. */
static inline uint64_t sms__after_if_any(uint64_t now, double delay_ps)
{
    return delay_ps > 0 ? sms__after(now, delay_ps) : now;
}

#endif
