/* Slots of a host, for processes that come and go. A slot belongs to one GPU. Its source of events, its contexts and
 * its random streams serve one process after another. */
#include "slot.h"
#include "context.h"
#include "sm_part.h"
#include "stream.h"

#include <stdio.h>

enum { NAME_MAX_BYTES = 128 };

struct sms__slot {
    char name[NAME_MAX_BYTES]; /* of its process */
    size_t random_streams;     /* room for so many in the process's `jitter` */
};

/* What policies see of a slot that has had no process yet. */
static const struct sms__workload no_workload = {
    .name = "", .title = "", .source = "", .device = "", .scaled_from = "", .cls = ""};
static const struct sms__process_stream no_stream = {.repeat = 1};
static const struct sms__tenant no_vm = {SMS__TENANT_DEFAULTS, .workload = &no_workload, .stream = &no_stream};

/* The place, or the GPU where the host has no places, to which the slot belongs. */
static long place_of(const struct sms_share *share, size_t idx)
{
    const struct sms__place *place = share->setup.place;
    if (!place)
        return (long)(idx / share->setup.slots);
    long at = 0;
    for (size_t end = place[0].slots; idx >= end; end += place[at].slots)
        at++;
    return at;
}

static void init_slot(struct sms_share *share, size_t idx)
{
    struct sms__process *process = &share->process[idx];
    *process = (struct sms__process){
        .share = share,
        .idx = idx,
        .arrival = {.name = "", .gpu = place_of(share, idx), .due_ps = UINT64_MAX},
        .vm = &no_vm,
        .stream = &share->stream[idx],
        .record = SMS__NEW(share->arena, struct sms__process_record, 1),
    };
    *process->stream = (struct sms__stream){.process = process, .name = "", .workload = &no_workload};
    sms__stream_register(process->stream);
    sms__process_register(process);
}

void sms__slots_init(struct sms_share *share)
{
    share->slot = SMS__NEW(share->arena, struct sms__slot, share->processes);
    for (size_t p = 0; p < share->processes; p++)
        init_slot(share, p);
}

static size_t first_slot(const struct sms_share *share, long gpu)
{
    return share->setup.place ? share->instance[gpu].first_process : (size_t)gpu * share->setup.slots;
}

static struct sms__process *find_free(struct sms_share *share, long gpu)
{
    struct sms__process *process = &share->process[first_slot(share, gpu)];
    while (process->in_slot)
        process++;
    return process;
}

static void grow_jitter(struct sms__process *process, struct sms__slot *slot)
{
    gsl_rng **before = process->jitter;
    size_t room = slot->random_streams;
    if (process->vm->workload->kernels <= room)
        return;
    slot->random_streams = process->vm->workload->kernels;
    process->jitter = SMS__NEW(process->share->arena, gsl_rng *, slot->random_streams);
    for (size_t k = 0; k < room; k++)
        process->jitter[k] = before[k];
}

/* Random streams are named after the process, so that it draws the same in any slot. */
static void init_jitter(struct sms__process *process)
{
    struct sms_share *share = process->share;
    const struct sms__workload *workload = process->vm->workload;
    char name[3 * NAME_MAX_BYTES];
    grow_jitter(process, &share->slot[process->idx]);
    for (size_t k = 0; k < workload->kernels; k++) {
        if (!sms__is_drawn(&workload->kernel[k]))
            continue;
        snprintf(name, sizeof name, "blocks of %s/%s", process->arrival.name, workload->kernel[k].name);
        if (process->jitter[k])
            sms__stream_again(process->jitter[k], share->spec->seed, name, 0);
        else
            process->jitter[k] = sms__stream(share->arena, share->spec->seed, name, 0);
    }
}

/* The contexts of the slot belong to another process from now on. */
static void renew_contexts(const struct sms__process *process)
{
    const struct sms_share *share = process->share;
    for (size_t i = 0; i < share->instances; i++)
        if (share->instance[i].slicer && sms__instance_allows(&share->instance[i], process))
            sms__context_of(&share->instance[i], process)->renewed = true;
}

/* Puts a process into the slot of `process`, of which it keeps what belongs to the slot. */
static void take_slot(struct sms__process *process, const struct sms__arrival *arrival, uint64_t now)
{
    struct sms_share *share = process->share;
    const struct sms__record *record = share->spec->record;
    struct sms__slot *slot = &share->slot[process->idx];
    const struct sms__process kept = *process;
    snprintf(slot->name, sizeof slot->name, "%s", arrival->name);
    *process = (struct sms__process){
        .share = share,
        .idx = kept.idx,
        .tenant = kept.idx - first_slot(share, arrival->gpu),
        .arrival = *arrival,
        .vm = &share->setup.vm[arrival->vm],
        .first_kernel_type = record->first_kernel[arrival->vm],
        .stream = kept.stream,
        .record = kept.record,
        .vm_record = &share->spec->record->vm[arrival->vm],
        .takes_part = true,
        .in_slot = true,
        .unended = 1,
        .phase_since_ps = now,
        .parts = kept.parts,
        .jitter = kept.jitter,
        .timer = {.source = kept.timer.source},
    };
    process->arrival.name = slot->name;
    process->vm_record->unended++;
    if (share->limits_sms) /* each slot has kernel types of its own */
        process->first_kernel_type += process->idx * record->first_kernel[share->scenario->vms];
    *process->stream = (struct sms__stream){.process = process,
                                            .name = slot->name,
                                            .workload = process->vm->workload,
                                            .kernel = {.fit = process->stream->kernel.fit},
                                            .span = {.since_ps = now}};
    *process->record = (struct sms__process_record){0};
}

void sms__share_admit(struct sms_share *share, const struct sms__arrival *arrival, uint64_t start)
{
    struct sms__process *process = find_free(share, arrival->gpu);
    uint64_t now = share->engine->now;
    sms__stop_waiting(process->stream); /* a process that failed may still be in the list */
    renew_contexts(process);
    take_slot(process, arrival, now);
    sms__process_add_stream(process, process->stream);
    sms__part_set(process);
    init_jitter(process);
    sms__process_arrive_at(process, start);
}

void sms__share_each(struct sms_share *share, size_t tag, void (*act)(struct sms__process *process, uint64_t now),
                     uint64_t now)
{
    for (size_t p = 0; p < share->processes; p++)
        if (share->process[p].in_slot && share->process[p].arrival.tag == tag)
            act(&share->process[p], now);
}
