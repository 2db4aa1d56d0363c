/* Kernels, blocks and jobs that are under way where the time measured begins or ends count by the share of their work
 * that is done: rates are exact over any window, in both engines. */
#include "tests/harness.h"

static struct sms_results *run_with(const struct sms_file *file, enum sms_engine engine)
{
    struct sms_run_options options = sms_run_defaults();
    options.engine = engine;
    options.check = true;
    return run_first(file, &options);
}

/* Runs in both engines, which must agree on every metric; returns the results of one. */
static struct sms_results *run_both(const struct sms_file *file, enum sms_subject subject)
{
    struct sms_results *fast = run_with(file, SMS_ENGINE_FAST), *plain = run_with(file, SMS_ENGINE_REFERENCE);
    assert_same_metrics(fast, plain, subject);
    sms_results_free(plain);
    return fast;
}

static void assert_rates(const struct sms_results *results, double kernels, double blocks, double jobs)
{
    static const enum sms_subject subjects[] = {SMS_VM, SMS_HOST};
    for (size_t i = 0; i < 2; i++) {
        assert_near(estimate(results, 0, subjects[i], 0, "kernels_per_s").mean, kernels, 1e-6 * kernels);
        assert_near(estimate(results, 0, subjects[i], 0, "blocks_per_s").mean, blocks, 1e-6 * blocks);
        assert_near(estimate(results, 0, subjects[i], 0, "jobs_per_s").mean, jobs, 1e-6 * jobs);
    }
}

/* One SM that holds one block of 10 us: kernels of 7 blocks, jobs of 3 kernels, whatever the window cuts. */
static void a_window_counts_the_work_done_in_it(void **state)
{
    static const char *const windows[] = {"warmup: 333 us, duration: 1111 us", "warmup: 5 us, duration: 17 us",
                                          "warmup: 211 us, duration: 212 us", "duration: 3 us"};
    (void)state;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 7, threads: 32, block_time: 10 us}]\n"
                                   "steps: [{launch: k, times: 3}]\n"
                                   "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\nqueue: fifo\n"
                                   "vms: [{name: v, workload: w, repeat: forever}]\nrun: {%s}\n",
                      1, 1, "sm", windows[i]);
        struct sms_results *results = run_both(file, SMS_VM);
        assert_rates(results, 1e5 / 7, 1e5, 1e5 / 21);
        assert_near(estimate(results, 0, SMS_VM, 0, "normalized_progress_ratio").mean, 1, 1e-6);
        discard(results, file);
    }
}

/* Two of them on four SMs that contend: together they use up what the device can give, at any time. */
static void work_shared_unequally_adds_up(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(SMALL_DEVICE "---\nworkload: a\nkernels: [{name: k, blocks: 13, threads: 32, block_time: 10 us, "
                               "jitter: 20 %%, demand: {dram: 100 %%}}]\n"
                               "---\nworkload: b\nkernels: [{name: k, blocks: 5, threads: 32, block_time: 23 us, "
                               "jitter: 20 %%, demand: {dram: 100 %%}}]\n"
                               "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                               "queue: interleave\ncontention: {model: proportional, slope: 1}\n"
                               "vms: [{name: a, workload: a, repeat: forever}, {name: b, workload: b, repeat: "
                               "forever}]\nrun: {warmup: 51 us, duration: 351 us, replications: 20}\n",
                  4, 2, "device");
    struct sms_results *results = run_both(file, SMS_VM);
    size_t rate = metric_idx(SMS_VM, "blocks_per_s"), used = metric_idx(SMS_RESOURCE, "delivered_ratio"), r = 0;
    while (strcmp(sms_results_subject(results, SMS_RESOURCE, r), "dram") != 0)
        r++;
    double counted = 0, delivered = 0;
    for (size_t i = 0; i < 20; i++) {
        double a = sms_results_value(results, 0, i, SMS_VM, 0, rate);
        counted += 10e-6 * a + 23e-6 * sms_results_value(results, 0, i, SMS_VM, 1, rate);
        delivered += 4 * sms_results_value(results, 0, i, SMS_RESOURCE, r, used);
    }
    assert_near(counted, delivered, 0.01 * delivered); /* blocks count one each, and their works are drawn */
    discard(results, file);
}

/* A process: 5 us on the host and two launches of 20 us are three operations of 45 us. Its window of 100 us from the
 * 13th us on sees two jobs end, and ends at the 23rd us of a job, of which one launch has 18 of 20 us. */
static void a_process_counts_operations_of_its_jobs(void **state)
{
    static const char *const modes[] = {"mps", "time_slice"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE
                      "---\nworkload: w\nkernels: [{name: k, blocks: 2, threads: 32, block_time: 10 us}]\n"
                      "steps: [{host: 5 us}, {launch: k, times: 2}]\n"
                      "---\nscenario: s\ndevices: [{model: small}]\npolicies: [{mode: %s}]\n"
                      "processes: [{name: p, workload: w, repeat: forever}]\nrun: {warmup: 13 us, duration: 113 us}\n",
                      1, 1, "sm", modes[i]);
        struct sms_results *results = run_both(file, SMS_HOST);
        double jobs = 2 + (1 + 18. / 20) / 3 - (1 + 8. / 20) / 3, kernels = 4 + 18. / 20 - 8. / 20;
        assert_near(estimate(results, 0, SMS_HOST, 0, "jobs_per_s").mean, jobs / 100e-6, 1);
        assert_near(estimate(results, 0, SMS_HOST, 0, "kernels_per_s").mean, kernels / 100e-6, 1);
        assert_near(estimate(results, 0, SMS_HOST, 0, "blocks_per_s").mean, 2 * kernels / 100e-6, 1);
        discard(results, file);
    }
}

/* Two pods, each of which has half the device: kernels of 20 us take 40. As blocks and as coarse kernels. */
static void pods_count_the_same_way(void **state)
{
    static const char *const fidelities[] = {"blocks", "processes"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sms_file *file = load_text(
            SMALL_DEVICE "memory: 1 GiB\n---\nworkload: w\n"
                         "kernels: [{name: k, blocks: 1, threads: 32, block_time: 20 us, demand: {fp32: 100 %%}}]\n"
                         "---\nscenario: s\nnodes: [{name: n, devices: {model: small, count: 1}}]\n"
                         "contention: {model: proportional, slope: 1}\nfidelity: %s\npolicies: [{mode: mps}]\n"
                         "pods: [{name: p, count: 2, gpu: 10 %%, workload: w, repeat: 1000}]\n"
                         "run: {warmup: 13 us, duration: 113 us}\n",
            1, 2, "sm", fidelities[i]);
        struct sms_results *fast = run_with(file, SMS_ENGINE_FAST), *plain = run_with(file, SMS_ENGINE_REFERENCE);
        assert_near(metric(fast, "jobs_per_s"), 1 / 20e-6, 1);
        assert_true(metric(fast, "jobs_per_s") == metric(plain, "jobs_per_s"));
        sms_results_free(plain);
        discard(fast, file);
    }
}

/* 30 us on the host and a kernel of 70 us, in turn, with next to no jitter: a window of 2550 us that begins with a job
 * sees the same 25 kernels and 20 us in each replication, 0.84 % too few, and nothing tells. Where it begins and ends
 * at random the mean is right to within its interval. */
static void windows_that_begin_and_end_at_random_are_not_off_by_their_phase(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 70 us, jitter: "
                     "0.01 %%}]\nsteps: [{host: 30 us}, {launch: k}]\n"
                     "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin, leftover]\n"
                     "queue: fifo\nvms: [{name: v, workload: w, repeat: forever}]\n"
                     "run: {warmup: 1000 us, duration: 3550 us, replications: 200}\n",
        1, 1, "sm");
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *drawn = run_first(file, &options);
    options.whole_window = true;
    struct sms_results *fixed = run_first(file, &options);
    struct sms_estimate at_random = estimate(drawn, 0, SMS_VM, 0, "kernels_per_s");
    struct sms_estimate in_step = estimate(fixed, 0, SMS_VM, 0, "kernels_per_s");
    assert_true(fabs(at_random.mean - 1e4) < at_random.ci95 && at_random.ci95 < 0.002 * 1e4);
    assert_near(in_step.mean, 1e4 * (25 + 20. / 70) / 25.5, 2);
    assert_true(in_step.ci95 < 2);
    /* All policies of a replication have the same window. */
    assert_near(sms_results_ratio(drawn, 1, 0, SMS_VM, 0, metric_idx(SMS_VM, "kernels_per_s")).mean, 1, 1e-12);
    sms_results_free(fixed);
    discard(drawn, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_counts_the_work_done_in_it),
        cmocka_unit_test(work_shared_unequally_adds_up),
        cmocka_unit_test(a_process_counts_operations_of_its_jobs),
        cmocka_unit_test(pods_count_the_same_way),
        cmocka_unit_test(windows_that_begin_and_end_at_random_are_not_off_by_their_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
