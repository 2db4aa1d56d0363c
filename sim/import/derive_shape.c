/* How a kernel lies on a device when it is alone there, and so what its blocks must take for it to take the time
 * that was measured. Dispatch is as in the simulator: a slot is filled as soon as it is free. */
#include "derive_inside.h"

#include "../base/rng.h"
#include "../model/fit.h"

#include <math.h>
#include <string.h>

/* Near enough to the measured occupancy; jitter to come nearer is tried up to so many waves and blocks. */
static const double NEAR = 0.025, STEP = 0.025, JITTER_MAX = 0.5;

enum { WAVES_TRIED = 16, BLOCKS_TRIED = 1 << 15, BLOCKS_DRAWN = 1 << 20, DRAWS = 16384, SEED = 1 };

/* Profiles of thousands of kernels take seconds, not minutes: the jitter of those beyond is not fitted. */
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

static void sink(struct sms__slot *slot, size_t count, size_t at)
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

/* One launch with random block times of mean 1. */
static void launch_once(struct sms__derivation *derivation, uint64_t blocks, const struct sms__lie *lie, uint64_t sms,
                        double jitter, gsl_rng *stream, struct sums *sums)
{
    struct sms__slot *slot = derivation->slot;
    double longest = 0;
    memset(derivation->last, 0, sms * sizeof *derivation->last);
    for (uint64_t i = 0; i < lie->resident; i++) {
        slot[i] = (struct sms__slot){sms__uniform_about_one(stream, jitter), i % sms};
        sums->work += slot[i].end;
    }
    for (size_t i = lie->resident; i-- > 0;)
        sink(slot, lie->resident, i);
    for (uint64_t i = lie->resident; i < blocks; i++) {
        double work = sms__uniform_about_one(stream, jitter);
        slot[0].end += work;
        sums->work += work;
        sink(slot, lie->resident, 0);
    }
    for (size_t i = 0; i < lie->resident; i++) {
        double *last = &derivation->last[slot[i].sm];
        *last = slot[i].end > *last ? slot[i].end : *last;
        longest = slot[i].end > longest ? slot[i].end : longest;
    }
    for (uint64_t s = 0; s < sms; s++)
        sums->active += derivation->last[s];
    sums->length += longest;
}

static void draw(struct sms__derivation *derivation, uint64_t blocks, uint64_t sms, double jitter, struct sms__lie *lie,
                 double share)
{
    struct sums sums = {0, 0, 0};
    uint64_t times = DRAWS / blocks + 1;
    derivation->drawn += times * blocks;
    gsl_rng *stream = sms__stream(derivation->arena, SEED, "derive", 0);
    for (uint64_t i = 0; i < times; i++)
        launch_once(derivation, blocks, lie, sms, jitter, stream, &sums);
    lie->length = sums.length / (double)times;
    lie->average = sums.work / ((double)sms * sums.length);
    lie->activity = sums.active / ((double)sms * sums.length);
    lie->occupancy = sums.work / sums.active * share;
}

/* Rounds of equal blocks, the last of which may be partial. */
static void rounds(uint64_t blocks, uint64_t sms, struct sms__lie *lie, double share)
{
    uint64_t slots = lie->per_sm * sms, full = blocks / slots, tail = blocks % slots;
    double active = (double)full + (double)(tail < sms ? tail : sms) / (double)sms;
    lie->length = (double)(full + (tail > 0));
    lie->average = (double)blocks / ((double)sms * lie->length);
    lie->activity = active / lie->length;
    lie->occupancy = lie->average / lie->activity * share;
}

const char *sms__derive_lie(struct sms__derivation *derivation, const struct sms__device *device,
                            const struct sms__kernel *shape, double jitter, struct sms__lie *lie)
{
    uint64_t needs[SMS_LIMITS], capacity[SMS_LIMITS], sms = device->sms;
    const char *why = sms__block_needs(&device->sm, shape, needs);
    if (why)
        return why;
    sms__sm_capacity(&device->sm, capacity);
    lie->per_sm = sms__blocks_per_sm(capacity, needs, &lie->binds);
    if (lie->per_sm == 0)
        return "an SM holds no block of it";
    uint64_t slots = lie->per_sm * sms;
    double share = (double)needs[SMS_WARPS] / (double)capacity[SMS_WARPS];
    lie->resident = shape->blocks < slots ? shape->blocks : slots;
    lie->fullest = (lie->resident + sms - 1) / sms;
    if (jitter > 0 && shape->blocks <= BLOCKS_DRAWN)
        draw(derivation, shape->blocks, sms, jitter, lie, share);
    else
        rounds(shape->blocks, sms, lie, share);
    return NULL;
}

/* Blocks that end at different times leave an SM less full at the end, and fuller when a last wave is partial. */
static void fit_jitter(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    double first = fabs(kernel->lie.occupancy - kernel->occupancy), best = first, chosen = kernel->jitter;
    uint64_t blocks = kernel->shape.blocks, slots = kernel->lie.per_sm * derivation->device->sms;
    if (kernel->occupancy_unmet || !(first > NEAR) || derivation->drawn > DRAWN_MAX || blocks < 2 ||
        blocks > BLOCKS_TRIED || blocks > WAVES_TRIED * slots)
        return;
    for (int i = 1; kernel->jitter + i * STEP <= JITTER_MAX + 1e-9; i++) {
        struct sms__lie lie = {0};
        double jitter = kernel->jitter + i * STEP;
        sms__derive_lie(derivation, derivation->device, &kernel->shape, jitter, &lie);
        double apart = fabs(lie.occupancy - kernel->occupancy);
        chosen = apart < best - 0.002 ? jitter : chosen;
        best = apart < best - 0.002 ? apart : best;
    }
    if (best > first / 2 && best > NEAR)
        return;
    kernel->jitter = floor(chosen * 1000 + 0.5) / 1000;
    kernel->jitter = kernel->jitter < JITTER_MAX ? kernel->jitter : JITTER_MAX;
    kernel->shaped = true;
    sms__derive_lie(derivation, derivation->device, &kernel->shape, kernel->jitter, &kernel->lie);
}

/* The greatest demand at which the fullest SM, or the device, has enough for all blocks of the kernel. */
static double ceiling(const struct sms__device *device, size_t r, const struct sms__lie *lie)
{
    double most = 1 / (double)lie->fullest;
    if (device->resource[r].scope == SMS_SCOPE_DEVICE)
        most = (double)device->sms / (double)lie->resident;
    return most < SMS__DEMAND_MAX ? most : SMS__DEMAND_MAX;
}

const char *sms__derive_shape(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    const struct sms__device *device = derivation->device;
    if (kernel->shape.blocks > BLOCKS_DRAWN)
        kernel->jitter = 0;
    const char *why = sms__derive_lie(derivation, device, &kernel->shape, kernel->jitter, &kernel->lie);
    if (why)
        return why;
    fit_jitter(derivation, kernel);
    kernel->block_s = kernel->time_s / kernel->lie.length;
    if (kernel->block_s < 1e-12)
        return "its blocks take less than a picosecond";
    for (size_t r = 0; r < device->resources; r++) {
        double most = ceiling(device, r, &kernel->lie);
        kernel->demand[r] = kernel->use[r].ratio / kernel->lie.average;
        kernel->clamped[r] = kernel->demand[r] > most * (1 + 1e-9);
        kernel->demand[r] = kernel->clamped[r] ? most : kernel->demand[r];
    }
    kernel->there = kernel->lie;
    kernel->scale = kernel->stretched = 1;
    return NULL;
}

/* What an SM has of a resource here, over what one has there; 1 where a file does not say. */
static double ratio_of(const struct sms__derivation *derivation, const struct sms__derived *kernel, size_t r, size_t to)
{
    const struct sms__device *device = derivation->device, *target = derivation->target;
    double here = sms__derive_capacity(device, r, kernel->clock_hz) / (double)device->sms;
    double there = sms__derive_capacity(target, to, target->clock_hz) / (double)target->sms;
    return here > 0 && there > 0 ? here / there : 1;
}

/* A block does the same work there. Where a resource binds, its time follows the block's share of that; else the
 * clock. Then it is stretched, if need be, until the fullest SM has enough of everything. */
const char *sms__derive_retarget(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    const struct sms__device *target = derivation->target, *device = derivation->device;
    double demand[SMS_RESOURCES_MAX] = {0};
    const char *why = sms__derive_lie(derivation, target, &kernel->shape, kernel->jitter, &kernel->there);
    if (why)
        return why;
    int binds = kernel->bottleneck == SMS__LATENCY_BOUND ? -1 : kernel->top;
    int there = binds < 0 ? -1 : sms__resource_index(target, device->resource[binds].name);
    kernel->scale = kernel->clock_hz / target->clock_hz;
    if (there >= 0)
        kernel->scale = ratio_of(derivation, kernel, (size_t)binds, (size_t)there) * (double)kernel->there.resident /
                        (double)target->sms / ((double)kernel->lie.resident / (double)device->sms);
    for (size_t r = 0; r < device->resources; r++) {
        int to = sms__resource_index(target, device->resource[r].name);
        if (to < 0)
            continue;
        demand[to] = kernel->demand[r] * ratio_of(derivation, kernel, r, (size_t)to) / kernel->scale;
        double over = demand[to] / ceiling(target, (size_t)to, &kernel->there);
        kernel->stretched = over > kernel->stretched ? over : kernel->stretched;
    }
    for (size_t r = 0; r < target->resources; r++)
        kernel->demand[r] = demand[r] / kernel->stretched;
    kernel->scale *= kernel->stretched;
    double block_s = kernel->block_s * kernel->scale;
    return block_s < 1e-12 || block_s > 9e6 ? "its blocks take a time out of range" : NULL;
}
