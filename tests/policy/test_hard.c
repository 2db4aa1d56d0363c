/* Resources with a capacity, and those that are hard. */
#include "decisions.h"

/* SMs of `slots` hard slots, and what is left of the scenario: kernels, then VMs. */
#define SCENARIO                                                                                                       \
    "device: gpu\nclock: 1 GHz\nsms: %d\nsm: {threads: 2048, warps: 64, blocks: 64, registers: 65536}\n"               \
    "resources: {slots: {class: compute, capacity: %d, hard: true}, regs: {class: compute, capacity: 10, hard: true}," \
    " fp32: {class: compute, capacity: 100}, fp64: {class: compute}, dram: {class: memory, scope: device}}\n"          \
    "---\nworkload: a\nkernels: [{name: k, blocks: %d, threads: 32, block_time: 1 us, demand: {%s}}]\n"                \
    "---\nworkload: b\nkernels: [{name: k, blocks: %d, threads: 32, block_time: 1 us, demand: {%s}}]\n"                \
    "---\nscenario: s\ndevices: [{model: gpu}]\n"                                                                      \
    "contention: {model: curve, curves: {slots: [[1, 0.5]], regs: [[1, 0.25]], fp32: [[1, 1]], fp64: [[1, 2]]}}\n"     \
    "queue: fifo\n"                                                                                                    \
    "policies: [round_robin, round_robin_full, breadth_first, depth_first, {utilization_aware: {limit: 150 %%}},"      \
    " {fine_grained: {limit: 150 %%}}]\nvms: [{name: a, workload: a}, {name: b, workload: b}]\n"

/* The placements at time 0: those of `a` (blocks x demand), then those of `b`. */
static struct log decide(const char *policy, int sms, int slots, int a, const char *of_a, int b, const char *of_b)
{
    struct sms_file *file = load_text(SCENARIO, sms, slots, a, of_a, b, of_b);
    struct log log = decisions_of(file, policy);
    sms_file_free(file);
    return log;
}

/* A seventh is no whole number of parts: rounded up, seven of them would be too much. */
static void as_many_units_fit_as_there_are(void **state)
{
    (void)state;
    struct log log = decide("round_robin", 1, 7, 9, "slots: 1", 1, "slots: 1");
    assert_placed(&log, 8, (const long[]){0, 0, 0, 0, 0, 0, 0, -1});
    assert_non_null(strstr(log.reasons, "slots"));
    log = decide("round_robin", 1, 7, 2, "slots: 3", 1, "slots: 1");
    assert_placed(&log, 3, (const long[]){0, 0, 0});
    log = decide("round_robin", 1, 7, 2, "slots: 3", 1, "slots: 2");
    assert_placed(&log, 3, (const long[]){0, 0, -1});
}

static void shares_and_counts_of_a_resource_mix(void **state)
{
    (void)state;
    struct log log = decide("round_robin", 1, 8, 2, "slots: 25 %", 3, "slots: 2");
    assert_placed(&log, 5, (const long[]){0, 0, 0, 0, -1});
}

/* More than the 16 that a share may be: 20 of 64 units. */
static void a_scenario_gives_a_device_a_resource_that_kernels_count(void **state)
{
    struct sms_file *file = load_text("workload: w\nkernels: [{name: k, blocks: 4, threads: 32, block_time: 1 us, "
                                      "demand: {rays: 20}}]\n---\nscenario: s\ndevices: [{model: v100, sms: 1, "
                                      "dispatch: {launch: 0 us, block: 0 us}, "
                                      "resources: {rays: {class: compute, capacity: 64, hard: true}}}]\n"
                                      "policies: [round_robin]\nvms: [{name: a, workload: w}]\n");
    struct log log = decisions_of(file, "round_robin");
    (void)state;
    assert_placed(&log, 4, (const long[]){0, 0, 0, -1});
    sms_file_free(file);
}

static void a_hard_resource_binds_under_every_policy(void **state)
{
    static const char *const policies[] = {"round_robin", "round_robin_full",  "breadth_first",
                                           "depth_first", "utilization_aware", "fine_grained"};
    (void)state;
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        struct log log = decide(policies[p], 2, 8, 4, "slots: 4", 1, "slots: 1");
        size_t placed = 0;
        for (size_t i = 0; i < log.count; i++)
            placed += log.sm[i] >= 0;
        assert_int_equal(placed, 4);
    }
}

static void round_robin_passes_over_a_full_sm(void **state)
{
    (void)state;
    struct log log = decide("round_robin", 3, 8, 1, "slots: 8", 5, "slots: 2");
    assert_placed(&log, 6, (const long[]){0, 1, 2, 1, 2, 1});
}

static void round_robin_full_stays_until_an_sm_is_full(void **state)
{
    (void)state;
    struct log log = decide("round_robin_full", 3, 8, 1, "slots: 3", 4, "slots: 4");
    assert_placed(&log, 5, (const long[]){0, 0, 1, 1, 2});
}

static void breadth_and_depth_first_look_at_hard_resources(void **state)
{
    (void)state;
    struct log log = decide("breadth_first", 3, 8, 1, "slots: 1, regs: 9", 2, "slots: 1, regs: 1");
    assert_placed(&log, 3, (const long[]){0, 1, 2});
    log = decide("depth_first", 3, 8, 1, "slots: 1, regs: 9", 3, "slots: 1, regs: 1");
    assert_placed(&log, 4, (const long[]){0, 0, 1, 1});
}

static void fine_grained_fills_each_resource_to_its_limit(void **state)
{
    (void)state;
    struct log log = decide("fine_grained", 1, 8, 2, "slots: 1, fp32: 75", 1, "slots: 1, fp64: 150 %");
    assert_placed(&log, 3, (const long[]){0, 0, 0});
    log = decide("fine_grained", 1, 8, 2, "slots: 1, fp32: 76", 1, "slots: 1");
    assert_placed(&log, 2, (const long[]){0, -1});
}

static void utilization_aware_adds_up_what_a_class_uses_most_of(void **state)
{
    (void)state;
    struct log log = decide("utilization_aware", 1, 8, 1, "slots: 1, fp32: 75", 1, "slots: 1, fp64: 75 %");
    assert_placed(&log, 2, (const long[]){0, 0});
    log = decide("utilization_aware", 1, 8, 1, "slots: 1, fp32: 75", 1, "slots: 1, fp64: 76 %");
    assert_placed(&log, 2, (const long[]){0, -1});
}

static void the_head_of_the_line_holds_up_what_would_fit(void **state)
{
    (void)state;
    struct log log = decide("breadth_first", 1, 8, 2, "slots: 5", 1, "slots: 1");
    assert_placed(&log, 2, (const long[]){0, -1});
}

/* One block that fills both hard resources and half of FP32: 50 % + 25 %, and FP32's 50 % on top. */
static void overheads_of_hard_resources_add_up(void **state)
{
    (void)state;
    struct sms_file *file = load_text(SCENARIO, 1, 8, 1, "slots: 8, regs: 10, fp32: 50, fp64: 20 %", 1, "slots: 8");
    struct sms_run_options options = sms_run_defaults();
    options.policies = (const char *const[]){"round_robin", NULL};
    options.alone = false;
    struct sms_results *results = run_first(file, &options);
    assert_near(estimate(results, 0, SMS_VM, 0, "block_slowdown_ratio").mean, 1 + 0.5 + 0.25 + 0.5, 1e-6);
    assert_near(estimate(results, 0, SMS_VM, 1, "block_slowdown_ratio").mean, 1 + 0.5, 1e-6);
    discard(results, file);
}

static void a_curve_may_start_at_0(void **state)
{
    const double usage[] = {0, 0.5, 1}, overhead[] = {0.1, 0.2, 0.6};
    const struct sms_curve curve = {3, usage, overhead};
    (void)state;
    assert_near(sms_curve_at(&curve, 0), 0.1, 1e-12);
    assert_near(sms_curve_at(&curve, 0.25), 0.15, 1e-12);
    assert_near(sms_curve_at(&curve, 2), 1.4, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_units_fit_as_there_are),
        cmocka_unit_test(shares_and_counts_of_a_resource_mix),
        cmocka_unit_test(a_scenario_gives_a_device_a_resource_that_kernels_count),
        cmocka_unit_test(a_hard_resource_binds_under_every_policy),
        cmocka_unit_test(round_robin_passes_over_a_full_sm),
        cmocka_unit_test(round_robin_full_stays_until_an_sm_is_full),
        cmocka_unit_test(breadth_and_depth_first_look_at_hard_resources),
        cmocka_unit_test(fine_grained_fills_each_resource_to_its_limit),
        cmocka_unit_test(utilization_aware_adds_up_what_a_class_uses_most_of),
        cmocka_unit_test(the_head_of_the_line_holds_up_what_would_fit),
        cmocka_unit_test(overheads_of_hard_resources_add_up),
        cmocka_unit_test(a_curve_may_start_at_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
