/* The energy of a device is T (idle + (busy - idle) a), where a is the share of its SM time that is active, whoever
 * shares the device and how: 50 W idle, 400 W with all SMs active. */
#include "random_text.h"

#define DEVICE                                                                                                         \
    "device: small\nclock: 1 GHz\nsms: 8\nmemory: 8 GiB\npower: {idle: 50 W, busy: 400 W}\nmps: {chunk: 1}\n"          \
    "sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"    \
    "resources:\n  fp32: {class: compute}\n  dram: {class: memory, scope: device}\n"                                   \
    "mig:\n  slices: 8\n  profiles:\n    - {name: 1g, slices: 1, sms: 1, memory: 1 GiB, starts: [0, 1, 2]}\n"          \
    "    - {name: 4g, slices: 4, sms: 4, memory: 4 GiB, starts: [0, 4]}\n---\n"

static const char *const modes[] = {"exclusive",
                                    "together",
                                    "mps",
                                    "partition",
                                    "{time_slice: {slice: 300 us, switch: 70 us}}",
                                    "{mig: {instances: [4g, 1g, 1g]}}",
                                    "{mig: {instances: [4g, 1g, 1g], inside: {time_slice: {slice: 250 us}}}}"};
enum { MODES = sizeof modes / sizeof *modes };

static double joules(double ns, double active) { return ns / 1e9 * (50 + 350 * active); }

/* `scenario` is all of it but its devices. The energy of the device is that of the host, which draws nothing. */
static double energy_of(const char *workload, const char *scenario)
{
    struct sms_file *file = load_text(DEVICE "%s\n---\nscenario: s\ndevices: [{model: small}]\n%s", workload, scenario);
    struct sms_results *results = run_first(file, NULL);
    const double energy = estimate(results, 0, SMS_HOST, 0, "energy_j").mean;
    if (sms_results_subjects(results, SMS_DEVICE))
        assert_near(estimate(results, 0, SMS_DEVICE, 0, "energy_j").mean, energy, 1e-12);
    discard(results, file);
    return energy;
}

static double energy_under(const char *workload, const char *mode, const char *processes)
{
    char scenario[1000];
    snprintf(scenario, sizeof scenario, "policies: [{mode: %s}]\nprocesses:\n%s", mode, processes);
    return energy_of(workload, scenario);
}

/* Random kernels by blocks, which wait for the host, for SMs and for time slices. */
static struct sms_file *draw_processes(uint64_t seed)
{
    static struct text text;
    text = (struct text){.chance = seed};
    add(&text, DEVICE);
    for (int i = 0; i < 3; i++)
        add(&text,
            "workload: w%d\nkernels: [{name: k, blocks: <1..90>, threads: <64|256|512>, block_time: <20..200> us, "
            "jitter: <0|9> %%, demand: {<fp32|dram>: <5..40> %%}}]\nsteps: [{host: <20..400> us}, {launch: k, times: "
            "<1..4>}]\n---\n",
            i);
    add(&text, "scenario: s\ndevices: [{model: small}]\npolicies: [");
    for (int m = 0; m < MODES; m++)
        add(&text, "%s{mode: %s}", m ? ", " : "", modes[m]);
    add(&text, "]\nprocesses:\n");
    for (int i = 0; i < 3; i++)
        add(&text, "  - {name: p%d, workload: w%d, repeat: <2..5>, chunks: 2}\n", i, i);
    return load_text("%s", text.chars);
}

static void blocks_draw_power_by_the_sms_that_are_active(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct sms_file *file = draw_processes(seed);
        struct sms_results *results = run_first(file, NULL);
        for (size_t m = 0; m < MODES; m++) {
            const double ns = estimate(results, m, SMS_HOST, 0, "makespan_ns").mean,
                         active = estimate(results, m, SMS_HOST, 0, "sm_activity_ratio").mean;
            assert_true(active > 0 && active <= 1);
            assert_near(estimate(results, m, SMS_DEVICE, 0, "energy_j").mean, joules(ns, active), 1e-11 * ns);
        }
        discard(results, file);
    }
}

/* One of 8 SMs is active for half of 200 ms. */
static void a_block_lights_the_sm_that_it_is_on(void **state)
{
    static const char *const w = "workload: w\nkernels: [{name: k, blocks: 1, threads: 128, block_time: 10 ms}]\n"
                                 "steps: [{launch: k}, {host: 10 ms}]";
    (void)state;
    assert_near(energy_of(w, "vms: [{name: a, workload: w, repeat: 10}]\n"), joules(200 * 1e6, 1 / 16.0), 1e-6);
    for (size_t m = 0; m < MODES; m++)
        assert_near(energy_under(w, modes[m], "  - {name: a, workload: w, repeat: 10, chunks: 2}\n"),
                    joules(200 * 1e6, 1 / 16.0), 1e-6);
}

/* Two do a coarse kernel of 60 % ten times each, in 200 ms where they take turns and 120 ms where they share. */
static void a_kernel_that_waits_for_its_slice_draws_none(void **state)
{
    static const char *const w = "workload: w\nkernels: [{name: k, time: 10 ms, demand: {fp32: 60 %}}]";
    static const char *const two = "  - {name: a, workload: w, repeat: 10, count: 2}\n";
    (void)state;
    assert_near(energy_under(w, "exclusive", two), 52, 1e-6);
    assert_near(energy_under(w, "{time_slice: {switch: 0 ms}}", two), 52, 1e-6);
    assert_near(energy_under(w, "mps", two), 48, 1e-6);
}

/* A coarse kernel makes its greatest demand of the SMs active: as many as its blocks would, if they fill SMs. */
static void coarse_kernels_draw_as_much_as_their_blocks(void **state)
{
    static const char *const coarse =
        "workload: w\nkernels: [{name: k, time: 10 ms, demand: {fp32: 100 %, dram: 50 %}}]";
    static const char *const blocks =
        "workload: w\nkernels: [{name: k, blocks: 3200, threads: 256, block_time: 100 us, "
        "demand: {fp32: 25 %, dram: 12.5 %}}]";
    static const char *const processes[] = {"  - {name: a, workload: w, chunks: 2, repeat: 2}\n",
                                            "  - {name: a, workload: w, chunks: 2, count: 2}\n",
                                            "  - {name: a, workload: w, chunks: 2, active_threads: 25 %}\n",
                                            "  - {name: a, workload: w, chunks: 2, active_threads: 50 %, count: 2}\n"};
    (void)state;
    for (size_t m = 0; m < MODES; m++)
        for (size_t p = 0; p < sizeof processes / sizeof *processes; p++) {
            const double by_blocks = energy_under(blocks, modes[m], processes[p]);
            assert_near(energy_under(coarse, modes[m], processes[p]), by_blocks, 2e-3 * by_blocks);
        }
}

/* Blocks of two that fill all SMs take turns, so no more SMs are active than those of one. */
static void kernels_without_room_beside_each_other_are_half_there(void **state)
{
    static const char *const w = "workload: w\nkernels: [{name: k, time: 10 ms, demand: {fp32: 60 %}, room: 100 %}]";
    (void)state;
    assert_near(energy_under(w, "mps", "  - {name: a, workload: w, count: 2}\n"), joules(20 * 1e6, 0.6), 1e-6);
}

/* Its time is that of 2 of 8 SMs. */
static void a_kernel_without_demands_lights_the_sms_that_it_may_use(void **state)
{
    static const char *const w = "workload: w\nkernels: [{name: k, time: 10 ms}]";
    (void)state;
    assert_near(energy_under(w, "mps", "  - {name: a, workload: w}\n"), joules(10 * 1e6, 1), 1e-6);
    assert_near(energy_under(w, "mps", "  - {name: a, workload: w, active_threads: 25 %}\n"), joules(10 * 1e6, 0.25),
                1e-6);
}

/* 8 blocks of 100 us fill all SMs. An entry, and a device that inherits, say what differs alone. */
static void a_device_keeps_the_power_that_is_not_overridden(void **state)
{
    (void)state;
    static const char *const devices[] = {"{model: small, power: {busy: 200 W}}", "{model: weak}"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct sms_file *file =
            load_text(DEVICE "device: weak\ninherits: small\npower: {busy: 200 W}\n---\n"
                             "workload: w\nkernels: [{name: k, blocks: 8, threads: 1024, block_time: 100 us}]\n---\n"
                             "scenario: s\ndevices: [%s]\nprocesses: [{name: p, workload: w}]\n",
                      devices[i]);
        struct sms_results *results = run_first(file, NULL);
        assert_near(estimate(results, 0, SMS_HOST, 0, "energy_j").mean, 1e-4 * 200, 1e-9);
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_draw_power_by_the_sms_that_are_active),
        cmocka_unit_test(a_block_lights_the_sm_that_it_is_on),
        cmocka_unit_test(a_kernel_that_waits_for_its_slice_draws_none),
        cmocka_unit_test(coarse_kernels_draw_as_much_as_their_blocks),
        cmocka_unit_test(kernels_without_room_beside_each_other_are_half_there),
        cmocka_unit_test(a_kernel_without_demands_lights_the_sms_that_it_may_use),
        cmocka_unit_test(a_device_keeps_the_power_that_is_not_overridden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
