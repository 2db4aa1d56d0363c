#include "sights.h"

#include "../../../base/rng.h"

struct sms__monitor *sms__monitor_new(struct sms__arena *arena, const struct sms__monitor_rules *rules, size_t nodes,
                                      size_t containers, uint64_t seed, struct sms__monitor_record *record)
{
    struct sms__monitor *monitor = SMS__NEW(arena, struct sms__monitor, 1);
    *monitor = (struct sms__monitor){
        .rules = rules, .arena = arena, .record = record, .seed = seed, .nodes = nodes, .pool = {.arena = arena}};
    monitor->worker = SMS__NEW(arena, struct sms__worker, nodes);
    monitor->watched = SMS__NEW(arena, struct sms__watched *, containers);
    monitor->delays = SMS__NEW(arena, gsl_rng *, containers);
    if (!sms__in_cycles(monitor))
        return monitor;
    gsl_rng *phases = sms__stream(arena, seed, "monitor/phases", 0);
    for (size_t n = 0; n < nodes; n++) /* nodes do not begin their cycles together */
        monitor->worker[n].sample_ps = (uint64_t)((double)sms__period_ps(monitor, 0) * gsl_rng_uniform(phases));
    return monitor;
}

/* The container where it is, or NULL; its node has seen what it sees until now. */
static struct sms__watched *find(struct sms__monitor *monitor, size_t container, uint64_t now)
{
    struct sms__watched *watched = monitor->watched[container];
    if (watched)
        sms__catch_up(monitor, watched->node, now);
    return watched;
}

static double draw(struct sms__monitor *monitor, size_t container, double least_ps, double most_ps)
{
    if (!monitor->delays[container])
        monitor->delays[container] = sms__stream(monitor->arena, monitor->seed, "monitor/delays", container);
    return least_ps + (most_ps - least_ps) * gsl_rng_uniform(monitor->delays[container]);
}

/* The time of the sight. Calibrated: a random time from now. */
static uint64_t time_of(struct sms__monitor *monitor, const struct sms__watched *watched, enum sms__sight_kind kind,
                        uint64_t now)
{
    const struct sms__monitor_rules *rules = monitor->rules;
    if (sms__in_cycles(monitor) || kind == SMS__SIGHT_CREATED)
        return now;
    double delay = kind == SMS__SIGHT_BEGAN
                       ? draw(monitor, watched->container, rules->start_least_ps, rules->start_most_ps)
                       : draw(monitor, watched->container, rules->end_least_ps, rules->end_most_ps);
    return delay < 9.2e18 && (uint64_t)delay < UINT64_MAX - now ? now + (uint64_t)delay : UINT64_MAX;
}

/* From the end: nearly all come in order. */
static void insert(struct sms__worker *worker, struct sms__sight *sight)
{
    struct sms__sight **at = &worker->first;
    if (worker->last && worker->last->at <= sight->at)
        at = &worker->last->next;
    while (*at && (*at)->at <= sight->at)
        at = &(*at)->next;
    sight->next = *at;
    *at = sight;
    if (!sight->next)
        worker->last = sight;
}

/* Will be seen, but not before the time given. Returns when. */
static uint64_t add(struct sms__monitor *monitor, struct sms__watched *watched, const struct sms__sight *what,
                    uint64_t not_before, uint64_t now)
{
    struct sms__sight *sight = monitor->old;
    if (sight)
        monitor->old = sight->next;
    else
        sight = SMS__NEW(monitor->arena, struct sms__sight, 1);
    *sight = *what;
    sight->watched = watched;
    sight->at = time_of(monitor, watched, what->kind, now);
    sight->at = sight->at > not_before ? sight->at : not_before;
    watched->last_at = sight->at > watched->last_at ? sight->at : watched->last_at;
    insert(&monitor->worker[watched->node], sight);
    return sight->at;
}

void sms__monitor_created(struct sms__monitor *monitor, size_t node, size_t container, uint64_t deadline_ps,
                          uint64_t now)
{
    sms__catch_up(monitor, node, now);
    struct sms__watched *watched = sms__watch(&monitor->pool, &monitor->worker[node].table);
    watched->container = container;
    watched->node = node;
    watched->deadline_ps = deadline_ps;
    monitor->watched[container] = watched;
    add(monitor, watched, &(struct sms__sight){.kind = SMS__SIGHT_CREATED}, now, now);
}

void sms__monitor_began(struct sms__monitor *monitor, size_t container, uint64_t number, uint64_t now)
{
    struct sms__watched *watched = find(monitor, container, now);
    if (!watched)
        return;
    struct sms__task *task = sms__watch_task(&monitor->pool, watched, number);
    task->begin_ps = now;
    task->seen_ps = add(monitor, watched, &(struct sms__sight){.kind = SMS__SIGHT_BEGAN, .task = number}, now, now);
}

static void end_task(struct sms__task *task, uint64_t now)
{
    task->end_ps = task->over ? task->end_ps : now;
    task->over = true;
}

static void vanish(struct sms__monitor *monitor, size_t container, uint64_t number, bool done, uint64_t now)
{
    struct sms__watched *watched = find(monitor, container, now);
    struct sms__task *task = watched ? *sms__find_task(watched, number) : NULL;
    if (!task)
        return;
    end_task(task, now);
    if (watched->deadline_ps && done)
        sms__note_float(&monitor->record->actual, (sms__integral)task->begin_ps + watched->deadline_ps - now);
    add(monitor, watched, &(struct sms__sight){.kind = SMS__SIGHT_ENDED, .task = number}, task->seen_ps, now);
}

void sms__monitor_ended(struct sms__monitor *monitor, size_t container, uint64_t number, uint64_t now)
{
    vanish(monitor, container, number, true, now);
}

void sms__monitor_failed(struct sms__monitor *monitor, size_t container, uint64_t number, uint64_t now)
{
    vanish(monitor, container, number, false, now);
}

void sms__monitor_removed(struct sms__monitor *monitor, size_t container, uint64_t now)
{
    struct sms__watched *watched = find(monitor, container, now);
    if (!watched)
        return;
    monitor->watched[container] = NULL;
    for (struct sms__task *task = watched->task; task; task = task->next)
        end_task(task, now);
    add(monitor, watched, &(struct sms__sight){.kind = SMS__SIGHT_REMOVED}, watched->last_at, now);
}

void sms__monitor_stopped(struct sms__monitor *monitor, size_t node, uint64_t now)
{
    struct sms__worker *worker = &monitor->worker[node];
    sms__catch_up(monitor, node, now);
    for (struct sms__sight *sight = worker->first, *next; sight; sight = next) {
        next = sight->next;
        sms__keep_sight(monitor, sight);
    }
    for (struct sms__watched *watched; (watched = worker->table.watched);) {
        if (monitor->watched[watched->container] == watched)
            monitor->watched[watched->container] = NULL;
        sms__see_removal(&monitor->pool, watched);
    }
    *worker = (struct sms__worker){.sample_ps = UINT64_MAX, .since_ps = UINT64_MAX};
}

void sms__monitor_started(struct sms__monitor *monitor, size_t node, uint64_t now)
{
    monitor->worker[node].sample_ps = monitor->worker[node].since_ps = now;
}

uint64_t sms__monitor_since(const struct sms__monitor *monitor, size_t node) { return monitor->worker[node].since_ps; }

struct sms_monitored sms__monitor_request(struct sms__monitor *monitor, size_t node, struct sms__node_use use,
                                          uint64_t now)
{
    const struct sms__task_table *table = &monitor->worker[node].table;
    const struct sms__monitor_rules *rules = monitor->rules;
    sms__catch_up(monitor, node, now);
    uint32_t misses = table->misses + (rules->eager ? sms__count_overdue(table, now) : 0);
    bool full =
        use.core >= rules->full || (use.memory > 0 && (double)use.memory_used >= rules->full * (double)use.memory);
    return (struct sms_monitored){.answers = misses == 0 && !full,
                                  .full = full,
                                  .misses = misses,
                                  .timed = table->known,
                                  .float_ps = (double)table->floats_ps,
                                  .core = use.core,
                                  .memory_left = use.memory > use.memory_used ? use.memory - use.memory_used : 0};
}

bool sms__monitor_running(struct sms__monitor *monitor, size_t container, uint64_t number, uint64_t now,
                          struct sms__task_info *info)
{
    struct sms__watched *watched = find(monitor, container, now);
    const struct sms__task *task = watched ? *sms__find_task(watched, number) : NULL;
    if (task && task->seen)
        *info = task->info;
    return task && task->seen;
}

bool sms__monitor_latest(struct sms__monitor *monitor, size_t container, uint64_t now, struct sms__task_info *info)
{
    const struct sms__watched *watched = find(monitor, container, now);
    if (watched && watched->has_latest)
        *info = watched->latest;
    return watched && watched->has_latest;
}

bool sms__monitor_expects(const struct sms__monitor *monitor)
{
    bool any = false;
    for (size_t n = 0; n < monitor->nodes && !any; n++)
        any = monitor->worker[n].first;
    return any;
}

size_t sms__monitor_node(const struct sms__monitor *monitor, size_t container)
{
    const struct sms__watched *watched = monitor->watched[container];
    return watched ? watched->node : SIZE_MAX;
}

bool sms__monitor_agrees(const struct sms__monitor *monitor)
{
    bool agrees = true;
    for (size_t n = 0; n < monitor->nodes && agrees; n++) {
        const struct sms__worker *worker = &monitor->worker[n];
        struct sms__task_table sum = sms__add_up(&worker->table);
        agrees = sum.known == worker->table.known && sum.floats_ps == worker->table.floats_ps &&
                 sum.misses == worker->table.misses &&
                 (worker->since_ps != UINT64_MAX || !(worker->first || worker->table.watched));
    }
    return agrees;
}

void sms__monitor_finish(struct sms__monitor *monitor, uint64_t now)
{
    for (size_t n = 0; n < monitor->nodes; n++)
        sms__catch_up(monitor, n, now);
}
