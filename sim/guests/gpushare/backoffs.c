/* Pods whose back-off has grown to the longest. They wait equally long, so that the pod that is tried first is first
 * again. Where none of them passes the default filter, each fails in no time until a node changes: such tries are
 * counted, and not made. The reference engine makes them all. */
#include "gpushare_run.h"

struct sms__backoffs {
    uint32_t *pod; /* a ring of `mask` + 1, by the end of their back-off, of equal ones in the order of the queue */
    size_t first, pods, mask;
};

static uint32_t *pod_at(const struct sms__backoffs *backoffs, size_t i)
{
    return &backoffs->pod[(backoffs->first + i) & backoffs->mask];
}

void sms__backoffs_init(struct sms__cluster_run *run)
{
    struct sms__backoffs *backoffs = SMS__NEW(run->arena, struct sms__backoffs, 1);
    for (backoffs->mask = 1; backoffs->mask < run->pods;)
        backoffs->mask *= 2;
    backoffs->pod = SMS__NEW(run->arena, uint32_t, backoffs->mask);
    backoffs->mask--;
    sms__gpushare(run)->backoffs = backoffs;
}

/* Whether the first of two pods that are tried at one instant is tried first. */
static bool is_before(const struct sms__cluster_run *run, uint32_t p, uint32_t other)
{
    const struct sms__candidate *candidate = sms__gpushare(run)->candidate;
    return candidate[p].not_before == candidate[other].not_before &&
           sms__pod_shape(run, p)->priority > sms__pod_shape(run, other)->priority;
}

void sms__backoffs_add(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__backoffs *backoffs = sms__gpushare(run)->backoffs;
    size_t i = backoffs->pods++;
    for (; i > 0 && is_before(run, p, *pod_at(backoffs, i - 1)); i--)
        *pod_at(backoffs, i) = *pod_at(backoffs, i - 1);
    *pod_at(backoffs, i) = p;
}

uint64_t sms__backoffs_next(const struct sms__gpushare_state *gpushare)
{
    return gpushare->backoffs->pods ? gpushare->candidate[*pod_at(gpushare->backoffs, 0)].not_before : SMS__NEVER;
}

uint32_t sms__backoffs_pop(struct sms__gpushare_state *gpushare)
{
    uint32_t p = *pod_at(gpushare->backoffs, 0);
    gpushare->backoffs->first++;
    gpushare->backoffs->pods--;
    return p;
}

bool sms__backoffs_can_skip(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    bool idle = gpushare->cycle.pod == SMS__NO_POD && sms__queue_least(&gpushare->active) == SMS__NEVER;
    bool awaited = sms__engine_time(&run->engine, gpushare->timer_source) != SMS__NEVER;
    return gpushare->backoffs->pods && sms__backoffs_next(gpushare) > run->engine.now && idle && awaited &&
           !run->engine.stopped && !sms__is_pod_explained(run);
}

/* The first try before `until` that may pass, or `until`. */
static uint64_t find_chance(struct sms__cluster_run *run, uint64_t until)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    for (size_t i = 0; i < gpushare->backoffs->pods; i++) {
        uint32_t p = *pod_at(gpushare->backoffs, i);
        if (gpushare->candidate[p].not_before >= until)
            return until;
        const struct sms__filter *filter = sms__filter_of(run, run->pod[p].shape);
        if (!filter || sms__filter_passed(filter))
            return gpushare->candidate[p].not_before;
    }
    return until;
}

/* Counts so many tries of the pod, each its back-off after the one before. */
static void fail(struct sms__cluster_run *run, uint32_t p, uint64_t times)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__candidate *candidate = &gpushare->candidate[p];
    sms__filter_count(run, &gpushare->filter[run->pod[p].shape], false, times);
    run->record->cards.rejections += times;
    candidate->not_before += times * candidate->delay_ps;
    candidate->stamp = ++gpushare->queued;
    gpushare->untried -= candidate->tried != gpushare->version;
    candidate->tried = gpushare->version;
}

/* Counts as many tries of all pods. Tries at one instant are one event. */
static void fail_all(struct sms__cluster_run *run, uint64_t times)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint64_t last = SMS__NEVER;
    for (size_t i = 0; i < gpushare->backoffs->pods && times > 0; i++) {
        uint32_t p = *pod_at(gpushare->backoffs, i);
        run->engine.events += gpushare->candidate[p].not_before != last ? times : 0;
        last = gpushare->candidate[p].not_before;
        fail(run, p, times);
    }
}

/* Counts each try before `until`. */
static void fail_until(struct sms__cluster_run *run, uint64_t until)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint64_t last = SMS__NEVER, time;
    while ((time = sms__backoffs_next(gpushare)) < until) {
        uint32_t p = sms__backoffs_pop(gpushare);
        run->engine.events += time != last;
        last = time;
        fail(run, p, 1);
        sms__backoffs_add(run, p);
    }
}

void sms__backoffs_skip(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__engine *engine = &run->engine;
    sms__engine_at(engine, gpushare->timer_source, SMS__NEVER);
    uint64_t then = sms__engine_next_other(engine), timer = sms__queue_least(&gpushare->timers);
    uint64_t until = find_chance(run, then < timer ? then : timer), next = sms__backoffs_next(gpushare);
    uint64_t most = gpushare->candidate[*pod_at(gpushare->backoffs, 0)].delay_ps;
    if (next < until && until < SMS__NEVER - most) { /* all pods are tried so often before `until` */
        fail_all(run, (until - 1 - next) / most);
        fail_until(run, until);
    }
    next = sms__backoffs_next(gpushare);
    sms__engine_at(engine, gpushare->timer_source, next < timer ? next : timer);
}
