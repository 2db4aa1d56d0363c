#include "table.h"

#include "../../../base/rng.h"

enum kind { CREATED, BEGAN, ENDED, REMOVED };

/* What has happened and has not been seen. */
struct sight {
    struct sight *next;
    uint64_t at; /* calibrated: when it is seen; cycle: when it happened */
    enum kind kind;
    struct sms__watched *watched;
    uint64_t task;
};

struct worker {
    struct sight *first, *last; /* by `at`, of equal ones in the order of the calls */
    uint64_t sample_ps;         /* cycle: of the next that is not published */
    uint64_t containers;        /* in the list of containers as last seen */
    uint64_t since_ps;          /* it runs; UINT64_MAX: it does not */
    struct sms__task_table table;
};

struct sms__monitor {
    const struct sms__monitor_rules *rules;
    struct sms__arena *arena;
    struct sms__monitor_record *record;
    uint64_t seed;
    struct worker *worker; /* [nodes] */
    size_t nodes;
    struct sms__watched **watched; /* [containers]; NULL: on no node */
    gsl_rng **delays;              /* [containers]; calibrated: drawn from; NULL before */
    struct sms__task_pool pool;
    struct sight *old; /* to use again */
};

static bool in_cycles(const struct sms__monitor *monitor) { return monitor->rules->model == SMS__MONITOR_CYCLE; }

/* A cycle: the device is queried, then containers are listed, then the processes of each. */
static uint64_t period_ps(const struct sms__monitor *monitor, uint64_t containers)
{
    const struct sms__monitor_rules *rules = monitor->rules;
    double period = rules->query_ps + rules->list_ps + rules->top_ps * (double)containers;
    return period < 1.8e19 ? (uint64_t)period : UINT64_MAX;
}

struct sms__monitor *sms__monitor_new(struct sms__arena *arena, const struct sms__monitor_rules *rules, size_t nodes,
                                      size_t containers, uint64_t seed, struct sms__monitor_record *record)
{
    struct sms__monitor *monitor = SMS__NEW(arena, struct sms__monitor, 1);
    *monitor = (struct sms__monitor){
        .rules = rules, .arena = arena, .record = record, .seed = seed, .nodes = nodes, .pool = {.arena = arena}};
    monitor->worker = SMS__NEW(arena, struct worker, nodes);
    monitor->watched = SMS__NEW(arena, struct sms__watched *, containers);
    monitor->delays = SMS__NEW(arena, gsl_rng *, containers);
    if (!in_cycles(monitor))
        return monitor;
    gsl_rng *phases = sms__stream(arena, seed, "monitor/phases", 0);
    for (size_t n = 0; n < nodes; n++) /* nodes do not begin their cycles together */
        monitor->worker[n].sample_ps = (uint64_t)((double)period_ps(monitor, 0) * gsl_rng_uniform(phases));
    return monitor;
}

/* One that came and went between two samples was never there. */
static void see_begin(struct sms__monitor *monitor, const struct sight *sight, uint64_t stamp)
{
    struct sms__task **at = sms__find_task(sight->watched, sight->task), *task = *at;
    const struct worker *worker = &monitor->worker[sight->watched->node];
    if (in_cycles(monitor) && task->over && task->end_ps <= worker->sample_ps) {
        monitor->record->unseen++;
        sms__drop_task(&monitor->pool, at);
    } else
        sms__see_begin(sight->watched, task, stamp, monitor->record);
}

static void see_end(struct sms__monitor *monitor, const struct sight *sight, uint64_t stamp)
{
    struct sms__task **at = sms__find_task(sight->watched, sight->task);
    if (*at) /* else it was never seen */
        sms__see_end(&monitor->pool, sight->watched, at, stamp, monitor->record);
}

/* To be used again. */
static void keep_sight(struct sms__monitor *monitor, struct sight *sight)
{
    sight->next = monitor->old;
    monitor->old = sight;
}

/* The first that is to be seen, stamped with that time. */
static void see_first(struct sms__monitor *monitor, struct worker *worker, uint64_t stamp)
{
    struct sight *sight = worker->first;
    worker->first = sight->next;
    worker->last = worker->first ? worker->last : NULL;
    switch (sight->kind) {
    case CREATED:
        worker->containers++;
        break;
    case BEGAN:
        see_begin(monitor, sight, stamp);
        break;
    case ENDED:
        see_end(monitor, sight, stamp);
        break;
    case REMOVED:
        worker->containers--;
        sms__see_removal(&monitor->pool, sight->watched);
        break;
    }
    keep_sight(monitor, sight);
}

/* How long the next cycle takes: with the containers that are there when it begins. */
static uint64_t next_period_ps(const struct sms__monitor *monitor, const struct worker *worker)
{
    uint64_t containers = worker->containers;
    for (const struct sight *s = worker->first; s && s->at <= worker->sample_ps; s = s->next) {
        containers += s->kind == CREATED;
        containers -= s->kind == REMOVED;
    }
    return period_ps(monitor, containers);
}

/* Cycles without news are not gone through one by one. */
static void skip_cycles(struct worker *worker, uint64_t period, uint64_t now)
{
    uint64_t to = worker->first && worker->first->at < now ? worker->first->at : now;
    if (to > worker->sample_ps && (to - worker->sample_ps) / period > 1)
        worker->sample_ps += ((to - worker->sample_ps) / period - 1) * period;
}

/* A sample is of the beginning of its cycle, stamped at the end of the query, and published at the end of the cycle. */
static void catch_up_in_cycles(struct sms__monitor *monitor, struct worker *worker, uint64_t now)
{
    for (;;) {
        uint64_t period = next_period_ps(monitor, worker), sample = worker->sample_ps;
        if (sample > now || now - sample < period)
            return;
        bool news = worker->first && worker->first->at <= sample;
        while (worker->first && worker->first->at <= sample)
            see_first(monitor, worker, sample + (uint64_t)monitor->rules->query_ps);
        worker->sample_ps += period;
        if (!news)
            skip_cycles(worker, period, now);
    }
}

static void catch_up(struct sms__monitor *monitor, size_t node, uint64_t now)
{
    struct worker *worker = &monitor->worker[node];
    if (in_cycles(monitor))
        catch_up_in_cycles(monitor, worker, now);
    while (!in_cycles(monitor) && worker->first && worker->first->at <= now)
        see_first(monitor, worker, worker->first->at);
}

/* The container where it is, or NULL; its node has seen what it sees until now. */
static struct sms__watched *find(struct sms__monitor *monitor, size_t container, uint64_t now)
{
    struct sms__watched *watched = monitor->watched[container];
    if (watched)
        catch_up(monitor, watched->node, now);
    return watched;
}

static double draw(struct sms__monitor *monitor, size_t container, double least_ps, double most_ps)
{
    if (!monitor->delays[container])
        monitor->delays[container] = sms__stream(monitor->arena, monitor->seed, "monitor/delays", container);
    return least_ps + (most_ps - least_ps) * gsl_rng_uniform(monitor->delays[container]);
}

/* The time of the sight. Calibrated: a random time from now. */
static uint64_t time_of(struct sms__monitor *monitor, const struct sms__watched *watched, enum kind kind, uint64_t now)
{
    const struct sms__monitor_rules *rules = monitor->rules;
    if (in_cycles(monitor) || kind == CREATED)
        return now;
    double delay = kind == BEGAN ? draw(monitor, watched->container, rules->start_least_ps, rules->start_most_ps)
                                 : draw(monitor, watched->container, rules->end_least_ps, rules->end_most_ps);
    return delay < 9.2e18 && (uint64_t)delay < UINT64_MAX - now ? now + (uint64_t)delay : UINT64_MAX;
}

/* From the end: nearly all come in order. */
static void insert(struct worker *worker, struct sight *sight)
{
    struct sight **at = &worker->first;
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
static uint64_t add(struct sms__monitor *monitor, struct sms__watched *watched, const struct sight *what,
                    uint64_t not_before, uint64_t now)
{
    struct sight *sight = monitor->old;
    if (sight)
        monitor->old = sight->next;
    else
        sight = SMS__NEW(monitor->arena, struct sight, 1);
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
    catch_up(monitor, node, now);
    struct sms__watched *watched = sms__watch(&monitor->pool, &monitor->worker[node].table);
    watched->container = container;
    watched->node = node;
    watched->deadline_ps = deadline_ps;
    monitor->watched[container] = watched;
    add(monitor, watched, &(struct sight){.kind = CREATED}, now, now);
}

void sms__monitor_began(struct sms__monitor *monitor, size_t container, uint64_t number, uint64_t now)
{
    struct sms__watched *watched = find(monitor, container, now);
    if (!watched)
        return;
    struct sms__task *task = sms__watch_task(&monitor->pool, watched, number);
    task->begin_ps = now;
    task->seen_ps = add(monitor, watched, &(struct sight){.kind = BEGAN, .task = number}, now, now);
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
        sms__note_float(&monitor->record->truly, (sms__integral)task->begin_ps + watched->deadline_ps - now);
    add(monitor, watched, &(struct sight){.kind = ENDED, .task = number}, task->seen_ps, now);
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
    add(monitor, watched, &(struct sight){.kind = REMOVED}, watched->last_at, now);
}

void sms__monitor_stopped(struct sms__monitor *monitor, size_t node, uint64_t now)
{
    struct worker *worker = &monitor->worker[node];
    catch_up(monitor, node, now);
    for (struct sight *sight = worker->first, *next; sight; sight = next) {
        next = sight->next;
        keep_sight(monitor, sight);
    }
    for (struct sms__watched *watched; (watched = worker->table.watched);) {
        if (monitor->watched[watched->container] == watched)
            monitor->watched[watched->container] = NULL;
        sms__see_removal(&monitor->pool, watched);
    }
    *worker = (struct worker){.sample_ps = UINT64_MAX, .since_ps = UINT64_MAX};
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
    catch_up(monitor, node, now);
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
        const struct worker *worker = &monitor->worker[n];
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
        catch_up(monitor, n, now);
}
