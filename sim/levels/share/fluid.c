/* Flows. Rates change only when a flow starts, stops, resumes or ends. */
#include "fluid.h"

#include <math.h>

static bool is_active(const struct sms__flow *flow) { return !flow->stopped; }

static void advance(struct sms__flows *flows, uint64_t now)
{
    double elapsed = (double)(now - flows->advanced_ps);
    for (struct sms__flow *flow = flows->first; flow; flow = flow->next)
        if (is_active(flow))
            flow->left = flow->rate < INFINITY ? flow->left - flow->rate * elapsed : 0;
    flows->advanced_ps = now;
}

/* The most that the flow could take if it had its pools to itself. */
static double ceiling(const struct sms__flow *flow)
{
    double most = flow->most > 0 ? flow->most : INFINITY;
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++) {
        const struct sms__pool *pool = flow->pool[p];
        if (pool && pool->spread > 0)
            most /= 1 + pool->spread * (double)(pool->active - 1);
    }
    return most;
}

static void open_pools(struct sms__flows *flows)
{
    for (struct sms__flow *flow = flows->first; flow; flow = flow->next)
        for (int p = 0; p < SMS__POOLS_OF_FLOW; p++)
            if (flow->pool[p])
                *flow->pool[p] =
                    (struct sms__pool){.capacity = flow->pool[p]->capacity, .spread = flow->pool[p]->spread};
    for (struct sms__flow *flow = flows->first; flow; flow = flow->next) {
        flow->rate = is_active(flow) ? -1 : 0; /* negative: not fixed yet */
        for (int p = 0; is_active(flow) && p < SMS__POOLS_OF_FLOW; p++)
            if (flow->pool[p]) {
                flow->pool[p]->left = flow->pool[p]->capacity;
                flow->pool[p]->active++;
                flow->pool[p]->open++;
            }
    }
}

/* The least that a pool of the flow would give each of its open flows. */
static double share(const struct sms__flow *flow)
{
    double least = INFINITY;
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++) {
        const struct sms__pool *pool = flow->pool[p];
        if (pool && pool->capacity > 0 && pool->left / (double)pool->open < least)
            least = pool->left / (double)pool->open;
    }
    return least;
}

static void fix(struct sms__flow *flow, double rate)
{
    flow->rate = rate;
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++) {
        struct sms__pool *pool = flow->pool[p];
        if (!pool)
            continue;
        pool->open--;
        pool->left = pool->left > rate ? pool->left - rate : 0;
    }
}

/* The least rate at which an open flow has all it can take, or a pool gives all it has; INFINITY if nothing limits the
 * open flows. */
static double water_level(const struct sms__flows *flows)
{
    double level = INFINITY;
    for (const struct sms__flow *flow = flows->first; flow; flow = flow->next) {
        if (flow->rate >= 0)
            continue;
        double own = ceiling(flow), given = share(flow);
        double rate = own < given ? own : given;
        level = rate < level ? rate : level;
    }
    return level;
}

/* One round of progressive filling, which fixes at least one flow. */
static bool fill(struct sms__flows *flows)
{
    double level = water_level(flows);
    bool any = false;
    for (struct sms__flow *flow = flows->first; flow; flow = flow->next) {
        if (flow->rate >= 0 || (ceiling(flow) > level && share(flow) > level * (1 + 1e-12)))
            continue;
        fix(flow, level);
        any = true;
    }
    return any;
}

/* Sets the source to the first end of a flow. */
static void schedule(struct sms__flows *flows, uint64_t now)
{
    double soonest = INFINITY;
    for (const struct sms__flow *flow = flows->first; flow; flow = flow->next) {
        double left = flow->left > 0 && flow->rate < INFINITY ? flow->left / flow->rate : 0;
        if (is_active(flow) && left < soonest)
            soonest = left;
    }
    sms__engine_at(flows->engine, flows->source, soonest < INFINITY ? sms__after(now, soonest) : SMS__NEVER);
}

static void change(struct sms__flows *flows, uint64_t now)
{
    open_pools(flows);
    while (fill(flows))
        continue;
    schedule(flows, now);
}

static void unlink_flow(struct sms__flows *flows, struct sms__flow *flow)
{
    *(flow->prev ? &flow->prev->next : &flows->first) = flow->next;
    *(flow->next ? &flow->next->prev : &flows->last) = flow->prev;
    flow->flows = NULL;
}

/* Takes out the flows that end within a picosecond, because ends are rounded up to whole ones. */
static struct sms__flow *take_ended(struct sms__flows *flows)
{
    struct sms__flow *ended = NULL, **end = &ended, *next;
    for (struct sms__flow *flow = flows->first; flow; flow = next) {
        next = flow->next;
        if (!is_active(flow) || (flow->rate < INFINITY && flow->left > flow->rate))
            continue;
        unlink_flow(flows, flow);
        flow->next = NULL;
        *end = flow;
        end = &flow->next;
    }
    return ended;
}

static void fire(void *subject, uint64_t now)
{
    struct sms__flows *flows = subject;
    advance(flows, now);
    struct sms__flow *ended = take_ended(flows), *next;
    change(flows, now);
    for (; ended; ended = next) {
        next = ended->next;
        if (ended->done) /* NULL if another that ended now has dropped it */
            ended->done(ended->subject, now);
    }
}

void sms__flows_init(struct sms__flows *flows, struct sms__engine *engine)
{
    *flows = (struct sms__flows){.engine = engine};
    flows->source = sms__engine_source(engine, SMS__LEVEL_LINK, fire, flows);
}

void sms__flow_start(struct sms__flows *flows, struct sms__flow *flow, double amount, uint64_t now)
{
    advance(flows, now);
    flow->left = amount;
    flow->flows = flows;
    flow->stopped = false;
    flow->next = NULL;
    flow->prev = flows->last;
    *(flows->last ? &flows->last->next : &flows->first) = flow;
    flows->last = flow;
    change(flows, now);
}

static void set_stopped(struct sms__flow *flow, bool stopped, uint64_t now)
{
    struct sms__flows *flows = flow->flows;
    if (!flows || flow->stopped == stopped)
        return;
    advance(flows, now);
    flow->stopped = stopped;
    change(flows, now);
}

void sms__flow_stop(struct sms__flow *flow, uint64_t now) { set_stopped(flow, true, now); }

void sms__flow_resume(struct sms__flow *flow, uint64_t now) { set_stopped(flow, false, now); }

void sms__flow_drop(struct sms__flow *flow, uint64_t now)
{
    struct sms__flows *flows = flow->flows;
    flow->done = NULL;
    if (!flows)
        return;
    advance(flows, now);
    unlink_flow(flows, flow);
    change(flows, now);
}

bool sms__flows_are_active(const struct sms__flows *flows)
{
    bool any = false;
    for (const struct sms__flow *flow = flows->first; flow; flow = flow->next)
        any |= is_active(flow);
    return any;
}
