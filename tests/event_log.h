/* Logs a cluster run as text for tests with exact expectations. Both engines must produce the same log, with checks
 * on. */
#ifndef TESTS_EVENT_LOG_H
#define TESTS_EVENT_LOG_H

#include "tests/harness.h"

#include <stdio.h>

/* One line for each event. Placements are "TIME POD NODE GPUS", departures "START END POD NODE GPUS ENDED", and
 * messages of policies "TIME POD: TEXT". */
struct event_log {
    double unit_ps; /* ps in a unit of the logged times */
    char placements[8192], departures[8192], messages[65536];
    size_t placed, departed;
    double wait; /* wait of the latest placement, in units */
};

static inline void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static inline void log_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    struct event_log *log = user;
    (void)policy;
    append(log->placements, sizeof log->placements, "%g %s %s %llx", (double)placement->time_ps / log->unit_ps,
           placement->pod, placement->node, (unsigned long long)placement->gpus);
    if (placement->profile)
        append(log->placements, sizeof log->placements, "@%u", placement->slice);
    append(log->placements, sizeof log->placements, "\n");
    log->wait = (double)placement->wait_ps / log->unit_ps;
    log->placed++;
}

static inline void log_departure(void *user, const char *policy, const struct sms_departure *departure)
{
    struct event_log *log = user;
    (void)policy;
    append(log->departures, sizeof log->departures, "%g %g %s %s %llx %s\n", (double)departure->start_ps / log->unit_ps,
           (double)departure->end_ps / log->unit_ps, departure->pod, departure->node,
           (unsigned long long)departure->gpus, departure->ended);
    log->departed++;
}

static inline void log_message(void *user, const char *policy, const struct sms_message *message)
{
    struct event_log *log = user;
    (void)policy;
    append(log->messages, sizeof log->messages, "%g %s: %s\n", (double)message->time_ps / log->unit_ps,
           message->process, message->text);
}

static inline int observe(void *user, const struct sms_run_event *event)
{
    if (event->kind == SMS_RUN_PLACEMENT)
        log_placement(user, event->policy, event->placement);
    else if (event->kind == SMS_RUN_DEPARTURE)
        log_departure(user, event->policy, event->departure);
    else
        log_message(user, event->policy, event->message);
    return 0;
}

static inline struct sms_run_options options_for(struct event_log *log, double unit_ps, enum sms_engine engine)
{
    struct sms_run_options options = sms_run_defaults();
    *log = (struct event_log){.unit_ps = unit_ps};
    options.observe = observe;
    options.events = SMS_RUN_PLACEMENT | SMS_RUN_DEPARTURE | SMS_RUN_MESSAGE;
    options.user = log;
    options.check = true;
    options.engine = engine;
    return options;
}

/* Runs the scenario at `idx` on both engines, which must agree, and fills `log`. The caller frees the results. */
static inline struct sms_results *run_both(const struct sms_file *file, size_t idx, double unit_ps,
                                           struct event_log *log)
{
    static struct event_log by_reference;
    struct sms_run_options options = options_for(&by_reference, unit_ps, SMS_ENGINE_REFERENCE);
    struct sms_results *reference = run_scenario_of(file, idx, &options);
    options = options_for(log, unit_ps, SMS_ENGINE_FAST);
    struct sms_results *results = run_scenario_of(file, idx, &options);
    assert_string_equal(by_reference.placements, log->placements);
    assert_string_equal(by_reference.departures, log->departures);
    assert_int_equal(log->departed, log->placed);
    assert_string_equal(by_reference.messages, log->messages);
    assert_same_metrics(results, reference, SMS_CLUSTER);
    assert_same_metrics(results, reference, SMS_NODE);
    sms_results_free(reference);
    return results;
}

#endif
