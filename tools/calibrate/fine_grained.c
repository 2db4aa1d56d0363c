/* Fits the workload vectors of the fine-grained dispatch paper's four scenarios to
 * its published gains, and writes them to models/workloads/fine-grained-2022/.
 *
 *     build/bin/calibrate fine-grained-2022 [FOLDER]      default: models/workloads/fine-grained-2022
 *
 * The paper does not print its vectors. Starting from plausible ones, random
 * points and then gsl's Nelder-Mead move the two largest demands of each VM, within BOUNDS and not far
 * from the start, until host throughput under fine_grained exceeds that under
 * utilization_aware and round_robin by the published factors. One contention
 * setting, SLOPE, serves all four scenarios. The seeds of the fit are not those of
 * the scenario files. docs/fine-grained-2022.md says what this shows and what not. */
#include "calibrate.h"

#include <smsched/smsched.h>

#include <gsl/gsl_multimin.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VMS = 15, SCENARIOS = 4, RESOURCES = 4, MOVED = 2, MOST_VMS = 4 };

#define SLOPE "2.55"

static const char *const resource[RESOURCES] = {"fp32", "fp64", "dram", "l1"};
static const double GOOD = 1;               /* distance that needs no improvement: about one point off in a gain */
static const double least = 0.5, most = 25; /* BOUNDS of a demand that moves, in percent of an SM */

struct vm {
    const char *title;
    int threads;
    double demand[RESOURCES]; /* percent */
};

/* Roles from the paper's text, numbers plausible for a V100 (specification 004, 4.6). */
static const struct vm start[VMS] = {
    {"heavy on device memory", 96, {6, 0, 15, 4}},
    {"heavy on device memory", 128, {5, 0, 18, 5}},
    {"low on device memory, high on the unified cache", 64, {7, 0, 4, 16}},
    {"FP32", 64, {14, 3, 2, 6}},
    {"FP64", 64, {3, 14, 8, 1}},
    {"FP64", 64, {3, 14, 8, 1}},
    {"FP32", 96, {12, 4, 6, 4}},
    {"device memory", 128, {3, 0, 13, 4}},
    {"unified cache", 64, {3, 0, 3, 14}},
    {"device memory", 64, {1, 0, 14, 5}},
    {"device memory", 96, {3, 0, 13, 2}},
    {"FP32", 96, {14, 5, 4, 1}},
    {"FP64", 64, {3, 15, 3, 2}},
    {"device memory", 64, {4, 0, 13, 6}},
    {"unified cache", 64, {4, 0, 4, 14}},
};

/* How far and how long to look. */
struct search {
    int points, steps;
    double radius, pull; /* of the first random points, in percent of an SM; towards the start */
};

struct scenario {
    const char *name;
    int first, count;
    /* Published gains of fine_grained over utilization_aware, and over round_robin. Of the latter the paper gives S2
     * (139.3), the mean (130.6) and the greatest (161.4); which scenario is the greatest and how the other two share
     * what is left is ours: S1 + S3 = 4 x 130.6 - 139.3 - 161.4 = 221.7. */
    double over_ua, over_rr;
    struct search search;
};

static const struct scenario scenarios[SCENARIOS] = {
    {"s1", 0, 3, 0.341, 1.22, {80, 150, 4, 0.002}}, /* three VMs have few ways to be 34.1 % faster: it stays below 31 %
                                                     */
    {"s2", 3, 4, 0.227, 1.393, {25, 60, 2, 0.02}},
    {"s3", 7, 4, 0.225, 0.997, {25, 60, 2, 0.02}},
    {"s4", 11, 4, 0.155, 1.614, {25, 60, 2, 0.02}}};

static void print_workload(FILE *to, const struct vm *vm, int number)
{
    fprintf(to, "workload: fine-grained-2022/vm%02d\n", number);
    fprintf(to, "title: VM%d, %s\n", number, vm->title);
    fprintf(to, "source: \"reconstructed by tools/calibrate, not measured: docs/fine-grained-2022.md\"\n");
    fprintf(to, "device: v100\nfitted: true\nkernels:\n");
    fprintf(to, "  - {name: main, blocks: 1280, threads: %d, block_time: 100 us, jitter: 5.8 %%,\n     demand: {",
            vm->threads);
    for (int r = 0; r < RESOURCES; r++)
        if (vm->demand[r] > 0)
            fprintf(to, "%s%s: %.1f %%", r ? ", " : "", resource[r], vm->demand[r]);
    fprintf(to, "}}\n");
}

/* As the scenario files have it, but for seed and replications. */
static void print_scenario(FILE *to, const struct scenario *scenario, const struct vm *vm)
{
    for (int i = 0; i < scenario->count; i++) {
        print_workload(to, &vm[i], scenario->first + i + 1);
        fprintf(to, "---\n");
    }
    fprintf(to, "scenario: %s\ndevices: [{model: v100, count: 2, resources: {dram: {scope: sm}}}]\n", scenario->name);
    fprintf(to, "contention: {model: proportional, slope: " SLOPE "}\n");
    fprintf(to, "queue: interleave\npolicies: [round_robin, utilization_aware, fine_grained]\nvms:\n");
    for (int i = 0; i < scenario->count; i++)
        fprintf(to, "  - {name: vm%d, workload: fine-grained-2022/vm%02d, repeat: forever}\n", scenario->first + i + 1,
                scenario->first + i + 1);
    fprintf(to, "run: {warmup: 8 ms, duration: 40 ms, seed: 1001, replications: 2}\n");
}

/* Blocks per second of the host under each policy; kernels per second, which the
 * scenarios report, are the same but for whole kernels, and a minimizer cannot
 * follow steps. 0, or -1 if it does not run. */
static int simulate(const struct scenario *scenario, const struct vm *vm, double throughput[3])
{
    char path[] = "/tmp/smsched-calibrate-XXXXXX";
    const struct sms_load_options from_here = {.models = "models"}; /* run in the repository's root */
    struct sms_run_options options = sms_run_defaults();
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    struct sms_results *results = NULL;
    int fd = mkstemp(path);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!to)
        return -1;
    print_scenario(to, scenario, vm);
    options.alone = false;
    options.jobs = 2;
    int code = fclose(to) || sms_file_load(path, &from_here, &file, &errors) ||
               sms_run(sms_file_scenario(file, 0), &options, &results, &errors);
    unlink(path);
    sms_errors_print(&errors, stderr);
    for (size_t p = 0; p < 3 && !code; p++)
        throughput[p] = sms_results_estimate(results, p, SMS_HOST, 0, 1).mean;
    sms_results_free(results);
    sms_file_free(file);
    return code ? -1 : 0;
}

/* The largest and second largest demand of a VM. */
static void find_moved(const struct vm *vm, int moved[MOVED])
{
    moved[0] = 0;
    for (int r = 1; r < RESOURCES; r++)
        if (vm->demand[r] > vm->demand[moved[0]])
            moved[0] = r;
    moved[1] = moved[0] == 0;
    for (int r = 0; r < RESOURCES; r++)
        if (r != moved[0] && vm->demand[r] > vm->demand[moved[1]])
            moved[1] = r;
}

static double clamp(double x) { return x < least ? least : x > most ? most : x; }

/* The VMs of a scenario with the demands of a point; rounded as they will be written. */
static void apply(const struct scenario *scenario, const gsl_vector *point, struct vm *vm)
{
    for (int i = 0; i < scenario->count; i++) {
        int moved[MOVED];
        vm[i] = start[scenario->first + i];
        find_moved(&vm[i], moved);
        for (int m = 0; m < MOVED; m++)
            vm[i].demand[moved[m]] = round(clamp(gsl_vector_get(point, (size_t)(i * MOVED + m))) * 10) / 10;
    }
}

/* How far a point is from the published gains, and a little how far from the start. */
static double distance(const gsl_vector *point, void *user)
{
    const struct scenario *scenario = user;
    struct vm vm[MOST_VMS];
    double throughput[3], moved = 0;
    apply(scenario, point, vm);
    if (simulate(scenario, vm, throughput))
        return 1e9;
    for (int i = 0; i < scenario->count; i++)
        for (int r = 0; r < RESOURCES; r++)
            moved += pow((vm[i].demand[r] - start[scenario->first + i].demand[r]) / 3, 2);
    double ua = throughput[2] / throughput[1] - 1 - scenario->over_ua;
    double rr = throughput[2] / throughput[0] - 1 - scenario->over_rr;
    return pow(ua / 0.01, 2) + pow(rr / 0.02, 2) + scenario->search.pull * moved;
}

static gsl_vector *start_point(const struct scenario *scenario)
{
    gsl_vector *point = gsl_vector_alloc((size_t)(scenario->count * MOVED));
    for (int i = 0; i < scenario->count; i++) {
        int moved[MOVED];
        find_moved(&start[scenario->first + i], moved);
        for (int m = 0; m < MOVED; m++)
            gsl_vector_set(point, (size_t)(i * MOVED + m), start[scenario->first + i].demand[moved[m]]);
    }
    return point;
}

/* How many blocks of a demand fill an SM is a whole number, so the distance has
 * cliffs, on which a simplex gets stuck. Random points around the best so far, in a
 * radius that shrinks, come first. */
static void scatter(const struct scenario *scenario, gsl_vector *best, gsl_rng *rng)
{
    struct scenario copy = *scenario;
    gsl_vector *point = gsl_vector_alloc(best->size);
    double shortest = distance(best, &copy);
    for (double radius = scenario->search.radius; radius > 0.4; radius *= 0.75)
        for (int i = 0; i < scenario->search.points && shortest > GOOD; i++) {
            for (size_t d = 0; d < best->size; d++)
                gsl_vector_set(point, d, gsl_vector_get(best, d) + radius * (2 * gsl_rng_uniform(rng) - 1));
            double here = distance(point, &copy);
            if (here >= shortest)
                continue;
            shortest = here;
            gsl_vector_memcpy(best, point);
        }
    gsl_vector_free(point);
}

static void polish(const struct scenario *scenario, gsl_vector *best)
{
    struct scenario copy = *scenario;
    gsl_vector *step = gsl_vector_alloc(best->size);
    gsl_multimin_function function = {distance, best->size, &copy};
    gsl_multimin_fminimizer *minimizer = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, best->size);
    gsl_vector_set_all(step, 0.5);
    gsl_multimin_fminimizer_set(minimizer, &function, best, step);
    for (int i = 0; i < scenario->search.steps && minimizer->fval > GOOD; i++)
        if (gsl_multimin_fminimizer_iterate(minimizer))
            break;
    gsl_vector_memcpy(best, minimizer->x);
    gsl_multimin_fminimizer_free(minimizer);
    gsl_vector_free(step);
}

static void minimize(const struct scenario *scenario, struct vm *vm)
{
    gsl_vector *best = start_point(scenario);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 2022);
    scatter(scenario, best, rng);
    polish(scenario, best);
    apply(scenario, best, vm);
    gsl_rng_free(rng);
    gsl_vector_free(best);
}

static int write_workload(const char *folder, const struct vm *vm, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/vm%02d.yaml", folder, number);
    FILE *to = fopen(path, "w");
    if (!to)
        return -1;
    print_workload(to, vm, number);
    return fclose(to);
}

static int calibrate(const struct scenario *scenario, const char *folder)
{
    struct vm vm[MOST_VMS];
    double throughput[3];
    minimize(scenario, vm);
    if (simulate(scenario, vm, throughput))
        return -1;
    printf("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", scenario->name, 100 * scenario->over_ua,
           100 * (throughput[2] / throughput[1] - 1), 100 * scenario->over_rr,
           100 * (throughput[2] / throughput[0] - 1));
    fflush(stdout);
    for (int i = 0; i < scenario->count; i++)
        if (write_workload(folder, &vm[i], scenario->first + i + 1))
            return -1;
    return 0;
}

int calibrate_fine_grained(const char *folder)
{
    printf("| scenario | fg over ua, target | fitted | fg over rr, target | fitted |\n|---|---|---|---|---|\n");
    for (int s = 0; s < SCENARIOS; s++)
        if (calibrate(&scenarios[s], folder ? folder : "models/workloads/fine-grained-2022")) {
            fprintf(stderr, "error: %s cannot be fitted, or its workloads not be written\n", scenarios[s].name);
            return 1;
        }
    return 0;
}
