/* Kernels that alone want more of a resource than there is: a warning at the key, an error under `strict`. */
#include "tests/harness.h"

#define FILE_OF                                                                                                        \
    SMALL_DEVICE "%s---\nworkload: w\n%skernels:\n  - {name: k, blocks: %d, threads: 32, block_time: 10 us,\n"         \
                 "     demand: {%s}}\n---\nscenario: s\ndevices: [{model: small}]\ncontention: proportional\n"         \
                 "policies: [round_robin]\nvms: [{name: v, workload: w}, {name: u, workload: w}]\n"

/* Four SMs of eight blocks. Returns the number of warnings; checks the first for `words`. */
static size_t warned(const char *device, const char *workload, int blocks, const char *demand, const char *words)
{
    struct sms_file *file = load_text(FILE_OF, 4, 8, "device", device, workload, blocks, demand);
    const struct sms_errors *warnings = sms_file_warnings(file);
    const size_t count = warnings->count;
    if (count && !strstr(warnings->item[0].message, words))
        fail_msg("'%s' lacks '%s'", warnings->item[0].message, words);
    sms_file_free(file);
    return count;
}

static void a_full_wave_of_an_sm_beyond_100_percent_is_warned_of_once_at_its_key(void **state)
{
    (void)state;
    struct sms_file *file = load_text(FILE_OF, 4, 8, "device", "", "", 1000, "l1: 3 %, fp32: 20 %");
    const struct sms_errors *warnings = sms_file_warnings(file);
    assert_int_equal(warnings->count, 1); /* two tenants run it */
    assert_non_null(strstr(warnings->item[0].message, "kernel 'k' demands 160 % of fp32 of small"));
    assert_int_equal(warnings->item[0].code, SMS_OK);
    assert_int_equal(warnings->item[0].line, 14);
    assert_int_equal(warnings->item[0].column, 24);
    sms_file_free(file);
}

static void rounding_is_no_warning(void **state)
{
    (void)state;
    assert_int_equal(warned("", "", 1000, "fp32: 12.75 %", ""), 0);
    assert_int_equal(warned("", "", 1000, "fp32: 12.76 %", "demands 102.1 % of fp32"), 1);
}

/* 28 blocks are 7 on each of four SMs; a device has 28 of them. */
static void a_wave_is_no_more_than_the_grid(void **state)
{
    (void)state;
    assert_int_equal(warned("", "", 28, "fp32: 14.5 %", ""), 0);
    assert_int_equal(warned("", "", 29, "fp32: 14.5 %", "demands 116 % of fp32"), 1);
    assert_int_equal(warned("", "", 28, "dram: 14.5 %", ""), 0);
    assert_int_equal(warned("", "", 30, "dram: 14.5 %", "demands 108.7 % of dram"), 1);
}

/* A block each us is ten blocks of 10 us on the device, at most three on an SM. */
static void a_wave_is_no_more_than_the_dispatcher_starts(void **state)
{
    (void)state;
    assert_int_equal(warned("dispatch: {block: 1 us}\n", "", 1000, "fp32: 33 %, dram: 40 %", ""), 0);
    assert_int_equal(warned("dispatch: {block: 1 us}\n", "", 1000, "fp32: 35 %", "demands 105 % of fp32"), 1);
    assert_int_equal(warned("dispatch: {block: 1 us}\n", "", 1000, "dram: 42 %", "demands 105 % of dram"), 1);
}

static void synthetic_workloads_are_meant(void **state)
{
    (void)state;
    assert_int_equal(warned("", "synthetic: true\n", 1000, "fp32: 20 %", ""), 0);
    assert_int_equal(warned("", "synthetic: false\n", 1000, "fp32: 20 %", "160 %"), 1);
}

static int load_strictly(const char *workload, struct sms_errors *errors)
{
    char text[2000];
    struct sms_load_options options = harness_options();
    struct sms_file *file;
    options.strict = true;
    snprintf(text, sizeof text, FILE_OF, 4, 8, "device", "", workload, 1000, "fp32: 20 %");
    int code = sms_file_load_text(text, strlen(text), "s.yaml", &options, &file, errors);
    sms_file_free(file);
    return code;
}

static void strict_refuses_them_except_synthetic_ones(void **state)
{
    (void)state;
    struct sms_errors errors;
    assert_int_equal(load_strictly("", &errors), SMS_EINPUT);
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.item[0].line, 14);
    assert_non_null(strstr(errors.item[0].message, "'synthetic: true' in its workload allows it"));
    assert_int_equal(load_strictly("synthetic: true\n", &errors), SMS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_wave_of_an_sm_beyond_100_percent_is_warned_of_once_at_its_key),
        cmocka_unit_test(rounding_is_no_warning),
        cmocka_unit_test(a_wave_is_no_more_than_the_grid),
        cmocka_unit_test(a_wave_is_no_more_than_the_dispatcher_starts),
        cmocka_unit_test(synthetic_workloads_are_meant),
        cmocka_unit_test(strict_refuses_them_except_synthetic_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
