/* Common helpers of tests: cmocka, scenarios loaded from text, and metrics of results. */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <smsched/smsched.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline struct sms_load_options harness_options(void)
{
    return (struct sms_load_options){.installed_models = SOURCE_DIR "/models"};
}

/* Loads a file. A problem fails the test. */
static inline struct sms_file *load_path_with(const char *path, const struct sms_load_options *options)
{
    struct sms_errors errors;
    struct sms_file *file;
    if (sms_file_load(path, options, &file, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("%s does not load", path);
    }
    return file;
}

static inline struct sms_file *load_path(const char *path)
{
    struct sms_load_options options = harness_options();
    return load_path_with(path, &options);
}

/* Loads a text by way of a temporary file. */
static inline struct sms_file *load_text_with(const char *text, const struct sms_load_options *options)
{
    char path[] = "/tmp/smsched-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    struct sms_file *file = load_path_with(path, options);
    unlink(path);
    return file;
}

static inline struct sms_file *load_text(const char *format, ...)
{
    struct sms_load_options options = harness_options();
    char text[16384];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return load_text_with(text, &options);
}

static inline struct sms_results *run_scenario_of(const struct sms_file *file, size_t idx,
                                                  const struct sms_run_options *options)
{
    struct sms_errors errors;
    struct sms_results *results;
    if (sms_run(sms_file_scenario(file, idx), options, &results, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("the scenario does not run");
    }
    return results;
}

static inline struct sms_results *run_first(const struct sms_file *file, const struct sms_run_options *options)
{
    return run_scenario_of(file, 0, options);
}

static inline struct sms_bound bound_of(const struct sms_file *file, enum sms_bounded metric)
{
    struct sms_errors errors;
    struct sms_bound bound;
    if (sms_bound(sms_file_scenario(file, 0), metric, &bound, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("no bound");
    }
    return bound;
}

static inline void discard(struct sms_results *results, struct sms_file *file)
{
    sms_results_free(results);
    sms_file_free(file);
}

static inline size_t metric_idx(enum sms_subject subject, const char *name)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t m = 0; m < count; m++)
        if (!strcmp(metric[m].name, name))
            return m;
    fail_msg("no metric %s", name);
    return 0;
}

static inline struct sms_estimate estimate(const struct sms_results *results, size_t policy, enum sms_subject subject,
                                           size_t idx, const char *name)
{
    return sms_results_estimate(results, policy, subject, idx, metric_idx(subject, name));
}

/* A metric of the cluster in the first replication. */
static inline double metric_under(const struct sms_results *results, size_t policy, const char *name)
{
    return sms_results_value(results, policy, 0, SMS_CLUSTER, 0, metric_idx(SMS_CLUSTER, name));
}

static inline double metric(const struct sms_results *results, const char *name)
{
    return metric_under(results, 0, name);
}

/* Compares all metrics of all policies and replications. */
static inline void assert_same_metrics(const struct sms_results *a, const struct sms_results *b,
                                       enum sms_subject subject)
{
    size_t metrics, subjects = sms_results_subjects(a, subject);
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    size_t values = subjects * metrics, replications = sms_results_replications(a);
    assert_int_equal(replications, sms_results_replications(b));
    for (size_t p = 0; p < sms_results_policies(a); p++)
        for (size_t i = 0; i < replications * values; i++) {
            size_t r = i / values, s = i % values / metrics, m = i % metrics;
            double x = sms_results_value(a, p, r, subject, s, m), y = sms_results_value(b, p, r, subject, s, m);
            if (!(x == y || (isnan(x) && isnan(y))))
                fail_msg("%s: %.17g and %.17g", metric[m].name, x, y);
        }
}

static inline void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.10g is not within %.3g of %.10g", actual, tolerance, expected);
}

/* A device of `sms` SMs of `blocks` blocks each, with the resources fp32, fp64 (compute), l1, dram (memory). */
#define SMALL_DEVICE                                                                                                   \
    "device: small\nclock: 1 GHz\nsms: %d\n"                                                                           \
    "sm: {threads: 16384, warps: 512, blocks: %d, registers: 65536, shared_memory: 96 KiB, threads_per_block: "        \
    "16384}\n"                                                                                                         \
    "resources:\n  fp32: {class: compute}\n  fp64: {class: compute}\n  l1: {class: memory}\n"                          \
    "  dram: {class: memory, scope: %s}\n"

#endif
