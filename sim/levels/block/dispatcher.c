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
    while ((launch = device->dispatcher.pending) && launch->pending.ready_ps <= now) {
        device->dispatcher.pending = launch->pending.next;
        launch->pending.is_pending = false;
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
    if (dispatcher->pending && dispatcher->pending->pending.ready_ps < next)
        next = dispatcher->pending->pending.ready_ps;
    sms__engine_at(device->setup.engine, dispatcher->source, next);
}

static void await_end_of_cost(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    struct sms__launch **at = &device->dispatcher.pending;
    launch->pending.ready_ps = now + launch->pending.cost_ps;
    while (*at && (*at)->pending.ready_ps <= launch->pending.ready_ps)
        at = &(*at)->pending.next;
    launch->pending.next = *at;
    launch->pending.is_pending = true;
    *at = launch;
}

void sms__dispatcher_forget(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__launch **at = &device->dispatcher.pending;
    while (*at != launch)
        at = &(*at)->pending.next;
    *at = launch->pending.next;
    launch->pending.is_pending = false;
}

void sms__dispatcher_take(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    if (launch->pending.cost_ps)
        await_end_of_cost(device, launch, now);
    else
        join(device, launch, now);
}
