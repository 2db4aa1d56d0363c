/* Functions that the files of the block level share. Other levels need only block.h. */
#ifndef SMS_LEVELS_BLOCK_INTERNAL_H
#define SMS_LEVELS_BLOCK_INTERNAL_H

#include "block.h"

static inline double sms__device_clock_reading(const struct sms__device_clock *clock, uint64_t now)
{
    return clock->base + (double)(now - clock->since) * clock->speed;
}

/* Returns the reading of the group's clock. */
static inline double sms__group_clock(const struct sms__group *group, uint64_t now)
{
    if (group->clock)
        return group->base + (sms__device_clock_reading(group->clock, now) - group->clock_base);
    return group->base + (double)(now - group->since) * group->speed;
}

/* Returns the time at which the clock will read `end` if speeds stay as they are. */
static inline uint64_t sms__group_due(const struct sms__group *group, double end)
{
    const struct sms__device_clock *clock = group->clock;
    if (clock)
        return sms__after(clock->since, (group->clock_base + (end - group->base) - clock->base) * clock->slow);
    return sms__after(group->since, (end - group->base) * group->slow);
}

/* dispatch_queue.c: kernels whose blocks wait. */
void sms__dispatch_queue_init(struct sms__blocks *device, const struct sms__fit *const *kernel_types,
                              size_t n_kernel_types);
void sms__dispatch_queue_join(struct sms__blocks *device, struct sms__launch *launch);
void sms__dispatch_queue_leave(struct sms__blocks *device, struct sms__launch *launch);
/* Call this when a block of the launch was placed. The launch leaves its queue if that was its last block; otherwise,
 * where kernels take turns, its turn ends. The queue's own turn ends too. Returns the queue that is next in this
 * dispatch, or NULL. */
struct sms__dispatch_queue *sms__dispatch_queue_serve(struct sms__blocks *device, struct sms__launch *launch);
/* Returns `launch`, or the first after it whose shape has not been refused, or NULL. */
struct sms__launch *sms__dispatch_queue_skip(const struct sms__dispatch_queue *queue, const struct sms__blocks *device,
                                             struct sms__launch *launch);

static inline bool sms__is_refused(const struct sms__blocks *device, const struct sms__shape *shape)
{
    return shape->refused_at == device->departures + 1;
}

/* Like sms__dispatch_queue_skip, with the frequent case inline. */
static inline struct sms__launch *sms__dispatch_queue_open(const struct sms__blocks *device,
                                                           const struct sms__dispatch_queue *queue,
                                                           struct sms__launch *launch)
{
    return launch && sms__is_refused(device, launch->shape) ? sms__dispatch_queue_skip(queue, device, launch) : launch;
}

/* Returns the launch of the queue at which the dispatch under way continues. */
static inline struct sms__launch *sms__dispatch_queue_current(const struct sms__blocks *device,
                                                              const struct sms__dispatch_queue *queue)
{
    return queue->dispatch == device->dispatches ? queue->current : queue->head;
}

/* True if there is a launch, and no launch of a higher priority waits in the queue. */
static inline bool sms__dispatch_queue_may_go(const struct sms__dispatch_queue *queue, const struct sms__launch *launch)
{
    return launch && launch->priority == queue->head->priority;
}

/* True if others have overtaken the launch for as long as the policy allows. */
static inline bool sms__patience_expired(const struct sms__blocks *device, const struct sms__launch *launch)
{
    return device->engine->now - launch->served_ps >= device->patience_ps;
}

/* Returns the queue to continue with while a launch blocks its own. Queues of other SMs continue. A launch that may use
 * all SMs blocks all queues. */
static inline struct sms__dispatch_queue *sms__dispatch_queue_after_blocked(const struct sms__launch *launch,
                                                                            struct sms__dispatch_queue *next)
{
    return launch->shape->allowed ? next : NULL;
}

/* sm.c: one SM. */
void sms__sm_fire(void *subject, uint64_t now);
void sms__sm_integrate(struct sms__sm_state *sm, uint64_t now);
/* Places `blocks` blocks; more than 1 only if their work is not random. */
void sms__sm_place(struct sms__sm_state *sm, struct sms__launch *launch, uint32_t blocks, uint64_t now);
/* Adds the usage of `blocks` equal blocks; a negative number subtracts it. */
void sms__account(struct sms__sm_state *sm, const struct sms__fit *fit, int64_t blocks, uint64_t now);
struct sms__group sms__new_group(struct sms__launch *launch, uint64_t now);
uint64_t sms__draw_work(const struct sms__launch *launch);
void sms__record_placed(struct sms__launch *launch, uint32_t blocks, uint64_t now);
void sms__record_leave(struct sms__launch *launch, uint64_t work, uint64_t elapsed, uint32_t blocks);
void sms__record_part(struct sms__launch *launch, uint64_t work, double left, uint64_t elapsed, int64_t blocks);
void sms__emit_block_span(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch, uint64_t start,
                          uint64_t end, uint32_t blocks);
/* Ends the launch if its last block has left. */
void sms__end_launch(struct sms__launch *launch, uint64_t now);

/* Removes all blocks of the launch from the SM, unfinished. */
void sms__sm_drop(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now);

/* rate.c: speeds and next events of the SMs that changed. */
void sms__rate(struct sms__blocks *device, uint64_t now);
void sms__integrate_total(struct sms__blocks *device, uint64_t now);
bool sms__is_oversubscribed(const struct sms__blocks *device);
/* Finds which resources of scope sm are over 100 % now, and records the changes. */
void sms__update_oversubscribed(struct sms__sm_state *sm, uint64_t now);
void sms__rate_groups(struct sms__sm_state *sm, struct sms__group *groups, size_t count, uint64_t now);
void sms__apply_speeds(struct sms__group *groups, const struct sms_group *rated, size_t count, uint64_t now);

/* Returns the usage of an SM as policies and models see it: for resources of scope device, the average over the SMs.
 * The result may lie in `buffer`. */
const double *sms__visible_usage(const struct sms__sm_state *sm, double buffer[SMS_RESOURCES_MAX]);

/* Returns the factor by which the model slows a resource at this usage. */
double sms__slowdown(const struct sms__blocks *device, size_t r, double usage);

/* device_clock.c: resources of scope device, without visiting every SM. */
void sms__device_clock_init(struct sms__blocks *device, const struct sms__fit *const *kernel_types,
                            size_t n_kernel_types);
struct sms__device_clock *sms__device_clock_of(const struct sms__blocks *device, const struct sms__fit *fit);
bool sms__device_clock_advance(struct sms__device_clock *clock, uint64_t now); /* true if its speed changed */
void sms__device_clock_update(struct sms__blocks *device, uint64_t now);       /* before SMs are rated */
void sms__device_clock_track(struct sms__sm_state *sm);                        /* after an SM is rated */
void sms__device_clock_schedule(struct sms__blocks *device);                   /* after all are */

/* search.c: the SM for the next block of a launch, or -1. */
void sms__search_init(struct sms__blocks *device);
long sms__search(struct sms__blocks *device, struct sms__launch *launch);
void sms__log_departure(struct sms__blocks *device, uint32_t sm);
enum { SMS__ALLOWED = -1, SMS__REFUSED_BY_LIMIT = 1000 };
/* Returns SMS__ALLOWED, the answer of `admits` or of a hard resource, or SMS__REFUSED_BY_LIMIT. */
int sms__verdict(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);
int sms__refusing_limit(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__fit *fit);
double sms__score(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);

/* policy_state.c: requests to the policy, and its state. */
void sms__policy_state_init(struct sms__blocks *device);
struct sms_block_request sms__full_request(const struct sms__blocks *device, const struct sms__sm_state *sm,
                                           const struct sms__launch *launch);
/* Returns the request for the policy. It lies in `buffer` if the policy looks at more than a block's shape. */
static inline const struct sms_block_request *sms__request(const struct sms__blocks *device,
                                                           const struct sms__sm_state *sm,
                                                           const struct sms__launch *launch,
                                                           struct sms_block_request *buffer)
{
    if (device->pure)
        return &launch->shape->request;
    *buffer = sms__full_request(device, sm, launch);
    return buffer;
}
void sms__notify_policy(struct sms__launch *launch, enum sms_block_event event, const struct sms__sm_state *sm,
                        uint64_t blocks);
uint64_t sms__reference_resident(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch);

/* wave.c: several equal rounds of placements at once. Call these only while device->in_rounds, except the first. */
void sms__wave_init(struct sms__blocks *device);
void sms__wave_forget(struct sms__blocks *device);
void sms__wave_add(struct sms__blocks *device, size_t sm, struct sms__launch *launch);
void sms__wave_repeat(struct sms__blocks *device, const struct sms__dispatch_queue *queue, uint64_t now);

/* Call this when a kernel was refused or has placed its last block, because the next round will differ. */
static inline void sms__wave_break(struct sms__blocks *device)
{
    if (device->in_rounds)
        sms__wave_forget(device);
}

/* reference.c: all of this in the simplest way. */
void sms__reference_init(struct sms__blocks *device);
void sms__reference_fire(void *subject, uint64_t now);
void sms__reference_dispatch(void *subject, uint64_t now);
void sms__reference_drop(struct sms__blocks *device, size_t sm, struct sms__launch *launch, uint64_t now);
void sms__reference_add_partial(struct sms__blocks *device, size_t sm, int sign, uint64_t now);

/* check.c: the invariants. */
void sms__check(struct sms__blocks *device, uint64_t now);
void sms__add_background(const struct sms__device *model, size_t sm, double *usage);

/* explain.c: emits a decision to the observer. `ring_start` is the SM at which a ring search started. */
void sms__explain(struct sms__blocks *device, struct sms__launch *launch, size_t ring_start, long sm, uint64_t now);

#endif
