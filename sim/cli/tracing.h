/* --trace: a run of one scenario as Chrome trace events. */
#ifndef SMS_CLI_TRACING_H
#define SMS_CLI_TRACING_H

#include "../report/trace.h"
#include "session.h"

struct trace_options {
    const char *path;      /* NULL: no trace */
    uint64_t events;       /* 0: SMS__TRACE_EVENTS */
    double from_ps, to_ps; /* to_ps -1: the end of the run */
};
extern const struct cli_option trace_table[];

/* Checks the options and, if there is a path, begins the trace of the session's scenario; otherwise *trace is NULL.
 * `policies` and `seed` are those of the run; seed 0: the scenario's. Returns an exit code. */
int tracing_begin(const struct session *session, const struct trace_options *options, const char *const *policies,
                  uint64_t seed, struct sms__trace **trace);
int tracing_end(const struct session *session, struct sms__trace *trace);

#endif
