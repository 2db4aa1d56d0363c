/* Experiment 1: the occupancy rule, and occupancy reached, against Nsight Compute on a V100. */
#include "validate.h"

#include "sim/model/file.h"
#include "sim/model/footprint.h"

#include <string.h>

#define WHOSE "AndrewXu22/optimal_unified_memory (Nsight Compute, V100)"

struct limits {
    double by_registers, blocks, warps;
};

static struct limits limits_of(const struct sms__sm *sm, const struct table *table, size_t row)
{
    uint64_t capacity[SMS_LIMITS], needs[SMS_LIMITS];
    enum sms_limit binds;
    struct sms__kernel kernel = {.threads = (uint64_t)table_number(table, row, "Block Size"),
                                 .registers = (uint64_t)table_number(table, row, "Registers Per Thread")};
    kernel.shared_memory = (uint64_t)(table_number(table, row, "Static Shared Memory Per Block") +
                                      table_number(table, row, "Dynamic Shared Memory Per Block"));
    sms__sm_capacity(sm, capacity);
    if (sms__block_needs(sm, &kernel, needs))
        die("row %zu fits on no SM", row);
    double blocks = (double)sms__blocks_per_sm(capacity, needs, &binds);
    /* The driver sets aside a part of shared memory as L1 by kernel; where it did, its limit is taken. */
    double by_shared = table_number(table, row, "Block Limit Shared Mem");
    return (struct limits){(double)(capacity[SMS_REGISTERS] / needs[SMS_REGISTERS]),
                           by_shared < blocks ? by_shared : blocks, (double)needs[SMS_WARPS]};
}

/* Mean warps of the SMs that have any, in percent of the most: equal block times, breadth first. The simulator
 * counts threads in whole warps. */
static double reached(const struct table *table, size_t row, const struct limits *limits)
{
    char text[1024];
    snprintf(text, sizeof text,
             "workload: w\nkernels: [{name: k, blocks: %.0f, threads: %.0f, block_time: 10 us}]\n"
             "---\nscenario: s\ndevices: [{model: v100, sm: {blocks: %.0f}}]\npolicies: [breadth_first]\n"
             "vms: [{name: v, workload: w}]\n",
             table_number(table, row, "Grid Size"), table_number(table, row, "Block Size"), limits->blocks);
    struct ran ran = run_text(text, 0, NULL);
    double occupancy = metric_of(&ran, 0, SMS_HOST, "host", "occupancy_ratio");
    double active = metric_of(&ran, 0, SMS_HOST, "host", "sm_activity_ratio");
    ran_release(&ran);
    return 100 * occupancy / active;
}

/* gaussian is apart: most of the rows are its two kernels, both of a kind that the simulator does not describe. */
enum { RULE, OTHERS, GAUSSIAN, THEORY_OTHERS, THEORY_GAUSSIAN, SAMPLES };

static void check_row(const struct sms__device *device, const struct table *table, size_t row, struct sample *sample,
                      FILE *points)
{
    struct limits limits = limits_of(&device->sm, table, row);
    bool gaussian = !strcmp(table_text(table, row, "benchmark"), "gaussian");
    double most = 100 * limits.blocks * limits.warps / (double)device->sm.warps;
    double achieved = table_number(table, row, "Achieved Occupancy"), ours = reached(table, row, &limits);
    double grid = table_number(table, row, "Grid Size"), waves = table_number(table, row, "Waves Per SM");
    sample_add(&sample[RULE], off_percent(limits.by_registers, table_number(table, row, "Block Limit Registers")));
    sample_add(&sample[RULE], off_percent(most, table_number(table, row, "Theoretical Occupancy")));
    if (waves >= 1) /* below, two digits after the point are too few to divide by */
        sample_add(&sample[RULE], off_percent(grid / limits.blocks / (double)device->sms, waves));
    sample_add(&sample[gaussian ? GAUSSIAN : OTHERS], off_percent(ours, achieved));
    sample_add(&sample[gaussian ? THEORY_GAUSSIAN : THEORY_OTHERS], off_percent(most, achieved));
    fprintf(points, "%g %g %g %d\n", achieved, ours, most, gaussian);
}

static void write_table(const struct site *site, struct sample *sample)
{
    static const char *const titles[SAMPLES] = {[OTHERS] = "simulated, blocks of equal length | cfd, hotspot, bfs",
                                                [GAUSSIAN] = "the same | gaussian",
                                                [THEORY_OTHERS] = "theoretical occupancy | cfd, hotspot, bfs",
                                                [THEORY_GAUSSIAN] = "the same | gaussian"};
    FILE *to = open_out(site, "occupancy.md");
    fprintf(to, "| predictor of achieved occupancy | programs | kernels | median error | maximum |\n"
                "|---|---|--:|--:|--:|\n");
    for (int i = OTHERS; i < SAMPLES; i++)
        fprintf(to, "| %s | %zu | %.1f %% | %.1f %% |\n", titles[i], sample[i].n, sample_median(&sample[i]),
                sample_max(&sample[i]));
    fclose(to);
}

void occupancy(struct site *site)
{
    struct table table = table_read(site, "ncu/v100_rodinia_kernels.csv");
    const struct sms_load_options from = {.models = SOURCE_DIR "/models"};
    struct sms_errors errors = {0};
    struct sms_file *v100;
    struct sample sample[SAMPLES] = {{0}};
    FILE *points = open_out(site, "occupancy.dat");
    if (sms_file_load(SOURCE_DIR "/models/devices/v100.yaml", &from, &v100, &errors))
        die("the V100 does not load");
    for (size_t row = 1; row < table.rows; row++)
        check_row(v100->device[0], &table, row, sample, points);
    fclose(points);
    write_table(site, sample);
    report(site,
           &(struct outcome){"Occupancy rule", WHOSE, "blocks by registers, theoretical occupancy, waves",
                             "exact to the digits printed", 0.01, 0.5},
           &sample[RULE]);
    report(site,
           &(struct outcome){"Occupancy reached: cfd, hotspot, bfs", WHOSE, "achieved occupancy",
                             "usable, better than theoretical", 11.5, 58},
           &sample[OTHERS]);
    report(site,
           &(struct outcome){"Occupancy reached: gaussian", WHOSE, "achieved occupancy",
                             "wrong: no dispatch rate, no early exits", 90, 700},
           &sample[GAUSSIAN]);
    for (int i = 0; i < SAMPLES; i++)
        sample_release(&sample[i]);
    table_release(&table);
    sms_file_free(v100);
}
