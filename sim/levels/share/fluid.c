/* Flows, advanced whenever a rate changes. */
#include "fluid.h"

#include <math.h>

static void advance(struct sms__fluid *fluid, uint64_t now)
{
    uint64_t elapsed = now - fluid->advanced_ps;
    if (fluid->even)
        fluid->clock += fluid->rate * (double)elapsed;
    for (struct sms__flow *flow = fluid->first; flow && fluid->active && !fluid->even; flow = flow->next)
        if (!flow->stopped)
            flow->left = flow->rate < INFINITY ? flow->left - flow->rate * (double)elapsed : 0;
    fluid->active_ps += fluid->active ? elapsed : 0;
    fluid->advanced_ps = now;
}

/* The time until the first end of a flow. */
static double find_soonest(const struct sms__fluid *fluid)
{
    double soonest = INFINITY;
    if (fluid->even)
        return fluid->first ? fmax(fluid->first->left - fluid->clock, 0) / fluid->rate : INFINITY;
    for (const struct sms__flow *flow = fluid->first; flow && fluid->active; flow = flow->next) {
        double left = flow->left > 0 && flow->rate < INFINITY ? flow->left / flow->rate : 0;
        if (!flow->stopped && left < soonest)
            soonest = left;
    }
    return soonest;
}

static void schedule(struct sms__fluid *fluid, uint64_t now)
{
    double soonest = find_soonest(fluid);
    sms__engine_at(fluid->engine, fluid->source, soonest < INFINITY ? sms__after(now, soonest) : SMS__NEVER);
}

/* It is uneven until no flow is left. */
static void make_uneven(struct sms__fluid *fluid)
{
    for (struct sms__flow *flow = fluid->first; flow && fluid->even; flow = flow->next)
        flow->left -= fluid->clock;
    fluid->even = false;
}

/* A rate without limit has no clock. */
static void change(struct sms__fluid *fluid, uint64_t now)
{
    if (fluid->even && fluid->first)
        fluid->rate = fluid->rate_each(fluid);
    if (fluid->even && fluid->rate == INFINITY)
        make_uneven(fluid);
    if (!fluid->even)
        fluid->set_rates(fluid);
    schedule(fluid, now);
}

static void take_out(struct sms__fluid *fluid, struct sms__flow *flow)
{
    *(flow->prev ? &flow->prev->next : &fluid->first) = flow->next;
    *(flow->next ? &flow->next->prev : &fluid->last) = flow->prev;
    flow->fluid = NULL;
    fluid->count--;
    fluid->changes++;
}

/* Puts the flow where it ends, or starts: behind those that end or started before. */
static void put_in(struct sms__fluid *fluid, struct sms__flow *flow)
{
    struct sms__flow *prev = fluid->last;
    while (fluid->even && prev && prev->left > flow->left)
        prev = prev->prev;
    flow->prev = prev;
    flow->next = prev ? prev->next : fluid->first;
    *(prev ? &prev->next : &fluid->first) = flow;
    *(flow->next ? &flow->next->prev : &fluid->last) = flow;
    flow->fluid = fluid;
    fluid->count++;
    fluid->changes++;
}

/* Whether it stays even with this flow, or is even with this one alone. */
static bool stays_even(struct sms__fluid *fluid, const struct sms__flow *flow)
{
    if (fluid->first)
        return fluid->even && fluid->is_like(fluid->first, flow);
    fluid->clock = fluid->rate = 0;
    return fluid->is_like != NULL;
}

/* So little time is left of a flow by rounding: sms__after ends it a little early, and each advance adds some. */
static const double nothing_ps = 0x1p-4;

static bool has_ended(const struct sms__fluid *fluid, const struct sms__flow *flow)
{
    if (fluid->even)
        return flow->left - fluid->clock <= fluid->rate * nothing_ps;
    return !flow->stopped && (flow->rate == INFINITY || flow->left <= flow->rate * nothing_ps);
}

/* Takes out the flows that end now. */
static struct sms__flow *take_ended(struct sms__fluid *fluid)
{
    struct sms__flow *ended = NULL, **end = &ended, *next;
    for (struct sms__flow *flow = fluid->first; flow; flow = next) {
        bool over = has_ended(fluid, flow);
        next = over || !fluid->even ? flow->next : NULL;
        if (!over)
            continue;
        take_out(fluid, flow);
        flow->next = NULL;
        *end = flow;
        end = &flow->next;
    }
    return ended;
}

void sms__fluid_fire(void *subject, uint64_t now)
{
    struct sms__fluid *fluid = subject;
    advance(fluid, now);
    struct sms__flow *ended = take_ended(fluid), *next;
    change(fluid, now);
    for (; ended; ended = next) {
        next = ended->next;
        if (ended->done) /* NULL if another that ended now has dropped it */
            ended->done(ended->subject, now);
    }
}

void sms__flow_start(struct sms__fluid *fluid, struct sms__flow *flow, double amount, uint64_t now)
{
    advance(fluid, now);
    if (stays_even(fluid, flow))
        fluid->even = true;
    else
        make_uneven(fluid);
    flow->left = fluid->even ? fluid->clock + amount : amount;
    flow->stopped = false;
    put_in(fluid, flow);
    change(fluid, now);
}

void sms__flow_set_stopped(struct sms__flow *flow, bool stopped, uint64_t now)
{
    if (!flow->fluid || flow->stopped == stopped)
        return;
    advance(flow->fluid, now);
    make_uneven(flow->fluid);
    flow->stopped = stopped;
    flow->fluid->changes++;
    change(flow->fluid, now);
}

void sms__flow_drop(struct sms__flow *flow, uint64_t now)
{
    struct sms__fluid *fluid = flow->fluid;
    flow->done = NULL;
    if (!fluid)
        return;
    advance(fluid, now);
    take_out(fluid, flow);
    change(fluid, now);
}

void sms__fluid_set_active(struct sms__fluid *fluid, bool active, uint64_t now)
{
    advance(fluid, now);
    fluid->active = active;
    change(fluid, now);
}

void sms__fluid_change(struct sms__fluid *fluid, uint64_t now)
{
    advance(fluid, now);
    change(fluid, now);
}

bool sms__fluid_is_busy(const struct sms__fluid *fluid)
{
    bool busy = false;
    for (const struct sms__flow *flow = fluid->first; flow && !busy; flow = flow->next)
        busy = fluid->active && !flow->stopped;
    return busy;
}
