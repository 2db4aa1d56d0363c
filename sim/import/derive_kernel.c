/* Groups the launches of a profile into kernels: launches of one symbol, geometry, registers and shared memory are one
 * kernel, with mean duration and mean metrics. */
#include "derive_internal.h"
#include "text.h"

#include <math.h>
#include <string.h>

enum { KERNELS_MAX = 4096, JITTER_LAUNCHES = 10 };

static const uint64_t LAUNCHES_MAX = 1000000000000;
static const double SECONDS_MAX = 9.0e6, COUNT_MAX = 9007199254740992.0;

/* Metrics of launches without a geometry, averaged over all launches of a symbol. */
struct symbol_metrics {
    const char *symbol;
    struct sms__metric_means metrics;
};

struct symbol_table {
    struct symbol_metrics *entry;
    size_t count;
};

static const char *symbol_of(const struct sms__profile_launch *launch) { return launch->kernel ? launch->kernel : ""; }

static double volume(const uint64_t size[3])
{
    return (double)size[0] * (double)(size[1] ? size[1] : 1) * (double)(size[2] ? size[2] : 1);
}

static struct sms__metric_means *symbol_metrics_of(struct sms__derivation *derivation, struct symbol_table *by_symbol,
                                                   const char *symbol)
{
    for (size_t i = 0; i < by_symbol->count; i++)
        if (!strcmp(by_symbol->entry[i].symbol, symbol))
            return &by_symbol->entry[i].metrics;
    if (by_symbol->count == KERNELS_MAX)
        return NULL;
    if (!by_symbol->entry)
        by_symbol->entry = SMS__NEW(derivation->arena, struct symbol_metrics, KERNELS_MAX);
    by_symbol->entry[by_symbol->count].symbol = symbol;
    return &by_symbol->entry[by_symbol->count++].metrics;
}

/* The launch's duration from its column, otherwise from a metric, otherwise from its cycles; NAN if there is none. */
static double measured_time(struct sms__derivation *derivation, const struct sms__profile_launch *launch,
                            bool *by_cycles)
{
    static const char *const names[] = {"gpu__time_duration.sum", "Duration", "gpu__time_duration.avg"};
    struct sms__metric_means *metrics = &derivation->scratch;
    struct sms__measured alone = {.metrics = metrics, .activity = NAN};
    double value, clock;
    *by_cycles = false;
    if (launch->duration_s > 0)
        return launch->duration_s;
    metrics->count = 0;
    sms__metrics_add(derivation->arena, metrics, launch);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sms__metrics_get(metrics, names[i], SMS__AS_SECONDS, &value))
            return value;
    value = sms__derive_cycles(&alone, derivation->device);
    if (!isfinite(value))
        return launch->duration_s;
    *by_cycles = true;
    bool measured = sms__metrics_get(metrics, "SM Frequency", SMS__AS_HZ, &clock) && clock > 0;
    return value / (measured ? clock : derivation->device->clock_hz);
}

/* Returns NULL, or why the launch cannot be used. */
static const char *reject_reason(const struct sms__profile_launch *launch, double seconds)
{
    if (launch->grid[0] == 0 || launch->block[0] == 0)
        return "no grid or block size";
    if (volume(launch->grid) > COUNT_MAX)
        return "more blocks than 2^53";
    if (volume(launch->block) > 1024 * 16)
        return "more threads in a block than any device allows";
    if (launch->count > LAUNCHES_MAX)
        return "more than 10^12 launches";
    if (isnan(seconds))
        return "no duration";
    if (seconds < 1e-12)
        return "a duration of zero";
    if (seconds > SECONDS_MAX)
        return "a duration above 9e6 s";
    return NULL;
}

/* A job runs on one device, the one of the first launch. */
static bool is_on_other_device(const struct sms__profile *profile, const struct sms__profile_launch *launch)
{
    const char *first = profile->launch[0].device;
    return first && launch->device && *first && *launch->device && strcmp(first, launch->device) != 0;
}

static double shared_bytes(const struct sms__profile_launch *launch)
{
    double fixed = launch->static_shared >= 0 ? launch->static_shared : 0;
    double dynamic = launch->dynamic_shared >= 0 ? launch->dynamic_shared : 0;
    return fixed + dynamic < 1e12 ? floor(fixed + dynamic + 0.5) : 1e12;
}

static bool is_launch_of(const struct sms__derived *kernel, const struct sms__profile_launch *launch)
{
    return !memcmp(kernel->grid, launch->grid, sizeof kernel->grid) &&
           !memcmp(kernel->block, launch->block, sizeof kernel->block) &&
           kernel->shape.registers == launch->registers &&
           (double)kernel->shape.shared_memory == shared_bytes(launch) && !strcmp(kernel->symbol, symbol_of(launch));
}

/* The kernel of a launch, which is added if it is new. NULL if there are too many kernels. */
static struct sms__derived *kernel_of(struct sms__derivation *derivation, const struct sms__profile_launch *launch)
{
    for (size_t k = derivation->kernels; k-- > 0;)
        if (is_launch_of(&derivation->kernel[k], launch))
            return &derivation->kernel[k];
    if (derivation->kernels == KERNELS_MAX)
        return NULL;
    struct sms__derived *kernel = SMS__APPEND(derivation->arena, derivation->kernel, derivation->kernels);
    kernel->symbol = symbol_of(launch);
    kernel->line = launch->line;
    memcpy(kernel->grid, launch->grid, sizeof kernel->grid);
    memcpy(kernel->block, launch->block, sizeof kernel->block);
    kernel->shape.blocks = (uint64_t)volume(launch->grid);
    kernel->shape.threads = (uint64_t)volume(launch->block);
    kernel->shape.registers = launch->registers;
    kernel->shape.shared_memory = (uint64_t)shared_bytes(launch);
    return kernel;
}

/* Updates the sum of squared deviations about the running mean (Welford 1962). */
static void add_time(struct sms__derived *kernel, double seconds, uint64_t count)
{
    double before = kernel->launches ? kernel->time.sum_s / (double)kernel->launches : seconds;
    bool first = kernel->launches == 0;
    kernel->launches += count;
    kernel->time.sum_s += seconds * (double)count;
    kernel->time.squared_deviations +=
        (double)count * (seconds - before) * (seconds - kernel->time.sum_s / (double)kernel->launches);
    kernel->time.min_s = first || seconds < kernel->time.min_s ? seconds : kernel->time.min_s;
    kernel->time.max_s = first || seconds > kernel->time.max_s ? seconds : kernel->time.max_s;
}

static void add_launch(struct sms__derivation *derivation, struct symbol_table *by_symbol, size_t l)
{
    const struct sms__profile_launch *launch = &derivation->profile->launch[l];
    uint64_t count = launch->count ? launch->count : 1;
    derivation->kernel_of_launch[l] = SIZE_MAX;
    bool lacks_geometry = launch->grid[0] == 0 || launch->block[0] == 0;
    if (lacks_geometry && launch->metrics) {
        struct sms__metric_means *metrics = symbol_metrics_of(derivation, by_symbol, symbol_of(launch));
        if (metrics)
            sms__metrics_add(derivation->arena, metrics, launch);
        return;
    }
    struct sms__assumptions assumed = {0};
    bool by_cycles;
    double seconds = measured_time(derivation, launch, &by_cycles);
    if (isnan(seconds) && derivation->lacks_durations && launch->metrics)
        seconds = sms__derive_assume_time(derivation, &assumed, &derivation->scratch);
    const char *why =
        is_on_other_device(derivation->profile, launch) ? "on another device" : reject_reason(launch, seconds);
    struct sms__derived *kernel = why ? NULL : kernel_of(derivation, launch);
    if (kernel && kernel->launches > LAUNCHES_MAX - count)
        why = "more than 10^12 launches";
    if (!why && !kernel)
        why = "more than 4096 kernels";
    if (why) {
        sms__derive_omit(derivation, launch->line, "'%s': %s",
                         sms__derive_text(derivation->arena, symbol_of(launch), 60), why);
        return;
    }
    kernel->time.from_cycles |= by_cycles;
    if (assumed.count && !kernel->assumed.count)
        kernel->assumed.text[kernel->assumed.count++] = assumed.text[0];
    add_time(kernel, seconds, count);
    sms__metrics_add(derivation->arena, &kernel->measured.own, launch);
    derivation->kernel_of_launch[l] = (size_t)(kernel - derivation->kernel);
}

/* For a profile that has only metrics: makes a kernel of the first launch of each symbol. */
static void assume_all(struct sms__derivation *derivation, const struct symbol_table *by_symbol)
{
    bool *done = SMS__NEW(derivation->arena, bool, by_symbol->count + 1);
    for (size_t l = 0; l < derivation->profile->launches; l++) {
        const struct sms__profile_launch *launch = &derivation->profile->launch[l];
        size_t i = 0;
        while (i < by_symbol->count && strcmp(by_symbol->entry[i].symbol, symbol_of(launch)) != 0)
            i++;
        if (i == by_symbol->count || done[i])
            continue;
        done[i] = true;
        if (launch->count > LAUNCHES_MAX) {
            sms__derive_omit(derivation, launch->line, "'%s': more than 10^12 launches",
                             sms__derive_text(derivation->arena, symbol_of(launch), 60));
            continue;
        }
        struct sms__derived *kernel = SMS__APPEND(derivation->arena, derivation->kernel, derivation->kernels);
        kernel->symbol = symbol_of(launch);
        kernel->line = launch->line;
        kernel->launches = launch->count ? launch->count : 1;
        sms__derive_assume(derivation, kernel, &by_symbol->entry[i].metrics);
        derivation->kernel_of_launch[l] = derivation->kernels - 1;
    }
}

/* Takes the metrics of all launches of the symbol for a kernel that has none of its own. Usage is then taken as equal
 * in all geometries, so counts scale with the duration. */
static void pool_metrics(struct sms__derivation *derivation, const struct symbol_table *by_symbol,
                         struct sms__derived *kernel)
{
    double seconds = 0, launches = 0;
    for (size_t i = 0; i < by_symbol->count; i++)
        if (!strcmp(by_symbol->entry[i].symbol, kernel->symbol))
            kernel->measured.metrics = &by_symbol->entry[i].metrics;
    for (size_t k = 0; kernel->measured.metrics && k < derivation->kernels; k++) {
        const struct sms__derived *other = &derivation->kernel[k];
        bool same = !strcmp(other->symbol, kernel->symbol);
        kernel->measured.pooled |= same && other != kernel;
        seconds += same ? other->time.sum_s : 0;
        launches += same ? (double)other->launches : 0;
    }
    if (kernel->measured.metrics)
        kernel->measured.time_s = seconds / launches;
}

static void finish_kernel(struct sms__derivation *derivation, const struct symbol_table *by_symbol,
                          struct sms__derived *kernel)
{
    kernel->time.mean_s = kernel->time.sum_s / (double)kernel->launches;
    kernel->measured.time_s = kernel->time.mean_s;
    kernel->measured.metrics = &kernel->measured.own;
    if (kernel->measured.own.count == 0) {
        kernel->measured.metrics = NULL;
        pool_metrics(derivation, by_symbol, kernel);
    }
    double variance =
        kernel->time.squared_deviations > 0 ? kernel->time.squared_deviations / (double)kernel->launches : 0;
    kernel->time.spread = sqrt(variance) / kernel->time.mean_s;
    kernel->fit.jitter = kernel->launches >= JITTER_LAUNCHES ? kernel->time.spread : 0;
    kernel->fit.jitter = kernel->fit.jitter < 0.5 ? floor(kernel->fit.jitter * 1000) / 1000 : 0.5;
    sms__derive_usage(derivation, kernel);
}

static size_t count_approximations(const struct sms__derivation *derivation, const struct sms__derived *kernel)
{
    size_t count = (kernel->measured.clock_from != NULL) + kernel->time.from_cycles + kernel->measured.pooled +
                   kernel->measured.activity_from_model + isnan(kernel->measured.occupancy) +
                   (kernel->fit.timing.is_short && !kernel->fit.timing.by_dispatch) + kernel->fit.timing.too_fast;
    for (size_t r = 0; r < derivation->device->resources; r++)
        count += !kernel->measured.usage[r].known || kernel->measured.usage[r].approximate;
    return count;
}

/* Removes the kernels that do not fit on an SM and renumbers the kernels of the launches. */
static void keep_fitting(struct sms__derivation *derivation)
{
    size_t kept = 0, *new_index = SMS__NEW(derivation->arena, size_t, derivation->kernels + 1);
    for (size_t k = 0; k < derivation->kernels; k++) {
        struct sms__derived *kernel = &derivation->kernel[k];
        const char *why = sms__derive_shape(derivation, kernel);
        if (!why && kernel->assumed.count && sms__derive_round_waves(derivation, kernel))
            why = sms__derive_shape(derivation, kernel);
        const char *device = derivation->device->name;
        if (!why && sms__derive_scales(derivation)) {
            why = sms__derive_retarget(derivation, kernel);
            device = derivation->target->name;
        }
        new_index[k] = why ? SIZE_MAX : kept;
        if (why)
            sms__derive_omit(derivation, kernel->line, "'%s': on %s, %s",
                             sms__derive_text(derivation->arena, kernel->symbol, 60), device, why);
        else
            derivation->kernel[kept++] = *kernel;
        derivation->approximations += why ? 0 : count_approximations(derivation, kernel);
        derivation->assumptions += why ? 0 : kernel->assumed.count;
    }
    for (size_t l = 0; l < derivation->profile->launches; l++)
        derivation->kernel_of_launch[l] =
            derivation->kernel_of_launch[l] == SIZE_MAX ? SIZE_MAX : new_index[derivation->kernel_of_launch[l]];
    derivation->kernels = kept;
}

static bool has_no_durations(struct sms__derivation *derivation)
{
    bool by_cycles;
    for (size_t l = 0; l < derivation->profile->launches; l++)
        if (!isnan(measured_time(derivation, &derivation->profile->launch[l], &by_cycles)))
            return false;
    return true;
}

void sms__derive_collect(struct sms__derivation *derivation)
{
    struct symbol_table by_symbol = {0};
    derivation->lacks_durations = has_no_durations(derivation);
    derivation->kernel_of_launch = SMS__NEW(derivation->arena, size_t, derivation->profile->launches + 1);
    for (size_t l = 0; l < derivation->profile->launches; l++)
        add_launch(derivation, &by_symbol, l);
    if (derivation->kernels == 0 && derivation->omitted.count == 0)
        assume_all(derivation, &by_symbol);
    for (size_t k = 0; k < derivation->kernels; k++)
        finish_kernel(derivation, &by_symbol, &derivation->kernel[k]);
    keep_fitting(derivation);
    for (size_t i = 0; i < by_symbol.count; i++) {
        bool used = false;
        for (size_t k = 0; k < derivation->kernels && !used; k++)
            used = !strcmp(derivation->kernel[k].symbol, by_symbol.entry[i].symbol);
        if (!used)
            sms__derive_omit(derivation, 0, "metrics of '%s': no launch has geometry and duration",
                             sms__derive_text(derivation->arena, by_symbol.entry[i].symbol, 60));
    }
}
