/* Runs a scenario: a cluster, processes, or VMs, whose run is here. */
#include "simulate.h"
#include "cluster/cluster_simulate.h"
#include "run_device.h"
#include "run_engine.h"
#include "share/share_level.h"
#include "vm_feed.h"

struct run {
    const struct sms__run_spec *spec;
    const struct sms_scenario *scenario;
    struct sms__arena *arena;
    struct sms__engine engine;
    struct sms__blocks **device;
    struct sms__link *link; /* [devices][in, out] */
    struct sms__feed *feed;
    size_t feeds, running;
};

static void count_sources(const struct sms_scenario *scenario, size_t sources[SMS__LEVELS])
{
    size_t dispatchers = 0, clocks = 0;
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        bool again = d > 0 && device == scenario->device[d - 1];
        dispatchers = again ? dispatchers : sms__dispatchers(scenario, device);
        clocks = again ? clocks : sms__device_clocks_max(scenario, device);
        sources[SMS__LEVEL_DEVICE_CLOCK] += clocks;
        sources[SMS__LEVEL_BLOCK] += device->sms + dispatchers;
        sources[SMS__LEVEL_LINK] += 2;
    }
    for (size_t v = 0; v < scenario->vms; v++)
        sources[SMS__LEVEL_TENANT] += scenario->devices * (scenario->vm[v].streams + 1);
    sources[SMS__LEVEL_RUN] = 2;
}

static void integrate_all(struct run *run, uint64_t now)
{
    for (size_t d = 0; d < run->scenario->devices; d++)
        sms__blocks_integrate(run->device[d], now);
}

static void add_partial_all(struct run *run, int sign, uint64_t now)
{
    for (size_t d = 0; d < run->scenario->devices; d++)
        sms__blocks_add_partial(run->device[d], sign, now);
    for (size_t f = 0; f < run->feeds; f++)
        sms__feed_add_partial(&run->feed[f], sign);
}

static void end_warmup(void *subject, uint64_t now)
{
    struct run *run = subject;
    integrate_all(run, now);
    sms__record_restart(run->spec->record, now);
    add_partial_all(run, -1, now);
}

/* The number of VMs that may be on the device. */
static size_t count_on(const struct sms_scenario *scenario, size_t device)
{
    size_t count = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        count += sms__may_be_on(&scenario->vm[v], device);
    return count;
}

/* True if a background demands a resource of scope device. */
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

/* The kernel types that run, as they are on the device. */
static const struct sms__footprint *const *find_types(const struct run *run, size_t device)
{
    const size_t *first = run->spec->record->first_kernel;
    const struct sms__footprint **types =
        SMS__NEW(run->arena, const struct sms__footprint *, first[run->scenario->vms]);
    for (size_t v = 0; v < run->scenario->vms; v++)
        for (size_t k = first[v]; sms__may_be_on(&run->scenario->vm[v], device) && k < first[v + 1]; k++)
            types[k] = &run->scenario->vm[v].fit[device][k - first[v]];
    return types;
}

static void init_device(struct run *run, size_t idx, size_t first_sm)
{
    const struct sms_scenario *scenario = run->scenario;
    const struct sms__device *model = scenario->device[idx];
    const struct sms_contention_view view = sms__contention_view(run->arena, scenario, model);
    const struct sms__footprint *const *types = find_types(run, idx);
    size_t n_types = run->spec->record->first_kernel[scenario->vms];
    struct sms__blocks_setup setup = sms__device_blocks(run->spec, model, &view, types, n_types);
    setup.engine = &run->engine;
    setup.record = &run->spec->record->device[idx];
    setup.idx = idx;
    setup.first_sm = first_sm;
    setup.device_scope |= has_device_scope_background(model);
    setup.tenants = count_on(scenario, idx);
    run->device[idx] = sms__blocks_new(run->arena, &setup);
    sms__link_init(&run->link[2 * idx], &run->engine, model->link_bandwidth);
    sms__link_init(&run->link[2 * idx + 1], &run->engine, model->link_bandwidth);
}

/* `tenant` is the VM's number among those that may be on the device. */
static void init_feed(struct run *run, size_t vm, size_t device, size_t tenant)
{
    struct sms__feed *feed = &run->feed[run->feeds++];
    *feed = (struct sms__feed){
        .scenario = run->scenario,
        .vm = &run->scenario->vm[vm],
        .tenant = tenant,
        .device = run->device[device],
        .in = &run->link[2 * device],
        .out = &run->link[2 * device + 1],
        .engine = &run->engine,
        .running = &run->running,
    };
    run->running++;
    sms__feed_init(feed, run->arena, run->spec, vm, device);
}

static void init_bins(struct run *run, size_t all_sms)
{
    struct sms__record *record = run->spec->record;
    if (!run->spec->observer || !run->spec->options->bins || run->scenario->duration_ps <= 0)
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
    sms__run_engine_init(&run->engine, run->arena, sources, run->spec);
    run->device = SMS__NEW(run->arena, struct sms__blocks *, scenario->devices);
    run->link = SMS__NEW(run->arena, struct sms__link, 2 * scenario->devices);
    run->feed = SMS__NEW(run->arena, struct sms__feed, scenario->devices * scenario->vms);
    size_t sms = 0, *tenants = SMS__NEW(run->arena, size_t, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++) {
        init_device(run, d, sms);
        sms += scenario->device[d]->sms;
    }
    init_bins(run, sms);
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t d = 0; d < scenario->devices; d++)
            if (sms__may_be_on(&scenario->vm[v], d))
                init_feed(run, v, d, tenants[d]++);
    sms__run_ends(&run->engine, run->arena, run->spec, end_warmup, run);
}

/* A VM has ended when its feeds on all devices have. */
static void record_ends(struct run *run)
{
    struct sms__record *record = run->spec->record;
    for (size_t v = 0; v < run->scenario->vms; v++)
        record->vm[v].ended = run->scenario->vm[v].repeat > 0;
    for (size_t f = 0; f < run->feeds; f++)
        if (run->feed[f].ended < run->feed[f].vm->repeat)
            record->vm[run->feed[f].vm - run->scenario->vm].ended = false;
    for (size_t d = 0; d < run->scenario->devices; d++)
        record->stalled += sms__blocks_waiting(run->device[d]);
}

/* When no event is left: a VM that has not ended, and that no policy holds back, would end beyond the clock. */
static int check_clock(const struct run *run)
{
    bool under_way = run->spec->record->stalled == 0;
    for (size_t d = 0; d < run->scenario->devices; d++) {
        under_way |= sms__blocks_busy(run->device[d]);
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
    if (spec->scenario->shares)
        return sms__share_run(arena, spec);
    struct run *run = SMS__NEW(arena, struct run, 1);
    run->spec = spec;
    run->scenario = spec->scenario;
    run->arena = arena;
    sms__record_init(spec->record, arena, spec->scenario);
    init(run);
    int code = sms__engine_run(&run->engine);
    integrate_all(run, run->engine.now);
    add_partial_all(run, 1, run->engine.now);
    spec->record->to_ps = run->engine.now;
    spec->record->events = run->engine.events;
    record_ends(run);
    if (*spec->record->why)
        return SMS_EBUG;
    return code == SMS_OK ? check_clock(run) : code;
}
