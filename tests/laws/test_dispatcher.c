/* The dispatcher of a device against closed forms: N equal blocks on S slots, one start each interval, take
 * launch + (N - 1) interval + block where starts bind, and launch + waves x block + (starts of the last wave) where
 * slots bind. */
#include "tests/harness.h"

#define RUN(devices, kernels, steps, more)                                                                             \
    "device: gpu\nclock: 1 GHz\nsms: 4\nsm: {blocks: 2}\nresources: {a: {class: compute}}\n"                           \
    "dispatch: {launch: 5 us, block: 100 ns}\n---\nworkload: w\nkernels:\n" kernels "steps: [" steps "]\n"             \
    "---\nscenario: s\ndevices: [{model: gpu" devices "}]\npolicies: [breadth_first]\nvms:\n"                          \
    "  - {name: v, workload: w}\n" more

static double makespan_us(const char *text, enum sms_engine engine)
{
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.check = true;
    options.engine = engine;
    struct sms_file *file = load_text("%s", text);
    struct sms_results *results = run_first(file, &options);
    double ns = estimate(results, 0, SMS_HOST, 0, "makespan_ns").mean;
    discard(results, file);
    return ns / 1e3;
}

static void assert_takes(const char *text, double us)
{
    assert_near(makespan_us(text, SMS_ENGINE_FAST), us, 1e-6 * us); /* processes begin a picosecond late */
    assert_near(makespan_us(text, SMS_ENGINE_REFERENCE), us, 1e-6 * us);
}

#define SHORT "  - {name: k, blocks: 100, threads: 32, block_time: 200 ns}\n"
#define ONE "  - {name: k, blocks: 1, threads: 32, block_time: 3 us}\n"
#define LONG "  - {name: k, blocks: 20, threads: 32, block_time: 3 us}\n"

static void starts_bind_a_kernel_of_short_blocks(void **state)
{
    (void)state;
    assert_takes(RUN("", SHORT, "{launch: k}", ""), 5 + 99 * 0.1 + 0.2);
}

struct waits {
    size_t count, sms;
    double launch_us, dispatcher_us, slots_us;
};

static int note_wait(void *user, const struct sms_run_event *event)
{
    const struct sms_wait *wait = event->wait;
    struct waits *waits = user;
    waits->count++;
    *(strstr(wait->reason, "dispatcher") ? &waits->dispatcher_us
      : strstr(wait->reason, "cost")     ? &waits->launch_us
                                         : &waits->slots_us) = (double)wait->waited_ps / 1e6;
    if (strcmp(wait->reason, "too few free block slots") == 0)
        waits->sms = wait->sms;
    return 0;
}

/* The eighth block starts 0.7 us after the first, and fills the device. The last of 20 starts 6.3 us after it. */
static void the_time_of_a_wait_is_split_by_its_reasons(void **state)
{
    (void)state;
    struct waits waits = {.count = 0};
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.observe = note_wait;
    options.events = SMS_RUN_WAIT;
    options.user = &waits;
    struct sms_file *file = load_text("%s", RUN("", LONG, "{launch: k}", ""));
    discard(run_first(file, &options), file);
    assert_int_equal(waits.count, 3);
    assert_near(waits.launch_us, 5, 1e-9);
    assert_near(waits.dispatcher_us, 0.7, 1e-9);
    assert_near(waits.slots_us, 5.6, 1e-9);
    assert_int_equal(waits.sms, 4);
}

static void slots_bind_a_kernel_of_long_blocks(void **state)
{
    (void)state;
    assert_takes(RUN("", LONG, "{launch: k}", ""), 5 + 3 * 3 + 3 * 0.1); /* 8 + 8 + 4 blocks */
}

static void a_scenario_may_say_that_blocks_start_at_once(void **state)
{
    (void)state;
    assert_takes(RUN(", dispatch: none", LONG, "{launch: k}", ""), 3 * 3);
}

static void a_kernel_may_say_what_its_launch_costs(void **state)
{
    (void)state;
    assert_takes(RUN("", "  - {name: k, blocks: 1, threads: 32, block_time: 3 us, launch: 1 us}\n", "{launch: k}", ""),
                 4);
}

static void a_graph_has_the_cost_of_one_launch(void **state)
{
    (void)state;
    assert_takes(RUN("", ONE, "{launch: k, times: 4}", ""), 4 * (5 + 3));
    assert_takes(RUN("", ONE, "{launch: k, times: 3, graph: true}, {launch: k, graph: true}", ""), 5 + 4 * 3);
    assert_takes(RUN("", ONE, "{launch: k, graph: true}, {launch: k}", ""), 2 * (5 + 3));
    assert_takes(RUN("", ONE, "{launch: k, graph: true}, {host: 1 us}, {launch: k, graph: true}", ""), 2 * (5 + 3) + 1);
}

static void the_host_takes_time_after_each_launch_that_it_waits_for(void **state)
{
    (void)state;
    assert_takes(RUN("", ONE, "{launch: k, sync: 2 us}", ""), 5 + 3 + 2);
    assert_takes(RUN("", ONE, "{launch: k, times: 3, sync: 2 us}, {launch: k}", ""), 3 * (5 + 3 + 2) + 5 + 3);
    assert_takes(RUN("", ONE, "{launch: k, times: 3, sync: 0 us}", ""), 3 * (5 + 3));
}

static void a_host_that_launches_ahead_hides_the_shorter_of_its_time_and_the_kernels(void **state)
{
    (void)state;
    assert_takes(RUN("", ONE, "{launch: k, async: 20 us}", ""), 20);
    assert_takes(RUN("", ONE, "{launch: k, times: 3, async: 20 us}, {launch: k}", ""), 3 * 20 + 5 + 3);
    assert_takes(RUN("", ONE, "{launch: k, times: 4, async: 1 us}", ""), 4 * (5 + 3));
    assert_takes(RUN("", ONE, "{launch: k, times: 4, async: 0 us}, {launch: k}", ""), 5 * (5 + 3));
    assert_takes(RUN("", ONE, "{launch: k, times: 2, async: 6 us}, {host: 1 us}", ""), 2 * (5 + 3) + 1);
    assert_takes(RUN("", ONE, "{launch: k}, {launch: k, async: 0 us}, {launch: k, async: 30 us}, {launch: k}", ""),
                 8 + 30 + 8);
    assert_takes(RUN("", ONE, "{launch: k, async: 20 us}, {host: 1 us}, {launch: k}", ""), 20 + 1 + 5 + 3);
    assert_takes(RUN("", ONE, "{launch: k, async: 1 us}, {host: 1 us}, {launch: k}", ""), 5 + 3 + 1 + 5 + 3);
}

static void a_graph_is_one_launch_of_a_host_that_launches_ahead(void **state)
{
    (void)state;
    assert_takes(
        RUN("", ONE, "{launch: k, times: 3, graph: true, async: 20 us}, {launch: k, graph: true}, {launch: k}", ""),
        20 + 5 + 3);
    assert_takes(
        RUN("", ONE, "{launch: k, times: 3, graph: true, async: 2 us}, {launch: k, graph: true}, {launch: k}", ""),
        5 + 4 * 3 + 5 + 3);
}

static void launches_of_two_tenants_pass_at_the_same_time_and_their_blocks_one_by_one(void **state)
{
    (void)state;
    assert_takes(RUN("", SHORT, "{launch: k}", "  - {name: u, workload: w}\n"), 5 + 199 * 0.1 + 0.2);
}

static void each_instance_has_a_dispatcher(void **state)
{
    (void)state;
    static const char text[] =
        "device: gpu\nclock: 1 GHz\nsms: 4\nmemory: 8 B\nsm: {blocks: 2}\nresources: {a: {class: compute}}\n"
        "dispatch: {block: 100 ns}\n"
        "mig: {slices: 2, profiles: [{name: half, sms: 2, memory: 4 B, slices: 1, starts: [0, 1]}]}\n"
        "---\nworkload: w\nkernels: [{name: k, blocks: 100, threads: 32, block_time: 50 ns}]\n"
        "---\nscenario: s\ndevices: [{model: gpu}]\npolicies: [{mode: %s}]\nprocesses:\n"
        "  - {name: p, workload: w}\n  - {name: q, workload: w}\n";
    static const struct {
        const char *mode;
        double us;
    } cases[] = {{"{mig: {instances: [half, half]}}", 9.95}, {"together", 19.95}, {"exclusive", 19.95}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char filled[1024];
        snprintf(filled, sizeof filled, text, cases[i].mode);
        assert_takes(filled, cases[i].us);
    }
}

/* 5 blocks start one by one, and the dispatcher is free again long before the next launch, whatever takes turns. */
static void a_dispatcher_that_was_idle_starts_a_block_at_once(void **state)
{
    static const char *const modes[] = {"exclusive", "time_slice", "{time_slice: {drain: true}}", "mps"};
    (void)state;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "device: gpu\nclock: 1 GHz\nsms: 4\nsm: {blocks: 2}\nresources: {a: {class: compute}}\n"
                 "dispatch: {block: 200 ns}\n---\nworkload: w\n"
                 "kernels: [{name: k, blocks: 5, threads: 32, block_time: 1 ns}]\n"
                 "steps: [{launch: k, times: 20, sync: 10 us}]\n---\nscenario: s\ndevices: [{model: gpu}]\n"
                 "policies: [{mode: %s}]\nprocesses: [{name: p, workload: w}]\n",
                 modes[m]);
        assert_takes(text, 20 * (4 * 0.2 + 0.001 + 10));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_bind_a_kernel_of_short_blocks),
        cmocka_unit_test(slots_bind_a_kernel_of_long_blocks),
        cmocka_unit_test(the_time_of_a_wait_is_split_by_its_reasons),
        cmocka_unit_test(a_scenario_may_say_that_blocks_start_at_once),
        cmocka_unit_test(a_kernel_may_say_what_its_launch_costs),
        cmocka_unit_test(a_graph_has_the_cost_of_one_launch),
        cmocka_unit_test(a_host_that_launches_ahead_hides_the_shorter_of_its_time_and_the_kernels),
        cmocka_unit_test(a_graph_is_one_launch_of_a_host_that_launches_ahead),
        cmocka_unit_test(the_host_takes_time_after_each_launch_that_it_waits_for),
        cmocka_unit_test(launches_of_two_tenants_pass_at_the_same_time_and_their_blocks_one_by_one),
        cmocka_unit_test(each_instance_has_a_dispatcher),
        cmocka_unit_test(a_dispatcher_that_was_idle_starts_a_block_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
