/* Copies, host cores, memory and the states of processes, against values worked out by hand. */
#include "tests/laws/sharing.h"

#define COPY(name, bytes) "workload: " name "\nkernels: [{name: k, time: 1 ms}]\nsteps: [{copy_in: " bytes " B}]\n"
#define COPY_OUT(name, bytes) "workload: " name "\nkernels: [{name: k, time: 1 ms}]\nsteps: [{copy_out: " bytes " B}]\n"
#define HOST(name, ms) "workload: " name "\nkernels: [{name: k, time: 1 ms}]\nsteps: [{host: " ms " ms}]\n"
#define AND "---\n"

/* The link carries 3 bytes per ms, a copy in takes 2 of them at most. */
static void copies_share_a_link_up_to_what_each_can_take(void **state)
{
    (void)state;
    struct shared shared = share(COPY("a", "60") AND COPY("b", "30"),
                                 "devices: [{model: small, link: {bandwidth: 3 KB/s, copy_in_most: 2 KB/s}}]\n"
                                 "policies: [{mode: time_slice}]\nprocesses:\n"
                                 "  - {name: a, workload: a}\n  - {name: b, workload: b}\n  - {name: c, workload: a, "
                                 "start: 100 ms}\n");
    /* 1.5 each until 20 ms; the 30 bytes left of a at 2 per ms. c alone: 30 ms. */
    assert_turnarounds(shared, 0, 3, (double[]){35, 20, 30});
    share_release(shared);
}

/* Each further copy out lengthens all by a tenth; the link has room for all. */
static void copies_out_are_spread(void **state)
{
    (void)state;
    struct shared shared =
        share(COPY_OUT("a", "20"), "devices: [{model: small, link: {bandwidth: 10 KB/s, copy_out_most: 2 KB/s, "
                                   "copy_out_spread: 10 %}}]\n"
                                   "policies: [{mode: time_slice}]\nprocesses: [{name: a, workload: a, count: 3}]\n");
    assert_turnarounds(shared, 0, 3, (double[]){12, 12, 12});
    share_release(shared);
}

/* Directions do not disturb each other. */
static void both_directions_of_a_link_are_whole(void **state)
{
    (void)state;
    struct shared shared =
        share(COPY("a", "20") AND COPY_OUT("b", "20"), "devices: [{model: small, link: {bandwidth: 2 KB/s}}]\n"
                                                       "policies: [{mode: time_slice}]\n"
                                                       "processes: [{name: a, workload: a}, {name: b, workload: b}]\n");
    assert_turnarounds(shared, 0, 2, (double[]){10, 10});
    share_release(shared);
}

/* Two copies to device 0 (2 bytes per ms), one to device 1 (4), and the host sends 4 in all. Max-min: the two get
 * 1 each, the third the 2 that are left, and 4 once they are through. */
static void devices_share_the_hosts_link(void **state)
{
    (void)state;
    struct shared shared =
        share(COPY("a", "10") AND COPY("c", "30"),
              "devices: [{model: small, link: {bandwidth: 2 KB/s}}, {model: small, link: {bandwidth: 4 KB/s}}]\n"
              "host: {link_in: 4 KB/s}\npolicies: [{mode: time_slice}]\nprocesses:\n"
              "  - {name: a, workload: a, count: 2, device: 0}\n  - {name: c, workload: c, device: 1}\n");
    assert_turnarounds(shared, 0, 3, (double[]){10, 10, 12.5});
    share_release(shared);
}

/* 2 cores; works 1, 4, 4, 4 ms: all at 1/2 until 2 ms, then three at 2/3 for the 3 ms each that are left. */
static void host_steps_share_the_cores(void **state)
{
    (void)state;
    struct shared shared = share(HOST("a", "1") AND HOST("b", "4"),
                                 "devices: [{model: small}]\nhost: {cores: 2}\npolicies: [{mode: time_slice}]\n"
                                 "processes: [{name: a, workload: a}, {name: b, workload: b, count: 3}]\n");
    assert_turnarounds(shared, 0, 4, (double[]){2, 6.5, 6.5, 6.5});
    share_release(shared);
}

/* 400 of 1000 bytes for 2 ms of 8, 50 of a context always. */
static void memory_held_is_integrated(void **state)
{
    (void)state;
    struct shared shared =
        share("workload: a\nkernels: [{name: k, time: 2 ms}]\n"
              "steps: [{host: 1 ms}, {allocate: 300 B}, {allocate: 100 B}, {launch: k}, {free: 50 B}, "
              "{free: all}, {host: 5 ms}]\n",
              "devices: [{model: small}]\nhost: {context: 50 B}\npolicies: [{mode: time_slice}]\n"
              "processes: [{name: a, workload: a}]\n");
    assert_near(of_device(shared, 0, 0, "memory_ratio"), (0.4 * 2 + 0.05 * 8) / 8, 1e-9);
    assert_true(of_device(shared, 0, 0, "memory_high_water_bytes") == 450);
    assert_true(of_process(shared, 0, 0, "memory_high_water_bytes") == 450);
    share_release(shared);
}

#define GREEDY                                                                                                         \
    "workload: greedy\nkernels: [{name: k, time: 1 ms}]\n"                                                             \
    "steps: [{allocate: 600 B}, {launch: k}, {allocate: 600 B}, {launch: k}]\n"
#define BIG "workload: big\nkernels: [{name: k, time: 1 ms}]\nsteps: [{allocate: 1000 B}, {launch: k}]\n"

/* The greedy one fails at 1 ms; what comes after it finds all memory free, and its jobs to come are gone. */
static void a_process_out_of_memory_ends_and_frees_everything(void **state)
{
    (void)state;
    struct shared shared = share(
        GREEDY AND BIG,
        "devices: [{model: small}]\npolicies: [{mode: {time_slice: {switch: 0 ms}}}, {mode: exclusive}, {mode: mps}]\n"
        "processes: [{name: a, workload: greedy, repeat: 5}, {name: b, workload: big, start: 1 ms}]\n");
    for (size_t m = 0; m < 3; m++) {
        assert_true(of_process(shared, m, 0, "failed_count") == 1);
        assert_true(of_process(shared, m, 0, "refused_allocations_count") == 1);
        assert_true(isnan(of_process(shared, m, 0, "turnaround_ns")));
        assert_true(of_process(shared, m, 1, "failed_count") == 0);
        assert_near(turnaround_ms(shared, m, 1), 1, 1e-7);
        assert_true(of_device(shared, m, 0, "memory_high_water_bytes") == 1000);
        assert_near(of_device(shared, m, 0, "memory_ratio"), 0.8, 1e-9);
    }
    share_release(shared);
}

/* It gives back at the job's end what it has not freed. */
static void what_a_job_leaves_behind_goes_with_it(void **state)
{
    (void)state;
    struct shared shared = share(BIG, "devices: [{model: small}]\npolicies: [{mode: time_slice}]\n"
                                      "processes: [{name: b, workload: big, repeat: 3}]\n");
    assert_turnarounds(shared, 0, 1, (double[]){3});
    share_release(shared);
}

#define WHOLES_AND_BLOCKS                                                                                              \
    "workload: wholes\nkernels: [{name: k, time: 3.7 ms, demand: {fp32: 70 %}}]\nsteps: [{host: 0.9 ms}, "             \
    "{allocate: 240 B}, {copy_in: 7 B}, {launch: k, times: 2}, {copy_out: 3 B}, {free: all}]\n"                        \
    "---\nworkload: blocks\nkernels: [{name: k, blocks: 40, threads: 64, block_time: 0.3 ms, demand: {fp32: 40 %}}]\n" \
    "steps: [{allocate: 500 B}, {host: 1 ms}, {copy_in: 2 B}, {launch: k}, {host: 1 ms}, {launch: k}]\n"

static double sum_of_states(struct shared shared, size_t policy, size_t process)
{
    static const char *const states[] = {"waiting_ns",  "host_ns",      "copy_in_ns", "service_ns",
                                         "copy_out_ns", "suspended_ns", "paused_ns"};
    double sum = 0;
    for (size_t s = 0; s < sizeof states / sizeof *states; s++)
        sum += of_process(shared, policy, process, states[s]);
    return sum;
}

/* While all processes are there: some wait for ever where the device takes one. */
static void states_add_up_to_the_time_measured(const char *workload, const char *policies)
{
    static const double from_ms = 7.3, to_ms = 31.1;
    char scenario[2048];
    snprintf(scenario, sizeof scenario,
             "devices: [{model: small, link: {bandwidth: 4 KB/s}, mig: {slices: 4, profiles: [{name: two, sms: 2, "
             "memory: 500 B, slices: 2, starts: [0, 2]}]}}]\ncontention: proportional\n"
             "host: {cores: 2, context: 20 B, context_time: 0.25 ms}\npolicies: [%s]\n"
             "processes: [{name: p, workload: %s, count: 3, chunks: 2, stagger: 4.6 ms, repeat: forever}]\n"
             "run: {warmup: %g ms, duration: %g ms}\n",
             policies, workload, from_ms, to_ms);
    struct shared shared = share(WHOLES_AND_BLOCKS, scenario);
    for (size_t p = 0; p < 3; p++) {
        if (of_process(shared, 0, p, "failed_count") > 0)
            continue;
        double since_ms = fmax(from_ms, 4.6 * (double)p);
        assert_near(sum_of_states(shared, 0, p), (to_ms - since_ms) * MS, 1e-3);
    }
    share_release(shared);
}

static void states_add_up(const char *workload, const char *policies)
{
    char scenario[2048];
    snprintf(scenario, sizeof scenario,
             "devices: [{model: small, count: 2, link: {bandwidth: 4 KB/s}}]\ncontention: proportional\n"
             "host: {cores: 2, context: 20 B, context_time: 0.25 ms}\npolicies: [%s]\n"
             "processes: [{name: p, workload: %s, count: 9, stagger: 0.6 ms, repeat: 2}]\n",
             policies, workload);
    struct shared shared = share(WHOLES_AND_BLOCKS, scenario);
    for (size_t p = 0; p < 9; p++) {
        if (of_process(shared, 0, p, "failed_count") > 0)
            continue;
        double turnaround = of_process(shared, 0, p, "turnaround_ns");
        assert_near(sum_of_states(shared, 0, p), turnaround, 1e-9 * turnaround);
    }
    assert_true(of_device(shared, 0, 0, "memory_high_water_bytes") <= 1000);
    assert_true(of_device(shared, 0, 0, "memory_ratio") <= 1);
    assert_true(of_device(shared, 0, 0, "busy_ratio") <= 1);
    share_release(shared);
}

static void the_states_of_a_process_add_up_to_its_turnaround(void **state)
{
    static const char *const shares[] = {"plain",
                                         "container_pause",
                                         "mobile_cuda",
                                         "priority",
                                         "fair_share",
                                         "earliest_deadline",
                                         "memory_admission",
                                         "shortest_first",
                                         "interference_aware"};
    static const char *const modes[] = {"exclusive",
                                        "{time_slice: {slice: 0.5 ms, switch: 0.03 ms}}",
                                        "{time_slice: {slice: 0.5 ms, drain: true}}",
                                        "together",
                                        "mps",
                                        "partition",
                                        "{mig: {instances: [two, two]}}",
                                        "{mig: {instances: [two, two], inside: mps}}"};
    (void)state;
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            char policy[256];
            snprintf(policy, sizeof policy, "{share: %s, mode: %s}", shares[s], modes[m]);
            if (m < 5) {
                states_add_up("wholes", policy);
                states_add_up("blocks", policy);
            }
            states_add_up_to_the_time_measured("wholes", policy);
            states_add_up_to_the_time_measured("blocks", policy);
        }
}

/* 10 ms of copy and 40 of the 80 ms of a kernel, and from the 20th to the 120th ms 70, 10 and 20 of them. */
static void service_lies_in_the_time_measured(void **state)
{
    static const char *const modes[] = {"exclusive", "time_slice", "together", "mps", "partition"};
    (void)state;
    for (size_t m = 0; m < 2 * sizeof modes / sizeof *modes; m++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small, link: {bandwidth: 3 KB/s}}]\npolicies: [{mode: %s}]\n"
                 "processes: [{name: a, workload: a, chunks: 4, repeat: forever}]\nrun: {%s}\n",
                 modes[m / 2], m % 2 ? "warmup: 20 ms, duration: 120 ms" : "duration: 50 ms");
        struct shared s =
            share("workload: a\nkernels: [{name: k, time: 80 ms}]\nsteps: [{copy_in: 30 B}, {launch: k}]\n", scenario);
        assert_near(of_process(s, 0, 0, "service_ns"), (m % 2 ? 70 + 20 : 40) * MS, 0.1);
        assert_near(of_process(s, 0, 0, "copy_in_ns"), 10 * MS, 0.1);
        share_release(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_share_a_link_up_to_what_each_can_take),
        cmocka_unit_test(copies_out_are_spread),
        cmocka_unit_test(both_directions_of_a_link_are_whole),
        cmocka_unit_test(devices_share_the_hosts_link),
        cmocka_unit_test(host_steps_share_the_cores),
        cmocka_unit_test(memory_held_is_integrated),
        cmocka_unit_test(a_process_out_of_memory_ends_and_frees_everything),
        cmocka_unit_test(what_a_job_leaves_behind_goes_with_it),
        cmocka_unit_test(the_states_of_a_process_add_up_to_its_turnaround),
        cmocka_unit_test(service_lies_in_the_time_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
