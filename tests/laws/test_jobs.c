/* Jobs that arrive, at VMs and at processes: latencies worked out by hand, and equal ones for both. */
#include "sharing.h"

#define WORKLOAD "workload: w\nkernels: [{name: k, blocks: 1, threads: 64, block_time: 2 ms%s}]\n"

static double latency_ms(struct shared s, const char *metric)
{
    return estimate(s.results, 0, SMS_VM, 0, metric).mean / MS;
}

/* Runs one tenant, a VM or a process. */
static struct shared run_tenant(const char *law, const char *tenants, const char *keys, const char *run)
{
    char workload[256], scenario[1024];
    snprintf(workload, sizeof workload, WORKLOAD, law);
    snprintf(scenario, sizeof scenario,
             "devices: [{model: small}]\npolicies: [%s]\n%s: [{name: t, workload: w, %s}]\n%s",
             strcmp(tenants, "vms") ? "{mode: mps}" : "round_robin", tenants, keys, run);
    return share(workload, scenario);
}

static const char *const tenants[] = {"vms", "processes"};

/* With one stream the jobs end at 2, 4, 6 and 12 ms. With two the third one waits for a stream until 2 ms. */
static void jobs_of_a_list_arrive_at_its_times(void **state)
{
    static const char *const times = "arrivals: {times: [0 ms, 1 ms, 1 ms, 10 ms]}";
    char two[128];
    (void)state;
    snprintf(two, sizeof two, "%s, streams: 2", times);
    for (size_t t = 0; t < 2; t++) {
        struct shared s = run_tenant("", tenants[t], times, "");
        assert_near(latency_ms(s, "job_latency_mean_ns"), (2 + 3 + 5 + 2) / 4.0, 1e-6);
        assert_near(latency_ms(s, "job_latency_max_ns"), 5, 1e-6);
        assert_near(makespan_ms(s, 0), 12, 1e-6);
        share_release(s);
        s = run_tenant("", tenants[t], two, "");
        assert_near(latency_ms(s, "job_latency_mean_ns"), (2 + 2 + 3 + 2) / 4.0, 1e-6);
        assert_near(makespan_ms(s, 0), 12, 1e-6);
        share_release(s);
    }
}

/* On all devices two VMs have half of the SMs each under sm_quota. Each alone on one device has all of them. */
static void a_vm_may_be_on_one_device_only(void **state)
{
    static const char workload[] = "workload: w\nkernels: [{name: k, blocks: 16, threads: 1024, block_time: 1 ms}]\n";
    static const char *const vms[] = {"{name: a, workload: w}, {name: b, workload: w}",
                                      "{name: a, workload: w, device: 0}, {name: b, workload: w, device: 1}",
                                      "{name: a, workload: w, device: 1}"};
    static const double ms[] = {4, 2, 2}, per_ms[] = {1, 1, 0.5};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "devices: [{model: small, count: 2}]\npolicies: [sm_quota]\nqueue: interleave\nvms: [%s]\n", vms[i]);
        struct shared s = share(workload, text);
        struct sms_bound bound;
        assert_near(makespan_ms(s, 0), ms[i], 1e-6);
        assert_near(estimate(s.results, 0, SMS_HOST, 0, "kernels_per_s").mean, per_ms[i] * 1000, 1e-3);
        assert_int_equal(sms_results_bound(s.results, SMS_BOUND_KERNELS, &bound, NULL), SMS_OK);
        assert_near(bound.run_per_s, (i == 0 ? 1 : per_ms[i]) * 1000, 1e-2);
        share_release(s);
    }
}

/* The times count from the tenant's start. `repeat` ends the list early. */
static void times_are_after_the_start(void **state)
{
    (void)state;
    for (size_t t = 0; t < 2; t++) {
        struct shared s =
            run_tenant("", tenants[t], "start: 3 ms, repeat: 2, arrivals: {times: [1 ms, 5 ms, 50 ms]}", "");
        assert_near(makespan_ms(s, 0), 3 + 5 + 2, 1e-6);
        assert_near(latency_ms(s, "job_latency_max_ns"), 2, 1e-6);
        share_release(s);
    }
}

/* A process ends with its last job, though more streams than that are free. */
static void a_process_ends_with_its_last_job(void **state)
{
    (void)state;
    struct shared s = run_tenant("", "processes", "streams: 4, repeat: 3, arrivals: {every: 5 ms}", "");
    assert_near(turnaround_ms(s, 0, 0), 15 + 2, 1e-6);
    share_release(s);
}

/* One is under way and 65536 wait when the last comes first, and is rejected. Another comes in its place. */
static void a_job_that_is_rejected_is_none_of_those_to_do(void **state)
{
    (void)state;
    for (size_t t = 0; t < 2; t++) {
        struct shared s = run_tenant("", tenants[t], "repeat: 65538, arrivals: {every: 10 ns}", "");
        assert_near(makespan_ms(s, 0), 65538 * 2 + 1e-5, 1e-6);
        assert_true(estimate(s.results, 0, SMS_VM, 0, "rejected_jobs").mean > 0);
        share_release(s);
    }
}

/* Load 0.8 of one stream, and of three. */
static void jobs_wait_for_a_process_as_for_a_vm(void **state)
{
    static const char *const keys[] = {"arrivals: {poisson: 2.5 ms}", "streams: 3, arrivals: {poisson: 834 us}"};
    static const char *const metrics[] = {"jobs_per_s", "job_latency_mean_ns", "job_latency_p99_ns",
                                          "job_latency_max_ns"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct shared s[2];
        for (size_t t = 0; t < 2; t++)
            s[t] = run_tenant(", spread: exponential", tenants[t], keys[k],
                              "run: {warmup: 20 ms, duration: 2 s, replications: 3}");
        for (size_t m = 0; m < 4; m++) {
            struct sms_estimate vm = estimate(s[0].results, 0, SMS_VM, 0, metrics[m]);
            struct sms_estimate process = estimate(s[1].results, 0, SMS_VM, 0, metrics[m]);
            assert_true(vm.mean > 0);
            if (vm.mean != process.mean || vm.sd != process.sd)
                fail_msg("%s, %s: %.12g of a VM, %.12g of a process", keys[k], metrics[m], vm.mean, process.mean);
        }
        share_release(s[0]);
        share_release(s[1]);
    }
}

/* The context takes 4 ms, so the first jobs wait for it. */
static void jobs_wait_until_their_process_is_there(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, blocks: 1, threads: 64, block_time: 2 ms}]\n",
                            "devices: [{model: small}]\nhost: {context: 100 B, context_time: 4 ms}\n"
                            "policies: [{mode: exclusive}]\n"
                            "processes: [{name: t, workload: w, arrivals: {times: [1 ms, 2 ms]}}]\n");
    assert_near(latency_ms(s, "job_latency_max_ns"), 8 - 2, 1e-6);
    assert_near(turnaround_ms(s, 0, 0), 8, 1e-6);
    share_release(s);
}

/* 8 blocks fit at once. Of two grids of 16 blocks that wait, that of the higher priority goes first. */
static void blocks_of_a_vm_of_higher_priority_go_first(void **state)
{
    (void)state;
    for (int priority = -1; priority <= 1; priority++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small}]\nqueue: leftover\npolicies: [round_robin]\nvms:\n"
                 "  - {name: first, workload: w}\n  - {name: second, workload: w, start: 1 ms, priority: %d}\n",
                 priority);
        struct shared s =
            share("workload: w\nkernels: [{name: k, blocks: 24, threads: 64, block_time: 2 ms}]\n", scenario);
        double first_ms = priority > 0 ? 12 : 6, second_ms = priority > 0 ? 8 : 12;
        assert_near(estimate(s.results, 0, SMS_VM, 0, "end_ns").mean / MS, first_ms, 1e-6);
        assert_near(estimate(s.results, 0, SMS_VM, 1, "end_ns").mean / MS, second_ms, 1e-6);
        share_release(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_of_a_list_arrive_at_its_times),
        cmocka_unit_test(a_vm_may_be_on_one_device_only),
        cmocka_unit_test(times_are_after_the_start),
        cmocka_unit_test(a_process_ends_with_its_last_job),
        cmocka_unit_test(a_job_that_is_rejected_is_none_of_those_to_do),
        cmocka_unit_test(jobs_wait_for_a_process_as_for_a_vm),
        cmocka_unit_test(jobs_wait_until_their_process_is_there),
        cmocka_unit_test(blocks_of_a_vm_of_higher_priority_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
