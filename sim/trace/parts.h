/* What the files of the trace writer share: the trace of the policy that runs now and its tracks. The
 * files that observe say what happens, and trace_json.c writes it. */
#ifndef SMS_TRACE_PARTS_H
#define SMS_TRACE_PARTS_H

#include "trace.h"

#include "../base/arena.h"
#include "../base/write.h"
#include "../model/scenario.h"

#include <zlib.h>

/* What can be in a trace. The cluster's is pods, others have the rest. */
enum sms__trace_class {
    SMS__TRACE_BLOCKS,
    SMS__TRACE_KERNELS,
    SMS__TRACE_SPANS,
    SMS__TRACE_INSTANTS,
    SMS__TRACE_PODS,
    SMS__TRACE_CLASSES
};

/* Enough for a name of a track or a kernel. Names of pods may be longer. */
enum { SMS__TRACE_NAME_BYTES = 2 * SMS__FIELD_BYTES };

/* A place where events are shown. Events of one lane never overlap, as viewers demand, and come in order of time. */
struct sms__trace_track {
    struct sms__trace_lane {
        uint64_t end_ps, tid;
    } * lane;
    size_t lanes;
    /* of a process: whether its last span was a kernel; when its last kernel ended */
    bool was_kernel;
    uint64_t kernel_end_ps;
};

/* Events of one class that were observed, and those that are in the file. `blocks` is of stays only. */
struct sms__trace_count {
    uint64_t seen, kept, blocks, blocks_kept;
};

/* Summary of one policy. */
struct sms__trace_part {
    const char *label;
    struct sms__trace_count count[SMS__TRACE_CLASSES];
};

struct sms__trace {
    struct sms__arena arena;
    const struct sms_scenario *scenario;
    struct sms__trace_settings options;
    struct sms__write write;
    FILE *to;    /* write.to, or a stream that compresses into its file: */
    gzFile gzip; /* NULL: it does not */
    bool out_of_memory;
    bool begun;           /* an event has been written */
    size_t *first_stream; /* [vms + 1]: among the streams of a device */
    size_t *first_track;  /* [devices + 1]: SMs, then streams; the last is the first process. Behind the processes is a
                           * track for the misses of each "process" of the viewer. A cluster has tracks of its own */
    struct sms__trace_part *part;
    size_t parts;
    /* the policy that runs now */
    size_t current; /* index of its part; `parts` before the first */
    uint64_t left;  /* number of events that may still be written */
    struct sms__trace_track *track;
    size_t tracks;
    bool *named; /* [sms__trace_pids]: the "process" of the viewer has a name */
    uint64_t next_tid;
};

/* An event with a duration, or an instant. */
struct sms__trace_slice {
    const char *category, *name, *kernel; /* kernel: behind the name, "VM/KERNEL"; or NULL */
    size_t track, pid;                    /* pid: index among those of the policy */
    uint64_t start_ps, end_ps;
    bool instant; /* at start_ps */
    void (*name_track)(const struct sms__trace *trace, size_t track, char name[SMS__TRACE_NAME_BYTES]);
    size_t sort_index; /* of the track's first lane among those of the same pid */
    size_t lanes_max;  /* an event that needs more lanes is left out */
    struct {
        const char *name, *text; /* NULL: there is none; it is a number */
        uint64_t number;
    } detail;   /* one more argument */
    size_t sms; /* another, if not 0 */
};

/* trace_json.c: writes the parts of a file to trace->to, as Chrome trace events. A "process" of the viewer and a
 * lane are begun before their first event. */
void sms__trace_json_begin(struct sms__trace *trace);
/* The viewer shows the process as "LABEL, NAME". */
void sms__trace_json_process(struct sms__trace *trace, uint64_t pid, const char *name);
void sms__trace_json_lane(struct sms__trace *trace, const struct sms__trace_slice *slice, size_t lane);
void sms__trace_json_put(struct sms__trace *trace, const struct sms__trace_slice *slice, uint64_t tid);
/* `file`: the scenario's. */
void sms__trace_json_end(struct sms__trace *trace, const char *file);

/* trace_slices.c. Begins a "process" of the viewer. Does so once. */
void sms__trace_name_pid(struct sms__trace *trace, size_t pid, const char *name);
/* Counts the event, and writes it if the budget has room. Returns whether it was written. */
bool sms__trace_put(struct sms__trace *trace, enum sms__trace_class class, const struct sms__trace_slice *slice);

/* Makes `policy` the current one. False if it is not in the trace, or the interval does not overlap that of
 * the options. */
bool sms__trace_observe(struct sms__trace *trace, const char *policy, uint64_t start_ps, uint64_t end_ps);

/* Number of "processes" of each policy, and the viewer's number of one of the current policy. */
static inline size_t sms__trace_pids(const struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    return scenario->cluster ? scenario->cluster->nodes + 1 : scenario->devices + 1;
}

static inline uint64_t sms__trace_pid(const struct sms__trace *trace, size_t pid)
{
    return 1 + trace->current * sms__trace_pids(trace) + pid;
}

/* The number of streams of all tenants. */
static inline size_t sms__trace_streams(const struct sms__trace *trace)
{
    return trace->first_stream[trace->scenario->vms];
}

/* runs.c */
void sms__trace_stay(struct sms__trace *trace, const char *policy, const struct sms_stay *stay);
void sms__trace_kernel(struct sms__trace *trace, const char *policy, const struct sms_kernel_run *run);
void sms__trace_span(struct sms__trace *trace, const char *policy, const struct sms_span *span);
void sms__trace_miss(struct sms__trace *trace, const char *policy, const struct sms_miss *miss);
/* trace_pods.c */
void sms__trace_placement(struct sms__trace *trace, const char *policy, const struct sms_placement *placement);
void sms__trace_departure(struct sms__trace *trace, const char *policy, const struct sms_departure *departure);

#endif
