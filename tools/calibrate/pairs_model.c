/* Slowdown of a pair by each model: as a formula, which is fast enough to fit, and by simulation. */
#include "pairs.h"

#include <math.h>

enum { GROUPS = 10 };

/* What the programs present make of each resource: `only` is -1 for both. */
static double slowdown_with(const struct fit *fit, const struct row *row, int only)
{
    double fullest = 0, overhead = 0;
    for (int r = 0; r < RESOURCES; r++) {
        double use = only >= 0 ? row->use[only][r] : row->use[0][r] + row->use[1][r];
        fullest = fmax(fullest, use / fit->param[r]);
        overhead += use * fit->param[r];
    }
    if (fit->model == CURVE)
        return 1 + overhead;
    double slope = fit->model == PROPORTIONAL ? fit->param[2] : 1;
    return fullest > 1 ? 1 + slope * (fullest - 1) : 1;
}

double slowdown_by_formula(const struct fit *fit, const struct row *row, int i)
{
    if (fit->model == NONE)
        return 1;
    if (fit->model == CONSTANT)
        return fit->param[0];
    if (fit->model == TIME_SHARING) /* all SMs for a share of the time */
        return row->whole_ms[i] > 0 ? row->whole_ms[i] / (row->share[i] / 100.0) / row->solo_ms[i] : NAN;
    return slowdown_with(fit, row, -1) / slowdown_with(fit, row, i);
}

static void write_contention(FILE *to, const struct fit *fit)
{
    if (fit->model == PROPORTIONAL)
        fprintf(to, "contention: {model: proportional, slope: %.9f}\n", fit->param[2]);
    if (fit->model == MAXMIN)
        fprintf(to, "contention: maxmin\n");
    if (fit->model == CURVE)
        fprintf(to, "contention: {model: curve, curves: {l2: [[100 %%, %.7f %%]], dram: [[100 %%, %.7f %%]]}}\n",
                100 * fit->param[L2], 100 * fit->param[DRAM]);
}

/* A program is a block on each SM of its share, which asks for an equal part of the program's use. */
static void write_program(FILE *to, const struct fit *fit, const struct row *row, int i)
{
    int blocks = row->share[i] * GROUPS / 100;
    double demand[RESOURCES];
    for (int r = 0; r < RESOURCES; r++)
        demand[r] = 100 * row->use[i][r] * GROUPS / blocks / (fit->model == CURVE ? 1 : fit->param[r]);
    fprintf(to, "workload: w%d\nkernels: [{name: k, blocks: %d, threads: 1024, block_time: 100 us, ", i, blocks);
    fprintf(to, "demand: {l2: %.7f %%, dram: %.7f %%}}]\n---\n", demand[L2], demand[DRAM]);
}

/* Only resources of the whole device are shared, so ten groups of SMs, each as one SM, do for the 80. */
static double block_slowdown(const struct fit *fit, const struct row *row, int i, bool together)
{
    char text[4096];
    FILE *to = fmemopen(text, sizeof text, "w");
    if (!to)
        die("out of memory");
    fprintf(to, "device: ten\nclock: 1530 MHz\nsms: %d\n", GROUPS);
    fprintf(to, "sm: {threads: 1024, warps: 32, blocks: 1, registers: 65536, shared_memory: 96 KiB, "
                "threads_per_block: 1024}\nresources:\n  l2: {class: memory, scope: device}\n"
                "  dram: {class: memory, scope: device}\n---\n");
    for (int p = 0; p < 2; p++)
        write_program(to, fit, row, p);
    fprintf(to, "scenario: s\ndevices: [{model: ten}]\npolicies: [round_robin]\n");
    write_contention(to, fit);
    fprintf(to, "vms:\n");
    for (int p = 0; p < 2; p++)
        if (together || p == i)
            fprintf(to, "  - {name: v%d, workload: w%d, repeat: forever}\n", p, p);
    fprintf(to, "run: {duration: 1 ms}\n");
    fclose(to);
    struct ran ran = run_text(text, 0, NULL);
    double slowdown = metric_of(&ran, 0, SMS_VM, i ? "v1" : "v0", "block_slowdown_ratio");
    ran_release(&ran);
    return slowdown;
}

double slowdown_simulated(const struct fit *fit, const struct row *row, int i)
{
    return block_slowdown(fit, row, i, true) / block_slowdown(fit, row, i, false);
}
