/* What the files of the trace writer share: the trace of the policy that runs now, its tracks, and its counters. */
#ifndef SMS_REPORT_TRACE_PARTS_H
#define SMS_REPORT_TRACE_PARTS_H

#include "trace.h"

#include "../base/write.h"
#include "../model/scenario.h"

__extension__ typedef unsigned __int128 sms__u128;

/* What can be in a trace. The cluster's is pods, others have the rest. */
enum sms__trace_class { SMS__TRACE_BLOCKS, SMS__TRACE_KERNELS, SMS__TRACE_SPANS, SMS__TRACE_PODS, SMS__TRACE_CLASSES };

/* A kernel of a tenant. */
struct sms__trace_kind {
    size_t vm, kernel;
    char *name; /* "VM/KERNEL", escaped for JSON */
};

/* A place where events are shown. Events of one lane never overlap, as viewers demand. */
struct sms__trace_track {
    struct sms__trace_lane {
        uint64_t end_ps, tid;
    } * lane;
    size_t lanes;
};

/* Block x picoseconds by device, kernel and interval of 2^shift ps. Intervals are merged in pairs when the run goes
 * beyond the last. Times count from from_ps of the options. */
struct sms__trace_usage {
    sms__u128 *sum; /* [devices][kinds][bins] */
    size_t rows, bins;
    unsigned shift;
    uint64_t last_ps; /* the latest end */
};

/* Events of one class that were observed, and those that are in the file. `blocks` is of stays only. */
struct sms__trace_count {
    uint64_t seen, kept, blocks, blocks_kept;
};

/* Summary of one policy. */
struct sms__trace_part {
    const char *label;
    struct sms__trace_count count[SMS__TRACE_CLASSES];
    uint64_t interval_ps; /* of the counters; 0 without */
};

enum { SMS__TRACE_CACHE = 256 };

struct sms__trace {
    const struct sms_scenario *scenario;
    struct sms__trace_options options;
    struct sms__write write;
    bool out_of_memory, has_events;
    struct sms__trace_kind *kind;
    size_t kinds;
    size_t *first_stream; /* [vms + 1]: among the streams of a device */
    size_t *first_track;  /* [devices + 1]: SMs, then streams; the last is the first process, or a cluster's tracks */
    struct sms__trace_part *part;
    size_t parts;
    /* the policy that runs now */
    size_t current; /* index of its part; `parts` before the first */
    uint64_t left;  /* number of events that may still be written */
    struct sms__trace_track *track;
    size_t tracks;
    bool *named; /* [sms__trace_pids]: the "process" of the viewer has a name */
    struct sms__trace_usage usage;
    uint64_t next_tid;
    struct {
        const char *vm, *kernel;
        size_t kind;
    } cache[SMS__TRACE_CACHE];
};

/* An event with a duration. */
struct sms__trace_slice {
    const char *category, *name, *color; /* name: escaped for JSON */
    size_t track, pid;                   /* pid: index among those of the policy */
    uint64_t start_ps, end_ps;
    void (*name_thread)(const struct sms__trace *trace, size_t track, FILE *to); /* prints the track's name, escaped */
    size_t sort_index; /* of the track's first lane among those of the same pid */
    size_t lanes_max;  /* an event that needs more lanes is left out */
    char detail[64];   /* more arguments, as "\"blocks\":2,"; or "" */
};

/* events.c. Prints a string escaped for JSON, without quotes; or returns a copy, NULL without memory. */
void sms__trace_print(FILE *to, const char *text);
char *sms__trace_escape(const char *text);
/* Names a "process" of the viewer: "LABEL, NAME". Does so once. */
void sms__trace_name_pid(struct sms__trace *trace, size_t pid, const char *name);
/* Counts the event, and writes it if the budget has room. Returns whether it was written. */
bool sms__trace_put(struct sms__trace *trace, enum sms__trace_class class, const struct sms__trace_slice *slice);
void sms__trace_counter(struct sms__trace *trace, size_t device, const char *name, const char *unit, uint64_t time_ps,
                        uint64_t value, int decimals);
/* Number of "processes" of each policy. */
size_t sms__trace_pids(const struct sms__trace *trace);

/* usage.c: the counters of a policy. Begins with none; SMS_ENOMEM without memory. `events` is the maximum number
 * of events that sms__usage_write may write. */
int sms__usage_begin(struct sms__trace *trace, size_t events);
void sms__usage_add(struct sms__trace_usage *usage, size_t row, uint64_t start, uint64_t end, uint64_t blocks);
void sms__usage_write(struct sms__trace *trace);

/* trace.c: makes `policy` the current one. False if it is not in the trace, or the interval does not overlap that of
 * the options, to which it is cut. */
bool sms__trace_observe(struct sms__trace *trace, const char *policy, uint64_t *start_ps, uint64_t *end_ps);

#endif
