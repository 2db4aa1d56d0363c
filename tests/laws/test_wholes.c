/* Kernels that are simulated as wholes and run side by side: each has its part of the room on the SMs. In closed form,
 * and beside the same blocks. */
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
        "fidelity: %s\npolicies: [{mode: mps}]\npods:\n",
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

/* Blocks come and go at their own times; that is what a whole does not see. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_fill_the_sms_share_them),
        cmocka_unit_test(fewer_blocks_at_a_time_press_less),
        cmocka_unit_test(a_cap_leaves_less_room),
        cmocka_unit_test(blocks_take_about_as_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
