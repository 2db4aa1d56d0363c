/* A run as simtbs would do it: by ticks, in single precision, with its faults
 * (docs/simtbs.md). Every float is IEEE binary32 and every operation is rounded.
 *
 * Equal blocks that were placed on an SM in one tick stay equal and are one entry. */
#ifndef SMS_LEVELS_SIMTBS_H
#define SMS_LEVELS_SIMTBS_H

#include "../simulate.h"

/* Overhead by use: a table row by row, with the gradient up to each. */
struct sms__simtbs_curve {
    size_t rows;
    const float *ratio, *overhead, *gradient;
};

/* Blocks that came to an SM in one tick. What is left of them is in a row of its own. */
struct sms__simtbs_entry {
    uint32_t kernel;
    uint64_t blocks, since;
};

struct sms__simtbs_sm {
    uint64_t used[SMS_RESOURCES_MAX];
    float overhead; /* by its own use */
    float step;     /* work done in a tick */
    bool changed;   /* its use, since the overhead was worked out */
    size_t busy_at; /* where it stands among the busy ones */
    size_t entries, room;
    float *left; /* [entries] ticks of work */
    struct sms__simtbs_entry *entry;
};

struct sms__simtbs_launch {
    const struct sms__fit *fit;
    uint64_t enter, work;   /* ticks */
    uint64_t waiting, left; /* blocks not placed; not done */
    uint64_t start, end;    /* ticks; 0: not yet */
};

enum sms__simtbs_policy { SMS__RR, SMS__SMK, SMS__FUA, SMS__RRF, SMS__BFA, SMS__DFA };

struct sms__simtbs {
    const struct sms__run_spec *spec;
    struct sms__arena *arena;
    const struct sms__device *device;
    struct sms__simtbs_shape shape;
    enum sms__simtbs_policy policy;
    float limit;
    size_t resources, sms;
    struct sms__simtbs_curve curve[SMS_RESOURCES_MAX];
    uint64_t max[SMS_RESOURCES_MAX];
    struct sms__simtbs_sm *sm;
    size_t *busy, busies; /* SMs with a block on them */
    struct sms__simtbs_launch *launch;
    size_t launches, arrived, head, ended; /* head: the first with blocks to place */
    size_t last;                           /* the SM of the last placement */
    bool placed;                           /* there was one */
    bool blocked;                          /* the head fits nowhere until a block leaves */
    uint64_t used[SMS_RESOURCES_MAX];      /* on all SMs; of the device's own: of the device */
    float device_overhead;
    uint64_t t, end, last_event; /* end 0: none */
    uint64_t events;
    int code;
    uint64_t excess[SMS_RESOURCES_MAX], over[SMS_RESOURCES_MAX]; /* now: units beyond the capacity, and SMs there */
    uint64_t excess_sum[SMS_RESOURCES_MAX], over_sum[SMS_RESOURCES_MAX], active_sum;
    struct sms__simtbs_record *record;
};

/* The whole run. As sms__simulate; SMS_EINPUT with record->why: out of memory, or it would never end. */
int sms__simtbs_run(struct sms__arena *arena, const struct sms__run_spec *spec);

/* rate.c: overheads and the time alone. */
void sms__simtbs_init_curves(struct sms__simtbs *run);
float sms__simtbs_overhead_sm(const struct sms__simtbs *run, const uint64_t *used);
float sms__simtbs_overhead_device(const struct sms__simtbs *run, const uint64_t *used);
/* Ticks that a kernel which can be placed takes by itself, by simtbs's formula. */
double sms__simtbs_alone(const struct sms__simtbs *run, const struct sms__simtbs_launch *launch, uint64_t blocks);

/* pick.c: the SM for the next block, or -1. */
long sms__simtbs_pick(struct sms__simtbs *run, const uint64_t *takes);

/* place.c: blocks come and go. */
void sms__simtbs_place_all(struct sms__simtbs *run);
/* The entries of an SM that are done leave. */
void sms__simtbs_leave(struct sms__simtbs *run, struct sms__simtbs_sm *sm);
void sms__simtbs_finish(struct sms__simtbs *run);

#endif
