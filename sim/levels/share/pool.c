/* Max-min fair rates of flows that share pools, by progressive filling. */
#include "pool.h"

#include <math.h>

/* Each flow is the first member of a pooled one, and the next flow that of the next. */
static struct sms__pooled_flow *first_of(const struct sms__fluid *fluid)
{
    return (struct sms__pooled_flow *)fluid->first;
}

static struct sms__pooled_flow *next_of(const struct sms__pooled_flow *flow)
{
    return (struct sms__pooled_flow *)flow->flow.next;
}

/* The most that the flow could take if it had its pools to itself. */
static double ceiling(const struct sms__pooled_flow *flow)
{
    double most = flow->most > 0 ? flow->most : INFINITY;
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++) {
        const struct sms__pool *pool = flow->pool[p];
        if (pool && pool->spread > 0)
            most /= 1 + pool->spread * (double)(pool->active - 1);
    }
    return most;
}

static void open_pools(const struct sms__fluid *fluid)
{
    for (struct sms__pooled_flow *flow = first_of(fluid); flow; flow = next_of(flow))
        for (int p = 0; p < SMS__POOLS_OF_FLOW; p++)
            if (flow->pool[p])
                *flow->pool[p] = (struct sms__pool){.capacity = flow->pool[p]->capacity,
                                                    .spread = flow->pool[p]->spread,
                                                    .left = flow->pool[p]->capacity};
    for (struct sms__pooled_flow *flow = first_of(fluid); flow; flow = next_of(flow)) {
        flow->flow.rate = flow->flow.stopped ? 0 : -1; /* negative: not set yet */
        for (int p = 0; !flow->flow.stopped && p < SMS__POOLS_OF_FLOW; p++)
            if (flow->pool[p]) {
                flow->pool[p]->active++;
                flow->pool[p]->open++;
            }
    }
}

/* The least that a pool of the flow would give each of its open flows. */
static double share(const struct sms__pooled_flow *flow)
{
    double least = INFINITY;
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++) {
        const struct sms__pool *pool = flow->pool[p];
        if (pool && pool->capacity > 0 && pool->left / (double)pool->open < least)
            least = pool->left / (double)pool->open;
    }
    return least;
}

static void fix(struct sms__pooled_flow *flow, double rate)
{
    flow->flow.rate = rate;
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
static double water_level(const struct sms__fluid *fluid)
{
    double level = INFINITY;
    for (const struct sms__pooled_flow *flow = first_of(fluid); flow; flow = next_of(flow)) {
        if (flow->flow.rate < 0)
            level = fmin(level, fmin(ceiling(flow), share(flow)));
    }
    return level;
}

/* One round, which fixes at least one flow. */
static bool fill(const struct sms__fluid *fluid)
{
    double level = water_level(fluid);
    bool any = false;
    for (struct sms__pooled_flow *flow = first_of(fluid); flow; flow = next_of(flow)) {
        if (flow->flow.rate >= 0 || (ceiling(flow) > level && share(flow) > level * (1 + 1e-12)))
            continue;
        fix(flow, level);
        any = true;
    }
    return any;
}

static void set_rates(struct sms__fluid *fluid)
{
    open_pools(fluid);
    while (fill(fluid))
        continue;
}

static bool is_like(const struct sms__flow *a, const struct sms__flow *b)
{
    const struct sms__pooled_flow *one = (const struct sms__pooled_flow *)a,
                                  *other = (const struct sms__pooled_flow *)b;
    bool alike = one->most == other->most;
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++)
        alike &= one->pool[p] == other->pool[p];
    return alike;
}

/* Alike flows share each of their pools equally. */
static double rate_each(const struct sms__fluid *fluid)
{
    const struct sms__pooled_flow *flow = first_of(fluid);
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++)
        if (flow->pool[p]) {
            flow->pool[p]->active = flow->pool[p]->open = fluid->count;
            flow->pool[p]->left = flow->pool[p]->capacity;
        }
    return fmin(ceiling(flow), share(flow));
}

void sms__pooled_flows_init(struct sms__fluid *fluid, struct sms__engine *engine, enum sms__level level)
{
    *fluid = (struct sms__fluid){
        .engine = engine, .set_rates = set_rates, .is_like = is_like, .rate_each = rate_each, .active = true};
    fluid->source = sms__engine_source(engine, level, sms__fluid_fire, fluid);
}
