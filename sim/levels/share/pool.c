/* Max-min fair rates of flows that share pools. */
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

/* The most that the flow could take if it had its pools to itself, but for what so many flows of the first cost. */
static double ceiling(const struct sms__pooled_flow *flow, double flows)
{
    double most = flow->most > 0 ? flow->most : INFINITY;
    return flow->spread > 0 ? most / (1 + flow->spread * (flows - 1)) : most;
}

static void set_rates(struct sms__fluid *fluid)
{
    struct sms__user *first = NULL, **end = &first;
    for (struct sms__pooled_flow *flow = first_of(fluid); flow; flow = next_of(flow)) {
        flow->flow.rate = 0;
        if (flow->flow.stopped)
            continue;
        flow->user =
            (struct sms__user){.count = 1, .pools = SMS__POOLS_OF_FLOW, .pool = flow->pool, .rate = &flow->flow.rate};
        *end = &flow->user;
        end = &flow->user.next;
    }
    sms__users_open(first);
    for (struct sms__pooled_flow *flow = first_of(fluid); flow; flow = next_of(flow))
        flow->user.most = ceiling(flow, flow->pool[0]->rising);
    sms__users_fill(first, 0);
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
    double flows = (double)fluid->count, rate = ceiling(flow, flows);
    for (int p = 0; p < SMS__POOLS_OF_FLOW; p++)
        if (flow->pool[p] && flow->pool[p]->capacity > 0)
            rate = fmin(rate, flow->pool[p]->capacity / flows);
    return rate;
}

void sms__pooled_flows_init(struct sms__fluid *fluid, struct sms__engine *engine, enum sms__level level)
{
    *fluid = (struct sms__fluid){
        .engine = engine, .set_rates = set_rates, .is_like = is_like, .rate_each = rate_each, .active = true};
    fluid->source = sms__engine_source(engine, level, sms__fluid_fire, fluid);
}
