/* Coarse kernels beside each other: what launches wait for those of other processes, and the clock at the power limit.
 */
#include "tests/harness.h"

#define DEVICE                                                                                                         \
    "device: d\nclock: 1 GHz\nsms: 4\nmemory: 8 GiB\npower: {idle: 50 W, busy: 300 W, limit: 300 W}\n"                 \
    "sm: {threads: 1024, warps: 32, blocks: 16, registers: 32768, shared_memory: 48 KiB, "                             \
    "shared_memory_per_block: 48 KiB}\nresources: {fp32: {class: compute}}\n"                                          \
    "mig: {slices: 2, profiles: [{name: 1g, slices: 1, sms: 2, memory: 4 GiB, starts: [0, 1]}]}\n---\n"

#define WORKLOAD(name, kernel) "workload: " name "\nkernels: [{name: k, " kernel "}]\n---\n"

static double measure(const char *mode, const char *kernels, const char *processes, enum sms_subject subject,
                      const char *metric)
{
    struct sms_file *file =
        load_text("%s%sscenario: s\ndevices: [{model: d}]\ncontention: none\npolicies: [{mode: %s}]\nprocesses: [%s]\n",
                  DEVICE, kernels, mode, processes);
    struct sms_results *results = run_first(file, NULL);
    double mean = estimate(results, 0, subject, 0, metric).mean;
    discard(results, file);
    return mean;
}

/* A and b are as long, b as often: both are done at the same time if they are slowed alike. */
static double turnaround_ms(const char *mode, const char *kernels, const char *processes)
{
    return measure(mode, kernels, processes, SMS_PROCESS, "turnaround_ns") / 1e6;
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

/* Those that fill the SMs take turns, and so do their 160 W. With half of the room each, both run at once. One of 400 W
 * in turn with one of none draws 200 W, and so has a higher clock than alone. */
static void kernels_that_take_turns_for_room_draw_power_in_turn(void **state)
{
    (void)state;
    const char *full = WORKLOAD("w", "time: 10 ms, power: 160 W, room: 100 %");
    const char *half = WORKLOAD("w", "time: 10 ms, power: 160 W, room: 50 %");
    assert_near(turnaround_ms("together", full, "{name: p, workload: w, count: 2}"), 20, 1e-6);
    assert_near(turnaround_ms("together", half, "{name: p, workload: w, count: 2}"), 10 * cbrt(320. / 250), 1e-6);
    assert_near(turnaround_ms("together",
                              WORKLOAD("hot", "time: 10 ms, power: 400 W, room: 100 %")
                                  WORKLOAD("cold", "time: 10 ms, room: 100 %"),
                              "{name: p, workload: hot}, {name: q, workload: cold}"),
                20 * cbrt(250 / 400.), 1e-6);
}

/* On half of the SMs p takes 20 ms, of which it does 10 in 15 ms beside q, which takes all of the room: 12 of 25 ms. */
static void a_capped_kernel_takes_turns_with_one_that_fills_all_sms(void **state)
{
    static const char *const full = WORKLOAD("w", "time: 10 ms, demand: {fp32: 60 %}, room: 100 %");
    static const char *const capped = "{name: p, workload: w, active_threads: 50 %}, {name: q, workload: w}";
    (void)state;
    assert_near(turnaround_ms("mps", full, capped), 25, 1e-6);
    assert_near(measure("mps", full, capped, SMS_RESOURCE, "usage_ratio"), 12 / 25., 1e-9);
    assert_near(measure("mps", full, capped, SMS_HOST, "energy_j"), 25e-3 * 50 + 12e-3 * 250, 1e-6);
}

/* A GPU has one clock for all its instances. Each kernel has half of the room, and so all of it on its instance. */
static void instances_of_a_gpu_have_one_clock(void **state)
{
    static const char *const mig = "{mig: {instances: [1g, 1g]}}", *const two = "{name: p, workload: w, count: 2}";
    static const char *const heavy = WORKLOAD("w", "time: 10 ms, power: 160 W, room: 50 %");
    static const char *const slices = "{mig: {instances: [1g, 1g], inside: {time_slice: {slice: 1 ms, switch: 0 s}}}}";
    (void)state;
    assert_near(turnaround_ms(mig, heavy, "{name: p, workload: w}"), 10, 1e-6);
    assert_near(turnaround_ms(mig, heavy, two), 10 * cbrt(320. / 250), 1e-6);
    /* 5 ms alone, then the rest beside the second, which ends alone. */
    assert_near(turnaround_ms(mig, heavy, "{name: p, workload: w}, {name: q, workload: w, start: 5 ms}"),
                5 + 5 * cbrt(320. / 250), 1e-6);
    assert_near(turnaround_ms(slices, heavy, two), 10 * cbrt(320. / 250), 1e-6);
}

/* Each takes 20 ms on half of the SMs, and so draws half of its 240 W: 240 W together. */
static void a_kernel_on_fewer_sms_draws_as_much_less_as_it_takes_longer(void **state)
{
    static const char *const full = WORKLOAD("w", "time: 10 ms, power: 240 W, demand: {fp32: 100 %}");
    (void)state;
    assert_near(turnaround_ms("mps", full, "{name: p, workload: w, active_threads: 50 %, count: 2}"), 20, 1e-6);
    assert_near(turnaround_ms("{mig: {instances: [1g, 1g]}}", full, "{name: p, workload: w, count: 2}"), 20, 1e-6);
    assert_near(turnaround_ms("mps", full, "{name: p, workload: w, count: 2}"), 10 * cbrt(480. / 250), 1e-6);
}

/* Alone on the GPU its clock is the cube root of 250 / 400. On half of the SMs it draws 200 W, at the full clock. */
static void a_kernel_above_the_limit_has_a_higher_clock_on_fewer_sms(void **state)
{
    static const char *const hot = WORKLOAD("w", "time: 10 ms, power: 400 W, demand: {fp32: 100 %}");
    const double alone = 20 * cbrt(250 / 400.);
    (void)state;
    assert_near(turnaround_ms("mps", hot, "{name: p, workload: w, active_threads: 50 %}"), alone, 1e-6);
    assert_near(turnaround_ms("{mig: {instances: [1g, 1g]}}", hot, "{name: p, workload: w}"), alone, 1e-6);
    assert_near(turnaround_ms("mps", hot, "{name: p, workload: w, active_threads: 50 %, count: 2}"), 20, 1e-6);
    /* Measured there: 22 ms. */
    assert_near(turnaround_ms("mps", WORKLOAD("w", "time: {100 %: 10 ms, 50 %: 22 ms}, power: 400 W"),
                              "{name: p, workload: w, active_threads: 50 %}"),
                22, 1e-6);
}

/* The blocks of both are on the SMs half of the 20 ms, at full speed. */
static void kernels_that_take_turns_for_room_use_what_runs(void **state)
{
    static const char *const both = "{name: p, workload: w, count: 2}";
    static const char *const full = WORKLOAD("w", "time: 10 ms, demand: {fp32: 60 %}, room: 100 %");
    static const char *const loose = WORKLOAD("w", "time: 10 ms, demand: {fp32: 60 %}, room: 50 %");
    (void)state;
    assert_near(measure("mps", full, both, SMS_RESOURCE, "usage_ratio"), 0.6, 1e-9);
    assert_near(measure("mps", full, both, SMS_RESOURCE, "utilization_ratio"), 0.6, 1e-9);
    assert_near(measure("mps", full, both, SMS_RESOURCE, "delivered_ratio"), 0.6, 1e-9);
    assert_near(measure("mps", full, both, SMS_RESOURCE, "oversubscribed_time_ratio"), 0, 0);
    assert_near(measure("mps", full, both, SMS_KERNEL, "block_slowdown_ratio"), 1, 1e-9);
    assert_near(measure("mps", loose, both, SMS_RESOURCE, "usage_ratio"), 1.2, 1e-9);
    assert_near(measure("mps", loose, both, SMS_RESOURCE, "utilization_ratio"), 1, 1e-9);
    /* The second starts at 4 ms and both take turns until the first has its other 6 ms: at 16 ms. Then it is alone. */
    static const char *const later = "{name: p, workload: w}, {name: q, workload: w, start: 4 ms}";
    assert_near(measure("mps", full, later, SMS_RESOURCE, "usage_ratio"), 0.6, 1e-9);
    assert_near(measure("mps", full, later, SMS_KERNEL, "block_slowdown_ratio"), 1, 1e-9);
    assert_near(measure("mps", full, later, SMS_HOST, "makespan_ns"), 20e6, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_other_process_lengthens_each_launch),
        cmocka_unit_test(launches_of_one_process_do_not_wait_for_each_other),
        cmocka_unit_test(the_clock_falls_at_the_power_limit),
        cmocka_unit_test(a_kernel_alone_above_the_limit_is_as_fast_as_measured),
        cmocka_unit_test(kernels_that_take_turns_for_room_draw_power_in_turn),
        cmocka_unit_test(kernels_that_take_turns_for_room_use_what_runs),
        cmocka_unit_test(a_capped_kernel_takes_turns_with_one_that_fills_all_sms),
        cmocka_unit_test(instances_of_a_gpu_have_one_clock),
        cmocka_unit_test(a_kernel_on_fewer_sms_draws_as_much_less_as_it_takes_longer),
        cmocka_unit_test(a_kernel_above_the_limit_has_a_higher_clock_on_fewer_sms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
