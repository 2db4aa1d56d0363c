#include "master.h"

static struct sms_pod_view view_of(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__pod *pod = &run->pod[p];
    struct sms_pod_view view = run->cluster->shape[pod->shape];
    view.deadline_ps = sms__job_deadline_ps(run, pod);
    return view;
}

void sms__master_init(struct sms__cluster_run *run)
{
    if (!run->policy->pace)
        return;
    size_t nodes = run->cluster->nodes;
    struct sms__master *master = SMS__NEW(run->arena, struct sms__master, 1);
    run->master = master;
    master->pace = run->policy->pace(&run->view, nodes);
    master->pod = SMS__NO_POD;
    master->acts_ps = SMS__NEVER;
    master->monitored = SMS__NEW(run->arena, struct sms_monitored, nodes);
    for (size_t n = 0; n < nodes; n++)
        run->node[n].monitored = &master->monitored[n];
    sms__queue_init(&master->waiting, run->arena, run->pods);
    master->source = sms__engine_source(&run->engine, SMS__LEVEL_POLICY, sms__master_act, run);
}

static void act_at(struct sms__cluster_run *run, uint64_t time)
{
    run->master->acts_ps = time;
    sms__engine_at(&run->engine, run->master->source, time);
}

/* In whole ps, which may be none. */
static void act_in(struct sms__cluster_run *run, uint64_t now, double delay_ps)
{
    act_at(run, sms__after_if_any(now, delay_ps));
}

/* Takes up the pod that is to be tried first, if it is time. */
static void take_up(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__master *master = run->master;
    struct sms__match first = sms__queue_first(&master->waiting);
    if (first.time > now) {
        act_at(run, first.time);
        return;
    }
    master->pod = (uint32_t)first.source;
    master->answered = master->stirred = false;
    master->asked_ps = now;
    master->pods--;
    sms__queue_set(&master->waiting, first.source, SMS__NEVER);
    act_in(run, now, master->pace.query_ps);
}

static void wait_until(struct sms__master *master, uint32_t pod, uint64_t time)
{
    sms__queue_set(&master->waiting, pod, time);
    master->pods++;
}

void sms__master_add(struct sms__cluster_run *run, uint32_t pod, uint64_t now)
{
    struct sms__master *master = run->master;
    wait_until(master, pod, now);
    master->in_vain = 0;
    if (master->pod == SMS__NO_POD)
        take_up(run, now);
}

static void take_answers(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__master *master = run->master;
    struct sms_pod_view view = view_of(run, master->pod);
    master->node = sms__rank_nodes(run, &view, now);
    master->answered = true;
    if (run->wrong) {
        sms__cluster_stop(run, run->wrong);
        return;
    }
    sms__tell_ranking(run, master->pod, &view, now);
    act_in(run, now, master->pace.decide_ps);
}

uint64_t sms__next_beside_master(struct sms__cluster_run *run)
{
    struct sms__master *master = run->master;
    if (!master)
        return sms__engine_next(&run->engine);
    sms__engine_at(&run->engine, master->source, SMS__NEVER);
    uint64_t next = sms__engine_next(&run->engine);
    sms__engine_at(&run->engine, master->source, master->acts_ps);
    return next;
}

bool sms__master_waits(const struct sms__cluster_run *run)
{
    const struct sms__master *master = run->master;
    return master && (master->pods || master->pod != SMS__NO_POD);
}

void sms__master_stir(struct sms__cluster_run *run)
{
    if (run->master)
        run->master->stirred = true;
}

/* Nothing else is to happen that a node could tell of, or has happened since nodes were asked. */
static bool is_quiet(struct sms__cluster_run *run)
{
    return !run->master->stirred && sms__next_beside_master(run) == SMS__NEVER && !sms__monitor_expects(run->monitor);
}

static void try_again(struct sms__cluster_run *run, uint32_t pod, uint64_t now)
{
    struct sms__master *master = run->master;
    struct sms__monitor_record *record = run->record->monitor;
    record->unqualified++;
    record->queued += !run->pod[pod].queued && run->pod[pod].attempt == 0;
    run->pod[pod].queued = true;
    wait_until(master, pod, sms__after(now, master->pace.retry_ps));
    master->in_vain = is_quiet(run) ? master->in_vain + 1 : 0;
}

/* The node may have changed since it answered. */
static void decide(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__master *master = run->master;
    uint32_t pod = master->pod, node = master->node;
    const struct sms_pod_view *shape = &run->cluster->shape[run->pod[pod].shape];
    master->pod = SMS__NO_POD;
    if (node == SMS__NO_NODE || !sms_node_fits(&run->node[node], shape)) {
        try_again(run, pod, now);
    } else if (sms__pod_take(run, pod, node, now)) {
        master->in_vain = 0;
        sms__pod_begin(run, pod, now);
    }
    if (master->pods == 0 || master->in_vain < master->pods) /* else all wait for ever */
        take_up(run, now);
}

void sms__master_act(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__master *master = run->master;
    master->acts_ps = SMS__NEVER;
    if (master->pod == SMS__NO_POD)
        take_up(run, now);
    else if (!master->answered)
        take_answers(run, now);
    else
        decide(run, now);
    sms__cluster_conclude(run);
}
