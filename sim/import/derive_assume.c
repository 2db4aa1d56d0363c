/* Geometry and time of kernels of which a profile has metrics alone (nvprof --metrics without a trace), or time of
 * those without (ncu --metrics): what the metrics tell of them, and nominal values for the rest. Each is said in the
 * document. */
#include "derive_inside.h"

#include <math.h>

enum { NOMINAL_WARPS = 8, NOMINAL_REGISTERS = 32, WARP = 32 };

static const double NOMINAL_S = 100e-6, SECONDS_MAX = 1e6, BLOCKS_MAX = 1e12;

/* An achieved occupancy this near below a number of blocks is of that number. */
static const double BLOCKS_NEAR = 0.05;

struct assuming {
    struct sms__derivation *derivation;
    struct sms__derived *kernel;
    const struct sms__means *means;
    double occupancy, cycles; /* NAN */
    bool counted;             /* the cycles were */
};

static bool get(const struct assuming *assuming, const char *name, enum sms__reading reading, double *value)
{
    return sms__means_get(assuming->means, name, reading, value) && *value > 0;
}

static void say(const struct assuming *assuming, const char *text)
{
    struct sms__derived *kernel = assuming->kernel;
    if (kernel->assumptions < SMS__ASSUMED_MAX)
        kernel->assumed[kernel->assumptions++] = text;
}

/* Bytes moved over the rate at which they were; nvprof measures both in the same passes. */
static double time_of_bytes(const struct assuming *assuming, const char **from)
{
    static const struct {
        const char *count, *rate;
        double bytes;
    } pairs[] = {
        {"dram__bytes.sum", "dram__bytes.sum.per_second", 1},

        {"dram_read_transactions", "dram_read_throughput", 32},   {"dram_read_bytes", "dram_read_throughput", 1},
        {"dram_write_transactions", "dram_write_throughput", 32}, {"dram_write_bytes", "dram_write_throughput", 1},
        {"l2_read_transactions", "l2_read_throughput", 32},       {"l2_write_transactions", "l2_write_throughput", 32}};
    double count, rate;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!get(assuming, pairs[i].count, SMS__AS_COUNT, &count) || !get(assuming, pairs[i].rate, SMS__AS_RATE, &rate))
            continue;
        *from =
            sms__print(assuming->derivation->arena, "%s x %.0f B / %s", pairs[i].count, pairs[i].bytes, pairs[i].rate);
        return count * pairs[i].bytes / rate;
    }
    return NAN;
}

static bool is_time(double seconds) { return seconds >= 1e-9 && seconds <= SECONDS_MAX; }

static double assume_time(const struct assuming *assuming)
{
    const struct sms__device *device = assuming->derivation->device;
    struct sms__arena *arena = assuming->derivation->arena;
    const char *bytes;
    double seconds = assuming->cycles / device->clock_hz;
    if (is_time(seconds)) {
        const char *from =
            sms__print(arena, "inst_executed / (ipc x %llu SMs x sm_efficiency)", (unsigned long long)device->sms);
        say(assuming, sms__print(arena, "time %.3f us: %.0f cycles (%s) at the device's %.0f MHz", seconds * 1e6,
                                 assuming->cycles, assuming->counted ? "counted" : from, device->clock_hz / 1e6));
        return seconds;
    }
    seconds = time_of_bytes(assuming, &bytes);
    if (is_time(seconds)) {
        say(assuming, sms__print(arena, "time %.3f us: %s", seconds * 1e6, bytes));
        return seconds;
    }
    say(assuming, sms__print(arena, "time %.0f us: no metric tells; nominal", NOMINAL_S * 1e6));
    return NOMINAL_S;
}

/* Warps of the whole launch, or NAN. */
static double count_warps(const struct assuming *assuming, const char **from)
{
    double executed, each, warps;
    *from = "unique_warps_launched";
    if (get(assuming, *from, SMS__AS_COUNT, &warps))
        return warps;
    *from = "warps_launched";
    if (get(assuming, *from, SMS__AS_COUNT, &warps))
        return warps;
    *from = "inst_executed / inst_per_warp";
    bool told = get(assuming, "inst_executed", SMS__AS_COUNT, &executed) &&
                get(assuming, "inst_per_warp", SMS__AS_COUNT, &each);
    return told ? executed / each : NAN;
}

/* Blocks of 8 warps; of fewer where an SM held fewer warps on average, or the launch has no more. */
static void assume_threads(const struct assuming *assuming, double warps)
{
    const struct sms__sm *sm = &assuming->derivation->device->sm;
    double most = NOMINAL_WARPS, resident = assuming->occupancy * (double)sm->warps;
    double each = isfinite(resident) && resident < most ? ceil(resident - BLOCKS_NEAR) : most;
    each = warps < each ? ceil(warps) : each;
    each = each < 1 ? 1 : each;
    assuming->kernel->shape.threads = WARP * (uint64_t)each;
    say(assuming, sms__print(assuming->derivation->arena, "%.0f threads a block%s", each * WARP,
                             each < most ? ": so few warps were on an SM, or in all" : ""));
}

static size_t blocks_per_sm(const struct assuming *assuming)
{
    struct sms__lie lie = {0};
    struct sms__kernel one = assuming->kernel->shape;
    one.blocks = 1;
    const char *why = sms__derive_lie(assuming->derivation, assuming->derivation->device, &one, 0, &lie);
    return why ? 0 : lie.per_sm;
}

/* Registers, else shared memory, with which an SM holds `wanted` blocks; false if neither does. */
static bool limit_blocks(const struct assuming *assuming, size_t wanted)
{
    const struct sms__sm *sm = &assuming->derivation->device->sm;
    struct sms__kernel *shape = &assuming->kernel->shape;
    for (shape->registers = NOMINAL_REGISTERS; shape->registers <= sm->registers_per_thread; shape->registers++)
        if (blocks_per_sm(assuming) == wanted)
            return true;
    uint64_t part = sm->shared_memory / wanted / sm->shared_memory_unit * sm->shared_memory_unit;
    shape->registers = NOMINAL_REGISTERS;
    shape->shared_memory = part > sm->shared_memory_reserved ? part - sm->shared_memory_reserved : 0;
    if (blocks_per_sm(assuming) == wanted)
        return true;
    shape->shared_memory = 0;
    return false;
}

/* As few blocks on an SM as can have had the achieved occupancy. */
static void assume_residency(const struct assuming *assuming)
{
    const struct sms__sm *sm = &assuming->derivation->device->sm;
    struct sms__arena *arena = assuming->derivation->arena;
    struct sms__kernel *shape = &assuming->kernel->shape;
    shape->registers = NOMINAL_REGISTERS;
    if (isnan(assuming->occupancy)) {
        say(assuming, sms__print(arena, "%d registers a thread, no shared memory: no metric of occupancy; nominal",
                                 NOMINAL_REGISTERS));
        return;
    }
    double wanted = ceil(assuming->occupancy * (double)sm->warps * WARP / (double)shape->threads - BLOCKS_NEAR);
    bool right = limit_blocks(assuming, wanted > 1 ? (size_t)wanted : 1);
    say(assuming, sms__print(arena,
                             "%llu registers a thread, %llu B of shared memory: %s an SM holds %zu blocks "
                             "(achieved occupancy %.2f %%)",
                             (unsigned long long)shape->registers, (unsigned long long)shape->shared_memory,
                             right ? "so" : "nominal;", blocks_per_sm(assuming), 100 * assuming->occupancy));
}

static void assume_blocks(const struct assuming *assuming, double warps, const char *from)
{
    struct sms__arena *arena = assuming->derivation->arena;
    struct sms__kernel *shape = &assuming->kernel->shape;
    double each = (double)shape->threads / WARP, blocks = ceil(floor(warps + 0.5) / each);
    if (blocks >= 1 && blocks <= BLOCKS_MAX) {
        shape->blocks = (uint64_t)blocks;
        say(assuming, sms__print(arena, "%.0f blocks: %.0f warps (%s)", blocks, warps, from));
        return;
    }
    size_t wave = blocks_per_sm(assuming) * assuming->derivation->device->sms;
    shape->blocks = wave ? wave : 1;
    say(assuming, sms__print(arena, "%llu blocks: no metric of warps; one full wave, nominal",
                             (unsigned long long)shape->blocks));
}

void sms__derive_assume(struct sms__derivation *derivation, struct sms__derived *kernel, const struct sms__means *means)
{
    struct sms__derived told = {.means = means};
    struct assuming assuming = {.derivation = derivation, .kernel = kernel, .means = means};
    const char *from;
    sms__derive_told(&told);
    if (isnan(told.activity))
        told.activity = 1;
    assuming.occupancy = told.occupancy;
    assuming.cycles = sms__derive_cycles(&told, derivation->device);
    assuming.counted = !isnan(sms__derive_elapsed(&told, derivation->device));
    double warps = count_warps(&assuming, &from), seconds = assume_time(&assuming);
    assume_threads(&assuming, warps);
    assume_residency(&assuming);
    assume_blocks(&assuming, warps, from);
    kernel->geometry_assumed = true;
    kernel->grid[0] = kernel->shape.blocks;
    kernel->block[0] = kernel->shape.threads;
    kernel->sum_s = seconds * (double)kernel->launches;
    kernel->min_s = kernel->max_s = seconds;
}

double sms__derive_assume_time(struct sms__derivation *derivation, struct sms__derived *kernel,
                               const struct sms__means *means)
{
    struct assuming assuming = {.derivation = derivation, .kernel = kernel, .means = means, .cycles = NAN};
    return assume_time(&assuming);
}

bool sms__derive_assume_whole(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    bool clamped = false;
    uint64_t sms = derivation->device->sms, slots = sms * kernel->lie.per_sm, blocks = kernel->shape.blocks;
    uint64_t unit = blocks < slots ? sms : slots, whole = (blocks + unit / 2) / unit * unit;
    if (!kernel->geometry_assumed)
        return false;
    for (size_t r = 0; r < derivation->device->resources; r++)
        clamped |= kernel->clamped[r];
    if (!clamped || (whole == blocks && !kernel->shaped))
        return false;
    kernel->shape.blocks = kernel->grid[0] = whole ? whole : unit;
    kernel->jitter = 0;
    kernel->shaped = false;
    kernel->occupancy_unmet = true;
    kernel->assumed[kernel->assumptions - 1] =
        sms__print(derivation->arena, "%s; %llu of them, in whole waves, leave room for the use measured",
                   kernel->assumed[kernel->assumptions - 1], (unsigned long long)kernel->shape.blocks);
    return true;
}
