/* Compares the contention models with closed forms. Each expected time is worked out from the demands in the test. */
#include "sim/levels/filling.h"
#include "tests/harness.h"

#include <gsl/gsl_rng.h>

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
    /* The usage is 1.6, so the slowdown is 1 + 2.55 * 0.6 = 2.53. */
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
    /* fp32 at 150 % costs 25 %, and l1 at 50 % costs 5 %. The overheads of the classes add up to 30 %. */
    const char *curve = "{model: curve, curves: {fp32: [[100 %, 0 %], [200 %, 50 %]], l1: [[100 %, 10 %]]}}";
    assert_ends(run_two(curve, "sm", "fp32: 150 %", "l1: 50 %"), 1.3, 1.3);
}

/* b uses 50 % of fp32, where the curve is at 10 %: a is slowed by 0.1 * (floor 0.5 + its own use 0.8) = 0.13.
 * a uses 80 %, where the curve is at 16 %: b is slowed by 0.16 * (0.5 + 0.5). */
static void pressure_grows_with_the_use_of_others_and_with_ones_own(void **state)
{
    (void)state;
    const char *pressure = "{model: pressure, floor: 50 %, curves: {fp32: [[100 %, 20 %]], dram: [[100 %, 100 %]]}}";
    assert_ends(run_two(pressure, "sm", "fp32: 80 %", "fp32: 50 %"), 1.13, 1.13 + 1 - 1.13 / 1.16);
    assert_ends(run_two(pressure, "device", "dram: 60 %", "fp64: 1 %"), 1, 2 - 1 / 1.3);
}

/* All blocks of a launch are one kernel, and a kernel does not press on itself. */
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

/* a demands 1.0 of fp32 and 0.4 of fp64; b demands 0.9 of fp64. Each alone would run at full speed, but together
 * they need 1.3 of fp64. Progressive filling raises both to 1/1.3. */
static void maxmin_stops_all_users_of_a_full_resource_together(void **state)
{
    (void)state;
    assert_ends(run_two("maxmin", "sm", "fp32: 100 %, fp64: 40 %", "fp64: 90 %"), 1.3, 1.3);
}

/* Together they demand 1.8 of what there is. */
static void kernels_as_wholes_share_the_resources_of_device_and_sm(void **state)
{
    static const char *const scopes[] = {"sm", "device"}, *const models[] = {"proportional", "maxmin"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct sms_file *file =
            load_text(SMALL_DEVICE
                      "---\nworkload: w\nkernels: [{name: k, time: 10 us, demand: {dram: 90 %%}}]\n---\nscenario: s\n"
                      "devices: [{model: small}]\ncontention: %s\npolicies: [{share: plain, mode: together}]\n"
                      "processes: [{name: a, workload: w}, {name: b, workload: w}]\n",
                      1, 8, scopes[i / 2], models[i % 2]);
        struct sms_results *results = run_first(file, NULL);
        assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 18e3, 1);
        assert_near(estimate(results, 0, SMS_VM, 1, "end_ns").mean, 18e3, 1);
        discard(results, file);
    }
}

enum { USERS = 6, POOLS = 3 };

struct random_case {
    struct sms__pool pool[POOLS], *pools[POOLS];
    struct sms__user user[USERS];
    double demand[USERS][POOLS], rate[USERS];
};

/* Users of blocks or flows; the last pool has no limit in some. Something else lets some users rise to `most` alone. */
static void draw(gsl_rng *rng, struct random_case *c)
{
    for (size_t p = 0; p < POOLS; p++) {
        c->pool[p] = (struct sms__pool){.capacity = p + 1 < POOLS || gsl_rng_uniform(rng) < 0.5 ? SMS_FULL : 0};
        c->pools[p] = &c->pool[p];
    }
    for (size_t u = 0; u < USERS; u++) {
        for (size_t p = 0; p < POOLS; p++)
            c->demand[u][p] = gsl_rng_uniform(rng) < 0.4 ? 0 : floor(gsl_rng_uniform(rng) * SMS_FULL);
        double most = gsl_rng_uniform(rng) < 0.5 ? gsl_rng_uniform(rng) : 1 + gsl_rng_uniform(rng);
        c->user[u] = (struct sms__user){
            (double)(1 + gsl_rng_uniform_int(rng, 4)), most, POOLS, c->pools, c->demand[u], &c->rate[u],
            u + 1 < USERS ? &c->user[u + 1] : NULL};
    }
}

/* What the users get of a pool. */
static double delivered(const struct random_case *c, size_t p)
{
    double sum = 0;
    for (size_t u = 0; u < USERS; u++)
        sum += c->demand[u][p] * c->user[u].count * c->rate[u];
    return sum;
}

/* Max-min fairness: a user below its most uses a full pool, and no other user of that pool is faster. */
static bool is_bottlenecked(const struct random_case *c, size_t u)
{
    for (size_t p = 0; p < POOLS; p++) {
        if (c->demand[u][p] <= 0 || c->pool[p].capacity <= 0 || delivered(c, p) < SMS_FULL * (1 - 1e-9))
            continue;
        bool fastest = true;
        for (size_t v = 0; v < USERS; v++)
            if (c->demand[v][p] > 0 && c->rate[v] > c->rate[u] * (1 + 1e-9))
                fastest = false;
        if (fastest)
            return true;
    }
    return false;
}

/* Across SMs the engine's own checks say the same (tests/oracle/check.c). */
static void filling_is_feasible_and_no_user_can_gain_without_a_slower_one_losing(void **state)
{
    (void)state;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct random_case c;
    for (int i = 0; i < 5000; i++) {
        draw(rng, &c);
        sms__users_open(c.user);
        sms__users_fill(c.user, SMS_SLOWEST);
        for (size_t u = 0; u < USERS; u++) {
            assert_true(c.rate[u] > 0 && c.rate[u] <= c.user[u].most);
            assert_true(c.rate[u] == c.user[u].most || is_bottlenecked(&c, u));
        }
        for (size_t p = 0; p < POOLS; p++)
            assert_true(c.pool[p].capacity <= 0 || delivered(&c, p) <= SMS_FULL * (1 + 1e-9));
    }
    gsl_rng_free(rng);
}

/* Two users of one pool and one of another, in closed form: 1 and 3 share 4, so each has 1; the third has its most. */
static void equal_users_count_as_many(void **state)
{
    (void)state;
    struct sms__pool small = {.capacity = 4}, large = {.capacity = 100}, *const one = &small, *const other = &large;
    double rate[3];
    struct sms__user user[] = {{1, INFINITY, 1, &one, NULL, &rate[0], &user[1]},
                               {3, INFINITY, 1, &one, NULL, &rate[1], &user[2]},
                               {1, 7, 1, &other, NULL, &rate[2], NULL}};
    sms__users_open(user);
    sms__users_fill(user, 0);
    assert_true(rate[0] == 1 && rate[1] == 1 && rate[2] == 7);
}

/* With slope 1 a full resource delivers its capacity, whatever the mix. So n blocks that each demand d > 1/n of it
 * take n * d times block_time. */
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

/* Two blocks each demand all of fp32, and the scenario names no contention model. */
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

/* Runs two VMs on a device whose dram and l1 have a knee of 2. */
static struct two run_knee(const char *contention, const char *a, const char *b)
{
    struct sms_file *file = load_text(
        SMALL_DEVICE "---\nworkload: a\nkernels: [{name: k, %s, threads: 32, block_time: 1 us}]\n"
                     "---\nworkload: b\nkernels: [{name: k, %s, threads: 32, block_time: 1 us}]\n"
                     "---\nscenario: s\ndevices: [{model: small, resources: {dram: {knee: 2}, l1: {knee: 2}}}]\n"
                     "contention: %s\npolicies: [round_robin]\nvms: [{name: a, workload: a}, {name: b, workload: b, "
                     "start: 10 us}]\n",
        1, 2, "device", a, b, contention);
    return (struct two){file, run_first(file, NULL)};
}

/* A kernel that uses half of a resource has a pressure x = 0.5 / (1 - 0.5^p)^(1/p), and alone it is slowed by 2 x. Two
 * of them have twice the pressure and are slowed by (1 + (2 x)^p)^(1/p). */
static double two_halves_us(double p)
{
    const double x = 0.5 / pow(1 - pow(0.5, p), 1 / p);
    return pow(1 + pow(2 * x, p), 1 / p) / (2 * x);
}

/* Runs two kernels that each use half of a device's resource, of which dram has a knee of 2. */
static void assert_halves_last(const char *resource, const char *contention, double us)
{
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, demand: {%s: 50 %%}}]\n"
        "---\nscenario: s\ndevices: [{model: small, resources: {dram: {knee: 2}}}]\npolicies: [round_robin]\n"
        "contention: %s\nvms: [{name: a, workload: w}, {name: b, workload: w}]\n",
        1, 8, "device", resource, contention);
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, us * 1e3, 1e-2);
    if (!strcmp(resource, "dram")) {
        assert_near(estimate(results, 0, SMS_RESOURCE, 3, "usage_ratio").mean, 1, 1e-6);
        assert_near(estimate(results, 0, SMS_RESOURCE, 3, "delivered_ratio").mean, 1 / us, 1e-5);
    }
    discard(results, file);
}

static void under_a_knee_two_halves_slow_each_other(void **state)
{
    (void)state;
    assert_halves_last("dram", "knee", two_halves_us(2));
    assert_halves_last("fp32", "knee", 1);
}

static void the_model_s_exponent_is_for_resources_without_a_knee_of_their_own(void **state)
{
    (void)state;
    assert_halves_last("dram", "{model: knee, exponent: 4}", two_halves_us(2));
    assert_halves_last("fp32", "{model: knee, exponent: 4}", two_halves_us(4));
}

/* The kernels have full and partial waves, and use one resource or two, of an SM or of the device. */
static void under_a_knee_a_kernel_alone_lasts_as_measured(void **state)
{
    static const char *const kernels[] = {
        "blocks: 1, demand: {dram: 90 %}", "blocks: 4, demand: {dram: 40 %}", "blocks: 3, demand: {dram: 49 %}",
        "blocks: 7, demand: {l1: 48 %, dram: 20 %}", "blocks: 5, demand: {fp32: 50 %, dram: 30 %}"};
    static const double lasts_us[] = {1, 2, 2, 4, 3};
    (void)state;
    for (size_t i = 0; i < sizeof lasts_us / sizeof *lasts_us; i++) {
        struct two two = run_knee("knee", kernels[i], "blocks: 1");
        assert_near(estimate(two.results, 0, SMS_VM, 0, "end_ns").mean, lasts_us[i] * 1e3, 1e-2);
        discard(two.results, two.file);
    }
}

/* A demand above 100 % fills the resource. Its pressure can not be known, so only its work counts. */
static void under_a_knee_a_kernel_that_demands_too_much_takes_the_time_of_its_work(void **state)
{
    (void)state;
    struct two two = run_knee("knee", "blocks: 2, demand: {dram: 75 %}", "blocks: 2, demand: {dram: 50 %}");
    assert_near(estimate(two.results, 0, SMS_VM, 0, "end_ns").mean, 1500, 1e-2);
    assert_near(estimate(two.results, 0, SMS_VM, 1, "end_ns").mean, 11000, 1e-2);
    discard(two.results, two.file);
}

/* The limits allow four blocks on the SM, a hard resource only two. The block time was measured with four, so two are
 * faster. */
static void a_hard_resource_makes_blocks_under_a_knee_faster_by_making_them_fewer(void **state)
{
    (void)state;
    const double full = 1 / sqrt(1 - 0.64), half = sqrt(1 + pow(0.4 * full, 2));
    struct sms_file *file = load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 4, threads: 32, "
                                                   "block_time: 1 us, demand: {l1: 20 %%, slot: 1}}]\n"
                                                   "---\nscenario: s\ndevices: [{model: small, resources: {l1: {knee: "
                                                   "2}, slot: {class: compute, capacity: 2, hard: true}}}]\n"
                                                   "policies: [round_robin]\nvms: [{name: a, workload: w}]\n",
                                      1, 4, "device");
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 2 * half / full * 1e3, 1e-2);
    discard(results, file);
}

static void without_a_knee_the_model_is_proportional(void **state)
{
    static const char *const kernels[] = {"blocks: 6, demand: {fp32: 80 %, fp64: 70 %}",
                                          "blocks: 3, demand: {fp64: 130 %}"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct two knee = run_knee("knee", kernels[i], kernels[1 - i]);
        struct two proportional = run_knee("proportional", kernels[i], kernels[1 - i]);
        assert_same_metrics(knee.results, proportional.results, SMS_VM);
        assert_same_metrics(knee.results, proportional.results, SMS_RESOURCE);
        discard(knee.results, knee.file);
        discard(proportional.results, proportional.file);
    }
}

/* When the first tenant of the file's scenario ends, in us. Takes the file. */
static double ends_us(struct sms_file *file)
{
    struct sms_results *results = run_first(file, NULL);
    const double us = estimate(results, 0, SMS_VM, 0, "end_ns").mean / 1e3;
    discard(results, file);
    return us;
}

/* One SM that holds four blocks, whose fp32 two warps fill. Runs `blocks` blocks, which were measured so many at once.
 */
static double pipes_measured_us(int measured, int blocks, const char *demand)
{
    return ends_us(load_text(SMALL_DEVICE
                             "---\nworkload: w\nkernels: [{name: k, blocks: %d, measured_blocks: %d, threads: 32, "
                             "block_time: 1 us, demand: {%s}}]\n---\nscenario: s\n"
                             "devices: [{model: small, resources: {fp32: {warps: 2}, dram: {knee: 3}}}]\n"
                             "contention: pipes\npolicies: [round_robin]\nvms: [{name: a, workload: w}]\n",
                             1, 4, "device", blocks, measured, demand));
}

static double pipes_us(int blocks, const char *demand) { return pipes_measured_us(4, blocks, demand); }

/* Four blocks use 60 % and 48 % of two resources alone, so their latency is 0.64 of their time. */
static void under_pipes_latency_and_all_resources_add_up(void **state)
{
    (void)state;
    const double latency = sqrt(1 - 0.36 - 0.2304);
    assert_near(pipes_us(4, "fp64: 15 %, l1: 12 %"), 1, 1e-5);
    for (int blocks = 1; blocks < 4; blocks++)
        assert_near(pipes_us(blocks, "fp64: 15 %, l1: 12 %"), hypot(latency, blocks * hypot(0.15, 0.12)), 1e-5);
}

/* Both use l1, and a uses fp64 too: that slows a, not b. When a has ended, b goes on as it does alone. */
static void under_pipes_a_block_is_slowed_by_what_it_uses(void **state)
{
    (void)state;
    const double a = sqrt(1 - 0.36 - 0.25), b = sqrt(1 - 0.25), l1 = 0.5 / a + 0.5 / b;
    const double a_us = a * sqrt(1 + 0.36 / (a * a) + l1 * l1), b_us = b * sqrt(1 + l1 * l1);
    assert_true(a_us < b_us);
    assert_ends(run_two("pipes", "sm", "fp64: 60 %, l1: 50 %", "l1: 50 %"), a_us, a_us + 1 - a_us / b_us);
}

/* dram has a knee of 3. Alone it slows by 1/latency = (1 + x^3)^(1/3). */
static void under_pipes_a_resource_keeps_its_knee(void **state)
{
    (void)state;
    const double latency = cbrt(1 - 0.512), x = 0.8 / latency;
    assert_near(pipes_us(4, "dram: 20 %"), 1, 1e-5);
    assert_near(pipes_us(1, "dram: 20 %"), latency * cbrt(1 + pow(x / 4, 3)), 1e-5);
}

/* 64 SMs hold 256 blocks, of 0.39 % of dram's use each when they press most. Returns when 2048 have ended. */
static double grain_us(const char *contention, const char *jitter)
{
    return ends_us(load_text(SMALL_DEVICE
                             "---\nworkload: w\nkernels: [{name: k, blocks: 2048, threads: 32, block_time: 1 us%s, "
                             "demand: {dram: 20 %%}}]\n---\nscenario: s\ndevices: [{model: small}]\n"
                             "contention: %s\npolicies: [round_robin]\nvms: [{name: a, workload: w}]\n",
                             64, 4, "device", jitter, contention));
}

/* What blocks feel of dram is at most half a per cent too high, and not where all come and go together. */
static void under_pipes_small_falls_of_dram_are_not_followed(void **state)
{
    (void)state;
    const double exact = grain_us("{model: pipes, grain: 0}", ", jitter: 10 %"),
                 us = grain_us("pipes", ", jitter: 10 %");
    assert_true(us != exact && us > 0.999 * exact && us < 1.005 * exact);
    assert_near(grain_us("pipes", ""), 8, 1e-4);
    assert_true(grain_us("pipes", "") == grain_us("{model: pipes, grain: 0}", ""));
}

/* Two warps fill fp32, so one presses half of it at most, and four take (1 + 4)^(1/2) times as long as one at no load.
 */
static void a_warp_presses_no_more_than_its_part_of_those_that_fill_a_pipe(void **state)
{
    (void)state;
    assert_near(pipes_us(4, "fp32: 25 %"), 1, 1e-5);
    assert_near(pipes_us(1, "fp32: 25 %"), sqrt(1 + 0.25) / sqrt(5), 1e-5);
}

/* One warp uses more than half by itself: it does not wait for each result, so what it presses follows from its use.
 * The limit goes without a step. */
static void a_warp_that_uses_more_than_its_part_has_no_limit(void **state)
{
    (void)state;
    assert_near(pipes_measured_us(1, 1, "fp32: 60 %"), 1, 1e-5);
    assert_near(pipes_measured_us(1, 2, "fp32: 60 %"), sqrt(0.64 + 1.44), 1e-5);
    assert_near(pipes_measured_us(1, 1, "fp32: 50 %"), 1, 1e-5);
    assert_near(pipes_measured_us(1, 2, "fp32: 50 %"), sqrt(1 + 1) / sqrt(1 + 0.25), 1e-5);
    assert_near(pipes_measured_us(1, 2, "fp32: 50.01 %"), sqrt(1 + 1) / sqrt(1 + 0.25), 1e-3);
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
        cmocka_unit_test(pressure_grows_with_the_use_of_others_and_with_ones_own),
        cmocka_unit_test(pressure_does_not_slow_a_kernel_alone),
        cmocka_unit_test(maxmin_stops_all_users_of_a_full_resource_together),
        cmocka_unit_test(filling_is_feasible_and_no_user_can_gain_without_a_slower_one_losing),
        cmocka_unit_test(equal_users_count_as_many),
        cmocka_unit_test(kernels_as_wholes_share_the_resources_of_device_and_sm),
        cmocka_unit_test(slope_one_conserves_work),
        cmocka_unit_test(under_a_knee_two_halves_slow_each_other),
        cmocka_unit_test(the_model_s_exponent_is_for_resources_without_a_knee_of_their_own),
        cmocka_unit_test(under_a_knee_a_kernel_alone_lasts_as_measured),
        cmocka_unit_test(under_a_knee_a_kernel_that_demands_too_much_takes_the_time_of_its_work),
        cmocka_unit_test(a_hard_resource_makes_blocks_under_a_knee_faster_by_making_them_fewer),
        cmocka_unit_test(without_a_knee_the_model_is_proportional),
        cmocka_unit_test(under_pipes_latency_and_all_resources_add_up),
        cmocka_unit_test(under_pipes_a_block_is_slowed_by_what_it_uses),
        cmocka_unit_test(under_pipes_a_resource_keeps_its_knee),
        cmocka_unit_test(under_pipes_small_falls_of_dram_are_not_followed),
        cmocka_unit_test(a_warp_presses_no_more_than_its_part_of_those_that_fill_a_pipe),
        cmocka_unit_test(a_warp_that_uses_more_than_its_part_has_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
