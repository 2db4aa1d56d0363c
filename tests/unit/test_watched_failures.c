/* Nodes with monitors and GPUs of theirs that fail, and the master that asks them, by hand. */
#include "placing.h"

/* Sees all at once; or beginnings 0.2 s late and ends 0.3 s. */
#define EXACT "monitor: {start_least: 0 s, start_most: 0 s, end_least: 0 s, end_most: 0 s}\n"
#define LATE "monitor: {start_least: 200 ms, start_most: 200 ms, end_least: 300 ms, end_most: 300 ms}\n"
#define AT_ONCE "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}]\n"
/* Answers 1 s after the request, the decision 1 s after that, again 5 s later. */
#define SLOW "policies: [{realtime: {query: 1 s, rank_base: 1 s, rank_node: 0 s, retry: 5 s}}]\n"
#define TWO_NODES "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\n"

/* Jobs of 1 s that take a tenth of the cores, and 6 GiB of the 8 of their GPU. */
#define JOBS                                                                                                           \
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 s, demand: {fp32: 10 %%}}]\n"                          \
                 "steps: [{allocate: 6 GiB}, {launch: k}, {free: all}]\n---\nscenario: s\nfidelity: processes\n"       \
                 "contention: proportional\n"
#define DEVICE 1, 16, "sm"
#define TOGETHER "policies: [{place: {realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}, mode: together}]\n"

/* Every pod is one of these. */
static void assert_all_are_somewhere(const struct sms_results *results)
{
    double sum = metric(results, "done_count") + metric(results, "failed_count") + metric(results, "running_count") +
                 metric(results, "waiting_count") + metric(results, "lost_count");
    assert_true(sum == metric(results, "pods_count"));
}

/* Where a goes that comes at 2 s when the first of two nodes fails so. */
static void assert_goes(const char *failure, const char *expected, double requests)
{
    struct sms_file *file = load_text(TWO_NODES SLOW EXACT "failures: [{node: n1, %s}]\n"
                                                           "pods: [{name: a, start: 2 s, gpus: 1, duration: 1 s}]\n",
                                      failure);
    struct sms_results *results = run_told(file, expected);
    assert_true(metric(results, "requests_count") == requests && metric(results, "done_count") == 1);
    discard(results, file);
}

/* Asked at 2 s, it answers at 3 s. */
static void a_node_answers_if_it_has_been_up_since_it_was_asked(void **state)
{
    (void)state;
    assert_goes("at: 9 s", "4 a n1 1\n", 1);
    assert_goes("at: 1 s, for: 1 s", "4 a n1 1\n", 1);
    assert_goes("at: 1 s, for: 1001 ms", "4 a n2 1\n", 1);
    assert_goes("at: 2 s", "4 a n2 1\n", 1);
    assert_goes("at: 2.5 s", "4 a n2 1\n", 1);
    assert_goes("at: 2.5 s, for: 250 ms", "4 a n2 1\n", 1);
    assert_goes("at: 3 s", "4 a n2 1\n", 1);
}

/* Decided at 4 s: one that is down takes nobody, one that has returned does. */
static void a_decision_for_a_node_that_has_failed_is_made_again(void **state)
{
    (void)state;
    assert_goes("at: 3001 ms, for: 998 ms", "4 a n1 1\n", 1);
    assert_goes("at: 3.5 s", "11 a n2 1\n", 2);
    assert_goes("at: 3.5 s, for: 1 s", "11 a n1 1\n", 2);
    assert_goes("at: 4 s", "11 a n2 1\n", 2);
    assert_goes("at: 4001 ms, for: 10 ms", "4 a n1 1\n6.001 a n2 1\n", 2);
}

/* Who has no node at its first try counts as queued once, whatever happens to it later. */
static void who_was_queued_is_counted_once(void **state)
{
    (void)state;
    struct sms_file *file = load_text(TWO_NODES SLOW EXACT "failures: [{node: n1, at: 3.5 s}, {node: n2, at: 12 s}]\n"
                                                           "pods: [{name: a, start: 2 s, gpus: 1, duration: 9 s}]\n");
    struct sms_results *results = run_told(file, "11 a n2 1\n");
    assert_true(metric(results, "queued_count") == 1 && metric(results, "placed_count") == 1);
    assert_true(metric(results, "restarts_count") == 1 && metric(results, "waiting_count") == 1);
    assert_near(metric(results, "wait_mean_ns"), 9e9, 1e-3);
    assert_all_are_somewhere(results);
    discard(results, file);
}

static void who_is_cut_off_is_queued_no_more(void **state)
{
    (void)state;
    struct sms_file *file = load_text(TWO_NODES SLOW EXACT "failures: [{at: 5 s, for: 1 s}]\n"
                                                           "pods: [{name: a, gpus: 1, duration: 9 s}]\n");
    struct sms_results *results = run_told(file, "2 a n1 1\n14 a n1 1\n"); /* asked at 5 and at 12 s */
    assert_true(metric(results, "queued_count") == 0 && metric(results, "unqualified_count") == 1);
    discard(results, file);
}

/* It is asked again 1 s after each decision; the last answer, at 6 s, is of before the return. */
static void a_return_after_the_answers_is_not_missed(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\n" EXACT
                  "policies: [{realtime: {query: 0 s, rank_base: 1 s, rank_node: 0 s, retry: 1 s}}]\n"
                  "failures: [{node: n, at: 2 s, for: 4.5 s}]\npods: [{name: a, gpus: 1, duration: 9 s}]\n");
    discard(run_told(file, "1 a n 1\n9 a n 1\n"), file);
}

static void without_a_node_to_come_back_a_run_ends(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(TWO_NODES AT_ONCE "failures: [{at: 3 s}]\n"
                                    "pods: [{name: a, count: 3, gpus: 1, duration: 9 s, on_failure: lost}]\n");
    struct sms_results *results = run_told(file, "0 a1 n1 1\n0 a2 n2 1\n");
    assert_true(metric(results, "lost_count") == 2 && metric(results, "waiting_count") == 1);
    assert_all_are_somewhere(results);
    discard(results, file);
}

/* The run ends with its last pod, though another waits for what no node has. */
static void drawn_failures_do_not_keep_a_master_asking(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(TWO_NODES "policies: [realtime]\nfailures: [{mtbf: 1000 s, mttr: 1 s}]\n"
                            "pods: [{name: p, gpus: 1, duration: 1 s}, {name: q, gpus: 2, duration: 1 s}]\n");
    struct sms_results *results = run_told(file, "0.158 p n1 1\n");
    assert_true(metric(results, "failures_count") == 0 && metric(results, "waiting_count") == 1);
    assert_true(metric(results, "requests_count") < 10);
    discard(results, file);
}

/* Whose drawn failures go on while somebody waits for a return. */
static void who_waits_for_a_return_gets_it(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\npolicies: [realtime]\n"
                  "failures: [{mtbf: 3 s, mttr: 9 s}]\npods: [{name: p, gpus: 1, duration: 5 s}]\n");
    struct told told;
    struct sms_run_options options = options_for(&told, SECOND_PS, SMS_ENGINE_FAST);
    struct sms_results *results = run_first(file, &options);
    assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") >= 1);
    discard(results, file);
}

/* b, whose deadline is 5 s, asks n at `at` once, and then at 90 s. */
static void assert_second(double at, const char *failure, const char *rest)
{
    char expected[128];
    snprintf(expected, sizeof expected, "0 a n 1\n%s", rest);
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, gpus: 2}]\n" LATE
                                      "policies: [{realtime: {query: 0 s, rank_base: 0 s, "
                                      "rank_node: 0 s, retry: 90 s}}]\nfailures: [{node: n, %s}]\npods:\n"
                                      "  - {name: a, gpus: 1, duration: 60 s, job_deadline: 61 s, on_failure: lost}\n"
                                      "  - {name: b, start: %g s, gpus: 1, duration: 1 s, job_deadline: 5 s}\n",
                                      failure, at);
    struct sms_results *results = run_told(file, expected);
    assert_true(metric(results, "timed_jobs_count") == 1); /* a's was neither hit nor miss */
    assert_near(metric(results, "float_mean_ns"), 4e9, 1e-3);
    assert_near(metric(results, "monitor_start_error_max_ns"), 2e8, 1e-3);
    assert_all_are_somewhere(results);
    discard(results, file);
}

/* A record of a that has not ended a job is a float of 0, which keeps b away: it is there from 0.2 s on. a, which has
 * GPU 0, is removed when that fails, and this is seen 0.3 s later, but not before its beginning was. */
static void a_record_stays_until_the_end_of_its_container_is_seen(void **state)
{
    (void)state;
    assert_second(0.3, "gpu: 0, at: 0.25 s", "90.3 b n 2\n");
    assert_second(0.55, "gpu: 0, at: 0.25 s", "0.55 b n 2\n");
    assert_second(0.35, "gpu: 0, at: 0.1 s", "90.35 b n 2\n"); /* removed before it was seen at all */
    assert_second(0.4, "gpu: 0, at: 0.1 s", "0.4 b n 2\n");
    assert_second(0.15, "gpu: 0, at: 0.1 s", "0.15 b n 2\n");
}

/* With the node all that its monitor knew is gone at once. */
static void a_node_returns_with_an_empty_table(void **state)
{
    (void)state;
    assert_second(0.15, "at: 0.1 s, for: 10 ms", "0.15 b n 1\n");
    assert_second(0.3, "at: 0.25 s, for: 10 ms", "0.3 b n 1\n");
    assert_second(0.55, "at: 0.25 s, for: 10 ms", "0.55 b n 1\n");
}

/* a has jobs of 1 s that leave 2 s; the node is away from 5.25 to 5.5 s, and a tries again 1 s after it was cut off, at
 * 6.25 s. b asks at 6.5 s, when nothing is known of a but that it runs, and 1 s later, when it has left 2 s. */
static void floats_are_gone_with_the_node(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(JOBS "nodes: [{name: n, devices: {model: small, memory: 16 GiB}}]\n" EXACT TOGETHER
                       "failures: [{node: n, at: 5250 ms, for: 250 ms}]\npods:\n"
                       "  - {name: a, gpu: 1 %%, workload: w, repeat: 10, job_deadline: 3 s}\n"
                       "  - {name: b, start: 6500 ms, gpu: 1 %%, workload: w, job_deadline: 1 s}\n",
                  DEVICE);
    struct sms_results *results = run_told(file, "0 a n 1\n6.25 a n 1\n7.5 b n 1\n");
    assert_true(metric(results, "timed_jobs_count") == 5 + 10 + 1); /* the sixth was cut off */
    assert_near(metric(results, "job_miss_ratio"), 0, 1e-12);
    assert_near(metric(results, "float_mean_ns"), (15 * 2 + 0) * 1e9 / 16, 1e-3);
    assert_near(metric(results, "float_seen_mean_ns"), (15 * 2 + 0) * 1e9 / 16, 1e-3);
    assert_true(metric(results, "done_count") == 2 && metric(results, "restarts_count") == 1);
    discard(results, file);
}

/* a on GPU 0 misses every deadline, b on GPU 1 leaves 2 s; c asks at 5.4 s, and 10 s later. */
static void assert_third(const char *failure, const char *expected)
{
    struct sms_file *file = load_text(
        JOBS "nodes: [{name: n, devices: {model: small, memory: 16 GiB, count: 2}}]\n" LATE
             "policies: [{place: {realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s, retry: 10 s}}, mode: "
             "together}]\n%s"
             "pods:\n  - {name: a, gpu: 90 %%, workload: w, repeat: 90, job_deadline: 500 ms, on_failure: lost}\n"
             "  - {name: b, gpu: 20 %%, workload: w, repeat: 90, job_deadline: 3 s, on_failure: lost}\n"
             "  - {name: c, start: 5400 ms, gpu: 1 %%, workload: w, job_deadline: 1 s}\n"
             "run: {duration: 12 s}\n",
        DEVICE, failure);
    struct sms_results *results = run_told(file, expected);
    assert_all_are_somewhere(results);
    discard(results, file);
}

/* The end of a, and with it of its miss, is seen 0.3 s after its GPU has failed; b is watched all the while. */
static void the_other_gpus_are_watched_on(void **state)
{
    (void)state;
    assert_third("", "0 a n 1\n0 b n 2\n");
    assert_third("failures: [{node: n, gpu: 0, at: 5050 ms}]\n", "0 a n 1\n0 b n 2\n5.4 c n 2\n");
    assert_third("failures: [{node: n, gpu: 0, at: 5150 ms}]\n", "0 a n 1\n0 b n 2\n");
    assert_third("failures: [{node: n, gpu: 1, at: 5050 ms}]\n", "0 a n 1\n0 b n 2\n");
    assert_third("failures: [{node: n, at: 5050 ms, for: 10 ms}]\n", "0 a n 1\n0 b n 2\n5.4 c n 1\n");
}

/* Of two GPUs that are taken to the half a node is not full; of the one that is left it is. */
static void what_is_down_is_not_counted_as_free(void **state)
{
    (void)state;
    for (int failing = 0; failing < 2; failing++) {
        struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, cpu: 8, gpus: 2}]\n" AT_ONCE EXACT "%s"
                                          "pods: [{name: a, gpus: 1, duration: 9 s}, {name: b, start: 2 s, cpu: 1}]\n",
                                          failing ? "failures: [{gpu: 1, at: 1 s}]\n" : "");
        discard(run_told(file, failing ? "0 a n 1\n9 b n 0\n" : "0 a n 1\n2 b n 0\n"), file);
    }
}

/* Nor as taken: an idle GPU beside one that is down is not half full, and a node without one that is up has CPUs. */
static void what_is_down_is_not_counted_as_taken(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, cpu: 8, gpus: 2}, {name: m, cpu: 1, gpus: 1}]\n" AT_ONCE
                  "monitor: {full: 50 %%}\nfailures: [{gpu: 0, at: 1 s}]\n"
                  "pods: [{name: a, start: 2 s, gpus: 1}, {name: b, start: 3 s, cpu: 1}]\n");
    discard(run_told(file, "2 a n 2\n3 b m 0\n"), file);
}

/* Of n 16 GiB are free, or 8; of m 10. */
static void assert_most_memory(struct sms_file *whole, struct sms_file *failing)
{
    discard(run_told(whole, "2 a n 1\n"), whole);
    discard(run_told(failing, "2 a m 1\n"), failing);
}

#define ONE_DOWN "failures: [{node: n, gpu: 0, at: 1 s}]\n"

static void memory_that_is_down_is_not_free(void **state)
{
#define PLAIN(failures)                                                                                                \
    load_text("scenario: s\nnodes: [{name: n, gpus: 2, gpu_memory: 8 GiB}, {name: m, gpus: 1, gpu_memory: 10 GiB}]\n"  \
              "pods: [{name: a, start: 2 s, gpu: 10 %%, duration: 1 s}]\n" AT_ONCE EXACT failures)
#define DEVICES(failures)                                                                                              \
    load_text(JOBS "nodes:\n  - {name: n, devices: {model: small, count: 2, memory: 8 GiB}}\n"                         \
                   "  - {name: m, devices: {model: small, memory: 10 GiB}}\n"                                          \
                   "pods: [{name: a, start: 2 s, gpu: 10 %%, workload: w}]\n" TOGETHER EXACT failures,                 \
              DEVICE)
    (void)state;
    assert_most_memory(PLAIN(""), PLAIN(ONE_DOWN));
    assert_most_memory(DEVICES(""), DEVICES(ONE_DOWN));
}

/* Decided for a node of two GPUs, one of which has failed since it answered. */
static void a_decision_holds_if_enough_gpus_are_left(void **state)
{
    (void)state;
    for (int gpus = 1; gpus <= 2; gpus++) {
        struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, gpus: 2}]\n" SLOW EXACT
                                          "failures: [{gpu: 0, at: 1.5 s, for: 5 s}]\n"
                                          "pods: [{name: a, gpus: %d, duration: 1 s}]\n",
                                          gpus);
        discard(run_told(file, gpus == 1 ? "2 a n 2\n" : "9 a n 3\n"), file);
    }
}

/* It has ended, in time, when its node fails, and its monitor has seen it. */
static void assert_has_ended(struct sms_file *file)
{
    struct sms_results *results = run_told(file, "0 a n 1\n");
    assert_true(metric(results, "timed_jobs_count") == 1 && metric(results, "job_miss_ratio") == 0);
    assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") == 0);
    assert_near(metric(results, "float_seen_mean_ns"), 0, 1e-9);
    discard(results, file);
}

static void a_job_that_ends_when_its_node_fails_has_ended(void **state)
{
    (void)state;
    assert_has_ended(load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\n" EXACT AT_ONCE
                               "failures: [{node: n, at: 1 s}]\n"
                               "pods: [{name: a, gpu: 10 %%, duration: 1 s, job_deadline: 1 s}]\n"));
    assert_has_ended(
        load_text(SMALL_DEVICE
                  "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 s}]\n---\nscenario: s\n"
                  "nodes: [{name: n, devices: {model: small, memory: 8 GiB}}]\n" EXACT TOGETHER
                  "host: {context: 1 MiB, context_time: 1 s}\nscheduler: {start_delay: 1 s}\n"
                  "failures: [{node: n, at: 3 s}]\n"
                  "pods: [{name: a, gpu: 10 %%, workload: w, job_deadline: 1 s}]\n",
                  DEVICE));
}

/* The deadline of the pod is missed once, by who is lost, who ends too late after a restart, and who still waits. */
static void deadlines_of_pods_are_missed_once(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 1}, {name: m, cpu: 1}]\n" AT_ONCE EXACT
                  "failures: [{node: n, at: 4 s}, {node: m, at: 4 s, for: 1 s}]\npods:\n"
                  "  - {name: a, gpus: 1, duration: 9 s, deadline: 9 s, on_failure: lost}\n"
                  "  - {name: b, gpus: 1, duration: 9 s, deadline: 9 s, restarts: 9}\n"
                  "  - {name: c, cpu: 1, duration: 5 s, deadline: 9 s}\n"
                  "  - {name: d, cpu: 1, start: 20 s, duration: 5 s, deadline: 9 s}\n");
    struct sms_results *results = run_told(file, "0 a n1 1\n0 b n2 1\n0 c m 0\n5 c m 0\n20 d m 0\n");
    assert_near(metric(results, "deadline_miss_ratio"), 3 / 4.0, 1e-12);
    assert_true(metric(results, "lost_count") == 1 && metric(results, "waiting_count") == 1);
    assert_true(metric(results, "done_count") == 2 && metric(results, "timed_jobs_count") == 0);
    assert_all_are_somewhere(results);
    discard(results, file);
}

/* First its node's monitor samples at the return, at 2 s, when it begins anew: that is stamped 60 ms later. Ten cycles
 * of 92 ms on there is a sample at 2.92 s, the next, 3.012 s, sees its end at 3 s, and stamps it at 3.072 s. */
static void a_monitor_that_samples_does_so_when_its_node_returns(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\nmonitor: {model: cycle}\n" AT_ONCE
                                      "failures: [{node: n, at: 0.01 s, for: 1.99 s}]\n"
                                      "pods: [{name: a, gpus: 1, start: 2 s, duration: 1 s, job_deadline: 2 s}]\n"
                                      "run: {duration: 9 s}\n");
    struct sms_results *results = run_told(file, "2 a n 1\n");
    assert_near(metric(results, "monitor_start_error_mean_ns"), 60e6, 1e-3);
    assert_near(metric(results, "monitor_end_error_mean_ns"), 72e6, 1e-3);
    assert_near(metric(results, "float_seen_mean_ns"), 988e6, 1e-3);
    discard(results, file);
}

/* Two GPUs, one of which fails: its jobs on the other one are cut off as well, and no monitor counts them. */
static void a_pod_of_several_gpus_is_cut_off_as_a_whole(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(JOBS "nodes: [{name: n, count: 2, devices: {model: small, count: 2, memory: 8 GiB}}]\n" EXACT
                       "policies: [{place: first_fit, mode: together}]\nfailures: [{node: n1, gpu: 1, at: 2500 ms}]\n"
                       "pods: [{name: a, gpus: 2, workload: w, repeat: 4, job_deadline: 1500 ms}]\n",
                  DEVICE);
    struct sms_results *results = run_told(file, "0 a n1 3\n2.5 a n2 3\n");
    assert_true(metric(results, "timed_jobs_count") == 2 * (2 + 4) && metric(results, "job_miss_ratio") == 0);
    assert_near(metric(results, "float_seen_mean_ns"), 5e8, 1e-3);
    assert_near(metric(results, "float_max_ns"), 5e8, 1e-3);
    discard(results, file);
}

/* By itself it wants more memory than there is: as a duration, too, it is no job that met its deadline. */
static void a_job_that_fails_is_no_hit_at_any_fidelity(void **state)
{
    static const char *const fidelities[] = {"blocks", "processes", "duration"};
    (void)state;
    for (size_t f = 0; f < 3; f++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 s}]\n"
                                   "steps: [{host: 1 s}, {launch: k}, {allocate: 9 GiB}]\n---\nscenario: s\n"
                                   "nodes: [{name: n, devices: {model: small, memory: 8 GiB}}]\nfidelity: %s\n" EXACT
                                   "policies: [{place: first_fit, mode: together}]\n"
                                   "pods: [{name: a, gpu: 10 %%, workload: w, job_deadline: 9 s}]\n",
                      DEVICE, fidelities[f]);
        struct sms_results *results = run_told(file, "0 a n 1\n");
        assert_true(metric(results, "failed_count") == 1 && metric(results, "timed_jobs_count") == 0);
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_answers_if_it_has_been_up_since_it_was_asked),
        cmocka_unit_test(a_decision_for_a_node_that_has_failed_is_made_again),
        cmocka_unit_test(who_was_queued_is_counted_once),
        cmocka_unit_test(who_is_cut_off_is_queued_no_more),
        cmocka_unit_test(a_return_after_the_answers_is_not_missed),
        cmocka_unit_test(without_a_node_to_come_back_a_run_ends),
        cmocka_unit_test(drawn_failures_do_not_keep_a_master_asking),
        cmocka_unit_test(who_waits_for_a_return_gets_it),
        cmocka_unit_test(a_record_stays_until_the_end_of_its_container_is_seen),
        cmocka_unit_test(a_node_returns_with_an_empty_table),
        cmocka_unit_test(floats_are_gone_with_the_node),
        cmocka_unit_test(the_other_gpus_are_watched_on),
        cmocka_unit_test(what_is_down_is_not_counted_as_free),
        cmocka_unit_test(what_is_down_is_not_counted_as_taken),
        cmocka_unit_test(memory_that_is_down_is_not_free),
        cmocka_unit_test(a_decision_holds_if_enough_gpus_are_left),
        cmocka_unit_test(a_job_that_ends_when_its_node_fails_has_ended),
        cmocka_unit_test(deadlines_of_pods_are_missed_once),
        cmocka_unit_test(a_monitor_that_samples_does_so_when_its_node_returns),
        cmocka_unit_test(a_pod_of_several_gpus_is_cut_off_as_a_whole),
        cmocka_unit_test(a_job_that_fails_is_no_hit_at_any_fidelity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
