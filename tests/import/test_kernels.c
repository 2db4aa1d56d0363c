/* Tests which launches become a kernel, how it is named, and which metrics tell its use. */
#include "derived.h"

/* Two launches of 60 us with a quarter of the bandwidth and one of 80 us with three quarters. */
static void shares_are_weighted_by_time(void **state)
{
    struct sms__profile_metric low = METRIC("DRAM Throughput", "%", 25), high = METRIC("DRAM Throughput", "%", 75);
    struct sms__profile_launch launch[] = {launch_of("k", 0, 60), launch_of("k", 70, 60), launch_of("k", 140, 80)};
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        launch[i].metric = i == 2 ? &high : &low;
        launch[i].metrics = 1;
    }
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_int_equal(workload(&derived)->kernels, 1);
    assert_near(demand(&derived, 0, "dram"), (0.25 * 120 + 0.75 * 80) / 200 / 8, 1e-5);
    release(&derived);
}

static void launches_of_very_different_lengths_are_kernels_of_their_own(void **state)
{
    static const double us[] = {6066, 6.5, 6.7, 5900, 6.4, 9, 40};
    struct sms__profile_launch launch[COUNT(us)];
    (void)state;
    for (size_t i = 0; i < COUNT(us); i++)
        launch[i] = launch_of("void heartwall(int)", 7000.0 * (double)i, us[i]);
    struct sms__profile profile = profile_of(launch, COUNT(us));
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_int_equal(workload(&derived)->kernels, 3);
    assert_near(workload(&derived)->kernel[0].block_time.value, (6066 + 5900) / 2.0 * 1e6 / 2, 1e3);
    assert_near(workload(&derived)->kernel[1].block_time.value, (6.5 + 6.7 + 6.4 + 9) / 4 * 1e6 / 2, 1e3);
    assert_near(workload(&derived)->kernel[2].block_time.value, 40e6 / 2, 1e3);
    release(&derived);
}

/* The metrics of nvprof are means over all launches of a kernel: 20 us with 25 % of dram are 2.42 MB. */
static void metrics_of_launches_of_two_lengths_give_both_the_same_use(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("dram_read_bytes", "", 0.25 * 484e9 * 20e-6),
                                           METRIC("dram_write_bytes", "", 0)};
    struct sms__profile_launch launch[] = {launch_of("k", 0, 4), launch_of("k", 20, 36)};
    struct sms__profile profile = profile_of(launch, COUNT(launch));
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        launch[i].metric = metric;
        launch[i].metrics = COUNT(metric);
    }
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    assert_int_equal(workload(&derived)->kernels, 2);
    assert_near(demand(&derived, 0, "dram"), 0.25 / 8, 1e-5);
    assert_near(demand(&derived, 1, "dram"), 0.25 / 8, 1e-5);
    release(&derived);
}

/* Blackwell has two pipes that feed the same units, and an instruction keeps it busy for many cycles. */
static void the_busiest_pipe_of_the_tensor_units_counts(void **state)
{
    struct sms__profile_metric metric[] = {
        METRIC("sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active", "%", 1.64),
        METRIC("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", 52),
        METRIC("sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", 60)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    struct sms__profile profile = profile_of(&launch, 1);
    struct sms_load_options load = harness_options();
    struct sms_file *file = NULL;
    struct sms_errors errors = {0};
    struct sms__derive_options options = {.name = "w"};
    assert_int_equal(sms__derive_device("b200", &load, &file, &options.device, &errors), 0);
    struct derived derived = derive(&profile, options, NULL);
    (void)state;
    assert_says(&derived, "usage: tensor 60.00 %");
    release(&derived);
    metric[2].mean = 0;
    derived = derive(&profile, options, NULL);
    assert_says(&derived, "usage: tensor 52.00 %");
    release(&derived);
    sms_file_free(file);
}

static void metrics_of_schedulers_and_parts_of_sums_are_used(void **state)
{
    struct sms__profile_metric metric[] = {METRIC("smsp__warps_active.avg.pct_of_peak_sustained_active", "%", 50),
                                           METRIC("smsp__issue_active.avg.pct_of_peak_sustained_elapsed", "%", 40),
                                           METRIC("dram_read_throughput", "GB/s", 225.38)};
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    launch.metric = metric;
    launch.metrics = COUNT(metric);
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_says(&derived, "achieved 50.00 %");
    assert_near(demand(&derived, 0, "issue") / demand(&derived, 0, "dram"), 0.4 / 0.5, 1e-3);
    assert_says(&derived, "approximation: dram from dram_read_throughput alone");
    release(&derived);
}

static void registers_that_are_unknown_are_said_to_be(void **state)
{
    struct sms__profile_launch launch = launch_of("k", 0, 100);
    shape(&launch)->registers = 0;
    struct sms__profile profile = profile_of(&launch, 1);
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    (void)state;
    assert_says(&derived, "approximation: registers and shared memory unknown, taken as 0");
    release(&derived);
}

static void kernels_have_the_names_of_their_functions(void **state)
{
    static const char *const symbols[][2] = {
        {"void (anonymous namespace)::softmax<float, 4>(float*, int)", "softmax"},
        {"(anonymous namespace)::foo<float>", "foo"},
        {"void at::native::(anonymous namespace)::foo<float, (anonymous namespace)::Sum>(int)", "foo_Sum"},
        {"void run_all(int)::{lambda(float*)#1}::operator()(float*) const", "run_all"},
        {"void ns::Adder<float>::operator()(float*) const", "Adder"},
        {"(anonymous namespace)::start(int)::{lambda()#1}", "start"},
        {"Solver::{lambda(int)#2}", "Solver"},
        {"{lambda(int)#1}", "lambda"},
        {"void at::native::each<4, (anonymous namespace)::go(int)::{lambda()#1}::operator()() const>(int)", "each"},
        {"void at::native::each<4, (anonymous namespace)::halt(int)::{lambda()#1}::operator()() const>(int)",
         "each_halt"},
        {"<unnamed>::scan(int *)", "scan"},
        {"unnamed>::gemm(const float *)", "gemm"},
        {"std::enable_if<!std::is_same<T1, void>::value, void>::type ns::copy<int>(int*)", "copy"},
        {"void cutlass::Kernel<cutlass_75_wmma_gemm<4>>(T1::Params)", "Kernel_cutlass_75_wmma_gemm"},
        {"_ZN2at6native4fillIfEEvPT_i", "fill"},
        {"void at::native::vectorized<4, at::native::AddFunctor<float>, Array<char*, 3>>(int)", "vectorized"},
        {"void at::native::vectorized<4, at::native::MulFunctor<float>, Array<char*, 3>>(int)",
         "vectorized_MulFunctor"},
        {"void at::native::vectorized<8, at::native::MulFunctor<float>, Array<char*, 3>>(int)",
         "vectorized_MulFunctor_2"}};
    struct sms__profile_launch launch[COUNT(symbols)];
    (void)state;
    for (size_t i = 0; i < COUNT(symbols); i++)
        launch[i] = launch_of(symbols[i][0], 20.0 * (double)i, 10);
    struct sms__profile profile = profile_of(launch, COUNT(symbols));
    struct derived derived = derive(&profile, (struct sms__derive_options){.name = "w"}, NULL);
    for (size_t i = 0; i < COUNT(symbols); i++)
        assert_string_equal(workload(&derived)->kernel[i].name, symbols[i][1]);
    release(&derived);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_weighted_by_time),
        cmocka_unit_test(launches_of_very_different_lengths_are_kernels_of_their_own),
        cmocka_unit_test(metrics_of_launches_of_two_lengths_give_both_the_same_use),
        cmocka_unit_test(the_busiest_pipe_of_the_tensor_units_counts),
        cmocka_unit_test(metrics_of_schedulers_and_parts_of_sums_are_used),
        cmocka_unit_test(registers_that_are_unknown_are_said_to_be),
        cmocka_unit_test(kernels_have_the_names_of_their_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
