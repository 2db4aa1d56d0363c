/* A profile, from any profiler: launches of kernels with their metrics, and copies between host and device. Readers
 * (ncu.c, nvprof.c, nsys.c, kineto.c) fill it, and derive.c makes workloads of it. */
#ifndef SMS_IMPORT_PROFILE_H
#define SMS_IMPORT_PROFILE_H

#include "../base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sms__value_kind {
    SMS__VALUE_NUMBER, /* in `unit`, as the tool wrote it */
    SMS__VALUE_LEVEL   /* 0 to 10, as in nvprof's "High (7)" */
};

/* One metric of a launch; of several runs that the tool measured, their mean. */
struct sms__profile_metric {
    const char
        *name; /* as the tool calls it: "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram_utilization" */
    const char *unit; /* "%", "Gbyte/s", "usecond", "" */
    enum sms__value_kind kind;
    float step; /* what the last printed digit stands for, in `unit`; 0: unknown */
    double mean;
};

/* Where an operation ran. NULL: unknown. The operations of a place share it. */
struct sms__trace_place {
    const char *process, *device, *context, *stream;
    size_t number; /* in a trace, from 0 */
};

/* A kernel in one geometry, as launches of it share it. Unknown values are 0 or NAN. */
struct sms__profile_shape {
    const char *kernel; /* as the tool wrote it, with template and argument lists */
    uint64_t grid[3], block[3];
    uint64_t registers;                   /* per thread */
    double static_shared, dynamic_shared; /* bytes per block; NAN: unknown */
    size_t number;                        /* in a trace, from 0 */
};

/* A file of a profile, and what it holds, for messages. */
struct sms__profile_file {
    const char *path, *text;
};

/* A launch, or several launches of one kernel and geometry that the tool has merged. A trace has millions. Launches and
 * copies begin with the time by which they are sorted. */
struct sms__profile_launch {
    double start_s, duration_s; /* NAN: unknown */
    const struct sms__trace_place *place;
    const struct sms__profile_shape *shape;
    double called_s;     /* of a trace: start of the call that launched it; NAN: unknown */
    int64_t correlation; /* of a trace, with that call */
    bool host_waited;    /* of a trace: for the device, between the call of the launch before and this one */
    uint64_t count;      /* merged launches, at least 1 */
    struct sms__profile_metric *metric;
    uint32_t metrics;
    unsigned line;                        /* of the file, from 1 */
    const struct sms__profile_file *file; /* or NULL */
};

struct sms__profile_copy {
    double start_s, duration_s, bytes;
    bool to_device; /* otherwise to the host; copies within a device are not kept */
    unsigned line;
    const struct sms__trace_place *place; /* NULL: unknown */
};

/* Is told how much of a file was read. Bytes; of a report of nsys, estimated from its rows. */
struct sms__import_watch {
    void (*show)(void *user, uint64_t done, uint64_t total);
    void *user;
};

struct sms__profile {
    const char *tool;                   /* "ncu", "nvprof", "nsys" or "kineto" */
    double memory;                      /* bytes of the GPU's; 0: the file does not tell */
    const char *gpu, *capability;       /* name and compute capability ("10.0"); NULL: the file has none */
    const char *gpu_lines;              /* lines of the program's output that name a GPU; or NULL */
    struct sms__profile_launch *launch; /* by start if starts are known, otherwise in the order of the file */
    size_t launches;
    size_t places, shapes;          /* of a trace: numbers of them are below */
    struct sms__profile_copy *copy; /* by start */
    size_t copies;

    uint64_t most; /* for the reader: bytes of text of a file, as of sms__gzip_open; 0: SMS__TEXT_MOST */
    const struct sms__import_watch *watch; /* for the reader of a trace; or NULL */
    bool demands;                          /* of a trace: some launches have metrics of resources */
    bool ahead;              /* of a trace: all calls are known, so the host launches ahead where it has not waited */
    double delay_s;          /* then: from a call to its launch, if nothing is before that */
    bool trace;              /* all starts and durations are known, of several processes, devices and streams */
    const char *const *fact; /* what was found in the file, for the user: lines without a line break */
    size_t facts;
    const double *step_s; /* of a trace: host times at which steps that the program names begin, ascending */
    size_t steps;
    size_t rounds;  /* iterations.c: launches and copies are so many equal rounds, each of `round_s`; 0: unknown */
    double pitch_s; /* from the start of a round to that of the next */
    double round_s; /* starts count from the start of the first round */
};

#endif
