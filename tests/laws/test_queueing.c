/* One server, or one that is shared: mean times in system against closed forms
 * (Kleinrock 1975), inside the confidence intervals of ten replications. */
#include "tests/harness.h"

/* Jobs arrive at rate 0.7 per us, service takes 1 us in the mean; `slots` blocks at
 * once on the SM, each of which wants all of it. */
static struct sms_estimate time_in_system(const char *spread, int slots)
{
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, %s demand: {fp32: 100 %%}}]\n"
        "---\nscenario: s\ndevices: [{model: small}]\ncontention: proportional\nqueue: fifo\n"
        "policies: [round_robin]\n"
        "vms: [{name: a, workload: w, streams: %d, arrivals: {poisson: 1428.571429 ns}}]\n"
        "run: {warmup: 2 ms, duration: 42 ms, replications: 10}\n",
        1, slots, "sm", spread, slots);
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    struct sms_results *results = run_first(file, &options);
    struct sms_estimate e = estimate(results, 0, SMS_VM, 0, "job_latency_mean_ns");
    sms_results_free(results);
    sms_file_free(file);
    return e;
}

/* The interval covers the truth in 95 of 100 cases; at a fixed seed it either does
 * or does not. Its width shows that the test can fail: 3 % at most. */
static void assert_mean(struct sms_estimate e, double expected_ns)
{
    print_message("mean %.1f +- %.1f ns, closed form %.1f ns\n", e.mean, e.ci95, expected_ns);
    assert_true(e.ci95 < 0.03 * expected_ns);
    assert_near(e.mean, expected_ns, e.ci95);
}

static const double load = 0.7;

static void m_m_1(void **state)
{
    (void)state;
    assert_mean(time_in_system("spread: exponential,", 1), 1000 / (1 - load));
}

static void m_d_1(void **state)
{
    (void)state;
    assert_mean(time_in_system("", 1), 1000 * (1 + load / (2 * (1 - load))));
}

/* Processor sharing is insensitive to the spread of service times: S / (1 - rho). */
static void m_g_1_processor_sharing(void **state)
{
    (void)state;
    assert_mean(time_in_system("spread: exponential,", 256), 1000 / (1 - load));
    assert_mean(time_in_system("", 256), 1000 / (1 - load));
    assert_mean(time_in_system("jitter: 50 %,", 256), 1000 / (1 - load));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m_m_1),
        cmocka_unit_test(m_d_1),
        cmocka_unit_test(m_g_1_processor_sharing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
