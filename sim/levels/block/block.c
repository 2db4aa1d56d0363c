/* Dispatch: waiting kernels offer blocks in the order of the queue discipline,
 * the policy finds an SM for each, until nothing fits any more. */
#include "internal.h"

void sms__add_background(const struct sms__device *model, size_t sm, double *usage)
{
    for (size_t i = 0; i < model->backgrounds; i++) {
        const struct sms__background *background = &model->background[i];
        for (size_t d = 0; background->sm == sm && d < background->demands; d++)
            usage[sms__resource_index(model, background->demand[d].resource)] +=
                (double)(uint64_t)(background->demand[d].ratio * SMS_FULL + 0.5);
    }
}

static void settle_backgrounds(struct sms__blocks *device)
{
    for (size_t s = 0; s < device->sms; s++) {
        sms__add_background(device->model, s, device->sm[s].usage);
        for (size_t r = 0; r < device->model->resources; r++)
            device->total[r] += device->sm[s].usage[r];
    }
}

static void init_sm(struct sms__blocks *device, size_t idx)
{
    struct sms__sm_state *sm = &device->sm[idx];
    sm->device = device;
    sm->idx = (uint32_t)idx;
    sm->source = sms__engine_source(device->engine, SMS__LEVEL_BLOCK,
                                    device->reference ? sms__reference_fire : sms__sm_fire, sm);
    device->engine->handler[sm->source].touched = sm->resident;
}

/* Room for blocks: what an SM has lies together, what events touch most at the front. */
static void init_residents(struct sms__blocks *device)
{
    size_t limit = device->model->sm.blocks;
    size_t each = limit * (sizeof(struct sms__resident) + sizeof(struct sms__group) + sizeof(struct sms__visit));
    char *rooms = sms__alloc(device->arena, device->sms, each);
    for (size_t s = 0; s < device->sms; s++) {
        struct sms__sm_state *sm = &device->sm[s];
        sm->resident = (void *)(rooms + s * each);
        sm->group = (void *)(sm->resident + limit);
        sm->visit = (void *)(sm->group + limit);
        for (size_t i = 0; i < limit; i++)
            sm->resident[i].next = i + 1 < limit ? (uint16_t)(i + 1) : SMS__NONE;
    }
}

/* What models are asked with. */
static void init_rating(struct sms__blocks *device)
{
    bool joint = device->device_scope && device->contention->rate_device;
    size_t limit = device->model->sm.blocks, groups = joint ? device->sms * limit : limit;
    device->rate_group = SMS__NEW(device->arena, struct sms_group, groups);
    device->rate_speed = SMS__NEW(device->arena, double, groups);
    device->rate_scratch =
        SMS__NEW(device->arena, double, joint ? (device->sms + 1) * 2 * device->model->resources : 1);
    for (size_t r = 0; r < device->model->resources; r++)
        device->own |= (uint32_t)(device->model->resource[r].scope == SMS_SCOPE_SM) << r;
}

static void dispatch(void *subject, uint64_t now);

void sms__blocks_init(struct sms__blocks *device, struct sms__arena *arena, const struct sms__fit *const *kinds,
                      size_t n_kinds)
{
    device->arena = arena;
    device->sms = device->model->sms;
    device->sm = SMS__NEW(arena, struct sms__sm_state, device->sms);
    device->dirty = SMS__NEW(arena, uint32_t, device->sms);
    if (device->options->engine == SMS_ENGINE_REFERENCE)
        sms__reference_init(device);
    else
        init_residents(device);
    for (size_t s = 0; s < device->sms; s++)
        init_sm(device, s);
    settle_backgrounds(device);
    init_rating(device);
    for (size_t s = 0; s < device->sms; s++)
        sms__find_over(&device->sm[s], 0);
    device->watched = device->label && device->options->on_decision;
    sms__state_init(device);
    sms__dispatch_queue_init(device, kinds, n_kinds);
    sms__search_init(device);
    sms__device_clock_init(device, kinds, n_kinds);
    sms__wave_init(device);
    device->dispatch =
        (struct sms__action){.act = device->reference ? sms__reference_dispatch : dispatch, .subject = device};
}

/* Adds what the block has had so far, or takes it away. */
static void add_partial(struct sms__sm_state *sm, int sign, uint64_t now)
{
    for (size_t g = 0; g < sm->groups; g++) {
        const struct sms__group *group = &sm->group[g];
        double clock = sms__group_clock(group, now);
        for (uint16_t i = group->first; i != SMS__NONE; i = sm->resident[i].next) {
            const struct sms__resident *resident = &sm->resident[i];
            sms__record_part(group->launch, sm->visit[i].work, resident->end - clock, now - sm->visit[i].start,
                             sign * (int64_t)resident->blocks);
        }
    }
}

void sms__blocks_integrate(struct sms__blocks *device, uint64_t now)
{
    sms__integrate_total(device, now);
    for (size_t s = 0; s < device->sms; s++)
        sms__sm_integrate(&device->sm[s], now);
}

void sms__blocks_add_partial(struct sms__blocks *device, int sign, uint64_t now)
{
    for (size_t s = 0; s < device->sms; s++) {
        for (uint32_t left = device->sm[s].over; left; left &= left - 1)
            device->record->over_ps[__builtin_ctz(left)] += sign * (sms__integral)now;
        if (device->reference)
            sms__reference_credit(device, s, sign, now);
        else
            add_partial(&device->sm[s], sign, now);
    }
}

void sms__blocks_hold(struct sms__blocks *device, bool hold)
{
    device->held = hold;
    sms__engine_defer(device->engine, &device->dispatch);
}

bool sms__blocks_busy(const struct sms__blocks *device)
{
    bool busy = false;
    for (size_t s = 0; s < device->sms; s++)
        busy |= device->sm[s].used[SMS_BLOCKS] > 0;
    return busy;
}

void sms__blocks_launch(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    launch->launched_ps = launch->served_ps = now;
    launch->waiting = launch->blocks;
    launch->resident = 0;
    launch->left = 0;
    launch->explained = 0;
    launch->device = device;
    launch->number = ++device->launches;
    sms__state_note(launch, SMS_BLOCKS_LAUNCHED, NULL, launch->blocks);
    sms__dispatch_queue_join(device, launch);
    sms__engine_defer(device->engine, &device->dispatch);
}

uint64_t sms__launch_parts(struct sms__launch *launch)
{
    uint64_t ended = launch->blocks - launch->waiting - launch->resident;
    sms__integral parts = (sms__integral)ended * SMS__PARTS + launch->parts;
    launch->parts = 0;
    return (uint64_t)(parts / launch->blocks);
}

void sms__blocks_drop(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    if (launch->waiting)
        sms__dispatch_queue_leave(device, launch);
    for (size_t s = 0; s < device->sms; s++)
        if (device->reference)
            sms__reference_drop(device, s, launch, now);
        else
            sms__sm_drop(&device->sm[s], launch, now);
    launch->waiting = launch->resident = 0;
    sms__state_note(launch, SMS_BLOCKS_ENDED, NULL, 0);
    sms__engine_defer(device->engine, &device->dispatch);
}

/* Whether the caller asked to stop; the engine does once this instant is over. */
static bool is_canceled(const struct sms__blocks *device)
{
    const atomic_bool *cancel = device->options->cancel;
    return cancel && atomic_load_explicit(cancel, memory_order_relaxed);
}

/* Nothing can be placed now, so nobody need be asked; unless somebody watches the answers. */
static bool is_hopeless(const struct sms__blocks *device)
{
    return (device->full == device->sms && !device->watched) || is_canceled(device);
}

/* One block of the launch, if it fits somewhere: then `next` is the queue to go on with. */
static bool place_one(struct sms__blocks *device, struct sms__launch *launch, struct sms__dispatch_queue **next,
                      uint64_t now)
{
    size_t ring = device->ring;
    long sm = sms__search(device, launch);
    if (device->watched)
        sms__explain(device, launch, ring, sm, now);
    if (sm < 0) {
        sms__wave_break(device);
        return false;
    }
    if (device->in_rounds)
        sms__wave_note(device, (size_t)sm, launch);
    sms__sm_place(&device->sm[sm], launch, 1, now);
    *next = sms__dispatch_queue_serve(device, launch);
    if (launch->waiting == 0)
        sms__wave_break(device);
    return true;
}

/* `queue` is the next that offers a block. */
static void repeat_rounds(struct sms__blocks *device, const struct sms__dispatch_queue *queue, uint64_t now)
{
    if (device->in_rounds && queue)
        sms__wave_repeat(device, queue, now);
}

/* The next to be asked. What a search remembers of a shape holds for all of its launches, but not whose turn has come
 * to hold up the others. */
static struct sms__launch *next_open(const struct sms__blocks *device, const struct sms__dispatch_queue *queue,
                                     struct sms__launch *launch)
{
    return device->patience_ps == SMS__NEVER ? sms__dispatch_queue_open(device, queue, launch) : launch;
}

/* One block of the queue: of the first launch from `at` on of which one fits, or of the first of all, where that holds
 * up the others. */
static bool place_from(struct sms__blocks *device, struct sms__dispatch_queue *queue, struct sms__dispatch_queue **next,
                       uint64_t now)
{
    struct sms__launch *launch = sms__dispatch_queue_at(device, queue);
    if (!device->passes_over)
        return sms__dispatch_queue_may_go(queue, launch) && place_one(device, launch, next, now);
    launch = next_open(device, queue, launch);
    while (sms__dispatch_queue_may_go(queue, launch) && !is_hopeless(device)) {
        if (place_one(device, launch, next, now))
            return true;
        if (sms__dispatch_queue_holds(device, launch)) {
            *next = sms__dispatch_queue_next_of_held(launch, *next);
            return false;
        }
        launch = next_open(device, queue, launch->next);
    }
    return false;
}

/* One block of each queue in turn, until no queue has one that fits. */
static void offer(struct sms__blocks *device, uint64_t now)
{
    device->in_rounds = device->wave && device->varied == 0;
    sms__wave_break(device);
    device->dispatches++;
    for (struct sms__dispatch_queue *queue = device->first, *next; queue && !is_hopeless(device); queue = next) {
        next = queue->next;
        if (place_from(device, queue, &next, now))
            repeat_rounds(device, next, now);
    }
}

static void dispatch(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    if (!device->held)
        offer(device, now);
    sms__rate(device, now);
    if (device->options->check)
        sms__check(device, now);
}
