/* The dispatcher. A launch joins its queue when its cost is over; costs of several launches pass at the same time. A
 * block that fits while the dispatcher is busy waits for it. Only then is there an event of the dispatcher's own:
 * blocks that come later than it is free start as they would without it.
 *
 * A device has at most so many grids at once (CUDA programming guide, technical specifications: 128, 32 of compute
 * capability 6.1). A grid counts from when its blocks may start until the last has left. Further launches are held back
 * and let in by falling priority, then in order; that priority counts there is an assumption. */
#include "internal.h"

static void join(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    device->dispatcher.grids++;
    launch->pending.is_grid = true;
    launch->entry.served_ps = now;
    launch->number = ++device->launches;
    sms__notify_policy(launch, SMS_BLOCKS_LAUNCHED, NULL, launch->waiting);
    sms__dispatch_queue_join(device, launch);
    sms__waits_join(launch, now);
}

static void insert(struct sms__launch_list *list, struct sms__launch *launch, struct sms__launch *prev)
{
    launch->pending.list = list;
    sms__launch_insert(list, SMS__PENDING, launch, prev);
}

static bool has_room(const struct sms__blocks *device)
{
    const uint64_t most = device->setup.model->grids;
    return most == 0 || device->dispatcher.grids < most;
}

static void hold_back(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    struct sms__launch *prev = device->dispatcher.held.last;
    while (prev && prev->priority < launch->priority)
        prev = prev->in[SMS__PENDING].prev;
    insert(&device->dispatcher.held, launch, prev);
    device->dispatcher.held_back++;
    sms__waits_hold(launch, now);
}

static void let_in(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    if (has_room(device) && !device->dispatcher.held.first)
        join(device, launch, now);
    else
        hold_back(device, launch, now);
}

void sms__dispatcher_admit(struct sms__blocks *device, uint64_t now)
{
    struct sms__launch *launch;
    while ((launch = device->dispatcher.held.first) && has_room(device)) {
        sms__dispatcher_forget(device, launch);
        join(device, launch, now);
    }
}

static void join_ready(struct sms__blocks *device, uint64_t now)
{
    struct sms__launch *launch;
    while ((launch = device->dispatcher.costing.first) && launch->pending.ready_ps <= now) {
        sms__dispatcher_forget(device, launch);
        let_in(device, launch, now);
    }
}

void sms__dispatcher_fire(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    device->dispatcher.next_ps = SMS__NEVER;
    join_ready(device, now);
    sms__engine_defer(device->setup.engine, &device->dispatch);
}

void sms__dispatcher_init(struct sms__blocks *device)
{
    device->dispatcher.next_ps = SMS__NEVER;
    device->dispatcher.interval_ps = device->setup.model->dispatch.block_ps;
    if (device->reference)
        device->dispatcher.source =
            sms__engine_source(device->setup.engine, SMS__LEVEL_BLOCK, sms__dispatcher_fire, device);
}

void sms__dispatcher_schedule(struct sms__blocks *device)
{
    struct sms__dispatcher *dispatcher = &device->dispatcher;
    uint64_t next = dispatcher->blocked ? dispatcher->free_ps : SMS__NEVER;
    if (dispatcher->costing.first && dispatcher->costing.first->pending.ready_ps < next)
        next = dispatcher->costing.first->pending.ready_ps;
    dispatcher->next_ps = next;
    if (device->reference)
        sms__engine_at(device->setup.engine, dispatcher->source, next);
}

/* From the end, because most launches of a device cost the same. */
static void await_end_of_cost(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    struct sms__launch *prev = device->dispatcher.costing.last;
    launch->pending.ready_ps = now + launch->pending.cost_ps;
    while (prev && prev->pending.ready_ps > launch->pending.ready_ps)
        prev = prev->in[SMS__PENDING].prev;
    insert(&device->dispatcher.costing, launch, prev);
}

void sms__dispatcher_forget(struct sms__blocks *device, struct sms__launch *launch)
{
    device->dispatcher.grids -= launch->pending.is_grid;
    device->dispatcher.held_back -= launch->pending.list == &device->dispatcher.held;
    launch->pending.is_grid = false;
    if (launch->pending.list)
        sms__launch_remove(launch->pending.list, SMS__PENDING, launch);
    launch->pending.list = NULL;
}

void sms__dispatcher_take(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    if (launch->pending.cost_ps)
        await_end_of_cost(device, launch, now);
    else
        let_in(device, launch, now);
}
