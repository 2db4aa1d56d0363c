/* Tests what is derived from profiles made by hand. The document must load, whatever the profile contains. */
#include "derived.h"

#include <gsl/gsl_rng.h>

static void two_waves_share_the_time_and_the_use(void **state)
{
    struct sms__profile_metric metric[] = {
        METRIC("sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed", "%", 60),
        METRIC("DRAM Throughput", "%", 40), METRIC("Achieved Occupancy", "%", 99)};
    struct sms__profile_launch launch = launch_of("void ns::axpy<float>(int, float*)", 0, 100);
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "my run"}, NULL);
    const struct sms__kernel *kernel = &workload(&derived)->kernel[0];
    (void)state;
    assert_string_equal(workload(&derived)->name, "my_run");
    assert_string_equal(workload(&derived)->source, "ncu");
    assert_string_equal(workload(&derived)->device, "gtx1080ti");
    assert_string_equal(kernel->name, "axpy");
    assert_int_equal(kernel->blocks, 448);
    assert_near(kernel->block_time.value, 50e6, 1);
    assert_near(demand(&derived, 0, "fp32"), 0.60 / 8, 1e-5);
    assert_near(demand(&derived, 0, "dram"), 0.40 / 8, 1e-5);
    assert_says(&derived, "bottleneck: compute (fp32)");
    assert_says(&derived, ", l2; no demand");
    release(&derived);
}

/* 50 and 60 % are 7.07 of 55 %; a single launch shows no spread, and one without the metrics changes none. */
static void launches_that_differ_tell_the_error_of_demands(void **state)
{
    struct sms__profile_metric first[] = {
        METRIC("sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed", "%", 50),
        METRIC("DRAM Throughput", "%", 40)};
    struct sms__profile_metric second[] = {
        METRIC("sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed", "%", 60),
        METRIC("DRAM Throughput", "%", 40)};
    struct sms__profile_metric other = METRIC("Block Limit Warps", "block", 8);
    struct sms__profile_launch launch[] = {launch_of("k", 0, 100), launch_of("k", 200, 100), launch_of("k", 400, 100)};
    launch[0].metric = first;
    launch[1].metric = second;
    launch[2].metric = &other;
    launch[0].metrics = launch[1].metrics = COUNT(first);
    launch[2].metrics = 1;
    (void)state;
    for (size_t launches = 1; launches <= COUNT(launch); launches++) {
        struct sms__profile profile = profile_of(launch, launches);
        struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
        if (launches >= 2)
            assert_says(&derived, "\nuncertainty: {fp32: 12.9 %, dram: 0.1 %}\n");
        assert_int_equal(workload(&derived)->uncertainties, launches >= 2 ? 2 : 0);
        release(&derived);
    }
}

/* nvprof joins its table by kernel with the launches of its trace: these differ in time alone. */
static void launches_that_share_a_mean_tell_no_error(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("dram_read_transactions", "", 300000),
                                           METRIC("dram_write_transactions", "", 40000)};
    struct sms__profile_launch launch[] = {launch_of("k", 0, 90), launch_of("k", 200, 100), launch_of("k", 400, 120)};
    for (size_t l = 0; l < COUNT(launch); l++) {
        launch[l].metric = metric;
        launch[l].metrics = COUNT(metric);
    }
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_true(demand(&derived, 0, "dram") > 0);
    assert_int_equal(workload(&derived)->uncertainties, 0);
    release(&derived);
}

/* `Memory Throughput` is both a percentage and a rate. The rate is of dram, which has 484 GB/s. */
static void one_name_with_two_units_is_told_apart(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("Memory Throughput", "%", 90),
                                           METRIC("Memory Throughput", "Gbyte/second", 242)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_near(demand(&derived, 0, "dram"), 0.5 / 8, 1e-5);
    release(&derived);
}

static void a_count_comes_before_a_rate_and_a_level(void **state)
{
    double bytes = 0.25 * 484e9 * 100e-6;
    struct sms__profile_metric metric[] = {METRIC("dram_read_throughput", "GB/s", 400),
                                           METRIC("dram_write_throughput", "GB/s", 10), LEVEL("dram_utilization", 9),
                                           METRIC("dram_read_transactions", "", bytes / 32),
                                           METRIC("dram_write_transactions", "", 0)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    struct sms__profile profile = profile_of(&launch, 1);
    (void)state;
    launch.metric = metric;
    const double use[] = {0.25, 410 * 1073741824.0 / 484e9, 0.77};
    for (size_t i = 0; i < COUNT(use); i++) {
        launch.metrics = i == 0 ? 5 : 3;
        launch.metric = i == 2 ? metric + 2 : metric;
        launch.metrics = i == 2 ? 1 : launch.metrics;
        struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
        assert_near(demand(&derived, 0, "dram"), use[i] / 8, 1e-5);
        release(&derived);
    }
}

/* 300 blocks are a wave of 224 and one of 76. A mean usage of 90 % would need more than 100 % in the full wave. */
static void demands_never_oversubscribe_the_kernel_alone(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("SOL TEX", "%", 90)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    shape(&launch)->grid[0] = 300;
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_near(demand(&derived, 0, "l1"), 1.0 / 8, 1e-9);
    assert_says(&derived, "clamped: l1");
    release(&derived);
}

static void geometries_are_kernels_and_names_are_unique(void **state)
{
    struct sms__profile_launch launch[] = {launch_of("f(int)", 0, 10), launch_of("f(int)", 20, 30),
                                           launch_of("f(int)", 60, 10), launch_of("f(float)", 80, 10)};
    shape(&launch[1])->block[0] = 128;
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_int_equal(workload(&derived)->kernels, 3);
    assert_string_equal(workload(&derived)->kernel[0].name, "f");
    assert_string_equal(workload(&derived)->kernel[1].name, "f_2");
    assert_string_equal(workload(&derived)->kernel[2].name, "f_3");
    assert_int_equal(workload(&derived)->kernel[1].threads, 128);
    release(&derived);
}

static void gaps_are_host_time_and_copies_keep_their_place(void **state)
{
    struct sms__profile_launch launch[] = {launch_of("a", 20, 10), launch_of("a", 35, 10), launch_of("a", 50, 10),
                                           launch_of("b", 61, 10)};
    struct sms__profile_copy copy[] = {{.to_device = true, .bytes = 4096, .start_s = 0, .duration_s = 10e-6},
                                       {.to_device = false, .bytes = 64, .start_s = 80e-6, .duration_s = 1e-6}};
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    profile.copy = copy;
    profile.copies = COUNT(copy);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    const double link_speed = 0.012; /* bytes per ps */
    const struct sms__step *step = workload(&derived)->step;
    (void)state;
    assert_int_equal(workload(&derived)->steps, 8);
    assert_int_equal(step[0].kind, SMS__COPY_IN);
    assert_near(step[0].amount, 4096, 0);
    assert_int_equal(step[1].kind, SMS__HOST);
    assert_near(step[1].amount, 10e6 + 10e6 - 4096 / link_speed, 10); /* and what the link does not need */
    assert_int_equal(step[2].times, 3);
    assert_near(step[3].amount, (5 + 5 + 1) * 1e6, 10);
    assert_int_equal(step[4].kernel, 1);
    assert_near(step[5].amount, 9e6, 10);
    assert_int_equal(step[6].kind, SMS__COPY_OUT);
    assert_near(step[7].amount, 1e6 - 64 / link_speed, 10);
    release(&derived);
}

enum { MANY = 3000 };

static struct sms__profile_launch *alternating(const char *const *name, const size_t *pick, size_t count)
{
    struct sms__profile_launch *launch = calloc(count, sizeof *launch);
    for (size_t i = 0; i < count; i++)
        launch[i] = launch_of(name[pick[i]], 12.0 * (double)i, 10);
    return launch;
}

static void a_long_sequence_of_rounds_becomes_one_round(void **state)
{
    static const char *const name[] = {"a", "b", "c"};
    size_t pick[MANY];
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        pick[i] = i % 3;
    struct sms__profile_launch *launch = alternating(name, pick, MANY);
    struct sms__profile profile = profile_of(launch, MANY);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_int_equal(workload(&derived)->steps, 6);
    assert_says(&derived, "one of 1000 equal rounds");
    release(&derived);
    free(launch);
}

static void a_long_sequence_without_rounds_keeps_its_sums(void **state)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g"};
    size_t pick[MANY], times[7] = {0};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        times[pick[i] = gsl_rng_uniform_int(rng, 7)]++;
    struct sms__profile_launch *launch = alternating(name, pick, MANY);
    struct sms__profile profile = profile_of(launch, MANY);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_int_equal(workload(&derived)->steps, 8);
    for (size_t s = 0; s < 7; s++) {
        const char *kernel = workload(&derived)->kernel[workload(&derived)->step[s].kernel].name;
        assert_int_equal(workload(&derived)->step[s].times, times[kernel[0] - 'a']);
    }
    assert_near(workload(&derived)->step[7].amount, 2.0 * (MANY - 1) * 1e6, 1000);
    assert_says(&derived, "their order is lost");
    gsl_rng_free(rng);
    release(&derived);
    free(launch);
}

static void launches_on_another_device_are_left_out(void **state)
{
    struct sms__profile_launch launch[] = {launch_of("a", 0, 10), launch_of("b", 5, 10)};
    place(&launch[0])->device = "GeForce GTX 1080 Ti (0)";
    place(&launch[1])->device = "GeForce GTX 1080 Ti (1)";
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_int_equal(workload(&derived)->kernels, 1);
    assert_says(&derived, "left out: line 7: 'b': on another device");
    release(&derived);
}

/* One symbol with thousands of geometries. The document counts those beyond 4096 as left out. */
static void thousands_of_kernels_are_named_and_bounded(void **state)
{
    struct sms__profile_launch *launch = calloc(5000, sizeof *launch);
    struct sms__profile_metric metric = METRIC("achieved_occupancy", "", 0.3);
    (void)state;
    for (size_t i = 0; i < 5000; i++) {
        launch[i] = launch_of("k<int>", 20.0 * (double)i, 10);
        shape(&launch[i])->grid[0] = i + 1;
        launch[i].metric = &metric;
        launch[i].metrics = 1;
    }
    struct sms__profile profile = profile_of(launch, 5000);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_int_equal(workload(&derived)->kernels, 4096);
    assert_string_equal(workload(&derived)->kernel[4095].name, "k_4096");
    assert_says(&derived, "Left out: 904.");
    assert_says(&derived, "more than 4096 kernels");
    release(&derived);
    free(launch);
}

/* 9 and 11 us: 10 % of 10 us. */
static void the_spread_of_durations_is_jitter(void **state)
{
    struct sms__profile_launch launch[20];
    (void)state;
    for (size_t i = 0; i < 20; i++)
        launch[i] = launch_of("k", 20.0 * (double)i, i % 2 ? 9 : 11);
    struct sms__profile profile = profile_of(launch, 20);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_near(workload(&derived)->kernel[0].jitter, 0.1, 0.002);
    release(&derived);
}

/* One full wave that is half empty on average, so its blocks must end at different times. */
static void low_occupancy_of_one_wave_is_jitter(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("achieved_occupancy", "", 0.70)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    shape(&launch)->grid[0] = 224;
    launch.metric = metric;
    launch.metrics = 1;
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    const struct sms__kernel *kernel = &workload(&derived)->kernel[0];
    (void)state;
    assert_true(kernel->jitter > 0.15 && kernel->jitter < 0.45);
    /* The longest of 224 uniform blocks takes about the measured time. */
    assert_near(kernel->block_time.value * (1 + sqrt(3) * kernel->jitter), 100e6, 2e6);
    release(&derived);
}

static void another_device_scales_each_part_of_the_time_by_itself(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("DRAM Throughput", "%", 80), METRIC("SM Frequency", "hz", 1582e6)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    shape(&launch)->grid[0] = 28 * 80 * 8;
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived here = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    struct derived there = derive(&profile, (struct sms__derive_options){.name = "w"}, "v100");
    double ratio =
        there.file->workload[0]->kernel[0].block_time.value / here.file->workload[0]->kernel[0].block_time.value;
    (void)state;
    /* 80 % of the time by bandwidth, 20 % by clock and waves: 80 on 28 SMs, 28 on 80. */
    double time = 0.8 * 484 / 900 + 0.2 * 1582 / 1530 * 28 / 80;
    assert_near(ratio, time * 80 / 28, 1e-4);
    assert_near(demand(&there, 0, "dram"), demand(&here, 0, "dram") * (484.0 / 28) / (900.0 / 80) / ratio, 1e-5);
    assert_string_equal(workload(&there)->device, "v100");
    assert_says(&there, "Measured on gtx1080ti, scaled to v100");
    assert_says(&there, "how far off is not known: no kernel was held back on both devices");
    metric[0].mean = 0; /* all of it is latency, so the clock decides */
    struct derived slow = derive(&profile, (struct sms__derive_options){.name = "w"}, "v100");
    ratio = slow.file->workload[0]->kernel[0].block_time.value / here.file->workload[0]->kernel[0].block_time.value;
    assert_near(ratio, 1582.0 / 1530, 1e-4);
    struct derived slower =
        derive(&profile, (struct sms__derive_options){.name = "w", .clock_hz = 791e6}, NULL); /* half the clock */
    ratio = slower.file->workload[0]->kernel[0].block_time.value / here.file->workload[0]->kernel[0].block_time.value;
    assert_near(ratio, 2, 1e-4);
    assert_says(&slower, "Times are those at an SM clock of 791 MHz");
    release(&slower);
    release(&here);
    release(&there);
    release(&slow);
}

static void what_cannot_be_used_is_refused_by_line(void **state)
{
    struct sms__profile_launch launch[] = {launch_of("none", 0, 0), launch_of("grid", 0, 10), launch_of("big", 0, 10),
                                           launch_of("shared", 0, 10)};
    shape(&launch[1])->grid[0] = 0;
    shape(&launch[2])->block[0] = 2048;
    shape(&launch[3])->static_shared = 1e6;
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w", .path = "p.csv"}, NULL);
    (void)state;
    assert_int_equal(derived.code, SMS_EINPUT);
    assert_int_equal(derived.errors.count, 5);
    assert_non_null(strstr(derived.errors.item[0].message, "'none': a duration of zero"));
    assert_int_equal(derived.errors.item[0].line, 7);
    assert_non_null(strstr(derived.errors.item[1].message, "no grid or block size"));
    assert_string_equal(derived.errors.item[0].file, "p.csv");
    release(&derived);
    profile.launches = 0;
    derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_int_equal(derived.errors.count, 1);
    release(&derived);
}

/* Arbitrary profiles: values at the ends of ranges, names of any bytes, times in any order. */

static double odd_number(gsl_rng *rng)
{
    static const double odd[] = {0, NAN, INFINITY, -1, -INFINITY, 1e-300, 1e300, 1e-9, 1e-6, 1, 1e3, 1e18, 0.5, 100};
    return gsl_rng_uniform_int(rng, 3) ? gsl_rng_uniform(rng) * 1e-3 : odd[gsl_rng_uniform_int(rng, COUNT(odd))];
}

static uint64_t odd_count(gsl_rng *rng)
{
    static const uint64_t odd[] = {0, 1, 2, 31, 1024, 65536, 4000000000, UINT64_MAX, UINT64_MAX / 2};
    return gsl_rng_uniform_int(rng, 2) ? 1 + gsl_rng_uniform_int(rng, 300) : odd[gsl_rng_uniform_int(rng, COUNT(odd))];
}

static char *odd_name(gsl_rng *rng)
{
    static const char *const odd[] = {"", "::", "<", "(", "void ", "a::b::", "k: [", "# }\n- x", "\"", "\\", "%s%n"};
    size_t length = gsl_rng_uniform_int(rng, 200);
    if (gsl_rng_uniform_int(rng, 2))
        return strdup(odd[gsl_rng_uniform_int(rng, COUNT(odd))]);
    char *name = calloc(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        name[i] = (char)(1 + gsl_rng_uniform_int(rng, 255));
    return name;
}

static void fill_metrics(gsl_rng *rng, struct sms__profile_launch *launch)
{
    static const char *const names[] = {"inst_fp_32",
                                        "inst_fp_64",
                                        "flop_count_sp_special",
                                        "inst_bit_convert",
                                        "warp_nonpred_execution_efficiency",
                                        "issue_slots",
                                        "issued_ipc",
                                        "executed_ipc",
                                        "inst_executed",
                                        "sm_activity",
                                        "achieved_occupancy",
                                        "dram_utilization",
                                        "Memory Throughput",
                                        "DRAM Throughput",
                                        "SM Frequency",
                                        "Elapsed Cycles",
                                        "Duration",
                                        "sm__throughput.avg.pct_of_peak_sustained_active",
                                        "l2_read_throughput",
                                        "l2_write_throughput",
                                        "SOL L2"};
    static const char *const units[] = {"%", "", "Gbyte/second", "GB/s", "hz", "nsecond", "cycle", "byte", "/", "s/s"};
    launch->metrics = gsl_rng_uniform_int(rng, 20);
    launch->metric = calloc(launch->metrics + 1, sizeof *launch->metric);
    for (size_t m = 0; m < launch->metrics; m++) {
        struct sms__profile_metric *metric = &launch->metric[m];
        metric->name = names[gsl_rng_uniform_int(rng, COUNT(names))];
        metric->unit = units[gsl_rng_uniform_int(rng, COUNT(units))];
        metric->kind = gsl_rng_uniform_int(rng, 4) ? SMS__VALUE_NUMBER : SMS__VALUE_LEVEL;
        metric->mean = odd_number(rng);
        metric->mean *= gsl_rng_uniform_int(rng, 2) ? 1e5 : 1;
    }
}

static void fill_launch(gsl_rng *rng, struct sms__profile_launch *launch, const char *kernel)
{
    struct sms__profile_shape odd = {.kernel = kernel};
    for (int i = 0; i < 3; i++) {
        odd.grid[i] = gsl_rng_uniform_int(rng, 4) ? 1 + gsl_rng_uniform_int(rng, 50) : odd_count(rng);
        odd.block[i] = i && gsl_rng_uniform_int(rng, 4) ? 1 : odd_count(rng);
    }
    odd.registers = gsl_rng_uniform_int(rng, 4) ? gsl_rng_uniform_int(rng, 64) : odd_count(rng);
    odd.static_shared = odd_number(rng);
    odd.dynamic_shared = odd_number(rng);
    *launch = with_shape(*launch, odd);
    launch->start_s = odd_number(rng);
    launch->duration_s = odd_number(rng);
    launch->count = gsl_rng_uniform_int(rng, 3) ? 1 : odd_count(rng);
    fill_metrics(rng, launch);
}

static struct sms__profile_copy odd_copy(gsl_rng *rng)
{
    bool to_device = gsl_rng_uniform_int(rng, 2);
    double bytes = odd_number(rng) * 1e9, start_s = odd_number(rng), duration_s = odd_number(rng);
    return (struct sms__profile_copy){start_s, duration_s, bytes, to_device, 3};
}

static void any_profile_is_refused_or_loads(void **state)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    const char *patience = getenv("SMSCHED_PATIENCE");
    unsigned profiles = 400 * (patience ? (unsigned)atoi(patience) : 1);
    size_t usable = 0;
    (void)state;
    for (unsigned seed = 1; seed <= profiles; seed++) {
        struct sms__profile_launch launch[12] = {0};
        struct sms__profile_copy copy[6];
        char *name_of[12];
        struct sms__profile profile = profile_of(launch, 0);
        gsl_rng_set(rng, seed);
        profile.launches = gsl_rng_uniform_int(rng, 13);
        profile.copies = gsl_rng_uniform_int(rng, 7);
        profile.copy = copy;
        for (size_t l = 0; l < profile.launches; l++)
            fill_launch(rng, &launch[l], name_of[l] = gsl_rng_uniform_int(rng, 20) ? odd_name(rng) : NULL);
        for (size_t c = 0; c < profile.copies; c++)
            copy[c] = odd_copy(rng);
        char *name = odd_name(rng);
        struct sms__derive_options options = {.name = name, .source = name, .steps = 1 + seed % 16};
        struct derived derived = derive(&profile, options, seed % 3 ? NULL : "h100");
        usable += derived.code == SMS_OK;
        release(&derived);
        free(name);
        for (size_t l = 0; l < profile.launches; l++) {
            free(name_of[l]);
            free(launch[l].metric);
        }
    }
    print_message("%zu of %u profiles could be used\n", usable, profiles);
    assert_true(usable > profiles / 4 && usable < profiles);
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_waves_share_the_time_and_the_use),
        cmocka_unit_test(launches_that_differ_tell_the_error_of_demands),
        cmocka_unit_test(launches_that_share_a_mean_tell_no_error),
        cmocka_unit_test(one_name_with_two_units_is_told_apart),
        cmocka_unit_test(a_count_comes_before_a_rate_and_a_level),
        cmocka_unit_test(demands_never_oversubscribe_the_kernel_alone),
        cmocka_unit_test(geometries_are_kernels_and_names_are_unique),
        cmocka_unit_test(gaps_are_host_time_and_copies_keep_their_place),
        cmocka_unit_test(a_long_sequence_of_rounds_becomes_one_round),
        cmocka_unit_test(a_long_sequence_without_rounds_keeps_its_sums),
        cmocka_unit_test(launches_on_another_device_are_left_out),
        cmocka_unit_test(thousands_of_kernels_are_named_and_bounded),
        cmocka_unit_test(the_spread_of_durations_is_jitter),
        cmocka_unit_test(low_occupancy_of_one_wave_is_jitter),
        cmocka_unit_test(another_device_scales_each_part_of_the_time_by_itself),
        cmocka_unit_test(what_cannot_be_used_is_refused_by_line),
        cmocka_unit_test(any_profile_is_refused_or_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
