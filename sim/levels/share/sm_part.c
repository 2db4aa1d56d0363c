/* The mode and the policy give SMs to processes, a green context gives some of these to streams. Block by block a part
 * is a set of SMs: of equal ones those that fewest others have, and the first of these. A coarse kernel takes longer
 * on a part, as footprint.c says, and so asks for less of everything. */
#include "sm_part.h"
#include "context.h"
#include "../run_observer.h"
#include "../../model/no_load.h"

#include <math.h>
#include <string.h>

static const struct sms__device *type_of(const struct sms__process *process) { return process->instance->type; }

static const struct sms__green *green_of(const struct sms__stream *stream)
{
    const struct sms__tenant *vm = stream->process->vm;
    return vm->stream ? vm->stream[stream->idx].green : NULL;
}

/* Processes come first. */
static size_t owner_of(const struct sms__stream *stream)
{
    const struct sms_share *share = stream->process->share;
    return share->processes + (size_t)(stream - share->stream);
}

/* ---- which SMs ---- */

static void clear(struct sms__sm_part *part, size_t sms)
{
    memset(part->allowed.row, 0, (sms + 63) / 64 * sizeof *part->allowed.row);
    part->sms = 0;
}

static void choose_green(struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    const struct sms__device *type = type_of(process);
    const bool on = process->parts.all.is_on;
    const struct sms__sm_choice from = {on ? process->parts.all.allowed.row : NULL, process->parts.claims,
                                        on ? process->parts.all.sms : type->sms, type->sms};
    clear(stream->part, type->sms);
    stream->part->sms = sms__choose_green(&from, green_of(stream), type, stream->part->allowed.row);
}

/* In the order of the list. Streams of one entry have one context. */
static void choose_greens(struct sms__process *process)
{
    if (process->parts.claims)
        memset(process->parts.claims, 0, type_of(process)->sms * sizeof *process->parts.claims);
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        if (green_of(stream) && stream->part->allowed.owner == owner_of(stream))
            choose_green(stream);
}

/* ---- what follows for kernels ---- */

/* A time alone on a part has in it by how much the contention model slows the kernel there. That is less than on all
 * SMs, because the kernel uses less. Its blocks take no room beyond the part. */
static struct sms__footprint cap(const struct sms__stream *stream, size_t k, const struct sms__footprint *of)
{
    struct sms__footprint fit = *of;
    const struct sms__device *type = type_of(stream->process);
    double part = (double)stream->part->sms / (double)type->sms, slow = sms__slowdown_on(&fit, type, part);
    fit.room = fmin(fit.room / slow, part);
    for (size_t r = 0; r < type->resources; r++) {
        bool of_sms = fit.by_share && type->resource[r].scope == SMS_SCOPE_SM;
        sms__press_less(&fit, r, slow, of_sms ? part * SMS_FULL : SMS_FULL);
    }
    sms__set_core(&fit);
    sms__draw_less(&fit, type, slow);
    fit.work_ps *= slow * fit.alone;
    sms__find_no_load(stream->process->share->scenario, &stream->workload->kernel[k], type, &fit);
    fit.work = (uint64_t)(fmin(fit.work_ps, SMS__TIME_MAX_PS) + 0.5);
    fit.of = of;
    fit.sms = stream->part->sms;
    return fit;
}

static void limit_kernels(const struct sms__stream *stream)
{
    struct sms__process *process = stream->process;
    const struct sms__context *context = sms__context_of(process->instance, process);
    const struct sms__footprint *fits = sms__instance_fits(process->instance, process->arrival.vm);
    const bool same = stream->part->capped_sms == stream->part->sms && stream->part->capped_from == fits;
    for (size_t i = 0; stream->part->is_on && i < stream->workload->kernels; i++) {
        size_t k = stream->first_kernel + i;
        if (!stream->workload->kernel[i].whole && context->has_blocks)
            sms__blocks_update_allowed(context->blocks, process->first_kernel_type + k);
        else if (stream->workload->kernel[i].whole && stream->part->sms && !same)
            process->parts.capped[k] = cap(stream, i, &fits[k]);
    }
}

static void tell(const struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    struct sms__run_observer *observer = process->share->spec->observer;
    if (!stream->part->is_on || !sms__observes(observer, SMS_RUN_PART))
        return;
    const struct sms_part part = {.process = process->idx,
                                  .name = stream->name,
                                  .device = (long)process->instance->idx,
                                  .at_ps = process->share->engine->now,
                                  .set = stream->part->allowed.row,
                                  .of = type_of(process)->sms};
    sms__observe(observer, (struct sms_run_event){SMS_RUN_PART, .part = &part});
}

/* The SMs of the process are chosen. */
static void settle(struct sms__process *process)
{
    choose_greens(process);
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next) {
        limit_kernels(stream);
        tell(stream);
    }
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next) {
        stream->part->capped_sms = stream->part->is_on ? stream->part->sms : 0;
        stream->part->capped_from = sms__instance_fits(process->instance, process->arrival.vm);
    }
}

/* ---- over time ---- */

void sms__part_enter(struct sms__process *process)
{
    struct sms__sm_part *all = &process->parts.all;
    const size_t sms = type_of(process)->sms;
    const struct sms__sm_choice from = {NULL, process->instance->claims, sms, sms};
    if (!process->share->limits_sms)
        return;
    process->parts.changes = false;
    if (all->is_on) {
        clear(all, sms);
        all->sms = sms__choose_sms(&from, (size_t)sms__mode_sms(process->instance->mode, type_of(process), process->vm),
                                   all->allowed.row);
    }
    settle(process);
}

static void release(struct sms__process *process)
{
    const struct sms__sm_part *all = &process->parts.all;
    for (size_t s = 0; all->is_on && s < type_of(process)->sms; s++)
        process->instance->claims[s] -= sms__has_sm(all->allowed.row, s);
}

void sms__part_leave(struct sms__process *process)
{
    if (process->share->limits_sms)
        release(process);
}

size_t sms__stream_sms(const struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    return !process->instance ? 0 : stream->part->is_on ? stream->part->sms : type_of(process)->sms;
}

void sms__part_change(struct sms__process *process, const uint64_t *sms)
{
    struct sms__sm_part *all = &process->parts.all;
    uint32_t *claims = process->instance->claims;
    const bool reserves = process->instance->mode->form->reserves;
    release(process);
    clear(all, type_of(process)->sms);
    for (size_t s = 0; s < type_of(process)->sms; s++)
        if (sms__has_sm(sms, s) && !(reserves && claims[s]))
            all->sms += sms__take_sm(all->allowed.row, claims, s);
    settle(process);
}

/* ---- before a run ---- */

static size_t most_sms(const struct sms_share *share)
{
    size_t most = 0;
    for (size_t i = 0; i < share->instances; i++)
        most = share->instance[i].type->sms > most ? share->instance[i].type->sms : most;
    return most;
}

/* Whether a process of the VM may have fewer SMs than some device or instance. */
static bool is_limited(const struct sms_share *share, const struct sms__tenant *vm)
{
    bool limited = share->policy.policy->repartitions;
    for (size_t i = 0; i < share->instances && !limited; i++) {
        const struct sms__mode *mode = share->instance[i].mode;
        const struct sms__device *type = share->instance[i].type;
        limited = mode->form->reserves || sms__mode_sms(mode, type, vm) < type->sms;
    }
    return limited;
}

static bool has_greens(const struct sms__tenant *vm)
{
    bool any = false;
    for (size_t s = 0; vm->stream && s < vm->streams; s++)
        any |= vm->stream[s].green != NULL;
    return any;
}

bool sms__parts_any(const struct sms_share *share)
{
    bool any = false;
    for (size_t v = 0; v < share->scenario->vms && !share->setup.vms; v++) {
        const struct sms__tenant *vm = &share->setup.vm[v];
        any |= (share->spec->only_vm < 0 || (size_t)share->spec->only_vm == v) &&
               (is_limited(share, vm) || has_greens(vm));
    }
    return any;
}

void sms__part_set(struct sms__process *process)
{
    process->parts.all.is_on = process->parts.all.allowed.row && is_limited(process->share, process->vm);
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        stream->part = stream->part ? stream->part : &process->parts.all;
}

static size_t most_kernels(const struct sms_share *share)
{
    size_t most = 0;
    for (size_t v = 0; v < share->scenario->vms; v++)
        most = share->setup.vm[v].workload->kernels > most ? share->setup.vm[v].workload->kernels : most;
    return most;
}

/* That of an earlier stream of the same entry, or one of its own. */
static struct sms__sm_part *green_part(const struct sms__stream *stream, size_t words)
{
    struct sms__arena *arena = stream->process->share->arena;
    for (const struct sms__stream *other = stream->process->stream; other != stream; other = other->next)
        if (green_of(other) == green_of(stream))
            return other->part;
    struct sms__sm_part *part = SMS__NEW(arena, struct sms__sm_part, 1);
    part->is_on = true;
    part->allowed = (struct sms__allowed){owner_of(stream), SMS__NEW(arena, uint64_t, words)};
    return part;
}

static void init_parts(struct sms__process *process, size_t words, size_t kernels)
{
    struct sms_share *share = process->share;
    process->parts.all.allowed = (struct sms__allowed){process->idx, SMS__NEW(share->arena, uint64_t, words)};
    process->parts.capped = SMS__NEW(share->arena, struct sms__footprint, kernels);
    if (share->policy.policy->repartitions)
        process->parts.next = SMS__NEW(share->arena, uint64_t, words);
    if (!share->slot && has_greens(process->vm))
        process->parts.claims = SMS__NEW(share->arena, uint32_t, words * 64);
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next) {
        if (!share->slot && green_of(stream))
            stream->part = green_part(stream, words);
        if (share->policy.policy->repartitions)
            stream->kernel.fit = SMS__NEW(share->arena, struct sms__footprint, 1);
    }
}

void sms__parts_init(struct sms_share *share)
{
    size_t words = (most_sms(share) + 63) / 64, kernels = most_kernels(share);
    for (size_t p = 0; p < share->processes; p++) {
        struct sms__process *process = &share->process[p];
        bool known = !share->slot && process->takes_part;
        if (share->limits_sms &&
            (share->slot || (known && (is_limited(share, process->vm) || has_greens(process->vm)))))
            init_parts(process, words, kernels);
        sms__part_set(process);
    }
    for (size_t i = 0; share->limits_sms && i < share->instances; i++)
        share->instance[i].claims = SMS__NEW(share->arena, uint32_t, share->instance[i].type->sms);
}

static void allow(const struct sms__sm_part *part, size_t kernels, const struct sms__allowed **allowed)
{
    for (size_t k = 0; k < kernels; k++)
        allowed[k] = &part->allowed;
}

/* A slot may get any VM, which has one stream. */
static void allow_slot(const struct sms__process *process, const struct sms__allowed **allowed)
{
    const struct sms_share *share = process->share;
    const size_t *first = share->spec->record->first_kernel;
    size_t vms = share->scenario->vms;
    for (size_t v = 0; v < vms; v++)
        if (is_limited(share, &share->setup.vm[v]))
            allow(&process->parts.all, share->setup.vm[v].workload->kernels,
                  allowed + process->idx * first[vms] + first[v]);
}

const struct sms__allowed *const *sms__parts_of(const struct sms_share *share)
{
    if (!share->limits_sms)
        return NULL;
    const struct sms__allowed **allowed = SMS__NEW(share->arena, const struct sms__allowed *, share->kernel_types);
    for (size_t p = 0; p < share->processes; p++) {
        const struct sms__process *process = &share->process[p];
        if (share->slot)
            allow_slot(process, allowed);
        for (const struct sms__stream *stream = process->stream; stream && !share->slot; stream = stream->next)
            if (stream->part->is_on)
                allow(stream->part, stream->workload->kernels,
                      allowed + process->first_kernel_type + stream->first_kernel);
    }
    return allowed;
}
