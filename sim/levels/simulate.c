#include "simulate.h"
#include "cluster/cluster.h"
#include "../model/draws.h"
#include "device.h"
#include "share/share.h"
#include "simtbs/simtbs.h"
#include "tenant.h"

#include <string.h>

struct run {
    const struct sms__run_spec *spec;
    const struct sms_scenario *scenario;
    struct sms__arena *arena;
    struct sms__engine engine;
    struct sms__blocks *device;
    struct sms__link *link; /* [devices][in, out] */
    struct sms__feed *feed;
    size_t feeds, running;
};

static void count_sources(const struct sms_scenario *scenario, size_t sources[SMS__LEVELS])
{
    for (size_t d = 0; d < scenario->devices; d++) {
        sources[SMS__LEVEL_DEVICE_CLOCK] += sms__device_clocks_max(scenario, scenario->device[d]);
        sources[SMS__LEVEL_BLOCK] += scenario->device[d]->sms;
        sources[SMS__LEVEL_LINK] += 2;
    }
    for (size_t v = 0; v < scenario->vms; v++)
        sources[SMS__LEVEL_TENANT] += scenario->devices * (scenario->vm[v].streams + 1);
    sources[SMS__LEVEL_RUN] = 2;
}

static void settle_all(struct run *run, uint64_t now)
{
    for (size_t d = 0; d < run->scenario->devices; d++)
        sms__blocks_integrate(&run->device[d], now);
}

static void credit_all(struct run *run, int sign, uint64_t now)
{
    for (size_t d = 0; d < run->scenario->devices; d++)
        sms__blocks_add_partial(&run->device[d], sign, now);
    for (size_t f = 0; f < run->feeds; f++)
        sms__feed_credit(&run->feed[f], sign);
}

static void end_warmup(void *subject, uint64_t now)
{
    struct run *run = subject;
    settle_all(run, now);
    sms__record_restart(run->spec->record, now);
    credit_all(run, -1, now);
}

static void stop(void *engine, uint64_t now)
{
    (void)now;
    ((struct sms__engine *)engine)->stopped = true;
}

void sms__run_ends(struct sms__engine *engine, struct sms__arena *arena, const struct sms__run_spec *spec,
                   void (*at_warmup)(void *subject, uint64_t now), void *subject)
{
    const struct sms_scenario *scenario = spec->scenario;
    double slack = spec->options->whole_window ? 0 : sms__slack_ps(scenario), later = 0, earlier = 0;
    size_t warmup = sms__engine_source(engine, SMS__LEVEL_RUN, at_warmup, subject);
    size_t end = sms__engine_source(engine, SMS__LEVEL_RUN, stop, engine);
    if (slack > 0) {
        gsl_rng *stream = sms__stream(arena, spec->seed, "time measured", 0);
        later = slack * gsl_rng_uniform(stream);
        earlier = slack * gsl_rng_uniform(stream);
    }
    if (scenario->warmup_ps > 0)
        sms__engine_at(engine, warmup, (uint64_t)(scenario->warmup_ps + later + 0.5));
    if (scenario->duration_ps > 0)
        sms__engine_at(engine, end, (uint64_t)(scenario->duration_ps - earlier + 0.5));
}

static bool takes_part(const struct run *run, size_t vm)
{
    return run->spec->only_vm < 0 || (size_t)run->spec->only_vm == vm;
}

/* Whether a background takes of a resource that the whole device shares. */
static bool has_device_scope_background(const struct sms__device *model)
{
    for (size_t i = 0; i < model->backgrounds; i++)
        for (size_t d = 0; d < model->background[i].demands; d++) {
            const struct sms__demand *demand = &model->background[i].demand[d];
            int r = sms__resource_index(model, demand->resource);
            if (model->resource[r].scope == SMS_SCOPE_DEVICE && demand->ratio > 0)
                return true;
        }
    return false;
}

/* Whether any kernel that runs, or a background, takes of a resource that the whole device shares. */
static bool uses_device_scope(const struct run *run, size_t device)
{
    if (has_device_scope_background(run->scenario->device[device]))
        return true;
    for (size_t v = 0; v < run->scenario->vms; v++) {
        const struct sms__vm *vm = &run->scenario->vm[v];
        for (size_t k = 0; takes_part(run, v) && k < vm->workload->kernels; k++)
            if (vm->fit[device][k].device_scope)
                return true;
    }
    return false;
}

/* What each (VM, kernel) that runs is on the device. */
static const struct sms__fit *const *kinds_of(const struct run *run, size_t device)
{
    const size_t *first = run->spec->record->first_kernel;
    const struct sms__fit **kinds = SMS__NEW(run->arena, const struct sms__fit *, first[run->scenario->vms]);
    for (size_t v = 0; v < run->scenario->vms; v++)
        for (size_t k = first[v]; takes_part(run, v) && k < first[v + 1]; k++)
            kinds[k] = &run->scenario->vm[v].fit[device][k - first[v]];
    return kinds;
}

static void init_device(struct run *run, size_t idx, size_t first_sm)
{
    const struct sms_scenario *scenario = run->scenario;
    const struct sms__device *model = scenario->device[idx];
    struct sms__blocks *device = &run->device[idx];
    *device = (struct sms__blocks){
        .engine = &run->engine,
        .model = model,
        .policy = run->spec->policy,
        .contention = scenario->contention.model,
        .contention_view = sms__contention_view(run->arena, scenario, model),
        .record = &run->spec->record->device[idx],
        .run = run->spec->record,
        .idx = idx,
        .first_sm = first_sm,
        .device_scope = uses_device_scope(run, idx),
        .tenants = scenario->vms,
        .options = run->spec->options,
        .label = run->spec->observe,
    };
    device->discipline =
        device->policy->policy->queue != SMS_QUEUE_OF_SCENARIO ? (int)device->policy->policy->queue : scenario->queue;
    device->max_clocks = sms__device_clocks_max(scenario, model);
    sms__blocks_init(device, run->arena, kinds_of(run, idx), run->spec->record->first_kernel[scenario->vms]);
    sms__link_init(&run->link[2 * idx], &run->engine, model->link_bandwidth);
    sms__link_init(&run->link[2 * idx + 1], &run->engine, model->link_bandwidth);
}

static void init_feed(struct run *run, size_t vm, size_t device)
{
    struct sms__feed *feed = &run->feed[run->feeds++];
    *feed = (struct sms__feed){
        .scenario = run->scenario,
        .vm = &run->scenario->vm[vm],
        .device = &run->device[device],
        .in = &run->link[2 * device],
        .out = &run->link[2 * device + 1],
        .engine = &run->engine,
        .running = &run->running,
    };
    run->running++;
    sms__feed_init(feed, run->arena, run->spec->seed, run->spec->record, vm, device);
}

static void init_bins(struct run *run, size_t all_sms)
{
    struct sms__record *record = run->spec->record;
    if (!run->spec->observe || !run->spec->options->bins || run->scenario->duration_ps <= 0)
        return;
    record->bins = run->spec->options->bins;
    record->bin_ps = (uint64_t)(run->scenario->duration_ps / (double)record->bins) + 1;
    record->bin = SMS__NEW(run->arena, uint64_t, all_sms * record->bins);
}

static void init(struct run *run)
{
    const struct sms_scenario *scenario = run->scenario;
    size_t sources[SMS__LEVELS] = {0};
    count_sources(scenario, sources);
    sms__engine_init(&run->engine, run->arena, sources);
    run->engine.linear_scan = run->spec->options->engine == SMS_ENGINE_REFERENCE;
    run->engine.cancel = run->spec->options->cancel;
    run->engine.max_events = run->spec->options->max_events;
    run->device = SMS__NEW(run->arena, struct sms__blocks, scenario->devices);
    run->link = SMS__NEW(run->arena, struct sms__link, 2 * scenario->devices);
    run->feed = SMS__NEW(run->arena, struct sms__feed, scenario->devices * scenario->vms);
    size_t sms = 0;
    for (size_t d = 0; d < scenario->devices; d++) {
        init_device(run, d, sms);
        sms += scenario->device[d]->sms;
    }
    init_bins(run, sms);
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t d = 0; takes_part(run, v) && d < scenario->devices; d++)
            init_feed(run, v, d);
    sms__run_ends(&run->engine, run->arena, run->spec, end_warmup, run);
}

/* Each VM is through when its feeds on all devices are. */
static void note_ends(struct run *run)
{
    struct sms__record *record = run->spec->record;
    for (size_t v = 0; v < run->scenario->vms; v++)
        record->vm[v].ended = takes_part(run, v) && run->scenario->vm[v].repeat > 0;
    for (size_t f = 0; f < run->feeds; f++)
        if (run->feed[f].ended < run->feed[f].vm->repeat)
            record->vm[run->feed[f].vm - run->scenario->vm].ended = false;
    for (size_t d = 0; d < run->scenario->devices; d++)
        record->stalled += run->device[d].waiting;
}

/* Nothing more happens, and yet a VM that no policy holds back is not through: it would be beyond the clock. */
static int check_clock(const struct run *run)
{
    bool under_way = run->spec->record->stalled == 0;
    for (size_t d = 0; d < run->scenario->devices; d++) {
        under_way |= sms__blocks_busy(&run->device[d]);
        under_way |= run->link[2 * d].copies > 0 || run->link[2 * d + 1].copies > 0;
    }
    for (size_t f = 0; f < run->feeds && under_way && !run->engine.stopped; f++) {
        const struct sms__feed *feed = &run->feed[f];
        if (feed->ended < feed->vm->repeat)
            return sms__record_beyond(run->spec->record, feed->vm->node, "VM", feed->vm->name);
    }
    return SMS_OK;
}

int sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    if (spec->scenario->cluster)
        return sms__cluster_simulate(arena, spec);
    if (spec->scenario->compat == SMS__COMPAT_SIMTBS)
        return sms__simtbs_run(arena, spec);
    if (spec->scenario->shares)
        return sms__share_run(arena, spec);
    struct run *run = SMS__NEW(arena, struct run, 1);
    run->spec = spec;
    run->scenario = spec->scenario;
    run->arena = arena;
    sms__record_init(spec->record, arena, spec->scenario);
    init(run);
    int code = sms__engine_run(&run->engine);
    settle_all(run, run->engine.now);
    credit_all(run, 1, run->engine.now);
    spec->record->to_ps = run->engine.now;
    spec->record->events = run->engine.events;
    note_ends(run);
    if (*spec->record->why)
        return SMS_EBUG;
    return code == SMS_OK ? check_clock(run) : code;
}
