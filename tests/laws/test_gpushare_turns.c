/* Tries of gpushare that are counted and not made: pods that wait long, some for ever, some until a node comes, heals
 * or has room, whose tries nobody hears of. Both engines give the same metrics, placements and numbers of events. */
#include "random_text.h"

enum { SCENARIOS = 100, EVENTS_MOST = 1 << 20 };

static bool toss(uint64_t *state, uint64_t of) { return draw(state, of) == 0; }

static void add_nodes(char *text, uint64_t *state)
{
    add(text,
        "nodes:\n  - {name: n, count: %d, cpu: 16, gpus: 2, gpu_memory: 8 GiB, labels: {a: b}}\n"
        "  - {name: late, cpu: 16, gpus: 1, gpu_memory: 12 GiB, added: %d s}\n"
        "  - {name: sick, cpu: 16, gpus: 1, gpu_memory: 14 GiB, unhealthy: [{gpu: 0, from: 0 s, to: %d s}]}\n"
        "  - {name: cards, cpu: 16, gpus: 2, gpu_memory: 8 GiB, share: cards}\n",
        1 + (int)draw(state, 3), 100 + (int)draw(state, 500), 100 + (int)draw(state, 900));
}

/* Of which some never find a node, or none for long. */
static void add_pods(char *text, uint64_t *state)
{
    static const char *const asks[] = {"gpu_memory: 20 GiB",
                                       "gpu_memory: 13 GiB",
                                       "gpu_memory: 11 GiB",
                                       "gpu_memory: 6 GiB, selector: {a: b}",
                                       "gpu_memory: 3 GiB",
                                       "gpus: 4",
                                       "gpus: 2",
                                       "cpu: 99"};
    add(text, "pods:\n");
    for (size_t i = 0, groups = 4 + draw(state, 5); i < groups; i++) {
        add(text, "  - {name: p%zu-, count: %d, %s, priority: %d, arrivals: {poisson: %d s}", i,
            2 + (int)draw(state, 9), asks[draw(state, 8)], (int)draw(state, 3), 1 + (int)draw(state, 60));
        if (toss(state, 2))
            add(text, ", start: %d ms", (int)draw(state, 20) * 500);
        if (draw(state, 8))
            add(text, ", duration: %d s", 1 + (int)draw(state, 400));
        add(text, "}\n");
    }
    add(text, "  - {name: last, cpu: 1, start: %d s, duration: 1 s}\n", 500 + (int)draw(state, 2000));
}

/* With a long round trip, pods of high priority that fail at the extender may keep others waiting for ever. */
static void make(char *text, uint64_t seed)
{
    uint64_t state = seed;
    int trip = toss(&state, 2) ? 5 * (int)draw(&state, 3) : 5 * (int)draw(&state, 200);
    strcpy(text, "scenario: s\n");
    add_nodes(text, &state);
    add(text,
        "policies: [gpushare, {gpushare: {node_score: random}}, fgd, balanced]\n"
        "scheduler: {kind: gpushare, round_trip: %d ms, retry_most: %d ms",
        trip, 1000 + 500 * (int)draw(&state, 20));
    add(text, "%s%s}\n", toss(&state, 5) ? ", bind_failure: silent" : "",
        toss(&state, 5) ? ", default_filter: false" : "");
    add_pods(text, &state);
    bool fails = toss(&state, 3);
    if (fails)
        add(text, "failures:\n  - {node: n, mtbf: 300 s, mttr: 60 s}\n  - {node: cards, at: 50 s, for: 200 s}\n");
    add(text, "run: {seed: %d%s}\n", 1 + (int)draw(&state, 1000),
        fails || trip > 10 || toss(&state, 3) ? ", duration: 1111 s, warmup: 222 s" : "");
}

static void tell_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    uint64_t *hash = user;
    char line[512];
    snprintf(line, sizeof line, "%s %llu %s %s %llx", policy, (unsigned long long)placement->time_ps, placement->pod,
             placement->node, (unsigned long long)placement->gpus);
    for (const char *at = line; *at; at++)
        *hash = (*hash ^ (unsigned char)*at) * 0x100000001b3u;
}

static struct sms_results *run(const struct sms_file *file, enum sms_engine engine, uint64_t *hash)
{
    struct sms_run_options options = sms_run_defaults();
    options.on_placement = tell_placement;
    options.user = hash;
    options.engine = engine;
    options.check = true;
    options.max_events = EVENTS_MOST;
    return run_first(file, &options);
}

static bool is_enough(const struct sms_file *file, enum sms_engine engine, uint64_t events)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    options.engine = engine;
    options.max_events = events;
    int code = sms_run(sms_file_scenario(file, 0), &options, &results, &errors);
    assert_true(code == SMS_OK || code == SMS_ELIMIT);
    if (code == SMS_OK)
        sms_results_free(results);
    return code == SMS_OK;
}

/* The least limit that the run of no policy reaches. */
static uint64_t count_events(const struct sms_file *file, enum sms_engine engine)
{
    uint64_t few = 0, enough = EVENTS_MOST;
    while (enough - few > 1) {
        uint64_t middle = (few + enough) / 2;
        if (is_enough(file, engine, middle))
            enough = middle;
        else
            few = middle;
    }
    return enough;
}

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

static void tries_that_are_counted_are_those_that_are_made(void **state)
{
    static char text[TEXT];
    double rejections = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SCENARIOS; seed++) {
        uint64_t fast = 1, plain = 1;
        make(text, seed);
        struct sms_file *file = load_text(text, 0);
        struct sms_results *a = run(file, SMS_ENGINE_FAST, &fast), *b = run(file, SMS_ENGINE_REFERENCE, &plain);
        assert_true(fast == plain);
        assert_same(a, b);
        if (seed % 10 == 0)
            assert_int_equal(count_events(file, SMS_ENGINE_FAST), count_events(file, SMS_ENGINE_REFERENCE));
        rejections += value(a, 0, SMS_CLUSTER, 0, "rejections_count");
        sms_results_free(a);
        sms_results_free(b);
        sms_file_free(file);
    }
    print_message("%.0f tries in vain\n", rejections);
    assert_true(rejections > 500 * SCENARIOS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tries_that_are_counted_are_those_that_are_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
