/* Experiment 4: device memory's bandwidth by occupancy, V100. Blocks of two warps
 * demand what one of them a SM was measured to get; the model says what more of
 * them get. The figures are facts of ../shared/data/README.md: they are in no file. */
#include "validate.h"

#include <string.h>

enum { KERNELS = 3, LEVELS = 5, MODELS = 3, READ = 0 };

static const double peak_gb_s = 900; /* models/devices/v100.yaml */
static const char *const kernels[KERNELS] = {"read", "scale", "triad"};
static const int blocks_per_sm[LEVELS] = {1, 4, 8, 16, 32}; /* 64 threads each: 3.1 % to 100 % */
static const double measured_gb_s[KERNELS][LEVELS] = {
    {70, 263, 491, 746, 867}, {130, 426, 675, 784, 809}, {230, 638, 759, 777, 788}};

enum { NONE, PROPORTIONAL, CURVE };
static const char *const titles[MODELS] = {"none", "proportional", "curve, from read"};

/* The usage that blocks ask for, 1 at the peak. */
static double asked(int kernel, int level) { return measured_gb_s[kernel][0] / peak_gb_s * blocks_per_sm[level]; }

/* The contention entry; the curve goes through what `read` was measured to get. */
static void write_model(char *to, size_t room, int model)
{
    if (model == NONE)
        snprintf(to, room, "none");
    if (model == PROPORTIONAL)
        snprintf(to, room, "proportional");
    if (model != CURVE)
        return;
    size_t at = (size_t)snprintf(to, room, "{model: curve, curves: {dram: [");
    for (int l = 0; l < LEVELS; l++) {
        double usage = asked(READ, l), overhead = usage * peak_gb_s / measured_gb_s[READ][l] - 1;
        at += (size_t)snprintf(to + at, room - at, "%s[%.6f %%, %.6f %%]", l ? ", " : "", 100 * usage, 100 * overhead);
    }
    snprintf(to + at, room - at, "]}}");
}

static double simulated_gb_s(int kernel, int blocks, int model)
{
    char text[2048], contention[512];
    write_model(contention, sizeof contention, model);
    snprintf(text, sizeof text,
             "workload: w\nkernels: [{name: k, blocks: %d, threads: 64, block_time: 10 us, demand: {dram: %.6f %%}}]\n"
             "---\nscenario: s\ndevices: [{model: v100, dispatch: none}]\ncontention: %s\npolicies: [round_robin]\n"
             "vms: [{name: v, workload: w, repeat: forever}]\nrun: {duration: 1 ms}\n",
             80 * blocks, 100 * asked(kernel, 0), contention);
    struct ran ran = run_text(text, 0, NULL);
    double delivered = metric_of(&ran, 0, SMS_RESOURCE, "dram", "delivered_ratio");
    ran_release(&ran);
    return delivered * peak_gb_s;
}

/* The lowest level is where demands come from, so it is not counted; nor is what the curve was made of. */
static bool counts(int kernel, int level, int model) { return level > 0 && !(model == CURVE && kernel == READ); }

static void compare(int kernel, int level, struct sample sample[MODELS], FILE *to, FILE *points)
{
    double occupancy = 100 * blocks_per_sm[level] * 64 / 2048.0, measured = measured_gb_s[kernel][level];
    fprintf(to, "| %s | %.1f %% | %g", kernels[kernel], occupancy, measured);
    fprintf(points, "%g %g", occupancy, measured);
    for (int m = 0; m < MODELS; m++) {
        double ours = simulated_gb_s(kernel, blocks_per_sm[level], m);
        if (counts(kernel, level, m))
            sample_add(&sample[m], off_percent(ours, measured));
        fprintf(to, " | %.0f", ours);
    }
    fprintf(to, " |\n");
    fprintf(points, "\n");
}

/* For the figure: what the models say of every number of blocks. */
static void write_lines(const struct site *site)
{
    FILE *to = open_out(site, "bandwidth-lines.dat");
    for (int k = 0; k < KERNELS; k++, fprintf(to, "\n\n"))
        for (int blocks = 1; blocks <= blocks_per_sm[LEVELS - 1]; blocks++)
            fprintf(to, "%g %g %g\n", 100 * blocks * 64 / 2048.0, simulated_gb_s(k, blocks, PROPORTIONAL),
                    simulated_gb_s(k, blocks, CURVE));
    fclose(to);
}

void bandwidth(struct site *site)
{
    struct sample sample[MODELS] = {{0}};
    FILE *to = open_out(site, "bandwidth.md"), *points = open_out(site, "bandwidth.dat");
    fprintf(to, "| kernel | occupancy | measured, GB/s | %s | %s | %s |\n|---|--:|--:|--:|--:|--:|\n", titles[NONE],
            titles[PROPORTIONAL], titles[CURVE]);
    for (int k = 0; k < KERNELS; k++) {
        for (int l = 0; l < LEVELS; l++)
            compare(k, l, sample, to, points);
        fprintf(points, "\n\n");
    }
    fprintf(to, "\n| model | values | median error | maximum |\n|---|--:|--:|--:|\n");
    for (int m = 0; m < MODELS; m++)
        fprintf(to, "| %s | %zu | %.1f %% | %.1f %% |\n", titles[m], sample[m].n, sample_median(&sample[m]),
                sample_max(&sample[m]));
    fclose(to);
    fclose(points);
    write_lines(site);
    report(site,
           &(struct outcome){"DRAM bandwidth by occupancy", "facts of the data's README (V100)",
                             "GB/s, `proportional`, nothing fitted", "right at the ends, too fast between", 16, 43},
           &sample[PROPORTIONAL]);
    report(site,
           &(struct outcome){"DRAM bandwidth, curve", "the same; fitted to `read`, the rest held back", "GB/s, `curve`",
                             "better, too high when full", 10.5, 26},
           &sample[CURVE]);
    for (int m = 0; m < MODELS; m++)
        sample_release(&sample[m]);
}
