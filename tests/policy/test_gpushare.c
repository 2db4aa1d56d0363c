/* The protocol of gpushare: the worked examples and further cases of its specification, decision by decision, on both
 * engines and under --check. */
#include "protocol.h"

static struct run run;

static void the_filter_example_leaves_n3(void **state)
{
    (void)state;
    run_scenario(&run, "filter", 0);
    assert_logged(&run, "1000 asks: default filter: 2 nodes pass; N1: Insufficient aliyun.com/gpu-mem\n");
    assert_logged(&run, "1005 asks: extender filter: 1 node passes; N2: Insufficient GPU Memory in one device\n");
    assert_string_equal(strstr(run.log.placements, "1010"), "1010 asks N3 1\n");
    discard_run(&run);
}

static void the_bind_example_chooses_gpu_1(void **state)
{
    (void)state;
    run_scenario(&run, "bind", 0);
    assert_logged(&run, "10010 asks: bound: IDX=1 ASSIGNED=false ASSUME_TIME=10010000000 ns\n");
    assert_logged(&run, "10010 asks: Allocate 8138 MiB: GPU 1, of itself (ASSIGNED=true)\n");
    assert_string_equal(run.log.placements, "10 a N 1\n1010 fill-a N 1\n2010 b N 2\n3010 fill-b N 2\n4010 c N 4\n"
                                            "10010 asks N 2\n");
    discard_run(&run);
}

static void the_inspect_example_is_nine_of_thirty(void **state)
{
    (void)state;
    run_scenario(&run, "inspect", 0);
    assert_near(metric(run.results, "gpu_memory_allocation_ratio"), 0.3, 1e-12);
    discard_run(&run);
}

static void requests_at_the_edges(void **state)
{
    (void)state;
    run_scenario(&run, "edges", 0);
    assert_string_equal(run.log.placements, "10 tie N 1\n1010 exact N 1\n3000 nothing plain 0\n");
    assert_logged(&run, "2005 large: extender filter: 0 nodes pass; N: Insufficient GPU Memory in one device\n");
    assert_logged(&run, "3000 nothing: default filter: 2 nodes pass\n");
    assert_null(strstr(run.log.messages, "nothing: extender"));
    discard_run(&run);
}

/* 1 s doubling to 10 s, from the reply of the filter on, which takes 5 ms. */
static void the_back_off_doubles_to_ten_seconds(void **state)
{
    static const double tries_s[] = {2, 3.005, 5.01, 9.015, 17.02, 27.025, 37.03};
    (void)state;
    run_scenario(&run, "edges", 0);
    for (size_t i = 0; i < sizeof tries_s / sizeof *tries_s; i++) {
        char line[128];
        snprintf(line, sizeof line, "%g large: default filter: 1 node passes", tries_s[i] * 1e3);
        assert_logged(&run, line);
    }
    assert_null(strstr(run.log.messages, "73035 large")); /* after that nothing can be freed any more */
    discard_run(&run);
}

static void a_gpu_that_fails_before_the_bind_makes_it_fail(void **state)
{
    (void)state;
    run_scenario(&run, "device-failure", 0);
    assert_logged(&run, "10 p: bind failed: no GPU of N1 has the memory any more\n");
    assert_string_equal(run.log.placements, "1020 p N2 1\n");
    discard_run(&run);
    run_scenario(&run, "silent-failure", 0);
    assert_logged(&run, "30010 p: assume timed out: queued again\n");
    assert_string_equal(run.log.placements, "30020 p N2 1\n");
    discard_run(&run);
}

/* While nobody knows that the bind failed, kube-scheduler counts the pod on its node, and the extender does not: `half`
 * finds room only where the pod is not. */
static void a_silent_failure_holds_the_node(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 1, gpu_memory: 10 GiB, unhealthy: [{gpu: 0, from: 7 ms, "
                       "to: 1 s}]}]\npolicies: [gpushare]\nscheduler: {kind: gpushare, bind_failure: silent, "
                       "assume_timeout: 20 s}\npods:\n  - {name: p, gpu_memory: 6 GiB, duration: 1 s}\n"
                       "  - {name: half, start: 2 s, gpu_memory: 6 GiB, duration: 1 s}\n"),
             0);
    assert_logged(&run, "2000 half: default filter: 0 nodes pass; N: Insufficient aliyun.com/gpu-mem\n");
    assert_logged(&run, "20010 p: assume timed out: queued again\n");
    assert_string_equal(run.log.placements, "20020 p N 1\n27010 half N 1\n");
    discard_run(&run);
}

static void containers_of_one_pod_find_no_match(void **state)
{
    (void)state;
    run_scenario(&run, "containers", 0);
    assert_logged(&run, "10 pair: Allocate 1 GiB: no-gpu-has-1GiB-to-run\n");
    assert_logged(&run, "10 pair: Allocate 2 GiB: no-gpu-has-2GiB-to-run\n");
    assert_null(strstr(run.log.messages, "containers run"));
    discard_run(&run);
    run_scenario(&run, "containers", 1);
    assert_logged(&run, "10 pair: Allocate 1 GiB: GPU 0, of itself (ASSIGNED=false)\n");
    assert_logged(&run, "10 pair: Allocate 2 GiB: GPU 0, of itself (ASSIGNED=true)\n");
    discard_run(&run);
    run_scenario(&run, "containers", 2);
    assert_logged(&run, "10 pair: Allocate 2 GiB: no pod asks for that; the only GPU, 0\n");
    assert_logged(&run, "1010 pair: containers run\n");
    discard_run(&run);
}

/* It keeps its memory, and what was not assigned may be taken for a whole pod that asks for 3 GiB. */
static void a_pod_that_did_not_start_may_hold_its_memory(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 2, gpu_memory: 4 GiB}]\npolicies: [gpushare]\nscheduler: "
                       "{kind: gpushare, on_failure: hold}\npods:\n  - {name: pair, gpu_memory: [1 GiB, 2 GiB]}\n"
                       "  - {name: next, start: 1 s, gpu_memory: 3 GiB, duration: 1 s}\n"),
             0);
    assert_logged(&run, "1010 next: Allocate 3072 MiB: GPU 0, of pair (ASSIGNED=true)\n");
    assert_near(metric(run.results, "gpu_memory_allocation_ratio"), 3.0 / 8, 1e-12);
    assert_true(metric(run.results, "misallocations_count") == 1);
    discard_run(&run);
}

static void pods_of_one_size_swap_their_gpus(void **state)
{
    (void)state;
    run_scenario(&run, "swap", 0);
    assert_logged(&run, "15 early: Allocate 12000 MiB: GPU 0, of late (ASSIGNED=true)\n");
    assert_logged(&run, "510 late: Allocate 12000 MiB: GPU 1, of early (ASSIGNED=true)\n");
    assert_logged(&run, "21010 next: containers fail: out of memory\n");
    discard_run(&run);
    run_scenario(&run, "swap", 1);
    assert_logged(&run, "15 early: Allocate 12000 MiB: GPU 1, of itself (ASSIGNED=true)\n");
    assert_logged(&run, "21010 next: containers run\n");
    discard_run(&run);
}

/* When the other one runs already, it is no candidate any more, and the late one has nothing to match. */
static void who_comes_too_late_to_swap_does_not_start(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 2, gpu_memory: 4 GiB}]\npolicies: [gpushare]\nscheduler: "
                       "{kind: gpushare}\npods:\n  - {name: late, gpu_memory: 3 GiB, duration: 9 s, allocate_delay: 5 "
                       "s}\n  - {name: early, gpu_memory: 3 GiB, duration: 9 s}\n"),
             0);
    assert_logged(&run, "15 early: Allocate 3072 MiB: GPU 0, of late (ASSIGNED=true)\n");
    assert_logged(&run, "5010 late: Allocate 3072 MiB: no-gpu-has-3072MiB-to-run\n");
    discard_run(&run);
}

static void allocate_takes_the_earliest_of_one_size(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 3, gpu_memory: 4 GiB}]\npolicies: [gpushare]\nscheduler: "
                       "{kind: gpushare, start_delay: 5 s}\npods:\n"
                       "  - {name: other, gpu_memory: 4 GiB, allocate_delay: 1 s}\n"
                       "  - {name: first, gpu_memory: 3 GiB, allocate_delay: 1 s}\n"
                       "  - {name: second, gpu_memory: 3 GiB, allocate_delay: 1 s}\n"
                       "  - {name: asks, start: 100 ms, gpu_memory: 1 GiB, duration: 9 s}\n"
                       "  - {name: third, start: 200 ms, gpu_memory: 3 GiB, duration: 9 s}\n"),
             0);
    assert_logged(&run, "110 asks: Allocate 1024 MiB: GPU 1, of itself (ASSIGNED=true)\n");
    assert_null(strstr(run.log.messages, "third: bound"));
    assert_logged(&run, "1015 first: Allocate 3072 MiB: GPU 1, of itself (ASSIGNED=true)\n");
    discard_run(&run);
}

static void memory_of_others_is_not_seen(void **state)
{
    (void)state;
    run_scenario(&run, "out-of-memory", 0);
    assert_string_equal(run.log.placements, "10 p N 1\n");
    assert_logged(&run, "1010 p: containers fail: out of memory\n");
    discard_run(&run);
    run_scenario(&run, "out-of-memory", 1);
    assert_string_equal(run.log.placements, "10 p N 2\n");
    discard_run(&run);
}

/* With the quirk off nobody tells the extender, and the container fails. */
static void unhealthy_gpus_are_left_out(void **state)
{
    static const char text[] = "scenario: s\nnodes: [{name: N, gpus: 2, gpu_memory: 4 GiB, unhealthy: [{gpu: 0, to: "
                               "1 h}]}]\npolicies: [gpushare]\nscheduler: {kind: gpushare%s}\n"
                               "pods: [{name: p, gpu_memory: 1 GiB, duration: 1 s}]\n";
    (void)state;
    run_file(&run, load_text(text, ""), 0);
    assert_string_equal(run.log.placements, "10 p N 2\n");
    discard_run(&run);
    run_file(&run, load_text(text, ", quirks: {unhealthy: false}"), 0);
    assert_string_equal(run.log.placements, "10 p N 1\n");
    assert_logged(&run, "1010 p: containers fail: its GPU is unhealthy\n");
    assert_string_equal(run.log.departures, "10 1010 p N 1 failed\n");
    discard_run(&run);
}

static void a_pod_that_is_not_assigned_in_time_is_queued_again(void **state)
{
    (void)state;
    run_scenario(&run, "assume-timeout", 0);
    assert_logged(&run, "30010 slow: assume timed out: its GPU memory is given back, and it is queued again\n");
    assert_logged(&run, "30020 slow: Allocate 8138 MiB: GPU 0, of itself (ASSIGNED=true)\n");
    assert_non_null(strstr(run.log.departures, " 30010 slow N 1 timed_out\n"));
    discard_run(&run);
}

/* One cycle at a time: of equal priority in the order of arrival, and the bind of one goes on while the next is
 * filtered. */
static void pods_are_scheduled_one_after_another_by_priority(void **state)
{
    (void)state;
    run_file(
        &run,
        load_text("scenario: s\nnodes: [{name: N, gpus: 1, gpu_memory: 16 GiB}]\npolicies: [gpushare]\nscheduler: "
                  "{kind: gpushare}\npods:\n  - {name: a, count: 2, gpu_memory: 1 GiB}\n"
                  "  - {name: b, gpu_memory: 2 GiB, priority: 5}\n  - {name: c, gpu_memory: 3 GiB, priority: 7}\n"),
        0);
    assert_string_equal(run.log.placements, "10 c N 1\n15 b N 1\n20 a1 N 1\n25 a2 N 1\n");
    discard_run(&run);
}

/* p leaves at 4.51 s. q is tried at 0.5, 1.505, 3.51 and 7.515 s. */
static void a_retry_waits_for_its_timer(void **state)
{
    static const char text[] = "scenario: s\nnodes: [{name: N, gpus: 1, gpu_memory: 4 GiB}]\npolicies: [gpushare]\n"
                               "scheduler: {kind: gpushare}\npods:\n  - {name: p, gpu_memory: 3 GiB, duration: 3500 "
                               "ms}\n  - {name: q, start: 500 ms, gpu_memory: 3 GiB, duration: 1 s}\n";
    (void)state;
    run_file(&run, load_text(text), 0);
    assert_string_equal(run.log.placements, "10 p N 1\n7510 q N 1\n");
    discard_run(&run);
}

static void cards_are_shared_or_given_whole(void **state)
{
    (void)state;
    run_scenario(&run, "modes", 0);
    assert_string_equal(strstr(run.log.placements, "10 part1"), "10 part1 memory 1\n15 part2 memory 1\n20 part3 memory "
                                                                "2\n15000 whole3 cards 1\n");
    discard_run(&run);
}

/* Whole cards are not shared, and there are no others. */
static void a_part_of_a_gpu_is_memory_that_some_node_shares(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: c, gpus: 1, share: cards}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare}\npods: [{name: p, gpu: 20 %%, count: 2}]\n"),
             0);
    assert_true(metric(run.results, "waiting_count") == 2);
    discard_run(&run);
}

/* With ignoredByScheduler, the extender sees all nodes, and says which are none of its own. */
static void without_the_default_filter_the_extender_skips_nodes(void **state)
{
    (void)state;
    run_file(
        &run,
        load_text("scenario: s\nnodes: [{name: c, gpus: 1, share: cards}, {name: e}, {name: m, gpus: 1, gpu_memory: "
                  "1 GiB}]\npolicies: [gpushare]\nscheduler: {kind: gpushare, default_filter: false}\n"
                  "pods: [{name: p, gpu_memory: 2 GiB}]\n"),
        0);
    assert_logged(&run,
                  "extender filter: 0 nodes pass; c: The node c is not for GPU share, need skip; e: The node e is "
                  "not for GPU share, need skip; m: Insufficient GPU Memory in one device\n");
    assert_true(metric(run.results, "left_out_not_shared_count") == 2);
    discard_run(&run);
}

/* 12036 MiB are 11 GiB: the twelfth is not there. */
static void parts_of_a_unit_are_dropped(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 1, gpu_memory: 12036 MiB}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare, unit: GiB}\npods: [{name: p, gpu_memory: 10 GiB}, {name: q, "
                       "gpu_memory: 2 GiB}, {name: r, gpu_memory: 1 GiB}]\n"),
             0);
    assert_string_equal(run.log.placements, "10 p N 1\n15 r N 1\n");
    discard_run(&run);
}

static void a_node_that_joins_takes_pods(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 1, gpu_memory: 4 GiB, added: 5 s}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare}\npods: [{name: p, gpu_memory: 3 GiB}]\n"),
             0);
    assert_string_equal(run.log.placements, "7010 p N 1\n");
    discard_run(&run);
}

static void a_pod_may_have_memory_of_several_cards(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 3, gpu_memory: 4 GiB}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare, cards_per_pod: 2}\npods: [{name: p, gpu_memory: 1 GiB}, {name: q, "
                       "gpus: 2, gpu_memory: 3 GiB, duration: 1 s}]\n"),
             0);
    assert_string_equal(run.log.placements, "10 p N 1\n15 q N 3\n");
    assert_logged(&run, "15 q: Allocate 6144 MiB: GPU 0, 1, of itself (ASSIGNED=true)\n");
    discard_run(&run);
}

/* What a share of a card asks for is counted in memory, rounded up to a unit. */
static void a_share_of_a_gpu_is_that_share_of_its_memory(void **state)
{
    (void)state;
    run_file(&run,
             load_text("scenario: s\nnodes: [{name: N, gpus: 1, gpu_memory: 10 GiB}]\npolicies: [gpushare]\n"
                       "scheduler: {kind: gpushare, unit: GiB}\npods: [{name: p, gpu: 46 %%}]\n"),
             0);
    assert_logged(&run, "10 p: Allocate 5 GiB: GPU 0, of itself");
    assert_near(metric(run.results, "gpu_allocation_ratio"), 0.5, 1e-12);
    discard_run(&run);
}

static void node_scores_and_gpu_choices(void **state)
{
    static const char text[] = "scenario: s\nnodes: [{name: n, count: 2, gpus: 2, gpu_memory: 8 GiB}]\npolicies: "
                               "[{gpushare: {%s}}]\nscheduler: {kind: gpushare}\n"
                               "pods: [{name: p, count: 4, gpu_memory: 2 GiB}]\n";
    static const char *const cases[][2] = {
        {"node_score: first", "10 p1 n1 1\n15 p2 n1 1\n20 p3 n1 1\n25 p4 n1 1\n"},
        {"gpu_select: spread", "10 p1 n1 1\n15 p2 n1 2\n20 p3 n1 1\n25 p4 n1 2\n"},
        {"node_score: least_alloc", "10 p1 n1 1\n15 p2 n2 1\n20 p3 n1 1\n25 p4 n2 1\n"},
        {"node_score: least_alloc, gpu_select: spread", "10 p1 n1 1\n15 p2 n2 1\n20 p3 n1 2\n25 p4 n2 2\n"},
        {"node_score: most_alloc, gpu_select: first", "10 p1 n1 1\n15 p2 n1 1\n20 p3 n1 1\n25 p4 n1 1\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_file(&run, load_text(text, cases[i][0]), 0);
        assert_string_equal(run.log.placements, cases[i][1]);
        discard_run(&run);
    }
}

/* Lots are drawn among all that fit, and only those: GPU 0 of n1 is full. Under the default scheduler, too. */
static void random_choices_reach_every_place_that_fits(void **state)
{
    static const char text[] = "scenario: s\nnodes: [{name: n, count: 3, gpus: 2, gpu_memory: 100 GiB}]\npolicies: "
                               "[{gpushare: {node_score: random, gpu_select: random}}]\n%spods:\n"
                               "  - {name: full, gpu: 0.1 %%, gpu_memory: 100 GiB}\n"
                               "  - {name: p, count: 60, start: 1 s, gpu: 0.1 %%, gpu_memory: 1 GiB}\n";
    static const char shared[] = "scenario: s\nnodes: [{name: n, count: 3, gpus: 2, gpu_memory: 100 GiB}]\npolicies: "
                                 "[{gpushare: {node_score: random, gpu_select: random}}]\nscheduler: {kind: gpushare}\n"
                                 "pods:\n  - {name: full, gpu_memory: 100 GiB}\n"
                                 "  - {name: p, count: 60, start: 1 s, gpu_memory: 1 GiB}\n";
    (void)state;
    for (int protocol = 0; protocol < 2; protocol++) {
        size_t places = 0;
        char full[16];
        run_file(&run, protocol ? load_text(shared, 0) : load_text(text, ""), 0);
        assert_int_equal(sscanf(strstr(run.log.placements, "full ") + 5, "%7[^\n]", full), 1);
        for (int i = 0; i < 6; i++) {
            char place[16];
            snprintf(place, sizeof place, " n%d %d\n", i / 2 + 1, i % 2 + 1);
            bool is_full = !strncmp(place + 1, full, strlen(full)),
                 taken = strstr(strstr(run.log.placements, " p1 "), place);
            assert_true(taken != is_full);
            places += taken;
        }
        assert_int_equal(places, 5);
        discard_run(&run);
    }
}

static void choose_gpu_0(const struct sms_place_view *view, const struct sms_node_view *node,
                         const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    (void)view, (void)node, (void)pod;
    chosen[0] = 1;
    chosen[1] = 0;
}

/* GPU 0 is unhealthy, and the policy takes it all the same. */
static void a_policy_may_not_choose_an_unhealthy_gpu(void **state)
{
    static const struct sms_place_policy stubborn = {
        .name = "stubborn", .help = "GPU 0", .search = SMS_PLACE_FIRST, .choose = choose_gpu_0};
    static const struct sms_place_policy *const places[] = {&stubborn};
    static const char text[] =
        "scenario: s\nnodes: [{name: N, gpus: 2, gpu_memory: 4 GiB, unhealthy: [{gpu: 0}]}]\n"
        "policies: [stubborn]\nscheduler: {kind: gpushare}\npods: [{name: p, gpu_memory: 1 GiB}]\n";
    struct sms_load_options options = harness_options();
    struct sms_errors errors;
    struct sms_results *results;
    (void)state;
    options.places = places;
    options.n_places = 1;
    struct sms_file *file = load_text_with(text, &options);
    assert_int_equal(sms_run(sms_file_scenario(file, 0), NULL, &results, &errors), SMS_EBUG);
    assert_non_null(strstr(errors.item[0].message, "place policy stubborn chose a GPU that the pod does not fit"));
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_filter_example_leaves_n3),
        cmocka_unit_test(the_bind_example_chooses_gpu_1),
        cmocka_unit_test(the_inspect_example_is_nine_of_thirty),
        cmocka_unit_test(requests_at_the_edges),
        cmocka_unit_test(the_back_off_doubles_to_ten_seconds),
        cmocka_unit_test(a_gpu_that_fails_before_the_bind_makes_it_fail),
        cmocka_unit_test(a_silent_failure_holds_the_node),
        cmocka_unit_test(containers_of_one_pod_find_no_match),
        cmocka_unit_test(a_pod_that_did_not_start_may_hold_its_memory),
        cmocka_unit_test(pods_of_one_size_swap_their_gpus),
        cmocka_unit_test(who_comes_too_late_to_swap_does_not_start),
        cmocka_unit_test(allocate_takes_the_earliest_of_one_size),
        cmocka_unit_test(memory_of_others_is_not_seen),
        cmocka_unit_test(unhealthy_gpus_are_left_out),
        cmocka_unit_test(a_pod_that_is_not_assigned_in_time_is_queued_again),
        cmocka_unit_test(pods_are_scheduled_one_after_another_by_priority),
        cmocka_unit_test(a_retry_waits_for_its_timer),
        cmocka_unit_test(cards_are_shared_or_given_whole),
        cmocka_unit_test(a_part_of_a_gpu_is_memory_that_some_node_shares),
        cmocka_unit_test(without_the_default_filter_the_extender_skips_nodes),
        cmocka_unit_test(parts_of_a_unit_are_dropped),
        cmocka_unit_test(a_node_that_joins_takes_pods),
        cmocka_unit_test(a_pod_may_have_memory_of_several_cards),
        cmocka_unit_test(a_share_of_a_gpu_is_that_share_of_its_memory),
        cmocka_unit_test(node_scores_and_gpu_choices),
        cmocka_unit_test(random_choices_reach_every_place_that_fits),
        cmocka_unit_test(a_policy_may_not_choose_an_unhealthy_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
