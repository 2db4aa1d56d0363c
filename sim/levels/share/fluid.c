/* Flows, advanced whenever a rate changes. */
#include "fluid.h"

#include <math.h>

static void advance(struct sms__fluid *fluid, uint64_t now)
{
    uint64_t elapsed = now - fluid->advanced_ps;
    for (struct sms__flow *flow = fluid->first; flow && fluid->active; flow = flow->next)
        if (!flow->stopped)
            flow->left = flow->rate < INFINITY ? flow->left - flow->rate * (double)elapsed : 0;
    fluid->active_ps += fluid->active ? elapsed : 0;
    fluid->advanced_ps = now;
}

/* Sets the source to the first end of a flow. */
static void schedule(struct sms__fluid *fluid, uint64_t now)
{
    double soonest = INFINITY;
    for (const struct sms__flow *flow = fluid->first; flow && fluid->active; flow = flow->next) {
        double left = flow->left > 0 && flow->rate < INFINITY ? flow->left / flow->rate : 0;
        if (!flow->stopped && left < soonest)
            soonest = left;
    }
    sms__engine_at(fluid->engine, fluid->source, soonest < INFINITY ? sms__after(now, soonest) : SMS__NEVER);
}

static void change(struct sms__fluid *fluid, uint64_t now)
{
    fluid->set_rates(fluid);
    schedule(fluid, now);
}

static void take_out(struct sms__fluid *fluid, struct sms__flow *flow)
{
    *(flow->prev ? &flow->prev->next : &fluid->first) = flow->next;
    *(flow->next ? &flow->next->prev : &fluid->last) = flow->prev;
    flow->fluid = NULL;
    fluid->count--;
}

/* Takes out the flows that end within a picosecond, because ends are rounded up to whole ones. */
static struct sms__flow *take_ended(struct sms__fluid *fluid)
{
    struct sms__flow *ended = NULL, **end = &ended, *next;
    for (struct sms__flow *flow = fluid->first; flow; flow = next) {
        next = flow->next;
        if (flow->stopped || (flow->rate < INFINITY && flow->left > flow->rate))
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
    flow->left = amount;
    flow->fluid = fluid;
    flow->stopped = false;
    flow->next = NULL;
    flow->prev = fluid->last;
    *(fluid->last ? &fluid->last->next : &fluid->first) = flow;
    fluid->last = flow;
    fluid->count++;
    change(fluid, now);
}

void sms__flow_set_stopped(struct sms__flow *flow, bool stopped, uint64_t now)
{
    if (!flow->fluid || flow->stopped == stopped)
        return;
    advance(flow->fluid, now);
    flow->stopped = stopped;
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
    schedule(fluid, now);
}

bool sms__fluid_is_busy(const struct sms__fluid *fluid)
{
    bool busy = false;
    for (const struct sms__flow *flow = fluid->first; flow; flow = flow->next)
        busy |= fluid->active && !flow->stopped;
    return busy;
}
