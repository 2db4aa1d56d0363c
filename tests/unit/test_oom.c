/* Every allocation of a load, a run and a bound fails once: the caller hears of it, and
 * nothing leaks (the sanitizers say so). Linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc. */
#include "../harness.h"

#include "sim/sweep/store.h"

#include <glpk.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static size_t made;      /* allocations since the last reset */
static size_t fail_from; /* the first that fails; 0: none does */
static size_t failures;  /* how many in a row; 0: all that follow */

static bool denied(void)
{
    made++;
    return fail_from && made >= fail_from && (failures == 0 || made < fail_from + failures);
}

void *__wrap_malloc(size_t size) { return denied() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return denied() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return denied() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return denied() ? NULL : __real_aligned_alloc(alignment, size);
}

static void deny(size_t from, size_t count)
{
    made = 0;
    fail_from = from;
    failures = count;
}

static const char scenario_text[] =
    "scenario: s\n"
    "devices: [{model: v100, count: 2, sms: 4}]\n"
    "contention: maxmin\n"
    "policies: [round_robin, {fine_grained: {limit: 90 %}}, most_room]\n"
    "vms:\n"
    "  - {name: a, workload: gtx1080ti/atax, repeat: 2}\n"
    "  - {name: b, workload: own, arrivals: {poisson: 50 us}, streams: 3}\n"
    "run: {duration: 1 ms, replications: 2}\n"
    "---\n"
    "workload: own\n"
    "kernels: [{name: k, blocks: 64, threads: 64, block_time: 9 us, demand: {dram: 9 %}}]\n"
    "---\n"
    "device: ticks\n"
    "clock: 1 GHz\n"
    "sms: 2\n"
    "sm: {threads: 2048, warps: 64, blocks: 64}\n"
    "resources: {slots: {class: compute, capacity: 40, hard: true},\n"
    "  memory: {class: memory, scope: device, capacity: 100}}\n"
    "---\n"
    "workload: of-ticks\n"
    "kernels: [{name: k, blocks: 64, threads: 32, block_time: 9 us, demand: {slots: 2, memory: 1}}]\n"
    "---\n"
    "scenario: ticks\n"
    "queue: fifo\n"
    "devices: [{model: ticks}]\n"
    "contention: {model: curve, curves: {slots: [[1, 0.3]], memory: [[1, 0.1]]}}\n"
    "policies: [round_robin, breadth_first]\n"
    "vms: [{name: a, workload: of-ticks, start: 1 us}, {name: b, workload: of-ticks, start: 3 us}]\n"
    "---\n"
    "device: split\nclock: 1 GHz\nsms: 2\nmemory: 1 GiB\nsm: {threads: 2048, warps: 64, blocks: 64}\n"
    "resources: {fp32: {class: compute}}\n"
    "mig: {slices: 2, profiles: [{name: half, sms: 1, memory: 512 MiB, slices: 1, starts: [0, 1]}]}\n"
    "---\n"
    "workload: whole\ncorun_class: m\n"
    "kernels: [{name: k, time: 9 us, demand: {fp32: 60 %}}]\n"
    "steps: [{allocate: 2 MiB}, {launch: k}]\n"
    "---\n"
    "workload: other\nkernels: [{name: k, time: 3 us}]\n"
    "---\n"
    "scenario: shared\n"
    "devices: [{model: split}]\n"
    "host: {context: 1 MiB}\n"
    "contention: {model: pairwise, slowdown: {m: {m: 2}}}\n"
    "policies: [plain, {mode: mps, block: fine_grained}, {mode: {mig: {instances: [half, half]}}}]\n"
    "processes: [{name: p, workload: whole, count: 2}, {name: q, draw: [whole, other]}]\n";

enum { ORDINARY, TICKS, SHARED }; /* scenarios of the file */

static char path[] = "/tmp/smsched-oom-XXXXXX";

static int write_scenario(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    for (int i = 0; i < 150; i++) /* a file whose nodes fill more than one chunk of memory */
        dprintf(fd, "workload: w%d\nkernels: [{name: k, blocks: 4, threads: 64, block_time: 9 us}]\n---\n", i);
    dprintf(fd, "%s", scenario_text);
    return close(fd);
}

static int remove_scenario(void **state)
{
    (void)state;
    return unlink(path);
}

/* A failure is one of memory or of the machine, and has words. */
static void assert_reported(int code, const struct sms_errors *errors, const void *object)
{
    if (code != SMS_ENOMEM && code != SMS_EIO)
        fail_msg("allocation %zu failed, and the code is %d: %s", fail_from, code, errors->item[0].message);
    assert_null(object);
    assert_true(errors->count > 0);
    assert_string_not_equal(errors->item[0].message, "");
}

static size_t load_until_it_succeeds(size_t count)
{
    struct sms_load_options options = harness_options();
    for (size_t n = 1;; n++) {
        struct sms_errors errors;
        struct sms_file *file;
        deny(n, count);
        int code = sms_file_load(path, &options, &file, &errors);
        bool reached = made >= n;
        deny(0, 0);
        if (code == SMS_OK) {
            sms_file_free(file);
            assert_false(reached);
            return n;
        }
        assert_reported(code, &errors, file);
    }
}

static size_t run_until_it_succeeds(size_t scenario, size_t count)
{
    struct sms_file *file = load_path(path);
    for (size_t n = 1;; n++) {
        struct sms_errors errors;
        struct sms_results *results;
        deny(n, count);
        int code = sms_run(sms_file_scenario(file, scenario), NULL, &results, &errors);
        deny(0, 0);
        if (code == SMS_OK) {
            discard(results, file);
            return n;
        }
        assert_reported(code, &errors, results);
    }
}

static void a_load_survives_any_one_allocation_that_fails(void **state)
{
    (void)state;
    assert_true(load_until_it_succeeds(1) > 10);
}

static void a_load_survives_the_end_of_all_memory(void **state)
{
    (void)state;
    assert_true(load_until_it_succeeds(0) > 10);
}

static void a_run_survives_any_one_allocation_that_fails(void **state)
{
    (void)state;
    assert_true(run_until_it_succeeds(ORDINARY, 1) > 4);
    assert_true(run_until_it_succeeds(TICKS, 1) > 3); /* each run after the first has the memory of the one before */
    assert_true(run_until_it_succeeds(SHARED, 1) > 4);
}

static void a_run_survives_the_end_of_all_memory(void **state)
{
    (void)state;
    assert_true(run_until_it_succeeds(ORDINARY, 0) > 4);
    assert_true(run_until_it_succeeds(TICKS, 0) > 3);
    assert_true(run_until_it_succeeds(SHARED, 0) > 4);
}

static void a_run_is_the_same_after_a_failed_one(void **state)
{
    (void)state;
    struct sms_file *file = load_path(path);
    struct sms_results *first = run_first(file, NULL), *none;
    struct sms_errors errors;
    deny(2, 0);
    assert_int_equal(sms_run(sms_file_scenario(file, 0), NULL, &none, &errors), SMS_ENOMEM);
    deny(0, 0);
    struct sms_results *second = run_first(file, NULL);
    assert_true(estimate(first, 0, SMS_HOST, 0, "blocks_per_s").mean ==
                estimate(second, 0, SMS_HOST, 0, "blocks_per_s").mean);
    sms_results_free(first);
    discard(second, file);
}

static void a_bound_survives_any_one_allocation_that_fails(void **state)
{
    (void)state;
    struct sms_file *file = load_path(path);
    struct sms_errors errors;
    struct sms_bound bound, again;
    assert_int_equal(sms_bound(sms_file_scenario(file, 0), SMS_BOUND_KERNELS, &bound, &errors), SMS_OK);
    for (unsigned long n = 1;; n++) {
        deny(n, 1);
        int code = sms_bound(sms_file_scenario(file, 0), SMS_BOUND_KERNELS, &again, &errors);
        bool denied = made >= n;
        deny(0, 0);
        if (!denied)
            break;
        assert_int_equal(code, SMS_ENOMEM);
        assert_int_equal(errors.count, 1);
    }
    assert_memory_equal(&bound, &again, sizeof bound);
    sms_file_free(file);
}

/* GLPK's own memory is out of reach of `deny`; it has a limit of its own. */
static void a_bound_survives_the_end_of_the_solvers_memory(void **state)
{
    (void)state;
    struct sms_file *file = load_path(path);
    struct sms_errors errors;
    struct sms_bound bound;
    glp_init_env();
    glp_mem_limit(1); /* MB */
    assert_non_null(glp_alloc(1, 1044 * 1000));
    assert_int_equal(sms_bound(sms_file_scenario(file, 0), SMS_BOUND_KERNELS, &bound, &errors), SMS_ENOMEM);
    assert_int_equal(errors.count, 1);
    assert_int_equal(sms_bound(sms_file_scenario(file, 0), SMS_BOUND_KERNELS, &bound, &errors), SMS_OK);
    sms_file_free(file);
}

/* A sweep that stored it would lose the point's results, and say that it had run it. */
static void a_record_that_finds_no_memory_is_not_packed(void **state)
{
    (void)state;
    char results[] = "results";
    const struct sms__buffer content = {.bytes = results, .length = sizeof results};
    struct sms__buffer packed = {0}, whole = {0};
    struct sms__point_record record = {0};
    deny(1, 0);
    const bool packed_it = sms__record_pack(&record, &content, &packed);
    deny(0, 0);
    assert_false(packed_it);
    assert_true(sms__record_pack(&record, &content, &packed) && sms__record_unpack(&record, &whole));
    assert_int_equal(record.size, sizeof results);
    assert_string_equal(record.content, results);
    free(packed.bytes);
    free(whole.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_survives_any_one_allocation_that_fails),
        cmocka_unit_test(a_load_survives_the_end_of_all_memory),
        cmocka_unit_test(a_run_survives_any_one_allocation_that_fails),
        cmocka_unit_test(a_run_survives_the_end_of_all_memory),
        cmocka_unit_test(a_bound_survives_any_one_allocation_that_fails),
        cmocka_unit_test(a_bound_survives_the_end_of_the_solvers_memory),
        cmocka_unit_test(a_run_is_the_same_after_a_failed_one),
        cmocka_unit_test(a_record_that_finds_no_memory_is_not_packed),
    };
    return cmocka_run_group_tests(tests, write_scenario, remove_scenario);
}
