/* A run of a cluster from its first event to its record. The order in which event sources are registered is the order
 * of events at equal times: pods end, then pods arrive. */
#include "../simulate.h"
#include "../run_setup.h"
#include "observer.h"
#include "cluster_run.h"
#include "open_pods.h"
#include "scheduler.h"

/* All pods that end at this instant, and then those that wait. */
static void end_pods(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    for (uint32_t p; (p = sms__ends_pop(run, now)) != SMS__NO_POD;) {
        sms__hosts_lasted(run, p);
        sms__pod_end(run, p, now);
        sms__ends_await(run);
    }
    sms__cluster_freed(run, now);
}

static void end_completed(void *subject, uint64_t now)
{
    if (sms__hosts_end(subject, now))
        sms__cluster_freed(subject, now);
}

static void integrate(struct sms__cluster_run *run, bool ends, uint64_t now)
{
    sms__ledger_integrate(run, now);
    if (ends && run->observer)
        run->observer->close(run, now);
    if (run->scheduler->integrate)
        run->scheduler->integrate(run, ends, now);
}

static void end_warmup(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    integrate(run, false, now);
    sms__hosts_advance(run, 0, now);
    sms__record_restart(run->spec->record, now);
    sms__hosts_forget(run);
    sms__hosts_advance(run, -1, now);
}

static int init_engine(struct sms__cluster_run *run)
{
    size_t sources[SMS__LEVELS] = {[SMS__LEVEL_TENANT] = 1, [SMS__LEVEL_POLICY] = 1, [SMS__LEVEL_RUN] = 2};
    for (size_t level = 0; level < SMS__LEVELS; level++)
        sources[level] += run->scheduler->sources[level];
    int code = sms__hosts_prepare(run, sources);
    sms__run_engine_init(&run->engine, run->arena, sources, run->spec);
    return code;
}

/* A guest schedules and observes the run if it wants to; else pods wait in the queue. */
static void choose_scheduler(struct sms__cluster_run *run)
{
    run->scheduler = &sms__wait_queue_scheduler;
    for (const struct sms__guest *const *guest = sms__guests; *guest; guest++) {
        const struct sms__scheduler *scheduler = (*guest)->scheduler;
        const struct sms__observer *observer = (*guest)->observer;
        if (scheduler && scheduler->is_wanted(run) && run->scheduler == &sms__wait_queue_scheduler)
            run->scheduler = scheduler;
        if (observer && observer->is_wanted(run))
            run->observer = observer;
    }
}

static int init(struct sms__cluster_run *run)
{
    choose_scheduler(run);
    sms__pods_init(run);
    sms__ledger_init(run);
    sms__arranging_init(run);
    sms__node_search_init(run);
    int code = init_engine(run);
    sms__ends_init(run, end_pods);
    sms__arrivals_init(run);
    sms__run_ends(&run->engine, run->arena, run->spec, end_warmup, run);
    if (run->scheduler->init)
        run->scheduler->init(run);
    if (code == SMS_OK) {
        sms__completion_init(run, end_completed);
        sms__hosts_init(run);
    }
    if (run->observer)
        run->observer->init(run);
    if (run->scheduler->start)
        run->scheduler->start(run);
    return code ? code : sms__predict_init(run);
}

/* Whether the pod ends by itself. */
static bool lasts(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return pod->tenant ? run->scenario->vm[pod->tenant - 1].repeat > 0 : pod->duration_ps > 0;
}

/* Counts the pod at the end of the run, and those with a deadline that have not ended and will not in time. */
static void close_pod(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    struct sms__cluster_record *record = run->record;
    double deadline = sms__pod_deadline(run, pod);
    bool late = !run->engine.stopped || (double)(now - pod->arrival_ps) > deadline;
    if (pod->node != SMS__NO_NODE && !pod->ended)
        sms__pod_departs(run, p, pod->stuck ? "failed" : "running", now);
    if (pod->node == SMS__NO_NODE && !pod->ended) {
        record->waiting++;
        const struct sms__cluster *cluster = run->cluster;
        sms__explain_pod(run, p, now, "still waits after %.6g s%s", (double)(now - pod->arrival_ps) / 1e12,
                         !cluster->held || cluster->held[pod->shape] ? ""
                         : cluster->shape[pod->shape].replicas > 1   ? ": the nodes cannot hold its gang at once"
                                                                   : ": no node can hold it, even with nothing on it");
    }
    record->running += pod->node != SMS__NO_NODE && !pod->ended && !pod->stuck;
    record->lasting += lasts(run, pod);
    record->unended += lasts(run, pod) && !pod->ended;
    record->timed += deadline > 0 && !pod->ended && late;
    record->missed += deadline > 0 && !pod->ended && late;
}

static void close_all(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__cluster_record *record = run->record;
    integrate(run, true, now);
    sms__arrivals_close(run);
    record->ledger.gpu_milli = run->ledger.gpu_milli;
    record->ledger.bytes = run->ledger.gpu_bytes;
    record->ledger.cpu_milli = run->ledger.cpu_milli;
    record->ledger.fragments = run->ledger.fragments;
    for (uint32_t p = 0; p < run->arrived; p++)
        close_pod(run, p, now);
}

/* Fails where no event is left and yet pods are to arrive or to end: that would be beyond the clock. */
static int check_clock(const struct sms__cluster_run *run)
{
    size_t p = 0;
    char name[256];
    if (!sms__ends_pending(run) && run->arrived == run->pods && !sms__hosts_busy(run))
        return SMS_OK;
    while (p < run->arrived && (run->pod[p].node == SMS__NO_NODE || run->pod[p].ended || !lasts(run, &run->pod[p])))
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
    run->reference = spec->options->engine == SMS_ENGINE_REFERENCE;
    sms__record_init(spec->record, arena, spec->scenario);
    run->record = spec->record->cluster;
    int code = init(run);
    if (code)
        return code;
    if ((unsigned)run->order > SMS_PLACE_RANDOM || (run->order == SMS_PLACE_BEST && !run->policy->score))
        sms__cluster_stop(run, "searches in a way that there is not, or for the best node without a score");
    code = sms__engine_run(&run->engine);
    close_all(run, run->engine.now);
    spec->record->to_ps = run->engine.now;
    spec->record->events = run->engine.events;
    int inside = sms__hosts_close(run, run->engine.now);
    code = inside ? inside : code;
    if (*spec->record->why)
        return SMS_EBUG;
    return code == SMS_OK && !run->engine.stopped ? check_clock(run) : code;
}
