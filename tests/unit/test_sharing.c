/* Loads scenarios with processes and checks what was read: steps that hold memory, whole kernels, draws, policies of
 * three parts, MIG instances and pairs. Checks the contention model `pairwise` against values worked out by hand. */
#include "tests/harness.h"

#include "sim/model/file.h"
#include "sim/model/policy/registry.h"
#include "sim/model/scenario.h"

#define DEVICE                                                                                                         \
    "device: big\nclock: 1 GHz\nsms: 8\nmemory: 8 GiB\n"                                                               \
    "link: {bandwidth: 10 GB/s, copy_in_most: 6 GB/s, copy_out_most: 7 GB/s, copy_out_spread: 4.21 %%}\n"              \
    "power: {idle: 25 W, busy: 100 W, shared: 120 W}\n"                                                                \
    "mig: {slices: 4, profiles: [{name: half, sms: 2, memory: 4 GiB, slices: 2, starts: [0, 2]}, "                     \
    "{name: one, sms: 2, memory: 1 GiB, slices: 1, starts: [0, 1, 2]}]}\n"                                             \
    "sm: {threads: 1024, warps: 32, blocks: 16, registers: 32768, shared_memory: 48 KiB}\n"                            \
    "resources: {fp32: {class: compute}, dram: {class: memory, scope: device, bandwidth: 80 GB/s}, "                   \
    "queue: {class: memory, scope: device, capacity: 80}}\n---\n"

#define WORKLOADS                                                                                                      \
    "workload: piece\ncorun_class: m\noverhead: 3 %%\nexclusive: true\n"                                               \
    "kernels: [{name: all, time: 2 s, demand: {fp32: 100 %%, dram: 30 %%}}]\n"                                         \
    "steps: [{allocate: 3 MiB}, {free: 1 MiB}, {allocate: 2 MiB}, {launch: all}, {free: all}, {allocate: 1 MiB}]\n"    \
    "---\nworkload: blocks\ncorun_class: p\n"                                                                          \
    "kernels: [{name: a, blocks: 9, threads: 64, block_time: 1 us, demand: {dram: 20 %%, queue: 2}},\n"                \
    "  {name: b, time: 1 us, demand: {fp32: 10 %%}}]\n---\n"

static struct sms_file *load_rich(const char *policies)
{
    return load_text(DEVICE WORKLOADS
                     "scenario: s\ndevices: [{model: big, count: 2}]\npolicies: %s\n"
                     "host: {cores: 16, link_in: 20 GB/s, power: 250 W, context: 64 MiB, context_time: 100 ms}\n"
                     "contention: {model: pairwise, combine: max, slowdown: {m: {m: 1.94, p: 117 %%}, "
                     "p: {p: 1.88, m: 1.63}}}\n"
                     "processes:\n"
                     "  - {name: c, workload: piece, count: 3, start: 1 s, stagger: 2 s, device: 0}\n"
                     "  - {name: d, draw: [piece, blocks, piece], repeat: 3, device: 1, priority: -2, weight: 3, "
                     "active_threads: 30 %%, deadline: 5 s}\n",
                     policies);
}

static void steps_hold_memory(void **state)
{
    (void)state;
    struct sms_file *file = load_rich("[plain]");
    const struct sms__workload *piece = file->workload[0];
    assert_int_equal(piece->declared, 4 << 20);
    assert_int_equal(piece->step[0].kind, SMS__ALLOCATE);
    assert_true(piece->step[1].kind == SMS__FREE && piece->step[1].amount == 1 << 20);
    assert_true(piece->step[4].kind == SMS__FREE && piece->step[4].amount == 0);
    assert_true(piece->exclusive && piece->overhead == 0.03);
    assert_string_equal(piece->cls, "m");
    assert_true(piece->kernel[0].whole && piece->kernel[0].blocks == 1 && piece->kernel[0].block_time.value == 2e12);
    assert_true(!file->workload[1]->kernel[0].whole && file->workload[1]->declared == 0);
    sms_file_free(file);
}

static void a_count_makes_several_processes(void **state)
{
    (void)state;
    struct sms_file *file = load_rich("[plain]");
    const struct sms_scenario *scenario = file->scenario[0];
    const struct sms__tenant *last = &scenario->vm[3];
    assert_true(scenario->shares && scenario->drawn && scenario->vms == 4);
    assert_string_equal(scenario->vm[0].name, "c1");
    assert_string_equal(scenario->vm[2].name, "c3");
    assert_true(scenario->vm[2].start_ps == 5e12 && scenario->vm[0].streams == 1 && scenario->vm[0].repeat == 1);
    assert_true(scenario->vm[0].device == 0 && scenario->vm[0].weight == 1);
    assert_true(scenario->vm[0].active_threads == 1 && scenario->vm[0].choices == 1);
    assert_string_equal(last->name, "d");
    assert_true(last->repeat == 3 && last->deadline_ps == 5e12 && last->device == 1);
    assert_true(last->priority == -2 && last->weight == 3 && last->active_threads == 0.3);
    assert_true(scenario->host.cores == 16 && scenario->host.link_in == 20e9 && scenario->host.link_out == 0);
    assert_true(scenario->host.context_bytes == 64 << 20 && scenario->host.context_ps == 1e11);
    assert_true(scenario->host.power_w == 250 && scenario->device[0]->shared_w == 120);
    assert_true(scenario->device[0]->copy_in_most == 6e9 && scenario->device[0]->copy_out_spread == 0.0421);
    sms_file_free(file);
}

static double latency_of(const struct sms_results *results, size_t vm)
{
    return sms_results_estimate(results, 0, SMS_VM, vm, (size_t)sms_metric_index(SMS_VM, "job_latency_p99_ns")).mean;
}

static void a_count_of_vms_equals_writing_each_one_out(void **state)
{
    (void)state;
    static const char *const vms[] = {
        "{name: v, workload: w, count: 3, stagger: 1 ms, repeat: 2}",
        "{name: v1, workload: w, repeat: 2}, {name: v2, workload: w, start: 1 ms, repeat: 2}, "
        "{name: v3, workload: w, start: 2 ms, repeat: 2}"};
    double latency[2][3];
    for (int i = 0; i < 2; i++) {
        struct sms_file *file = load_text(
            SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 9000, threads: 64, block_time: 1 us}]\n"
                         "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\nvms: [%s]\n",
            2, 4, "sm", vms[i]);
        struct sms_results *results = run_first(file, NULL);
        assert_int_equal(sms_file_scenario(file, 0)->vms, 3);
        assert_string_equal(sms_file_scenario(file, 0)->vm[2].name, "v3");
        for (size_t v = 0; v < 3; v++)
            latency[i][v] = latency_of(results, v);
        discard(results, file);
    }
    assert_true(latency[0][0] > 0);
    assert_memory_equal(latency[0], latency[1], sizeof latency[0]);
}

static void a_draw_merges_its_workloads(void **state)
{
    (void)state;
    struct sms_file *file = load_rich("[plain]");
    const struct sms__tenant *vm = &file->scenario[0]->vm[3];
    const struct sms__choice *choice = vm->choice;
    assert_int_equal(vm->choices, 3);
    assert_int_equal(vm->workload->kernels, 3); /* a workload that is listed twice adds its kernels once */
    assert_true(choice[0].first == 0 && choice[1].first == 1 && choice[2].first == 0);
    assert_string_equal(vm->workload->kernel[0].name, "piece/all");
    assert_string_equal(vm->workload->kernel[2].name, "blocks/b");
    assert_int_equal(vm->workload->declared, 4 << 20);
    assert_int_equal(vm->fit[0][0].cls, 0);
    assert_int_equal(vm->fit[1][2].cls, 1);
    sms_file_free(file);
}

static void a_whole_kernel_demands_shares_of_the_device(void **state)
{
    (void)state;
    struct sms_file *file = load_rich("[plain]");
    const struct sms__footprint *fit = &file->scenario[0]->vm[0].fit[0][0];
    assert_true(fit->demand[0] == SMS_FULL && fit->demand[1] == 0.3 * SMS_FULL && fit->work == 2000000000000);
    sms_file_free(file);
}

/* Without `policies:` and `alone:`, what hardware does. Below a mode `queue:` still decides, so the default there is
 * the choice of the SM alone. */
static void hardware_is_the_default(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        DEVICE WORKLOADS "workload: grid\nkernels: [{name: k, blocks: 9, threads: 64, block_time: 1 us}]\n---\n"
                         "scenario: vms\ndevices: [{model: big}]\nvms: [{name: v, workload: grid}]\n---\n"
                         "scenario: processes\ndevices: [{model: big}]\n"
                         "processes: [{name: p, workload: grid}]\n---\n"
                         "scenario: pods\nnodes: [{name: n, devices: {model: big}, cpu: 8, memory: 8 GiB}]\n"
                         "pods: [{name: p, workload: grid, gpu: 50 %%}]\n");
    static const char *const label[] = {"leftover", "plain", "first_fit"}, *const block[] = {"leftover", "most_room",
                                                                                             "most_room"};
    for (size_t i = 0; i < 3; i++) {
        const struct sms_scenario *scenario = file->scenario[i];
        assert_int_equal(scenario->policies, 1);
        assert_string_equal(scenario->policy->label, label[i]);
        assert_string_equal(scenario->policy->policy->name, block[i]);
        assert_string_equal(scenario->alone->policy->name, "leftover");
    }
    sms_file_free(file);
}

static void policies_have_three_parts(void **state)
{
    (void)state;
    struct sms_file *file =
        load_rich("[plain, {mode: {time_slice: {slice: 4 ms, drain: true}}}, {mode: exclusive, share: plain}, "
                  "{block: {fine_grained: {limit: 150 %}}, mode: {mps: {clients: 16}}}, "
                  "{mode: {mig: {instances: [half, one], inside: {time_slice: {switch: 0 ps}}}}}]");
    const struct sms_scenario *scenario = file->scenario[0];
    static const char *const labels[] = {"plain", "time_slice(slice=4 ms drain=true)", "plain+exclusive",
                                         "mps(clients=16)+fine_grained(limit=150%)",
                                         "mig(instances=half+one inside=time_slice(switch=0 ps))"};
    for (size_t p = 0; p < 5; p++)
        assert_string_equal(scenario->policy[p].label, labels[p]);
    const struct sms__policy_use *use = scenario->policy;
    assert_string_equal(use[3].share->name, "plain");
    assert_string_equal(use[1].policy->name, "most_room");
    struct sms__turns turns[5];
    for (size_t p = 0; p < 5; p++)
        turns[p] = sms__mode_turns(sms__mode_shared(&use[p].mode, 0), scenario->device[0]);
    assert_true(use[0].mode.form == &sms_sharing_mode_time_slice && turns[0].slice_ps == 2e9 && !use[0].mode.drain);
    assert_true(turns[0].switch_ps == 0.147e9 && turns[1].slice_ps == 4e9 && use[1].mode.drain);
    assert_true(!strcmp(use[3].mode.form->name, "mps") && use[3].mode.param[0] == 16 && use[3].mode.param[1] == 1);
    assert_true(use[3].param[0] == 1.5 && turns[4].switch_ps == 0 && turns[4].slice_ps == 2e9);
    assert_true(scenario->alone->mode.form == &sms_sharing_mode_exclusive && scenario->alone->share == use[0].share);
    assert_null(use[3].instances);
    assert_true(sms__is_called(&use[3], "mps") && sms__is_called(&use[3], "fine_grained"));
    assert_true(sms__is_called(&use[1], "time_slice") && !sms__is_called(&use[0], "time_slice"));
    assert_true(sms__is_called(&use[2], "plain+exclusive") && !sms__is_called(&use[3], "fine"));
    sms_file_free(file);
}

static void instances_keep_bandwidth_and_work(void **state)
{
    (void)state;
    struct sms_file *file = load_rich("[{mode: {mig: {instances: [half, one]}}}]");
    const struct sms_scenario *scenario = file->scenario[0];
    const struct sms__instances *instances = scenario->policy[0].instances;
    assert_int_equal(instances->count, 4);
    assert_true(instances->board[1] == 0 && instances->board[2] == 1);
    assert_ptr_equal(instances->device[0], instances->device[2]);
    const struct sms__device *half = instances->device[0];
    assert_string_equal(half->name, "big/half");
    assert_true(half->sms == 2 && half->memory == (uint64_t)4 << 30 && half->resource[1].bandwidth == 40e9);
    assert_int_equal(half->resource[2].capacity, 40);
    assert_int_equal(half->view.sms, 2);
    /* An SM's share of the whole device is 10 GB/s, of which 20 % are 2 GB/s. On the instance its share is 20 GB/s. */
    const struct sms__footprint *fit = instances->fit[3][0];
    assert_true(fit[1].demand[1] == 0.1 * SMS_FULL && fit[1].count[2] == 2);
    assert_true(fit[1].demand[2] == 0.1 * SMS_FULL); /* 2 of 20 units an SM */
    /* A kernel that used all SMs gets a quarter of them, so it takes four times as long. Its 30 % of the bandwidth
     * become 7.5 % of the device, which are 15 % of the instance's half. */
    assert_true(fit[0].work == 8000000000000 && fit[0].demand[0] == SMS_FULL && fit[0].demand[1] == 0.15 * SMS_FULL);
    assert_true(fit[2].work == 1000000 && fit[2].demand[0] == 0.4 * SMS_FULL);
    sms_file_free(file);
}

static void pairs_are_read(void **state)
{
    (void)state;
    struct sms_file *file = load_rich("[plain]");
    const struct sms_pairs *pairs = &file->scenario[0]->contention.pairs->pairs;
    assert_true(pairs->classes == 2 && !strcmp(pairs->name[1], "p"));
    assert_true(pairs->slowdown[1] == 1.17 && pairs->slowdown[2] == 1.63 && pairs->slowdown[3] == 1.88);
    assert_string_equal(file->scenario[0]->contention.label, "pairwise(combine=max)");
    sms_file_free(file);
}

/* One SM has `m` blocks of class m, one of class p and one of no class. Returns the slowdown of class m. */
static double slowdown_of_m(double combine, size_t m)
{
    static const double slowdown[] = {1.94, 1.17, 1.63, 1.88};
    static const char *const names[] = {"m", "p"};
    const struct sms_pairs pairs = {2, names, slowdown};
    const struct sms_contention *model = sms__find_known(NULL, SMS__CONTENTION, "pairwise").item;
    const struct sms_contention_view view = {.params = &combine, .pairs = &pairs};
    double speed[3], usage = 0;
    struct sms_group groups[] = {{.blocks = m, .speed = &speed[0]},
                                 {.blocks = 1, .speed = &speed[1], .cls = 1},
                                 {.blocks = 1, .speed = &speed[2], .cls = -1}};
    model->rate(&view, &usage, groups, 3);
    assert_true(speed[2] == 1 && speed[1] > 0);
    return 1 / speed[0];
}

static void pairwise_combines(void **state)
{
    (void)state;
    assert_near(slowdown_of_m(0, 1), 1.17, 1e-12);
    assert_near(slowdown_of_m(0, 3), 1 + 2 * 0.94 + 0.17, 1e-12);
    assert_near(slowdown_of_m(1, 3), 1.94, 1e-12);
    assert_near(slowdown_of_m(1, 1), 1.17, 1e-12);
    assert_near(slowdown_of_m(2, 3), 1.94 * 1.94 * 1.17, 1e-12);
    assert_near(slowdown_of_m(2, 4000), 1e9, 1); /* the speed stays above 0 */
}

/* The first is slowed by 1.17 throughout, the second by 1.63 until the first ends. */
static void pairwise_slows_blocks(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "---\nworkload: short\ncorun_class: m\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 10 us}]\n"
        "---\nworkload: long\ncorun_class: p\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 100 us}]\n"
        "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
        "contention: {model: pairwise, slowdown: {m: {m: 1, p: 1.17}, p: {m: 1.63, p: 1}}}\n"
        "vms: [{name: a, workload: short}, {name: b, workload: long}]\n",
        1, 4, "sm");
    struct sms_results *results = run_first(file, NULL);
    assert_near(estimate(results, 0, SMS_VM, 0, "job_latency_max_ns").mean, 11700, 0.01);
    assert_near(estimate(results, 0, SMS_VM, 1, "job_latency_max_ns").mean, 100000 - 11700 / 1.63 + 11700, 0.01);
    discard(results, file);
}

static void values_are_printed_as_they_are_read(void **state)
{
    static const char *const times[] = {"2 ms", "147 us", "0 ps", "1 h", "90 s", "1500 ns"};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct sms__quantity value;
        char why[160], text[64];
        assert_null(sms__quantity_parse(times[i], SMS__TIME, &value, why, sizeof why));
        sms__quantity_print(text, sizeof text, value.value, SMS__TIME);
        if (strcmp(times[i], "1500 ns") != 0)
            assert_string_equal(text, times[i]);
        else
            assert_string_equal(text, "1.5 us");
    }
    char text[64];
    sms__quantity_print(text, sizeof text, 2 << 20, SMS__BYTES);
    assert_string_equal(text, "2 MiB");
    sms__quantity_print(text, sizeof text, 12.4e9, SMS__BANDWIDTH);
    assert_string_equal(text, "12.4 GB/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_hold_memory),
        cmocka_unit_test(a_count_makes_several_processes),
        cmocka_unit_test(a_count_of_vms_equals_writing_each_one_out),
        cmocka_unit_test(a_draw_merges_its_workloads),
        cmocka_unit_test(a_whole_kernel_demands_shares_of_the_device),
        cmocka_unit_test(hardware_is_the_default),
        cmocka_unit_test(policies_have_three_parts),
        cmocka_unit_test(instances_keep_bandwidth_and_work),
        cmocka_unit_test(pairs_are_read),
        cmocka_unit_test(pairwise_combines),
        cmocka_unit_test(pairwise_slows_blocks),
        cmocka_unit_test(values_are_printed_as_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
