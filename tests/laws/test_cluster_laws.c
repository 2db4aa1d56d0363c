/* Laws of the place level, over random scenarios: an observer keeps books of its own. And queues in closed form. */
#include "both_engines.h"

enum { SCENARIOS = 200 };

static void add_pods(struct text *text, size_t i, bool gangs)
{
    uint64_t gpus = draw(text, 4), whole = toss(text, 3);
    add(text, "  - {name: p%zu, count: <2..31>, cpu: <0..3>.5, memory: <0..7> GiB", i);
    if (gpus && whole)
        add(text, ", gpus: <1|2|4|8>");
    else if (gpus)
        add(text, ", gpus: <2|1|1|1>, gpu: <10|25|33.3|50|70|100> %%");
    if (toss(text, 4))
        add(text, ", selector: {zone: <y|x>}");
    if (toss(text, 4))
        add(text, ", priority: <1..3>");
    if (gpus && toss(text, 3))
        add(text, ", models: <[A, B]|A>");
    if (gpus && toss(text, 4))
        add(text, ", gpu_memory: <1..8> GiB");
    add(text, "<|, arrivals: {poisson: 1 s}|, arrivals: {every: 700 ms, batch: 2}>");
    if (draw(text, 5))
        add(text, ", duration: <1..30> s<|, spread: exponential>");
    if (draw(text, 2))
        add(text, ", job_deadline: <1..30> s");
    if (gangs && draw(text, 2))
        add(text, ", replicas: <2..6>");
    add(text, "}\n");
}

static void add_nodes(struct text *text)
{
    add(text, "nodes:\n");
    for (size_t i = 0, kinds = 1 + draw(text, 4); i < kinds; i++) {
        uint64_t gpus = draw(text, 4) ? (uint64_t)1 << draw(text, 4) : 0;
        add(text, "  - {name: n%zu-, count: <2..7>, cpu: <4..31>, memory: <8..71> GiB", i);
        if (gpus)
            add(text, ", gpus: %d, gpu_memory: 16 GiB, model: <B|A>", (int)gpus);
        add(text, "<|, labels: {zone: x}>}\n");
    }
    add(text, "  - {name: a, gpus: 1, model: A, cpu: 4, memory: 8 GiB, labels: {zone: x, disk: ssd}}\n"
              "  - {name: b, gpus: 2, model: B, cpu: 4, memory: 8 GiB, labels: {zone: y}}\n");
}

static void make(struct text *text)
{
    add(text, "scenario: s\n");
    add_nodes(text);
    add(text, "policies: [first_fit, random, best_fit, worst_fit, fgd, {fgd: {order: exact}}, dot_product, "
              "gpu_packing, gpu_clustering, gpushare, balanced, dominant_share");
    bool gangs = draw(text, 2); /* the master takes none */
    add(text, gangs ? "]\n" : ", realtime, {realtime: {rank: bestfit_float, retry: 300 ms}}]\n");
    if (!gangs && draw(text, 2))
        add(text, "monitor: {model: <calibrated|cycle>, eager_miss: on}\n");
    if (toss(text, 3))
        add(text, "scheduler: {start_delay: 300 ms}\n");
    add(text, "<|ties: shuffled|ties: random>\n");
    add(text, "pods:\n");
    for (size_t i = 0, groups = 3 + draw(text, 8); i < groups; i++)
        add_pods(text, i, gangs);
    if (toss(text, 3))
        add(text, "  - {name: t, table: {columns: [name, gpus, gpu, duration], rows: [[r0, 1, 40 %%, 5 s], [r1, 2, ~, "
                  "~], [r2, 0, ~, 3 s]]}}\n  - {sample: t, until: 90 %%, arrivals: {poisson: 300 ms}}\n");
    const char *whole = gangs ? ", duration: 60 s" : "";
    add(text, "run: {seed: <1..1000><, duration: 20 s, warmup: 3 s|%s|%s|%s>}\n", whole, whole, whole);
}

static double sum_of_nodes(const struct sms_results *results, size_t policy, const char *metric)
{
    double sum = 0;
    for (size_t i = 0; i < sms_results_subjects(results, SMS_NODE); i++)
        sum += estimate(results, policy, SMS_NODE, i, metric).mean;
    return sum;
}

/* Without a warm-up. */
static void assert_conserved(const struct sms_results *results, size_t p)
{
    assert_true(sum_of_nodes(results, p, "placements_count") == metric_under(results, p, "placed_count"));
    assert_true(!(metric_under(results, p, "gpu_allocation_mean_ratio") > 1 + 1e-12));
}

static void what_is_remembered_changes_and_loses_nothing(void **state)
{
    (void)state;
    struct event_digest digest = {0};
    size_t waited = 0;
    for (uint64_t seed = 1; seed <= SCENARIOS; seed++) {
        struct law law = run_law(make, seed, &digest);
        for (size_t p = 0; law.whole && p < sms_results_policies(law.results); p++)
            assert_conserved(law.results, p);
        waited += metric(law.results, "waiting_count") > 0;
        close_law(&law);
    }
    print_message("%zu placements, %zu scenarios with pods that wait at the end\n", digest.placements, waited);
    assert_true(digest.placements > 100 * SCENARIOS && waited > SCENARIOS / 10); /* else it says little */
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
    discard(results, file);
}

static void equal_pods_are_a_queue_of_many_servers(void **state)
{
    (void)state;
    assert_queue(1, 0.8, "first_fit");
    assert_queue(2, 0.85, "random");
    assert_queue(2, 0.85, "best_fit");
}

enum { ALIKE = 4, PLACED = 400 };

static int count_node(void *user, const struct sms_run_event *event)
{
    ((size_t *)user)[event->placement->node[strlen(event->placement->node) - 1] - '1']++;
    return 0;
}

/* Pods that come one after another to four equal nodes, each of which is empty again. */
static void assert_ties(const char *ties, size_t least, size_t most)
{
    size_t placed[ALIKE] = {0}, used = 0;
    struct sms_run_options options = sms_run_defaults();
    options.observe = count_node;
    options.events = SMS_RUN_PLACEMENT;
    options.user = placed;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, count: %d, gpus: 2}]\npolicies: [best_fit]\n"
                                      "ties: %s\npods: [{name: p, count: %d, gpus: 1, duration: 1 s, "
                                      "arrivals: {every: 2 s}}]\nrun: {seed: 7}\n",
                                      ALIKE, ties, PLACED);
    discard(run_first(file, &options), file);
    for (size_t n = 0; n < ALIKE; n++) {
        used += placed[n] > 0;
        assert_true(placed[n] == 0 || (placed[n] >= least && placed[n] <= most));
    }
    assert_int_equal(used, least == PLACED ? 1 : ALIKE);
}

static void equal_nodes_are_taken_as_ties_are_broken(void **state)
{
    (void)state;
    assert_ties("lowest", PLACED, PLACED);
    assert_ties("shuffled", PLACED, PLACED);
    assert_ties("random", 60, 140); /* 100 each, more than four deviations either way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_remembered_changes_and_loses_nothing),
        cmocka_unit_test(equal_pods_are_a_queue_of_many_servers),
        cmocka_unit_test(equal_nodes_are_taken_as_ties_are_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
