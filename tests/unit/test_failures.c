/* Failures and returns of nodes and GPUs, priorities, selectors and parts of several GPUs, checked by hand. */
#include "placing.h"

#define FIRST_FIT "policies: [first_fit]\n"

/* The expected value of a metric of the cluster (node 0), or of a node, counted from 1. */
struct fact {
    const char *metric;
    double value; /* NAN: the metric must be NAN */
    size_t node;
};

static double node_metric(const struct sms_results *results, size_t node, const char *name)
{
    return estimate(results, 0, SMS_NODE, node, name).mean;
}

/* `fact` ends with an entry whose metric is NULL. Frees the file. */
static void assert_run(struct sms_file *file, const char *log, const struct fact *fact)
{
    struct sms_results *results = run_logged(file, log);
    for (; fact->metric; fact++) {
        double value = fact->node ? node_metric(results, fact->node - 1, fact->metric) : metric(results, fact->metric);
        bool is_equal = isnan(fact->value) ? isnan(value) : fabs(value - fact->value) <= 1e-9 * fabs(fact->value);
        if (!is_equal)
            fail_msg("%s is %.17g, not %.17g", fact->metric, value, fact->value);
    }
    discard(results, file);
}

/* At 2 s g1 is cut off, and g2 with it, although its node is up. Both wait until a returns. */
static void a_gang_loses_its_places_together(void **state)
{
    (void)state;
    assert_run(load_text("scenario: s\nnodes: [{name: a, gpus: 1}, {name: b, gpus: 1}]\n" FIRST_FIT
                         "failures: [{node: a, at: 2 s, for: 3 s}]\n"
                         "pods: [{name: g, replicas: 2, gpus: 1, duration: 10 s}]\n"),
               "0 g1 a 1\n0 g2 b 1\n5 g1 a 1\n5 g2 b 1\n",
               (const struct fact[]){{"placed_count", 2}, {"done_count", 2}, {"restarts_count", 2}, {NULL, 0}});
}

/* At 4 s p is cut off and begins anew on b, and q is lost. r waits for the node's return. */
static void a_failed_node_takes_no_pods_until_it_returns(void **state)
{
    (void)state;
    assert_run(
        load_text("scenario: s\nnodes: [{name: a, gpus: 2, cpu: 4}, {name: b, gpus: 1}]\n" FIRST_FIT
                  "failures: [{node: a, at: 4 s, for: 6 s}]\npods:\n"
                  "  - {name: p, gpus: 1, duration: 10 s}\n  - {name: q, gpus: 1, duration: 10 s, on_failure: lost}\n"
                  "  - {name: r, gpus: 2, start: 5 s, duration: 10 s, deadline: 15 s}\n"
                  "  - {name: c, cpu: 1, start: 6 s, duration: 1 s}\n  - {name: z, start: 7 s, duration: 1 s}\n"),
        "0 p a 1\n0 q a 2\n4 p b 1\n7 z b 0\n10 r a 3\n10 c a 0\n",
        (const struct fact[]){{"pods_count", 5},
                              {"placed_count", 5},
                              {"done_count", 4},
                              {"lost_count", 1},
                              {"failures_count", 1},
                              {"restarts_count", 1},
                              {"wait_mean_ns", (5 + 4) * 1e9 / 5}, /* excludes p's second wait */
                              {"makespan_ns", 20e9},
                              {"deadline_miss_ratio", 0},
                              {"gpu_wasted_ratio", 8 / 38.0},
                              {"gpu_up_mean_ratio", (60 - 12) / 60.0},
                              {"gpu_allocation_mean_ratio", 38 / 48.0},
                              {"cpu_allocation_mean_ratio", 1 / 56.0},
                              {"gpu_allocation_mean_ratio", 28 / 28.0, 1},
                              {"down_ratio", 6 / 20.0, 1},
                              {"gpu_down_ratio", 6 / 20.0, 1},
                              {"gpu_allocation_mean_ratio", 10 / 20.0, 2},
                              {"placements_count", 4, 1},
                              {"failures_count", 0, 2},
                              {0}});
}

/* p begins anew on b, and q is lost. r is lost when it is cut off for the second time. e ends at the instant of the
 * failure, so r2 takes its place and loses it. s is still running. */
static void departures_tell_when_and_how_each_pod_left_its_node(void **state)
{
    static struct event_log log;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: a, gpus: 4}, {name: b, gpus: 1}]\n" FIRST_FIT
                  "failures: [{node: a, at: 4 s, for: 6 s}, {node: a, gpu: 1, at: 12 s, for: 1 s}]\npods:\n"
                  "  - {name: p, gpus: 1, duration: 10 s}\n"
                  "  - {name: q, gpus: 1, duration: 10 s, on_failure: lost}\n"
                  "  - {name: e, gpus: 1, duration: 4 s}\n  - {name: r, gpus: 2, restarts: 1, start: 1 s}\n"
                  "  - {name: r2, gpus: 2, restarts: 1, start: 4 s, duration: 9 s}\n"
                  "  - {name: s, gpus: 1, start: 11 s}\nrun: {duration: 20 s}\n");
    (void)state;
    discard(run_both(file, 0, SECOND_PS, &log), file);
    assert_string_equal(log.departures, "0 4 e a 4 done\n4 4 r a c restarted\n0 4 q a 2 lost\n0 4 p a 1 restarted\n"
                                        "10 12 r a 3 lost\n4 14 p b 1 done\n10 19 r2 a c done\n"
                                        "12 20 s a 1 running\n");
}

/* Only the pod on the failed GPU is cut off, and the rest of the node goes on. Allocation and
 * fragments are computed over GPUs that are up. */
static void a_failed_gpu_cuts_off_only_the_pods_on_it(void **state)
{
    (void)state;
    assert_run(
        load_text("scenario: s\nnodes: [{name: a, gpus: 3, gpu_memory: 8 GiB}]\n" FIRST_FIT
                  "failures: [{node: a, gpu: 1, at: 2 s}]\npods:\n"
                  "  - {name: p, gpu: 60 %%}\n  - {name: q, gpu: 60 %%, gpu_memory: 1 GiB}\n  - {name: r, gpus: 1}\n"
                  "  - {name: s, gpu: 40 %%, start: 1 s}\n  - {name: t, gpu: 40 %%, start: 3 s}\n"
                  "run: {duration: 10 s}\n"),
        "0 p a 1\n0 q a 2\n0 r a 4\n1 s a 1\n",
        (const struct fact[]){{"waiting_count", 2},
                              {"running_count", 3},
                              {"gpu_allocation_ratio", 1},
                              {"fragment_ratio", NAN},
                              {"gpu_down_ratio", 8 / 30.0, 1},
                              {"down_ratio", 0, 1},
                              {0}});
}

/* The GPU fails by itself from 2 to 5 s, with its node from 3 to 6 s, and again by itself from 5 to 7 s. p, which runs
 * on it, waits until 7 s. */
static void overlapping_failures_last_until_all_are_over(void **state)
{
    (void)state;
    assert_run(load_text("scenario: s\nnodes: [{name: a, gpus: 1}]\n" FIRST_FIT
                         "failures:\n  - {node: a, gpu: 0, at: 2 s, for: 3 s}\n"
                         "  - {node: a, at: 3 s, for: 3 s}\n  - {gpu: each, at: 5 s, for: 2 s}\n"
                         "pods: [{name: p, gpus: 1, duration: 3 s}, {name: q, start: 4 s}]\n"),
               "0 p a 1\n6 q a 0\n7 p a 1\n",
               (const struct fact[]){{"gpu_up_mean_ratio", 5 / 10.0}, {"makespan_ns", 10e9}, {0}});
}

/* The pod begins anew twice and is lost the third time. */
static void restarts_have_a_limit(void **state)
{
    (void)state;
    assert_run(load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\n" FIRST_FIT
                         "failures: [{node: n, at: 1 s, for: 1 s}, {node: n1, at: 3 s}, {node: n2, gpu: 0, at: 4 s}]\n"
                         "pods: [{name: p, gpus: 1, duration: 10 s, restarts: 2, deadline: 30 s}]\n"),
               "0 p n1 1\n2 p n1 1\n3 p n2 1\n",
               (const struct fact[]){{"restarts_count", 2},
                                     {"lost_count", 1},
                                     {"failures_count", 4},
                                     {"placed_count", 1},
                                     {"waiting_count", 0},
                                     {"running_count", 0},
                                     {"deadline_miss_ratio", 1},
                                     {"gpu_wasted_ratio", 1},
                                     {0}});
}

/* Pods that are cut off wait behind those that waited already, in the order in which they came. */
static void pods_that_are_cut_off_wait_behind_the_others(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: a, gpus: 2}]\n" FIRST_FIT
                                "failures: [{node: a, at: 2 s, for: 1 s}]\npods:\n"
                                "  - {name: p, gpus: 1, duration: 9 s}\n  - {name: q, gpu: 60 %%, duration: 9 s}\n"
                                "  - {name: r, gpus: 1, start: 1 s, duration: 9 s}\n"),
                      "0 p a 1\n0 q a 2\n3 r a 1\n3 p a 2\n12 q a 1\n");
}

/* The node is back when the pod's first run would have ended. That end must not happen. */
static void a_pod_that_is_cut_off_does_not_end_at_its_old_time(void **state)
{
    (void)state;
    assert_run(load_text("scenario: s\nnodes: [{name: a, gpus: 1}]\n" FIRST_FIT
                         "failures: [{node: a, at: 4 s, for: 1 ms}, {node: a, at: 5 s, for: 1 ms}]\n"
                         "pods: [{name: p, gpus: 1, duration: 5 s}]\n"),
               "0 p a 1\n4.001 p a 1\n5.001 p a 1\n",
               (const struct fact[]){{"makespan_ns", 10.001e9}, {"done_count", 1}, {0}});
}

/* The run ends with its last pod, or when no waiting pod can ever be placed. It does not wait for drawn failures, which
 * never end. */
static void drawn_failures_do_not_keep_a_run_alive(void **state)
{
    (void)state;
    assert_run(load_text("scenario: s\nnodes: [{name: a, gpus: 1}]\n" FIRST_FIT
                         "failures: [{mtbf: 1000 s, mttr: 1 s}]\npods:\n"
                         "  - {name: p, gpus: 1, duration: 1 s}\n  - {name: q, gpus: 2, duration: 1 s}\n"),
               "0 p a 1\n", (const struct fact[]){{"gpu_allocation_mean_ratio", 1}, {"failures_count", 0}, {0}});
}

/* The failures drawn for b do not depend on the presence of a. */
static void each_node_and_gpu_has_its_own_random_numbers(void **state)
{
    (void)state;
    double down[2][3];
    for (int with = 0; with < 2; with++) {
        struct sms_file *file = load_text(
            "scenario: s\nnodes: [%s{name: b, gpus: 2}, {name: c}]\n" FIRST_FIT
            "failures:\n%s  - {node: c, mtbf: 50 s, mttr: 5 s}\n  - {gpu: each, mtbf: 20 s, mttr: 5 s}\n"
            "pods: [{name: p}]\nrun: {duration: 1000 s}\n",
            with ? "{name: a, count: 3, gpus: 4}, " : "", with ? "  - {node: a2, mtbf: 9 s, mttr: 1 s}\n" : "");
        struct sms_results *results = run_first(file, NULL);
        size_t b = with ? 3 : 0;
        down[with][0] = node_metric(results, b, "gpu_down_ratio");
        down[with][1] = node_metric(results, b, "failures_count");
        down[with][2] = node_metric(results, b + 1, "down_ratio");
        assert_true(down[with][0] > 0 && down[with][1] > 10 && down[with][2] > 0);
        discard(results, file);
    }
    for (int i = 0; i < 3; i++)
        assert_true(down[0][i] == down[1][i]);
}

/* While a runs, b, c and d wait. c goes before b, which came earlier. */
static void the_highest_priority_is_tried_first(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\n" FIRST_FIT "pods:\n"
                                "  - {name: a, gpus: 1, duration: 5 s}\n"
                                "  - {name: b, gpus: 1, start: 1 s, duration: 5 s}\n"
                                "  - {name: c, gpus: 1, start: 2 s, duration: 5 s, priority: 7}\n"
                                "  - {name: d, gpu: 50 %%, start: 2 s, duration: 5 s, priority: 3}\n"),
                      "0 a n 1\n5 c n 1\n10 d n 1\n15 b n 1\n");
}

static void the_highest_priority_is_tried_first_among_simultaneous_arrivals(void **state)
{
    (void)state;
    assert_placements(
        load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\n" FIRST_FIT "pods:\n"
                  "  - {name: a, gpus: 1, duration: 5 s}\n  - {name: b, gpus: 1, duration: 5 s, priority: 1}\n"),
        "0 b n 1\n5 a n 1\n");
}

static void pods_go_to_nodes_with_all_labels_that_they_select(void **state)
{
    (void)state;
    assert_placements(
        load_text("scenario: s\n" FIRST_FIT "pods:\n  - {name: p, selector: {zone: eu}}\n"
                  "  - {name: q, gpus: 1, selector: {zone: eu, disk: ssd}}\n  - {name: r, selector: {zone: us}}\n"
                  "  - {name: s}\n  - {table: {columns: [name, selector], rows: [[t, {disk: ssd}], [u, ~]]}}\n"
                  "nodes:\n  - {name: a, gpus: 1, labels: {zone: us}}\n  - {name: b, gpus: 1, labels: {zone: eu}}\n"
                  "  - {table: {columns: [name, gpus, labels], rows: [[c, 1, {disk: ssd, zone: eu}]]}}\n"),
        "0 p b 0\n0 q c 1\n0 r a 0\n0 s a 0\n0 t c 0\n0 u a 0\n");
}

/* Each part goes to the GPU with the least left that has enough. */
static void a_pod_may_have_parts_of_several_gpus(void **state)
{
    (void)state;
    assert_run(load_text("scenario: s\nnodes: [{name: a, gpus: 3}]\n" FIRST_FIT "pods:\n"
                         "  - {name: p, gpu: 60 %%}\n  - {name: q, gpus: 2, gpu: 50 %%}\n"
                         "  - {name: r, gpus: 2, gpu: 40 %%}\n  - {name: s, gpus: 2, gpu: 20 %%}\n"),
               "0 p a 1\n0 q a 6\n0 r a 3\n", (const struct fact[]){{"gpu_allocation_ratio", 2.4 / 3}, {0}});
}

static void pods_of_a_batch_arrive_together(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: a, gpus: 9}]\n" FIRST_FIT
                                "pods: [{name: p, count: 5, gpus: 1, arrivals: {every: 2 s, batch: 2}}]\n"),
                      "0 p1 a 1\n0 p2 a 2\n2 p3 a 4\n2 p4 a 8\n4 p5 a 10\n");
}

/* With more nodes than rows, metrics are per entry and are means over the entry's nodes. */
static void metrics_of_many_nodes_are_per_entry(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: a, count: 3000, gpus: 1}, {name: b, cpu: 1}]\n" FIRST_FIT
                  "failures: [{node: a7, at: 0 s}]\n"
                  "pods: [{name: p, count: 1500, gpus: 1, duration: 4 s}, {name: q, cpu: 0.5, duration: 8 s}]\n"
                  "expect: [{metric: placements_count, node: b, policy: first_fit, value: 1}]\n");
    struct sms_results *results = run_first(file, NULL);
    assert_int_equal(sms_results_subjects(results, SMS_NODE), 2);
    assert_string_equal(sms_results_subject(results, SMS_NODE, 0), "a");
    assert_near(node_metric(results, 0, "gpu_allocation_mean_ratio"), 1500 * 4 / (2999 * 8.0), 1e-12);
    assert_near(node_metric(results, 1, "cpu_allocation_mean_ratio"), 0.5, 1e-12);
    assert_near(node_metric(results, 0, "down_ratio"), 1 / 3000.0, 1e-12);
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gang_loses_its_places_together),
        cmocka_unit_test(a_failed_node_takes_no_pods_until_it_returns),
        cmocka_unit_test(departures_tell_when_and_how_each_pod_left_its_node),
        cmocka_unit_test(a_failed_gpu_cuts_off_only_the_pods_on_it),
        cmocka_unit_test(overlapping_failures_last_until_all_are_over),
        cmocka_unit_test(restarts_have_a_limit),
        cmocka_unit_test(pods_that_are_cut_off_wait_behind_the_others),
        cmocka_unit_test(a_pod_that_is_cut_off_does_not_end_at_its_old_time),
        cmocka_unit_test(drawn_failures_do_not_keep_a_run_alive),
        cmocka_unit_test(each_node_and_gpu_has_its_own_random_numbers),
        cmocka_unit_test(the_highest_priority_is_tried_first),
        cmocka_unit_test(the_highest_priority_is_tried_first_among_simultaneous_arrivals),
        cmocka_unit_test(pods_go_to_nodes_with_all_labels_that_they_select),
        cmocka_unit_test(a_pod_may_have_parts_of_several_gpus),
        cmocka_unit_test(pods_of_a_batch_arrive_together),
        cmocka_unit_test(metrics_of_many_nodes_are_per_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
