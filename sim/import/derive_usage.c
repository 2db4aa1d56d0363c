/* Usage of each resource, from the first of the sources below that the profile has. Counts come before rates:
 * collecting metrics slows a program down, and a count does not depend on how long the program took. */
#include "derive_internal.h"

#include <math.h>
#include <string.h>

enum { NAMES = 4, SCHEDULERS = 4 /* of an SM: ncu counts some metrics by scheduler */ };

enum method {
    PIPE,     /* % of peak over elapsed cycles; or over active cycles, times activity. Of several pipes that share a
                 resource: the most used one */
    TOGETHER, /* the same of the parts of a pipe: their sum, of `unit` parts that can be busy at once */
    ACTIVE,   /* % of peak while an SM is active */
    BYTES,    /* a count of items of `unit` bytes */
    LANES,    /* thread-level operations; idle lanes of a warp are busy too */
    SLOTS,    /* one issue slot per warp instruction */
    IPC,      /* warp instructions per active cycle */
    RATE,     /* bytes per second */
    LEVEL,    /* a level of nvprof, 0 to 10 */
    FP32,     /* instruction counts of nvprof, which overlap each other */
    FP64,
    SFU
};

struct source {
    const char *resource;
    enum method method;
    double unit; /* bytes of a transaction, or parts of a pipe */
    bool approximate;
    const char *name[NAMES]; /* metrics that are added up */
};

#define SASS(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define L1(op) "l1tex__t_sectors_pipe_lsu_mem_global_op_" op ".sum"

#define TENSOR(part) "sm__pipe_tensor_" part "_cycles_active"

/* Names of pipes by compute capability. 7.0 and 8.0 have one fma pipe; later SMs have a heavy and a lite half. Tensor
 * units are one pipe up to 9.0, counted by its operations too (op_ up to 9.0, subpipe_ from 10.0 on). From 10.0 on
 * `tcgen05` has a pipe `tc` beside the older one, and both are busy with the same units. Instructions executed come
 * last: one of Hopper or Blackwell keeps a tensor unit busy for many cycles. A name with `sm__` also stands for
 * `smsp__`. */
static const struct source sources[] = {
    {"fp32", FP32, 1, false, {"inst_fp_32"}},
    {"fp32", LANES, 1, true, {"flop_count_sp_add", "flop_count_sp_mul", "flop_count_sp_fma"}},
    {"fp32", PIPE, 1, false, {"sm__inst_executed_pipe_fma"}},
    {"fp32", PIPE, 1, false, {"sm__pipe_fma_cycles_active"}},
    {"fp32", TOGETHER, 2, false, {"sm__pipe_fmaheavy_cycles_active", "sm__pipe_fmalite_cycles_active"}},
    {"fp32", TOGETHER, 2, false, {"sm__inst_executed_pipe_fmaheavy", "sm__inst_executed_pipe_fmalite"}},
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
    {"tensor", PIPE, 1, false, {"sm__pipe_tc_cycles_active", "sm__pipe_tensor_cycles_active"}},
    {"tensor", TOGETHER, 1, false, {TENSOR("op_hmma"), TENSOR("op_imma"), TENSOR("op_dmma"), TENSOR("op_gmma")}},
    {"tensor", TOGETHER, 1, false, {TENSOR("subpipe_hmma"), TENSOR("subpipe_imma"), TENSOR("subpipe_dmma")}},
    {"tensor", PIPE, 1, true, {"sm__inst_executed_pipe_tensor", "sm__inst_executed_pipe_tc"}},
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
    {"l1", PIPE, 1, false, {"l1tex__t_bytes"}},
    {"l1", BYTES, 32, true, {L1("ld"), L1("st")}},
    {"l1", BYTES, 32, true, {"gld_transactions", "gst_transactions"}},
    {"l1", LEVEL, 1, false, {"tex_utilization"}},
    {"l1", RATE, 1, true, {"gld_throughput", "gst_throughput"}},
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
    {"l2", PIPE, 1, false, {"lts__t_bytes"}},
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
 * of a V100, whose Max is at 89 % (docs/reference/import.md). */
static const double levels[] = {0, 0.05, 0.15, 0.23, 0.33, 0.44, 0.55, 0.70, 0.73, 0.77, 0.93};

enum { LEVEL_MAX = 10 };

static double level_to_ratio(double value)
{
    double most = LEVEL_MAX;
    if (isnan(value))
        return NAN;
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

static double get(const struct sms__measured_kernel *measured, const char *name, enum sms__metric_quantity quantity)
{
    return sms__metrics_get(measured->metrics, name, quantity);
}

/* A count; 0 if it was not measured. */
static double get_count(const struct sms__measured_kernel *measured, const char *name)
{
    double count = get(measured, name, SMS__AS_COUNT);
    return isnan(count) ? 0 : count;
}

/* Lanes taken per active thread: idle threads of a warp take a lane too. */
static double lane_factor(const struct sms__measured_kernel *measured)
{
    double efficiency = get(measured, "warp_nonpred_execution_efficiency", SMS__AS_RATIO);
    return efficiency > 0.03 && efficiency <= 1 ? 1 / efficiency : 1;
}

/* Conversions run on the fp64 unit in a kernel that uses fp64, otherwise on the special function unit. */
static double conversions(const struct sms__measured_kernel *measured, bool uses_fp64_unit)
{
    bool uses = get_count(measured, "inst_fp_64") > 0;
    return uses == uses_fp64_unit ? get_count(measured, "inst_bit_convert") : 0;
}

/* The sum of the source's metrics, of which some may be missing if `partial`. NAN if too few are there. */
static double add_up(const struct sms__measured_kernel *measured, const struct source *source,
                     enum sms__metric_quantity quantity, bool partial)
{
    size_t found = 0, names = 0;
    double sum = 0;
    for (; names < NAMES && source->name[names]; names++) {
        double value = get(measured, source->name[names], quantity);
        found += !isnan(value);
        sum += isnan(value) ? 0 : value;
    }
    return (partial ? found > 0 : found == names) ? sum : NAN;
}

/* NAN if the profile does not have it. */
static double read_pipe(const struct sms__measured_kernel *measured, const char *name)
{
    static const char *const suffixes[] = {"", ".avg.pct_of_peak_sustained_elapsed",
                                           ".sum.pct_of_peak_sustained_elapsed", ".avg.pct_of_peak_sustained_active",
                                           ".sum.pct_of_peak_sustained_active"};
    static const char *const units[] = {"sm__", "smsp__"};
    bool both = !strncmp(name, units[0], 4);
    char full[160];
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++)
        for (size_t u = 0; u < (both ? 2u : 1u); u++) {
            snprintf(full, sizeof full, "%s%s%s", both ? units[u] : "", both ? name + 4 : name, suffixes[s]);
            double ratio = get(measured, full, SMS__AS_RATIO);
            if (!isnan(ratio))
                return ratio * (s >= 3 && isfinite(measured->activity) ? measured->activity : 1);
        }
    return NAN;
}

/* Operations and halves of a pipe that a GPU lacks are not in the profile, so one of them is enough. */
static double read_pipes(const struct sms__measured_kernel *measured, const struct source *source)
{
    double sum = NAN, most = NAN;
    for (size_t i = 0; i < NAMES && source->name[i]; i++) {
        double each = read_pipe(measured, source->name[i]);
        sum = isnan(sum) ? each / source->unit : isnan(each) ? sum : sum + each / source->unit;
        most = fmax(most, each);
    }
    return source->method == TOGETHER ? sum : most;
}

/* The operations that a unit executes, from nvprof's overlapping counts of instructions. */
static double correct_count(const struct sms__measured_kernel *measured, enum method method, double sum)
{
    double special = get_count(measured, "flop_count_sp_special");
    switch (method) {
    case FP32:
        return (sum < special ? 0 : sum - special) * lane_factor(measured);
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

/* The usage of resource r by this source, or NAN. */
static double read_source(const struct sms__device *device, size_t r, const struct sms__measured_kernel *measured,
                          const struct source *source, bool partial)
{
    double capacity = sms__derive_capacity(device, r, measured->clock_hz);
    double active = isfinite(measured->activity) ? measured->activity : 1;
    capacity = capacity > 0 ? capacity : NAN;
    switch (source->method) {
    case PIPE:
    case TOGETHER:
        return read_pipes(measured, source);
    case ACTIVE:
        return active * get(measured, source->name[0], SMS__AS_RATIO);
    case IPC:
        return active * get(measured, source->name[0], SMS__AS_MEAN) / device->resource[r].lanes;
    case RATE:
        return add_up(measured, source, SMS__AS_RATE, partial) / capacity;
    case LEVEL:
        return level_to_ratio(get(measured, source->name[0], SMS__AS_LEVEL)) *
               (device->resource[r].scope == SMS_SCOPE_SM ? active : 1);
    default:
        return correct_count(measured, source->method, add_up(measured, source, SMS__AS_COUNT, partial)) *
               source->unit / ((measured->time_s > 0 ? measured->time_s : NAN) * capacity);
    }
}

/* "A + B", of the metrics that the profile has. */
static const char *source_names(struct sms__arena *arena, const struct sms__metric_means *metrics,
                                const struct source *source)
{
    const char *all = NULL;
    for (size_t i = 0; i < NAMES && source->name[i]; i++) {
        size_t m = 0, length = strlen(source->name[i]);
        while (m < metrics->count && strncmp(metrics->mean[m].name, source->name[i], length) != 0)
            m++;
        if (m < metrics->count)
            all = all ? sms__print(arena, "%s + %s", all, source->name[i]) : source->name[i];
    }
    return all ? all : source->name[0];
}

/* Takes the first source of the resource. If none has all its metrics, takes the first that has some of them. */
static void find_usage(struct sms__derivation *derivation, struct sms__measured_kernel *measured, size_t r)
{
    const struct sms__device *device = derivation->device;
    for (int partial = 0; partial <= 1; partial++)
        for (const struct source *source = sources; source->resource; source++) {
            bool here = !strcmp(source->resource, device->resource[r].name);
            double ratio = here ? read_source(device, r, measured, source, partial) : NAN;
            if (!isfinite(ratio))
                continue;
            const char *names = source_names(derivation->arena, measured->metrics, source);
            measured->usage[r] =
                (struct sms__usage){.known = true,
                                    .approximate = source->approximate || partial,
                                    .ratio = ratio > 1 ? 1 : ratio,
                                    .from = partial ? sms__print(derivation->arena, "%s alone", names) : names,
                                    .source = (size_t)(source - sources)};
            return;
        }
}

double sms__derive_use_again(const struct sms__device *device, const struct sms__measured_kernel *measured, size_t r)
{
    const double ratio = read_source(device, r, measured, &sources[measured->usage[r].source], false);
    return ratio > 1 ? 1 : ratio; /* a NAN stays one */
}

/* The first of the metrics that the profile has, and its index; NAN if it has none. */
static double first_of(const struct sms__measured_kernel *measured, const char *const *names,
                       enum sms__metric_quantity quantity, size_t *idx)
{
    for (*idx = 0; names[*idx]; ++*idx)
        if (get(measured, names[*idx], quantity) > 0)
            return get(measured, names[*idx], quantity);
    return NAN;
}

/* Cycles that elapsed on an SM during a launch, as counted; NAN if they were not. The last three are sums over SMs. */
static double elapsed_cycles(const struct sms__measured_kernel *measured, const struct sms__device *device)
{
    static const char *const names[] = {"Elapsed Cycles",
                                        "sm__cycles_elapsed.max",
                                        "sm__cycles_elapsed.avg",
                                        "smsp__cycles_elapsed.max",
                                        "smsp__cycles_elapsed.avg",
                                        "gpc__cycles_elapsed.max",
                                        "gpc__cycles_elapsed.avg",
                                        "sm__cycles_elapsed.sum",
                                        "elapsed_cycles_sm",
                                        "elapsed_cycles_pm",
                                        NULL};
    size_t i;
    double value = first_of(measured, names, SMS__AS_COUNT, &i);
    return i >= 7 ? value / (double)device->sms : value;
}

/* The same, or if they were not counted, the cycles computed from instructions and IPC. */
static double find_cycles(const struct sms__measured_kernel *measured, const struct sms__device *device)
{
    static const char *const counts[] = {"inst_executed", "sm__inst_executed.sum", "smsp__inst_executed.sum", NULL};
    static const char *const whole[] = {"Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed", NULL};
    static const char *const active[] = {"executed_ipc", "ipc", "Executed Ipc Active",
                                         "sm__inst_executed.avg.per_cycle_active", NULL};
    size_t i;
    double cycles = elapsed_cycles(measured, device), ipc = first_of(measured, whole, SMS__AS_MEAN, &i);
    double executed = first_of(measured, counts, SMS__AS_COUNT, &i), activity = measured->activity;
    if (isnan(ipc))
        ipc = first_of(measured, active, SMS__AS_MEAN, &i) * (isnan(activity) ? 1 : activity);
    return isnan(cycles) ? executed / (ipc * (double)device->sms) : cycles;
}

/* The SM frequency as measured; NAN if it was not, or is out of range. */
static double measured_clock(const struct sms__measured_kernel *measured, const struct sms__device *device)
{
    static const char *const clocks[] = {"SM Frequency", "sm__cycles_elapsed.avg.per_second",
                                         "smsp__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.avg.per_second",
                                         NULL};
    size_t i;
    double clock = first_of(measured, clocks, SMS__AS_HZ, &i);
    return clock > 0.1 * device->clock_hz && clock < 2 * device->clock_hz ? clock : NAN;
}

double sms__derive_clock(struct sms__arena *arena, const struct sms__profile_launch *launch,
                         const struct sms__device *device)
{
    struct sms__metric_means metrics = {0};
    sms__metrics_add(arena, &metrics, launch, NAN);
    return measured_clock(&(struct sms__measured_kernel){.metrics = &metrics}, device);
}

/* Bytes of device memory over the share of its bandwidth; NAN if there is no such pair of metrics. */
static double time_of_share(struct sms__arena *arena, const struct sms__measured_kernel *measured,
                            const struct sms__device *device, const char **from)
{
    const struct source *bytes = NULL, *share = NULL;
    int dram = sms__resource_index(device, "dram");
    for (const struct source *source = sources; source->resource && dram >= 0; source++) {
        if (strcmp(source->resource, "dram") != 0 || source->approximate)
            continue;
        if (!bytes && source->method == BYTES && !isnan(add_up(measured, source, SMS__AS_COUNT, false)))
            bytes = source;
        if (!share && source->method == PIPE && read_pipes(measured, source) > 0)
            share = source;
    }
    if (!bytes || !share || !(device->resource[dram].bandwidth > 0))
        return NAN;
    double count = add_up(measured, bytes, SMS__AS_COUNT, false);
    *from = sms__print(arena, "%s over %s of the device's bandwidth", source_names(arena, measured->metrics, bytes),
                       share->name[0]);
    return count > 0 ? count * bytes->unit / (read_pipes(measured, share) * device->resource[dram].bandwidth) : NAN;
}

/* Bytes over the rate at which they moved, or over the share of the bandwidth. nvprof measures counts and rates in the
 * same passes. NAN if no pair of metrics exists. */
static double time_of_bytes(struct sms__arena *arena, const struct sms__measured_kernel *measured,
                            const struct sms__device *device, const char **from)
{
    static const struct {
        const char *count, *rate;
        double bytes;
    } pairs[] = {{"dram__bytes.sum", "dram__bytes.sum.per_second", 1},
                 {"dram__bytes_read.sum", "dram__bytes_read.sum.per_second", 1},
                 {"dram__bytes_op_read.sum", "dram__bytes_op_read.sum.per_second", 1},
                 {"dram_read_transactions", "dram_read_throughput", 32},
                 {"dram_read_bytes", "dram_read_throughput", 1},
                 {"dram_write_transactions", "dram_write_throughput", 32},
                 {"dram_write_bytes", "dram_write_throughput", 1},
                 {"l2_read_transactions", "l2_read_throughput", 32},
                 {"l2_write_transactions", "l2_write_throughput", 32}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double bytes = get(measured, pairs[i].count, SMS__AS_COUNT) * pairs[i].bytes;
        double rate = get(measured, pairs[i].rate, SMS__AS_RATE);
        if (!(bytes > 0 && rate > 0))
            continue;
        *from = sms__print(arena, "%s x %.0f B / %s", pairs[i].count, pairs[i].bytes, pairs[i].rate);
        return bytes / rate;
    }
    return time_of_share(arena, measured, device, from);
}

/* From durations, cycles over the clock, or bytes over the rate at which they moved. */
double sms__derive_metric_time(struct sms__arena *arena, const struct sms__metric_means *metrics,
                               const struct sms__device *device, const char **from)
{
    static const char *const durations[] = {"gpu__time_duration.sum", "Duration", "gpu__time_duration.avg", NULL};
    struct sms__measured_kernel measured = {.metrics = metrics};
    size_t i;
    double seconds = first_of(&measured, durations, SMS__AS_SECONDS, &i);
    *from = NULL;
    if (seconds > 0)
        return seconds;
    sms__derive_measured(&measured, device);
    double cycles = find_cycles(&measured, device), clock = measured_clock(&measured, device);
    if (!(cycles > 0))
        return time_of_bytes(arena, &measured, device, from);
    const char *how = isnan(elapsed_cycles(&measured, device)) ? "from instructions per cycle" : "counted";
    *from = sms__print(arena, "%.0f cycles (%s) at %s%.0f MHz", cycles, how, isnan(clock) ? "the device's " : "",
                       (isnan(clock) ? device->clock_hz : clock) / 1e6);
    return cycles / (isnan(clock) ? device->clock_hz : clock);
}

double sms__derive_launch_time(struct sms__derivation *derivation, const struct sms__profile_launch *launch,
                               const char **from)
{
    struct sms__metric_means *metrics = &derivation->scratch;
    *from = NULL;
    if (launch->duration_s > 0 || !launch->metrics)
        return launch->duration_s;
    metrics->count = 0;
    sms__metrics_add(derivation->arena, metrics, launch, NAN);
    double seconds = sms__derive_metric_time(derivation->arena, metrics, derivation->device, from);
    return isfinite(seconds) ? seconds : launch->duration_s;
}

static void find_activity(struct sms__measured_kernel *measured)
{
    static const char *const active[] = {"sm__cycles_active.avg", "SM Active Cycles", NULL};
    static const char *const all[] = {"sm__cycles_elapsed.max", "sm__cycles_elapsed.avg", "Elapsed Cycles", NULL};
    static const char *const shares[] = {"sm_activity", "sm_efficiency",
                                         "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", NULL};
    size_t i;
    measured->activity = first_of(measured, shares, SMS__AS_RATIO, &i);
    if (isnan(measured->activity))
        measured->activity = first_of(measured, active, SMS__AS_COUNT, &i) / first_of(measured, all, SMS__AS_COUNT, &i);
    measured->activity = measured->activity > 1 ? 1 : measured->activity;
}

static void find_occupancy(struct sms__measured_kernel *measured, const struct sms__device *device)
{
    static const char *const shares[] = {"achieved_occupancy", "Achieved Occupancy",
                                         "sm__warps_active.avg.pct_of_peak_sustained_active",
                                         "smsp__warps_active.avg.pct_of_peak_sustained_active", NULL};
    static const char *const warps[] = {"Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active",
                                        "smsp__warps_active.avg.per_cycle_active", NULL};
    size_t i;
    double each = first_of(measured, warps, SMS__AS_MEAN, &i) * (i == 2 ? SCHEDULERS : 1);
    measured->occupancy = first_of(measured, shares, SMS__AS_RATIO, &i);
    if (isnan(measured->occupancy))
        measured->occupancy = each / (double)device->sm.warps;
    if (!(measured->occupancy <= 1))
        measured->occupancy = NAN;
}

void sms__derive_measured(struct sms__measured_kernel *measured, const struct sms__device *device)
{
    find_activity(measured);
    find_occupancy(measured, device);
}

/* The SM frequency if it was measured, otherwise cycles over time. The latter is limited to the range of a GPU's clock:
 * boost adds up to a quarter, and the estimate is low for short kernels, whose time is mostly overhead. */
static void find_clock(struct sms__measured_kernel *measured, const struct sms__device *device)
{
    measured->clock_hz = measured_clock(measured, device);
    if (measured->clock_hz > 0)
        return;
    const double clock = find_cycles(measured, device) / measured->time_s;
    const bool known = isfinite(clock) && clock > 0;
    measured->clock_hz = known ? fmin(fmax(clock, 0.93 * device->clock_hz), 1.27 * device->clock_hz) : device->clock_hz;
    if (measured->clock_hz != clock)
        measured->clock_from =
            known ? "cycles / time, limited to 93 to 127 % of the device's" : "the device file, as no metric gives it";
}

void sms__derive_usage(struct sms__derivation *derivation, struct sms__derived *kernel)
{
    struct sms__measured_kernel *measured = &kernel->measured;
    double use[SMS_RESOURCES_MAX];
    struct sms__timing timing;
    sms__derive_measured(measured, derivation->device);
    if (isnan(measured->activity) && !sms__derive_time(derivation, kernel, 0, &timing)) {
        measured->activity = timing.modelled.activity;
        measured->activity_from_model = true;
    }
    find_clock(measured, derivation->device);
    for (size_t r = 0; r < derivation->device->resources; r++) {
        find_usage(derivation, measured, r);
        use[r] = measured->usage[r].ratio;
    }
    measured->bottleneck = sms__derive_bottleneck(derivation->device, use, &measured->top_resource);
}
