/* Models how the blocks of a kernel occupy a device when it runs alone, and from that derives the block time and the
 * demands that give the measured duration and usage. Blocks are dispatched as in the simulator: a free slot is refilled
 * at once. */
#include "derive_internal.h"

#include "../base/rng.h"
#include "../model/fit.h"

#include <math.h>
#include <string.h>

/* A modelled occupancy within NEAR of the measured one is close enough. Otherwise jitter is tried in steps of STEP, for
 * kernels of up to WAVES_TRIED waves and BLOCKS_TRIED blocks. */
static const double NEAR = 0.025, STEP = 0.025, JITTER_MAX = 0.5;

enum { WAVES_TRIED = 16, BLOCKS_TRIED = 1 << 15, BLOCKS_DRAWN = 1 << 20, DRAWS = 16384, SEED = 1 };

/* Bounds the time for profiles of thousands of kernels: after this many drawn blocks, jitter is no longer fitted. */
enum { DRAWN_MAX = 100000000 };

struct sms__slot {
    double end;
    uint64_t sm;
};

struct sms__slot *sms__derive_slots(struct sms__arena *arena, size_t count)
{
    return SMS__NEW(arena, struct sms__slot, count);
}

static bool is_before(const struct sms__slot *a, const struct sms__slot *b)
{
    return a->end != b->end ? a->end < b->end : a->sm < b->sm;
}

static void sift_down(struct sms__slot *slot, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            least = is_before(&slot[child], &slot[least]) ? child : least;
        if (least == at)
            return;
        struct sms__slot moved = slot[at];
        slot[at] = slot[least];
        slot[least] = moved;
        at = least;
    }
}

struct sums {
    double work, length, active;
};

/* Simulates one launch with random block times of mean 1. */
static void launch_once(struct sms__derivation *derivation, uint64_t blocks, const struct sms__occupancy *modelled,
                        uint64_t sms, double jitter, gsl_rng *stream, struct sums *sums)
{
    struct sms__slot *slot = derivation->slot;
    double longest = 0;
    memset(derivation->last_end, 0, sms * sizeof *derivation->last_end);
    for (uint64_t i = 0; i < modelled->resident; i++) {
        slot[i] = (struct sms__slot){sms__uniform_about_one(stream, jitter), i % sms};
        sums->work += slot[i].end;
    }
    for (size_t i = modelled->resident; i-- > 0;)
        sift_down(slot, modelled->resident, i);
    for (uint64_t i = modelled->resident; i < blocks; i++) {
        double work = sms__uniform_about_one(stream, jitter);
        slot[0].end += work;
        sums->work += work;
        sift_down(slot, modelled->resident, 0);
    }
    for (size_t i = 0; i < modelled->resident; i++) {
        double *last = &derivation->last_end[slot[i].sm];
        *last = slot[i].end > *last ? slot[i].end : *last;
        longest = slot[i].end > longest ? slot[i].end : longest;
    }
    for (uint64_t s = 0; s < sms; s++)
        sums->active += derivation->last_end[s];
    sums->length += longest;
}

static void simulate_launches(struct sms__derivation *derivation, uint64_t blocks, uint64_t sms, double jitter,
                              struct sms__occupancy *modelled, double share)
{
    struct sums sums = {0, 0, 0};
    uint64_t times = DRAWS / blocks + 1;
    derivation->blocks_drawn += times * blocks;
    gsl_rng *stream = sms__stream(derivation->arena, SEED, "derive", 0);
    for (uint64_t i = 0; i < times; i++)
        launch_once(derivation, blocks, modelled, sms, jitter, stream, &sums);
    modelled->length = sums.length / (double)times;
    modelled->mean_per_sm = sums.work / ((double)sms * sums.length);
    modelled->activity = sums.active / ((double)sms * sums.length);
    modelled->occupancy = sums.work / sums.active * share;
}

/* Models equal blocks, which run in waves; the last wave may be partial. */
static void fill_waves(uint64_t blocks, uint64_t sms, struct sms__occupancy *modelled, double share)
{
    uint64_t slots = modelled->per_sm * sms, full = blocks / slots, tail = blocks % slots;
    double active = (double)full + (double)(tail < sms ? tail : sms) / (double)sms;
    modelled->length = (double)(full + (tail > 0));
    modelled->mean_per_sm = (double)blocks / ((double)sms * modelled->length);
    modelled->activity = active / modelled->length;
    modelled->occupancy = modelled->mean_per_sm / modelled->activity * share;
}

const char *sms__derive_occupancy(struct sms__derivation *derivation, const struct sms__device *device,
                                  const struct sms__kernel *shape, double jitter, struct sms__occupancy *modelled)
{
    uint64_t needs[SMS_LIMITS], capacity[SMS_LIMITS], sms = device->sms;
    const char *problem = sms__block_needs(&device->sm, shape, needs);
    if (problem)
        return problem;
    sms__sm_capacity(&device->sm, capacity);
    modelled->per_sm = sms__blocks_per_sm(capacity, needs, &modelled->limiter);
    if (modelled->per_sm == 0)
        return "not even one block fits on an SM";
    uint64_t slots = modelled->per_sm * sms;
    double share = (double)needs[SMS_WARPS] / (double)capacity[SMS_WARPS];
    modelled->resident = shape->blocks < slots ? shape->blocks : slots;
    modelled->fullest_sm = (modelled->resident + sms - 1) / sms;
    if (jitter > 0 && shape->blocks <= BLOCKS_DRAWN)
        simulate_launches(derivation, shape->blocks, sms, jitter, modelled, share);
    else
        fill_waves(shape->blocks, sms, modelled, share);
    return NULL;
}

/* Tries more jitter. Blocks that end at different times empty an SM gradually at the end, and keep it fuller while a
 * partial last wave runs. */
static void fit_jitter(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    double first = fabs(kernel->modelled.occupancy - kernel->measured_occupancy), best = first, chosen = kernel->jitter;
    uint64_t blocks = kernel->shape.blocks, slots = kernel->modelled.per_sm * derivation->device->sms;
    if (kernel->skip_jitter_fit || !(first > NEAR) || derivation->blocks_drawn > DRAWN_MAX || blocks < 2 ||
        blocks > BLOCKS_TRIED || blocks > WAVES_TRIED * slots)
        return;
    for (int i = 1; kernel->jitter + i * STEP <= JITTER_MAX + 1e-9; i++) {
        struct sms__occupancy modelled = {0};
        double jitter = kernel->jitter + i * STEP;
        sms__derive_occupancy(derivation, derivation->device, &kernel->shape, jitter, &modelled);
        double distance = fabs(modelled.occupancy - kernel->measured_occupancy);
        chosen = distance < best - 0.002 ? jitter : chosen;
        best = distance < best - 0.002 ? distance : best;
    }
    if (best > first / 2 && best > NEAR)
        return;
    kernel->jitter = floor(chosen * 1000 + 0.5) / 1000;
    kernel->jitter = kernel->jitter < JITTER_MAX ? kernel->jitter : JITTER_MAX;
    kernel->jitter_fitted = true;
    sms__derive_occupancy(derivation, derivation->device, &kernel->shape, kernel->jitter, &kernel->modelled);
}

/* The largest demand with which the fullest SM, or the device, has enough for all resident blocks of the kernel. */
static double max_demand(const struct sms__device *device, size_t r, const struct sms__occupancy *modelled)
{
    double limit = 1 / (double)modelled->fullest_sm;
    if (device->resource[r].scope == SMS_SCOPE_DEVICE)
        limit = (double)device->sms / (double)modelled->resident;
    return limit < SMS__DEMAND_MAX ? limit : SMS__DEMAND_MAX;
}

const char *sms__derive_shape(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    const struct sms__device *device = derivation->device;
    if (kernel->shape.blocks > BLOCKS_DRAWN)
        kernel->jitter = 0;
    const char *problem = sms__derive_occupancy(derivation, device, &kernel->shape, kernel->jitter, &kernel->modelled);
    if (problem)
        return problem;
    fit_jitter(derivation, kernel);
    kernel->block_s = kernel->time_s / kernel->modelled.length;
    if (kernel->block_s < 1e-12)
        return "its block time is less than a picosecond";
    for (size_t r = 0; r < device->resources; r++) {
        double limit = max_demand(device, r, &kernel->modelled);
        kernel->demand[r] = kernel->usage[r].ratio / kernel->modelled.mean_per_sm;
        kernel->clamped[r] = kernel->demand[r] > limit * (1 + 1e-9);
        kernel->demand[r] = kernel->clamped[r] ? limit : kernel->demand[r];
    }
    kernel->on_target = kernel->modelled;
    kernel->time_scale = kernel->capacity_scale = 1;
    return NULL;
}

/* Capacity per SM on the profiled device over capacity per SM on the target; 1 if a device file gives none. */
static double capacity_ratio(const struct sms__derivation *derivation, const struct sms__derived *kernel, size_t r,
                             size_t to)
{
    const struct sms__device *device = derivation->device, *target = derivation->target;
    double device_capacity = sms__derive_capacity(device, r, kernel->clock_hz) / (double)device->sms;
    double target_capacity = sms__derive_capacity(target, to, target->clock_hz) / (double)target->sms;
    return device_capacity > 0 && target_capacity > 0 ? device_capacity / target_capacity : 1;
}

/* A block does the same work on the target. If a resource bounds the kernel, block time scales with the block's share
 * of that resource, otherwise with the clock. If a full SM would then exceed a capacity, block time grows until it
 * fits. */
const char *sms__derive_retarget(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    const struct sms__device *target = derivation->target, *device = derivation->device;
    double demand[SMS_RESOURCES_MAX] = {0};
    const char *problem = sms__derive_occupancy(derivation, target, &kernel->shape, kernel->jitter, &kernel->on_target);
    if (problem)
        return problem;
    int bound_by = kernel->bottleneck == SMS__LATENCY_BOUND ? -1 : kernel->top_resource;
    int target_index = bound_by < 0 ? -1 : sms__resource_index(target, device->resource[bound_by].name);
    kernel->time_scale = kernel->clock_hz / target->clock_hz;
    if (target_index >= 0)
        kernel->time_scale = capacity_ratio(derivation, kernel, (size_t)bound_by, (size_t)target_index) *
                             (double)kernel->on_target.resident / (double)target->sms /
                             ((double)kernel->modelled.resident / (double)device->sms);
    for (size_t r = 0; r < device->resources; r++) {
        int to = sms__resource_index(target, device->resource[r].name);
        if (to < 0)
            continue;
        demand[to] = kernel->demand[r] * capacity_ratio(derivation, kernel, r, (size_t)to) / kernel->time_scale;
        double overload = demand[to] / max_demand(target, (size_t)to, &kernel->on_target);
        kernel->capacity_scale = overload > kernel->capacity_scale ? overload : kernel->capacity_scale;
    }
    for (size_t r = 0; r < target->resources; r++)
        kernel->demand[r] = demand[r] / kernel->capacity_scale;
    kernel->time_scale *= kernel->capacity_scale;
    double block_s = kernel->block_s * kernel->time_scale;
    return block_s < 1e-12 || block_s > 9e6 ? "its block time is out of range" : NULL;
}
