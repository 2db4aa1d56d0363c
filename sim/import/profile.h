/* What a profiler said of a program, whichever profiler: kernels as they were
 * launched, with metrics, and copies between host and device. Readers
 * (ncu.c, nvprof.c) fill it, derive.c makes workloads of it. */
#ifndef SMS_IMPORT_PROFILE_H
#define SMS_IMPORT_PROFILE_H

#include "../base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sms__value_kind {
    SMS__VALUE_NUMBER, /* in `unit`, as the tool wrote it */
    SMS__VALUE_LEVEL   /* 0..10, as in nvprof's "High (7)" */
};

/* One metric of a launch. Of several runs of it: mean, least and greatest; else all three are equal. */
struct sms__profile_metric {
    const char
        *name; /* as the tool calls it: "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram_utilization" */
    const char *unit; /* "%", "Gbyte/s", "usecond", "" */
    enum sms__value_kind kind;
    double mean, min, max;
};

/* A launch, or several of one kernel and geometry that the tool has merged. What is not known is 0 or NAN. */
struct sms__profile_launch {
    const char *process, *device, *context, *stream;
    const char *kernel; /* as written: with template and argument lists */
    uint64_t grid[3], block[3];
    uint64_t registers;                   /* of a thread */
    double static_shared, dynamic_shared; /* bytes of a block; NAN */
    double start_s, duration_s;           /* NAN */
    uint64_t count;                       /* launches that this stands for, at least 1 */
    struct sms__profile_metric *metric;
    size_t metrics;
    unsigned line; /* of the file, from 1 */
};

struct sms__profile_copy {
    bool to_device; /* else to the host; copies within a device are left out */
    double bytes, start_s, duration_s;
    unsigned line;
};

struct sms__profile {
    const char *tool;                   /* "ncu" or "nvprof" */
    const char *gpu, *capability;       /* its name, "10.0" as compute capability; NULL where the file does not say */
    const char *printed;                /* lines of the program's that name a GPU; or NULL */
    struct sms__profile_launch *launch; /* in order of time where times are known, else of the file */
    size_t launches;
    struct sms__profile_copy *copy; /* by start */
    size_t copies;
};

#endif
