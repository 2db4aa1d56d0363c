/* Derives the block time and the demands with which the kernel alone takes its measured time and has its measured
 * usage, from a model of its occupancy. */
#include "derive_internal.h"

#include "../model/sheet.h"

#include <math.h>

/* A modelled occupancy within NEAR of the measured one is close enough. Otherwise jitter is tried in steps of STEP, for
 * kernels of up to WAVES_TRIED waves and BLOCKS_TRIED blocks. */
static const double NEAR = 0.025, STEP = 0.025, JITTER_MAX = 0.5;

enum { WAVES_TRIED = 16, BLOCKS_TRIED = 1 << 15 };

/* Bounds the time for profiles of thousands of kernels: after this many drawn blocks, jitter is no longer fitted. */
enum { DRAWN_MAX = 100000000 };

/* Tries more jitter. Blocks that end at different times empty an SM gradually at the end, and keep it fuller while a
 * partial last wave runs. */
static void fit_jitter(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    double first = fabs(kernel->fit.timing.modelled.occupancy - kernel->measured.occupancy), best = first,
           chosen = kernel->fit.jitter;
    uint64_t blocks = kernel->shape.blocks, slots = kernel->fit.timing.modelled.per_sm * derivation->device->sms;
    if (!(first > NEAR) || derivation->occupancy.blocks_drawn > DRAWN_MAX || blocks < 2 || blocks > BLOCKS_TRIED ||
        blocks > WAVES_TRIED * slots)
        return;
    for (int i = 1; kernel->fit.jitter + i * STEP <= JITTER_MAX + 1e-9; i++) {
        struct sms__occupancy modelled = {0};
        double jitter = kernel->fit.jitter + i * STEP;
        sms__occupancy_of(&derivation->occupancy, derivation->device, &kernel->shape, jitter,
                          (double)derivation->device->dispatch.block_ps * 1e-12 / kernel->fit.timing.block_s,
                          &modelled);
        double distance = fabs(modelled.occupancy - kernel->measured.occupancy);
        chosen = distance < best - 0.002 ? jitter : chosen;
        best = distance < best - 0.002 ? distance : best;
    }
    if (best > first / 2 && best > NEAR)
        return;
    kernel->fit.jitter = fmin(floor(chosen * 1000 + 0.5) / 1000, JITTER_MAX);
    kernel->fit.jitter_fitted = true;
    sms__derive_time(derivation, kernel, kernel->fit.jitter, &kernel->fit.timing);
}

/* The largest demand with which the fullest SM, or the device, has enough for all resident blocks of the kernel. */
static double max_demand(const struct sms__device *device, size_t r, const struct sms__occupancy *modelled)
{
    double limit = 1 / (double)modelled->fullest_sm;
    if (device->resource[r].scope == SMS_SCOPE_DEVICE)
        limit = (double)device->sms / (double)modelled->resident;
    return fmin(limit, SMS__DEMAND_MAX);
}

const char *sms__derive_shape(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    const struct sms__device *device = derivation->device;
    if (kernel->shape.blocks > SMS__BLOCKS_DRAWN)
        kernel->fit.jitter = 0;
    const char *problem = sms__derive_time(derivation, kernel, kernel->fit.jitter, &kernel->fit.timing);
    if (problem)
        return problem;
    kernel->fit.jitter = kernel->fit.timing.jitter;
    if (!kernel->fit.timing.by_dispatch)
        fit_jitter(derivation, kernel);
    if (kernel->fit.timing.block_s < 1e-12)
        return "its block time is less than a picosecond";
    for (size_t r = 0; r < device->resources; r++) {
        double limit = max_demand(device, r, &kernel->fit.timing.modelled);
        kernel->fit.demand[r] = kernel->measured.usage[r].ratio / kernel->fit.timing.modelled.mean_per_sm;
        kernel->fit.clamped[r] = kernel->fit.demand[r] > limit * (1 + 1e-9);
        kernel->fit.demand[r] = kernel->fit.clamped[r] ? limit : kernel->fit.demand[r];
    }
    kernel->fit.on_target = kernel->fit.timing.modelled;
    kernel->fit.scaled.block_time = 1;
    return NULL;
}

/* On the device at the SM clock `clock_hz`; 0: its own. A clock that was measured or asked for is that of the compute
 * units, too. */
static struct sms__placed place(const struct sms__device *device, const struct sms__occupancy *modelled,
                                double clock_hz, bool exact)
{
    double clock = clock_hz > 0 ? clock_hz : device->clock_hz, compute = sms__compute_clock(device);
    return (struct sms__placed){device, clock, exact ? clock : fmin(compute, clock), modelled->length,
                                modelled->resident};
}

const char *sms__derive_retarget(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    const struct sms__device *target = derivation->target, *device = derivation->device;
    double demand[SMS_RESOURCES_MAX] = {0}, use[SMS_RESOURCES_MAX] = {0};
    struct sms__occupancy modelled = {0};
    /* In waves, without the dispatcher: so the scaling was held against measurements. */
    const char *problem = sms__occupancy_of(&derivation->occupancy, target, &kernel->shape, kernel->fit.jitter, 0,
                                            &kernel->fit.on_target);
    if (!problem)
        problem = sms__occupancy_of(&derivation->occupancy, device, &kernel->shape, kernel->fit.jitter, 0, &modelled);
    if (problem)
        return problem;
    const double clock_hz = derivation->options->clock_hz;
    struct sms__placed from = place(device, &modelled, kernel->measured.clock_hz, !kernel->measured.clock_from);
    struct sms__placed to = place(target, &kernel->fit.on_target, clock_hz, clock_hz > 0);
    for (size_t r = 0; r < device->resources; r++)
        use[r] = kernel->measured.usage[r].ratio;
    kernel->fit.scaled = sms__retarget(&from, &to, kernel->shape.blocks, use);
    double scale = kernel->fit.scaled.block_time, block_s = kernel->fit.timing.block_s * scale;
    to.clock_hz = target->clock_hz; /* demands are shares of what the device file says */
    for (size_t r = 0; r < device->resources; r++) {
        int to_r = sms__resource_index(target, device->resource[r].name);
        if (to_r >= 0)
            demand[to_r] = sms__retarget_demand(&from, &to, r, (size_t)to_r, kernel->fit.demand[r], scale);
    }
    for (size_t r = 0; r < target->resources; r++)
        kernel->fit.demand[r] = demand[r];
    return block_s < 1e-12 || block_s > 9e6 ? "its block time is out of range" : NULL;
}
