/* A host: sets up its parts, and does for all of them what is asked of the host. And a run of a scenario with VMs or
 * processes, which is one host. */
#include "coarse_mix.h"
#include "context.h"
#include "sm_part.h"
#include "stream.h"
#include "time_slice.h"

static const struct sms_share_policy none = {.name = "none"}; /* VMs have no share policy */

/* The processes of a tenant of the scenario. */
static size_t processes_of(const struct sms__host_setup *setup, const struct sms__tenant *vm)
{
    return setup->vms && vm->device < 0 ? setup->gpus : 1;
}

static size_t count_processes(const struct sms__host_setup *setup)
{
    size_t processes = sms__slots_of(setup);
    for (size_t v = 0; !setup->slots && v < setup->spec->scenario->vms; v++)
        processes += processes_of(setup, &setup->vm[v]);
    return processes;
}

static size_t count_streams(const struct sms__host_setup *setup)
{
    size_t streams = setup->slots ? count_processes(setup) : 0;
    for (size_t v = 0; !setup->slots && v < setup->spec->scenario->vms; v++)
        streams += setup->vm[v].streams * processes_of(setup, &setup->vm[v]);
    return streams;
}

/* Blocks of VMs are on the engine of the run, those of processes on engines of their own. */
static void count_blocks(const struct sms__host_setup *setup, size_t sources[SMS__LEVELS])
{
    const struct sms_scenario *scenario = setup->spec->scenario;
    size_t each = 0;
    for (size_t g = 0; g < setup->gpus; g++) {
        const struct sms__device *device = scenario->device[setup->type[g]];
        bool again = g > 0 && device == scenario->device[setup->type[g - 1]];
        each = again ? each : sms__block_sources(setup->spec, device);
        sources[SMS__LEVEL_BLOCK] += each;
    }
}

void sms__share_count(const struct sms__host_setup *setup, size_t sources[SMS__LEVELS])
{
    const size_t processes = count_processes(setup);
    if (setup->vms)
        count_blocks(setup, sources);
    for (size_t i = 0; i < sms__instances_of(setup); i++) {
        sources[SMS__LEVEL_BLOCK] += setup->vms ? 0 : sms__contexts_of(setup, i, processes);
        sources[SMS__LEVEL_TENANT] += sms__mode_of(setup, i)->form->slices;
    }
    sms__flows_count(setup, count_streams(setup), sources);
    sources[SMS__LEVEL_TENANT] += processes;
    for (size_t v = 0; !setup->slots && v < setup->spec->scenario->vms; v++)
        sources[SMS__LEVEL_TENANT] += setup->vm[v].arrivals != SMS__CLOSED ? processes_of(setup, &setup->vm[v]) : 0;
    sources[SMS__LEVEL_POLICY] += 1;
}

/* A VM is a process on each GPU that may have it. */
static void init_vms(struct sms_share *share)
{
    size_t p = 0;
    for (size_t v = 0; v < share->scenario->vms; v++)
        for (size_t g = 0; g < share->setup.gpus; g++)
            if (sms__may_be_on(&share->setup.vm[v], g))
                sms__process_init(share, p++, v, (long)g);
}

/* Kernel types are those of the scenario's VMs. If slots may be kept to SMs of their own, each slot has its own types.
 */
static void init_processes(struct sms_share *share)
{
    size_t kernels = share->spec->record->first_kernel[share->scenario->vms];
    share->streams = share->processes;
    share->process = SMS__NEW(share->arena, struct sms__process, share->processes);
    share->stream = SMS__NEW(share->arena, struct sms__stream, count_streams(&share->setup));
    share->limits_sms = sms__parts_any(share);
    share->kernel_types = share->setup.slots && share->limits_sms ? share->processes * kernels : kernels;
    if (share->setup.slots)
        sms__slots_init(share);
    else if (share->setup.vms)
        init_vms(share);
    else
        for (size_t p = 0; p < share->processes; p++)
            sms__process_init(share, p, p, share->setup.vm[p].device);
}

static void init_instances(struct sms_share *share)
{
    for (size_t i = 0; i < share->instances; i++) {
        sms__contexts_init(&share->instance[i]);
        sms__slicer_init(&share->instance[i]);
    }
    sms__parts_init(share);
    sms__contexts_begin_blocks(share);
}

struct sms_share *sms__share_new(struct sms__arena *arena, const struct sms__host_setup *setup)
{
    const struct sms_share_policy *policy = setup->vms ? &none : setup->spec->policy->share;
    const bool is_reference = setup->spec->options->engine == SMS_ENGINE_REFERENCE;
    struct sms_share *share = SMS__NEW(arena, struct sms_share, 1);
    *share = (struct sms_share){
        .setup = *setup,
        .spec = setup->spec,
        .scenario = setup->spec->scenario,
        .use = setup->spec->policy,
        .policy = {.policy = policy, .state = sms__alloc(arena, 1, policy->state ? policy->state : 1)},
        .arena = arena,
        .mixes = setup->mixes ? setup->mixes : sms__mixes_new(arena, is_reference),
        .engine = setup->engine,
        .instances = sms__instances_of(setup),
        .processes = count_processes(setup),
        .context_bytes = (uint64_t)setup->spec->scenario->host.context_bytes,
        .go_on = sms__stream_go_on,
    };
    sms__waiting_init(share, sms__stream_ask_again);
    sms__timers_init(share);
    sms__flows_init(share, count_streams(setup));
    sms__gpus_init(share);
    init_processes(share);
    init_instances(share);
    return share;
}

void sms__share_start(struct sms_share *share)
{
    if (share->policy.policy->start)
        share->policy.policy->start(share);
}

static void add_partial(struct sms__stream *stream, int sign, uint64_t now)
{
    uint64_t parts = 0;
    if (stream->kernel.on_device)
        parts = sms__context_add_partial(stream->kernel.context, &stream->kernel, sign, now);
    else if (stream->cut) /* between two pieces of its kernel */
        parts = sms__launch_add_partial(&stream->kernel.launch, sign);
    else if (stream->done > 0 && stream->workload->step[stream->step].kind == SMS__LAUNCH) /* it waits for leave */
        parts = sms__parts(stream->done, 1);
    sms__job_add_partial(stream, sign, parts);
}

void sms__share_advance(struct sms_share *share, int partial, uint64_t now)
{
    for (size_t i = 0; i < share->instances; i++) {
        struct sms__instance *instance = &share->instance[i];
        for (size_t c = 0; c < instance->contexts; c++)
            sms__context_advance(&instance->context[c], partial, now);
        sms__slicer_advance(instance, now);
    }
    for (size_t s = 0; partial && s < share->streams; s++)
        add_partial(&share->stream[s], partial, now);
    for (size_t g = 0; g < share->setup.gpus; g++)
        sms__gpu_advance(&share->gpu[g], now);
    for (size_t p = 0; p < share->processes; p++)
        sms__process_advance(&share->process[p], now);
}

/* Other records are the run's, which restarts them itself. */
void sms__share_forget(struct sms_share *share)
{
    for (size_t p = 0; share->slot && p < share->processes; p++)
        sms__process_record_restart(share->process[p].record);
    for (size_t g = 0; share->slot && g < share->setup.gpus; g++)
        sms__device_record_restart(share->gpu[g].record);
}

static enum sms__stall stall_of(const struct sms__process *process)
{
    switch (sms__process_phase(process)) {
    case SMS_PHASE_UNPLACED:
        return SMS__STALL_DEVICE;
    case SMS_PHASE_ALLOCATE:
        return SMS__STALL_MEMORY;
    case SMS_PHASE_SUSPENDED:
        return SMS__STALL_RESTORE;
    case SMS_PHASE_KERNEL:
        return SMS__STALL_SM;
    default:
        return SMS__STALL_LAUNCH;
    }
}

/* Whether a kernel of it waits that the block policy keeps off all SMs of its part, for as long as it has these. */
static bool is_kept_off(const struct sms__process *process)
{
    bool is = false;
    for (const struct sms__stream *stream = process->stream; stream && !is; stream = stream->next)
        is = stream->kernel.on_device && !stream->kernel.launch.kernel->whole && stream->part->is_on &&
             sms__blocks_refuse(stream->kernel.context->blocks, &stream->kernel.launch);
    return is && !process->share->policy.policy->repartitions;
}

/* A run that has ended before its processes tells of those alone that would go on waiting. VMs, which block policies
 * may keep off for a time, it does not tell of. */
void sms__share_close(struct sms_share *share, uint64_t now)
{
    struct sms__record *record = share->spec->record;
    for (size_t p = 0; p < share->processes; p++)
        sms__process_close(&share->process[p], now);
    for (size_t p = 0; p < share->processes; p++) {
        const struct sms__process *process = &share->process[p];
        const bool waits = !share->engine->stopped || (!share->setup.vms && is_kept_off(process));
        if (process->takes_part && process->unended && waits)
            record->stall[process->paused ? SMS__STALL_RESUME : stall_of(process)]++;
    }
}

const struct sms__process *sms__share_busy(const struct sms_share *share)
{
    bool under_way = share->pending > 0 || sms__flows_are_busy(share);
    for (size_t i = 0; i < share->instances; i++)
        for (size_t c = 0; c < share->instance[i].contexts; c++)
            under_way |= sms__context_is_under_way(&share->instance[i].context[c]);
    for (size_t p = 0; p < share->processes && under_way; p++)
        if (share->process[p].takes_part && !sms__has_ended(share->process[p].stream))
            return &share->process[p];
    return NULL;
}

uint64_t sms__share_events(const struct sms_share *share)
{
    uint64_t events = 0;
    for (size_t i = 0; i < share->instances; i++)
        for (size_t c = 0; c < share->instance[i].contexts; c++)
            events += sms__context_events(&share->instance[i].context[c]);
    return events;
}

int sms__share_code(const struct sms_share *share) { return share->code; }

/* ---- a run of a scenario with VMs or processes: one host on an engine of its own ---- */

struct run {
    struct sms_share *share;
    struct sms__engine engine;
};

static void end_warmup(void *subject, uint64_t now)
{
    struct sms_share *share = ((struct run *)subject)->share;
    sms__share_advance(share, 0, now);
    sms__record_restart(share->spec->record, now);
    sms__share_advance(share, -1, now);
}

static void end_process(void *subject, struct sms__process *process, uint64_t now)
{
    (void)now;
    if (process->share->active == 0)
        ((struct run *)subject)->engine.stopped = true;
}

static void init_engine(struct run *run, struct sms__arena *arena, const struct sms__host_setup *setup)
{
    size_t sources[SMS__LEVELS] = {[SMS__LEVEL_RUN] = 2};
    sms__share_count(setup, sources);
    sms__run_engine_init(&run->engine, arena, sources, setup->spec);
}

/* Of VMs. Those who look at processes look at their phases instead. */
static void init_bins(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    const struct sms_scenario *scenario = spec->scenario;
    struct sms__record *record = spec->record;
    size_t sms = 0;
    if (!spec->observer || !spec->options->bins || scenario->duration_ps <= 0 || scenario->shares)
        return;
    for (size_t d = 0; d < scenario->devices; d++)
        sms += scenario->device[d]->sms;
    record->bins = spec->options->bins;
    record->bin_ps = (uint64_t)(scenario->duration_ps / (double)record->bins) + 1;
    record->bin = SMS__NEW(arena, uint64_t, sms * record->bins);
}

static struct run *set_up(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    const struct sms_scenario *scenario = spec->scenario;
    struct run *run = SMS__NEW(arena, struct run, 1);
    size_t *type = SMS__NEW(arena, size_t, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++)
        type[d] = d;
    const struct sms__host_setup setup = {
        .spec = spec,
        .engine = &run->engine,
        .vm = scenario->vm,
        .type = type,
        .gpus = scenario->devices / sms__devices_for_one(scenario),
        .cores = (double)scenario->host.cores,
        .vms = !scenario->shares,
        .ended = end_process,
        .subject = run,
    };
    init_engine(run, arena, &setup);
    run->share = sms__share_new(arena, &setup);
    sms__run_ends(&run->engine, arena, spec, end_warmup, run);
    sms__share_start(run->share);
    return run;
}

int sms__share_run(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    struct sms__record *record = spec->record;
    sms__record_init(record, arena, spec->scenario);
    init_bins(arena, spec);
    struct run *run = set_up(arena, spec);
    int code = sms__engine_run(&run->engine);
    uint64_t now = run->engine.now;
    sms__share_advance(run->share, 1, now);
    sms__share_close(run->share, now);
    record->to_ps = now;
    sms__record_repeat(record, sms__devices_for_one(spec->scenario));
    record->events = run->engine.events + sms__share_events(run->share);
    if (*record->why)
        return SMS_EBUG;
    code = run->share->code ? run->share->code : code;
    const struct sms__process *busy = code || run->engine.stopped ? NULL : sms__share_busy(run->share);
    return busy ? sms__record_beyond(record, busy->vm->node, sms__tenant_word(spec->scenario), busy->vm->name) : code;
}
