/* What a run leaves behind: counters, integrals and histograms, all since the end
 * of the warm-up. The levels write them, sim/report reads them. Memory depends on
 * the scenario, never on how many blocks ran. */
#ifndef SMS_RECORD_RECORD_H
#define SMS_RECORD_RECORD_H

#include "../model/scenario.h"

/* Latencies: 2^HALF_BITS buckets per power of two, so a percentile is right to
 * within 1 part in 256 (0.4 %); mean, least and greatest are exact. */
enum { SMS__HALF_BITS = 7, SMS__BUCKETS = (64 - SMS__HALF_BITS + 1) << SMS__HALF_BITS };

struct sms__histogram {
    uint64_t count, least, greatest;
    double sum;
    uint64_t *bucket; /* [SMS__BUCKETS], from the arena at the second value; NULL before */
    struct sms__arena *arena;
};

void sms__histogram_init(struct sms__histogram *histogram, struct sms__arena *arena);
/* In a guard of the arena. */
void sms__histogram_add(struct sms__histogram *histogram, uint64_t value);
void sms__histogram_clear(struct sms__histogram *histogram);

/* The value of rank ceil(p * count), to within the width of a bucket; NAN if empty. */
double sms__histogram_rank(const struct sms__histogram *histogram, double p);

/* Integrals over time are sums of whole numbers, hence exact: the same whenever and
 * in whatever order they are taken. */
__extension__ typedef __int128 sms__integral;

/* Work under way at an end of the time measured counts by the share of it that is done, in parts of this many. Parts
 * are whole numbers, so that their sums do not depend on the order. */
#define SMS__PARTS ((uint64_t)1 << 32)

/* `done` of `whole` > 0, in parts; `done` is at most `whole`. */
static inline uint64_t sms__parts(double done, double whole) { return (uint64_t)(done / whole * (double)SMS__PARTS); }

/* A count of things that ended, with the parts of those under way. */
static inline double sms__count(uint64_t ended, sms__integral parts)
{
    return (double)ended + (double)parts / (double)SMS__PARTS;
}

/* Blocks of a kernel on the devices of one model, over which its demands are the same. Added as the blocks leave. */
struct sms__span_record {
    sms__integral residence_ps; /* time spent on SMs: blocks x time */
    sms__integral work_ps;      /* of that, at full speed */
};

/* A kernel of a VM, over all devices. The integrals of blocks are added as the blocks leave. */
struct sms__kernel_record {
    uint64_t blocks, launches;               /* that ended */
    sms__integral block_parts, launch_parts; /* of those under way at the end, less those at the beginning */
    struct sms__span_record *span;           /* [models of the record] */
    sms__integral wait_ps;                   /* from launch to placement, summed over blocks placed */
    uint64_t placed;
    struct sms__histogram latency; /* of launches, ps */
};

struct sms__vm_record {
    uint64_t jobs, missed;   /* that ended; of those, after the deadline */
    sms__integral job_parts; /* of jobs under way at the end, less those at the beginning */
    uint64_t rejected;       /* arrivals beyond the queue's end */
    double tardiness_ps;
    uint64_t end_ps;               /* when its last job ended, since the run began */
    bool ended;                    /* all jobs are done */
    struct sms__histogram latency; /* of jobs, from arrival, ps */
};

struct sms__device_record {
    sms__integral excess[SMS_RESOURCES_MAX];  /* of usage above SMS_FULL, parts x ps, summed over SMs */
    sms__integral over_ps[SMS_RESOURCES_MAX]; /* time above SMS_FULL, summed over SMs (scope device: times SMs) */
    sms__integral active_ps;                  /* time with a block resident, summed over SMs */
};

/* Of a run under compat simtbs, in its ticks and units. */
struct sms__simtbs_record {
    uint64_t ticks, blocks;            /* simulated; done */
    uint64_t used[SMS_RESOURCES_MAX];  /* after each tick, added up; by resource */
    struct sms__simtbs_kernel *kernel; /* [vms] */
};

struct sms__simtbs_kernel {
    uint64_t start, end; /* ticks; end 0: it has not */
    double alone;        /* ticks that it takes by itself, if it has ended */
};

/* A process, all since the end of the warm-up but what says otherwise. */
struct sms__process_record {
    uint64_t state_ps[SMS_PHASES];         /* time in each phase, while not paused */
    uint64_t sliced_ps;                    /* of that in SMS_PHASE_KERNEL: others had their slices of the device */
    uint64_t paused_ps;                    /* time paused, whatever the phase */
    uint64_t ended_ps;                     /* since the run began; 0: it has not */
    uint64_t service_ps;                   /* kernels of it had the device */
    uint64_t pauses, suspends, migrations; /* a migration: restored on another device than it left */
    double copied_in, copied_out;          /* bytes of its own copies */
    double moved;                          /* bytes of suspending and restoring */
    uint64_t most_held;                    /* device memory, bytes; of the whole run */
    uint64_t refused;                      /* allocations that failed */
    bool failed;                           /* of the whole run */
    size_t choice;                         /* the workload it drew; the same */
};

/* A device, above its blocks. */
struct sms__shared_record {
    uint64_t switches, switch_ps; /* from context to context */
    uint64_t busy_ps;             /* time with a kernel running or a switch under way */
    uint64_t most_held;           /* memory, bytes; of the whole run */
    sms__integral held_ps;        /* bytes x ps */
    double energy_j;
};

/* What a process waits for when nothing happens any more and it is not through. */
enum sms__stall {
    SMS__STALL_DEVICE,
    SMS__STALL_MEMORY,
    SMS__STALL_LAUNCH,
    SMS__STALL_RESTORE, /* it lies on the host */
    SMS__STALL_RESUME,  /* it is paused */
    SMS__STALL_SM,      /* the block policy places none of its blocks */
    SMS__STALLS
};

/* Numbers of either sign. */
struct sms__spread_record {
    uint64_t count;
    sms__integral sum, least, greatest;
};

/* Jobs that ended, by the time left until their deadline, ps. */
struct sms__float_record {
    uint64_t tasks, missed;
    struct sms__spread_record spread;
    struct sms__histogram late, early; /* by how much they missed it; how much was left, 0 included */
};

/* The tasks of a cluster's containers, and what its monitors saw of them, since the end of the warm-up. */
struct sms__monitor_record {
    struct sms__spread_record start, end, run; /* errors, ps: seen - true; of the time between: seen - true */
    struct sms__float_record truly, seen;
    uint64_t unseen;                /* tasks that began and ended between two samples */
    uint64_t requests, unqualified; /* of the master; of those, no node qualified */
    uint64_t messages;              /* answers of nodes */
    uint64_t queued;                /* pods for which no node qualified when they were tried first */
};

enum { SMS__ALLOCATIONS = 201 };

/* A cluster when pods that ask for so many of its GPUs have come. `reached`: they have. */
struct sms__allocation {
    uint64_t gpu_milli, down_milli, fragments; /* allocated; down; as in struct sms__cluster_record */
    bool reached;
};

/* Nodes that were left out of scheduling cycles, by the filter and its reason. */
enum sms__left_out {
    SMS__LEFT_OUT_HOST,       /* default filter: CPU, memory */
    SMS__LEFT_OUT_GPUS,       /* GPUs given whole, models */
    SMS__LEFT_OUT_MEMORY,     /* GPU memory of the node */
    SMS__LEFT_OUT_NOT_SHARED, /* extender: none is shared */
    SMS__LEFT_OUT_DEVICE,     /* no single GPU has as much */
    SMS__LEFT_OUTS
};

/* The protocol of gpushare, of which other clusters have nothing; the same. */
struct sms__gpushare_record {
    uint64_t left_out[SMS__LEFT_OUTS];
    uint64_t rejections; /* cycles that left no node */
    uint64_t bind_failures, assume_timeouts, allocate_failures, misallocations;
    uint64_t faults;               /* pods whose containers found an unhealthy GPU or too little memory */
    uint64_t failed;               /* pods whose containers did not start, for whatever reason */
    struct sms__histogram pending; /* from arrival to the start of the containers, ps */
    uint64_t stranded;             /* bytes left that no pod which waits could use; at the end */
    sms__integral stranded_ps;     /* the same x ps */
};
#define SMS__SLOWDOWN_ONE 1e6

/* A cluster, since the end of the warm-up but what says otherwise. */
struct sms__cluster_record {
    uint64_t arrived, placed; /* a pod that restarts is placed once */
    uint64_t failures, restarts, lost;
    uint64_t running;              /* at the end: have a place */
    uint64_t waiting;              /* at the end: arrived some time, and not placed */
    uint64_t gpu_milli, cpu_milli; /* allocated at the end */
    uint64_t down_milli, down_cpu_milli;
    uint64_t fragments;           /* at the end: thousandths of GPUs, summed over the typical pods by their weights */
    sms__integral gpu_ps, cpu_ps; /* thousandths allocated x ps */
    sms__integral down_ps, down_cpu_ps, wasted_ps; /* the same down; of GPUs that runs had that were cut short */
    uint64_t bytes;                                /* GPU memory allocated at the end */
    sms__integral bytes_ps;                        /* the same x ps */
    struct sms__gpushare_record gpushare;
    struct sms__histogram wait;       /* of pods placed, ps */
    uint64_t timed, missed;           /* with a deadline that ended or came too late; of those, too late */
    uint64_t done, failed;            /* pods that ended; that ended as they failed */
    struct sms__histogram turnaround; /* of those done, from arrival, ps */
    struct sms__histogram slowdown; /* of those with a workload: time on the node / time alone, in SMS__SLOWDOWN_ONE */
    sms__integral alone_ps;         /* of those: time alone x processes */
    uint64_t busy_ps, devices;      /* of all GPUs that run workloads: time with a kernel; their number */
    uint64_t last_end_ps;           /* since the run began */
    uint64_t lasting, unended;      /* pods with a duration, of the whole run; of those, not ended */
    struct sms__allocation allocation[SMS__ALLOCATIONS];
    struct sms__monitor_record *monitor; /* NULL: there is none */
};

/* A value that changes in steps: its integral from the start of what is measured to `t` is integral_ps + value * t. */
struct sms__steps {
    sms__integral integral_ps;
    int64_t value;
};

/* A node, or those of an entry. */
struct sms__node_record {
    struct sms__steps gpu, cpu;       /* thousandths allocated */
    struct sms__steps down, gpu_down; /* nodes; thousandths of GPUs, those of nodes that are down among them */
    uint64_t placements, failures;
};

/* Parts of a run of a duration, to see its beginning by; of all tenants together, and of each if they are not many. */
enum { SMS__SERIES = 1000, SMS__SERIES_VMS = 100 };

struct sms__record {
    const struct sms_scenario *scenario;
    uint64_t from_ps, to_ps;   /* the time measured */
    struct sms__vm_record *vm; /* [vms] */
    size_t *first_kernel;      /* [vms + 1]: index into kernel */
    struct sms__kernel_record *kernel;
    size_t *model; /* [devices]: its model's number; neighbours of one model have the same */
    size_t models;
    struct sms__device_record *device;   /* [devices] */
    struct sms__process_record *process; /* [vms]; NULL where the scenario has no processes */
    struct sms__shared_record *shared;   /* [devices]; the same */
    struct sms__cluster_record *cluster; /* NULL where the scenario has no nodes */
    struct sms__node_record *node;       /* [rows of the cluster]; NULL if these are 0 */
    uint64_t *series; /* [rows][SMS__SERIES]: kernels that ended, by parts of the whole run; NULL: not of this run */
    uint64_t series_ps;
    size_t bins;
    uint64_t bin_ps;
    uint64_t *bin;                     /* [SMs of all devices][bins]: threads x ps */
    struct sms__simtbs_record *simtbs; /* NULL for other runs */
    char why[256];                     /* the run ended in an error: the error in words, or "" */
    const struct sms__node *at;        /* it is the scenario's, and there; NULL: it is the library's or a policy's */
    uint64_t events, stalled;          /* kernels that no policy decision ever placed, at the end */
    uint64_t stall[SMS__STALLS];       /* processes that wait for ever, by what for */
};

void sms__record_init(struct sms__record *record, struct sms__arena *arena, const struct sms_scenario *scenario);

/* A kernel of the VM ends. */
static inline void sms__record_kernel(struct sms__record *record, size_t vm, uint64_t now)
{
    uint64_t part = record->series ? now / record->series_ps : SMS__SERIES;
    if (part >= SMS__SERIES)
        return;
    record->series[part]++;
    if (record->scenario->vms <= SMS__SERIES_VMS)
        record->series[(vm + 1) * SMS__SERIES + part]++;
}
/* The spans of a kernel on all devices, added up. */
struct sms__span_record sms__record_spans(const struct sms__record *record, size_t kernel);
/* 1 for all tenants, and 1 for each if they have theirs. */
size_t sms__series_rows(const struct sms_scenario *scenario);
/* How long a part is; 0: there is no series of such a scenario. */
uint64_t sms__series_ps(const struct sms_scenario *scenario);

/* What is said of the whole run stays. */
void sms__process_record_restart(struct sms__process_record *process);
/* A job that arrived at `since_ps` ends. `deadline_ps` is counted from its arrival; 0: it has none. In a guard of the
 * record's arena. */
void sms__record_job(struct sms__vm_record *record, uint64_t since_ps, double deadline_ps, uint64_t now);

/* How much of a job is done, in parts, at a step of its workload of which `times` launches have ended, and `parts` of
 * the next. Each launch, copy, allocation and span on the host is worth the same. */
uint64_t sms__job_parts(const struct sms__workload *workload, size_t step, uint64_t times, uint64_t parts);

/* The run ends in an error of the scenario, which stands at `at`: what is called so would go on beyond the clock.
 * Returns SMS_EINPUT. */
int sms__record_beyond(struct sms__record *record, const struct sms__node *at, const char *what, const char *name);

/* Forgets all that was measured; what it measures now begins at `now`. */
void sms__record_restart(struct sms__record *record, uint64_t now);

#endif
