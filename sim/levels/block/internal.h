/* The state of a device, put together from what the files of the block level keep. Each part is changed only by its own
 * file, which is named by its type's header. Other levels see block.h. */
#ifndef SMS_LEVELS_BLOCK_INTERNAL_H
#define SMS_LEVELS_BLOCK_INTERNAL_H

#include "../oracle.h"
#include "dispatch_queue.h"
#include "dispatcher.h"
#include "levels.h"
#include "policy_state.h"
#include "rate.h"
#include "sm_times.h"

struct sms__blocks {
    struct sms__blocks_setup setup;
    struct sms__arena *arena;
    struct sms__sm_state *sm; /* [sms] */
    char *residents;          /* [sms][residents_bytes]: what events touch most of each */
    size_t residents_bytes;
    size_t sms;
    struct sms__block_search search;
    struct sms__compositions compositions;
    struct sms__dispatch_queues queues;
    struct sms__dispatcher dispatcher;
    struct sms__rating rating;
    struct sms__block_policy_run policy;
    struct sms__sm_times times;
    size_t source;                   /* of events; in the fast engine */
    bool firing;                     /* it does */
    struct sms__device_clock *clock; /* [clocks]; for models with a `slowdown` function */
    size_t clocks;
    bool tells_launches; /* the model or the policy may answer differently for equal blocks of two launches */
    bool refills;        /* a block may take another's place in one step, if compositions know room (refill.c) */
    struct sms__reference *reference; /* what it keeps instead of residents; NULL in the fast engine */
    struct sms__action dispatch;
    uint64_t launches;
    bool records_waits; /* an observer gets what launches waited for */
    uint64_t left;      /* how often blocks have left an SM */
    struct sms__waits *free_waits;
    bool observed;       /* an observer gets every decision */
    bool held;           /* no block is dispatched */
    uint64_t checked_ps; /* time of the latest check */
};

/* Returns the request for the policy. It lies in `buffer` if the policy looks at more than a block's shape. */
static inline const struct sms_block_request *sms__request(const struct sms__blocks *device,
                                                           const struct sms__sm_state *sm,
                                                           const struct sms__launch *launch,
                                                           struct sms_block_request *buffer)
{
    if (device->policy.pure)
        return &launch->shape->request;
    *buffer = sms__full_request(device, sm, launch);
    return buffer;
}

/* True if others have overtaken the launch for as long as the policy allows. */
static inline bool sms__patience_expired(const struct sms__blocks *device, const struct sms__launch *launch)
{
    return device->setup.engine->now - launch->entry.served_ps >= device->policy.patience_ps;
}

/* True if the dispatcher may not start a block now. */
static inline bool sms__dispatcher_is_busy(const struct sms__blocks *device, uint64_t now)
{
    return device->dispatcher.interval_ps && now < device->dispatcher.free_ps;
}

/* A block of the launch was placed on the SM: the next search for its queue starts there, or after it. */
static inline void sms__search_move_ring(const struct sms__blocks *device, const struct sms__launch *launch, size_t sm)
{
    size_t next = sm + device->search.ring_step;
    launch->entry.queue->ring_start = next == device->sms ? 0 : next;
}

/* Call this when a block starts. */
static inline void sms__dispatcher_start(struct sms__blocks *device, uint64_t now)
{
    device->dispatcher.free_ps = now + device->dispatcher.interval_ps;
}

/* Brings the integrals of the SM up to date. Call this before its composition changes. */
static inline void sms__sm_integrate(struct sms__sm_state *sm, uint64_t now)
{
    uint64_t elapsed = now - sm->integrated_ps;
    if (elapsed == 0)
        return;
    sm->composition->time_ps += elapsed;
    if (!sm->device->compositions.shared)
        sms__composition_record(sm->device, sm->composition);
    if (sm->device->setup.run->bins)
        sms__sm_fill_bins(sm, now);
    sm->integrated_ps = now;
}

/* Gives the SM another shared composition. */
static inline void sms__composition_move(struct sms__sm_state *sm, struct sms__composition *to)
{
    struct sms__compositions *all = &sm->device->compositions;
    sm->composition->sms--;
    to->sms++;
    if (all->counts_sms)
        sms__compositions_count(sm->device, sm->idx, sm->composition, to);
    sm->composition = to;
    all->moves++;
}

/* stop.c: ends the run because a policy, a queue discipline or a contention model gave an answer that no result can
 * follow from. The first reason is kept. */
void sms__stop_run(const struct sms__blocks *device, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* events.c */
void sms__events_init(struct sms__blocks *device); /* after the engine is chosen */
/* Gives the device's source the time of its next event. Call this after a dispatch. */
void sms__events_schedule(struct sms__blocks *device);

/* refill.c: blocks of the SM end. */
void sms__sm_fire(struct sms__sm_state *sm, uint64_t now);
/* Does all that happens at an instant at which only blocks of this SM end, if that is simple enough; else nothing. */
bool sms__refill(struct sms__sm_state *sm, uint64_t now);
/* The same of the device's dispatcher, for which a block waits. */
bool sms__start_waiting(struct sms__blocks *device, uint64_t now);
/* Lists the launch among those that end if its last block has left. They end in the order of their numbers: the order
 * in which they left depends on which launches a contention model tells apart. */
void sms__list_ended(struct sms__launch **list, struct sms__launch *launch);
/* Ends the launches listed. */
void sms__end_launches(struct sms__launch *list, uint64_t now);

/* explain.c: emits a decision to the observer. `ring_start` is the SM at which a ring search started. */
void sms__explain(struct sms__blocks *device, struct sms__launch *launch, size_t ring_start, long sm, uint64_t now);
/* Emits that a block that fits waits for the dispatcher. */
void sms__explain_wait(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);

/* explain.c: what keeps a block from an SM: 0 to SMS_LIMITS - 1, a limit; then the resources; last, the policy. */
enum { SMS__CAUSES = SMS_LIMITS + SMS_RESOURCES_MAX + 1 };
/* Returns the cause for which most SMs refuse the launch's block, and how many; -1 if none refuses it. */
int sms__main_cause(const struct sms__blocks *device, const struct sms__launch *launch, size_t *sms);
/* Writes the words of a cause to `out`, and returns it; those of a wait for the dispatcher. */
const char *sms__cause_words(const struct sms__blocks *device, int cause, char *out, size_t size);
const char *sms__dispatcher_words(const struct sms__blocks *device, char *out, size_t size);

/* waits.c: what launches wait for. Call these when a launch begins, when it joins its queue, when a dispatch has ended,
 * when a launch has no waiting block any more, and when the run ends. `hold`: the device has all its grids. */
void sms__waits_begin(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);
void sms__waits_join(struct sms__launch *launch, uint64_t now);
void sms__waits_hold(struct sms__launch *launch, uint64_t now);
void sms__waits_look(struct sms__blocks *device, uint64_t now);
void sms__waits_end(struct sms__blocks *device, struct sms__launch *launch);
void sms__waits_emit_all(const struct sms__blocks *device, uint64_t now);

#endif
