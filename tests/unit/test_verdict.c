/* Which policies are not told apart from the best: equal ones never are, the best one stays in, and a real difference
 * is found. */
#include "tests/harness.h"

#include "sim/base/best.h"
#include "sim/base/statistics.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

enum { POLICIES = 5, REPLICATIONS = 8, TRIES = 2000 };

static struct sms__best judge(const double *value, size_t policies, size_t replications, int better, bool exact,
                              bool *in_group)
{
    struct sms__best best;
    assert_true(
        sms__find_best(&(struct sms__samples){value, policies, replications, better, exact}, 0, &best, in_group, NULL));
    return best;
}

static void equal_values_are_one_group(void **state)
{
    (void)state;
    const double value[] = {2, 3, 4, 2, 3, 4};
    bool in_group[2];
    struct sms__best best = judge(value, 2, 3, 1, false, in_group);
    assert_int_equal(best.verdict, SMS__BEST_SAME);
    assert_int_equal(best.best, 0);
    assert_int_equal(best.group, 2);
    assert_true(best.equal && in_group[0] && in_group[1]);
}

/* Each change alone has p < 0.05, which three of them do not have by Holm's rule. */
static void changes_over_the_first_are_corrected_for_their_number(void **state)
{
    (void)state;
    static const double off[] = {0.0, 1, 2, 3};
    double value[4][4];
    int change[4];
    for (size_t p = 0; p < 4; p++)
        for (size_t r = 0; r < 4; r++)
            value[p][r] = 100 + (p ? (r % 2 ? 2 : 0.7) + 0.1 * off[r] * (double)p : 0);
    assert_true(sms__find_changes(&(struct sms__samples){value[0], 2, 4, 1, false}, 0, change));
    assert_int_equal(change[1], 1);
    assert_true(sms__find_changes(&(struct sms__samples){value[0], 2, 4, -1, false}, 0, change));
    assert_int_equal(change[1], -1);
    assert_true(sms__find_changes(&(struct sms__samples){value[0], 4, 4, 1, false}, 0, change));
    assert_true(change[0] == 0 && change[1] == 0 && change[2] == 0 && change[3] == 0);
}

static void exact_results_differ_by_any_difference(void **state)
{
    (void)state;
    const double value[] = {2, 2.001, 1};
    bool in_group[3];
    struct sms__best best = judge(value, 3, 1, 1, true, in_group);
    assert_int_equal(best.verdict, SMS__BEST_DIFFERS);
    assert_int_equal(best.best, 1);
    assert_int_equal(best.group, 1);
    assert_int_equal(best.next, 0);
    best = judge(value, 3, 1, -1, true, in_group);
    assert_int_equal(best.best, 2);
    best = judge(value, 3, 1, 1, false, in_group);
    assert_int_equal(best.verdict, SMS__BEST_ONCE);
    assert_int_equal(best.group, 1);
}

static void a_difference_that_never_varies_counts(void **state)
{
    (void)state;
    const double value[] = {2, 3, 4, 2.5, 3.5, 4.5};
    bool in_group[2];
    assert_int_equal(judge(value, 2, 3, 1, false, in_group).group, 1);
    assert_false(in_group[0]);
}

static void policies_without_values_are_in_no_group(void **state)
{
    (void)state;
    const double value[] = {NAN, NAN, 2, 3, 2.1, 2.8};
    bool in_group[3];
    struct sms__best best = judge(value, 3, 2, 1, false, in_group);
    assert_int_equal(best.verdict, SMS__BEST_CHANCE);
    assert_false(in_group[0]);
    assert_int_equal(best.group, 2);
    assert_int_equal(judge(value, 1, 2, 1, false, in_group).verdict, SMS__BEST_NONE);
}

static int begin(void **state)
{
    *state = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(*state, 7);
    return 0;
}

static int end(void **state)
{
    gsl_rng_free(*state);
    return 0;
}

/* Policies of the same distribution, of values that share half of their variance as replications do. */
static void draw(gsl_rng *rng, double *value, double gain)
{
    for (size_t r = 0; r < REPLICATIONS; r++) {
        const double shared = gsl_ran_gaussian(rng, 0.1);
        for (size_t p = 0; p < POLICIES; p++)
            value[p * REPLICATIONS + r] = 10 + shared + gsl_ran_gaussian(rng, 0.1) + (p == 0 ? gain : 0);
    }
}

/* All are best, so each left out is an error. Were all comparisons uncorrected, a sole winner would be named too often.
 */
static void the_best_is_rarely_left_out(void **state)
{
    gsl_rng *rng = *state;
    double value[POLICIES * REPLICATIONS];
    bool in_group[POLICIES];
    unsigned out = 0, sole = 0;
    for (int i = 0; i < TRIES; i++) {
        draw(rng, value, 0);
        const struct sms__best best = judge(value, POLICIES, REPLICATIONS, 1, false, in_group);
        out += !in_group[i % POLICIES];
        sole += best.group == 1;
    }
    print_message("left out %u, sole winner %u of %d\n", out, sole, TRIES);
    assert_true(out <= TRIES / 20);
    assert_true(sole <= TRIES / 20);
}

static void a_real_difference_is_found(void **state)
{
    gsl_rng *rng = *state;
    double value[POLICIES * REPLICATIONS];
    bool in_group[POLICIES];
    unsigned found = 0;
    for (int i = 0; i < TRIES; i++) {
        draw(rng, value, 0.5);
        const struct sms__best best = judge(value, POLICIES, REPLICATIONS, 1, false, in_group);
        found += best.best == 0 && best.group == 1;
    }
    print_message("found %u of %d\n", found, TRIES);
    assert_true(found > TRIES * 0.9);
}

/* The ratio is of the means: the mean of the ratios 3, 1/3 and 1 would be 1.44. */
static void a_ratio_follows_the_order_of_the_means(void **state)
{
    (void)state;
    struct sms__pairs pairs = {0};
    sms__pairs_add(&pairs, 3, 1);
    sms__pairs_add(&pairs, 1, 3);
    sms__pairs_add(&pairs, 2, 2);
    sms__pairs_add(&pairs, NAN, 5);
    const struct sms_estimate ratio = sms__pairs_ratio(&pairs);
    assert_int_equal(ratio.n, 3);
    assert_near(ratio.mean, 1, 1e-15);
    assert_near(ratio.sd, 1, 1e-12); /* of 3 - 1, 1 - 3 and 0, over the base of 2 */
    sms__pairs_add(&pairs, 1, 0);
    assert_true(isnan(sms__pairs_ratio(&pairs).mean));
    assert_near(sms__pairs_difference(&pairs).mean, 0.25, 1e-15);
}

/* Of noisy bases, the interval of the ratio holds the truth as often as it claims. */
static void intervals_of_ratios_hold(void **state)
{
    gsl_rng *rng = *state;
    unsigned hold = 0;
    for (int i = 0; i < TRIES; i++) {
        struct sms__pairs pairs = {0};
        for (int r = 0; r < REPLICATIONS; r++) {
            const double base = gsl_ran_gamma(rng, 20, 1);
            sms__pairs_add(&pairs, 3 * base * gsl_ran_gamma(rng, 50, 0.02), base);
        }
        const struct sms_estimate ratio = sms__pairs_ratio(&pairs);
        hold += fabs(ratio.mean - 3) <= ratio.ci95;
    }
    print_message("%u of %d intervals hold\n", hold, TRIES);
    assert_true(hold >= TRIES * 0.93 && hold <= TRIES * 0.97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_values_are_one_group),
                                       cmocka_unit_test(changes_over_the_first_are_corrected_for_their_number),
                                       cmocka_unit_test(exact_results_differ_by_any_difference),
                                       cmocka_unit_test(a_difference_that_never_varies_counts),
                                       cmocka_unit_test(policies_without_values_are_in_no_group),
                                       cmocka_unit_test_setup_teardown(the_best_is_rarely_left_out, begin, end),
                                       cmocka_unit_test_setup_teardown(a_real_difference_is_found, begin, end),
                                       cmocka_unit_test(a_ratio_follows_the_order_of_the_means),
                                       cmocka_unit_test_setup_teardown(intervals_of_ratios_hold, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
