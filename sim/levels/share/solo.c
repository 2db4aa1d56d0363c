/* A process by itself on a device: how long it takes, and how long its first kernel does. */
#include "share.h"

struct solo {
    const struct sms__run_spec *spec;
    const struct sms__policy_use *block;
    const struct sms__vm *vm; /* of the scenario, or like them */
    size_t number, device;
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
    const struct sms__kernel_record *kernel =
        &solo->record.kernel[solo->record.first_kernel[solo->number] + workload->step[s].kernel];
    double launches = kernel->launches ? (double)kernel->launches : 1;
    solo->out->kernel_ps = kernel->latency.sum / launches;
    solo->out->resident_ps = (double)kernel->residence_ps / launches;
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
                                     .vm = solo->vm,
                                     .model = &solo->device,
                                     .boards = 1,
                                     .slots = 1,
                                     .through = through,
                                     .subject = solo};
    const struct sms__coming coming = {.name = solo->vm[solo->number].name, .vm = solo->number, .due_ps = UINT64_MAX};
    sms__record_init(&solo->record, &solo->arena, spec.scenario);
    sms__share_count(&setup, sources);
    sms__engine_init(&solo->engine, &solo->arena, sources);
    solo->engine.plain = options.engine == SMS_ENGINE_REFERENCE;
    solo->engine.cancel = options.cancel;
    solo->engine.max_events = options.max_events;
    struct sms_share *share = sms__share_new(&solo->arena, &setup);
    sms__share_start(share);
    sms__share_admit(share, &coming, 0);
    int code = sms__engine_run(&solo->engine);
    measure(solo);
    return share->code ? share->code : code;
}

int sms__share_solo(const struct sms__run_spec *spec, const struct sms__policy_use *block, const struct sms__vm *vm,
                    size_t number, size_t device, struct sms__solo *out)
{
    struct solo solo = {.spec = spec, .block = block, .vm = vm, .number = number, .device = device, .out = out};
    *out = (struct sms__solo){.ps = SMS__NEVER};
    int code = sms__guard(&solo.arena, run, &solo);
    sms__arena_release(&solo.arena);
    return code;
}
