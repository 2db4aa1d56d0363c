/* Tests which device is found for a profile, and what is assumed if the profile has only metrics. */
#include "derived.h"

static struct sms__device_match match(struct sms__arena *arena, const struct sms__profile *profile, const char *path)
{
    struct sms_load_options options = harness_options();
    return sms__derive_match_device(arena, profile, path, &options);
}

static void the_device_is_found_by_its_name(void **state)
{
    struct sms__profile_launch launch = launch_of("k", 0, 1);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms__arena arena = {0};
    (void)state;
    place(&launch)->device = "GeForce GTX 1080 Ti (0)";
    assert_string_equal(match(&arena, &profile, NULL).name, "gtx1080ti");
    place(&launch)->device = "Tesla V100-SXM2-16GB";
    assert_string_equal(match(&arena, &profile, NULL).name, "v100");
    place(&launch)->device = "Voodoo 2";
    assert_null(match(&arena, &profile, "a/v100.csv").name);
    assert_string_equal(match(&arena, &profile, NULL).problem, "no device file matches the name 'Voodoo 2'");
    sms__arena_release(&arena);
}

static void names_of_other_devices_are_no_names_of_this(void **state)
{
    static const char *const others[] = {"NVIDIA GeForce RTX 5070 Ti", "NVIDIA GeForce RTX 5070 Laptop GPU",
                                         "Quadro P1000", "Tesla V100S-PCIE-32GB", "NVIDIA RTX 50700"};
    struct sms__profile_launch launch = launch_of("k", 0, 1);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms__arena arena = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        profile.gpu = others[i];
        assert_null(match(&arena, &profile, NULL).name);
    }
    profile.gpu = "NVIDIA GB200";
    assert_string_equal(match(&arena, &profile, NULL).name, "gb200");
    sms__arena_release(&arena);
}

static void the_device_is_found_by_its_properties(void **state)
{
    struct sms__profile_metric metric = METRIC("# SMs", "SM", 148);
    struct sms__profile_launch launch = launch_of("k", 0, 1);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms__arena arena = {0};
    (void)state;
    assert_string_equal(match(&arena, &profile, "a100/my_v100-run.csv").name, "v100");
    assert_null(match(&arena, &profile, "a100/run.csv").name);
    place(&launch)->device = "0";
    profile.capability = "10.0";
    assert_null(match(&arena, &profile, "my_v100-run.csv").name);
    assert_string_equal(match(&arena, &profile, "b200.csv").name, "b200");
    assert_string_equal(match(&arena, &profile, "run.csv").problem,
                        "the profiled device has compute capability 10.0, and so do b200, gb200");
    launch.metric = &metric;
    launch.metrics = 1;
    assert_string_equal(match(&arena, &profile, "gb200.csv").name, "b200");
    profile.gpu_lines = "Name: NVIDIA RTX 5070\n";
    assert_string_equal(match(&arena, &profile, NULL).name, "rtx5070");
    profile.gpu_lines = NULL;
    profile.capability = "8.9";
    assert_string_equal(
        match(&arena, &profile, NULL).problem,
        "no device file has compute capability 8.9 and 148 SMs, as the profiled device does; the nearest "
        "is l40s");
    sms__arena_release(&arena);
}

/* 348 GB/s at half of the peak: an A40 has 696 GB/s, an A6000 768. */
static void devices_of_equal_size_are_told_apart_by_bandwidth(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("# SMs", "SM", 84), METRIC("DRAM Throughput", "%", 50),
                                           METRIC("Memory Throughput", "Gbyte/s", 348)};
    struct sms__profile_launch launch = launch_of("k", 0, 1);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms__arena arena = {0};
    (void)state;
    profile.capability = "8.6";
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    assert_string_equal(match(&arena, &profile, NULL).name, "a40");
    assert_string_equal(match(&arena, &profile, NULL).evidence,
                        "assumed: one of the device files with compute capability 8.6 and 84 SMs");
    metric[2].mean = 380;
    assert_string_equal(match(&arena, &profile, NULL).name, "a6000");
    assert_string_equal(match(&arena, &profile, "my-a40.csv").name, "a40");
    sms__arena_release(&arena);
}

/* 3200 warps of 1000 instructions, 2 per cycle on 28 SMs that are always busy, take 57142.9 cycles. */
static void metrics_alone_tell_geometry_and_time(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("inst_executed", "", 3200000), METRIC("inst_per_warp", "", 1000),
                                           METRIC("ipc", "", 2), METRIC("sm_efficiency", "%", 100),
                                           METRIC("achieved_occupancy", "", 0.37)};
    struct sms__profile_launch launch =
        with_shape((struct sms__profile_launch){.start_s = NAN, .duration_s = NAN, .count = 3},
                   (struct sms__profile_shape){.kernel = "k"});
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    const struct sms__kernel *kernel = &workload(&derived)->kernel[0];
    (void)state;
    assert_int_equal(kernel->blocks, 400);
    assert_int_equal(kernel->threads, 256);
    assert_int_equal(kernel->registers, 65); /* the least with which an SM holds 3 blocks, 37.5 % */
    assert_int_equal(workload(&derived)->steps, 1);
    assert_int_equal(workload(&derived)->step[0].times, 3);
    assert_non_null(strstr(derived.text, "time 36.121 us: 57143 cycles"));
    assert_non_null(strstr(derived.text, "Left out: 0. Assumed: 4 ("));
    release(&derived);
}

static void a_launch_without_a_time_gets_one(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("dram__bytes.sum", "Mbyte", 5),
                                           METRIC("dram__bytes.sum.per_second", "Gbyte/s", 250)};
    struct sms__profile_launch launch[2] = {launch_of("k", NAN, NAN), launch_of("k", NAN, NAN)};
    launch[0].metric = launch[1].metric = metric;
    launch[0].metrics = launch[1].metrics = 1;
    struct sms__profile profile = profile_of(launch, 2);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_int_equal(workload(&derived)->kernel[0].blocks, 448);
    assert_non_null(strstr(derived.text, "time 100 us: nominal, as no metric gives it"));
    assert_non_null(strstr(derived.text, "Left out: 0. Assumed: 1 ("));
    release(&derived);
    launch[0].metrics = 2;
    profile.launches = 1;
    derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_non_null(
        strstr(derived.text, "approximation: time from dram__bytes.sum x 1 B / dram__bytes.sum.per_second"));
    assert_near(workload(&derived)->kernel[0].block_time.value, 20e6 / 2, 1e3);
    release(&derived);
}

static void what_no_metric_tells_is_nominal(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("gld_efficiency", "%", 50), METRIC("dram_read_bytes", "", 1048576000),
                                           METRIC("dram_read_throughput", "GB/s", 97.65625)};
    struct sms__profile_launch launch =
        with_shape((struct sms__profile_launch){.start_s = NAN, .duration_s = NAN, .metric = metric},
                   (struct sms__profile_shape){.kernel = "k"});
    launch.metrics = 1;
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_int_equal(workload(&derived)->kernel[0].blocks, 28 * 8);
    assert_non_null(strstr(derived.text, "time 100 us: nominal, as no metric gives it"));
    release(&derived);
    launch.metrics = COUNT(metric);
    derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_non_null(strstr(derived.text, "time 10000.000 us: dram_read_bytes x 1 B / dram_read_throughput"));
    release(&derived);
}

/* 12.1 MB at half of 484 GB/s take 50 us; 28 x 79100 cycles summed over SMs take that at 1582 MHz. */
static void a_time_follows_from_bytes_and_share_or_from_cycles(void **state)
{
    static const char *const cycles[] = {"elapsed_cycles_pm", "sm__cycles_elapsed.sum"};
    struct sms__profile_metric metric[] = {METRIC("dram__bytes.sum", "Mbyte", 12.1),
                                           METRIC("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 50)};
    struct sms__profile_launch launch = launch_of("k", NAN, NAN);
    launch.metric = metric;
    launch.metrics = 2;
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_near(workload(&derived)->kernel[0].block_time.value, 50e6 / 2, 1e3);
    assert_says(&derived, "time from dram__bytes.sum over dram__throughput of the device's bandwidth");
    release(&derived);
    for (size_t i = 0; i < COUNT(cycles); i++) {
        metric[0] = (struct sms__profile_metric)METRIC(cycles[i], "", 28 * 79100);
        derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
        assert_near(workload(&derived)->kernel[0].block_time.value, 50e6 / 2, 1e3);
        release(&derived);
    }
}

static void a_nominal_time_makes_no_use_of_counts(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("dram__bytes.sum", "Mbyte", 24.2), METRIC("inst_fp_32", "", 1e6)};
    struct sms__profile_launch launch = launch_of("k", NAN, NAN);
    launch.metric = metric;
    launch.metrics = 2;
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_int_equal(workload(&derived)->kernel[0].demands, 0);
    assert_says(&derived, "time 100 us: nominal, as no metric gives it; counts of work say nothing of use");
    release(&derived);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_is_found_by_its_name),
        cmocka_unit_test(names_of_other_devices_are_no_names_of_this),
        cmocka_unit_test(the_device_is_found_by_its_properties),
        cmocka_unit_test(devices_of_equal_size_are_told_apart_by_bandwidth),
        cmocka_unit_test(metrics_alone_tell_geometry_and_time),
        cmocka_unit_test(a_launch_without_a_time_gets_one),
        cmocka_unit_test(a_time_follows_from_bytes_and_share_or_from_cycles),
        cmocka_unit_test(a_nominal_time_makes_no_use_of_counts),
        cmocka_unit_test(what_no_metric_tells_is_nominal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
