/* Laws of nodes that are watched, over random scenarios: both engines say the same of every placement and
 * every request, monitors watch the pods that are there, at each event, and every pod is somewhere in the end. */
#include "both_engines.h"

enum { SCENARIOS = 160 };

static void add_models(struct text *text, bool devices)
{
    if (devices)
        add(text, "workload: short\nkernels: [{name: k, time: 700 ms, demand: {fp32: 60 %%}}]\n---\n"
                  "workload: large\nkernels: [{name: k, time: 300 ms, demand: {fp32: 30 %%}}]\n"
                  "steps: [{host: 200 ms}, {allocate: 5 GiB}, {launch: k, times: 3}, {free: all}]\n---\n"
                  "device: small\nclock: 1 GHz\nsms: 4\nmemory: 8 GiB\nsm: {threads: 1024, warps: 32, blocks: 8, "
                  "registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"
                  "resources: {fp32: {class: compute}}\n---\n");
    add(text, "scenario: s\n");
}

static void add_nodes(struct text *text, bool devices)
{
    size_t kinds = 1 + draw(text, 3);
    add(text, "nodes:\n");
    for (size_t i = 0; i < kinds; i++) {
        add(text, "  - {name: k%zu, count: <1..3>, cpu: 8, ", i);
        int gpus = 1 + (int)draw(text, 3);
        if (devices && (i == 0 || draw(text, 3)))
            add(text, "devices: {model: small, count: %d}}\n", gpus);
        else
            add(text, "gpus: %d, gpu_memory: <4..16/4> GiB}\n", gpus);
    }
}

static void add_policies(struct text *text, bool devices)
{
    static const char *const modes[] = {"together", "mps", "exclusive", "{time_slice: {slice: 50 ms}}"};
    static const char *const placing[] = {"realtime",
                                          "{realtime: {rank: float, retry: 300 ms, query: 40 ms}}",
                                          "{realtime: {rank: bestfit_float, rank_base: 0 s, rank_node: 0 s}}",
                                          "{realtime: {empty_node_float: 3 s, query: 0 s, rank_base: 500 ms}}",
                                          "first_fit",
                                          "random",
                                          "least_allocated"};
    const char *mode = modes[draw(text, 4)];
    add(text, "policies:\n");
    for (size_t i = 0; i < sizeof placing / sizeof *placing; i++)
        add(text, devices ? "  - {place: %s, mode: %s}\n" : "  - %s\n", placing[i], mode);
    if (devices)
        add(text, "contention: proportional\nfidelity: <duration|processes|processes|processes>\n");
}

static void add_monitor(struct text *text)
{
    add(text, "monitor: {");
    if (toss(text, 2))
        add(text, "model: cycle, query: <1..300> ms, top: <1..90> ms");
    else
        add(text, "start_least: 0 s, start_most: <1..900> ms, end_least: 0 s, end_most: <1..900> ms");
    add(text, ", eager_miss: <on|off>, full: <51..100> %%}\n");
}

/* Returns whether it ends. */
static bool add_work(struct text *text, bool devices)
{
    if (devices && draw(text, 4)) {
        add(text, ", gpu: <5..50/5> %%, workload: <short|large>");
        if (draw(text, 5))
            add(text, ", repeat: <1..9>");
        if (toss(text, 3))
            add(text, ", period: <500..3000/500> ms");
        return true;
    }
    bool ends = draw(text, 8);
    if (toss(text, 3))
        add(text, ", gpus: <1..2>");
    else if (draw(text, 4))
        add(text, ", gpu: <10..100/10> %%");
    if (ends)
        add(text, ", duration: <100..9000/100> ms<, spread: exponential|>");
    return ends;
}

static void add_pods(struct text *text, size_t i, bool devices)
{
    add(text, "  - {name: p%zu-, count: <2..10><|, arrivals: {poisson: 2 s}|, arrivals: {every: 700 ms}>, cpu: <0..2>",
        i);
    bool ends = add_work(text, devices);
    if (draw(text, 4))
        add(text, ", job_deadline: <250..4000/250> ms");
    if (ends && toss(text, 2))
        add(text, ", deadline: <1..30> s");
    add(text, "}\n");
}

static void make(struct text *text)
{
    bool devices = draw(text, 3);
    add_models(text, devices);
    add_nodes(text, devices);
    add_policies(text, devices);
    add_monitor(text);
    add(text, "scheduler: {start_delay: <0..300/100> ms}\npods:\n");
    if (devices)
        add(text, "  - {name: own, gpu: 10 %%, workload: short, repeat: 5, job_deadline: 1 s}\n");
    for (size_t i = 0, groups = 2 + draw(text, 5); i < groups; i++)
        add_pods(text, i, devices);
    add(text, "run: {seed: <1..1000><||, duration: 60 s|, duration: 40 s, warmup: 3 s>}\n");
}

/* Ratios are ratios, and who does not qualify was asked for. Adds up what is counted. */
static void assert_lawful(const struct sms_results *results, double sums[2])
{
    static const char *const counted[] = {"requests_count", "unqualified_count"};
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        double missed = metric_under(results, p, "job_miss_ratio");
        assert_true(isnan(missed) || (missed >= 0 && missed <= 1));
        assert_true(metric_under(results, p, "unqualified_count") <= metric_under(results, p, "requests_count") + 1);
        for (size_t i = 0; i < 2; i++)
            sums[i] += metric_under(results, p, counted[i]);
    }
}

static void both_engines_say_the_same_of_nodes_that_are_watched(void **state)
{
    struct event_digest digest = {0};
    double sums[2] = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= SCENARIOS; seed++) {
        struct law law = run_law(make, seed, &digest);
        assert_lawful(law.results, sums);
        close_law(&law);
    }
    print_message("%zu events; %.0f requests, %.0f tried again\n", digest.rows, sums[0], sums[1]);
    assert_true(digest.rows > 100 * SCENARIOS && sums[0] > 10 * SCENARIOS && sums[1] > 10 * SCENARIOS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_engines_say_the_same_of_nodes_that_are_watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
