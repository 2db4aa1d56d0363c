/* Values of few jobs: percentiles that are the maximum or mostly 0 allow no verdict, and misses of
 * which none was seen have an upper end. */
#include "tests/harness.h"

#include "sim/results/verdict.h"

/* A server with so many jobs, which wait beside a tenant that never ends, and its deadline. */
#define SERVER                                                                                                         \
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 40, threads: 32, block_time: 10 us, jitter: 30 %%, "   \
                 "demand: {fp32: 30 %%}}]\n---\nscenario: s\ndevices: [{model: small}]\n"                              \
                 "contention: {model: proportional, slope: 2}\npolicies: [round_robin, {fine_grained: {limit: 100 "    \
                 "%%}}]\nvms:\n  - {name: s, workload: w, repeat: %d, arrivals: {poisson: 300 us}, deadline: %s}\n"    \
                 "  - {name: t, workload: w, repeat: forever}\nrun: {duration: 60 ms, replications: 6}\n"              \
                 "answer: {metric: %s, of: s}\n"

struct run {
    struct sms_file *file;
    struct sms_results *results;
};

static struct run run(int jobs, const char *deadline, const char *metric)
{
    struct run of = {.file = load_text(SERVER, 4, 8, "sm", jobs, deadline, metric)};
    struct sms_errors errors;
    if (sms_run(sms_file_scenario(of.file, 0), NULL, &of.results, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("no results");
    }
    return of;
}

static size_t maximum_of(const struct run *of, const char *metric)
{
    return sms__maximum_of(&(struct sms__result){of->results, 0, SMS_VM, 0, metric_idx(SMS_VM, metric)}, 0);
}

static void percentiles_of_few_jobs_are_maxima(void **state)
{
    (void)state;
    const struct {
        int jobs;
        size_t p99, p95;
    } want[] = {{19, 19, 19}, {20, 20, 0}, {99, 99, 0}, {100, 0, 0}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct run of = run(want[i].jobs, "1 s", "job_latency_p99_ns");
        assert_int_equal(maximum_of(&of, "job_latency_p99_ns"), want[i].p99);
        assert_int_equal(maximum_of(&of, "job_latency_p95_ns"), want[i].p95);
        assert_int_equal(maximum_of(&of, "job_latency_max_ns"), want[i].jobs);
        assert_int_equal(maximum_of(&of, "job_latency_p50_ns"), 0);
        assert_int_equal(maximum_of(&of, "jobs_per_s"), 0);
        discard(of.results, of.file);
    }
}

/* Neither they nor changes of them have an interval, while medians of the same jobs have both. */
static void maxima_have_no_interval(void **state)
{
    (void)state;
    struct run of = run(10, "1 s", "job_latency_p99_ns");
    const size_t p99 = metric_idx(SMS_VM, "job_latency_p99_ns"), p50 = metric_idx(SMS_VM, "job_latency_p50_ns");
    const struct sms_estimate value[] = {sms_results_estimate(of.results, 0, SMS_VM, 0, p99),
                                         sms_results_ratio(of.results, 1, 0, SMS_VM, 0, p99),
                                         sms_results_difference(of.results, 1, 0, SMS_VM, 0, p99)};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        assert_true(value[i].sd > 0 && isnan(value[i].ci95));
    assert_true(sms_results_estimate(of.results, 0, SMS_VM, 0, p50).ci95 > 0);
    assert_true(sms_results_ratio(of.results, 1, 0, SMS_VM, 0, p50).ci95 > 0);
    discard(of.results, of.file);
}

/* The medians of the same jobs are told apart, so it is not that the policies are equal. */
static void maxima_tell_no_policies_apart(void **state)
{
    (void)state;
    const char *const metric[] = {"job_latency_p99_ns", "job_latency_p50_ns"};
    for (int i = 0; i < 2; i++) {
        struct run of = run(10, "1 s", metric[i]);
        struct sms_question asked;
        struct sms__best best;
        bool in_group[2];
        assert_true(sms_results_question(of.results, &asked));
        assert_int_equal(sms__allows_verdict(of.results, &asked), i);
        assert_true(sms__results_best(of.results, &asked, 0, &best, in_group, NULL));
        assert_int_equal(best.group, i ? 1 : 2);
        assert_int_equal(best.verdict, i ? SMS__BEST_DIFFERS : SMS__BEST_CHANCE);
        assert_int_equal(in_group[0] + in_group[1], best.group);
        discard(of.results, of.file);
    }
}

static double most_missed(const struct run *of, enum sms_subject subject, size_t idx, const char *metric)
{
    return sms__most_missed(&(struct sms__result){of->results, 0, subject, idx, metric_idx(subject, metric)}, 0);
}

static void no_miss_of_n_is_below_three_in_n(void **state)
{
    (void)state;
    static const char misses[] = "deadline_miss_ratio";
    struct run of = run(10, "1 s", "job_latency_p99_ns");
    const struct sms__result counted = {of.results, 0, SMS_VM, 0, metric_idx(SMS_VM, misses)};
    assert_near(sms__counted(&counted, 0), 60, 0);
    assert_near(most_missed(&of, SMS_VM, 0, misses), 3.0 / 60, 1e-12);
    assert_near(most_missed(&of, SMS_HOST, 0, misses), 3.0 / 60, 1e-12);
    assert_true(isnan(most_missed(&of, SMS_VM, 0, "job_latency_p99_ns")));
    assert_true(isnan(most_missed(&of, SMS_VM, 1, misses))); /* it has no deadline */
    discard(of.results, of.file);
    of = run(10, "1 us", "job_latency_p99_ns");
    assert_true(isnan(most_missed(&of, SMS_VM, 0, misses))); /* all were missed */
    discard(of.results, of.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_of_few_jobs_are_maxima), cmocka_unit_test(maxima_have_no_interval),
        cmocka_unit_test(maxima_tell_no_policies_apart), cmocka_unit_test(no_miss_of_n_is_below_three_in_n)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
