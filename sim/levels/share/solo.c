/* A process by itself on a device: how long it takes, and how long its first kernel does. */
#include "share.h"

struct solo {
    const struct sms__run_spec *spec;
    const struct sms__policy_use *block;
    const struct sms__vm *vm; /* of the scenario, or like them */
    size_t number, device;
    uint64_t jobs; /* so many; 0: as many as it repeats */
    struct sms__arena arena;
    struct sms__engine engine;
    struct sms__record record;
    struct sms__solo *out;
};

static void through(void *subject, struct sms__client *client, uint64_t now)
{
    struct solo *solo = subject;
    solo->out->ps = now;
    solo->out->failed = client->record->failed;
    solo->engine.stopped = true;
}

/* As in the stand-alone runs of processes, but for the block policy. */
static struct sms__policy_use use_of(const struct solo *solo)
{
    struct sms__policy_use use = *solo->spec->scenario->alone;
    use.policy = solo->block->policy;
    for (size_t i = 0; i < SMS__PARAMS_MAX; i++)
        use.param[i] = solo->block->param[i];
    return use;
}

static void measure(const struct solo *solo)
{
    const struct sms__workload *workload = solo->vm[solo->number].workload;
    size_t s = 0;
    while (s < workload->steps && workload->step[s].kind != SMS__LAUNCH)
        s++;
    if (s == workload->steps)
        return;
    size_t k = solo->record.first_kernel[solo->number] + workload->step[s].kernel;
    const struct sms__kernel_record *kernel = &solo->record.kernel[k];
    double launches = kernel->launches ? (double)kernel->launches : 1;
    solo->out->kernel_ps = kernel->latency.sum / launches;
    solo->out->resident_ps = (double)sms__record_spans(&solo->record, k).residence_ps / launches;
}

/* The same, but that the process does fewer jobs. */
static const struct sms__vm *shortened(struct solo *solo)
{
    size_t vms = solo->spec->scenario->vms;
    struct sms__vm *vm = SMS__NEW(&solo->arena, struct sms__vm, vms);
    struct sms__process_stream *stream = SMS__NEW(&solo->arena, struct sms__process_stream, 1);
    for (size_t v = 0; v < vms; v++)
        vm[v] = solo->vm[v];
    *stream = vm[solo->number].stream[0];
    vm[solo->number].repeat = stream->repeat = solo->jobs;
    vm[solo->number].stream = stream;
    return vm;
}

static int run(void *user)
{
    struct solo *solo = user;
    struct sms_run_options options = *solo->spec->options;
    struct sms__policy_use use = use_of(solo);
    struct sms__run_spec spec = *solo->spec;
    size_t sources[SMS__LEVELS] = {0};
    spec.policy = &use;
    spec.observe = NULL;
    spec.record = &solo->record;
    const struct sms__setup setup = {.spec = &spec,
                                     .engine = &solo->engine,
                                     .vm = solo->jobs ? shortened(solo) : solo->vm,
                                     .model = &solo->device,
                                     .boards = 1,
                                     .slots = 1,
                                     .through = through,
                                     .subject = solo};
    const struct sms__coming coming = {.name = solo->vm[solo->number].name, .vm = solo->number, .due_ps = UINT64_MAX};
    sms__record_init(&solo->record, &solo->arena, spec.scenario);
    sms__share_count(&setup, sources);
    sms__engine_init(&solo->engine, &solo->arena, sources);
    solo->engine.linear_scan = options.engine == SMS_ENGINE_REFERENCE;
    solo->engine.cancel = options.cancel;
    solo->engine.max_events = options.max_events;
    struct sms_share *share = sms__share_new(&solo->arena, &setup);
    sms__share_start(share);
    sms__share_admit(share, &coming, 0);
    int code = sms__engine_run(&solo->engine);
    if (!solo->engine.stopped && sms__share_busy(share))
        solo->out->ps = SMS__NEVER - 1;
    measure(solo);
    return share->code ? share->code : code;
}

static int run_guarded(struct solo *solo, uint64_t jobs)
{
    solo->jobs = jobs;
    *solo->out = (struct sms__solo){.ps = SMS__NEVER};
    int code = sms__guard(&solo->arena, run, solo);
    sms__arena_release(&solo->arena);
    solo->arena = (struct sms__arena){0};
    return code;
}

/* As many more jobs as are left, each as long as those of the second half were on average. */
static uint64_t extend(uint64_t half_ps, uint64_t ps, uint64_t left)
{
    const uint64_t half = SMS__ALONE_JOBS / 2;
    uint64_t period = (ps - half_ps) / half, rest = (ps - half_ps) % half;
    double sum = (double)ps + (double)left * ((double)(ps - half_ps) / (double)half);
    if (sum >= SMS__CLOCK_PS * (1 - 1e-9))
        return SMS__NEVER - 1;
    return ps + left * period + (uint64_t)((double)left * (double)rest / (double)half);
}

int sms__share_solo(const struct sms__run_spec *spec, const struct sms__policy_use *block, const struct sms__vm *vm,
                    size_t number, size_t device, struct sms__solo *out)
{
    struct solo solo = {.spec = spec, .block = block, .vm = vm, .number = number, .device = device, .out = out};
    uint64_t repeat = vm[number].repeat;
    if (repeat <= SMS__ALONE_JOBS || vm[number].streams > 1)
        return run_guarded(&solo, 0);
    int code = run_guarded(&solo, SMS__ALONE_JOBS / 2);
    uint64_t half_ps = out->ps;
    if (code || out->failed || half_ps >= SMS__NEVER - 1)
        return code;
    code = run_guarded(&solo, SMS__ALONE_JOBS);
    if (code == SMS_OK && !out->failed && out->ps < SMS__NEVER - 1)
        out->ps = extend(half_ps, out->ps, repeat - SMS__ALONE_JOBS);
    return code;
}
