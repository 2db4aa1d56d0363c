/* A kernel that ran alone, as a coarse kernel of a scenario. */
#include "kernel_text.h"

#include <math.h>

/* The mean number of blocks on an SM. A block's work is what it is, however fast it goes. */
static double resident(const struct sms__lone_kernel *kernel)
{
    return kernel->launches * (double)kernel->given->blocks * kernel->fit->work_ps * kernel->fit->alone /
           ((double)kernel->device->sms * kernel->ns[0] * 1e3);
}

static double room_of(const struct sms__lone_kernel *kernel)
{
    double room = 0;
    for (int l = 0; l < SMS_LIMITS; l++)
        room = fmax(room, resident(kernel) * (double)kernel->fit->needs[l] / (double)kernel->device->view.capacity[l]);
    return fmin(room, 1);
}

double sms__lone_demand(const struct sms__lone_kernel *kernel, size_t r)
{
    const double mean = kernel->fit->demand[r] / SMS_FULL;
    return kernel->given->whole ? mean : fmin(mean * resident(kernel), 1);
}

/* On fewer SMs a kernel takes as long at least, but for chance. Two caps may leave as many SMs, and of one SM all do.
 */
static void write_times(const struct sms__lone_kernel *kernel, FILE *to)
{
    double ns = kernel->ns[0], last = kernel->share[0];
    if (!(kernel->share[SMS__LONE_SHARES - 1] < last)) {
        fprintf(to, "time: %.6g us", ns / 1e3);
        return;
    }
    fprintf(to, "time: {100 %%: %.6g us", ns / 1e3);
    for (int s = 1; s < SMS__LONE_SHARES; s++) {
        if (!(kernel->share[s] < last))
            continue;
        ns = fmax(ns, kernel->ns[s]);
        last = kernel->share[s];
        fprintf(to, ", %.9g %%: %.6g us", 100 * last, ns / 1e3);
    }
    fputs("}", to);
}

static void write_demands(const struct sms__lone_kernel *kernel, FILE *to)
{
    bool any = false;
    for (size_t r = 0; r < kernel->device->resources; r++) {
        const double mean = sms__lone_demand(kernel, r);
        if (mean < SMS__LONE_DEMAND_LEAST)
            continue;
        fprintf(to, "%s%s: %.5g %%", any ? ", " : ", demand: {", kernel->device->resource[r].name,
                floor(mean * 1e7) / 1e5);
        any = true;
    }
    fputs(any ? "}" : "", to);
}

static void write_kernel(struct sms__arena *arena, const struct sms__lone_kernel *kernel, enum sms__text_kind kind,
                         FILE *to)
{
    const bool taken = kind == SMS__TAKEN_TEXT;
    const bool unknown = kernel->given->demands == 0;
    const struct sms__node name = {.kind = SMS__SCALAR, .text = kernel->given->name};
    fprintf(to, "  - {name: %s, ", sms__node_flow(arena, &name));
    if (taken && unknown)
        fprintf(to, "time: {100 %%: %.6g us, 50 %%: %.6g us}", kernel->ns[0] / 1e3, 2 * kernel->ns[0] / 1e3);
    else
        write_times(kernel, to);
    write_demands(kernel, to);
    if (taken && unknown)
        fputs(", room: 100 %", to);
    else if (kind != SMS__PAIRED_TEXT && room_of(kernel) >= 1e-4)
        fprintf(to, ", room: %.4g %%", 100 * room_of(kernel));
    if (kernel->jitter >= 1e-4)
        fprintf(to, ", jitter: %.3g %%", 100 * fmin(kernel->jitter, 0.5));
    if (kernel->launches > 1)
        fprintf(to, ", launches: %.0f", kernel->launches);
    fputs("}\n", to);
}

/* A coarse kernel as its file gives it, with the times and demands that it has on this device if it was scaled. */
static void write_whole(struct sms__arena *arena, const struct sms__lone_kernel *kernel, FILE *to)
{
    struct sms__lone_kernel scaled = *kernel;
    const struct sms__footprint *fit = kernel->fit;
    const struct sms__node *given = kernel->given->node;
    if (!fit->scaled) {
        fprintf(to, "  - %s\n", sms__node_flow(arena, given));
        return;
    }
    const char *text =
        sms__node_flow(arena, sms__node_pick(arena, given, (const char *[]){"time", "demand", NULL}, false));
    fprintf(to, "  - %.*s, ", (int)strlen(text) - 1, text); /* "{name: k}" */
    for (int s = 0; s < SMS__LONE_SHARES; s++) {
        const double slow = s && fit->by_share ? sms__slowdown_on(fit, kernel->device, kernel->share[s]) : 1;
        scaled.ns[s] = fit->work_ps * fit->alone * slow / 1e3;
        scaled.share[s] = fit->by_share ? kernel->share[s] : 1;
    }
    write_times(&scaled, to);
    write_demands(kernel, to);
    fputs("}\n", to);
}

void sms__lone_write(struct sms__arena *arena, const struct sms__lone_kernel *kernel, enum sms__text_kind kind,
                     FILE *to)
{
    if (kernel->given->whole)
        write_whole(arena, kernel, to);
    else
        write_kernel(arena, kernel, kind, to);
}
