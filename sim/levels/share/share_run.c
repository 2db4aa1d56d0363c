/* A run of a scenario with VMs or processes: one host on an engine of its own. */
#include "../run_engine.h"
#include "host.h"

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
