/* Processes of a scenario: what they draw, and when they arrive. All draws are the same under every policy. */
#include "host.h"
#include "stream.h"

/* Draws one workload of those that the process may do; a VM has but one. */
static size_t draw_workload(const struct sms__process *process, uint64_t seed)
{
    const struct sms__tenant *vm = process->vm;
    struct sms__arena *arena = process->share->arena;
    size_t drawn = 0;
    if (process->record && vm->choices > 1 && !vm->own) {
        const char *name = sms__print(arena, "workload of %s", vm->name);
        drawn = gsl_rng_uniform_int(sms__stream(arena, seed, name, 0), vm->choices);
        process->record->choice = drawn;
    }
    return drawn;
}

/* A VM draws numbers of its own on each GPU. */
static size_t number_of(const struct sms__process *process)
{
    return process->share->setup.vms ? (size_t)process->arrival.gpu : 0;
}

/* Streams that do the same workload draw from one sequence. */
static void init_jitter(struct sms__process *process, const struct sms__stream *stream, uint64_t seed)
{
    struct sms__arena *arena = process->share->arena;
    const struct sms__tenant *vm = process->vm;
    const struct sms__workload *named = vm->own ? vm->workload : stream->workload;
    size_t first = vm->own ? stream->first_kernel : 0;
    for (size_t k = 0; k < stream->workload->kernels; k++) {
        gsl_rng **jitter = &process->jitter[stream->first_kernel + k];
        const char *kernel = named->kernel[first + k].name;
        if (sms__is_drawn(&stream->workload->kernel[k]) && !*jitter)
            *jitter =
                sms__stream(arena, seed, sms__print(arena, "blocks of %s/%s", vm->name, kernel), number_of(process));
    }
}

static void init_stream(struct sms__stream *stream, struct sms__process *process, size_t idx, size_t drawn)
{
    const struct sms__tenant *vm = process->vm;
    const struct sms__choice *choice = &vm->choice[vm->own ? idx : drawn];
    *stream = (struct sms__stream){
        .process = process,
        .idx = idx,
        .name = vm->streams > 1 && !process->share->setup.vms
                    ? sms__print(process->share->arena, "%s/%zu", vm->name, idx + 1)
                    : vm->name,
        .workload = choice->workload,
        .first_kernel = choice->first,
    };
    sms__process_add_stream(process, stream);
    sms__stream_register(stream);
}

static void init_streams(struct sms__process *process, size_t drawn)
{
    struct sms_share *share = process->share;
    struct sms__stream *last = process->stream;
    init_stream(last, process, 0, drawn);
    for (size_t i = 1; i < process->vm->streams; i++) {
        last->next = &share->stream[share->streams++];
        last = last->next;
        init_stream(last, process, i, drawn);
    }
}

/* Streams that wait for each other begin at their first steps. */
static bool waits(const struct sms__process *process)
{
    bool waits = false;
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next)
        waits |= stream->workload->waits;
    return waits;
}

/* Each stream that repeats for ever draws how far it is in a job, by its times on a device that the process may have.
 * By itself, a process begins its first. */
static void draw_phases(struct sms__process *process, uint64_t seed)
{
    const struct sms__tenant *vm = process->vm;
    const struct sms_scenario *scenario = process->share->scenario;
    const size_t device = process->arrival.gpu < 0 ? sms__first_device(vm) : (size_t)process->arrival.gpu;
    struct sms__arena *arena = process->share->arena;
    gsl_rng *random = sms__stream(arena, seed, sms__print(arena, "phase of %s", vm->name), number_of(process));
    struct sms__phase (*find)(const struct sms_scenario *, const struct sms__workload *, const struct sms__footprint *,
                              const struct sms__device *, double) = waits(process) ? sms__phase_before : sms__phase_at;
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next) {
        double u = gsl_rng_uniform(random);
        if (sms__stream_repeat(vm, stream->idx) == 0)
            stream->begins =
                find(scenario, stream->workload, vm->fit[device] + stream->first_kernel, scenario->device[device], u);
    }
}

void sms__process_init(struct sms_share *share, size_t idx, size_t v, long gpu)
{
    const struct sms__run_spec *spec = share->spec;
    const struct sms__tenant *vm = &share->setup.vm[v];
    struct sms__process *process = &share->process[idx];
    *process = (struct sms__process){
        .share = share,
        .idx = idx,
        .arrival = {.name = vm->name, .vm = v, .gpu = gpu, .due_ps = UINT64_MAX},
        .vm = vm,
        .first_kernel_type = spec->record->first_kernel[v],
        .stream = &share->stream[idx],
        .record = share->setup.vms ? NULL : &spec->record->vm[v].process,
        .vm_record = &spec->record->vm[v],
        .takes_part = spec->only_vm < 0 || (size_t)spec->only_vm == v,
        .unended = vm->streams,
    };
    process->vm_record->unended++;
    init_streams(process, draw_workload(process, spec->seed));
    sms__process_register(process);
    if (!process->takes_part) /* random streams are large, and n stand-alone runs have n * (n - 1) such processes */
        return;
    process->jitter = SMS__NEW(share->arena, gsl_rng *, vm->workload->kernels);
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next)
        init_jitter(process, stream, spec->seed);
    if (vm->arrivals != SMS__CLOSED)
        sms__process_receive_jobs(process, spec->seed, number_of(process));
    if (vm->draws_phase && spec->only_vm < 0)
        draw_phases(process, spec->seed);
    sms__process_arrive_at(process, (uint64_t)(vm->start_ps + 0.5));
}
