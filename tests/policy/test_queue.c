/* Queue disciplines that a program adds: their contract, and that both engines agree on them. */
#include "sim/model/policy/registry.h"

#include "decisions.h"

static double newest_first(const struct sms_queued *launch) { return -(double)launch->launch; }
static double shortest_first(const struct sms_queued *launch) { return launch->block_ps * (double)launch->blocks; }

static uint64_t two_blocks(const struct sms_queued *launch)
{
    (void)launch;
    return 2;
}

/* A tenant whose name begins with b has longer turns. */
static uint64_t by_tenant(const struct sms_queued *launch) { return launch->tenant_name[0] == 'b' ? 3 : 1; }

static const struct sms_queue_discipline made[] = {
    {.name = "newest_first", .help = "x", .rank = newest_first},
    {.name = "shortest_first", .help = "x", .rank = shortest_first, .passes_over = true},
    {.name = "two_in_turn", .help = "x", .turn = two_blocks},
    {.name = "shortest_in_turn", .help = "x", .rank = shortest_first, .turn = by_tenant, .passes_over = true},
};
enum { MADE = sizeof made / sizeof *made };

static struct sms_file *load_with_made(const char *format, ...)
{
    static const struct sms_queue_discipline *const list[MADE] = {&made[0], &made[1], &made[2], &made[3]};
    struct sms_load_options options = harness_options();
    char text[4096];
    va_list args;
    options.queues = list;
    options.n_queues = MADE;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return load_text_with(text, &options);
}

/* On each of three SMs fits one block of `wide`, and many of `thin` beside it. */
static const char *const kernels =
    SMALL_DEVICE "---\nworkload: wide\nkernels: [{name: k, blocks: 4, threads: 16000, block_time: 1 us}]\n"
                 "---\nworkload: thin\nkernels: [{name: k, blocks: 5, threads: 32, block_time: 1 us}]\n"
                 "---\nscenario: s\ndevices: [{model: small}]\nqueue: %s\npolicies: [round_robin]\n"
                 "vms: [{name: a, workload: %s}, {name: b, workload: %s}, {name: c, workload: %s}]\n"
                 "run: {duration: 0.5 us}\n";

/* Which VMs had blocks placed or refused ('-' after the name), in order. */
static void assert_order(const char *queue, const char *a, const char *b, const char *c, const char *expected)
{
    char order[256] = "";
    struct sms_file *file = load_with_made(kernels, 3, 32, "sm", queue, a, b, c);
    struct log log = decisions_of(file, NULL);
    for (size_t i = 0; i < log.count; i++)
        snprintf(order + strlen(order), sizeof order - strlen(order), "%s%s", log.vm[i], log.sm[i] < 0 ? "-" : "");
    assert_string_equal(order, expected);
    sms_file_free(file);
}

static void lower_ranks_go_first_and_a_refusal_stops_the_queue(void **state)
{
    (void)state;
    assert_order("newest_first", "thin", "wide", "thin", "cccccbbbb-");
}

static void a_discipline_that_passes_over_asks_the_next_rank(void **state)
{
    (void)state;
    assert_order("shortest_first", "thin", "wide", "thin", "bbbb-aaaaaccccc");
}

/* After three turns on three SMs the turn is b's, not a's. */
static void a_turn_lasts_as_many_blocks_as_the_discipline_says(void **state)
{
    (void)state;
    assert_order("two_in_turn", "thin", "thin", "wide", "aabbccbbcc-");
}

static void turns_go_round_within_a_rank(void **state)
{
    (void)state;
    assert_order("shortest_in_turn", "thin", "thin", "wide", "cccc-abbbabbaaa");
}

/* Equal and random work, a policy that refuses, one that is asked again each time, and priorities. */
static void both_engines_agree_on_every_discipline(void **state)
{
    (void)state;
    const char *names[MADE + 32];
    size_t count = 0;
    for (size_t q = 0; q < MADE; q++)
        names[count++] = made[q].name;
    for (const char *const *name = sms__queue_names; *name; name++)
        names[count++] = *name;
    for (size_t q = 0; q < count; q++)
        for (int sms = 1; sms <= 6; sms++) {
            struct sms_results *results[2];
            struct sms_file *file = load_with_made(
                SMALL_DEVICE
                "---\nworkload: even\nkernels: [{name: k, blocks: 40, threads: 4096, block_time: 1 us, demand: "
                "{fp32: 40 %%}}]\n---\nworkload: wild\nkernels: [{name: k, blocks: 23, threads: 8192, block_time: 2 "
                "us, "
                "jitter: 20 %%, demand: {fp64: 30 %%}}, {name: l, blocks: 3, threads: 32, block_time: 1 us}]\n"
                "---\nscenario: s\ndevices: [{model: small}]\ncontention: {model: proportional, slope: 1}\n"
                "queue: %s\npolicies: [round_robin, fine_grained, tenant_fair]\nvms:\n"
                "  - {name: a, workload: even, repeat: 4, streams: 3}\n"
                "  - {name: b, workload: %s, repeat: 7, streams: 2, start: 1.5 us}\n"
                "  - {name: c, workload: even, repeat: 2}\n",
                sms, 32, "sm", names[q], sms % 2 ? "even" : "wild");
            for (int engine = 0; engine < 2; engine++) {
                struct sms_run_options run = sms_run_defaults();
                run.engine = engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
                run.check = true;
                results[engine] = run_first(file, &run);
            }
            assert_same_metrics(results[0], results[1], SMS_VM);
            assert_same_metrics(results[0], results[1], SMS_KERNEL);
            sms_results_free(results[0]);
            discard(results[1], file);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_ranks_go_first_and_a_refusal_stops_the_queue),
        cmocka_unit_test(a_discipline_that_passes_over_asks_the_next_rank),
        cmocka_unit_test(a_turn_lasts_as_many_blocks_as_the_discipline_says),
        cmocka_unit_test(turns_go_round_within_a_rank),
        cmocka_unit_test(both_engines_agree_on_every_discipline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
