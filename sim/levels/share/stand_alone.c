/* Runs a process by itself on a device, on a host and an engine of its own, and measures how long it takes. */
#include "../run_setup.h"
#include "host.h"
#include "slot.h"

struct alone {
    const struct sms__run_spec *spec;
    const struct sms__policy_use *block;
    const struct sms__tenant *vm; /* [vms]: the scenario's, or copies of them */
    size_t number, device;
    uint64_t jobs; /* jobs to do; 0: as many as the VM repeats */
    struct sms__arena arena;
    struct sms__engine engine;
    struct sms__record record;
    struct sms__stand_alone *out;
};

static void end_process(void *subject, struct sms__process *process, uint64_t now)
{
    struct alone *alone = subject;
    alone->out->ps = now;
    alone->out->failed = process->record->failed;
    alone->engine.stopped = true;
}

/* The policy of stand-alone runs, with this block policy. */
static struct sms__policy_use use_of(const struct alone *alone)
{
    struct sms__policy_use use = *alone->spec->scenario->alone;
    use.policy = alone->block->policy;
    for (size_t i = 0; i < SMS__PARAMS_MAX; i++)
        use.param[i] = alone->block->param[i];
    return use;
}

static void measure(const struct alone *alone)
{
    const struct sms__workload *workload = alone->vm[alone->number].workload;
    size_t s = 0;
    while (s < workload->steps && workload->step[s].kind != SMS__LAUNCH)
        s++;
    if (s == workload->steps)
        return;
    size_t k = alone->record.first_kernel[alone->number] + workload->step[s].kernel;
    const struct sms__kernel_record *kernel = &alone->record.kernel[k];
    double launches = kernel->launches ? (double)kernel->launches : 1;
    alone->out->kernel_ps = kernel->latency.sum / launches;
    alone->out->resident_ps = (double)sms__record_spans(&alone->record, k).residence_ps / launches;
}

/* Copies the VMs. The one that runs does fewer jobs. */
static const struct sms__tenant *shorten(struct alone *alone)
{
    size_t vms = alone->spec->scenario->vms;
    struct sms__tenant *vm = SMS__NEW(&alone->arena, struct sms__tenant, vms);
    struct sms__process_stream *stream = SMS__NEW(&alone->arena, struct sms__process_stream, 1);
    for (size_t v = 0; v < vms; v++)
        vm[v] = alone->vm[v];
    *stream = vm[alone->number].stream[0];
    vm[alone->number].repeat = stream->repeat = alone->jobs;
    vm[alone->number].stream = stream;
    return vm;
}

static int run(void *user)
{
    struct alone *alone = user;
    struct sms__policy_use use = use_of(alone);
    struct sms__run_spec spec = *alone->spec;
    size_t sources[SMS__LEVELS] = {0};
    spec.policy = &use;
    spec.observer = NULL;
    spec.record = &alone->record;
    const struct sms__host_setup setup = {.spec = &spec,
                                          .engine = &alone->engine,
                                          .vm = alone->jobs ? shorten(alone) : alone->vm,
                                          .type = &alone->device,
                                          .gpus = 1,
                                          .slots = 1,
                                          .ended = end_process,
                                          .subject = alone};
    const struct sms__arrival arrival = {
        .name = alone->vm[alone->number].name, .vm = alone->number, .due_ps = UINT64_MAX};
    sms__record_init(&alone->record, &alone->arena, spec.scenario);
    sms__share_count(&setup, sources);
    sms__run_engine_init(&alone->engine, &alone->arena, sources, &spec);
    struct sms_share *share = sms__share_new(&alone->arena, &setup);
    sms__share_start(share);
    sms__share_admit(share, &arrival, 0);
    int code = sms__engine_run(&alone->engine);
    if (!alone->engine.stopped && sms__share_busy(share))
        alone->out->ps = SMS__NEVER - 1;
    measure(alone);
    return share->code ? share->code : code;
}

static int run_guarded(struct alone *alone, uint64_t jobs)
{
    alone->jobs = jobs;
    *alone->out = (struct sms__stand_alone){.ps = SMS__NEVER};
    int code = sms__guard(&alone->arena, run, alone);
    sms__arena_release(&alone->arena);
    alone->arena = (struct sms__arena){.most = alone->arena.most};
    return code;
}

/* Adds the jobs that are left, each as long as a job of the second half was on average. */
static uint64_t extend(uint64_t half_ps, uint64_t ps, uint64_t left)
{
    const uint64_t half = SMS__ALONE_JOBS / 2;
    uint64_t period = (ps - half_ps) / half, rest = (ps - half_ps) % half;
    double sum = (double)ps + (double)left * ((double)(ps - half_ps) / (double)half);
    if (sum >= SMS__CLOCK_PS * (1 - 1e-9))
        return SMS__NEVER - 1;
    return ps + left * period + (uint64_t)((double)left * (double)rest / (double)half);
}

int sms__share_stand_alone(const struct sms__run_spec *spec, const struct sms__policy_use *block,
                           const struct sms__tenant *vm, size_t number, size_t device, struct sms__stand_alone *out)
{
    struct alone alone = {.spec = spec, .block = block, .vm = vm, .number = number, .device = device, .out = out};
    uint64_t repeat = vm[number].repeat;
    if (repeat <= SMS__ALONE_JOBS || vm[number].streams > 1)
        return run_guarded(&alone, 0);
    int code = run_guarded(&alone, SMS__ALONE_JOBS / 2);
    uint64_t half_ps = out->ps;
    if (code || out->failed || half_ps >= SMS__NEVER - 1)
        return code;
    code = run_guarded(&alone, SMS__ALONE_JOBS);
    if (code == SMS_OK && !out->failed && out->ps < SMS__NEVER - 1)
        out->ps = extend(half_ps, out->ps, repeat - SMS__ALONE_JOBS);
    return code;
}
