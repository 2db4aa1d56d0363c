/* Helpers for tests that compare simulated means with closed forms. */
#ifndef TESTS_LAWS_STATISTICS_H
#define TESTS_LAWS_STATISTICS_H

#include "tests/harness.h"

#include <gsl/gsl_cdf.h>

/* Factor by which tests simulate longer, as in SMSCHED_PATIENCE=50 build/tests/test_... . */
static inline double patience(void)
{
    const char *given = getenv("SMSCHED_PATIENCE");
    return given && atof(given) > 0 ? atof(given) : 1;
}

/* Half the width of the interval that misses the truth with probability `miss`. */
static inline double half_width(struct sms_estimate e, double miss)
{
    return gsl_cdf_tdist_Qinv(miss / 2, (double)e.n - 1) * e.sd / sqrt((double)e.n);
}

/* A law that holds fails this once in 10^4 seeds, and the seed is fixed. The interval must be narrow, so that the test
 * is sharp: a truth that is 6 % off fails. */
static inline void assert_law(const char *law, struct sms_estimate e, double truth)
{
    print_message("| %s | %.6g | %.6g | %.2g |\n", law, truth, e.mean, e.ci95);
    assert_near(e.mean, truth, half_width(e, 1e-4));
    assert_true(half_width(e, 1e-4) < 0.06 * truth);
}

/* A count and its integral over time agree, except for the work in flight at the start and the end of the measured
 * time. Over replications these differences cancel. */
struct identity {
    double counted, integrated;
};

static inline void add_pair(struct identity *identity, double counted, double integrated)
{
    assert_near(counted, integrated, 0.05 * integrated);
    identity->counted += counted;
    identity->integrated += integrated;
}

static inline void assert_identity(const struct identity *identity)
{
    assert_near(identity->counted, identity->integrated, 0.003 * identity->integrated);
}

static inline double value(const struct sms_results *results, size_t replication, enum sms_subject subject, size_t idx,
                           const char *name)
{
    return sms_results_value(results, 0, replication, subject, idx, metric_idx(subject, name));
}

/* The probability that all servers are busy (Erlang 1917), from the blocking probability by recursion. */
static inline double erlang_c(double servers, double load)
{
    double blocked = 1, offered = servers * load;
    for (int i = 1; i <= (int)servers; i++)
        blocked = offered * blocked / (i + offered * blocked);
    return blocked / (1 - load * (1 - blocked));
}

static inline struct sms_results *run_shared(const struct sms_file *file, uint64_t seed)
{
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.seed = seed;
    return run_first(file, &options);
}

#endif
