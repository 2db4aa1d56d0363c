/* Laws of pods that run workloads: what they are simulated as, and slots that serve one after another. */
#include "pods_with_work.h"

enum { PODS_MAX = 64 };

/* How long the only pod is on its node, in ns. */
static double time_of_one(const char *workload, const char *fidelity, const char *policy, const char *contention,
                          int jitter)
{
    static struct text text;
    text.length = 0;
    add_models(&text, jitter);
    add(&text,
        "scenario: s\nnodes: [{name: n, devices: {model: small, count: 2}, cpu: 4}]\ncontention: %s\n"
        "host: {context: 10 MiB, context_time: 3 us}\nscheduler: {start_delay: 5 us}\n"
        "policies: [%s]\npods: [{name: p, workload: %s, repeat: 4, start: 17 us}]\nfidelity: %s\n",
        contention, policy, workload, fidelity);
    struct sms_file *file = load_text("%s", text.chars);
    struct sms_run_options options = sms_run_defaults();
    options.check = true;
    struct sms_results *results = run_first(file, &options);
    assert_true(metric(results, "done_count") >= 1);
    double time = metric(results, "turnaround_mean_ns");
    discard(results, file);
    return time;
}

/* With jitter a kernel's time is that of its mean over some launches. */
static void assert_fidelities_agree(const char *workload, const char *policy, const char *contention, int jitter)
{
    double blocks = time_of_one(workload, "blocks", policy, contention, jitter);
    double steps = time_of_one(workload, "processes", policy, contention, jitter);
    double time = time_of_one(workload, "duration", policy, contention, jitter);
    bool asks = strstr(policy, "mobile_cuda"); /* a manager, which takes time */
    assert_near(steps, blocks, jitter ? 0.01 * blocks : 0.03);
    assert_near(time, blocks, asks ? 0.2 * blocks : jitter ? 0.02 * blocks : 0);
}

/* Under models that slow a kernel by itself, too: by its own blocks among each other. */
static void one_pod_takes_as_long_whatever_it_is_simulated_as(void **state)
{
    static const char *const policies[] = {"{place: fgd, share: fair_share, mode: time_slice, block: fine_grained}",
                                           "{mode: together}", "{mode: exclusive, block: breadth_first}",
                                           "{share: mobile_cuda, mode: mps}"};
    static const char *const contentions[] = {"none", "{model: proportional, slope: 1.5}", "maxmin"};
    (void)state;
    for (size_t i = 0; i < 12; i++)
        for (int jitter = 0; jitter <= 20; jitter += 20) {
            assert_fidelities_agree("dense", policies[i / 3], contentions[i % 3], jitter);
            assert_fidelities_agree("light", policies[i / 3], contentions[i % 3], jitter);
        }
}

/* When each pod was placed. */
struct placed {
    uint64_t time[PODS_MAX];
    char name[PODS_MAX][32];
    size_t count;
};

static int note_placement(void *user, const struct sms_run_event *event)
{
    const struct sms_placement *placement = event->placement;
    struct placed *placed = user;
    assert_true(placed->count < PODS_MAX);
    placed->time[placed->count] = placement->time_ps;
    snprintf(placed->name[placed->count++], sizeof placed->name[0], "%s", placement->pod);
    return 0;
}

/* Pods on one GPU, more than it has slots. */
static struct sms_results *run_pods(const char *share, const char *mode, struct placed *placed)
{
    static struct text text;
    text.length = 0;
    add_models(&text, 10);
    add(&text,
        "scenario: s\nnodes: [{name: n, devices: {model: small, count: 1}, cpu: 2}]\ncontention: maxmin\n"
        "host: {context: 10 MiB, context_time: 3 us}\nqueue: fifo\npolicies: [{share: %s, mode: %s}]\npods:\n"
        "  - {name: keeper, workload: dense, repeat: 12, gpu: 10 %%}\n" /* with nobody there, timers would wait */
        "  - {name: d, workload: dense, repeat: 2, gpu: 30 %%, count: 14, arrivals: {poisson: 300 us}}\n"
        "  - {name: l, workload: light, repeat: 1, gpu: 30 %%, count: 12, arrivals: {poisson: 300 us}}\n",
        share, mode);
    struct sms_file *file = load_text("%s", text.chars);
    struct sms_run_options options = sms_run_defaults();
    options.check = true;
    options.observe = note_placement;
    options.events = SMS_RUN_PLACEMENT;
    options.user = placed;
    placed->count = 0;
    struct sms_results *results = run_first(file, &options);
    sms_file_free(file);
    return results;
}

/* The same processes on one host of their own, where each has a number of its own: each comes when its pod was
 * placed. */
static struct sms_results *run_processes(const char *share, const char *mode, const struct placed *placed)
{
    static struct text text;
    text.length = 0;
    add_models(&text, 10);
    add(&text,
        "scenario: s\ndevices: [{model: small}]\ncontention: maxmin\n"
        "host: {cores: 2, context: 10 MiB, context_time: 3 us}\nqueue: fifo\npolicies: [{share: %s, mode: %s}]\n"
        "processes:\n",
        share, mode);
    for (size_t i = 0; i < placed->count; i++) {
        char first = placed->name[i][0];
        add(&text, "  - {name: %s, workload: %s, repeat: %d, start: %llu ps}\n", placed->name[i],
            first == 'l' ? "light" : "dense",
            first == 'k'   ? 12
            : first == 'd' ? 2
                           : 1,
            (unsigned long long)placed->time[i]);
    }
    struct sms_file *file = load_text("%s", text.chars);
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    struct sms_results *results = run_first(file, &options);
    sms_file_free(file);
    return results;
}

static void assert_as_on_a_host(const char *share, const char *mode)
{
    struct placed placed;
    struct sms_results *pods = run_pods(share, mode, &placed), *own = run_processes(share, mode, &placed);
    print_message("%s, %s: slowed down %.3f times\n", share, mode, metric(pods, "slowdown_mean_ratio"));
    assert_true(metric(pods, "done_count") == 27);
    assert_true(metric(pods, "wait_mean_ns") > 0); /* slots were used again */
    double turnaround = estimate(own, 0, SMS_PROCESS, placed.count, "turnaround_ns").mean;
    assert_near(metric(pods, "turnaround_mean_ns") - metric(pods, "wait_mean_ns"), turnaround, 1e-6 * turnaround);
    assert_near(metric(pods, "makespan_ns"), estimate(own, 0, SMS_HOST, 0, "makespan_ns").mean, 0.1);
    sms_results_free(pods);
    sms_results_free(own);
}

/* Under every share policy what a slot was before is forgotten, but for the reading of its device clocks. That reading
 * may round the end of a block the other way, so ends agree within 0.1 ns and not to the picosecond. */
static void a_slot_serves_the_next_pod_as_if_it_were_new(void **state)
{
    static const char *const modes[] = {"{time_slice: {slice: 50 us, switch: 4 us}}", "together", "{mps: {clients: 2}}",
                                        "exclusive", "{time_slice: {slice: 50 us, drain: true}}"};
    (void)state;
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
            assert_as_on_a_host(strcmp(shares[s], "container_pause") ? shares[s] : pause_fast, modes[m]);
}

/* ---- pods on instances, and processes ---- */

/* What instances of an A100 do for equal tenants of class x, as pods or as processes, of ten jobs each. */
static struct sms_results *run_on_instances(const char *workload, const char *profile, size_t count, bool as_pods)
{
    static struct text text;
    text.length = 0;
    add(&text, "%s\n---\nscenario: s\n", workload);
    add(&text, as_pods ? "fidelity: blocks\nnodes: [{name: n, devices: {model: a100}, cpu: 16, mig: [{layout: ["
                       : "devices: [{model: a100}]\npolicies: [{mode: {mig: {instances: [");
    for (size_t i = 0; i < count; i++)
        add(&text, "%s%s", i ? ", " : "", profile);
    if (as_pods)
        add(&text, "]}]}]\npods: [{name: p, count: %zu, workload: w, repeat: 10, profile: %s, cpu: 1, class: x}]\n",
            count, profile);
    else
        add(&text, "]}}}]\nprocesses: [{name: p, count: %zu, workload: w, repeat: 10, class: x}]\n", count);
    struct sms_file *file = load_text("%s", text.chars);
    struct sms_results *results = run_first(file, NULL);
    sms_file_free(file);
    return results;
}

static double assert_same_progress(const char *workload, const char *profile, size_t count)
{
    struct sms_results *pods = run_on_instances(workload, profile, count, true),
                       *own = run_on_instances(workload, profile, count, false);
    const double stp = estimate(own, 0, SMS_HOST, 0, "stp_ratio").mean,
                 slowdown = estimate(own, 0, SMS_PROCESS, count, "slowdown_ratio").mean;
    assert_near(metric(pods, "stp_ratio"), stp, 1e-9);
    assert_near(estimate(pods, 0, SMS_CLASS, 0, "stp_ratio").mean, stp, 1e-9);
    assert_near(estimate(own, 0, SMS_CLASS, 0, "stp_ratio").mean, stp, 1e-9);
    assert_near(metric(pods, "slowdown_mean_ratio"), slowdown, 1e-6);
    sms_results_free(pods);
    sms_results_free(own);
    return stp;
}

/* The time alone is that on the whole GPU, of both. An instance of 1g has 14 of 108 SMs; one of 3g has 42. A kernel
 * that fills no more than an instance gets done on each what it does on a GPU. */
static void pods_on_instances_do_the_work_of_as_many_gpus_as_processes(void **state)
{
    static const char *const full = "workload: w\nkernels: [{name: k, time: 10 ms, demand: {fp32: 100 %}}]";
    static const char *const small =
        "workload: w\nkernels: [{name: k, blocks: 10, threads: 1024, block_time: 100 us, demand: {fp32: 40 %}}]";
    static const char *const waves = "workload: w\nkernels: [{name: k, blocks: 700, threads: 256, block_time: 30 us, "
                                     "demand: {fp32: 30 %, dram: 4 %}}]\n"
                                     "steps: [{host: 50 us}, {copy_in: 1 MB}, {launch: k, times: 3}]";
    (void)state;
    assert_near(assert_same_progress(full, "1g.5gb", 7), 7 * 14 / 108.0, 1e-6);
    assert_near(assert_same_progress(full, "3g.20gb", 2), 2 * 42 / 108.0, 1e-6);
    assert_near(assert_same_progress(small, "1g.5gb", 7), 7, 1e-6);
    assert_true(assert_same_progress(waves, "2g.10gb", 3) < 3);
}

/* Work is counted of pods that ended, so a class without any has no value, as the cluster has none. */
static void pods_that_run_for_ever_have_no_throughput_rather_than_none(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("workload: w\nkernels: [{name: k, time: 1 ms, demand: {fp32: 50 %%}}]\n---\nscenario: s\n"
                  "nodes: [{name: n, devices: {model: v100}}]\n"
                  "pods: [{name: p, gpus: 1, workload: w, repeat: forever, class: x}]\nrun: {duration: 9 ms}\n");
    struct sms_results *results = run_first(file, NULL);
    assert_true(isnan(metric(results, "stp_ratio")));
    assert_true(isnan(estimate(results, 0, SMS_CLASS, 0, "stp_ratio").mean));
    assert_true(estimate(results, 0, SMS_CLASS, 0, "jobs_per_s").mean > 900);
    sms_results_free(results);
    sms_file_free(file);
}

/* One gang of five is drawn, which are on one GPU at once. */
static void a_gpu_has_a_slot_for_each_pod_of_a_gang_that_is_drawn(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        "workload: w\nkernels: [{name: k, time: 5 ms}]\n---\nscenario: s\nfidelity: processes\n"
        "nodes: [{name: n, devices: {model: a100, count: 1}}]\npolicies: [{place: first_fit, mode: mps}]\npods:\n"
        "  - name: t\n    table: {columns: [name, workload, gpu, replicas], rows: [[a, w, 10 %%, 5]]}\n"
        "  - {sample: t, name: x, count: 1}\n");
    struct sms_results *results = run_first(file, NULL);
    assert_near(metric(results, "done_count"), 5, 0);
    discard(results, file);
}

/* The clock ends at 18.45e18 ps. The later of the pods `far` comes at 14e18 ps and is due at 23e18. */
static void a_deadline_beyond_the_clock_is_later_than_any(void **state)
{
    static const char often[] = "gpu: 50 %, repeat: 10, count: 2, start: 5e6 s, arrivals: {every: 9e6 s}";
    (void)state;
    struct sms_file *file = load_text(
        "workload: w\nkernels: [{name: k, time: 100 ms}]\n---\nscenario: s\nfidelity: processes\n"
        "nodes: [{name: n, devices: {model: a100, count: 1}}]\n"
        "policies: [{place: first_fit, share: earliest_deadline, mode: {time_slice: {switch: 0 s}}}]\npods:\n"
        "  - {name: far, workload: w, %s, deadline: 9e6 s}\n  - {name: near, workload: w, %s, deadline: 1.5 s}\n",
        often, often);
    struct sms_results *results = run_first(file, NULL);
    assert_near(metric(results, "deadline_miss_ratio"), 0, 0);
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pod_takes_as_long_whatever_it_is_simulated_as),
        cmocka_unit_test(a_slot_serves_the_next_pod_as_if_it_were_new),
        cmocka_unit_test(pods_on_instances_do_the_work_of_as_many_gpus_as_processes),
        cmocka_unit_test(pods_that_run_for_ever_have_no_throughput_rather_than_none),
        cmocka_unit_test(a_gpu_has_a_slot_for_each_pod_of_a_gang_that_is_drawn),
        cmocka_unit_test(a_deadline_beyond_the_clock_is_later_than_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
