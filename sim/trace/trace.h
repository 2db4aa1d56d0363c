/* Writes a run as Chrome trace events, in JSON, which Perfetto and chrome://tracing open (docs/reference/trace.md).
 *
 * Each event is written when it is observed, up to a budget of events for each policy. Later events are only counted,
 * so the file has those that ended first. The policies must run one after the other,
 * each once: the file has them in that order. */
#ifndef SMS_TRACE_TRACE_H
#define SMS_TRACE_TRACE_H

#include <smsched/smsched.h>

#include <stdio.h>

enum { SMS__TRACE_EVENTS_MIN = 1000, SMS__TRACE_EVENTS_MAX = 100000000, SMS__TRACE_EVENTS = 500000 };

struct sms__trace_settings {
    const char *path;
    const char *const *policies; /* as in sms_run_options */
    uint64_t seed;
    uint64_t events;         /* maximum number of blocks, kernels, spans and instants, of all policies together */
    uint64_t from_ps, to_ps; /* only events that overlap this interval are in the file */
};

struct sms__trace;

/* Creates the file under a temporary name, so that a bad path is known before the run. Returns SMS_OK, or the code of
 * the error in `errors`. */
int sms__trace_begin(const struct sms_scenario *scenario, const struct sms__trace_settings *options,
                     struct sms__trace **out, struct sms_errors *errors);

/* The kinds of events that a trace has, and an event of such a kind. */
enum {
    SMS__TRACE_EVENT_KINDS =
        SMS_RUN_STAY | SMS_RUN_KERNEL | SMS_RUN_SPAN | SMS_RUN_MISS | SMS_RUN_PLACEMENT | SMS_RUN_DEPARTURE
};
void sms__trace_add(struct sms__trace *trace, const struct sms_run_event *event);

/* Completes the file and gives it its name. Prints to `summary`, unless it is NULL, how much was kept. */
int sms__trace_end(struct sms__trace *trace, FILE *summary, struct sms_errors *errors);

/* Frees the trace, which may be NULL. Removes a file that was not ended. */
void sms__trace_free(struct sms__trace *trace);

#endif
