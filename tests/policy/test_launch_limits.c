/* Share policies that hold back launches or allocations, on cases that can be worked out by hand. */
#include "tests/laws/sharing.h"

#define SLICES "{time_slice: {slice: 1 ms, switch: 0 ms}}"

#define FORTY                                                                                                          \
    "device: forty\nclock: 1 GHz\nsms: 40\nsm: {threads: 1024, warps: 32, blocks: 32}\nresources: {fp32: {class: "     \
    "compute}}\n---\n"

/* The published step of 40 SMs of 1024 threads at a cap of 50 %, from which the device is idle, is 62 745 tokens; that
 * of 45 to 50 % is 3200. The kernel has 62 745 blocks, 50 rounds of 1280, and ends at 57.6 ms with -62 745 tokens. At
 * 120 ms it has used 48 %, and gets 3200. At 240 ms it has used none, and gets 3200 + 62 745. The launch looked again
 * each 10 ms from 57.6 ms on, so it begins at 247.6 ms. Polls of 1 ms see the tokens at 240.6 ms. Of weight 1 nobody
 * waits. */
static void tokens_come_as_the_utilization_says(void **state)
{
    (void)state;
    struct shared s = share(
        FORTY "workload: w\nkernels: [{name: k, blocks: 62745, threads: 32, block_time: 1.152 ms}]\n"
              "steps: [{launch: k, times: 2}]\n",
        "devices: [{model: forty}]\ncontention: none\npolicies:\n"
        "  - {share: token_bucket, mode: " SLICES "}\n  - {share: {token_bucket: {poll: 1 ms}}, mode: " SLICES "}\n"
        "processes: [{name: p, workload: w, weight: 0.5}, {name: q, workload: w, start: 1 s}]\n");
    assert_turnarounds(s, 0, 2, (double[]){247.6 + 57.6, 2 * 57.6});
    assert_turnarounds(s, 1, 2, (double[]){240.6 + 57.6, 2 * 57.6});
    share_release(s);
}

/* The watcher of each process looks 120 ms after its first launch, whenever another process on another device has
 * launched, and before a launch of that instant: at 120 ms the second kernel of `p` and `q` asks, and 3000 tokens less
 * 3200 more leave 200. `late` is as late as it comes. */
static void each_process_has_a_watcher_that_looks_before_it_launches(void **state)
{
    (void)state;
    struct shared s =
        share(FORTY "workload: w\nkernels: [{name: k, blocks: 3000, threads: 32, block_time: 19.2 ms}]\n"
                    "steps: [{launch: k}, {host: 62.4 ms}, {launch: k}]\n",
              "devices: [{model: forty, count: 3}]\ncontention: none\n"
              "policies: [{share: token_bucket, mode: exclusive}]\n"
              "processes:\n  - {name: p, workload: w, weight: 0.5}\n  - {name: q, workload: w, weight: 0.5}\n"
              "  - {name: late, workload: w, weight: 0.5, start: 47 ms}\n");
    assert_turnarounds(s, 0, 3, (double[]){177.6, 177.6, 177.6});
    share_release(s);
}

#define RTX_PRO_6000                                                                                                   \
    "device: pro\nclock: 1 GHz\nsms: 188\nsm: {threads: 1536, warps: 48, blocks: 24}\nresources: {fp32: {class: "      \
    "compute}}\n---\nworkload: w\nkernels: [{name: k, blocks: 1024, threads: 256, block_time: 1.44 ms}]\n"             \
    "steps: [{launch: k, times: 15}]\n"

/* HAMi-core#274: with a cap of 50 % a process of matrix products kept an RTX PRO 6000 busy for 94 % of the time, the
 * mean of 13 samples a minute apart: 48 %, 81 % and eleven of 99 %. */
static void a_cap_leaves_pauses(void **state)
{
    (void)state;
    struct shared s = share(RTX_PRO_6000, "devices: [{model: pro}]\ncontention: none\npolicies: [{share: token_bucket, "
                                          "mode: " SLICES "}]\nprocesses: [{name: a, workload: w, weight: 0.5, "
                                          "repeat: forever}]\nrun: {duration: 61 s, warmup: 1 s}\n");
    assert_near(estimate(s.results, 0, SMS_DEVICE, 0, "busy_ratio").mean, (48 + 81 + 11 * 99) / 1300.0, 0.02);
    share_release(s);
}

/* HAMi-core#314: caps of 30 and 70 % gave 21.4 and 25.2 iterations/s on an RTX PRO 6000, of two processes that had 23.1
 * each without caps. A product of 4096 x 4096 has 1024 blocks of 128 x 128: the share soon is more than the launches of
 * a tick take. So here the caps do nothing, which is 8 % off for both. */
static void caps_of_few_blocks_do_not_hold(void **state)
{
    (void)state;
    struct shared s = share(
        RTX_PRO_6000,
        "devices: [{model: pro}]\ncontention: none\npolicies: [{share: token_bucket, mode: " SLICES "}]\n"
        "processes: [{name: a, workload: w, weight: 0.3, repeat: forever}, {name: b, workload: w, weight: 0.7, repeat: "
        "forever}]\nrun: {duration: 4 s, warmup: 1 s}\n");
    const double a = estimate(s.results, 0, SMS_VM, 0, "jobs_per_s").mean;
    const double b = estimate(s.results, 0, SMS_VM, 1, "jobs_per_s").mean;
    assert_true(fabs(a / 23.1 - 1) < 0.01 && fabs(b / 23.1 - 1) < 0.01);
    share_release(s);
}

/* Production launches a kernel each millisecond, 100 in a period. TGS learns that for five periods, in which a window
 * has one launch. The sixth sets the limit to 2 blocks, and a launch more is let through than the limit says. While the
 * rate stays, the limit becomes 1.5 x 2 + 1 = 4, then 7. From the ninth period on production has half of its rate: 7 /
 * 1.5 = 4.67, then (4.67 - 1) / 10. */
static void best_effort_launches_as_much_as_leaves_the_rate(void **state)
{
    (void)state;
    static const struct {
        int from_ms, to_ms, a_window;
    } cases[] = {{410, 500, 1}, {610, 700, 3}, {710, 800, 5}, {810, 900, 8}, {910, 1000, 5}, {1010, 1100, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "devices: [{model: small}]\ncontention: none\npolicies:\n"
            "  - {share: {tgs: {period: 100.3 ms, window: 10 ms, poll: 1 ms, first: 2, least: 1}}, mode: together}\n"
            "processes:\n  - {name: steady, workload: w, priority: 1, start: 0.52 ms, arrivals: {every: 2 ms}}\n"
            "  - {name: ends, workload: w, priority: 1, start: 1.52 ms, arrivals: {every: 2 ms}, repeat: 401}\n"
            "  - {name: low, workload: w, repeat: forever, start: 0 ms}\nrun: {warmup: %d ms, duration: %d ms}\n",
            cases[i].from_ms, cases[i].to_ms);
        struct shared s = share("workload: w\nkernels: [{name: k, time: 50 us}]\n", text);
        assert_near(estimate(s.results, 0, SMS_VM, 2, "kernels_per_s").mean, cases[i].a_window * 100.0, 1e-6);
        share_release(s);
    }
}

/* `low` takes 10 ms in ten rounds. At 300 us `high` launches. Its stream has no priority on the device, so it waits in
 * the queue for the rounds of the atom that runs: one, two or all. */
static void a_kernel_waits_for_the_bound_of_best_effort_at_most(void **state)
{
    (void)state;
    struct shared s = share(
        "workload: long\nkernels: [{name: k, blocks: 80, threads: 64, block_time: 1 ms}]\n---\n"
        "workload: short\nkernels: [{name: k, blocks: 40, threads: 64, block_time: 1 ms}]\n"
        "steps: [{host: 300 us}, {launch: k}]\n",
        "devices: [{model: small}]\ncontention: none\npolicies:\n"
        "  - {share: {tally: {bound: 1 ms}}, mode: together}\n"
        "  - {share: {tally: {bound: 2 ms}}, mode: together}\n  - {share: {tally: {bound: 0 s}}, mode: together}\n"
        "processes:\n  - {name: low, workload: long}\n"
        "  - {name: high, priority: 1, streams: [{workload: short, priority: -1}]}\n");
    assert_turnarounds(s, 0, 2, (double[]){15, 6});
    assert_turnarounds(s, 1, 2, (double[]){15, 7});
    assert_turnarounds(s, 2, 2, (double[]){10, 15});
    share_release(s);
}

/* An atom of 1 ms begins in the pause of `high`, which waits for it. `other` waits for the rest of `low`. */
static void best_effort_has_the_pauses_one_kernel_at_a_time(void **state)
{
    (void)state;
    struct shared s = share("workload: half\nkernels: [{name: k, blocks: 24, threads: 32, block_time: 1 ms}]\n---\n"
                            "workload: short\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n"
                            "steps: [{launch: k}, {host: 100 us}, {launch: k}, {host: 50 ms}]\n",
                            "devices: [{model: small}]\ncontention: none\n"
                            "policies: [{share: {tally: {bound: 1 ms}}, mode: together}]\nprocesses:\n"
                            "  - {name: high, workload: short, priority: 1}\n  - {name: low, workload: half}\n"
                            "  - {name: other, workload: half, start: 3.5 ms}\n");
    assert_turnarounds(s, 0, 3, (double[]){53, 5, 4.5});
    share_release(s);
}

/* All kernels come at once, in the order of the list, and end with each other's waits: what begins goes by priority. */
static void what_comes_at_one_instant_launches_by_priority(void **state)
{
    (void)state;
    struct shared s =
        share("workload: w\nkernels: [{name: k, time: 1 ms}]\nsteps: [{launch: k}, {host: 1 ms}, {launch: k}]\n",
              "devices: [{model: small}]\ncontention: none\npolicies:\n  - {share: tally, mode: together}\n"
              "  - {share: interference_aware, mode: together}\nprocesses:\n  - {name: low, workload: w}\n"
              "  - {name: middle, workload: w, priority: 1}\n  - {name: high, workload: w, priority: 2}\n");
    for (size_t policy = 0; policy < 2; policy++)
        assert_turnarounds(s, policy, 3, (double[]){7, 4, 3});
    share_release(s);
}

/* `p` and `q` come back at the same instant, and neither has the SMs of the other. `thief` has none of its own: it
 * begins when `owner` has been idle for 2 ms, whenever it looked before. */
static void sms_are_idle_from_the_instant_on_and_of_nobody_who_returns(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 100 %}}]\n"
                            "steps: [{host: 2 ms}, {launch: k}]\n",
                            "devices: [{model: small}]\ncontention: none\npolicies: [{share: lithos, mode: mps}]\n"
                            "processes: [{name: p, workload: w}, {name: q, workload: w}]\n");
    assert_turnarounds(s, 0, 2, (double[]){10, 10});
    share_release(s);
    s = share("workload: w\nkernels: [{name: k, time: 2.25 ms, demand: {fp32: 100 %}}]\n"
              "steps: [{launch: k}, {host: 20 ms}]\n---\nworkload: long\nkernels: [{name: k, time: 10 ms, demand: "
              "{fp32: 100 %}}]\n",
              "devices: [{model: small}]\ncontention: none\npolicies: [{share: {lithos: {idle: 2 ms}}, mode: mps}]\n"
              "processes:\n  - {name: owner, workload: w, active_threads: 75 %}\n"
              "  - {name: other, workload: long, active_threads: 75 %}\n"
              "  - {name: thief, workload: w, active_threads: 75 %, start: 1.5 ms}\n");
    assert_turnarounds(s, 0, 3, (double[]){23, 40, 3.5 + 3 + 20});
    share_release(s);
}

/* In doubles 10 % and 20 % are more than 30 %. */
static void kernels_that_ask_for_the_whole_share_run_together(void **state)
{
    (void)state;
    struct shared s =
        share("workload: a\ncorun_class: a\nkernels: [{name: k, time: 2 ms, demand: {fp32: 20 %}}]\n---\n"
              "workload: b\ncorun_class: b\nkernels: [{name: k, time: 1 ms, demand: {dram: 10 %}}]\n",
              "devices: [{model: small}]\npolicies: [{share: {interference_aware: {share: 30 %}}, mode: together}]\n"
              "processes: [{name: high, workload: a, priority: 1}, {name: low, workload: b}]\n");
    assert_turnarounds(s, 0, 2, (double[]){2, 1});
    share_release(s);
}

/* At 1 ms eight places are free on each device, eight blocks of `x` wait for them, and the second kernel of `y` comes.
 */
static void what_waits_on_any_device_fills_places_before_launches(void **state)
{
    (void)state;
    struct shared s = share("workload: high\nkernels: [{name: k, blocks: 1, threads: 64, block_time: 1 ms}]\n"
                            "steps: [{host: 9 ms}, {launch: k}]\n---\n"
                            "workload: x\nkernels: [{name: k, blocks: 15, threads: 64, block_time: 1 ms}]\n---\n"
                            "workload: y\nkernels: [{name: one, blocks: 1, threads: 64, block_time: 1 ms}, "
                            "{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n",
                            "devices: [{model: small, count: 2}]\ncontention: none\nqueue: rr_fifo\n"
                            "policies: [{share: interference_aware, mode: together}]\n"
                            "processes:\n  - {name: high0, workload: high, device: 0, priority: 1}\n"
                            "  - {name: high1, workload: high, device: 1, priority: 1}\n"
                            "  - {name: x0, workload: x, device: 0}\n  - {name: x1, workload: x, device: 1}\n"
                            "  - {name: y0, workload: y, device: 0}\n  - {name: y1, workload: y, device: 1}\n");
    assert_turnarounds(s, 0, 6, (double[]){10, 10, 2, 2, 3, 3});
    share_release(s);
}

/* A phase of 30 ms: 40 bytes in at 4 a ms, a kernel of 10 ms, and 40 bytes out. The host then takes 30 ms. Phases take
 * turns in the order in which they ask: of two jobs each finds the device free after its host step, of three none. */
static void phases_take_turns_and_pay_for_their_bytes(void **state)
{
    (void)state;
    for (int count = 2; count <= 3; count++) {
        char text[256];
        snprintf(text, sizeof text,
                 "devices: [{model: linked}]\npolicies: [{share: memory_turns, mode: together}]\n"
                 "processes: [{name: p, workload: w, count: %d, repeat: 2}]\n",
                 count);
        struct shared s = share("device: linked\nclock: 1 GHz\nsms: 4\nmemory: 1000 B\nlink: {bandwidth: 4 KB/s}\n"
                                "sm: {threads: 2048, warps: 64, blocks: 2}\nresources: {fp32: {class: compute}}\n---\n"
                                "workload: w\nkernels: [{name: k, time: 10 ms}]\nsteps: [{allocate: 800 B}, "
                                "{copy_in: 40 B}, {launch: k}, {copy_out: 40 B}, {free: all}, {host: 30 ms}]\n",
                                text);
        assert_turnarounds(s, 0, (size_t)count, count == 2 ? (double[]){120, 150} : (double[]){150, 180, 210});
        share_release(s);
    }
}

/* `large` waits for 800 of 1000 bytes while its other stream has a kernel. `small` comes later, and waits behind it. */
static void an_allocation_waits_behind_one_of_a_process_that_runs(void **state)
{
    (void)state;
    struct shared s =
        share("device: tiny\nclock: 1 GHz\nsms: 4\nmemory: 1000 B\n"
              "sm: {threads: 2048, warps: 64, blocks: 2}\nresources: {fp32: {class: compute}}\n---\n"
              "workload: first\nkernels: [{name: k, time: 10 ms}]\nsteps: [{allocate: 600 B}, {launch: k}]\n---\n"
              "workload: large\nkernels: [{name: k, time: 1 ms}]\n"
              "steps: [{host: 1 ms}, {allocate: 800 B}, {launch: k}]\n---\n"
              "workload: busy\nkernels: [{name: k, time: 20 ms}]\n---\n"
              "workload: small\nkernels: [{name: k, time: 5 ms}]\nsteps: [{allocate: 300 B}, {launch: k}]\n",
              "devices: [{model: tiny}]\ncontention: none\npolicies: [{share: memory_turns, mode: together}]\n"
              "processes:\n  - {name: first, workload: first}\n"
              "  - {name: p, streams: [{workload: busy}, {workload: large}]}\n"
              "  - {name: small, workload: small, start: 2 ms}\n");
    assert_turnarounds(s, 0, 3, (double[]){10, 20, 14});
    share_release(s);
}

/* `large` fails at once, rather than wait for ever with all others behind it. */
static void an_allocation_beyond_the_device_is_refused(void **state)
{
    (void)state;
    struct shared s =
        share("workload: large\nkernels: [{name: k, time: 1 ms}]\nsteps: [{allocate: 1001 B}, {launch: k}]\n"
              "---\nworkload: small\nkernels: [{name: k, time: 5 ms}]\n"
              "steps: [{allocate: 300 B}, {launch: k}, {free: all}]\n",
              "devices: [{model: small}]\npolicies: [{share: memory_turns, mode: mps}]\n"
              "processes: [{name: large, workload: large}, {name: small, workload: small, repeat: 2}]\n");
    assert_near(of_process(s, 0, 0, "failed_count"), 1, 0);
    assert_near(turnaround_ms(s, 0, 1), 10, 1e-6);
    share_release(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_come_as_the_utilization_says),
        cmocka_unit_test(each_process_has_a_watcher_that_looks_before_it_launches),
        cmocka_unit_test(a_cap_leaves_pauses),
        cmocka_unit_test(caps_of_few_blocks_do_not_hold),
        cmocka_unit_test(best_effort_launches_as_much_as_leaves_the_rate),
        cmocka_unit_test(a_kernel_waits_for_the_bound_of_best_effort_at_most),
        cmocka_unit_test(best_effort_has_the_pauses_one_kernel_at_a_time),
        cmocka_unit_test(what_comes_at_one_instant_launches_by_priority),
        cmocka_unit_test(sms_are_idle_from_the_instant_on_and_of_nobody_who_returns),
        cmocka_unit_test(kernels_that_ask_for_the_whole_share_run_together),
        cmocka_unit_test(what_waits_on_any_device_fills_places_before_launches),
        cmocka_unit_test(phases_take_turns_and_pay_for_their_bytes),
        cmocka_unit_test(an_allocation_waits_behind_one_of_a_process_that_runs),
        cmocka_unit_test(an_allocation_beyond_the_device_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
