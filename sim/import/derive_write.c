/* Writes the workload document. Comments state where each number comes from. */
#include "derive_internal.h"
#include "text.h"

#include "../model/sheet.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { COMMENT_MAX = 160 };

static const char *const limit_words[SMS_LIMITS] = {"blocks", "threads", "warps", "registers", "shared memory"};

static const char *workload_name(struct sms__derivation *derivation)
{
    const char *given = derivation->options->name;
    char *name = sms__copy(derivation->arena, given ? given : "", given ? strlen(given) : 0);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-./", *c))
            *c = '_';
    return sms__is_name(name) && *name != '-' ? name : "profile";
}

/* A duration with at least seven digits. */
static const char *duration(struct sms__arena *arena, double seconds)
{
    return seconds < 1e-6 ? sms__print(arena, "%.0f ps", seconds * 1e12 > 1 ? seconds * 1e12 : 1)
                          : sms__print(arena, "%.6f us", seconds * 1e6);
}

static const char *percent(struct sms__arena *arena, double ratio) { return sms__print(arena, "%.2f %%", 100 * ratio); }

static void write_occupancy(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const struct sms__occupancy *modelled = &kernel->fit.timing.modelled;
    fprintf(to, "  # resident: %zu blocks per SM (limited by %s), %.3f on average; waves: %.2f\n", modelled->per_sm,
            limit_words[modelled->limiter], modelled->mean_per_sm,
            (double)kernel->shape.blocks / ((double)modelled->per_sm * (double)derivation->device->sms));
    size_t warp = derivation->device->sm.warp, whole_warps = (kernel->shape.threads + warp - 1) / warp;
    double warps = (double)whole_warps / (double)derivation->device->sm.warps;
    fprintf(to, "  # occupancy: theoretical %s, ", percent(derivation->arena, warps * (double)modelled->per_sm));
    if (isnan(kernel->measured.occupancy))
        fputs("achieved not measured (approximation: the model's)", to);
    else
        fprintf(to, "achieved %s", percent(derivation->arena, kernel->measured.occupancy));
    fprintf(to, ", modelled %s%s\n", percent(derivation->arena, modelled->occupancy),
            kernel->fit.jitter_fitted ? ", with fitted jitter" : "");
    if (fabs(kernel->measured.occupancy - modelled->occupancy) > 0.05)
        fputs("  # the model misses the achieved occupancy: its slots are refilled at once, and its blocks are alike\n",
              to);
}

static void write_timing(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const struct sms__timing *timing = &kernel->fit.timing;
    const struct sms__dispatch *dispatch = &derivation->device->dispatch;
    double interval_ns = (double)dispatch->block_ps / 1e3;
    if (timing->by_dispatch)
        fprintf(to, "  # dispatch: the start of a block each %.6g ns sets the length; block time from %s\n",
                interval_ns,
                timing->by_occupancy ? "the achieved occupancy, launch from the rest" : "what is left of the time");
    else if (timing->is_short)
        fprintf(to,
                "  # approximation: launch is 3/4 of the time, as the device's %.6g us leave too little for blocks\n",
                dispatch->launch_ps / 1e6);
    if (timing->too_fast)
        fprintf(to, "  # approximation: blocks started faster than one each %.6g ns; alone, it takes %s here\n",
                interval_ns, duration(derivation->arena, timing->lasts_s));
}

static void write_usage(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const char *between = "  # usage: ";
    for (size_t r = 0; r < derivation->device->resources; r++) {
        if (!kernel->measured.usage[r].known || kernel->measured.usage[r].ratio < 5e-5)
            continue;
        fprintf(to, "%s%s %s", between, derivation->device->resource[r].name,
                percent(derivation->arena, kernel->measured.usage[r].ratio));
        between = ", ";
    }
    if (between[0] == ',')
        fputc('\n', to);
    fprintf(to, "  # bottleneck: %s", sms__class_names[kernel->measured.bottleneck]);
    fprintf(to, kernel->measured.bottleneck == SMS__LATENCY_BOUND ? "\n" : " (%s)\n",
            kernel->measured.top_resource >= 0 ? derivation->device->resource[kernel->measured.top_resource].name : "");
}

static void write_unmeasured(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const char *between = "  # approximation: no metric for ";
    for (size_t r = 0; r < derivation->device->resources; r++) {
        if (kernel->measured.usage[r].known)
            continue;
        fprintf(to, "%s%s", between, derivation->device->resource[r].name);
        between = ", ";
    }
    if (between[0] == ',')
        fputs("; no demand\n", to);
}

static void write_approximations(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    bool any = false;
    for (size_t r = 0; r < derivation->device->resources; r++) {
        const struct sms__usage *use = &kernel->measured.usage[r];
        any |= use->known;
        if (use->known && use->approximate)
            fprintf(to, "  # approximation: %s from %s\n", derivation->device->resource[r].name, use->from);
        if (kernel->fit.clamped[r])
            fprintf(to, "  # clamped: %s; in full waves, an SM or the device would not have enough of it\n",
                    derivation->device->resource[r].name);
    }
    if (!any)
        fputs("  # approximation: no metrics; no demands\n", to);
    if (any)
        write_unmeasured(derivation, kernel, to);
    if (kernel->measured.clock_from && any)
        fprintf(to, "  # approximation: clock from %s\n", kernel->measured.clock_from);
    if (kernel->time.from)
        fprintf(to, "  # approximation: time from %s\n", kernel->time.from);
    if (kernel->unknown_registers || kernel->unknown_shared)
        fprintf(to, "  # approximation: %s%s%s unknown, taken as 0\n", kernel->unknown_registers ? "registers" : "",
                kernel->unknown_registers && kernel->unknown_shared ? " and " : "",
                kernel->unknown_shared ? "shared memory" : "");
    if (kernel->measured.activity_from_model)
        fputs("  # approximation: share of SM time with a block from the model\n", to);
    if (kernel->measured.pooled)
        fputs("  # approximation: metrics are means over several geometries; usage is assumed equal in all\n", to);
}

/* "compute 40 % x 0.5" */
static const char *part_of(const struct sms__derivation *derivation, const struct sms__retargeted *scaled, int bound)
{
    return sms__print(derivation->arena, "%s %s x %.3f", sms__bound_names[bound],
                      percent(derivation->arena, scaled->share[bound]), scaled->ratio[bound]);
}

/* How the time of the kernel was scaled, and how far off that may be. */
static void write_scaling(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const struct sms__retargeted *scaled = &kernel->fit.scaled;
    double factor = sms__retarget_factor(scaled->bound), time_s = kernel->time.mean_s * scaled->time;
    fprintf(to, "  # on %s: %zu blocks per SM; time %s, %s, %s\n", derivation->target->name,
            kernel->fit.on_target.per_sm, part_of(derivation, scaled, 0), part_of(derivation, scaled, 1),
            part_of(derivation, scaled, 2));
    fprintf(to, "  # predicted: %s", duration(derivation->arena, time_s));
    if (!sms__scaling_known(derivation->device) || !sms__scaling_known(derivation->target)) {
        fputs("; how far off is not known: no kernel was held back on both devices\n", to);
        return;
    }
    fprintf(to, "; 80 %% of kernels held back that %s bounds: from / %.2f to x %.2f, here %s to %s\n",
            sms__bound_names[scaled->bound], factor, factor, duration(derivation->arena, time_s / factor),
            duration(derivation->arena, time_s * factor));
}

static void write_comment(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    struct sms__arena *arena = derivation->arena;
    fprintf(to, "  # %s\n", sms__derive_text(arena, kernel->symbol, COMMENT_MAX));
    fprintf(to,
            "  # measured: %s, mean of %llu launch%s (%.3f to %.3f us, coefficient of variation %s); clock %.0f MHz\n",
            duration(arena, kernel->time.mean_s), (unsigned long long)kernel->launches,
            kernel->launches == 1 ? "" : "es", kernel->time.min_s * 1e6, kernel->time.max_s * 1e6,
            percent(arena, kernel->time.spread), kernel->measured.clock_hz / 1e6);
    write_occupancy(derivation, kernel, to);
    write_timing(derivation, kernel, to);
    write_usage(derivation, kernel, to);
    write_approximations(derivation, kernel, to);
    if (sms__derive_scales(derivation))
        write_scaling(derivation, kernel, to);
}

/* Returns the demand in thousandths of a per cent, rounded down, so that demands that fill a resource exactly do not
 * oversubscribe it. */
static double thousandths_of(const struct sms__derived *kernel, size_t r)
{
    return floor(kernel->fit.demand[r] * 1e5 + 1e-6);
}

static void write_demand(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const char *between = "";
    fputs("    demand: {", to);
    for (size_t r = 0; r < derivation->target->resources; r++) {
        double thousandths = thousandths_of(kernel, r);
        if (thousandths < 1)
            continue;
        fprintf(to, "%s%s: %.3f %%", between, derivation->target->resource[r].name, thousandths / 1e3);
        between = ", ";
    }
    fputs("}\n", to);
}

static void write_kernel(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const struct sms__kernel *shape = &kernel->shape;
    write_comment(derivation, kernel, to);
    fprintf(to, "  - name: %s\n    blocks: %llu\n    threads: %llu\n    registers: %llu\n    shared_memory: %llu B\n",
            kernel->name, (unsigned long long)shape->blocks, (unsigned long long)shape->threads,
            (unsigned long long)shape->registers, (unsigned long long)shape->shared_memory);
    fprintf(to, "    block_time: %s\n",
            duration(derivation->arena, kernel->fit.timing.block_s * kernel->fit.scaled.block_time));
    /* It scales with what launches cost on the target, if both device files say that. */
    double there = derivation->target->dispatch.launch_ps, here = derivation->device->dispatch.launch_ps;
    double launch_s = kernel->fit.timing.launch_s * (there > 0 && here > 0 ? there / here : 1);
    launch_s += kernel->gap_s;
    if (here > 0 || there > 0 || launch_s > 0)
        fprintf(to, "    launch: %s\n", launch_s > 0 ? duration(derivation->arena, launch_s) : "0 s");
    write_demand(derivation, kernel, to);
    if (kernel->fit.jitter >= SMS__JITTER_WRITTEN)
        fprintf(to, "    jitter: %.1f %%\n", 100 * kernel->fit.jitter);
}

static void write_step(const struct sms__derivation *derivation, const struct sms__derived_step *step, FILE *to)
{
    if (step->kind != SMS__DERIVED_LAUNCH)
        fprintf(to, "  - %s: %.0f B\n", step->kind == SMS__DERIVED_COPY_IN ? "copy_in" : "copy_out", step->bytes);
    else
        fprintf(to, "  - {launch: %s", derivation->kernel[step->kernel].name);
    if (step->kind == SMS__DERIVED_LAUNCH && step->times > 1)
        fprintf(to, ", times: %llu", (unsigned long long)step->times);
    if (step->ahead)
        fprintf(to, ", async: %s", step->call_s > 0 ? duration(derivation->arena, step->call_s) : "0 s");
    fputs(step->kind == SMS__DERIVED_LAUNCH ? "}\n" : "", to);
    if (step->host_s > 0)
        fprintf(to, "  - host: %s\n", duration(derivation->arena, step->host_s));
}

static void write_retargeting(const struct sms__derivation *derivation, FILE *to)
{
    const struct sms__device *device = derivation->device, *target = derivation->target;
    if (!sms__derive_scales(derivation))
        return;
    if (derivation->options->clock_hz > 0)
        fprintf(to, "# Times are those at an SM clock of %.0f MHz.\n", derivation->options->clock_hz / 1e6);
    fprintf(
        to,
        "# Measured on %s, scaled to %s. A kernel's time is split by what it waits for: compute, memory, latency.\n"
        "# Each part is scaled by capacity, or by clock and waves. Assumed: a block does the same work on both, and\n"
        "# caches help equally.\n",
        device->name, target->name);
    for (size_t r = 0; r < device->resources; r++) {
        int to_r = sms__resource_index(target, device->resource[r].name);
        double device_capacity = sms__derive_capacity(device, r, device->clock_hz);
        if (to_r < 0)
            fprintf(to, "# %s has no %s: demands on it are left out\n", target->name, device->resource[r].name);
        else if (!(device_capacity > 0) || !(sms__derive_capacity(target, (size_t)to_r, target->clock_hz) > 0))
            fprintf(to, "# %s: a device file gives no capacity; assumed equal per SM\n", device->resource[r].name);
    }
}

/* The share of kernel time that no metric describes. */
static double unmeasured(const struct sms__derivation *derivation)
{
    double all = 0, without = 0;
    for (size_t k = 0; k < derivation->kernels; k++) {
        const struct sms__derived *kernel = &derivation->kernel[k];
        bool known = false;
        for (size_t r = 0; r < derivation->device->resources; r++)
            known |= kernel->measured.usage[r].known;
        all += kernel->time.sum_s;
        without += known ? 0 : kernel->time.sum_s;
    }
    return without / all;
}

static bool is_demanded(const struct sms__derivation *derivation, const char *resource)
{
    const int r = sms__resource_index(derivation->target, resource);
    bool demanded = false;
    for (size_t k = 0; k < derivation->kernels && r >= 0; k++)
        demanded |= thousandths_of(&derivation->kernel[k], (size_t)r) >= 1;
    return demanded;
}

/* An error below 0.1 % is written as 0.1 %. */
static void write_uncertainty(const struct sms__derivation *derivation, FILE *to)
{
    const char *between = "uncertainty: {";
    for (size_t r = 0; r < derivation->device->resources; r++) {
        const char *name = derivation->device->resource[r].name;
        const double ratio = sms__derive_uncertainty(derivation, r);
        if (isnan(ratio) || !is_demanded(derivation, name))
            continue;
        fprintf(to, "%s%s: %.1f %%", between, name, fmin(fmax(ceil(ratio * 1000 - 1e-6) / 10, 0.1), 100));
        between = ", ";
    }
    fputs(between[0] == ',' ? "}\n" : "", to);
}

static void write_head(struct sms__derivation *derivation, FILE *to)
{
    const struct sms__profile *profile = derivation->profile;
    const char *source = derivation->options->source;
    if (!source)
        source = profile->tool ? profile->tool : "profile";
    fputs("# Derived from a profile (docs/how-to/profiles.md). Bottleneck: latency if no resource reaches 50 % usage;\n"
          "# otherwise compute or memory, the class of the most used one, or mixed if both classes are within 10 "
          "points.\n",
          to);
    fprintf(to, "# Kernels: %zu. Approximations: %zu. Left out: %zu.\n", derivation->kernels,
            derivation->approximations, derivation->omitted.total);
    if (derivation->options->device_evidence)
        fprintf(to, "# Profiled on %s, %s.\n", derivation->device->name,
                sms__derive_text(derivation->arena, derivation->options->device_evidence, COMMENT_MAX));
    for (size_t n = 0; n < derivation->omitted.count; n++) {
        const struct sms__omission *omission = &derivation->omitted.item[n];
        fprintf(to, omission->line ? "# left out: line %u: " : "# left out: ", omission->line);
        fprintf(to, "%s\n", sms__derive_omission_text(derivation->arena, omission));
    }
    write_retargeting(derivation, to);
    fprintf(to, "workload: %s\n", workload_name(derivation));
    if (derivation->options->title)
        fprintf(to, "title: \"%s\"\n", sms__derive_text(derivation->arena, derivation->options->title, COMMENT_MAX));
    fprintf(to, "source: \"%s\"\ndevice: %s\n", sms__derive_text(derivation->arena, source, COMMENT_MAX),
            derivation->target->name);
    if (unmeasured(derivation) >= 0.0005)
        fprintf(to, "unmeasured: %.1f %%\n", 100 * unmeasured(derivation));
    write_uncertainty(derivation, to);
    if (derivation->target != derivation->device)
        fprintf(to, "scaled_from: %s\n", derivation->device->name);
}

void sms__derive_write(struct sms__derivation *derivation)
{
    FILE *to = derivation->to;
    sms__derive_names(derivation);
    write_head(derivation, to);
    fputs("kernels:\n", to);
    for (size_t k = 0; k < derivation->kernels; k++)
        write_kernel(derivation, &derivation->kernel[k], to);
    if (derivation->overlaps)
        fprintf(to,
                "# %llu launches started before the previous operation had ended; here they run one after another\n",
                (unsigned long long)derivation->overlaps);
    if (derivation->copying_s > 0)
        fprintf(to, "# copies ran at %.3g GB/s; in a simulation, the link of the device sets their speed\n",
                derivation->copied / derivation->copying_s / 1e9);
    if (derivation->order)
        fprintf(to, "# %s\n", derivation->order);
    fputs("steps:\n", to);
    if (derivation->lead_s > 0)
        fprintf(to, "  - host: %s\n", duration(derivation->arena, derivation->lead_s));
    for (size_t d = 0; d < derivation->steps; d++)
        write_step(derivation, &derivation->step[d], to);
}
