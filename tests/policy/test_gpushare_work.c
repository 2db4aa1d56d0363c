/* Pods under gpushare that run workloads, by hand: where their containers run, beside whom, and what memory they use.
 */
#include "protocol.h"

/* Alone, `ten` takes 1 s for its context and 10 s for its kernels, which fill the device; `big` the same. */
#define MODELS                                                                                                         \
    "device: small\nclock: 1 GHz\nsms: 4\nmemory: 1 GiB\nlink: {bandwidth: 1 GB/s}\n"                                  \
    "sm: {threads: 1024, warps: 32, blocks: 2, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"    \
    "resources: {fp32: {class: compute}}\n---\n"                                                                       \
    "workload: ten\nkernels: [{name: k, blocks: 4, threads: 512, block_time: 1 s, demand: {fp32: 60 %%}}]\n"           \
    "steps: [{launch: k, times: 10}]\n---\n"                                                                           \
    "workload: big\nkernels: [{name: k, blocks: 4, threads: 512, block_time: 1 s, demand: {fp32: 60 %%}}]\n"           \
    "steps: [{allocate: 600 MiB}, {launch: k, times: 10}]\n---\n"                                                      \
    "scenario: s\ncontention: maxmin\nhost: {context: 10 MiB, context_time: 1 s}\n"
#define SLICED "{place: gpushare, mode: {time_slice: {slice: 1 s, switch: 0 s}}}"

static const char *const modes[] = {"together", "mps", "exclusive", "{time_slice: {slice: 1 s, switch: 0 s}}"};
static const char *const fidelities[] = {"blocks", "processes", "duration"};

static struct run run;

static void assert_ends(double makespan_ms, double done, double failed)
{
    assert_near(metric(run.results, "makespan_ns"), makespan_ms * 1e6, 1e-3);
    assert_true(metric(run.results, "done_count") == done && metric(run.results, "failed_count") == failed);
}

/* The protocol takes 10 ms, the start of the containers 1 s. */
static void one_pod_takes_its_time_alone_and_that_of_the_protocol(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (size_t f = 0; f < sizeof fidelities / sizeof *fidelities; f++) {
            run_file(&run,
                     load_text(MODELS "nodes: [{name: n, devices: {model: small}}]\nscheduler: {kind: gpushare}\n"
                                      "policies: [{place: gpushare, mode: %s}]\nfidelity: %s\n"
                                      "pods: [{name: p, gpu_memory: 100 MiB, workload: big}]\n",
                               modes[m], fidelities[f]),
                     0);
            assert_ends(12010, 1, 0);
            assert_near(metric(run.results, "slowdown_mean_ratio"), 1, 1e-6);
            discard_run(&run);
        }
}

/* `early` gets the GPU of `late`, so `third`, which is put beside `late`, runs beside `early`: that GPU has work from
 * 2.015 s on, 20 s of it. Else `third` has GPU 0 from 2.02 s on, and then with `late`. */
static void in_a_swap_pods_run_where_allocate_put_them(void **state)
{
    static const char text[] = MODELS
        "nodes: [{name: n, devices: {model: small, count: 2}}]\nscheduler: {kind: gpushare%s}\npolicies: [" SLICED "]\n"
        "pods:\n  - {name: late, gpu_memory: 600 MiB, workload: ten, allocate_delay: 500 ms}\n"
        "  - {name: early, gpu_memory: 600 MiB, workload: ten}\n"
        "  - {name: third, gpu_memory: 300 MiB, workload: ten}\n";
    (void)state;
    run_file(&run, load_text(text, ""), 0);
    assert_string_equal(run.log.placements, "10 late n 1\n15 early n 2\n20 third n 1\n");
    assert_ends(22015, 3, 0);
    discard_run(&run);
    run_file(&run, load_text(text, ", quirks: {any_pod: false}"), 0);
    assert_ends(22020, 3, 0);
    discard_run(&run);
}

/* To place by, and no limit: each asks for 100 MiB and wants 610. What the device lacks is refused to who comes last.
 */
static void what_a_pod_asks_for_does_not_limit_it(void **state)
{
    static const char text[] = MODELS "nodes: [{name: n, devices: {model: small}}]\npolicies: [" SLICED "]\n%s"
                                      "pods: [{name: p, count: %d, gpu_memory: 100 MiB, workload: big}]\n";
    (void)state;
    run_file(&run, load_text(text, "scheduler: {kind: gpushare}\n", 1), 0);
    assert_ends(12010, 1, 0);
    discard_run(&run);
    run_file(&run, load_text(text, "", 1), 0);
    assert_true(metric(run.results, "failed_count") == 1); /* the default scheduler's pods have a limit */
    discard_run(&run);
    run_file(&run, load_text(text, "scheduler: {kind: gpushare}\n", 2), 0);
    assert_ends(12010, 1, 1);
    assert_logged(&run, "2015 p2: its workload fails: out of memory\n"); /* once it has its context */
    assert_true(metric(run.results, "faults_count") == 0);
    discard_run(&run);
}

/* 1000 MiB are asked for and 10 used: nobody else is let in. */
static void what_a_pod_asks_for_is_kept_for_it(void **state)
{
    (void)state;
    run_file(&run,
             load_text(MODELS "nodes: [{name: n, devices: {model: small}}]\npolicies: [" SLICED "]\n"
                              "scheduler: {kind: gpushare, retry: 1 ms, retry_most: 1 ms}\n"
                              "pods: [{name: p, count: 2, gpu_memory: 1000 MiB, workload: ten}]\n"),
             0);
    assert_string_equal(run.log.placements, "10 p1 n 1\n12020 p2 n 1\n");
    assert_ends(24020, 2, 0);
    discard_run(&run);
}

static void memory_of_others_is_not_free(void **state)
{
    static const char text[] = MODELS "nodes: [{name: n, devices: {model: small, count: 2}, used_by_others: [500 MiB, "
                                      "0 B]}]\npolicies: [" SLICED "]\nscheduler: {kind: gpushare%s}\n"
                                      "pods: [{name: p, gpu_memory: 600 MiB, workload: big}]\n";
    (void)state;
    run_file(&run, load_text(text, ""), 0);
    assert_string_equal(run.log.placements, "10 p n 1\n");
    assert_ends(2010, 0, 1);
    discard_run(&run);
    run_file(&run, load_text(text, ", quirks: {others_blind: false}"), 0);
    assert_string_equal(run.log.placements, "10 p n 2\n");
    assert_ends(12010, 1, 0);
    discard_run(&run);
}

/* A pod with a duration uses what it asks for, from its start to its end, beside whoever is there. */
static void pods_with_durations_use_memory_that_workloads_want(void **state)
{
    static const char text[] = MODELS "nodes: [{name: n, devices: {model: small}}]\npolicies: [" SLICED
                                      "]\nscheduler: {kind: gpushare}\npods:\n"
                                      "  - {name: w, gpu_memory: 100 MiB, workload: big, start: %s}\n"
                                      "  - {name: d, gpu_memory: 500 MiB, duration: 5 s, start: %s}\n";
    (void)state;
    run_file(&run, load_text(text, "1 s", "0 s"), 0);
    assert_ends(6010, 1, 1);
    assert_logged(&run, "3010 w: its workload fails: out of memory\n");
    discard_run(&run);
    run_file(&run, load_text(text, "0 s", "3 s"), 0);
    assert_ends(12010, 1, 1);
    assert_logged(&run, "4010 d: containers fail: out of memory\n");
    discard_run(&run);
    run_file(&run, load_text(text, "5 s", "0 s"), 0); /* d gives it back when w, with its context, wants it */
    assert_ends(17010, 2, 0);
    discard_run(&run);
}

/* As durations, pods have from the start what they hold at most. */
static void durations_of_workloads_hold_their_most(void **state)
{
    (void)state;
    run_file(&run,
             load_text(MODELS "nodes: [{name: n, devices: {model: small}}]\npolicies: [" SLICED
                              "]\nfidelity: duration\n"
                              "scheduler: {kind: gpushare}\n"
                              "pods: [{name: p, count: 2, gpu_memory: 100 MiB, workload: big}]\n"),
             0);
    assert_ends(12010, 1, 1);
    assert_logged(&run, "1015 p2: containers fail: out of memory\n");
    discard_run(&run);
}

/* One process a container, both on the only GPU: 20 s of work, in turns. */
static void each_container_is_a_process(void **state)
{
    (void)state;
    run_file(&run,
             load_text(MODELS "nodes: [{name: n, devices: {model: small}}]\npolicies: [" SLICED "]\n"
                              "scheduler: {kind: gpushare, quirks: {whole_pod: false}}\n"
                              "pods: [{name: p, gpu_memory: [100 MiB, 200 MiB], workload: ten}]\n"),
             0);
    assert_ends(22010, 1, 0);
    discard_run(&run);
}

/* Nodes that give their cards whole: no round trip, and a process on each card. */
static void whole_cards_run_workloads_too(void **state)
{
    (void)state;
    run_file(&run,
             load_text(MODELS "nodes: [{name: n, devices: {model: small, count: 2}, share: cards}]\npolicies: [" SLICED
                              "]\nscheduler: {kind: gpushare}\npods: [{name: p, gpus: 2, workload: big}]\n"),
             0);
    assert_ends(12000, 1, 0);
    discard_run(&run);
}

/* GPU 0 is believed to have room for two of 500 MiB, and has three on it: `a` took it from x, whose end freed it again.
 * They hold 410 MiB each, so one of them fails. */
static void swaps_bring_more_pods_to_a_gpu_than_it_has_room_for(void **state)
{
    (void)state;
    run_file(&run,
             load_text("workload: some\nkernels: [{name: k, blocks: 4, threads: 512, block_time: 1 s}]\n"
                       "steps: [{allocate: 400 MiB}, {launch: k, times: 40}]\n---\n" MODELS
                       "nodes: [{name: n, devices: {model: small, count: 2}}]\nscheduler: {kind: gpushare}\n"
                       "policies: [{place: {gpushare: {gpu_select: spread}}, mode: together}]\npods:\n"
                       "  - {name: x, gpu_memory: 500 MiB, duration: 1 s, allocate_delay: 500 ms}\n"
                       "  - {name: a, gpu_memory: 500 MiB, workload: some}\n"
                       "  - {name: b, gpu_memory: 500 MiB, workload: some, start: 9 s}\n"
                       "  - {name: c, gpu_memory: 500 MiB, workload: some, start: 9 s}\n"),
             0);
    assert_string_equal(run.log.placements, "10 x n 1\n15 a n 2\n9010 b n 1\n9015 c n 1\n");
    assert_logged(&run, "11015 c: its workload fails: out of memory\n");
    assert_true(metric(run.results, "done_count") == 3);
    discard_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pod_takes_its_time_alone_and_that_of_the_protocol),
        cmocka_unit_test(in_a_swap_pods_run_where_allocate_put_them),
        cmocka_unit_test(what_a_pod_asks_for_does_not_limit_it),
        cmocka_unit_test(what_a_pod_asks_for_is_kept_for_it),
        cmocka_unit_test(memory_of_others_is_not_free),
        cmocka_unit_test(pods_with_durations_use_memory_that_workloads_want),
        cmocka_unit_test(durations_of_workloads_hold_their_most),
        cmocka_unit_test(each_container_is_a_process),
        cmocka_unit_test(whole_cards_run_workloads_too),
        cmocka_unit_test(swaps_bring_more_pods_to_a_gpu_than_it_has_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
