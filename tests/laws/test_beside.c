/* Coarse kernels beside each other: what launches wait for those of other processes, and the clock at the power limit.
 */
#include "tests/harness.h"

#define DEVICE                                                                                                         \
    "device: d\nclock: 1 GHz\nsms: 4\nmemory: 8 GiB\npower: {idle: 50 W, busy: 300 W, limit: 300 W}\n"                 \
    "sm: {threads: 1024, warps: 32, blocks: 16, registers: 32768, shared_memory: 48 KiB, "                             \
    "shared_memory_per_block: 48 KiB}\nresources: {fp32: {class: compute}}\n---\n"

#define WORKLOAD(name, kernel) "workload: " name "\nkernels: [{name: k, " kernel "}]\n---\n"

/* A and b are as long, b as often: both are done at the same time if they are slowed alike. Returns ms. */
static double turnaround_ms(const char *mode, const char *kernels, const char *processes)
{
    struct sms_file *file =
        load_text("%s%sscenario: s\ndevices: [{model: d}]\ncontention: none\npolicies: [{mode: %s}]\nprocesses: [%s]\n",
                  DEVICE, kernels, mode, processes);
    struct sms_results *results = run_first(file, NULL);
    double mean = estimate(results, 0, SMS_PROCESS, 0, "turnaround_ns").mean;
    discard(results, file);
    return mean / 1e6;
}

static const char *const same = WORKLOAD("w", "time: 10 ms, launches: 100");

static void each_other_process_lengthens_each_launch(void **state)
{
    (void)state;
    assert_near(turnaround_ms("{together: {launch_wait: 5 us}}", same, "{name: p, workload: w}"), 10, 1e-6);
    assert_near(turnaround_ms("{together: {launch_wait: 5 us}}", same, "{name: p, workload: w, count: 2}"), 10.5, 1e-6);
    assert_near(turnaround_ms("{mps: {launch_wait: 5 us}}", same, "{name: p, workload: w, count: 3}"), 11, 1e-6);
    assert_near(turnaround_ms("together", same, "{name: p, workload: w, count: 3}"), 10, 1e-6);
}

static void launches_of_one_process_do_not_wait_for_each_other(void **state)
{
    (void)state;
    assert_near(turnaround_ms("{together: {launch_wait: 5 us}}", same, "{name: p, workload: w, streams: 3}"), 10, 1e-6);
}

/* 250 W may be added to the idle device. Two of 160 W: the clock falls to the cube root of 250 / 320. */
static void the_clock_falls_at_the_power_limit(void **state)
{
    (void)state;
    const char *light = WORKLOAD("w", "time: 10 ms, power: 125 W"), *heavy = WORKLOAD("w", "time: 10 ms, power: 160 W");
    assert_near(turnaround_ms("together", light, "{name: p, workload: w, count: 2}"), 10, 1e-6);
    assert_near(turnaround_ms("together", heavy, "{name: p, workload: w, count: 2}"), 10 * cbrt(320. / 250), 1e-6);
    assert_near(turnaround_ms("time_slice", heavy, "{name: p, workload: w}"), 10, 1e-6);
}

/* Its time alone was measured at the clock that it has alone. */
static void a_kernel_alone_above_the_limit_is_as_fast_as_measured(void **state)
{
    (void)state;
    const char *hot = WORKLOAD("w", "time: 10 ms, power: 400 W");
    assert_near(turnaround_ms("together", hot, "{name: p, workload: w}"), 10, 1e-6);
    assert_near(turnaround_ms("together", hot, "{name: p, workload: w, count: 2}"), 10 * cbrt(2), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_other_process_lengthens_each_launch),
        cmocka_unit_test(launches_of_one_process_do_not_wait_for_each_other),
        cmocka_unit_test(the_clock_falls_at_the_power_limit),
        cmocka_unit_test(a_kernel_alone_above_the_limit_is_as_fast_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
