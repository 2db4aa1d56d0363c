/* Blocks that end, and those that take their place. Invariant: an SM of which a block has left is rated again at the
 * end of this instant. */
#include "internal.h"

/* Removes the first resident of a group, and returns its launch. Its blocks stay in the composition. */
static inline struct sms__launch *take_out(struct sms__sm_state *sm, struct sms__block_group *group, uint32_t blocks,
                                           uint64_t now)
{
    uint16_t at = group->first;
    struct sms__resident *resident = &sm->resident[at];
    struct sms__launch *launch = sm->cold[at].launch;
    if (sms__observes(sm->device->setup.observer, SMS_RUN_STAY))
        sms__emit_block_span(sm->device, sm->idx, launch, sm->cold[at].start, now, blocks);
    sms__record_leave(launch, sm->cold[at].work, now - sm->cold[at].start, blocks);
    group->blocks -= blocks;
    group->first = resident->next;
    *(group->first == SMS__NONE ? &group->last : &sm->resident[group->first].prev) = SMS__NONE;
    resident->next = sm->free;
    sm->free = at;
    return launch;
}

/* Removes the first resident of a group, and returns its launch. */
static struct sms__launch *leave(struct sms__sm_state *sm, struct sms__block_group *group, uint64_t now)
{
    uint32_t blocks = sm->resident[group->first].blocks;
    struct sms__launch *launch = take_out(sm, group, blocks, now);
    sms__compose(sm, launch->shape, -(int64_t)blocks, now);
    if (!sm->device->policy.cacheable)
        sms__notify_policy(launch, SMS_BLOCKS_LEFT, sm, blocks);
    return launch;
}

/* True if the group has a resident that ends now. */
static bool is_due(const struct sms__sm_state *sm, const struct sms__block_group *group, uint64_t now)
{
    return group->first != SMS__NONE && sms__group_due(group, sm->resident[group->first].end) <= now;
}

void sms__list_ended(struct sms__launch **list, struct sms__launch *launch)
{
    if (launch->waiting | launch->resident)
        return;
    sms__shape_end(launch->shape);
    while (*list && (*list)->number < launch->number)
        list = &(*list)->end.next;
    launch->end.is_due = true;
    launch->end.next = *list;
    *list = launch;
}

static void end_launch(struct sms__launch *launch, uint64_t now)
{
    launch->end.is_due = false;
    sms__dispatcher_forget(launch->device, launch);
    sms__notify_policy(launch, SMS_BLOCKS_ENDED, NULL, 0);
    launch->record->launches += !sms__launch_goes_on(launch);
    if (launch->done == 0 && !sms__launch_goes_on(launch))
        sms__histogram_add(&launch->record->latency, now - launch->launched_ps);
    launch->ended(launch->subject, now);
}

/* What follows the end of one may drop another. */
void sms__end_launches(struct sms__launch *list, uint64_t now)
{
    for (struct sms__launch *launch = list, *next; launch; launch = next) {
        next = launch->end.next;
        if (launch->end.is_due)
            end_launch(launch, now);
    }
}

/* Removes the blocks of the group that end now, and lists launches that end with them. Returns true if the group has
 * other blocks. */
static bool end_blocks(struct sms__sm_state *sm, struct sms__block_group *group, uint64_t now,
                       struct sms__launch **ended)
{
    do
        sms__list_ended(ended, leave(sm, group, now));
    while (is_due(sm, group, now));
    if (group->first != SMS__NONE)
        return true;
    sms__remove_group(sm, group);
    return false;
}

enum { LOOKED_AT = 8 }; /* launches; where the first ones do not fit, a search over their shapes is faster */

/* Returns the waiting shapes of which the SM would take a block with this composition, one bit each. */
static inline uint64_t fitting(const struct sms__sm_state *sm, const struct sms__composition *composition)
{
    return composition->fits & sm->may & sm->device->search.waiting;
}

/* Returns the launch that has one of these shapes and a block of which is placed next; NULL if it is not among the
 * first. */
static struct sms__launch *find_launch(const struct sms__blocks *device, uint64_t shapes)
{
    const struct sms__dispatch_queues *queues = &device->queues;
    size_t left = LOOKED_AT;
    for (const struct sms__dispatch_queue *queue = queues->first; queue; queue = queue->next) {
        struct sms__launch *launch = queue->list.first; /* there is one, because the queue is listed */
        do {
            if (shapes >> launch->shape->idx & 1)
                return launch;
            if (--left == 0)
                return NULL;
            launch = queues->passes_over ? launch->in[SMS__QUEUE].next : NULL;
        } while (sms__dispatch_queue_may_go(queue, launch));
    }
    return NULL;
}

/* True if dispatches of the device may be done in one step. */
static bool is_simple(const struct sms__blocks *device) { return device->refills && !device->held; }

/* True if the resident ends after `now`, the time at which the one before it ends. Ends that are some picoseconds apart
 * are not at one instant, because no block is faster than its clock; readings are exact enough for that in short runs.
 */
static bool ends_later(const struct sms__block_group *group, const struct sms__resident *before,
                       const struct sms__resident *resident, uint64_t now)
{
    const double apart = 8;
    const uint64_t is_short = (uint64_t)1 << 50;
    return (resident->end - before->end > apart && now < is_short) || sms__group_due(group, resident->end) > now;
}

/* True if a single block leaves, one of a launch that goes on. */
static bool leaves_one(const struct sms__sm_state *sm, uint64_t now)
{
    const struct sms__block_group *group = sm->next_group;
    if (!group)
        return false;
    const struct sms__resident *resident = &sm->resident[group->first];
    const struct sms__launch *launch = sm->cold[group->first].launch;
    return resident->blocks == 1 && launch->waiting + launch->resident > 1 &&
           (resident->next == SMS__NONE || ends_later(group, resident, &sm->resident[resident->next], now));
}

/* The first block of the group leaves. It stays in the composition. */
static void leave_one(struct sms__sm_state *sm, struct sms__block_group *group, uint64_t now)
{
    take_out(sm, group, 1, now);
    if (group->first == SMS__NONE)
        sms__remove_group(sm, group);
    if (sm->device->tells_launches)
        sm->rated = NULL;
}

/* A block of the launch starts on the SM. It is not in the composition yet. */
static void start_one(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    sms__sm_put(sm, launch, now);
    sms__search_move_ring(device, launch, sm->idx);
    sms__dispatcher_start(device, now);
    device->queues.dispatches++;
    sms__dispatch_queue_serve(device, launch);
}

/* Gives the SM the shared composition `to`, which has one block of shape `gone` less and one of another, `come`, more.
 */
static void compose(struct sms__sm_state *sm, struct sms__composition *to, const struct sms__shape *gone,
                    const struct sms__shape *come, uint64_t now)
{
    uint64_t changed = sm->composition->fits ^ to->fits;
    sms__sm_integrate(sm, now);
    sms__composition_move(sm, to);
    if (changed)
        sms__search_room(sm->device, sm->idx, changed);
    if (gone->fit->device_scope | come->fit->device_scope)
        sms__device_usage_swap(sm->device, gone, come, now);
}

/* Ends an instant at which only this SM has changed. */
static void end_instant(struct sms__sm_state *sm, uint64_t now)
{
    if (sm->rated == sm->composition)
        sms__schedule_as_rated(sm, now);
    else
        sms__rate_changed(sm, now);
    if (sm->device->setup.options->check)
        sms__oracle->check(sm->device, now);
}

/* The block leaves, and none starts: while the dispatcher is busy, what fits in its place waits. */
static bool leave_room(struct sms__sm_state *sm, struct sms__composition *without, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    struct sms__block_group *group = sm->next_group;
    uint64_t fits = fitting(sm, without);
    bool waits = device->dispatcher.blocked || (fits && find_launch(device, fits));
    if (fits && !waits)
        return false;
    const struct sms__shape *gone = device->search.shape[group->shape];
    leave_one(sm, group, now);
    sms__sm_integrate(sm, now);
    sms__compose(sm, gone, -1, now);
    device->queues.dispatches++;
    device->dispatcher.blocked = waits;
    sms__dispatcher_schedule(device);
    end_instant(sm, now);
    return true;
}

/* Further blocks start on the SM if a block had room for several, and the instant ends. Where the next launch is not
 * found at once, or the dispatcher is busy, a dispatch does the rest. */
static void fill_up(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    for (uint64_t fits; (fits = fitting(sm, sm->composition));) {
        bool goes_on = device->refills && !sms__dispatcher_is_busy(device, now);
        struct sms__launch *launch = goes_on ? find_launch(device, fits) : NULL;
        if (!launch) {
            sms__sm_touch(sm, now);
            device->dispatch.act(device->dispatch.subject, now);
            return;
        }
        start_one(sm, launch, now);
        sms__compose(sm, launch->shape, 1, now);
    }
    end_instant(sm, now);
}

/* The steady state of a full device in one step: a block leaves, and others take its place until no waiting block fits
 * anywhere. The result is that of a search for each waiting launch. This holds because compositions know which SMs have
 * room: if no waiting shape had any before the block left, only its SM can have got some; and the first launch of which
 * a block fits there gets it, as in any dispatch. Returns false, and has done nothing, if this is not the case. */
bool sms__refill(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    if (!is_simple(device) || !leaves_one(sm, now))
        return false;
    struct sms__block_group *group = sm->next_group;
    const struct sms__shape *gone = device->search.shape[group->shape];
    struct sms__composition *without = sms__composition_next(device, sm->composition, group->shape, false);
    bool is_busy = sms__dispatcher_is_busy(device, now);
    if (!without || (!is_busy && device->search.open & device->search.waiting))
        return false;
    uint64_t fits = fitting(sm, without);
    if (is_busy || !fits)
        return leave_room(sm, without, now);
    struct sms__launch *launch = find_launch(device, fits);
    struct sms__composition *then = launch ? sms__composition_next(device, without, launch->shape->idx, true) : NULL;
    if (!then)
        return false;
    leave_one(sm, group, now);
    if (then != sm->composition)
        compose(sm, then, gone, launch->shape, now);
    start_one(sm, launch, now);
    fill_up(sm, now);
    return true;
}

/* Returns the launch of which a block is placed next; NULL if none fits anywhere. */
static struct sms__launch *find_open(const struct sms__blocks *device)
{
    const struct sms__block_search *search = &device->search;
    if (!(search->open & search->waiting))
        return NULL;
    for (const struct sms__dispatch_queue *queue = device->queues.first; queue; queue = queue->next) {
        struct sms__launch *launch =
            device->queues.passes_over ? sms__dispatch_queue_open(search, queue, queue->list.first) : queue->list.first;
        if (sms__dispatch_queue_may_go(queue, launch) && !sms__is_refused(search, launch->shape))
            return launch;
    }
    return NULL;
}

/* A block starts that waited for the dispatcher. The next must wait, if it fits. So a dispatch places this one alone.
 */
bool sms__start_waiting(struct sms__blocks *device, uint64_t now)
{
    const struct sms__launch *costs = device->dispatcher.costing.first;
    struct sms__launch *launch = NULL;
    if (is_simple(device) && device->dispatcher.blocked && !(costs && costs->pending.ready_ps <= now))
        launch = find_open(device);
    if (!launch)
        return false;
    struct sms__sm_state *sm = &device->sm[sms__search(device, launch)];
    sms__sm_integrate(sm, now);
    if (device->tells_launches)
        sm->rated = NULL;
    start_one(sm, launch, now);
    sms__compose(sm, launch->shape, 1, now);
    device->dispatcher.blocked = find_open(device) != NULL;
    sms__dispatcher_schedule(device);
    end_instant(sm, now);
    return true;
}

/* True if all that happens on the device are ends of blocks of one launch, until another level acts, and what ends on
 * one SM is nothing to the others. */
static bool only_ends(const struct sms__sm_state *sm)
{
    const struct sms__blocks *device = sm->device;
    return device->dispatcher.grids == 1 && device->queues.waiting == 0 && !device->dispatcher.costing.first &&
           !device->dispatcher.held.first && sm->groups == 1 && !device->setup.device_scope && !device->clocks &&
           device->policy.cacheable && device->setup.contention->slowdown && !device->setup.observer &&
           !device->setup.options->check;
}

/* Ends blocks of the SM ahead of their time, where nothing else can come between, and leaves the last to end in time,
 * because the launch may end with it. Blocks that wait for nothing on a device of their own, as in stand-alone runs, so
 * take one event an SM. Returns false, and has done nothing, if there are no others than the last. */
static bool run_ahead(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__block_group *group = sm->group;
    struct sms__engine *engine = sm->device->setup.engine;
    if (!only_ends(sm) || sms__group_due(group, sm->resident[group->last].end) <= now)
        return false;
    const uint64_t quiet = sms__engine_quiet_until(engine);
    uint64_t events = 0, at = now;
    sms__log_departure(sm->device, sm->idx);
    sm->device->left++;
    do {
        sms__sm_integrate(sm, at);
        while (is_due(sm, group, at))
            leave(sm, group, at);
        at = sms__rate_only(sm, at);
        events++;
    } while (at < quiet && sms__group_due(group, sm->resident[group->last].end) > at);
    engine->events += events - 1;
    sm->next_group = group;
    sms__sm_times_set(&sm->device->times, sm->idx, at);
    return true;
}

void sms__sm_fire(struct sms__sm_state *sm, uint64_t now)
{
    if (run_ahead(sm, now))
        return;
    sms__sm_touch(sm, now);
    sms__log_departure(sm->device, sm->idx);
    sm->device->left++;
    sms__engine_defer(sm->device->setup.engine, &sm->device->dispatch);
    struct sms__launch *ended = NULL;
    if (sm->next_group)
        end_blocks(sm, sm->next_group, now, &ended);
    else
        for (struct sms__block_group *group = sm->group; group < sm->group + sm->groups;)
            group += !is_due(sm, group, now) || end_blocks(sm, group, now, &ended);
    if (ended)
        sms__end_launches(ended, now);
}
