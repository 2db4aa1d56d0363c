/* Failures of nodes and GPUs under gpushare in each state of the protocol, checked by hand. */
#include "protocol.h"

static struct run run;

static void assert_counts(double done, double failed, double lost, double restarts)
{
    assert_true(metric(run.results, "done_count") == done && metric(run.results, "failed_count") == failed);
    assert_true(metric(run.results, "lost_count") == lost && metric(run.results, "restarts_count") == restarts);
    assert_true(metric(run.results, "running_count") == 0 && metric(run.results, "waiting_count") == 0);
}

/* Without a failure p is filtered at 5 ms, bound at 10 ms, gets its GPU at 510 ms and starts at 1510 ms. Its
 * allocate_delay applies only to its first placement. When it is queued again, it is bound 10 ms later, and its
 * containers run 1 s after that. */
static void a_node_fails_at_each_state_of_a_pod(void **state)
{
    static const struct {
        const char *at, *placements, *message;
        double end_ms, restarts;
    } cases[] = {
        {"3 ms", "10 p n2 1\n", "5 p: extender filter: 1 node passes; n1: the node has failed\n", 3510, 0},
        {"7 ms", "1020 p n2 1\n", "10 p: bind failed: n1 has failed\n", 4520, 0},
        {"10 ms", "1020 p n2 1\n", "10 p: bind failed: n1 has failed\n", 4520, 0}, /* failures come before binds */
        {"200 ms", "10 p n1 1\n210 p n2 1\n", "200 p: cut off: its node fails\n", 3210, 1},
        {"510 ms", "10 p n1 1\n520 p n2 1\n", "510 p: cut off: its node fails\n", 3520, 1},
        {"700 ms", "10 p n1 1\n710 p n2 1\n", "700 p: cut off: its node fails\n", 3710, 1},
        {"1510 ms", "10 p n1 1\n1520 p n2 1\n", "1510 p: cut off: its node fails\n", 4520, 1},
        {"3 s", "10 p n1 1\n3010 p n2 1\n", "3000 p: cut off: its node fails\n", 6010, 1},
        {"3510 ms", "10 p n1 1\n", "1510 p: containers run\n", 3510, 0}, /* ends come before failures */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_file(&run,
                 load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 1, gpu_memory: 8 GiB}]\n"
                           "policies: [gpushare]\nscheduler: {kind: gpushare}\nfailures: [{node: n1, at: %s}]\n"
                           "pods: [{name: p, gpu_memory: 3 GiB, duration: 2 s, allocate_delay: 500 ms}]\n",
                           cases[i].at),
                 0);
        assert_string_equal(run.log.placements, cases[i].placements);
        assert_logged(&run, cases[i].message);
        assert_near(metric(run.results, "makespan_ns"), cases[i].end_ms * 1e6, 1e-3);
        assert_counts(1, 0, 0, cases[i].restarts);
        discard_run(&run);
    }
}

/* Nobody learns that the bind failed. kube-scheduler therefore holds the pod's share of the node even after the node
 * has returned. */
static void a_silent_bind_failure_holds_the_pods_share_of_the_node(void **state)
{
    (void)state;
    run_file(
        &run,
        load_text("scenario: s\nnodes: [{name: n, gpus: 1, gpu_memory: 8 GiB}]\npolicies: [gpushare]\n"
                  "scheduler: {kind: gpushare, bind_failure: silent, assume_timeout: 20 s}\n"
                  "failures: [{node: n, at: 7 ms, for: 1 s}]\npods:\n  - {name: p, gpu_memory: 6 GiB, duration: 2 s}\n"
                  "  - {name: q, start: 2 s, gpu_memory: 6 GiB, duration: 2 s}\n"),
        0);
    assert_logged(&run, "2000 q: default filter: 0 nodes pass; n: Insufficient aliyun.com/gpu-mem\n");
    assert_logged(&run, "20010 p: assume timed out: queued again\n");
    assert_string_equal(run.log.placements, "20020 p n 1\n27010 q n 1\n");
    assert_counts(2, 0, 0, 0);
    discard_run(&run);
}

/* p has backed off for 1, 2 and 4 s when f ends. It is cut off at 10 s and is then treated as a new pod, which is tried
 * at 10, 11 and 13 s. */
static void a_cut_off_resets_the_back_off(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: n, gpus: 1, gpu_memory: 8 GiB}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare, round_trip: 0 s, start_delay: 0 s}\n"
                       "failures: [{node: n, at: 10 s, for: 1500 ms}]\npods:\n"
                       "  - {name: f, gpu_memory: 6 GiB, duration: 6 s}\n"
                       "  - {name: p, start: 1 ms, gpu_memory: 6 GiB, duration: 4 s}\n"),
             0);
    assert_string_equal(run.log.placements, "0 f n 1\n7001 p n 1\n13000 p n 1\n");
    assert_logged(&run, "10000 p: default filter: 0 nodes pass; n: the node has failed\n");
    assert_logged(&run, "11000 p: Pending: no node; tried again after 2 s\n");
    assert_near(metric(run.results, "makespan_ns"), 17e9, 1e-3);
    assert_near(run.log.wait, 3000, 1e-9); /* since it was cut off */
    assert_counts(2, 0, 0, 1);
    discard_run(&run);
}

/* p times out at 10.01 s. This does not count as its one restart. */
static void a_time_out_does_not_count_as_a_restart(void **state)
{
    static const char text[] =
        "scenario: s\nnodes: [{name: n, count: 3, gpus: 1, gpu_memory: 8 GiB}]\npolicies: [gpushare]\n"
        "scheduler: {kind: gpushare, assume_timeout: 10 s}\nfailures: [{node: n1, at: 12 s}, {node: n2, at: %s}]\n"
        "pods: [{name: p, gpu_memory: 6 GiB, duration: 9 s, allocate_delay: 15 s, restarts: 1}]\n";
    (void)state;
    run_file(&run, load_text(text, "60 s"), 0);
    assert_string_equal(run.log.placements, "10 p n1 1\n10020 p n1 1\n12010 p n2 1\n");
    assert_counts(1, 0, 0, 1);
    discard_run(&run);
    run_file(&run, load_text(text, "14 s"), 0);
    assert_counts(0, 0, 1, 1);
    discard_run(&run);
}

/* A pod that failed to start and holds its memory is removed with its node. All memory is free when the node
 * returns. */
static void a_failed_pod_that_holds_memory_is_removed_with_its_node(void **state)
{
    (void)state;
    run_file(
        &run,
        load_text("scenario: s\nnodes: [{name: n, gpus: 2, gpu_memory: 4 GiB}]\npolicies: [gpushare]\n"
                  "scheduler: {kind: gpushare, on_failure: hold}\nfailures: [{node: n, at: 5 s, for: 1 s}]\npods:\n"
                  "  - {name: pair, gpu_memory: [1 GiB, 2 GiB], deadline: 99 s, duration: 1 s}\n"
                  "  - {name: full, count: 2, start: 7 s, gpu_memory: 4 GiB, duration: 1 s}\n"),
        0);
    assert_string_equal(run.log.placements, "10 pair n 1\n7010 full1 n 1\n7015 full2 n 2\n");
    assert_counts(2, 1, 0, 0);
    assert_near(metric(run.results, "deadline_miss_ratio"), 1, 1e-12);
    discard_run(&run);
}

/* p dies with GPU 0 after 1 of its 3 s and goes to GPU 1, where q continues. GPUs are down for 2 of 32 GPU seconds. */
static void a_failed_gpu_cuts_off_only_the_pods_on_it(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: n, gpus: 2, gpu_memory: 8 GiB}]\n"
                       "policies: [{gpushare: {gpu_select: spread}}]\nscheduler: {kind: gpushare}\n"
                       "failures: [{node: n, gpu: 0, at: 2010 ms, for: 2 s}]\npods:\n"
                       "  - {name: p, gpu_memory: 4 GiB, duration: 3 s}\n"
                       "  - {name: q, gpu_memory: 4 GiB, duration: 14985 ms}\n"),
             0);
    assert_string_equal(run.log.placements, "10 p n 1\n15 q n 2\n2020 p n 2\n");
    assert_logged(&run, "2010 p: cut off: its GPU fails\n");
    assert_near(metric(run.results, "makespan_ns"), 16e9, 1e-3);
    assert_near(metric(run.results, "gpu_up_mean_ratio"), 30 / 32.0, 1e-12);
    /* Half a GPU each: p for 2 s and from 2.02 to 6.02 s, q from 15 ms on, relative to the time that GPUs are up. */
    assert_near(metric(run.results, "gpu_allocation_mean_ratio"), (2 + 4 + 15.985) / 2 / 30, 1e-12);
    assert_near(metric(run.results, "gpu_wasted_ratio"), 2 / (2 + 4 + 15.985), 1e-12);
    assert_counts(2, 0, 0, 1);
    discard_run(&run);
}

/* `early` runs on GPU 0 and is annotated with GPU 1, `late` the other way round. The failure of GPU 0 cuts off `early`,
 * and `late` continues. To the extender GPU 1 is empty then, so `early` is placed beside `late`, where memory does not
 * suffice. The annotation of `late` names the GPU that is down, so its memory does not count as allocated until that
 * GPU is back. */
static void after_a_swap_a_failed_gpu_cuts_off_the_pod_that_runs_on_it(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 2, gpu_memory: 16000 MiB}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare}\nfailures: [{node: N, gpu: 0, at: 5 s, for: 10 s}]\npods:\n"
                       "  - {name: late, gpu_memory: 12000 MiB, duration: 18490 ms, allocate_delay: 500 ms}\n"
                       "  - {name: early, gpu_memory: 12000 MiB, duration: 60 s}\n"),
             0);
    assert_string_equal(run.log.placements, "10 late N 1\n15 early N 2\n5010 early N 2\n");
    assert_logged(&run, "5000 early: cut off: its GPU fails\n");
    assert_logged(&run, "6010 early: containers fail: out of memory\n");
    assert_near(metric(run.results, "makespan_ns"), 20e9, 1e-3);
    /* 3/4 of a GPU each: late from 10 ms to 5 s and from 15 to 20 s, early from 15 ms to 5 s and for 1 s. */
    assert_near(metric(run.results, "gpu_allocation_mean_ratio"), 0.75 * (4.99 + 5 + 4.985 + 1) / 30, 1e-12);
    assert_counts(1, 1, 0, 1);
    discard_run(&run);
}

/* A pod that is only bound to a GPU finds out at the start of its containers. If the GPU is back by then, the pod
 * runs. */
static void a_bound_pod_finds_out_at_its_start_that_its_gpu_failed(void **state)
{
    static const char text[] = "scenario: s\nnodes: [{name: n, gpus: 2, gpu_memory: 8 GiB}]\npolicies: [gpushare]\n"
                               "scheduler: {kind: gpushare}\nfailures: [{node: n, gpu: 0, at: %s, for: 500 ms}]\n"
                               "pods: [{name: p, gpu_memory: 3 GiB, duration: 2 s}]\n";
    (void)state;
    run_file(&run, load_text(text, "800 ms"), 0);
    assert_logged(&run, "1010 p: containers fail: its GPU is unhealthy\n");
    assert_counts(0, 1, 0, 0);
    discard_run(&run);
    run_file(&run, load_text(text, "100 ms"), 0);
    assert_near(metric(run.results, "makespan_ns"), 3.01e9, 1e-3);
    assert_counts(1, 0, 0, 0);
    discard_run(&run);
    run_file(&run, load_text(text, "7 ms"), 0); /* between filter and bind: p goes to the other GPU */
    assert_string_equal(run.log.placements, "10 p n 2\n");
    discard_run(&run);
}

/* With the quirk off, the extender still binds pods to the GPU while it is down. */
static void the_extender_does_not_learn_of_failed_gpus(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: n, gpus: 2, gpu_memory: 8 GiB}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare, quirks: {unhealthy: false}}\n"
                       "failures: [{node: n, gpu: 0, at: 2 s, for: 10 s}]\npods:\n"
                       "  - {name: p, gpu_memory: 3 GiB, duration: 2 s}\n"
                       "  - {name: q, start: 11500 ms, gpu_memory: 3 GiB, duration: 2 s}\n"),
             0);
    assert_string_equal(run.log.placements, "10 p n 1\n2010 p n 1\n11510 q n 1\n");
    assert_logged(&run, "3010 p: containers fail: its GPU is unhealthy\n");
    assert_counts(1, 1, 0, 1);
    discard_run(&run);
}

/* Each pod runs containers on both GPUs, because each took the GPU meant for the other. The failure of either GPU cuts
 * off both pods. */
static void a_failed_gpu_cuts_off_pods_with_any_container_on_it(void **state)
{
    static const char text[] =
        "scenario: s\nnodes: [{name: n, gpus: 2, gpu_memory: 4 GiB}, {name: m, gpus: 2, gpu_memory: 4 GiB}]\n"
        "policies: [{gpushare: {gpu_select: spread}}]\nscheduler: {kind: gpushare, quirks: {whole_pod: false}}\n"
        "failures: [{node: n, gpu: %d, at: 4 s, for: 1 s}]\npods:\n"
        "  - {name: a, gpu_memory: [1 GiB, 2 GiB], duration: 9 s, allocate_delay: 500 ms}\n"
        "  - {name: b, gpu_memory: [1 GiB, 3 GiB], duration: 9 s}\n";
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        run_file(&run, load_text(text, gpu), 0);
        assert_logged(&run, "15 b: Allocate 1024 MiB: GPU 0, of a (ASSIGNED=false)\n");
        assert_logged(&run, "510 a: Allocate 1024 MiB: GPU 1, of b (ASSIGNED=true)\n");
        assert_counts(2, 0, 0, 2);
        discard_run(&run);
    }
}

/* p is tried again at 4 s, and at 6 s, when q has ended. */
static void pods_of_whole_cards_are_cut_off_and_tried_again(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 2, share: cards}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare}\nfailures: [{node: n1, gpu: 1, at: 3 s}]\n"
                       "pods: [{name: p, gpus: 2, duration: 4 s}, {name: q, start: 1 s, gpus: 1, duration: 4 s}]\n"),
             0);
    assert_string_equal(run.log.placements, "0 p n1 3\n1000 q n2 1\n6000 p n2 3\n");
    assert_counts(2, 0, 0, 1);
    discard_run(&run);
}

/* p1 dies with its memory on GPU 0. The default filter still counts that GPU, the extender does not. When GPU 0 returns
 * at 7 s, all of its memory is free, and p1 repeats all of its work. */
static void memory_of_a_workload_is_free_after_a_failure(void **state)
{
    (void)state;
    run_file(
        &run,
        load_text(
            "device: small\nclock: 1 GHz\nsms: 4\nmemory: 1 GiB\nlink: {bandwidth: 1 GB/s}\n"
            "sm: {threads: 1024, warps: 32, blocks: 2, registers: 65536, shared_memory: 96 KiB, "
            "threads_per_block: 1024}\nresources: {fp32: {class: compute}}\n---\n"
            "workload: ten\nkernels: [{name: k, blocks: 4, threads: 512, block_time: 1 s}]\n"
            "steps: [{allocate: 600 MiB}, {launch: k, times: 10}]\n---\nscenario: s\n"
            "nodes: [{name: n, devices: {model: small, count: 2}}]\npolicies: [{place: gpushare, mode: together}]\n"
            "host: {context: 0 B, context_time: 0 s}\nscheduler: {kind: gpushare}\n"
            "failures: [{node: n, gpu: 0, at: 6 s, for: 1 s}]\n"
            "pods: [{name: p, count: 2, gpu_memory: 600 MiB, workload: ten}]\n"),
        0);
    assert_string_equal(run.log.placements, "10 p1 n 1\n15 p2 n 2\n7015 p1 n 1\n");
    assert_near(metric(run.results, "makespan_ns"), 18.015e9, 1e-3);
    assert_counts(2, 0, 0, 1);
    discard_run(&run);
}

/* Drawn failures end with the last pod that can end. Retries end when no event can let a pod in any more. */
static void failures_and_retries_do_not_keep_each_other_going(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 1, gpu_memory: 8 GiB}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare}\nfailures: [{mtbf: 9 s, mttr: 1 s}]\npods:\n"
                       "  - {name: p, count: 4, gpu_memory: 5 GiB, duration: 8 s}\n"
                       "  - {name: huge, gpu_memory: 9 GiB}\n"),
             0);
    assert_true(metric(run.results, "done_count") == 4 && metric(run.results, "waiting_count") == 1);
    assert_true(metric(run.results, "restarts_count") >= 1);
    discard_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_fails_at_each_state_of_a_pod),
        cmocka_unit_test(a_silent_bind_failure_holds_the_pods_share_of_the_node),
        cmocka_unit_test(a_cut_off_resets_the_back_off),
        cmocka_unit_test(a_time_out_does_not_count_as_a_restart),
        cmocka_unit_test(a_failed_pod_that_holds_memory_is_removed_with_its_node),
        cmocka_unit_test(a_failed_gpu_cuts_off_only_the_pods_on_it),
        cmocka_unit_test(after_a_swap_a_failed_gpu_cuts_off_the_pod_that_runs_on_it),
        cmocka_unit_test(a_bound_pod_finds_out_at_its_start_that_its_gpu_failed),
        cmocka_unit_test(the_extender_does_not_learn_of_failed_gpus),
        cmocka_unit_test(a_failed_gpu_cuts_off_pods_with_any_container_on_it),
        cmocka_unit_test(pods_of_whole_cards_are_cut_off_and_tried_again),
        cmocka_unit_test(memory_of_a_workload_is_free_after_a_failure),
        cmocka_unit_test(failures_and_retries_do_not_keep_each_other_going),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
