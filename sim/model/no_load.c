/* A kernel slows itself while it is measured. This takes that part out of its demand and time (no_load.h). */
#include "no_load.h"

#include "policy/join.h"

#include <math.h>

enum {
    STEPS = 48, /* of a bisection */
    SLICES = 16 /* of the time in which blocks of unequal length end */
};

/* A part of the launch, while as many blocks are resident. */
struct stage {
    double length;                 /* in mean block times, at equal speed */
    double use[SMS_RESOURCES_MAX]; /* as given, parts of SMS_FULL of one SM */
};

/* A kernel alone on the whole device. */
struct alone {
    const struct sms_contention *model;
    struct sms_contention_view view;
    struct stage stage[2 + SLICES];
    size_t stages;
};

/* How much more than here a block demands on the whole device, if it is on an instance. */
static double on_board(const struct sms__kernel *kernel, const struct sms__device *device, size_t r)
{
    return kernel->whole ? 1 : sms__capacity_sms(device, r) / (double)device->sms;
}

/* Adds a stage in which `resident` blocks per SM are resident on average. */
static void add_stage(struct alone *alone, const double *demand, double length, double resident)
{
    struct stage *stage = &alone->stage[alone->stages];
    if (length <= 0)
        return;
    stage->length = length;
    for (size_t r = 0; r < alone->view.resources; r++) {
        bool device_scope = alone->view.resource[r].scope == SMS_SCOPE_DEVICE;
        stage->use[r] = demand[r] * (device_scope ? resident : ceil(resident));
    }
    alone->stages++;
}

/* The last wave. Where blocks vary, uniformly, they end one after another. */
static void add_last_wave(struct alone *alone, const struct sms__kernel *kernel, const double *demand, double resident)
{
    double spread = kernel->spread == SMS__UNIFORM ? fmin(sqrt(3) * kernel->jitter, 1) : 0;
    add_stage(alone, demand, 1 - spread, resident);
    for (int i = 0; i < SLICES && spread > 0; i++)
        add_stage(alone, demand, 2 * spread / SLICES, resident * (1 - (i + 0.5) / SLICES));
}

static void describe(const struct sms__kernel *kernel, const struct sms__device *device,
                     const struct sms__footprint *fit, struct alone *alone)
{
    double sms = (double)sms__whole_device(device)->sms, demand[SMS_RESOURCES_MAX];
    double per_sm = (double)fit->per_sm, blocks = (double)kernel->measured / sms;
    for (size_t r = 0; r < device->resources; r++)
        demand[r] = fit->demand[r] * on_board(kernel, device, r);
    double waves = kernel->whole ? 1 : ceil(blocks / per_sm);
    add_stage(alone, demand, waves - 1, per_sm);
    add_last_wave(alone, kernel, demand, kernel->whole ? 1 : blocks - (waves - 1) * per_sm);
}

/* The slowdown in a stage, if demands are `times` those given. A model that rates sees all blocks as one group. */
static double slow_in(const struct alone *alone, const struct stage *stage, double times)
{
    double slow = 1, speed = 1, use[SMS_RESOURCES_MAX], join = sms__join_of(alone->model, &alone->view).exponent;
    struct sms_group group = {.blocks = 1, .demand = use, .speed = &speed, .cls = -1};
    for (size_t r = 0; r < alone->view.resources; r++) {
        use[r] = alone->view.resource[r].hard ? 0 : stage->use[r] * times;
        if (use[r] > 0 && alone->model->slowdown)
            slow = sms__join(slow, alone->model->slowdown(&alone->view, r, use[r]), join);
    }
    if (!alone->model->slowdown)
        alone->model->rate(&alone->view, use, &group, 1);
    return alone->model->slowdown ? sms__joined(slow, join) : 1 / speed;
}

/* How long the launch takes if demands are `times` those given, and blocks as much shorter. Falls as `times` rises. */
static double lasts(const struct alone *alone, double times)
{
    double sum = 0;
    for (size_t i = 0; i < alone->stages; i++)
        sum += alone->stage[i].length * slow_in(alone, &alone->stage[i], times) / times;
    return sum;
}

/* The same where a resource slows only beyond 100 %, and then by its usage. */
static double should_last(const struct alone *alone)
{
    double sum = 0;
    for (size_t i = 0; i < alone->stages; i++) {
        double slow = 1;
        for (size_t r = 0; r < alone->view.resources; r++)
            if (!alone->view.resource[r].hard)
                slow = fmax(slow, alone->stage[i].use[r] / SMS_FULL);
        sum += alone->stage[i].length * slow;
    }
    return sum;
}

/* The most that the demand of a pipe can be greater at no load. Blocks with few warps cannot fill it: each warp waits
 * for what it issued before. Warps that use more than that have independent instructions; how many is not known, so
 * the limit rises, without a step, to that of any kernel where they use twice as much. */
static double most_of_pipe(double warps, double fill, double demand)
{
    const double part = warps / fill * SMS_FULL;
    return part >= demand ? part / demand : 1 + (SMS__ALONE_MAX - 1) * (demand / part - 1);
}

static double most_times(const struct sms__kernel *kernel, const struct sms__device *device,
                         const struct sms__footprint *fit)
{
    double most = SMS__ALONE_MAX, warps = ceil((double)kernel->threads / (double)device->sm.warp);
    for (size_t r = 0; r < device->resources && !kernel->whole; r++)
        if (device->resource[r].warps > 0 && fit->demand[r] > 0)
            most = fmin(most, most_of_pipe(warps, device->resource[r].warps, fit->demand[r]));
    return most;
}

/* The factor by which demands are greater at no load. */
static double solve(const struct alone *alone, double target, double most)
{
    double low = 1, high = most;
    if (lasts(alone, low) <= target * (1 + 1e-12))
        return low;
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        *(lasts(alone, middle) > target ? &low : &high) = middle;
    }
    return high;
}

void sms__find_no_load(const struct sms_scenario *scenario, const struct sms__kernel *kernel,
                       const struct sms__device *device, struct sms__footprint *fit)
{
    struct alone alone = {.model = scenario->contention.model,
                          .view = {.params = scenario->contention.param,
                                   .resources = device->resources,
                                   .resource = device->resource_view}};
    double times = 1;
    fit->alone = 1;
    if (alone.model && alone.model->measured_alone && fit->per_sm) {
        describe(kernel, device, fit, &alone);
        double target = should_last(&alone);
        times = solve(&alone, target, most_times(kernel, device, fit));
        fit->alone = fmax(times * lasts(&alone, times) / target, 1);
    }
    for (size_t r = 0; r < SMS_RESOURCES_MAX; r++)
        fit->pressure[r] = device->resource[r].hard ? fit->demand[r] : nearbyint(fit->demand[r] * times);
    fit->work_ps /= fit->alone;
}
