/* A run as simtbs would compute it: by ticks, in single precision, with its faults (docs/evidence/simtbs.md). Every
 * float is IEEE binary32, and every operation is rounded.
 *
 * Equal blocks that were placed on an SM in one tick stay equal, and are stored as one entry. */
#ifndef SMS_LEVELS_SIMTBS_H
#define SMS_LEVELS_SIMTBS_H

#include "../simulate.h"

/* Overhead as a function of use: the rows of a table, with the gradient up to each row. */
struct sms__simtbs_curve {
    size_t rows;
    const float *ratio, *overhead, *gradient;
};

/* Equal blocks that were placed on an SM in one tick. The work left of each is in sms__simtbs_sm.left. */
struct sms__simtbs_entry {
    uint32_t kernel;
    uint64_t blocks, since; /* since: tick */
};

struct sms__simtbs_sm {
    uint64_t used[SMS_RESOURCES_MAX];
    float overhead; /* caused by its own use */
    float step;     /* work done in a tick */
    bool changed;   /* its use has changed since the overhead was computed */
    size_t busy_at; /* its index in the list of busy SMs */
    size_t entries, room;
    float *left; /* [entries] ticks of work */
    struct sms__simtbs_entry *entry;
};

struct sms__simtbs_launch {
    const struct sms__footprint *fit;
    uint64_t enter, work;   /* ticks */
    uint64_t waiting, left; /* blocks not yet placed; not yet done */
    uint64_t start, end;    /* ticks; 0: not yet */
};

/* Use beyond the capacity of SMs, now and summed over the ticks of the run. */
struct sms__simtbs_overload {
    uint64_t excess[SMS_RESOURCES_MAX]; /* units beyond the capacity */
    uint64_t over[SMS_RESOURCES_MAX];   /* SMs beyond it */
    uint64_t excess_sum[SMS_RESOURCES_MAX], over_sum[SMS_RESOURCES_MAX];
    uint64_t active_sum; /* SMs with a block */
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
    size_t launches, arrived, head, ended; /* head: the first launch with blocks to place */
    size_t last;                           /* the SM of the last placement */
    bool placed;                           /* a block has been placed */
    bool blocked;                          /* the head fits nowhere until a block leaves */
    uint64_t used[SMS_RESOURCES_MAX];      /* of resources of scope sm: the sum over SMs */
    float device_overhead;
    uint64_t t, end, last_event; /* end 0: none */
    uint64_t events;
    int code;
    struct sms__simtbs_overload overload;
    struct sms__simtbs_record *record;
};

/* Runs the scenario like sms__simulate. SMS_EINPUT with record->why if simtbs would run out of memory or never end. */
int sms__simtbs_run(struct sms__arena *arena, const struct sms__run_spec *spec);

/* rate.c: overheads, and time alone. */
void sms__simtbs_init_curves(struct sms__simtbs *run);
float sms__simtbs_overhead_sm(const struct sms__simtbs *run, const uint64_t *used);
float sms__simtbs_overhead_device(const struct sms__simtbs *run, const uint64_t *used);
/* Returns the ticks that a kernel takes alone, by simtbs's formula. It must fit on an SM. */
double sms__simtbs_alone(const struct sms__simtbs *run, const struct sms__simtbs_launch *launch, uint64_t blocks);

/* pick.c: returns the SM for the next block, or -1. */
long sms__simtbs_pick(struct sms__simtbs *run, const uint64_t *takes);

/* place.c: places and ends blocks. */
void sms__simtbs_place_all(struct sms__simtbs *run);
/* Whether the run is over: canceled, beyond its limit of events, or failed. */
bool sms__simtbs_is_stopped(struct sms__simtbs *run);
/* Removes the entries of an SM that are done. */
void sms__simtbs_leave(struct sms__simtbs *run, struct sms__simtbs_sm *sm);
void sms__simtbs_finish(struct sms__simtbs *run);

#endif
