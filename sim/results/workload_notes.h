/* Notes on workloads whose kernels were not measured where they run, or not measured at all. */
#ifndef SMS_RESULTS_WORKLOAD_NOTES_H
#define SMS_RESULTS_WORKLOAD_NOTES_H

#include "results.h"

/* Notes which workloads were scaled from another device, by the run or before it, which run as they were profiled
 * elsewhere, which were fitted, and how much of a workload's kernel time has no metrics. */
void sms__note_workloads(struct sms_results *results);

#endif
