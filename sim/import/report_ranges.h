/* NVTX ranges and sampled metrics of a report of Nsight Systems. */
#ifndef SMS_IMPORT_REPORT_RANGES_H
#define SMS_IMPORT_REPORT_RANGES_H

#include "report_tables.h"
#include "trace_read.h"

/* A range of a thread; `around` is the index of the next larger one + 1, 0: none. */
struct sms__report_range {
    int64_t thread, start, end; /* ns */
    const char *name;
    size_t around;
};

struct sms__report_ranges {
    struct sms__report_range *range; /* by thread and start */
    size_t count;
};

/* Without their tables, there are no ranges, steps and samples. */
void sms__report_ranges_read(struct sms__report *report, struct sms__report_ranges *ranges);
/* The name of the innermost range around a time of a thread; NULL: none. */
const char *sms__report_range_at(const struct sms__report_ranges *ranges, int64_t thread, int64_t time);

/* Sets the profile's named steps. They are the starts of ranges of one name but for its number: at least three that do
 * not overlap. They are numbered, or called a step, an iteration, a batch, a frame or a request. Of several kinds, that
 * which takes the most time is taken. `origin` is the profile's 0, in ns. */
void sms__report_steps_read(struct sms__report *report, int64_t origin, struct sms__profile *profile);

/* Gives each launch, which are sorted by start, the means of the GPU metrics sampled while it ran. Adds a fact. */
void sms__report_samples_read(struct sms__report *report, int64_t origin, struct sms__trace_reading *reading);

#endif
