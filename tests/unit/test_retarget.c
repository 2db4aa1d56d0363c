/* Kernels that were measured on one device and run on another. */
#include "../harness.h"

#include "../../sim/model/file.h"
#include "../../sim/model/retarget.h"
#include "../../sim/model/scenario.h"

static const char devices[] =
    "device: old\nclock: 1000 MHz\nsms: 10\n"
    "sm: {threads: 2048, warps: 64, blocks: 32, registers: 65536, shared_memory: 64 KiB}\n"
    "resources: {fp32: {class: compute, lanes: 64}, dram: {class: memory, scope: device, bandwidth: 100 GB/s}}\n---\n"
    "device: new\nclock: 2000 MHz\nsms: 20\n%s\n"
    "sm: {threads: 1024, warps: 32, blocks: 32, registers: 65536, shared_memory: 64 KiB}\n"
    "resources: {fp32: {class: compute, lanes: 64}, dram: {class: memory, scope: device, bandwidth: 300 GB/s}}\n---\n";

/* The footprint on `new` of a kernel that was measured on the device `on`. */
static struct sms__footprint footprint(const char *power, const char *on, const char *kernel)
{
    char text[4096], tail[1024];
    int used = snprintf(text, sizeof text, devices, power);
    snprintf(
        tail, sizeof tail,
        "workload: w\ndevice: %s\nkernels: [{name: k, threads: 256, %s}]\n---\nscenario: s\ndevices: [{model: new}]\n"
        "policies: [round_robin]\nvms: [{name: v, workload: w}]\n",
        on, kernel);
    snprintf(text + used, sizeof text - (size_t)used, "%s", tail);
    struct sms_file *file = load_text("%s", text);
    struct sms__footprint fit = file->scenario[0]->vm[0].fit[0][0];
    sms_file_free(file);
    return fit;
}

/* Eight blocks of 256 threads fit an SM of `old`, four fit one of `new`: slots for 80 on both. */
static void memory_scales_by_bandwidth(void **state)
{
    (void)state;
    struct sms__footprint fit = footprint("", "old", "blocks: 8000, block_time: 10 us, demand: {dram: 12.5 %}");
    assert_near(fit.work_ps, 10e6 / 3, 1);
    assert_int_equal(fit.scaled, 1 + SMS__BOUND_MEMORY);
    assert_near(fit.demand[1] / SMS_FULL, 0.25, 1e-5); /* all of it for four blocks on each of 20 SMs */
}

static void compute_scales_by_lanes_clock_and_sms(void **state)
{
    (void)state;
    struct sms__footprint fit = footprint("", "old", "blocks: 8000, block_time: 10 us, demand: {fp32: 12.5 %}");
    assert_near(fit.work_ps, 10e6 / 4, 1);
    assert_int_equal(fit.scaled, 1 + SMS__BOUND_COMPUTE);
    fit = footprint("power: {idle: 1 W, busy: 2 W, compute_clock: 1000 MHz}", "old",
                    "blocks: 8000, block_time: 10 us, demand: {fp32: 12.5 %}");
    assert_near(fit.work_ps, 10e6 / 2, 1); /* the power limit halves the clock */
    assert_near(fit.demand[0] / SMS_FULL, 0.125, 1e-5);
}

/* Half of the bandwidth that the file gives is half of it on either side. */
static void memory_scales_by_the_share_of_the_bandwidth_that_kernels_reach(void **state)
{
    (void)state;
    static const char *const more[] = {"", ", resources: {dram: {reached: 50 %}}"};
    for (size_t i = 0; i < 2; i++) {
        char text[4096];
        snprintf(text, sizeof text, devices, "");
        struct sms_file *file =
            load_text("%sworkload: w\ndevice: old\nkernels: [{name: k, threads: 256, blocks: 8000, block_time: 10 us, "
                      "demand: {dram: 12.5 %%}}]\n---\nscenario: s\ndevices: [{model: new%s}]\n"
                      "policies: [round_robin]\nvms: [{name: v, workload: w}]\n",
                      text, more[i]);
        assert_near(file->scenario[0]->vm[0].fit[0][0].work_ps, 10e6 / 3 * (double)(i + 1), 1);
        sms_file_free(file);
    }
}

/* 64 lanes on 20 SMs: 2.56 W for 2 pJ a result are 1000 MHz. */
static void compute_scales_by_the_energy_of_a_result(void **state)
{
    (void)state;
    static const char kernel[] = "blocks: 8000, block_time: 10 us, demand: {fp32: 12.5 %}";
    struct sms__footprint fit = footprint("fp32_energy: 2 pJ\npower: {idle: 1 W, busy: 2.56 W}", "old", kernel);
    assert_near(fit.work_ps, 10e6 / 2, 1);
    fit = footprint("fp32_energy: 2 pJ\npower: {idle: 1 W, busy: 2 W, limit: 2.56 W}", "old", kernel);
    assert_near(fit.work_ps, 10e6 / 2, 1);
    fit = footprint("fp32_energy: 2 pJ\npower: {idle: 1 W, busy: 256 W}", "old", kernel); /* no more than the clock */
    assert_near(fit.work_ps, 10e6 / 4, 1);
}

static void latency_scales_by_the_clock(void **state)
{
    (void)state;
    struct sms__footprint fit = footprint("", "old", "blocks: 8000, block_time: 10 us");
    assert_near(fit.work_ps, 10e6 / 2, 1);
    assert_int_equal(fit.scaled, 1 + SMS__BOUND_LATENCY);
}

static void parts_of_the_time_scale_by_themselves(void **state)
{
    (void)state;
    struct sms__footprint fit =
        footprint("", "old", "blocks: 8000, block_time: 10 us, demand: {fp32: 2.5 %, dram: 5 %}"); /* 20 %, 40 % */
    assert_near(fit.work_ps, 10e6 * (0.2 / 4 + 0.4 / 3 + 0.4 / 2), 1);
    fit = footprint("", "old", "blocks: 8000, block_time: 10 us, demand: {fp32: 12.5 %, dram: 12.5 %}");
    assert_near(fit.work_ps, 10e6 * (0.5 / 4 + 0.5 / 3), 1); /* both at once: half each */
}

static void one_block_has_an_sm_for_itself(void **state)
{
    (void)state;
    struct sms__footprint fit = footprint("", "old", "blocks: 1, block_time: 10 us, demand: {fp32: 100 %}");
    assert_near(fit.work_ps, 10e6 / 2, 1); /* more SMs do not help */
}

static void a_workload_is_taken_as_it_is_on_its_own_device_or_without_a_known_one(void **state)
{
    (void)state;
    const char *kernel = "blocks: 8000, block_time: 10 us, demand: {dram: 12.5 %}";
    struct sms__footprint fit = footprint("", "new", kernel);
    assert_near(fit.work_ps, 10e6, 0);
    assert_int_equal(fit.scaled, 0);
    fit = footprint("", "unheard-of", kernel);
    assert_near(fit.work_ps, 10e6, 0);
    assert_near(fit.demand[1] / SMS_FULL, 0.125, 0);
}

static void cycles_are_those_of_the_device_that_was_profiled(void **state)
{
    (void)state;
    struct sms__footprint fit = footprint("", "old", "blocks: 8000, block_time: 10000 cycles");
    assert_near(fit.work_ps, 5e6, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_scales_by_bandwidth),
        cmocka_unit_test(compute_scales_by_lanes_clock_and_sms),
        cmocka_unit_test(memory_scales_by_the_share_of_the_bandwidth_that_kernels_reach),
        cmocka_unit_test(compute_scales_by_the_energy_of_a_result),
        cmocka_unit_test(latency_scales_by_the_clock),
        cmocka_unit_test(parts_of_the_time_scale_by_themselves),
        cmocka_unit_test(one_block_has_an_sm_for_itself),
        cmocka_unit_test(a_workload_is_taken_as_it_is_on_its_own_device_or_without_a_known_one),
        cmocka_unit_test(cycles_are_those_of_the_device_that_was_profiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
