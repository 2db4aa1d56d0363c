/* Pods whose back-off has grown to the longest. Where none of them passes the default filter, each fails again and
 * again, in no time, until a node changes: such tries are counted, and not made. */
#include "gpushare.h"

static uint32_t *pod_at(const struct sms__turns *turns, size_t i)
{
    return &turns->pod[(turns->first + i) & turns->mask];
}

void sms__turns_init(struct sms__placing *placing)
{
    struct sms__turns *turns = &placing->gpushare->turns;
    for (turns->mask = 1; turns->mask < placing->pods;)
        turns->mask *= 2;
    turns->pod = SMS__NEW(placing->arena, uint32_t, turns->mask);
    turns->mask--;
}

/* Of two that are tried at one instant. */
static bool is_before(const struct sms__placing *placing, uint32_t p, uint32_t other)
{
    const struct sms__candidate *client = placing->gpushare->client;
    return client[p].not_before == client[other].not_before &&
           sms__shape(placing, p)->priority > sms__shape(placing, other)->priority;
}

void sms__turns_add(struct sms__placing *placing, uint32_t p)
{
    struct sms__turns *turns = &placing->gpushare->turns;
    size_t i = turns->pods++;
    for (; i > 0 && is_before(placing, p, *pod_at(turns, i - 1)); i--)
        *pod_at(turns, i) = *pod_at(turns, i - 1);
    *pod_at(turns, i) = p;
}

uint64_t sms__turns_next(const struct sms__gpushare_run *run)
{
    return run->turns.pods ? run->client[*pod_at(&run->turns, 0)].not_before : SMS__NEVER;
}

uint32_t sms__turns_pop(struct sms__gpushare_run *run)
{
    uint32_t p = *pod_at(&run->turns, 0);
    run->turns.first++;
    run->turns.pods--;
    return p;
}

/* Someone hears of every try, or more is to be done now, or the tries of pods are what keeps the run going. */
static bool may_skip(const struct sms__placing *placing)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    bool idle = run->cycle == SMS__NO_POD && sms__queue_first(&run->active).time == SMS__NEVER;
    bool awaited = sms__queue_time(&placing->engine.queue, run->timer_source) != SMS__NEVER;
    return run->turns.pods && sms__turns_next(run) > placing->engine.now && idle && awaited &&
           !placing->engine.stopped && !sms__is_told(placing) && sms__gpushare_goes_on(placing);
}

/* Before `until`, when a pod is tried first that may pass. */
static uint64_t find_chance(struct sms__placing *placing, uint64_t until)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    for (size_t i = 0; i < run->turns.pods; i++) {
        uint32_t p = *pod_at(&run->turns, i);
        if (run->client[p].not_before >= until)
            return until;
        const struct sms__filter *filter = sms__filter_of(placing, placing->pod[p].shape);
        if (!filter || sms__filter_passed(filter))
            return run->client[p].not_before;
    }
    return until;
}

/* So many tries, each its back-off after the one before. */
static void fail(struct sms__placing *placing, uint32_t p, uint64_t times)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__candidate *client = &run->client[p];
    sms__filter_count(placing, &run->filter[placing->pod[p].shape], false, times);
    placing->record->gpushare.rejections += times;
    client->not_before += times * client->delay_ps;
    client->stamp = ++run->queued;
    run->untried -= client->tried != run->version;
    client->tried = run->version;
}

/* Of all, or, once each, of those whose turn is before `until`. Tries at one instant are one event. */
static void fail_all(struct sms__placing *placing, uint64_t times)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    uint64_t last = SMS__NEVER;
    for (size_t i = 0; i < run->turns.pods && times > 0; i++) {
        uint32_t p = *pod_at(&run->turns, i);
        placing->engine.events += run->client[p].not_before != last ? times : 0;
        last = run->client[p].not_before;
        fail(placing, p, times);
    }
}

static void fail_until(struct sms__placing *placing, uint64_t until)
{
    struct sms__gpushare_run *run = placing->gpushare;
    uint64_t last = SMS__NEVER, time;
    while ((time = sms__turns_next(run)) < until) {
        uint32_t p = sms__turns_pop(run);
        placing->engine.events += time != last;
        last = time;
        fail(placing, p, 1);
        sms__turns_add(placing, p);
    }
}

void sms__turns_skip(struct sms__placing *placing)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__engine *engine = &placing->engine;
    if (!may_skip(placing))
        return;
    sms__engine_at(engine, run->timer_source, SMS__NEVER);
    uint64_t then = sms__engine_next_other(engine), timer = sms__queue_first(&run->timers).time;
    uint64_t until = find_chance(placing, then < timer ? then : timer), next = sms__turns_next(run);
    uint64_t most = run->client[*pod_at(&run->turns, 0)].delay_ps;
    if (next < until && until < SMS__NEVER - most) { /* with `until` a turn later or more, all are before it */
        fail_all(placing, (until - 1 - next) / most);
        fail_until(placing, until);
    }
    next = sms__turns_next(run);
    sms__engine_at(engine, run->timer_source, next < timer ? next : timer);
}
