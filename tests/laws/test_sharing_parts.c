/* Parts of a device: active_threads under mps, instances under mig. */
#include "tests/laws/sharing.h"

#define AND "---\n"
/* 2 blocks at a time on each of 4 SMs: 4 waves on all of them. */
#define BLOCKS                                                                                                         \
    "workload: blocks\nkernels: [{name: k, blocks: 32, threads: 64, block_time: 1 ms, demand: {fp32: 50 %}}]\n"
#define WHOLE                                                                                                          \
    "workload: whole\nkernels: [{name: k, time: 4 ms, demand: {fp32: 100 %, dram: 40 %}}, "                            \
    "{name: small, time: 3 ms, demand: {fp32: 25 %, dram: 100 %}}]\n"

/* 25 % of 4 SMs is one, 50 % two, 74 % two; with a granule of 2: 1 (at least one), 2, 2. */
static void a_process_has_its_share_of_the_sms(void **state)
{
    (void)state;
    const char *shares[] = {"1 %", "25 %", "50 %", "74 %", "75 %", "100 %"};
    const double sms[2][6] = {{1, 1, 2, 2, 3, 4}, {1, 1, 2, 2, 2, 4}};
    for (size_t s = 0; s < 6; s++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}, {mode: {mps: {granule: "
                 "2}}}]\n"
                 "processes: [{name: a, workload: blocks, active_threads: %s}]\n",
                 shares[s]);
        struct shared shared = share(BLOCKS, scenario);
        for (size_t g = 0; g < 2; g++)
            assert_near(turnaround_ms(shared, g, 0), ceil(32 / (2 * sms[g][s])), 1e-7);
        share_release(shared);
    }
}

/* Two with half of the SMs each do not meet; three do, on the half that two have, where the first goes first. */
static void shares_lie_beside_each_other(void **state)
{
    (void)state;
    struct shared shared =
        share(BLOCKS, "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}]\n"
                      "processes: [{name: a, workload: blocks, active_threads: 50 %, count: 2}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){8, 8});
    share_release(shared);
    shared = share(BLOCKS, "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}]\n"
                           "processes: [{name: a, workload: blocks, active_threads: 50 %, count: 3}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){8, 8, 16});
    share_release(shared);
}

/* A process that comes later takes the SMs that another has given back. */
static void shares_are_given_back(void **state)
{
    (void)state;
    struct shared shared =
        share(BLOCKS, "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}]\nprocesses:\n"
                      "  - {name: a, workload: blocks, active_threads: 25 %, count: 3}\n"
                      "  - {name: b, workload: blocks, active_threads: 25 %}\n"
                      "  - {name: c, workload: blocks, active_threads: 50 %, start: 16 ms, repeat: 2}\n");
    assert_turnarounds(shared, 0, 5, (double[]){16, 16, 16, 16, 16});
    share_release(shared);
}

/* At 25 % a kernel that asks for all takes four times as long, and a quarter of the rest; one that asks for no more
 * than that is as ever. */
static void a_whole_kernel_is_kept_to_its_share(void **state)
{
    (void)state;
    struct shared shared = share(WHOLE, "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}]\n"
                                        "processes: [{name: a, workload: whole, active_threads: 25 %}]\n");
    assert_turnarounds(shared, 0, 1, (double[]){16 + 3});
    share_release(shared);
}

/* Four of a quarter each fill the device and do not slow each other, nor does the dram, at 40 %. */
static void whole_kernels_of_a_share_do_not_meet(void **state)
{
    (void)state;
    struct shared shared =
        share("workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 100 %, dram: 40 %}}]\n",
              "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}, {mode: together}]\n"
              "processes: [{name: a, workload: w, active_threads: 25 %, count: 4}]\n");
    for (size_t m = 0; m < 2; m++)
        assert_turnarounds(shared, m, 4, (double[]){16, 16, 16, 16});
    share_release(shared);
}

static void mps_takes_so_many_clients(void **state)
{
    (void)state;
    struct shared shared = share("workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 10 %}}]\n",
                                 "devices: [{model: small}]\npolicies: [{mode: {mps: {clients: 2}}}]\n"
                                 "processes: [{name: a, workload: w, count: 5}]\n");
    assert_turnarounds(shared, 0, 5, (double[]){4, 4, 8, 8, 12});
    share_release(shared);
}

/* How many it takes is the device's, by its driver; a device that does not say takes 48. */
static void mps_takes_as_many_clients_as_device_and_driver_say(void **state)
{
    (void)state;
    struct shared shared =
        share("workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 1 %}}]\n",
              "devices: [{model: small, mps: {clients: 3, clients_before: 2}}]\n"
              "policies: [{mode: mps}, {mode: {mps: {driver: before}}}, {mode: {mps: {clients: 1}}}]\n"
              "processes: [{name: a, workload: w, count: 3}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){4, 4, 4});
    assert_turnarounds(shared, 1, 3, (double[]){4, 4, 8});
    assert_turnarounds(shared, 2, 3, (double[]){4, 8, 12});
    share_release(shared);
    shared = share("workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 1 %}}]\n",
                   "devices: [{model: small}]\npolicies: [{mode: mps}]\n"
                   "processes: [{name: a, workload: w, count: 49}]\n");
    double turnaround[49];
    for (size_t i = 0; i < 49; i++)
        turnaround[i] = i < 48 ? 4 : 8;
    assert_turnarounds(shared, 0, 49, turnaround);
    share_release(shared);
}

/* Grids of one block that would all fit: with room for two at a time, five take three times as long. */
static void further_grids_wait(void **state)
{
    (void)state;
    static const char kernels[] = "workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 ms}]\n";
    struct shared shared = share(kernels, "devices: [{model: small, grids: 2}]\npolicies: [{mode: mps}]\n"
                                          "processes: [{name: a, workload: w, count: 5}]\n");
    assert_turnarounds(shared, 0, 5, (double[]){1, 1, 2, 2, 3});
    share_release(shared);
    shared = share(kernels, "devices: [{model: small, grids: none}]\npolicies: [{mode: mps}]\n"
                            "processes: [{name: a, workload: w, count: 5}]\n");
    assert_turnarounds(shared, 0, 5, (double[]){1, 1, 1, 1, 1});
    share_release(shared);
}

/* A block that waits for an SM holds back none of another queue, whatever its priority: a smaller one passes it. */
static void a_queue_holds_back_no_other(void **state)
{
    (void)state;
    struct shared shared = share(
        "workload: half\nkernels: [{name: k, blocks: 1, threads: 64, shared_memory: 40 KiB, block_time: 10 ms}]\n---\n"
        "workload: all\nkernels: [{name: k, blocks: 1, threads: 64, shared_memory: 80 KiB, block_time: 1 ms}]\n",
        "devices: [{model: small, green_contexts: {least: 1, step: 1}}]\npolicies: [{mode: mps}]\nprocesses:\n"
        "  - {name: a, streams: [{workload: half, sms: [0]}]}\n"
        "  - {name: b, streams: [{workload: all, sms: [0], priority: 1}], start: 1 ms}\n"
        "  - {name: c, streams: [{workload: half, sms: [0]}], start: 2 ms}\n");
    assert_turnarounds(shared, 0, 3, (double[]){10, 12, 10});
    share_release(shared);
}

/* The costs of launches pass before there is room, and of two that wait the higher priority goes first. */
static void a_grid_that_waits_goes_by_priority_and_has_paid_for_its_launch(void **state)
{
    (void)state;
    struct shared shared =
        share("workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 ms}]\n",
              "devices: [{model: small, grids: 1, dispatch: {launch: 500 us}}]\npolicies: [{mode: mps}]\n"
              "processes: [{name: a, streams: [{workload: w, repeat: 1}]}, {name: b, streams: [{workload: w, repeat: "
              "1}]},\n  {name: c, streams: [{workload: w, repeat: 1, priority: 5}]}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){1.5, 3.5, 2.5});
    share_release(shared);
}

#define SPLIT                                                                                                          \
    "device: split\nclock: 1 GHz\nsms: 4\nmemory: 1000 B\nsm: {threads: 2048, warps: 64, blocks: 2}\n"                 \
    "resources:\n  fp32: {class: compute}\n  dram: {class: memory, scope: device}\n"                                   \
    "mig: {slices: 4, profiles: [{name: one, sms: 1, memory: 250 B, slices: 1, starts: [0, 1, 2, 3]}, "                \
    "{name: two, sms: 2, memory: 500 B, slices: 2, starts: [0, 2]}]}\n"

/* Blocks see the SMs of their instance, and of the bandwidth its share: a block's demand is so many bytes per second
 * on either, 20 % of an SM's part of the device, which on the instance of one SM is 20 % of all there is. */
static void kernels_see_their_instance(void **state)
{
    (void)state;
    const char *scenario = "devices: [{model: split}]\ncontention: proportional\n"
                           "policies: [{mode: {mig: {instances: [one, one, two], inside: {time_slice: {switch: 0 "
                           "ms}}}}}]\nprocesses: [{name: "
                           "a, workload: w, count: %d}]\n";
    char text[512];
    snprintf(text, sizeof text, scenario, 1);
    /* To the fewest processes, of equal ones to the most memory: the instance of two SMs. 32 blocks, 4 at a time. */
    struct shared shared =
        share(SPLIT AND "workload: w\nkernels: [{name: k, blocks: 32, threads: 64, block_time: 1 ms, "
                        "demand: {fp32: 50 %, dram: 20 %}}]\n",
              text);
    assert_turnarounds(shared, 0, 1, (double[]){8});
    share_release(shared);
    snprintf(text, sizeof text, scenario, 3);
    shared = share(SPLIT AND "workload: w\nkernels: [{name: k, blocks: 32, threads: 64, block_time: 1 ms, "
                             "demand: {fp32: 50 %, dram: 100 %}}]\n",
                   text);
    /* Two blocks on each SM want twice the bandwidth of either instance. */
    assert_turnarounds(shared, 0, 3, (double[]){16, 32, 32});
    share_release(shared);
}

/* Each has both SMs of its instance, on which four blocks of 16 run at a time. */
static void processes_of_other_instances_have_no_quota_of_sms(void **state)
{
    (void)state;
    struct shared shared =
        share(SPLIT AND "workload: w\nkernels: [{name: k, blocks: 16, threads: 64, block_time: 1 ms}]\n",
              "devices: [{model: split}]\ncontention: none\nqueue: interleave\n"
              "policies: [{mode: {mig: {instances: [two, two], inside: together}}, block: sm_quota}]\n"
              "processes: [{name: a, workload: w, instance: 0}, {name: b, workload: w, instance: 1}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){4, 4});
    share_release(shared);
}

/* A whole of 4 ms that fills the device takes 8 ms on half of it, and 3 ms stay 3 where half is enough. */
static void whole_kernels_see_their_instance(void **state)
{
    (void)state;
    struct shared shared = share(
        SPLIT AND "workload: a\nkernels: [{name: k, time: 4 ms, demand: {fp32: 100 %}}]\n" AND
                  "workload: b\nkernels: [{name: k, time: 3 ms, demand: {fp32: 50 %, dram: 30 %}}]\n",
        "devices: [{model: split}]\ncontention: proportional\npolicies: [{mode: {mig: {instances: [two, two]}}}]\n"
        "processes: [{name: a, workload: a}, {name: b, workload: b}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){8, 3});
    share_release(shared);
}

/* Processes of one instance take turns, those of another do not know of it; memory is the instance's. */
static void instances_are_isolated(void **state)
{
    (void)state;
    struct shared shared = share(
        SPLIT AND "workload: a\nkernels: [{name: k, time: 4 ms, demand: {fp32: 50 %}}]\n"
                  "steps: [{allocate: 400 B}, {launch: k}]\n" AND
                  "workload: b\nkernels: [{name: k, time: 1 ms}]\nsteps: [{allocate: 501 B}, {launch: k}]\n",
        "devices: [{model: split}]\ncontention: proportional\n"
        "policies: [{mode: {mig: {instances: [two, two], inside: {time_slice: {slice: 1 ms, switch: 0.5 ms}}}}}]\n"
        "processes: [{name: a, workload: a, count: 2}, {name: b, workload: b, start: 1 ms}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){4, 4});
    assert_true(of_process(shared, 0, 2, "failed_count") == 1);
    assert_true(of_device(shared, 0, 0, "switches_count") == 0);
    share_release(shared);
}

/* Two instances switch once each, for 1 ms: one has half of the SMs, the other a quarter. */
static void a_switch_of_an_instance_counts_by_its_sms(void **state)
{
    (void)state;
    struct shared s =
        share(SPLIT AND "workload: w\nkernels: [{name: k, time: 1 ms}]\n",
              "devices: [{model: split}]\n"
              "policies: [{mode: {mig: {instances: [two, one], inside: {time_slice: {slice: 2 ms, switch: 1 ms}}}}}]\n"
              "processes: [{name: a, workload: w, repeat: forever, start: 0 s, count: 4}]\nrun: {duration: 4.5 ms}\n");
    assert_true(of_device(s, 0, 0, "switches_count") == 2);
    assert_near(of_device(s, 0, 0, "switch_ns"), (2 + 1) / 4.0 * MS, 0.1);
    assert_near(of_device(s, 0, 0, "switch_ratio"), (2 + 1) / 4.0 / 4.5, 1e-9);
    share_release(s);
}

/* 10 ms on four SMs and 25 ms on one: 5 ms that are not divided, and 20 ms on one SM that are. */
#define SHARES                                                                                                         \
    "workload: shares\nkernels: [{name: k, time: {100 %: 10 ms, 25 %: 25 ms}, demand: {fp32: 100 %, dram: 60 %}}]\n"

static void a_kernel_measured_at_two_shares_takes_a_plus_b_over_the_share(void **state)
{
    (void)state;
    const char *shares[] = {"25 %", "50 %", "75 %", "100 %"};
    const double ms[] = {25, 15, 5 + 20.0 / 3, 10};
    for (size_t s = 0; s < 4; s++) {
        char scenario[256];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}]\n"
                 "processes: [{name: a, workload: shares, active_threads: %s}]\n",
                 shares[s]);
        struct shared shared = share(SHARES, scenario);
        assert_turnarounds(shared, 0, 1, &ms[s]);
        share_release(shared);
    }
}

/* The time on all SMs follows from any two shares. */
static void the_two_shares_need_not_have_all_sms(void **state)
{
    (void)state;
    struct shared shared = share("workload: w\nkernels: [{name: k, time: {25 %: 25 ms, 50 %: 15 ms}}]\n",
                                 "devices: [{model: small}]\npolicies: [{mode: together}]\n"
                                 "processes: [{name: a, workload: w}]\n");
    assert_turnarounds(shared, 0, 1, (double[]){10});
    share_release(shared);
}

/* Half of fp32 each, and of dram 60 % in 10 ms: 40 % in 15 ms. */
static void kernels_measured_at_two_shares_do_not_meet_on_parts(void **state)
{
    (void)state;
    struct shared shared =
        share(SHARES, "devices: [{model: small}]\ncontention: proportional\npolicies: [{mode: mps}]\n"
                      "processes: [{name: a, workload: shares, active_threads: 50 %, count: 2}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){15, 15});
    share_release(shared);
}

/* On half of the SMs 15 ms; half of the dram would take 12 ms, or, where the kernel demands 80 % of it, 16 ms. */
static void an_instance_slows_a_measured_kernel_by_its_sms_or_its_memory(void **state)
{
    (void)state;
    struct shared shared = share(
        SPLIT AND "workload: a\nkernels: [{name: k, time: {100 %: 10 ms, 25 %: 25 ms}, demand: {dram: 60 %}}]\n" AND
                  "workload: b\nkernels: [{name: k, time: {100 %: 10 ms, 25 %: 25 ms}, demand: {dram: 80 %}}]\n",
        "devices: [{model: split}]\ncontention: proportional\npolicies: [{mode: {mig: {instances: [two, two]}}}]\n"
        "processes: [{name: a, workload: a}, {name: b, workload: b}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){15, 16});
    share_release(shared);
}

/* Half of the SMs of an instance that has half of them is a quarter. */
static void a_share_of_an_instance_is_a_share_of_its_share(void **state)
{
    (void)state;
    struct shared shared = share(SPLIT AND SHARES, "devices: [{model: split}]\ncontention: proportional\n"
                                                   "policies: [{mode: {mig: {instances: [two, two], inside: mps}}}]\n"
                                                   "processes: [{name: a, workload: shares, active_threads: 50 %}]\n");
    assert_turnarounds(shared, 0, 1, (double[]){25});
    share_release(shared);
}

/* Half of the dram takes 20 ms. Half of the SMs of the instance, a quarter of all, take 25 ms. */
static void a_share_of_an_instance_slows_by_its_sms_or_its_memory(void **state)
{
    (void)state;
    struct shared shared =
        share(SPLIT AND "workload: w\nkernels: [{name: k, time: {100 %: 10 ms, 25 %: 25 ms}, demand: {dram: 100 %}}]\n",
              "devices: [{model: split}]\ncontention: proportional\n"
              "policies: [{mode: {mig: {instances: [two, two], inside: mps}}}]\nprocesses:\n"
              "  - {name: half, workload: w, instance: 0, active_threads: 50 %}\n"
              "  - {name: whole, workload: w, instance: 1}\n");
    assert_turnarounds(shared, 0, 2, (double[]){25, 20});
    share_release(shared);
}

/* Three processes on two instances: two that ask for 75 % of theirs each run at once, and one knows nothing of it. */
static void processes_of_an_instance_run_at_once_under_mps(void **state)
{
    (void)state;
    struct shared shared = share(SPLIT AND "workload: w\nkernels: [{name: k, time: 4 ms, demand: {dram: 37.5 %}}]\n",
                                 "devices: [{model: split}]\ncontention: proportional\n"
                                 "policies: [{mode: {mig: {instances: [two, two], inside: mps}}}]\n"
                                 "processes: [{name: a, workload: w, count: 3}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){6, 4, 6});
    assert_true(of_device(shared, 0, 0, "switches_count") == 0);
    share_release(shared);
}

/* 32 blocks of each of two processes, 4 at a time on two SMs, those of the first process first. */
static void blocks_of_an_instance_share_its_sms_under_mps(void **state)
{
    (void)state;
    struct shared shared = share(SPLIT AND BLOCKS, "devices: [{model: split}]\ncontention: proportional\n"
                                                   "policies: [{mode: {mig: {instances: [two, two], inside: mps}}}]\n"
                                                   "processes: [{name: a, workload: blocks, count: 3}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){8, 8, 16});
    share_release(shared);
}

static void an_instance_takes_so_many_mps_clients(void **state)
{
    (void)state;
    struct shared shared =
        share(SPLIT AND "workload: w\nkernels: [{name: k, time: 4 ms}]\n",
              "devices: [{model: split}]\npolicies: [{mode: {mig: {instances: [two], inside: {mps: {clients: 1}}}}}]\n"
              "processes: [{name: a, workload: w, count: 2}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){4, 8});
    share_release(shared);
}

/* One SM holds two blocks. A long grid of a is under way when b comes with eight blocks: they wait until a has none
 * left, and with a higher priority take each place that becomes free. */
static void processes_of_mps_wait_in_one_queue_by_priority(void **state)
{
    (void)state;
    for (int priority = 0; priority < 2; priority++) {
        char processes[200];
        snprintf(processes, sizeof processes,
                 "devices: [{model: small}]\ncontention: none\nqueue: fifo\npolicies: [{mode: mps}, {mode: together}]\n"
                 "processes: [{name: a, workload: long}, {name: b, workload: short, start: 100 us, priority: %d}]\n",
                 priority);
        struct shared shared =
            share("workload: long\nkernels: [{name: k, blocks: 64, threads: 64, block_time: 1 ms}]\n" AND
                  "workload: short\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n",
                  processes);
        for (size_t mode = 0; mode < 2; mode++)
            assert_near(turnaround_ms(shared, mode, 1), priority ? 0.9 + 1 : 7.9 + 1, 1e-7);
        share_release(shared);
    }
}

/* (6^2 + (8/s)^2)^(1/2) ms: 10 ms on all SMs, 32.56 on a quarter, and 17.09 on half of them, which tells the exponent.
 */
static void a_third_share_tells_how_soon_fewer_sms_are_felt(void **state)
{
    (void)state;
    char text[400];
    snprintf(text, sizeof text,
             "workload: w\nkernels: [{name: k, time: {25 %%: %.12g ms, 100 %%: 10 ms, 50 %%: %.12g ms}}]\n",
             hypot(6, 32), hypot(6, 16));
    struct shared shared = share(text, "devices: [{model: small}]\npolicies: [{mode: mps}]\nprocesses:\n"
                                       "  - {name: a, workload: w}\n"
                                       "  - {name: b, workload: w, active_threads: 25 %, start: 1 s}\n"
                                       "  - {name: c, workload: w, active_threads: 50 %, start: 2 s}\n"
                                       "  - {name: d, workload: w, active_threads: 75 %, start: 3 s}\n");
    assert_turnarounds(shared, 0, 4, (double[]){10, hypot(6, 32), hypot(6, 16), hypot(6, 8 / 0.75)});
    share_release(shared);
}

/* Waves make steps that no q meets, so four times are met as they are. Between two is a law of both: a quarter is a
 * third of the way from 1/s = 2 to 8. */
static void four_times_are_met(void **state)
{
    (void)state;
    struct shared shared =
        share("workload: w\nkernels: [{name: k, time: {75 %: 12 ms, 100 %: 10 ms, 12.5 %: 20 ms, 50 %: 19 ms}}]\n",
              "devices: [{model: small}]\npolicies: [{mode: mps}]\nprocesses:\n"
              "  - {name: a, workload: w, active_threads: 25 %}\n"
              "  - {name: b, workload: w, active_threads: 50 %, start: 1 s}\n"
              "  - {name: c, workload: w, active_threads: 75 %, start: 2 s}\n"
              "  - {name: d, workload: w, start: 3 s}\n");
    assert_turnarounds(shared, 0, 4, (double[]){19 + 1.0 / 3, 19, 12, 10});
    share_release(shared);
}

/* No q meets times that grow faster than the SMs become fewer. The law through the first and the last gives 3 ms on all
 * SMs; a run with a greater q never ended. */
static void three_times_that_grow_too_fast_are_met(void **state)
{
    (void)state;
    struct shared shared = share("workload: w\nkernels: [{name: k, time: {75 %: 6 ms, 50 %: 7 ms, 25 %: 30 ms}}]\n",
                                 "devices: [{model: small}]\npolicies: [{mode: mps}]\nprocesses:\n"
                                 "  - {name: a, workload: w, active_threads: 25 %}\n"
                                 "  - {name: b, workload: w, active_threads: 50 %, start: 1 s}\n"
                                 "  - {name: c, workload: w, active_threads: 75 %, start: 2 s}\n"
                                 "  - {name: d, workload: w, start: 3 s}\n");
    assert_turnarounds(shared, 0, 4, (double[]){30, 7, 6, 3});
    share_release(shared);
}

/* Each process takes 4 ms of a whole device, and 8 ms of half of one. Two take turns on the first half, and two on the
 * second at once 16 ms. Where the second takes one at a time, three on the first take 24 ms. */
static void instances_have_modes_of_their_own(void **state)
{
    (void)state;
    struct shared shared =
        share(SPLIT AND "workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 100 %}}]\n",
              "devices: [{model: split}]\ncontention: proportional\npolicies:\n"
              "  - {mode: {mig: {instances: [two, {two: mps}], inside: {time_slice: {slice: 1 ms, switch: 0.5 ms}}}}}\n"
              "  - {mode: {mig: {instances: [two, {two: exclusive}], inside: mps}}}\n"
              "processes: [{name: a, workload: w, count: 4}]\n");
    /* a1 and a3 in turns: eight slices of 1 ms each, and a change of 0.5 ms after each but the last. */
    assert_turnarounds(shared, 0, 4, (double[]){15 * 1 + 14 * 0.5, 16, 16 * 1 + 15 * 0.5, 16});
    assert_turnarounds(shared, 1, 4, (double[]){24, 8, 24, 24});
    share_release(shared);
}

/* On the first device both run at once, on the second in turns. */
static void devices_have_modes_of_their_own(void **state)
{
    (void)state;
    struct shared shared =
        share(SPLIT AND "workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 50 %}}]\n",
              "devices: [{model: split, count: 3}]\ncontention: proportional\npolicies:\n"
              "  - {mode: [mps, exclusive, {mig: {instances: [two, {two: mps}]}}]}\n"
              "processes: [{name: a, workload: w, count: 2, device: 0}, {name: b, workload: w, count: 2, device: 1},\n"
              "            {name: c, workload: w, count: 2, device: 2}]\n");
    assert_turnarounds(shared, 0, 6, (double[]){4, 4, 4, 8, 4, 4});
    share_release(shared);
}

/* Of 1000 B and 4 SMs, 3 replicas have 333 B and floor(33 % of 4) = 1 SM each, 2 have half. The fourth process waits
 * for one that ends. */
static void replicas_of_mps_are_capped_as_the_device_plugin_does(void **state)
{
    (void)state;
    struct shared shared = share(
        SPLIT AND "workload: w\nkernels: [{name: k, time: 4 ms, demand: {fp32: 100 %}}]\n"
                  "steps: [{allocate: 334 B}, {launch: k}]\n",
        "devices: [{model: split}]\ncontention: proportional\npolicies:\n"
        "  - {mode: {mps: {replicas: 3}}}\n  - {mode: {mps: {replicas: 2}}}\n  - {mode: {time_slice: {replicas: 2}}}\n"
        "processes: [{name: a, workload: w, count: 4}]\n");
    for (size_t p = 0; p < 4; p++)
        assert_true(of_process(shared, 0, p, "failed_count") == 1);
    assert_turnarounds(shared, 1, 4, (double[]){8, 8, 16, 16});
    assert_true(of_process(shared, 2, 3, "failed_count") == 0);
    share_release(shared);
}

/* A cap is of one process, or of all of an entry. The others have their active_threads. */
static void caps_of_a_policy_stand_in_for_active_threads(void **state)
{
    (void)state;
    struct shared shared = share(
        BLOCKS, "devices: [{model: small}]\ncontention: proportional\npolicies:\n"
                "  - {mode: {mps: {caps: {b: 25 %}}}}\n  - {mode: {mps: {clients: 4, caps: {a: 50 %, b: 25 %}}}}\n"
                "  - {mode: {mps: {caps: {b1: 25 %}}}}\n  - {mode: [{mps: {caps: {b: 25 %, a: 50 %}}}]}\n"
                "processes: [{name: a, workload: blocks, active_threads: 25 %},\n"
                "            {name: b, workload: blocks, active_threads: 50 %, count: 2}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){16, 16, 16});
    assert_turnarounds(shared, 1, 3, (double[]){8, 16, 16});
    assert_turnarounds(shared, 2, 3, (double[]){16, 16, 8});
    assert_turnarounds(shared, 3, 3, (double[]){8, 16, 16});
    assert_string_equal(sms_results_policy(shared.results, 1), "mps(clients=4 caps=a:50%+b:25%)");
    share_release(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_of_a_policy_stand_in_for_active_threads),
        cmocka_unit_test(instances_have_modes_of_their_own),
        cmocka_unit_test(devices_have_modes_of_their_own),
        cmocka_unit_test(replicas_of_mps_are_capped_as_the_device_plugin_does),
        cmocka_unit_test(a_process_has_its_share_of_the_sms),
        cmocka_unit_test(a_third_share_tells_how_soon_fewer_sms_are_felt),
        cmocka_unit_test(four_times_are_met),
        cmocka_unit_test(three_times_that_grow_too_fast_are_met),
        cmocka_unit_test(processes_of_mps_wait_in_one_queue_by_priority),
        cmocka_unit_test(a_queue_holds_back_no_other),
        cmocka_unit_test(shares_lie_beside_each_other),
        cmocka_unit_test(shares_are_given_back),
        cmocka_unit_test(a_whole_kernel_is_kept_to_its_share),
        cmocka_unit_test(whole_kernels_of_a_share_do_not_meet),
        cmocka_unit_test(mps_takes_so_many_clients),
        cmocka_unit_test(mps_takes_as_many_clients_as_device_and_driver_say),
        cmocka_unit_test(further_grids_wait),
        cmocka_unit_test(a_grid_that_waits_goes_by_priority_and_has_paid_for_its_launch),
        cmocka_unit_test(kernels_see_their_instance),
        cmocka_unit_test(processes_of_other_instances_have_no_quota_of_sms),
        cmocka_unit_test(whole_kernels_see_their_instance),
        cmocka_unit_test(instances_are_isolated),
        cmocka_unit_test(a_switch_of_an_instance_counts_by_its_sms),
        cmocka_unit_test(a_kernel_measured_at_two_shares_takes_a_plus_b_over_the_share),
        cmocka_unit_test(the_two_shares_need_not_have_all_sms),
        cmocka_unit_test(kernels_measured_at_two_shares_do_not_meet_on_parts),
        cmocka_unit_test(an_instance_slows_a_measured_kernel_by_its_sms_or_its_memory),
        cmocka_unit_test(a_share_of_an_instance_is_a_share_of_its_share),
        cmocka_unit_test(a_share_of_an_instance_slows_by_its_sms_or_its_memory),
        cmocka_unit_test(processes_of_an_instance_run_at_once_under_mps),
        cmocka_unit_test(blocks_of_an_instance_share_its_sms_under_mps),
        cmocka_unit_test(an_instance_takes_so_many_mps_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
