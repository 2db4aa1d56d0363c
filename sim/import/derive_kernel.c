/* From launches to kernels: launches of one kernel and geometry are one, with means of what was measured. */
#include "derive_inside.h"

#include <math.h>
#include <string.h>

enum { KERNELS_MAX = 4096, JITTER_LAUNCHES = 10 };

static const uint64_t LAUNCHES_MAX = 1000000000000;
static const double SECONDS_MAX = 9.0e6, COUNT_MAX = 9007199254740992.0;

/* Metrics without a geometry: of all launches of a symbol. */
struct donor {
    const char *symbol;
    struct sms__means means;
};

struct donors {
    struct donor *donor;
    size_t count;
};

static const char *symbol_of(const struct sms__profile_launch *launch) { return launch->kernel ? launch->kernel : ""; }

static double product(const uint64_t size[3])
{
    return (double)size[0] * (double)(size[1] ? size[1] : 1) * (double)(size[2] ? size[2] : 1);
}

static struct sms__means *means_of(struct sms__derivation *derivation, struct donors *donors, const char *symbol)
{
    for (size_t i = 0; i < donors->count; i++)
        if (!strcmp(donors->donor[i].symbol, symbol))
            return &donors->donor[i].means;
    if (donors->count == KERNELS_MAX)
        return NULL;
    if (!donors->donor)
        donors->donor = SMS__NEW(derivation->arena, struct donor, KERNELS_MAX);
    donors->donor[donors->count].symbol = symbol;
    return &donors->donor[donors->count++].means;
}

/* What the profiler measured with the launch, where it has no column for it; else its cycles tell. */
static double measured_time(struct sms__derivation *derivation, const struct sms__profile_launch *launch,
                            bool *by_cycles)
{
    static const char *const names[] = {"gpu__time_duration.sum", "Duration", "gpu__time_duration.avg"};
    struct sms__means *means = &derivation->scratch;
    struct sms__derived alone = {.means = means, .activity = NAN};
    double value, clock;
    *by_cycles = false;
    if (launch->duration_s > 0)
        return launch->duration_s;
    means->count = 0;
    sms__means_add(derivation->arena, means, launch);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sms__means_get(means, names[i], SMS__AS_SECONDS, &value))
            return value;
    value = sms__derive_cycles(&alone, derivation->device);
    if (!isfinite(value))
        return launch->duration_s;
    *by_cycles = true;
    bool told = sms__means_get(means, "SM Frequency", SMS__AS_HZ, &clock) && clock > 0;
    return value / (told ? clock : derivation->device->clock_hz);
}

/* NULL, or why the launch cannot be used. */
static const char *refuse(const struct sms__profile_launch *launch, double seconds)
{
    if (launch->grid[0] == 0 || launch->block[0] == 0)
        return "no grid or block size";
    if (product(launch->grid) > COUNT_MAX)
        return "more blocks than 2^53";
    if (product(launch->block) > 1024 * 16)
        return "more threads in a block than any device allows";
    if (launch->count > LAUNCHES_MAX)
        return "more than 10^12 launches";
    if (isnan(seconds))
        return "no duration";
    if (seconds < 1e-12)
        return "a duration of zero";
    if (seconds > SECONDS_MAX)
        return "a duration beyond 9e6 s";
    return NULL;
}

/* A job is on one device: that of the first launch. */
static bool is_elsewhere(const struct sms__profile *profile, const struct sms__profile_launch *launch)
{
    const char *first = profile->launch[0].device;
    return first && launch->device && *first && *launch->device && strcmp(first, launch->device) != 0;
}

static double shared_of(const struct sms__profile_launch *launch)
{
    double fixed = launch->static_shared >= 0 ? launch->static_shared : 0;
    double dynamic = launch->dynamic_shared >= 0 ? launch->dynamic_shared : 0;
    return fixed + dynamic < 1e12 ? floor(fixed + dynamic + 0.5) : 1e12;
}

static bool is_of(const struct sms__derived *kernel, const struct sms__profile_launch *launch)
{
    return !memcmp(kernel->grid, launch->grid, sizeof kernel->grid) &&
           !memcmp(kernel->block, launch->block, sizeof kernel->block) &&
           kernel->shape.registers == launch->registers && (double)kernel->shape.shared_memory == shared_of(launch) &&
           !strcmp(kernel->symbol, symbol_of(launch));
}

/* The kernel of a launch; NULL if there are too many. */
static struct sms__derived *kernel_of(struct sms__derivation *derivation, const struct sms__profile_launch *launch)
{
    for (size_t k = derivation->kernels; k-- > 0;)
        if (is_of(&derivation->kernel[k], launch))
            return &derivation->kernel[k];
    if (derivation->kernels == KERNELS_MAX)
        return NULL;
    struct sms__derived *kernel = SMS__APPEND(derivation->arena, derivation->kernel, derivation->kernels);
    kernel->symbol = symbol_of(launch);
    kernel->line = launch->line;
    memcpy(kernel->grid, launch->grid, sizeof kernel->grid);
    memcpy(kernel->block, launch->block, sizeof kernel->block);
    kernel->shape.blocks = (uint64_t)product(launch->grid);
    kernel->shape.threads = (uint64_t)product(launch->block);
    kernel->shape.registers = launch->registers;
    kernel->shape.shared_memory = (uint64_t)shared_of(launch);
    return kernel;
}

/* Sums of squares about the running mean (Welford 1962). */
static void add_time(struct sms__derived *kernel, double seconds, uint64_t count)
{
    double before = kernel->launches ? kernel->sum_s / (double)kernel->launches : seconds;
    bool first = kernel->launches == 0;
    kernel->launches += count;
    kernel->sum_s += seconds * (double)count;
    kernel->squares += (double)count * (seconds - before) * (seconds - kernel->sum_s / (double)kernel->launches);
    kernel->min_s = first || seconds < kernel->min_s ? seconds : kernel->min_s;
    kernel->max_s = first || seconds > kernel->max_s ? seconds : kernel->max_s;
}

static void add_launch(struct sms__derivation *derivation, struct donors *donors, size_t l)
{
    const struct sms__profile_launch *launch = &derivation->profile->launch[l];
    const char *name = sms__derive_text(derivation->arena, symbol_of(launch), 60);
    uint64_t count = launch->count ? launch->count : 1;
    derivation->of[l] = SIZE_MAX;
    bool bare = launch->grid[0] == 0 || launch->block[0] == 0;
    if (bare && launch->metrics) {
        struct sms__means *means = means_of(derivation, donors, symbol_of(launch));
        if (means)
            sms__means_add(derivation->arena, means, launch);
        return;
    }
    struct sms__derived said = {0};
    bool by_cycles;
    double seconds = measured_time(derivation, launch, &by_cycles);
    if (isnan(seconds) && derivation->timeless && launch->metrics)
        seconds = sms__derive_assume_time(derivation, &said, &derivation->scratch);
    const char *why = is_elsewhere(derivation->profile, launch) ? "on another device" : refuse(launch, seconds);
    struct sms__derived *kernel = why ? NULL : kernel_of(derivation, launch);
    if (kernel && kernel->launches > LAUNCHES_MAX - count)
        why = "more than 10^12 launches";
    if (!why && !kernel)
        why = "more than 4096 kernels";
    if (why) {
        sms__derive_note(derivation, launch->line, "'%s': %s", name, why);
        return;
    }
    kernel->by_cycles |= by_cycles;
    if (said.assumptions && !kernel->assumptions)
        kernel->assumed[kernel->assumptions++] = said.assumed[0];
    add_time(kernel, seconds, count);
    sms__means_add(derivation->arena, &kernel->own, launch);
    derivation->of[l] = (size_t)(kernel - derivation->kernel);
}

/* The first launch of each kernel stands for it where metrics are all that there is. */
static void assume_all(struct sms__derivation *derivation, const struct donors *donors)
{
    bool *done = SMS__NEW(derivation->arena, bool, donors->count + 1);
    for (size_t l = 0; l < derivation->profile->launches; l++) {
        const struct sms__profile_launch *launch = &derivation->profile->launch[l];
        size_t i = 0;
        while (i < donors->count && strcmp(donors->donor[i].symbol, symbol_of(launch)) != 0)
            i++;
        if (i == donors->count || done[i])
            continue;
        done[i] = true;
        if (launch->count > LAUNCHES_MAX) {
            sms__derive_note(derivation, launch->line, "'%s': more than 10^12 launches",
                             sms__derive_text(derivation->arena, symbol_of(launch), 60));
            continue;
        }
        struct sms__derived *kernel = SMS__APPEND(derivation->arena, derivation->kernel, derivation->kernels);
        kernel->symbol = symbol_of(launch);
        kernel->line = launch->line;
        kernel->launches = launch->count ? launch->count : 1;
        sms__derive_assume(derivation, kernel, &donors->donor[i].means);
        derivation->of[l] = derivation->kernels - 1;
    }
}

/* Metrics of all launches of a symbol hold for each geometry as ratios to time: the longer, the more. */
static void borrow(struct sms__derivation *derivation, const struct donors *donors, struct sms__derived *kernel)
{
    double seconds = 0, launches = 0;
    for (size_t i = 0; i < donors->count; i++)
        if (!strcmp(donors->donor[i].symbol, kernel->symbol))
            kernel->means = &donors->donor[i].means;
    for (size_t k = 0; kernel->means && k < derivation->kernels; k++) {
        const struct sms__derived *other = &derivation->kernel[k];
        bool same = !strcmp(other->symbol, kernel->symbol);
        kernel->borrowed |= same && other != kernel;
        seconds += same ? other->sum_s : 0;
        launches += same ? (double)other->launches : 0;
    }
    if (kernel->means)
        kernel->means_s = seconds / launches;
}

static void finish(struct sms__derivation *derivation, const struct donors *donors, struct sms__derived *kernel)
{
    kernel->time_s = kernel->sum_s / (double)kernel->launches;
    kernel->means_s = kernel->time_s;
    kernel->means = &kernel->own;
    if (kernel->own.count == 0) {
        kernel->means = NULL;
        borrow(derivation, donors, kernel);
    }
    double variance = kernel->squares > 0 ? kernel->squares / (double)kernel->launches : 0;
    kernel->spread = sqrt(variance) / kernel->time_s;
    kernel->jitter = kernel->launches >= JITTER_LAUNCHES ? kernel->spread : 0;
    kernel->jitter = kernel->jitter < 0.5 ? floor(kernel->jitter * 1000) / 1000 : 0.5;
    sms__derive_uses(derivation, kernel);
}

static size_t stand_ins_of(const struct sms__derivation *derivation, const struct sms__derived *kernel)
{
    size_t count = (kernel->clock_from != NULL) + kernel->by_cycles + kernel->borrowed + kernel->idle_unknown +
                   isnan(kernel->occupancy);
    for (size_t r = 0; r < derivation->device->resources; r++)
        count += !kernel->use[r].known || kernel->use[r].stands_in;
    return count;
}

/* Takes out those that fit no SM, and corrects which kernel each launch is. */
static void keep_fitting(struct sms__derivation *derivation)
{
    size_t kept = 0, *now = SMS__NEW(derivation->arena, size_t, derivation->kernels + 1);
    for (size_t k = 0; k < derivation->kernels; k++) {
        struct sms__derived *kernel = &derivation->kernel[k];
        const char *why = sms__derive_shape(derivation, kernel);
        if (!why && kernel->assumptions && sms__derive_assume_whole(derivation, kernel))
            why = sms__derive_shape(derivation, kernel);
        const char *device = derivation->device->name;
        if (!why && derivation->target != derivation->device) {
            why = sms__derive_retarget(derivation, kernel);
            device = derivation->target->name;
        }
        now[k] = why ? SIZE_MAX : kept;
        if (why)
            sms__derive_note(derivation, kernel->line, "'%s': on %s, %s",
                             sms__derive_text(derivation->arena, kernel->symbol, 60), device, why);
        else
            derivation->kernel[kept++] = *kernel;
        derivation->stand_ins += why ? 0 : stand_ins_of(derivation, kernel);
        derivation->assumptions += why ? 0 : kernel->assumptions;
    }
    for (size_t l = 0; l < derivation->profile->launches; l++)
        derivation->of[l] = derivation->of[l] == SIZE_MAX ? SIZE_MAX : now[derivation->of[l]];
    derivation->kernels = kept;
}

static bool is_timeless(struct sms__derivation *derivation)
{
    bool by_cycles;
    for (size_t l = 0; l < derivation->profile->launches; l++)
        if (!isnan(measured_time(derivation, &derivation->profile->launch[l], &by_cycles)))
            return false;
    return true;
}

void sms__derive_collect(struct sms__derivation *derivation)
{
    struct donors donors = {0};
    derivation->timeless = is_timeless(derivation);
    derivation->of = SMS__NEW(derivation->arena, size_t, derivation->profile->launches + 1);
    for (size_t l = 0; l < derivation->profile->launches; l++)
        add_launch(derivation, &donors, l);
    if (derivation->kernels == 0 && derivation->notes == 0)
        assume_all(derivation, &donors);
    for (size_t k = 0; k < derivation->kernels; k++)
        finish(derivation, &donors, &derivation->kernel[k]);
    keep_fitting(derivation);
    for (size_t i = 0; i < donors.count; i++) {
        bool used = false;
        for (size_t k = 0; k < derivation->kernels && !used; k++)
            used = !strcmp(derivation->kernel[k].symbol, donors.donor[i].symbol);
        if (!used)
            sms__derive_note(derivation, 0, "metrics of '%s': no launch with its geometry and time",
                             sms__derive_text(derivation->arena, donors.donor[i].symbol, 60));
    }
}
