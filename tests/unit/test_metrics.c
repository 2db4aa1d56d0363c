/* Metrics on cases whose values can be worked out by hand, and what a run promises. */
#include "tests/harness.h"

#include <pthread.h>

/* One SM; block of VM a takes 1 us and VM b 2 us alone; both saturate fp32: each at half speed while both run. */
static const char *const two_vms = SMALL_DEVICE
    "power: {idle: 10 W, busy: 110 W}\n"
    "---\nworkload: a\nkernels: [{name: k, blocks: 1, threads: 8192, block_time: 1 us, demand: {fp32: 100 %%}}]\n"
    "---\nworkload: b\nkernels: [{name: k, blocks: 1, threads: 4096, block_time: 2 us, demand: {fp32: 100 %%}}]\n"
    "---\nscenario: s\ndevices: [{model: small}]\ncontention: proportional\npolicies: [round_robin]\n"
    "vms: [{name: a, workload: a, deadline: 1.5 us}, {name: b, workload: b, deadline: 5 us}]\n";

static void host_metrics_follow_their_formulas(void **state)
{
    (void)state;
    struct sms_file *file = load_text(two_vms, 1, 8, "sm");
    struct sms_results *results = run_first(file, NULL);
    /* a ends at 2 us; b has done 1 of 2 us by then and ends at 3 us. Progress: 1/2 and 2/3. */
    double np_a = 0.5, np_b = 2.0 / 3;
    assert_near(estimate(results, 0, SMS_VM, 0, "normalized_progress_ratio").mean, np_a, 1e-5);
    assert_near(estimate(results, 0, SMS_VM, 1, "normalized_progress_ratio").mean, np_b, 1e-5);
    assert_near(estimate(results, 0, SMS_HOST, 0, "stp_ratio").mean, np_a + np_b, 1e-5);
    assert_near(estimate(results, 0, SMS_HOST, 0, "antt_ratio").mean, (1 / np_a + 1 / np_b) / 2, 1e-5);
    assert_near(estimate(results, 0, SMS_HOST, 0, "hms_ratio").mean, 2 / (1 / np_a + 1 / np_b), 1e-5);
    assert_near(estimate(results, 0, SMS_HOST, 0, "fairness_ratio").mean, np_a / np_b, 1e-5);
    double jain = (np_a + np_b) * (np_a + np_b) / (2 * (np_a * np_a + np_b * np_b));
    assert_near(estimate(results, 0, SMS_HOST, 0, "jain_ratio").mean, jain, 1e-5);
    assert_near(estimate(results, 0, SMS_HOST, 0, "makespan_ns").mean, 3000, 1e-2);
    assert_near(estimate(results, 0, SMS_HOST, 0, "kernels_per_s").mean, 2 / 3e-6, 10);
    assert_near(estimate(results, 0, SMS_HOST, 0, "sm_activity_ratio").mean, 1, 1e-6);
    /* 12288 of 16384 threads for 2 us, 4096 for 1 us */
    assert_near(estimate(results, 0, SMS_HOST, 0, "occupancy_ratio").mean, (0.75 * 2 + 0.25) / 3, 1e-6);
    assert_near(estimate(results, 0, SMS_HOST, 0, "energy_j").mean, 3e-6 * 110, 1e-9);
    assert_near(estimate(results, 0, SMS_HOST, 0, "deadline_miss_ratio").mean, 0.5, 0);
    assert_near(estimate(results, 0, SMS_VM, 0, "tardiness_mean_ns").mean, 500, 1e-2);
    assert_near(estimate(results, 0, SMS_VM, 0, "block_slowdown_ratio").mean, 2, 1e-5);
    /* usage 200 % for 2 us and 100 % for 1 us */
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "usage_ratio").mean, 5.0 / 3, 1e-5);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "utilization_ratio").mean, 1, 1e-5);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "delivered_ratio").mean, 1, 1e-5);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "oversubscribed_time_ratio").mean, 2.0 / 3, 1e-5);
    discard(results, file);
}

/* Alone in all but name: a job takes 2, 3 and 4 us, so that one of two is in time, and T is 4 us. */
static void assert_classes(const char *where, const char *each, const char *deadline, double stp)
{
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: a\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 2 us}]\n"
                     "---\nworkload: b\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 3 us}]\n"
                     "---\nworkload: c\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 4 us}]\n"
                     "---\nscenario: s\n%s: [{name: a, workload: a%s, %s: 2.5 us, class: fast},"
                     " {name: rest, workload: c%s, class: slow}, {name: b, workload: b%s, %s: 2.5 us, class: fast}]\n",
        1, 8, "sm", where, each, deadline, each, each, deadline);
    struct sms_results *results = run_first(file, NULL);
    assert_int_equal(sms_results_subjects(results, SMS_CLASS), 2);
    assert_string_equal(sms_results_subject(results, SMS_CLASS, 0), "fast");
    assert_string_equal(sms_results_subject(results, SMS_CLASS, 1), "slow");
    assert_near(estimate(results, 0, SMS_CLASS, 0, "jobs_per_s").mean, 2 / 4e-6, 1);
    assert_near(estimate(results, 0, SMS_CLASS, 0, "jobs_in_time_per_s").mean, 1 / 4e-6, 1);
    assert_near(estimate(results, 0, SMS_CLASS, 0, "deadline_miss_ratio").mean, 0.5, 0);
    assert_near(estimate(results, 0, SMS_CLASS, 0, "job_latency_mean_ns").mean, 2500, 1e-2);
    assert_near(estimate(results, 0, SMS_CLASS, 0, "job_latency_p50_ns").mean, 2000, 2000 / 256.0);
    assert_near(estimate(results, 0, SMS_CLASS, 0, "job_latency_p99_ns").mean, 3000, 3000 / 256.0);
    assert_near(estimate(results, 0, SMS_CLASS, 0, "stp_ratio").mean, stp, 1e-6);
    assert_near(estimate(results, 0, SMS_CLASS, 1, "jobs_per_s").mean, 1 / 4e-6, 1);
    assert_near(estimate(results, 0, SMS_CLASS, 1, "job_latency_p99_ns").mean, 4000, 1e-2);
    assert_true(isnan(estimate(results, 0, SMS_CLASS, 1, "jobs_in_time_per_s").mean));
    assert_true(isnan(estimate(results, 0, SMS_CLASS, 1, "deadline_miss_ratio").mean));
    discard(results, file);
}

static void classes_count_jobs_of_their_tenants(void **state)
{
    (void)state;
    assert_classes("devices: [{model: small}]\npolicies: [round_robin]\nvms", "", "deadline", 2);
    assert_classes("devices: [{model: small}]\npolicies: [{mode: mps}]\nprocesses", "", "deadline", 2);
    /* work of pods is their time alone over T: 2 and 3 us of 4 us */
    assert_classes("nodes: [{name: n, devices: {model: small, count: 3}}]\npolicies: [first_fit]\npods", ", gpus: 1",
                   "job_deadline", 5 / 4.0);
}

/* A job takes 1 us on its host and then 2 us on the GPU: 2.5 us from its first use of the GPU are enough for it. A job
 * that never uses the GPU has no deadline. Rows of a sample have the deadline that it says. */
static void deadlines_of_pods_begin_with_the_gpu(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 2 us}]\n"
        "steps: [{host: 1 us}, {launch: k}]\n---\nworkload: idle\n"
        "kernels: [{name: k, blocks: 1, threads: 32, block_time: 2 us}]\nsteps: [{host: 1 us}]\n"
        "---\nscenario: s\nnodes: [{name: n, devices: {model: small, count: 9}}]\npolicies: [first_fit]\npods:\n"
        "- {name: rows, table: {columns: [name, workload, gpus, class], rows: [[r, w, 1, drawn]]}}\n"
        "- {name: a, workload: w, gpus: 1, repeat: 2, job_deadline: 2.5 us, class: met}\n"
        "- {name: b, workload: idle, gpus: 1, job_deadline: 0.5 us, class: none}\n"
        "- {name: c, sample: rows, count: 2, job_deadline: 1.5 us}\n"
        "run: {duration: 10 us}\n",
        1, 8, "sm");
    struct sms_results *results = run_first(file, NULL);
    assert_int_equal(sms_results_subjects(results, SMS_CLASS), 3);
    assert_string_equal(sms_results_subject(results, SMS_CLASS, 0), "drawn");
    assert_near(estimate(results, 0, SMS_CLASS, 0, "deadline_miss_ratio").mean, 1, 0);
    assert_near(estimate(results, 0, SMS_CLASS, 0, "jobs_per_s").mean, 2 / 10e-6, 1);
    assert_near(estimate(results, 0, SMS_CLASS, 1, "deadline_miss_ratio").mean, 0, 0);
    assert_near(estimate(results, 0, SMS_CLASS, 1, "job_latency_mean_ns").mean, 3000, 1e-2);
    assert_near(estimate(results, 0, SMS_CLASS, 1, "jobs_in_time_per_s").mean, 2 / 10e-6, 1);
    assert_true(isnan(estimate(results, 0, SMS_CLASS, 2, "deadline_miss_ratio").mean));
    assert_near(estimate(results, 0, SMS_CLASS, 2, "jobs_per_s").mean, 1 / 10e-6, 1);
    discard(results, file);
}

static void steps_take_the_time_they_say(void **state)
{
    (void)state;
    /* 10 us host + 1 MB in at 1 GB/s (1 ms) + 3 launches of 2 us + 0.5 ms out */
    struct sms_file *file =
        load_text(SMALL_DEVICE "link: {bandwidth: 1 GB/s}\n---\nworkload: w\n"
                               "kernels: [{name: k, blocks: 1, threads: 32, block_time: 2 us}]\n"
                               "steps: [{host: 10 us}, {copy_in: 1 MB}, {launch: k, times: 3}, {copy_out: 500 KB}]\n"
                               "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                               "vms: [{name: a, workload: w, start: 5 us, repeat: 2}]\n",
                  1, 8, "sm");
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "job_latency_mean_ns").mean, 1516e3, 1e-2);
    assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 5e3 + 2 * 1516e3, 1e-2);
    discard(results, file);
}

static void copies_of_one_direction_share_the_link(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "link: {bandwidth: 1 GB/s}\n"
        "---\nworkload: in\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 ns}]\nsteps: [{copy_in: 1 MB}]\n"
        "---\nworkload: out\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 ns}]\nsteps: [{copy_out: 1 "
        "MB}]\n"
        "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
        "vms: [{name: a, workload: in}, {name: b, workload: in}, {name: c, workload: out}]\n",
        1, 8, "sm");
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 2e6, 1e-2);
    assert_near(estimate(results, 0, SMS_VM, 1, "end_ns").mean, 2e6, 1e-2);
    assert_near(estimate(results, 0, SMS_VM, 2, "end_ns").mean, 1e6, 1e-2);
    discard(results, file);
}

/* 1 byte at 3 GB/s is over after 333.3 ps, which is noticed at 334 ps; a block that ends then is before it, and
 * its VM's copy finds the first one overdue. */
static void a_copy_that_is_overdue_when_another_starts_still_ends(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "link: {bandwidth: 3 GB/s}\n"
        "---\nworkload: a\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 ns}]\nsteps: [{copy_out: 1 B}]\n"
        "---\nworkload: b\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 334 ps}]\n"
        "steps: [{launch: k}, {copy_out: 1 B}]\n"
        "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
        "vms: [{name: a, workload: a}, {name: b, workload: b}]\n",
        1, 8, "sm");
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 0.334, 2e-3);
    assert_near(estimate(results, 0, SMS_VM, 1, "end_ns").mean, 0.334 + 1.0 / 3, 4e-3);
    discard(results, file);
}

/* A block asks for 5 units: 50 % of an SM of one device and 5 % of one of the other. Always resident on both. */
static const char *const unlike_devices =
    "device: small\nclock: 1 GHz\nsms: %d\nsm: {threads: 64, warps: 2, blocks: 1}\n"
    "resources:\n  units: {class: compute, capacity: 10}\n"
    "---\ndevice: large\nclock: 1 GHz\nsms: %d\nsm: {threads: 64, warps: 2, blocks: 1}\n"
    "resources:\n  units: {class: compute, capacity: 100}\n"
    "---\nworkload: w\nkernels: [{name: k, blocks: %d, threads: 32, block_time: 1 us, demand: {units: 5}}]\n"
    "---\nscenario: s\ndevices: [{model: %s}, {model: %s}]\npolicies: [round_robin]\n"
    "vms: [{name: a, workload: w, repeat: forever}]\nrun: {duration: 1 ms}\n";

static void assert_usage(const char *first, const char *second, int large_sms, double usage)
{
    struct sms_file *file = load_text(unlike_devices, 1, large_sms, 12, first, second);
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "usage_ratio").mean, usage, 1e-9);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "utilization_ratio").mean, usage, 1e-9);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "delivered_ratio").mean, usage, 1e-9);
    assert_near(estimate(results, 0, SMS_HOST, 0, "occupancy_ratio").mean, 0.5, 1e-9);
    discard(results, file);
}

static void usage_of_unlike_devices_does_not_depend_on_their_order(void **state)
{
    (void)state;
    assert_usage("small", "large", 1, (0.5 + 0.05) / 2);
    assert_usage("large", "small", 1, (0.5 + 0.05) / 2);
    assert_usage("small", "large", 3, (0.5 + 3 * 0.05) / 4);
    assert_usage("large", "small", 3, (0.5 + 3 * 0.05) / 4);
}

static const char *const jittery = SMALL_DEVICE
    "---\nworkload: w\nkernels: [{name: k, blocks: 20, threads: 512, block_time: 1 us, jitter: 20 %%, "
    "demand: {fp32: 30 %%, dram: 20 %%}}]\n"
    "---\nworkload: idle\nkernels: [{name: k, blocks: 1, threads: 1, block_time: 1 us}]\nsteps: [{host: 3 us}]\n"
    "---\nscenario: s\ndevices: [{model: small, count: 2}]\ncontention: {model: proportional, slope: 2}\n"
    "policies: [round_robin, fine_grained, most_room]\n"
    "vms: [{name: a, workload: w, repeat: forever}, {name: b, workload: w, repeat: forever}%s]\n"
    "run: {warmup: 10 us, duration: 200 us, replications: 4}\n";

/* The bytes of every value of one subject in one replication. */
static void assert_same_subject(const struct sms_results *a, const struct sms_results *b, size_t policy,
                                size_t replication, enum sms_subject subject)
{
    size_t metrics;
    sms_metrics(subject, &metrics);
    for (size_t i = 0; i < sms_results_subjects(a, subject); i++)
        for (size_t m = 0; m < metrics; m++) {
            double x = sms_results_value(a, policy, replication, subject, i, m);
            double y = sms_results_value(b, policy, replication, subject, i, m);
            assert_memory_equal(&x, &y, sizeof x);
        }
}

static void assert_same(const struct sms_results *a, const struct sms_results *b)
{
    for (size_t p = 0; p < sms_results_policies(a); p++)
        for (size_t r = 0; r < sms_results_replications(a); r++)
            for (int s = 0; s < SMS_SUBJECTS; s++)
                assert_same_subject(a, b, p, r, (enum sms_subject)s);
}

static void results_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    struct sms_file *file = load_text(jittery, 4, 8, "device", "");
    struct sms_run_options many = sms_run_defaults();
    many.jobs = 7;
    struct sms_results *a = run_first(file, NULL), *b = run_first(file, &many);
    assert_same(a, b);
    sms_results_free(a);
    discard(b, file);
}

struct run_of_thread {
    struct sms_file *file;
    struct sms_results *results;
};

static void *run_in_thread(void *user)
{
    struct run_of_thread *run = user;
    run->results = run_first(run->file, NULL);
    return NULL;
}

static void two_runs_in_two_threads_do_not_know_of_each_other(void **state)
{
    (void)state;
    struct run_of_thread run[2];
    pthread_t thread[2];
    struct sms_file *file = load_text(jittery, 4, 8, "sm", "");
    for (int i = 0; i < 2; i++) {
        run[i].file = file;
        assert_int_equal(pthread_create(&thread[i], NULL, run_in_thread, &run[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_same(run[0].results, run[1].results);
    sms_results_free(run[0].results);
    sms_results_free(run[1].results);
    sms_file_free(file);
}

static void another_seed_gives_another_run(void **state)
{
    (void)state;
    struct sms_file *file = load_text(jittery, 4, 8, "sm", "");
    struct sms_run_options other = sms_run_defaults();
    other.seed = 2;
    struct sms_results *a = run_first(file, NULL), *b = run_first(file, &other);
    assert_true(estimate(a, 0, SMS_VM, 0, "block_wait_ns").mean != estimate(b, 0, SMS_VM, 0, "block_wait_ns").mean);
    sms_results_free(a);
    discard(b, file);
}

/* A tenant that only sits on the host adds nothing to the device: the others' draws are theirs. */
static void adding_a_tenant_leaves_the_draws_of_others_alone(void **state)
{
    (void)state;
    struct sms_file *file = load_text(jittery, 4, 8, "sm", ""),
                    *more = load_text(jittery, 4, 8, "sm", ", {name: c, workload: idle, repeat: forever}");
    struct sms_results *a = run_first(file, NULL), *b = run_first(more, NULL);
    assert_true(estimate(a, 0, SMS_VM, 0, "block_wait_ns").mean == estimate(b, 0, SMS_VM, 0, "block_wait_ns").mean);
    sms_results_free(a);
    discard(b, file);
    sms_file_free(more);
}

static void an_event_limit_and_a_cancel_stop_a_run(void **state)
{
    (void)state;
    struct sms_file *file = load_text(jittery, 4, 8, "sm", "");
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    atomic_bool cancel = true;
    options.max_events = 10;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &options, &results, &errors), SMS_ELIMIT);
    assert_null(results);
    options.cancel = &cancel;
    options.max_events = 1000000;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &options, &results, &errors), SMS_ECANCELED);
    sms_file_free(file);
}

static void confidence_intervals_are_students(void **state)
{
    (void)state;
    struct sms_file *file = load_text(jittery, 4, 8, "sm", "");
    struct sms_results *results = run_first(file, NULL);
    struct sms_estimate e = estimate(results, 0, SMS_HOST, 0, "block_wait_ns");
    double mean = 0, squares = 0;
    size_t metric = 0, count;
    const struct sms_metric *metrics = sms_metrics(SMS_HOST, &count);
    while (strcmp(metrics[metric].name, "block_wait_ns"))
        metric++;
    for (size_t r = 0; r < 4; r++)
        mean += sms_results_value(results, 0, r, SMS_HOST, 0, metric) / 4;
    for (size_t r = 0; r < 4; r++)
        squares += pow(sms_results_value(results, 0, r, SMS_HOST, 0, metric) - mean, 2);
    assert_near(e.mean, mean, 1e-9 * mean);
    assert_near(e.sd, sqrt(squares / 3), 1e-9 * mean);
    assert_near(e.ci95, 3.182446305284263 * e.sd / 2, 1e-9 * mean); /* t of 0.975 with 3 degrees of freedom */
    discard(results, file);
}

/* Ten thousand jobs or so in all, of which the percentiles of one replication are metrics. */
static const char *const a_server =
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 256, block_time: 3 us, jitter: 40 %%}]\n"
                 "---\nworkload: long\nkernels: [{name: k, blocks: 1, threads: 256, block_time: 1 s}]\n"
                 "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin, leftover]\n"
                 "vms: [{name: a, workload: w, arrivals: {poisson: 4 us}}, {name: never, workload: long}]\n"
                 "run: {duration: 10 ms, seed: 7}\n";

static struct sms_results *run_server(struct sms_file **file, unsigned replications, unsigned jobs)
{
    struct sms_run_options options = sms_run_defaults();
    *file = load_text(a_server, 1, 8, "sm");
    options.latencies = true;
    options.replications = replications;
    options.jobs = jobs;
    return run_first(*file, &options);
}

static void latencies_are_distributed_as_their_percentiles_say(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        double share;
    } known[] = {{"job_latency_p50_ns", 0.5}, {"job_latency_p95_ns", 0.95}, {"job_latency_p99_ns", 0.99}};
    struct sms_file *file;
    struct sms_results *results = run_server(&file, 1, 1);
    struct sms_latency point[SMS_LATENCIES];
    const size_t points = sms_results_latencies(results, 1, 0, point);
    assert_true(points >= 150 && points <= SMS_LATENCIES);
    assert_near(point[0].share, 0, 0);
    assert_near(point[points - 1].share, 1, 0);
    assert_near(point[points - 1].latency_ns, estimate(results, 1, SMS_VM, 0, "job_latency_max_ns").mean, 1e-6);
    for (size_t i = 1; i < points; i++)
        assert_true(point[i].latency_ns >= point[i - 1].latency_ns && point[i].jobs > point[i - 1].jobs);
    for (size_t k = 0; k < 3; k++) {
        size_t i = 0;
        while (point[i].share < known[k].share)
            i++;
        assert_near(point[i].latency_ns, estimate(results, 1, SMS_VM, 0, known[k].metric).mean, 1e-6);
    }
    assert_int_equal(sms_results_latencies(results, 1, 1, point), 0);
    discard(results, file);
}

static void latencies_are_those_of_all_replications_on_any_number_of_threads(void **state)
{
    (void)state;
    struct sms_file *one, *other, *single;
    struct sms_latency a[SMS_LATENCIES], b[SMS_LATENCIES], c[SMS_LATENCIES];
    struct sms_results *on_one = run_server(&one, 5, 1), *on_four = run_server(&other, 5, 4);
    struct sms_results *first = run_server(&single, 1, 1);
    const size_t points = sms_results_latencies(on_one, 0, 0, a), fewer = sms_results_latencies(first, 0, 0, c);
    assert_int_equal(sms_results_latencies(on_four, 0, 0, b), points);
    assert_memory_equal(a, b, points * sizeof *a);
    assert_true(a[points - 1].jobs > 4 * c[fewer - 1].jobs);
    discard(on_one, one);
    discard(on_four, other);
    discard(first, single);
}

static void assert_words(const struct sms_metric *metric)
{
    assert_null(strchr(metric->words, '_'));
    assert_null(strstr(metric->words, " ns"));
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        const long same = sms_metric_index((enum sms_subject)s, metric->name);
        if (same >= 0)
            assert_string_equal(sms_metrics((enum sms_subject)s, NULL)[same].words, metric->words);
    }
}

static void metrics_have_words_without_units_the_same_for_one_name(void **state)
{
    (void)state;
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        for (size_t m = 0; m < count; m++)
            assert_words(&metric[m]);
    }
}

/* Phases decide under round_robin in which of two regimes a replication is, and under fine_grained they do not. */
static const char *const phases =
    "workload: a\nkernels: [{name: k, blocks: 110, threads: 256, block_time: 90 us,"
    " demand: {dram: 14 %%, int: 3 %%}, jitter: 7 %%}]\n"
    "---\nworkload: b\nkernels: [{name: k, blocks: 80, threads: 192, block_time: 130 us,"
    " demand: {fp32: 20 %%, shared: 9 %%}, jitter: 4 %%}]\n"
    "---\nworkload: c\nkernels: [{name: k, blocks: 230, threads: 128, block_time: 40 us,"
    " demand: {fp64: 11 %%, dram: 2 %%}, jitter: 10 %%}]\n"
    "---\nscenario: s\ndevices: [{model: v100, sms: 8}]\npolicies: [round_robin, fine_grained]\n"
    "vms: [{name: a, workload: a, repeat: forever}, {name: b, workload: b, repeat: forever},"
    " {name: c, workload: c, repeat: forever}]\n"
    "run: {warmup: 5 ms, duration: 25 ms, seed: 3, replications: 8}\n";

static void regimes_are_the_means_of_two_groups_of_replications(void **state)
{
    (void)state;
    const size_t stp = metric_idx(SMS_HOST, "stp_ratio");
    struct sms_file *file = load_text(phases);
    struct sms_results *results = run_first(file, NULL);
    double mean[2], sum[2] = {0};
    size_t count[2] = {0};
    assert_true(sms_results_regimes(results, 0, SMS_HOST, 0, stp, mean));
    for (size_t r = 0; r < sms_results_replications(results); r++) {
        const double value = sms_results_value(results, 0, r, SMS_HOST, 0, stp);
        const bool high = value > (mean[0] + mean[1]) / 2;
        sum[high] += value;
        count[high]++;
    }
    assert_true(count[0] >= 2 && count[1] >= 2 && mean[1] > 1.01 * mean[0]);
    assert_near(mean[0], sum[0] / (double)count[0], 1e-12);
    assert_near(mean[1], sum[1] / (double)count[1], 1e-12);
    assert_false(sms_results_regimes(results, 1, SMS_HOST, 0, stp, mean));
    assert_true(isnan(mean[0]) && isnan(mean[1]));
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_metrics_follow_their_formulas),
        cmocka_unit_test(classes_count_jobs_of_their_tenants),
        cmocka_unit_test(deadlines_of_pods_begin_with_the_gpu),
        cmocka_unit_test(steps_take_the_time_they_say),
        cmocka_unit_test(metrics_have_words_without_units_the_same_for_one_name),
        cmocka_unit_test(latencies_are_distributed_as_their_percentiles_say),
        cmocka_unit_test(latencies_are_those_of_all_replications_on_any_number_of_threads),
        cmocka_unit_test(copies_of_one_direction_share_the_link),
        cmocka_unit_test(a_copy_that_is_overdue_when_another_starts_still_ends),
        cmocka_unit_test(usage_of_unlike_devices_does_not_depend_on_their_order),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(two_runs_in_two_threads_do_not_know_of_each_other),
        cmocka_unit_test(another_seed_gives_another_run),
        cmocka_unit_test(adding_a_tenant_leaves_the_draws_of_others_alone),
        cmocka_unit_test(an_event_limit_and_a_cancel_stop_a_run),
        cmocka_unit_test(confidence_intervals_are_students),
        cmocka_unit_test(regimes_are_the_means_of_two_groups_of_replications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
