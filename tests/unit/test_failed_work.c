/* Failures of nodes and GPUs while pods run workloads on them, checked by hand. */
#include "placing.h"

/* Workload ten launches ten kernels of 1 s, with one block for each SM. Its container and its context take 1 s each to
 * start: 12 s in all. */
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

/* The pod is cut off at `at` s, begins anew on the other node and takes its whole time there. */
static void assert_begins_anew(const char *workload, double takes, double at, const char *mode, const char *fidelity)
{
    char expected[64];
    struct sms_file *file = load_text(MODELS "nodes: [{name: n, count: 2, devices: {model: small, count: 1}}]\n"
                                             "policies: [{place: first_fit, mode: %s}]\nfidelity: %s\n"
                                             "failures: [{node: n1, at: %g s}]\n"
                                             "pods: [{name: p, gpus: 1, workload: %s, repeat: 1}]\n",
                                      mode, fidelity, at, workload);
    snprintf(expected, sizeof expected, "0 p n1 1\n%g p n2 1\n", at);
    struct sms_results *results = run_logged(file, expected);
    assert_near(metric(results, "makespan_ns"), (at + takes) * 1e9, 1e-3);
    assert_near(metric(results, "gpu_wasted_ratio"), at / (at + takes), 1e-12);
    assert_near(metric(results, "slowdown_mean_ratio"), 1, 1e-6);
    assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") == 1);
    discard(results, file);
}

/* The pod is cut off during the start of its container, context creation, host work, a copy, a kernel, and between
 * kernels. */
static void work_in_flight_is_lost_and_done_again(void **state)
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

/* A pod that ends at the very instant at which its node fails has ended. */
static void a_pod_that_ends_when_its_node_fails_has_ended(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODES; m++)
        for (size_t f = 0; f < 3; f++) {
            struct sms_file *file = load_text(MODELS "nodes: [{name: n, devices: {model: small, count: 1}}]\n"
                                                     "policies: [{place: first_fit, mode: %s}]\nfidelity: %s\n"
                                                     "failures: [{node: n, at: 12 s, for: 5 s}]\n"
                                                     "pods: [{name: p, gpus: 1, workload: ten, repeat: 1}]\n",
                                              modes[m], fidelities[f]);
            struct sms_results *results = run_logged(file, "0 p n 1\n");
            assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") == 0);
            assert_near(metric(results, "gpu_wasted_ratio"), 0, 1e-12);
            discard(results, file);
        }
}

/* p has the GPU for slices of 4 s from 2 s on. In the first, at 3 s, g1 is cut off with its gang while it waits for its
 * turn. So p is alone when q launches at 5 s, and has a whole slice from then on: seven kernels until 9 s. Its last
 * three run from 13 to 16 s. */
static void a_newcomer_finds_one_alone_whose_rival_was_cut_off_within_its_slice(void **state)
{
    (void)state;
    assert_placements(load_text(MODELS
                                "nodes: [{name: n, count: 2, devices: {model: small, count: 1}}]\n"
                                "policies: [{place: first_fit, mode: {time_slice: {slice: 4 s, switch: 0 s}}}]\n"
                                "failures: [{node: n2, at: 3 s, for: 100 s}]\npods:\n"
                                "  - {name: p, gpu: 50 %%, workload: ten, repeat: 1}\n"
                                "  - {name: g, replicas: 2, gpu: 50 %%, workload: ten, repeat: 1, on_failure: lost}\n"
                                "  - {name: q, gpu: 50 %%, workload: ten, repeat: 1, start: 3 s}\n"
                                "  - {name: r, gpu: 50 %%, workload: ten, repeat: 1, start: 4 s}\n"),
                      "0 p n1 1\n0 g1 n1 1\n0 g2 n2 1\n3 q n1 1\n16 r n1 1\n");
}

/* p runs on the GPU that fails and is lost. q runs on the other GPU and ends when it would have ended, to the
 * picosecond. */
static void a_failed_gpu_does_not_disturb_the_other_one(void **state)
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
            struct sms_results *results = run_logged(file, "0 p n 1\n0 q n 2\n");
            assert_near(metric(results, "makespan_ns"), 12e9, 1e-3);
            assert_true(metric(results, "done_count") == 1 && metric(results, "lost_count") == 1);
            assert_near(metric(results, "gpu_wasted_ratio"), 6.7 / 18.7, 1e-12);
            assert_near(metric(results, "deadline_miss_ratio"), 1, 1e-12);
            discard(results, file);
        }
}

/* q shares the first of two GPUs with r. The failure of the second GPU at `at` s removes r, and q must end at `end`
 * s. */
static void assert_end_after_removal(const char *mode, const char *fidelity, double at, double end)
{
    struct sms_file *file =
        load_text(MODELS "nodes: [{name: n, devices: {model: small, count: 2}}]\nfidelity: %s\n"
                         "policies: [{place: first_fit, mode: %s}]\nfailures: [{node: n, gpu: 1, at: %g s}]\npods:\n"
                         "  - {name: q, gpu: 50 %%, workload: ten, repeat: 1}\n"
                         "  - {name: r, gpus: 2, gpu: 50 %%, workload: ten, repeat: 1, on_failure: lost}\n",
                  fidelity, mode, at);
    struct sms_results *results = run_logged(file, "0 q n 1\n0 r n 3\n");
    assert_near(metric(results, "makespan_ns"), end * 1e9, 1e-3);
    assert_true(metric(results, "done_count") == 1 && metric(results, "lost_count") == 1);
    discard(results, file);
}

/* Under `together` the two pods ask for 120 % of fp32, so q has done 5.5 s of work at 8.6 s, 6.6 s after it began.
 * Under `mps` the blocks of the two alternate, so that each SM has one block of each, and the result is the same. Under
 * time slices q has the device first, from 2 s on. r is removed during its own slice, during one of q's, and while the
 * device switches to it. When slices of two kernels drain, r is removed while either of the two drains. */
static void a_lost_pod_frees_its_share_of_other_gpus(void **state)
{
    static const char *const draining = "{time_slice: {slice: 1.5 s, switch: 0 s, drain: true}}";
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        assert_end_after_removal("together", fidelities[f], 8.6, 13.1);
        assert_end_after_removal("mps", fidelities[f], 8.6, 13.1);
        assert_end_after_removal(modes[3], fidelities[f], 7.5, 14.5);
        assert_end_after_removal(modes[3], fidelities[f], 8.5, 15);
        assert_end_after_removal("{time_slice: {slice: 1 s, switch: 100 ms}}", fidelities[f], 5.25, 13.25);
        assert_end_after_removal(draining, fidelities[f], 9.75, 15.75);
        assert_end_after_removal(draining, fidelities[f], 7.8, 14);
    }
}

/* A pod fills the memory of the device. After the failure it finds all of the memory free, and also the one place on an
 * exclusive device. */
static void a_failure_frees_memory_and_the_place_on_the_device(void **state)
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
        struct sms_results *results = run_logged(file, "0 p n 1\n5.5 p n 1\n");
        assert_near(metric(results, "makespan_ns"), 12.5e9, 1e-3);
        assert_true(metric(results, "done_count") == 1 && metric(results, "failed_count") == 0);
        discard(results, file);
    }
}

/* The first job of 10 s has ended at 13.5 s. The pod begins anew with both jobs, so three jobs end in 35.5 s. The job
 * that was cut off does not count. */
static void every_job_that_ended_is_counted(void **state)
{
    (void)state;
    struct sms_file *file = load_text(MODELS "nodes: [{name: n, count: 2, devices: {model: small, count: 1}}]\n"
                                             "policies: [first_fit]\nfailures: [{node: n1, at: 13.5 s}]\n"
                                             "pods: [{name: p, gpus: 1, workload: ten, repeat: 2}]\n");
    struct sms_results *results = run_logged(file, "0 p n1 1\n13.5 p n2 1\n");
    assert_near(metric(results, "makespan_ns"), 35.5e9, 1e-3);
    assert_near(metric(results, "jobs_per_s"), 3 / 35.5, 1e-12);
    assert_true(metric(results, "done_count") == 1);
    discard(results, file);
}

/* Drawn failures of a run without a duration continue while a pod works, and end with it. */
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
        cmocka_unit_test(work_in_flight_is_lost_and_done_again),
        cmocka_unit_test(a_pod_that_ends_when_its_node_fails_has_ended),
        cmocka_unit_test(a_newcomer_finds_one_alone_whose_rival_was_cut_off_within_its_slice),
        cmocka_unit_test(a_failed_gpu_does_not_disturb_the_other_one),
        cmocka_unit_test(a_lost_pod_frees_its_share_of_other_gpus),
        cmocka_unit_test(a_failure_frees_memory_and_the_place_on_the_device),
        cmocka_unit_test(every_job_that_ended_is_counted),
        cmocka_unit_test(drawn_failures_go_on_as_long_as_a_pod_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
