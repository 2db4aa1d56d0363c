/* Tests what the library of workloads depends on: iterations, classes, and tables without units. */
#include "derived.h"

/* A table of chosen columns has no units. */
static void nsight_computes_ratios_are_percentages_without_a_unit(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("SOL FB", "", 40), METRIC("Achieved Occupancy", "", 99),
                                           METRIC("issue_slot_utilization", "", 0.5), METRIC("sm_activity", "", 1)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_near(demand(&derived, 0, "dram"), 0.40 / 8, 1e-5);
    assert_near(demand(&derived, 0, "issue"), 0.50 / 8, 1e-5);
    assert_says(&derived, "achieved 99.00 %");
    release(&derived);
}

/* Six launches of `a`, two of `b`, and one of `c`, which takes a negligible time, are two iterations. */
static void an_iteration_is_the_launches_alone(void **state)
{
    struct sms__profile_launch launch[9];
    for (size_t l = 0; l < COUNT(launch); l++)
        launch[l] = launch_of(l == 8 ? "c" : l % 4 == 3 ? "b" : "a", 200.0 * (double)l, l == 8 ? 0.5 : 100);
    struct sms__profile_copy copy[] = {{-10e-6, 1e-6, 4096, true, 1}, {5e-3, 1e-6, 512, false, 2}};
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    profile.copy = copy;
    profile.copies = COUNT(copy);
    struct sms__derive_options options = {.name = "set/w", .title = "A \"title\"", .iteration = true};
    struct derived derived = derive(&profile, options, NULL);
    const struct sms__workload *made = workload(&derived);
    (void)state;
    assert_string_equal(made->name, "set/w");
    assert_int_equal(made->steps, 3);
    for (size_t s = 0; s < 3; s++) {
        assert_int_equal(made->step[s].kind, SMS__LAUNCH);
        assert_int_equal(made->step[s].kernel, s);
        assert_int_equal(made->step[s].times, s ? 1 : 3);
    }
    assert_says(&derived, "one of 2 iterations; left out of the whole run: 4096 B copied in, 512 B copied out");
    release(&derived);
}

static void a_class_is_of_what_is_used_on_average(void **state)
{
    static const char *const words[] = {"memory", "mixed", "compute", "latency"};
    static const double dram[] = {80, 65, 49, 49}, issue[] = {60, 70, 60, 40};
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        struct sms__profile_metric metric[] = {
            METRIC("DRAM Throughput", "%", dram[i]),
            METRIC("sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "%", issue[i])};
        struct sms__profile_launch launch = launch_of("k", 0, 100);
        launch.metric = metric;
        launch.metrics = COUNT(metric);
        struct sms__profile profile = profile_of(&launch, 1);
        struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
        struct sms__class found;
        struct sms__arena arena = {0};
        assert_true(sms__derive_class(&arena, derived.models->device[0], &workload(&derived)->kernel[0], &found));
        assert_string_equal(sms__class_names[found.bottleneck], words[i]);
        assert_near(found.use[sms__resource_index(derived.models->device[0], "dram")], dram[i] / 100, 1e-3);
        sms__arena_release(&arena);
        release(&derived);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nsight_computes_ratios_are_percentages_without_a_unit),
        cmocka_unit_test(an_iteration_is_the_launches_alone),
        cmocka_unit_test(a_class_is_of_what_is_used_on_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
