/* A run of a scenario with processes: one host on an engine of its own. */
#include "share.h"

struct run {
    struct sms_share *share;
    struct sms__engine engine;
};

static void end_warmup(void *subject, uint64_t now)
{
    struct sms_share *share = ((struct run *)subject)->share;
    sms__share_settle(share, 0, now);
    sms__record_restart(share->spec->record, now);
    sms__share_settle(share, -1, now);
}

static void through(void *subject, struct sms__client *client, uint64_t now)
{
    (void)now;
    if (client->share->running == 0)
        ((struct run *)subject)->engine.stopped = true;
}

static void init_engine(struct run *run, struct sms__arena *arena, const struct sms__setup *setup)
{
    const struct sms_run_options *options = setup->spec->options;
    size_t sources[SMS__LEVELS] = {[SMS__LEVEL_RUN] = 2};
    sms__share_count(setup, sources);
    sms__engine_init(&run->engine, arena, sources);
    run->engine.linear_scan = options->engine == SMS_ENGINE_REFERENCE;
    run->engine.cancel = options->cancel;
    run->engine.max_events = options->max_events;
}

static struct run *set_up(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    const struct sms_scenario *scenario = spec->scenario;
    struct run *run = SMS__NEW(arena, struct run, 1);
    size_t *model = SMS__NEW(arena, size_t, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++)
        model[d] = d;
    const struct sms__setup setup = {
        .spec = spec,
        .engine = &run->engine,
        .vm = scenario->vm,
        .model = model,
        .boards = scenario->devices,
        .cores = (double)scenario->host.cores,
        .through = through,
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
    struct run *run = set_up(arena, spec);
    int code = sms__engine_run(&run->engine);
    uint64_t now = run->engine.now;
    sms__share_settle(run->share, 1, now);
    sms__share_close(run->share, now);
    record->to_ps = now;
    record->events = run->engine.events + sms__share_events(run->share);
    if (*record->why)
        return SMS_EBUG;
    code = run->share->code ? run->share->code : code;
    const struct sms__client *busy = code || run->engine.stopped ? NULL : sms__share_busy(run->share);
    return busy ? sms__record_beyond(record, busy->vm->node, "process", busy->vm->name) : code;
}
