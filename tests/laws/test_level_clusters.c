/* Laws of random small clusters whose pods run workloads. */
#include "pods_with_work.h"

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
        cmocka_unit_test(random_clusters_are_the_same_in_the_plain_engine_and_lose_no_pod),
        cmocka_unit_test(random_clusters_that_fail_are_the_same_and_lose_count_of_no_pod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
