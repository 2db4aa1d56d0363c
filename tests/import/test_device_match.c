/* Tests which device is found for a profile, and from what the time of a launch follows that has none. */
#include "derived.h"

static struct sms__device_match match(struct sms__arena *arena, const struct sms__profile *profile)
{
    struct sms_load_options options = harness_options();
    return sms__derive_match_device(arena, profile, &options);
}

static void the_device_is_found_by_its_name(void **state)
{
    struct sms__profile_launch launch = launch_of("k", 0, 1);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms__arena arena = {0};
    (void)state;
    place(&launch)->device = "GeForce GTX 1080 Ti (0)";
    assert_string_equal(match(&arena, &profile).name, "gtx1080ti");
    place(&launch)->device = "Tesla V100-SXM2-16GB";
    assert_string_equal(match(&arena, &profile).name, "v100");
    place(&launch)->device = "Voodoo 2";
    assert_null(match(&arena, &profile).name);
    assert_string_equal(match(&arena, &profile).problem, "no device file matches the name 'Voodoo 2'");
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
        assert_null(match(&arena, &profile).name);
    }
    profile.gpu = "NVIDIA GB200";
    assert_string_equal(match(&arena, &profile).name, "gb200");
    sms__arena_release(&arena);
}

static void the_device_is_found_by_its_properties(void **state)
{
    struct sms__profile_metric metric = METRIC("# SMs", "SM", 148);
    struct sms__profile_launch launch = launch_of("k", 0, 1);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms__arena arena = {0};
    (void)state;
    place(&launch)->device = "0";
    assert_true(match(&arena, &profile).no_evidence);
    profile.capability = "7.5";
    assert_string_equal(match(&arena, &profile).problem,
                        "the profiled device has compute capability 7.5, and so do rtx2080ti, t4");
    launch.metric = &metric;
    launch.metrics = 1;
    metric.mean = 40;
    assert_string_equal(match(&arena, &profile).name, "t4");
    metric.mean = 148;
    profile.gpu_lines = "Name: NVIDIA RTX 5070\n";
    assert_string_equal(match(&arena, &profile).name, "rtx5070");
    profile.gpu_lines = NULL;
    profile.capability = "8.9";
    assert_string_equal(
        match(&arena, &profile).problem,
        "no device file has compute capability 8.9 and 148 SMs, as the profiled device does; the nearest "
        "is l40s");
    sms__arena_release(&arena);
}

static void devices_of_equal_size_are_not_guessed(void **state)
{
    struct sms__profile_metric metric = METRIC("# SMs", "SM", 84);
    struct sms__profile_launch launch = launch_of("k", 0, 1);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms__arena arena = {0};
    (void)state;
    profile.capability = "8.6";
    launch.metric = &metric;
    launch.metrics = 1;
    assert_null(match(&arena, &profile).name);
    assert_string_equal(match(&arena, &profile).problem,
                        "the profiled device has compute capability 8.6 and 84 SMs, and so do a40, a6000");
    sms__arena_release(&arena);
}

static void a_time_follows_from_bytes_and_their_rate(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("dram__bytes.sum", "Mbyte", 5),
                                           METRIC("dram__bytes.sum.per_second", "Gbyte/s", 250)};
    struct sms__profile_launch launch = launch_of("k", NAN, NAN);
    launch.metric = metric;
    launch.metrics = 2;
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_says(&derived, "approximation: time from dram__bytes.sum x 1 B / dram__bytes.sum.per_second");
    assert_near(workload(&derived)->kernel[0].block_time.value, 20e6 / 2, 1e3);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_is_found_by_its_name),
        cmocka_unit_test(names_of_other_devices_are_no_names_of_this),
        cmocka_unit_test(the_device_is_found_by_its_properties),
        cmocka_unit_test(devices_of_equal_size_are_not_guessed),
        cmocka_unit_test(a_time_follows_from_bytes_and_their_rate),
        cmocka_unit_test(a_time_follows_from_bytes_and_share_or_from_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
