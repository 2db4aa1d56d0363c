/* Dispatch. Waiting kernels offer blocks in the order of the queue discipline, and the policy finds an SM for each,
 * until no block fits any more. Invariant: after a dispatch every SM that changed has been rated again. */
#include "internal.h"

/* Slowdowns do not fall as usage rises, so what is not slowed at 100 % is not slowed below. */
static uint32_t find_knees(const struct sms__blocks *device)
{
    uint32_t knees = 0;
    for (size_t r = 0; r < device->setup.model->resources && !device->setup.contention->free_below_full; r++)
        knees |= (uint32_t)(sms__slowdown(device, r, SMS_FULL) > 1) << r;
    return knees;
}

static struct sms_join find_join(const struct sms__blocks *device)
{
    const struct sms_contention *model = device->setup.contention;
    const struct sms_join join = sms__join_of(model, &device->setup.contention_view);
    char why[256];
    if (sms__is_wrong_join(model, join, why, sizeof why))
        sms__stop_run(device, "%s", why);
    return join;
}

/* Where nothing slows a kernel below 100 %, it demands the same at no load as it was measured to. */
static double *new_pressure(struct sms__blocks *device)
{
    bool apart = device->setup.contention->measured_alone && !device->rating.free_below_full;
    return apart ? SMS__NEW(device->arena, double, SMS_RESOURCES_MAX) : device->rating.total;
}

static bool tells_launches(const struct sms__blocks *device)
{
    const struct sms_contention *model = device->setup.contention;
    const struct sms_block_policy *policy = device->setup.policy->policy;
    bool is_asked = policy->admits || policy->score || policy->note;
    return (is_asked && !device->policy.pure) || (!model->slowdown && !model->is_max_min);
}

static void init_sm(struct sms__blocks *device, size_t idx)
{
    struct sms__sm_state *sm = &device->sm[idx];
    sm->device = device;
    sm->idx = (uint32_t)idx;
}

static size_t residents_bytes(const struct sms__device *model)
{
    return model->sm.blocks *
           (sizeof(struct sms__resident) + sizeof(struct sms__block_group) + sizeof(struct sms__resident_cold));
}

size_t sms__blocks_bytes(const struct sms__device *model)
{
    return model->sms * (sizeof(struct sms__sm_state) + residents_bytes(model));
}

/* Allocates the room for blocks. The data of one SM lies together, with what events touch most at the front, which
 * is fetched before it is needed (events.c). */
static void init_residents(struct sms__blocks *device)
{
    size_t limit = device->setup.model->sm.blocks;
    size_t each = residents_bytes(device->setup.model);
    device->residents = sms__alloc(device->arena, device->sms, each);
    device->residents_bytes = each;
    for (size_t s = 0; s < device->sms; s++) {
        struct sms__sm_state *sm = &device->sm[s];
        sm->resident = (void *)(device->residents + s * each);
        sm->cold = (void *)(sm->resident + limit);
        sm->group = (void *)(sm->cold + limit);
        for (size_t i = 0; i < limit; i++)
            sm->resident[i].next = i + 1 < limit ? (uint16_t)(i + 1) : SMS__NONE;
    }
}

static void dispatch(void *subject, uint64_t now);

struct sms__blocks *sms__blocks_new(struct sms__arena *arena, const struct sms__blocks_setup *setup)
{
    struct sms__blocks *device = SMS__NEW(arena, struct sms__blocks, 1);
    device->setup = *setup;
    device->arena = arena;
    device->sms = setup->model->sms;
    device->sm = SMS__NEW(arena, struct sms__sm_state, device->sms);
    init_residents(device);
    for (size_t s = 0; s < device->sms; s++)
        init_sm(device, s);
    if (setup->options->engine == SMS_ENGINE_REFERENCE)
        sms__oracle->init(device);
    sms__events_init(device);
    device->rating.join = find_join(device);
    device->rating.adds = setup->contention->joins != NULL;
    device->rating.knees = setup->contention->slowdown ? find_knees(device) : 0;
    device->rating.free_below_full =
        setup->contention->slowdown ? device->rating.knees == 0 : setup->contention->free_below_full;
    device->rating.pressure = new_pressure(device);
    sms__rate_init(device);
    if (device->setup.contention->is_max_min)
        sms__levels_init(device);
    device->observed = sms__observes(setup->observer, SMS_RUN_DECISION);
    device->records_waits = sms__observes(setup->observer, SMS_RUN_WAIT);
    sms__policy_state_init(device);
    device->tells_launches = tells_launches(device);
    sms__shapes_init(device);
    sms__search_init(device);
    sms__compositions_init(device);
    device->refills = device->search.knows_room && device->policy.cacheable &&
                      device->policy.patience_ps == SMS__NEVER && !device->records_waits && !device->rating.spreads;
    sms__dispatch_queue_init(device);
    sms__dispatcher_init(device);
    sms__device_clock_init(device);
    sms__device_usage_init(device);
    sms__device_clock_update(device, 0); /* the background slows from the start */
    device->dispatch =
        (struct sms__action){.act = device->reference ? sms__oracle->dispatch : dispatch, .subject = device};
    return device;
}

const struct sms__blocks_setup *sms__blocks_setup(const struct sms__blocks *device) { return &device->setup; }

size_t sms__blocks_waiting(const struct sms__blocks *device)
{
    return device->queues.waiting + device->dispatcher.held_back;
}

/* Adds the work of the SM's blocks under way, or subtracts it. */
static void add_partial(struct sms__sm_state *sm, int sign, uint64_t now)
{
    for (size_t g = 0; g < sm->groups; g++) {
        const struct sms__block_group *group = &sm->group[g];
        double clock = sms__group_clock(group, now);
        for (uint16_t i = group->first; i != SMS__NONE; i = sm->resident[i].next) {
            const struct sms__resident *resident = &sm->resident[i];
            sms__record_part(sm->cold[i].launch, sm->cold[i].work, resident->end - clock, now - sm->cold[i].start,
                             sign * (int64_t)resident->blocks);
        }
    }
}

void sms__blocks_integrate(struct sms__blocks *device, uint64_t now)
{
    sms__device_usage_record(device, now);
    for (size_t s = 0; s < device->sms; s++)
        sms__sm_integrate(&device->sm[s], now);
    sms__compositions_record(device);
}

void sms__blocks_add_partial(struct sms__blocks *device, int sign, uint64_t now)
{
    if (sign > 0)
        sms__waits_emit_all(device, now);
    for (size_t s = 0; s < device->sms; s++) {
        if (device->reference)
            sms__oracle->add_partial(device, s, sign, now);
        else
            add_partial(&device->sm[s], sign, now);
    }
}

void sms__blocks_hold(struct sms__blocks *device, bool hold)
{
    device->held = hold;
    sms__engine_defer(device->setup.engine, &device->dispatch);
}

bool sms__blocks_busy(const struct sms__blocks *device)
{
    bool busy = false;
    for (size_t s = 0; s < device->sms; s++)
        busy |= device->sm[s].composition->used[SMS_BLOCKS] > 0;
    return busy;
}

void sms__blocks_launch(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    launch->launched_ps = now;
    launch->waiting = launch->blocks - launch->done;
    launch->resident = 0;
    launch->left = launch->done;
    launch->notes.explained = 0;
    launch->device = device;
    launch->pending.list = NULL;
    launch->pending.is_grid = false;
    sms__waits_begin(device, launch, now);
    sms__dispatcher_take(device, launch, now);
    sms__engine_defer(device->setup.engine, &device->dispatch);
}

uint64_t sms__launch_add_partial(struct sms__launch *launch, int sign)
{
    uint64_t ended = launch->blocks - launch->waiting - launch->resident;
    sms__integral parts = (sms__integral)ended * SMS__PARTS + launch->parts;
    launch->parts = 0;
    parts /= launch->kernel->blocks;
    launch->record->launch_parts += sign * parts;
    return (uint64_t)parts;
}

/* The engine stops at the end of this instant. */
static bool is_canceled(const struct sms__blocks *device)
{
    return sms__is_canceled(device->setup.options, device->setup.observer);
}

/* True if no block can be placed now, so that asking is needless. An observer still gets every answer. */
static bool cannot_place(const struct sms__blocks *device)
{
    const struct sms__block_search *search = &device->search;
    bool closed =
        search->knows_room ? !(search->open & search->waiting) : search->closed_sms == device->sms && !device->observed;
    return closed || device->dispatcher.blocked || is_canceled(device);
}

/* Keeps a block that fits from starting before the dispatcher is free. It is searched for again then. */
static bool wait_for_dispatcher(struct sms__blocks *device, struct sms__launch *launch, size_t ring_start, uint64_t now)
{
    device->dispatcher.blocked = true;
    launch->entry.queue->ring_start = ring_start;
    if (device->observed)
        sms__explain_wait(device, launch, now);
    return false;
}

/* Places one block of the launch if it fits somewhere; then sets `next` to the queue to continue with. */
static bool place_one(struct sms__blocks *device, struct sms__launch *launch, struct sms__dispatch_queue **next,
                      uint64_t now)
{
    size_t ring_start = launch->entry.queue->ring_start;
    bool is_known = sms__is_refused(&device->search, launch->shape); /* the most frequent answer needs no call */
    bool is_busy = sms__dispatcher_is_busy(device, now);
    if (!is_known && is_busy && device->search.knows_room) /* then the search finds an SM */
        return wait_for_dispatcher(device, launch, ring_start, now);
    long sm = is_known ? -1 : sms__search(device, launch);
    if (sm >= 0 && is_busy)
        return wait_for_dispatcher(device, launch, ring_start, now);
    if (device->observed)
        sms__explain(device, launch, ring_start, sm, now);
    if (sm < 0)
        return false;
    sms__sm_place(&device->sm[sm], launch, now);
    sms__dispatcher_start(device, now);
    *next = sms__dispatch_queue_serve(device, launch);
    return true;
}

/* Returns the next launch to ask. A cached refusal of a shape holds for all of its launches. But with patience, each
 * launch must be asked, because it may be the one that now blocks the others. */
static struct sms__launch *next_open(const struct sms__blocks *device, const struct sms__dispatch_queue *queue,
                                     struct sms__launch *launch)
{
    return device->policy.patience_ps == SMS__NEVER ? sms__dispatch_queue_open(&device->search, queue, launch) : launch;
}

/* Places one block of the queue: of the first launch, from the current one on, of which a block fits. A launch whose
 * block fits nowhere stops the search if it blocks the others. */
static void place_from(struct sms__blocks *device, struct sms__dispatch_queue *queue, struct sms__dispatch_queue **next,
                       uint64_t now)
{
    struct sms__launch *launch = sms__dispatch_queue_current(&device->queues, queue);
    if (!device->queues.passes_over) {
        if (sms__dispatch_queue_may_go(queue, launch))
            place_one(device, launch, next, now);
        return;
    }
    launch = next_open(device, queue, launch);
    while (sms__dispatch_queue_may_go(queue, launch) && !cannot_place(device)) {
        if (place_one(device, launch, next, now))
            return;
        if (sms__patience_expired(device, launch))
            return;
        launch = next_open(device, queue, launch->in[SMS__QUEUE].next);
    }
}

/* Places blocks in the order of the queues, until no queue has a block that fits. */
static void offer(struct sms__blocks *device, uint64_t now)
{
    device->queues.dispatches++;
    for (struct sms__dispatch_queue *queue = device->queues.first, *next; queue && !cannot_place(device);
         queue = next) {
        next = queue->next;
        place_from(device, queue, &next, now);
    }
}

static void dispatch(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    device->dispatcher.blocked = false;
    sms__dispatcher_admit(device, now);
    if (!device->held)
        offer(device, now);
    sms__waits_look(device, now);
    sms__dispatcher_schedule(device);
    sms__rate(device, now);
    sms__events_schedule(device);
    if (device->setup.options->check)
        sms__oracle->check(device, now);
}
