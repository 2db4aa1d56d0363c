/* Usage of each resource, from the first of the sources below that the profile has. Counts come before rates:
 * collecting metrics slows a program down, and a count does not depend on how long the program took. */
#include "derive_internal.h"

#include <math.h>
#include <string.h>

enum { NAMES = 4 };

enum method {
    PIPE,   /* % of peak over elapsed cycles; or over active cycles, times activity */
    ACTIVE, /* % of peak while an SM is active */
    BYTES,  /* a count of items of `unit` bytes */
    LANES,  /* thread-level operations; idle lanes of a warp are busy too */
    SLOTS,  /* one issue slot per warp instruction */
    IPC,    /* warp instructions per active cycle */
    RATE,   /* bytes per second */
    LEVEL,  /* a level of nvprof, 0 to 10 */
    FP32,   /* instruction counts of nvprof, which overlap each other */
    FP64,
    SFU
};

struct source {
    const char *resource;
    enum method method;
    double unit; /* bytes of a transaction */
    bool approximate;
    const char *name[NAMES]; /* metrics that are added up */
};

#define SASS(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define L1(op) "l1tex__t_sectors_pipe_lsu_mem_global_op_" op ".sum"

static const struct source sources[] = {
    {"fp32", FP32, 1, false, {"inst_fp_32"}},
    {"fp32", LANES, 1, true, {"flop_count_sp_add", "flop_count_sp_mul", "flop_count_sp_fma"}},
    {"fp32", PIPE, 1, false, {"sm__inst_executed_pipe_fma"}},
    {"fp32", PIPE, 1, false, {"sm__pipe_fma_cycles_active"}},
    {"fp32", LANES, 1, false, {SASS("fadd"), SASS("fmul"), SASS("ffma")}},
    {"fp32", ACTIVE, 1, true, {"flop_sp_efficiency"}},
    {"fp32", LEVEL, 1, true, {"single_precision_fu_utilization"}},
    {"fp64", FP64, 1, false, {"inst_fp_64"}},
    {"fp64", LANES, 1, true, {"flop_count_dp_add", "flop_count_dp_mul", "flop_count_dp_fma"}},
    {"fp64", PIPE, 1, false, {"sm__inst_executed_pipe_fp64"}},
    {"fp64", PIPE, 1, false, {"sm__pipe_fp64_cycles_active"}},
    {"fp64", LANES, 1, false, {SASS("dadd"), SASS("dmul"), SASS("dfma")}},
    {"fp64", LEVEL, 1, false, {"double_precision_fu_utilization"}},
    {"int", LANES, 1, false, {"inst_integer"}},
    {"int", PIPE, 1, false, {"sm__inst_executed_pipe_alu"}},
    {"int", PIPE, 1, false, {"sm__pipe_alu_cycles_active"}},
    {"sfu", SFU, 1, false, {"flop_count_sp_special"}},
    {"sfu", PIPE, 1, false, {"sm__inst_executed_pipe_xu"}},
    {"sfu", PIPE, 1, false, {"sm__pipe_xu_cycles_active"}},
    {"sfu", LEVEL, 1, false, {"special_fu_utilization"}},
    {"tensor", PIPE, 1, false, {"sm__inst_executed_pipe_tensor"}},
    {"tensor", PIPE, 1, false, {"sm__pipe_tensor_cycles_active"}},
    {"tensor", PIPE, 1, false, {"sm__inst_executed_pipe_tc"}},
    {"tensor", PIPE, 1, false, {"sm__pipe_tensor_op_hmma_cycles_active"}},
    {"tensor", LEVEL, 1, false, {"tensor_precision_fu_utilization"}},
    {"issue", SLOTS, 1, false, {"issue_slots"}},
    {"issue", SLOTS, 1, true, {"inst_issued"}},
    {"issue", PIPE, 1, false, {"sm__inst_issued"}},
    {"issue", PIPE, 1, false, {"sm__issue_active"}},
    {"issue", PIPE, 1, false, {"sm__inst_executed"}},
    {"issue", ACTIVE, 1, false, {"Issue Slots Busy"}},
    {"issue", ACTIVE, 1, false, {"issue_slot_utilization"}},
    {"issue", IPC, 1, true, {"issued_ipc"}},
    {"issue", IPC, 1, true, {"executed_ipc"}},
    {"issue", IPC, 1, true, {"ipc"}},
    {"issue", IPC, 1, true, {"Executed Ipc Active"}},
    {"issue", PIPE, 1, true, {"sm__throughput"}},
    {"issue", PIPE, 1, true, {"SM [%]"}},
    {"issue", PIPE, 1, true, {"Compute (SM) Throughput"}},
    {"issue", PIPE, 1, true, {"Compute (SM) [%]"}},
    {"issue", PIPE, 1, true, {"SOL SM"}},
    {"l1", BYTES, 32, false, {"tex_cache_transactions"}},
    {"l1", PIPE, 1, false, {"l1tex__throughput"}},
    {"l1", ACTIVE, 1, false, {"SOL TEX"}},
    {"l1", ACTIVE, 1, false, {"SOL L1/TEX Cache"}},
    {"l1", ACTIVE, 1, false, {"L1/TEX Cache Throughput"}},
    {"l1", BYTES, 1, false, {"l1tex__t_bytes.sum"}},
    {"l1", BYTES, 32, true, {L1("ld"), L1("st")}},
    {"l1", BYTES, 32, true, {"gld_transactions", "gst_transactions"}},
    {"l1", LEVEL, 1, false, {"tex_utilization"}},
    {"l1", RATE, 1, true, {"gld_throughput", "gst_throughput"}},
    {"l1", RATE, 1, true, {"gld_throughput"}},
    {"shared", BYTES, 128, false, {"shared_load_transactions", "shared_store_transactions"}},
    {"shared", BYTES, 128, false, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}},
    {"shared", PIPE, 1, false, {"l1tex__data_pipe_lsu_wavefronts_mem_shared"}},
    {"shared", LEVEL, 1, false, {"shared_utilization"}},
    {"l2", BYTES, 32, false, {"l2_read_transactions", "l2_write_transactions"}},
    {"l2", PIPE, 1, false, {"lts__throughput"}},
    {"l2", PIPE, 1, false, {"SOL L2"}},
    {"l2", PIPE, 1, false, {"SOL L2 Cache"}},
    {"l2", PIPE, 1, false, {"L2 Cache Throughput"}},
    {"l2", BYTES, 1, false, {"lts__t_bytes.sum"}},
    {"l2", BYTES, 32, false, {"lts__t_sectors.sum"}},
    {"l2", RATE, 1, true, {"l2_read_throughput", "l2_write_throughput"}},
    {"l2", LEVEL, 1, false, {"l2_utilization"}},
    {"dram", BYTES, 32, false, {"dram_read_transactions", "dram_write_transactions"}},
    {"dram", BYTES, 1, false, {"dram_read_bytes", "dram_write_bytes"}},
    {"dram", PIPE, 1, false, {"dram__throughput"}},
    {"dram", PIPE, 1, false, {"gpu__dram_throughput"}},
    {"dram", PIPE, 1, false, {"SOL FB"}},
    {"dram", PIPE, 1, false, {"SOL DRAM"}},
    {"dram", PIPE, 1, false, {"DRAM Throughput"}},
    {"dram", BYTES, 1, false, {"dram__bytes.sum"}},
    {"dram", BYTES, 1, false, {"dram__bytes_read.sum", "dram__bytes_write.sum"}},
    {"dram", BYTES, 1, false, {"dram__bytes_op_read.sum", "dram__bytes_op_write.sum"}},
    {"dram", BYTES, 32, false, {"dram__sectors_read.sum", "dram__sectors_write.sum"}},
    {"dram", RATE, 1, false, {"Memory Throughput"}},
    {"dram", RATE, 1, true, {"dram__bytes.sum.per_second"}},
    {"dram", RATE, 1, true, {"dram_read_throughput", "dram_write_throughput"}},
    {"dram", LEVEL, 1, false, {"dram_utilization"}},
    {"dram", PIPE, 1, true, {"gpu__compute_memory_throughput"}},
    {"dram", PIPE, 1, true, {"Memory [%]"}},
    {"dram", PIPE, 1, true, {"Memory Throughput"}},
    {0}};

/* Usage for each level of nvprof: the median usage by counts, over 351 levels of the GTX 1080 Ti set; for level 10 also
 * of a V100, whose Max is at 89 % (docs/profiles.md). */
static const double levels[] = {0, 0.05, 0.15, 0.23, 0.33, 0.44, 0.55, 0.70, 0.73, 0.77, 0.93};

enum { LEVEL_MAX = 10 };

static double level_to_ratio(double value)
{
    double most = LEVEL_MAX;
    value = value < 0 ? 0 : value > most ? most : value;
    size_t below = (size_t)value;
    if ((double)below >= most)
        return levels[below];
    return levels[below] + (value - (double)below) * (levels[below + 1] - levels[below]);
}

double sms__derive_capacity(const struct sms__device *device, size_t r, double clock_hz)
{
    const struct sms__resource *resource = &device->resource[r];
    double sms = (double)device->sms, whole = resource->scope == SMS_SCOPE_DEVICE ? 1 : sms;
    if (resource->lanes > 0)
        return resource->lanes * sms * clock_hz;
    if (!strcmp(resource->name, "dram"))
        return resource->bandwidth * whole;
    return resource->bandwidth * whole * (clock_hz / device->clock_hz);
}

static double get_or(const struct sms__measured *measured, const char *name, enum sms__metric_quantity quantity,
                     double fallback)
{
    double value;
    return sms__metrics_get(measured->metrics, name, quantity, &value) ? value : fallback;
}

/* Lanes taken per active thread: idle threads of a warp take a lane too. */
static double lane_factor(const struct sms__measured *measured)
{
    double efficiency = get_or(measured, "warp_nonpred_execution_efficiency", SMS__AS_RATIO, 1);
    return efficiency > 0.03 && efficiency <= 1 ? 1 / efficiency : 1;
}

/* Conversions run on the fp64 unit in a kernel that uses fp64, otherwise on the special function unit. */
static double conversions(const struct sms__measured *measured, bool uses_fp64_unit)
{
    bool uses = get_or(measured, "inst_fp_64", SMS__AS_COUNT, 0) > 0;
    return uses == uses_fp64_unit ? get_or(measured, "inst_bit_convert", SMS__AS_COUNT, 0) : 0;
}

static bool add_up(const struct sms__measured *measured, const struct source *source,
                   enum sms__metric_quantity quantity, double *sum)
{
    double value;
    *sum = 0;
    for (size_t i = 0; i < NAMES && source->name[i]; i++) {
        if (!sms__metrics_get(measured->metrics, source->name[i], quantity, &value))
            return false;
        *sum += value;
    }
    return true;
}

static bool read_pipe(const struct sms__measured *measured, const char *name, double *ratio)
{
    static const char *const suffixes[] = {"", ".avg.pct_of_peak_sustained_elapsed",
                                           ".sum.pct_of_peak_sustained_elapsed", ".avg.pct_of_peak_sustained_active",
                                           ".sum.pct_of_peak_sustained_active"};
    char name_with_suffix[160];
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
        snprintf(name_with_suffix, sizeof name_with_suffix, "%s%s", name, suffixes[s]);
        if (!sms__metrics_get(measured->metrics, name_with_suffix, SMS__AS_RATIO, ratio))
            continue;
        *ratio *= s >= 3 && isfinite(measured->activity) ? measured->activity : 1;
        return true;
    }
    return false;
}

/* The operations that a unit executes, from nvprof's overlapping counts of instructions. */
static double correct_count(const struct sms__measured *measured, enum method method, double sum)
{
    double special = get_or(measured, "flop_count_sp_special", SMS__AS_COUNT, 0);
    switch (method) {
    case FP32:
        return (sum > special ? sum - special : 0) * lane_factor(measured);
    case FP64:
        return (sum + conversions(measured, true)) * lane_factor(measured);
    case SFU:
        return (sum + conversions(measured, false)) * lane_factor(measured);
    case LANES:
        return sum * lane_factor(measured);
    default:
        return sum;
    }
}

static bool read_count(const struct sms__measured *measured, const struct source *source, double capacity,
                       double *ratio)
{
    double sum;
    if (capacity <= 0 || !(measured->time_s > 0) || !add_up(measured, source, SMS__AS_COUNT, &sum))
        return false;
    *ratio = correct_count(measured, source->method, sum) * source->unit / (measured->time_s * capacity);
    return true;
}

static bool read_source(const struct sms__device *device, size_t r, const struct sms__measured *measured,
                        const struct source *source, double *ratio)
{
    double capacity = sms__derive_capacity(device, r, measured->clock_hz), sum;
    double active = isfinite(measured->activity) ? measured->activity : 1;
    bool per_sm = device->resource[r].scope == SMS_SCOPE_SM;
    switch (source->method) {
    case PIPE:
        return read_pipe(measured, source->name[0], ratio);
    case ACTIVE:
        *ratio = active * get_or(measured, source->name[0], SMS__AS_RATIO, NAN);
        return isfinite(*ratio);
    case IPC:
        *ratio = active * get_or(measured, source->name[0], SMS__AS_COUNT, NAN) / device->resource[r].lanes;
        return isfinite(*ratio);
    case RATE:
        if (capacity <= 0 || !add_up(measured, source, SMS__AS_RATE, &sum))
            return false;
        *ratio = sum / capacity;
        return true;
    case LEVEL:
        if (!sms__metrics_get(measured->metrics, source->name[0], SMS__AS_LEVEL, &sum))
            return false;
        *ratio = level_to_ratio(sum) * (per_sm ? active : 1);
        return true;
    default:
        return read_count(measured, source, capacity, ratio);
    }
}

static const char *source_names(struct sms__arena *arena, const struct source *source)
{
    const char *all = source->name[0];
    for (size_t i = 1; i < NAMES && source->name[i]; i++)
        all = sms__print(arena, "%s + %s", all, source->name[i]);
    return all;
}

static void find_usage(struct sms__derivation *derivation, struct sms__measured *measured, size_t r)
{
    const struct sms__device *device = derivation->device;
    for (const struct source *source = sources; source->resource; source++) {
        double ratio;
        if (strcmp(source->resource, device->resource[r].name) != 0 ||
            !read_source(device, r, measured, source, &ratio))
            continue;
        if (!isfinite(ratio))
            continue;
        measured->usage[r] = (struct sms__usage){true, source->approximate, ratio > 1 ? 1 : ratio,
                                                 source_names(derivation->arena, source)};
        return;
    }
}

double sms__derive_elapsed(const struct sms__measured *measured, const struct sms__device *device)
{
    static const char *const elapsed[] = {"Elapsed Cycles", "sm__cycles_elapsed.max", "sm__cycles_elapsed.avg",
                                          "elapsed_cycles_sm"};
    double value;
    for (size_t i = 0; i < sizeof elapsed / sizeof *elapsed; i++)
        if (sms__metrics_get(measured->metrics, elapsed[i], SMS__AS_COUNT, &value) && value > 0)
            return i == 3 ? value / (double)device->sms : value;
    return NAN;
}

double sms__derive_cycles(const struct sms__measured *measured, const struct sms__device *device)
{
    double cycles = sms__derive_elapsed(measured, device), executed, ipc;
    if (!isnan(cycles) || !sms__metrics_get(measured->metrics, "inst_executed", SMS__AS_COUNT, &executed))
        return cycles;
    ipc = get_or(measured, "executed_ipc", SMS__AS_COUNT, get_or(measured, "ipc", SMS__AS_COUNT, NAN));
    return executed / (ipc * (double)device->sms * measured->activity);
}

static void find_activity(struct sms__measured *measured)
{
    double active = get_or(measured, "sm__cycles_active.avg", SMS__AS_COUNT,
                           get_or(measured, "SM Active Cycles", SMS__AS_COUNT, NAN));
    double all = get_or(measured, "sm__cycles_elapsed.max", SMS__AS_COUNT,
                        get_or(measured, "Elapsed Cycles", SMS__AS_COUNT, NAN));
    measured->activity = get_or(measured, "sm_activity", SMS__AS_RATIO,
                                get_or(measured, "sm_efficiency", SMS__AS_RATIO, all > 0 ? active / all : NAN));
    if (!(measured->activity > 0 && measured->activity <= 1))
        measured->activity = measured->activity > 1 ? 1 : NAN;
}

static void find_occupancy(struct sms__measured *measured)
{
    static const char *const achieved[] = {"achieved_occupancy", "Achieved Occupancy",
                                           "sm__warps_active.avg.pct_of_peak_sustained_active"};
    measured->occupancy = NAN;
    for (size_t i = 0; i < sizeof achieved / sizeof *achieved && isnan(measured->occupancy); i++)
        measured->occupancy = get_or(measured, achieved[i], SMS__AS_RATIO, NAN);
    if (!(measured->occupancy > 0 && measured->occupancy <= 1))
        measured->occupancy = NAN;
}

void sms__derive_measured(struct sms__measured *measured)
{
    find_activity(measured);
    find_occupancy(measured);
}

/* The SM frequency if it was measured, otherwise cycles over time. The latter is limited to the range of a GPU's clock:
 * boost adds up to a quarter, and the estimate is low for short kernels, whose time is mostly overhead. */
static void find_clock(struct sms__measured *measured, const struct sms__device *device)
{
    static const char *const clocks[] = {"SM Frequency", "sm__cycles_elapsed.avg.per_second",
                                         "smsp__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.avg.per_second"};
    double clock = NAN, low = 0.93 * device->clock_hz, high = 1.27 * device->clock_hz;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks && isnan(clock); i++)
        clock = get_or(measured, clocks[i], SMS__AS_HZ, NAN);
    if (clock > 0.1 * device->clock_hz && clock < 2 * device->clock_hz) {
        measured->clock_hz = clock;
        return;
    }
    clock = sms__derive_cycles(measured, device) / measured->time_s;
    measured->clock_hz = clock;
    if (clock >= low && clock <= high)
        return;
    bool known = isfinite(clock) && clock > 0;
    measured->clock_hz = !known ? device->clock_hz : clock < low ? low : high;
    measured->clock_from =
        known ? "cycles / time, limited to 93 to 127 % of the device's" : "the device file, as no metric gives it";
}

static void find_bottleneck(const struct sms__device *device, struct sms__measured *measured)
{
    double use[SMS_RESOURCES_MAX];
    for (size_t r = 0; r < device->resources; r++)
        use[r] = measured->usage[r].ratio;
    measured->bottleneck = sms__derive_bottleneck(device, use, &measured->top_resource);
}

void sms__derive_usage(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    struct sms__measured *measured = &kernel->measured;
    struct sms__timing timing;
    sms__derive_measured(measured);
    if (isnan(measured->activity) && !sms__derive_time(derivation, kernel, 0, &timing)) {
        measured->activity = timing.modelled.activity;
        measured->activity_from_model = true;
    }
    find_clock(measured, derivation->device);
    for (size_t r = 0; r < derivation->device->resources; r++)
        find_usage(derivation, measured, r);
    find_bottleneck(derivation->device, measured);
}
