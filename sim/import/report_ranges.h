/* NVTX ranges and sampled metrics of a report of Nsight Systems. Without their tables, there are no steps and samples.
 */
#ifndef SMS_IMPORT_REPORT_RANGES_H
#define SMS_IMPORT_REPORT_RANGES_H

#include "report_tables.h"
#include "trace_read.h"

/* Sets the profile's named steps. They are the starts of ranges of one name but for its number: at least three that do
 * not overlap. They are numbered, or called a step, an iteration, a batch, a frame or a request. Of several kinds, that
 * which takes the most time is taken. `origin` is the profile's 0, in ns. */
void sms__report_steps_read(struct sms__report *report, int64_t origin, struct sms__profile *profile);

/* Gives each launch, which are sorted by start, the means of the GPU metrics sampled while it ran. Adds a fact. */
void sms__report_samples_read(struct sms__report *report, int64_t origin, struct sms__trace_reading *reading);

#endif
