/* A run as Chrome trace events, which Perfetto and chrome://tracing open:
 * docs/trace.md says what is in the file.
 *
 * What the observers tell is kept as records in memory, no more of them than the
 * budget, and written at the end. When the budget is used up, the records become
 * those of some windows of time, so that each window is whole: of every
 * `period` the first `window`, both powers of two. A window never grows and a
 * period's windows are among those of half the period, so that what was dropped
 * is never missed later: what is left depends on the run alone. */
#ifndef SMS_REPORT_TRACE_H
#define SMS_REPORT_TRACE_H

#include "../base/write.h"
#include "../model/scenario.h"

#include <stdatomic.h>
#include <stdio.h>

enum { SMS__TRACE_EVENTS_MIN = 1000, SMS__TRACE_EVENTS_MAX = 100000000, SMS__TRACE_EVENTS = 500000 };

struct sms__trace_options {
    const char *path;
    const char *const *policies; /* as in sms_run_options */
    uint64_t seed;
    uint64_t events;         /* of blocks, kernels and counters, all policies together */
    uint64_t from_ps, to_ps; /* only what was there in between */
    const atomic_bool *cancel;
};

struct sms__trace;

/* Makes the file under another name, so that a bad path is known before the run. */
int sms__trace_begin(const struct sms_scenario *scenario, const struct sms__trace_options *options,
                     struct sms__trace **out, struct sms_errors *errors);

/* The observers. Different policies may call from different threads. */
void sms__trace_stay(struct sms__trace *trace, const char *policy, const struct sms_stay *stay);
void sms__trace_kernel(struct sms__trace *trace, const char *policy, const struct sms_kernel_run *run);

void sms__trace_span(struct sms__trace *trace, const char *policy, const struct sms_span *span);

/* Of a cluster, which has only these. */
void sms__trace_placement(struct sms__trace *trace, const char *policy, const struct sms_placement *placement);
void sms__trace_departure(struct sms__trace *trace, const char *policy, const struct sms_departure *departure);

/* Writes the file and gives it its name; says on `say`, unless NULL, what was kept. */
int sms__trace_end(struct sms__trace *trace, FILE *say, struct sms_errors *errors);

/* Takes NULL. Of a trace that was not ended nothing is left. */
void sms__trace_free(struct sms__trace *trace);

/* What follows is between trace.c, trace_pods.c, trace_usage.c, trace_tracks.c and trace_write.c. */

__extension__ typedef unsigned __int128 sms__u128;

/* Equal blocks on an SM, a kernel on a stream, or a process in a state. */
struct sms__trace_record {
    uint64_t start_ps, end_ps, blocks; /* of a process, in place of blocks: its device + 1, or 0 */
    uint32_t track; /* of a device the SMs, then the streams; devices follow one another, then processes */
    uint32_t kind;  /* of a process: its state */
};

/* A kernel of a VM. */
struct sms__trace_kind {
    size_t vm, kernel;
};

/* Time with blocks resident, by device, kind and interval of 2^shift ps. The
 * intervals are folded two by two when the run goes beyond the last. */
struct sms__trace_usage {
    sms__u128 *sum; /* [devices][kinds][bins], block x ps */
    size_t rows, bins;
    unsigned shift;
};

enum { SMS__TRACE_CACHE = 256, SMS__TRACE_STATES = 24, SMS__TRACE_STATE = 24 };

/* Of a policy. Times are from the trace's from_ps on. */
struct sms__trace_part {
    const char *label;
    struct sms__trace_record *record; /* by rising end */
    size_t records, capacity, budget;
    uint64_t window, period; /* period 0: everything */
    uint64_t last;           /* the latest end */
    uint64_t stays, blocks, kernels, spans;
    sms__u128 time; /* of the stays, together */
    struct sms__trace_usage usage;
    struct {
        const char *vm, *kernel;
        uint32_t kind;
    } cache[SMS__TRACE_CACHE];
    char state[SMS__TRACE_STATES][SMS__TRACE_STATE]; /* in the order of their first appearance */
    size_t states;
    char *names; /* [names_size]: of pods, a cluster's */
    size_t names_used, names_size;
    bool out_of_memory;
};

struct sms__trace {
    const struct sms_scenario *scenario;
    struct sms__trace_options options;
    struct sms__trace_kind *kind;
    size_t kinds;
    size_t *first_kind;   /* [vms + 1] */
    size_t *first_stream; /* [vms + 1]: among the streams of a device */
    size_t *first_track;  /* [devices + 1]; the last is that of the first process */
    struct sms__trace_part *part;
    size_t parts;
    struct sms__write write;
    FILE *file; /* the write's */
};

/* trace.c. Of the policy, or NULL; the part of a stay that lies between from and to, counted from `from`, and at least
 * 1 ps long, false if there is none; the number of a state. */
struct sms__trace_part *sms__trace_part_of(const struct sms__trace *trace, const char *policy);
bool sms__trace_clip(const struct sms__trace *trace, uint64_t *start, uint64_t *end);
uint32_t sms__trace_state(struct sms__trace_part *part, const char *state);
/* Room for one more record, if there are fewer than the budget. False without memory, which the part then says. */
bool sms__trace_room(struct sms__trace_part *part);

/* trace_usage.c. 0, or -1 without memory; `events` bounds what sms__usage_print may be asked to write. */
int sms__usage_init(struct sms__trace_usage *usage, const struct sms__trace *trace, size_t events);
void sms__usage_add(struct sms__trace_usage *usage, size_t row, uint64_t start, uint64_t end, uint64_t blocks);
/* Whether anything can ask for the resource on the device. */
bool sms__usage_exists(const struct sms__trace *trace, size_t device, size_t resource);
/* The mean over an interval that is cut at `last`: usage of the device in 10^-4 %, resident blocks in 10^-3. */
uint64_t sms__usage_of(const struct sms__trace *trace, const struct sms__trace_part *part, size_t device,
                       size_t resource, size_t bin);
uint64_t sms__usage_blocks(const struct sms__trace *trace, const struct sms__trace_part *part, size_t device,
                           size_t bin);

/* trace_write.c: SMS_OK, SMS_EIO, SMS_ENOMEM or SMS_ECANCELED. */
int sms__trace_write(const struct sms__trace *trace);

#endif
