/* Tries of gpushare that the fast engine counts without making them. Pods wait long, some for ever, some until a node
 * is added, heals or has room, and nothing observes their tries. Both engines must give the same metrics, placements
 * and numbers of events. */
#include "both_engines.h"

enum { SCENARIOS = 100, EVENTS_MOST = 1 << 20 };

static void add_nodes(struct text *text)
{
    add(text,
        "nodes:\n  - {name: n, count: <1..3>, cpu: 16, gpus: 2, gpu_memory: 8 GiB, labels: {a: b}}\n"
        "  - {name: late, cpu: 16, gpus: 1, gpu_memory: 12 GiB, added: <100..599> s}\n"
        "  - {name: sick, cpu: 16, gpus: 1, gpu_memory: 14 GiB, unhealthy: [{gpu: 0, from: 0 s, to: <100..999> s}]}\n"
        "  - {name: cards, cpu: 16, gpus: 2, gpu_memory: 8 GiB, share: cards}\n");
}

/* Some of these pods never find a node, or only after a long time. */
static void add_pods(struct text *text)
{
    add(text, "pods:\n");
    for (size_t i = 0, groups = 4 + draw(text, 5); i < groups; i++) {
        add(text, "  - {name: p%zu-, count: <2..10>, priority: <0..2>, arrivals: {poisson: <1..60> s}, ", i);
        add(text, "<gpu_memory: 20 GiB|gpu_memory: 13 GiB|gpu_memory: 11 GiB|gpu_memory: 6 GiB, selector: {a: b}|"
                  "gpu_memory: 3 GiB|gpus: 4|gpus: 2|cpu: 99>");
        if (toss(text, 2))
            add(text, ", start: <0..9500/500> ms");
        if (draw(text, 8))
            add(text, ", duration: <1..400> s");
        add(text, "}\n");
    }
    add(text, "  - {name: last, cpu: 1, start: <500..2499> s, duration: 1 s}\n");
}

/* With a long round trip, high-priority pods that fail at the extender may keep others waiting for ever. */
static void make(struct text *text)
{
    bool slow = toss(text, 2);
    add(text, "scenario: s\n");
    add_nodes(text);
    add(text, "policies: [gpushare, {gpushare: {node_score: random}}, fgd, balanced]\n"
              "scheduler: {kind: gpushare, retry_most: <1000..10500/500> ms");
    add(text, slow ? ", round_trip: <15..1000/5> ms" : ", round_trip: <0..10/5> ms");
    add(text, toss(text, 5) ? ", bind_failure: silent" : "");
    add(text, toss(text, 5) ? ", default_filter: false}\n" : "}\n");
    add_pods(text);
    add(text, slow ? "run: {seed: <1..1000>, duration: 1111 s, warmup: 222 s}\n" : "run: {seed: <1..1000>}\n");
}

/* Nothing observes the tries, so the fast engine need not make them. */
static struct sms_results *run_unobserved(const struct sms_file *file, enum sms_engine engine,
                                          struct event_digest *digest)
{
    struct sms_run_options options = digest_options(engine, digest);
    options.events &= ~(unsigned)SMS_RUN_MESSAGE;
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

/* The least limit of events that no policy's run reaches. */
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

static void counted_tries_are_as_many_as_made_ones(void **state)
{
    static struct text text;
    double rejections = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SCENARIOS; seed++) {
        struct event_digest fast = {0}, by_reference = {0};
        text = (struct text){.chance = seed};
        make(&text);
        struct sms_file *file = load_text("%s", text.chars);
        struct sms_results *counted = run_unobserved(file, SMS_ENGINE_FAST, &fast);
        struct sms_results *made = run_unobserved(file, SMS_ENGINE_REFERENCE, &by_reference);
        assert_int_equal(fast.placements, by_reference.placements);
        assert_true(fast.hash == by_reference.hash);
        assert_same_metrics(counted, made, SMS_CLUSTER);
        if (seed % 10 == 0)
            assert_int_equal(count_events(file, SMS_ENGINE_FAST), count_events(file, SMS_ENGINE_REFERENCE));
        rejections += metric(counted, "rejections_count");
        sms_results_free(made);
        discard(counted, file);
    }
    print_message("%.0f tries that failed\n", rejections);
    assert_true(rejections > 500 * SCENARIOS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted_tries_are_as_many_as_made_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
