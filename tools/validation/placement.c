/* Experiment 3: how many SMs kernels of few blocks keep busy, against a Quadro GV100. */
#include "validate.h"

#include <string.h>

enum { POLICIES = 3, KERNELS = 3 };

static const char *const policies[POLICIES] = {"breadth_first", "most_room", "depth_first"};
static const char *const kernels[KERNELS] = {"cutlass_perf_test_k1", "cutlass_perf_test_k2", "cutlass_perf_test_k3"};
static const int blocks[KERNELS] = {20, 32, 80}; /* of its grid; the file does not say them */

static double busy_sms(int grid, const char *policy)
{
    char text[1024];
    struct sms_run_options options = quick();
    snprintf(text, sizeof text,
             "workload: w\nkernels: [{name: k, blocks: %d, threads: 256, registers: 128, block_time: 100 us}]\n"
             "---\nscenario: s\ndevices: [{model: v100}]\npolicies: [%s]\nvms: [{name: v, workload: w}]\n",
             grid, policy);
    struct ran ran = run_text(text, 0, &options);
    double busy = 80 * metric_of(&ran, 0, SMS_HOST, "host", "sm_activity_ratio");
    ran_release(&ran);
    return busy;
}

static double measured_busy(const struct table *table, const char *kernel)
{
    for (size_t row = 1; row < table->rows; row++)
        if (!strcmp(table_text(table, row, "Benchmark"), kernel))
            return 80 - table_number(table, row, "Num_Idle_SMs");
    die("no kernel %s", kernel);
}

void placement(struct site *site)
{
    struct table table = table_read(site, "placement/gv100_accelwattch_hw_perf.csv");
    struct sample sample = {0};
    FILE *to = open_out(site, "placement.md"), *points = open_out(site, "placement.dat");
    fprintf(to, "| blocks | measured | breadth_first | most_room | depth_first |\n|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < KERNELS; k++) {
        double measured = measured_busy(&table, kernels[k]);
        fprintf(to, "| %d | %.2f", blocks[k], measured);
        fprintf(points, "%d %g", blocks[k], measured);
        for (int p = 0; p < POLICIES; p++) {
            double busy = busy_sms(blocks[k], policies[p]);
            fprintf(to, " | %.2f", busy);
            fprintf(points, " %g", busy);
            if (p == 0)
                sample_add(&sample, off_percent(busy, measured));
        }
        fprintf(to, " |\n");
        fprintf(points, "\n");
    }
    fclose(to);
    fclose(points);
    report(site,
           &(struct outcome){"Breadth-first placement", "accel-sim/accel-sim-framework (AccelWattch, GV100)",
                             "busy SMs", "right but for start and end", 1.8, 2.5},
           &sample);
    sample_release(&sample);
    table_release(&table);
}
