/* Priorities, selectors, parts of several GPUs and batches of pods, checked by hand. */
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

/* b waits when a ends, and c comes at that instant. */
static void who_comes_as_a_pod_ends_goes_by_priority(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\n" FIRST_FIT "pods:\n"
                                "  - {name: a, gpus: 1, duration: 5 s}\n"
                                "  - {name: b, gpus: 1, start: 1 s, duration: 5 s}\n"
                                "  - {name: c, gpus: 1, start: 5 s, duration: 5 s, priority: 1}\n"),
                      "0 a n 1\n5 c n 1\n10 b n 1\n");
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
                  "pods: [{name: p, count: 1500, gpus: 1, duration: 4 s}, {name: q, cpu: 0.5, duration: 8 s}]\n"
                  "expect: [{metric: placements_count, node: b, policy: first_fit, value: 1}]\n");
    struct sms_results *results = run_first(file, NULL);
    assert_int_equal(sms_results_subjects(results, SMS_NODE), 2);
    assert_string_equal(sms_results_subject(results, SMS_NODE, 0), "a");
    assert_near(node_metric(results, 0, "gpu_allocation_mean_ratio"), 1500 * 4 / (3000 * 8.0), 1e-12);
    assert_near(node_metric(results, 1, "cpu_allocation_mean_ratio"), 0.5, 1e-12);
    discard(results, file);
}

/* The job asks for more memory than the GPU has. Even as a duration it must not count as a job that met its
 * deadline. */
static void a_failed_job_meets_no_deadline_at_any_fidelity(void **state)
{
    static const char *const fidelities[] = {"blocks", "processes", "duration"};
    (void)state;
    for (size_t f = 0; f < 3; f++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 s}]\n"
                                   "steps: [{host: 1 s}, {launch: k}, {allocate: 9 GiB}]\n---\nscenario: s\n"
                                   "nodes: [{name: n, devices: {model: small, memory: 8 GiB}}]\nfidelity: %s\n"
                                   "monitor: {start_least: 0 s, start_most: 0 s, end_least: 0 s, end_most: 0 s}\n"
                                   "policies: [{place: first_fit, mode: together}]\n"
                                   "pods: [{name: a, gpu: 10 %%, workload: w, job_deadline: 9 s}]\n",
                      1, 16, "sm", fidelities[f]);
        struct sms_results *results = run_logged(file, "0 a n 1\n");
        assert_true(metric(results, "failed_count") == 1 && metric(results, "timed_jobs_count") == 0);
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_priority_is_tried_first),
        cmocka_unit_test(the_highest_priority_is_tried_first_among_simultaneous_arrivals),
        cmocka_unit_test(who_comes_as_a_pod_ends_goes_by_priority),
        cmocka_unit_test(pods_go_to_nodes_with_all_labels_that_they_select),
        cmocka_unit_test(a_pod_may_have_parts_of_several_gpus),
        cmocka_unit_test(pods_of_a_batch_arrive_together),
        cmocka_unit_test(a_failed_job_meets_no_deadline_at_any_fidelity),
        cmocka_unit_test(metrics_of_many_nodes_are_per_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
