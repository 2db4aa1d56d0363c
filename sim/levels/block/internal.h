/* What the files of the block level do for each other; others need block.h alone. */
#ifndef SMS_LEVELS_BLOCK_INTERNAL_H
#define SMS_LEVELS_BLOCK_INTERNAL_H

#include "block.h"

static inline double sms__device_clock_reading(const struct sms__device_clock *clock, uint64_t now)
{
    return clock->base + (double)(now - clock->since) * clock->speed;
}

/* What the group's clock shows. */
static inline double sms__group_clock(const struct sms__group *group, uint64_t now)
{
    if (group->bound)
        return group->base + (sms__device_clock_reading(group->bound, now) - group->mark);
    return group->base + (double)(now - group->since) * group->speed;
}

/* When it will show `end`, if speeds stay as they are. */
static inline uint64_t sms__group_due(const struct sms__group *group, double end)
{
    const struct sms__device_clock *clock = group->bound;
    if (clock)
        return sms__after(clock->since, (group->mark + (end - group->base) - clock->base) * clock->slow);
    return sms__after(group->since, (end - group->base) * group->slow);
}

/* queue.c: kernels that wait. */
void sms__dispatch_queue_init(struct sms__blocks *device, const struct sms__fit *const *kinds, size_t n_kinds);
void sms__dispatch_queue_join(struct sms__blocks *device, struct sms__launch *launch);
void sms__dispatch_queue_leave(struct sms__blocks *device, struct sms__launch *launch);
/* A block of the launch has been placed. The launch leaves if that was its last, and gives up its turn under a
 * discipline of turns; the queue gives up its own. Returns the queue that is next in this dispatch, or NULL. */
struct sms__dispatch_queue *sms__dispatch_queue_serve(struct sms__blocks *device, struct sms__launch *launch);
struct sms__launch *sms__dispatch_queue_skip(const struct sms__dispatch_queue *queue, const struct sms__blocks *device,
                                             struct sms__launch *launch);

static inline bool sms__is_refused(const struct sms__blocks *device, const struct sms__shape *shape)
{
    return shape->refused_at == device->leaves + 1;
}

/* `launch`, or the first one after it whose shape has not been refused, or NULL. */
static inline struct sms__launch *sms__dispatch_queue_open(const struct sms__blocks *device,
                                                           const struct sms__dispatch_queue *queue,
                                                           struct sms__launch *launch)
{
    return launch && sms__is_refused(device, launch->shape) ? sms__dispatch_queue_skip(queue, device, launch) : launch;
}

/* Where the dispatch under way goes on in the queue. */
static inline struct sms__launch *sms__dispatch_queue_at(const struct sms__blocks *device,
                                                         const struct sms__dispatch_queue *queue)
{
    return queue->dispatch == device->dispatches ? queue->at : queue->head;
}

/* No block goes before one of a higher priority that waits in the same queue. */
static inline bool sms__dispatch_queue_may_go(const struct sms__dispatch_queue *queue, const struct sms__launch *launch)
{
    return launch && launch->priority == queue->head->priority;
}

/* Whether others have gone before the launch for as long as the policy allows. */
static inline bool sms__dispatch_queue_holds(const struct sms__blocks *device, const struct sms__launch *launch)
{
    return device->engine->now - launch->served_ps >= device->patience_ps;
}

/* The queue that goes on while a launch holds up its own: those of other SMs may, but a launch that may go anywhere
 * waits for all. */
static inline struct sms__dispatch_queue *sms__dispatch_queue_next_of_held(const struct sms__launch *launch,
                                                                           struct sms__dispatch_queue *next)
{
    return launch->shape->allowed ? next : NULL;
}

/* sm.c: one SM. */
void sms__sm_fire(void *subject, uint64_t now);
void sms__sm_integrate(struct sms__sm_state *sm, uint64_t now);
/* Places `blocks` of them, more than 1 only if their work does not vary. */
void sms__sm_place(struct sms__sm_state *sm, struct sms__launch *launch, uint32_t blocks, uint64_t now);
/* Adds what so many equal blocks use; fewer than 0 take it away. */
void sms__account(struct sms__sm_state *sm, const struct sms__fit *fit, int64_t blocks, uint64_t now);
struct sms__group sms__new_group(struct sms__launch *launch, uint64_t now);
uint64_t sms__draw_work(const struct sms__launch *launch);
void sms__record_placed(struct sms__launch *launch, uint32_t blocks, uint64_t now);
void sms__record_leave(struct sms__launch *launch, uint64_t work, uint64_t elapsed, uint32_t blocks);
void sms__record_part(struct sms__launch *launch, uint64_t work, double left, uint64_t elapsed, int64_t blocks);
void sms__observe_stay(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch, uint64_t start,
                       uint64_t end, uint32_t blocks);
/* Ends the launch if its last block has left. */
void sms__end_launch(struct sms__launch *launch, uint64_t now);

/* All its blocks leave the SM, unfinished. */
void sms__sm_drop(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now);

/* rate.c: speeds and next events of the SMs that changed. */
void sms__rate(struct sms__blocks *device, uint64_t now);
void sms__integrate_total(struct sms__blocks *device, uint64_t now);
bool sms__is_pressed(const struct sms__blocks *device);
/* Finds which of the SM's own resources are over 100 % now. */
void sms__find_over(struct sms__sm_state *sm, uint64_t now);
void sms__pace_groups(struct sms__sm_state *sm, struct sms__group *groups, size_t count, uint64_t now);
void sms__adopt(struct sms__group *groups, const struct sms_group *rated, size_t count, uint64_t now);

/* What a policy or a model sees of an SM's usage: device-clock resources averaged. `patched` is room for it. */
const double *sms__seen_usage(const struct sms__sm_state *sm, double patched[SMS_RESOURCES_MAX]);

/* The slowdown that a model gives a resource at this usage. */
double sms__slowdown(const struct sms__blocks *device, size_t r, double usage);

/* clock.c: resources of scope device, without a look at every SM. */
void sms__device_clock_init(struct sms__blocks *device, const struct sms__fit *const *kinds, size_t n_kinds);
struct sms__device_clock *sms__device_clock_of(const struct sms__blocks *device, const struct sms__fit *fit);
bool sms__device_clock_advance(struct sms__device_clock *clock, uint64_t now); /* true if its speed changed */
void sms__device_clock_update(struct sms__blocks *device, uint64_t now);       /* before SMs are rated */
void sms__device_clock_observe(struct sms__sm_state *sm);                      /* once one is */
void sms__device_clock_schedule(struct sms__blocks *device);                   /* when all are */

/* search.c: the SM for the next block of a launch, or -1. */
void sms__search_init(struct sms__blocks *device);
long sms__search(struct sms__blocks *device, struct sms__launch *launch);
void sms__note_left(struct sms__blocks *device, uint32_t sm);
enum { SMS__ALLOWED = -1, SMS__REFUSED_BY_LIMIT = 1000 };
/* SMS__ALLOWED, the index of the resource that refuses, or SMS__REFUSED_BY_LIMIT. */
int sms__verdict(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);
int sms__refusing_limit(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__fit *fit);
double sms__score(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);

/* state.c: what a policy is given, and its own state. */
void sms__state_init(struct sms__blocks *device);
struct sms_block_request sms__full_request(const struct sms__blocks *device, const struct sms__sm_state *sm,
                                           const struct sms__launch *launch);
/* What the policy is asked about; `room` is for a policy that looks at more than a block's shape. */
static inline const struct sms_block_request *sms__request(const struct sms__blocks *device,
                                                           const struct sms__sm_state *sm,
                                                           const struct sms__launch *launch,
                                                           struct sms_block_request *room)
{
    if (device->pure)
        return &launch->shape->request;
    *room = sms__full_request(device, sm, launch);
    return room;
}
void sms__state_note(struct sms__launch *launch, enum sms_block_event event, const struct sms__sm_state *sm,
                     uint64_t blocks);
uint64_t sms__reference_resident(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch);

/* wave.c: rounds of equal placements at once; only while device->in_rounds, but for the first. */
void sms__wave_init(struct sms__blocks *device);
void sms__wave_forget(struct sms__blocks *device);
void sms__wave_note(struct sms__blocks *device, size_t sm, struct sms__launch *launch);
void sms__wave_repeat(struct sms__blocks *device, const struct sms__dispatch_queue *queue, uint64_t now);

/* A kernel was refused or is through: rounds change. */
static inline void sms__wave_break(struct sms__blocks *device)
{
    if (device->in_rounds)
        sms__wave_forget(device);
}

/* reference.c: all of this the plain way. */
void sms__reference_init(struct sms__blocks *device);
void sms__reference_fire(void *subject, uint64_t now);
void sms__reference_dispatch(void *subject, uint64_t now);
void sms__reference_drop(struct sms__blocks *device, size_t sm, struct sms__launch *launch, uint64_t now);
void sms__reference_credit(struct sms__blocks *device, size_t sm, int sign, uint64_t now);

/* check.c: whether all adds up. */
void sms__check(struct sms__blocks *device, uint64_t now);
void sms__add_background(const struct sms__device *model, size_t sm, double *usage);

/* explain.c: tells the observer of a decision. `ring` is where a ring search started. */
void sms__explain(struct sms__blocks *device, struct sms__launch *launch, size_t ring, long sm, uint64_t now);

#endif
