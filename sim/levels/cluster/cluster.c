#include "cluster.h"
#include "gpushare/gpushare.h"
#include "hosts.h"

#include <stdio.h>

void sms__cluster_stop(struct sms__cluster_run *run, const char *why)
{
    snprintf(run->spec->record->why, sizeof run->spec->record->why, "place policy %s %s", run->policy->name, why);
    run->engine.stopped = true;
}

void sms__cluster_check(struct sms__cluster_run *run)
{
    if (!run->spec->options->check || run->engine.stopped)
        return;
    if (!sms__books_agree(run) || (run->gpushare && !sms__gpushare_agrees(run)) ||
        (run->monitor && !sms__watch_agrees(run)))
        run->engine.stopped = true;
}

void sms__cluster_conclude(struct sms__cluster_run *run)
{
    sms__failures_await(run);
    sms__cluster_check(run);
}

void sms__cluster_freed(struct sms__cluster_run *run, uint64_t now)
{
    sms__lines_unblock(run, now);
    sms__lines_serve(run, now);
    sms__cluster_conclude(run);
}

static void fail(void *subject, uint64_t now)
{
    sms__failures_come(subject, now);
    sms__cluster_conclude(subject);
}

static void wake(void *subject, uint64_t now)
{
    sms__lines_wake(subject, now);
    sms__cluster_conclude(subject);
}

/* All pods that end at this instant, and then those that wait. */
static void end_pods(void *subject, uint64_t now)
{
    sms__pods_end(subject, now);
    sms__cluster_freed(subject, now);
}

/* Points of the grid that the load passes: what is allocated now, is so until then. */
static void mark(struct sms__cluster_run *run, uint64_t milli)
{
    double step = run->cluster->load / (SMS__ALLOCATIONS - 1), load = sms__share_of_gpus(run, milli);
    for (; run->marks < SMS__ALLOCATIONS && (double)run->marks * step < load; run->marks++)
        run->record->allocation[run->marks] =
            (struct sms__allocation){run->gpu_milli, run->down_milli, run->fragments, true};
}

static uint64_t next_arrival(const struct sms__cluster_run *run)
{
    return run->come < run->pods ? run->pod[run->come].arrival_ps : SMS__NEVER;
}

/* After the last pod that came and asked for GPUs, when it has been tried. */
static void note_latest(struct sms__cluster_run *run)
{
    run->latest = (struct sms__allocation){run->gpu_milli, run->down_milli, run->fragments, true};
}

/* All pods that come at this instant, one after another; with priorities, all come before one is placed. */
static void let_come(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    while (next_arrival(run) == now && !run->engine.stopped) {
        uint32_t p = (uint32_t)run->come++;
        const struct sms_pod_view *view = &run->cluster->shape[run->pod[p].shape];
        uint64_t milli = run->arrived_milli + sms_pod_gpu_milli(view);
        mark(run, milli);
        run->arrived_milli = milli;
        run->record->arrived++;
        sms__lines_add(run, p, now);
        if (!run->cluster->priorities)
            sms__lines_serve(run, now);
        if (view->gpus)
            note_latest(run);
    }
    sms__lines_serve(run, now);
    sms__engine_at(&run->engine, run->arrival_source, next_arrival(run));
    sms__cluster_conclude(run);
}

static void end_warmup(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    sms__books_settle(run, now);
    if (run->gpushare)
        sms__gpushare_settle(run, now);
    sms__hosts_settle(run, 0, now);
    sms__record_restart(run->spec->record, now);
    sms__hosts_forget(run);
    sms__hosts_settle(run, -1, now);
}

static int init_engine(struct sms__cluster_run *run)
{
    const struct sms_run_options *options = run->spec->options;
    struct sms__engine *engine = &run->engine;
    size_t sources[SMS__LEVELS] = {[SMS__LEVEL_TENANT] = 2, [SMS__LEVEL_POLICY] = 3, [SMS__LEVEL_RUN] = 2};
    if (run->gpushare) {
        sources[SMS__LEVEL_TENANT] += 1;
        sources[SMS__LEVEL_POLICY] += 3;
    }
    int code = sms__hosts_prepare(run, sources);
    sms__engine_init(engine, run->arena, sources);
    engine->linear_scan = run->plain;
    engine->cancel = options->cancel;
    engine->max_events = options->max_events;
    run->end_source = sms__engine_source(engine, SMS__LEVEL_TENANT, end_pods, run);
    run->fail_source = sms__engine_source(engine, SMS__LEVEL_TENANT, fail, run);
    run->wake_source = sms__engine_source(engine, SMS__LEVEL_POLICY, wake, run);
    run->arrival_source = sms__engine_source(engine, SMS__LEVEL_POLICY, let_come, run);
    sms__run_ends(engine, run->arena, run->spec, end_warmup, run);
    sms__engine_at(engine, run->arrival_source, next_arrival(run));
    return code;
}

static int init(struct sms__cluster_run *run)
{
    sms__pods_come(run);
    run->freed = SMS__NEW(run->arena, uint32_t, run->cluster->nodes);
    sms__books_init(run);
    sms__places_search_init(run);
    if (run->cluster->gpushare)
        run->gpushare = SMS__NEW(run->arena, struct sms__gpushare_state, 1);
    int code = init_engine(run);
    if (run->gpushare)
        sms__gpushare_init(run);
    else
        sms__lines_init(run);
    sms__failures_init(run);
    sms__failures_await(run);
    if (code == SMS_OK)
        sms__hosts_init(run);
    sms__watch_init(run);
    sms__master_init(run);
    return code ? code : sms__predict_init(run);
}

/* Pods with a deadline that have not ended and will not in time. */
static void close_pod(struct sms__cluster_run *run, const struct sms__pod *pod, uint64_t now)
{
    struct sms__cluster_record *record = run->record;
    double deadline = sms__pod_deadline(run, pod);
    bool over = !run->engine.stopped || (double)(now - pod->arrival_ps) > deadline;
    bool lasts = pod->tenant ? run->scenario->vm[pod->tenant - 1].repeat > 0 : pod->duration_ps > 0;
    const bool stuck = sms__gpushare_is_stuck(run, pod);
    if (pod->lost)
        return;
    if (pod->node != SMS__NO_NODE && !pod->ended)
        sms__pod_departs(run, (uint32_t)(pod - run->pod), stuck ? "failed" : "running", now);
    record->waiting += pod->node == SMS__NO_NODE && !pod->ended;
    record->running += pod->node != SMS__NO_NODE && !pod->ended && !stuck;
    record->lasting += lasts;
    record->unended += lasts && !pod->ended;
    record->timed += deadline > 0 && !pod->ended && over;
    record->missed += deadline > 0 && !pod->ended && over;
}

static void close_all(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__cluster_record *record = run->record;
    sms__books_settle(run, now);
    if (run->monitor)
        sms__monitor_finish(run->monitor, now);
    if (run->gpushare) {
        sms__gpushare_settle(run, now);
        sms__tell_gpus(run);
    }
    double step = run->cluster->load / (SMS__ALLOCATIONS - 1);
    if (run->marks < SMS__ALLOCATIONS && /* the last may lie where all have come, whoever has left since */
        (double)run->marks * step <= sms__share_of_gpus(run, run->arrived_milli) * (1 + 1e-9))
        record->allocation[run->marks] = run->latest;
    record->gpu_milli = run->gpu_milli;
    record->bytes = run->gpu_bytes;
    record->cpu_milli = run->cpu_milli;
    record->down_milli = run->down_milli;
    record->down_cpu_milli = run->down_cpu_milli;
    record->fragments = run->fragments;
    for (size_t p = 0; p < run->come; p++)
        close_pod(run, &run->pod[p], now);
}

/* Nothing more happens, and yet pods are to come or to end: that would be beyond the clock. */
static int check_clock(const struct sms__cluster_run *run)
{
    size_t p = 0;
    char name[256];
    if (!run->ends && run->come == run->pods && !sms__hosts_busy(run))
        return SMS_OK;
    while (p < run->come && (run->pod[p].node == SMS__NO_NODE || run->pod[p].ended))
        p++;
    p = p < run->pods ? p : 0;
    sms__pod_name(run, (uint32_t)p, name, sizeof name);
    return sms__record_beyond(run->spec->record, run->cluster->pod[run->pod[p].group].node, "pod", name);
}

int sms__cluster_simulate(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    struct sms__cluster_run *run = SMS__NEW(arena, struct sms__cluster_run, 1);
    run->spec = spec;
    run->scenario = spec->scenario;
    run->cluster = spec->scenario->cluster;
    run->policy = spec->policy->place;
    run->order = run->policy->search_by ? run->policy->search_by(spec->policy->place_param) : run->policy->search;
    run->arena = arena;
    run->plain = spec->options->engine == SMS_ENGINE_REFERENCE;
    sms__record_init(spec->record, arena, spec->scenario);
    run->record = spec->record->cluster;
    int code = init(run);
    if (code)
        return code;
    code = sms__engine_run(&run->engine);
    close_all(run, run->engine.now);
    spec->record->to_ps = run->engine.now;
    spec->record->events = run->engine.events;
    int inside = sms__hosts_close(run, run->engine.now);
    code = inside ? inside : code;
    spec->record->stalled = run->record->waiting;
    if (*spec->record->why)
        return SMS_EBUG;
    return code == SMS_OK && !run->engine.stopped ? check_clock(run) : code;
}
