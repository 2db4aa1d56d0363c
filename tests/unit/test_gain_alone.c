/* What policies gain for a tenant that has the GPU to itself. */
#include "tests/harness.h"

#include "sim/results/gain_alone.h"

/* Four SMs of eight blocks; kernels a and b of so many percent of fp32 and fp64; the VMs, and the alone policy. */
#define TENANTS                                                                                                        \
    SMALL_DEVICE "---\nworkload: a\nkernels: [{name: a, blocks: 320, threads: 32, block_time: 10 us, jitter: 5 %%, "   \
                 "demand: {fp32: %d %%}}]\n---\nworkload: b\nkernels: [{name: b, blocks: 320, threads: 32, "           \
                 "block_time: 10 us, jitter: 5 %%, demand: {fp64: %d %%}}]\n---\nscenario: s\n"                        \
                 "devices: [{model: small}]\ncontention: {model: proportional, slope: 2}\nqueue: interleave\n"         \
                 "policies: [%s]\nvms: [%s]\nalone: %s\n"                                                              \
                 "run: {warmup: 1 ms, duration: 4 ms, replications: 3}\n"

#define A "{name: a, workload: a, repeat: forever}"
#define B "{name: b, workload: b, repeat: forever}"

struct gained {
    struct sms_file *file;
    struct sms_results *results;
};

static struct gained run_each(bool each, int fp32, int fp64, const char *vms, const char *alone, const char *policies)
{
    struct gained of = {.file = load_text(TENANTS, 4, 8, "sm", fp32, fp64, policies, vms, alone)};
    struct sms_run_options options = sms_run_defaults();
    struct sms_errors errors;
    options.alone_each = each;
    if (sms_run(sms_file_scenario(of.file, 0), &options, &of.results, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("no results");
    }
    return of;
}

#define POLICIES "round_robin, fine_grained, breadth_first"

static struct gained run(int fp32, int fp64, const char *vms)
{
    return run_each(true, fp32, fp64, vms, "round_robin", POLICIES);
}

enum { ROUND_ROBIN, FINE_GRAINED, BREADTH_FIRST };

static void a_tenant_alone_gains_what_it_gains_alone(void **state)
{
    (void)state;
    struct gained of = run(25, 10, A);
    const size_t stp = metric_idx(SMS_HOST, "stp_ratio");
    struct sms_estimate ratio = sms_results_ratio(of.results, FINE_GRAINED, ROUND_ROBIN, SMS_HOST, 0, stp),
                        gain = sms__gain_alone(of.results, FINE_GRAINED, ROUND_ROBIN, 0);
    assert_true(gain.mean > 1.2 && gain.n == 3 && gain.ci95 > 0);
    assert_near(gain.mean, ratio.mean, 1e-9);
    assert_near(sms__gain_left(of.results, FINE_GRAINED, ROUND_ROBIN).mean, 1, 1e-9);
    assert_near(sms__progress_alone(of.results, FINE_GRAINED, 0).mean, gain.mean, 1e-9);
    assert_near(sms__gain_alone(of.results, BREADTH_FIRST, ROUND_ROBIN, 0).mean, 1, 0.01);
    discard(of.results, of.file);
}

/* b wants 80 % of fp64 alone, so no policy of these refuses a block of it alone, and it gains only beside a. */
static void a_tenant_within_full_gains_nothing_alone(void **state)
{
    (void)state;
    struct gained of = run(25, 10, A ", " B), alone = run(25, 10, B);
    assert_true(sms__has_gain_alone(of.results) && sms__gains_alone(of.results, 0));
    assert_false(sms__gains_alone(of.results, 1));
    assert_false(sms__gains_alone(alone.results, 0));
    const size_t stp = metric_idx(SMS_HOST, "stp_ratio");
    for (size_t p = 0; p < 3; p++) /* it was left out, and rightly so */
        assert_near(sms_results_ratio(alone.results, p, 0, SMS_HOST, 0, stp).mean, 1, 1e-3);
    assert_true(sms__gain_alone(of.results, FINE_GRAINED, ROUND_ROBIN, 1).mean == 1);
    double all = sms_results_ratio(of.results, FINE_GRAINED, ROUND_ROBIN, SMS_HOST, 0, stp).mean,
           left = sms__gain_left(of.results, FINE_GRAINED, ROUND_ROBIN).mean;
    assert_true(left < all - 0.05);
    discard(of.results, of.file);
    discard(alone.results, alone.file);
}

/* a wants 200 % of fp32 alone, so policies could treat it differently, but these admit as much as there is room for. */
static void a_tenant_that_policies_treat_alike_gains_nothing_alone(void **state)
{
    (void)state;
    struct gained of =
        run_each(true, 25, 10, A, "round_robin", "{fine_grained: {limit: 15}}, {fine_grained: {limit: 16}}");
    assert_true(sms__has_gain_alone(of.results));
    assert_false(sms__gains_alone(of.results, 0));
    discard(of.results, of.file);
}

/* The baseline's runs are taken from the stand-alone runs where their policy is the same. */
static void the_policy_of_the_stand_alone_runs_changes_no_gain(void **state)
{
    (void)state;
    struct gained a = run(25, 20, A ", " B), b = run_each(true, 25, 20, A ", " B, "fine_grained", POLICIES);
    for (size_t v = 0; v < 2; v++)
        assert_near(sms__gain_alone(a.results, FINE_GRAINED, ROUND_ROBIN, v).mean,
                    sms__gain_alone(b.results, FINE_GRAINED, ROUND_ROBIN, v).mean, 1e-12);
    assert_near(sms__gain_left(a.results, FINE_GRAINED, ROUND_ROBIN).mean,
                sms__gain_left(b.results, FINE_GRAINED, ROUND_ROBIN).mean, 0.02);
    discard(a.results, a.file);
    discard(b.results, b.file);
}

static void without_the_option_nothing_is_known(void **state)
{
    (void)state;
    struct gained of = run_each(false, 25, 20, A ", " B, "round_robin", POLICIES);
    assert_false(sms__has_gain_alone(of.results));
    assert_true(sms__gain_alone(of.results, FINE_GRAINED, ROUND_ROBIN, 0).mean == 1);
    discard(of.results, of.file);
}

static void stp_above_the_number_of_tenants_is_noted(void **state)
{
    (void)state;
    struct gained of = run(25, 20, A);
    size_t count, found = 0;
    const char *const *note = sms_results_notes(of.results, &count);
    for (size_t i = 0; i < count; i++)
        found += strstr(note[i], "is above the number of tenants, 1:") != NULL;
    assert_int_equal(found, 1);
    discard(of.results, of.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tenant_alone_gains_what_it_gains_alone),
        cmocka_unit_test(a_tenant_within_full_gains_nothing_alone),
        cmocka_unit_test(a_tenant_that_policies_treat_alike_gains_nothing_alone),
        cmocka_unit_test(the_policy_of_the_stand_alone_runs_changes_no_gain),
        cmocka_unit_test(without_the_option_nothing_is_known),
        cmocka_unit_test(stp_above_the_number_of_tenants_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
