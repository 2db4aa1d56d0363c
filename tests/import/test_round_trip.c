/* Derives workloads from measured profiles, runs them alone, and compares durations, occupancy and usage with the
 * measurements: nvprof's of a GTX 1080 Ti and Nsight Compute's of a V100. profile_tables.py reads the data from
 * ../shared/data or SMSCHED_DATA. */
#include "tests/harness.h"

#include "sim/import/derive.h"

#include <dirent.h>

enum { ROWS = 40000, KERNELS = 64, PROGRAMS = 128, LINE_BYTES = 4096 };

struct expected {
    char name[64];
    double value;
};

struct program {
    struct sms__profile profile;
    struct expected expected[32];
    size_t expects;
};

struct timed {
    const char *name;
    double measured_s, sum_s;
    size_t launches, runs;
};

struct outcome {
    char name[64];
    size_t kernels;
    double longest_error; /* ratio */
    double use_error;     /* points */
    char resource[32];
    double measured, occupancy;
};

static const char *field(char **rest)
{
    char *from = *rest, *end = from ? strpbrk(from, "\t\n") : NULL;
    if (!from)
        return "";
    *rest = end && *end == '\t' ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return from;
}

static char *keep(struct sms__arena *arena, const char *text) { return sms__copy(arena, text, strlen(text)); }

static void read_launch(struct sms__arena *arena, struct program *program, char *rest)
{
    struct sms__profile_launch *launch = &program->profile.launch[program->profile.launches++];
    assert_true(program->profile.launches < ROWS);
    launch->start_s = atof(field(&rest));
    launch->duration_s = atof(field(&rest));
    struct sms__profile_shape *shape = SMS__NEW(arena, struct sms__profile_shape, 1);
    for (int i = 0; i < 6; i++)
        (i < 3 ? shape->grid : shape->block)[i % 3] = strtoull(field(&rest), NULL, 10);
    shape->registers = strtoull(field(&rest), NULL, 10);
    shape->static_shared = atof(field(&rest));
    shape->dynamic_shared = atof(field(&rest));
    shape->kernel = keep(arena, field(&rest));
    launch->shape = shape;
    launch->place = SMS__NEW(arena, struct sms__trace_place, 1);
    launch->count = 1;
}

static void read_copy(struct program *program, char *rest)
{
    struct sms__profile_copy *copy = &program->profile.copy[program->profile.copies++];
    assert_true(program->profile.copies < ROWS);
    copy->start_s = atof(field(&rest));
    copy->duration_s = atof(field(&rest));
    copy->to_device = !strcmp(field(&rest), "in");
    copy->bytes = atof(field(&rest));
}

/* A row has one metric of a kernel without geometry. Rows of one kernel are put together. */
static void read_metric(struct sms__arena *arena, struct program *program, char *rest)
{
    struct sms__profile_launch *launch = &program->profile.launch[program->profile.launches++];
    struct sms__profile_metric *metric = SMS__NEW(arena, struct sms__profile_metric, 1);
    assert_true(program->profile.launches < ROWS);
    metric->kind = !strcmp(field(&rest), "level") ? SMS__VALUE_LEVEL : SMS__VALUE_NUMBER;
    metric->mean = atof(field(&rest));
    metric->unit = keep(arena, field(&rest));
    metric->name = keep(arena, field(&rest));
    struct sms__profile_shape *shape = SMS__NEW(arena, struct sms__profile_shape, 1);
    shape->kernel = keep(arena, field(&rest));
    *launch = (struct sms__profile_launch){.shape = shape,
                                           .place = SMS__NEW(arena, struct sms__trace_place, 1),
                                           .metric = metric,
                                           .metrics = 1,
                                           .count = 1,
                                           .start_s = NAN,
                                           .duration_s = NAN};
}

static void read_line(struct sms__arena *arena, struct program *program, char *line)
{
    char *rest = line;
    const char *kind = field(&rest);
    switch (*kind) {
    case 'L':
        read_launch(arena, program, rest);
        break;
    case 'C':
        read_copy(program, rest);
        break;
    case 'M':
        read_metric(arena, program, rest);
        break;
    default:
        snprintf(program->expected[program->expects].name, 64, "%s", field(&rest));
        program->expected[program->expects++].value = atof(field(&rest));
    }
}

static void read_program(struct sms__arena *arena, const char *path, struct program *program)
{
    char *line = SMS__NEW(arena, char, LINE_BYTES);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    *program = (struct program){.profile = {.tool = "nvprof"}};
    program->profile.launch = SMS__NEW(arena, struct sms__profile_launch, ROWS);
    program->profile.copy = SMS__NEW(arena, struct sms__profile_copy, ROWS);
    while (fgets(line, LINE_BYTES, file))
        read_line(arena, program, line);
    fclose(file);
}

static bool is_same(const struct sms__profile_shape *a, const struct sms__profile_shape *b)
{
    return !strcmp(a->kernel, b->kernel) && !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && a->registers == b->registers &&
           a->static_shared + a->dynamic_shared == b->static_shared + b->dynamic_shared;
}

/* Mean measured durations of the kernels, in the order of their first launches, as in the document. */
static size_t measure(const struct program *program, struct timed *timed)
{
    const struct sms__profile_launch *first[KERNELS];
    size_t kernels = 0, k;
    for (size_t l = 0; l < program->profile.launches; l++) {
        const struct sms__profile_launch *launch = &program->profile.launch[l];
        if (launch->metrics)
            continue;
        for (k = 0; k < kernels && !is_same(first[k]->shape, launch->shape);)
            k++;
        if (k == kernels) {
            assert_true(kernels < KERNELS);
            first[kernels++] = launch;
        }
        timed[k].measured_s += launch->duration_s;
        timed[k].launches++;
    }
    return kernels;
}

static int note_run(void *user, const struct sms_run_event *event)
{
    const struct sms_kernel_run *run = event->kernel;
    struct timed *timed = user;
    while (strcmp(timed->name, run->kernel) != 0)
        timed++;
    timed->sum_s += (double)(run->end_ps - run->launch_ps) * 1e-12;
    timed->runs++;
    return 0;
}

static struct sms_file *derive(struct sms__arena *arena, const struct program *program,
                               const struct sms__device *device)
{
    struct sms__derive_options options = {.name = "program", .device = device, .steps = 100000};
    struct sms_errors errors = {0};
    char path[] = "/tmp/smsched-test-XXXXXX";
    int fd = mkstemp(path);
    FILE *to = fdopen(fd, "w");
    assert_non_null(to);
    assert_int_equal(sms__derive(arena, &program->profile, &options, to, &errors), SMS_OK);
    fprintf(to,
            "---\nscenario: alone\ndevices: [{model: %s}]\ncontention: proportional\n"
            "policies: [round_robin]\nvms: [{name: vm, workload: program, repeat: %d}]\n",
            device->name, program->profile.launches < 400 ? 20 : 1);
    fclose(to);
    struct sms_file *file = load_path(path);
    unlink(path);
    return file;
}

static double host(const struct sms_results *results, const char *metric)
{
    return estimate(results, 0, SMS_HOST, 0, metric).mean;
}

static void compare_use(const struct program *program, const struct sms_results *results, double busy,
                        struct outcome *outcome)
{
    for (size_t r = 0; r < sms_results_subjects(results, SMS_RESOURCE); r++) {
        const char *name = sms_results_subject(results, SMS_RESOURCE, r);
        double use = estimate(results, 0, SMS_RESOURCE, r, "utilization_ratio").mean / busy;
        for (size_t e = 0; e < program->expects; e++) {
            double apart = 100 * fabs(use - program->expected[e].value);
            if (strcmp(program->expected[e].name, name) != 0 || apart <= outcome->use_error)
                continue;
            outcome->use_error = apart;
            snprintf(outcome->resource, sizeof outcome->resource, "%s", name);
        }
    }
}

static void run_program(struct sms__arena *arena, const struct program *program, const struct sms__device *device,
                        struct outcome *outcome)
{
    struct timed timed[KERNELS] = {{0}};
    struct sms_file *file = derive(arena, program, device);
    struct sms_run_options options = sms_run_defaults();
    double ran = 0;
    outcome->kernels = measure(program, timed);
    assert_int_equal(file->workload[0]->kernels, outcome->kernels);
    for (size_t k = 0; k < outcome->kernels; k++)
        timed[k].name = file->workload[0]->kernel[k].name;
    options.alone = false;
    options.observe = note_run;
    options.events = SMS_RUN_KERNEL;
    options.user = timed;
    struct sms_results *results = run_first(file, &options);
    for (size_t k = 0; k < outcome->kernels; k++) {
        double mean = timed[k].sum_s / (double)timed[k].runs;
        double error = fabs(mean / (timed[k].measured_s / (double)timed[k].launches) - 1);
        outcome->longest_error = error > outcome->longest_error ? error : outcome->longest_error;
        ran += timed[k].sum_s;
    }
    compare_use(program, results, ran / (host(results, "makespan_ns") * 1e-9), outcome);
    outcome->measured = program->expected[0].value;
    outcome->occupancy = host(results, "occupancy_ratio") / host(results, "sm_activity_ratio");
    discard(results, file);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, by_value);
    return value[count / 2];
}

struct round_trip {
    struct sms__arena arena;
    const char *folder, *device;
    struct outcome outcome[PROGRAMS];
    size_t programs;
};

static int run_all(void *user)
{
    struct round_trip *trip = user;
    struct sms_load_options options = harness_options();
    struct sms_errors errors = {0};
    struct sms_file *file;
    const struct sms__device *device;
    assert_int_equal(sms__derive_device(trip->device, &options, &file, &device, &errors), SMS_OK);
    for (size_t p = 0; p < trip->programs; p++) {
        struct program program;
        char path[512];
        snprintf(path, sizeof path, "%s/%s.csv", trip->folder, trip->outcome[p].name);
        read_program(&trip->arena, path, &program);
        unlink(path);
        run_program(&trip->arena, &program, device, &trip->outcome[p]);
    }
    sms_file_free(file);
    return SMS_OK;
}

static bool make_tables(const char *device, const char *folder)
{
    char command[8192];
    const char *data = getenv("SMSCHED_DATA");
    data = data ? data : SOURCE_DIR "/../shared/data";
    if (access(data, R_OK) != 0)
        return false;
    snprintf(command, sizeof command, "python3 '%s/tests/import/profile_tables.py' %s '%s' '%s'", SOURCE_DIR, device,
             data, folder);
    assert_int_equal(system(command), 0);
    return true;
}

static void list_programs(struct round_trip *trip)
{
    DIR *dir = opendir(trip->folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".csv") != 0)
            continue;
        assert_true(trip->programs < PROGRAMS);
        snprintf(trip->outcome[trip->programs++].name, 64, "%.*s", (int)(dot - entry->d_name), entry->d_name);
    }
    closedir(dir);
    qsort(trip->outcome, trip->programs, sizeof *trip->outcome, by_name);
}

static void print_table(const struct round_trip *trip)
{
    print_message("| program | kernels | worst duration error | worst use error | occupancy measured | simulated |\n");
    print_message("|---|---|---|---|---|---|\n");
    for (size_t p = 0; p < trip->programs; p++) {
        const struct outcome *o = &trip->outcome[p];
        print_message("| %s | %zu | %.2f %% | %.2f points (%s) | %.1f %% | %.1f %% |\n", o->name, o->kernels,
                      100 * o->longest_error, o->use_error, o->resource, 100 * o->measured, 100 * o->occupancy);
    }
}

static void judge(const struct round_trip *trip, size_t near_min, double apart_max)
{
    double use[PROGRAMS], occupancy[PROGRAMS];
    size_t near = 0, count = trip->programs;
    for (size_t p = 0; p < count; p++) {
        const struct outcome *o = &trip->outcome[p];
        use[p] = o->use_error;
        occupancy[p] = 100 * fabs(o->measured - o->occupancy);
        near += occupancy[p] <= 5;
    }
    print_message("medians: use %.2f points, occupancy %.2f points; %zu of %zu programs within 5 points of occupancy\n",
                  median(use, count), median(occupancy, count), near, count);
    for (size_t p = 0; p < count; p++)
        assert_true(trip->outcome[p].longest_error <= 0.05);
    assert_true(median(use, count) <= 3);
    assert_true(median(occupancy, count) <= apart_max);
    assert_true(near >= near_min);
}

/* near_min: least number of programs whose occupancy is within 5 points. apart_max: largest median distance, in points.
 * docs/reference/import.md explains the programs that miss it. */
static void come_back(const char *device, size_t programs, size_t near_min, double apart_max)
{
    char folder[] = "/tmp/smsched-tables-XXXXXX";
    struct round_trip *trip = calloc(1, sizeof *trip);
    assert_non_null(mkdtemp(folder));
    trip->folder = folder;
    trip->device = device;
    if (!make_tables(device, folder)) {
        rmdir(folder);
        free(trip);
        skip();
    }
    list_programs(trip);
    assert_int_equal(trip->programs, programs);
    assert_int_equal(sms__guard(&trip->arena, run_all, trip), SMS_OK);
    rmdir(folder);
    print_table(trip);
    judge(trip, near_min, apart_max);
    sms__arena_release(&trip->arena);
    free(trip);
}

static void nvprofs_measurements_come_back(void **state)
{
    (void)state;
    come_back("gtx1080ti", 29, 20, 5);
}

static void nsight_computes_measurements_come_back(void **state)
{
    (void)state;
    come_back("v100", 89, 20, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nvprofs_measurements_come_back),
                                       cmocka_unit_test(nsight_computes_measurements_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
