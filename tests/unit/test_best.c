/* The tree of bounds finds what a search of all scores finds, in trees of one to four levels. */
#include "tests/harness.h"

#include "sim/base/rng.h"
#include "sim/levels/cluster/best_node.h"

static size_t find_among_all(const double *score, size_t scores)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < scores; i++)
        if (score[i] > (found == SIZE_MAX ? -INFINITY : score[found]))
            found = i;
    return found;
}

struct test {
    struct sms__arena *arena;
    size_t scores;
    unsigned values; /* few: many scores are equal */
};

static double draw_score(gsl_rng *rng, unsigned values)
{
    return gsl_rng_uniform_int(rng, 8) ? (double)gsl_rng_uniform_int(rng, values) - values / 2.0 : -INFINITY;
}

/* Between two questions the best falls, as a node does when it takes a pod, and some others change. */
static int compare_with_all(void *user)
{
    const struct test *test = user;
    gsl_rng *rng = sms__stream(test->arena, 1, "test", test->scores);
    struct sms__best_node best;
    sms__best_init(&best, test->arena, test->scores);
    for (size_t i = 0; i < test->scores; i++)
        best.bound[0][i] = draw_score(rng, test->values);
    sms__best_bound(&best);
    for (int question = 0; question < 2000; question++) {
        size_t found = sms__best_find(&best);
        assert_int_equal(found, find_among_all(best.bound[0], test->scores));
        if (found != SIZE_MAX)
            sms__best_set(&best, found, question % 3 ? best.bound[0][found] - 1 : -INFINITY);
        for (int change = question % 5; change > 0; change--)
            sms__best_set(&best, gsl_rng_uniform_int(rng, test->scores), draw_score(rng, test->values));
    }
    return 0;
}

static void the_first_of_the_highest_is_found(void **state)
{
    static const size_t scores[] = {1, 2, 63, 64, 65, 4096, 4097, 270000};
    (void)state;
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
        for (unsigned values = 2; values < 2000; values *= 30) {
            struct sms__arena arena = {0};
            struct test test = {&arena, scores[i], values};
            assert_int_equal(sms__guard(&arena, compare_with_all, &test), 0);
            sms__arena_release(&arena);
        }
}

static int find_none(void *user)
{
    struct sms__best_node best;
    sms__best_init(&best, user, 100);
    assert_int_equal(sms__best_find(&best), 0);
    for (size_t i = 0; i < 100; i++)
        sms__best_set(&best, i, -INFINITY);
    assert_int_equal(sms__best_find(&best), SIZE_MAX);
    sms__best_set(&best, 99, -1e300);
    assert_int_equal(sms__best_find(&best), 99);
    return 0;
}

static void none_is_found_among_scores_of_minus_infinity(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, find_none, &arena), 0);
    sms__arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_the_highest_is_found),
        cmocka_unit_test(none_is_found_among_scores_of_minus_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
