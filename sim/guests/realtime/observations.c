/* How nodes come to observe events: after random delays, or by samples in cycles. */
#include "observations.h"

uint64_t sms__monitor_period_ps(const struct sms__monitor *monitor, uint64_t containers)
{
    const struct sms__monitor_rules *rules = monitor->rules;
    double period = rules->query_ps + rules->list_ps + rules->top_ps * (double)containers;
    return period < 1.8e19 ? (uint64_t)period : UINT64_MAX;
}

/* A task that came and went between two samples is never observed. */
static void observe_begin(struct sms__monitor *monitor, const struct sms__observation *observation, uint64_t stamp)
{
    struct sms__task **at = sms__tasks_find_task(observation->pod, observation->task), *task = *at;
    const struct sms__worker *worker = &monitor->worker[observation->pod->node];
    if (sms__monitors_in_cycles(monitor) && task->over && task->end_ps <= worker->sample_ps) {
        monitor->record->unseen++;
        sms__tasks_drop_task(&monitor->pool, at);
    } else
        sms__tasks_begin(observation->pod, task, stamp, monitor->record);
}

static void observe_end(struct sms__monitor *monitor, const struct sms__observation *observation, uint64_t stamp)
{
    struct sms__task **at = sms__tasks_find_task(observation->pod, observation->task);
    if (*at) /* else it was never observed */
        sms__tasks_end(&monitor->pool, observation->pod, at, stamp, monitor->record);
}

/* Keeps it for reuse. */
static void recycle(struct sms__monitor *monitor, struct sms__observation *observation)
{
    monitor->expected--;
    observation->next = monitor->unused;
    monitor->unused = observation;
}

/* Makes the first observation, stamped with that time. */
static void observe_first(struct sms__monitor *monitor, struct sms__worker *worker, uint64_t stamp)
{
    struct sms__observation *observation = worker->first;
    worker->first = observation->next;
    worker->last = worker->first ? worker->last : NULL;
    switch (observation->kind) {
    case SMS__OBSERVED_CREATED:
        worker->containers++;
        break;
    case SMS__OBSERVED_BEGAN:
        observe_begin(monitor, observation, stamp);
        break;
    case SMS__OBSERVED_ENDED:
        observe_end(monitor, observation, stamp);
        break;
    case SMS__OBSERVED_REMOVED:
        worker->containers--;
        sms__tasks_remove(&monitor->pool, observation->pod);
        break;
    }
    recycle(monitor, observation);
}

/* The length of the next cycle, with the containers that are there when it begins. */
static uint64_t next_period_ps(const struct sms__monitor *monitor, const struct sms__worker *worker)
{
    uint64_t containers = worker->containers;
    for (const struct sms__observation *s = worker->first; s && s->at <= worker->sample_ps; s = s->next) {
        containers += s->kind == SMS__OBSERVED_CREATED;
        containers -= s->kind == SMS__OBSERVED_REMOVED;
    }
    return sms__monitor_period_ps(monitor, containers);
}

/* Cycles without news are skipped. */
static void skip_cycles(struct sms__worker *worker, uint64_t period, uint64_t now)
{
    uint64_t to = worker->first && worker->first->at < now ? worker->first->at : now;
    if (to > worker->sample_ps && (to - worker->sample_ps) / period > 1)
        worker->sample_ps += ((to - worker->sample_ps) / period - 1) * period;
}

/* A sample is taken at the start of its cycle, stamped at the end of the query, and published at the end of the cycle.
 */
static void catch_up_in_cycles(struct sms__monitor *monitor, struct sms__worker *worker, uint64_t now)
{
    for (;;) {
        uint64_t period = next_period_ps(monitor, worker), sample = worker->sample_ps;
        if (sample > now || now - sample < period)
            return;
        bool news = worker->first && worker->first->at <= sample;
        while (worker->first && worker->first->at <= sample)
            observe_first(monitor, worker, sample + (uint64_t)monitor->rules->query_ps);
        worker->sample_ps += period;
        if (!news)
            skip_cycles(worker, period, now);
    }
}

void sms__monitor_catch_up(struct sms__monitor *monitor, size_t node, uint64_t now)
{
    struct sms__worker *worker = &monitor->worker[node];
    if (sms__monitors_in_cycles(monitor))
        catch_up_in_cycles(monitor, worker, now);
    else
        while (worker->first && worker->first->at <= now)
            observe_first(monitor, worker, worker->first->at);
}
