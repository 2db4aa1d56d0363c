/* Copies and host steps, as flows that share links and cores: max-min fair. A flow stands still while its process is
 * paused. */
#include "host.h"
#include "stream.h"

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

/* All flows of the fluid are to be pooled ones, and no others may use their pools. */
static void init_flows(struct sms__fluid *fluid, struct sms__engine *engine, enum sms__level level)
{
    *fluid = (struct sms__fluid){
        .engine = engine, .set_rates = set_rates, .is_like = is_like, .rate_each = rate_each, .active = true};
    fluid->source = sms__engine_source(engine, level, sms__fluid_fire, fluid);
}

static size_t count_links(const struct sms__host_setup *setup)
{
    const struct sms__host *host = &setup->spec->scenario->host;
    return host->link_in > 0 || host->link_out > 0 ? 1 : setup->gpus;
}

void sms__flows_count(const struct sms__host_setup *setup, size_t streams, size_t sources[SMS__LEVELS])
{
    sources[SMS__LEVEL_LINK] += 2 * count_links(setup) + (setup->cores > 0);
    sources[SMS__LEVEL_TENANT] += setup->cores > 0 ? 0 : streams;
}

void sms__flows_init(struct sms_share *share, size_t streams)
{
    const struct sms__host *host = &share->scenario->host;
    struct sms__host_flows *flows = &share->flows;
    flows->cores.capacity = share->setup.cores;
    flows->in.capacity = host->link_in / 1e12;
    flows->out.capacity = host->link_out / 1e12;
    flows->links = count_links(&share->setup);
    flows->compute = SMS__NEW(share->arena, struct sms__fluid, share->setup.cores > 0 ? 1 : streams);
    flows->copies = SMS__NEW(share->arena, struct sms__fluid, 2 * flows->links);
    if (share->setup.cores > 0)
        init_flows(flows->compute, share->engine, SMS__LEVEL_LINK);
    for (size_t i = 0; i < 2 * flows->links; i++)
        init_flows(&flows->copies[i], share->engine, SMS__LEVEL_LINK);
}

static struct sms__fluid *compute_of(const struct sms__stream *stream)
{
    const struct sms_share *share = stream->process->share;
    return &share->flows.compute[share->setup.cores > 0 ? 0 : stream - share->stream];
}

void sms__stream_register(const struct sms__stream *stream)
{
    const struct sms_share *share = stream->process->share;
    if (share->setup.cores <= 0)
        init_flows(compute_of(stream), share->engine, SMS__LEVEL_TENANT);
}

bool sms__flows_are_busy(const struct sms_share *share)
{
    const struct sms__host_flows *flows = &share->flows;
    size_t computes = share->setup.cores > 0 ? 1 : share->streams;
    bool busy = false;
    for (size_t i = 0; i < 2 * flows->links && !busy; i++)
        busy = sms__fluid_is_busy(&flows->copies[i]);
    for (size_t i = 0; i < computes && !busy; i++)
        busy = sms__fluid_is_busy(&flows->compute[i]);
    return busy;
}

static void start(struct sms__stream *stream, struct sms__fluid *fluid, double amount, uint64_t now)
{
    sms__flow_start(fluid, &stream->transfer.flow, amount, now);
    if (stream->process->paused)
        sms__flow_set_stopped(&stream->transfer.flow, true, now);
}

void sms__stream_copy(struct sms__stream *stream, bool in, double bytes, void (*done)(void *stream, uint64_t now),
                      uint64_t now)
{
    const struct sms__instance *instance = stream->process->instance;
    struct sms__host_flows *host = &stream->process->share->flows;
    double most = in ? instance->type->copy_in_most : instance->type->copy_out_most;
    stream->transfer = (struct sms__pooled_flow){
        .flow = {.done = done, .subject = stream},
        .most = most / 1e12,
        .spread = in ? 0 : instance->gpu->type->copy_out_spread,
        .pool = {in ? &instance->gpu->in : &instance->gpu->out, in ? &host->in : &host->out},
    };
    size_t link = host->links > 1 ? instance->gpu->idx : 0;
    start(stream, &host->copies[2 * link + !in], bytes, now);
}

void sms__stream_compute(struct sms__stream *stream, double ps, void (*done)(void *stream, uint64_t now), uint64_t now)
{
    struct sms_share *share = stream->process->share;
    if (share->policy.policy->intercepts)
        ps *= 1 + stream->workload->overhead;
    stream->transfer =
        (struct sms__pooled_flow){.flow = {.done = done, .subject = stream}, .most = 1, .pool = {&share->flows.cores}};
    start(stream, compute_of(stream), ps, now);
}
