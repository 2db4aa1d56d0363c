/* Kernels of several processes on one device, under each mode, against closed forms. */
#include "tests/laws/sharing.h"

#define EVERY_MODE                                                                                                     \
    "policies: [{mode: exclusive}, {mode: time_slice}, {mode: together}, {mode: mps}, {mode: {time_slice: {drain: "    \
    "true}}}]\n"

enum { MODES = 5 };

/* Whole kernels that take all of the device. */
#define WHOLE(name, ms) "workload: " name "\nkernels: [{name: k, time: " ms " ms, demand: {fp32: 100 %}}]\n"
#define AND "---\n"

static void a_kernel_alone_takes_its_time_under_every_mode(void **state)
{
    (void)state;
    struct shared shared = share(WHOLE("w", "10.25"), "devices: [{model: small}]\ncontention: proportional\n" EVERY_MODE
                                                      "processes: [{name: p, workload: w}]\n");
    for (size_t m = 0; m < MODES; m++) {
        assert_turnarounds(shared, m, 1, (double[]){10.25});
        assert_true(of_process(shared, m, 0, "kernel_ns") == 10.25 * MS);
        assert_true(of_process(shared, m, 0, "service_ns") == 10.25 * MS);
        assert_true(of_device(shared, m, 0, "switches_count") == 0);
    }
    share_release(shared);
}

static void steps_take_the_sum_of_their_times(void **state)
{
    (void)state;
    struct shared shared = share(
        "workload: w\nkernels: [{name: k, time: 3 ms}, {name: l, time: 0.5 ms}]\n"
        "steps: [{host: 2 ms}, {allocate: 100 B}, {copy_in: 20 B}, {launch: k, times: 3}, {host: 1 ms}, {launch: l},\n"
        "  {copy_out: 8 B}, {free: all}]\n",
        "devices: [{model: small, link: {bandwidth: 4 KB/s}}]\n" EVERY_MODE
        "host: {context: 10 B, context_time: 7 ms}\nprocesses: [{name: p, workload: w, start: 5 ms, repeat: 2}]\n");
    for (size_t m = 0; m < MODES; m++) {
        assert_near(turnaround_ms(shared, m, 0), 7 + 2 * (2 + 5 + 9 + 1 + 0.5 + 2), 1e-7);
        assert_near(of_process(shared, m, 0, "host_ns"), (7 + 2 * 3) * MS, 0.1);
        assert_near(of_process(shared, m, 0, "copy_in_ns"), 2 * 5 * MS, 0.1);
        assert_near(of_process(shared, m, 0, "kernel_ns"), 2 * 9.5 * MS, 0.1);
        assert_near(of_process(shared, m, 0, "copy_out_ns"), 2 * 2 * MS, 0.1);
        assert_true(of_device(shared, m, 0, "memory_high_water_bytes") == 110);
    }
    share_release(shared);
}

/* Four of 10 ms in slices of 2 ms: 20 slices, 19 switches of 0.1 ms; the i-th ends with the i-th of the last four. */
static void equal_processes_under_time_slices_take_turns(void **state)
{
    (void)state;
    struct shared shared = share(WHOLE("w", "10"), "devices: [{model: small}]\n"
                                                   "policies: [{mode: {time_slice: {slice: 2 ms, switch: 0.1 ms}}}]\n"
                                                   "processes: [{name: p, workload: w, count: 4}]\n");
    for (size_t p = 0; p < 4; p++) {
        assert_near(turnaround_ms(shared, 0, p), 2.0 * (double)(17 + p) + 0.1 * (double)(16 + p), 1e-7);
        assert_near(turnaround_ms(shared, 0, p), 4 * 10 * (1 + 0.1 / 2), 2 * 4);
        assert_near(of_process(shared, 0, p, "service_ns"), 10 * MS, 0.1);
        assert_near(of_process(shared, 0, p, "waiting_ns"), turnaround_ms(shared, 0, p) * MS - 10 * MS, 0.1);
        assert_near(of_process(shared, 0, p, "kernel_ns"), turnaround_ms(shared, 0, p) * MS, 0.1);
    }
    assert_true(of_device(shared, 0, 0, "switches_count") == 19);
    assert_near(of_device(shared, 0, 0, "switch_ns"), 1.9 * MS, 0.1);
    share_release(shared);
}

/* A slice of 1 ms, and a switch of 60 s, of which 9 ms lie in the 10 ms of the run, and 3 ms after a warm-up. */
static void switches_count_as_far_as_they_lie_in_the_time_measured(void **state)
{
    static const char *const runs[] = {"duration: 10 ms", "warmup: 7 ms, duration: 10 ms"};
    static const double switch_ms[] = {9, 3}, ratio[] = {0.9, 1};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char scenario[256];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small}]\npolicies: [{mode: {time_slice: {slice: 1 ms, switch: 60 s}}}]\n"
                 "processes: [{name: p, workload: w, repeat: forever, start: 0 s, count: 2}]\nrun: {%s}\n",
                 runs[i]);
        struct shared s = share(WHOLE("w", "1"), scenario);
        assert_near(of_device(s, 0, 0, "switch_ns"), switch_ms[i] * MS, 0.1);
        assert_near(of_device(s, 0, 0, "switch_ratio"), ratio[i], 1e-9);
        assert_near(of_process(s, 0, 0, "service_ns"), i == 0 ? MS : 0, 0.1);
        share_release(s);
    }
}

/* 8 blocks fit: the block of `q` starts at 2 ms, and its wait in the dispatch queue is service under mps alone. */
static void service_under_mps_begins_with_the_launch(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, blocks: 16, threads: 32, block_time: 1 ms}]\n" AND
                            "workload: v\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{mode: mps}, {mode: {time_slice: {slice: 9 ms}}}]\n"
                            "processes: [{name: p, workload: w}, {name: q, workload: v, start: 0.5 ms}]\n");
    assert_near(turnaround_ms(s, 0, 1), 2.5, 1e-7);
    assert_near(of_process(s, 0, 1, "service_ns"), 2.5 * MS, 0.1);
    assert_near(of_process(s, 1, 1, "service_ns"), 1 * MS, 0.1);
    share_release(s);
}

#define TENTHS(step) "workload: w\nkernels: [{name: k, time: 0.1 ms}]\nsteps: [{launch: k, times: 10, " step "}]\n"

/* The other process has the device from 0.15 to 1.2 ms, 1 ms after the second launch. Those that were made ahead then
 * follow each other, and the last has caught up with its host. One that waits comes into a slice of the other each
 * time. */
static void launches_ahead_catch_up_when_their_slice_comes(void **state)
{
    (void)state;
    const char *const scenario =
        "devices: [{model: small}]\npolicies: [{mode: {time_slice: {slice: 1 ms, switch: 50 us}}}]\n"
        "processes: [{name: p, workload: w}, {name: q, workload: v}]\n";
    struct shared ahead = share(TENTHS("async: 0.2 ms") AND WHOLE("v", "10"), scenario);
    struct shared waits = share(TENTHS("sync: 0.1 ms") AND WHOLE("v", "10"), scenario);
    assert_turnarounds(ahead, 0, 2, (double[]){2.15, 11.15});
    assert_turnarounds(waits, 0, 2, (double[]){11.45, 11.95});
    share_release(ahead);
    share_release(waits);
}

/* Three processes on two cores: what their hosts do beside kernels takes no core, the rest is shared. */
static void a_host_ahead_takes_a_core_only_while_no_kernel_of_its_process_runs(void **state)
{
    (void)state;
    struct shared shared =
        share(TENTHS("async: 0.4 ms"), "devices: [{model: small}]\npolicies: [{mode: mps}]\nhost: {cores: 2}\n"
                                       "processes: [{name: p, workload: w, count: 3}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){10 * (0.1 + 0.45), 10 * (0.1 + 0.45), 10 * (0.1 + 0.45)});
    share_release(shared);
}

#define TURNS "devices: [{model: small, time_slice: {slice: 3 ms, switch: 0.5 ms, newcomer: rest_of_slice}}]\n"
#define LATE "processes: [{name: p, workload: w}, {name: q, workload: v, start: 4 ms}]\n"

/* 10 ms, and 1 ms that comes at 4 ms, in the middle of a slice of 3 ms: it runs from 6.5 ms, or from 7.5 ms. */
static void a_newcomer_waits_for_the_rest_of_a_slice_where_the_device_says_so(void **state)
{
    (void)state;
    struct shared s = share(WHOLE("w", "10") AND WHOLE("v", "1"), TURNS
                            "policies: [{mode: time_slice}, {mode: {time_slice: {newcomer: whole_slice}}}]\n" LATE);
    assert_turnarounds(s, 0, 2, (double[]){12, 3.5});
    assert_turnarounds(s, 1, 2, (double[]){12, 4.5});
    share_release(s);
}

/* The device gives what a policy does not, and the defaults the rest. */
static void the_device_says_how_long_slices_and_switches_are(void **state)
{
    (void)state;
    struct shared s = share(WHOLE("w", "6"), "devices: [{model: small, time_slice: {slice: 3 ms, switch: 0.5 ms}}]\n"
                                             "policies: [plain, {mode: {time_slice: {switch: 0 ms}}},\n"
                                             "  {mode: {time_slice: {slice: 2 ms}}}]\n"
                                             "processes: [{name: p, workload: w, count: 2}]\n");
    assert_turnarounds(s, 0, 2, (double[]){10, 13.5});
    assert_turnarounds(s, 1, 2, (double[]){9, 12});
    assert_turnarounds(s, 2, 2, (double[]){12, 14.5});
    share_release(s);
    s = share(WHOLE("w", "6"), "devices: [{model: small, time_slice: {slice: 3 ms}}]\npolicies: [plain]\n"
                               "processes: [{name: p, workload: w, count: 2}]\n");
    assert_turnarounds(s, 0, 2, (double[]){9 + 2 * 0.147, 12 + 3 * 0.147});
    share_release(s);
}

static void exclusive_is_one_after_another(void **state)
{
    (void)state;
    struct shared shared =
        share(WHOLE("w", "10") AND WHOLE("v", "3"),
              "devices: [{model: small}]\npolicies: [{mode: exclusive}]\n"
              "processes: [{name: p, workload: w, count: 2}, {name: q, workload: v, start: 1 ms}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){10, 20, 22});
    assert_near(of_process(shared, 0, 2, "waiting_ns"), 19 * MS, 0.1);
    share_release(shared);
}

/* With slope 1 kernels that each want the whole device share it equally. Processor sharing of works s1 <= s2 <= ...:
 * the i-th of n ends at s1 + ... + s(i-1) + (n - i + 1) si. */
static void together_is_processor_sharing(void **state)
{
    (void)state;
    struct shared shared = share(WHOLE("a", "3") AND WHOLE("b", "5") AND WHOLE("c", "5") AND WHOLE("d", "11"),
                                 "devices: [{model: small}]\ncontention: proportional\n"
                                 "policies: [{mode: together}, {mode: mps}]\nprocesses:\n"
                                 "  - {name: d, workload: d}\n  - {name: a, workload: a}\n"
                                 "  - {name: b, workload: b}\n  - {name: c, workload: c}\n");
    for (size_t m = 0; m < 2; m++)
        assert_turnarounds(shared, m, 4, (double[]){24, 12, 18, 18});
    share_release(shared);
}

/* Two of 60 % slow each other by 1.2, one of 40 % beside one of 60 % not at all. */
static void together_slows_by_what_is_asked_for_beyond_the_device(void **state)
{
    (void)state;
    struct shared shared =
        share("workload: w\nkernels: [{name: k, time: 6 ms, demand: {fp32: 60 %}}]\n" AND
              "workload: v\nkernels: [{name: k, time: 2 ms, demand: {fp32: 40 %, dram: 100 %}}]\n",
              "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: together}]\n"
              "processes: [{name: a, workload: w}, {name: b, workload: v}, {name: c, workload: w, start: 3 ms}]\n");
    /* a is alone but for b until 3 ms, then beside c: 3 ms left take 3.6 ms; c has done 3 ms of its 6 then. */
    assert_turnarounds(shared, 0, 3, (double[]){6.6, 2, 6.6});
    share_release(shared);
}

/* 12 waves of 8 blocks of 1 ms, which are all of the device. Under MPS coarse kernels share the device until all end;
 * blocks go in launch order. */
static void blocks_and_wholes_agree_to_within_a_block(void **state)
{
    (void)state;
    const char *scenario = "devices: [{model: small}]\ncontention: proportional\n"
                           "policies: [{mode: exclusive}, {mode: {time_slice: {slice: 0.7 ms, switch: 0.05 ms}}}, "
                           "{mode: mps}, {mode: {time_slice: {slice: 1.5 ms, drain: true}}}]\n"
                           "processes: [{name: p, workload: w, count: 4}]\n";
    struct shared whole = share(WHOLE("w", "12"), scenario);
    struct shared blocks = share("workload: w\nkernels: [{name: k, blocks: 96, threads: 64, block_time: 1 ms, "
                                 "demand: {fp32: 50 %}}]\n",
                                 scenario);
    for (size_t m = 0; m < 3; m++)
        for (size_t p = 0; p < 4; p++)
            assert_near(turnaround_ms(blocks, m, p), m == 2 ? 12 * (p + 1.0) : turnaround_ms(whole, m, p), 1e-7);
    for (size_t p = 0; p < 4; p++)
        assert_near(turnaround_ms(whole, 2, p), 48, 1e-7);
    /* Drained, a slice of 1.5 ms holds two blocks' time. */
    assert_true(of_device(blocks, 3, 0, "switches_count") < of_device(whole, 1, 0, "switches_count"));
    share_release(whole);
    share_release(blocks);
}

/* Two processes, one SM of one block each at a time, blocks of 3 ms, two of them, slices of 2 ms, switches of 0.5 ms.
 */
static void slices_end_at_once_or_with_their_blocks(void **state)
{
    (void)state;
    struct shared shared = share("workload: w\nkernels: [{name: k, blocks: 16, threads: 64, block_time: 3 ms}]\n",
                                 "devices: [{model: small}]\n"
                                 "policies: [{mode: {time_slice: {slice: 2 ms, switch: 0.5 ms}}},\n"
                                 "  {mode: {time_slice: {slice: 2 ms, switch: 0.5 ms, drain: true}}}]\n"
                                 "processes: [{name: p, workload: w, count: 2}]\n");
    /* a 0-2, b 2.5-4.5, a 5-7, b 7.5-9.5, a 10-12 ends, b 12.5-14.5. */
    assert_turnarounds(shared, 0, 2, (double[]){12, 14.5});
    /* a 0-3, b 3.5-6.5, a 7-10 ends, b 10.5-13.5. */
    assert_turnarounds(shared, 1, 2, (double[]){10, 13.5});
    assert_true(of_device(shared, 0, 0, "switches_count") == 5);
    assert_true(of_device(shared, 1, 0, "switches_count") == 3);
    share_release(shared);
}

/* Times of blocks from launch to placement, of `low` and of `high`, whose kernel comes at 0.2 ms. A block that could
 * begin at the instant at which its context is stopped has not begun. */
static void blocks_wait_until_their_context_has_the_device(void **state)
{
    static const struct {
        const char *turns, *low, *high;
        double low_ms, high_ms;
    } cases[] = {
        /* `low` 0-1 and 4-5, `high` 2-3: half of the blocks wait from 0 to 4. */
        {"drain: true", "workload: w, start: 0 ms}", "workload: v, start: 0.2 ms, priority: 1}", 2, 1.8},
        /* Both come at 0. */
        {"drain: false", "workload: v, start: 0 ms}", "workload: v, start: 0 ms, priority: 1}", 2, 0},
        /* Kernels of `low` 0-1, 4-5 and 5-6: the second waits from 1 to 4. */
        {"ahead: 1", "workload: v, start: 0 ms, repeat: 3}", "workload: v, start: 0.2 ms, priority: 1}", 1, 1.8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "devices: [{model: small}]\npolicies: [{share: {priority: {preempt: true}}, mode: {time_slice: {slice: "
            "100 ms, switch: 1 ms, %s}}}]\nprocesses:\n  - {name: low, %s\n  - {name: high, %s\n",
            cases[i].turns, cases[i].low, cases[i].high);
        struct shared s = share("workload: w\nkernels: [{name: k, blocks: 16, threads: 64, block_time: 1 ms}]\n---\n"
                                "workload: v\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n",
                                text);
        assert_near(estimate(s.results, 0, SMS_VM, 0, "block_wait_ns").mean, cases[i].low_ms * MS, 0.1);
        assert_near(estimate(s.results, 0, SMS_VM, 1, "block_wait_ns").mean, cases[i].high_ms * MS, 0.1);
        share_release(s);
    }
}

/* A kernel of 2 ms, then 1 ms on the host, for ever; the other computes 10 ms. While one is on the host, the other is
 * alone and not cut. */
static void a_slice_is_given_up_when_its_kernel_ends(void **state)
{
    (void)state;
    struct shared shared = share(
        "workload: w\nkernels: [{name: k, time: 2 ms}]\nsteps: [{launch: k}, {host: 1 ms}, {launch: k}]\n" AND WHOLE(
            "v", "10"),
        "devices: [{model: small}]\npolicies: [{mode: {time_slice: {slice: 4 ms, switch: 0 ms}}}]\n"
        "processes: [{name: a, workload: w}, {name: b, workload: v}]\n");
    /* a 0-2, b 2-, a is ready again at 3: b's slice begins to run out then, at 7; a 7-9, b 9-14. */
    assert_turnarounds(shared, 0, 2, (double[]){9, 14});
    share_release(shared);
}

/* `low` makes room for `mid` from 0.3 ms on, and `mid` for `high` from 1.5 ms on, both after their kernel of 10 ms.
 * `high` has every second turn from 2.3 ms on. */
static void two_processes_that_leave_take_no_turns_with_each_other(void **state)
{
    (void)state;
    struct shared shared =
        share(WHOLE("w", "10") AND WHOLE("v", "3"),
              "devices: [{model: small}]\npolicies: [{share: {priority: {preempt: true}}, mode: {time_slice: {slice: "
              "1 ms, switch: 0 ms, ahead: 1}}}]\nprocesses:\n  - {name: low, workload: w}\n"
              "  - {name: mid, workload: w, priority: 1, start: 0.3 ms}\n"
              "  - {name: high, workload: v, priority: 2, start: 1.5 ms}\n");
    assert_turnarounds(shared, 0, 3, (double[]){22, 22.7, 5.8});
    share_release(shared);
}

/* Without idle time: kernels and switches are all the time there is. */
static void devices_conserve_time(void **state)
{
    (void)state;
    struct shared shared = share(WHOLE("w", "10") AND WHOLE("v", "7.3"),
                                 "devices: [{model: small}]\ncontention: proportional\n" EVERY_MODE
                                 "processes: [{name: p, workload: w, count: 2}, {name: q, workload: v, count: 3}]\n");
    for (size_t m = 0; m < MODES; m++) {
        double service = 0, total = makespan_ms(shared, m) * MS;
        for (size_t p = 0; p < 5; p++)
            service += of_process(shared, m, p, "service_ns");
        assert_near(of_device(shared, m, 0, "busy_ratio"), 1, 1e-9);
        if (m < 2 || m == 4)
            assert_near(service + of_device(shared, m, 0, "switch_ns"), total, 0.1);
        assert_near(total - of_device(shared, m, 0, "switch_ns"), (20 + 3 * 7.3) * MS, 0.1);
    }
    share_release(shared);
}

struct kernel_times {
    double alone[64];
    size_t count;
};

static int keep_kernel(void *user, const struct sms_run_event *event)
{
    const struct sms_kernel_run *run = event->kernel;
    struct kernel_times *times = user;
    assert_true(times->count < 64);
    times->alone[times->count++] = (double)(run->end_ps - run->launch_ps);
    return 0;
}

static struct kernel_times kernels_of(const char *scenario)
{
    struct kernel_times times = {.count = 0};
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.observe = keep_kernel;
    options.events = SMS_RUN_KERNEL;
    options.user = &times;
    share_release(
        share_with(&options,
                   "workload: w\nkernels:\n"
                   "  - {name: k, blocks: 37, threads: 96, block_time: 1.3 us, demand: {fp32: 70 %, dram: 30 %}}\n"
                   "  - {name: l, blocks: 11, threads: 320, registers: 50, block_time: 9 us, demand: {l1: 90 %}}\n"
                   "steps: [{launch: k, times: 5}, {host: 3 us}, {copy_in: 10 B}, {launch: l}, {launch: k}]\n",
                   scenario));
    return times;
}

/* A process that has the device for itself is a VM that does. */
static void a_process_alone_is_a_vm_alone(void **state)
{
    (void)state;
    struct kernel_times vm = kernels_of("devices: [{model: small, link: {bandwidth: 4 KB/s}}]\ncontention: maxmin\n"
                                        "policies: [round_robin]\nvms: [{name: p, workload: w, repeat: 3}]\n");
    const char *modes[] = {"exclusive", "time_slice", "mps", "together"};
    assert_int_equal(vm.count, 3 * 7);
    for (size_t m = 0; m < 4; m++) {
        char text[512];
        snprintf(text, sizeof text,
                 "devices: [{model: small, link: {bandwidth: 4 KB/s}}]\ncontention: maxmin\n"
                 "policies: [{mode: %s}]\nprocesses: [{name: p, workload: w, repeat: 3}]\n",
                 modes[m]);
        struct kernel_times process = kernels_of(text);
        assert_memory_equal(&vm, &process, sizeof vm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_alone_takes_its_time_under_every_mode),
        cmocka_unit_test(steps_take_the_sum_of_their_times),
        cmocka_unit_test(equal_processes_under_time_slices_take_turns),
        cmocka_unit_test(switches_count_as_far_as_they_lie_in_the_time_measured),
        cmocka_unit_test(service_under_mps_begins_with_the_launch),
        cmocka_unit_test(launches_ahead_catch_up_when_their_slice_comes),
        cmocka_unit_test(a_host_ahead_takes_a_core_only_while_no_kernel_of_its_process_runs),
        cmocka_unit_test(a_newcomer_waits_for_the_rest_of_a_slice_where_the_device_says_so),
        cmocka_unit_test(the_device_says_how_long_slices_and_switches_are),
        cmocka_unit_test(exclusive_is_one_after_another),
        cmocka_unit_test(together_is_processor_sharing),
        cmocka_unit_test(together_slows_by_what_is_asked_for_beyond_the_device),
        cmocka_unit_test(blocks_and_wholes_agree_to_within_a_block),
        cmocka_unit_test(slices_end_at_once_or_with_their_blocks),
        cmocka_unit_test(blocks_wait_until_their_context_has_the_device),
        cmocka_unit_test(a_slice_is_given_up_when_its_kernel_ends),
        cmocka_unit_test(two_processes_that_leave_take_no_turns_with_each_other),
        cmocka_unit_test(devices_conserve_time),
        cmocka_unit_test(a_process_alone_is_a_vm_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
