/* The engine's two ways give the same bytes where the fast one takes its short
 * cuts, and --check finds what a plug-in breaks. */
#include "tests/harness.h"

struct stays {
    uint64_t hash, blocks;
};

/* Order matters; how equal blocks are told together is part of it. */
static int add_stay(void *user, const struct sms_run_event *event)
{
    const struct sms_stay *stay = event->stay;
    struct stays *stays = user;
    uint64_t parts[] = {stay->device, stay->sm, stay->start_ps, stay->end_ps, stay->blocks};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        stays->hash = (stays->hash ^ parts[i]) * 0x100000001b3u;
    stays->blocks += stay->blocks;
    return 0;
}

static struct sms_results *run_with(const struct sms_file *file, enum sms_engine engine, bool check,
                                    struct stays *stays)
{
    struct sms_run_options options = sms_run_defaults();
    options.engine = engine;
    options.check = check;
    options.alone = false;
    options.observe = add_stay;
    options.events = SMS_RUN_STAY;
    options.user = stays;
    return run_first(file, &options);
}

/* Both ways, and frees the file. How many blocks ended. */
static uint64_t assert_same(struct sms_file *file, bool check)
{
    struct stays fast = {0, 0}, reference = {0, 0};
    struct sms_results *a = run_with(file, SMS_ENGINE_FAST, check, &fast),
                       *b = run_with(file, SMS_ENGINE_REFERENCE, false, &reference);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        assert_same_metrics(a, b, (enum sms_subject)s);
    assert_int_equal(fast.hash, reference.hash);
    assert_int_equal(fast.blocks, reference.blocks);
    sms_results_free(a);
    discard(b, file);
    return fast.blocks;
}

#define KERNELS                                                                                                        \
    "---\nworkload: even\nkernels: [{name: k, blocks: %d, threads: 64, block_time: 10 us, demand: {fp32: 9 %%}}]\n"    \
    "---\nworkload: wild\nkernels: [{name: k, blocks: %d, threads: 32, block_time: 7 us, jitter: 20 %%, "              \
    "demand: {fp64: 13 %%, l1: 8 %%}}]\n"                                                                              \
    "---\nworkload: wide\nkernels: [{name: k, blocks: %d, threads: 128, block_time: 9 us, jitter: 9 %%, "              \
    "demand: {dram: 21 %%, l1: 11 %%}}]\n"

/* More SMs than one word, and than one word of words, has bits. */
static void many_sms(void **state)
{
    (void)state;
    uint64_t blocks =
        assert_same(load_text(SMALL_DEVICE KERNELS
                              "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin, fine_grained]\n"
                              "contention: {model: proportional, slope: 1.5}\nvms:\n"
                              "  - {name: a, workload: wild, repeat: 2}\n  - {name: b, workload: even, repeat: 2}\n",
                              4200, 1, "sm", 1500, 3000, 1),
                    false);
    assert_int_equal(blocks, 2 * 2 * (1500 + 3000));
}

/* Streams that are refused by the hundred, between those that are not. */
static void many_streams(void **state)
{
    static const char *const queues[] = {"interleave", "fifo", "kernel_fifo", "rr_fifo"};
    (void)state;
    for (int q = 0; q < 4; q++) {
        uint64_t blocks =
            assert_same(load_text(SMALL_DEVICE KERNELS "---\nscenario: s\ndevices: [{model: small}]\nqueue: "
                                                       "%s\npolicies: [fine_grained, utilization_aware]\nvms:\n"
                                                       "  - {name: a, workload: even, streams: 120, repeat: 120}\n"
                                                       "  - {name: b, workload: wild, streams: 90, repeat: 90}\n"
                                                       "  - {name: c, workload: wide, streams: 60, repeat: 60}\n",
                                  3, 16, "device", 9, 5, 7, queues[q]),
                        true);
        assert_int_equal(blocks, 2 * (120 * 9 + 90 * 5 + 60 * 7));
    }
}

/* Rounds: one, two and three kernels over SMs that they do and do not divide, with and without a policy's no. */
static void rounds_of_equal_blocks(void **state)
{
    static const char *const queues[] = {"interleave", "fifo", "kernel_fifo", "rr_fifo"};
    (void)state;
    for (int sms = 1; sms <= 12; sms++)
        for (int q = 0; q < 4; q++) {
            uint64_t blocks = assert_same(
                load_text(SMALL_DEVICE KERNELS
                          "---\nscenario: s\ndevices: [{model: small}]\nqueue: %s\n"
                          "policies: [round_robin, round_robin_full, fine_grained]\nvms:\n"
                          "  - {name: a, workload: even, repeat: 2}\n  - {name: b, workload: even, repeat: 1}\n"
                          "  - {name: c, workload: even, repeat: 1, start: 15 us}\n",
                          sms, 16, "sm", 400, 1, 1, queues[q]),
                true);
            assert_int_equal(blocks, 3 * 4 * 400);
        }
}

/* A device-wide resource that is now more, now less of a brake than the SM's own. */
static void clocks_that_sms_share(void **state)
{
    (void)state;
    for (int fp64 = 4; fp64 <= 12; fp64++)
        assert_same(load_text(SMALL_DEVICE
                              "---\nworkload: both\nkernels: [{name: k, blocks: 700, threads: 64, block_time: 10 us, "
                              "jitter: 15 %%, demand: {fp64: %d %%, dram: 9 %%}}]\n"
                              "---\nworkload: wide\nkernels: [{name: k, blocks: 300, threads: 64, block_time: 6 us, "
                              "jitter: 15 %%, demand: {dram: 11 %%}}]\n"
                              "---\nscenario: s\ndevices: [{model: small, count: 2}]\npolicies: [round_robin]\n"
                              "contention: {model: proportional, slope: 2}\nvms:\n"
                              "  - {name: a, workload: both, repeat: 2, streams: 2}\n"
                              "  - {name: b, workload: wide, repeat: 3}\n",
                              7, 16, "device", fp64),
                    true);
}

static void rush(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    (void)view, (void)usage;
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = 2;
}

static const struct sms_contention rushing = {.name = "rushing", .help = "twice full speed", .rate = rush};

static int check_broken(const char *path, struct sms_errors *errors)
{
    struct sms_load_options options = harness_options();
    const struct sms_contention *added[] = {&rushing};
    struct sms_run_options run = sms_run_defaults();
    struct sms_results *results;
    struct sms_file *file;
    options.contentions = added;
    options.n_contentions = 1;
    run.check = true;
    assert_int_equal(sms_file_load(path, &options, &file, errors), SMS_OK);
    int code = sms_run(sms_file_scenario(file, 0), &run, &results, errors);
    assert_null(results);
    sms_file_free(file);
    return code;
}

static void a_model_that_is_too_fast_is_named(void **state)
{
    char path[] = "/tmp/smsched-test-XXXXXX";
    struct sms_errors errors;
    int fd = mkstemp(path);
    (void)state;
    FILE *to = fdopen(fd, "w");
    assert_non_null(to);
    fprintf(to, SMALL_DEVICE KERNELS, 2, 4, "sm", 9, 9, 9);
    fprintf(to, "---\nscenario: s\ndevices: [{model: small}]\ncontention: rushing\npolicies: [round_robin]\nvms:\n"
                "  - {name: a, workload: even, repeat: 1}\n");
    fclose(to);
    assert_int_equal(check_broken(path, &errors), SMS_EBUG);
    assert_non_null(strstr(errors.item[0].message, "contention model 'rushing' gives blocks of SM 0 a speed of 2"));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sms),
        cmocka_unit_test(many_streams),
        cmocka_unit_test(rounds_of_equal_blocks),
        cmocka_unit_test(clocks_that_sms_share),
        cmocka_unit_test(a_model_that_is_too_fast_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
