/* Runs within a limit of memory, and what is told while they run. */
#include "../harness.h"

#include "sim/page/points.h"
#include "sim/sweep/sweep.h"

#define SCENARIO                                                                                                       \
    "device: d\nclock: 1 GHz\nsms: 80\nmemory: 64 GiB\n"                                                               \
    "sm: {threads: 2048, warps: 64, blocks: 32, registers: 65536, shared_memory: 96 KiB}\n"                            \
    "resources: {fp32: {class: compute}}\n---\n"                                                                       \
    "workload: w\nkernels: [{name: k, blocks: 400, threads: 128, block_time: 10 us, jitter: 5 %%, "                    \
    "demand: {fp32: 20 %%}}]\n---\n"                                                                                   \
    "scenario: s\ndevices: [{model: d, count: %d}]\npolicies: [round_robin, most_room]\n"                              \
    "vms: [{name: a, workload: w, repeat: %s}]\nrun: {%sreplications: 3}\n"

enum { MIB = 1 << 20 };

static int run(const struct sms_file *file, struct sms_run_options options, struct sms_results **results,
               struct sms_errors *errors)
{
    *errors = (struct sms_errors){0};
    return sms_run(sms_file_scenario(file, 0), &options, results, errors);
}

static void a_run_that_needs_more_memory_ends_without_results(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_results *results;
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(SCENARIO, 100, "1", "");
    for (options.jobs = 1; options.jobs <= 4; options.jobs += 3) {
        options.max_memory = 8 * MIB;
        assert_int_equal(run(file, options, &results, &errors), SMS_EMEMORY);
        assert_null(results);
        assert_int_equal(errors.item[0].code, SMS_EMEMORY);
        assert_non_null(strstr(errors.item[0].message, "max_memory"));
    }
    sms_file_free(file);
}

static void a_file_that_needs_more_memory_is_not_loaded(void **state)
{
    (void)state;
    struct sms_errors errors = {0};
    struct sms_file *file;
    struct sms_load_options options = harness_options();
    options.size = sizeof options;
    options.max_memory = 4096;
    assert_int_equal(sms_file_load(SOURCE_DIR "/tests/scenarios/two-tenants.yaml", &options, &file, &errors),
                     SMS_EMEMORY);
    assert_null(file);
    assert_non_null(strstr(errors.item[0].message, "max_memory"));
}

/* Each thread has 16 MiB, and a run needs more: so the runs take turns. */
static void the_limit_changes_no_result(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_results *free_run, *limited;
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(SCENARIO, 100, "2", "");
    assert_int_equal(run(file, options, &free_run, &errors), SMS_OK);
    options.jobs = 4;
    options.max_memory = 64 * MIB;
    assert_int_equal(run(file, options, &limited, &errors), SMS_OK);
    for (size_t p = 0; p < sms_results_policies(free_run); p++)
        for (size_t r = 0; r < 3; r++) {
            double a =
                sms_results_value_named(free_run, sms_results_policy(free_run, p), r, "host", "host", "blocks_per_s");
            double b =
                sms_results_value_named(limited, sms_results_policy(limited, p), r, "host", "host", "blocks_per_s");
            assert_true(a > 0);
            assert_memory_equal(&a, &b, sizeof a);
        }
    sms_results_free(free_run);
    sms_results_free(limited);
    sms_file_free(file);
}

struct told {
    double first, last;
    size_t times;
    bool falls;
};

static void note(void *user, double share)
{
    struct told *told = user;
    told->first = told->times++ ? told->first : share;
    told->falls |= share < told->last - 1e-9 || share > 1 + 1e-9;
    told->last = share;
}

static void runs_tell_what_is_done_from_their_first_per_cent_on(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_results *results;
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(SCENARIO, 1, "forever", "duration: 10 ms, ");
    for (options.jobs = 1; options.jobs <= 3; options.jobs += 2) {
        struct told told = {0};
        options.user = &told;
        options.on_share = note;
        assert_int_equal(run(file, options, &results, &errors), SMS_OK);
        sms_results_free(results);
        assert_true(told.first <= 0.02 / 9); /* of 9 runs: 3 replications of 2 policies and of the VM alone */
        assert_true(told.times > 500);
        assert_false(told.falls);
        assert_true(fabs(told.last - 1) < 1e-9);
    }
    sms_file_free(file);
}

static void runs_without_a_duration_tell_of_their_ends_alone(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_results *results;
    struct told told = {0};
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(SCENARIO, 1, "5", "");
    options.jobs = 1;
    options.user = &told;
    options.on_share = note;
    assert_int_equal(run(file, options, &results, &errors), SMS_OK);
    sms_results_free(results);
    assert_int_equal(told.times, 9);
    assert_true(fabs(told.first - 1.0 / 9) < 1e-9 && fabs(told.last - 1) < 1e-9);
    sms_file_free(file);
}

static void the_clock_of_progress_never_goes_back(void **state)
{
    (void)state;
    const double began_s = sms__monotonic_s();
    for (double now_s = began_s, last_s; now_s < began_s + 0.01; now_s = last_s) {
        last_s = sms__monotonic_s();
        assert_true(last_s >= now_s);
    }
}

/* SQLite says so in the place where it says what is damaged. */
static void a_database_is_not_called_damaged_for_want_of_memory(void **state)
{
    static const char path[] = "test_memory.db";
    sqlite3 *file;
    size_t wanting = 0;
    (void)state;
    unlink(path);
    assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file,
                                  "CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                                  "LIMIT 200) INSERT INTO t SELECT hex(zeroblob(1000)) FROM n",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(file);
    for (sqlite3_int64 most = 4096; wanting == 0 || most <= 1 << 20; most += 4096) {
        struct sms__page page = {.source = path};
        sqlite3_hard_heap_limit64(most);
        const int code = sms__page_gather(&page);
        sqlite3_hard_heap_limit64(0);
        wanting += code == SMS_ENOMEM;
        assert_true(code == SMS_ENOMEM || code == SMS_EINPUT);
        assert_null(strstr(page.errors.item[0].message, "damaged"));
        sms__page_release(&page);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_database_is_not_called_damaged_for_want_of_memory),
                                       cmocka_unit_test(a_run_that_needs_more_memory_ends_without_results),
                                       cmocka_unit_test(a_file_that_needs_more_memory_is_not_loaded),
                                       cmocka_unit_test(the_limit_changes_no_result),
                                       cmocka_unit_test(runs_tell_what_is_done_from_their_first_per_cent_on),
                                       cmocka_unit_test(runs_without_a_duration_tell_of_their_ends_alone),
                                       cmocka_unit_test(the_clock_of_progress_never_goes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
