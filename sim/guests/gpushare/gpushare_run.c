/* gpushare as a scheduler: its table of operations, and the timers of the protocol. One scheduling cycle is under way
 * at a time; cycles begin at the end of an instant, when all else of it has happened. */
#include "../../levels/cluster/cluster_run.h"
#include "gpushare_run.h"

/* Whether anything goes on beside pods that back off and workloads: a run of a given duration goes on until its end. */
static bool goes_on(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    return run->scenario->duration_ps > 0 || gpushare->under_way || sms__health_will_change(run) ||
           run->arrived < run->pods || sms__ends_pending(run);
}

static bool is_over(struct sms__cluster_run *run)
{
    bool idle = sms__gpushare(run)->untried == 0 && !goes_on(run);
    return idle && !sms__hosts_go_on(run);
}

/* Retries wait until it is known whether anything else happens: they must not keep a run without a duration going. */
static void hold_retries(struct sms__cluster_run *run)
{
    sms__engine_at(&run->engine, sms__gpushare(run)->timer_source, SMS__NEVER);
}

static void wait_for_timer(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint64_t time = sms__queue_least(&gpushare->timers), now = run->engine.now;
    if (time == SMS__NEVER || is_over(run))
        time = SMS__NEVER;
    sms__engine_at(&run->engine, gpushare->timer_source, time > now ? time : now);
}

static void integrate(struct sms__cluster_run *run, bool ends, uint64_t now)
{
    sms__stranded_integrate(run, now);
    if (ends)
        sms__report_gpus(run);
}

/* At the end of an instant, cycles begin; then it is known what is next. */
static void act(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    if (run->engine.stopped)
        return;
    hold_retries(run);
    if (!is_over(run))
        sms__cycles_begin(run, now);
    sms__stranded_integrate(run, now);
    wait_for_timer(run);
    sms__cluster_check(run);
}

static void fire_pod(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    sms__candidate_timer(run, p, SMS__NEVER);
    switch (gpushare->candidate[p].state) {
    case SMS__CANDIDATE_BACKOFF:
        sms__candidate_queue(run, p);
        return;
    case SMS__CANDIDATE_CLAIMED:
        run->record->cards.assume_timeouts++;
        sms__explain_pod(run, p, now, "assume timed out: queued again");
        sms__claim_release(run, p);
        gpushare->under_way--;
        sms__stranded_wait(run, p, -1); /* to stranded memory, it has waited all the time */
        sms__candidate_comes(run, p, now);
        sms__gpushare_changed(run);
        return;
    default:
        sms__plugin_fire(run, p, now);
    }
}

static void fire(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__match next;
    while ((next = sms__queue_first(&gpushare->timers)).time <= now && !sms__engine_ends(&run->engine))
        fire_pod(run, (uint32_t)next.source, now);
    sms__engine_defer(&run->engine, &gpushare->act);
}

static void change_health(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    if (sms__health_apply(run, now))
        sms__gpushare_changed(run);
    sms__engine_defer(&run->engine, &sms__gpushare(run)->act);
}

static void init_nodes(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    const struct sms__cluster *cluster = run->cluster;
    size_t nodes = cluster->nodes;
    gpushare->cycle.kept = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->claim = SMS__NEW(run->arena, struct sms__claim, nodes);
    gpushare->first = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->last = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->kind = SMS__NEW(run->arena, const struct sms__nodes *, nodes);
    gpushare->in_use = SMS__NEW(run->arena, uint64_t, sms__gpus_of(cluster));
    for (size_t n = 0; n < nodes; n++)
        gpushare->first[n] = gpushare->last[n] = SMS__NO_POD;
    for (size_t k = 0; k < cluster->kinds; k++)
        for (size_t n = cluster->node[k].first; n < cluster->node[k].first + cluster->node[k].count; n++)
            gpushare->kind[n] = &cluster->node[k];
}

static void init(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = SMS__NEW(run->arena, struct sms__gpushare_state, 1);
    struct sms__engine *engine = &run->engine;
    run->scheduling = gpushare;
    gpushare->rules = run->cluster->rules;
    gpushare->candidate = SMS__NEW(run->arena, struct sms__share_candidate, run->pods);
    sms__queue_init(&gpushare->active, run->arena, run->pods);
    sms__queue_init(&gpushare->timers, run->arena, run->pods);
    gpushare->version = 1;
    gpushare->cycle.pod = gpushare->cycle.binding = SMS__NO_POD;
    gpushare->act = (struct sms__action){.act = act, .subject = run};
    init_nodes(run);
    sms__stranded_init(run);
    sms__health_init(run, change_health);
    gpushare->cycle.bind_source = sms__engine_source(engine, SMS__LEVEL_POLICY, sms__extender_bound, run);
    gpushare->timer_source = sms__engine_source(engine, SMS__LEVEL_POLICY, fire, run);
    gpushare->cycle.filter_source = sms__engine_source(engine, SMS__LEVEL_POLICY, sms__extender_filtered, run);
}

/* A pod that comes again is a new one to kube-scheduler. */
static void add(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    sms__gpushare(run)->candidate[p].delay_ps = 0;
    sms__gpushare(run)->candidate[p].again = run->pod[p].attempt > 0;
    sms__candidate_comes(run, p, now);
}

static void leave(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    sms__plugin_left(run, p, now);
    sms__gpushare(run)->candidate[p].state = SMS__CANDIDATE_OUT;
}

static bool is_wanted(const struct sms__cluster_run *run) { return run->cluster->guest == &sms__gpushare_guest; }

static const struct sms__scheduler scheduler = {.is_wanted = is_wanted,
                                                .sources = {[SMS__LEVEL_TENANT] = 1, [SMS__LEVEL_POLICY] = 3},
                                                .init = init,
                                                .add = add,
                                                .freed = sms__gpushare_freed,
                                                .leave = leave,
                                                .container_gpus = sms__running_gpus,
                                                .explains = true,
                                                .integrate = integrate,
                                                .find_disagreement = sms__gpushare_disagreement,
                                                .view = sms__extender_view};

static const char *const columns[] = {"gpu_memory_allocation_ratio",
                                      "gpu_memory_allocation_mean_ratio",
                                      "rejections_count",
                                      "bind_failures_count",
                                      "assume_timeouts_count",
                                      "misallocations_count",
                                      "pending_mean_ns",
                                      "pending_p99_ns",
                                      "stranded_mean_bytes",
                                      NULL};

const struct sms__guest sms__gpushare_guest = {.kind = "gpushare",
                                               .tables = sms__gpushare_tables,
                                               .read = sms__gpushare_read,
                                               .read_nodes = sms__gpushare_read_nodes,
                                               .read_pod = sms__gpushare_read_pod,
                                               .without_memory = ": without gpu_memory that is one with share: cards",
                                               .count_slots = sms__gpushare_count_slots,
                                               .columns = columns,
                                               .scheduler = &scheduler};
