#include "sights.h"

uint64_t sms__period_ps(const struct sms__monitor *monitor, uint64_t containers)
{
    const struct sms__monitor_rules *rules = monitor->rules;
    double period = rules->query_ps + rules->list_ps + rules->top_ps * (double)containers;
    return period < 1.8e19 ? (uint64_t)period : UINT64_MAX;
}

/* One that came and went between two samples was never there. */
static void see_begin(struct sms__monitor *monitor, const struct sms__sight *sight, uint64_t stamp)
{
    struct sms__task **at = sms__find_task(sight->watched, sight->task), *task = *at;
    const struct sms__worker *worker = &monitor->worker[sight->watched->node];
    if (sms__in_cycles(monitor) && task->over && task->end_ps <= worker->sample_ps) {
        monitor->record->unseen++;
        sms__drop_task(&monitor->pool, at);
    } else
        sms__see_begin(sight->watched, task, stamp, monitor->record);
}

static void see_end(struct sms__monitor *monitor, const struct sms__sight *sight, uint64_t stamp)
{
    struct sms__task **at = sms__find_task(sight->watched, sight->task);
    if (*at) /* else it was never seen */
        sms__see_end(&monitor->pool, sight->watched, at, stamp, monitor->record);
}

void sms__keep_sight(struct sms__monitor *monitor, struct sms__sight *sight)
{
    sight->next = monitor->old;
    monitor->old = sight;
}

/* The first that is to be seen, stamped with that time. */
static void see_first(struct sms__monitor *monitor, struct sms__worker *worker, uint64_t stamp)
{
    struct sms__sight *sight = worker->first;
    worker->first = sight->next;
    worker->last = worker->first ? worker->last : NULL;
    switch (sight->kind) {
    case SMS__SIGHT_CREATED:
        worker->containers++;
        break;
    case SMS__SIGHT_BEGAN:
        see_begin(monitor, sight, stamp);
        break;
    case SMS__SIGHT_ENDED:
        see_end(monitor, sight, stamp);
        break;
    case SMS__SIGHT_REMOVED:
        worker->containers--;
        sms__see_removal(&monitor->pool, sight->watched);
        break;
    }
    sms__keep_sight(monitor, sight);
}

/* How long the next cycle takes: with the containers that are there when it begins. */
static uint64_t next_period_ps(const struct sms__monitor *monitor, const struct sms__worker *worker)
{
    uint64_t containers = worker->containers;
    for (const struct sms__sight *s = worker->first; s && s->at <= worker->sample_ps; s = s->next) {
        containers += s->kind == SMS__SIGHT_CREATED;
        containers -= s->kind == SMS__SIGHT_REMOVED;
    }
    return sms__period_ps(monitor, containers);
}

/* Cycles without news are not gone through one by one. */
static void skip_cycles(struct sms__worker *worker, uint64_t period, uint64_t now)
{
    uint64_t to = worker->first && worker->first->at < now ? worker->first->at : now;
    if (to > worker->sample_ps && (to - worker->sample_ps) / period > 1)
        worker->sample_ps += ((to - worker->sample_ps) / period - 1) * period;
}

/* A sample is of the beginning of its cycle, stamped at the end of the query, and published at the end of the cycle. */
static void catch_up_in_cycles(struct sms__monitor *monitor, struct sms__worker *worker, uint64_t now)
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

void sms__catch_up(struct sms__monitor *monitor, size_t node, uint64_t now)
{
    struct sms__worker *worker = &monitor->worker[node];
    if (sms__in_cycles(monitor))
        catch_up_in_cycles(monitor, worker, now);
    while (!sms__in_cycles(monitor) && worker->first && worker->first->at <= now)
        see_first(monitor, worker, worker->first->at);
}
