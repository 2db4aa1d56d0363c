/* The contract of block policies: identity, state, promises and reasons, by the policies that use them and by some made
 * for the test. */
#include "decisions.h"

#include <smsched/policy.h>

/* SMs for four small blocks each. `a` and `b` launch at once and alike, in turn. */
#define TWO_TENANTS                                                                                                    \
    SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: %d, threads: 4096, block_time: 1 us, demand: {%s}}]\n" \
                 "---\nworkload: v\nkernels: [{name: k, blocks: %d, threads: 4096, block_time: 1 us, demand: {%s}}]\n" \
                 "---\nscenario: s\ndevices: [{model: small}]\nqueue: interleave\npolicies: [%s]\n"                    \
                 "vms: [{name: a, workload: w}, {name: b, workload: v}]\nrun: {duration: 0.5 us}\n"

static struct log decisions(int sms, const char *policy, int blocks_a, const char *demand_a, int blocks_b,
                            const char *demand_b)
{
    struct sms_file *file = load_text(TWO_TENANTS, sms, 32, "sm", blocks_a, demand_a, blocks_b, demand_b, policy);
    struct log log = decisions_of(file, NULL);
    sms_file_free(file);
    return log;
}

/* The SMs that blocks of the VM went to, as digits; '-' where one was refused everywhere. */
static const char *sms_of(const struct log *log, const char *vm, char out[PLACEMENTS + 1])
{
    size_t used = 0;
    for (size_t i = 0; i < log->count; i++)
        if (!strcmp(log->vm[i], vm))
            out[used++] = log->sm[i] < 0 ? '-' : (char)('0' + log->sm[i]);
    out[used] = '\0';
    return out;
}

static void assert_sms(const struct log *log, const char *a, const char *b)
{
    char out[PLACEMENTS + 1];
    assert_string_equal(sms_of(log, "a", out), a);
    assert_string_equal(sms_of(log, "b", out), b);
}

static void assert_reason(const struct log *log, const char *words)
{
    if (!strstr(log->reasons, words))
        fail_msg("'%s' does not say '%s'", log->reasons, words);
}

/* Two blocks of 40 % have room on an SM by fine_grained's limit. */
static void fine_grained_capped_keeps_a_launch_on_some_sms(void **state)
{
    (void)state;
    struct log log = decisions(4, "{fine_grained_capped: {sms: 2}}", 5, "fp32: 40 %", 1, "fp64: 1 %");
    assert_sms(&log, "0202-", "1");
    assert_reason(&log, "the launch is on 2 SMs, as many as it may be on");
}

/* Four SMs, two VMs: 0 and 1, 2 and 3. */
static void sm_quota_gives_each_tenant_its_own_sms(void **state)
{
    (void)state;
    struct log log = decisions(4, "sm_quota", 9, "fp32: 1 %", 3, "fp32: 1 %");
    assert_sms(&log, "00010111-", "223");
    assert_reason(&log, "not one of the SMs of a");
}

/* Four fit on an SM; of two launches each has two there. */
static void elastic_kernels_share_each_sm(void **state)
{
    (void)state;
    struct log log = decisions(2, "elastic_kernels", 9, "fp32: 1 %", 2, "fp32: 1 %");
    assert_sms(&log, "0101-", "10");
    assert_reason(&log, "2 blocks of the launch are here, which is its part (other launches: 1)");
}

/* Eight fit on the device: four each. */
static void tenant_fair_gives_each_tenant_an_equal_part(void **state)
{
    (void)state;
    struct log log = decisions(2, "tenant_fair", 9, "fp32: 1 %", 2, "fp32: 1 %");
    assert_sms(&log, "0101-", "10");
    assert_reason(&log, "a has its part of the device, one of 2");
}

/* a fills fp32 with two blocks and gains by no third; b gets the other two places. */
static void warped_slicer_fills_what_each_launch_can_use(void **state)
{
    (void)state;
    struct log log = decisions(1, "warped_slicer", 9, "fp32: 50 %", 9, "fp64: 1 %");
    assert_sms(&log, "00-", "00-");
    log = decisions(1, "warped_slicer", 9, "fp32: 100 %", 9, "fp64: 1 %");
    assert_sms(&log, "0-", "000-");
    log = decisions(1, "warped_slicer", 9, "fp32: 100 %", 1, "fp64: 1 %");
    assert_reason(&log, "its slice of an SM is");
}

/* a's first block goes to the first SM, b's to the emptier second, and the others follow them. */
static void affinity_goes_where_the_launch_runs(void **state)
{
    (void)state;
    struct log log = decisions(3, "affinity", 5, "fp32: 1 %", 3, "fp32: 1 %");
    assert_sms(&log, "00002", "111");
}

/* Policies made for the test. */
static int not_on_the_first(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                            const struct sms_block_request *block)
{
    (void)param, (void)device, (void)block;
    return sm->sm == 0 ? SMS_NOT_HERE : SMS_ADMIT;
}

static int nowhere(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block)
{
    (void)param, (void)device, (void)sm, (void)block;
    return SMS_NOT_HERE;
}

/* Not monotone: a second block on an SM is refused, a third is not. */
static int never_two(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                     const struct sms_block_request *block)
{
    (void)param, (void)device;
    return sm->used[SMS_BLOCKS] == 1 && block->tenant == 0 ? SMS_NOT_HERE : SMS_ADMIT;
}

static double undefined(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                        const struct sms_block_request *block)
{
    (void)param, (void)device, (void)block;
    double none = (double)sm->used[SMS_BLOCKS] * 0;
    return none / none;
}

static const struct sms_block_policy made[] = {
    {.name = "not_on_the_first", .help = "x", .admits = not_on_the_first, .promises = SMS_MONOTONE},
    {.name = "nowhere", .help = "x", .admits = nowhere, .promises = SMS_PURE | SMS_MONOTONE},
    {.name = "never_two", .help = "x", .admits = never_two},
    {.name = "undefined", .help = "x", .search = SMS_SEARCH_BEST, .score = undefined},
};

static struct sms_load_options with_made(void)
{
    static const struct sms_block_policy *const list[] = {&made[0], &made[1], &made[2], &made[3]};
    struct sms_load_options options = harness_options();
    options.policies = list;
    options.n_policies = 4;
    return options;
}

static void a_policy_that_refuses_the_first_sm_places_blocks_on_the_others(void **state)
{
    (void)state;
    char text[4096];
    struct sms_load_options options = with_made();
    snprintf(text, sizeof text, TWO_TENANTS, 3, 32, "sm", 3, "fp32: 1 %", 1, "fp32: 1 %", "not_on_the_first");
    struct sms_file *file = load_text_with(text, &options);
    struct log log = decisions_of(file, NULL);
    assert_sms(&log, "112", "2");
    sms_file_free(file);
}

static void a_policy_that_admits_no_block_is_refused(void **state)
{
    (void)state;
    char text[4096], path[] = "/tmp/smsched-test-XXXXXX";
    struct sms_load_options options = with_made();
    struct sms_errors errors;
    struct sms_file *loaded;
    int fd = mkstemp(path);
    snprintf(text, sizeof text, TWO_TENANTS, 3, 32, "sm", 3, "fp32: 1 %", 1, "fp32: 1 %", "nowhere");
    assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    assert_int_equal(sms_file_load(path, &options, &loaded, &errors), SMS_EINPUT);
    assert_non_null(strstr(errors.item[0].message, "would never place a block"));
    unlink(path);
}

static void a_score_that_is_no_number_ends_the_run(void **state)
{
    (void)state;
    char text[4096];
    struct sms_load_options options = with_made();
    snprintf(text, sizeof text, TWO_TENANTS, 3, 32, "sm", 3, "fp32: 1 %", 1, "fp32: 1 %", "undefined");
    struct sms_file *file = load_text_with(text, &options);
    for (int engine = 0; engine < 2; engine++) {
        struct sms_run_options run = sms_run_defaults();
        struct sms_results *results;
        struct sms_errors errors;
        run.engine = engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
        assert_int_equal(sms_run(sms_file_scenario(file, 0), &run, &results, &errors), SMS_EBUG);
        assert_non_null(strstr(errors.item[0].message, "policy 'undefined' scores SM"));
        assert_non_null(strstr(errors.item[0].message, "not finite"));
    }
    sms_file_free(file);
}

static double half(const struct sms_contention_view *view, size_t r, double usage)
{
    (void)view, (void)r, (void)usage;
    return 0.5;
}

static void rate_by_nothing(const struct sms_contention_view *view, const double *usage, struct sms_group *groups,
                            size_t count)
{
    (void)view, (void)usage;
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = NAN;
}

static double no_rank(const struct sms_queued *launch)
{
    (void)launch;
    return NAN;
}

static const struct sms_contention half_model = {.name = "half", .help = "x", .slowdown = half},
                                   nothing_model = {.name = "nothing", .help = "x", .rate = rate_by_nothing};
static const struct sms_queue_discipline no_rank_queue = {.name = "no_rank", .help = "x", .rank = no_rank};

static void assert_ended(const char *keys, const char *why)
{
    static const struct sms_contention *const models[] = {&half_model, &nothing_model};
    static const struct sms_queue_discipline *const queues[] = {&no_rank_queue};
    struct sms_load_options options = harness_options();
    struct sms_run_options run = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    char text[4096];
    options.contentions = models;
    options.n_contentions = 2;
    options.queues = queues;
    options.n_queues = 1;
    snprintf(text, sizeof text,
             SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 6, threads: 32, block_time: 1 us, demand: "
                          "{fp32: 60 %%}}]\n---\nscenario: s\ndevices: [{model: small}]\n%s\n"
                          "policies: [round_robin]\nvms: [{name: a, workload: w}]\n",
             3, 32, "sm", keys);
    struct sms_file *file = load_text_with(text, &options);
    for (int engine = 0; engine < 2; engine++) {
        run.engine = engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
        assert_int_equal(sms_run(sms_file_scenario(file, 0), &run, &results, &errors), SMS_EBUG);
        assert_non_null(strstr(errors.item[0].message, why));
    }
    sms_file_free(file);
}

/* No result follows from such answers, so the run ends also without `check`. */
static void answers_that_nothing_follows_from_end_the_run(void **state)
{
    (void)state;
    assert_ended("contention: half", "contention model 'half' gives fp32 at 100 % a slowdown of 0.5");
    assert_ended("contention: nothing", "contention model 'nothing' gives blocks of SM 0 a speed of nan");
    assert_ended("queue: no_rank", "queue discipline 'no_rank' gives a kernel of 'a' a rank that is not finite");
}

static int count_event(void *user, const struct sms_run_event *event)
{
    (void)event;
    ++*(size_t *)user;
    return 0;
}

/* The blocks of processes have an engine of their own, which stops the run's: b, which is on the host, does no more. */
static void a_score_that_is_no_number_ends_a_run_of_processes(void **state)
{
    (void)state;
    char text[4096];
    struct sms_load_options options = with_made();
    struct sms_run_options run = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    size_t events = 0;
    snprintf(text, sizeof text,
             SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 3, threads: 32, block_time: 1 us}]\n"
                          "---\nworkload: h\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]\n"
                          "steps: [{host: 1 us}, {copy_in: 1 KB}]\n---\nscenario: s\ndevices: [{model: small, link: "
                          "{bandwidth: 1 GB/s}}]\n"
                          "policies: [{share: plain, block: undefined, mode: mps}]\n"
                          "processes: [{name: a, workload: w}, {name: b, workload: h, repeat: 1000}]\n",
             3, 32, "sm");
    struct sms_file *file = load_text_with(text, &options);
    run.alone = false;
    run.observe = count_event;
    run.user = &events;
    run.events = SMS_RUN_SPAN;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &run, &results, &errors), SMS_EBUG);
    assert_non_null(strstr(errors.item[0].message, "policy 'undefined' scores SM"));
    assert_true(events >= 1 && events <= 10);
    sms_file_free(file);
}

static void a_policy_that_promises_nothing_is_the_same_under_both_engines(void **state)
{
    (void)state;
    static const char *const names[] = {"never_two",       "fine_grained_capped", "sm_quota", "tenant_fair",
                                        "elastic_kernels", "warped_slicer",       "affinity"};
    for (size_t p = 0; p < sizeof names / sizeof *names; p++) {
        char text[4096];
        struct sms_results *results[2];
        struct sms_load_options options = with_made();
        snprintf(text, sizeof text,
                 SMALL_DEVICE
                 "---\nworkload: w\nkernels: [{name: k, blocks: 90, threads: 4096, block_time: 1 us, jitter: "
                 "20 %%, demand: {fp32: 40 %%}}]\n---\nscenario: s\ndevices: [{model: small}]\n"
                 "contention: {model: proportional, slope: 1}\nqueue: kernel_fifo\npolicies: [%s]\n"
                 "vms: [{name: a, workload: w, repeat: 5, streams: 2}, {name: b, workload: w, repeat: 5}]\n",
                 5, 32, "sm", names[p]);
        struct sms_file *file = load_text_with(text, &options);
        for (int engine = 0; engine < 2; engine++) {
            struct sms_run_options run = sms_run_defaults();
            run.engine = engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
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
        cmocka_unit_test(fine_grained_capped_keeps_a_launch_on_some_sms),
        cmocka_unit_test(sm_quota_gives_each_tenant_its_own_sms),
        cmocka_unit_test(elastic_kernels_share_each_sm),
        cmocka_unit_test(tenant_fair_gives_each_tenant_an_equal_part),
        cmocka_unit_test(warped_slicer_fills_what_each_launch_can_use),
        cmocka_unit_test(affinity_goes_where_the_launch_runs),
        cmocka_unit_test(a_policy_that_refuses_the_first_sm_places_blocks_on_the_others),
        cmocka_unit_test(a_policy_that_admits_no_block_is_refused),
        cmocka_unit_test(a_score_that_is_no_number_ends_the_run),
        cmocka_unit_test(answers_that_nothing_follows_from_end_the_run),
        cmocka_unit_test(a_score_that_is_no_number_ends_a_run_of_processes),
        cmocka_unit_test(a_policy_that_promises_nothing_is_the_same_under_both_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
