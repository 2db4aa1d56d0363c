/* Dispatch: waiting kernels offer blocks in the order of the queue discipline,
 * the policy finds an SM for each, until nothing fits any more. */
#include "block.h"

#include <string.h>

static void settle_backgrounds(struct sms__blocks *device)
{
    for (size_t i = 0; i < device->model->backgrounds; i++) {
        const struct sms__background *background = &device->model->background[i];
        for (size_t d = 0; d < background->demands; d++) {
            int r = sms__resource_index(device->model, background->demand[d].resource);
            double parts = (double)(uint64_t)(background->demand[d].ratio * SMS_FULL + 0.5);
            device->sm[background->sm].usage[r] += parts;
            device->total[r] += parts;
        }
    }
}

static void init_sm(struct sms__blocks *device, size_t idx, struct sms__group *groups, struct sms__resident *residents)
{
    struct sms__sm_state *sm = &device->sm[idx];
    size_t limit = device->model->sm.blocks;
    sm->device = device;
    sm->idx = (uint32_t)idx;
    sm->group = groups + idx * limit;
    sm->resident = residents + idx * limit;
    sm->source = sms__engine_source(device->engine, sms__sm_fire, sm);
    for (size_t i = 0; i < limit; i++)
        sm->resident[i].next = i + 1 < limit ? (uint16_t)(i + 1) : SMS__NONE;
}

static void dispatch(void *subject, uint64_t now);

void sms__blocks_init(struct sms__blocks *device, struct sms__arena *arena, size_t kinds)
{
    size_t sms = device->model->sms, limit = device->model->sm.blocks;
    device->arena = arena;
    device->sms = sms;
    device->sm = SMS__NEW(arena, struct sms__sm_state, sms);
    struct sms__group *groups = SMS__NEW(arena, struct sms__group, sms * limit);
    struct sms__resident *residents = SMS__NEW(arena, struct sms__resident, sms * limit);
    for (size_t s = 0; s < sms; s++)
        init_sm(device, s, groups, residents);
    settle_backgrounds(device);
    device->dirty = SMS__NEW(arena, uint32_t, sms);
    bool joint = device->device_wide && device->contention->rate_device;
    device->rate_group = SMS__NEW(arena, struct sms_group, joint ? sms * limit : limit);
    device->rate_scratch = SMS__NEW(arena, double, joint ? (sms + 1) * 2 * device->model->resources : 1);
    device->words = (sms + 63) / 64;
    device->candidate = SMS__NEW(arena, uint64_t, kinds * device->words);
    device->dispatch = (struct sms__action){.act = dispatch, .subject = device};
}

void sms__blocks_settle(struct sms__blocks *device, uint64_t now)
{
    sms__settle_total(device, now);
    for (size_t s = 0; s < device->sms; s++)
        sms__sm_settle(&device->sm[s], now);
}

/* Every SM is a candidate again; bits beyond the last SM stay 0. */
static void reset_candidates(struct sms__blocks *device, size_t kind)
{
    uint64_t *row = &device->candidate[kind * device->words];
    memset(row, 0xff, device->words * sizeof *row);
    if (device->sms % 64)
        row[device->words - 1] = ((uint64_t)1 << (device->sms % 64)) - 1;
}

void sms__blocks_launch(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    launch->launched_ps = now;
    launch->waiting = launch->blocks;
    launch->resident = 0;
    launch->refused_at = 0;
    launch->next = NULL;
    launch->prev = device->tail;
    if (device->tail)
        device->tail->next = launch;
    else
        device->head = launch;
    device->tail = launch;
    if (!device->turn)
        device->turn = launch;
    device->waiting++;
    reset_candidates(device, launch->kind);
    sms__engine_defer(device->engine, &device->dispatch);
}

static struct sms__launch *after(const struct sms__blocks *device, const struct sms__launch *launch)
{
    return launch->next ? launch->next : device->head;
}

/* Its last block is placed. */
static void retire(struct sms__blocks *device, struct sms__launch *launch)
{
    if (device->turn == launch)
        device->turn = after(device, launch) == launch ? NULL : after(device, launch);
    if (launch->prev)
        launch->prev->next = launch->next;
    else
        device->head = launch->next;
    if (launch->next)
        launch->next->prev = launch->prev;
    else
        device->tail = launch->prev;
    device->waiting--;
}

/* Whether the caller asked to stop; the engine does once this instant is over. */
static bool is_canceled(const struct sms__blocks *device)
{
    const atomic_bool *cancel = device->options->cancel;
    return cancel && atomic_load_explicit(cancel, memory_order_relaxed);
}

/* One block of the launch, if it fits somewhere. */
static bool place_one(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    bool watched = device->label && device->options->on_decision;
    bool asked = launch->refused_at != device->leaves + 1;
    if ((device->full == device->sms && !watched) || is_canceled(device))
        return false;
    size_t ring = device->ring;
    long sm = sms__search(device, launch);
    if (asked && watched)
        sms__explain(device, launch, ring, sm, now);
    if (sm < 0)
        return false;
    sms__sm_place(&device->sm[sm], launch, now);
    if (launch->waiting == 0)
        retire(device, launch);
    return true;
}

/* One block of each kernel in turn. With `head_stops` the turn goes on where it was
 * stopped; else each dispatch starts with the kernel that was launched first, and
 * passes over those that fit nowhere. */
static void dispatch_in_turn(struct sms__blocks *device, bool head_stops, uint64_t now)
{
    if (!head_stops)
        device->turn = device->head;
    for (size_t misses = 0; device->turn && misses < device->waiting;) {
        struct sms__launch *launch = device->turn, *next = after(device, launch);
        bool placed = place_one(device, launch, now);
        if (!placed && head_stops)
            return;
        misses = placed ? 0 : misses + 1;
        if (device->turn == launch)
            device->turn = next;
    }
}

/* Kernels in launch order, each as long as its blocks fit. */
static void dispatch_in_order(struct sms__blocks *device, bool head_stops, uint64_t now)
{
    for (struct sms__launch *launch = device->head; launch;) {
        struct sms__launch *next = launch->next;
        while (launch->waiting && place_one(device, launch, now))
            continue;
        if (launch->waiting && head_stops)
            return;
        launch = next;
    }
}

static void dispatch(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    bool head_stops = device->queue == SMS_QUEUE_FIFO || device->queue == SMS_QUEUE_RR_FIFO;
    if (device->queue == SMS_QUEUE_FIFO || device->queue == SMS_QUEUE_KERNEL_FIFO)
        dispatch_in_order(device, head_stops, now);
    else
        dispatch_in_turn(device, head_stops, now);
    sms__rate(device, now);
}
