/* Replications until a precision is reached, and the warm-up that is found, compared with known truths. */
#include "statistics.h"

#include "sim/results/results.h"

enum { SEEDS = 200 };
static const double TRUTH_NS = 2000; /* M/M/1, 1 us of service, load 0.5 */

static struct sms_file *load_station(const char *run)
{
    return load_text(SMALL_DEVICE
                     "---\nworkload: w\n"
                     "kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, spread: exponential}]\n"
                     "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin, fine_grained]\nqueue: fifo\n"
                     "vms: [{name: a, workload: w, streams: 256, arrivals: {poisson: 2 us}}]\n"
                     "run: %s\n",
                     1, 1, "sm", run);
}

static struct sms_results *run_seed(const struct sms_file *file, uint64_t seed, unsigned replications, unsigned jobs)
{
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.seed = seed;
    options.replications = replications;
    options.jobs = jobs;
    return run_first(file, &options);
}

struct coverage {
    unsigned holding;
    double replications, least, most, error; /* mean, least and most replications; mean relative error */
};

#define MEASURED "warmup: 0.1 ms, duration: 1.1 ms"

/* Counts the intervals that hold the truth. There are `replications` of them, or as many as `precision` asks for if
 * that is 0. */
static struct coverage measure_coverage(const char *precision, unsigned replications)
{
    char run[256];
    struct coverage coverage = {.least = 1e9};
    snprintf(run, sizeof run, "{" MEASURED ", until: {precision: %s, vm: a, metric: job_latency_mean_ns, most: 1000}}",
             precision);
    struct sms_file *file = load_station(run);
    for (unsigned i = 0; i < SEEDS; i++) {
        struct sms_until until;
        struct sms_results *results = run_seed(file, 1 + i, replications, 1);
        struct sms_estimate e = estimate(results, 0, SMS_VM, 0, "job_latency_mean_ns");
        assert_true(sms_results_until(results, &until) == !replications);
        if (!replications) {
            assert_true(until.reached <= until.wanted);
            assert_near(until.reached, e.ci95 / e.mean, 1e-6);
        }
        coverage.holding += fabs(e.mean - TRUTH_NS) <= e.ci95;
        coverage.replications += (double)e.n / SEEDS;
        coverage.least = fmin(coverage.least, (double)e.n);
        coverage.most = fmax(coverage.most, (double)e.n);
        coverage.error += (e.mean / TRUTH_NS - 1) / SEEDS;
        sms_results_free(results);
    }
    sms_file_free(file);
    print_message("| %s | %.3g (%g to %g) replications | %u of %d | %+.2f %% |\n", replications ? "fixed" : precision,
                  coverage.replications, coverage.least, coverage.most, coverage.holding, SEEDS, 100 * coverage.error);
    return coverage;
}

/* Whether so few intervals hold the truth with probability over 0.0005, if each does with `probability`. */
static bool is_plausible(unsigned holding, double probability)
{
    return gsl_cdf_binomial_P(holding, probability, SEEDS) > 0.0005;
}

static void intervals_of_a_precision_reach_nominal_coverage(void **state)
{
    (void)state;
    struct coverage fixed = measure_coverage("3.5 %", 55), fine = measure_coverage("3.5 %", 0),
                    coarse = measure_coverage("10 %", 0);
    assert_true(is_plausible(fixed.holding, 0.95));
    assert_true(is_plausible(fine.holding, 0.95));
    assert_true(is_plausible(coarse.holding, 0.95));
    assert_true(fine.least > 10 && fine.replications > 5 * coarse.replications / 2);
}

enum { RUNS = 400 };

struct told {
    unsigned met, missed;
};

/* What runs of M/M/1 with 1 us of service tell of a limit. */
static struct told count_told(const char *arrivals, const char *run)
{
    struct told told = {0};
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: w\n"
                     "kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, spread: exponential}]\n"
                     "---\nscenario: s\ndevices: [{model: small}]\n"
                     "vms: [{name: a, workload: w, streams: 256, arrivals: {poisson: %s}, deadline: 4.6 us}]\n"
                     "run: {warmup: 0.1 ms, %s}\n",
        1, 1, "sm", arrivals, run);
    for (unsigned i = 0; i < RUNS; i++) {
        struct sms_results *results = run_seed(file, 1 + i, 0, 1);
        told.met += sms__told_of_limits(results, 0) == SMS__MET;
        told.missed += sms__told_of_limits(results, 0) == SMS__MISSED;
        sms_results_free(results);
    }
    sms_file_free(file);
    print_message("| %s | %u of %d call the limit met, %u missed |\n", run, told.met, RUNS, told.missed);
    return told;
}

/* The share of jobs that miss their deadline is the limit, so that each run which calls it met is wrong. Of 20 jobs of
 * a replication most often none misses: so few look like none to Student's t. With load 0.01 a job takes longer than
 * 4.6 us with probability exp(-0.99 x 4.6). */
static void limits_of_rare_misses_are_seldom_met_by_chance(void **state)
{
    (void)state;
    const struct told told =
        count_told("100 us", "duration: 2.1 ms, until: {where: {deadline_miss_ratio of a: \"< 1.0524 %\"}}");
    assert_true(gsl_cdf_binomial_Q(told.met + told.missed, 0.05, RUNS) > 0.001);
}

/* The mean latency is the limit. Means of so few jobs are skewed: of Student's t alone, 13 % of runs call it met. */
static void limits_of_skewed_latencies_are_seldom_met_by_chance(void **state)
{
    (void)state;
    const struct told told =
        count_told("2 us", "duration: 0.35 ms, until: {where: {job_latency_mean_ns of a: \"< 2 us\"}}");
    assert_true(gsl_cdf_binomial_Q(told.met, 0.05, RUNS) > 0.001);
    assert_true(gsl_cdf_binomial_Q(told.missed, 0.05, RUNS) > 0.001);
}

/* All policies have the same replications, though the metric of one is less precise than that of another. */
static void every_policy_has_the_replications_of_the_least_precise_one(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(SMALL_DEVICE "---\nworkload: w\n"
                               "kernels: [{name: k, blocks: 4, threads: 32, block_time: 1 us, jitter: 30 %%}]\n"
                               "---\nscenario: s\ndevices: [{model: small}]\n"
                               "policies: [round_robin, breadth_first, depth_first]\n"
                               "vms: [{name: a, workload: w, repeat: forever}]\n"
                               "run: {duration: 0.1 ms, until: {precision: 1 %%, metric: kernels_per_s}}\n",
                  2, 1, "sm");
    struct sms_until until;
    struct sms_results *results = run_seed(file, 1, 0, 1);
    size_t n = sms_results_replications(results);
    double greatest = 0;
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        struct sms_estimate e = estimate(results, p, SMS_HOST, 0, "kernels_per_s");
        assert_int_equal(e.n, n);
        greatest = fmax(greatest, e.ci95 / e.mean);
    }
    assert_true(sms_results_until(results, &until));
    assert_near(until.reached, greatest, 1e-6);
    assert_true(n >= 10 && greatest <= 0.01);
    assert_int_equal(sms_results_warnings(results)->count, 0);
    discard(results, file);
}

/* The replications are also the same as when their number is given. */
static void threads_change_neither_the_number_nor_the_values(void **state)
{
    (void)state;
    struct sms_file *file = load_station("{warmup: auto, duration: 0.5 ms, until: {precision: 10 %, vm: a, metric: "
                                         "job_latency_mean_ns}}");
    struct sms_results *one = run_seed(file, 7, 0, 1), *many = run_seed(file, 7, 0, 13);
    struct sms_results *fixed = run_seed(file, 7, (unsigned)sms_results_replications(one), 2);
    assert_true(sms_results_replications(one) > 10);
    assert_same_metrics(one, many, SMS_VM);
    assert_same_metrics(one, fixed, SMS_VM);
    assert_true(sms_results_warmup_ps(one) == sms_results_warmup_ps(many));
    sms_results_free(one);
    sms_results_free(many);
    discard(fixed, file);
}

static void assert_warning(const struct sms_results *results, const char *words)
{
    const struct sms_errors *warnings = sms_results_warnings(results);
    assert_int_equal(warnings->count, 1);
    if (!strstr(warnings->item[0].message, words))
        fail_msg("'%s' is not in: %s", words, warnings->item[0].message);
}

static void a_precision_that_is_not_reached_has_a_warning(void **state)
{
    (void)state;
    struct sms_until until;
    struct sms_file *file =
        load_station("{duration: 0.5 ms, until: {precision: 0.1 %, most: 12, metric: kernels_per_s}}");
    struct sms_results *results = run_seed(file, 1, 0, 1);
    assert_int_equal(sms_results_replications(results), 12);
    assert_true(sms_results_until(results, &until));
    assert_true(until.reached > until.wanted && until.most == 12);
    assert_warning(results, "after the maximum of 12 replications kernels_per_s of host is known to");
    discard(results, file);
}

/* Ten kernels end in each replication. With random block times, five more replications must confirm that. With equal
 * ones more replications would all be the same. If no job ends, its latency has no mean. */
static void equal_replications_are_enough_without_random_times(void **state)
{
    static const struct {
        const char *metric, *jitter, *warning;
        size_t expected;
    } cases[] = {{"kernels_per_s", "0 %", NULL, 5},
                 {"kernels_per_s", "1 %", NULL, 10},
                 {"job_latency_mean_ns", "0 %", "job_latency_mean_ns of a has no mean, and so no precision", 5},
                 {"job_latency_mean_ns", "1 %", "job_latency_mean_ns of a has no mean, and so no precision", 17},
                 {"deadline_miss_ratio", "0 %", "deadline_miss_ratio of a", 5}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE
                      "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, jitter: %s}]\n"
                      "steps: [{launch: k, times: 1000}]\n"
                      "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                      "vms: [{name: a, workload: w, repeat: forever, deadline: 1 s}]\n"
                      "run: {duration: 10.5 us, until: {precision: 1 %%, most: 17, vm: a, metric: %s}}\n",
                      1, 1, "sm", cases[i].jitter, cases[i].metric);
        struct sms_results *results = run_seed(file, 1, 0, 1);
        assert_int_equal(sms_results_replications(results), cases[i].expected);
        if (cases[i].warning)
            assert_warning(results, cases[i].warning);
        else
            assert_int_equal(sms_results_warnings(results)->count, 0);
        discard(results, file);
    }
}

/* Every job misses its deadline, so the ratio is 1 in each replication. Since times are random, a later replication
 * might differ. */
static void equal_values_of_random_times_are_no_precision(void **state)
{
    (void)state;
    struct sms_until until;
    struct sms_file *file =
        load_text(SMALL_DEVICE
                  "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, jitter: 5 %%}]\n"
                  "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                  "vms: [{name: a, workload: w, repeat: forever, deadline: 10 ns}]\n"
                  "run: {duration: 10.5 us, until: {precision: 1 %%, most: 8, vm: a, metric: deadline_miss_ratio}}\n",
                  1, 1, "sm");
    struct sms_results *results = run_seed(file, 1, 0, 1);
    assert_int_equal(sms_results_replications(results), 8);
    assert_true(sms_results_until(results, &until) && isinf(until.reached));
    assert_false(sms_results_exact(results));
    assert_warning(results, "deadline_miss_ratio of a is the same in all 8 replications");
    discard(results, file);
}

/* A job of an M/M/1 station of load 0.5 takes more than 10 us with probability exp(-5), about 1 in 150, and less at the
 * beginning. */
static struct sms_file *load_rare(void)
{
    return load_text(
        SMALL_DEVICE
        "---\nworkload: w\n"
        "kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, spread: exponential}]\n"
        "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\nqueue: fifo\n"
        "vms: [{name: a, workload: w, streams: 256, arrivals: {poisson: 2 us}, deadline: 10 us}]\n"
        "run: {duration: 0.1 ms, until: {precision: 10 %%, most: 30, vm: a, metric: deadline_miss_ratio}}\n",
        1, 1, "sm");
}

/* Five replications without a miss must not count as a precision of 0 %. */
static void a_rare_event_without_occurrences_is_no_precision(void **state)
{
    (void)state;
    struct sms_file *file = load_rare();
    size_t metric = 0, count, none_in_5 = 0, none_at_all = 0;
    while (strcmp(sms_metrics(SMS_VM, &count)[metric].name, "deadline_miss_ratio") != 0)
        metric++;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sms_until until;
        struct sms_results *results = run_seed(file, seed, 0, 1);
        double first = 0, mean = estimate(results, 0, SMS_VM, 0, "deadline_miss_ratio").mean;
        for (size_t i = 0; i < 5; i++)
            first += sms_results_value(results, 0, i, SMS_VM, 0, metric);
        assert_int_equal(sms_results_replications(results), 30);
        assert_true(sms_results_until(results, &until) && until.reached > until.wanted);
        assert_true(isinf(until.reached) == (mean == 0));
        assert_warning(results, mean > 0 ? "deadline_miss_ratio of a is known to"
                                         : "after 30 replications deadline_miss_ratio of a is 0 on average under "
                                           "round_robin, so it has no precision in %");
        none_in_5 += first == 0;
        none_at_all += mean == 0;
        sms_results_free(results);
    }
    print_message("| of 20 seeds without a miss in 5 and in 30 replications | %zu | %zu |\n", none_in_5, none_at_all);
    assert_true(none_in_5 > 5 && none_at_all > 0 && none_at_all < none_in_5);
    sms_file_free(file);
}

/* Throughput steps up when the second VM begins, at 20 % of the run. */
static struct sms_file *load_late(const char *run)
{
    return load_text(SMALL_DEVICE "---\nworkload: w\n"
                                  "kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, jitter: 20 %%}]\n"
                                  "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                                  "vms:\n  - {name: early, workload: w, repeat: forever}\n"
                                  "  - {name: late, workload: w, start: 0.2 ms, repeat: forever}\n"
                                  "run: %s\n",
                     2, 2, "sm", run);
}

static double found_ms(struct sms_file *file, uint64_t seed)
{
    struct sms_results *results = run_seed(file, seed, 0, 1);
    double warmup_ps = sms_results_warmup_ps(results);
    assert_int_equal(sms_results_warnings(results)->count, 0);
    sms_results_free(results);
    return warmup_ps / 1e9;
}

static void a_tenant_that_starts_late_ends_the_warm_up(void **state)
{
    (void)state;
    struct sms_file *file = load_late("{warmup: auto, duration: 1 ms}");
    double sum = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) { /* never too early; a batch is half a percent of the run */
        double found = found_ms(file, seed);
        assert_true(found >= 0.1999 && found < 0.3);
        sum += found / 50;
    }
    print_message("| begins at 20 %% of the run | found at %.3g %% |\n", 100 * sum);
    assert_near(sum, 0.21, 0.011);
    sms_file_free(file);
}

/* The station begins with 400 jobs that came at once. On average they are gone after 400 us / (1 - load) = 800 us. */
static void a_backlog_that_is_worked_off_ends_the_warm_up(void **state)
{
    (void)state;
    double sum = 0;
    struct sms_file *file =
        load_text(SMALL_DEVICE "---\nworkload: w\n"
                               "kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, spread: exponential}]\n"
                               "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\nqueue: fifo\n"
                               "vms:\n  - {name: backlog, workload: w, streams: 400, repeat: 400}\n"
                               "  - {name: a, workload: w, streams: 1000, arrivals: {poisson: 2 us}}\n"
                               "run: {warmup: auto, duration: 8 ms}\n",
                  1, 1, "sm");
    for (uint64_t seed = 1; seed <= 20; seed++)
        sum += found_ms(file, seed) / 20;
    print_message("| backlog gone | %.3g ms |\n", sum);
    assert_near(sum, 0.8, 0.15);
    sms_file_free(file);
}

static void a_steady_station_needs_no_warm_up(void **state)
{
    (void)state;
    double sum = 0;
    struct sms_file *file = load_station("{warmup: auto, duration: 2 ms}");
    for (uint64_t seed = 1; seed <= 50; seed++)
        sum += found_ms(file, seed) / 50;
    print_message("| warm-up of a steady station | %.3g %% of the run |\n", 100 * sum / 2);
    assert_true(sum < 0.02 * 2);
    sms_file_free(file);
}

static void a_run_without_a_steady_half_has_a_warning(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, jitter: 20 %%}]\n"
                     "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                     "vms:\n  - {name: early, workload: w, repeat: forever}\n"
                     "  - {name: late, workload: w, streams: 9, start: 0.7 ms, repeat: forever}\n"
                     "run: {warmup: auto, duration: 1 ms}\n",
        10, 1, "sm");
    struct sms_results *results = run_seed(file, 1, 0, 1);
    assert_warning(results, "no steady state in the first half of the run under round_robin");
    assert_near(sms_results_warmup_ps(results), 0.5e9, 1e6);
    discard(results, file);
}

static void only_a_warm_up_that_is_too_short_has_a_warning(void **state)
{
    unsigned found = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sms_file *brief = load_late("{warmup: 0.05 ms, duration: 1 ms}");
        struct sms_file *enough = load_late("{warmup: 0.2 ms, duration: 1 ms}");
        struct sms_file *none = load_late("{duration: 1 ms}");
        struct sms_results *results = run_seed(brief, seed, 1, 1);
        assert_warning(results, "under round_robin kernels of late end at a different rate until about 0.");
        found += strstr(sms_results_warnings(results)->item[0].message, "until about 0.2") != NULL;
        sms_results_free(results);
        assert_near(found_ms(enough, seed), 0.2, 1e-9);
        assert_near(found_ms(none, seed), 0, 0); /* a user who does not mention a warm-up wants the whole run */
        sms_file_free(brief);
        sms_file_free(enough);
        sms_file_free(none);
    }
    assert_true(found >= 19); /* one series is noisy enough for MSER-5 to choose its second half */
}

/* With fewer than 200 kernels no rate can be estimated, but the start of a late tenant is known without one. */
static void a_tenant_that_starts_after_the_warm_up_has_a_warning_however_few_kernels_end(void **state)
{
    (void)state;
    struct sms_file *brief = load_late("{warmup: 0.05 ms, duration: 0.21 ms}");
    struct sms_file *enough = load_late("{warmup: 0.2 ms, duration: 0.21 ms}");
    struct sms_results *results = run_seed(brief, 1, 1, 1);
    assert_warning(results, "it ends at 0.05 ms, and late starts at 0.2 ms");
    sms_results_free(results);
    assert_near(found_ms(enough, 1), 0.2, 1e-9);
    sms_file_free(brief);
    sms_file_free(enough);
}

/* Student's paired test by hand. Both policies draw the same work, so differences spread less than values. */
static void differences_are_paired_by_replication(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(SMALL_DEVICE "---\nworkload: w\n"
                               "kernels: [{name: k, blocks: 2, threads: 32, block_time: 1 us, jitter: 30 %%, "
                               "demand: {fp32: 60 %%}}]\n"
                               "---\nscenario: s\ndevices: [{model: small}]\ncontention: proportional\n"
                               "policies: [depth_first, breadth_first]\n"
                               "vms: [{name: a, workload: w, repeat: forever}]\n"
                               "run: {duration: 0.05 ms, replications: 12}\n",
                  2, 2, "sm");
    struct sms_results *results = run_seed(file, 3, 0, 1);
    size_t metrics, m = 0;
    const struct sms_metric *metric = sms_metrics(SMS_HOST, &metrics);
    while (strcmp(metric[m].name, "kernels_per_s") != 0)
        m++;
    struct sms_estimate e = sms_results_difference(results, 1, 0, SMS_HOST, 0, m);
    double sum = 0, squares = 0;
    for (size_t r = 0; r < 12; r++)
        sum += sms_results_value(results, 1, r, SMS_HOST, 0, m) - sms_results_value(results, 0, r, SMS_HOST, 0, m);
    for (size_t r = 0; r < 12; r++) {
        double d = sms_results_value(results, 1, r, SMS_HOST, 0, m) - sms_results_value(results, 0, r, SMS_HOST, 0, m);
        squares += (d - sum / 12) * (d - sum / 12);
    }
    assert_int_equal(e.n, 12);
    assert_true(sum / 12 > 1e5 && squares > 0); /* two blocks on one SM take a fifth longer */
    assert_near(e.mean, sum / 12, 1e-3);
    assert_near(e.ci95, 2.200985 * sqrt(squares / 11 / 12), 1e-6 * e.ci95);
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_a_precision_reach_nominal_coverage),
        cmocka_unit_test(limits_of_rare_misses_are_seldom_met_by_chance),
        cmocka_unit_test(limits_of_skewed_latencies_are_seldom_met_by_chance),
        cmocka_unit_test(every_policy_has_the_replications_of_the_least_precise_one),
        cmocka_unit_test(threads_change_neither_the_number_nor_the_values),
        cmocka_unit_test(a_precision_that_is_not_reached_has_a_warning),
        cmocka_unit_test(equal_replications_are_enough_without_random_times),
        cmocka_unit_test(equal_values_of_random_times_are_no_precision),
        cmocka_unit_test(a_rare_event_without_occurrences_is_no_precision),
        cmocka_unit_test(a_tenant_that_starts_late_ends_the_warm_up),
        cmocka_unit_test(a_backlog_that_is_worked_off_ends_the_warm_up),
        cmocka_unit_test(a_steady_station_needs_no_warm_up),
        cmocka_unit_test(a_run_without_a_steady_half_has_a_warning),
        cmocka_unit_test(only_a_warm_up_that_is_too_short_has_a_warning),
        cmocka_unit_test(a_tenant_that_starts_after_the_warm_up_has_a_warning_however_few_kernels_end),
        cmocka_unit_test(differences_are_paired_by_replication),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
