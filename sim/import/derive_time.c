/* Splits the measured time of a kernel into the cost of its launch and the time of its blocks, so that in a simulation
 * the kernel alone takes its measured time. docs/reference/import.md has the formulas. */
#include "derive_internal.h"

#include <math.h>

/* A launch takes at most this part of the kernel's time. Assumed: kernels that last less than a launch usually costs
 * must have blocks of some length. */
static const double LAUNCH_MOST = 0.75;

enum { STEPS_MAX = 40 };

struct split {
    const struct sms__derivation *derivation;
    const struct sms__derived *kernel;
    double interval_s; /* least time between the starts of two blocks */
    double slots, blocks;
};

/* The time of all blocks, if all take `block_s` and none waits for a launch. */
static double time_of_blocks(const struct split *split, double block_s)
{
    double last = split->blocks - 1, waves = floor(last / split->slots);
    if (block_s < split->slots * split->interval_s)
        return last * split->interval_s + block_s;
    return waves * block_s + (last - waves * split->slots) * split->interval_s + block_s;
}

/* The block time with which all blocks take `all_s`. Not positive if the starts alone take longer. */
static double block_time(const struct split *split, double all_s)
{
    double last = split->blocks - 1, waves = floor(last / split->slots);
    double by_slots = (all_s - (last - waves * split->slots) * split->interval_s) / (waves + 1);
    bool in_waves = by_slots >= split->slots * split->interval_s;
    return in_waves ? by_slots : all_s - last * split->interval_s;
}

/* Little's law: resident blocks = rate of starts x block time. Resident blocks are known from the achieved occupancy,
 * which is a mean over the time in which an SM has a block. NAN if it was not measured. */
static double block_time_of_occupancy(const struct split *split)
{
    const struct sms__measured_kernel *measured = &split->kernel->measured;
    const struct sms__device *device = split->derivation->device;
    uint64_t warp = device->sm.warp, warps = (split->kernel->shape.threads + warp - 1) / warp;
    double resident = measured->occupancy * (double)device->sm.warps / (double)warps * (double)device->sms;
    double share = resident / split->blocks, starts = (split->blocks - 1) * split->interval_s;
    if (!measured->activity_from_model && isfinite(measured->activity))
        return share * measured->activity * split->kernel->time.mean_s;
    return share < 1 ? share * starts / (1 - share) : NAN; /* SMs are active from the first start to the last end */
}

/* The dispatcher sets the length of the kernel, so the measured time does not tell that of a block. */
static void split_by_occupancy(const struct split *split, struct sms__timing *timing)
{
    double time_s = split->kernel->time.mean_s, starts = (split->blocks - 1) * split->interval_s;
    double block_s = block_time_of_occupancy(split);
    timing->by_occupancy = isfinite(block_s) && block_s > 0 && starts + block_s <= time_s;
    if (timing->by_occupancy) {
        timing->block_s = block_s;
        timing->launch_s = time_s - starts - block_s;
        return;
    }
    timing->block_s = fmax(timing->block_s, split->interval_s);
    timing->launch_s = fmax(time_s - starts - timing->block_s, 0);
    timing->too_fast = starts + timing->block_s > time_s * (1 + 1e-9);
}

/* With jitter, the length is a mean over simulated launches; it grows with the block time. */
static void solve_for_jitter(struct sms__derivation *derivation, const struct sms__derived *kernel, double interval_s,
                             struct sms__timing *timing)
{
    double all_s = kernel->time.mean_s - timing->launch_s, low = 0, high = all_s;
    for (int i = 0; i < STEPS_MAX && high - low > 1e-9 * high; i++) {
        sms__occupancy_of(&derivation->occupancy, derivation->device, &kernel->shape, timing->jitter,
                          interval_s / timing->block_s, &timing->modelled);
        double takes = timing->modelled.length * timing->block_s;
        *(takes > all_s ? &high : &low) = timing->block_s;
        double next = timing->block_s * all_s / takes;
        timing->block_s = next > low && next < high ? next : (low + high) / 2;
        if (fabs(takes - all_s) < 1e-9 * all_s)
            return;
    }
}

/* The model is of the blocks; a launch's time passes without any. */
static void add_launch(const struct sms__derived *kernel, struct sms__timing *timing)
{
    double share = 1 - timing->launch_s / kernel->time.mean_s;
    timing->modelled.mean_per_sm *= share;
    timing->modelled.activity *= share;
}

const char *sms__derive_time(struct sms__derivation *derivation, const struct sms__derived *kernel, double jitter,
                             struct sms__timing *timing)
{
    const struct sms__device *device = derivation->device;
    double interval_s = (double)device->dispatch.block_ps * 1e-12, launch_s = device->dispatch.launch_ps * 1e-12;
    *timing = (struct sms__timing){.jitter = jitter};
    const char *problem =
        sms__occupancy_of(&derivation->occupancy, device, &kernel->shape, jitter, 0, &timing->modelled);
    if (problem)
        return problem;
    struct split split = {derivation, kernel, interval_s, (double)(timing->modelled.per_sm * device->sms),
                          (double)kernel->shape.blocks};
    timing->launch_s = fmin(launch_s, LAUNCH_MOST * kernel->time.mean_s);
    timing->is_short = timing->launch_s < launch_s;
    timing->block_s = (kernel->time.mean_s - timing->launch_s) / timing->modelled.length;
    if (interval_s > 0) {
        timing->block_s = block_time(&split, kernel->time.mean_s - timing->launch_s);
        timing->by_dispatch = timing->block_s < (fmin(split.slots, split.blocks) - 1) * interval_s;
        timing->jitter = timing->by_dispatch ? 0 : jitter;
        if (timing->by_dispatch)
            split_by_occupancy(&split, timing);
        else if (jitter > 0)
            solve_for_jitter(derivation, kernel, interval_s, timing);
        sms__occupancy_of(&derivation->occupancy, device, &kernel->shape, timing->jitter, interval_s / timing->block_s,
                          &timing->modelled);
        timing->lasts_s = timing->launch_s + time_of_blocks(&split, timing->block_s);
    }
    add_launch(kernel, timing);
    return NULL;
}
