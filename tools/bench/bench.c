/* Measures what the engine costs: blocks per second by contention model, policy, number of SMs, streams and blocks. Two
 * references run beside it (plain.h). Prints a Markdown table with the median of five runs;
 * docs/evidence/performance.md keeps the record.
 *
 *     build/bin/bench [--instructions] [--most BLOCKS] [--growth] [ROW...]
 *
 * ROW is a name in the first column, or its beginning. --instructions counts the instructions of a block with
 * `valgrind --tool=cachegrind`, which takes a minute or two. --growth runs each row with powers of ten of blocks, up to
 * MOST. */
#include "plain.h"

#include <smsched/smsched.h>

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5, PLAIN_SMS = 80 };

struct work {
    const char *name, *contention, *policy;
    const char *wide; /* letters of the resources of scope device; NULL: the device is the library's V100 */
    double jitter;    /* %; 0: all blocks are equal, so whole waves come and go together */
    int sms, streams; /* streams of each VM */
    double blocks;
    bool crosses; /* on the V100: its two resources of scope device go over 100 % together, and cross */
};

#define PROPORTIONAL "{model: proportional, slope: 1}"
#define CURVE "{model: curve, curves: {a: [[100 %, 10 %], [200 %, 90 %]], e: [[100 %, 5 %], [200 %, 100 %]]}}"

static const struct work works[] = {
    {"V100, l2 and dram full", "{model: proportional, slope: 1.5}", "round_robin", NULL, 10, 80, 1, 1e6, true},
    {"V100, l2 and dram full, knee", "knee", "round_robin", NULL, 10, 80, 1, 1e6, true},
    {"V100, l2 and dram full, pipes", "pipes", "round_robin", NULL, 10, 80, 1, 1e6, true},
    {"V100, l2 and dram full, maxmin", "maxmin", "round_robin", NULL, 10, 80, 1, 1e6, true},
    {"V100, l2 and dram full, leftover", "{model: proportional, slope: 1.5}", "leftover", NULL, 10, 80, 1, 1e6, true},
    {"V100, slope 1.5", "{model: proportional, slope: 1.5}", "round_robin", NULL, 10, 80, 1, 1e6},
    {"V100, knee", "knee", "round_robin", NULL, 10, 80, 1, 1e6},
    {"V100, knee, equal blocks", "knee", "round_robin", NULL, 0, 80, 1, 1e6},
    {"proportional", PROPORTIONAL, "round_robin", "", 10, 80, 1, 1e6},
    {"waves of equal blocks", PROPORTIONAL, "round_robin", "", 0, 80, 1, 1e7},
    {"maxmin", "maxmin", "round_robin", "", 10, 80, 1, 1e6},
    {"device-wide g and h", PROPORTIONAL, "round_robin", "gh", 10, 80, 1, 1e6},
    {"none", "none", "round_robin", "", 10, 80, 1, 1e6},
    {"curve", CURVE, "round_robin", "", 10, 80, 1, 1e6},
    {"fine_grained", PROPORTIONAL, "fine_grained", "", 10, 80, 1, 1e6},
    {"utilization_aware", PROPORTIONAL, "utilization_aware", "", 10, 80, 1, 1e6},
    {"most_room", PROPORTIONAL, "most_room", "", 10, 80, 1, 1e6},
    {"maxmin, device-wide h", "maxmin", "round_robin", "h", 10, 80, 1, 1e6},
    {"maxmin, full device-wide e", "maxmin", "round_robin", "e", 10, 80, 1, 1e6},
    {"800 SMs", PROPORTIONAL, "round_robin", "", 10, 800, 1, 1e6},
    {"8000 SMs", PROPORTIONAL, "round_robin", "", 10, 8000, 1, 1e7},
    {"8000 SMs, device-wide g and h", PROPORTIONAL, "round_robin", "gh", 10, 8000, 1, 1e7},
    {"400 streams", PROPORTIONAL, "round_robin", "", 10, 80, 100, 1e6},
    {"4000 streams", PROPORTIONAL, "round_robin", "", 10, 80, 1000, 1e6},
    {"4000 streams, fine_grained", PROPORTIONAL, "fine_grained", "", 10, 80, 1000, 1e6},
};

/* The demands of each of four kernels, as ratios of an SM. The plain loop has the same. */
static const double demands[PLAIN_KERNELS][PLAIN_RESOURCES] = {{.06, .09, .04, .02, .05, .06, .03, .04},
                                                               {.07, .08, .04, .02, .07, .06, .04, .05},
                                                               {.08, .07, .04, .02, .09, .06, .05, .06},
                                                               {.09, .06, .04, .02, .11, .06, .06, .07}};
static const double times_us[PLAIN_KERNELS] = {90, 97, 104, 111};

/* Two tenants with mixed demands on a V100, which has a dispatcher and two resources of scope device. */
struct v100_tenants {
    const char *name[PLAIN_RESOURCES];
    double demand[2][PLAIN_RESOURCES], time_us[2];
};
static const struct v100_tenants v100_mixed = {
    {"fp32", "int", "issue", "l1", "shared", "sfu", "l2", "dram"},
    {{.07, .04, .06, .03, .04, .02, .05, .07}, {.03, .05, .06, .05, .02, .03, .07, .09}},
    {90, 97}};
static const struct v100_tenants v100_crossing = {
    {"fp32", "fp64", "int", "sfu", "l1", "shared", "l2", "dram"},
    {{.03, .04, .05, .06, .07, .08, .09, .10}, {.11, .10, .09, .08, .07, .06, .05, .04}},
    {13.07, 9.8}};

static const struct v100_tenants *on_v100(const struct work *work)
{
    return work->crosses ? &v100_crossing : &v100_mixed;
}

static int tenants(const struct work *work) { return work->wide ? PLAIN_KERNELS : 2; }

static void write_device(FILE *to, const struct work *work)
{
    fprintf(to, "device: bench\nclock: 1 GHz\nsms: %d\n", work->sms);
    fprintf(to, "sm: {threads: 2048, warps: 64, blocks: 16, registers: 65536, shared_memory: 96 KiB}\nresources:\n");
    for (char r = 'a'; r < 'a' + PLAIN_RESOURCES; r++)
        fprintf(to, "  %c: {class: %s, scope: %s}\n", r, r < 'e' ? "compute" : "memory",
                strchr(work->wide, r) ? "device" : "sm");
}

/* Each stream of a VM runs one kernel. Together they have `blocks` blocks. */
static void write_workload(FILE *to, const struct work *work, int v, double blocks)
{
    int like = work->jitter > 0 ? v : 0;
    fprintf(to, "---\nworkload: w%d\nkernels:\n  - {name: k, blocks: %.0f, threads: 128, block_time: %g us, ", v,
            blocks / tenants(work) / work->streams, work->wide ? times_us[like] : on_v100(work)->time_us[like]);
    fprintf(to, "jitter: %g %%, demand: {", work->jitter);
    for (int r = 0; r < PLAIN_RESOURCES; r++) {
        const char letter[] = {(char)('a' + r), 0};
        fprintf(to, "%s%s: %g %%", r ? ", " : "", work->wide ? letter : on_v100(work)->name[r],
                (work->wide ? demands[like][r] : on_v100(work)->demand[v][r]) * 100);
    }
    fprintf(to, "}}\n");
}

static void write_scenario(FILE *to, const struct work *work, double blocks, int replications)
{
    if (work->wide)
        write_device(to, work);
    for (int v = 0; v < tenants(work); v++)
        write_workload(to, work, v, blocks);
    fprintf(to, "---\nscenario: bench\ndevices: [{model: %s}]\ncontention: %s\npolicies: [%s]\n%svms:\n",
            work->wide ? "bench" : "v100", work->contention, work->policy,
            work->wide || work->crosses ? "queue: interleave\n" : "");
    for (int v = 0; v < tenants(work); v++)
        fprintf(to, "  - {name: v%d, workload: w%d, streams: %d, repeat: %d}\n", v, v, work->streams, work->streams);
    fprintf(to, "run: {replications: %d}\n", replications);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the seconds on this clock of one run of the file's scenario, or -1. */
static double time_run(const struct sms_file *file, clockid_t clock, unsigned jobs)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    options.alone = false;
    options.jobs = jobs;
    double start = seconds_of(clock);
    if (sms_run(sms_file_scenario(file, 0), &options, &results, &errors)) {
        sms_errors_print(&errors, stderr);
        return -1;
    }
    double seconds = seconds_of(clock) - start;
    sms_results_free(results);
    return seconds;
}

static struct sms_file *load(const struct work *work, double blocks, int replications)
{
    char path[] = "/tmp/smsched-bench-XXXXXX";
    struct sms_load_options options = {.models = SMS_BENCH_MODELS};
    struct sms_errors errors;
    struct sms_file *file = NULL;
    int fd = mkstemp(path);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!to)
        return NULL;
    write_scenario(to, work, blocks, replications);
    fclose(to);
    if (sms_file_load(path, &options, &file, &errors))
        sms_errors_print(&errors, stderr);
    unlink(path);
    return file;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double seconds[RUNS])
{
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    return seconds[RUNS / 2];
}

static struct plain_work plain_work(void)
{
    struct plain_work work;
    memcpy(work.demand, demands, sizeof demands);
    for (int k = 0; k < PLAIN_KERNELS; k++)
        work.time_us[k] = times_us[k];
    work.jitter = 0.1;
    return work;
}

/* What runs beside the engine. */
static const struct reference {
    const char *name;
    double (*run)(const struct plain_work *work, int sms, uint64_t blocks);
    uint64_t blocks, counted; /* counted: blocks of which instructions are counted */
} references[] = {{"(plain loop)", plain_loop, 200000, 51200}, {"(ticks of simtbs)", plain_ticks, 20000, 5120}};

/* Returns the median seconds a block of five runs of a reference. */
static double time_plain(double (*run)(const struct plain_work *work, int sms, uint64_t blocks), int sms,
                         uint64_t blocks)
{
    struct plain_work work = plain_work();
    double seconds[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        if (run(&work, sms, blocks) < 0)
            return -1;
        seconds[i] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    return median(seconds) / (double)blocks;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* `plain` is in seconds a block; `instructions` are those of a block, or negative if they were not counted. */
static void print_row(const char *name, double blocks, double seconds, double plain, double instructions)
{
    printf("| %s | %.0e | %.2f | %.1f | %.2f | %.1f | ", name, blocks, blocks / seconds / 1e6, seconds / blocks * 1e9,
           seconds / blocks / plain, peak_mib());
    if (instructions >= 0)
        printf("%.0f |\n", instructions);
    else
        printf("|\n");
    fflush(stdout);
}

static int run_once(const struct work *work, double blocks)
{
    struct sms_file *file = load(work, blocks, 1);
    if (!file)
        return 1;
    bool failed = time_run(file, CLOCK_PROCESS_CPUTIME_ID, 1) < 0;
    sms_file_free(file);
    return failed;
}

/* Returns the instructions of a process that runs the row once, or -1 without `valgrind`. */
static double count_instructions(const char *program, const char *row, double blocks)
{
    char command[1024], line[256];
    double count = -1;
    snprintf(command, sizeof command,
             "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null '%s' --once %.0f '%s' 2>&1",
             program, blocks, row);
    FILE *from = popen(command, "r");
    while (from && fgets(line, sizeof line, from)) {
        const char *at = strstr(line, "refs:");
        double refs = 0;
        for (at = at ? at + 5 : ""; *at; at++)
            refs = *at >= '0' && *at <= '9' ? refs * 10 + (*at - '0') : refs;
        count = refs > 0 ? refs : count;
    }
    if (from)
        pclose(from);
    return count;
}

/* Returns the instructions of a block: what more blocks cost, without loading and the first fill of the SMs; or -1. */
static double instructions_a_block(const char *program, const char *row, double few)
{
    double less = count_instructions(program, row, few);
    double more = less < 0 ? -1 : count_instructions(program, row, 2 * few);
    return more < 0 ? -1 : (more - less) / few;
}

/* Returns as many blocks as make the first fill of the SMs unimportant. */
static uint64_t plain_blocks(int sms) { return 200000 + (uint64_t)sms * 400; }

/* Prints one row. The plain loop runs right after it on as many SMs, so that both see the same machine. */
static int bench(const struct work *work, double blocks, const char *program)
{
    struct sms_file *file = load(work, blocks, 1);
    double seconds[RUNS];
    if (!file)
        return 1;
    for (int i = 0; i < RUNS; i++) {
        seconds[i] = time_run(file, CLOCK_PROCESS_CPUTIME_ID, 1);
        if (seconds[i] < 0)
            return 1;
    }
    sms_file_free(file);
    print_row(work->name, blocks, median(seconds), time_plain(plain_loop, work->sms, plain_blocks(work->sms)),
              program ? instructions_a_block(program, work->name, work->sms > 800 ? 64.0 * work->sms : 51200) : -1);
    return 0;
}

static bool is_asked_for(const char *name, int argc, char **argv)
{
    bool asked = argc == 0;
    for (int i = 0; i < argc; i++)
        asked |= !strncmp(name, argv[i], strlen(argv[i]));
    return asked;
}

/* Returns the wall seconds of the file's runs in a process of their own. Some systems leave the threads of a process
 * that has long been busy on one core where they are. */
static double time_process(const struct sms_file *file, unsigned jobs)
{
    int status = 0;
    double start = seconds_of(CLOCK_MONOTONIC);
    pid_t child = fork();
    if (child == 0)
        _exit(time_run(file, CLOCK_MONOTONIC, jobs) < 0);
    if (child < 0 || waitpid(child, &status, 0) < 0 || status)
        return -1;
    return seconds_of(CLOCK_MONOTONIC) - start;
}

/* Prints the wall time of two replications on one thread over that on two. */
static int bench_threads(void)
{
    struct sms_file *file = load(&works[0], 2e6, 2);
    double ratio[RUNS];
    if (!file)
        return 1;
    for (int i = 0; i < RUNS; i++)
        ratio[i] = time_process(file, 1) / time_process(file, 2);
    sms_file_free(file);
    printf("\ntwo replications on two threads: %.2f times as fast as on one\n", median(ratio));
    return 0;
}

static const struct work *find_work(const char *name)
{
    for (size_t w = 0; w < sizeof works / sizeof *works; w++)
        if (!strcmp(works[w].name, name))
            return &works[w];
    return NULL;
}

static void print_references(const char *program)
{
    printf(
        "| work | blocks | million blocks/s | ns/block | ratio to the plain loop | peak MiB so far | instructions |\n"
        "|---|---|---|---|---|---|---|\n");
    double plain = 0;
    for (const struct reference *r = references; r < references + sizeof references / sizeof *references; r++) {
        double seconds = time_plain(r->run, PLAIN_SMS, r->blocks);
        plain = r == references ? seconds : plain;
        print_row(r->name, (double)r->blocks, seconds * (double)r->blocks, plain,
                  program ? instructions_a_block(program, r->name, (double)r->counted) : -1);
    }
}

/* Runs the row once with so many blocks, and does nothing else. */
static int run_named(const char *name, double blocks)
{
    const struct work *work = find_work(name);
    const struct plain_work plain = plain_work();
    for (const struct reference *r = references; r < references + sizeof references / sizeof *references; r++)
        if (!strcmp(name, r->name))
            return r->run(&plain, PLAIN_SMS, (uint64_t)blocks) < 0;
    return !work || run_once(work, blocks);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"most", required_argument, NULL, 'm'},
                                            {"growth", no_argument, NULL, 'g'},
                                            {"instructions", no_argument, NULL, 'i'},
                                            {"once", required_argument, NULL, 'o'},
                                            {0}};
    double most = 1e7, once = 0;
    bool growth = false;
    const char *program = NULL; /* to count instructions with, or NULL */
    for (int id = getopt_long(argc, argv, "", options, NULL); id != -1;
         id = getopt_long(argc, argv, "", options, NULL)) {
        if (id == '?') {
            fputs("usage: bench [--instructions] [--growth [--most BLOCKS]] [ROW...]\n", stderr);
            return 2;
        }
        growth |= id == 'g';
        most = id == 'm' ? strtod(optarg, NULL) : most;
        once = id == 'o' ? strtod(optarg, NULL) : once;
        program = id == 'i' ? argv[0] : program;
    }
    argc -= optind;
    argv += optind;
    if (once > 0)
        return argc != 1 || run_named(argv[0], once);
    print_references(program);
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        if (!is_asked_for(works[w].name, argc, argv))
            continue;
        for (double blocks = growth ? 1e5 : works[w].blocks; blocks <= (growth ? most : works[w].blocks); blocks *= 10)
            if (bench(&works[w], blocks, program))
                return 1;
    }
    return is_asked_for("threads", argc, argv) ? bench_threads() : 0;
}
