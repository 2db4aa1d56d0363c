/* The workload document, each number with what it comes from. */
#include "derive_inside.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { COMMENT_MAX = 160, NAME_LENGTH = 48 };

static const char *const limit_words[SMS_LIMITS] = {"blocks", "threads", "warps", "registers", "shared memory"};

const char *sms__derive_text(struct sms__arena *arena, const char *text, size_t most)
{
    size_t length = text ? strlen(text) : 0;
    char *copy = sms__copy(arena, text ? text : "", length < most ? length : most);
    for (char *c = copy; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
            *c = '?';
    return copy;
}

/* From a symbol: no return type, namespaces, templates and arguments; letters, digits and '_'. */
static char *plain_name(struct sms__arena *arena, const char *symbol)
{
    const char *from = symbol, *to;
    if (!strncmp(from, "void ", 5))
        from += 5;
    size_t length = strcspn(from, "<(");
    for (to = from; (size_t)(to - from) + 1 < length; to++)
        if (to[0] == ':' && to[1] == ':') {
            length -= (size_t)(to + 2 - from);
            from = to + 2;
            to = from - 1;
        }
    char *name = sms__copy(arena, from, length < NAME_LENGTH ? length : NAME_LENGTH);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) || (unsigned char)*c > 127)
            *c = '_';
    return *name ? name : sms__print(arena, "kernel");
}

static bool is_taken(const struct sms__derivation *derivation, size_t before, const char *name)
{
    for (size_t k = 0; k < before; k++)
        if (!strcmp(derivation->kernel[k].name, name))
            return true;
    return false;
}

/* The second of a name is NAME_2, unless another is called so. */
static void name_kernels(struct sms__derivation *derivation)
{
    for (size_t k = 0; k < derivation->kernels; k++) {
        struct sms__derived *kernel = &derivation->kernel[k];
        size_t n = 1;
        kernel->plain = kernel->name = plain_name(derivation->arena, kernel->symbol);
        for (size_t before = 0; before < k; before++)
            n += !strcmp(derivation->kernel[before].plain, kernel->plain);
        for (n = n > 1 ? n : 2; is_taken(derivation, k, kernel->name); n++)
            kernel->name = sms__print(derivation->arena, "%s_%zu", kernel->plain, n);
    }
}

static const char *workload_name(struct sms__derivation *derivation)
{
    const char *given = derivation->options->name;
    size_t length = given ? strlen(given) : 0;
    char *name = sms__copy(derivation->arena, given ? given : "", length < 80 ? length : 80);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-./", *c))
            *c = '_';
    if (!*name || *name == '/' || *name == '.' || *name == '-' || strstr(name, ".."))
        return "profile";
    return name;
}

/* Seconds as a quantity of at least seven digits. */
static const char *duration(struct sms__arena *arena, double seconds)
{
    return seconds < 1e-6 ? sms__print(arena, "%.0f ps", seconds * 1e12 > 1 ? seconds * 1e12 : 1)
                          : sms__print(arena, "%.6f us", seconds * 1e6);
}

static const char *percent(struct sms__arena *arena, double ratio) { return sms__print(arena, "%.2f %%", 100 * ratio); }

static void write_occupancy(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const struct sms__lie *lie = &kernel->lie;
    fprintf(to, "  # resident: %zu blocks an SM (by %s), %.3f on average; waves: %.2f\n", lie->per_sm,
            limit_words[lie->binds], lie->average,
            (double)kernel->shape.blocks / ((double)lie->per_sm * (double)derivation->device->sms));
    size_t whole_warps = (kernel->shape.threads + 31) / 32;
    double warps = (double)whole_warps / (double)derivation->device->sm.warps;
    fprintf(to, "  # occupancy: theoretical %s, ", percent(derivation->arena, warps * (double)lie->per_sm));
    if (isnan(kernel->occupancy))
        fputs("achieved not measured (stand-in: the model's)", to);
    else
        fprintf(to, "achieved %s", percent(derivation->arena, kernel->occupancy));
    fprintf(to, ", of the model %s%s\n", percent(derivation->arena, lie->occupancy),
            kernel->shaped ? ", by the choice of jitter" : "");
    if (fabs(kernel->occupancy - lie->occupancy) > 0.05)
        fputs("  # the model's slots are refilled at once, and its blocks are alike: achieved occupancy is not met\n",
              to);
}

static void write_uses(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const char *between = "  # use: ";
    for (size_t r = 0; r < derivation->device->resources; r++) {
        if (!kernel->use[r].known || kernel->use[r].ratio < 5e-5)
            continue;
        fprintf(to, "%s%s %s", between, derivation->device->resource[r].name,
                percent(derivation->arena, kernel->use[r].ratio));
        between = ", ";
    }
    if (between[0] == ',')
        fputc('\n', to);
    fprintf(to, "  # bottleneck: %s", sms__class_names[kernel->bottleneck]);
    fprintf(to, kernel->bottleneck == SMS__LATENCY_BOUND ? "\n" : " (%s)\n",
            kernel->top >= 0 ? derivation->device->resource[kernel->top].name : "");
}

static void write_unknown(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const char *between = "  # stand-in: no metric for ";
    for (size_t r = 0; r < derivation->device->resources; r++) {
        if (kernel->use[r].known)
            continue;
        fprintf(to, "%s%s", between, derivation->device->resource[r].name);
        between = ", ";
    }
    if (between[0] == ',')
        fputs("; no demand\n", to);
}

static void write_stand_ins(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    bool any = false;
    for (size_t r = 0; r < derivation->device->resources; r++) {
        const struct sms__use *use = &kernel->use[r];
        any |= use->known;
        if (use->known && use->stands_in)
            fprintf(to, "  # stand-in: %s from %s\n", derivation->device->resource[r].name, use->from);
        if (kernel->clamped[r])
            fprintf(to, "  # clamped: %s, of which a full SM or device would lack some in full waves\n",
                    derivation->device->resource[r].name);
    }
    if (!any)
        fputs("  # stand-in: no metrics; no demands\n", to);
    if (any)
        write_unknown(derivation, kernel, to);
    if (kernel->clock_from && any)
        fprintf(to, "  # stand-in: clock from %s\n", kernel->clock_from);
    if (kernel->by_cycles)
        fputs("  # stand-in: time from cycles and clock\n", to);
    if (kernel->idle_unknown)
        fputs("  # stand-in: share of SM time with a block from the model\n", to);
    if (kernel->borrowed)
        fputs("  # stand-in: metrics are means over several geometries; use is taken to be equal in all\n", to);
}

static void write_comment(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    struct sms__arena *arena = derivation->arena;
    fprintf(to, "  # %s\n", sms__derive_text(arena, kernel->symbol, COMMENT_MAX));
    if (!kernel->assumptions)
        fprintf(to, "  # measured: %s, mean of %llu (%.3f to %.3f us, coefficient of variation %s); clock %.0f MHz\n",
                duration(arena, kernel->time_s), (unsigned long long)kernel->launches, kernel->min_s * 1e6,
                kernel->max_s * 1e6, percent(arena, kernel->spread), kernel->clock_hz / 1e6);
    for (size_t i = 0; i < kernel->assumptions; i++)
        fprintf(to, "  # assumed: %s\n", kernel->assumed[i]);
    write_occupancy(derivation, kernel, to);
    write_uses(derivation, kernel, to);
    write_stand_ins(derivation, kernel, to);
    if (derivation->target != derivation->device)
        fprintf(
            to,
            "  # on %s: %zu blocks an SM, block time times %.4f, of which %.4f so that an SM full of it has enough\n",
            derivation->target->name, kernel->there.per_sm, kernel->scale, kernel->stretched);
}

/* Rounded down: demands that fill a resource exactly do not oversubscribe it. */
static void write_demand(const struct sms__derivation *derivation, const struct sms__derived *kernel, FILE *to)
{
    const char *between = "";
    fputs("    demand: {", to);
    for (size_t r = 0; r < derivation->target->resources; r++) {
        double thousandths = floor(kernel->demand[r] * 1e5 + 1e-6);
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
    fprintf(to, "    block_time: %s\n", duration(derivation->arena, kernel->block_s * kernel->scale));
    write_demand(derivation, kernel, to);
    if (kernel->jitter >= 0.0005)
        fprintf(to, "    jitter: %.1f %%\n", 100 * kernel->jitter);
}

static void write_deed(const struct sms__derivation *derivation, const struct sms__deed *deed, FILE *to)
{
    switch (deed->does) {
    case SMS__DOES_LAUNCH:
        fprintf(to, "  - {launch: %s", derivation->kernel[deed->kernel].name);
        if (deed->times > 1)
            fprintf(to, ", times: %llu", (unsigned long long)deed->times);
        fputs("}\n", to);
        break;
    case SMS__DOES_HOST:
        fprintf(to, "  - host: %s\n", duration(derivation->arena, deed->amount));
        break;
    default:
        fprintf(to, "  - %s: %.0f B\n", deed->does == SMS__DOES_COPY_IN ? "copy_in" : "copy_out", deed->amount);
    }
}

static void write_retargeting(const struct sms__derivation *derivation, FILE *to)
{
    const struct sms__device *device = derivation->device, *target = derivation->target;
    if (device == target)
        return;
    fprintf(to,
            "# Measured on %s, scaled to %s. Assumed: a block does the same work there; where a resource binds, its\n"
            "# time goes with the block's share of that resource, else with the clock; caches help as much.\n",
            device->name, target->name);
    for (size_t r = 0; r < device->resources; r++) {
        int to_r = sms__resource_index(target, device->resource[r].name);
        double here = sms__derive_capacity(device, r, device->clock_hz);
        if (to_r < 0)
            fprintf(to, "# %s has no %s: demands on it are left out\n", target->name, device->resource[r].name);
        else if (!(here > 0) || !(sms__derive_capacity(target, (size_t)to_r, target->clock_hz) > 0))
            fprintf(to, "# %s: a device file has no figure; taken to be equal of an SM\n", device->resource[r].name);
    }
}

static void write_note(const struct sms__note *note, FILE *to)
{
    fputs("# left out: ", to);
    if (note->line)
        fprintf(to, "line %u: ", note->line);
    fprintf(to, "%s\n", note->text);
}

static void write_head(struct sms__derivation *derivation, FILE *to)
{
    const struct sms__profile *profile = derivation->profile;
    const char *source = derivation->options->source;
    if (!source)
        source = profile->tool ? profile->tool : "profile";
    fputs(
        "# Derived from a profile (docs/profiles.md). Bottleneck: latency where no resource is used by half; else the\n"
        "# class, compute or memory, of the most used one, or mixed where the other class is within 10 points.\n",
        to);
    fprintf(to, "# Kernels: %zu. Stand-ins: %zu. Left out: %zu.", derivation->kernels, derivation->stand_ins,
            derivation->notes + derivation->notes_lost);
    if (derivation->assumptions)
        fprintf(to, " Assumed: %zu (of times and geometry, which the profile does not tell).", derivation->assumptions);
    fputc('\n', to);
    if (derivation->options->guessed)
        fprintf(to, "# Profiled on %s, %s.\n", derivation->device->name,
                sms__derive_text(derivation->arena, derivation->options->guessed, COMMENT_MAX));
    for (size_t n = 0; n < derivation->notes; n++)
        write_note(&derivation->note[n], to);
    if (derivation->notes_lost)
        fprintf(to, "# left out: %zu more\n", derivation->notes_lost);
    write_retargeting(derivation, to);
    fprintf(to, "workload: %s\n", workload_name(derivation));
    if (derivation->options->title)
        fprintf(to, "title: \"%s\"\n", sms__derive_text(derivation->arena, derivation->options->title, COMMENT_MAX));
    fprintf(to, "source: \"%s\"\ndevice: %s\n", sms__derive_text(derivation->arena, source, COMMENT_MAX),
            derivation->target->name);
    if (derivation->target != derivation->device)
        fprintf(to, "scaled_from: %s\n", derivation->device->name);
}

void sms__derive_write(struct sms__derivation *derivation, FILE *to)
{
    name_kernels(derivation);
    write_head(derivation, to);
    fputs("kernels:\n", to);
    for (size_t k = 0; k < derivation->kernels; k++)
        write_kernel(derivation, &derivation->kernel[k], to);
    if (derivation->overlaps)
        fprintf(to, "# %llu launches began before what was before them had ended: here they follow\n",
                (unsigned long long)derivation->overlaps);
    if (derivation->copying_s > 0)
        fprintf(to, "# copies ran at %.3g GB/s; here the link of the device says how fast they are\n",
                derivation->copied / derivation->copying_s / 1e9);
    if (derivation->order)
        fprintf(to, "# %s\n", derivation->order);
    fputs("steps:\n", to);
    for (size_t d = 0; d < derivation->deeds; d++)
        write_deed(derivation, &derivation->deed[d], to);
}
