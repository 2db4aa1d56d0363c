/* Properties broken on purpose must shrink to the least scenario that breaks them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "property.h"

#include <stdlib.h>
#include <string.h>

static bool no_vm_has_more_than_3_streams(void *user, const struct scenario *s)
{
    bool holds = true;
    char why[8];
    for (size_t v = 0; v < s->vms; v++)
        holds &= s->vm[v].streams <= 3;
    (void)user;
    return holds || !is_valid(s, why, sizeof why);
}

static bool nothing_waits(void *user, const struct scenario *s)
{
    struct run run;
    bool holds = true;
    (void)user;
    if (!run_scenario(&run, s, true))
        return true;
    for (size_t p = 0; p < run.outcome.policies; p++)
        for (size_t i = 0; i < run.outcome.trace[p].decisions; i++)
            holds &= run.outcome.trace[p].decision[i].sm >= 0;
    run_release(&run);
    return holds;
}

static bool fewer_than_100_sms_are_used(void *user, const struct scenario *s)
{
    struct run run;
    bool used[256] = {false};
    size_t sms = 0;
    (void)user;
    if (!run_scenario(&run, s, true))
        return true;
    for (size_t i = 0; i < run.outcome.trace[0].stays; i++) {
        bool *own = &used[run.outcome.trace[0].stay[i].sm];
        sms += !*own;
        *own = true;
    }
    run_release(&run);
    return sms < 100;
}

typedef bool check(void *user, const struct scenario *s);

/* The first seed that breaks it. */
static uint64_t first_seed(check *holds, struct scenario *s)
{
    for (uint64_t seed = 1; seed < 2000; seed++) {
        generate(s, seed);
        if (!holds(NULL, s))
            return seed;
    }
    fail_msg("no seed breaks the property");
    return 0;
}

static void shrink_first(check *holds, struct scenario *s)
{
    struct scenario before;
    first_seed(holds, s);
    before = *s;
    shrink(s, holds, NULL);
    assert_false(holds(NULL, s));
    assert_memory_not_equal(&before, s, sizeof before);
}

/* What no property needs. */
static void assert_bare(const struct scenario *s)
{
    assert_int_equal(s->devices, 1);
    assert_int_equal(s->resources, 1);
    assert_int_equal(s->backgrounds, 0);
    assert_int_equal(s->workloads, 1);
    assert_int_equal(s->policies, 1);
    for (size_t v = 0; v < s->vms; v++)
        assert_int_equal(s->vm[v].name, v);
    assert_int_equal(s->policy[0].kind, ROUND_ROBIN);
    assert_int_equal(s->queue, 0);
    assert_int_equal(s->contention, NONE);
    assert_int_equal(s->warmup, 0);
    assert_int_equal(s->duration, 0);
    assert_int_equal(s->link, 0);
    assert_int_equal(s->wordy, 0);
    assert_int_equal(s->vms, 1);
    assert_int_equal(s->vm[0].start, 0);
    assert_int_equal(s->vm[0].arrivals, ARRIVE_CLOSED);
    assert_int_equal(s->vm[0].deadline, 0);
    assert_int_equal(s->workload[0].kernels, 1);
    assert_int_equal(s->workload[0].steps, 0);
    assert_int_equal(s->workload[0].kernel[0].jitter, 0);
    assert_int_equal(s->workload[0].kernel[0].exponential, 0);
    assert_int_equal(s->workload[0].kernel[0].demand[0], 0);
}

static size_t count_lines(const struct scenario *s)
{
    char *text = NULL;
    size_t size, lines = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    print_scenario(s, to);
    fclose(to);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    free(text);
    return lines;
}

static void four_streams_are_the_least_that_is_more_than_three(void **state)
{
    struct scenario s;
    (void)state;
    shrink_first(no_vm_has_more_than_3_streams, &s);
    assert_bare(&s);
    assert_int_equal(s.vm[0].streams, 4);
    assert_int_equal(s.vm[0].repeat, 1);
    assert_int_equal(s.device[0].sms, 1);
    assert_int_equal(s.workload[0].kernel[0].blocks, 1);
    assert_int_equal(s.workload[0].kernel[0].threads, 1);
    assert_int_equal(s.workload[0].kernel[0].time, 1);
    assert_true(count_lines(&s) <= 19);
}

static void one_block_less_and_none_waits(void **state)
{
    struct scenario s;
    (void)state;
    shrink_first(nothing_waits, &s);
    assert_bare(&s);
    assert_int_equal(s.device[0].sms, 1);
    assert_int_equal(s.workload[0].kernel[0].time, 1);
    s.workload[0].kernel[0].blocks--;
    assert_true(nothing_waits(NULL, &s));
}

static void a_hundred_sms_take_a_hundred_blocks_in_all(void **state)
{
    struct scenario s;
    (void)state;
    shrink_first(fewer_than_100_sms_are_used, &s);
    assert_bare(&s);
    assert_int_equal(s.device[0].sms, 100);
    uint64_t blocks = s.workload[0].kernel[0].blocks, jobs = s.vm[0].repeat; /* 34 blocks of three jobs do, too */
    assert_true(blocks * jobs >= 100 && (blocks - 1) * jobs < 100);
}

/* Every number has its least value already: nothing is left to do, and nothing is done. */
static void what_is_least_stays_as_it_is(void **state)
{
    struct scenario once, again;
    (void)state;
    shrink_first(nothing_waits, &once);
    again = once;
    shrink(&again, nothing_waits, NULL);
    assert_memory_equal(&once, &again, sizeof once);
}

static void a_seed_is_one_scenario(void **state)
{
    struct scenario a, b;
    (void)state;
    generate(&a, 7);
    generate(&b, 7);
    assert_memory_equal(&a, &b, sizeof a);
    generate(&b, 8);
    assert_memory_not_equal(&a, &b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_streams_are_the_least_that_is_more_than_three),
        cmocka_unit_test(one_block_less_and_none_waits),
        cmocka_unit_test(a_hundred_sms_take_a_hundred_blocks_in_all),
        cmocka_unit_test(what_is_least_stays_as_it_is),
        cmocka_unit_test(a_seed_is_one_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
