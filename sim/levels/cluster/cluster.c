#include "cluster.h"
#include "gpushare/gpushare.h"
#include "hosts.h"

#include <stdio.h>

void sms__placing_stop(struct sms__placing *placing, const char *why)
{
    snprintf(placing->spec->record->why, sizeof placing->spec->record->why, "place policy %s %s", placing->policy->name,
             why);
    placing->engine.stopped = true;
}

void sms__placing_check(struct sms__placing *placing)
{
    if (!placing->spec->options->check || placing->engine.stopped)
        return;
    if (!sms__books_agree(placing) || (placing->gpushare && !sms__gpushare_agrees(placing)) ||
        (placing->monitor && !sms__watch_agrees(placing)))
        placing->engine.stopped = true;
}

void sms__placing_conclude(struct sms__placing *placing)
{
    sms__failures_await(placing);
    sms__placing_check(placing);
}

void sms__placing_freed(struct sms__placing *placing, uint64_t now)
{
    sms__lines_unblock(placing, now);
    sms__lines_serve(placing, now);
    sms__placing_conclude(placing);
}

static void fail(void *subject, uint64_t now)
{
    sms__failures_come(subject, now);
    sms__placing_conclude(subject);
}

static void wake(void *subject, uint64_t now)
{
    sms__lines_wake(subject, now);
    sms__placing_conclude(subject);
}

/* All pods that end at this instant, and then those that wait. */
static void end_pods(void *subject, uint64_t now)
{
    sms__pods_end(subject, now);
    sms__placing_freed(subject, now);
}

/* Points of the grid that the load passes: what is allocated now, is so until then. */
static void mark(struct sms__placing *placing, uint64_t milli)
{
    double step = placing->cluster->load / (SMS__ALLOCATIONS - 1), load = sms__share_of_gpus(placing, milli);
    for (; placing->marks < SMS__ALLOCATIONS && (double)placing->marks * step < load; placing->marks++)
        placing->record->allocation[placing->marks] =
            (struct sms__allocation){placing->gpu_milli, placing->down_milli, placing->fragments, true};
}

static uint64_t next_arrival(const struct sms__placing *placing)
{
    return placing->come < placing->pods ? placing->pod[placing->come].arrival_ps : SMS__NEVER;
}

/* After the last pod that came and asked for GPUs, when it has been tried. */
static void note_latest(struct sms__placing *placing)
{
    placing->latest = (struct sms__allocation){placing->gpu_milli, placing->down_milli, placing->fragments, true};
}

/* All pods that come at this instant, one after another; with priorities, all come before one is placed. */
static void let_come(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    while (next_arrival(placing) == now && !placing->engine.stopped) {
        uint32_t p = (uint32_t)placing->come++;
        const struct sms_pod_view *view = &placing->cluster->shape[placing->pod[p].shape];
        uint64_t milli = placing->arrived_milli + sms_pod_gpu_milli(view);
        mark(placing, milli);
        placing->arrived_milli = milli;
        placing->record->arrived++;
        sms__lines_add(placing, p, now);
        if (!placing->cluster->priorities)
            sms__lines_serve(placing, now);
        if (view->gpus)
            note_latest(placing);
    }
    sms__lines_serve(placing, now);
    sms__engine_at(&placing->engine, placing->arrival_source, next_arrival(placing));
    sms__placing_conclude(placing);
}

static void end_warmup(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    sms__books_settle(placing, now);
    if (placing->gpushare)
        sms__gpushare_settle(placing, now);
    sms__hosts_settle(placing, 0, now);
    sms__record_restart(placing->spec->record, now);
    sms__hosts_forget(placing);
    sms__hosts_settle(placing, -1, now);
}

static int init_engine(struct sms__placing *placing)
{
    const struct sms_run_options *options = placing->spec->options;
    struct sms__engine *engine = &placing->engine;
    size_t sources[SMS__LEVELS] = {[SMS__LEVEL_TENANT] = 2, [SMS__LEVEL_POLICY] = 3, [SMS__LEVEL_RUN] = 2};
    if (placing->gpushare) {
        sources[SMS__LEVEL_TENANT] += 1;
        sources[SMS__LEVEL_POLICY] += 3;
    }
    int code = sms__hosts_prepare(placing, sources);
    sms__engine_init(engine, placing->arena, sources);
    engine->linear_scan = placing->plain;
    engine->cancel = options->cancel;
    engine->max_events = options->max_events;
    placing->end_source = sms__engine_source(engine, SMS__LEVEL_TENANT, end_pods, placing);
    placing->fail_source = sms__engine_source(engine, SMS__LEVEL_TENANT, fail, placing);
    placing->wake_source = sms__engine_source(engine, SMS__LEVEL_POLICY, wake, placing);
    placing->arrival_source = sms__engine_source(engine, SMS__LEVEL_POLICY, let_come, placing);
    sms__run_ends(engine, placing->arena, placing->spec, end_warmup, placing);
    sms__engine_at(engine, placing->arrival_source, next_arrival(placing));
    return code;
}

static int init(struct sms__placing *placing)
{
    sms__pods_come(placing);
    placing->freed = SMS__NEW(placing->arena, uint32_t, placing->cluster->nodes);
    sms__books_init(placing);
    sms__places_search_init(placing);
    if (placing->cluster->gpushare)
        placing->gpushare = SMS__NEW(placing->arena, struct sms__gpushare_run, 1);
    int code = init_engine(placing);
    if (placing->gpushare)
        sms__gpushare_init(placing);
    else
        sms__lines_init(placing);
    sms__failures_init(placing);
    sms__failures_await(placing);
    if (code == SMS_OK)
        sms__hosts_init(placing);
    sms__watch_init(placing);
    sms__master_init(placing);
    return code ? code : sms__predict_init(placing);
}

/* Pods with a deadline that have not ended and will not in time. */
static void close_pod(struct sms__placing *placing, const struct sms__pod *pod, uint64_t now)
{
    struct sms__cluster_record *record = placing->record;
    double deadline = sms__pod_deadline(placing, pod);
    bool over = !placing->engine.stopped || (double)(now - pod->arrival_ps) > deadline;
    bool lasts = pod->tenant ? placing->scenario->vm[pod->tenant - 1].repeat > 0 : pod->duration_ps > 0;
    const bool stuck = sms__gpushare_is_stuck(placing, pod);
    if (pod->lost)
        return;
    if (pod->node != SMS__NO_NODE && !pod->ended)
        sms__pod_departs(placing, (uint32_t)(pod - placing->pod), stuck ? "failed" : "running", now);
    record->waiting += pod->node == SMS__NO_NODE && !pod->ended;
    record->running += pod->node != SMS__NO_NODE && !pod->ended && !stuck;
    record->lasting += lasts;
    record->unended += lasts && !pod->ended;
    record->timed += deadline > 0 && !pod->ended && over;
    record->missed += deadline > 0 && !pod->ended && over;
}

static void close_all(struct sms__placing *placing, uint64_t now)
{
    struct sms__cluster_record *record = placing->record;
    sms__books_settle(placing, now);
    if (placing->monitor)
        sms__monitor_finish(placing->monitor, now);
    if (placing->gpushare) {
        sms__gpushare_settle(placing, now);
        sms__tell_gpus(placing);
    }
    double step = placing->cluster->load / (SMS__ALLOCATIONS - 1);
    if (placing->marks < SMS__ALLOCATIONS && /* the last may lie where all have come, whoever has left since */
        (double)placing->marks * step <= sms__share_of_gpus(placing, placing->arrived_milli) * (1 + 1e-9))
        record->allocation[placing->marks] = placing->latest;
    record->gpu_milli = placing->gpu_milli;
    record->bytes = placing->gpu_bytes;
    record->cpu_milli = placing->cpu_milli;
    record->down_milli = placing->down_milli;
    record->down_cpu_milli = placing->down_cpu_milli;
    record->fragments = placing->fragments;
    for (size_t p = 0; p < placing->come; p++)
        close_pod(placing, &placing->pod[p], now);
}

/* Nothing more happens, and yet pods are to come or to end: that would be beyond the clock. */
static int check_clock(const struct sms__placing *placing)
{
    size_t p = 0;
    char name[256];
    if (!placing->ends && placing->come == placing->pods && !sms__hosts_busy(placing))
        return SMS_OK;
    while (p < placing->come && (placing->pod[p].node == SMS__NO_NODE || placing->pod[p].ended))
        p++;
    p = p < placing->pods ? p : 0;
    sms__pod_name(placing, (uint32_t)p, name, sizeof name);
    return sms__record_beyond(placing->spec->record, placing->cluster->pod[placing->pod[p].group].node, "pod", name);
}

int sms__cluster_run(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    struct sms__placing *placing = SMS__NEW(arena, struct sms__placing, 1);
    placing->spec = spec;
    placing->scenario = spec->scenario;
    placing->cluster = spec->scenario->cluster;
    placing->policy = spec->policy->place;
    placing->order =
        placing->policy->search_by ? placing->policy->search_by(spec->policy->place_param) : placing->policy->search;
    placing->arena = arena;
    placing->plain = spec->options->engine == SMS_ENGINE_REFERENCE;
    sms__record_init(spec->record, arena, spec->scenario);
    placing->record = spec->record->cluster;
    int code = init(placing);
    if (code)
        return code;
    code = sms__engine_run(&placing->engine);
    close_all(placing, placing->engine.now);
    spec->record->to_ps = placing->engine.now;
    spec->record->events = placing->engine.events;
    int inside = sms__hosts_close(placing, placing->engine.now);
    code = inside ? inside : code;
    spec->record->stalled = placing->record->waiting;
    if (*spec->record->why)
        return SMS_EBUG;
    return code == SMS_OK && !placing->engine.stopped ? check_clock(placing) : code;
}
