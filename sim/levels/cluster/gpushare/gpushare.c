/* The queue of kube-scheduler under gpushare, and the clockwork of the protocol: one scheduling cycle at a time, a
 * timer for each pod, GPUs that become unhealthy and nodes that join. */
#include "gpushare.h"

#include "../../../base/rng.h"
#include "../hosts.h"

#include <stdlib.h>

bool sms__gpushare_goes_on(const struct sms__placing *placing)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    bool failing = placing->given || (run->waiting && placing->returning);
    return run->under_way || placing->ends || placing->come < placing->pods || run->healed < run->healths || failing;
}

bool sms__gpushare_is_over(struct sms__placing *placing)
{
    bool idle = placing->gpushare->untried == 0 && !sms__gpushare_goes_on(placing);
    return idle && !sms__hosts_go_on(placing);
}

/* Retries and failures wait until it is known whether anything else happens: they do not keep each other going. */
static void silence(struct sms__placing *placing)
{
    sms__engine_at(&placing->engine, placing->gpushare->timer_source, SMS__NEVER);
    if (placing->causes)
        sms__engine_at(&placing->engine, placing->fail_source, SMS__NEVER);
}

static void wait_for_timer(struct sms__placing *placing)
{
    struct sms__gpushare_run *run = placing->gpushare;
    uint64_t time = sms__queue_first(&run->timers).time, turn = sms__turns_next(run), now = placing->engine.now;
    time = turn < time ? turn : time;
    if (time == SMS__NEVER || sms__gpushare_is_over(placing))
        time = SMS__NEVER;
    sms__engine_at(&placing->engine, run->timer_source, time > now ? time : now);
}

void sms__candidate_timer(struct sms__placing *placing, uint32_t p, uint64_t time)
{
    sms__queue_set(&placing->gpushare->timers, p, time);
}

static bool waits(const struct sms__candidate *client)
{
    return client->state == SMS__CANDIDATE_QUEUED || client->state == SMS__CANDIDATE_BACKOFF;
}

/* Keeps the counts of those that wait. */
static void set_state(struct sms__placing *placing, uint32_t p, enum sms__candidate_state state)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__candidate *client = &run->client[p];
    bool before = waits(client), untried = client->tried != run->version;
    client->state = (uint8_t)state;
    bool after = waits(client);
    run->waiting = run->waiting + after - before;
    run->untried = run->untried + (after && untried) - (before && untried);
}

/* The highest priority first, of equal ones who was queued first. */
enum { QUEUED_BITS = 33, PRIORITY_MOST = 1000000000 };

void sms__candidate_queue(struct sms__placing *placing, uint32_t p)
{
    struct sms__gpushare_run *run = placing->gpushare;
    int32_t priority = placing->cluster->shape[placing->pod[p].shape].priority;
    uint64_t below = (uint64_t)((int64_t)PRIORITY_MOST - priority);
    set_state(placing, p, SMS__CANDIDATE_QUEUED);
    sms__queue_set(&run->active, p, below << QUEUED_BITS | run->client[p].stamp);
    sms__engine_defer(&placing->engine, &run->act);
}

void sms__candidate_begin(struct sms__placing *placing, uint32_t p)
{
    struct sms__gpushare_run *run = placing->gpushare;
    sms__queue_set(&run->active, p, SMS__NEVER);
    set_state(placing, p, SMS__CANDIDATE_CYCLE);
    run->under_way++;
}

static void park(struct sms__placing *placing, uint32_t p)
{
    struct sms__gpushare_run *run = placing->gpushare;
    run->parked[run->parks++] = p;
    sms__candidate_timer(placing, p, SMS__NEVER);
}

void sms__candidate_back_off(struct sms__placing *placing, uint32_t p, uint64_t tried, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__candidate *client = &run->client[p];
    uint64_t most = (uint64_t)run->rules->retry_most_ps;
    client->delay_ps = client->delay_ps ? 2 * client->delay_ps : (uint64_t)run->rules->retry_ps;
    client->delay_ps = client->delay_ps < most ? client->delay_ps : most;
    client->not_before = sms__after(now, (double)client->delay_ps);
    client->stamp = ++run->queued;
    client->tried = tried;
    run->under_way--;
    set_state(placing, p, SMS__CANDIDATE_BACKOFF);
    if (run->rules->when == SMS__RETRY_TIMER && client->delay_ps == most && !placing->plain)
        sms__turns_add(placing, p);
    else
        sms__candidate_timer(placing, p, client->not_before);
    if (run->rules->when == SMS__RETRY_CHANGE && tried == run->version)
        park(placing, p);
    sms__engine_defer(&placing->engine, &run->act);
}

void sms__gpushare_changed(struct sms__placing *placing)
{
    struct sms__gpushare_run *run = placing->gpushare;
    run->version++;
    run->untried = run->waiting;
    while (run->parks) {
        uint32_t p = run->parked[--run->parks];
        sms__candidate_timer(placing, p, run->client[p].not_before);
    }
    run->changed = true;
    sms__engine_defer(&placing->engine, &run->act);
}

void sms__candidate_comes(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    placing->pod[p].since_ps = now;
    run->client[p].stamp = ++run->queued;
    run->client[p].tried = 0;
    sms__stranded_wait(placing, p, 1);
    run->changed = true;
    sms__candidate_queue(placing, p);
}

void sms__gpushare_settle(struct sms__placing *placing, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__gpushare_record *record = &placing->record->gpushare;
    record->stranded_ps += (sms__integral)(now - run->settled_ps) * run->stranded.bytes;
    run->settled_ps = now;
    if (run->changed)
        run->stranded.bytes = sms__stranded_bytes(placing);
    run->changed = false;
    record->stranded = run->stranded.bytes;
}

/* At the end of an instant: cycles begin, and it is known what is next. */
static void act(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    if (placing->engine.stopped)
        return;
    silence(placing);
    if (!sms__gpushare_is_over(placing))
        sms__extender_cycles(placing, now);
    sms__gpushare_settle(placing, now);
    wait_for_timer(placing);
    sms__failures_await(placing);
    sms__turns_skip(placing);
    sms__placing_check(placing);
}

static void fire_pod(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    sms__candidate_timer(placing, p, SMS__NEVER);
    switch (run->client[p].state) {
    case SMS__CANDIDATE_BACKOFF:
        sms__candidate_queue(placing, p);
        return;
    case SMS__CANDIDATE_CLAIMED:
        placing->record->gpushare.assume_timeouts++;
        sms__tell(placing, p, now, "assume timed out: queued again");
        sms__claim_release(placing, p);
        run->under_way--;
        sms__stranded_wait(placing, p, -1); /* it has waited all the time */
        sms__candidate_comes(placing, p, now);
        sms__gpushare_changed(placing);
        return;
    default:
        sms__plugin_fire(placing, p, now);
    }
}

static void fire(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__match next;
    while ((next = sms__queue_first(&run->timers)).time <= now && !placing->engine.stopped)
        fire_pod(placing, (uint32_t)next.source, now);
    while (sms__turns_next(run) <= now)
        sms__candidate_queue(placing, sms__turns_pop(run));
    sms__engine_defer(&placing->engine, &run->act);
}

static void apply(struct sms__placing *placing, const struct sms__health *health)
{
    struct sms__gpushare_run *run = placing->gpushare;
    if (health->gpu == SMS_NODE_GPUS_MAX) {
        run->absent[health->node] = 0;
        sms__log_change(placing, health->node);
        sms__gpushare_changed(placing);
        return;
    }
    sms__gpushare_sicken(placing, health->node, health->gpu, !health->well);
}

void sms__gpushare_sicken(struct sms__placing *placing, size_t node, uint32_t gpu, bool ill)
{
    struct sms__gpushare_run *run = placing->gpushare;
    uint8_t *sick = &run->sick[sms__first_gpu(placing, node) + gpu];
    *sick = (uint8_t)(ill ? *sick + 1 : *sick - 1);
    uint16_t bit = (uint16_t)(1u << gpu);
    run->sick_now[node] = (uint16_t)((run->sick_now[node] & ~bit) | (*sick ? bit : 0));
    run->changed = true;
    sms__log_change(placing, node);
    if (!*sick)
        sms__gpushare_changed(placing);
}

static void change_health(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    struct sms__gpushare_run *run = placing->gpushare;
    for (; run->healed < run->healths && run->health[run->healed].time <= now; run->healed++)
        apply(placing, &run->health[run->healed]);
    sms__engine_at(&placing->engine, run->health_source,
                   run->healed < run->healths ? run->health[run->healed].time : SMS__NEVER);
    sms__engine_defer(&placing->engine, &run->act);
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

static void add_health(struct sms__gpushare_run *run, double time_ps, size_t node, uint64_t gpu, bool well)
{
    run->health[run->healths++] = (struct sms__health){(uint64_t)(time_ps + 0.5), (uint32_t)node, (uint32_t)gpu, well};
}

static void list_node(struct sms__gpushare_run *run, const struct sms__nodes *kind, size_t node)
{
    const struct sms__share_node *shared = kind->shared;
    run->kind[node] = kind;
    if (shared->added_ps > 0) {
        run->absent[node] = 1;
        add_health(run, shared->added_ps, node, SMS_NODE_GPUS_MAX, true);
    }
    for (size_t i = 0; i < shared->sicks; i++) {
        add_health(run, shared->sick[i].from_ps, node, shared->sick[i].gpu, false);
        if (shared->sick[i].to_ps > 0)
            add_health(run, shared->sick[i].to_ps, node, shared->sick[i].gpu, true);
    }
}

static void list_health(struct sms__placing *placing)
{
    struct sms__gpushare_run *run = placing->gpushare;
    const struct sms__cluster *cluster = placing->cluster;
    size_t most = 0;
    for (size_t k = 0; k < cluster->kinds; k++)
        most += cluster->node[k].count * (2 * cluster->node[k].shared->sicks + 1);
    run->health = SMS__NEW(placing->arena, struct sms__health, most);
    for (size_t k = 0; k < cluster->kinds; k++)
        for (size_t n = cluster->node[k].first; n < cluster->node[k].first + cluster->node[k].count; n++)
            list_node(run, &cluster->node[k], n);
    if (run->healths)
        qsort(run->health, run->healths, sizeof *run->health, compare_health);
}

static void init_nodes(struct sms__placing *placing)
{
    struct sms__gpushare_run *run = placing->gpushare;
    size_t nodes = placing->cluster->nodes, gpus = sms__gpus_of(placing->cluster);
    run->kept = SMS__NEW(placing->arena, uint32_t, nodes);
    run->claim = SMS__NEW(placing->arena, struct sms__claim, nodes);
    run->absent = SMS__NEW(placing->arena, uint16_t, nodes);
    run->sick_now = SMS__NEW(placing->arena, uint16_t, nodes);
    run->first = SMS__NEW(placing->arena, uint32_t, nodes);
    run->last = SMS__NEW(placing->arena, uint32_t, nodes);
    run->kind = SMS__NEW(placing->arena, const struct sms__nodes *, nodes);
    run->sick = SMS__NEW(placing->arena, uint8_t, gpus);
    run->in_use = SMS__NEW(placing->arena, uint64_t, gpus);
    for (size_t n = 0; n < nodes; n++)
        run->first[n] = run->last[n] = SMS__NO_POD;
    list_health(placing);
}

void sms__gpushare_init(struct sms__placing *placing)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__engine *engine = &placing->engine;
    run->rules = placing->cluster->gpushare;
    run->client = SMS__NEW(placing->arena, struct sms__candidate, placing->pods);
    run->parked = SMS__NEW(placing->arena, uint32_t, placing->pods);
    run->filter = SMS__NEW(placing->arena, struct sms__filter, placing->cluster->shapes);
    sms__queue_init(&run->active, placing->arena, placing->pods);
    sms__queue_init(&run->timers, placing->arena, placing->pods);
    run->version = 1;
    run->cycle = run->bind = SMS__NO_POD;
    run->act = (struct sms__action){.act = act, .subject = placing};
    init_nodes(placing);
    sms__turns_init(placing);
    sms__stranded_init(placing);
    run->health_source = sms__engine_source(engine, SMS__LEVEL_TENANT, change_health, placing);
    run->bind_source = sms__engine_source(engine, SMS__LEVEL_POLICY, sms__extender_bound, placing);
    run->timer_source = sms__engine_source(engine, SMS__LEVEL_POLICY, fire, placing);
    run->filter_source = sms__engine_source(engine, SMS__LEVEL_POLICY, sms__extender_filtered, placing);
    sms__engine_at(engine, run->health_source, run->healths ? run->health[0].time : SMS__NEVER);
}

/* One that comes again is a new pod to kube-scheduler. */
void sms__gpushare_add(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    placing->gpushare->client[p].delay_ps = 0;
    placing->gpushare->client[p].again = placing->pod[p].run > 0;
    sms__candidate_comes(placing, p, now);
}

void sms__gpushare_freed(struct sms__placing *placing)
{
    if (placing->frees)
        sms__gpushare_changed(placing);
    while (placing->frees)
        placing->book[placing->freed[--placing->frees]].freed = false;
}

void sms__gpushare_left(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    sms__plugin_left(placing, p, now);
    placing->gpushare->client[p].state = SMS__CANDIDATE_OUT;
}
