/* Place policy `realtime` by hand, and the master that asks the nodes for it: Algorithm 2 of Kang 2022. */
#include "placing_fixture.h"

#include <stdio.h>

#define S 1e12
#define POLICY (&sms_placing_realtime)

/* What a node with one GPU of 24 GiB says. */
static struct sms_monitored says(uint32_t timed, double float_s, uint64_t gib_left)
{
    return (struct sms_monitored){
        .answers = true, .timed = timed, .float_ps = float_s * S, .memory_left = gib(gib_left)};
}

static double score_said(const struct setting *s, struct sms_monitored said, double deadline_s)
{
    struct fixture f;
    struct sms_pod_view pod = make_pod(1, 10, 0);
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    NODE(&f, 1000);
    f.node.monitored = &said;
    pod.deadline_ps = (uint64_t)(deadline_s * S);
    return score_with(s, POLICY, &f, pod, chosen);
}

/* Algorithm 2, line 5: new deadline < float of the node, strictly. 003-cond of the specification's list of checks, with
 * the order by memory below. */
static void a_node_qualifies_if_its_float_exceeds_the_deadline(void **state)
{
    struct setting s;
    (void)state;
    make_setting(&s, POLICY);
    assert_true(score_said(&s, says(2, 3, 10), 2.999) == (double)gib(10));
    assert_true(score_said(&s, says(2, 3, 10), 3) == -INFINITY);
    assert_true(score_said(&s, says(2, 3, 10), 3.001) == -INFINITY);
    assert_true(score_said(&s, says(1, 0, 10), 1e-9) == -INFINITY);
}

static void a_container_without_deadline_needs_an_answer_only(void **state)
{
    struct setting s;
    (void)state;
    make_setting(&s, POLICY);
    assert_true(score_said(&s, says(2, 0, 7), 0) == (double)gib(7));
}

/* The sum over nothing is 0, which no deadline is less than. */
static void an_empty_node_takes_any_unless_told_otherwise(void **state)
{
    struct setting s;
    (void)state;
    make_setting(&s, POLICY);
    assert_true(score_said(&s, says(0, 0, 24), 1e7) == (double)gib(24));
    set_param(&s, POLICY, "empty_node_float", 0);
    assert_true(score_said(&s, says(0, 0, 24), 1e-12) == -INFINITY);
    set_param(&s, POLICY, "empty_node_float", 5 * S);
    assert_true(score_said(&s, says(0, 0, 24), 4) == (double)gib(24));
    assert_true(score_said(&s, says(0, 0, 24), 5) == -INFINITY);
}

/* Three nodes, all of which qualify: most memory, greatest float, smallest float. */
static void rank_says_which_of_those_that_qualify(void **state)
{
    const struct sms_monitored node[] = {says(1, 4, 24), says(2, 9, 6), says(3, 2, 12)};
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
            found = score_said(&s, node[n], 1) > score_said(&s, node[found], 1) ? n : found;
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
    assert_near(POLICY->pace(&s.view, 2).retry_ps, S, 1);
}

/* What was told, as lines "TIME_MS POD NODE". */
struct told {
    char text[8192], sayings[8192];
};

static void tell(void *user, const char *policy, const struct sms_placement *placement)
{
    struct told *told = user;
    size_t used = strlen(told->text);
    (void)policy;
    snprintf(told->text + used, sizeof told->text - used, "%.3f %s %s\n", (double)placement->time_ps / 1e9,
             placement->pod, placement->node);
}

static void say(void *user, const char *policy, const struct sms_saying *saying)
{
    struct told *told = user;
    size_t used = strlen(told->sayings);
    (void)policy;
    snprintf(told->sayings + used, sizeof told->sayings - used, "%s: %s\n", saying->process, saying->text);
}

/* On both engines, with checks; the caller frees the results. */
static struct sms_results *run_told(const struct sms_file *file, struct told *told)
{
    struct sms_run_options options = sms_run_defaults();
    struct told first = {.text = ""};
    options.on_placement = tell;
    options.on_saying = say;
    options.explain_to_ps = UINT64_MAX;
    options.check = true;
    options.user = &first;
    options.engine = SMS_ENGINE_REFERENCE;
    sms_results_free(run_first(file, &options));
    options.engine = SMS_ENGINE_FAST;
    *told = (struct told){.text = ""};
    options.user = told;
    struct sms_results *results = run_first(file, &options);
    assert_string_equal(first.text, told->text);
    assert_string_equal(first.sayings, told->sayings);
    return results;
}

#define RUN(told, results, ...)                                                                                        \
    struct told told;                                                                                                  \
    struct sms_file *file = load_text(__VA_ARGS__);                                                                    \
    struct sms_results *results = run_told(file, &told)

#define EXACT "monitor: {start_least: 0 s, start_most: 0 s, end_least: 0 s, end_most: 0 s}\n"

/* 1 ms for the answers and 157 ms for the ranking; the second is taken up after that. */
static void one_decision_follows_the_other(void **state)
{
    (void)state;
    RUN(told, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\npolicies: [realtime]\n" EXACT
        "pods: [{name: a, count: 3, gpu: 10 %%, duration: 9 s}, {name: b, start: 2 s, gpu: 10 %%, duration: 9 s}]\n");
    assert_string_equal(told.text, "158.000 a1 n1\n315.999 a2 n1\n473.999 a3 n1\n2158.000 b n1\n");
    assert_near(metric(results, "wait_mean_ns") / 1e6, (1 + 2 + 3 + 1) * 157.999708 / 4, 1e-3);
    assert_true(metric(results, "requests_count") == 4 && metric(results, "unqualified_count") == 0);
    assert_true(metric(results, "messages_count") == 8 && metric(results, "message_bytes") == 8 * 16);
    discard(results, file);
}

/* b and c come while a runs, too long for a float that is not there yet; n1 and n2 get one each, c waits for an end. */
static void who_finds_no_node_is_tried_again(void **state)
{
    (void)state;
    RUN(told, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\n"
        "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s, retry: 400 ms}}]\n" EXACT
        "pods:\n  - {name: a, gpu: 10 %%, duration: 1 s, job_deadline: 5 s}\n"
        "  - {name: b, start: 100 ms, gpu: 10 %%, duration: 9 s, job_deadline: 5 s}\n"
        "  - {name: c, start: 200 ms, gpu: 10 %%, duration: 1 s, job_deadline: 5 s}\n");
    assert_string_equal(told.text, "0.000 a n1\n100.000 b n2\n1000.000 c n1\n");
    assert_non_null(strstr(told.sayings, "c: do not qualify: n1 (float 0.000 s, 0.00 GiB free), n2 (float"));
    assert_true(metric(results, "unqualified_count") == 2 && metric(results, "queued_count") == 1);
    assert_near(metric(results, "job_miss_ratio"), 1 / 3.0, 1e-12);
    discard(results, file);
}

/* At 100 % of its cores a node sends nothing. */
static void a_full_node_sends_no_message(void **state)
{
    (void)state;
    RUN(told, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1, cpu: 4}]\n"
        "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}]\n" EXACT
        "pods:\n  - {name: a, gpus: 1, duration: 3500 ms}\n  - {name: b, start: 1 s, gpus: 1, duration: 3500 ms}\n"
        "  - {name: c, start: 2 s, cpu: 1, duration: 1 s}\n");
    assert_string_equal(told.text, "0.000 a n1\n1000.000 b n2\n4000.000 c n1\n");
    assert_true(metric(results, "messages_count") == 2 + 1 + 0 + 0 + 1);
    assert_non_null(strstr(told.sayings, "c: do not answer: n1 (full), n2 (full)"));
    discard(results, file);
}

/* To the letter: the empty cluster stays empty, and the run ends all the same. */
static void with_a_float_of_zero_an_empty_node_is_never_chosen(void **state)
{
    (void)state;
    RUN(told, results,
        "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\npolicies: [{realtime: {empty_node_float: 0 s}}]\n"
        "pods: [{name: a, count: 5, arrivals: {every: 1 s}, gpu: 10 %%, duration: 1 s, job_deadline: 9 s}]\n");
    assert_string_equal(told.text, "");
    assert_true(metric(results, "waiting_count") == 5 && metric(results, "queued_count") == 5);
    discard(results, file);
}

/* The GPUs are asked for in part; the one with most memory is the last. */
static void the_most_free_memory_wins_of_equal_ones_the_lowest(void **state)
{
    (void)state;
    RUN(told, results,
        "scenario: s\nnodes: [{name: s, gpus: 1, gpu_memory: 8 GiB}, {name: l, count: 2, gpus: 1, gpu_memory: 24 "
        "GiB}]\n"
        "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}]\n" EXACT
        "pods:\n  - {name: p, count: 6, arrivals: {every: 1 s}, gpu: 10 %%, gpu_memory: 7 GiB, duration: 90 s}\n");
    assert_string_equal(told.text, "0.000 p1 l1\n1000.000 p2 l2\n2000.000 p3 l1\n3000.000 p4 l2\n4000.000 p5 l1\n"
                                   "5000.000 p6 l2\n");
    discard(results, file);
}

/* What no node has is lacking, and nobody waits for it in vain. */
static void a_pod_that_fits_no_node_waits_for_ever(void **state)
{
    (void)state;
    RUN(told, results,
        "scenario: s\nnodes: [{name: n, count: 12, gpus: 1}]\npolicies: [realtime]\n"
        "pods: [{name: a, gpus: 2, duration: 1 s}, {name: b, gpu: 10 %%, duration: 1 s}]\n");
    assert_true(metric(results, "waiting_count") == 1 && metric(results, "placed_count") == 1);
    assert_non_null(strstr(told.sayings, "a: lack what it asks for: n1 (no float, 0.00 GiB free), n2"));
    assert_non_null(strstr(told.sayings, " and 4 more\n"));
    discard(results, file);
}

/* The first container's jobs take 1 s each, one after another until 10 s; the second comes at 5.5 s. */
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
    struct told told;
    char expected[64];
    struct sms_results *results = run_told(file, &told);
    snprintf(expected, sizeof expected, "0.000 a n\n%.3f b n\n", expected_ms);
    assert_string_equal(told.text, expected);
    discard(results, file);
}

/* Each job leaves 2 s: strictly less than that qualifies; else b waits for the end of a, and for its retry. */
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

/* 14 % of the cores are not all, and 100 % are. */
static void a_node_is_full_when_its_kernels_ask_for_all_cores(void **state)
{
    (void)state;
    assert_second_at(5500, load_text(TWO_JOBS("99 %%", "3 s", "1 s")));
    assert_second_at(10500, load_text(TWO_JOBS("100 %%", "3 s", "1 s")));
}

/* 7 of 8 GiB are held while a job runs: a second one of that size fails, and is neither a hit nor a miss. */
static void memory_that_nobody_asked_for_runs_out(void **state)
{
    (void)state;
    RUN(told, results,
        SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 s, demand: {fp32: 10 %%}}]\n"
                     "steps: [{allocate: 7 GiB}, {launch: k}, {free: all}]\n---\nscenario: s\nfidelity: processes\n"
                     "nodes: [{name: n, devices: {model: small, memory: 8 GiB}}]\ncontention: proportional\n" EXACT
                     "policies: [{place: {realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}, mode: together}]\n"
                     "pods:\n  - {name: a, gpu: 1 %%, workload: w, repeat: 10, job_deadline: 3 s}\n"
                     "  - {name: b, start: 5500 ms, gpu: 1 %%, workload: w, job_deadline: 1 s}\n",
        1, 16, "sm");
    assert_string_equal(told.text, "0.000 a n\n5500.000 b n\n");
    assert_non_null(strstr(told.sayings, "b: qualify: n (float 2.000 s, 1.00 GiB free)"));
    assert_true(metric(results, "failed_count") == 1 && metric(results, "timed_jobs_count") == 10);
    discard(results, file);
}

static double makespan_s(const char *period, double *jobs)
{
    RUN(told, results,
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

/* One that takes longer than its period is followed at once. */
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
        cmocka_unit_test(a_container_without_deadline_needs_an_answer_only),
        cmocka_unit_test(an_empty_node_takes_any_unless_told_otherwise),
        cmocka_unit_test(rank_says_which_of_those_that_qualify),
        cmocka_unit_test(ranking_takes_the_published_time),
        cmocka_unit_test(one_decision_follows_the_other),
        cmocka_unit_test(who_finds_no_node_is_tried_again),
        cmocka_unit_test(a_full_node_sends_no_message),
        cmocka_unit_test(with_a_float_of_zero_an_empty_node_is_never_chosen),
        cmocka_unit_test(the_most_free_memory_wins_of_equal_ones_the_lowest),
        cmocka_unit_test(a_pod_that_fits_no_node_waits_for_ever),
        cmocka_unit_test(the_latest_float_of_a_job_decides),
        cmocka_unit_test(a_node_with_a_miss_waits_for_a_hit),
        cmocka_unit_test(a_node_is_full_when_its_kernels_ask_for_all_cores),
        cmocka_unit_test(memory_that_nobody_asked_for_runs_out),
        cmocka_unit_test(jobs_begin_a_period_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
