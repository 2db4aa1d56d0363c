/* The dispatcher. A launch joins its queue when its cost is over; costs of several launches pass at the same time. A
 * block that fits while the dispatcher is busy waits for it. Only then is there an event of the dispatcher's own:
 * blocks that come later than it is free start as they would without it. */
#include "internal.h"

static void join(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    launch->entry.served_ps = now;
    launch->number = ++device->launches;
    sms__notify_policy(launch, SMS_BLOCKS_LAUNCHED, NULL, launch->waiting);
    sms__dispatch_queue_join(device, launch);
    sms__waits_join(launch, now);
}

static void join_ready(struct sms__blocks *device, uint64_t now)
{
    struct sms__launch *launch;
    while ((launch = device->dispatcher.first) && launch->pending.ready_ps <= now) {
        sms__dispatcher_forget(device, launch);
        join(device, launch, now);
    }
}

static void fire(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    join_ready(device, now);
    sms__engine_defer(device->setup.engine, &device->dispatch);
}

void sms__dispatcher_init(struct sms__blocks *device)
{
    if (!device->setup.has_dispatcher)
        return;
    device->dispatcher.interval_ps = device->setup.model->dispatch.block_ps;
    device->dispatcher.source = sms__engine_source(device->setup.engine, SMS__LEVEL_BLOCK, fire, device);
}

void sms__dispatcher_schedule(struct sms__blocks *device)
{
    const struct sms__dispatcher *dispatcher = &device->dispatcher;
    uint64_t next = dispatcher->blocked ? dispatcher->free_ps : SMS__NEVER;
    if (dispatcher->first && dispatcher->first->pending.ready_ps < next)
        next = dispatcher->first->pending.ready_ps;
    sms__engine_at(device->setup.engine, dispatcher->source, next);
}

/* From the end, because most launches of a device cost the same. */
static void await_end_of_cost(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    struct sms__dispatcher *dispatcher = &device->dispatcher;
    struct sms__launch *prev = dispatcher->last;
    launch->pending.ready_ps = now + launch->pending.cost_ps;
    while (prev && prev->pending.ready_ps > launch->pending.ready_ps)
        prev = prev->pending.prev;
    launch->pending.prev = prev;
    launch->pending.next = prev ? prev->pending.next : dispatcher->first;
    *(prev ? &prev->pending.next : &dispatcher->first) = launch;
    *(launch->pending.next ? &launch->pending.next->pending.prev : &dispatcher->last) = launch;
    launch->pending.is_pending = true;
}

void sms__dispatcher_forget(struct sms__blocks *device, struct sms__launch *launch)
{
    const struct sms__pending_launch *at = &launch->pending;
    *(at->prev ? &at->prev->pending.next : &device->dispatcher.first) = at->next;
    *(at->next ? &at->next->pending.prev : &device->dispatcher.last) = at->prev;
    launch->pending.is_pending = false;
}

void sms__dispatcher_take(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    if (launch->pending.cost_ps)
        await_end_of_cost(device, launch, now);
    else
        join(device, launch, now);
}
