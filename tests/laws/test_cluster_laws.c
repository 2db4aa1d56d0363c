/* Laws of the place level, over random scenarios: an observer keeps books of its own. And queues in closed form. */
#include "random_text.h"

enum { SCENARIOS = 200 };

static void add_pods(char *text, uint64_t *state, size_t i)
{
    static const char *const shares[] = {"10", "25", "33.3", "50", "70", "100"};
    uint64_t gpus = draw(state, 4), whole = draw(state, 3) == 0;
    add(text, "  - {name: p%zu, count: %d, cpu: %d.5, memory: %d GiB", i, 2 + (int)draw(state, 30), (int)draw(state, 4),
        (int)draw(state, 8));
    if (gpus && whole)
        add(text, ", gpus: %d", 1 << (int)draw(state, 4));
    else if (gpus)
        add(text, ", gpus: %d, gpu: %s %%%%", draw(state, 4) ? 1 : 2, shares[draw(state, 6)]);
    if (draw(state, 4) == 0)
        add(text, ", selector: {zone: %s}", draw(state, 2) ? "x" : "y");
    if (draw(state, 4) == 0)
        add(text, ", priority: %d", 1 + (int)draw(state, 3));
    static const char *const failing[] = {"", ", on_failure: lost", ", restarts: 1"};
    add(text, "%s", failing[draw(state, 3)]);
    if (gpus && draw(state, 3) == 0)
        add(text, ", models: %s", draw(state, 2) ? "A" : "[A, B]");
    if (gpus && draw(state, 4) == 0)
        add(text, ", gpu_memory: %d GiB", 1 + (int)draw(state, 8));
    static const char *const arrivals[] = {
        "", ", arrivals: {poisson: 1 s}", ", arrivals: {every: 700 ms, batch: 2}",
        ", arrivals: {poisson: 2 s, burst: 100 ms, burst_after: 5 s, burst_lasts: 1 s}"};
    add(text, "%s", arrivals[draw(state, 4)]);
    if (draw(state, 5))
        add(text, ", duration: %d s%s", 1 + (int)draw(state, 30), draw(state, 2) ? ", spread: exponential" : "");
    if (draw(state, 2))
        add(text, ", job_deadline: %d s", 1 + (int)draw(state, 30));
    add(text, "}\n");
}

static void add_failures(char *text, uint64_t *state)
{
    add(text, "failures:\n  - {node: a, at: 5 s, for: 4 s}\n  - {node: b, gpu: 1, at: 7 s}\n"
              "  - {node: n0-1, at: 2 s, for: 9 s}\n");
    if (draw(state, 2))
        add(text, "  - {node: n0-, mtbf: %d s, mttr: %d s}\n", 2 + (int)draw(state, 30), 1 + (int)draw(state, 8));
    if (draw(state, 2))
        add(text, "  - {gpu: each, mtbf: %d s, mttr: %d s}\n", 2 + (int)draw(state, 60), 1 + (int)draw(state, 8));
}

/* Percent signs are doubled: the text is a format. */
static void make(char *text, uint64_t seed)
{
    uint64_t state = seed;
    strcpy(text, "scenario: s\nnodes:\n");
    for (size_t i = 0, kinds = 1 + draw(&state, 4); i < kinds; i++) {
        uint64_t gpus = draw(&state, 4) ? (uint64_t)1 << draw(&state, 4) : 0;
        add(text, "  - {name: n%zu-, count: %d, cpu: %d, memory: %d GiB", i, 2 + (int)draw(&state, 6),
            4 + (int)draw(&state, 28), 8 + (int)draw(&state, 64));
        if (gpus)
            add(text, ", gpus: %d, gpu_memory: 16 GiB, model: %s", (int)gpus, draw(&state, 2) ? "A" : "B");
        add(text, "%s}\n", draw(&state, 2) ? ", labels: {zone: x}" : "");
    }
    add(text, "  - {name: a, gpus: 1, model: A, cpu: 4, memory: 8 GiB, labels: {zone: x, disk: ssd}}\n  - {name: b, "
              "gpus: 2, model: B, cpu: 4, "
              "memory: 8 GiB, labels: {zone: y}}\n");
    add(text, "policies: [first_fit, random, best_fit, worst_fit, fgd, {fgd: {order: exact}}, dot_product, "
              "gpu_packing, gpu_clustering, gpushare, balanced, dominant_share");
    bool fails = draw(&state, 2);
    add(text, fails ? "]\n" : ", realtime, {realtime: {rank: bestfit_float, retry: 300 ms}}]\n");
    if (!fails && draw(&state, 2))
        add(text, "monitor: {model: %s, eager_miss: on}\n", draw(&state, 2) ? "cycle" : "calibrated");
    if (draw(&state, 3) == 0)
        add(text, "scheduler: {retry: 2 s, retry_most: 8 s, start_delay: 300 ms}\n");
    add(text, "pods:\n");
    for (size_t i = 0, groups = 3 + draw(&state, 8); i < groups; i++)
        add_pods(text, &state, i);
    if (draw(&state, 3) == 0)
        add(text,
            "  - {name: t, table: {columns: [name, gpus, gpu, duration], rows: [[r0, 1, 40 %%%%, 5 s], [r1, 2, ~, "
            "~], [r2, 0, ~, 3 s]]}}\n  - {sample: t, until: 90 %%%%, arrivals: {poisson: 300 ms}}\n");
    if (fails)
        add_failures(text, &state);
    const char *whole = fails ? ", duration: 60 s" : "";
    add(text, "run: {seed: %d%s}\n", 1 + (int)draw(&state, 1000),
        draw(&state, 4) ? whole : ", duration: 20 s, warmup: 3 s");
}

/* Every placement as it was told, and a sum over all of it. */
struct told {
    size_t rows;
    uint64_t hash;
    double allocated;
};

static void tell(void *user, const char *policy, const struct sms_placement *placement)
{
    struct told *told = user;
    char line[512];
    snprintf(line, sizeof line, "%s %llu %s %s %llx %.17g %.17g %.17g", policy, (unsigned long long)placement->time_ps,
             placement->pod, placement->node, (unsigned long long)placement->gpus, placement->arrived,
             placement->allocated, placement->fragments);
    for (const char *at = line; *at; at++)
        told->hash = (told->hash ^ (unsigned char)*at) * 0x100000001b3u;
    told->rows++;
    told->allocated = placement->allocated;
    assert_true(placement->allocated <= 1 && placement->allocated <= placement->arrived + 1e-12);
    assert_true(placement->fragments >= 0 && placement->fragments <= 1 + 1e-12);
}

static struct sms_results *run(const struct sms_file *file, enum sms_engine engine, struct told *told)
{
    struct sms_run_options options = sms_run_defaults();
    *told = (struct told){.hash = 1};
    options.on_placement = tell;
    options.user = told;
    options.engine = engine;
    options.check = true; /* books against pods, at each event */
    return run_first(file, &options);
}

static void assert_same_row(const struct sms_results *a, const struct sms_results *b, size_t p,
                            enum sms_subject subject, size_t i)
{
    size_t metrics;
    sms_metrics(subject, &metrics);
    for (size_t m = 0; m < metrics; m++) {
        double x = sms_results_value(a, p, 0, subject, i, m), y = sms_results_value(b, p, 0, subject, i, m);
        assert_true(x == y || (isnan(x) && isnan(y)));
    }
}

/* All metrics of all policies, and the placements. */
static void assert_same(const struct sms_results *a, const struct sms_results *b)
{
    for (size_t p = 0; p < sms_results_policies(a); p++) {
        assert_same_row(a, b, p, SMS_CLUSTER, 0);
        for (size_t i = 0; i < sms_results_subjects(a, SMS_NODE); i++)
            assert_same_row(a, b, p, SMS_NODE, i);
    }
}

static void what_is_remembered_changes_nothing(void **state)
{
    (void)state;
    size_t rows = 0, waited = 0;
    double cut = 0;
    for (uint64_t seed = 1; seed <= SCENARIOS; seed++) {
        static char text[TEXT];
        struct told fast, plain;
        make(text, seed);
        struct sms_file *file = load_text(text, 0);
        struct sms_results *a = run(file, SMS_ENGINE_FAST, &fast), *b = run(file, SMS_ENGINE_REFERENCE, &plain);
        assert_int_equal(fast.rows, plain.rows);
        assert_true(fast.hash == plain.hash);
        assert_same(a, b);
        rows += fast.rows;
        waited += value(a, 0, SMS_CLUSTER, 0, "waiting_count") > 0;
        cut += value(a, 0, SMS_CLUSTER, 0, "restarts_count");
        sms_results_free(a);
        sms_results_free(b);
        sms_file_free(file);
    }
    print_message("%zu placements, %zu scenarios with pods that wait at the end, %g restarts\n", rows, waited, cut);
    assert_true(rows > 100 * SCENARIOS && waited > SCENARIOS / 10 && cut > SCENARIOS); /* else it says little */
}

static double count(const struct sms_results *results, size_t policy, const char *metric)
{
    return estimate(results, policy, SMS_CLUSTER, 0, metric).mean;
}

static double sum_of_nodes(const struct sms_results *results, size_t policy, const char *metric)
{
    double sum = 0;
    for (size_t i = 0; i < sms_results_subjects(results, SMS_NODE); i++)
        sum += estimate(results, policy, SMS_NODE, i, metric).mean;
    return sum;
}

static void assert_conserved(const struct sms_results *results, size_t p)
{
    double settled = count(results, p, "done_count") + count(results, p, "running_count") +
                     count(results, p, "waiting_count") + count(results, p, "lost_count");
    assert_true(settled == count(results, p, "pods_count"));
    /* Each start is the pod's first, or follows a restart after which it waits no more. */
    double restarted = sum_of_nodes(results, p, "placements_count") - count(results, p, "placed_count");
    assert_true(restarted >= 0 && restarted <= count(results, p, "restarts_count"));
    assert_true(count(results, p, "restarts_count") - restarted <= count(results, p, "waiting_count"));
    assert_true(sum_of_nodes(results, p, "failures_count") == count(results, p, "failures_count"));
    assert_true(!(count(results, p, "gpu_wasted_ratio") > 1));
    assert_true(!(count(results, p, "gpu_allocation_mean_ratio") > 1 + 1e-12));
}

/* Of all policies; without a warm-up, whatever fails. */
static void who_came_ended_runs_waits_or_is_lost(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        static char text[TEXT];
        struct told told;
        make(text, seed);
        if (strstr(text, "warmup"))
            continue;
        struct sms_file *file = load_text(text, 0);
        struct sms_results *results = run(file, SMS_ENGINE_FAST, &told);
        for (size_t p = 0; p < sms_results_policies(results); p++)
            assert_conserved(results, p);
        sms_results_free(results);
        sms_file_free(file);
    }
}

/* Pods of a quarter of a GPU on nodes of two GPUs: a queue with eight servers a node, whatever the policy. */
static void assert_queue(int nodes, double load, const char *policy)
{
    double servers = 8.0 * nodes, service_ns = 1e9;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: n, count: %d, gpus: 2}]\npolicies: [%s]\n"
                  "pods: [{name: '%s', count: %.0f, gpu: 25 %%, duration: 1 s, spread: exponential, "
                  "arrivals: {poisson: %.6f us}}]\n"
                  "run: {warmup: 100 s, replications: 20}\n",
                  nodes, policy, policy, 20000 * servers * patience(), service_ns / 1e3 / (load * servers));
    struct sms_results *results = run_shared(file, 0);
    assert_law(policy, estimate(results, 0, SMS_CLUSTER, 0, "wait_mean_ns"),
               service_ns * erlang_c(servers, load) / (servers * (1 - load)));
    assert_law(policy, estimate(results, 0, SMS_CLUSTER, 0, "gpu_allocation_mean_ratio"), load);
    sms_results_free(results);
    sms_file_free(file);
}

static void equal_pods_are_a_queue_of_many_servers(void **state)
{
    (void)state;
    assert_queue(1, 0.8, "first_fit");
    assert_queue(2, 0.85, "random");
    assert_queue(2, 0.85, "best_fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_remembered_changes_nothing),
        cmocka_unit_test(who_came_ended_runs_waits_or_is_lost),
        cmocka_unit_test(equal_pods_are_a_queue_of_many_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
