/* Models how the blocks of a kernel occupy a device when it runs alone. Blocks are dispatched as in the simulator: a
 * free slot is refilled at once. Equal blocks run in waves; with jitter, launches are simulated with random block
 * times. */
#include "derive_internal.h"

#include "../base/rng.h"
#include "../model/footprint.h"

#include <math.h>
#include <string.h>

enum { DRAWS = 16384, SEED = 1 };

struct sms__occupancy_slot {
    double end;
    uint64_t sm;
};

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

void sms__occupancy_begin(struct sms__occupancy_model *model, struct sms__arena *arena, const struct sms__device *a,
                          const struct sms__device *b)
{
    *model = (struct sms__occupancy_model){.arena = arena};
    model->slot = SMS__NEW(arena, struct sms__occupancy_slot, larger(a->sms * a->sm.blocks, b->sms * b->sm.blocks));
    model->last_end = SMS__NEW(arena, double, larger(a->sms, b->sms));
}

static bool is_before(const struct sms__occupancy_slot *a, const struct sms__occupancy_slot *b)
{
    return a->end != b->end ? a->end < b->end : a->sm < b->sm;
}

static void sift_down(struct sms__occupancy_slot *slot, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            least = is_before(&slot[child], &slot[least]) ? child : least;
        if (least == at)
            return;
        struct sms__occupancy_slot moved = slot[at];
        slot[at] = slot[least];
        slot[least] = moved;
        at = least;
    }
}

struct sums {
    double work, length, active;
};

/* What launches are simulated with. */
struct launch {
    uint64_t blocks, slots, sms;
    double jitter, interval;
};

/* Simulates one launch with random block times of mean 1. */
static void launch_once(struct sms__occupancy_model *model, const struct launch *launch, gsl_rng *stream,
                        struct sums *sums)
{
    struct sms__occupancy_slot *slot = model->slot;
    double longest = 0, start = 0;
    memset(model->last_end, 0, launch->sms * sizeof *model->last_end);
    for (uint64_t i = 0; i < launch->slots; i++) {
        double work = sms__uniform_about_one(stream, launch->jitter);
        start = (double)i * launch->interval;
        slot[i] = (struct sms__occupancy_slot){start + work, i % launch->sms};
        sums->work += work;
    }
    for (size_t i = launch->slots; i-- > 0;)
        sift_down(slot, launch->slots, i);
    for (uint64_t i = launch->slots; i < launch->blocks; i++) {
        double work = sms__uniform_about_one(stream, launch->jitter), soonest = start + launch->interval;
        start = slot[0].end > soonest ? slot[0].end : soonest;
        slot[0].end = start + work;
        sums->work += work;
        sift_down(slot, launch->slots, 0);
    }
    for (size_t i = 0; i < launch->slots; i++) {
        double *last = &model->last_end[slot[i].sm];
        *last = slot[i].end > *last ? slot[i].end : *last;
        longest = slot[i].end > longest ? slot[i].end : longest;
    }
    for (uint64_t s = 0; s < launch->sms; s++)
        sums->active += model->last_end[s];
    sums->length += longest;
}

static void simulate_launches(struct sms__occupancy_model *model, const struct launch *launch,
                              struct sms__occupancy *modelled, double share)
{
    struct sums sums = {0, 0, 0};
    uint64_t times = launch->jitter > 0 ? DRAWS / launch->blocks + 1 : 1;
    double sms = (double)launch->sms;
    model->blocks_drawn += times * launch->blocks;
    gsl_rng *stream = sms__stream(model->arena, SEED, "derive", 0);
    for (uint64_t i = 0; i < times; i++)
        launch_once(model, launch, stream, &sums);
    modelled->length = sums.length / (double)times;
    modelled->mean_per_sm = sums.work / (sms * sums.length);
    modelled->activity = sums.active / (sms * sums.length);
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

/* The same with a dispatcher that is so slow that starts take longer than waves, or nearly so. */
static void fill_slowly(const struct launch *launch, struct sms__occupancy *modelled)
{
    double starts = (double)(launch->blocks - 1) * launch->interval + 1;
    if (starts <= modelled->length)
        return;
    modelled->occupancy *= modelled->length / starts;
    modelled->mean_per_sm *= modelled->length / starts;
    modelled->length = starts;
}

/* Blocks that are resident at once, if a block ends before all slots have one. */
static uint64_t most_resident(const struct launch *launch)
{
    double most = launch->interval > 0 ? ceil(1 / launch->interval) : INFINITY;
    return most < (double)launch->slots ? (uint64_t)most : launch->slots;
}

const char *sms__occupancy_of(struct sms__occupancy_model *model, const struct sms__device *device,
                              const struct sms__kernel *shape, double jitter, double interval,
                              struct sms__occupancy *modelled)
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
    struct launch launch = {shape->blocks, shape->blocks < slots ? shape->blocks : slots, sms, jitter, interval};
    modelled->resident = most_resident(&launch);
    modelled->fullest_sm = (modelled->resident + sms - 1) / sms;
    if ((jitter > 0 || interval > 0) && shape->blocks <= SMS__BLOCKS_DRAWN) {
        simulate_launches(model, &launch, modelled, share);
        return NULL;
    }
    fill_waves(shape->blocks, sms, modelled, share);
    fill_slowly(&launch, modelled);
    return NULL;
}
