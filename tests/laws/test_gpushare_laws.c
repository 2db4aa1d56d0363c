/* Laws of gpushare over random scenarios, with and without pods that run workloads and things that fail: both engines
 * say the same of the whole protocol, books agree at each event, and every pod is one thing in the end. */
#include "random_text.h"

enum { SCENARIOS = 150, LOADED = 150 };

static bool toss(uint64_t *state, uint64_t of) { return draw(state, of) == 0; }

static void add_nodes(char *text, uint64_t *state)
{
    add(text, "nodes:\n");
    for (size_t i = 0, kinds = 1 + draw(state, 4); i < kinds; i++) {
        int gpus = 1 + (int)draw(state, 4);
        add(text, "  - {name: n%zu-, count: %d, cpu: 16, gpus: %d, gpu_memory: %d MiB", i, 1 + (int)draw(state, 3),
            gpus, 8192 + 1024 * (int)draw(state, 9));
        if (toss(state, 4))
            add(text, ", share: cards");
        if (toss(state, 3))
            add(text, ", used_by_others: %d MiB", 512 * (int)draw(state, 9));
        if (toss(state, 3))
            add(text, ", unhealthy: [{gpu: 0, from: %d ms, to: 40 s}, {gpu: %d, from: 20 s, to: 60 s}]",
                (int)draw(state, 60), (int)draw(state, (uint64_t)gpus));
        if (toss(state, 5))
            add(text, ", added: %d s", 1 + (int)draw(state, 30));
        add(text, "}\n");
    }
    add(text, "  - {name: plain, cpu: 4}\n");
}

static void add_pods(char *text, uint64_t *state, size_t i)
{
    static const char *const arrivals[] = {"", ", arrivals: {poisson: 1 s}", ", arrivals: {every: 700 ms}"};
    int count = 2 + (int)draw(state, 12);
    add(text, "  - {name: p%zu-, count: %d%s, cpu: %d, priority: %d", i, count, arrivals[draw(state, 3)],
        (int)draw(state, 4), (int)draw(state, 3));
    switch (draw(state, 8)) {
    case 0:
        add(text, ", gpus: %d", 1 + (int)draw(state, 2));
        break;
    case 1:
        add(text, ", gpu_memory: [%d GiB, %d GiB]", 1 + (int)draw(state, 3), (int)draw(state, 3));
        break;
    case 2:
        add(text, ", gpu_memory: 0 MiB");
        break;
    case 3:
        add(text, ", gpu: 30 %%%%");
        break;
    default:
        add(text, ", gpu_memory: %d GiB", 1 + (int)draw(state, 9));
    }
    if (toss(state, 4))
        add(text, ", allocate_delay: %d ms", 1 + (int)draw(state, 20000));
    if (toss(state, 4))
        add(text, ", start_delay: %d ms", (int)draw(state, 9000));
    if (draw(state, 6))
        add(text, ", duration: %d s%s", 1 + (int)draw(state, 30), draw(state, 2) ? ", spread: exponential" : "");
    add(text, "}\n");
}

static const char *const parts[] = {"10 %%", "35 %%", "60 %%"};

/* Devices of 8 and 12 GiB, and workloads that take seconds and up to 5 GiB. */
static void add_models(char *text, uint64_t *state)
{
    static const char sm[] =
        "clock: 1 GHz\nlink: {bandwidth: 4 GB/s}\nresources: {fp32: {class: compute}, dram: {class: "
        "memory, scope: device}}\nsm: {threads: 1024, warps: 32, blocks: 4, registers: 65536, "
        "shared_memory: 96 KiB, threads_per_block: 1024}\n---\n";
    add(text, "device: small\nsms: 2\nmemory: 8 GiB\n%sdevice: large\nsms: 3\nmemory: 12 GiB\n%s", sm, sm);
    for (int w = 0; w < 3; w++)
        add(text,
            "workload: w%d\nkernels: [{name: k, blocks: %d, threads: %d, block_time: %d ms, demand: {fp32: %s, dram: "
            "%s}}]\nsteps: [{allocate: %d MiB}, {host: %d ms}, {copy_in: 1 GB}, {launch: k, times: %d}, {free: all}, "
            "{launch: k}]\n---\n",
            w, 1 + (int)draw(state, 9), 128 << draw(state, 3), 100 + (int)draw(state, 2000), parts[draw(state, 3)],
            parts[draw(state, 3)], 100 + (int)draw(state, 5000), (int)draw(state, 900), 1 + (int)draw(state, 4));
}

static void add_loaded_nodes(char *text, uint64_t *state)
{
    add(text, "nodes:\n");
    for (size_t i = 0, kinds = 1 + draw(state, 3); i < kinds; i++) {
        int gpus = 1 + (int)draw(state, 3);
        add(text, "  - {name: n%zu-, count: %d, cpu: 16, devices: {model: %s, count: %d}", i, 1 + (int)draw(state, 2),
            draw(state, 2) ? "small" : "large", gpus);
        if (toss(state, 4))
            add(text, ", share: cards");
        if (toss(state, 4))
            add(text, ", used_by_others: %d MiB", 512 * (int)draw(state, 18));
        if (toss(state, 4))
            add(text, ", unhealthy: [{gpu: %d, from: 20 s, to: 60 s}]", (int)draw(state, (uint64_t)gpus));
        add(text, "}\n");
    }
    add(text, "  - {name: n, count: 2, cpu: 16, devices: {model: small, count: 2}}\n"
              "  - {name: whole, devices: {model: large, count: 2}, cpu: 9, share: cards}\n"
              "  - {name: numbers, cpu: 4, gpus: 2, gpu_memory: 9 GiB}\n");
}

static void add_work(char *text, uint64_t *state, size_t i)
{
    add(text, "  - {name: w%zu-, count: %d, arrivals: {poisson: 2 s}, workload: w%d, repeat: %d", i,
        2 + (int)draw(state, 9), (int)draw(state, 3), 1 + (int)draw(state, 3));
    switch (draw(state, 4)) {
    case 0:
        add(text, ", gpus: %d", 1 + (int)draw(state, 2));
        break;
    case 1:
        add(text, ", gpu_memory: [%d GiB, %d GiB]", 1 + (int)draw(state, 2), (int)draw(state, 3));
        break;
    default:
        add(text, ", gpu_memory: %d GiB", 1 + (int)draw(state, 4));
    }
    if (toss(state, 3))
        add(text, ", allocate_delay: %d ms", 1 + (int)draw(state, 3000));
    if (toss(state, 3))
        add(text, draw(state, 2) ? ", on_failure: lost" : ", restarts: 1");
    if (toss(state, 3))
        add(text, ", deadline: %d s", 5 + (int)draw(state, 30));
    add(text, "}\n");
}

static void add_failures(char *text, uint64_t *state)
{
    add(text, "failures:\n  - {node: n, gpu: %d, at: %d ms, for: %d s}\n  - {node: n, at: %d ms, for: %d ms}\n",
        (int)draw(state, 2), (int)draw(state, 40000), 1 + (int)draw(state, 9), (int)draw(state, 30000),
        1 + (int)draw(state, 9000));
    if (toss(state, 2))
        add(text, "  - {gpu: each, mtbf: %d s, mttr: 3 s}\n", 20 + (int)draw(state, 100));
    if (toss(state, 2))
        add(text, "  - {mtbf: %d s, mttr: 4 s}\n", 30 + (int)draw(state, 100));
    if (toss(state, 4))
        add(text, "  - {node: n1, at: %d s}\n", 1 + (int)draw(state, 40));
}

static void add_scheduler(char *text, uint64_t *state)
{
    static const char *const quirks[] = {"whole_pod", "any_pod", "others_blind", "unhealthy", "single_gpu"};
    add(text, "scheduler: {kind: gpushare, unit: %s, round_trip: %d ms, assume_timeout: 15 s",
        toss(state, 2) ? "GiB" : "MiB", 5 * (int)draw(state, 3));
    if (toss(state, 3))
        add(text, ", bind_failure: silent");
    if (toss(state, 3))
        add(text, ", on_failure: hold");
    if (toss(state, 3))
        add(text, ", retry_when: change");
    if (toss(state, 3))
        add(text, ", default_filter: false");
    add(text, ", quirks: {%s: false}}\n", quirks[draw(state, 5)]);
}

/* Percent signs are doubled: the text is a format. */
static void make(char *text, uint64_t seed)
{
    uint64_t state = seed;
    strcpy(text, "scenario: s\n");
    add_nodes(text, &state);
    add(text, "policies: [gpushare, {gpushare: {node_score: random, gpu_select: random}}, {gpushare: {node_score: "
              "least_alloc, gpu_select: spread}}, first_fit, random, best_fit, fgd, gpu_packing, balanced]\n");
    add_scheduler(text, &state);
    add(text, "pods:\n");
    for (size_t i = 0, groups = 3 + draw(&state, 5); i < groups; i++)
        add_pods(text, &state, i);
    add(text, "run: {seed: %d%s}\n", 1 + (int)draw(&state, 1000),
        toss(&state, 4) ? ", duration: 50 s, warmup: 3 s" : "");
}

static void make_loaded(char *text, uint64_t seed)
{
    static const char *const fidelities[] = {"blocks", "processes", "duration"};
    static const char *const modes[] = {"{time_slice: {slice: 400 ms, switch: 1 ms}}", "together",
                                        "{mps: {clients: 3}}", "exclusive",
                                        "{time_slice: {slice: 500 ms, drain: true}}"};
    uint64_t state = seed;
    text[0] = '\0';
    add_models(text, &state);
    add(text, "scenario: s\ncontention: maxmin\nhost: {context: %d MiB, context_time: 200 ms}\nfidelity: %s\n",
        (int)draw(&state, 500), fidelities[draw(&state, 3)]);
    add_loaded_nodes(text, &state);
    add(text,
        "policies: [{place: gpushare, mode: %s}, {place: {gpushare: {node_score: random, gpu_select: random}}, mode: "
        "%s, share: fair_share}, {place: fgd, mode: %s}, {place: random, share: memory_admission}]\n",
        modes[draw(&state, 5)], modes[draw(&state, 5)], modes[draw(&state, 5)]);
    add_scheduler(text, &state);
    add(text, "pods:\n");
    for (size_t i = 0, groups = 2 + draw(&state, 3); i < groups; i++) {
        add_work(text, &state, i);
        add_pods(text, &state, i);
    }
    add(text, "  - {name: last, workload: w0, gpu_memory: 1 GiB}\nrun: {seed: %d%s}\n", 1 + (int)draw(&state, 1000),
        toss(&state, 4) ? ", duration: 50 s, warmup: 3 s" : "");
    if (draw(&state, 3))
        add_failures(text, &state);
}

/* All that was told, as a hash, and how often what was said. */
struct told {
    size_t rows, timeouts, binds, failures, swaps, cuts, refused;
    uint64_t hash;
};

static void note(struct told *told, const char *line)
{
    for (const char *at = line; *at; at++)
        told->hash = (told->hash ^ (unsigned char)*at) * 0x100000001b3u;
    told->rows++;
}

static void tell_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    char line[512];
    snprintf(line, sizeof line, "%s %llu %s %s %llx %.17g %.17g", policy, (unsigned long long)placement->time_ps,
             placement->pod, placement->node, (unsigned long long)placement->gpus, placement->allocated,
             placement->fragments);
    note(user, line);
    assert_true(placement->allocated <= 1);
}

static void tell_saying(void *user, const char *policy, const struct sms_saying *saying)
{
    struct told *told = user;
    char line[2400];
    snprintf(line, sizeof line, "%s %llu %s %s", policy, (unsigned long long)saying->time_ps, saying->process,
             saying->text);
    note(told, line);
    told->timeouts += strstr(saying->text, "timed out") != NULL;
    told->binds += strstr(saying->text, "bind failed") != NULL;
    told->failures += strstr(saying->text, "to-run") != NULL;
    told->swaps += strstr(saying->text, ", of ") && !strstr(saying->text, "itself");
    told->cuts += strstr(saying->text, "cut off") != NULL;
    told->refused += strstr(saying->text, "workload fails") != NULL;
}

static struct sms_results *run(const struct sms_file *file, enum sms_engine engine, struct told *told)
{
    struct sms_run_options options = sms_run_defaults();
    *told = (struct told){.hash = 1};
    options.on_placement = tell_placement;
    options.on_saying = tell_saying;
    options.user = told;
    options.engine = engine;
    options.check = true; /* books against pods, at each event */
    options.max_events = 1000000;
    return run_first(file, &options);
}

/* All metrics of all policies. */
static void assert_same(const struct sms_results *a, const struct sms_results *b)
{
    size_t metrics;
    sms_metrics(SMS_CLUSTER, &metrics);
    for (size_t p = 0; p < sms_results_policies(a); p++)
        for (size_t m = 0; m < metrics; m++) {
            double x = sms_results_value(a, p, 0, SMS_CLUSTER, 0, m), y = sms_results_value(b, p, 0, SMS_CLUSTER, 0, m);
            assert_true(x == y || (isnan(x) && isnan(y)));
        }
}

static bool ratio(const struct sms_results *results, size_t p, const char *name)
{
    double got = value(results, p, SMS_CLUSTER, 0, name);
    return isnan(got) || (got >= 0 && got <= 1 + 1e-12);
}

/* Who came was bound some time, or waits, or both if its place was lost, and is one thing in the end: of a run without
 * a warm-up. Ratios are ratios. */
static void assert_lawful(const struct sms_results *results, bool whole)
{
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        double came = value(results, p, SMS_CLUSTER, 0, "pods_count");
        double placed = value(results, p, SMS_CLUSTER, 0, "placed_count");
        double waiting = value(results, p, SMS_CLUSTER, 0, "waiting_count");
        double memory = value(results, p, SMS_CLUSTER, 0, "gpu_memory_allocation_ratio");
        double failed = value(results, p, SMS_CLUSTER, 0, "failed_count");
        double ended = failed + value(results, p, SMS_CLUSTER, 0, "done_count");
        double others = value(results, p, SMS_CLUSTER, 0, "running_count") + waiting;
        if (whole)
            assert_true(placed <= came && placed + waiting >= came && failed <= placed &&
                        ended + others + value(results, p, SMS_CLUSTER, 0, "lost_count") == came);
        assert_true(isnan(memory) || (memory >= 0 && memory <= 1));
        assert_true(ratio(results, p, "gpu_allocation_ratio") && ratio(results, p, "gpu_allocation_mean_ratio") &&
                    ratio(results, p, "gpu_up_mean_ratio") && ratio(results, p, "gpu_wasted_ratio"));
        assert_true(value(results, p, SMS_CLUSTER, 0, "stranded_bytes") >= 0);
    }
}

static void add_told(struct told *sum, const struct told *told)
{
    sum->rows += told->rows;
    sum->timeouts += told->timeouts;
    sum->binds += told->binds;
    sum->failures += told->failures;
    sum->swaps += told->swaps;
    sum->cuts += told->cuts;
    sum->refused += told->refused;
}

static void assert_both_say_the_same(const char *text, struct told *sum)
{
    struct told fast, plain;
    struct sms_file *file = load_text(text, 0);
    struct sms_results *a = run(file, SMS_ENGINE_FAST, &fast), *b = run(file, SMS_ENGINE_REFERENCE, &plain);
    assert_int_equal(fast.rows, plain.rows);
    assert_true(fast.hash == plain.hash);
    assert_same(a, b);
    assert_lawful(a, !strstr(text, "warmup"));
    add_told(sum, &fast);
    sms_results_free(a);
    sms_results_free(b);
    sms_file_free(file);
}

static void both_engines_say_the_same_of_the_protocol(void **state)
{
    static char text[TEXT];
    struct told sum = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= SCENARIOS; seed++) {
        make(text, seed);
        assert_both_say_the_same(text, &sum);
    }
    print_message("%zu lines told: %zu time-outs, %zu binds and %zu allocations failed\n", sum.rows, sum.timeouts,
                  sum.binds, sum.failures);
    assert_true(sum.rows > 1000 * SCENARIOS && sum.timeouts > 50 && sum.binds > 10 && sum.failures > 50);
}

/* Of pods that run workloads on GPUs that fail, too. */
static void both_engines_say_the_same_of_work_and_failures(void **state)
{
    static char text[TEXT];
    struct told sum = {0};
    (void)state;
    for (uint64_t seed = 5001; seed <= 5000 + LOADED; seed++) {
        make_loaded(text, seed);
        assert_both_say_the_same(text, &sum);
    }
    print_message("%zu lines told: %zu swaps, %zu pods cut off, %zu refused memory\n", sum.rows, sum.swaps, sum.cuts,
                  sum.refused);
    assert_true(sum.rows > 100 * LOADED && sum.swaps > 50 && sum.cuts > 200 && sum.refused > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_engines_say_the_same_of_the_protocol),
        cmocka_unit_test(both_engines_say_the_same_of_work_and_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
