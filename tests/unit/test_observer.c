/* The observer of a run: which events it is told, and that it can end the run. */
#include "tests/harness.h"

struct seen {
    unsigned kinds;
    size_t events, end_after; /* 0: never */
    const char *policy;
};

static int see(void *user, const struct sms_run_event *event)
{
    struct seen *seen = user;
    seen->kinds |= event->kind;
    seen->policy = event->policy;
    return ++seen->events == seen->end_after;
}

static struct seen run_in(const struct sms_file *file, unsigned events, size_t end_after, unsigned jobs, int expected)
{
    struct seen seen = {.end_after = end_after};
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    options.observe = see;
    options.events = events;
    options.jobs = jobs;
    options.user = &seen;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &options, &results, &errors), expected);
    assert_true(expected == SMS_OK || !results);
    sms_results_free(results);
    return seen;
}

static struct seen run_seen(const struct sms_file *file, unsigned events, size_t end_after, int expected)
{
    return run_in(file, events, end_after, 1, expected);
}

#define VMS                                                                                                            \
    "workload: load\nkernels: [{name: k, blocks: 400, threads: 128, block_time: 10 us}]\n---\n"                        \
    "scenario: s\ndevices: [{model: v100, sms: 2}]\ncontention: none\npolicies: [round_robin]\n"                       \
    "vms: [{name: a, workload: load, repeat: 50}]\n"
#define PROCESSES                                                                                                      \
    "workload: load\nkernels: [{name: k, blocks: 400, threads: 128, block_time: 10 us}]\n"                             \
    "steps: [{copy_in: 1 MiB}, {launch: k}]\n---\n"                                                                    \
    "scenario: s\ndevices: [{model: v100, sms: 2}]\ncontention: none\npolicies: [{mode: mps}]\n"                       \
    "processes: [{name: a, workload: load, repeat: 50}]\n"
#define PODS                                                                                                           \
    "scenario: s\nnodes: [{name: n, count: 4, gpus: 2, model: V100}]\npolicies: [best_fit]\n"                          \
    "pods: [{name: p, count: 40, arrivals: {every: 1 s}, gpu: 50 %%, duration: 5 s}]\n"

static const unsigned all = (1U << 11) - 1;

static void an_observer_is_told_the_kinds_of_events_that_it_names(void **state)
{
    (void)state;
    const struct {
        const char *text;
        unsigned kinds;
    } of[] = {{VMS, SMS_RUN_DECISION | SMS_RUN_STAY | SMS_RUN_KERNEL | SMS_RUN_WAIT},
              {PROCESSES, SMS_RUN_DECISION | SMS_RUN_STAY | SMS_RUN_KERNEL | SMS_RUN_WAIT | SMS_RUN_SPAN},
              {PODS, SMS_RUN_PLACEMENT | SMS_RUN_DEPARTURE}};
    for (size_t i = 0; i < 3; i++) {
        struct sms_file *file = load_text(of[i].text, "");
        assert_int_equal(run_seen(file, all, 0, SMS_OK).kinds, of[i].kinds);
        for (unsigned kind = 1; kind < all; kind *= 2)
            assert_int_equal(run_seen(file, kind, 0, SMS_OK).kinds, kind & of[i].kinds);
        assert_int_equal(run_seen(file, 0, 0, SMS_OK).events, 0);
        sms_file_free(file);
    }
}

static void an_observer_can_end_the_run(void **state)
{
    (void)state;
    const char *const texts[] = {VMS, PROCESSES, PODS};
    for (size_t i = 0; i < 3; i++) {
        struct sms_file *file = load_text(texts[i], "");
        const struct seen whole = run_seen(file, all, 0, SMS_OK);
        const size_t after[] = {1, 5, whole.events - 1, whole.events}; /* the last are told when the engine has ended */
        for (size_t a = 0; a < sizeof after / sizeof *after; a++)
            assert_int_equal(run_seen(file, all, after[a], SMS_ECANCELED).events, after[a]);
        assert_int_equal(run_seen(file, all, whole.events + 1, SMS_OK).events, whole.events);
        sms_file_free(file);
    }
}

static void an_observer_that_ends_the_run_is_told_of_no_other_policy(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("workload: load\nkernels: [{name: k, blocks: 400, threads: 128, block_time: 10 us}]\n---\n"
                  "scenario: s\ndevices: [{model: v100, sms: 2}]\npolicies: [round_robin, leftover, affinity]\n"
                  "vms: [{name: a, workload: load, repeat: 50}]\n",
                  "");
    for (unsigned jobs = 1; jobs <= 4; jobs++)
        assert_int_equal(run_in(file, all, 1, jobs, SMS_ECANCELED).events, 1);
    sms_file_free(file);
}

/* The waits of a run, and a hash by which two runs differ if any wait does. */
struct waits {
    size_t count;
    uint64_t hash;
};

static int add_wait(void *user, const struct sms_run_event *event)
{
    struct waits *waits = user;
    const struct sms_wait *wait = event->wait;
    const uint64_t facts[] = {wait->device, wait->launch_ps, wait->end_ps, wait->waited_ps, wait->sms};
    waits->count++;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        waits->hash = waits->hash * 31 + facts[i];
    for (const char *c = wait->reason; *c; c++)
        waits->hash = waits->hash * 31 + (unsigned char)*c;
    return 0;
}

static struct waits waits_of(const struct sms_file *file, enum sms_engine engine)
{
    struct waits waits = {.count = 0};
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    options.alone = false;
    options.observe = add_wait;
    options.events = SMS_RUN_WAIT;
    options.engine = engine;
    options.user = &waits;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &options, &results, &errors), SMS_OK);
    sms_results_free(results);
    return waits;
}

static void both_engines_tell_the_same_waits(void **state)
{
    (void)state;
    const char *const texts[] = {VMS, PROCESSES};
    for (size_t i = 0; i < 2; i++) {
        struct sms_file *file = load_text(texts[i], "");
        const struct waits fast = waits_of(file, SMS_ENGINE_FAST), reference = waits_of(file, SMS_ENGINE_REFERENCE);
        assert_true(fast.count > 0);
        assert_int_equal(fast.count, reference.count);
        assert_int_equal(fast.hash, reference.hash);
        sms_file_free(file);
    }
}

static void an_event_names_the_policy_that_runs(void **state)
{
    (void)state;
    struct sms_file *file = load_text(VMS, "");
    assert_string_equal(run_seen(file, SMS_RUN_KERNEL, 0, SMS_OK).policy, "round_robin");
    sms_file_free(file);
}

static int count_wait(void *user, const struct sms_run_event *event)
{
    ((uint64_t *)user)[event->wait->vm[0] - 'a'] += event->wait->waited_ps;
    return 0;
}

static void launches_that_wait_when_the_run_ends_are_told(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        "workload: load\nkernels: [{name: k, blocks: 1, threads: 1024, block_time: 100 us}]\n---\n"
        "workload: late\nkernels: [{name: k, blocks: 1, threads: 1024, block_time: 100 us, launch: 60 us}]\n---\n"
        "scenario: s\ndevices: [{model: v100, sms: 1, sm: {threads: 1024}, grids: 2, dispatch: {launch: 500 ns}}]\n"
        "vms: [{name: a, workload: load}, {name: b, workload: load, start: 1 us},\n"
        "      {name: c, workload: load, start: 2 us}, {name: d, workload: late, start: 3 us}]\n"
        "run: {duration: 10 us}\n",
        "");
    uint64_t waited[4] = {0}, expected[4] = {500000, 9000000, 8000000, 7000000}; /* d, of its cost; c, of the grids */
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    options.observe = count_wait;
    options.events = SMS_RUN_WAIT;
    options.user = waited;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &options, &results, NULL), SMS_OK);
    assert_memory_equal(waited, expected, sizeof waited);
    sms_results_free(results);
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_observer_is_told_the_kinds_of_events_that_it_names),
        cmocka_unit_test(an_observer_can_end_the_run),
        cmocka_unit_test(an_observer_that_ends_the_run_is_told_of_no_other_policy),
        cmocka_unit_test(both_engines_tell_the_same_waits),
        cmocka_unit_test(an_event_names_the_policy_that_runs),
        cmocka_unit_test(launches_that_wait_when_the_run_ends_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
