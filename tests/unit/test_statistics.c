/* Estimates, tests and the end of a warm-up, against published answers and sums done the long way. */
#include "tests/harness.h"

#include "sim/base/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { LONG = 1000 };

static struct sms_estimate estimate_of(const double *value, size_t n)
{
    struct sms__moments e = {0};
    for (size_t i = 0; i < n; i++)
        sms__estimate_add(&e, value[i]);
    return sms__estimate_close(e);
}

/* Hours of sleep gained on two drugs by ten patients (Cushny and Peebles 1905), of which Student 1908 tested the
 * difference; the same numbers to more digits in R's manual of t.test, paired: t = 4.0621, p = 0.002833, 95 %
 * interval 0.7001142 to 2.4598858. */
static const double dextro[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double laevo[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void the_sleep_data_give_student_s_answer(void **state)
{
    double difference[10];
    (void)state;
    for (int i = 0; i < 10; i++)
        difference[i] = laevo[i] - dextro[i];
    struct sms_estimate e = estimate_of(difference, 10);
    assert_near(e.mean, 1.58, 1e-12);
    assert_near(e.mean / (e.sd / sqrt(10)), 4.0621, 5e-5);
    assert_near(sms_p_value(e, 0), 0.002833, 5e-7);
    assert_near(e.mean - e.ci95, 0.7001142, 5e-8);
    assert_near(e.mean + e.ci95, 2.4598858, 5e-8);
    assert_near(sms__precision(e), (2.4598858 - 0.7001142) / 2 / 1.58, 1e-7);
}

/* The two drugs as two samples of their own: R's t.test without pairs has the interval hold 0 (p = 0.07939). */
static void pairs_tell_what_samples_do_not(void **state)
{
    (void)state;
    struct sms_estimate a = estimate_of(dextro, 10), b = estimate_of(laevo, 10);
    assert_near(a.mean, 0.75, 1e-12);
    assert_near(b.mean, 2.33, 1e-12);
    assert_near((b.mean - a.mean) / sqrt((a.sd * a.sd + b.sd * b.sd) / 10), 1.8608, 5e-5);
}

/* Fisher and Yates, Statistical Tables, table III. */
static void quantiles_are_those_of_the_tables(void **state)
{
    static const struct {
        size_t n;
        double t;
    } row[] = {{2, 12.706}, {3, 4.303}, {6, 2.571}, {11, 2.228}, {31, 2.042}, {121, 1.980}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_near(sms__student95(row[i].n), row[i].t, 5.1e-4);
}

/* A library whose last bits differ rounds them the same. */
static void no_quantile_stands_where_it_could_be_rounded_either_way(void **state)
{
    double least = 1;
    (void)state;
    for (size_t n = 2; n <= 100000; n++) {
        double exact = gsl_cdf_tdist_Pinv(0.975, (double)n - 1) * 1e7;
        least = fmin(least, fabs(exact - floor(exact) - 0.5));
    }
    print_message("| nearest to a half | %.3g |\n", least);
    assert_true(least > 1e-6); /* last bits are 4e-9 of a step */
}

static void a_sample_without_spread_or_size_has_no_interval_and_no_test(void **state)
{
    static const double same[] = {3, 3, 3}, around_0[] = {-1, 1}, none[] = {0, 0, 0};
    (void)state;
    assert_true(estimate_of(same, 3).sd == 0 && isnan(estimate_of(same, 3).ci95));
    assert_true(isinf(sms__precision(estimate_of(same, 3))));
    assert_true(isinf(sms__precision(estimate_of(same, 1))));
    assert_true(isinf(sms__precision(estimate_of(around_0, 2))));
    assert_true(isinf(sms__precision(estimate_of(none, 3))));
    assert_true(isnan(sms_p_value(estimate_of(same, 1), 3)));
    assert_true(isnan(sms_p_value(estimate_of(same, 3), 3)));
    assert_true(isnan(sms_p_value(estimate_of(same, 3), 2)));
    assert_near(sms_p_value(estimate_of(around_0, 2), 0), 1, 1e-12);
}

/* The example of textbooks (Wikipedia, Holm-Bonferroni method): of 0.01, 0.04, 0.03, 0.005 the first and last hold at
 * 0.05. Adjusted by hand: 3 x 0.01, at least that before, 2 x 0.03, 4 x 0.005. */
static void holm_s_step_down_gives_the_textbook_answer(void **state)
{
    static const double p[] = {0.01, NAN, 0.04, 0.03, 0.005}, expected[] = {0.03, 0, 0.06, 0.06, 0.02};
    double adjusted[5];
    (void)state;
    assert_true(sms_holm(p, adjusted, 5));
    assert_true(isnan(adjusted[1]));
    for (int i = 0; i < 5; i++)
        if (i != 1)
            assert_near(adjusted[i], expected[i], 1e-12);
}

static void adjusted_p_values_stay_probabilities(void **state)
{
    static const double equal[] = {0.02, 0.02, 0.02}, large[] = {0.9, 0.4, 1}, none[] = {NAN, NAN};
    double adjusted[3];
    (void)state;
    assert_true(sms_holm(equal, adjusted, 3));
    for (int i = 0; i < 3; i++)
        assert_near(adjusted[i], 0.06, 1e-12);
    assert_true(sms_holm(large, adjusted, 3));
    for (int i = 0; i < 3; i++)
        assert_true(adjusted[i] == 1);
    assert_true(sms_holm(none, adjusted, 2));
    assert_true(isnan(adjusted[0]) && isnan(adjusted[1]));
    assert_true(sms_holm(NULL, NULL, 0));
}

/* MSER as it is written: for each number of batches dropped, the mean of the rest and the squares around it. */
static size_t mser5_by_definition(const double *value, size_t count)
{
    double mean[LONG / 5], least = INFINITY;
    size_t batches = count / 5, best = 0;
    for (size_t b = 0; b < batches; b++) {
        mean[b] = 0;
        for (size_t i = 0; i < 5; i++)
            mean[b] += value[5 * b + i] / 5;
    }
    for (size_t d = 0; d <= batches - (batches / 10 > 5 ? batches / 10 : 5); d++) {
        double all = 0, squares = 0, n = (double)(batches - d);
        for (size_t b = d; b < batches; b++)
            all += mean[b] / n;
        for (size_t b = d; b < batches; b++)
            squares += (mean[b] - all) * (mean[b] - all);
        if (squares / (n * n) < least * (1 - 1e-9)) {
            least = squares / (n * n);
            best = d;
        }
    }
    return best > batches / 2 ? SMS__UNSTEADY : 5 * best;
}

/* Noise around 1, and before `end` a level of its own or a slope towards it. */
static void draw(gsl_rng *stream, double *value, size_t end, double start, bool slope)
{
    for (size_t i = 0; i < LONG; i++) {
        double off = i >= end ? 0 : slope ? start * (1 - (double)i / (double)end) : start;
        value[i] = 1 + off + gsl_ran_gaussian(stream, 0.1);
    }
}

static void mser_5_is_its_definition(void **state)
{
    static const size_t ends[] = {0, 100, 230, 480, 600, 1000};
    double value[LONG];
    gsl_rng *stream = gsl_rng_alloc(gsl_rng_taus2);
    (void)state;
    for (int i = 0; i < 300; i++) {
        draw(stream, value, ends[i % 6], i % 7 - 3, i % 2);
        assert_int_equal(sms__mser5(value, LONG - (size_t)i), mser5_by_definition(value, LONG - (size_t)i));
    }
    gsl_rng_free(stream);
}

static void mser_5_finds_where_a_level_ends(void **state)
{
    double value[LONG];
    unsigned beyond = 0;
    gsl_rng *stream = gsl_rng_alloc(gsl_rng_taus2);
    (void)state;
    for (size_t i = 0; i < LONG; i++)
        value[i] = i < 200 ? 10 : (double)(i % 2);
    assert_int_equal(sms__mser5(value, LONG), 200);
    for (int i = 0; i < 200; i++) { /* ten standard deviations: never too early, and seldom far too late */
        draw(stream, value, 250, i % 2 ? 1 : -1, false);
        size_t found = sms__mser5(value, LONG);
        assert_true(found >= 250 && found <= 350);
        beyond += found > 300;
    }
    assert_true(beyond <= 10);
    gsl_rng_free(stream);
}

static void mser_5_drops_little_of_what_is_steady(void **state)
{
    double value[LONG], dropped = 0;
    gsl_rng *stream = gsl_rng_alloc(gsl_rng_taus2);
    (void)state;
    for (int i = 0; i < 500; i++) {
        draw(stream, value, 0, 0, false);
        size_t found = sms__mser5(value, LONG);
        dropped += found == SMS__UNSTEADY ? LONG / 2 : (double)found;
        assert_false(found != SMS__UNSTEADY && sms__differs(value, LONG, found));
    }
    print_message("| dropped of a steady series | %.3g %% |\n", dropped / 500 / LONG * 100);
    assert_true(dropped / 500 < 0.1 * LONG);
    for (size_t i = 0; i < LONG; i++)
        value[i] = 0.1;
    assert_int_equal(sms__mser5(value, LONG), 0);
    gsl_rng_free(stream);
}

/* Twenty means of -1 and 1 after ten that are all the same, a tenth of a standard error nearer than five, and farther.
 */
static void beginnings_differ_from_five_standard_errors_on(void **state)
{
    double value[30 * 5], error = sqrt(20 / 19.0 * (1 / 10.0 + 1 / 20.0));
    (void)state;
    for (int farther = 0; farther < 2; farther++) {
        for (size_t i = 0; i < 30 * 5; i++)
            value[i] = i < 10 * 5 ? (farther ? 5.1 : 4.9) * error : i / 5 % 2 ? 1 : -1;
        assert_int_equal(sms__differs(value, 30 * 5, 10 * 5), farther);
    }
}

static void mser_5_says_when_no_truncation_is_good(void **state)
{
    double value[LONG];
    (void)state;
    for (size_t i = 0; i < LONG; i++)
        value[i] = (double)i;
    assert_true(sms__mser5(value, LONG) == SMS__UNSTEADY);
    assert_true(sms__mser5(value, 49) == SMS__UNSTEADY);
    for (size_t i = 0; i < LONG; i++)
        value[i] = i < 700 ? 10 : (double)(i % 2);
    assert_true(sms__mser5(value, LONG) == SMS__UNSTEADY);
}

static void a_beginning_that_differs_is_told_from_noise(void **state)
{
    double value[LONG];
    gsl_rng *stream = gsl_rng_alloc(gsl_rng_taus2);
    (void)state;
    draw(stream, value, 250, 1, false);
    assert_true(sms__differs(value, LONG, 250));
    assert_false(sms__differs(value, LONG, 0));
    assert_false(sms__differs(value, LONG, LONG));
    draw(stream, value, 250, 0.01, false); /* a tenth of a deviation: 1.4 standard errors */
    assert_false(sms__differs(value, LONG, 250));
    gsl_rng_free(stream);
}

static enum sms__regime regimes_of(const double *given, size_t n, struct sms__regimes *regimes)
{
    double value[LONG];
    for (size_t i = 0; i < n; i++)
        value[i] = given[i];
    return sms__find_regimes(value, n, regimes);
}

static void two_regimes_are_two_groups_far_apart(void **state)
{
    static const double two[] = {1.317, 1.228, 1.2283, 1.3172, 1.2281}, one[] = {1.30, 1.25, 1.228, 1.28, 1.31, 1.27},
                        stray[] = {1, 1.01, 1.02, 1.01, 9, 1}, near[] = {1, 1, 1, 1.009, 1.009},
                        none[] = {1, 2, NAN, 1, 2}, some[] = {1.317, NAN, 1.228, 1.2283, NAN, 1.3172, 1.2281};
    struct sms__regimes regimes;
    (void)state;
    assert_int_equal(regimes_of(two, 5, &regimes), SMS__TWO_REGIMES);
    assert_int_equal(regimes.count[0], 3);
    assert_near(regimes.mean[0], (1.228 + 1.2283 + 1.2281) / 3, 1e-12);
    assert_near(regimes.mean[1], 1.3171, 1e-12);
    assert_near(regimes.end[0], 1.228, 1e-12);
    assert_near(regimes.end[1], 1.3172, 1e-12);
    assert_int_equal(regimes_of(two, 4, &regimes), SMS__ONE_REGIME);
    assert_int_equal(regimes_of(one, 6, &regimes), SMS__ONE_REGIME);
    assert_int_equal(regimes_of(stray, 5, &regimes), SMS__ONE_REGIME);
    assert_int_equal(regimes_of(stray, 6, &regimes), SMS__STRAY_VALUE);
    assert_int_equal(regimes.count[1], 1);
    assert_int_equal(regimes_of(near, 5, &regimes), SMS__ONE_REGIME);
    assert_int_equal(regimes_of(none, 5, &regimes), SMS__ONE_REGIME);
    assert_int_equal(regimes_of(some, 7, &regimes), SMS__TWO_REGIMES);
    assert_int_equal(regimes.count[0], 3);
    assert_near(regimes.mean[1], 1.3171, 1e-12);
    assert_near(regimes.end[1], 1.3172, 1e-12);
}

/* One normal sample of 5 in 90 looks so. */
static void regimes_are_seldom_seen_by_chance(void **state)
{
    double value[10];
    struct sms__regimes regimes;
    size_t seen[2] = {0};
    gsl_rng *stream = gsl_rng_alloc(gsl_rng_taus2);
    (void)state;
    for (size_t i = 0; i < 9000; i++)
        for (size_t n = 5; n <= 10; n += 5) {
            for (size_t k = 0; k < n; k++)
                value[k] = 1 + 0.1 * gsl_ran_gaussian_ziggurat(stream, 1);
            seen[n > 5] += sms__find_regimes(value, n, &regimes) == SMS__TWO_REGIMES;
        }
    assert_true(seen[0] >= 60 && seen[0] <= 140);
    assert_true(seen[1] < 5);
    gsl_rng_free(stream);
}

static void digits_of_a_number_keep_it_free_of_an_exponent(void **state)
{
    static const struct {
        double value;
        int least;
        const char *text;
    } number[] = {{0, 4, "0"},
                  {0.012345, 4, "0.01235"},
                  {9.996, 2, "10"},
                  {99.96, 2, "100"},
                  {559.4, 2, "559"},
                  {9999.4, 4, "9999"},
                  {99999.4, 4, "99999"},
                  {1e5, 5, "100000"},
                  {-15240.3, 4, "-15240"},
                  {87184008.2, 5, "87184008"},
                  {1e20, 4, "1e+20"}};
    (void)state;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        char text[40];
        snprintf(text, sizeof text, "%.*g", sms__digits(number[i].value, number[i].least), number[i].value);
        assert_string_equal(text, number[i].text);
    }
}

/* By hand: 3 - 2/9 x 9 + (2/9)^2 x 27 / 3 - 1/9. */
static void skewness_moves_student_s_t_in_order(void **state)
{
    (void)state;
    assert_true(sms__skewed_t(2.5, 0, 7) == 2.5);
    assert_near(sms__skewed_t(3, -2, 9), 4.0 / 3, 1e-12);
    assert_near(sms__skewed_t(3, 2, 9), 3 + 2 + 4.0 / 9 + 1.0 / 9, 1e-12);
    for (double skew = -3; skew <= 3; skew += 0.5)
        for (double t = -40; t < 40; t += 0.25)
            assert_true(sms__skewed_t(t, skew, 5) <= sms__skewed_t(t + 0.25, skew, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skewness_moves_student_s_t_in_order),
        cmocka_unit_test(digits_of_a_number_keep_it_free_of_an_exponent),
        cmocka_unit_test(two_regimes_are_two_groups_far_apart),
        cmocka_unit_test(regimes_are_seldom_seen_by_chance),
        cmocka_unit_test(the_sleep_data_give_student_s_answer),
        cmocka_unit_test(pairs_tell_what_samples_do_not),
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(no_quantile_stands_where_it_could_be_rounded_either_way),
        cmocka_unit_test(a_sample_without_spread_or_size_has_no_interval_and_no_test),
        cmocka_unit_test(holm_s_step_down_gives_the_textbook_answer),
        cmocka_unit_test(adjusted_p_values_stay_probabilities),
        cmocka_unit_test(mser_5_is_its_definition),
        cmocka_unit_test(mser_5_finds_where_a_level_ends),
        cmocka_unit_test(mser_5_drops_little_of_what_is_steady),
        cmocka_unit_test(mser_5_says_when_no_truncation_is_good),
        cmocka_unit_test(beginnings_differ_from_five_standard_errors_on),
        cmocka_unit_test(a_beginning_that_differs_is_told_from_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
