/* The queue of kube-scheduler under gpushare, and the clockwork of the protocol: one scheduling cycle at a time, a
 * timer for each pod, GPUs that become unhealthy and nodes that join. */
#include "gpushare.h"

#include "../../../base/rng.h"
#include "../hosts.h"

#include <stdlib.h>

bool sms__gpushare_goes_on(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = run->gpushare;
    bool failing = run->given || (gpushare->waiting && run->returning);
    return gpushare->under_way || run->ends || run->come < run->pods || gpushare->healed < gpushare->healths || failing;
}

bool sms__gpushare_is_over(struct sms__cluster_run *run)
{
    bool idle = run->gpushare->untried == 0 && !sms__gpushare_goes_on(run);
    return idle && !sms__hosts_go_on(run);
}

/* Retries and failures wait until it is known whether anything else happens: they do not keep each other going. */
static void silence(struct sms__cluster_run *run)
{
    sms__engine_at(&run->engine, run->gpushare->timer_source, SMS__NEVER);
    if (run->causes)
        sms__engine_at(&run->engine, run->fail_source, SMS__NEVER);
}

static void wait_for_timer(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    uint64_t time = sms__queue_first(&gpushare->timers).time, turn = sms__turns_next(gpushare), now = run->engine.now;
    time = turn < time ? turn : time;
    if (time == SMS__NEVER || sms__gpushare_is_over(run))
        time = SMS__NEVER;
    sms__engine_at(&run->engine, gpushare->timer_source, time > now ? time : now);
}

void sms__candidate_timer(struct sms__cluster_run *run, uint32_t p, uint64_t time)
{
    sms__queue_set(&run->gpushare->timers, p, time);
}

static bool waits(const struct sms__candidate *client)
{
    return client->state == SMS__CANDIDATE_QUEUED || client->state == SMS__CANDIDATE_BACKOFF;
}

/* Keeps the counts of those that wait. */
static void set_state(struct sms__cluster_run *run, uint32_t p, enum sms__candidate_state state)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
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
    struct sms__gpushare_state *gpushare = run->gpushare;
    int32_t priority = run->cluster->shape[run->pod[p].shape].priority;
    uint64_t below = (uint64_t)((int64_t)PRIORITY_MOST - priority);
    set_state(run, p, SMS__CANDIDATE_QUEUED);
    sms__queue_set(&gpushare->active, p, below << QUEUED_BITS | gpushare->client[p].stamp);
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__candidate_begin(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    sms__queue_set(&gpushare->active, p, SMS__NEVER);
    set_state(run, p, SMS__CANDIDATE_CYCLE);
    gpushare->under_way++;
}

static void park(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    gpushare->parked[gpushare->parks++] = p;
    sms__candidate_timer(run, p, SMS__NEVER);
}

void sms__candidate_back_off(struct sms__cluster_run *run, uint32_t p, uint64_t tried, uint64_t now)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    struct sms__candidate *client = &gpushare->client[p];
    uint64_t most = (uint64_t)gpushare->rules->retry_most_ps;
    client->delay_ps = client->delay_ps ? 2 * client->delay_ps : (uint64_t)gpushare->rules->retry_ps;
    client->delay_ps = client->delay_ps < most ? client->delay_ps : most;
    client->not_before = sms__after(now, (double)client->delay_ps);
    client->stamp = ++gpushare->queued;
    client->tried = tried;
    gpushare->under_way--;
    set_state(run, p, SMS__CANDIDATE_BACKOFF);
    if (gpushare->rules->when == SMS__RETRY_TIMER && client->delay_ps == most && !run->plain)
        sms__turns_add(run, p);
    else
        sms__candidate_timer(run, p, client->not_before);
    if (gpushare->rules->when == SMS__RETRY_CHANGE && tried == gpushare->version)
        park(run, p);
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__gpushare_changed(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
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
    struct sms__gpushare_state *gpushare = run->gpushare;
    run->pod[p].since_ps = now;
    gpushare->client[p].stamp = ++gpushare->queued;
    gpushare->client[p].tried = 0;
    sms__stranded_wait(run, p, 1);
    gpushare->changed = true;
    sms__candidate_queue(run, p);
}

void sms__gpushare_settle(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    struct sms__gpushare_record *record = &run->record->gpushare;
    record->stranded_ps += (sms__integral)(now - gpushare->settled_ps) * gpushare->stranded.bytes;
    gpushare->settled_ps = now;
    if (gpushare->changed)
        gpushare->stranded.bytes = sms__stranded_bytes(run);
    gpushare->changed = false;
    record->stranded = gpushare->stranded.bytes;
}

/* At the end of an instant: cycles begin, and it is known what is next. */
static void act(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    if (run->engine.stopped)
        return;
    silence(run);
    if (!sms__gpushare_is_over(run))
        sms__extender_cycles(run, now);
    sms__gpushare_settle(run, now);
    wait_for_timer(run);
    sms__failures_await(run);
    sms__turns_skip(run);
    sms__cluster_check(run);
}

static void fire_pod(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    sms__candidate_timer(run, p, SMS__NEVER);
    switch (gpushare->client[p].state) {
    case SMS__CANDIDATE_BACKOFF:
        sms__candidate_queue(run, p);
        return;
    case SMS__CANDIDATE_CLAIMED:
        run->record->gpushare.assume_timeouts++;
        sms__tell(run, p, now, "assume timed out: queued again");
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
    struct sms__gpushare_state *gpushare = run->gpushare;
    struct sms__match next;
    while ((next = sms__queue_first(&gpushare->timers)).time <= now && !run->engine.stopped)
        fire_pod(run, (uint32_t)next.source, now);
    while (sms__turns_next(gpushare) <= now)
        sms__candidate_queue(run, sms__turns_pop(gpushare));
    sms__engine_defer(&run->engine, &gpushare->act);
}

static void apply(struct sms__cluster_run *run, const struct sms__health *health)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    if (health->gpu == SMS_NODE_GPUS_MAX) {
        gpushare->absent[health->node] = 0;
        sms__log_change(run, health->node);
        sms__gpushare_changed(run);
        return;
    }
    sms__gpushare_sicken(run, health->node, health->gpu, !health->well);
}

void sms__gpushare_sicken(struct sms__cluster_run *run, size_t node, uint32_t gpu, bool ill)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    uint8_t *sick = &gpushare->sick[sms__first_gpu(run, node) + gpu];
    *sick = (uint8_t)(ill ? *sick + 1 : *sick - 1);
    uint16_t bit = (uint16_t)(1u << gpu);
    gpushare->sick_now[node] = (uint16_t)((gpushare->sick_now[node] & ~bit) | (*sick ? bit : 0));
    gpushare->changed = true;
    sms__log_change(run, node);
    if (!*sick)
        sms__gpushare_changed(run);
}

static void change_health(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__gpushare_state *gpushare = run->gpushare;
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
    struct sms__gpushare_state *gpushare = run->gpushare;
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
    struct sms__gpushare_state *gpushare = run->gpushare;
    size_t nodes = run->cluster->nodes, gpus = sms__gpus_of(run->cluster);
    gpushare->kept = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->claim = SMS__NEW(run->arena, struct sms__claim, nodes);
    gpushare->absent = SMS__NEW(run->arena, uint16_t, nodes);
    gpushare->sick_now = SMS__NEW(run->arena, uint16_t, nodes);
    gpushare->first = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->last = SMS__NEW(run->arena, uint32_t, nodes);
    gpushare->kind = SMS__NEW(run->arena, const struct sms__nodes *, nodes);
    gpushare->sick = SMS__NEW(run->arena, uint8_t, gpus);
    gpushare->in_use = SMS__NEW(run->arena, uint64_t, gpus);
    for (size_t n = 0; n < nodes; n++)
        gpushare->first[n] = gpushare->last[n] = SMS__NO_POD;
    list_health(run);
}

void sms__gpushare_init(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = run->gpushare;
    struct sms__engine *engine = &run->engine;
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

/* One that comes again is a new pod to kube-scheduler. */
void sms__gpushare_add(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    run->gpushare->client[p].delay_ps = 0;
    run->gpushare->client[p].again = run->pod[p].attempt > 0;
    sms__candidate_comes(run, p, now);
}

void sms__gpushare_freed(struct sms__cluster_run *run)
{
    if (run->frees)
        sms__gpushare_changed(run);
    while (run->frees)
        run->book[run->freed[--run->frees]].freed = false;
}

void sms__gpushare_left(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    sms__plugin_left(run, p, now);
    run->gpushare->client[p].state = SMS__CANDIDATE_OUT;
}
