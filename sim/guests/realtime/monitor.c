/* The calls of the monitor: events become observations of their nodes, and requests are answered from what nodes have
 * observed. Before a node is looked at, it observes all that it observes up to then. */
#include "observations.h"

#include "../../base/rng.h"

struct sms__monitor *sms__monitor_new(struct sms__arena *arena, const struct sms__monitor_rules *rules, size_t nodes,
                                      size_t containers, uint64_t seed, struct sms__monitor_record *record)
{
    struct sms__monitor *monitor = SMS__NEW(arena, struct sms__monitor, 1);
    *monitor = (struct sms__monitor){
        .rules = rules, .arena = arena, .record = record, .seed = seed, .nodes = nodes, .pool = {.arena = arena}};
    monitor->worker = SMS__NEW(arena, struct sms__worker, nodes);
    monitor->pod = SMS__NEW(arena, struct sms__monitored_pod *, containers);
    monitor->delays = SMS__NEW(arena, gsl_rng *, containers);
    if (!sms__monitors_in_cycles(monitor))
        return monitor;
    gsl_rng *phases = sms__stream(arena, seed, "monitor/phases", 0);
    for (size_t n = 0; n < nodes; n++) /* nodes do not begin their cycles together */
        monitor->worker[n].sample_ps = (uint64_t)((double)sms__monitor_period_ps(monitor, 0) * gsl_rng_uniform(phases));
    return monitor;
}

/* The container on its node, or NULL. */
static struct sms__monitored_pod *find(struct sms__monitor *monitor, size_t container, uint64_t now)
{
    struct sms__monitored_pod *pod = monitor->pod[container];
    if (pod)
        sms__monitor_catch_up(monitor, pod->node, now);
    return pod;
}

static double draw(struct sms__monitor *monitor, size_t container, double least_ps, double most_ps)
{
    if (!monitor->delays[container])
        monitor->delays[container] = sms__stream(monitor->arena, monitor->seed, "monitor/delays", container);
    return least_ps + (most_ps - least_ps) * gsl_rng_uniform(monitor->delays[container]);
}

/* The time of an observation. Calibrated: after a random delay. */
static uint64_t time_of(struct sms__monitor *monitor, const struct sms__monitored_pod *pod,
                        enum sms__observation_kind kind, uint64_t now)
{
    const struct sms__monitor_rules *rules = monitor->rules;
    if (sms__monitors_in_cycles(monitor) || kind == SMS__OBSERVED_CREATED)
        return now;
    double delay = kind == SMS__OBSERVED_BEGAN
                       ? draw(monitor, pod->container, rules->start_least_ps, rules->start_most_ps)
                       : draw(monitor, pod->container, rules->end_least_ps, rules->end_most_ps);
    return sms__later(now, (uint64_t)delay);
}

/* Looks from the end first: nearly all observations come in order. */
static void insert(struct sms__worker *worker, struct sms__observation *observation)
{
    struct sms__observation **at = &worker->first;
    if (worker->last && worker->last->at <= observation->at)
        at = &worker->last->next;
    while (*at && (*at)->at <= observation->at)
        at = &(*at)->next;
    observation->next = *at;
    *at = observation;
    if (!observation->next)
        worker->last = observation;
}

/* Adds an observation, which is not made before the time given. Returns its time. */
static uint64_t add(struct sms__monitor *monitor, struct sms__monitored_pod *pod, const struct sms__observation *what,
                    uint64_t not_before, uint64_t now)
{
    struct sms__observation *observation = monitor->unused;
    if (observation)
        monitor->unused = observation->next;
    else
        observation = SMS__NEW(monitor->arena, struct sms__observation, 1);
    *observation = *what;
    observation->pod = pod;
    observation->at = time_of(monitor, pod, what->kind, now);
    observation->at = observation->at > not_before ? observation->at : not_before;
    pod->last_at = observation->at > pod->last_at ? observation->at : pod->last_at;
    insert(&monitor->worker[pod->node], observation);
    monitor->expected++;
    return observation->at;
}

void sms__monitor_created(struct sms__monitor *monitor, size_t node, size_t container, uint64_t deadline_ps,
                          uint64_t now)
{
    sms__monitor_catch_up(monitor, node, now);
    struct sms__monitored_pod *pod = sms__tasks_add(&monitor->pool, &monitor->worker[node].table);
    pod->container = container;
    pod->node = node;
    pod->deadline_ps = deadline_ps;
    monitor->pod[container] = pod;
    add(monitor, pod, &(struct sms__observation){.kind = SMS__OBSERVED_CREATED}, now, now);
}

void sms__monitor_began(struct sms__monitor *monitor, size_t container, uint64_t number, uint64_t now)
{
    struct sms__monitored_pod *pod = find(monitor, container, now);
    if (!pod)
        return;
    struct sms__task *task = sms__tasks_add_task(&monitor->pool, pod, number);
    task->begin_ps = now;
    task->seen_ps =
        add(monitor, pod, &(struct sms__observation){.kind = SMS__OBSERVED_BEGAN, .task = number}, now, now);
}

static void end_task(struct sms__task *task, uint64_t now)
{
    task->end_ps = task->over ? task->end_ps : now;
    task->over = true;
}

void sms__monitor_ended(struct sms__monitor *monitor, size_t container, uint64_t number, bool done, uint64_t now)
{
    struct sms__monitored_pod *pod = find(monitor, container, now);
    struct sms__task *task = pod ? *sms__tasks_find_task(pod, number) : NULL;
    if (!task)
        return;
    end_task(task, now);
    if (pod->deadline_ps && done)
        sms__note_float(&monitor->record->actual, (sms__integral)task->begin_ps + pod->deadline_ps - now);
    add(monitor, pod, &(struct sms__observation){.kind = SMS__OBSERVED_ENDED, .task = number}, task->seen_ps, now);
}

void sms__monitor_removed(struct sms__monitor *monitor, size_t container, uint64_t now)
{
    struct sms__monitored_pod *pod = find(monitor, container, now);
    if (!pod)
        return;
    monitor->pod[container] = NULL;
    for (struct sms__task *task = pod->task; task; task = task->next)
        end_task(task, now);
    add(monitor, pod, &(struct sms__observation){.kind = SMS__OBSERVED_REMOVED}, pod->last_at, now);
}

struct sms_monitored sms__monitor_request(struct sms__monitor *monitor, size_t node, struct sms__node_use use,
                                          uint64_t now)
{
    const struct sms__task_table *table = &monitor->worker[node].table;
    const struct sms__monitor_rules *rules = monitor->rules;
    sms__monitor_catch_up(monitor, node, now);
    uint32_t misses = table->misses + (rules->eager ? sms__tasks_overdue(table, now) : 0);
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

bool sms__monitor_expects(const struct sms__monitor *monitor) { return monitor->expected > 0; }

size_t sms__monitor_node(const struct sms__monitor *monitor, size_t container)
{
    const struct sms__monitored_pod *pod = monitor->pod[container];
    return pod ? pod->node : SIZE_MAX;
}

bool sms__monitor_agrees(const struct sms__monitor *monitor)
{
    bool agrees = true;
    for (size_t n = 0; n < monitor->nodes && agrees; n++) {
        const struct sms__worker *worker = &monitor->worker[n];
        struct sms__task_table sum = sms__tasks_sums(&worker->table);
        agrees = sum.known == worker->table.known && sum.floats_ps == worker->table.floats_ps &&
                 sum.misses == worker->table.misses;
    }
    return agrees;
}

void sms__monitor_finish(struct sms__monitor *monitor, uint64_t now)
{
    for (size_t n = 0; n < monitor->nodes; n++)
        sms__monitor_catch_up(monitor, n, now);
}
