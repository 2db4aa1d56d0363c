/* The place policy `realtime` and the master that asks the nodes for it (Algorithm 2 of Kang 2022), on cases worked out
 * by hand. */
#include "placing_fixture.h"

#include <stdio.h>

#define SECOND_PS 1e12
#define POLICY (&sms_place_policy_realtime)

/* The answer of a node with one GPU of 24 GiB. */
static struct sms_monitored answer_with(uint32_t timed, double float_s, uint64_t gib_left)
{
    return (struct sms_monitored){
        .answers = true, .timed = timed, .float_ps = float_s * SECOND_PS, .memory_left = gib(gib_left)};
}

static double score_of_answer(const struct setting *s, struct sms_monitored answer, double deadline_s)
{
    struct fixture f;
    struct sms_pod_view pod = make_pod(1, 10, 0);
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    NODE(&f, 1000);
    f.node.monitored = &answer;
    pod.deadline_ps = (uint64_t)(deadline_s * SECOND_PS);
    return score_with(s, POLICY, &f, pod, chosen);
}

/* Algorithm 2, line 5: a node qualifies if the new deadline is strictly less than its float. The specification's list
 * of checks has this and the order by memory below as 003-cond. */
static void a_node_qualifies_if_its_float_exceeds_the_deadline(void **state)
{
    struct setting s;
    (void)state;
    make_setting(&s, POLICY);
    assert_true(score_of_answer(&s, answer_with(2, 3, 10), 2.999) == (double)gib(10));
    assert_true(score_of_answer(&s, answer_with(2, 3, 10), 3) == -INFINITY);
    assert_true(score_of_answer(&s, answer_with(2, 3, 10), 3.001) == -INFINITY);
    assert_true(score_of_answer(&s, answer_with(1, 0, 10), 1e-9) == -INFINITY);
}

static void a_container_without_a_deadline_needs_only_an_answer(void **state)
{
    struct setting s;
    (void)state;
    make_setting(&s, POLICY);
    assert_true(score_of_answer(&s, answer_with(2, 0, 7), 0) == (double)gib(7));
}

/* The sum over no containers is 0, and no deadline is less than 0. */
static void an_empty_node_takes_any_container_by_default(void **state)
{
    struct setting s;
    (void)state;
    make_setting(&s, POLICY);
    assert_true(score_of_answer(&s, answer_with(0, 0, 24), 1e7) == (double)gib(24));
    set_param(&s, POLICY, "empty_node_float", 0);
    assert_true(score_of_answer(&s, answer_with(0, 0, 24), 1e-12) == -INFINITY);
    set_param(&s, POLICY, "empty_node_float", 5 * SECOND_PS);
    assert_true(score_of_answer(&s, answer_with(0, 0, 24), 4) == (double)gib(24));
    assert_true(score_of_answer(&s, answer_with(0, 0, 24), 5) == -INFINITY);
}

/* Three nodes qualify. They have the most memory, the greatest float and the smallest float. */
static void rank_decides_among_nodes_that_qualify(void **state)
{
    const struct sms_monitored node[] = {answer_with(1, 4, 24), answer_with(2, 9, 6), answer_with(3, 2, 12)};
    const char *const expected[] = {"memory", "float", "bestfit_float"};
    const size_t best[] = {0, 1, 2};
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        struct setting s;
        size_t found = 0;
        make_setting(&s, POLICY);
        assert_string_equal(POLICY->params[0].choices[r], expected[r]);
        set_param(&s, POLICY, "rank", (double)r);
        for (size_t n = 1; n < 3; n++)
            found = score_of_answer(&s, node[n], 1) > score_of_answer(&s, node[found], 1) ? n : found;
        assert_int_equal(found, best[r]);
    }
}

/* Kang 2022, Fig. 11: 157 ms with 2 nodes, 164 ms with 200. */
static void ranking_takes_the_published_time(void **state)
{
    struct setting s;
    (void)state;
    make_setting(&s, POLICY);
    assert_near(POLICY->pace(&s.view, 2).decide_ps / 1e9, 157, 0.001);
    assert_near(POLICY->pace(&s.view, 200).decide_ps / 1e9, 164, 0.001);
    assert_near(POLICY->pace(&s.view, 2).query_ps / 1e9, 1, 1e-9);
    assert_near(POLICY->pace(&s.view, 2).retry_ps, SECOND_PS, 1);
}

/* Placements as lines "TIME_MS POD NODE", and messages. */
struct log {
    char text[8192], messages[8192];
};

static void log_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    struct log *log = user;
    size_t used = strlen(log->text);
    (void)policy;
    snprintf(log->text + used, sizeof log->text - used, "%.3f %s %s\n", (double)placement->time_ps / 1e9,
             placement->pod, placement->node);
}

static void log_message(void *user, const char *policy, const struct sms_message *message)
{
    struct log *log = user;
    size_t used = strlen(log->messages);
    (void)policy;
    snprintf(log->messages + used, sizeof log->messages - used, "%s: %s\n", message->process, message->text);
}

static int observe(void *user, const struct sms_run_event *event)
{
    if (event->kind == SMS_RUN_PLACEMENT)
        log_placement(user, event->policy, event->placement);
    else
        log_message(user, event->policy, event->message);
    return 0;
}

/* Runs the first scenario on both engines, with checks. The caller frees the results. */
static struct sms_results *run_logged(const struct sms_file *file, struct log *log)
{
    struct sms_run_options options = sms_run_defaults();
    struct log first = {.text = ""};
    options.observe = observe;
    options.events = SMS_RUN_PLACEMENT | SMS_RUN_MESSAGE;
    options.explain_to_ps = UINT64_MAX;
    options.check = true;
    options.user = &first;
    options.engine = SMS_ENGINE_REFERENCE;
    sms_results_free(run_first(file, &options));
    options.engine = SMS_ENGINE_FAST;
    *log = (struct log){.text = ""};
    options.user = log;
    struct sms_results *results = run_first(file, &options);
    assert_string_equal(first.text, log->text);
    assert_string_equal(first.messages, log->messages);
    return results;
}

#define RUN(log, results, ...)                                                                                         \
    struct log log;                                                                                                    \
    struct sms_file *file = load_text(__VA_ARGS__);                                                                    \
    struct sms_results *results = run_logged(file, &log)

#define EXACT "monitor: {start_least: 0 s, start_most: 0 s, end_least: 0 s, end_most: 0 s}\n"

/* Answers take 1 ms and ranking 157 ms. The master then turns to the next pod. */
static void decisions_follow_one_another(void **state)
{
    (void)state;
    RUN(log, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\npolicies: [realtime]\n" EXACT
        "pods: [{name: a, count: 3, gpu: 10 %%, duration: 9 s}, {name: b, start: 2 s, gpu: 10 %%, duration: 9 s}]\n");
    assert_string_equal(log.text, "158.000 a1 n1\n315.999 a2 n1\n473.999 a3 n1\n2158.000 b n1\n");
    assert_near(metric(results, "wait_mean_ns") / 1e6, (1 + 2 + 3 + 1) * 157.999708 / 4, 1e-3);
    assert_true(metric(results, "requests_count") == 4 && metric(results, "unqualified_count") == 0);
    assert_true(metric(results, "messages_count") == 8 && metric(results, "message_bytes") == 8 * 16);
    discard(results, file);
}

/* b and c arrive while the first job of a runs. The float of n1 is 0 until that ends, so n2 takes b, and c waits for
 * the end of a. */
static void a_pod_that_finds_no_node_is_tried_again(void **state)
{
    (void)state;
    RUN(log, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\n"
        "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s, retry: 400 ms}}]\n" EXACT
        "pods:\n  - {name: a, gpu: 10 %%, duration: 1 s, job_deadline: 5 s}\n"
        "  - {name: b, start: 100 ms, gpu: 10 %%, duration: 9 s, job_deadline: 5 s}\n"
        "  - {name: c, start: 200 ms, gpu: 10 %%, duration: 1 s, job_deadline: 5 s}\n");
    assert_string_equal(log.text, "0.000 a n1\n100.000 b n2\n1000.000 c n1\n");
    assert_non_null(strstr(log.messages, "c: do not qualify: n1 (float 0.000 s, 0.00 GiB free), n2 (float"));
    assert_true(metric(results, "unqualified_count") == 2 && metric(results, "queued_count") == 1);
    assert_near(metric(results, "job_miss_ratio"), 1 / 3.0, 1e-12);
    discard(results, file);
}

/* A node whose cores are all in use sends nothing. */
static void a_full_node_sends_no_message(void **state)
{
    (void)state;
    RUN(log, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1, cpu: 4}]\n"
        "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}]\n" EXACT
        "pods:\n  - {name: a, gpus: 1, duration: 3500 ms}\n  - {name: b, start: 1 s, gpus: 1, duration: 3500 ms}\n"
        "  - {name: c, start: 2 s, cpu: 1, duration: 1 s}\n");
    assert_string_equal(log.text, "0.000 a n1\n1000.000 b n2\n4000.000 c n1\n");
    assert_true(metric(results, "messages_count") == 2 + 1 + 0 + 0 + 1);
    assert_non_null(strstr(log.messages, "c: do not answer: n1 (full), n2 (full)"));
    discard(results, file);
}

/* The paper's rule leaves the empty cluster empty, and the run still ends. */
static void with_a_float_of_zero_an_empty_node_is_never_chosen(void **state)
{
    (void)state;
    RUN(log, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\npolicies: [{realtime: {empty_node_float: 0 s}}]\n"
        "pods: [{name: a, count: 5, arrivals: {every: 1 s}, gpu: 10 %%, duration: 1 s, job_deadline: 9 s}]\n");
    assert_string_equal(log.text, "");
    assert_true(metric(results, "waiting_count") == 5 && metric(results, "queued_count") == 5);
    discard(results, file);
}

/* The pods ask for parts of GPUs. The first node has the least memory. */
static void the_most_free_memory_wins_and_ties_go_to_the_lowest_node(void **state)
{
    (void)state;
    RUN(log, results,
        "scenario: s\nnodes: [{name: s, gpus: 1, gpu_memory: 8 GiB}, {name: l, count: 2, gpus: 1, gpu_memory: 24 "
        "GiB}]\n"
        "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}]\n" EXACT
        "pods:\n  - {name: p, count: 6, arrivals: {every: 1 s}, gpu: 10 %%, gpu_memory: 7 GiB, duration: 90 s}\n");
    assert_string_equal(log.text, "0.000 p1 l1\n1000.000 p2 l2\n2000.000 p3 l1\n3000.000 p4 l2\n4000.000 p5 l1\n"
                                  "5000.000 p6 l2\n");
    discard(results, file);
}

/* A node that lacks what a pod asks for is reported. The run does not wait for the pod. */
static void a_pod_that_fits_no_node_waits_for_ever(void **state)
{
    (void)state;
    RUN(log, results,
        "scenario: s\nnodes: [{name: n, count: 12, gpus: 1}]\npolicies: [realtime]\n"
        "pods: [{name: a, gpus: 2, duration: 1 s}, {name: b, gpu: 10 %%, duration: 1 s}]\n");
    assert_true(metric(results, "waiting_count") == 1 && metric(results, "placed_count") == 1);
    assert_non_null(strstr(log.messages, "a: lack what it asks for: n1 (no float, 0.00 GiB free), n2"));
    assert_non_null(strstr(log.messages, " and 4 more\n"));
    discard(results, file);
}

/* The jobs of the first container take 1 s each, one after another, until 10 s. The second container comes at 5.5 s. */
#define TWO_JOBS(demand, first, second)                                                                                \
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 s, demand: {fp32: " demand "}}]\n---\n"                \
                 "scenario: s\nnodes: [{name: n, devices: {model: small}}]\nfidelity: processes\n"                     \
                 "contention: proportional\n" EXACT                                                                    \
                 "policies: [{place: {realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}, mode: together}]\n"     \
                 "pods:\n  - {name: a, gpu: 1 %%, workload: w, repeat: 10, job_deadline: " first "}\n"                 \
                 "  - {name: b, start: 5500 ms, gpu: 1 %%, workload: w, job_deadline: " second "}\n",                  \
        1, 16, "sm"

static void assert_second_at(double expected_ms, struct sms_file *file)
{
    struct log log;
    char expected[64];
    struct sms_results *results = run_logged(file, &log);
    snprintf(expected, sizeof expected, "0.000 a n\n%.3f b n\n", expected_ms);
    assert_string_equal(log.text, expected);
    discard(results, file);
}

/* Each job leaves 2 s, and only a deadline that is strictly less qualifies. Otherwise b waits for the end of a and for
 * its next try. */
static void the_latest_float_of_a_job_decides(void **state)
{
    (void)state;
    assert_second_at(5500, load_text(TWO_JOBS("14 %%", "3 s", "1999 ms")));
    assert_second_at(10500, load_text(TWO_JOBS("14 %%", "3 s", "2 s")));
}

static void a_node_with_a_miss_waits_for_a_hit(void **state)
{
    (void)state;
    assert_second_at(5500, load_text(TWO_JOBS("14 %%", "1001 ms", "1 us")));
    assert_second_at(10500, load_text(TWO_JOBS("14 %%", "999 ms", "1 us")));
}

/* Kernels that ask for 99 % of the cores leave some, those that ask for 100 % do not. */
static void a_node_is_full_when_its_kernels_ask_for_all_cores(void **state)
{
    (void)state;
    assert_second_at(5500, load_text(TWO_JOBS("99 %%", "3 s", "1 s")));
    assert_second_at(10500, load_text(TWO_JOBS("100 %%", "3 s", "1 s")));
}

/* A job holds 7 of 8 GiB while it runs. A second job of that size fails, and is neither a hit nor a miss. */
static void jobs_fail_when_memory_that_was_not_requested_runs_out(void **state)
{
    (void)state;
    RUN(log, results,
        SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 s, demand: {fp32: 10 %%}}]\n"
                     "steps: [{allocate: 7 GiB}, {launch: k}, {free: all}]\n---\nscenario: s\nfidelity: processes\n"
                     "nodes: [{name: n, devices: {model: small, memory: 8 GiB}}]\ncontention: proportional\n" EXACT
                     "policies: [{place: {realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}, mode: together}]\n"
                     "pods:\n  - {name: a, gpu: 1 %%, workload: w, repeat: 10, job_deadline: 3 s}\n"
                     "  - {name: b, start: 5500 ms, gpu: 1 %%, workload: w, job_deadline: 1 s}\n",
        1, 16, "sm");
    assert_string_equal(log.text, "0.000 a n\n5500.000 b n\n");
    assert_non_null(strstr(log.messages, "b: qualify: n (float 2.000 s, 1.00 GiB free)"));
    assert_true(metric(results, "failed_count") == 1 && metric(results, "timed_jobs_count") == 10);
    discard(results, file);
}

static double makespan_s(const char *period, double *jobs)
{
    RUN(log, results,
        SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 s, demand: {fp32: 10 %%}}]\n---\n"
                     "scenario: s\nfidelity: processes\nnodes: [{name: n, devices: {model: small}}]\n"
                     "contention: proportional\npolicies: [{place: first_fit, mode: together}]\n" EXACT
                     "pods: [{name: a, start: 2 s, gpu: 1 %%, workload: w, repeat: 3, job_deadline: 3 s%s}]\n",
        1, 16, "sm", period);
    double makespan_ns = metric(results, "makespan_ns");
    *jobs = metric(results, "timed_jobs_count");
    assert_near(metric(results, "float_min_ns"), 2e9, 1);
    assert_near(metric(results, "float_max_ns"), 2e9, 1);
    discard(results, file);
    return makespan_ns / 1e9;
}

/* A job that takes longer than its period is followed at once by the next. */
static void jobs_begin_a_period_apart(void **state)
{
    double jobs;
    (void)state;
    assert_near(makespan_s("", &jobs), 5, 1e-9);
    assert_near(makespan_s(", period: 4 s", &jobs), 2 + 4 + 4 + 1, 1e-9);
    assert_near(makespan_s(", period: 500 ms", &jobs), 5, 1e-9);
    assert_true(jobs == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_qualifies_if_its_float_exceeds_the_deadline),
        cmocka_unit_test(a_container_without_a_deadline_needs_only_an_answer),
        cmocka_unit_test(an_empty_node_takes_any_container_by_default),
        cmocka_unit_test(rank_decides_among_nodes_that_qualify),
        cmocka_unit_test(ranking_takes_the_published_time),
        cmocka_unit_test(decisions_follow_one_another),
        cmocka_unit_test(a_pod_that_finds_no_node_is_tried_again),
        cmocka_unit_test(a_full_node_sends_no_message),
        cmocka_unit_test(with_a_float_of_zero_an_empty_node_is_never_chosen),
        cmocka_unit_test(the_most_free_memory_wins_and_ties_go_to_the_lowest_node),
        cmocka_unit_test(a_pod_that_fits_no_node_waits_for_ever),
        cmocka_unit_test(the_latest_float_of_a_job_decides),
        cmocka_unit_test(a_node_with_a_miss_waits_for_a_hit),
        cmocka_unit_test(a_node_is_full_when_its_kernels_ask_for_all_cores),
        cmocka_unit_test(jobs_fail_when_memory_that_was_not_requested_runs_out),
        cmocka_unit_test(jobs_begin_a_period_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
