/* Derives workloads from a trace of processes, devices and streams. */
#ifndef SMS_IMPORT_RECORDED_TRACE_H
#define SMS_IMPORT_RECORDED_TRACE_H

#include "derive.h"

struct sms__trace_options {
    struct sms__derive_options derive;
    const char *model; /* name of the target device */
    double jobs_most;  /* that the scenario runs of a workload; 0: 100 */
    FILE *notes;       /* is told what was found; or NULL */
};

/* Writes a workload for each process on each device, whose job is the iteration that repeats, and a scenario that runs
 * them. Where operations of a process overlap, each of its streams has a workload instead. Must run in a guard of
 * `arena`. Returns SMS_OK, or a code with `errors` filled. */
int sms__trace_convert(struct sms__arena *arena, const struct sms__profile *profile,
                       const struct sms__trace_options *options, FILE *to, struct sms_errors *errors);

#endif
