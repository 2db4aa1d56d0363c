/* Dispatch must not depend on coincidences. Results change little when block times get a little jitter, and a device
 * with one SM more or less is about as fast. */
#include "tests/harness.h"

static const char *const queues[] = {"leftover", "interleave", "kernel_fifo", "rr_fifo"};
/* Under sanitizers this takes fifteen times as long, so they run one queue only. */
#ifdef SMS_SANITIZED
enum { FIRST_QUEUE = 1, QUEUES = 2 };
#else
enum { FIRST_QUEUE = 0, QUEUES = sizeof queues / sizeof *queues };
#endif

/* A small kernel starts every 0.5 ms or so beside a grid a hundred times larger than the device. 513.7 us is no
 * multiple of a block's time, so that no two events coincide by chance. */
static const char *const beside_a_large_grid =
    "workload: small\nkernels: [{name: k, blocks: 160, threads: 256, block_time: 50 us, jitter: %g %%}]\n"
    "steps: [{host: 513.7 us}, {launch: k}]\n"
    "---\nworkload: large\nkernels: [{name: k, blocks: 64000, threads: 256, block_time: 200 us, jitter: %g %%}]\n"
    "---\nscenario: s\ndevices: [{model: %s}]\nqueue: %s\npolicies: [%s]\n%s:\n"
    "  - {name: large, workload: large, repeat: forever}\n  - {name: small, workload: small, repeat: forever}\n"
    "run: {warmup: 40 ms, duration: 240 ms}\n";

struct measured {
    double large_per_s, small_per_s; /* kernels */
    double small_us;                 /* mean latency of the small kernel */
};

static struct measured measure(const char *tenants, const char *device, const char *mode, const char *queue,
                               double jitter)
{
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    struct sms_file *file = load_text(beside_a_large_grid, jitter, jitter, device, queue, mode, tenants);
    struct sms_results *results = run_first(file, &options);
    struct measured of = {estimate(results, 0, SMS_VM, 0, "blocks_per_s").mean / 64000,
                          estimate(results, 0, SMS_VM, 1, "blocks_per_s").mean / 160,
                          estimate(results, 0, SMS_KERNEL, 1, "latency_mean_ns").mean / 1e3};
    discard(results, file);
    return of;
}

static void assert_close(double a, double b, double tolerance, const char *what)
{
    if (!(fabs(a - b) <= tolerance * fmax(a, b)))
        fail_msg("%s: %.6g and %.6g", what, a, b);
}

/* Blocks of equal length end together, in waves. With 5 % of jitter they end evenly over time, and a small kernel waits
 * for the next block instead of the next wave. That changes its latency by 25 % at most. A queue that began to favour
 * the other kernel would change it a hundredfold. */
enum { STEPS = 5 };
static const double jitters[STEPS] = {0, 1e-4, 1e-2, 1, 5}; /* % */

static void assert_continuous(const char *tenants, const char *device, const char *mode)
{
    for (size_t q = FIRST_QUEUE; q < QUEUES; q++) {
        struct measured before = {0};
        for (size_t i = 0; i < STEPS; i++) {
            struct measured now = measure(tenants, device, mode, queues[q], jitters[i]);
            char what[128];
            snprintf(what, sizeof what, "%s %s, queue %s, jitter %g %%", tenants, mode, queues[q], jitters[i]);
            if (i > 0) {
                assert_close(before.small_us, now.small_us, 0.25, what);
                assert_close(before.small_per_s, now.small_per_s, 0.25, what);
                assert_close(before.large_per_s, now.large_per_s, 0.05, what);
            }
            before = now;
        }
    }
}

static void results_move_continuously_with_jitter_where_all_share_a_queue(void **state)
{
    (void)state;
    assert_continuous("vms", "v100", "round_robin");
}

static void results_move_continuously_with_jitter_under_mps(void **state)
{
    (void)state;
    assert_continuous("processes", "v100", "{mode: mps}");
}

static void results_move_continuously_with_jitter_together(void **state)
{
    (void)state;
    assert_continuous("processes", "v100", "{mode: together}");
}

static void results_move_continuously_with_jitter_in_time_slices(void **state)
{
    (void)state;
    assert_continuous("processes", "v100", "{mode: time_slice}");
}

static void results_move_continuously_with_jitter_on_instances(void **state)
{
    (void)state;
    assert_continuous("processes", "a100", "{mode: {mig: {instances: [3g.20gb, 3g.20gb]}}}");
}

/* An FP32 kernel runs beside an FP64 kernel. On an SM that they share, both run at full speed; on SMs of its own,
 * neither does. Returns the STP. */
static double stp_of(size_t mode, const char *queue, int sms, double jitter, int blocks)
{
    static const char *const modes[] = {"policies: [round_robin]\nvms", "policies: [{mode: mps}]\nprocesses"};
    struct sms_file *file =
        load_text("workload: a\nkernels: [{name: k, blocks: 64000, threads: 256, block_time: 50 us, jitter: %g %%, "
                  "demand: {fp32: 25 %%}}]\n"
                  "---\nworkload: b\nkernels: [{name: k, blocks: %d, threads: 256, block_time: 50 us, jitter: %g %%, "
                  "demand: {fp64: 25 %%}}]\n"
                  "---\nscenario: s\ndevices: [{model: v100, sms: %d}]\ncontention: {model: proportional, slope: 1}\n"
                  "queue: %s\n%s: [{name: a, workload: a, repeat: forever}, {name: b, workload: b, repeat: forever}]\n"
                  "run: {warmup: 20 ms, duration: 60 ms}\n",
                  jitter, blocks, jitter, sms, queue, modes[mode]);
    struct sms_results *results = run_first(file, NULL);
    double stp = estimate(results, 0, SMS_HOST, 0, "stp_ratio").mean;
    discard(results, file);
    return stp;
}

static void assert_as_fast(size_t mode, const char *queue, double jitter, int blocks, double tolerance)
{
    double expected = stp_of(mode, queue, 80, 5, blocks);
    for (int sms = 79; sms <= 81; sms++) {
        char what[128];
        snprintf(what, sizeof what, "%s, queue %s, jitter %g %%, %d SMs", mode ? "mps" : "vms", queue, jitter, sms);
        assert_close(stp_of(mode, queue, sms, jitter, blocks), expected, tolerance, what);
    }
}

/* One SM in 80 is 1.25 % of the device. Grids of equal length without jitter stay in step for ever, so their first
 * placement matters: STP is between 1.63 and 2.0. It must never be 1.0, which means that each SM has blocks of one
 * kernel only. */
static void one_sm_more_or_less_changes_little(void **state)
{
    (void)state;
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t q = FIRST_QUEUE; q < QUEUES; q++) {
            assert_as_fast(mode, queues[q], 0, 60103, 0.03);
            assert_as_fast(mode, queues[q], 1e-4, 60103, 0.03);
            assert_as_fast(mode, queues[q], 5, 60103, 0.03);
            assert_as_fast(mode, queues[q], 0, 64000, 0.2);
        }
}

static bool notes_lockstep_of(const char *tenants, size_t mode, int blocks, double jitter, const char *resource)
{
    static const char *const modes[] = {"policies: [round_robin]\nvms", "policies: [{mode: mps}]\nprocesses",
                                        "policies: [{mode: time_slice}]\nprocesses"};
    struct sms_run_options options = sms_run_defaults();
    bool found = false;
    size_t count;
    options.alone = false;
    struct sms_file *file = load_text(
        "workload: a\nkernels: [{name: k, blocks: 3200, threads: 256, block_time: 50 us, demand: {fp32: 25 %%}}]\n"
        "---\nworkload: b\nkernels: [{name: k, blocks: %d, threads: 256, block_time: 50 us, jitter: %g %%, "
        "demand: {%s: 25 %%}}]\n---\nscenario: s\ndevices: [{model: v100, count: 2}]\n%s: [%s]\n",
        blocks, jitter, resource, modes[mode], tenants);
    struct sms_results *results = run_first(file, &options);
    const char *const *notes = sms_results_notes(results, &count);
    for (size_t i = 0; i < count; i++)
        found |= strstr(notes[i], "lockstep") != NULL;
    discard(results, file);
    return found;
}

#define TENANT(name, workload, device) "{name: " name ", workload: " workload ", device: " device "}"

static bool notes_lockstep(size_t mode, int blocks, double jitter, const char *resource)
{
    return notes_lockstep_of(TENANT("a", "a", "0") ", " TENANT("b", "b", "0"), mode, blocks, jitter, resource);
}

static void equal_grids_without_jitter_get_a_note(void **state)
{
    (void)state;
    assert_true(notes_lockstep(0, 3200, 0, "fp64"));
    assert_true(notes_lockstep(1, 3200, 0, "fp64"));
    assert_false(notes_lockstep(2, 3200, 0, "fp64")); /* they run one after the other */
    assert_false(notes_lockstep(0, 3201, 0, "fp64"));
    assert_false(notes_lockstep(0, 3200, 0.1, "fp64"));
    assert_false(notes_lockstep(0, 3200, 0, "fp32")); /* their blocks are interchangeable */
    assert_true(notes_lockstep_of(TENANT("a", "a", "0") ", " TENANT("x", "a", "1") ", " TENANT("b", "b", "0"), 0, 3200,
                                  0, "fp64")); /* wherever a tenant of another device is in the list */
}

/* Each client has half of the threads. The first launches far more blocks than fit; the second need not wait for them.
 */
static void a_client_of_mps_is_not_held_up_by_another_that_has_other_sms(void **state)
{
    (void)state;
    static const char *const blocks[] = {"round_robin", "leftover", "most_room"};
    for (size_t q = FIRST_QUEUE; q < QUEUES; q++)
        for (size_t b = 0; b < 3; b++) {
            struct sms_run_options options = sms_run_defaults();
            options.alone = false;
            struct sms_file *file = load_text(
                "workload: small\nkernels: [{name: k, blocks: 160, threads: 256, block_time: 50 us}]\n"
                "---\nworkload: large\nkernels: [{name: k, blocks: 64000, threads: 256, block_time: 200 us}]\n"
                "---\nscenario: s\ndevices: [{model: v100, dispatch: none}]\nqueue: %s\npolicies: [{block: %s, mode: "
                "mps}]\nprocesses:\n"
                "  - {name: large, workload: large, repeat: forever, active_threads: 50 %%}\n"
                "  - {name: small, workload: small, repeat: forever, active_threads: 50 %%}\n"
                "run: {warmup: 10 ms, duration: 60 ms}\n",
                queues[q], blocks[b]);
            struct sms_results *results = run_first(file, &options);
            /* 320 blocks fit at a time, so a kernel of 160 ends every 50 us. */
            assert_close(estimate(results, 0, SMS_VM, 1, "blocks_per_s").mean, 160 / 50e-6, 0.01, queues[q]);
            discard(results, file);
        }
}

/* Both streams belong to one process. The small kernel waits for the running wave only. */
static void a_stream_of_higher_priority_goes_first_without_jitter(void **state)
{
    static const char *const modes[] = {"time_slice", "exclusive", "mps", "together"};
    (void)state;
    for (size_t m = 0; m < 4; m++)
        for (int priority = 0; priority < 2; priority++) {
            struct sms_run_options options = sms_run_defaults();
            options.alone = false;
            struct sms_file *file = load_text(
                "workload: small\nkernels: [{name: k, blocks: 160, threads: 256, block_time: 50 us}]\n"
                "steps: [{host: 513.7 us}, {launch: k}]\n"
                "---\nworkload: large\nkernels: [{name: k, blocks: 64000, threads: 256, block_time: 200 us}]\n"
                "---\nscenario: s\ndevices: [{model: v100}]\npolicies: [{mode: %s}]\nprocesses:\n  - name: p\n"
                "    repeat: forever\n    streams: [{workload: large}, {workload: small, priority: %d}]\n"
                "run: {warmup: 40 ms, duration: 240 ms}\n",
                modes[m], priority);
            struct sms_results *results = run_first(file, &options);
            double us = estimate(results, 0, SMS_KERNEL, 1, "latency_mean_ns").mean / 1e3;
            if (priority ? us > 250 : us < 15000)
                fail_msg("%s: the small kernel takes %.1f us with priority %d", modes[m], us, priority);
            discard(results, file);
        }
}

/* A block that needs 90 % of FP64 waits beside more small blocks than the SM holds. Each small block that ends leaves
 * room for another small one only. Returns when the large block starts, in us from its launch; -1 if it never does. */
static double start_of_a_large_block(const char *policy, const char *queue, const char *tenants)
{
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    struct sms_file *file = load_text(
        "workload: small\nkernels: [{name: k, blocks: 100000, threads: 64, block_time: 20 us, jitter: 20 %%, "
        "demand: {fp64: 20 %%}}]\n"
        "---\nworkload: large\nkernels: [{name: k, blocks: 1, threads: 64, block_time: 20 us, demand: {fp64: 90 %%}}]\n"
        "---\nscenario: s\ndevices: [{model: v100, sms: 1}]\nqueue: %s\npolicies: [%s]\n%s:\n"
        "  - {name: small, workload: small}\n  - {name: large, workload: large, start: 1 ms}\nrun: {duration: 50 ms}\n",
        queue, policy, tenants);
    struct sms_results *results = run_first(file, &options);
    double latency_ns = estimate(results, 0, SMS_KERNEL, 1, "latency_mean_ns").mean;
    discard(results, file);
    return isfinite(latency_ns) && latency_ns > 0 ? latency_ns / 1e3 - 20 : -1;
}

/* A negative patience leaves the parameter out; then the block never starts. */
static void assert_starts_after(int patience_us, const char *admitting, bool processes)
{
    char policy[128], patience[64] = "";
    if (patience_us >= 0)
        snprintf(patience, sizeof patience, "patience: %d us", patience_us);
    snprintf(policy, sizeof policy, processes ? "{mode: mps, block: {%s: {%s}}}" : "{%s: {%s}}", admitting, patience);
    double us = start_of_a_large_block(policy, "interleave", processes ? "processes" : "vms");
    bool right = patience_us < 0 ? us < 0 : us >= patience_us && us <= patience_us + 48;
    if (!right)
        fail_msg("%s: after %g us", policy, us);
}

static void a_large_block_starts_soon_after_the_patience_of_an_admitting_policy_ends(void **state)
{
    (void)state;
    static const char *const admitting[] = {"fine_grained", "utilization_aware", "fine_grained_capped"};
    for (size_t a = 0; a < 3; a++)
        for (int patience_us = -1; patience_us <= 5000; patience_us += 2500) {
            assert_starts_after(patience_us, admitting[a], false);
            assert_starts_after(patience_us, admitting[a], true);
        }
}

/* A queue that stops at the first block that fits nowhere behaves as one with a patience of 0. */
static void no_patience_gives_the_results_of_a_queue_that_stops(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"interleave", "rr_fifo"}, {"kernel_fifo", "leftover"}};
    for (size_t p = 0; p < 2; p++) {
        double done[2];
        for (size_t i = 0; i < 2; i++) {
            struct sms_file *file = load_text(
                "workload: a\nkernels: [{name: k, blocks: 300, threads: 64, block_time: 20 us, jitter: 20 %%, "
                "demand: {fp64: 20 %%}}]\n"
                "---\nworkload: b\nkernels: [{name: k, blocks: 20, threads: 64, block_time: 20 us, jitter: 20 %%, "
                "demand: {fp64: 90 %%}}]\n"
                "---\nscenario: s\ndevices: [{model: v100, sms: 4}]\nqueue: %s\npolicies: [{fine_grained: {%s}}]\n"
                "vms: [{name: a, workload: a, repeat: forever}, {name: b, workload: b, repeat: forever}]\n"
                "run: {duration: 50 ms}\n",
                pairs[p][i], i ? "" : "patience: 0 us");
            struct sms_results *results = run_first(file, NULL);
            done[i] = estimate(results, 0, SMS_VM, 1, "blocks_per_s").mean;
            discard(results, file);
        }
        assert_true(done[0] > 0);
        assert_true(done[0] == done[1]);
    }
}

/* A block of their first kernels takes a third of the SM, and one of their next kernels all of it. The last block of
 * `first` comes to the SM after that of `second`. */
static void kernels_that_end_at_one_instant_end_in_the_order_of_their_launches(void **state)
{
    (void)state;
    static const char *const policies[] = {"round_robin", "fine_grained", "fine_grained_capped"};
    for (size_t p = 0; p < 3; p++)
        for (enum sms_engine engine = SMS_ENGINE_FAST; engine <= SMS_ENGINE_REFERENCE; engine++) {
            struct sms_run_options options = sms_run_defaults();
            options.engine = engine;
            struct sms_file *file = load_text(
                "device: gpu\nclock: 1 GHz\nsms: 1\nsm: {blocks: 3, threads: 96}\nresources: {a: {class: compute}}\n"
                "---\nworkload: w\nkernels:\n  - {name: k, blocks: 3, threads: 32, block_time: 10 us}\n"
                "  - {name: next, blocks: 1, threads: 96, block_time: 10 us}\nsteps: [{launch: k}, {launch: next}]\n"
                "---\nworkload: v\nkernels:\n  - {name: k, blocks: 2, threads: 32, block_time: 10 us}\n"
                "  - {name: next, blocks: 1, threads: 96, block_time: 10 us}\nsteps: [{launch: k}, {launch: next}]\n"
                "---\nscenario: s\ndevices: [{model: gpu}]\nqueue: interleave\npolicies: [%s]\n"
                "vms: [{name: first, workload: w}, {name: second, workload: v}]\n",
                policies[p]);
            struct sms_results *results = run_first(file, &options);
            assert_near(estimate(results, 0, SMS_VM, 0, "end_ns").mean, 30e3, 1);
            assert_near(estimate(results, 0, SMS_VM, 1, "end_ns").mean, 40e3, 1);
            discard(results, file);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_end_at_one_instant_end_in_the_order_of_their_launches),
        cmocka_unit_test(results_move_continuously_with_jitter_where_all_share_a_queue),
        cmocka_unit_test(results_move_continuously_with_jitter_under_mps),
        cmocka_unit_test(results_move_continuously_with_jitter_together),
        cmocka_unit_test(results_move_continuously_with_jitter_in_time_slices),
        cmocka_unit_test(results_move_continuously_with_jitter_on_instances),
        cmocka_unit_test(one_sm_more_or_less_changes_little),
        cmocka_unit_test(equal_grids_without_jitter_get_a_note),
        cmocka_unit_test(a_client_of_mps_is_not_held_up_by_another_that_has_other_sms),
        cmocka_unit_test(a_large_block_starts_soon_after_the_patience_of_an_admitting_policy_ends),
        cmocka_unit_test(no_patience_gives_the_results_of_a_queue_that_stops),
        cmocka_unit_test(a_stream_of_higher_priority_goes_first_without_jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
