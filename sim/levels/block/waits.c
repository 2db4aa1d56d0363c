/* Adds up for how long each launch has waited, and for what. The state of a launch can change only at a dispatch, so
 * each dispatch adds the time since the one before. The SMs are asked again once as many blocks have left as there are
 * SMs, which is cheap and soon enough. The time of a run is spent here only if there is an observer. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

/* What a launch waits for, after the causes of explain.c. */
enum { OTHERS = SMS__CAUSES, DISPATCHER, LAUNCH_COST, GRIDS, WAITS, LOOKED_AT_MAX = 64 };

struct sms__waits {
    struct sms__waits *next; /* in the free list */
    uint64_t since_ps;
    int what;
    size_t sms;
    bool asked;
    uint64_t left; /* when the SMs were last asked */
    int refused_for;
    size_t refusing;
    struct {
        uint64_t ps;
        size_t sms; /* the most that refused */
    } of[WAITS];
};

static void add_time(struct sms__waits *waits, uint64_t now)
{
    waits->of[waits->what].ps += now - waits->since_ps;
    if (now > waits->since_ps && waits->sms > waits->of[waits->what].sms)
        waits->of[waits->what].sms = waits->sms;
    waits->since_ps = now;
}

void sms__waits_begin(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    launch->notes.waits = NULL;
    if (!device->records_waits)
        return;
    struct sms__waits *waits = device->free_waits;
    if (waits)
        device->free_waits = waits->next;
    else
        waits = SMS__NEW(device->arena, struct sms__waits, 1);
    *waits = (struct sms__waits){.since_ps = now, .what = launch->pending.cost_ps ? LAUNCH_COST : OTHERS};
    launch->notes.waits = waits;
}

/* Finds out for what most SMs refuse the block. */
static void ask(const struct sms__blocks *device, const struct sms__launch *launch, struct sms__waits *waits)
{
    if (waits->asked && device->left - waits->left < device->sms)
        return;
    waits->asked = true;
    waits->left = device->left;
    waits->refused_for = sms__main_cause(device, launch, &waits->refusing);
    if (waits->refused_for < 0)
        waits->refused_for = OTHERS;
}

static void look_at(const struct sms__blocks *device, const struct sms__launch *launch, uint64_t now)
{
    struct sms__waits *waits = launch->notes.waits;
    add_time(waits, now);
    waits->sms = 0;
    if (device->dispatcher.blocked)
        waits->what = DISPATCHER;
    else if (!sms__dispatch_queue_may_go(launch->entry.queue, launch))
        waits->what = OTHERS;
    else {
        ask(device, launch, waits);
        waits->what = waits->refused_for;
        waits->sms = waits->refusing;
    }
}

/* Launches far back in a long queue keep what they waited for before, at first other blocks. */
static void look_at_queue(const struct sms__blocks *device, const struct sms__dispatch_queue *queue, uint64_t now)
{
    struct sms__launch *launch = queue->list.first;
    size_t most = device->queues.passes_over ? LOOKED_AT_MAX : 1;
    for (size_t i = 0; launch && i < most; i++, launch = launch->in[SMS__QUEUE].next)
        look_at(device, launch, now);
}

void sms__waits_look(struct sms__blocks *device, uint64_t now)
{
    if (device->records_waits)
        for (struct sms__dispatch_queue *queue = device->queues.first; queue; queue = queue->next)
            look_at_queue(device, queue, now);
}

static void wait_for(struct sms__launch *launch, int what, uint64_t now)
{
    if (!launch->notes.waits)
        return;
    add_time(launch->notes.waits, now);
    launch->notes.waits->what = what;
}

void sms__waits_join(struct sms__launch *launch, uint64_t now) { wait_for(launch, OTHERS, now); }

void sms__waits_hold(struct sms__launch *launch, uint64_t now) { wait_for(launch, GRIDS, now); }

static const char *name(const struct sms__blocks *device, int what, char *out, size_t size)
{
    if (what < SMS__CAUSES)
        return sms__cause_words(device, what, out, size);
    if (what == DISPATCHER)
        return sms__dispatcher_words(device, out, size);
    if (what == GRIDS)
        snprintf(out, size, "the device's limit of %llu grids", (unsigned long long)device->setup.model->grids);
    return what == GRIDS ? out : what == OTHERS ? "other blocks go first" : "the cost of the launch";
}

/* Emits what the launch has waited for, and counts from 0 again. */
static void emit(const struct sms__blocks *device, const struct sms__launch *launch, uint64_t now)
{
    struct sms__waits *waits = launch->notes.waits;
    char words[128];
    add_time(waits, now);
    for (int w = 0; w < WAITS; w++) {
        if (waits->of[w].ps == 0)
            continue;
        const struct sms_wait wait = {.device = device->setup.idx,
                                      .vm = launch->vm,
                                      .kernel = launch->kernel->name,
                                      .launch_ps = launch->launched_ps,
                                      .end_ps = now,
                                      .waited_ps = waits->of[w].ps,
                                      .sms = waits->of[w].sms,
                                      .reason = name(device, w, words, sizeof words)};
        sms__observe(device->setup.observer, (struct sms_run_event){SMS_RUN_WAIT, .wait = &wait});
    }
    memset(waits->of, 0, sizeof waits->of);
}

void sms__waits_end(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__waits *waits = launch->notes.waits;
    if (!waits)
        return;
    emit(device, launch, device->setup.engine->now);
    waits->next = device->free_waits;
    device->free_waits = waits;
    launch->notes.waits = NULL;
}

static void emit_each(const struct sms__blocks *device, const struct sms__launch_list *list,
                      enum sms__launch_lists which, uint64_t now)
{
    for (const struct sms__launch *launch = list->first; launch; launch = launch->in[which].next)
        emit(device, launch, now);
}

void sms__waits_emit_all(const struct sms__blocks *device, uint64_t now)
{
    if (!device->records_waits)
        return;
    for (const struct sms__dispatch_queue *queue = device->queues.first; queue; queue = queue->next)
        emit_each(device, &queue->list, SMS__QUEUE, now);
    emit_each(device, &device->dispatcher.held, SMS__PENDING, now);
    emit_each(device, &device->dispatcher.costing, SMS__PENDING, now);
}
