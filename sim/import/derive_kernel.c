/* Groups the launches of a profile into kernels: launches of one symbol, geometry, registers and shared memory are one
 * kernel, with mean duration and mean metrics. */
#include "derive_internal.h"

#include "../base/intern.h"

#include <math.h>
#include <stdlib.h>
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
    struct sms__string_pool numbers; /* of entries, from 1, by symbol */
    struct symbol_metrics *entry;
    size_t count;
};

static const char *symbol_of(const struct sms__profile_shape *shape) { return shape->kernel ? shape->kernel : ""; }

double sms__derive_volume(const uint64_t size[3])
{
    return (double)size[0] * (double)(size[1] ? size[1] : 1) * (double)(size[2] ? size[2] : 1);
}

static struct symbol_metrics *find_symbol(const struct symbol_table *by_symbol, const char *symbol)
{
    const struct sms__pooled_string *number = sms__interned(&by_symbol->numbers, symbol);
    return number ? &by_symbol->entry[number->value - 1] : NULL;
}

const char *sms__derive_reject(const struct sms__profile_launch *launch, double seconds)
{
    const struct sms__profile_shape *shape = launch->shape;
    if (shape->grid[0] == 0 || shape->block[0] == 0)
        return "no grid or block size";
    if (sms__derive_volume(shape->grid) > COUNT_MAX)
        return "more blocks than 2^53";
    if (sms__derive_volume(shape->block) > 1024 * 16)
        return "more threads in a block than any device allows";
    if (launch->count > LAUNCHES_MAX)
        return "more than 10^12 launches";
    if (isnan(seconds))
        return "no duration (of ncu: --metrics gpu__time_duration.sum, or --set full)";
    if (seconds < 1e-12)
        return "a duration of zero";
    if (seconds > SECONDS_MAX)
        return "a duration above 9e6 s";
    return NULL;
}

bool sms__derive_elsewhere(const struct sms__profile *profile, const struct sms__trace_place *place)
{
    const char *first = profile->launch[0].place->device, *own = place ? place->device : NULL;
    return first != own && first && own && *first && *own && strcmp(first, own) != 0;
}

static double shared_bytes(const struct sms__profile_shape *shape)
{
    double fixed = shape->static_shared >= 0 ? shape->static_shared : 0;
    double dynamic = shape->dynamic_shared >= 0 ? shape->dynamic_shared : 0;
    return fixed + dynamic < 1e12 ? floor(fixed + dynamic + 0.5) : 1e12;
}

/* The kernel of a launch's group, which is added if it is new. NULL if there are too many kernels. */
static struct sms__derived *kernel_of(struct sms__derivation *derivation, const struct sms__launch_span *span,
                                      const struct sms__profile_launch *launch)
{
    const struct sms__profile_shape *shape = launch->shape;
    size_t *number = &span->group->kernel;
    if (*number)
        return &derivation->kernel[*number - 1];
    if (derivation->kernels == KERNELS_MAX)
        return NULL;
    struct sms__derived *kernel = SMS__APPEND(derivation->arena, derivation->kernel, derivation->kernels);
    *number = derivation->kernels;
    kernel->symbol = symbol_of(shape);
    kernel->line = launch->line;
    kernel->metric = launch->metrics ? launch->metric : NULL;
    kernel->unknown_registers = shape->registers == 0;
    kernel->unknown_shared = isnan(shape->static_shared) && isnan(shape->dynamic_shared);
    memcpy(kernel->grid, shape->grid, sizeof kernel->grid);
    memcpy(kernel->block, shape->block, sizeof kernel->block);
    kernel->shape.blocks = (uint64_t)sms__derive_volume(shape->grid);
    kernel->shape.threads = (uint64_t)sms__derive_volume(shape->block);
    kernel->shape.registers = shape->registers;
    kernel->shape.shared_memory = (uint64_t)shared_bytes(shape);
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
    bool lacks_geometry = launch->shape->grid[0] == 0 || launch->shape->block[0] == 0;
    if (lacks_geometry && launch->metrics) {
        const char *symbol = symbol_of(launch->shape);
        struct sms__pooled_string *number = sms__intern(&by_symbol->numbers, symbol, strlen(symbol));
        if (!number->value) {
            SMS__APPEND(derivation->arena, by_symbol->entry, by_symbol->count)->symbol = symbol;
            number->value = by_symbol->count;
        }
        sms__metrics_add(derivation->arena, &by_symbol->entry[number->value - 1].metrics, launch, NAN);
        return;
    }
    const char *from;
    const double seconds = sms__derive_launch_time(derivation, launch, &from);
    const char *why = sms__derive_elsewhere(derivation->profile, launch->place) ? "on another device"
                                                                                : sms__derive_reject(launch, seconds);
    struct sms__derived *kernel = why ? NULL : kernel_of(derivation, &derivation->span[l % derivation->spans], launch);
    if (kernel && kernel->launches > LAUNCHES_MAX - count)
        why = "more than 10^12 launches";
    if (!why && !kernel)
        why = "more than 4096 kernels";
    if (why) {
        sms__derive_omit(derivation, launch->line, symbol_of(launch->shape), why);
        return;
    }
    if (from && !kernel->time.from)
        kernel->time.from = from;
    add_time(kernel, seconds, count);
    sms__metrics_add(derivation->arena, &kernel->measured.own, launch, seconds);
    derivation->kernel_of_launch[l] = (size_t)(kernel - derivation->kernel);
}

/* Whether the metrics of this kernel are those of the other, too: means over the launches of both. */
static bool shares_metrics(const struct sms__derived *kernel, const struct sms__derived *other)
{
    return kernel->metric ? kernel->metric == other->metric : !strcmp(other->symbol, kernel->symbol);
}

/* Metrics that are means over launches of several kernels belong to the mean time of those. Usage is then taken as
 * equal in all of them, so counts scale with the duration. */
static void pool_metrics(struct sms__derivation *derivation, const struct symbol_table *by_symbol,
                         struct sms__derived *kernel)
{
    double seconds = 0, launches = 0;
    const struct symbol_metrics *of_symbol = find_symbol(by_symbol, kernel->symbol);
    kernel->measured.metrics = kernel->metric ? &kernel->measured.own : of_symbol ? &of_symbol->metrics : NULL;
    for (size_t k = 0; kernel->measured.metrics && k < derivation->kernels; k++) {
        const struct sms__derived *other = &derivation->kernel[k];
        bool same = shares_metrics(kernel, other);
        kernel->measured.pooled |= same && other != kernel;
        seconds += same ? other->time.sum_s : 0;
        launches += same ? (double)other->launches : 0;
    }
    kernel->measured.time_s = seconds / launches;
    if (derivation->profile->demands && kernel->metric) { /* counts were of a launch that took another time */
        const char *from;
        const double own_s =
            sms__derive_metric_time(derivation->arena, &kernel->measured.own, derivation->device, &from);
        kernel->measured.time_s = own_s > 0 ? own_s : kernel->measured.time_s;
    }
}

static void finish_kernel(struct sms__derivation *derivation, const struct symbol_table *by_symbol,
                          struct sms__derived *kernel)
{
    kernel->time.mean_s = kernel->time.sum_s / (double)kernel->launches;
    pool_metrics(derivation, by_symbol, kernel);
    double variance = fmax(kernel->time.squared_deviations, 0) / (double)kernel->launches;
    kernel->time.spread = sqrt(variance) / kernel->time.mean_s;
    kernel->fit.jitter = kernel->launches >= JITTER_LAUNCHES ? kernel->time.spread : 0;
    kernel->fit.jitter = fmin(floor(kernel->fit.jitter * 1000) / 1000, 0.5);
    sms__derive_usage(derivation, kernel);
}

static size_t count_approximations(const struct sms__derivation *derivation, const struct sms__derived *kernel)
{
    size_t count = (kernel->measured.clock_from != NULL) + (kernel->time.from != NULL) + kernel->measured.pooled +
                   kernel->measured.activity_from_model + isnan(kernel->measured.occupancy) +
                   kernel->unknown_registers + kernel->unknown_shared +
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
        const char *device = derivation->device->name;
        if (!why && sms__derive_scales(derivation)) {
            why = sms__derive_retarget(derivation, kernel);
            device = derivation->target->name;
        }
        new_index[k] = why ? SIZE_MAX : kept;
        if (why)
            sms__derive_omit(derivation, kernel->line, kernel->symbol,
                             sms__print(derivation->arena, "on %s, %s", device, why));
        else
            derivation->kernel[kept++] = *kernel;
        derivation->approximations += why ? 0 : count_approximations(derivation, kernel);
    }
    for (size_t l = 0; l < derivation->profile->launches; l++)
        derivation->kernel_of_launch[l] =
            derivation->kernel_of_launch[l] == SIZE_MAX ? SIZE_MAX : new_index[derivation->kernel_of_launch[l]];
    derivation->kernels = kept;
}

/* Launches of one kernel and geometry whose durations differ by this factor or more, with none in between, do different
 * work: they are several kernels, at most GROUPS_MAX, cut at the widest gaps. */
static const double GAP_FACTOR = 2;

enum { GROUPS_MAX = 4 };

static int compare(double a, double b) { return a < b ? -1 : a > b; }

/* 0: launches of the shapes can be one kernel. */
static int order_of_shapes(const struct sms__profile_shape *x, const struct sms__profile_shape *y)
{
    if (x == y)
        return 0;
    int order = strcmp(symbol_of(x), symbol_of(y));
    order = order ? order : memcmp(x->grid, y->grid, sizeof x->grid);
    order = order ? order : memcmp(x->block, y->block, sizeof x->block);
    order = order ? order : compare((double)x->registers, (double)y->registers);
    return order ? order : compare(shared_bytes(x), shared_bytes(y));
}

/* Orders launches by what makes them one kernel, then by duration. */
static int by_duration(const void *left, const void *right)
{
    const struct sms__launch_span *a = *(struct sms__launch_span *const *)left;
    const struct sms__launch_span *b = *(struct sms__launch_span *const *)right;
    int order = order_of_shapes(a->launch->shape, b->launch->shape);
    order = order ? order : compare(a->mean_s > 0 ? a->mean_s : 0, b->mean_s > 0 ? b->mean_s : 0);
    return order ? order : a->launch < b->launch ? -1 : a->launch > b->launch;
}

/* Splits spans of one kernel and geometry, which are in the order of their durations: at each of the widest gaps a
 * group of its own begins. A span leads its group if it is the shortest one. */
static void split(struct sms__launch_span **span, size_t count)
{
    span[0]->group = span[0];
    for (size_t cuts = 0; cuts < GROUPS_MAX - 1; cuts++) {
        size_t at = 0;
        double widest = 0;
        for (size_t i = 1; i < count; i++) {
            bool may = !span[i]->group && span[i - 1]->mean_s > 0;
            double gap = may ? span[i]->mean_s / span[i - 1]->mean_s : 0;
            at = gap >= GAP_FACTOR && gap > widest ? i : at;
            widest = gap > widest ? gap : widest;
        }
        if (at == 0)
            break;
        span[at]->group = span[at];
    }
    for (size_t i = 1; i < count; i++)
        span[i]->group = span[i]->group ? span[i]->group : span[i - 1]->group;
}

/* How many launches a round has that are of one shape at each place of all rounds; otherwise how many there are. */
static size_t count_spans(const struct sms__profile *profile)
{
    const size_t launches = profile->launches, length = profile->rounds ? launches / profile->rounds : 0;
    if (length == 0 || launches % profile->rounds)
        return launches;
    for (size_t l = length; l < launches; l++)
        if (profile->launch[l].shape != profile->launch[l - length].shape)
            return launches;
    return length;
}

/* Finds the mean durations of the spans, and the groups into which those of one kernel and geometry fall. */
static void group_launches(struct sms__derivation *derivation)
{
    const size_t launches = derivation->profile->launches, spans = count_spans(derivation->profile);
    const size_t rounds = spans > 0 ? launches / spans : 1;
    struct sms__launch_span **span = SMS__NEW(derivation->arena, struct sms__launch_span *, spans + 1);
    derivation->span = SMS__NEW(derivation->arena, struct sms__launch_span, spans + 1);
    derivation->spans = spans;
    for (size_t l = 0; l < launches && spans > 0; l++) {
        const char *from;
        derivation->span[l % spans].mean_s +=
            sms__derive_launch_time(derivation, &derivation->profile->launch[l], &from) / (double)rounds;
    }
    for (size_t s = 0; s < spans; s++) {
        derivation->span[s].launch = &derivation->profile->launch[s];
        span[s] = &derivation->span[s];
    }
    if (spans)
        qsort(span, spans, sizeof *span, by_duration);
    for (size_t from = 0, to = 1; from < spans; from = to++) {
        while (to < spans && !order_of_shapes(span[from]->launch->shape, span[to]->launch->shape))
            to++;
        split(span + from, to - from);
    }
}

void sms__derive_collect(struct sms__derivation *derivation)
{
    struct symbol_table by_symbol = {.numbers = {.arena = derivation->arena}};
    group_launches(derivation);
    derivation->kernel_of_launch = SMS__NEW(derivation->arena, size_t, derivation->profile->launches + 1);
    for (size_t l = 0; l < derivation->profile->launches; l++)
        add_launch(derivation, &by_symbol, l);
    for (size_t k = 0; k < derivation->kernels; k++)
        finish_kernel(derivation, &by_symbol, &derivation->kernel[k]);
    sms__derive_spread(derivation);
    keep_fitting(derivation);
    for (size_t i = 0; i < by_symbol.count; i++) {
        bool used = false;
        for (size_t k = 0; k < derivation->kernels && !used; k++)
            used = !strcmp(derivation->kernel[k].symbol, by_symbol.entry[i].symbol);
        if (!used)
            sms__derive_omit(
                derivation, 0, by_symbol.entry[i].symbol,
                "has metrics, and no launch with geometry and duration: import the trace with them (nvprof "
                "--print-gpu-trace --csv)");
    }
}
