/* From the record of processes on shared devices to what is printed of it. The engine is
 * replaced by one that leaves a record written by hand (-Wl,--wrap=sms__simulate). */
#include "tests/harness.h"

#include "sim/cli/cli.h"
#include "sim/levels/simulate.h"
#include "sim/report/metrics.h"

#include <jansson.h>

enum { PROCESSES = 4, DEVICES = 2 };

static const uint64_t us = 1000000;

/* Processes a and b end, c fails, d has no end; two devices, of 1 GB and of 3 GB. */
struct fixture {
    struct sms_file *file;
    struct sms_scenario scenario;
    struct sms__vm vm[PROCESSES];
    struct sms__device model[DEVICES];
    const struct sms__device *device[DEVICES];
    struct sms__expect expect[3];
};

static const char *const tenants =
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]\n"
                 "---\nscenario: s\ndevices: [{model: small, count: 2}]\npolicies: [round_robin, fine_grained]\n"
                 "vms: [{name: a, workload: w}, {name: b, workload: w, start: 2 us}, {name: c, workload: w},"
                 " {name: d, workload: w, repeat: forever}]\nrun: {duration: 100 us}\n";

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->file = load_text(tenants, 1, 8, "device");
    fixture->scenario = *sms_file_scenario(fixture->file, 0);
    memcpy(fixture->vm, fixture->scenario.vm, sizeof fixture->vm);
    fixture->scenario.vm = fixture->vm;
    for (size_t d = 0; d < DEVICES; d++) {
        fixture->model[d] = *fixture->scenario.device[d];
        fixture->model[d].memory = d == 0 ? 1000000000 : 3000000000;
        fixture->device[d] = &fixture->model[d];
    }
    fixture->scenario.device = fixture->device;
    fixture->scenario.shares = true;
    fixture->scenario.host.power_w = 250;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    sms_file_free(fixture->file);
    free(fixture);
    return 0;
}

static void write_processes(struct sms__process_record *process)
{
    static const uint64_t in[SMS_PHASES] = {
        [SMS_PHASE_UNPLACED] = 1,    [SMS_PHASE_HOST] = 20,        [SMS_PHASE_ALLOCATE] = 300,
        [SMS_PHASE_LAUNCH] = 4000,   [SMS_PHASE_COPY_IN] = 50000,  [SMS_PHASE_KERNEL] = 600000,
        [SMS_PHASE_COPY_OUT] = 7000, [SMS_PHASE_SUSPENDING] = 800, [SMS_PHASE_SUSPENDED] = 90,
        [SMS_PHASE_RESTORING] = 6};
    for (size_t s = 0; s < SMS_PHASES; s++)
        process[0].state_ps[s] = 1000 * in[s];
    process[0].paused_ps = 5000;
    process[0].service_ps = 31000;
    process[0].pauses = 3;
    process[0].suspends = 2;
    process[0].migrations = 1;
    process[0].copied_in = 100;
    process[0].copied_out = 11;
    process[0].moved = 64;
    process[0].most_held = 4096;
    process[0].ended_ps = 10 * us;
    process[1].ended_ps = 22 * us;
    process[1].most_held = 8192;
    process[2] = (struct sms__process_record){.ended_ps = 50 * us, .refused = 2, .failed = true};
}

/* What the engine would leave. Alone, a process ends sooner. */
static void write_record(struct sms__record *record, long only)
{
    record->from_ps = 0;
    record->to_ps = 100 * us;
    for (size_t v = 0; v < PROCESSES; v++)
        record->kernel[v].blocks = only < 0 ? 10 : 40;
    write_processes(record->process);
    if (only >= 0) {
        record->process[0].ended_ps = 5 * us;
        record->process[1].ended_ps = 12 * us;
        return;
    }
    record->shared[0] = (struct sms__shared_record){.switches = 4,
                                                    .switch_ps = 5 * us,
                                                    .busy_ps = 60 * us,
                                                    .most_held = 900000000,
                                                    .held_ps = (sms__integral)500000000 * 100 * us,
                                                    .energy_j = 1.5};
    record->shared[1].busy_ps = 20 * us;
    record->shared[1].most_held = 600000000;
    record->shared[1].held_ps = (sms__integral)300000000 * 100 * us;
    record->shared[1].energy_j = 0.25;
}

static void tell(const struct sms__run_spec *spec)
{
    const struct sms_run_options *options = spec->options;
    for (size_t v = 0; spec->observe && options->on_span && v < PROCESSES; v++) {
        struct sms_span span = {v, spec->scenario->vm[v].name, "unplaced", -1, 0, 3 * us};
        options->on_span(options->user, spec->observe, &span);
        span = (struct sms_span){v, spec->scenario->vm[v].name, "kernel", 1, 3 * us, 9 * us};
        options->on_span(options->user, spec->observe, &span);
    }
}

int __wrap_sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec);

int __wrap_sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    sms__record_init(spec->record, arena, spec->scenario);
    if (spec->scenario->shares) {
        write_record(spec->record, spec->only_vm);
        tell(spec);
    }
    return SMS_OK;
}

static struct sms_results *run(const struct sms_scenario *scenario)
{
    struct sms_errors errors;
    struct sms_results *results;
    assert_int_equal(sms_run(scenario, NULL, &results, &errors), SMS_OK);
    return results;
}

static double value(const struct sms_results *results, enum sms_subject subject, size_t idx, const char *name)
{
    return estimate(results, 0, subject, idx, name).mean;
}

static void a_restart_keeps_what_is_of_the_whole_run(void **state)
{
    struct fixture *fixture = *state;
    struct sms__arena arena = {0};
    struct sms__record record;
    jmp_buf out;
    assert_int_equal(setjmp(out), 0);
    arena.out_of_memory = &out;
    sms__record_init(&record, &arena, &fixture->scenario);
    write_record(&record, -1);
    record.process[0].choice = 7;
    sms__record_restart(&record, 40 * us);
    assert_int_equal(record.process[0].ended_ps, 10 * us);
    assert_int_equal(record.process[0].most_held, 4096);
    assert_int_equal(record.process[0].choice, 7);
    assert_true(record.process[2].failed);
    assert_int_equal(record.process[0].state_ps[SMS_PHASE_KERNEL], 0);
    assert_int_equal(record.process[0].pauses + record.process[0].paused_ps + record.process[2].refused, 0);
    assert_near(record.process[0].copied_in + record.process[0].moved, 0, 0);
    assert_int_equal(record.shared[0].most_held, 900000000);
    assert_int_equal(record.shared[0].switches + record.shared[0].busy_ps, 0);
    assert_true(record.shared[0].held_ps == 0);
    assert_near(record.shared[0].energy_j, 0, 0);
    sms__arena_release(&arena);
}

static void vms_have_no_record_of_processes(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(sms_file_scenario(fixture->file, 0));
    assert_int_equal(sms_results_subjects(results, SMS_PROCESS), 0);
    assert_int_equal(sms_results_subjects(results, SMS_DEVICE), 0);
    sms_results_free(results);
}

static void times_of_processes_are_those_of_the_record(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_near(value(results, SMS_PROCESS, 0, "turnaround_ns"), 10000, 0);
    assert_near(value(results, SMS_PROCESS, 1, "turnaround_ns"), 20000, 0); /* it came at 2 us */
    assert_near(value(results, SMS_PROCESS, 0, "slowdown_ratio"), 2, 1e-12);
    assert_near(value(results, SMS_PROCESS, 1, "slowdown_ratio"), 2, 1e-12);
    assert_near(value(results, SMS_PROCESS, 0, "waiting_ns"), 4301, 0);
    assert_near(value(results, SMS_PROCESS, 0, "host_ns"), 20, 0);
    assert_near(value(results, SMS_PROCESS, 0, "copy_in_ns"), 50000, 0);
    assert_near(value(results, SMS_PROCESS, 0, "kernel_ns"), 600000, 0);
    assert_near(value(results, SMS_PROCESS, 0, "copy_out_ns"), 7000, 0);
    assert_near(value(results, SMS_PROCESS, 0, "suspended_ns"), 896, 0);
    assert_near(value(results, SMS_PROCESS, 0, "paused_ns"), 5, 0);
    assert_near(value(results, SMS_PROCESS, 0, "service_ns"), 31, 0);
    sms_results_free(results);
}

static void counts_of_processes_are_those_of_the_record(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_near(value(results, SMS_PROCESS, 0, "pauses_count"), 3, 0);
    assert_near(value(results, SMS_PROCESS, 0, "suspends_count"), 2, 0);
    assert_near(value(results, SMS_PROCESS, 0, "migrations_count"), 1, 0);
    assert_near(value(results, SMS_PROCESS, 0, "copied_bytes"), 111, 0);
    assert_near(value(results, SMS_PROCESS, 0, "moved_bytes"), 64, 0);
    assert_near(value(results, SMS_PROCESS, 0, "memory_high_water_bytes"), 4096, 0);
    assert_near(value(results, SMS_PROCESS, 2, "refused_allocations_count"), 2, 0);
    assert_near(value(results, SMS_PROCESS, 0, "failed_count"), 0, 0);
    assert_near(value(results, SMS_PROCESS, 2, "failed_count"), 1, 0);
    sms_results_free(results);
}

static void what_failed_or_has_not_ended_has_no_turnaround(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    for (size_t v = 2; v < PROCESSES; v++) {
        assert_true(isnan(value(results, SMS_PROCESS, v, "turnaround_ns")));
        assert_true(isnan(value(results, SMS_PROCESS, v, "slowdown_ratio")));
    }
    assert_true(isnan(value(results, SMS_VM, 2, "normalized_progress_ratio")));
    assert_near(value(results, SMS_VM, 3, "normalized_progress_ratio"), 0.25, 1e-12); /* by its blocks */
    assert_near(value(results, SMS_HOST, 0, "stp_ratio"), 0.5 + 0.5 + 0.25, 1e-12);
    assert_near(value(results, SMS_HOST, 0, "antt_ratio"), (2 + 2 + 4) / 3.0, 1e-12);
    assert_near(value(results, SMS_HOST, 0, "makespan_ns"), 22000, 0); /* not c, which failed at 50 us */
    fixture->vm[3].repeat = 1;
    sms_results_free(results);
    results = run(&fixture->scenario);
    assert_near(value(results, SMS_HOST, 0, "makespan_ns"), 100000, 0); /* d was to end and has not */
    sms_results_free(results);
}

static void devices_are_measured_one_by_one_and_together(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_int_equal(sms_results_subjects(results, SMS_DEVICE), DEVICES + 1);
    assert_string_equal(sms_results_subject(results, SMS_DEVICE, 1), "small/1");
    assert_string_equal(sms_results_subject(results, SMS_DEVICE, 2), "all");
    assert_near(value(results, SMS_DEVICE, 0, "switches_count"), 4, 0);
    assert_near(value(results, SMS_DEVICE, 0, "switch_ns"), 5000, 0);
    assert_near(value(results, SMS_DEVICE, 0, "switch_ratio"), 0.05, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "switch_ratio"), 0.025, 1e-15);
    assert_near(value(results, SMS_DEVICE, 0, "busy_ratio"), 0.6, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "busy_ratio"), 0.4, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "memory_high_water_bytes"), 9e8, 0);
    assert_near(value(results, SMS_DEVICE, 0, "memory_ratio"), 0.5, 1e-15);
    assert_near(value(results, SMS_DEVICE, 1, "memory_ratio"), 0.1, 1e-15);
    assert_near(value(results, SMS_DEVICE, 2, "memory_ratio"), 0.2, 1e-15); /* 0.8 of 4 GB */
    assert_near(value(results, SMS_DEVICE, 2, "energy_j"), 1.75, 1e-15);
    assert_near(value(results, SMS_HOST, 0, "energy_j"), 1.75 + 250 * 100e-6, 1e-12);
    sms_results_free(results);
}

static void all_processes_have_means_of_times_and_sums_of_counts(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_string_equal(sms_results_subject(results, SMS_PROCESS, PROCESSES), "all");
    assert_near(value(results, SMS_PROCESS, PROCESSES, "turnaround_ns"), 15000, 0); /* of the two that have one */
    assert_near(value(results, SMS_PROCESS, PROCESSES, "slowdown_ratio"), 2, 1e-12);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "kernel_ns"), 150000, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "pauses_count"), 3, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "failed_count"), 1, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "copied_bytes"), 111, 0);
    assert_near(value(results, SMS_PROCESS, PROCESSES, "memory_high_water_bytes"), 8192, 0);
    sms_results_free(results);
}

static void kernels_are_left_out_where_workloads_are_drawn(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    assert_int_equal(sms_results_subjects(results, SMS_KERNEL), PROCESSES);
    sms_results_free(results);
    fixture->scenario.drawn = true;
    results = run(&fixture->scenario);
    assert_int_equal(sms_results_subjects(results, SMS_KERNEL), 0);
    sms_results_free(results);
}

/* What a writer wrote. */
static char *text_of(void (*write)(const struct sms_results *, FILE *), const struct sms_results *results)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    write(results, file);
    fclose(file);
    return text;
}

static void write_json(const struct sms_results *results, FILE *to)
{
    struct sms_results *one = (struct sms_results *)(uintptr_t)results;
    struct sms__set set = {.results = &one, .count = 1};
    assert_int_equal(sms__print_json(&set, to), 0);
}

static void assert_json_holds(const json_t *list, const struct sms_results *results, enum sms_subject subject)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    assert_int_equal(json_array_size(list), sms_results_subjects(results, subject));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        assert_string_equal(json_string_value(json_object_get(object, "name")),
                            sms_results_subject(results, subject, i));
        for (size_t m = 0; m < count; m++) {
            double mean = sms_results_estimate(results, 0, subject, i, m).mean;
            const json_t *given = json_object_get(object, metric[m].name);
            assert_true(isnan(mean) ? json_is_null(given) : json_is_real(given));
            if (!isnan(mean))
                assert_near(json_real_value(given), mean, 1e-11 * fabs(mean));
        }
    }
}

static void json_holds_processes_and_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text = text_of(write_json, results);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    const json_t *first = json_array_get(json_object_get(root, "runs"), 0);
    assert_json_holds(json_object_get(first, "processes"), results, SMS_PROCESS);
    assert_json_holds(json_object_get(first, "devices"), results, SMS_DEVICE);
    json_decref(root);
    free(text);
    sms_results_free(results);
}

static void json_of_vms_holds_neither(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(sms_file_scenario(fixture->file, 0));
    char *text = text_of(write_json, results);
    assert_null(strstr(text, "\"processes\""));
    assert_null(strstr(text, "\"devices\""));
    free(text);
    text = text_of(sms__print_tidy, results);
    assert_null(strstr(text, ",process,"));
    assert_null(strstr(text, ",device,"));
    free(text);
    sms_results_free(results);
}

static void csv_holds_a_row_for_each_value(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text = text_of(sms__print_tidy, results);
    assert_non_null(strstr(text, "s,round_robin,process,a,turnaround_ns,10000,0,0,1\n"));
    assert_non_null(strstr(text, "s,round_robin,process,c,turnaround_ns,,0,0,0\n"));
    assert_non_null(strstr(text, "s,round_robin,process,all,failed_count,1,0,0,1\n"));
    assert_non_null(strstr(text, "s,fine_grained,device,small/0,switches_count,4,0,0,1\n"));
    assert_non_null(strstr(text, "s,fine_grained,device,all,energy_j,1.75,0,0,1\n"));
    free(text);
    sms_results_free(results);
}

static void tables_are_of_processes_and_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text = text_of(sms__print_results, results);
    assert_non_null(strstr(text, "turnaround_ns"));
    assert_non_null(strstr(text, "small/1"));
    assert_null(strstr(text, "normalized_progress_ratio"));
    free(text);
    sms_results_free(results);
}

/* Wide files of a folder, and what they are named after. */
static void the_folder_has_files_of_processes(void **state)
{
    struct fixture *fixture = *state;
    struct sms_results *results = run(&fixture->scenario);
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct sms__set set = {.results = &results, .count = 1};
    sms__print_wide(&set, SMS_DEVICE, file);
    fclose(file);
    assert_non_null(strstr(text, "scenario,policy,device,switches_count,ci95_switches_count,"));
    assert_non_null(strstr(text, "\ns,round_robin,small/0,4,0,5000,0,0.05,0,0.6,0,900000000,0,0.5,0,1.5,0\n"));
    free(text);
    sms_results_free(results);
}

static void expectations_reach_processes_and_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms__expect *e = fixture->expect;
    e[0] = (struct sms__expect){.metric = "turnaround_ns",
                                .policy = "round_robin",
                                .process = "b",
                                .device = -1,
                                .has_value = true,
                                .value.value = 20000};
    e[1] = (struct sms__expect){
        .metric = "busy_ratio", .policy = "round_robin", .device = 1, .has_max = true, .max.value = 0.1};
    e[2] = (struct sms__expect){
        .metric = "makespan_ns", .policy = "round_robin", .device = -1, .has_value = true, .value.value = 22000};
    fixture->scenario.expect = e;
    fixture->scenario.expects = 3;
    struct sms_results *results = run(&fixture->scenario);
    struct sms__checks checks = {0};
    assert_int_equal(sms__check_expectations(results, &checks), 0);
    assert_int_equal(checks.count, 3);
    assert_int_equal(checks.failed, 1);
    assert_true(checks.item[0].passed);
    assert_string_equal(checks.item[0].name, "turnaround_ns of b under round_robin");
    assert_false(checks.item[1].passed);
    assert_string_equal(checks.item[1].name, "busy_ratio of small/1 under round_robin");
    assert_string_equal(checks.item[1].message, "20 %, at most 10 %");
    assert_true(checks.item[2].passed);
    sms__checks_free(&checks);
    sms_results_free(results);
}

static void there_is_no_bound_for_shared_devices(void **state)
{
    struct fixture *fixture = *state;
    struct sms_bound bound;
    struct sms_errors errors;
    assert_int_equal(sms_bound(&fixture->scenario, SMS_BOUND_KERNELS, &bound, &errors), SMS_OK);
    assert_non_null(bound.reason);
}

static bool is_in(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

static json_t *manifest_of(const char *folder)
{
    char path[200];
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    json_t *manifest = json_load_file(path, 0, NULL);
    assert_non_null(manifest);
    return manifest;
}

static void a_folder_has_files_of_processes_if_there_are_some(void **state)
{
    struct fixture *fixture = *state;
    const struct sms_scenario *scenario[] = {&fixture->scenario, sms_file_scenario(fixture->file, 0)};
    struct sms__cut cut = {"s", "round_robin", 200000, 5};
    for (size_t i = 0; i < 2; i++) {
        char folder[] = "/tmp/smsched-folder-XXXXXX";
        struct sms_errors errors;
        struct sms_results *results = run(scenario[i]);
        struct sms__set set = {.results = &results, .count = 1, .cut = &cut, .cuts = 1 - i};
        assert_non_null(mkdtemp(folder));
        assert_int_equal(sms__folder_write(folder, &set, "run", &errors), SMS_OK);
        assert_int_equal(is_in(folder, "processes.csv"), i == 0);
        assert_int_equal(is_in(folder, "devices.csv"), i == 0);
        json_t *manifest = manifest_of(folder);
        const json_t *cuts = json_object_get(manifest, "spans_cut");
        assert_int_equal(json_array_size(cuts), 1 - i);
        assert_int_equal(cuts != NULL, i == 0);
        assert_int_equal(json_integer_value(json_object_get(json_array_get(cuts, 0), "left_out")), i == 0 ? 5 : 0);
        json_decref(manifest);
        sms__folder_abandon(folder);
        sms_results_free(results);
    }
}

/* ---- spans ---- */

static void a_timeline_ends_at_its_cap_and_says_so(void **state)
{
    (void)state;
    struct session session = {.running = "s", .spans = fopen("/dev/null", "we")};
    struct sms_span span = {0, "a", "kernel", 0, 0, us};
    for (size_t i = 0; i < 200005; i++)
        spans_write(&session, "long", &span);
    spans_write(&session, "short", &span);
    assert_int_equal(spans_end(&session), EXIT_OK);
    assert_int_equal(session.set.cuts, 1);
    assert_string_equal(session.set.cut[0].policy, "long");
    assert_int_equal(session.set.cut[0].rows, 200000);
    assert_int_equal(session.set.cut[0].left_out, 5);
    free(session.cut);
}

static void a_span_is_a_row(void **state)
{
    (void)state;
    char *text;
    size_t size;
    struct session session = {.running = "s", .spans = open_memstream(&text, &size)};
    struct sms_span span = {0, "a", "kernel", 1, 1500, 3 * us};
    spans_write(&session, "p", &span);
    span = (struct sms_span){1, "b", "suspended", -1, 0, us};
    spans_write(&session, "p", &span);
    assert_int_equal(spans_end(&session), EXIT_OK);
    assert_string_equal(text, "s,p,a,1,kernel,1.500,3000.000\ns,p,b,,suspended,0.000,1000.000\n");
    assert_int_equal(session.set.cuts, 0);
    free(session.cut);
    free(text);
}

static void trace_span(void *user, const char *policy, const struct sms_span *span)
{
    sms__trace_span(user, policy, span);
}

static json_t *trace_of(const struct sms_scenario *scenario)
{
    char path[] = "/tmp/smsched-trace-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct sms__trace_options options = {.path = path, .seed = 1, .events = 10000, .to_ps = UINT64_MAX};
    struct sms__trace *trace;
    struct sms_errors errors;
    struct sms_results *results;
    assert_int_equal(sms__trace_begin(scenario, &options, &trace, &errors), SMS_OK);
    struct sms_run_options observed = sms_run_defaults();
    observed.user = trace;
    observed.on_span = trace_span;
    assert_int_equal(sms_run(scenario, &observed, &results, &errors), SMS_OK);
    sms_results_free(results);
    assert_int_equal(sms__trace_end(trace, NULL, &errors), SMS_OK);
    sms__trace_free(trace);
    json_t *root = json_load_file(path, 0, NULL);
    unlink(path);
    assert_non_null(root);
    return root;
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
    const char *given = json_string_value(json_object_get(object, key));
    return given && !strcmp(given, text);
}

/* Of each policy a track a process, on which its spans lie. */
static void a_trace_has_a_track_for_each_process(void **state)
{
    struct fixture *fixture = *state;
    json_t *root = trace_of(&fixture->scenario);
    const json_t *events = json_object_get(root, "traceEvents");
    size_t spans = 0, tracks = 0;
    json_int_t first_tid = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        bool named = is_text(event, "name", "thread_name");
        tracks += named && is_text(json_object_get(event, "args"), "name", "d");
        if (named && is_text(json_object_get(event, "args"), "name", "a") && !first_tid)
            first_tid = json_integer_value(json_object_get(event, "tid"));
        if (!is_text(event, "cat", "process"))
            continue;
        const json_t *args = json_object_get(event, "args");
        assert_int_equal(json_object_get(args, "device") != NULL, is_text(event, "name", "kernel"));
        json_int_t track = json_integer_value(json_object_get(event, "tid")) - first_tid;
        if (spans < 2 * PROCESSES) /* of the first policy; each tells of one process after the other */
            assert_int_equal(track, spans / 2);
        spans++;
    }
    assert_int_equal(tracks, 2);
    assert_int_equal(spans, 2 * 2 * PROCESSES);
    const json_t *first = json_array_get(json_object_get(json_object_get(root, "otherData"), "runs"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "spans_kept")), 2 * PROCESSES);
    json_decref(root);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_restart_keeps_what_is_of_the_whole_run),
        TEST(vms_have_no_record_of_processes),
        TEST(times_of_processes_are_those_of_the_record),
        TEST(counts_of_processes_are_those_of_the_record),
        TEST(what_failed_or_has_not_ended_has_no_turnaround),
        TEST(devices_are_measured_one_by_one_and_together),
        TEST(all_processes_have_means_of_times_and_sums_of_counts),
        TEST(kernels_are_left_out_where_workloads_are_drawn),
        TEST(json_holds_processes_and_devices),
        TEST(json_of_vms_holds_neither),
        TEST(csv_holds_a_row_for_each_value),
        TEST(tables_are_of_processes_and_devices),
        TEST(the_folder_has_files_of_processes),
        TEST(a_folder_has_files_of_processes_if_there_are_some),
        TEST(expectations_reach_processes_and_devices),
        TEST(there_is_no_bound_for_shared_devices),
        TEST(a_timeline_ends_at_its_cap_and_says_so),
        TEST(a_span_is_a_row),
        TEST(a_trace_has_a_track_for_each_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
