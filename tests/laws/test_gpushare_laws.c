/* Laws of gpushare over random scenarios: both engines say the same of the whole protocol, books agree at each event,
 * and every pod is somewhere. */
#include "random_text.h"

enum { SCENARIOS = 150 };

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

/* All that was told, as a hash, and how often what was said. */
struct told {
    size_t rows, timeouts, binds, failures, ends;
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

/* Who came was bound some time, or waits, or both if its place was lost: of a run without a warm-up. Ratios are ratios.
 */
static void assert_lawful(const struct sms_results *results, bool whole)
{
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        double came = value(results, p, SMS_CLUSTER, 0, "pods_count");
        double placed = value(results, p, SMS_CLUSTER, 0, "placed_count");
        double waiting = value(results, p, SMS_CLUSTER, 0, "waiting_count");
        double memory = value(results, p, SMS_CLUSTER, 0, "gpu_memory_allocation_ratio");
        if (whole)
            assert_true(placed <= came && placed + waiting >= came &&
                        value(results, p, SMS_CLUSTER, 0, "failed_count") <= placed);
        assert_true(isnan(memory) || (memory >= 0 && memory <= 1));
        assert_true(value(results, p, SMS_CLUSTER, 0, "stranded_bytes") >= 0);
    }
}

static void both_engines_say_the_same_of_the_protocol(void **state)
{
    struct told sum = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= SCENARIOS; seed++) {
        static char text[TEXT];
        struct told fast, plain;
        make(text, seed);
        struct sms_file *file = load_text(text, 0);
        struct sms_results *a = run(file, SMS_ENGINE_FAST, &fast), *b = run(file, SMS_ENGINE_REFERENCE, &plain);
        assert_int_equal(fast.rows, plain.rows);
        assert_true(fast.hash == plain.hash);
        assert_same(a, b);
        assert_lawful(a, !strstr(text, "warmup"));
        sum.rows += fast.rows;
        sum.timeouts += fast.timeouts;
        sum.binds += fast.binds;
        sum.failures += fast.failures;
        sms_results_free(a);
        sms_results_free(b);
        sms_file_free(file);
    }
    print_message("%zu lines told: %zu time-outs, %zu binds and %zu allocations failed\n", sum.rows, sum.timeouts,
                  sum.binds, sum.failures);
    assert_true(sum.rows > 1000 * SCENARIOS && sum.timeouts > 50 && sum.binds > 10 && sum.failures > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_engines_say_the_same_of_the_protocol)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
