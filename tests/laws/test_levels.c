/* Laws of pods that run workloads: what they are simulated as, slots that serve one after another, and random small
 * clusters. */
#include "random_text.h"

enum { PODS_MAX = 64 };

static struct sms_file *load(const char *text) { return load_text("%s", text); }

/* A device of 4 SMs with memory and a link, and workloads for it. `jitter` of blocks, in percent. */
static void add_models(char *text, int jitter)
{
    add(text,
        "device: small\nclock: 1 GHz\nsms: 4\nmemory: 1 GiB\nlink: {bandwidth: 1 GB/s}\n"
        "sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"
        "resources:\n  fp32: {class: compute}\n  l1: {class: memory}\n  dram: {class: memory, scope: device}\n---\n");
    add(text,
        "workload: dense\noverhead: 3 %%\nkernels:\n"
        "  - {name: a, blocks: 90, threads: 256, block_time: 40 us, jitter: %d %%, demand: {fp32: 35 %%, dram: 5 %%}}\n"
        "  - {name: b, blocks: 7, threads: 128, block_time: 110 us, demand: {l1: 30 %%}}\n"
        "steps:\n  - {allocate: 100 MiB}\n  - {host: 70 us}\n  - {copy_in: 100 KiB}\n  - {launch: a, times: 3}\n"
        "  - {launch: b}\n  - {copy_out: 50 KiB}\n  - {free: all}\n---\n",
        jitter);
    add(text,
        "workload: light\nkernels:\n"
        "  - {name: c, blocks: 40, threads: 512, block_time: 30 us, jitter: %d %%, demand: {dram: 60 %%, l1: 20 %%}}\n"
        "steps:\n  - {allocate: 200 MiB}\n  - {launch: c, times: 5}\n  - {host: 20 us}\n  - {launch: c}\n---\n",
        jitter);
}

static double metric(const struct sms_results *results, size_t policy, const char *name)
{
    return estimate(results, policy, SMS_CLUSTER, 0, name).mean;
}

/* How long the only pod is on its node, in ns. */
static double time_of_one(const char *workload, const char *fidelity, const char *policy, const char *contention,
                          int jitter)
{
    static char text[TEXT];
    text[0] = '\0';
    add_models(text, jitter);
    add(text,
        "scenario: s\nnodes: [{name: n, devices: {model: small, count: 2}, cpu: 4}]\ncontention: %s\n"
        "host: {context: 10 MiB, context_time: 3 us}\nscheduler: {start_delay: 5 us}\n"
        "policies: [%s]\npods: [{name: p, workload: %s, repeat: 4, start: 17 us}]\nfidelity: %s\n",
        contention, policy, workload, fidelity);
    struct sms_file *file = load(text);
    struct sms_run_options options = sms_run_defaults();
    options.check = true;
    struct sms_results *results = run_first(file, &options);
    assert_true(metric(results, 0, "done_count") >= 1);
    double time = metric(results, 0, "turnaround_mean_ns");
    sms_results_free(results);
    sms_file_free(file);
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

static void note_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    struct placed *placed = user;
    (void)policy;
    assert_true(placed->count < PODS_MAX);
    placed->time[placed->count] = placement->time_ps;
    snprintf(placed->name[placed->count++], sizeof placed->name[0], "%s", placement->pod);
}

static const char *const shares[] = {
    "plain",   "container_pause",  "earliest_deadline", "fair_share", "interference_aware",
    "lottery", "memory_admission", "mobile_cuda",       "priority",   "shortest_first"};

static const char *const pause_fast = "{container_pause: {smi: 40 us, pause: 30 us, unpause: 20 us}}";

/* Pods on one GPU, more than it has slots. */
static struct sms_results *run_pods(const char *share, const char *mode, struct placed *placed)
{
    static char text[TEXT];
    text[0] = '\0';
    add_models(text, 10);
    add(text,
        "scenario: s\nnodes: [{name: n, devices: {model: small, count: 1}, cpu: 2}]\ncontention: maxmin\n"
        "host: {context: 10 MiB, context_time: 3 us}\nqueue: fifo\npolicies: [{share: %s, mode: %s}]\npods:\n"
        "  - {name: keeper, workload: dense, repeat: 12, gpu: 10 %%}\n" /* with nobody there, timers would wait */
        "  - {name: d, workload: dense, repeat: 2, gpu: 30 %%, count: 14, arrivals: {poisson: 300 us}}\n"
        "  - {name: l, workload: light, repeat: 1, gpu: 30 %%, count: 12, arrivals: {poisson: 300 us}}\n",
        share, mode);
    struct sms_file *file = load(text);
    struct sms_run_options options = sms_run_defaults();
    options.check = true;
    options.on_placement = note_placement;
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
    static char text[TEXT];
    text[0] = '\0';
    add_models(text, 10);
    add(text,
        "scenario: s\ndevices: [{model: small}]\ncontention: maxmin\n"
        "host: {cores: 2, context: 10 MiB, context_time: 3 us}\nqueue: fifo\npolicies: [{share: %s, mode: %s}]\n"
        "processes:\n",
        share, mode);
    for (size_t i = 0; i < placed->count; i++) {
        char first = placed->name[i][0];
        add(text, "  - {name: %s, workload: %s, repeat: %d, start: %llu ps}\n", placed->name[i],
            first == 'l' ? "light" : "dense",
            first == 'k'   ? 12
            : first == 'd' ? 2
                           : 1,
            (unsigned long long)placed->time[i]);
    }
    struct sms_file *file = load(text);
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
    print_message("%s, %s: slowed down %.3f times\n", share, mode, metric(pods, 0, "slowdown_mean_ratio"));
    assert_true(metric(pods, 0, "done_count") == 27);
    assert_true(metric(pods, 0, "wait_mean_ns") > 0); /* slots were used again */
    double turnaround = estimate(own, 0, SMS_PROCESS, placed.count, "turnaround_ns").mean;
    assert_near(metric(pods, 0, "turnaround_mean_ns") - metric(pods, 0, "wait_mean_ns"), turnaround, 1e-6 * turnaround);
    assert_near(metric(pods, 0, "makespan_ns"), estimate(own, 0, SMS_HOST, 0, "makespan_ns").mean, 1e-3);
    sms_results_free(pods);
    sms_results_free(own);
}

/* To the picosecond, under every share policy: what a slot was before is forgotten. */
static void a_slot_serves_the_next_pod_as_if_it_were_new(void **state)
{
    static const char *const modes[] = {"{time_slice: {slice: 50 us, switch: 4 us}}", "together", "{mps: {clients: 2}}",
                                        "exclusive", "{time_slice: {slice: 50 us, drain: true}}"};
    (void)state;
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
            assert_as_on_a_host(strcmp(shares[s], "container_pause") ? shares[s] : pause_fast, modes[m]);
}

static void add_group(char *text, uint64_t *state, size_t i, bool failing)
{
    static const char *const parts[] = {"10", "25", "40", "50", "100"};
    add(text, "  - {name: p%zu, count: %d, cpu: %d.5, arrivals: {poisson: %d us}", i, 2 + (int)draw(state, 6),
        (int)draw(state, 3), 20 + (int)draw(state, 2000));
    if (failing && draw(state, 3) == 0)
        add(text, draw(state, 2) ? ", on_failure: lost" : ", restarts: 1");
    if (draw(state, 4) == 0)
        add(text, ", gpus: %d", 1 + (int)draw(state, 3));
    else
        add(text, ", gpu: %s %%, gpu_memory: %d MiB", parts[draw(state, 5)], 60 + (int)draw(state, 500));
    if (draw(state, 4) == 0) {
        add(text, ", duration: %d us}\n", 100 + (int)draw(state, 3000));
        return;
    }
    add(text, ", workload: %s, repeat: %d", draw(state, 2) ? "dense" : "light", 1 + (int)draw(state, 3));
    if (draw(state, 3) == 0)
        add(text, ", deadline: %d us", 500 + (int)draw(state, 8000));
    if (draw(state, 3) == 0)
        add(text, ", priority: %d, weight: %d, active_threads: 50 %%", (int)draw(state, 3), 1 + (int)draw(state, 3));
    add(text, "}\n");
}

static void add_policy(char *text, uint64_t *state)
{
    static const char *const places[] = {"first_fit", "random", "best_fit", "worst_fit", "fgd", "gpu_clustering"};
    static const char *const modes[] = {"{time_slice: {slice: 40 us, switch: 2 us}}", "together", "mps", "exclusive",
                                        "{time_slice: {slice: 60 us, drain: true}}"};
    static const char *const blocks[] = {"round_robin", "fine_grained", "breadth_first"};
    const char *share = shares[draw(state, 10)];
    add(text, "  - {place: %s, share: %s, mode: %s, block: %s}\n", places[draw(state, 6)],
        strcmp(share, "container_pause") ? share : pause_fast, modes[draw(state, 5)], blocks[draw(state, 3)]);
}

/* At given times and at drawn ones; in a run without a duration the drawn ones end. */
static void add_failures(char *text, uint64_t *state)
{
    add(text, "failures:\n  - {node: big, gpu: %d, at: %d us, for: %d us}\n", (int)draw(state, 3),
        100 + (int)draw(state, 4000), 200 + (int)draw(state, 900));
    add(text, "  - {node: n, at: %d us, for: %d us}\n", 50 + (int)draw(state, 4000), 1 + (int)draw(state, 900));
    if (draw(state, 2))
        add(text, "  - {gpu: each, mtbf: %d ms, mttr: 1 ms}\n", 5 + (int)draw(state, 40));
    if (draw(state, 2))
        add(text, "  - {mtbf: %d ms, mttr: 2 ms}\n", 10 + (int)draw(state, 40));
}

static void make(char *text, uint64_t seed, bool failing)
{
    static const char *const fidelities[] = {"blocks", "blocks", "processes", "duration"};
    uint64_t state = seed;
    text[0] = '\0';
    add_models(text, draw(&state, 2) ? 15 : 0);
    add(text,
        "scenario: s\ncontention: {model: proportional, slope: 1.5}\nhost: {context: %d MiB, context_time: 5 us}\n",
        (int)draw(&state, 80));
    add(text, "nodes:\n  - {name: n, count: %d, devices: {model: small, count: %d}, cpu: %d}\n",
        1 + (int)draw(&state, 2), 1 + (int)draw(&state, 3), 2 + (int)draw(&state, 8));
    add(text, "  - {name: big, devices: {model: small, sms: 6, count: 3}, cpu: 12}\n"
              "  - {name: plain, gpus: 2, model: other, gpu_memory: 1 GiB, cpu: 8}\n");
    add(text, "fidelity: %s\npolicies:\n", fidelities[draw(&state, 4)]);
    add_policy(text, &state);
    add(text, "pods:\n");
    for (size_t i = 0, groups = 2 + draw(&state, 4); i < groups; i++)
        add_group(text, &state, i, failing);
    add(text, "  - {name: last, workload: light, gpu: 20 %%}\nrun: {seed: %d%s}\n", 1 + (int)draw(&state, 1000),
        draw(&state, 4) ? "" : ", duration: 4 ms, warmup: 1 ms");
    if (failing)
        add_failures(text, &state);
}

static struct sms_results *run(const struct sms_file *file, enum sms_engine engine)
{
    struct sms_run_options options = sms_run_defaults();
    options.engine = engine;
    options.check = true;
    return run_first(file, &options);
}

static void assert_same(const struct sms_results *a, const struct sms_results *b)
{
    size_t metrics;
    const struct sms_metric *list = sms_metrics(SMS_CLUSTER, &metrics);
    for (size_t m = 0; m < metrics; m++) {
        double x = metric(a, 0, list[m].name), y = metric(b, 0, list[m].name);
        if (!(x == y || (isnan(x) && isnan(y))))
            fail_msg("%s: %.17g and %.17g", list[m].name, x, y);
    }
}

static void random_clusters_are_the_same_in_the_plain_engine_and_lose_no_pod(void **state)
{
    double done = 0, failed = 0, slowed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        static char text[TEXT];
        make(text, seed, false);
        struct sms_file *file = load(text);
        struct sms_results *fast = run(file, SMS_ENGINE_FAST), *plain = run(file, SMS_ENGINE_REFERENCE);
        assert_same(fast, plain);
        double over = metric(fast, 0, "done_count") + metric(fast, 0, "failed_count");
        if (!strstr(text, "warmup")) {
            assert_true(metric(fast, 0, "placed_count") + metric(fast, 0, "waiting_count") ==
                        metric(fast, 0, "pods_count"));
            assert_true(over <= metric(fast, 0, "placed_count"));
        }
        done += metric(fast, 0, "done_count");
        failed += metric(fast, 0, "failed_count");
        slowed += metric(fast, 0, "slowdown_mean_ratio") > 1.05;
        sms_results_free(fast);
        sms_results_free(plain);
        sms_file_free(file);
    }
    print_message("%.0f pods done, %.0f failed; %.0f clusters slowed them down\n", done, failed, slowed);
    assert_true(done > 1000 && failed > 50 && slowed > 20); /* else it says little */
}

/* Whatever fails, each pod is in the end one thing. */
static void random_clusters_that_fail_are_the_same_and_lose_count_of_no_pod(void **state)
{
    double restarts = 0, lost = 0, done = 0;
    (void)state;
    for (uint64_t seed = 1001; seed <= 1100; seed++) {
        static char text[TEXT];
        make(text, seed, true);
        struct sms_file *file = load(text);
        struct sms_results *fast = run(file, SMS_ENGINE_FAST), *plain = run(file, SMS_ENGINE_REFERENCE);
        assert_same(fast, plain);
        double ends = metric(fast, 0, "done_count") + metric(fast, 0, "failed_count") + metric(fast, 0, "lost_count");
        if (!strstr(text, "warmup"))
            assert_true(ends + metric(fast, 0, "running_count") + metric(fast, 0, "waiting_count") ==
                        metric(fast, 0, "pods_count"));
        restarts += metric(fast, 0, "restarts_count");
        lost += metric(fast, 0, "lost_count");
        done += metric(fast, 0, "done_count");
        sms_results_free(fast);
        sms_results_free(plain);
        sms_file_free(file);
    }
    print_message("%.0f pods done, %.0f lost, %.0f restarts\n", done, lost, restarts);
    assert_true(done > 500 && lost > 30 && restarts > 100); /* else it says little */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pod_takes_as_long_whatever_it_is_simulated_as),
        cmocka_unit_test(a_slot_serves_the_next_pod_as_if_it_were_new),
        cmocka_unit_test(random_clusters_are_the_same_in_the_plain_engine_and_lose_no_pod),
        cmocka_unit_test(random_clusters_that_fail_are_the_same_and_lose_count_of_no_pod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
