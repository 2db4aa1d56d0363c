/* Estimates of the work of a run, compared with the run itself: whether it exceeds a given limit of events. */
#include "placing.h"

#include "sim/model/limits.h"

#define WORKLOADS                                                                                                      \
    "workload: even\nkernels: [{name: k, blocks: 320, threads: 256, registers: 32, block_time: 10 us}]\n---\n"         \
    "workload: drawn\n"                                                                                                \
    "kernels: [{name: k, blocks: 320, threads: 256, registers: 32, block_time: 10 us, jitter: 10 %%}]\n---\n"          \
    "workload: whole\nkernels: [{name: k, time: 50 us}]\nsteps: [{host: 20 us}, {launch: k, times: 3}]\n---\n"

static int run_within(const struct sms_file *file, double events, enum sms_engine engine)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_errors errors;
    struct sms_results *results;
    options.max_events = (uint64_t)events;
    options.alone = false;
    options.engine = engine;
    int code = sms_run(sms_file_scenario(file, 0), &options, &results, &errors);
    if (code == SMS_OK)
        sms_results_free(results);
    return code;
}

static const char *const typical[] = {
    "vms: [{name: a, workload: even, repeat: 200}]\ndevices: [{model: v100, dispatch: none}]\npolicies: "
    "[round_robin]\n",
    "vms: [{name: a, workload: drawn, repeat: 50}]\ndevices: [{model: v100, dispatch: none}]\npolicies: "
    "[round_robin]\n",
    "vms: [{name: a, workload: drawn, repeat: forever}]\ndevices: [{model: v100, dispatch: none}]\npolicies: "
    "[round_robin]\n"
    "run: {duration: 2 ms}\n",
    "vms: [{name: a, workload: drawn, repeat: forever, streams: 8}, {name: b, workload: drawn, repeat: forever}]\n"
    "devices: [{model: v100, dispatch: none}]\npolicies: [round_robin]\nrun: {duration: 2 ms}\n",
    "vms: [{name: a, workload: drawn, arrivals: {every: 100 us}}]\ndevices: [{model: v100, dispatch: none}]\npolicies: "
    "[round_robin]\n"
    "run: {duration: 20 ms}\n",
    "processes: [{name: a, workload: whole, repeat: 2000}]\ndevices: [{model: v100, dispatch: none}]\npolicies: "
    "[{mode: together}]\n",
    "processes: [{name: a, workload: whole, repeat: 10}, {name: b, workload: whole, repeat: 10}]\n"
    "devices: [{model: v100, dispatch: none}]\npolicies: [{mode: {time_slice: {slice: 1 us, switch: 0 us}}}]\n",
    "nodes: [{name: n, gpus: 8}]\npods: [{name: p, count: 4000, gpus: 1, arrivals: {every: 2 s}, duration: 1 s}]\n"
    "policies: [first_fit]\n",
    "nodes: [{name: n, count: 4, devices: {model: v100}}]\nfidelity: processes\n"
    "pods: [{name: p, count: 40, workload: whole, repeat: 40}]\npolicies: [first_fit]\n",
    "nodes: [{name: n, count: 4, gpus: 8}]\npods: [{name: p, gpus: 1}]\npolicies: [first_fit]\n"
    "failures: [{mtbf: 2 s, mttr: 1 s}]\nrun: {duration: 3000 s}\n",
    "nodes: [{name: n, gpus: 8}]\npods: [{name: p, count: 4000000, gpus: 1, arrivals: {every: 2 s}, duration: 1 s}]\n"
    "policies: [first_fit]\nrun: {duration: 4000 s}\n",
    "nodes: [{name: n, count: 4, devices: {model: v100}}]\nfidelity: processes\n"
    "pods: [{name: p, count: 400, workload: whole, repeat: 40}]\npolicies: [first_fit]\nrun: {duration: 100 ms}\n",
    "nodes: [{name: n, count: 4, devices: {model: v100}}]\nfidelity: processes\n"
    "pods: [{name: p, count: 40000, workload: whole, repeat: 40, arrivals: {every: 1 s}}]\npolicies: [first_fit]\n"
    "run: {duration: 20 s}\n",
};

/* Pods that come after the run, and pods without a place, cost next to nothing. A run has between 1/2.5 and 2.5 times
 * the estimated events, on both engines. */
static void estimates_of_events_are_close_to_those_of_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof typical / sizeof *typical; i++) {
        struct sms_file *file = load_text(WORKLOADS "scenario: s\n%s", typical[i]);
        struct sms_effort effort = sms_scenario_effort(sms_file_scenario(file, 0));
        /* The estimate for VMs and processes includes runs alone, which run_within() leaves out. */
        double events = strstr(typical[i], "nodes:") ? effort.events : effort.events / 2;
        for (int engine = 0; engine < 2; engine++) {
            if (run_within(file, events / 2.5, (enum sms_engine)engine) != SMS_ELIMIT)
                fail_msg("scenario %zu has fewer than 1/2.5 of %g events", i, events);
            if (run_within(file, events * 2.5, (enum sms_engine)engine) != SMS_OK)
                fail_msg("scenario %zu has more than 2.5 times %g events", i, events);
        }
        assert_int_equal(sms_file_warnings(file)->count, 0);
        sms_file_free(file);
    }
}

static double events_of(const char *run)
{
    struct sms_file *file =
        load_text(WORKLOADS "scenario: s\nvms: [{name: a, workload: drawn, repeat: forever}]\n"
                            "devices: [{model: v100, dispatch: none}]\npolicies: [round_robin]\nrun: {%s}\n",
                  run);
    double events = sms_scenario_effort(sms_file_scenario(file, 0)).events;
    sms_file_free(file);
    return events;
}

/* One replication and its run alone make 2 runs. Five pilots make it 7, 3.5 times as many. */
static void the_estimate_includes_pilots(void **state)
{
    (void)state;
    double events = events_of("warmup: 0 ms, duration: 2 ms");
    assert_near(events_of("warmup: auto, duration: 2 ms"), 3.5 * events, 0.01 * events);
    assert_near(events_of("warmup: 0 ms, duration: 2 ms, replications: 4"), 4 * events, 0.01 * events);
}

static const struct {
    const char *text, *what;
    unsigned line;
} too_long[] = {
    {"devices: [{model: v100, dispatch: none}]\npolicies: [round_robin]\nvms: [{name: a, workload: even, repeat: "
     "1e11}]\n",
     "jobs", 14},
    {"devices: [{model: v100, dispatch: none}]\npolicies: [round_robin]\nvms: [{name: a, workload: even, repeat: "
     "forever}]\n"
     "run: {duration: 1000 h}\n",
     "jobs until the run is over", 15},
    {"devices: [{model: v100, dispatch: none}]\npolicies: [{mode: {time_slice: {slice: 1 us, switch: 0 us}}}]\n"
     "processes: [{name: a, workload: whole, repeat: forever}, {name: b, workload: whole, repeat: forever}]\n"
     "run: {duration: 1000 h}\n",
     "time slices", 13},
    {"policies: [first_fit]\nnodes: [{name: n, count: 100, gpus: 8}]\npods: [{name: p, gpus: 1}]\n"
     "run: {duration: 1000 h}\nfailures: [{mtbf: 1 ms, mttr: 1 ms}]\n",
     "failures", 16},
    {"policies: [first_fit]\nnodes: [{name: n, count: 100, gpus: 8}]\npods: [{name: p, gpus: 1, duration: 10 h}]\n"
     "failures: [{mtbf: 100 ms, mttr: 100 ms}]\n",
     "failures", 15},
    {"policies: [gpushare]\nscheduler: {kind: gpushare, round_trip: 0 s, retry_most: 1 s}\n"
     "nodes: [{name: n, count: 1000, gpus: 8, gpu_memory: 8 GiB}]\n"
     "pods:\n  - {name: q, gpu_memory: 1 GiB, duration: 2000 h}\n  - {name: p, count: 20000, gpu_memory: 5 GiB}\n",
     "tries of pods that wait", 17},
    {"policies: [{realtime: {query: 0 ms, rank_base: 0 ms, rank_node: 0 ms}}]\nnodes: [{name: n, count: 1000, gpus: "
     "8}]\n"
     "pods: [{name: p, count: 9000, gpus: 1}]\nrun: {duration: 1000 h}\n",
     "tries of pods that wait", 14},
};

static void a_run_of_hours_has_a_warning_at_the_key_that_causes_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof too_long / sizeof *too_long; i++) {
        struct sms_file *file = load_text(WORKLOADS "scenario: s\n%s", too_long[i].text);
        const struct sms_errors *warnings = sms_file_warnings(file);
        const struct sms_error *last = &warnings->item[warnings->count - 1];
        char words[80];
        snprintf(words, sizeof words, "most of them for %s", too_long[i].what);
        if (!warnings->count || !strstr(last->message, words) || last->line != too_long[i].line)
            fail_msg("scenario %zu: %zu warnings, line %u: %s", i, warnings->count, warnings->count ? last->line : 0,
                     warnings->count ? last->message : "");
        assert_int_equal(last->code, SMS_OK);
        assert_int_equal(run_within(file, 10000, SMS_ENGINE_FAST), SMS_ELIMIT);
        sms_file_free(file);
    }
}

/* Nothing is random, so all jobs take the same time, and the time of jobs that are not simulated is exact. */
static void many_jobs_take_as_long_as_if_all_were_simulated(void **state)
{
    (void)state;
    static const char *const fidelities[] = {"duration", "blocks"};
    double makespan[2];
    for (int i = 0; i < 2; i++) {
        struct sms_file *file = load_text(
            WORKLOADS
            "workload: steps\nkernels: [{name: k, blocks: 700, threads: 128, registers: 32, block_time: 3333 ns,"
            " demand: {fp32: 70 %%, dram: 50 %%}}]\nsteps: [{host: 1234567 ps}, {launch: k, times: 2}, "
            "{copy_in: 12345 B}]\n---\n"
            "scenario: s\nnodes: [{name: n, devices: {model: v100}}]\ncontention: proportional\n"
            "pods: [{name: p, gpus: 1, workload: steps, repeat: %d}]\nfidelity: %s\npolicies: [first_fit]\n",
            3 * SMS__ALONE_JOBS + 7, fidelities[i]);
        struct sms_results *results = run_first(file, NULL);
        makespan[i] = metric(results, "makespan_ns");
        discard(results, file);
    }
    assert_true(makespan[0] > 0 && makespan[0] == makespan[1]);
}

/* Simulating 1e12 jobs would take a year. */
static void more_jobs_than_could_be_simulated_have_a_time(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(WORKLOADS "scenario: s\nnodes: [{name: n, devices: {model: v100, dispatch: none}}]\n"
                            "pods: [{name: p, gpus: 1, workload: even, repeat: 1e12}]\n"
                            "fidelity: duration\npolicies: [first_fit]\n");
    struct sms_results *results = run_first(file, NULL);
    assert_near(metric(results, "makespan_ns"), 1e12 * 1e4, 1e-9 * 1e16);
    assert_int_equal(sms_file_warnings(file)->count, 0);
    discard(results, file);
}

/* First 9e6 pods, each in a thousand bursts, under two policies, then two pod shapes on 1e6 nodes. */
static void work_without_events_is_estimated_in_seconds(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, gpus: 8}]\npolicies: [random, first_fit]\npods:\n"
                  "  - {name: p, count: 9000000, duration: 1 s, arrivals: {burst: 1 ms, burst_after: "
                  "10 ns, burst_lasts: 1 us}}\n");
    struct sms_effort effort = sms_scenario_effort(sms_file_scenario(file, 0));
    assert_true(effort.seconds > 1000 && effort.seconds < 10000);
    assert_near(effort.events, 4 * 9e6, 1);
    sms_file_free(file);
    file =
        load_text("scenario: s\nnodes: [{name: n, count: 1000000, gpus: 8}]\npolicies: [first_fit]\npods: [{name: p, "
                  "gpus: 1}, {name: q, gpus: 2}]\n");
    effort = sms_scenario_effort(sms_file_scenario(file, 0));
    assert_true(effort.seconds > 0.01 && effort.seconds < 0.1);
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_of_events_are_close_to_those_of_runs),
        cmocka_unit_test(the_estimate_includes_pilots),
        cmocka_unit_test(a_run_of_hours_has_a_warning_at_the_key_that_causes_it),
        cmocka_unit_test(work_without_events_is_estimated_in_seconds),
        cmocka_unit_test(many_jobs_take_as_long_as_if_all_were_simulated),
        cmocka_unit_test(more_jobs_than_could_be_simulated_have_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
