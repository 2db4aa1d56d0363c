/* Pods that ask for MIG instances, checked by hand: where their instances lie, when layouts change, and what that
 * costs. An A100 has 8 slices of memory; 3g.20gb begins at 0 or 4, 1g.5gb at 0 to 6, 2g.10gb at 0, 2 or 4 (NVIDIA MIG
 * User Guide). */
#include "placing.h"

#define ONE_GPU "scenario: s\nnodes: [{name: a, devices: {model: a100}, mig: [%s]}]\npolicies: [%s]\npods:\n"

static struct sms_file *load_gpu(const char *mig, const char *policies, const char *pods)
{
    return load_text(ONE_GPU "%s", mig, policies, pods);
}

/* The layout has two instances of 3g; a third pod waits for the first to end, and one of 2g waits for ever. */
static void a_fixed_layout_takes_pods_of_its_profiles(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu("{layout: [3g.20gb, 3g.20gb]}", "first_fit",
                                     "  - {name: p, profile: 3g.20gb, count: 3, duration: 10 s}\n"
                                     "  - {name: q, profile: 2g.10gb, duration: 1 s}\n");
    struct sms_results *results = run_logged(file, "0 p1 a 1@0\n0 p2 a 1@4\n10 p3 a 1@0\n");
    assert_true(metric(results, "waiting_count") == 1);
    assert_true(metric(results, "layout_changes_count") == 0);
    /* 20 s of one half of the GPU, and 10 s of the other, in 20 s. */
    assert_near(metric(results, "gpu_allocation_mean_ratio"), 0.75, 1e-12);
    discard(results, file);
}

/* The 2g needs slices 0 and 1: the idle 3g there goes, and the pod begins 2 s later. The neighbour runs on. */
static void a_free_layout_changes_where_no_pod_is_in_the_way(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu("{layout: [3g.20gb, 3g.20gb], changes: free, change: 2 s}", "first_fit",
                                     "  - {name: p, profile: 3g.20gb, duration: 10 s}\n"
                                     "  - {name: q, profile: 2g.10gb, start: 1 s, duration: 1 s, count: 3}\n"
                                     "  - {name: r, profile: 7g.40gb, start: 2 s, duration: 1 s}\n");
    struct sms_results *results = run_logged(file, "0 p a 1@0\n1 q1 a 1@4\n4 q2 a 1@4\n5 q3 a 1@4\n10 r a 1@0\n");
    assert_true(metric(results, "layout_changes_count") == 2); /* one 2g at slice 4, which q2 and q3 find, and the 7g */
    assert_near(metric(results, "makespan_ns"), 13e9, 1e-3);
    discard(results, file);
}

/* While a pod is on the GPU no instance is made; idle ones that are there are had. */
static void a_layout_that_changes_when_empty_waits_for_that(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu("{layout: [3g.20gb, 3g.20gb], changes: empty, change: 2 s}", "first_fit",
                                     "  - {name: p, profile: 3g.20gb, duration: 10 s}\n"
                                     "  - {name: q, profile: 2g.10gb, start: 1 s, duration: 1 s}\n"
                                     "  - {name: r, profile: 3g.20gb, start: 2 s, duration: 20 s}\n");
    assert_placements(file, "0 p a 1@0\n2 r a 1@4\n22 q a 1@0\n");
}

/* The same with draining: r may not come any more once q waits, so q begins when p has ended. The instance of 3g at
 * slice 4 is still there for r. */
static void a_drained_gpu_takes_no_pods_until_it_is_empty(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu("{layout: [3g.20gb, 3g.20gb], changes: drain, change: 2 s}", "first_fit",
                                     "  - {name: p, profile: 3g.20gb, duration: 10 s}\n"
                                     "  - {name: q, profile: 2g.10gb, start: 1 s, duration: 1 s}\n"
                                     "  - {name: r, profile: 3g.20gb, start: 2 s, duration: 20 s}\n");
    assert_placements(file, "0 p a 1@0\n10 q a 1@0\n10 r a 1@4\n");
}

/* Of two GPUs that may drain for r, the one whose pods have fewer slices does, so u waits. At 3.2 s r finds the other
 * empty, and the one that drained takes u, since nobody waits for it any more. */
static void the_gpu_drains_that_has_fewer_slices_in_use(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, devices: {model: a100, count: 2}, mig: [{layout: "
                                      "[4g.20gb, 3g.20gb], changes: drain, change: 1 s}]}]\n"
                                      "policies: [first_fit]\npods:\n"
                                      "  - {name: p, profile: 4g.20gb, duration: 3 s}\n"
                                      "  - {name: q, profile: 4g.20gb, start: 0.1 s, duration: 10 s}\n"
                                      "  - {name: s, profile: 3g.20gb, start: 0.2 s, duration: 3 s}\n"
                                      "  - {name: r, profile: 7g.40gb, start: 1 s, duration: 1 s}\n"
                                      "  - {name: u, profile: 3g.20gb, start: 2 s, duration: 1 s}\n");
    assert_placements(file, "0 p a 1@0\n0.1 q a 2@0\n0.2 s a 1@4\n3.2 r a 1@0\n3.2 u a 2@4\n");
}

/* At 10 s the GPU that drained is empty, but w lacks CPUs and y takes it. So it drains for w again, and z waits. */
static void a_gpu_drains_again_for_a_pod_that_lacked_cpus(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, devices: {model: a100}, cpu: 4, "
                                      "mig: [{changes: drain, change: 0 s}]}]\npolicies: [first_fit]\npods:\n"
                                      "  - {name: c, cpu: 4, duration: 15 s}\n"
                                      "  - {name: x, profile: 7g.40gb, duration: 10 s}\n"
                                      "  - {name: y, profile: 3g.20gb, start: 1 s, duration: 10 s}\n"
                                      "  - {name: w, profile: 7g.40gb, cpu: 4, start: 2 s, duration: 1 s}\n"
                                      "  - {name: z, profile: 3g.20gb, start: 11 s, duration: 20 s}\n");
    assert_placements(file, "0 c a 0\n0 x a 1@0\n10 y a 1@0\n20 w a 1@0\n21 z a 1@0\n");
}

/* At 10 s s1 gets the instance that v leaves, and the GPU that drained for it takes t, which came before s2. */
static void a_gpu_that_drains_no_more_takes_pods_in_their_order(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: a, devices: {model: a100, count: 2}, mig: [{gpus: [0], "
                  "layout: [2g.10gb, 1g.10gb], changes: drain, change: 0 s}, "
                  "{gpus: [1], layout: [2g.10gb]}]}]\npolicies: [first_fit]\npods:\n"
                  "  - {name: u, profile: 2g.10gb, duration: 20 s}\n"
                  "  - {name: v, profile: 2g.10gb, duration: 10 s}\n"
                  "  - {name: s1, profile: 2g.10gb, start: 1 s, duration: 20 s}\n"
                  "  - {name: t, profile: 1g.10gb, start: 2 s, duration: 5 s}\n"
                  "  - {name: s2, profile: 2g.10gb, start: 3 s, duration: 1 s}\n");
    assert_placements(file, "0 u a 1@0\n0 v a 2@0\n10 s1 a 2@0\n10 t a 1@2\n20 s2 a 1@0\n");
}

/* At 1 s a drains for those that wait. At 3 s the first gets the instance of b, and the second that of a which y left.
 */
static void equal_pods_of_two_entries_wait_as_two_of_one(void **state)
{
    static const char *const waiting[] = {"  - {name: r, count: 2, profiles: {3g.20gb: 5 s}, start: 1 s}\n",
                                          "  - {name: r1, profiles: {3g.20gb: 5 s}, start: 1 s}\n"
                                          "  - {name: r2, profiles: {3g.20gb: 5 s}, start: 1 s}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        struct sms_file *file = load_text(
            "scenario: s\nnodes:\n"
            "  - {name: a, devices: {model: a100}, mig: [{layout: [3g.20gb, 3g.20gb], changes: drain, change: 1 s}]}\n"
            "  - {name: b, devices: {model: a100}, mig: [{layout: [3g.20gb]}]}\npolicies: [first_fit]\n"
            "pods:\n  - {name: x, profile: 3g.20gb, duration: 10 s}\n"
            "  - {name: y, profile: 3g.20gb, duration: 2 s}\n"
            "  - {name: z, profile: 3g.20gb, duration: 3 s}\n%s",
            waiting[i]);
        assert_placements(file, "0 x a 1@0\n0 y a 1@4\n0 z b 1@0\n3 r1 b 1@0\n3 r2 a 1@4\n");
    }
}

/* 1g.10gb takes two slices of an A100 40 GB and one of an A100 80 GB. */
static void a_name_means_what_the_model_of_gpu_says(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: a, devices: {model: a100}, mig: [{changes: free, change: 1 s}]},\n"
                  "  {name: b, devices: {model: a100-80gb}, mig: [{changes: free, change: 1 s}]}]\n"
                  "policies: [first_fit]\npods:\n  - {name: p, profile: 1g.10gb, count: 12, duration: 9 s}\n");
    struct sms_results *results = run_logged(
        file, "0 p1 a 1@0\n0 p2 a 1@2\n0 p3 a 1@4\n0 p4 a 1@6\n0 p5 b 1@0\n0 p6 b 1@1\n0 p7 b 1@2\n0 p8 b 1@3\n"
              "0 p9 b 1@4\n0 p10 b 1@5\n0 p11 b 1@6\n10 p12 a 1@0\n");
    discard(results, file);
}

/* The GPUs of one node lie in different ways; the whole one takes pods without a profile, and the split ones none. */
static void gpus_of_a_node_may_differ(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        "scenario: s\nnodes: [{name: a, devices: {model: a100, count: 3}, mig: [{gpus: [0], layout: [1g.5gb]},\n"
        "  {gpus: [2], layout: [4g.20gb, 3g.20gb]}]}]\npolicies: [first_fit]\npods:\n"
        "  - {name: p, gpu: 50 %%, count: 3}\n  - {name: q, profile: 3g.20gb}\n  - {name: r, profile: 1g.5gb, count: "
        "2}\n");
    struct sms_results *results = run_logged(file, "0 p1 a 2\n0 p2 a 2\n0 q a 4@4\n0 r1 a 1@0\n");
    assert_true(metric(results, "waiting_count") == 2);
    discard(results, file);
}

/* The typical pod is of 3g: a 1g at slice 0 or 4 leaves one place for it, and then, next to the first, still one. */
static void fgd_keeps_places_for_typical_pods(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu("{changes: free, change: 1 s}", "{fgd: {order: exact}}",
                                     "  - {name: s, profile: 1g.5gb, count: 4}\n"
                                     "  - {name: t, profile: 3g.20gb, start: 1 s, count: 9}\n");
    assert_placements(file, "0 s1 a 1@0\n0 s2 a 1@1\n0 s3 a 1@2\n0 s4 a 1@3\n1 t1 a 1@4\n");
}

/* A kernel of 100 % of fp32 takes 108 / 28 as long on the 28 SMs of 2g.10gb, whatever the fidelity. */
static void workloads_run_as_long_as_their_instance_makes_them(void **state)
{
    static const char *const fidelities[] = {"blocks", "processes", "duration"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct sms_file *file = load_text(
            "workload: w\nkernels: [{name: k, time: 5 ms, demand: {fp32: 100 %%}}]\nsteps: [{launch: k}]\n---\n"
            "scenario: s\nnodes: [{name: a, devices: {model: a100}}]\nfidelity: %s\n"
            "policies: [{mode: {mig: {instances: [3g.20gb, 2g.10gb, 1g.5gb], inside: mps}}}]\n"
            "pods: [{name: p, workload: w, profile: 2g.10gb, repeat: 4, count: 2}]\n",
            fidelities[i]);
        struct sms_run_options options = sms_run_defaults();
        struct sms_results *results = run_scenario_of(file, 0, &options);
        assert_near(metric(results, "makespan_ns"), 2 * 4 * 5e6 * 108 / 28, 10);
        discard(results, file);
    }
}

/* Beside each other on one GPU, whose layout changes under them: each runs as alone. */
static void instances_do_not_slow_each_other(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        "workload: w\nkernels: [{name: k, blocks: 1080, threads: 256, block_time: 100 us, demand: {fp32: 20 %%}}]\n"
        "steps: [{launch: k}]\n---\n"
        "scenario: s\nnodes: [{name: a, devices: {model: a100, count: 2}, mig: [{gpus: [0], changes: free, change: 1 "
        "ms}]}]\n"
        "policies: [{place: first_fit, mode: mps}, {place: first_fit, mode: time_slice}]\ncontention: {model: "
        "proportional}\n"
        "pods:\n  - {name: p, workload: w, profile: 1g.5gb, repeat: 9, count: 20, arrivals: {poisson: 1 ms}}\n"
        "  - {name: q, workload: w, profile: 2g.10gb, repeat: 9, count: 9, arrivals: {poisson: 2 ms}}\n"
        "  - {name: r, workload: w, gpu: 50 %%, repeat: 9, count: 2}\n");
    for (size_t e = 0; e < 2; e++) {
        struct sms_run_options options = sms_run_defaults();
        options.check = true;
        options.engine = e ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
        struct sms_results *results = run_scenario_of(file, 0, &options);
        assert_true(metric(results, "done_count") == 31);
        sms_results_free(results);
    }
    sms_file_free(file);
}

/* An instance takes as many pods as its mode has replicas, and counts once. */
static void pods_share_an_instance_that_has_replicas(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu(
        "{layout: [{3g.20gb: {time_slice: {replicas: 2}}}, {2g.10gb: {mps: {replicas: 3}}}, 1g.5gb]}", "first_fit",
        "  - {name: p, profile: 3g.20gb, count: 3, duration: 10 s}\n"
        "  - {name: q, profile: 2g.10gb, count: 3, duration: 20 s}\n"
        "  - {name: r, profile: 1g.5gb, count: 2, duration: 10 s}\n");
    struct sms_results *results =
        run_logged(file, "0 p1 a 1@0\n0 p2 a 1@0\n0 q1 a 1@4\n0 q2 a 1@4\n0 q3 a 1@4\n0 r1 a 1@6\n"
                         "10 p3 a 1@0\n10 r2 a 1@6\n");
    assert_near(metric(results, "gpu_allocation_mean_ratio"), (4 + 2 + 1) / 8.0, 1e-12);
    discard(results, file);
}

/* The second pod takes nothing more of the GPU of the first. It leaves as much of GPUs anywhere, and CPUs decide. */
static void policies_count_a_shared_instance_once(void **state)
{
    static const char *const spreads[] = {"worst_fit", "least_allocated"}, *const packs[] = {"best_fit",
                                                                                             "most_allocated"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct sms_file *file =
            load_text("scenario: s\nnodes: [{name: a, count: 2, devices: {model: a100}, cpu: 64,\n"
                      "  mig: [{layout: [{7g.40gb: {time_slice: {replicas: 4}}}]}]}]\npolicies: [%s]\n"
                      "pods: [{name: p, profile: 7g.40gb, cpu: 1, count: 3, arrivals: {every: 1 s}, duration: 9 s}]\n",
                      i < 2 ? spreads[i] : packs[i - 2]);
        discard(run_logged(file, i < 2 ? "0 p1 a1 1@0\n1 p2 a2 1@0\n2 p3 a1 1@0\n"
                                       : "0 p1 a1 1@0\n1 p2 a1 1@0\n2 p3 a1 1@0\n"),
                file);
    }
}

/* Modes by instance, of a policy and of a node. A kernel of 100 % of fp32 takes 5 ms on all 108 SMs, whatever runs it.
 * Under mps two pods have half of the 42 SMs each; in time slices two take turns on 28; one at a time is on 14. As
 * durations, they take what each takes alone. */
static void instances_have_a_mode_each(void **state)
{
    static const struct {
        const char *profile, *fidelity;
        double ms;
    } row[] = {
        {"3g.20gb", "blocks", 4 * 5 * 108.0 / 21},        {"3g.20gb", "processes", 4 * 5 * 108.0 / 21},
        {"3g.20gb", "duration", 4 * 5 * 108.0 / 42},      {"2g.10gb", "blocks", 2 * 4 * 5 * 108.0 / 28},
        {"2g.10gb", "processes", 2 * 4 * 5 * 108.0 / 28}, {"2g.10gb", "duration", 4 * 5 * 108.0 / 28},
        {"1g.5gb", "blocks", 2 * 4 * 5 * 108.0 / 14},     {"1g.5gb", "processes", 2 * 4 * 5 * 108.0 / 14},
        {"1g.5gb", "duration", 2 * 4 * 5 * 108.0 / 14},
    };
    static const char list[] = "[{3g.20gb: {mps: {replicas: 2}}}, {2g.10gb: {time_slice: {replicas: 2, slice: 1 ms, "
                               "switch: 0 s}}}, {1g.5gb: exclusive}]";
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct sms_file *file = load_text(
            "workload: w\nkernels: [{name: k, time: 5 ms, demand: {fp32: 100 %%}}]\nsteps: [{launch: k}]\n---\n"
            "scenario: s\nnodes: [{name: a, devices: {model: a100}}]\nfidelity: %s\n"
            "policies: [{mode: {mig: {instances: %s}}}]\n"
            "pods: [{name: p, workload: w, profile: %s, repeat: 4, count: 2}]\n---\n"
            "scenario: t\nnodes: [{name: a, devices: {model: a100}, mig: [{layout: %s}]}]\nfidelity: %s\n"
            "policies: [{mode: mps}]\n"
            "pods: [{name: p, workload: w, profile: %s, repeat: 4, count: 2}]\n",
            row[i].fidelity, list, row[i].profile, list, row[i].fidelity, row[i].profile);
        for (size_t of_node = 0; of_node < 2; of_node++) {
            struct sms_run_options options = sms_run_defaults();
            options.check = true;
            struct sms_results *results = run_scenario_of(file, of_node, &options);
            assert_near(metric(results, "makespan_ns"), row[i].ms * 1e6, 10);
            sms_results_free(results);
        }
        sms_file_free(file);
    }
}

/* Runs the only scenario of a file, with checks, and frees it. */
static void assert_makespan(struct sms_file *file, double ms)
{
    struct sms_run_options options = sms_run_defaults();
    options.check = true;
    struct sms_results *results = run_scenario_of(file, 0, &options);
    assert_near(metric(results, "makespan_ns"), ms * 1e6, 10);
    discard(results, file);
}

/* Two pods of 5 ms: one after the other on an exclusive GPU, beside each other under mps, and in turns where the policy
 * says so. A GPU that mig leaves whole has the mode of its node, which the policy's instances leave whole, too. */
static void whole_gpus_of_a_node_have_its_mode(void **state)
{
    static const struct {
        const char *zone, *policy;
        double ms;
    } row[] = {{"a", "time_slice: {slice: 1 ms, switch: 1 ms}", 2 * 5},
               {"b", "time_slice: {slice: 1 ms, switch: 1 ms}", 5},
               {"c", "time_slice: {slice: 1 ms, switch: 1 ms}", 5 + 9 + 5},
               {"a", "mps: {}", 2 * 5},
               {"c", "exclusive: {}", 2 * 5},
               {"b", "mig: {instances: [1g.5gb]}", 5}};
    static const char *const fidelities[] = {"blocks", "processes"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof row / sizeof *row; i++) {
        struct sms_file *file =
            load_text("workload: w\nkernels: [{name: k, time: 5 ms, demand: {fp32: 40 %%}}]\n---\n"
                      "scenario: s\nfidelity: %s\npolicies: [{mode: {%s}}]\nnodes:\n"
                      "  - {name: a, devices: {model: a100}, labels: {zone: a}, mode: exclusive}\n"
                      "  - {name: b, devices: {model: a100, count: 2}, labels: {zone: b}, mode: {mps: {clients: 2}},"
                      " mig: [{gpus: [0], layout: [3g.20gb]}]}\n"
                      "  - {name: c, devices: {model: a100}, labels: {zone: c}}\n"
                      "pods: [{name: p, workload: w, gpu: 50 %%, count: 2, selector: {zone: %s}}]\n",
                      fidelities[i % 2], row[i / 2].policy, row[i / 2].zone);
        assert_makespan(file, row[i / 2].ms);
    }
}

/* Each GPU of a node has its own mode. Two pods of 5 ms go to the first: they run one after the other, beside each
 * other, or in turns, whatever the modes of the other two GPUs and of the policy. */
static void gpus_of_a_node_have_a_mode_each(void **state)
{
    static const struct {
        const char *modes;
        double ms;
    } row[] = {{"[exclusive, mps, mps]", 2 * 5},
               {"[mps, exclusive, exclusive]", 5},
               {"[{time_slice: {slice: 1 ms, switch: 1 ms}}, mps, exclusive]", 5 + 9 + 5}};
    static const char *const fidelities[] = {"blocks", "processes"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof row / sizeof *row; i++) {
        struct sms_file *file =
            load_text("workload: w\nkernels: [{name: k, time: 5 ms, demand: {fp32: 40 %%}}]\n---\n"
                      "scenario: s\nfidelity: %s\npolicies: [{place: first_fit, mode: {time_slice: {slice: 3 ms}}}]\n"
                      "nodes: [{name: a, devices: {model: a100, count: 3}, mode: %s}]\n"
                      "pods: [{name: p, workload: w, gpu: 50 %%, count: 2}]\n",
                      fidelities[i % 2], row[i / 2].modes);
        assert_makespan(file, row[i / 2].ms);
    }
}

/* p has the instance made, which takes 2 s; q shares it, and waits for that, too. s finds it full until 5 s. */
static void a_pod_waits_until_the_instance_is_made_that_it_shares(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        "workload: w\nkernels: [{name: k, time: 1 us}]\nsteps: [{host: 3 s}, {launch: k}]\n---\n"
        "scenario: s\nnodes: [{name: a, devices: {model: a100}, mig: [{changes: free, change: 2 s}]}]\n"
        "fidelity: processes\npolicies: [{mode: {mps: {replicas: 2}}}]\npods:\n"
        "  - {name: p, workload: w, profile: 7g.40gb}\n  - {name: q, workload: w, profile: 7g.40gb, start: 1 s}\n"
        "  - {name: s, workload: w, profile: 7g.40gb, start: 1.5 s}\n");
    struct sms_results *results = run_logged(file, "0 p a 1@0\n1 q a 1@0\n5 s a 1@0\n");
    assert_true(metric(results, "layout_changes_count") == 1);
    assert_near(metric(results, "makespan_ns"), 8000002e3, 1);
    discard(results, file);
}

/* Pods that come, share and go: both engines agree with the ledger. */
static void pods_that_share_instances_come_and_go(void **state)
{
    double turnaround[2];
    (void)state;
    struct sms_file *file = load_text(
        "workload: w\nkernels: [{name: k, blocks: 1080, threads: 256, block_time: 100 us, demand: {fp32: 20 %%}}]\n"
        "steps: [{host: 1 ms}, {launch: k}]\n---\n"
        "scenario: s\nnodes: [{name: a, devices: {model: a100, count: 2}, mig: [{gpus: [0], layout: [{3g.20gb: {mps: "
        "{replicas: 3}}}, {3g.20gb: {time_slice: {replicas: 2}}}]}, {gpus: [1], changes: free, change: 1 ms}]}]\n"
        "policies: [{place: fgd, mode: {mps: {replicas: 4}}}]\ncontention: {model: proportional}\npods:\n"
        "  - {name: p, workload: w, profile: 1g.5gb, repeat: 9, count: 40, arrivals: {poisson: 1 ms}}\n"
        "  - {name: q, workload: w, profile: 3g.20gb, repeat: 9, count: 40, arrivals: {poisson: 2 ms}}\n");
    for (size_t e = 0; e < 2; e++) {
        struct sms_run_options options = sms_run_defaults();
        options.check = true;
        options.engine = e ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
        struct sms_results *results = run_scenario_of(file, 0, &options);
        assert_true(metric(results, "done_count") == 80);
        turnaround[e] = metric(results, "turnaround_mean_ns");
        sms_results_free(results);
    }
    assert_true(turnaround[0] == turnaround[1]);
    sms_file_free(file);
}

#define TWO_OPEN                                                                                                       \
    "  - {name: p, profiles: {7g.40gb: 10 s, 3g.20gb: 20 s}}\n"                                                        \
    "  - {name: q, start: 4 s, profiles: {7g.40gb: 10 s, 3g.20gb: 20 s}}\n"

/* p begins on the whole GPU at 2 s, as a change takes 2 s, and has done a fifth when q comes. Both go on at 6 s with
 * 3g: p takes 16 s more. Then q has done 16 of 20 s, and goes on at 24 s on the whole GPU for 2 s. */
static void pods_with_an_open_profile_move_and_keep_what_they_did(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu("{changes: free, change: 2 s}", "miso", TWO_OPEN);
    struct sms_results *results = run_logged(file, "0 p a 1@0\n4 p a 1@0\n4 q a 1@4\n22 q a 1@0\n");
    assert_true(metric(results, "moved_count") == 2);
    assert_true(metric(results, "layout_changes_count") == 4);
    assert_true(metric(results, "placed_count") == 2);
    assert_near(metric(results, "makespan_ns"), 26e9, 1e-3);
    assert_near(metric(results, "turnaround_mean_ns"), 22e9, 1e-3);
    assert_true(metric(results, "wait_mean_ns") == 0);
    discard(results, file);
}

/* Other policies give it the first profile of its list that is to be had, and it stays there. */
static void without_a_policy_that_moves_them_they_take_the_first_profile(void **state)
{
    (void)state;
    struct sms_file *file = load_gpu("{changes: free, change: 2 s}", "first_fit", TWO_OPEN);
    struct sms_results *results = run_logged(file, "0 p a 1@0\n12 q a 1@0\n");
    assert_true(metric(results, "moved_count") == 0);
    assert_near(metric(results, "makespan_ns"), 22e9, 1e-3);
    discard(results, file);
    file = load_gpu("{layout: [3g.20gb, 3g.20gb]}", "first_fit", TWO_OPEN);
    results = run_logged(file, "0 p a 1@0\n4 q a 1@4\n");
    assert_near(metric(results, "makespan_ns"), 24e9, 1e-3);
    discard(results, file);
}

/* Both take the same time on the same profile, under each policy. The second asks for another node, and waits there for
 * the CPU of r. */
static void pods_of_equal_open_profiles_ask_for_their_own(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        "scenario: s\nnodes:\n"
        "  - {name: a, devices: {model: a100}, mig: [{changes: free, change: 0 s}], cpu: 2, labels: {zone: x}}\n"
        "  - {name: b, devices: {model: a100}, mig: [{changes: free, change: 0 s}], cpu: 2, labels: {zone: y}}\n"
        "policies: [first_fit, miso]\npods:\n"
        "  - {name: p, profiles: {7g.40gb: 10 s}, selector: {zone: x}}\n"
        "  - {name: r, cpu: 1, duration: 4 s, selector: {zone: y}}\n"
        "  - {name: q, profiles: {7g.40gb: 10 s}, selector: {zone: y}, cpu: 2, start: 1 s}\n");
    struct sms_results *results = run_logged(file, "0 p a 1@0\n0 r b 0\n4 q b 1@0\n"
                                                   "0 p a 1@0\n0 r b 0\n4 q b 1@0\n");
    assert_near(metric(results, "cpu_allocation_mean_ratio"), (4 * 1 + 10 * 2) / (14. * 4), 1e-9);
    discard(results, file);
}

/* The pod with a profile has slices 0 to 3 for good, so p has 3g at 4, and q waits for the end of it. */
static void pods_with_a_profile_stay_where_they_are(void **state)
{
    (void)state;
    struct sms_file *file =
        load_gpu("{changes: free, change: 2 s}", "miso", "  - {name: f, profile: 3g.20gb}\n" TWO_OPEN);
    assert_placements(file, "0 f a 1@0\n0 p a 1@4\n22 q a 1@4\n");
}

/* Both engines agree with the ledger. */
static void pods_that_move_leave_a_ledger_that_agrees(void **state)
{
    double turnaround[2];
    (void)state;
    struct sms_file *file = load_text(
        "scenario: s\nnodes: [{name: a, devices: {model: a100, count: 3}, mig: [{changes: free, change: 1 s}]}]\n"
        "policies: [miso]\npods:\n"
        "  - {name: f, profile: 1g.5gb, count: 9, arrivals: {poisson: 20 s}, duration: 15 s}\n"
        "  - {name: p, count: 60, arrivals: {poisson: 4 s}, spread: exponential,\n"
        "     profiles: {7g.40gb: 10 s, 4g.20gb: 13 s, 3g.20gb: 15 s, 2g.10gb: 25 s, 1g.5gb: 55 s}}\n"
        "  - {name: q, count: 60, arrivals: {poisson: 5 s}, profiles: {3g.20gb: 9 s, 7g.40gb: 8 s}}\n");
    for (size_t e = 0; e < 2; e++) {
        struct sms_run_options options = sms_run_defaults();
        options.check = true;
        options.engine = e ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
        struct sms_results *results = run_scenario_of(file, 0, &options);
        assert_true(metric(results, "done_count") == 129);
        assert_true(metric(results, "moved_count") > 9);
        turnaround[e] = metric(results, "turnaround_mean_ns");
        sms_results_free(results);
    }
    assert_true(turnaround[0] == turnaround[1]);
    sms_file_free(file);
}

/* As x ends at 10 s, another pod comes, or one that waits is served when v has come. It takes the half that x leaves,
 * so y does not move to the whole GPU and back. */
static void pods_that_come_as_another_ends_go_before_moves(void **state)
{
    static const char *const third[] = {"  - {name: z, profiles: {3g.20gb: 5 s}, start: 10 s}\n",
                                        "  - {name: z, profiles: {3g.20gb: 5 s}, start: 1 s}\n"
                                        "  - {name: v, priority: 1, start: 10 s, duration: 1 s}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof third / sizeof *third; i++) {
        struct sms_file *file = load_text(ONE_GPU "  - {name: x, profiles: {3g.20gb: 10 s}}\n"
                                                  "  - {name: y, profiles: {3g.20gb: 15 s, 7g.40gb: 15 s}}\n%s",
                                          "{changes: free, change: 0 s}", "miso", third[i]);
        struct sms_results *results =
            run_logged(file, i ? "0 x a 1@0\n0 y a 1@4\n10 v a 0\n10 z a 1@0\n" : "0 x a 1@0\n0 y a 1@4\n10 z a 1@0\n");
        assert_true(metric(results, "moved_count") == 0);
        discard(results, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_with_an_open_profile_move_and_keep_what_they_did),
        cmocka_unit_test(without_a_policy_that_moves_them_they_take_the_first_profile),
        cmocka_unit_test(pods_of_equal_open_profiles_ask_for_their_own),
        cmocka_unit_test(pods_with_a_profile_stay_where_they_are),
        cmocka_unit_test(pods_that_move_leave_a_ledger_that_agrees),
        cmocka_unit_test(pods_that_come_as_another_ends_go_before_moves),
        cmocka_unit_test(a_fixed_layout_takes_pods_of_its_profiles),
        cmocka_unit_test(a_free_layout_changes_where_no_pod_is_in_the_way),
        cmocka_unit_test(a_layout_that_changes_when_empty_waits_for_that),
        cmocka_unit_test(a_drained_gpu_takes_no_pods_until_it_is_empty),
        cmocka_unit_test(the_gpu_drains_that_has_fewer_slices_in_use),
        cmocka_unit_test(a_gpu_drains_again_for_a_pod_that_lacked_cpus),
        cmocka_unit_test(a_gpu_that_drains_no_more_takes_pods_in_their_order),
        cmocka_unit_test(equal_pods_of_two_entries_wait_as_two_of_one),
        cmocka_unit_test(a_name_means_what_the_model_of_gpu_says),
        cmocka_unit_test(gpus_of_a_node_may_differ),
        cmocka_unit_test(fgd_keeps_places_for_typical_pods),
        cmocka_unit_test(workloads_run_as_long_as_their_instance_makes_them),
        cmocka_unit_test(instances_do_not_slow_each_other),
        cmocka_unit_test(pods_share_an_instance_that_has_replicas),
        cmocka_unit_test(policies_count_a_shared_instance_once),
        cmocka_unit_test(instances_have_a_mode_each),
        cmocka_unit_test(whole_gpus_of_a_node_have_its_mode),
        cmocka_unit_test(gpus_of_a_node_have_a_mode_each),
        cmocka_unit_test(a_pod_waits_until_the_instance_is_made_that_it_shares),
        cmocka_unit_test(pods_that_share_instances_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
