/* Scales kernels from the device on which they were measured to another one. */
#include "retarget.h"

#include "footprint.h"
#include "sheet.h"

#include <math.h>
#include <string.h>

const char *const sms__bound_names[SMS__BOUNDS] = {"compute", "memory", "latency"};

static bool is_same_resource(const struct sms__resource *a, const struct sms__resource *b)
{
    return a->scope == b->scope && a->cls == b->cls && a->capacity == b->capacity && a->lanes == b->lanes &&
           a->bandwidth == b->bandwidth;
}

bool sms__runs_as_profiled(const struct sms__device *device, const char *profiled)
{
    if (!strcmp(device->name, profiled))
        return true;
    const struct sms__device *whole = sms__whole_device(device), *base = whole->about.base;
    bool same = base && !strcmp(base->name, profiled) && whole->sms == base->sms && whole->clock_hz == base->clock_hz &&
                !memcmp(&whole->sm, &base->sm, sizeof base->sm);
    for (size_t r = 0; same && r < base->resources; r++) {
        const int own = sms__resource_index(whole, base->resource[r].name);
        same = own >= 0 && is_same_resource(&whole->resource[own], &base->resource[r]);
    }
    return same;
}

const char *sms__retarget_place(const struct sms__device *device, const struct sms__kernel *kernel,
                                struct sms__placed *placed)
{
    uint64_t needs[SMS_LIMITS], capacity[SMS_LIMITS];
    enum sms_limit binds;
    *placed = (struct sms__placed){device, device->clock_hz, sms__compute_clock(device), 1, device->sms};
    if (kernel->whole)
        return NULL;
    const char *problem = sms__block_needs(&device->sm, kernel, needs);
    if (problem)
        return problem;
    sms__sm_capacity(&device->sm, capacity);
    uint64_t slots = sms__blocks_per_sm(capacity, needs, &binds) * device->sms;
    if (slots == 0)
        return "not even one block fits on an SM";
    placed->resident = kernel->blocks < slots ? kernel->blocks : slots;
    placed->length = ceil((double)kernel->blocks / (double)slots);
    return NULL;
}

/* What an SM has of a resource: results or bytes per second, of device scope its part; 0: not known. DRAM has a clock
 * of its own; caches run with the SMs. */
static double capacity_of_sm(const struct sms__placed *on, size_t r)
{
    const struct sms__resource *resource = &on->device->resource[r];
    double parts = resource->scope == SMS_SCOPE_DEVICE ? (double)on->device->sms : 1;
    if (resource->lanes > 0)
        return resource->lanes * on->clock_hz;
    double clock = strcmp(resource->name, "dram") ? on->clock_hz / on->device->clock_hz : 1;
    return resource->bandwidth / parts * clock;
}

/* Capacity of an SM of `from` over that of an SM of `to`; 1 where a device file gives none. */
static double capacity_ratio(const struct sms__placed *from, size_t r, const struct sms__placed *to, size_t to_r)
{
    double here = capacity_of_sm(from, r), there = capacity_of_sm(to, to_r);
    return here > 0 && there > 0 ? here / there : 1;
}

/* Blocks that the fullest SM runs in all. */
static double on_fullest(const struct sms__placed *on, uint64_t blocks)
{
    return ceil((double)blocks / (double)on->device->sms);
}

/* By how much a resource is slower than at its peak while it is full: compute by the clock of the SMs then, DRAM by
 * the share of the bandwidth that kernels get. */
static double slowdown_when_full(const struct sms__placed *on, size_t r)
{
    const struct sms__resource *resource = &on->device->resource[r];
    return resource->cls == SMS_COMPUTE ? on->clock_hz / on->compute_hz : 1 / sms__reached(resource);
}

static void add_resource(const struct sms__placed *from, const struct sms__placed *to, size_t r, size_t to_r,
                         uint64_t blocks, double use, double busy[2])
{
    double sms = (double)from->device->sms, there = (double)to->device->sms, ratio = sms / there, crowd = 1;
    bool device_scope = from->device->resource[r].scope == SMS_SCOPE_DEVICE;
    if (blocks && !device_scope) {
        crowd = on_fullest(from, blocks) * sms / (double)blocks;
        ratio = on_fullest(to, blocks) / on_fullest(from, blocks);
    }
    busy[0] = fmin(1, use * crowd * slowdown_when_full(from, r));
    busy[1] = busy[0] * ratio * capacity_ratio(from, r, to, to_r) * slowdown_when_full(to, to_r) /
              slowdown_when_full(from, r);
}

struct sms__retargeted sms__retarget(const struct sms__placed *from, const struct sms__placed *to, uint64_t blocks,
                                     const double *use)
{
    struct sms__retargeted out = {.ratio = {1, 1, 1}};
    double there[2] = {0, 0};
    for (size_t r = 0; r < from->device->resources; r++) {
        int to_r = sms__resource_index(to->device, from->device->resource[r].name), cls = from->device->resource[r].cls;
        double busy[2];
        if (to_r < 0)
            continue;
        add_resource(from, to, r, (size_t)to_r, blocks, use[r], busy);
        out.share[cls] = fmax(out.share[cls], busy[0]);
        there[cls] = fmax(there[cls], busy[1]);
    }
    double sum = out.share[0] + out.share[1], scale = sum > 1 ? 1 / sum : 1;
    for (int c = 0; c < 2; c++) {
        out.ratio[c] = out.share[c] > 0 ? there[c] / out.share[c] : 1;
        out.share[c] *= scale;
    }
    out.share[SMS__BOUND_LATENCY] = fmax(0, 1 - out.share[0] - out.share[1]);
    out.ratio[SMS__BOUND_LATENCY] = from->clock_hz / to->clock_hz * (to->length / from->length);
    for (int c = 0; c < SMS__BOUNDS; c++) {
        out.time += out.share[c] * out.ratio[c];
        out.bound = out.share[c] > out.share[out.bound] ? (enum sms__bound)c : out.bound;
    }
    out.block_time = out.time * from->length / to->length;
    return out;
}

double sms__retarget_demand(const struct sms__placed *from, const struct sms__placed *to, size_t r, size_t to_r,
                            double demand, double block_time)
{
    uint64_t sms = to->device->sms, on_fullest_sm = (to->resident + sms - 1) / sms;
    double limit = 1 / (double)on_fullest_sm;
    if (to->device->resource[to_r].scope == SMS_SCOPE_DEVICE)
        limit = (double)sms / (double)to->resident;
    limit = limit < SMS__DEMAND_MAX ? limit : SMS__DEMAND_MAX;
    return fmin(limit, demand * capacity_ratio(from, r, to, to_r) / block_time);
}

/* Of kernels of PyTorch of at least 34 us, from each of seven GPUs to each other one, which was held back
 * (results/measured/multi-2024-neusight-unseen-gpu). tests/import/interval.py computes them anew. */
static const double factors[SMS__BOUNDS] = {1.32, 1.3, 1.82};

double sms__retarget_factor(enum sms__bound bound) { return factors[bound]; }
