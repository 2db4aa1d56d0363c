/* Assumes what a profile does not contain: geometry and time of a kernel that has only metrics (nvprof --metrics
 * without a trace), or its time alone (ncu --metrics). A value follows from the metrics if they allow it, and is
 * nominal otherwise. The document states each assumption. */
#include "derive_internal.h"

#include <math.h>

enum { NOMINAL_WARPS = 8, NOMINAL_REGISTERS = 32 };

static const double NOMINAL_S = 100e-6, SECONDS_MAX = 1e6, BLOCKS_MAX = 1e12;

/* If the achieved occupancy exceeds a number of blocks by no more than this, it is taken for that number. */
static const double BLOCKS_NEAR = 0.05;

struct assumption {
    struct sms__derivation *derivation;
    struct sms__derived *kernel;
    struct sms__assumptions *assumed;
    const struct sms__metric_means *metrics;
    double occupancy; /* NAN: unknown */
};

/* A positive count, or NAN. */
static double get_count(const struct assumption *assumption, const char *name)
{
    double value = sms__metrics_get(assumption->metrics, name, SMS__AS_COUNT);
    return value > 0 ? value : NAN;
}

static void add_assumption(const struct assumption *assumption, const char *text)
{
    struct sms__assumptions *assumed = assumption->assumed;
    if (assumed->count < SMS__ASSUMED_MAX)
        assumed->text[assumed->count++] = text;
}

double sms__derive_nominal_time(struct sms__assumptions *assumed)
{
    assumed->time = true;
    if (assumed->count < SMS__ASSUMED_MAX)
        assumed->text[assumed->count++] =
            "time 100 us: nominal, as no metric gives it; counts of work say nothing of use";
    return NOMINAL_S;
}

static double assume_time(const struct assumption *assumption)
{
    struct sms__arena *arena = assumption->derivation->arena;
    const char *from;
    double seconds = sms__derive_seconds(arena, assumption->metrics, assumption->derivation->device, &from);
    if (!(seconds >= 1e-9 && seconds <= SECONDS_MAX))
        return sms__derive_nominal_time(assumption->assumed);
    add_assumption(assumption, sms__print(arena, "time %.3f us: %s", seconds * 1e6, from ? from : "measured"));
    return seconds;
}

/* Warps of the whole launch, or NAN. Sets the metrics that gave them. */
static double count_warps(const struct assumption *assumption, const char **from)
{
    *from = "unique_warps_launched";
    double warps = get_count(assumption, *from);
    if (isnan(warps))
        warps = get_count(assumption, *from = "warps_launched");
    if (!isnan(warps))
        return warps;
    *from = "inst_executed / inst_per_warp";
    return get_count(assumption, "inst_executed") / get_count(assumption, "inst_per_warp");
}

/* Sets 8 warps per block, or fewer if an SM held fewer warps on average or the launch has no more. */
static void assume_threads(const struct assumption *assumption, double warps)
{
    const struct sms__sm *sm = &assumption->derivation->device->sm;
    double most = NOMINAL_WARPS, resident = assumption->occupancy * (double)sm->warps;
    double each = isfinite(resident) && resident < most ? ceil(resident - BLOCKS_NEAR) : most;
    each = warps < each ? ceil(warps) : each;
    each = each < 1 ? 1 : each;
    assumption->kernel->shape.threads = sm->warp * (uint64_t)each;
    add_assumption(assumption,
                   sms__print(assumption->derivation->arena, "%.0f threads per block%s", each * (double)sm->warp,
                              each < most ? ": no more warps were on an SM, or in the launch" : ""));
}

static size_t blocks_per_sm(const struct assumption *assumption)
{
    struct sms__occupancy modelled = {0};
    struct sms__kernel one = assumption->kernel->shape;
    one.blocks = 1;
    const char *why =
        sms__occupancy_of(&assumption->derivation->occupancy, assumption->derivation->device, &one, 0, 0, &modelled);
    return why ? 0 : modelled.per_sm;
}

/* Sets the registers, or otherwise the shared memory, that limit an SM to `wanted` blocks. Returns false if neither
 * can. */
static bool limit_blocks(const struct assumption *assumption, size_t wanted)
{
    const struct sms__sm *sm = &assumption->derivation->device->sm;
    struct sms__kernel *shape = &assumption->kernel->shape;
    for (shape->registers = NOMINAL_REGISTERS; shape->registers <= sm->registers_per_thread; shape->registers++)
        if (blocks_per_sm(assumption) == wanted)
            return true;
    uint64_t part = sm->shared_memory / wanted / sm->shared_memory_unit * sm->shared_memory_unit;
    shape->registers = NOMINAL_REGISTERS;
    shape->shared_memory = part > sm->shared_memory_reserved ? part - sm->shared_memory_reserved : 0;
    if (blocks_per_sm(assumption) == wanted)
        return true;
    shape->shared_memory = 0;
    return false;
}

/* Limits an SM to the fewest blocks that can reach the achieved occupancy. */
static void assume_residency(const struct assumption *assumption)
{
    const struct sms__sm *sm = &assumption->derivation->device->sm;
    struct sms__arena *arena = assumption->derivation->arena;
    struct sms__kernel *shape = &assumption->kernel->shape;
    shape->registers = NOMINAL_REGISTERS;
    if (isnan(assumption->occupancy)) {
        add_assumption(
            assumption,
            sms__print(arena, "%d registers per thread, no shared memory: nominal, as no metric gives the occupancy",
                       NOMINAL_REGISTERS));
        return;
    }
    double wanted = ceil(assumption->occupancy * (double)(sm->warps * sm->warp) / (double)shape->threads - BLOCKS_NEAR);
    bool reached = limit_blocks(assumption, wanted > 1 ? (size_t)wanted : 1);
    add_assumption(assumption,
                   sms__print(arena,
                              "%llu registers per thread, %llu B of shared memory: %s an SM holds %zu blocks "
                              "(achieved occupancy %.2f %%)",
                              (unsigned long long)shape->registers, (unsigned long long)shape->shared_memory,
                              reached ? "chosen so that" : "nominal;", blocks_per_sm(assumption),
                              100 * assumption->occupancy));
}

static void assume_blocks(const struct assumption *assumption, double warps, const char *from)
{
    struct sms__arena *arena = assumption->derivation->arena;
    struct sms__kernel *shape = &assumption->kernel->shape;
    double each = (double)shape->threads / (double)assumption->derivation->device->sm.warp,
           blocks = ceil(floor(warps + 0.5) / each);
    if (blocks >= 1 && blocks <= BLOCKS_MAX) {
        shape->blocks = (uint64_t)blocks;
        add_assumption(assumption, sms__print(arena, "%.0f blocks: %.0f warps (%s)", blocks, warps, from));
        return;
    }
    size_t wave = blocks_per_sm(assumption) * assumption->derivation->device->sms;
    shape->blocks = wave ? wave : 1;
    add_assumption(assumption, sms__print(arena, "%llu blocks: nominal, one full wave, as no metric gives the warps",
                                          (unsigned long long)shape->blocks));
}

void sms__derive_assume(struct sms__derivation *derivation, struct sms__derived *kernel,
                        const struct sms__metric_means *metrics)
{
    struct sms__measured measured = {.metrics = metrics};
    struct assumption assumption = {
        .derivation = derivation, .kernel = kernel, .assumed = &kernel->assumed, .metrics = metrics};
    const char *from;
    sms__derive_measured(&measured, derivation->device);
    assumption.occupancy = measured.occupancy;
    double warps = count_warps(&assumption, &from), seconds = assume_time(&assumption);
    assume_threads(&assumption, warps);
    assume_residency(&assumption);
    assume_blocks(&assumption, warps, from);
    kernel->assumed.geometry = true;
    kernel->grid[0] = kernel->shape.blocks;
    kernel->block[0] = kernel->shape.threads;
    kernel->time.sum_s = seconds * (double)kernel->launches;
    kernel->time.min_s = kernel->time.max_s = seconds;
}

bool sms__derive_round_waves(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    bool clamped = false;
    uint64_t sms = derivation->device->sms, slots = sms * kernel->fit.modelled.per_sm, blocks = kernel->shape.blocks;
    uint64_t unit = blocks < slots ? sms : slots, rounded = (blocks + unit / 2) / unit * unit;
    if (!kernel->assumed.geometry)
        return false;
    for (size_t r = 0; r < derivation->device->resources; r++)
        clamped |= kernel->fit.clamped[r];
    if (!clamped || (rounded == blocks && !kernel->fit.jitter_fitted))
        return false;
    kernel->shape.blocks = kernel->grid[0] = rounded ? rounded : unit;
    kernel->fit.jitter = 0;
    kernel->fit.jitter_fitted = false;
    kernel->fit.skip_jitter_fit = true;
    kernel->assumed.text[kernel->assumed.count - 1] =
        sms__print(derivation->arena, "%s; rounded to whole waves, %llu blocks, to leave room for the measured usage",
                   kernel->assumed.text[kernel->assumed.count - 1], (unsigned long long)kernel->shape.blocks);
    return true;
}
