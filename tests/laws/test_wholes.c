/* Kernels that are simulated as wholes and run side by side: each has its part of the room on the SMs. Coarse kernels
 * on a part of a device. In closed form, and beside the same blocks. */
#include "random_text.h"

/* 4 SMs of 1024 threads: a kernel of blocks of 256 threads that fills them has 16 at a time. */
#define DEVICE                                                                                                         \
    "device: small\nclock: 1 GHz\nsms: 4\nmemory: 1 GiB\n"                                                             \
    "sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"    \
    "resources:\n  fp32: {class: compute}\n  dram: {class: memory, scope: device}\n---\n"

/* `blocks` of `us` each, launched 10 times by a pod. */
static void add_workload(struct text *text, const char *name, int blocks, int us, int dram)
{
    add(text,
        "workload: %s\nkernels: [{name: k, blocks: %d, threads: 256, block_time: %d us, demand: {dram: %d %%}}]\n---\n",
        name, blocks, us, dram);
}

static double turnaround(const struct text *workloads, const char *pods, const char *fidelity, const char *process)
{
    static struct text text;
    text.length = 0;
    add(&text, "%s%s", DEVICE, workloads->chars);
    add(&text,
        "scenario: s\nnodes: [{name: n, devices: {model: small, count: 1}}]\ncontention: proportional\n"
        "queue: interleave\nfidelity: %s\npolicies: [{mode: mps}]\npods:\n",
        fidelity);
    for (const char *pod = pods; *pod; pod++)
        add(&text, "  - {name: %c%d, gpu: 10 %%, workload: %c, repeat: 10%s}\n", *pod, (int)(pod - pods), *pod,
            process);
    struct sms_file *file = load_text("%s", text.chars);
    struct sms_results *results = run_first(file, NULL);
    double time = estimate(results, 0, SMS_CLUSTER, 0, "turnaround_mean_ns").mean;
    discard(results, file);
    return time / 1e6;
}

/* 160 blocks, 16 at a time: 1 ms a job. Without demands n of them take n times as long; half as many blocks at a time
 * as there is room for go beside another such. */
static void those_that_fill_the_sms_share_them(void **state)
{
    struct text text = {0};
    (void)state;
    add_workload(&text, "f", 160, 100, 0);
    add_workload(&text, "h", 8, 100, 0);
    assert_near(turnaround(&text, "f", "processes", ""), 10, 1e-6);
    assert_near(turnaround(&text, "ff", "processes", ""), 20, 1e-6);
    assert_near(turnaround(&text, "fff", "processes", ""), 30, 1e-6);
    assert_near(turnaround(&text, "hh", "processes", ""), 1, 1e-6);
    assert_near(turnaround(&text, "hhh", "processes", ""), 1.5, 1e-6);
}

/* Each by itself asks for 80 % of memory: two that each have half the room ask for as much together, not for 160 %. */
static void fewer_blocks_at_a_time_press_less(void **state)
{
    struct text text = {0};
    (void)state;
    add_workload(&text, "f", 160, 100, 20);
    assert_near(turnaround(&text, "f", "processes", ""), 10, 1e-6);
    assert_near(turnaround(&text, "ff", "processes", ""), 20, 1e-6);
}

/* A quarter of the SMs: four times as long for one that fills them all. */
static void a_cap_leaves_less_room(void **state)
{
    struct text text = {0};
    (void)state;
    add_workload(&text, "f", 160, 100, 0);
    assert_near(turnaround(&text, "f", "processes", ", active_threads: 25 %"), 40, 1e-6);
    assert_near(turnaround(&text, "f", "blocks", ", active_threads: 25 %"), 40, 1e-6);
    assert_near(turnaround(&text, "ffff", "processes", ", active_threads: 25 %"), 40, 1e-6);
}

/* The second pod comes to the slot of the first, on as many SMs. Each takes the time that its own file gives. */
static void a_cap_is_of_the_pod_that_runs(void **state)
{
    (void)state;
    struct sms_file *file = load_text("%sworkload: a\nkernels: [{name: k, time: {100 %%: 1 ms, 50 %%: 1.5 ms}}]\n---\n"
                                      "workload: b\nkernels: [{name: k, time: {100 %%: 4 ms, 50 %%: 7 ms}}]\n---\n"
                                      "scenario: s\nnodes: [{name: n, devices: {model: small, count: 1}}]\nfidelity: "
                                      "processes\npolicies: [{mode: mps}]\n"
                                      "pods:\n  - {name: a, gpu: 50 %%, workload: a, active_threads: 50 %%}\n"
                                      "  - {name: b, gpu: 50 %%, workload: b, active_threads: 50 %%, start: 10 ms}\n",
                                      DEVICE);
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_CLUSTER, 0, "turnaround_mean_ns").mean, (1.5 + 7) / 2 * 1e6, 1);
    discard(results, file);
}

/* Blocks come and go at their own times; that is what a whole does not see. Nor does it see a queue: blocks take turns
 * here. */
static void blocks_take_about_as_long(void **state)
{
    static const char *const mixes[] = {"ff", "fff", "fh", "gh", "gg", "fg", "fgh", "ffgg", "fl", "hl"};
    struct text text = {0};
    (void)state;
    add_workload(&text, "f", 160, 100, 5);
    add_workload(&text, "g", 320, 100, 20);
    add_workload(&text, "l", 64, 500, 5);
    add_workload(&text, "h", 8, 100, 30);
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        double wholes = turnaround(&text, mixes[i], "processes", ""),
               blocks = turnaround(&text, mixes[i], "blocks", "");
        print_message("%-4s %7.3f ms as wholes, %7.3f in blocks\n", mixes[i], wholes, blocks);
        assert_near(wholes, blocks, 0.15 * blocks);
    }
}

/* ---- what coarse kernels use ---- */

enum { USAGE, UTILIZATION, DELIVERED, OVER, USES };

/* What `count` processes use of fp32 and dram of 8 SMs. All of a kernel takes 1 ms of the device, 100 % of fp32 and 50
 * % of dram: as a coarse kernel, or as 10 waves of 32 blocks. */
static void use_under(double use[2][USES], bool coarse, const char *contention, const char *mode, int count,
                      const char *process)
{
    static const char *const metrics[USES] = {"usage_ratio", "utilization_ratio", "delivered_ratio",
                                              "oversubscribed_time_ratio"};
    static struct text text;
    text.length = 0;
    add(&text,
        "device: small\nclock: 1 GHz\nsms: 8\nmemory: 8 GiB\n"
        "sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"
        "resources:\n  fp32: {class: compute}\n  dram: {class: memory, scope: device}\n"
        "mig:\n  slices: 8\n  profiles:\n    - {name: 1g, slices: 1, sms: 1, memory: 1 GiB, starts: [0, 1, 2]}\n"
        "    - {name: 4g, slices: 4, sms: 4, memory: 4 GiB, starts: [0, 4]}\n---\n"
        "workload: w\nkernels: [{name: k, %s}]\n---\n"
        "scenario: s\ndevices: [{model: small}]\ncontention: %s\npolicies: [{mode: %s}]\nprocesses:\n",
        coarse ? "time: 1 ms, demand: {fp32: 100 %, dram: 50 %}"
               : "blocks: 320, threads: 256, block_time: 100 us, demand: {fp32: 25 %, dram: 12.5 %}",
        contention, mode);
    for (int i = 0; i < count; i++)
        add(&text, "  - {name: p%d, workload: w, repeat: forever%s}\n", i, process);
    add(&text, "run: {warmup: 3300 us, duration: 63300 us}\n");
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    struct sms_file *file = load_text("%s", text.chars);
    struct sms_results *results = run_first(file, &options);
    for (size_t r = 0; r < 2; r++)
        for (size_t m = 0; m < USES; m++)
            use[r][m] = estimate(results, 0, SMS_RESOURCE, r, metrics[m]).mean;
    discard(results, file);
}

static void use_of(double use[2][USES], bool coarse, const char *mode, int count, const char *process)
{
    use_under(use, coarse, "{model: proportional, slope: 1}", mode, count, process);
}

/* On a quarter of the SMs a kernel takes four times as long and uses a quarter of the device. */
static void coarse_kernels_on_a_part_of_a_device_use_as_much_as_blocks(void **state)
{
    static const struct {
        const char *mode;
        int count;
        const char *process;
        double fp32;
    } cases[] = {{"mps", 1, "", 1},
                 {"mps", 1, ", active_threads: 25 %", 0.25},
                 {"mps", 2, ", active_threads: 50 %", 1},
                 {"{mig: {instances: [1g]}}", 1, "", 0.125},
                 {"{mig: {instances: [4g, 1g]}}", 2, "", 0.625}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double coarse[2][USES], blocks[2][USES];
        use_of(coarse, true, cases[i].mode, cases[i].count, cases[i].process);
        use_of(blocks, false, cases[i].mode, cases[i].count, cases[i].process);
        for (size_t r = 0; r < 2; r++)
            for (size_t m = 0; m < USES; m++) {
                assert_near(coarse[r][m], m == OVER ? 0 : cases[i].fp32 / (r ? 2 : 1), 1e-3);
                assert_near(coarse[r][m], blocks[r][m], 1e-3);
            }
    }
}

/* A kernel was measured with its own slowdown, of which a part of the SMs takes some away. It uses what it was measured
 * to use all the same. */
static void a_coarse_kernel_uses_as_much_of_a_part_under_every_law(void **state)
{
    static const char *const laws[] = {"none", "proportional", "maxmin", "{model: knee, exponent: 2}", "pipes"};
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double use[2][USES];
        use_under(use, true, laws[i], "mps", 1, ", active_threads: 25 %");
        for (size_t r = 0; r < 2; r++) {
            assert_near(use[r][USAGE], r ? 0.125 : 0.25, 1e-6);
            assert_near(use[r][UTILIZATION], r ? 0.125 : 0.25, 1e-6);
        }
    }
}

/* Two that each want all of fp32, and half of dram: 200 % and 100 % are used, of which 100 % and 50 % are had. */
static void coarse_kernels_together_use_no_more_than_all(void **state)
{
    double use[2][USES];
    (void)state;
    use_of(use, true, "together", 2, "");
    assert_near(use[0][USAGE], 2, 1e-6);
    assert_near(use[0][UTILIZATION], 1, 1e-6);
    assert_near(use[0][DELIVERED], 1, 1e-6);
    assert_near(use[0][OVER], 1, 1e-6);
    assert_near(use[1][USAGE], 1, 1e-6);
    assert_near(use[1][UTILIZATION], 1, 1e-6);
    assert_near(use[1][DELIVERED], 0.5, 1e-6);
    assert_near(use[1][OVER], 0, 1e-6);
}

/* Each asks for 80 % of fp32 and takes 7/6 of its time on half of the SMs, so both count 137 %. */
static void what_times_on_parts_contradict_is_oversubscribed(void **state)
{
    static const struct {
        const char *metric;
        double value;
    } expected[] = {{"usage_ratio", 1.6 * 6 / 7}, {"utilization_ratio", 1}, {"oversubscribed_time_ratio", 1}};
    (void)state;
    struct sms_file *file = load_text("%sworkload: w\nkernels: [{name: k, time: {100 %%: 6 ms, 50 %%: 7 ms}, demand: "
                                      "{fp32: 80 %%}}]\n---\nscenario: s\ndevices: [{model: small}]\n"
                                      "contention: none\npolicies: [{mode: mps}]\nprocesses:\n"
                                      "  - {name: p, workload: w, count: 2, active_threads: 50 %%}\n",
                                      DEVICE);
    struct sms_results *results = run_first(file, NULL);
    for (size_t m = 0; m < sizeof expected / sizeof *expected; m++)
        assert_near(estimate(results, 0, SMS_RESOURCE, 0, expected[m].metric).mean, expected[m].value, 1e-6);
    discard(results, file);
}

/* What four processes use of the dram of an A100, in its instances. */
static void use_dram(double use[USES], const char *kernel, const char *instances)
{
    static const char *const metrics[USES] = {"usage_ratio", "utilization_ratio", "delivered_ratio",
                                              "oversubscribed_time_ratio"};
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    struct sms_file *file = load_text("workload: w\nsynthetic: true\nkernels: [{name: k, %s}]\n---\nscenario: s\n"
                                      "contention: proportional\ndevices: [{model: a100}]\n"
                                      "policies: [{mode: {mig: {instances: [%s], inside: mps}}}]\n"
                                      "processes: [{name: p, workload: w, repeat: 10, count: 4}]\n",
                                      kernel, instances);
    struct sms_results *results = run_first(file, &options);
    size_t dram = 0;
    while (strcmp(sms_results_subject(results, SMS_RESOURCE, dram), "dram") != 0)
        dram++;
    for (size_t m = 0; m < USES; m++)
        use[m] = estimate(results, 0, SMS_RESOURCE, dram, metrics[m]).mean;
    discard(results, file);
}

/* An A100 has 108 SMs and 8 slices of memory: 3g has 42 and 4, 4g 56 and 4, 2g 28 and 2, 7g 98 and 8. Kernels that
 * want more than the memory of their instance use all of it, whatever its SMs. */
static void a_full_instance_uses_its_share_of_the_memory(void **state)
{
    static const char *const kernels[] = {"time: 3 ms, demand: {dram: 100 %}",
                                          "blocks: 1000, threads: 1024, block_time: 100 us, demand: {dram: 90 %}"};
    static const struct {
        const char *instances;
        double share;
    } cases[] = {{"2g.10gb", 0.25}, {"3g.20gb", 0.5}, {"7g.40gb", 1}, {"3g.20gb, 4g.20gb", 1}};
    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double use[USES];
            use_dram(use, kernels[k], cases[i].instances);
            const double ends = k ? 5e-3 : 1e-6; /* the last blocks leave one after another */
            assert_near(use[UTILIZATION], cases[i].share, ends);
            assert_near(use[UTILIZATION], use[DELIVERED], 1e-8);
            assert_true(use[USAGE] > use[UTILIZATION] + 0.1);
            assert_near(use[OVER], cases[i].share, 4 * ends);
        }
}

/* Alone it is as fast as can be, however long its draws make it. */
static void a_drawn_kernel_alone_is_slowed_by_nothing(void **state)
{
    (void)state;
    struct sms_file *file = load_text("%sworkload: w\nkernels: [{name: k, time: 1 ms, jitter: 40 %%, demand: {fp32: "
                                      "50 %%}}]\n---\nscenario: s\ndevices: [{model: small}]\n"
                                      "processes: [{name: p, workload: w, repeat: forever}]\n"
                                      "run: {warmup: 700 us, duration: 5 ms}\n",
                                      DEVICE);
    struct sms_results *results = run_first(file, NULL);
    double used = estimate(results, 0, SMS_RESOURCE, 0, "usage_ratio").mean;
    assert_near(estimate(results, 0, SMS_VM, 0, "block_slowdown_ratio").mean, 1, 1e-8);
    assert_near(estimate(results, 0, SMS_RESOURCE, 0, "delivered_ratio").mean, used, 1e-8);
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_fill_the_sms_share_them),
        cmocka_unit_test(fewer_blocks_at_a_time_press_less),
        cmocka_unit_test(a_cap_leaves_less_room),
        cmocka_unit_test(a_cap_is_of_the_pod_that_runs),
        cmocka_unit_test(blocks_take_about_as_long),
        cmocka_unit_test(coarse_kernels_on_a_part_of_a_device_use_as_much_as_blocks),
        cmocka_unit_test(a_coarse_kernel_uses_as_much_of_a_part_under_every_law),
        cmocka_unit_test(coarse_kernels_together_use_no_more_than_all),
        cmocka_unit_test(what_times_on_parts_contradict_is_oversubscribed),
        cmocka_unit_test(a_full_instance_uses_its_share_of_the_memory),
        cmocka_unit_test(a_drawn_kernel_alone_is_slowed_by_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
