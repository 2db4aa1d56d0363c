/* How many blocks of a kernel an SM holds. The rules reproduce the block limits,
 * occupancy and waves that Nsight Compute prints for a V100 (docs/explanation/model.md,
 * tests/laws/test_occupancy.c). */
#include "footprint.h"

#include <math.h>

const char *const sms__limit_names[SMS_LIMITS] = {"blocks", "threads", "warps", "registers", "shared memory"};

enum { REGISTER_SCALE = 1 << 20 };

static uint64_t round_up(uint64_t value, uint64_t unit) { return unit ? (value + unit - 1) / unit * unit : value; }

void sms__sm_capacity(const struct sms__sm *sm, uint64_t capacity[SMS_LIMITS])
{
    capacity[SMS_BLOCKS] = sm->blocks;
    capacity[SMS_THREADS] = sm->threads;
    capacity[SMS_WARPS] = sm->warps;
    capacity[SMS_REGISTERS] = sm->registers * REGISTER_SCALE;
    capacity[SMS_SHARED_MEMORY] = sm->shared_memory;
}

/* Registers belong to partitions of the SM, and each partition holds whole warps
 * only. A warp is charged its share of the SM when only such warps are on it, so
 * that a single kernel meets the hardware's limit exactly. When kernels of different
 * sizes share an SM, fewer blocks may fit than the partitions would hold, because
 * each warp is charged for what warps of its own kind leave unused. */
static uint64_t registers_of_warp(const struct sms__sm *sm, uint64_t per_thread)
{
    uint64_t per_warp = round_up(per_thread * sm->warp, sm->register_unit);
    if (per_warp == 0)
        return 0;
    uint64_t warps = sm->register_partitions * (sm->registers / sm->register_partitions / per_warp);
    return warps ? sm->registers * REGISTER_SCALE / warps : UINT64_MAX;
}

const char *sms__block_needs(const struct sms__sm *sm, const struct sms__kernel *kernel, uint64_t needs[SMS_LIMITS])
{
    uint64_t warps = round_up(kernel->threads, sm->warp) / sm->warp;
    if (kernel->threads > sm->threads_per_block)
        return "a block has more threads than the device allows in one";
    if (kernel->registers > sm->registers_per_thread)
        return "a thread has more registers than the device allows";
    if (kernel->shared_memory > sm->shared_memory_per_block)
        return "a block has more shared memory than the device allows in one";
    uint64_t per_warp = registers_of_warp(sm, kernel->registers);
    if (per_warp == UINT64_MAX)
        return "a warp has more registers than a partition of the SM";
    needs[SMS_BLOCKS] = 1;
    needs[SMS_THREADS] = warps * sm->warp;
    needs[SMS_WARPS] = warps;
    needs[SMS_REGISTERS] = warps * per_warp;
    needs[SMS_SHARED_MEMORY] = round_up(kernel->shared_memory + sm->shared_memory_reserved, sm->shared_memory_unit);
    uint64_t capacity[SMS_LIMITS];
    sms__sm_capacity(sm, capacity);
    if (needs[SMS_WARPS] > capacity[SMS_WARPS] || needs[SMS_THREADS] > capacity[SMS_THREADS])
        return "a block has more threads than an SM";
    if (needs[SMS_REGISTERS] > capacity[SMS_REGISTERS])
        return "a block needs more registers than an SM has";
    if (needs[SMS_SHARED_MEMORY] > capacity[SMS_SHARED_MEMORY])
        return "a block needs more shared memory than an SM has";
    return NULL;
}

size_t sms__blocks_per_sm(const uint64_t capacity[SMS_LIMITS], const uint64_t needs[SMS_LIMITS], enum sms_limit *binds)
{
    uint64_t least = UINT64_MAX;
    for (int l = 0; l < SMS_LIMITS; l++) {
        uint64_t blocks = needs[l] ? capacity[l] / needs[l] : UINT64_MAX;
        if (blocks >= least)
            continue;
        least = blocks;
        *binds = (enum sms_limit)l;
    }
    return (size_t)least;
}

double sms_share_after(const struct sms_device_view *device, const struct sms_sm_view *sm,
                       const struct sms_block_request *block)
{
    double share = 0;
    if (!device || !sm || !block)
        return NAN;
    for (int l = 0; l < SMS_LIMITS; l++) {
        double after = (double)(sm->used[l] + block->needs[l]);
        if (device->capacity[l] && after / (double)device->capacity[l] > share)
            share = after / (double)device->capacity[l];
    }
    for (size_t r = 0; r < device->resources; r++) {
        double after = device->resource[r].hard ? (sm->usage[r] + block->adds[r]) / SMS_FULL : 0;
        share = after > share ? after : share;
    }
    return share;
}

double sms_room(const struct sms_device_view *device, const struct sms_sm_view *sm,
                const struct sms_block_request *block)
{
    uint64_t left[SMS_LIMITS];
    enum sms_limit binds;
    if (!device || !sm || !block)
        return 0;
    for (int l = 0; l < SMS_LIMITS; l++)
        left[l] = device->capacity[l] - sm->used[l];
    return (double)sms__blocks_per_sm(left, block->needs, &binds);
}
