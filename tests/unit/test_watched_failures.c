/* Failures of nodes with monitors, and the real-time master that asks them, checked by hand. */
#include "placing.h"

/* EXACT monitors see everything at once. LATE ones see starts 0.2 s late and ends 0.3 s late. */
#define EXACT "monitor: {start_least: 0 s, start_most: 0 s, end_least: 0 s, end_most: 0 s}\n"
#define LATE "monitor: {start_least: 200 ms, start_most: 200 ms, end_least: 300 ms, end_most: 300 ms}\n"
#define AT_ONCE "policies: [{realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}]\n"
/* A node answers 1 s after the request, the master decides 1 s later, and asks again after another 5 s. */
#define SLOW "policies: [{realtime: {query: 1 s, rank_base: 1 s, rank_node: 0 s, retry: 5 s}}]\n"
#define TWO_NODES "scenario: s\nnodes: [{name: n, count: 2, gpus: 1}]\n"

/* Jobs of 1 s that use a tenth of the cores and 6 GiB of their GPU's 8 GiB. */
#define JOBS                                                                                                           \
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 s, demand: {fp32: 10 %%}}]\n"                          \
                 "steps: [{allocate: 6 GiB}, {launch: k}, {free: all}]\n---\nscenario: s\nfidelity: processes\n"       \
                 "contention: proportional\n"
#define DEVICE 1, 16, "sm"
#define TOGETHER "policies: [{place: {realtime: {query: 0 s, rank_base: 0 s, rank_node: 0 s}}, mode: together}]\n"

/* The counts of pods by state add up to all pods. */
static void assert_counts_add_up(const struct sms_results *results)
{
    double sum = metric(results, "done_count") + metric(results, "failed_count") + metric(results, "running_count") +
                 metric(results, "waiting_count") + metric(results, "lost_count");
    assert_true(sum == metric(results, "pods_count"));
}

/* Pod a arrives at 2 s and must be placed as `expected`, while the first of two nodes fails as `failure` describes. */
static void assert_placed(const char *failure, const char *expected, double requests)
{
    struct sms_file *file = load_text(TWO_NODES SLOW EXACT "failures: [{node: n1, %s}]\n"
                                                           "pods: [{name: a, start: 2 s, gpus: 1, duration: 1 s}]\n",
                                      failure);
    struct sms_results *results = run_logged(file, expected);
    assert_true(metric(results, "requests_count") == requests && metric(results, "done_count") == 1);
    discard(results, file);
}

/* The nodes are asked at 2 s and answer at 3 s. */
static void a_node_answers_if_it_has_been_up_since_it_was_asked(void **state)
{
    (void)state;
    assert_placed("at: 9 s", "4 a n1 1\n", 1);
    assert_placed("at: 1 s, for: 1 s", "4 a n1 1\n", 1);
    assert_placed("at: 1 s, for: 1001 ms", "4 a n2 1\n", 1);
    assert_placed("at: 2 s", "4 a n2 1\n", 1);
    assert_placed("at: 2.5 s", "4 a n2 1\n", 1);
    assert_placed("at: 2.5 s, for: 250 ms", "4 a n2 1\n", 1);
    assert_placed("at: 3 s", "4 a n2 1\n", 1);
}

/* The master decides at 4 s. A node that is down then takes no pod, and one that has returned does. */
static void a_decision_for_a_node_that_has_failed_is_made_again(void **state)
{
    (void)state;
    assert_placed("at: 3001 ms, for: 998 ms", "4 a n1 1\n", 1);
    assert_placed("at: 3.5 s", "11 a n2 1\n", 2);
    assert_placed("at: 3.5 s, for: 1 s", "11 a n1 1\n", 2);
    assert_placed("at: 4 s", "11 a n2 1\n", 2);
    assert_placed("at: 4001 ms, for: 10 ms", "4 a n1 1\n6.001 a n2 1\n", 2);
}

/* A pod that finds no node at its first try counts as queued once, whatever happens to it later. */
static void a_queued_pod_is_counted_once(void **state)
{
    (void)state;
    struct sms_file *file = load_text(TWO_NODES SLOW EXACT "failures: [{node: n1, at: 3.5 s}, {node: n2, at: 12 s}]\n"
                                                           "pods: [{name: a, start: 2 s, gpus: 1, duration: 9 s}]\n");
    struct sms_results *results = run_logged(file, "11 a n2 1\n");
    assert_true(metric(results, "queued_count") == 1 && metric(results, "placed_count") == 1);
    assert_true(metric(results, "restarts_count") == 1 && metric(results, "waiting_count") == 1);
    assert_near(metric(results, "wait_mean_ns"), 9e9, 1e-3);
    assert_counts_add_up(results);
    discard(results, file);
}

static void a_pod_that_is_cut_off_does_not_count_as_queued(void **state)
{
    (void)state;
    struct sms_file *file = load_text(TWO_NODES SLOW EXACT "failures: [{at: 5 s, for: 1 s}]\n"
                                                           "pods: [{name: a, gpus: 1, duration: 9 s}]\n");
    struct sms_results *results = run_logged(file, "2 a n1 1\n14 a n1 1\n"); /* asked at 5 and at 12 s */
    assert_true(metric(results, "queued_count") == 0 && metric(results, "unqualified_count") == 1);
    discard(results, file);
}

/* The master asks again 1 s after each decision. The answer at 6 s comes before the return at 6.5 s. */
static void a_node_that_returns_after_the_answers_is_asked_again(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\n" EXACT
                  "policies: [{realtime: {query: 0 s, rank_base: 1 s, rank_node: 0 s, retry: 1 s}}]\n"
                  "failures: [{node: n, at: 2 s, for: 4.5 s}]\npods: [{name: a, gpus: 1, duration: 9 s}]\n");
    discard(run_logged(file, "1 a n 1\n9 a n 1\n"), file);
}

static void a_run_ends_when_no_node_will_return(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(TWO_NODES AT_ONCE "failures: [{at: 3 s}]\n"
                                    "pods: [{name: a, count: 3, gpus: 1, duration: 9 s, on_failure: lost}]\n");
    struct sms_results *results = run_logged(file, "0 a1 n1 1\n0 a2 n2 1\n");
    assert_true(metric(results, "lost_count") == 2 && metric(results, "waiting_count") == 1);
    assert_counts_add_up(results);
    discard(results, file);
}

/* The run ends with its last placed pod, though q asks for more than any node has. */
static void drawn_failures_do_not_keep_a_master_asking(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(TWO_NODES "policies: [realtime]\nfailures: [{mtbf: 1000 s, mttr: 1 s}]\n"
                            "pods: [{name: p, gpus: 1, duration: 1 s}, {name: q, gpus: 2, duration: 1 s}]\n");
    struct sms_results *results = run_logged(file, "0.158 p n1 1\n");
    assert_true(metric(results, "failures_count") == 0 && metric(results, "waiting_count") == 1);
    assert_true(metric(results, "requests_count") < 10);
    discard(results, file);
}

/* Drawn failures continue while a pod waits for a node to return. */
static void a_pod_that_waits_for_a_return_is_placed(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\npolicies: [realtime]\n"
                  "failures: [{mtbf: 3 s, mttr: 9 s}]\npods: [{name: p, gpus: 1, duration: 5 s}]\n");
    struct event_log log;
    struct sms_run_options options = options_for(&log, SECOND_PS, SMS_ENGINE_FAST);
    struct sms_results *results = run_first(file, &options);
    assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") >= 1);
    discard(results, file);
}

/* Pod b has a deadline of 5 s. The master asks for it at `at` s and once more 90 s later. */
static void assert_second_pod(double at, const char *failure, const char *rest)
{
    char expected[128];
    snprintf(expected, sizeof expected, "0 a n 1\n%s", rest);
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, gpus: 2}]\n" LATE
                                      "policies: [{realtime: {query: 0 s, rank_base: 0 s, "
                                      "rank_node: 0 s, retry: 90 s}}]\nfailures: [{node: n, %s}]\npods:\n"
                                      "  - {name: a, gpus: 1, duration: 60 s, job_deadline: 61 s, on_failure: lost}\n"
                                      "  - {name: b, start: %g s, gpus: 1, duration: 1 s, job_deadline: 5 s}\n",
                                      failure, at);
    struct sms_results *results = run_logged(file, expected);
    assert_true(metric(results, "timed_jobs_count") == 1); /* a's job was neither a hit nor a miss */
    assert_near(metric(results, "float_mean_ns"), 4e9, 1e-3);
    assert_near(metric(results, "monitor_start_error_max_ns"), 2e8, 1e-3);
    assert_counts_add_up(results);
    discard(results, file);
}

/* While a has not finished a job, its record shows a float of 0, which keeps b away. The record exists from 0.2 s on. a
 * runs on GPU 0 and is removed when that GPU fails. The monitor sees the removal 0.3 s later, but not before it has
 * seen the start. */
static void a_record_stays_until_the_end_of_its_container_is_seen(void **state)
{
    (void)state;
    assert_second_pod(0.3, "gpu: 0, at: 0.25 s", "90.3 b n 2\n");
    assert_second_pod(0.55, "gpu: 0, at: 0.25 s", "0.55 b n 2\n");
    assert_second_pod(0.35, "gpu: 0, at: 0.1 s", "90.35 b n 2\n"); /* removed before the monitor saw its start */
    assert_second_pod(0.4, "gpu: 0, at: 0.1 s", "0.4 b n 2\n");
    assert_second_pod(0.15, "gpu: 0, at: 0.1 s", "0.15 b n 2\n");
}

/* A node that fails loses at once all that its monitor knew. */
static void a_node_returns_with_an_empty_table(void **state)
{
    (void)state;
    assert_second_pod(0.15, "at: 0.1 s, for: 10 ms", "0.15 b n 1\n");
    assert_second_pod(0.3, "at: 0.25 s, for: 10 ms", "0.3 b n 1\n");
    assert_second_pod(0.55, "at: 0.25 s, for: 10 ms", "0.55 b n 1\n");
}

/* Jobs of a take 1 s and leave 2 s. The node is down from 5.25 to 5.5 s, and a is tried again 1 s after it was cut off,
 * at 6.25 s. b asks at 6.5 s, when the monitor only knows that a runs, and 1 s later, when a has a float of 2 s. */
static void a_node_that_fails_loses_the_floats_it_knew(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(JOBS "nodes: [{name: n, devices: {model: small, memory: 16 GiB}}]\n" EXACT TOGETHER
                       "failures: [{node: n, at: 5250 ms, for: 250 ms}]\npods:\n"
                       "  - {name: a, gpu: 1 %%, workload: w, repeat: 10, job_deadline: 3 s}\n"
                       "  - {name: b, start: 6500 ms, gpu: 1 %%, workload: w, job_deadline: 1 s}\n",
                  DEVICE);
    struct sms_results *results = run_logged(file, "0 a n 1\n6.25 a n 1\n7.5 b n 1\n");
    assert_true(metric(results, "timed_jobs_count") == 5 + 10 + 1); /* a's sixth job was cut off */
    assert_near(metric(results, "job_miss_ratio"), 0, 1e-12);
    assert_near(metric(results, "float_mean_ns"), (15 * 2 + 0) * 1e9 / 16, 1e-3);
    assert_near(metric(results, "float_seen_mean_ns"), (15 * 2 + 0) * 1e9 / 16, 1e-3);
    assert_true(metric(results, "done_count") == 2 && metric(results, "restarts_count") == 1);
    discard(results, file);
}

/* a on GPU 0 misses every deadline, and b on GPU 1 leaves 2 s. c asks at 5.4 s, and again 10 s later. */
static void assert_third_pod(const char *failure, const char *expected)
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
    struct sms_results *results = run_logged(file, expected);
    assert_counts_add_up(results);
    discard(results, file);
}

/* The monitor sees the end of a, which ends its misses, 0.3 s after the GPU has failed. It watches b all the time. */
static void a_monitor_keeps_watching_the_other_gpus(void **state)
{
    (void)state;
    assert_third_pod("", "0 a n 1\n0 b n 2\n");
    assert_third_pod("failures: [{node: n, gpu: 0, at: 5050 ms}]\n", "0 a n 1\n0 b n 2\n5.4 c n 2\n");
    assert_third_pod("failures: [{node: n, gpu: 0, at: 5150 ms}]\n", "0 a n 1\n0 b n 2\n");
    assert_third_pod("failures: [{node: n, gpu: 1, at: 5050 ms}]\n", "0 a n 1\n0 b n 2\n");
    assert_third_pod("failures: [{node: n, at: 5050 ms, for: 10 ms}]\n", "0 a n 1\n0 b n 2\n5.4 c n 1\n");
}

/* A node with one of two GPUs taken is not full. It is full when the free one is down. */
static void gpus_that_are_down_do_not_count_as_free(void **state)
{
    (void)state;
    for (int failing = 0; failing < 2; failing++) {
        struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, cpu: 8, gpus: 2}]\n" AT_ONCE EXACT "%s"
                                          "pods: [{name: a, gpus: 1, duration: 9 s}, {name: b, start: 2 s, cpu: 1}]\n",
                                          failing ? "failures: [{gpu: 1, at: 1 s}]\n" : "");
        discard(run_logged(file, failing ? "0 a n 1\n9 b n 0\n" : "0 a n 1\n2 b n 0\n"), file);
    }
}

/* A GPU that is down is not taken, either. An idle GPU beside it does not make a node half full, and a node whose only
 * GPU is down still offers CPUs. */
static void gpus_that_are_down_do_not_count_as_taken(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, cpu: 8, gpus: 2}, {name: m, cpu: 1, gpus: 1}]\n" AT_ONCE
                  "monitor: {full: 50 %%}\nfailures: [{gpu: 0, at: 1 s}]\n"
                  "pods: [{name: a, start: 2 s, gpus: 1}, {name: b, start: 3 s, cpu: 1}]\n");
    discard(run_logged(file, "2 a n 2\n3 b m 0\n"), file);
}

/* Node n has 16 GiB free, or 8 GiB after the failure. Node m has 10 GiB. */
static void assert_most_memory(struct sms_file *whole, struct sms_file *failing)
{
    discard(run_logged(whole, "2 a n 1\n"), whole);
    discard(run_logged(failing, "2 a m 1\n"), failing);
}

#define ONE_DOWN "failures: [{node: n, gpu: 0, at: 1 s}]\n"

static void memory_of_gpus_that_are_down_is_not_free(void **state)
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

/* The master decided for a node of two GPUs, one of which has failed since the node answered. */
static void a_decision_stands_if_enough_gpus_are_left(void **state)
{
    (void)state;
    for (int gpus = 1; gpus <= 2; gpus++) {
        struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, gpus: 2}]\n" SLOW EXACT
                                          "failures: [{gpu: 0, at: 1.5 s, for: 5 s}]\n"
                                          "pods: [{name: a, gpus: %d, duration: 1 s}]\n",
                                          gpus);
        discard(run_logged(file, gpus == 1 ? "2 a n 2\n" : "9 a n 3\n"), file);
    }
}

/* The job has ended in time when its node fails, and the monitor has seen the end. */
static void assert_ended_in_time(struct sms_file *file)
{
    struct sms_results *results = run_logged(file, "0 a n 1\n");
    assert_true(metric(results, "timed_jobs_count") == 1 && metric(results, "job_miss_ratio") == 0);
    assert_true(metric(results, "done_count") == 1 && metric(results, "restarts_count") == 0);
    assert_near(metric(results, "float_seen_mean_ns"), 0, 1e-9);
    discard(results, file);
}

static void a_job_that_ends_when_its_node_fails_has_ended(void **state)
{
    (void)state;
    assert_ended_in_time(load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\n" EXACT AT_ONCE
                                   "failures: [{node: n, at: 1 s}]\n"
                                   "pods: [{name: a, gpu: 10 %%, duration: 1 s, job_deadline: 1 s}]\n"));
    assert_ended_in_time(
        load_text(SMALL_DEVICE
                  "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 s}]\n---\nscenario: s\n"
                  "nodes: [{name: n, devices: {model: small, memory: 8 GiB}}]\n" EXACT TOGETHER
                  "host: {context: 1 MiB, context_time: 1 s}\nscheduler: {start_delay: 1 s}\n"
                  "failures: [{node: n, at: 3 s}]\n"
                  "pods: [{name: a, gpu: 10 %%, workload: w, job_deadline: 1 s}]\n",
                  DEVICE));
}

/* A pod misses its deadline once: if it is lost, ends too late after a restart, or still waits. */
static void a_pod_misses_its_deadline_once(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 1}, {name: m, cpu: 1}]\n" AT_ONCE EXACT
                  "failures: [{node: n, at: 4 s}, {node: m, at: 4 s, for: 1 s}]\npods:\n"
                  "  - {name: a, gpus: 1, duration: 9 s, deadline: 9 s, on_failure: lost}\n"
                  "  - {name: b, gpus: 1, duration: 9 s, deadline: 9 s, restarts: 9}\n"
                  "  - {name: c, cpu: 1, duration: 5 s, deadline: 9 s}\n"
                  "  - {name: d, cpu: 1, start: 20 s, duration: 5 s, deadline: 9 s}\n");
    struct sms_results *results = run_logged(file, "0 a n1 1\n0 b n2 1\n0 c m 0\n5 c m 0\n20 d m 0\n");
    assert_near(metric(results, "deadline_miss_ratio"), 3 / 4.0, 1e-12);
    assert_true(metric(results, "lost_count") == 1 && metric(results, "waiting_count") == 1);
    assert_true(metric(results, "done_count") == 2 && metric(results, "timed_jobs_count") == 0);
    assert_counts_add_up(results);
    discard(results, file);
}

/* The node returns at 2 s. Its monitor takes a sample at once, in which the pod starts, and stamps it 60 ms later.
 * Samples follow every 92 ms: the one at 2.92 s is too early for the pod's end at 3 s. The next, at 3.012 s, sees the
 * end, and is stamped at 3.072 s. */
static void a_sampling_monitor_takes_a_sample_when_its_node_returns(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, gpus: 1}]\nmonitor: {model: cycle}\n" AT_ONCE
                                      "failures: [{node: n, at: 0.01 s, for: 1.99 s}]\n"
                                      "pods: [{name: a, gpus: 1, start: 2 s, duration: 1 s, job_deadline: 2 s}]\n"
                                      "run: {duration: 9 s}\n");
    struct sms_results *results = run_logged(file, "2 a n 1\n");
    assert_near(metric(results, "monitor_start_error_mean_ns"), 60e6, 1e-3);
    assert_near(metric(results, "monitor_end_error_mean_ns"), 72e6, 1e-3);
    assert_near(metric(results, "float_seen_mean_ns"), 988e6, 1e-3);
    discard(results, file);
}

/* One of the pod's two GPUs fails. Its jobs on the other GPU are cut off as well, and no monitor counts them. */
static void a_pod_of_several_gpus_is_cut_off_as_a_whole(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(JOBS "nodes: [{name: n, count: 2, devices: {model: small, count: 2, memory: 8 GiB}}]\n" EXACT
                       "policies: [{place: first_fit, mode: together}]\nfailures: [{node: n1, gpu: 1, at: 2500 ms}]\n"
                       "pods: [{name: a, gpus: 2, workload: w, repeat: 4, job_deadline: 1500 ms}]\n",
                  DEVICE);
    struct sms_results *results = run_logged(file, "0 a n1 3\n2.5 a n2 3\n");
    assert_true(metric(results, "timed_jobs_count") == 2 * (2 + 4) && metric(results, "job_miss_ratio") == 0);
    assert_near(metric(results, "float_seen_mean_ns"), 5e8, 1e-3);
    assert_near(metric(results, "float_max_ns"), 5e8, 1e-3);
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
                                   "nodes: [{name: n, devices: {model: small, memory: 8 GiB}}]\nfidelity: %s\n" EXACT
                                   "policies: [{place: first_fit, mode: together}]\n"
                                   "pods: [{name: a, gpu: 10 %%, workload: w, job_deadline: 9 s}]\n",
                      DEVICE, fidelities[f]);
        struct sms_results *results = run_logged(file, "0 a n 1\n");
        assert_true(metric(results, "failed_count") == 1 && metric(results, "timed_jobs_count") == 0);
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_answers_if_it_has_been_up_since_it_was_asked),
        cmocka_unit_test(a_decision_for_a_node_that_has_failed_is_made_again),
        cmocka_unit_test(a_queued_pod_is_counted_once),
        cmocka_unit_test(a_pod_that_is_cut_off_does_not_count_as_queued),
        cmocka_unit_test(a_node_that_returns_after_the_answers_is_asked_again),
        cmocka_unit_test(a_run_ends_when_no_node_will_return),
        cmocka_unit_test(drawn_failures_do_not_keep_a_master_asking),
        cmocka_unit_test(a_pod_that_waits_for_a_return_is_placed),
        cmocka_unit_test(a_record_stays_until_the_end_of_its_container_is_seen),
        cmocka_unit_test(a_node_returns_with_an_empty_table),
        cmocka_unit_test(a_node_that_fails_loses_the_floats_it_knew),
        cmocka_unit_test(a_monitor_keeps_watching_the_other_gpus),
        cmocka_unit_test(gpus_that_are_down_do_not_count_as_free),
        cmocka_unit_test(gpus_that_are_down_do_not_count_as_taken),
        cmocka_unit_test(memory_of_gpus_that_are_down_is_not_free),
        cmocka_unit_test(a_decision_stands_if_enough_gpus_are_left),
        cmocka_unit_test(a_job_that_ends_when_its_node_fails_has_ended),
        cmocka_unit_test(a_pod_misses_its_deadline_once),
        cmocka_unit_test(a_sampling_monitor_takes_a_sample_when_its_node_returns),
        cmocka_unit_test(a_pod_of_several_gpus_is_cut_off_as_a_whole),
        cmocka_unit_test(a_failed_job_meets_no_deadline_at_any_fidelity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
