/* Blocks per second of the engine, by contention model and number of blocks:
 * 80 SMs x 16 resident blocks x 8 resources, four kernels with different demands
 * and jitter, so that completions are staggered. Prints a Markdown table, median
 * of five runs; docs/performance.md keeps the record.
 *
 *     build/bin/bench [MOST_BLOCKS [NAME]]      default 1e7, all rows
 */
#include <smsched/smsched.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5 };

struct work {
    const char *name, *contention, *scope, *policy;
    double jitter;
};

static const struct work works[] = {
    {"none", "none", "sm", "round_robin", 10},
    {"proportional", "{model: proportional, slope: 1}", "sm", "round_robin", 10},
    {"proportional, fine_grained", "{model: proportional, slope: 1}", "sm", "fine_grained", 10},
    {"proportional, most_room", "{model: proportional, slope: 1}", "sm", "most_room", 10},
    {"proportional, no jitter", "{model: proportional, slope: 1}", "sm", "round_robin", 0},
    {"curve", "{model: curve, curves: {a: [[100 %, 10 %], [200 %, 90 %]], e: [[100 %, 5 %], [200 %, 100 %]]}}", "sm",
     "round_robin", 10},
    {"maxmin", "maxmin", "sm", "round_robin", 10},
    {"proportional, device-wide h", "{model: proportional, slope: 1}", "device", "round_robin", 10},
    {"maxmin, device-wide h", "maxmin", "device", "round_robin", 10},
};

/* Four VMs, each of whose kernels has a quarter of the blocks. */
static void write_scenario(FILE *to, const struct work *work, double blocks)
{
    fprintf(to,
            "device: bench\nclock: 1 GHz\nsms: 80\n"
            "sm: {threads: 2048, warps: 64, blocks: 16, registers: 65536, shared_memory: 96 KiB}\n"
            "resources: {a: {class: compute}, b: {class: compute}, c: {class: compute}, d: {class: compute},\n"
            "            e: {class: memory}, f: {class: memory}, g: {class: memory}, h: {class: memory, scope: %s}}\n",
            work->scope);
    for (int v = 0; v < 4; v++)
        fprintf(
            to,
            "---\nworkload: w%d\nkernels: [{name: k, blocks: %.0f, threads: 128, block_time: %d us, "
            "jitter: %g %%, demand: {a: %d %%, b: %d %%, c: 4 %%, d: 2 %%, e: %d %%, f: 6 %%, g: 3 %%, h: %d %%}}]\n",
            v, blocks / 4, 90 + 7 * v, work->jitter, 6 + v, 9 - v, 5 + 2 * v, 4 + v);
    fprintf(to, "---\nscenario: bench\ndevices: [{model: bench}]\ncontention: %s\npolicies: [%s]\nvms:\n",
            work->contention, work->policy);
    for (int v = 0; v < 4; v++)
        fprintf(to, "  - {name: v%d, workload: w%d}\n", v, v);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU seconds of one run of the file's scenario, or -1. */
static double time_run(const struct sms_file *file)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    options.alone = false;
    double start = cpu_seconds();
    if (sms_run(sms_file_scenario(file, 0), &options, &results, &errors)) {
        sms_errors_print(&errors, stderr);
        return -1;
    }
    sms_results_free(results);
    return cpu_seconds() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_seconds(const struct work *work, double blocks)
{
    char path[] = "/tmp/smsched-bench-XXXXXX";
    struct sms_errors errors;
    struct sms_file *file;
    double seconds[RUNS];
    int fd = mkstemp(path);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!to)
        return -1;
    write_scenario(to, work, blocks);
    fclose(to);
    int code = sms_file_load(path, NULL, &file, &errors);
    unlink(path);
    if (code) {
        sms_errors_print(&errors, stderr);
        return -1;
    }
    for (int i = 0; i < RUNS; i++)
        seconds[i] = time_run(file);
    sms_file_free(file);
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    return seconds[RUNS / 2];
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv)
{
    double most = argc > 1 ? strtod(argv[1], NULL) : 1e7;
    printf("| contention, policy | blocks | CPU s | million blocks/s | ns/block | peak MiB so far "
           "|\n|---|---|---|---|---|---|\n");
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        if (argc > 2 && strcmp(argv[2], works[w].name) != 0)
            continue;
        for (double blocks = 1e5; blocks <= most; blocks *= 10) {
            double seconds = median_seconds(&works[w], blocks);
            if (seconds < 0)
                return 1;
            printf("| %s | %.0e | %.3f | %.2f | %.0f | %.1f |\n", works[w].name, blocks, seconds,
                   blocks / seconds / 1e6, seconds / blocks * 1e9, peak_mib());
            fflush(stdout);
            if (seconds > 3)
                break; /* the next would take minutes */
        }
    }
    return 0;
}
