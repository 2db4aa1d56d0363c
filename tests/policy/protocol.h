/* Runs scenarios under gpushare on both engines and under --check, and notes what is told of the protocol. */
#ifndef TESTS_POLICY_PROTOCOL_H
#define TESTS_POLICY_PROTOCOL_H

#include "tests/harness.h"

#include <stdio.h>

/* What was told of placements, as lines "TIME_MS POD NODE GPUS", and of the protocol, as lines "TIME_MS POD: TEXT". */
struct told {
    char placements[8192], departures[8192], sayings[65536];
    double wait_ms; /* of the last placement */
};

static inline void add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline void add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static inline void tell_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    struct told *told = user;
    (void)policy;
    add(told->placements, sizeof told->placements, "%g %s %s %llx\n", (double)placement->time_ps / 1e9, placement->pod,
        placement->node, (unsigned long long)placement->gpus);
    told->wait_ms = (double)placement->wait_ps / 1e9;
}

static inline void tell_departure(void *user, const char *policy, const struct sms_departure *departure)
{
    struct told *told = user;
    (void)policy;
    add(told->departures, sizeof told->departures, "%g %s %s\n", (double)departure->end_ps / 1e9, departure->pod,
        departure->ended);
}

static inline void tell_saying(void *user, const char *policy, const struct sms_saying *saying)
{
    struct told *told = user;
    (void)policy;
    add(told->sayings, sizeof told->sayings, "%g %s: %s\n", (double)saying->time_ps / 1e9, saying->process,
        saying->text);
}

static inline struct sms_results *run_engine(const struct sms_file *file, size_t idx, enum sms_engine engine,
                                             struct told *told)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results;
    struct sms_errors errors;
    memset(told, 0, sizeof *told);
    options.on_placement = tell_placement;
    options.on_departure = tell_departure;
    options.on_saying = tell_saying;
    options.user = told;
    options.check = true;
    options.engine = engine;
    if (sms_run(sms_file_scenario(file, idx), &options, &results, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("the scenario does not run");
    }
    return results;
}

static inline double metric(const struct sms_results *results, const char *name)
{
    return estimate(results, 0, SMS_CLUSTER, 0, name).mean;
}

/* A file that was run: what was told of its scenario, and its results. */
struct ran {
    struct sms_file *file;
    struct sms_results *results;
    struct told told;
};

static inline void run_file(struct ran *ran, struct sms_file *file, size_t idx)
{
    static struct told plain;
    size_t metrics;
    struct sms_results *reference = run_engine(file, idx, SMS_ENGINE_REFERENCE, &plain);
    ran->file = file;
    ran->results = run_engine(file, idx, SMS_ENGINE_FAST, &ran->told);
    assert_string_equal(plain.placements, ran->told.placements);
    assert_string_equal(plain.sayings, ran->told.sayings);
    sms_metrics(SMS_CLUSTER, &metrics);
    for (size_t m = 0; m < metrics; m++) {
        double a = sms_results_value(reference, 0, 0, SMS_CLUSTER, 0, m);
        double b = sms_results_value(ran->results, 0, 0, SMS_CLUSTER, 0, m);
        assert_true(a == b || (isnan(a) && isnan(b)));
    }
    sms_results_free(reference);
}

static inline void run_scenario(struct ran *ran, const char *name, size_t idx)
{
    char path[512];
    snprintf(path, sizeof path, SOURCE_DIR "/scenarios/gpushare/%s.yaml", name);
    run_file(ran, load_path(path), idx);
}

static inline void close_ran(struct ran *ran)
{
    sms_results_free(ran->results);
    sms_file_free(ran->file);
}

static inline void assert_says(const struct ran *ran, const char *line)
{
    if (!strstr(ran->told.sayings, line))
        fail_msg("it does not say '%s', but\n%s", line, ran->told.sayings);
}

#endif
