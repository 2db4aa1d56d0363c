/* Laws of nodes that are watched, and fail, over random scenarios: both engines say the same of every placement and
 * every request, monitors watch the pods that are there, at each event, and every pod is somewhere in the end. */
#include "random_text.h"

enum { SCENARIOS = 160 };

static bool toss(uint64_t *state, uint64_t of) { return draw(state, of) == 0; }

static int up_to(uint64_t *state, int most) { return 1 + (int)draw(state, (uint64_t)most); }

static void add_models(char *text, bool devices)
{
    if (devices)
        add(text, "workload: short\nkernels: [{name: k, time: 700 ms, demand: {fp32: 60 %%%%}}]\n---\n"
                  "workload: large\nkernels: [{name: k, time: 300 ms, demand: {fp32: 30 %%%%}}]\n"
                  "steps: [{host: 200 ms}, {allocate: 5 GiB}, {launch: k, times: 3}, {free: all}]\n---\n"
                  "device: small\nclock: 1 GHz\nsms: 4\nmemory: 8 GiB\nsm: {threads: 1024, warps: 32, blocks: 8, "
                  "registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"
                  "resources: {fp32: {class: compute}}\n---\n");
    add(text, "scenario: s\n");
}

/* Returns how many kinds there are, n1 the first of the first. */
static size_t add_nodes(char *text, uint64_t *state, bool devices)
{
    size_t kinds = 1 + draw(state, 3);
    add(text, "nodes:\n");
    for (size_t i = 0; i < kinds; i++) {
        int count = up_to(state, 3), gpus = up_to(state, 3);
        add(text, "  - {name: k%zu, count: %d, cpu: 8, ", i, count);
        if (devices && (i == 0 || draw(state, 3)))
            add(text, "devices: {model: small, count: %d}}\n", gpus);
        else
            add(text, "gpus: %d, gpu_memory: %d GiB}\n", gpus, 4 * up_to(state, 4));
    }
    return kinds;
}

static void add_policies(char *text, uint64_t *state, bool devices)
{
    static const char *const modes[] = {"together", "mps", "exclusive", "{time_slice: {slice: 50 ms}}"};
    static const char *const placing[] = {"realtime",
                                          "{realtime: {rank: float, retry: 300 ms, query: 40 ms}}",
                                          "{realtime: {rank: bestfit_float, rank_base: 0 s, rank_node: 0 s}}",
                                          "{realtime: {empty_node_float: 3 s, query: 0 s, rank_base: 500 ms}}",
                                          "first_fit",
                                          "random",
                                          "least_allocated"};
    const char *mode = modes[draw(state, 4)];
    add(text, "policies:\n");
    for (size_t i = 0; i < sizeof placing / sizeof *placing; i++)
        add(text, devices ? "  - {place: %s, mode: %s}\n" : "  - %s\n", placing[i], mode);
    if (devices)
        add(text, "contention: proportional\nfidelity: %s\n", toss(state, 4) ? "duration" : "processes");
}

static void add_monitor(char *text, uint64_t *state)
{
    add(text, "monitor: {");
    if (toss(state, 2))
        add(text, "model: cycle, query: %d ms, top: %d ms", up_to(state, 300), up_to(state, 90));
    else
        add(text, "start_least: 0 s, start_most: %d ms, end_least: 0 s, end_most: %d ms", up_to(state, 900),
            up_to(state, 900));
    add(text, ", eager_miss: %s, full: %d %%%%}\n", toss(state, 2) ? "on" : "off", 50 + up_to(state, 50));
}

static void add_failures(char *text, uint64_t *state, size_t kinds)
{
    int given = (int)draw(state, 5);
    add(text, "failures:\n");
    for (int i = 0; i < given; i++) {
        add(text, "  - {node: k%d, at: %d ms", (int)draw(state, kinds), (int)draw(state, 30000));
        add(text, "%s", toss(state, 2) ? ", gpu: 0" : "");
        if (draw(state, 4))
            add(text, ", for: %d ms", up_to(state, 9000));
        add(text, "}\n");
    }
    add(text, "  - {mtbf: %d s, mttr: %d s}\n", 3 + up_to(state, 40), up_to(state, 6));
    if (toss(state, 2))
        add(text, "  - {node: k0, gpu: each, mtbf: %d s, mttr: %d s}\n", 2 + up_to(state, 20), up_to(state, 9));
}

/* Returns whether it ends. */
static bool add_work(char *text, uint64_t *state, bool devices)
{
    if (devices && draw(state, 4)) {
        add(text, ", gpu: %d %%%%, workload: %s", 5 * up_to(state, 10), toss(state, 2) ? "short" : "large");
        if (draw(state, 5))
            add(text, ", repeat: %d", up_to(state, 9));
        if (toss(state, 3))
            add(text, ", period: %d ms", 500 * up_to(state, 6));
        return true;
    }
    bool ends = draw(state, 8);
    if (toss(state, 3))
        add(text, ", gpus: %d", up_to(state, 2));
    else if (draw(state, 4))
        add(text, ", gpu: %d %%%%", 10 * up_to(state, 10));
    if (ends)
        add(text, ", duration: %d ms%s", 100 * up_to(state, 90), toss(state, 2) ? ", spread: exponential" : "");
    return ends;
}

static void add_pods(char *text, uint64_t *state, size_t i, bool devices)
{
    static const char *const arrivals[] = {"", ", arrivals: {poisson: 2 s}", ", arrivals: {every: 700 ms}"};
    static const char *const fates[] = {"", ", on_failure: lost", ", restarts: 2"};
    add(text, "  - {name: p%zu-, count: %d%s, cpu: %d", i, 1 + up_to(state, 9), arrivals[draw(state, 3)],
        (int)draw(state, 3));
    bool ends = add_work(text, state, devices);
    if (draw(state, 4))
        add(text, ", job_deadline: %d ms", 250 * up_to(state, 16));
    if (ends && toss(state, 2))
        add(text, ", deadline: %d s", up_to(state, 30));
    add(text, "%s}\n", fates[draw(state, 3)]);
}

/* Percent signs are doubled: the text is a format. */
static void make(char *text, uint64_t seed)
{
    static const char *const lengths[] = {"", "", ", duration: 60 s", ", duration: 40 s, warmup: 3 s"};
    uint64_t state = seed;
    bool devices = draw(&state, 3);
    strcpy(text, "");
    add_models(text, devices);
    size_t kinds = add_nodes(text, &state, devices);
    add_policies(text, &state, devices);
    add_monitor(text, &state);
    add_failures(text, &state, kinds);
    add(text, "scheduler: {start_delay: %d ms}\npods:\n", 100 * (int)draw(&state, 4));
    if (devices)
        add(text, "  - {name: own, gpu: 10 %%%%, workload: short, repeat: 5, job_deadline: 1 s}\n");
    for (size_t i = 0, groups = 2 + draw(&state, 5); i < groups; i++)
        add_pods(text, &state, i, devices);
    add(text, "run: {seed: %d%s}\n", up_to(&state, 1000), lengths[draw(&state, 4)]);
}

/* All that was told, as a hash, and how often nodes were down. */
struct told {
    size_t rows, down;
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
    snprintf(line, sizeof line, "%s %llu %llu %s %s %llx %.17g %.17g", policy, (unsigned long long)placement->time_ps,
             (unsigned long long)placement->wait_ps, placement->pod, placement->node,
             (unsigned long long)placement->gpus, placement->allocated, placement->fragments);
    note(user, line);
    assert_true(placement->wait_ps <= placement->time_ps);
}

static void tell_saying(void *user, const char *policy, const struct sms_saying *saying)
{
    struct told *told = user;
    char line[4400];
    snprintf(line, sizeof line, "%s %llu %s %s", policy, (unsigned long long)saying->time_ps, saying->process,
             saying->text);
    note(told, line);
    told->down += strstr(saying->text, "(down)") != NULL;
}

static struct sms_results *run(const struct sms_file *file, enum sms_engine engine, struct told *told)
{
    struct sms_run_options options = sms_run_defaults();
    *told = (struct told){.hash = 1};
    options.on_placement = tell_placement;
    options.on_saying = tell_saying;
    options.user = told;
    options.engine = engine;
    options.check = true; /* books and monitors against pods, at each event */
    options.max_events = 1000000;
    options.explain_to_ps = UINT64_MAX;
    return run_first(file, &options);
}

static double of_cluster(const struct sms_results *results, size_t policy, const char *name)
{
    return value(results, policy, SMS_CLUSTER, 0, name);
}

/* All metrics of all policies. */
static void assert_same(const struct sms_results *a, const struct sms_results *b, enum sms_subject subject)
{
    size_t metrics, subjects = sms_results_subjects(a, subject);
    sms_metrics(subject, &metrics);
    for (size_t p = 0; p < sms_results_policies(a); p++)
        for (size_t i = 0; i < subjects * metrics; i++) {
            double x = sms_results_value(a, p, 0, subject, i / metrics, i % metrics);
            double y = sms_results_value(b, p, 0, subject, i / metrics, i % metrics);
            assert_true(x == y || (isnan(x) && isnan(y)));
        }
}

/* Who came is in the end one of five; of a run without a warm-up. */
static void assert_lawful(const struct sms_results *results, bool whole, double sums[3])
{
    static const char *const ends[] = {"done_count", "failed_count", "running_count", "waiting_count", "lost_count"};
    static const char *const counted[] = {"failures_count", "restarts_count", "unqualified_count"};
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        double sum = 0, missed = of_cluster(results, p, "job_miss_ratio");
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            sum += of_cluster(results, p, ends[i]);
        assert_true(!whole || sum == of_cluster(results, p, "pods_count"));
        assert_true(isnan(missed) || (missed >= 0 && missed <= 1));
        assert_true(of_cluster(results, p, "unqualified_count") <= of_cluster(results, p, "requests_count") + 1);
        for (size_t i = 0; i < 3; i++)
            sums[i] += of_cluster(results, p, counted[i]);
    }
}

static void both_engines_say_the_same_of_nodes_that_fail(void **state)
{
    double sums[3] = {0};
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
        assert_same(a, b, SMS_CLUSTER);
        assert_same(a, b, SMS_NODE);
        assert_lawful(a, !strstr(text, "warmup"), sums);
        sum.rows += fast.rows;
        sum.down += fast.down;
        sms_results_free(a);
        sms_results_free(b);
        sms_file_free(file);
    }
    print_message("%zu lines told, %zu of requests that nodes were down for; %.0f failures, %.0f restarts, %.0f tried "
                  "again\n",
                  sum.rows, sum.down, sums[0], sums[1], sums[2]);
    assert_true(sum.rows > 100 * SCENARIOS && sum.down > 10 * SCENARIOS);
    assert_true(sums[0] > 10 * SCENARIOS && sums[1] > 10 * SCENARIOS && sums[2] > 10 * SCENARIOS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_engines_say_the_same_of_nodes_that_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
