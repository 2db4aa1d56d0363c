/* The parts of the SMs that the mode gives to processes. Block by block, a limited process has SMs of its own choice:
 * those that fewest others have chosen, the first of equal ones. A coarse kernel takes longer, as footprint.c says, and
 * so asks for less of everything. */
#include "limit.h"
#include "context.h"

#include <math.h>
#include <string.h>

static const struct sms__device *type_of(const struct sms__process *process) { return process->instance->type; }

/* The number of SMs that the process may use: whole granules, and at least one SM. */
static size_t count_sms(const struct sms__process *process)
{
    const struct sms__mode *mode = &process->share->use->mode;
    double granule = mode->granule ? (double)mode->granule : 1;
    double granules = sms__mode_part(mode, process->vm) * (double)type_of(process)->sms / granule;
    size_t sms = (size_t)(floor(granules + 1e-9) * granule); /* 29 % of 100 are 29 */
    return sms > 0 ? sms : 1;
}

/* Chooses up to `wanted` SMs that `level` others have chosen. */
static void choose_at(struct sms__process *process, uint32_t level, size_t *wanted)
{
    uint32_t *claims = process->instance->claims;
    uint64_t *row = process->limit.allowed.row;
    for (size_t s = 0; s < type_of(process)->sms && *wanted; s++) {
        if (claims[s] != level || (row[s / 64] >> (s % 64) & 1))
            continue;
        claims[s]++;
        row[s / 64] |= (uint64_t)1 << (s % 64);
        --*wanted;
    }
}

static void choose_sms(struct sms__process *process)
{
    uint64_t *row = process->limit.allowed.row;
    size_t words = (type_of(process)->sms + 63) / 64, wanted = process->limit.sms;
    memset(row, 0, words * sizeof *row);
    for (uint32_t level = 0; wanted; level++)
        choose_at(process, level, &wanted);
}

static struct sms__footprint cap(const struct sms__process *process, struct sms__footprint fit)
{
    const struct sms__device *type = type_of(process);
    double part = (double)process->limit.sms / (double)type->sms, slow = sms__slowdown_on(&fit, type, part);
    fit.room /= slow;
    for (size_t r = 0; r < type->resources; r++) {
        bool of_sms = fit.by_share && type->resource[r].scope == SMS_SCOPE_SM;
        sms__press_less(&fit, r, slow, of_sms ? part * SMS_FULL : SMS_FULL);
    }
    fit.work_ps *= slow;
    fit.work = (uint64_t)(fmin(fit.work_ps, SMS__TIME_MAX_PS) + 0.5);
    return fit;
}

static void limit_kernels(struct sms__process *process, const struct sms__stream *stream)
{
    struct sms__context *context = sms__context_of(process->instance, process);
    for (size_t i = 0; i < stream->workload->kernels; i++) {
        size_t k = stream->first_kernel + i;
        if (stream->workload->kernel[i].whole)
            process->limit.capped[k] = cap(process, sms__instance_fits(process->instance, process->arrival.vm)[k]);
        else if (context->has_blocks)
            sms__blocks_update_allowed(context->blocks, process->first_kernel_type + k);
    }
}

void sms__limit_enter(struct sms__process *process)
{
    if (!process->limit.is_on)
        return;
    process->limit.sms = count_sms(process);
    choose_sms(process);
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next)
        limit_kernels(process, stream);
}

void sms__limit_leave(struct sms__process *process)
{
    for (size_t s = 0; process->limit.is_on && s < type_of(process)->sms; s++)
        process->instance->claims[s] -= process->limit.allowed.row[s / 64] >> (s % 64) & 1;
}

static size_t most_sms(const struct sms_share *share)
{
    size_t most = 0;
    for (size_t i = 0; i < share->instances; i++)
        most = share->instance[i].type->sms > most ? share->instance[i].type->sms : most;
    return most;
}

static bool is_limited(const struct sms_share *share, const struct sms__tenant *vm)
{
    return sms__mode_part(&share->use->mode, vm) < 1;
}

bool sms__limits_any(const struct sms_share *share)
{
    bool any = false;
    for (size_t v = 0; v < share->scenario->vms; v++)
        any |=
            is_limited(share, &share->setup.vm[v]) && (share->spec->only_vm < 0 || (size_t)share->spec->only_vm == v);
    return any;
}

void sms__limit_set(struct sms__process *process)
{
    process->limit.is_on = process->share->limits_sms && is_limited(process->share, process->vm);
}

static size_t most_kernels(const struct sms_share *share)
{
    size_t most = 0;
    for (size_t v = 0; v < share->scenario->vms; v++)
        most = share->setup.vm[v].workload->kernels > most ? share->setup.vm[v].workload->kernels : most;
    return most;
}

static void init_limit(struct sms__process *process, size_t words, size_t kernels)
{
    process->limit.allowed.owner = process->idx;
    process->limit.allowed.row = SMS__NEW(process->share->arena, uint64_t, words);
    process->limit.capped = SMS__NEW(process->share->arena, struct sms__footprint, kernels);
}

void sms__limits_init(struct sms_share *share)
{
    size_t words = (most_sms(share) + 63) / 64, kernels = most_kernels(share);
    for (size_t p = 0; share->limits_sms && p < share->processes; p++) {
        struct sms__process *process = &share->process[p];
        if (!share->slot && process->takes_part)
            sms__limit_set(process);
        if (share->slot || process->limit.is_on)
            init_limit(process, words, kernels);
    }
    for (size_t i = 0; share->limits_sms && i < share->instances; i++)
        share->instance[i].claims = SMS__NEW(share->arena, uint32_t, share->instance[i].type->sms);
}

static void allow(const struct sms__process *process, size_t vm, size_t first_type, const struct sms__allowed **allowed)
{
    const struct sms__tenant *of = &process->share->setup.vm[vm];
    for (size_t k = 0; is_limited(process->share, of) && k < of->workload->kernels; k++)
        allowed[first_type + k] = &process->limit.allowed;
}

const struct sms__allowed *const *sms__limits_of(const struct sms_share *share)
{
    const size_t *first = share->spec->record->first_kernel;
    size_t vms = share->scenario->vms;
    if (!share->limits_sms)
        return NULL;
    const struct sms__allowed **allowed = SMS__NEW(share->arena, const struct sms__allowed *, share->kernel_types);
    for (size_t p = 0; p < share->processes; p++) {
        const struct sms__process *process = &share->process[p];
        for (size_t v = 0; share->slot && v < vms; v++)
            allow(process, v, p * first[vms] + first[v], allowed);
        if (!share->slot && process->limit.is_on)
            allow(process, p, first[p], allowed);
    }
    return allowed;
}
