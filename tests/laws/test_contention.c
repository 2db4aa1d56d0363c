/* Contention models against closed forms. */
#include "tests/harness.h"

#include <gsl/gsl_rng.h>

extern const struct sms_contention sms_contention_maxmin;

struct two {
    struct sms_file *file;
    struct sms_results *results;
};

/* Two VMs of one block each on one SM; `a` and `b` are their demands. */
static struct two run_two(const char *contention, const char *scope, const char *a, const char *b)
{
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: a\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, demand: {%s}}]\n"
                     "---\nworkload: b\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, demand: {%s}}]\n"
                     "---\nscenario: s\ndevices: [{model: small}]\ncontention: %s\npolicies: [round_robin]\n"
                     "vms: [{name: a, workload: a}, {name: b, workload: b}]\n",
        1, 8, scope, a, b, contention);
    return (struct two){file, run_first(file, NULL)};
}

static void assert_ends(struct two two, double a_us, double b_us)
{
    assert_near(estimate(two.results, 0, SMS_VM, 0, "end_ns").mean, a_us * 1e3, 1e-2);
    assert_near(estimate(two.results, 0, SMS_VM, 1, "end_ns").mean, b_us * 1e3, 1e-2);
    discard(two.results, two.file);
}

static void two_identical_saturating_blocks_run_at_half_speed(void **state)
{
    (void)state;
    assert_ends(run_two("proportional", "sm", "fp32: 100 %", "fp32: 100 %"), 2, 2);
    assert_ends(run_two("maxmin", "sm", "fp32: 100 %", "fp32: 100 %"), 2, 2);
    assert_ends(run_two("proportional", "device", "dram: 100 %", "dram: 100 %"), 2, 2);
    assert_ends(run_two("maxmin", "device", "dram: 100 %", "dram: 100 %"), 2, 2);
}

static void blocks_on_disjoint_resources_run_at_full_speed(void **state)
{
    (void)state;
    assert_ends(run_two("proportional", "sm", "fp32: 100 %", "fp64: 100 %"), 1, 1);
    assert_ends(run_two("maxmin", "device", "fp32: 100 %", "dram: 100 %"), 1, 1);
}

static void without_contention_everything_runs_at_full_speed(void **state)
{
    (void)state;
    assert_ends(run_two("none", "sm", "fp32: 100 %", "fp32: 100 %"), 1, 1);
}

static void a_slope_slows_by_so_much_per_excess(void **state)
{
    (void)state;
    /* usage 1.6: g = 1 + 2.55 * 0.6 = 2.53 */
    assert_ends(run_two("{model: proportional, slope: 2.55}", "sm", "fp32: 80 %", "fp32: 80 %"), 2.53, 2.53);
}

static void a_block_that_does_not_use_the_full_resource_is_not_slowed(void **state)
{
    (void)state;
    assert_ends(run_two("proportional", "sm", "fp32: 150 %", "fp64: 10 %"), 1.5, 1);
}

static void curve_slows_all_blocks_of_the_sm_alike(void **state)
{
    (void)state;
    /* fp32 at 150 %: overhead 25 %; l1 at 50 %: 5 %; classes add up to 30 %. */
    const char *curve = "{model: curve, curves: {fp32: [[100 %, 0 %], [200 %, 50 %]], l1: [[100 %, 10 %]]}}";
    assert_ends(run_two(curve, "sm", "fp32: 150 %", "l1: 50 %"), 1.3, 1.3);
}

/* a: fp32 of b 50 %, curve 20 % at 100 %: 0.1 x (floor 0.5 + own 0.8) = 0.13. b: others 80 %: 0.16 x (0.5 + 0.5). */
static void pressure_slows_by_the_use_of_the_others_and_by_the_own(void **state)
{
    (void)state;
    const char *pressure = "{model: pressure, floor: 50 %, curves: {fp32: [[100 %, 20 %]], dram: [[100 %, 100 %]]}}";
    assert_ends(run_two(pressure, "sm", "fp32: 80 %", "fp32: 50 %"), 1.13, 1.13 + 1 - 1.13 / 1.16);
    assert_ends(run_two(pressure, "device", "dram: 60 %", "fp64: 1 %"), 1, 2 - 1 / 1.3);
}

/* Blocks of one launch are one kernel: alone, it is not slowed. */
static void pressure_does_not_slow_a_kernel_alone(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "---\nworkload: a\nkernels: [{name: k, blocks: 16, threads: 32, block_time: 1 us, demand: {fp32: 50 %%, "
        "dram: 90 %%}}]\n---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
        "contention: {model: pressure, floor: 50 %%, curves: {fp32: [[100 %%, 1]], dram: [[100 %%, 1]]}}\n"
        "vms: [{name: a, workload: a}]\n",
        2, 8, "device");
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 1e3, 1e-2);
    discard(results, file);
}

/* With maxmin a demands 1.0 of fp32 and 0.4 of fp64, b 0.9 of fp64 only; alone a would be at 1 and so would b:
 * fp64 is at 1.3. Progressive filling: both rise to 1/1.3. */
static void maxmin_stops_all_users_of_a_full_resource_together(void **state)
{
    (void)state;
    assert_ends(run_two("maxmin", "sm", "fp32: 100 %, fp64: 40 %", "fp64: 90 %"), 1.3, 1.3);
}

enum { GROUPS = 6, RESOURCES = 4, SMS = 3 };

struct random_case {
    struct sms_group group[GROUPS];
    double demand[GROUPS][RESOURCES], speed[GROUPS];
};

static const struct sms_resource_view resources[RESOURCES] = {{"a", SMS_COMPUTE, SMS_SCOPE_SM, false},
                                                              {"b", SMS_COMPUTE, SMS_SCOPE_SM, false},
                                                              {"c", SMS_MEMORY, SMS_SCOPE_SM, false},
                                                              {"d", SMS_MEMORY, SMS_SCOPE_DEVICE, false}};

static void draw(gsl_rng *rng, struct random_case *c)
{
    for (size_t g = 0; g < GROUPS; g++) {
        for (size_t r = 0; r < RESOURCES; r++)
            c->demand[g][r] = gsl_rng_uniform(rng) < 0.4 ? 0 : floor(gsl_rng_uniform(rng) * SMS_FULL);
        c->group[g] =
            (struct sms_group){g / (GROUPS / SMS), 1 + gsl_rng_uniform_int(rng, 4), c->demand[g], &c->speed[g]};
    }
}

static double capacity(size_t r) { return SMS_FULL * (resources[r].scope == SMS_SCOPE_DEVICE ? SMS : 1); }

/* What is delivered of resource r to the users on an SM (all SMs, if the device's). */
static double delivered(const struct random_case *c, size_t r, size_t sm)
{
    double sum = 0;
    for (size_t g = 0; g < GROUPS; g++)
        if (resources[r].scope == SMS_SCOPE_DEVICE || c->group[g].sm == sm)
            sum += c->demand[g][r] * (double)c->group[g].blocks * c->speed[g];
    return sum;
}

/* Max-min: a group below full speed uses a full resource of which no other user is faster. */
static bool is_bottlenecked(const struct random_case *c, size_t g)
{
    for (size_t r = 0; r < RESOURCES; r++) {
        if (c->demand[g][r] <= 0 || delivered(c, r, c->group[g].sm) < capacity(r) * (1 - 1e-9))
            continue;
        bool fastest = true;
        for (size_t h = 0; h < GROUPS; h++) {
            bool shares = resources[r].scope == SMS_SCOPE_DEVICE || c->group[h].sm == c->group[g].sm;
            if (shares && c->demand[h][r] > 0 && c->speed[h] > c->speed[g] * (1 + 1e-9))
                fastest = false;
        }
        if (fastest)
            return true;
    }
    return false;
}

static void maxmin_is_feasible_and_no_group_can_gain_without_a_slower_one_losing(void **state)
{
    (void)state;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct sms_contention_view view = {NULL, NULL, RESOURCES, resources};
    double scratch[(SMS + 1) * 2 * RESOURCES];
    struct random_case c;
    for (int i = 0; i < 5000; i++) {
        draw(rng, &c);
        sms_contention_maxmin.rate_device(&view, SMS, c.group, GROUPS, scratch);
        for (size_t g = 0; g < GROUPS; g++) {
            assert_true(c.speed[g] > 0 && c.speed[g] <= 1);
            assert_true(c.speed[g] == 1 || is_bottlenecked(&c, g));
        }
        for (size_t r = 0; r < RESOURCES; r++)
            for (size_t sm = 0; sm < SMS; sm++)
                assert_true(delivered(&c, r, sm) <= capacity(r) * (1 + 1e-9));
    }
    gsl_rng_free(rng);
}

/* With slope 1 the full resource delivers its capacity whatever the mix: n blocks
 * that each demand d > 1/n of it need n * d times block_time. */
static void slope_one_conserves_work(void **state)
{
    (void)state;
    for (int n = 1; n <= 8; n++) {
        struct sms_file *file = load_text(
            SMALL_DEVICE
            "---\nworkload: w\nkernels: [{name: k, blocks: %d, threads: 32, block_time: 1 us, demand: {l1: 30 %%}}]\n"
            "---\nscenario: s\ndevices: [{model: small}]\ncontention: proportional\npolicies: [round_robin]\n"
            "vms: [{name: a, workload: w}]\n",
            1, 8, "sm", n);
        struct sms_results *results = run_first(file, NULL);
        double work = 0.3 * n, end_us = work > 1 ? work : 1;
        assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, end_us * 1e3, 1e-2);
        assert_near(estimate(results, 0, SMS_RESOURCE, 2, "delivered_ratio").mean, work / end_us, 1e-6);
        discard(results, file);
    }
}

/* Two blocks that want all of fp32 each: nothing says by which model they share it. */
static void without_a_model_no_resource_delivers_more_than_it_has(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: w\n"
                     "kernels: [{name: k, blocks: 2, threads: 32, block_time: 1 us, demand: {fp32: 100 %%}}]\n"
                     "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                     "vms: [{name: a, workload: w}]\n",
        1, 8, "sm");
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 2000, 1e-2);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "delivered_ratio").mean, 1, 1e-5);
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_model_no_resource_delivers_more_than_it_has),
        cmocka_unit_test(two_identical_saturating_blocks_run_at_half_speed),
        cmocka_unit_test(blocks_on_disjoint_resources_run_at_full_speed),
        cmocka_unit_test(without_contention_everything_runs_at_full_speed),
        cmocka_unit_test(a_slope_slows_by_so_much_per_excess),
        cmocka_unit_test(a_block_that_does_not_use_the_full_resource_is_not_slowed),
        cmocka_unit_test(curve_slows_all_blocks_of_the_sm_alike),
        cmocka_unit_test(pressure_slows_by_the_use_of_the_others_and_by_the_own),
        cmocka_unit_test(pressure_does_not_slow_a_kernel_alone),
        cmocka_unit_test(maxmin_stops_all_users_of_a_full_resource_together),
        cmocka_unit_test(maxmin_is_feasible_and_no_group_can_gain_without_a_slower_one_losing),
        cmocka_unit_test(slope_one_conserves_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
