/* Nodes and GPUs that fail while pods run their workloads on them, by hand. */
#include "placing.h"

/* Ten kernels of a block on each SM, of 1 s each, 1 s after the container has started for 1 s: 12 s in all. */
#define MODELS                                                                                                         \
    "device: small\nclock: 1 GHz\nsms: 4\nmemory: 1 GiB\nlink: {bandwidth: 1 MB/s}\n"                                  \
    "sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"    \
    "resources:\n  fp32: {class: compute}\n---\n"                                                                      \
    "workload: ten\nkernels:\n"                                                                                        \
    "  - {name: k, blocks: 4, threads: 512, block_time: 1 s, demand: {fp32: 60 %%}}\n"                                 \
    "steps: [{launch: k, times: 10}]\n---\n"                                                                           \
    "workload: copy\nkernels:\n  - {name: k, blocks: 4, threads: 512, block_time: 1 s}\n"                              \
    "steps: [{allocate: 100 MiB}, {host: 3 s}, {copy_in: 5 MB}, {launch: k}]\n---\n"                                   \
    "scenario: s\ncontention: maxmin\nhost: {context: 10 MiB, context_time: 1 s}\nscheduler: {start_delay: 1 s}\n"

static const char *const modes[] = {"together", "mps", "exclusive", "{time_slice: {slice: 1 s, switch: 0 s}}",
                                    "{time_slice: {slice: 1 s, switch: 0 s, drain: true}}"};
static const char *const fidelities[] = {"blocks", "processes", "duration"};
enum { MODES = sizeof modes / sizeof *modes };

/* Cut off at `at`, it begins anew on the other node and takes its whole time there. */
static void assert_begins_anew(const char *workload, double takes, double at, const char *mode, const char *fidelity)
{
    char expected[64];
    struct sms_file *file = load_text(MODELS "nodes: [{name: n, count: 2, devices: {model: small, count: 1}}]\n"
                                             "policies: [{place: first_fit, mode: %s}]\nfidelity: %s\n"
                                             "failures: [{node: n1, at: %g s}]\n"
                                             "pods: [{name: p, gpus: 1, workload: %s, repeat: 1}]\n",
                                      mode, fidelity, at, workload);
    snprintf(expected, sizeof expected, "0 p n1 1\n%g p n2 1\n", at);
    struct sms_results *results = run_told(file, expected);
    assert_near(metric(results, "makespan_ns"), (at + takes) * 1e9, 1e-3);
    assert_near(metric(results, "gpu_wasted_ratio"), at / (at + takes), 1e-12);
    assert_near(metric(results, "slowdown_mean_ratio"), 1, 1e-6);
    assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") == 1);
    discard(results, file);
}

/* While it starts, makes its context, at work on the host, copying, in a kernel, and between two. */
static void what_is_under_way_is_lost_and_done_again(void **state)
{
    static const double ten[] = {0.5, 1, 1.5, 4.5, 5}, copy[] = {3.5, 7.5, 10.5};
    (void)state;
    for (size_t m = 0; m < MODES; m++)
        for (size_t f = 0; f < 3; f++) {
            for (size_t i = 0; i < sizeof ten / sizeof *ten; i++)
                assert_begins_anew("ten", 12, ten[i], modes[m], fidelities[f]);
            for (size_t i = 0; i < sizeof copy / sizeof *copy; i++)
                assert_begins_anew("copy", 11, copy[i], modes[m], fidelities[f]);
        }
}

/* What is through at the very instant at which its node fails has ended. */
static void who_is_through_when_its_node_fails_has_ended(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODES; m++)
        for (size_t f = 0; f < 3; f++) {
            struct sms_file *file = load_text(MODELS "nodes: [{name: n, devices: {model: small, count: 1}}]\n"
                                                     "policies: [{place: first_fit, mode: %s}]\nfidelity: %s\n"
                                                     "failures: [{node: n, at: 12 s, for: 5 s}]\n"
                                                     "pods: [{name: p, gpus: 1, workload: ten, repeat: 1}]\n",
                                              modes[m], fidelities[f]);
            struct sms_results *results = run_told(file, "0 p n 1\n");
            assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") == 0);
            assert_near(metric(results, "gpu_wasted_ratio"), 0, 1e-12);
            discard(results, file);
        }
}

/* p, on the GPU that fails, is lost; q, on the other one, ends when it would have, to the picosecond. */
static void the_other_gpu_goes_on_undisturbed(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODES; m++)
        for (size_t f = 0; f < 3; f++) {
            struct sms_file *file =
                load_text(MODELS "nodes: [{name: n, devices: {model: small, count: 2}}]\n"
                                 "policies: [{place: first_fit, mode: %s}]\nfidelity: %s\n"
                                 "failures: [{node: n, gpu: 0, at: 6.7 s}]\npods:\n"
                                 "  - {name: p, gpus: 1, workload: ten, repeat: 1, on_failure: lost, deadline: 99 s}\n"
                                 "  - {name: q, gpus: 1, workload: ten, repeat: 1}\n",
                          modes[m], fidelities[f]);
            struct sms_results *results = run_told(file, "0 p n 1\n0 q n 2\n");
            assert_near(metric(results, "makespan_ns"), 12e9, 1e-3);
            assert_true(metric(results, "done_count") == 1 && metric(results, "lost_count") == 1);
            assert_near(metric(results, "gpu_wasted_ratio"), 6.7 / 18.7, 1e-12);
            assert_near(metric(results, "deadline_miss_ratio"), 1, 1e-12);
            discard(results, file);
        }
}

/* When q ends, on the first of two GPUs, which it has with a pod that the failure of the second takes away. */
static void assert_left_alone(const char *mode, const char *fidelity, double at, double end)
{
    struct sms_file *file =
        load_text(MODELS "nodes: [{name: n, devices: {model: small, count: 2}}]\nfidelity: %s\n"
                         "policies: [{place: first_fit, mode: %s}]\nfailures: [{node: n, gpu: 1, at: %g s}]\npods:\n"
                         "  - {name: q, gpu: 50 %%, workload: ten, repeat: 1}\n"
                         "  - {name: r, gpus: 2, gpu: 50 %%, workload: ten, repeat: 1, on_failure: lost}\n",
                  fidelity, mode, at);
    struct sms_results *results = run_told(file, "0 q n 1\n0 r n 3\n");
    assert_near(metric(results, "makespan_ns"), end * 1e9, 1e-3);
    assert_true(metric(results, "done_count") == 1 && metric(results, "lost_count") == 1);
    discard(results, file);
}

/* Together, 120 % of fp32 are wanted: at 8.6 s, after 6.6 s, q has done 5.5 s of work. Block by block the two take
 * turns, so that an SM has a block of each, and it is the same. In turns of time, from 2 s on,
 * q has the device first: r is taken away in its own slice, in one of q's, and while the device is switched to it;
 * where slices end with a kernel, of two kernels, while the one or the other drains. */
static void what_the_pod_had_elsewhere_is_free_for_others(void **state)
{
    static const char *const draining = "{time_slice: {slice: 1.5 s, switch: 0 s, drain: true}}";
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        assert_left_alone("together", fidelities[f], 8.6, 13.1);
        assert_left_alone("mps", fidelities[f], 8.6, 13.1);
        assert_left_alone(modes[3], fidelities[f], 7.5, 14.5);
        assert_left_alone(modes[3], fidelities[f], 8.5, 15);
        assert_left_alone("{time_slice: {slice: 1 s, switch: 100 ms}}", fidelities[f], 5.25, 13.25);
        assert_left_alone(draining, fidelities[f], 9.75, 15.75);
        assert_left_alone(draining, fidelities[f], 7.8, 14);
    }
}

/* A pod fills the memory of the device; the next one finds all of it and the only place of an exclusive device. */
static void memory_and_place_are_free_again(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODES; m++) {
        struct sms_file *file =
            load_text("workload: full\nkernels: [{name: k, blocks: 4, threads: 512, block_time: 1 s}]\n"
                      "steps: [{allocate: 1000 MiB}, {launch: k, times: 5}]\n---\n" MODELS
                      "nodes: [{name: n, devices: {model: small, count: 1}}]\n"
                      "policies: [{place: first_fit, mode: %s}]\nfailures: [{gpu: 0, at: 4.5 s, for: 1 s}]\n"
                      "pods: [{name: p, gpus: 1, workload: full, repeat: 1}]\n",
                      modes[m]);
        struct sms_results *results = run_told(file, "0 p n 1\n5.5 p n 1\n");
        assert_near(metric(results, "makespan_ns"), 12.5e9, 1e-3);
        assert_true(metric(results, "done_count") == 1 && metric(results, "failed_count") == 0);
        discard(results, file);
    }
}

/* At 13.5 s its first job of 10 s has ended; it begins anew with both: three jobs have ended in 35.5 s. The one that
 * was cut short counts for nothing. */
static void every_job_that_ended_is_counted(void **state)
{
    (void)state;
    struct sms_file *file = load_text(MODELS "nodes: [{name: n, count: 2, devices: {model: small, count: 1}}]\n"
                                             "policies: [first_fit]\nfailures: [{node: n1, at: 13.5 s}]\n"
                                             "pods: [{name: p, gpus: 1, workload: ten, repeat: 2}]\n");
    struct sms_results *results = run_told(file, "0 p n1 1\n13.5 p n2 1\n");
    assert_near(metric(results, "makespan_ns"), 35.5e9, 1e-3);
    assert_near(metric(results, "jobs_per_s"), 3 / 35.5, 1e-12);
    assert_true(metric(results, "done_count") == 1);
    discard(results, file);
}

/* Drawn failures of a run without a duration go on while a pod is at work, and end with it. */
static void drawn_failures_go_on_as_long_as_a_pod_works(void **state)
{
    (void)state;
    struct sms_file *file = load_text(MODELS "nodes: [{name: n, devices: {model: small, count: 1}}]\n"
                                             "policies: [first_fit]\nfailures: [{mtbf: 3 s, mttr: 1 s}]\n"
                                             "pods: [{name: p, gpus: 1, workload: ten, repeat: 1}]\n");
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results = run_first(file, &options);
    assert_true(metric(results, "restarts_count") >= 2 && metric(results, "done_count") == 1);
    assert_true(metric(results, "failures_count") >= metric(results, "restarts_count"));
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_under_way_is_lost_and_done_again),
        cmocka_unit_test(who_is_through_when_its_node_fails_has_ended),
        cmocka_unit_test(the_other_gpu_goes_on_undisturbed),
        cmocka_unit_test(what_the_pod_had_elsewhere_is_free_for_others),
        cmocka_unit_test(memory_and_place_are_free_again),
        cmocka_unit_test(every_job_that_ended_is_counted),
        cmocka_unit_test(drawn_failures_go_on_as_long_as_a_pod_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
