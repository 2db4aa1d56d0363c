/* The ends of the time measured, arrivals and luck: what a run may count beyond what can last, and no more. */
#include "tests/harness.h"

static struct sms_bound certain_bound_of(const struct sms_file *file, enum sms_bounded metric)
{
    struct sms_bound bound = bound_of(file, metric);
    assert_null(bound.reason);
    return bound;
}

/* The values of all replications are below the run's bound; returns how many are above the steady one. */
static size_t count_beyond_steady(struct sms_file *file, enum sms_bounded metric)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_bound bound = certain_bound_of(file, metric);
    size_t count, beyond = 0, m = 0;
    const struct sms_metric *metrics = sms_metrics(SMS_HOST, &count);
    while (strcmp(metrics[m].name, sms_bound_metric(metric)) != 0)
        m++;
    options.alone = false;
    struct sms_results *results = run_first(file, &options);
    for (size_t i = 0; i < sms_results_replications(results); i++) {
        double value = sms_results_value(results, 0, i, SMS_HOST, 0, m);
        assert_true(value <= bound.run_per_s);
        beyond += value > bound.steady_per_s;
    }
    sms_results_free(results);
    return beyond;
}

/* One SM that holds one block; `rest` says workloads and the scenario's rest. */
static struct sms_file *one_at_a_time(const char *rest) { return load_text(SMALL_DEVICE "---\n%s", 1, 1, "sm", rest); }

static double host_mean(const struct sms_results *results, enum sms_bounded metric)
{
    return estimate(results, 0, SMS_HOST, 0, sms_bound_metric(metric)).mean;
}

static struct sms_bound bound_of_results(const struct sms_results *results, enum sms_bounded metric)
{
    struct sms_bound bound;
    assert_int_equal(sms_results_bound(results, metric, &bound, NULL), SMS_OK);
    assert_null(bound.reason);
    return bound;
}

/* Whatever the window cuts, what is under way counts by the work that is done in it, and no run can count more. */
static void work_under_way_at_the_beginning_is_not_free(void **state)
{
    static const char *const windows[] = {"warmup: 333 us, duration: 1111 us", "warmup: 5 us, duration: 17 us",
                                          "warmup: 211 us, duration: 212 us", "duration: 3 us"};
    (void)state;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 7, threads: 32, block_time: 10 us}]\n"
                                   "steps: [{launch: k, times: 3}]\n---\n"
                                   "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                                   "vms: [{name: v, workload: w, repeat: forever}]\nrun: {%s}\n",
                      1, 1, "sm", windows[i]);
        struct sms_results *results = run_first(file, NULL);
        for (int m = 0; m < SMS_BOUNDED; m++) {
            double counted = host_mean(results, (enum sms_bounded)m);
            struct sms_bound bound = bound_of_results(results, (enum sms_bounded)m);
            assert_true(counted <= bound.run_per_s);
            assert_near(bound.run_per_s, counted, 2e-6 * counted);
        }
        discard(results, file);
    }
}

/* A launch of 12 blocks where 8 fit takes two waves. The window sees the first of them, and in it 8 blocks. */
static void a_part_of_a_launch_needs_no_whole_waves(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 12, threads: 32, block_time: 10 us}]\n---\n"
                     "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                     "vms: [{name: v, workload: w, repeat: forever}]\nrun: {duration: 10 us}\n",
        1, 8, "sm");
    assert_int_equal(count_beyond_steady(file, SMS_BOUND_BLOCKS), 1);
    assert_near(certain_bound_of(file, SMS_BOUND_BLOCKS).run_per_s, 8 / 10e-6, 1);
    sms_file_free(file);
}

/* 50 jobs a device and replication, on the mean; with the seed of the results the bound knows how many. */
static void drawn_arrivals_are_known(void **state)
{
    static const uint64_t seeds[] = {1, 2, 3};
    (void)state;
    struct sms_file *file =
        load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 3, threads: 32, block_time: 1 us}]\n---\n"
                               "scenario: s\ndevices: [{model: small, count: 2}]\npolicies: [round_robin]\n"
                               "vms: [{name: v, workload: w, arrivals: {poisson: 100 us}, streams: 2}]\n"
                               "run: {warmup: 5 us, duration: 5 ms, replications: 3}\n",
                  1, 8, "sm");
    double bounds[3];
    for (size_t i = 0; i < 3; i++) {
        struct sms_run_options options = sms_run_defaults();
        options.seed = seeds[i];
        options.replications = 1 + (unsigned)i;
        struct sms_results *results = run_first(file, &options);
        double counted = host_mean(results, SMS_BOUND_JOBS);
        bounds[i] = bound_of_results(results, SMS_BOUND_JOBS).run_per_s;
        assert_true(counted <= bounds[i]);
        assert_near(bounds[i], counted, 0.01 * counted);
        sms_results_free(results);
    }
    assert_true(bounds[0] != bounds[1] && bounds[1] != bounds[2]);
    sms_file_free(file);
}

/* 100 us see the end of a's launch and 9 of b's 100 blocks, but a tenth of a job only. */
static void a_job_cut_off_counts_what_it_did(void **state)
{
    (void)state;
    struct sms_file *file =
        one_at_a_time("workload: w\nkernels:\n  - {name: a, blocks: 1, threads: 32, block_time: 10 us}\n"
                      "  - {name: b, blocks: 100, threads: 32, block_time: 10 us}\n---\n"
                      "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                      "vms: [{name: v, workload: w, repeat: forever}]\nrun: {duration: 100 us}\n");
    assert_int_equal(count_beyond_steady(file, SMS_BOUND_KERNELS), 1);
    assert_int_equal(count_beyond_steady(file, SMS_BOUND_BLOCKS), 0);
    assert_near(certain_bound_of(file, SMS_BOUND_BLOCKS).run_per_s, 10 / 100e-6, 1);
    sms_file_free(file);
}

/* A hog keeps the SM until the measured time begins; by then jobs have arrived for ten times as long. */
static void jobs_that_have_waited_are_done_in_the_window(void **state)
{
    (void)state;
    struct sms_file *file =
        one_at_a_time("workload: hog\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 999 us}]\n---\n"
                      "workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]\n---\n"
                      "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\nvms:\n"
                      "  - {name: hog, workload: hog}\n  - {name: v, workload: w, arrivals: {every: 10 us}}\n"
                      "run: {warmup: 1 ms, duration: 1100 us}\n");
    assert_int_equal(count_beyond_steady(file, SMS_BOUND_JOBS), 1);
    sms_file_free(file);
}

/* 100 short runs of random work: about half of them are luckier than the mean, by up
 * to a third; some are at every spread. */
static void luck_is_allowed_for(void **state)
{
    static const char *const spreads[] = {"spread: exponential", "jitter: 50 %"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char rest[1000];
        snprintf(rest, sizeof rest,
                 "workload: w\nkernels: [{name: k, blocks: 10, threads: 32, block_time: 10 us, %s}]\n---\n"
                 "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                 "vms: [{name: v, workload: w, repeat: forever, streams: 2}]\n"
                 "run: {duration: 1 ms, replications: 100}\n",
                 spreads[i]);
        struct sms_file *file = one_at_a_time(rest);
        assert_true(count_beyond_steady(file, SMS_BOUND_BLOCKS) > 20);
        sms_file_free(file);
    }
}

/* The run that ends when all is done, of random work. */
static void luck_is_allowed_for_in_a_run_with_an_end(void **state)
{
    (void)state;
    struct sms_file *file = one_at_a_time(
        "workload: w\nkernels: [{name: k, blocks: 100, threads: 32, block_time: 10 us, spread: exponential}]\n---\n"
        "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
        "vms: [{name: v, workload: w, repeat: 2, streams: 2}]\nrun: {replications: 100}\n");
    struct sms_bound bound = certain_bound_of(file, SMS_BOUND_BLOCKS);
    assert_true(bound.run_per_s > 1 / 10e-6 && bound.run_per_s < 2 / 10e-6);
    assert_true(count_beyond_steady(file, SMS_BOUND_BLOCKS) > 20);
    sms_file_free(file);
}

/* The time measured is drawn, and the part of it in which a late tenant is there with it. */
static void no_run_exceeds_it_where_a_tenant_begins_in_the_time_measured(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 10; seed++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE "---\nworkload: a\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 50 us, "
                                   "jitter: 1 %%}]\n---\nscenario: s\ndevices: [{model: small}]\nvms:\n"
                                   "  - {name: a, workload: a, repeat: forever, start: 0 s}\n"
                                   "  - {name: b, workload: a, count: 9, repeat: forever, start: 3 ms}\n"
                                   "run: {warmup: 1 ms, duration: 6 ms, seed: %d}\n",
                      1, 64, "sm", seed);
        (void)count_beyond_steady(file, SMS_BOUND_BLOCKS);
        sms_file_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_run_exceeds_it_where_a_tenant_begins_in_the_time_measured),
        cmocka_unit_test(work_under_way_at_the_beginning_is_not_free),
        cmocka_unit_test(a_part_of_a_launch_needs_no_whole_waves),
        cmocka_unit_test(drawn_arrivals_are_known),
        cmocka_unit_test(a_job_cut_off_counts_what_it_did),
        cmocka_unit_test(jobs_that_have_waited_are_done_in_the_window),
        cmocka_unit_test(luck_is_allowed_for),
        cmocka_unit_test(luck_is_allowed_for_in_a_run_with_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
