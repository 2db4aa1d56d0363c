/* Pods whose back-off has grown to the longest. Where none of them passes the default filter, each fails again and
 * again, in no time, until a node changes: such tries are counted, and not made. */
#include "gpushare.h"

static uint32_t *pod_at(const struct sms__turns *turns, size_t i)
{
    return &turns->pod[(turns->first + i) & turns->mask];
}

void sms__turns_init(struct sms__cluster_run *run)
{
    struct sms__turns *turns = &sms__gpushare(run)->turns;
    for (turns->mask = 1; turns->mask < run->pods;)
        turns->mask *= 2;
    turns->pod = SMS__NEW(run->arena, uint32_t, turns->mask);
    turns->mask--;
}

/* Of two that are tried at one instant. */
static bool is_before(const struct sms__cluster_run *run, uint32_t p, uint32_t other)
{
    const struct sms__candidate *client = sms__gpushare(run)->client;
    return client[p].not_before == client[other].not_before &&
           sms__pod_shape(run, p)->priority > sms__pod_shape(run, other)->priority;
}

void sms__turns_add(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__turns *turns = &sms__gpushare(run)->turns;
    size_t i = turns->pods++;
    for (; i > 0 && is_before(run, p, *pod_at(turns, i - 1)); i--)
        *pod_at(turns, i) = *pod_at(turns, i - 1);
    *pod_at(turns, i) = p;
}

uint64_t sms__turns_next(const struct sms__gpushare_state *gpushare)
{
    return gpushare->turns.pods ? gpushare->client[*pod_at(&gpushare->turns, 0)].not_before : SMS__NEVER;
}

uint32_t sms__turns_pop(struct sms__gpushare_state *gpushare)
{
    uint32_t p = *pod_at(&gpushare->turns, 0);
    gpushare->turns.first++;
    gpushare->turns.pods--;
    return p;
}

/* Someone hears of every try, or more is to be done now, or the tries of pods are what keeps the run going. */
static bool may_skip(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    bool idle = gpushare->cycle == SMS__NO_POD && sms__queue_first(&gpushare->active).time == SMS__NEVER;
    bool awaited = sms__queue_time(&run->engine.queue, gpushare->timer_source) != SMS__NEVER;
    return gpushare->turns.pods && sms__turns_next(gpushare) > run->engine.now && idle && awaited &&
           !run->engine.stopped && !sms__is_pod_explained(run) && sms__gpushare_goes_on(run);
}

/* Before `until`, when a pod is tried first that may pass. */
static uint64_t find_chance(struct sms__cluster_run *run, uint64_t until)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    for (size_t i = 0; i < gpushare->turns.pods; i++) {
        uint32_t p = *pod_at(&gpushare->turns, i);
        if (gpushare->client[p].not_before >= until)
            return until;
        const struct sms__filter *filter = sms__filter_of(run, run->pod[p].shape);
        if (!filter || sms__filter_passed(filter))
            return gpushare->client[p].not_before;
    }
    return until;
}

/* So many tries, each its back-off after the one before. */
static void fail(struct sms__cluster_run *run, uint32_t p, uint64_t times)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__candidate *client = &gpushare->client[p];
    sms__filter_count(run, &gpushare->filter[run->pod[p].shape], false, times);
    run->record->gpushare.rejections += times;
    client->not_before += times * client->delay_ps;
    client->stamp = ++gpushare->queued;
    gpushare->untried -= client->tried != gpushare->version;
    client->tried = gpushare->version;
}

/* Of all, or, once each, of those whose turn is before `until`. Tries at one instant are one event. */
static void fail_all(struct sms__cluster_run *run, uint64_t times)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint64_t last = SMS__NEVER;
    for (size_t i = 0; i < gpushare->turns.pods && times > 0; i++) {
        uint32_t p = *pod_at(&gpushare->turns, i);
        run->engine.events += gpushare->client[p].not_before != last ? times : 0;
        last = gpushare->client[p].not_before;
        fail(run, p, times);
    }
}

static void fail_until(struct sms__cluster_run *run, uint64_t until)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint64_t last = SMS__NEVER, time;
    while ((time = sms__turns_next(gpushare)) < until) {
        uint32_t p = sms__turns_pop(gpushare);
        run->engine.events += time != last;
        last = time;
        fail(run, p, 1);
        sms__turns_add(run, p);
    }
}

void sms__turns_skip(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__engine *engine = &run->engine;
    if (!may_skip(run))
        return;
    sms__engine_at(engine, gpushare->timer_source, SMS__NEVER);
    uint64_t then = sms__engine_next_other(engine), timer = sms__queue_first(&gpushare->timers).time;
    uint64_t until = find_chance(run, then < timer ? then : timer), next = sms__turns_next(gpushare);
    uint64_t most = gpushare->client[*pod_at(&gpushare->turns, 0)].delay_ps;
    if (next < until && until < SMS__NEVER - most) { /* with `until` a turn later or more, all are before it */
        fail_all(run, (until - 1 - next) / most);
        fail_until(run, until);
    }
    next = sms__turns_next(gpushare);
    sms__engine_at(engine, gpushare->timer_source, next < timer ? next : timer);
}
