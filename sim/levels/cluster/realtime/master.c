#include "master.h"

static struct sms_pod_view view_of(const struct sms__placing *placing, uint32_t p)
{
    const struct sms__pod *pod = &placing->pod[p];
    struct sms_pod_view view = placing->cluster->shape[pod->shape];
    view.deadline_ps = sms__job_deadline_ps(placing, pod);
    return view;
}

void sms__master_init(struct sms__placing *placing)
{
    if (!placing->policy->pace)
        return;
    size_t nodes = placing->cluster->nodes;
    struct sms__master *master = SMS__NEW(placing->arena, struct sms__master, 1);
    placing->master = master;
    master->pace = placing->policy->pace(&placing->view, nodes);
    master->pod = SMS__NO_POD;
    master->acts_ps = SMS__NEVER;
    master->monitored = SMS__NEW(placing->arena, struct sms_monitored, nodes);
    for (size_t n = 0; n < nodes; n++)
        placing->node[n].monitored = &master->monitored[n];
    sms__queue_init(&master->waiting, placing->arena, placing->pods);
    master->source = sms__engine_source(&placing->engine, SMS__LEVEL_POLICY, sms__master_act, placing);
}

static void act_at(struct sms__placing *placing, uint64_t time)
{
    placing->master->acts_ps = time;
    sms__engine_at(&placing->engine, placing->master->source, time);
}

/* In whole ps, which may be none. */
static void act_in(struct sms__placing *placing, uint64_t now, double delay_ps)
{
    act_at(placing, sms__after_if_any(now, delay_ps));
}

/* Takes up the pod that is to be tried first, if it is time. */
static void take_up(struct sms__placing *placing, uint64_t now)
{
    struct sms__master *master = placing->master;
    struct sms__match first = sms__queue_first(&master->waiting);
    if (first.time > now) {
        act_at(placing, first.time);
        return;
    }
    master->pod = (uint32_t)first.source;
    master->answered = master->stirred = false;
    master->asked_ps = now;
    master->pods--;
    sms__queue_set(&master->waiting, first.source, SMS__NEVER);
    act_in(placing, now, master->pace.query_ps);
}

static void wait_until(struct sms__master *master, uint32_t pod, uint64_t time)
{
    sms__queue_set(&master->waiting, pod, time);
    master->pods++;
}

void sms__master_add(struct sms__placing *placing, uint32_t pod, uint64_t now)
{
    struct sms__master *master = placing->master;
    wait_until(master, pod, now);
    master->in_vain = 0;
    if (master->pod == SMS__NO_POD)
        take_up(placing, now);
}

static void take_answers(struct sms__placing *placing, uint64_t now)
{
    struct sms__master *master = placing->master;
    struct sms_pod_view view = view_of(placing, master->pod);
    master->node = sms__rank_nodes(placing, &view, now);
    master->answered = true;
    if (placing->wrong) {
        sms__placing_stop(placing, placing->wrong);
        return;
    }
    sms__tell_ranking(placing, master->pod, &view, now);
    act_in(placing, now, master->pace.decide_ps);
}

uint64_t sms__next_beside_master(struct sms__placing *placing)
{
    struct sms__master *master = placing->master;
    if (!master)
        return sms__engine_next(&placing->engine);
    sms__engine_at(&placing->engine, master->source, SMS__NEVER);
    uint64_t next = sms__engine_next(&placing->engine);
    sms__engine_at(&placing->engine, master->source, master->acts_ps);
    return next;
}

bool sms__master_waits(const struct sms__placing *placing)
{
    const struct sms__master *master = placing->master;
    return master && (master->pods || master->pod != SMS__NO_POD);
}

void sms__master_stir(struct sms__placing *placing)
{
    if (placing->master)
        placing->master->stirred = true;
}

/* Nothing else is to happen that a node could tell of, or has happened since nodes were asked. */
static bool is_quiet(struct sms__placing *placing)
{
    return !placing->master->stirred && sms__next_beside_master(placing) == SMS__NEVER &&
           !sms__monitor_expects(placing->monitor);
}

static void try_again(struct sms__placing *placing, uint32_t pod, uint64_t now)
{
    struct sms__master *master = placing->master;
    struct sms__monitor_record *record = placing->record->monitor;
    record->unqualified++;
    record->queued += !placing->pod[pod].queued && placing->pod[pod].run == 0;
    placing->pod[pod].queued = true;
    wait_until(master, pod, sms__after(now, master->pace.retry_ps));
    master->in_vain = is_quiet(placing) ? master->in_vain + 1 : 0;
}

/* The node may have changed since it answered. */
static void decide(struct sms__placing *placing, uint64_t now)
{
    struct sms__master *master = placing->master;
    uint32_t pod = master->pod, node = master->node;
    const struct sms_pod_view *shape = &placing->cluster->shape[placing->pod[pod].shape];
    master->pod = SMS__NO_POD;
    if (node == SMS__NO_NODE || !sms_node_fits(&placing->node[node], shape)) {
        try_again(placing, pod, now);
    } else if (sms__pod_take(placing, pod, node, now)) {
        master->in_vain = 0;
        sms__pod_begin(placing, pod, now);
    }
    if (master->pods == 0 || master->in_vain < master->pods) /* else all wait for ever */
        take_up(placing, now);
}

void sms__master_act(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    struct sms__master *master = placing->master;
    master->acts_ps = SMS__NEVER;
    if (master->pod == SMS__NO_POD)
        take_up(placing, now);
    else if (!master->answered)
        take_answers(placing, now);
    else
        decide(placing, now);
    sms__placing_conclude(placing);
}
