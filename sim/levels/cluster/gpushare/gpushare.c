/* The queue of kube-scheduler under gpushare, and the clockwork of the protocol: one scheduling cycle at a time, a
 * timer for each pod, GPUs that become unhealthy and nodes that join. */
#include "gpushare.h"
#include "../completion.h"
#include "../ends.h"
#include "../failures.h"

#include <stdlib.h>

bool sms__gpushare_goes_on(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    return gpushare->under_way || gpushare->healed < gpushare->healths || sms__cluster_goes_on(run) ||
           (gpushare->waiting && sms__failures_returning(run));
}

static bool is_over(struct sms__cluster_run *run)
{
    bool idle = sms__gpushare(run)->untried == 0 && !sms__gpushare_goes_on(run);
    return idle && !sms__hosts_go_on(run);
}

/* Retries and failures wait until it is known whether anything else happens: they must not keep each other going. */
static void hold_retries(struct sms__cluster_run *run)
{
    sms__engine_at(&run->engine, sms__gpushare(run)->timer_source, SMS__NEVER);
    sms__failures_hold(run);
}

static void wait_for_timer(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint64_t time = sms__queue_first(&gpushare->timers).time, turn = sms__turns_next(gpushare), now = run->engine.now;
    time = turn < time ? turn : time;
    if (time == SMS__NEVER || is_over(run))
        time = SMS__NEVER;
    sms__engine_at(&run->engine, gpushare->timer_source, time > now ? time : now);
}

void sms__candidate_timer(struct sms__cluster_run *run, uint32_t p, uint64_t time)
{
    sms__queue_set(&sms__gpushare(run)->timers, p, time);
}

static bool waits(const struct sms__candidate *client)
{
    return client->state == SMS__CANDIDATE_QUEUED || client->state == SMS__CANDIDATE_BACKOFF;
}

/* Keeps the counts of those that wait. */
static void set_state(struct sms__cluster_run *run, uint32_t p, enum sms__candidate_state state)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__candidate *client = &gpushare->client[p];
    bool before = waits(client), untried = client->tried != gpushare->version;
    client->state = (uint8_t)state;
    bool after = waits(client);
    gpushare->waiting = gpushare->waiting + after - before;
    gpushare->untried = gpushare->untried + (after && untried) - (before && untried);
}

/* The highest priority first, of equal ones who was queued first. */
enum { QUEUED_BITS = 33, PRIORITY_MOST = 1000000000 };

void sms__candidate_queue(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    int32_t priority = run->cluster->shape[run->pod[p].shape].priority;
    uint64_t below = (uint64_t)((int64_t)PRIORITY_MOST - priority);
    set_state(run, p, SMS__CANDIDATE_QUEUED);
    sms__queue_set(&gpushare->active, p, below << QUEUED_BITS | gpushare->client[p].stamp);
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__candidate_begin(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    sms__queue_set(&gpushare->active, p, SMS__NEVER);
    set_state(run, p, SMS__CANDIDATE_CYCLE);
    gpushare->under_way++;
}

static void park(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    gpushare->parked[gpushare->parks++] = p;
    sms__candidate_timer(run, p, SMS__NEVER);
}

void sms__candidate_back_off(struct sms__cluster_run *run, uint32_t p, uint64_t tried, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__candidate *client = &gpushare->client[p];
    uint64_t most = (uint64_t)gpushare->rules->retry_most_ps;
    client->delay_ps = client->delay_ps ? 2 * client->delay_ps : (uint64_t)gpushare->rules->retry_ps;
    client->delay_ps = client->delay_ps < most ? client->delay_ps : most;
    client->not_before = sms__after(now, (double)client->delay_ps);
    client->stamp = ++gpushare->queued;
    client->tried = tried;
    gpushare->under_way--;
    set_state(run, p, SMS__CANDIDATE_BACKOFF);
    if (gpushare->rules->when == SMS__RETRY_TIMER && client->delay_ps == most && !run->reference)
        sms__turns_add(run, p);
    else
        sms__candidate_timer(run, p, client->not_before);
    if (gpushare->rules->when == SMS__RETRY_CHANGE && tried == gpushare->version)
        park(run, p);
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__gpushare_changed(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    gpushare->version++;
    gpushare->untried = gpushare->waiting;
    while (gpushare->parks) {
        uint32_t p = gpushare->parked[--gpushare->parks];
        sms__candidate_timer(run, p, gpushare->client[p].not_before);
    }
    gpushare->changed = true;
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__candidate_comes(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    run->pod[p].since_ps = now;
    gpushare->client[p].stamp = ++gpushare->queued;
    gpushare->client[p].tried = 0;
    sms__stranded_wait(run, p, 1);
    gpushare->changed = true;
    sms__candidate_queue(run, p);
}

static void integrate(struct sms__cluster_run *run, bool ends, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__gpushare_record *record = &run->record->gpushare;
    record->stranded_ps += (sms__integral)(now - gpushare->integrated_ps) * gpushare->stranded.bytes;
    gpushare->integrated_ps = now;
    if (gpushare->changed)
        gpushare->stranded.bytes = sms__stranded_bytes(run);
    gpushare->changed = false;
    record->stranded = gpushare->stranded.bytes;
    if (ends)
        sms__report_gpus(run);
}

/* At the end of an instant: cycles begin, and it is known what is next. */
static void act(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    if (run->engine.stopped)
        return;
    hold_retries(run);
    if (!is_over(run))
        sms__extender_cycles(run, now);
    integrate(run, false, now);
    wait_for_timer(run);
    sms__failures_await(run);
    sms__turns_skip(run);
    sms__cluster_check(run);
}

static void fire_pod(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    sms__candidate_timer(run, p, SMS__NEVER);
    switch (gpushare->client[p].state) {
    case SMS__CANDIDATE_BACKOFF:
        sms__candidate_queue(run, p);
        return;
    case SMS__CANDIDATE_CLAIMED:
        run->record->gpushare.assume_timeouts++;
        sms__explain_pod(run, p, now, "assume timed out: queued again");
        sms__claim_release(run, p);
        gpushare->under_way--;
        sms__stranded_wait(run, p, -1); /* it has waited all the time */
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
    while ((next = sms__queue_first(&gpushare->timers)).time <= now && !run->engine.stopped)
        fire_pod(run, (uint32_t)next.source, now);
    while (sms__turns_next(gpushare) <= now)
        sms__candidate_queue(run, sms__turns_pop(gpushare));
    sms__engine_defer(&run->engine, &gpushare->act);
}

static void set_health(struct sms__cluster_run *run, size_t node, uint32_t gpu, bool well)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint8_t *reasons = &gpushare->reasons[sms__first_gpu(&run->ledger, node) + gpu];
    *reasons = (uint8_t)(well ? *reasons - 1 : *reasons + 1);
    uint16_t bit = (uint16_t)(1u << gpu);
    gpushare->unhealthy[node] = (uint16_t)((gpushare->unhealthy[node] & ~bit) | (*reasons ? bit : 0));
    gpushare->changed = true;
    sms__log_change(&run->ledger, node);
    if (!*reasons)
        sms__gpushare_changed(run);
}

static void fail_gpu(struct sms__cluster_run *run, size_t node, int gpu, bool down)
{
    if (gpu >= 0)
        set_health(run, node, (uint32_t)gpu, !down);
}

static void apply(struct sms__cluster_run *run, const struct sms__health *health)
{
    if (health->gpu < SMS_NODE_GPUS_MAX) {
        set_health(run, health->node, health->gpu, health->well);
        return;
    }
    sms__gpushare(run)->absent[health->node] = 0;
    sms__log_change(&run->ledger, health->node);
    sms__gpushare_changed(run);
}

static void change_health(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    for (; gpushare->healed < gpushare->healths && gpushare->health[gpushare->healed].time <= now; gpushare->healed++)
        apply(run, &gpushare->health[gpushare->healed]);
    sms__engine_at(&run->engine, gpushare->health_source,
                   gpushare->healed < gpushare->healths ? gpushare->health[gpushare->healed].time : SMS__NEVER);
    sms__engine_defer(&run->engine, &gpushare->act);
}

static int compare_health(const void *a, const void *b)
{
    const struct sms__health *x = a, *y = b;
    const uint64_t key[][2] = {{x->time, y->time}, {x->node, y->node}, {x->gpu, y->gpu}, {x->well, y->well}};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    return 0;
}

static void add_health(struct sms__gpushare_state *gpushare, double time_ps, size_t node, uint64_t gpu, bool well)
{
    gpushare->health[gpushare->healths++] =
        (struct sms__health){(uint64_t)(time_ps + 0.5), (uint32_t)node, (uint32_t)gpu, well};
}

static void list_node(struct sms__gpushare_state *gpushare, const struct sms__nodes *kind, size_t node)
{
    const struct sms__share_node *shared = kind->shared;
    gpushare->kind[node] = kind;
    if (shared->added_ps > 0) {
        gpushare->absent[node] = 1;
        add_health(gpushare, shared->added_ps, node, SMS_NODE_GPUS_MAX, true);
    }
    for (size_t i = 0; i < shared->sicks; i++) {
        add_health(gpushare, shared->sick[i].from_ps, node, shared->sick[i].gpu, false);
        if (shared->sick[i].to_ps > 0)
            add_health(gpushare, shared->sick[i].to_ps, node, shared->sick[i].gpu, true);
    }
}

static void list_health(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    const struct sms__cluster *cluster = run->cluster;
    size_t most = 0;
    for (size_t k = 0; k < cluster->kinds; k++)
        most += cluster->node[k].count * (2 * cluster->node[k].shared->sicks + 1);
    gpushare->health = SMS__NEW(run->arena, struct sms__health, most);
    for (size_t k = 0; k < cluster->kinds; k++)
        for (size_t n = cluster->node[k].first; n < cluster->node[k].first + cluster->node[k].count; n++)
            list_node(gpushare, &cluster->node[k], n);
    if (gpushare->healths)
        qsort(gpushare->health, gpushare->healths, sizeof *gpushare->health, compare_health);
}

static void init_nodes(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    size_t nodes = run->cluster->nodes, gpus = sms__gpus_of(run->cluster);
    gpushare->kept = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->claim = SMS__NEW(run->arena, struct sms__claim, nodes);
    gpushare->absent = SMS__NEW(run->arena, uint16_t, nodes);
    gpushare->unhealthy = SMS__NEW(run->arena, uint16_t, nodes);
    gpushare->first = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->last = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->kind = SMS__NEW(run->arena, const struct sms__nodes *, nodes);
    gpushare->reasons = SMS__NEW(run->arena, uint8_t, gpus);
    gpushare->in_use = SMS__NEW(run->arena, uint64_t, gpus);
    for (size_t n = 0; n < nodes; n++)
        gpushare->first[n] = gpushare->last[n] = SMS__NO_POD;
    list_health(run);
}

static void init(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = SMS__NEW(run->arena, struct sms__gpushare_state, 1);
    struct sms__engine *engine = &run->engine;
    run->scheduling = gpushare;
    gpushare->rules = run->cluster->gpushare;
    gpushare->client = SMS__NEW(run->arena, struct sms__candidate, run->pods);
    gpushare->parked = SMS__NEW(run->arena, uint32_t, run->pods);
    gpushare->filter = SMS__NEW(run->arena, struct sms__filter, run->cluster->shapes);
    sms__queue_init(&gpushare->active, run->arena, run->pods);
    sms__queue_init(&gpushare->timers, run->arena, run->pods);
    gpushare->version = 1;
    gpushare->cycle = gpushare->bind = SMS__NO_POD;
    gpushare->act = (struct sms__action){.act = act, .subject = run};
    init_nodes(run);
    sms__turns_init(run);
    sms__stranded_init(run);
    gpushare->health_source = sms__engine_source(engine, SMS__LEVEL_TENANT, change_health, run);
    gpushare->bind_source = sms__engine_source(engine, SMS__LEVEL_POLICY, sms__extender_bound, run);
    gpushare->timer_source = sms__engine_source(engine, SMS__LEVEL_POLICY, fire, run);
    gpushare->filter_source = sms__engine_source(engine, SMS__LEVEL_POLICY, sms__extender_filtered, run);
    sms__engine_at(engine, gpushare->health_source, gpushare->healths ? gpushare->health[0].time : SMS__NEVER);
}

/* A pod that comes again is a new one to kube-scheduler. */
static void add(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    sms__gpushare(run)->client[p].delay_ps = 0;
    sms__gpushare(run)->client[p].again = run->pod[p].attempt > 0;
    sms__candidate_comes(run, p, now);
}

void sms__gpushare_freed(struct sms__cluster_run *run, uint64_t now)
{
    (void)now;
    if (run->ledger.frees)
        sms__gpushare_changed(run);
    sms__ledger_clear_freed(&run->ledger);
}

static void leave(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    sms__plugin_left(run, p, now);
    sms__gpushare(run)->client[p].state = SMS__CANDIDATE_OUT;
}

static void explain(const struct sms__cluster_run *run, uint32_t p, uint64_t now, const char *text)
{
    sms__explain_pod(run, p, now, "%s", text);
}

const struct sms__scheduler sms__gpushare_scheduler = {.sources = {[SMS__LEVEL_TENANT] = 1, [SMS__LEVEL_POLICY] = 3},
                                                       .init = init,
                                                       .add = add,
                                                       .freed = sms__gpushare_freed,
                                                       .is_over = is_over,
                                                       .health = fail_gpu,
                                                       .abort = sms__plugin_abort,
                                                       .leave = leave,
                                                       .container_gpus = sms__running_gpus,
                                                       .explain = explain,
                                                       .integrate = integrate,
                                                       .find_disagreement = sms__gpushare_disagreement,
                                                       .filter = &sms__gpushare_filter};
