/* GPUs and instances: their memory, the processes and kernels on them, and their power. The memory, processes and
 * kernels of a GPU are the sums of those of its instances. */
#include "gpu.h"
#include "../oracle.h"
#include "host.h"

#include <math.h>

/* A host of slots keeps the records of its GPUs itself. `first_sm`: SMs of the GPUs before it. */
static void init_gpu(struct sms_share *share, size_t g, size_t first_sm)
{
    const struct sms__device *type = share->scenario->device[share->setup.type[g]];
    struct sms__record *record = share->spec->record;
    bool own = share->setup.slots > 0;
    share->gpu[g] = (struct sms__gpu){
        .idx = g,
        .type = type,
        .first_sm = first_sm,
        .in = {.capacity = type->link_bandwidth / 1e12},
        .out = {.capacity = type->link_bandwidth / 1e12},
        .record = own ? SMS__NEW(share->arena, struct sms__device_record, 1) : &record->device[g],
    };
}

/* Where the i-th instance is: as the host says, or of the policy's, or a whole GPU. Its slots, 0: any process. */
static struct sms__place place_of(const struct sms__host_setup *setup, size_t i)
{
    const struct sms__instances *instances = setup->spec->policy->instances;
    if (setup->place)
        return setup->place[i];
    return (struct sms__place){
        .gpu = instances ? instances->board[i] : i, .type = instances ? i : setup->type[i], .slots = setup->slots};
}

const struct sms__mode *sms__mode_of(const struct sms__host_setup *setup, size_t i)
{
    const struct sms__policy_use *use = setup->spec->policy;
    if (setup->place && setup->place[i].mode)
        return setup->place[i].mode;
    return use->instances ? use->instances->mode[i] : sms__mode_shared(&use->mode, 0);
}

size_t sms__contexts_of(const struct sms__host_setup *setup, size_t i, size_t processes)
{
    size_t slots = place_of(setup, i).slots;
    return !sms__mode_of(setup, i)->form->slices ? 1 : slots ? slots : processes;
}

/* `before`: slots of the instances before it. */
static void init_instance(struct sms_share *share, size_t idx, size_t before)
{
    const struct sms__place place = place_of(&share->setup, idx);
    const struct sms__instances *instances = share->use->instances;
    struct sms__instance *instance = &share->instance[idx];
    *instance = (struct sms__instance){
        .share = share,
        .gpu = &share->gpu[place.gpu],
        .idx = idx,
        .top = NAN,
        .number = instances ? instances->number[place.type] : 0,
        .type = instances ? instances->device[place.type] : share->scenario->device[place.type],
        .mode = sms__mode_of(&share->setup, idx),
        .type_idx = place.type,
        .first_process = before,
        .processes_most = place.slots ? place.slots : share->processes,
    };
    instance->contention = sms__contention_view(share->arena, share->scenario, instance->type);
}

size_t sms__instances_of(const struct sms__host_setup *setup)
{
    const struct sms__instances *instances = setup->spec->policy->instances;
    return setup->place ? setup->places : instances ? instances->count : setup->gpus;
}

size_t sms__slots_of(const struct sms__host_setup *setup)
{
    size_t slots = setup->place ? 0 : setup->slots * setup->gpus;
    for (size_t i = 0; setup->place && i < setup->places; i++)
        slots += setup->place[i].slots;
    return slots;
}

void sms__gpus_init(struct sms_share *share)
{
    size_t before = 0;
    share->gpu = SMS__NEW(share->arena, struct sms__gpu, share->setup.gpus);
    share->instance = SMS__NEW(share->arena, struct sms__instance, share->instances);
    for (size_t g = 0, sms = 0; g < share->setup.gpus; sms += share->gpu[g++].type->sms)
        init_gpu(share, g, sms);
    for (size_t i = 0; i < share->instances; i++) {
        init_instance(share, i, before);
        before += place_of(&share->setup, i).slots;
    }
}

/* NULL where the device lacks a resource that the process demands. */
const struct sms__footprint *sms__instance_fits(const struct sms__instance *instance, size_t vm)
{
    const struct sms__instances *instances = instance->share->use->instances;
    return instances ? instances->fit[vm][instance->type_idx] : instance->share->setup.vm[vm].fit[instance->type_idx];
}

const struct sms__footprint *sms__instance_fit(const struct sms__instance *instance, const struct sms__stream *stream,
                                               size_t kernel)
{
    const struct sms__process *process = stream->process;
    size_t k = stream->first_kernel + kernel;
    if (stream->part->is_on && process->instance == instance && stream->workload->kernel[kernel].whole)
        return &process->parts.capped[k];
    return &sms__instance_fits(instance, process->arrival.vm)[k];
}

double sms__instance_kernel_ps(const struct sms__instance *instance, const struct sms__stream *stream, size_t k)
{
    const struct sms__footprint *fit = sms__instance_fit(instance, stream, k);
    const struct sms__kernel *kernel = &stream->workload->kernel[k];
    bool limited = stream->part->is_on && stream->process->instance == instance;
    double slots = (double)fit->per_sm * (double)(limited ? stream->part->sms : instance->type->sms);
    if (kernel->whole || slots <= 0)
        return fit->work_ps * fit->alone;
    uint64_t waves = (uint64_t)((double)kernel->blocks / slots);
    return fit->work_ps * fit->alone * (double)(waves + ((double)waves * slots < (double)kernel->blocks));
}

double sms__instance_kernel_ps_on(const struct sms__instance *instance, const struct sms__stream *stream, size_t k,
                                  size_t sms)
{
    const struct sms__footprint *fit =
        &sms__instance_fits(instance, stream->process->arrival.vm)[stream->first_kernel + k];
    const struct sms__kernel *kernel = &stream->workload->kernel[k];
    const double slots = (double)fit->per_sm * (double)sms;
    if (kernel->whole || slots <= 0)
        return fit->work_ps * fit->alone *
               sms__slowdown_on(fit, instance->type, (double)sms / (double)instance->type->sms);
    return fit->work_ps * fit->alone * ceil((double)kernel->blocks / slots);
}

uint64_t sms__instance_free(const struct sms__instance *instance) { return instance->type->memory - instance->held; }

bool sms__instance_allows(const struct sms__instance *instance, const struct sms__process *process)
{
    size_t place = instance->share->setup.place ? instance->idx : instance->gpu->idx;
    return (process->arrival.gpu < 0 || (size_t)process->arrival.gpu == place) &&
           sms__may_have(process->vm, instance->type, instance->number) &&
           sms__mode_takes(instance->mode, instance->type, process->vm) &&
           sms__instance_fits(instance, process->arrival.vm);
}

/* True if as many SMs are free as the mode reserves for the process. */
static bool has_sms(const struct sms__instance *instance, const struct sms__process *process)
{
    const struct sms__mode *mode = instance->mode;
    size_t free = 0;
    for (size_t s = 0; mode->form->reserves && s < instance->type->sms; s++)
        free += instance->claims[s] == 0;
    return !mode->form->reserves || free >= sms__mode_sms(mode, instance->type, process->vm);
}

bool sms__instance_admits(const struct sms__instance *instance, const struct sms__process *process)
{
    bool is_empty = instance->processes == 0;
    return sms__instance_allows(instance, process) &&
           instance->processes < sms__mode_most_processes(instance->mode, instance->type) && !instance->exclusive &&
           (is_empty || !process->exclusive) && sms__instance_free(instance) >= sms__process_context_bytes(process) &&
           has_sms(instance, process);
}

long sms__instance_choose(const struct sms_share *share, const struct sms__process *process)
{
    const struct sms__instance *best = NULL;
    for (size_t i = 0; i < share->instances; i++) {
        const struct sms__instance *instance = &share->instance[i];
        if (!sms__instance_admits(instance, process))
            continue;
        bool roomier =
            best && instance->processes == best->processes && sms__instance_free(instance) > sms__instance_free(best);
        if (!best || instance->processes < best->processes || roomier)
            best = instance;
    }
    return best ? (long)best->idx : SMS_WAIT;
}

/* Launches ask for it far more often than processes come and go. */
double sms__instance_top_priority(struct sms__instance *instance)
{
    const struct sms_share *share = instance->share;
    if (!isnan(instance->top))
        return instance->top;
    instance->top = -INFINITY;
    for (size_t p = 0; p < share->processes; p++)
        if (share->process[p].instance == instance)
            instance->top = fmax(instance->top, share->process[p].vm->priority);
    return instance->top;
}

void sms__gpu_advance(struct sms__gpu *gpu, uint64_t now)
{
    uint64_t elapsed = now - gpu->advanced_ps;
    gpu->advanced_ps = now;
    gpu->record->busy_ps += gpu->kernels ? elapsed : 0;
    gpu->record->held_ps += (sms__integral)gpu->held * elapsed;
    gpu->record->single_ps += gpu->processes == 1 ? elapsed : 0;
    gpu->record->several_ps += gpu->processes > 1 ? elapsed : 0;
}

void sms__instance_hold(struct sms__instance *instance, int64_t bytes, uint64_t now)
{
    struct sms__gpu *gpu = instance->gpu;
    sms__gpu_advance(gpu, now);
    instance->held += (uint64_t)bytes;
    gpu->held += (uint64_t)bytes;
    if (gpu->held > gpu->record->peak_held)
        gpu->record->peak_held = gpu->held;
    if (bytes < 0)
        sms__changed(instance->share);
}

static void check_mode(const struct sms__instance *instance, const struct sms__process *process)
{
    const char *wrong = sms__oracle->check_mode(instance->mode, instance->type, process->vm);
    if (wrong)
        sms__share_refuse(instance->share, "mode %s %s", instance->mode->form->name, wrong);
}

size_t sms__instance_tenants(const struct sms__instance *instance, size_t from, size_t before)
{
    const struct sms__site site = {instance->type, instance->mode, instance->gpu->idx, instance->number};
    return sms__tenants_at(sms__among(instance->share->spec), &site, from, before);
}

/* The number of a tenant. It is counted from the one that entered last, because most enter in their order. */
static size_t number_of(struct sms__instance *instance, size_t vm)
{
    if (vm < instance->numbered)
        instance->numbered = instance->tenant = 0;
    instance->tenant += sms__instance_tenants(instance, instance->numbered, vm);
    instance->numbered = vm;
    return instance->tenant;
}

void sms__instance_enter(struct sms__instance *instance, struct sms__process *process, uint64_t now)
{
    if (instance->share->spec->options->check)
        check_mode(instance, process);
    sms__gpu_advance(instance->gpu, now);
    instance->processes++;
    instance->top = NAN;
    instance->declared += sms__process_declared(process);
    instance->gpu->processes++;
    if (process->exclusive)
        instance->exclusive = process;
    process->instance = instance;
    if (!instance->share->slot)
        process->tenant = number_of(instance, instance->share->spec->number + process->arrival.vm);
}

void sms__instance_leave(struct sms__instance *instance, struct sms__process *process, uint64_t now)
{
    sms__gpu_advance(instance->gpu, now);
    instance->processes--;
    instance->top = NAN;
    instance->declared -= sms__process_declared(process);
    instance->gpu->processes--;
    if (instance->exclusive == process)
        instance->exclusive = NULL;
    process->previous = instance;
    process->instance = NULL;
    sms__changed(instance->share);
}

void sms__instance_kernel(struct sms__instance *instance, double core, int count, uint64_t now)
{
    struct sms__gpu *gpu = instance->gpu;
    double part = (double)instance->type->sms / (double)gpu->type->sms;
    sms__gpu_advance(gpu, now);
    gpu->kernels += (size_t)count;
    instance->kernels += (size_t)count;
    instance->core += count * core;
    gpu->core += count * (double)(uint64_t)(core * part + 0.5); /* whole parts, so that sums stay exact */
}

const struct sms__gpu *sms__share_gpu(const struct sms_share *share, size_t gpu) { return &share->gpu[gpu]; }

void sms__share_hold(struct sms_share *share, size_t gpu, int64_t bytes, uint64_t now)
{
    sms__instance_hold(&share->instance[gpu], bytes, now);
}
