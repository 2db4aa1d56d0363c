/* Laws of gpushare over random scenarios, with and without pods that run workloads. Both engines must
 * report the same events of the whole protocol. Ledgers are checked at each event, and every pod is in exactly one
 * state in the end. */
#include "both_engines.h"

enum { SCENARIOS = 150, LOADED = 150 };

static void add_nodes(struct text *text)
{
    add(text, "nodes:\n");
    for (size_t i = 0, kinds = 1 + draw(text, 4); i < kinds; i++) {
        int gpus = 1 + (int)draw(text, 4);
        add(text, "  - {name: n%zu-, count: <1..3>, cpu: 16, gpus: %d, gpu_memory: <8192..16384/1024> MiB", i, gpus);
        if (toss(text, 4))
            add(text, ", share: cards");
        if (toss(text, 3))
            add(text, ", used_by_others: <0..4096/512> MiB");
        if (toss(text, 3))
            add(text, ", unhealthy: [{gpu: 0, from: <0..59> ms, to: 40 s}, {gpu: <0..%d>, from: 20 s, to: 60 s}]",
                gpus - 1);
        if (toss(text, 5))
            add(text, ", added: <1..30> s");
        add(text, "}\n");
    }
    add(text, "  - {name: plain, cpu: 4}\n");
}

static void add_pods(struct text *text, size_t i)
{
    add(text, "  - {name: p%zu-, count: <2..13><|, arrivals: {poisson: 1 s}|, arrivals: {every: 700 ms}>, ", i);
    add(text, "cpu: <0..3>, priority: <0..2>");
    switch (draw(text, 8)) {
    case 0:
        add(text, ", gpus: <1..2>");
        break;
    case 1:
        add(text, ", gpu_memory: [<1..3> GiB, <0..2> GiB]");
        break;
    case 2:
        add(text, ", gpu_memory: 0 MiB");
        break;
    case 3:
        add(text, ", gpu: 30 %%");
        break;
    default:
        add(text, ", gpu_memory: <1..9> GiB");
    }
    if (toss(text, 4))
        add(text, ", allocate_delay: <1..20000> ms");
    if (toss(text, 4))
        add(text, ", start_delay: <0..8999> ms");
    if (draw(text, 6))
        add(text, ", duration: <1..30> s<|, spread: exponential>");
    add(text, "}\n");
}

/* Adds devices of 8 and 12 GiB, and workloads that take seconds and up to 5 GiB. */
static void add_models(struct text *text)
{
    static const char sm[] =
        "clock: 1 GHz\nlink: {bandwidth: 4 GB/s}\nresources: {fp32: {class: compute}, dram: {class: "
        "memory, scope: device}}\nsm: {threads: 1024, warps: 32, blocks: 4, registers: 65536, "
        "shared_memory: 96 KiB, threads_per_block: 1024}\n---\n";
    add(text, "device: small\nsms: 2\nmemory: 8 GiB\n%sdevice: large\nsms: 3\nmemory: 12 GiB\n%s", sm, sm);
    for (int w = 0; w < 3; w++)
        add(text,
            "workload: w%d\nkernels: [{name: k, blocks: <1..9>, threads: <128|256|512>, block_time: <100..2099> ms, "
            "demand: {fp32: <10|35|60> %%, dram: <10|35|60> %%}}]\n"
            "steps: [{allocate: <100..5099> MiB}, {host: <0..899> ms}, {copy_in: 1 GB}, {launch: k, times: <1..4>}, "
            "{free: all}, {launch: k}]\n---\n",
            w);
}

static void add_loaded_nodes(struct text *text)
{
    add(text, "nodes:\n");
    for (size_t i = 0, kinds = 1 + draw(text, 3); i < kinds; i++) {
        int gpus = 1 + (int)draw(text, 3);
        add(text, "  - {name: n%zu-, count: <1..2>, cpu: 16, devices: {model: <large|small>, count: %d}", i, gpus);
        if (toss(text, 4))
            add(text, ", share: cards");
        if (toss(text, 4))
            add(text, ", used_by_others: <0..8704/512> MiB");
        if (toss(text, 4))
            add(text, ", unhealthy: [{gpu: <0..%d>, from: 20 s, to: 60 s}]", gpus - 1);
        add(text, "}\n");
    }
    add(text, "  - {name: n, count: 2, cpu: 16, devices: {model: small, count: 2}}\n"
              "  - {name: whole, devices: {model: large, count: 2}, cpu: 9, share: cards}\n"
              "  - {name: numbers, cpu: 4, gpus: 2, gpu_memory: 9 GiB}\n");
}

static void add_work(struct text *text, size_t i)
{
    add(text, "  - {name: w%zu-, count: <2..10>, arrivals: {poisson: 2 s}, workload: w<0..2>, repeat: <1..3>", i);
    switch (draw(text, 4)) {
    case 0:
        add(text, ", gpus: <1..2>");
        break;
    case 1:
        add(text, ", gpu_memory: [<1..2> GiB, <0..2> GiB]");
        break;
    default:
        add(text, ", gpu_memory: <1..4> GiB");
    }
    if (toss(text, 3))
        add(text, ", allocate_delay: <1..3000> ms");
    if (toss(text, 3))
        add(text, ", deadline: <5..34> s");
    add(text, "}\n");
}

static void add_scheduler(struct text *text)
{
    add(text, "scheduler: {kind: gpushare, unit: <GiB|MiB>, round_trip: <0..10/5> ms, assume_timeout: 15 s");
    if (toss(text, 3))
        add(text, ", bind_failure: silent");
    if (toss(text, 3))
        add(text, ", on_failure: hold");
    if (toss(text, 3))
        add(text, ", retry: 2 s");
    if (toss(text, 3))
        add(text, ", default_filter: false");
    add(text, ", quirks: {<whole_pod|any_pod|others_blind|unhealthy|single_gpu>: false}}\n");
}

static void add_run(struct text *text) { add(text, "run: {seed: <1..1000><, duration: 50 s, warmup: 3 s|||>}\n"); }

static void make_protocol(struct text *text)
{
    add(text, "scenario: s\n");
    add_nodes(text);
    add(text, "policies: [gpushare, {gpushare: {node_score: random, gpu_select: random}}, {gpushare: {node_score: "
              "least_alloc, gpu_select: spread}}, first_fit, random, best_fit, fgd, gpu_packing, balanced]\n");
    add_scheduler(text);
    add(text, "pods:\n");
    for (size_t i = 0, groups = 3 + draw(text, 5); i < groups; i++)
        add_pods(text, i);
    add_run(text);
}

/* Makes pods that run workloads. */
static void make_loaded(struct text *text)
{
    static const char mode[] = "<{time_slice: {slice: 400 ms, switch: 1 ms}}|together|{mps: {clients: 3}}|exclusive|"
                               "{time_slice: {slice: 500 ms, drain: true}}>";
    add_models(text);
    add(text, "scenario: s\ncontention: maxmin\nhost: {context: <0..499> MiB, context_time: 200 ms}\n"
              "fidelity: <blocks|processes|duration>\n");
    add_loaded_nodes(text);
    add(text,
        "policies: [{place: gpushare, mode: %s}, {place: {gpushare: {node_score: random, gpu_select: random}}, mode: "
        "%s, share: fair_share}, {place: fgd, mode: %s}, {place: random, share: memory_admission}]\n",
        mode, mode, mode);
    add_scheduler(text);
    add(text, "pods:\n");
    for (size_t i = 0, groups = 2 + draw(text, 3); i < groups; i++) {
        add_work(text, i);
        add_pods(text, i);
    }
    add(text, "  - {name: last, workload: w0, gpu_memory: 1 GiB}\n");
    add_run(text);
}

/* Messages to count. Swaps are OTHER messages that are not about the pod ITSELF. */
enum { OTHER, ITSELF, TIMEOUT, BIND, ALLOCATE, REFUSED };
static const char *const phrases[] = {", of ",  ", of itself",    "timed out", "bind failed",
                                      "to-run", "workload fails", NULL};

static bool is_ratio(const struct sms_results *results, size_t p, const char *name)
{
    double got = metric_under(results, p, name);
    return isnan(got) || (got >= 0 && got <= 1 + 1e-12);
}

/* Every pod that arrived was placed at some time, or waits, or both if it lost its place. Ratios are within 0 and 1. */
static void assert_lawful(const struct sms_results *results, bool whole)
{
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        double came = metric_under(results, p, "pods_count"), placed = metric_under(results, p, "placed_count");
        double memory = metric_under(results, p, "gpu_memory_allocation_ratio");
        if (whole)
            assert_true(placed <= came && placed + metric_under(results, p, "waiting_count") >= came &&
                        metric_under(results, p, "failed_count") <= placed);
        assert_true(isnan(memory) || (memory >= 0 && memory <= 1));
        assert_true(is_ratio(results, p, "gpu_allocation_ratio") && is_ratio(results, p, "gpu_allocation_mean_ratio") &&
                    is_ratio(results, p, "gpu_memory_allocation_ratio"));
        assert_true(metric_under(results, p, "stranded_bytes") >= 0);
    }
}

/* What both engines reported of `count` scenarios, together. */
static struct event_digest run_all(void (*make_one)(struct text *), uint64_t first, uint64_t count)
{
    struct event_digest digest = {.phrase = phrases};
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct law law = run_law(make_one, seed, &digest);
        assert_lawful(law.results, law.whole);
        close_law(&law);
    }
    return digest;
}

static void both_engines_report_the_same_protocol(void **state)
{
    struct event_digest digest = run_all(make_protocol, 1, SCENARIOS);
    (void)state;
    print_message("%zu events: %zu time-outs, %zu binds and %zu allocations failed\n", digest.rows,
                  digest.matches[TIMEOUT], digest.matches[BIND], digest.matches[ALLOCATE]);
    assert_true(digest.rows > 1000 * SCENARIOS && digest.matches[TIMEOUT] > 50 && digest.matches[BIND] > 10);
    assert_true(digest.matches[ALLOCATE] > 50);
}

static void both_engines_report_the_same_work(void **state)
{
    struct event_digest digest = run_all(make_loaded, 5001, LOADED);
    size_t swaps = digest.matches[OTHER] - digest.matches[ITSELF];
    (void)state;
    print_message("%zu events: %zu swaps, %zu refused memory\n", digest.rows, swaps, digest.matches[REFUSED]);
    assert_true(digest.rows > 100 * LOADED && swaps > 50 && digest.matches[REFUSED] > 50);
}

static double rejections(const char *other)
{
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, gpus: 1, gpu_memory: 8 GiB, cpu: 4}]\n"
                                      "scheduler: {kind: gpushare}\npolicies: [first_fit]\n"
                                      "pods: [{name: p, gpu_memory: 16 GiB, duration: 1 s}%s]\nrun: {duration: 35 s}\n",
                                      other);
    struct sms_results *results = run_first(file, NULL);
    double count = estimate(results, 0, SMS_CLUSTER, 0, "rejections_count").mean;
    discard(results, file);
    return count;
}

/* After 1, 2, 4, 8 and 10 s, and as long as each cycle takes: whether or not another pod comes after the end. */
static void a_pod_that_fits_nowhere_is_tried_until_the_end(void **state)
{
    (void)state;
    assert_near(rejections(""), 6, 0);
    assert_near(rejections(", {name: late, cpu: 1, duration: 1 s, start: 60 s}"), 6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_engines_report_the_same_protocol),
        cmocka_unit_test(both_engines_report_the_same_work),
        cmocka_unit_test(a_pod_that_fits_nowhere_is_tried_until_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
