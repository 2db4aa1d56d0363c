/* For tests of the place level by hand: what is told of placements, on both engines. */
#ifndef TESTS_UNIT_PLACING_H
#define TESTS_UNIT_PLACING_H

#include "tests/harness.h"

#include <stdio.h>

/* What was told of placements, as lines "TIME_S POD NODE GPUS", and of departures, "START_S END_S POD NODE GPUS ENDED".
 */
struct told {
    char text[4096], departures[8192];
    struct sms_placement last;
    size_t placed, departed;
};

static inline void tell(void *user, const char *policy, const struct sms_placement *placement)
{
    struct told *told = user;
    size_t used = strlen(told->text);
    (void)policy;
    snprintf(told->text + used, sizeof told->text - used, "%g %s %s %llx\n", (double)placement->time_ps / 1e12,
             placement->pod, placement->node, (unsigned long long)placement->gpus);
    told->last = *placement;
    told->placed++;
}

static inline void tell_departure(void *user, const char *policy, const struct sms_departure *departure)
{
    struct told *told = user;
    size_t used = strlen(told->departures);
    (void)policy;
    snprintf(told->departures + used, sizeof told->departures - used, "%g %g %s %s %llx %s\n",
             (double)departure->start_ps / 1e12, (double)departure->end_ps / 1e12, departure->pod, departure->node,
             (unsigned long long)departure->gpus, departure->ended);
    told->departed++;
}

static inline double metric(const struct sms_results *results, const char *name)
{
    size_t count;
    const struct sms_metric *metrics = sms_metrics(SMS_CLUSTER, &count);
    for (size_t m = 0; m < count; m++)
        if (!strcmp(metrics[m].name, name))
            return sms_results_value(results, 0, 0, SMS_CLUSTER, 0, m);
    fail_msg("no metric %s", name);
    return 0;
}

static inline struct sms_run_options options_for(struct told *told, enum sms_engine engine)
{
    struct sms_run_options options = sms_run_defaults();
    *told = (struct told){.text = ""};
    options.on_placement = tell;
    options.on_departure = tell_departure;
    options.user = told;
    options.check = true;
    options.engine = engine;
    return options;
}

/* Runs it on both engines, which must say the same; the caller frees the results and the file. */
static inline struct sms_results *run_told(struct sms_file *file, const char *expected)
{
    struct told told;
    struct sms_run_options options = options_for(&told, SMS_ENGINE_REFERENCE);
    sms_results_free(run_first(file, &options));
    assert_string_equal(told.text, expected);
    options = options_for(&told, SMS_ENGINE_FAST);
    struct sms_results *results = run_first(file, &options);
    assert_string_equal(told.text, expected);
    assert_int_equal(told.departed, told.placed);
    return results;
}

static inline void assert_told(struct sms_file *file, const char *expected)
{
    sms_results_free(run_told(file, expected));
    sms_file_free(file);
}

#endif
