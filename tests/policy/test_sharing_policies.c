/* Share policies on cases that can be worked out by hand: a device of which one kernel at a time takes all, slices of a
 * millisecond, switches that cost nothing. */
#include "tests/laws/sharing.h"

#define SLICES "{time_slice: {slice: 1 ms, switch: 0 ms}}"

static void the_highest_priority_has_every_slice_but_the_one_under_way(void **state)
{
    (void)state;
    struct shared s = share("workload: long\nkernels: [{name: k, time: 10 ms}]\n"
                            "---\nworkload: short\nkernels: [{name: k, time: 5 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{share: priority, mode: " SLICES "}]\n"
                            "processes:\n  - {name: low, workload: long}\n"
                            "  - {name: high, workload: short, priority: 1, start: 0.5 ms}\n");
    assert_turnarounds(s, 0, 2, (double[]){15, 6});
    share_release(s);
}

/* Kernels that come at the same instant to a device that is free, or that makes room. The order of the list decides
 * nothing, and no switch is for a process that runs for no time. */
static void the_policy_chooses_among_all_that_come_together(void **state)
{
    static const struct {
        const char *policy, *rest;
        double ms[3];
    } cases[] = {
        {"priority", "", {7.1, 6.05, 1}},
        {"{priority: {preempt: true}}", "", {7.1, 6.05, 1}},
        {"{priority: {preempt: true}}", ", start: 0.5 ms", {7.15, 6.1, 1.05}},
        {"earliest_deadline", "", {7.1, 6.05, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "devices: [{model: small}]\npolicies: [{share: %s, mode: {time_slice: {slice: 50 ms, switch: 50 us}}}]\n"
            "processes:\n  - {name: low, workload: one, deadline: 90 ms}\n"
            "  - {name: mid, workload: five, priority: 1, deadline: 80 ms%s}\n"
            "  - {name: high, workload: one, priority: 2, deadline: 70 ms%s}\n",
            cases[i].policy, cases[i].rest, cases[i].rest);
        struct shared s = share(
            "workload: one\nkernels: [{name: k, time: 1 ms}]\n---\nworkload: five\nkernels: [{name: k, time: 5 ms}]\n",
            text);
        assert_turnarounds(s, 0, 3, cases[i].ms);
        share_release(s);
    }
}

/* `high` comes at 300 us and takes 5 ms, of 10 ms that `low` takes, in kernels or blocks of 1 ms where they count. */
static void a_higher_priority_has_the_device_when_it_comes(void **state)
{
    (void)state;
    static const struct {
        const char *mode, *kernels;
        double low_ms, high_ms;
    } cases[] = {
        {"slice: 100 ms, switch: 0 ms", "{name: k, time: 10 ms}", 15, 5},
        {"slice: 100 ms, switch: 100 us, stop: 25 us", "{name: k, time: 10 ms}", 10 + 5.2,
         5.125}, /* low runs on meanwhile */
        {"slice: 100 ms, switch: 0 ms, drain: true", "{name: k, blocks: 80, threads: 64, block_time: 1 ms}", 15, 5.7},
        {"slice: 100 ms, switch: 0 ms, drain: true", "{name: k, time: 1 ms}", 15, 5.7},
        {"slice: 100 ms, switch: 0 ms, ahead: 2", "{name: k, time: 1 ms}", 15, 6.7},
        {"slice: 100 ms, switch: 0 ms, ahead: 2, drain: true", "{name: k, time: 1 ms}", 15, 6.7},
        /* The slice that began at 0.3 ms ends in the second kernel, the rest of which has a turn after the next slice.
         */
        {"slice: 1.5 ms, switch: 0 ms, ahead: 2", "{name: k, time: 1 ms}", 15, 6.7},
        /* Low heeds at 1.8 ms what it is asked at 0.3 ms: at the end of its slice, or after another one of high. */
        {"slice: 1.5 ms, switch: 100 us, stop: 1.5 ms", "{name: k, time: 10 ms}", 15.2, 6.6},
        {"slice: 1.5 ms, switch: 100 us, stop: 1.6 ms", "{name: k, time: 10 ms}", 15.4, 6.8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char workloads[512], scenario[512];
        bool times = strstr(cases[i].kernels, "time: 1 ms") && !strstr(cases[i].kernels, "block_time");
        const char *blocks =
            strstr(cases[i].kernels, "blocks") ? "blocks: 40, threads: 64, block_time: 1 ms" : "time: 5 ms";
        snprintf(workloads, sizeof workloads,
                 "workload: long\nkernels: [%s]\nsteps: [{launch: k, times: %d}]\n---\nworkload: short\nkernels: "
                 "[{name: k, %s}]\n",
                 cases[i].kernels, times ? 10 : 1, blocks);
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small}]\ncontention: none\npolicies: [{share: {priority: {preempt: true}}, mode: "
                 "{time_slice: {%s}}}]\nprocesses:\n  - {name: low, workload: long}\n  - {name: high, workload: short, "
                 "priority: 1, start: 300 us}\n",
                 cases[i].mode);
        struct shared s = share(workloads, scenario);
        assert_turnarounds(s, 0, 2, (double[]){cases[i].low_ms, cases[i].high_ms});
        share_release(s);
    }
}

/* `high` comes in the switch to `next`, of which nothing has begun when the switch is over: there is nothing to drain,
 * whether kernels are given by blocks or by their time. */
static void what_has_not_begun_is_not_drained(void **state)
{
    static const char *const forms[] = {"time", "blocks: 8, threads: 64, block_time"};
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        char workloads[256];
        snprintf(workloads, sizeof workloads,
                 "workload: one\nkernels: [{name: k, %s: 1 ms}]\n---\nworkload: six\nkernels: [{name: k, %s: 6 ms}]\n",
                 forms[f], forms[f]);
        struct shared s = share(workloads, "devices: [{model: small}]\npolicies: [{share: {priority: {preempt: true}}, "
                                           "mode: {time_slice: {slice: 2 ms, switch: 1 ms, drain: true}}}]\n"
                                           "processes:\n  - {name: first, workload: one}\n"
                                           "  - {name: next, workload: six, start: 0.5 ms}\n"
                                           "  - {name: high, workload: one, start: 1.5 ms, priority: 1}\n");
        assert_turnarounds(s, 0, 3, (double[]){1, 10.5, 2.5});
        share_release(s);
    }
}

/* Equals take turns as ever, and a lower priority waits for all of the higher one's kernels. */
static void only_a_higher_priority_preempts(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 2 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{share: {priority: {preempt: true}}, mode: " SLICES
                            "}]\nprocesses:\n  - {name: a, workload: w}\n  - {name: b, workload: w, start: 300 us}\n"
                            "  - {name: c, workload: w, priority: -1, start: 300 us}\n");
    assert_turnarounds(s, 0, 3, (double[]){3, 3.7, 5.7});
    share_release(s);
}

/* `first` and `second` launch at 0, 4 ms in all, which is more than 3.5 ms: `first` ends at 1 ms, and launches again
 * when `second` has ended at 3 ms. With 4 ms it launches at once. `high` has no kernel before that. */
static void best_effort_kernels_end_before_further_ones_launch(void **state)
{
    (void)state;
    struct shared s =
        share("workload: high\nkernels: [{name: k, time: 1 ms}]\nsteps: [{host: 50 ms}, {launch: k}]\n---\n"
              "workload: one\nkernels: [{name: k, time: 1 ms}]\nsteps: [{launch: k, times: 2}]\n---\n"
              "workload: three\nkernels: [{name: k, time: 3 ms}]\n",
              "devices: [{model: small}]\ncontention: none\npolicies:\n"
              "  - {share: {interference_aware: {durations: 3.5 ms}}, mode: together}\n"
              "  - {share: {interference_aware: {durations: 4 ms}}, mode: together}\n"
              "  - {share: interference_aware, mode: together}\nprocesses:\n"
              "  - {name: high, workload: high, priority: 1}\n  - {name: first, workload: one}\n"
              "  - {name: second, workload: three}\n");
    assert_turnarounds(s, 0, 3, (double[]){51, 4, 3});
    assert_turnarounds(s, 1, 3, (double[]){51, 2, 3});
    assert_turnarounds(s, 2, 3, (double[]){51, 2, 3});
    share_release(s);
}

/* Two streams of one process wait for each other as two processes do: its kernels of 3 ms run one at a time. */
static void best_effort_kernels_of_streams_end_before_further_ones_launch(void **state)
{
    (void)state;
    struct shared s =
        share("workload: high\nkernels: [{name: k, time: 1 ms}]\nsteps: [{host: 50 ms}, {launch: k}]\n---\n"
              "workload: w\nkernels: [{name: k, time: 3 ms}]\nsteps: [{launch: k, times: 2}]\n",
              "devices: [{model: small}]\ncontention: none\npolicies:\n"
              "  - {share: {interference_aware: {durations: 2 ms}}, mode: together}\nprocesses:\n"
              "  - {name: high, workload: high, priority: 1}\n  - {name: low, workload: w, streams: 2}\n");
    assert_turnarounds(s, 0, 2, (double[]){51, 12});
    share_release(s);
}

/* What policies see of service does not begin again where measuring does. */
static void when_a_warm_up_ends_changes_no_turn(void **state)
{
    (void)state;
    static const char *const policies[] = {"fair_share", "token_bucket", "lottery", "earliest_deadline", "lithos"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        double ends[2][3];
        for (size_t w = 0; w < 2; w++) {
            char text[512];
            snprintf(text, sizeof text,
                     "devices: [{model: small}]\npolicies: [{share: %s, mode: " SLICES "}]\nprocesses:\n"
                     "  - {name: a, workload: w, repeat: 200, weight: 0.9}\n"
                     "  - {name: b, workload: w, repeat: 100, weight: 0.3, start: 40 ms}\n"
                     "  - {name: c, workload: w, repeat: 100, start: 70 ms}\n"
                     "run: {warmup: %d ms, duration: 60 s}\n",
                     policies[i], w ? 90 : 10);
            struct shared s = share("workload: w\nkernels: [{name: k, time: 3 ms}]\n", text);
            for (size_t p = 0; p < 3; p++)
                ends[w][p] = turnaround_ms(s, 0, p);
            share_release(s);
        }
        assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
        assert_true(ends[0][0] > 3 * 200);
    }
}

static void service_goes_by_weight(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 12 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{share: fair_share, mode: " SLICES "}]\n"
                            "processes:\n  - {name: light, workload: w}\n  - {name: heavy, workload: w, weight: 3}\n");
    assert_turnarounds(s, 0, 2, (double[]){24, 16});
    share_release(s);
}

static void who_comes_late_has_nothing_to_catch_up_on(void **state)
{
    (void)state;
    struct shared s = share("workload: long\nkernels: [{name: k, time: 20 ms}]\n"
                            "---\nworkload: short\nkernels: [{name: k, time: 5 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{share: fair_share, mode: " SLICES "}]\n"
                            "processes:\n  - {name: early, workload: long}\n"
                            "  - {name: late, workload: short, start: 10 ms}\n");
    assert_turnarounds(s, 0, 2, (double[]){25, 10});
    share_release(s);
}

/* `early` is on the host when `late` comes at 100.5 ms. From then on both have half. */
static void who_comes_while_others_compute_has_nothing_to_catch_up_on(void **state)
{
    (void)state;
    struct shared s = share("workload: steps\nkernels: [{name: k, time: 9 ms}]\nsteps: [{host: 1 ms}, {launch: k}]\n"
                            "---\nworkload: whole\nkernels: [{name: k, time: 40 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{share: fair_share, mode: " SLICES "}]\n"
                            "processes:\n  - {name: early, workload: steps, repeat: 30}\n"
                            "  - {name: late, workload: whole, start: 100.5 ms}\n");
    assert_true(turnaround_ms(s, 0, 1) > 60);
    share_release(s);
}

static void the_earliest_deadline_has_every_slice(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 10 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{share: earliest_deadline, mode: " SLICES "}]\n"
                            "processes:\n  - {name: late, workload: w, deadline: 100 ms}\n"
                            "  - {name: soon, workload: w, deadline: 20 ms}\n  - {name: never, workload: w}\n");
    assert_turnarounds(s, 0, 3, (double[]){20, 10, 30});
    share_release(s);
}

/* `long` begins its second job at 10 ms, due at 25 ms; the only job of `short` was due at 15 ms. The second job that
 * arrives is due at 23 ms, and comes to another stream than the first, which was due at 15 ms. */
static void a_job_that_is_over_has_no_deadline(void **state)
{
    static const char *const first[] = {
        "streams: [{workload: short}, {workload: long, repeat: 2}]}\n  - {name: b, workload: long, deadline: 22 ms}\n",
        "workload: half, streams: 2, arrivals: {times: [0 ms, 8 ms]}}\n"
        "  - {name: b, workload: long, start: 6 ms, deadline: 16 ms}\n",
    };
    static const double ms[][2] = {{30, 20}, {21, 10}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "devices: [{model: small}]\npolicies: [{share: earliest_deadline, mode: " SLICES "}]\n"
                 "processes:\n  - {name: a, deadline: 15 ms, %s",
                 first[i]);
        struct shared s = share("workload: short\nkernels: [{name: k, time: 1 ms, demand: {fp32: 1 %}}]\n"
                                "---\nworkload: long\nkernels: [{name: k, time: 10 ms, demand: {fp32: 1 %}}]\n"
                                "---\nworkload: half\nkernels: [{name: k, time: 5 ms, demand: {fp32: 1 %}}]\n",
                                text);
        assert_turnarounds(s, 0, 2, ms[i]);
        share_release(s);
    }
}

static void admission_waits_where_a_driver_would_run_out_of_memory(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 10 ms}]\n"
                            "steps: [{allocate: 300 B}, {launch: k}, {allocate: 300 B}, {launch: k}]\n",
                            "devices: [{model: small}]\n"
                            "policies: [{share: plain, mode: together}, {share: memory_admission, mode: together}]\n"
                            "processes:\n  - {name: p, workload: w, count: 3}\n");
    assert_int_equal(of_process(s, 0, 3, "refused_allocations_count") > 0, 1); /* row 3: all */
    assert_true(of_process(s, 1, 3, "refused_allocations_count") == 0);
    assert_turnarounds(s, 1, 3, (double[]){20, 40, 60});
    share_release(s);
}

/* The larger device has more memory left than the other one has at all, and takes no second process. */
static void admission_takes_a_device_that_has_a_place(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 10 ms}]\nsteps: [{allocate: 100 B}, {launch: k}]\n",
                            "devices: [{model: small}, {model: small, memory: 200 B}]\n"
                            "policies: [{share: memory_admission, mode: exclusive}]\n"
                            "processes:\n  - {name: p, workload: w, count: 3}\n");
    assert_turnarounds(s, 0, 3, (double[]){10, 10, 20});
    share_release(s);
}

static void the_shortest_that_waits_goes_first(void **state)
{
    (void)state;
    struct shared s = share("workload: ten\nkernels: [{name: k, time: 10 ms}]\n"
                            "---\nworkload: five\nkernels: [{name: k, time: 5 ms}]\n"
                            "---\nworkload: one\nkernels: [{name: k, time: 500 us}]\n"
                            "steps: [{launch: k}, {host: 200 us}, {launch: k, times: 1}]\n",
                            "devices: [{model: small}]\npolicies: [{share: shortest_first, mode: exclusive}]\n"
                            "processes:\n  - {name: a, workload: ten}\n  - {name: b, workload: five}\n"
                            "  - {name: c, workload: one}\n");
    assert_turnarounds(s, 0, 3, (double[]){10, 16.2, 11.2});
    share_release(s);
}

/* The second of `a` waits for device 0, and device 1 is free. */
static void the_shortest_holds_up_nobody_on_devices_of_others(void **state)
{
    (void)state;
    struct shared s =
        share("workload: ten\nkernels: [{name: k, time: 10 ms}]\n"
              "---\nworkload: five\nkernels: [{name: k, time: 5 ms}]\n",
              "devices: [{model: small, count: 2}]\npolicies: [{share: shortest_first, mode: exclusive}]\n"
              "processes:\n  - {name: a, workload: five, device: 0, count: 2}\n"
              "  - {name: c, workload: ten}\n");
    assert_turnarounds(s, 0, 3, (double[]){5, 10, 10});
    share_release(s);
}

/* `large` waits until 20 ms for the device that holds its context, and `other` has the one that does not. */
static void the_shortest_holds_up_nobody_on_devices_too_small_for_it(void **state)
{
    (void)state;
    struct shared s =
        share("device: big\nclock: 1 GHz\nsms: 4\nmemory: 9000 B\n"
              "sm: {threads: 2048, warps: 64, blocks: 2}\nresources: {fp32: {class: compute}}\n"
              "---\nworkload: large\nstatic: 5000 B\nkernels: [{name: k, time: 5 ms}]\n"
              "---\nworkload: ten\nkernels: [{name: k, time: 10 ms}]\n",
              "devices: [{model: small}, {model: big}]\npolicies: [{share: shortest_first, mode: exclusive}]\n"
              "processes:\n  - {name: first, workload: ten, device: 1, repeat: 2}\n"
              "  - {name: large, workload: large, start: 1 ms}\n  - {name: other, workload: ten, start: 2 ms}\n");
    assert_turnarounds(s, 0, 3, (double[]){20, 24, 10});
    share_release(s);
}

/* Both devices are free at 15 ms, when `c` is asked before `a`. */
static void who_waited_for_the_shortest_has_what_it_leaves(void **state)
{
    (void)state;
    for (size_t bound = 0; bound < 2; bound++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small, count: 2}]\nhost: {context_time: 5 ms}\n"
                 "policies: [{share: shortest_first, mode: exclusive}]\n"
                 "processes:\n  - {name: x, workload: ten, count: 2}\n  - {name: c, workload: ten, start: 1 ms}\n"
                 "  - {name: a, workload: five, start: 1 ms%s}\n",
                 bound ? ", device: 0" : "");
        struct shared s = share("workload: ten\nkernels: [{name: k, time: 10 ms}]\n"
                                "---\nworkload: five\nkernels: [{name: k, time: 5 ms}]\n",
                                scenario);
        assert_turnarounds(s, 0, 4, (double[]){15, 15, 29, 24});
        share_release(s);
    }
}

static void kernels_below_wait_unless_they_do_not_hurt(void **state)
{
    (void)state;
    struct shared s =
        share("workload: above\ncorun_class: memory\nkernels: [{name: k, time: 10 ms, demand: {dram: 50 %}}]\n"
              "---\nworkload: alike\ncorun_class: memory\nkernels: [{name: k, time: 10 ms, demand: {dram: 10 %}}]\n"
              "---\nworkload: other\ncorun_class: compute\nkernels: [{name: k, time: 10 ms, demand: {fp32: 50 %}}]\n"
              "---\nworkload: big\ncorun_class: compute\nkernels: [{name: k, time: 10 ms, demand: {fp32: 60 %}}]\n",
              "devices: [{model: small}]\npolicies: [{share: interference_aware, mode: together}]\n"
              "processes:\n  - {name: above, workload: above, priority: 1}\n  - {name: alike, workload: alike}\n"
              "  - {name: other, workload: other}\n  - {name: big, workload: big}\n");
    assert_turnarounds(s, 0, 4, (double[]){10, 20, 10, 20});
    share_release(s);
}

/* 20000 slices: three quarters of them, give or take six standard deviations. */
static void lots_go_by_weight(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 1 s}]\n",
                            "devices: [{model: small}]\npolicies: [{share: lottery, mode: " SLICES "}]\n"
                            "processes:\n  - {name: light, workload: w, repeat: forever}\n"
                            "  - {name: heavy, workload: w, weight: 3, repeat: forever}\nrun: {duration: 20 s}\n");
    double service = of_process(s, 0, 1, "service_ns") / 20e9;
    if (!(fabs(service - 0.75) <= 6 * sqrt(0.75 * 0.25 / 20000)))
        fail_msg("%.4f of the device", service);
    share_release(s);
}

#define EIGHT "[{name: k, blocks: 8, threads: 64, block_time: 1 ms}]" /* 1 ms on four SMs, 2 ms on two */

/* `b` is idle from 1 ms on, and launches at 3.5 ms. The kernel of `a` that began at 3 ms on all SMs keeps them until 4
 * ms.
 */
static void a_launch_has_the_sms_of_those_that_are_idle(void **state)
{
    (void)state;
    struct shared s = share(
        "workload: a\nkernels: " EIGHT "\nsteps: [{launch: k, times: 3}]\n---\n"
        "workload: b\nkernels: " EIGHT "\nsteps: [{host: 3.5 ms}, {launch: k}]\n",
        "devices: [{model: small}]\ncontention: none\npolicies:\n"
        "  - {share: lithos, mode: mps}\n  - {share: {lithos: {steal: false}}, mode: mps}\n"
        "  - {share: {lithos: {idle: 3 ms}}, mode: mps}\n"
        "processes: [{name: b, workload: b, active_threads: 50 %}, {name: a, workload: a, active_threads: 50 %}]\n");
    assert_turnarounds(s, 0, 2, (double[]){4 + 2, 2 + 1 + 1});
    assert_turnarounds(s, 1, 2, (double[]){3.5 + 2, 2 * 3});
    assert_turnarounds(s, 2, 2, (double[]){3.5 + 2, 2 + 2 + 2}); /* at 2 ms it is not idle, at 4 ms it has launched */
    share_release(s);
}

/* A process without SMs of its own looks each millisecond whether others are idle: `b` is so 1 ms after its kernel. */
static void who_has_no_sms_waits_for_idle_ones(void **state)
{
    (void)state;
    struct shared s = share("workload: b\nkernels: " EIGHT "\nsteps: [{launch: k}, {host: 20 ms}]\n---\n"
                            "workload: a\nkernels: " EIGHT "\n",
                            "devices: [{model: small, sms: 1}]\ncontention: none\n"
                            "policies: [{share: lithos, mode: mps}]\n"
                            "processes: [{name: b, workload: b}, {name: a, workload: a}]\n");
    assert_turnarounds(s, 0, 2, (double[]){4 + 20, 5 + 4});
    share_release(s);
}

/* All SMs are of `b`, and then of nobody. Only `b` is looked at when it is idle, and not the process that looks. */
static void who_has_no_sms_owns_those_of_who_ended(void **state)
{
    (void)state;
    struct sms_run_options options = sms_run_defaults();
    options.max_events = 100;
    struct shared s = share_with(&options, "workload: w\nkernels: " EIGHT "\n",
                                 "devices: [{model: small, sms: 1}]\ncontention: none\n"
                                 "policies: [{share: {lithos: {steal: false, idle: 1 us}}, mode: mps}]\n"
                                 "processes: [{name: b, workload: w}, {name: a, workload: w}]\n");
    assert_turnarounds(s, 0, 2, (double[]){4, 8});
    share_release(s);
}

/* Each has half of the SMs, for twice as long, because the mode gives both all of them. Both are there when the first
 * launches. */
static void quotas_are_equal_parts_unless_given(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: " EIGHT "\nsteps: [{host: 0.5 ms}, {launch: k}]\n",
                            "devices: [{model: small}]\ncontention: none\npolicies: [{share: lithos, mode: mps}]\n"
                            "processes: [{name: a, workload: w}, {name: b, workload: w}]\n");
    assert_turnarounds(s, 0, 2, (double[]){2.5, 2.5});
    share_release(s);
}

/* Each has half of the first device. The second, which neither may use, makes none of their quotas larger. */
static void a_device_that_processes_may_not_use_adds_nothing_to_quotas(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: " EIGHT "\nsteps: [{host: 0.5 ms}, {launch: k}]\n",
                            "devices: [{model: small, count: 2}]\ncontention: none\n"
                            "policies: [{share: {lithos: {steal: false}}, mode: mps}]\n"
                            "processes: [{name: a, workload: w, device: 0}, {name: b, workload: w, device: 0}]\n");
    assert_turnarounds(s, 0, 2, (double[]){2.5, 2.5});
    share_release(s);
}

/* The short kernel is launched at 0.5 ms and waits for what the long one has launched: all of it, until 4 ms, or an
 * atom of eight blocks, until 1 ms. Within 0.5 ms there are four blocks, so both run at once, and the short one takes
 * two. */
static void a_kernel_waits_for_an_atom_at_most(void **state)
{
    (void)state;
    struct shared s =
        share("workload: long\nkernels: [{name: k, blocks: 32, threads: 64, block_time: 1 ms}]\n---\n"
              "workload: short\nkernels: " EIGHT "\nsteps: [{host: 0.5 ms}, {launch: k}, {host: 10 ms}]\n",
              "devices: [{model: small}]\ncontention: none\npolicies:\n"
              "  - {share: lithos, mode: mps}\n  - {share: {lithos: {atom: 1 ms}}, mode: mps}\n"
              "  - {share: {lithos: {atom: 0.5 ms}}, mode: mps}\n"
              "processes: [{name: p, streams: [{workload: long}, {workload: short}]}]\n");
    assert_turnarounds(s, 0, 1, (double[]){5 + 10});
    assert_turnarounds(s, 1, 1, (double[]){2 + 10});
    assert_turnarounds(s, 2, 1, (double[]){0.5 + 2 + 10});
    share_release(s);
}

/* Published (LithOS, atoms of a kernel of 20 000 blocks that takes 10 ms): 20, 50, 100 and 200 atoms by bound, and 200
 * of atoms of 10 us with a floor of 50 us. Each costs 1 us. */
static void atoms_are_as_many_as_bound_and_cost_allow(void **state)
{
    static const struct {
        const char *atoms;
        int count;
    } cases[] = {{"atom: 500 us", 20},
                 {"atom: 200 us", 50},
                 {"atom: 100 us", 100},
                 {"atom: 50 us", 200},
                 {"atom: 10 us, cost: 5 us, overhead: 10 %", 200},
                 {"atom: 10 us", 1000},
                 {"cost: 5 us", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "devices: [{model: small, sms: 1}]\ncontention: none\npolicies:\n"
                 "  - {share: {lithos: {%s}}, mode: mps}\nprocesses: [{name: p, workload: w}]\n",
                 cases[i].atoms);
        struct shared s = share("workload: w\nkernels: [{name: k, blocks: 20000, threads: 1024, block_time: 1 us, "
                                "launch: 1 us}]\n",
                                text);
        assert_turnarounds(s, 0, 1, (double[]){10 + 0.001 * cases[i].count});
        share_release(s);
    }
}

/* Published: l = 23.88 ms / TPCs + 28.5 us of 54 TPCs gets 49 at 1.1, and 36 at 1.5. A kernel in rounds gets whole
 * ones. */
static void a_kernel_has_as_few_sms_as_slow_it_little(void **state)
{
    (void)state;
    char text[512];
    snprintf(text, sizeof text, "workload: w\nkernels: [{name: k, time: {100 %%: %.12g ms, 50 %%: %.12g ms}}]\n",
             23.88 / 54 + 0.0285, 23.88 / 27 + 0.0285);
    struct shared s =
        share(text, "devices: [{model: a100}]\ncontention: none\npolicies:\n"
                    "  - {share: {lithos: {slip: 110 %}}, mode: mps}\n"
                    "  - {share: {lithos: {slip: 150 %}}, mode: mps}\nprocesses: [{name: p, workload: w}]\n");
    assert_turnarounds(s, 0, 1, (double[]){23.88 / 49 + 0.0285});
    assert_turnarounds(s, 1, 1, (double[]){23.88 / 36 + 0.0285});
    share_release(s);
    s = share("workload: w\nkernels: " EIGHT "\n",
              "devices: [{model: small}]\ncontention: none\npolicies:\n"
              "  - {share: {lithos: {slip: 199 %}}, mode: mps}\n  - {share: {lithos: {slip: 200 %}}, mode: mps}\n"
              "processes: [{name: p, workload: w}]\n");
    assert_turnarounds(s, 0, 1, (double[]){1});
    assert_turnarounds(s, 1, 1, (double[]){2});
    share_release(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_has_the_sms_of_those_that_are_idle),
        cmocka_unit_test(who_has_no_sms_waits_for_idle_ones),
        cmocka_unit_test(who_has_no_sms_owns_those_of_who_ended),
        cmocka_unit_test(quotas_are_equal_parts_unless_given),
        cmocka_unit_test(a_device_that_processes_may_not_use_adds_nothing_to_quotas),
        cmocka_unit_test(a_kernel_waits_for_an_atom_at_most),
        cmocka_unit_test(atoms_are_as_many_as_bound_and_cost_allow),
        cmocka_unit_test(a_kernel_has_as_few_sms_as_slow_it_little),
        cmocka_unit_test(the_highest_priority_has_every_slice_but_the_one_under_way),
        cmocka_unit_test(the_policy_chooses_among_all_that_come_together),
        cmocka_unit_test(a_higher_priority_has_the_device_when_it_comes),
        cmocka_unit_test(what_has_not_begun_is_not_drained),
        cmocka_unit_test(only_a_higher_priority_preempts),
        cmocka_unit_test(best_effort_kernels_end_before_further_ones_launch),
        cmocka_unit_test(best_effort_kernels_of_streams_end_before_further_ones_launch),
        cmocka_unit_test(when_a_warm_up_ends_changes_no_turn),
        cmocka_unit_test(service_goes_by_weight),
        cmocka_unit_test(who_comes_late_has_nothing_to_catch_up_on),
        cmocka_unit_test(who_comes_while_others_compute_has_nothing_to_catch_up_on),
        cmocka_unit_test(lots_go_by_weight),
        cmocka_unit_test(the_earliest_deadline_has_every_slice),
        cmocka_unit_test(a_job_that_is_over_has_no_deadline),
        cmocka_unit_test(admission_waits_where_a_driver_would_run_out_of_memory),
        cmocka_unit_test(admission_takes_a_device_that_has_a_place),
        cmocka_unit_test(the_shortest_that_waits_goes_first),
        cmocka_unit_test(the_shortest_holds_up_nobody_on_devices_of_others),
        cmocka_unit_test(the_shortest_holds_up_nobody_on_devices_too_small_for_it),
        cmocka_unit_test(who_waited_for_the_shortest_has_what_it_leaves),
        cmocka_unit_test(kernels_below_wait_unless_they_do_not_hurt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
