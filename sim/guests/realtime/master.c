/* The master (Kang 2022, Algorithm 2): pods wait for decisions that take time. One pod at a time, nodes are asked,
 * those that answer are ranked, and the pod is placed or tried again later. A pod for which nothing can change is tried
 * no more, so that a run ends. */
#include "../../levels/cluster/cluster_run.h"
#include "master.h"

#include <math.h>

static struct sms_pod_view view_of(const struct sms__cluster_run *run, uint32_t p)
{
    struct sms_pod_view view = *sms__pod_shape(run, p);
    view.deadline_ps = sms__job_deadline_ps(run, &run->pod[p]);
    return view;
}

static void act_at(struct sms__cluster_run *run, uint64_t time)
{
    sms__master(run)->acts_ps = time;
    sms__engine_at(&run->engine, sms__master(run)->source, time);
}

/* The delay may be 0. */
static void act_in(struct sms__cluster_run *run, uint64_t now, double delay_ps)
{
    act_at(run, sms__after_if_any(now, delay_ps));
}

/* Takes up the pod that is to be tried first, if it is time. */
static void take_up(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    struct sms__match first = sms__queue_first(&master->waiting);
    if (first.time > now) {
        act_at(run, first.time);
        return;
    }
    master->pod = (uint32_t)first.source;
    master->answered = false;
    master->pods--;
    sms__queue_set(&master->waiting, first.source, SMS__NEVER);
    act_in(run, now, master->pace.query_ps);
}

static void wait_until(struct sms__master *master, uint32_t pod, uint64_t time)
{
    sms__queue_set(&master->waiting, pod, time);
    master->pods++;
}

static void add(struct sms__cluster_run *run, uint32_t pod, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    run->pod[pod].since_ps = now;
    wait_until(master, pod, now);
    master->in_vain = 0;
    if (master->pod == SMS__NO_POD)
        take_up(run, now);
}

static void take_answers(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    struct sms_pod_view view = view_of(run, master->pod);
    master->node = sms__rank_nodes(run, &view, now);
    master->answered = true;
    if (run->engine.stopped)
        return;
    sms__explain_ranking(run, master->pod, &view, now);
    act_in(run, now, master->pace.decide_ps);
}

/* The next event that is not the master's. */
static uint64_t next_event(struct sms__cluster_run *run)
{
    struct sms__master *master = sms__master(run);
    sms__engine_at(&run->engine, master->source, SMS__NEVER);
    uint64_t next = sms__engine_next(&run->engine);
    sms__engine_at(&run->engine, master->source, master->acts_ps);
    return next;
}

static void freed(struct sms__cluster_run *run, uint64_t now)
{
    (void)now;
    sms__ledger_clear_freed(&run->ledger);
}

/* Nothing has happened since nodes were asked, and nothing else will that a node could tell of. */
static bool is_quiet(struct sms__cluster_run *run)
{
    return next_event(run) == SMS__NEVER && !sms__monitor_expects(sms__monitor(run));
}

static void try_again(struct sms__cluster_run *run, uint32_t pod, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    struct sms__monitor_record *record = run->record->monitor;
    record->unqualified++;
    record->queued += !master->queued[pod] && run->pod[pod].attempt == 0;
    master->queued[pod] = true;
    wait_until(master, pod, sms__after(now, master->pace.retry_ps));
    master->in_vain = is_quiet(run) ? master->in_vain + 1 : 0;
}

/* The node may have changed since it answered. */
static void decide(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    uint32_t pod = master->pod, node = master->node;
    master->pod = SMS__NO_POD;
    if (node == SMS__NO_NODE || !sms_node_fits(&run->ledger.node[node], sms__pod_shape(run, pod))) {
        try_again(run, pod, now);
    } else if (sms__pod_take(run, pod, node, now)) {
        master->in_vain = 0;
        sms__pod_begin(run, pod, now);
    }
    if (master->pods == 0 || master->in_vain < master->pods) /* else all wait for ever */
        take_up(run, now);
}

static void act(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__master *master = sms__master(run);
    master->acts_ps = SMS__NEVER;
    if (master->pod == SMS__NO_POD)
        take_up(run, now);
    else if (!master->answered)
        take_answers(run, now);
    else
        decide(run, now);
    sms__cluster_check(run);
}

/* A pod that finds no node is tried again, so time has to pass in between. */
static bool is_pace(const struct sms_place_pace *pace)
{
    const bool query = pace->query_ps >= 0 && pace->query_ps < INFINITY;
    const bool decide = pace->decide_ps >= 0 && pace->decide_ps < INFINITY;
    return query && decide && pace->retry_ps > 0 && pace->retry_ps < INFINITY;
}

static void start(struct sms__cluster_run *run)
{
    size_t nodes = run->cluster->nodes;
    struct sms__master *master = SMS__NEW(run->arena, struct sms__master, 1);
    run->scheduling = master;
    master->pace = run->policy->pace(&run->view, nodes);
    if (!is_pace(&master->pace))
        sms__cluster_stop(run, "gave a pace with a time that is not finite or below 0, or a retry_ps of 0");
    master->pod = SMS__NO_POD;
    master->acts_ps = SMS__NEVER;
    master->queued = SMS__NEW(run->arena, bool, run->pods);
    master->monitored = SMS__NEW(run->arena, struct sms_monitored, nodes);
    for (size_t n = 0; n < nodes; n++)
        run->ledger.node[n].monitored = &master->monitored[n];
    sms__queue_init(&master->waiting, run->arena, run->pods);
    master->source = sms__engine_source(&run->engine, SMS__LEVEL_POLICY, act, run);
}

static bool is_wanted(const struct sms__cluster_run *run) { return run->policy->pace != NULL; }

static const struct sms__scheduler scheduler = {
    .is_wanted = is_wanted, .sources = {[SMS__LEVEL_POLICY] = 1}, .start = start, .add = add, .freed = freed};

const struct sms__guest sms__realtime_guest = {.scheduler = &scheduler, .observer = &sms__monitor_observer};
