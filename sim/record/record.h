/* The measurements of a run: counters, integrals and histograms, all since the end of the warm-up. The levels write
 * them and sim/results and sim/bound read them. Their memory depends on the scenario, never on how many blocks ran. */
#ifndef SMS_RECORD_RECORD_H
#define SMS_RECORD_RECORD_H

#include "../model/scenario.h"

/* A histogram has 2^HALF_BITS buckets per power of two, so a percentile is correct to within 1 part in 256 (0.4 %).
 * Mean, least and greatest are exact. */
enum { SMS__HALF_BITS = 7, SMS__BUCKETS = (64 - SMS__HALF_BITS + 1) << SMS__HALF_BITS };

struct sms__histogram {
    uint64_t count, least, greatest;
    double sum;
    uint64_t *bucket; /* [SMS__BUCKETS], allocated with the second value; NULL before */
    struct sms__arena *arena;
};

void sms__histogram_init(struct sms__histogram *histogram, struct sms__arena *arena);
/* Adds a value. Call it inside a guard of the arena. */
void sms__histogram_add(struct sms__histogram *histogram, uint64_t value);
/* Adds the values of another to a histogram that has buckets. The sum stays as it is: it would depend on the order. */
void sms__histogram_merge(struct sms__histogram *into, const struct sms__histogram *from);
/* Returns a bucket's number of values, and the value that stands for them. */
uint64_t sms__histogram_bucket(const struct sms__histogram *histogram, size_t bucket, double *value);

/* Returns the value of rank ceil(p * count), to within the width of a bucket; NAN if the histogram is empty. */
double sms__histogram_rank(const struct sms__histogram *histogram, double p);

/* An integral over time. It is a sum of whole numbers and therefore exact, in whatever steps and order it is added. */
__extension__ typedef __int128 sms__integral;

/* Work that is under way when the measured time begins or ends counts by the fraction that is done, in parts of 2^32.
 * Parts are whole numbers, so their sums do not depend on the order. */
#define SMS__PARTS ((uint64_t)1 << 32)

/* Returns done / whole in parts. `whole` > 0, `done` <= `whole`. */
static inline uint64_t sms__parts(double done, double whole) { return (uint64_t)(done / whole * (double)SMS__PARTS); }

/* Returns the number of things that ended plus the fractions of those under way. */
static inline double sms__count(uint64_t ended, sms__integral parts)
{
    return (double)ended + (double)parts / (double)SMS__PARTS;
}

/* The blocks of a kernel on the devices of one model, which all have the same demands. Each block adds to the integrals
 * when it leaves, and a block that is under way when T begins or ends its part then. A coarse kernel counts as one
 * block.
 */
struct sms__span_record {
    sms__integral residence_ps; /* time on SMs, summed over blocks */
    sms__integral work_ps;      /* the same work at full speed, summed over blocks */
};

/* One kernel of a VM, over all devices. */
struct sms__kernel_record {
    uint64_t blocks, launches;               /* ended */
    sms__integral block_parts, launch_parts; /* of work under way at the end, less that at the beginning */
    struct sms__span_record *span;           /* [models of the record] */
    sms__integral wait_ps;                   /* time from launch to placement, summed over placed blocks */
    uint64_t placed;                         /* blocks */
    struct sms__histogram latency;           /* of launches, ps */
};

/* What a process does besides its jobs. Counts begin at the end of the warm-up, unless the field is of the whole run.
 * Numbers alone: a slot has a record of its own, and zeroes it for each pod. Histograms belong to its tenant. */
struct sms__process_record {
    uint64_t state_ps[SMS_PHASES];         /* time in each phase, without pauses */
    uint64_t sliced_ps;                    /* part of SMS_PHASE_KERNEL in which others had the time slice */
    uint64_t paused_ps;                    /* time paused, in any phase */
    uint64_t service_before_ps;            /* service before the warm-up ended, because policies see the whole run */
    uint64_t pauses, suspends, migrations; /* a migration restores it on another device than before */
    double copied_in, copied_out;          /* bytes of its own copies */
    double moved;                          /* bytes of suspends and restores */
    uint64_t peak_held;                    /* device memory, bytes; whole run */
    uint64_t refused;                      /* allocations that failed */
    bool failed;                           /* whole run */
    size_t choice;                         /* index of the workload that it drew; whole run */
};

/* A tenant: a VM or a process. */
struct sms__vm_record {
    uint64_t jobs, timed, missed;       /* ended; of these with a deadline; ended after it */
    sms__integral job_parts;            /* of jobs under way at the end, less those at the beginning */
    uint64_t rejected;                  /* arrivals that found the queue full */
    double tardiness_ps;                /* time after the deadline, summed over jobs that missed it */
    uint64_t end_ps;                    /* end of the latest job, since the run began */
    sms__integral alone_ps;             /* of pods of it that ended: time alone x processes */
    size_t unended;                     /* processes of it that have not done all jobs, on one device or several */
    struct sms__histogram latency;      /* of jobs, from arrival, ps */
    struct sms__process_record process; /* empty of a VM */
};

struct sms__device_record {
    /* Parts x ps, summed over SMs. Of a device-wide resource an instance counts as the SMs whose share it has. */
    sms__integral excess[SMS_RESOURCES_MAX]; /* usage above SMS_FULL */
    sms__integral over[SMS_RESOURCES_MAX];   /* SMs whose usage is above SMS_FULL; of scope device: all or none */
    sms__integral active;                    /* SMs that are active */
    uint64_t switches;                       /* context switches */
    sms__integral switch_ps;                 /* time of context switches, summed over the SMs of the instance */
    uint64_t busy_ps;                        /* time with a kernel of a process running or a switch under way */
    uint64_t peak_held;                      /* memory that processes hold, bytes; whole run */
    sms__integral held_ps;                   /* memory held, bytes x ps */
    uint64_t single_ps, several_ps;          /* time with one process on it, and with more */
};

/* What a process waits for when no event is left and it has not ended. */
enum sms__stall {
    SMS__STALL_DEVICE,
    SMS__STALL_MEMORY,
    SMS__STALL_LAUNCH,
    SMS__STALL_RESTORE, /* its memory is on the host */
    SMS__STALL_RESUME,  /* it is paused */
    SMS__STALL_SM,      /* the block policy places none of its blocks */
    SMS__STALLS
};

/* Sum and range of signed numbers. */
struct sms__spread_record {
    uint64_t count;
    sms__integral sum, least, greatest;
};

/* Floats of jobs that ended. A float is the time left until the deadline, ps; negative if the job missed it. */
struct sms__float_record {
    uint64_t tasks, missed;
    struct sms__spread_record spread;
    struct sms__histogram late, early; /* time past the deadline; time left, 0 included */
};

/* The tasks of a cluster's containers, and what the monitors observed of them, since the end of the warm-up. */
struct sms__monitor_record {
    struct sms__spread_record start, end, run; /* observed minus actual, ps: start, end and duration of tasks */
    struct sms__float_record actual, observed;
    uint64_t unseen;                /* tasks that began and ended between two samples */
    uint64_t requests, unqualified; /* requests of the master; requests for which no node qualified */
    uint64_t messages;              /* answers of nodes */
    uint64_t queued;                /* pods for which no node qualified at their first try */
};

enum { SMS__ALLOCATIONS = 201 };

/* The state of a cluster when the arrived pods have asked for a given part of its GPUs. `reached` is true once they
 * have. */
struct sms__allocation {
    uint64_t gpu_milli, fragments; /* allocated; as in struct sms__ledger_record */
    bool reached;
};

/* Why a filter left a node out of a scheduling cycle. */
enum sms__left_out {
    SMS__LEFT_OUT_HOST,       /* default filter: CPU, memory */
    SMS__LEFT_OUT_GPUS,       /* default filter: whole GPUs, GPU models */
    SMS__LEFT_OUT_MEMORY,     /* default filter: the node's GPU memory */
    SMS__LEFT_OUT_NOT_SHARED, /* extender: the node shares no GPU */
    SMS__LEFT_OUT_DEVICE,     /* extender: no single GPU has enough memory */
    SMS__LEFT_OUTS
};

/* A guest that shares GPUs by memory, since the end of the warm-up; all 0 in other clusters. */
struct sms__cards_record {
    uint64_t left_out[SMS__LEFT_OUTS]; /* nodes, summed over scheduling cycles */
    uint64_t rejections;               /* cycles in which no node was left */
    uint64_t bind_failures, assume_timeouts, allocate_failures, misallocations;
    uint64_t faults;               /* pods whose containers found an unhealthy GPU or too little memory */
    uint64_t failed;               /* pods whose containers did not start, for any reason */
    struct sms__histogram pending; /* time from arrival to the start of the containers, ps */
    uint64_t stranded;             /* free bytes that no waiting pod could use, at the end */
    sms__integral stranded_ps;     /* the same integrated over time, bytes x ps */
};
/* The slowdown histogram holds slowdowns times this. */
#define SMS__SLOWDOWN_ONE 1e6

/* What pods have of a cluster: at the end of the run, and integrated over time. GPUs and cores are in thousandths. */
struct sms__ledger_record {
    uint64_t gpu_milli, cpu_milli, bytes;   /* allocated; `bytes` of GPU memory */
    uint64_t fragments;                     /* of GPUs, summed over typical pods by their weights */
    sms__integral gpu_ps, cpu_ps, bytes_ps; /* allocated x ps */
};

/* Pods that run workloads, and the GPUs on which they run. */
struct sms__work_record {
    struct sms__histogram slowdown; /* time on the node / time alone, x SMS__SLOWDOWN_ONE */
    sms__integral alone_ps;         /* time alone x processes */
    uint64_t busy_ps, devices;      /* time with a kernel, summed over GPUs; their number; at the end */
};

/* A cluster. Counts begin at the end of the warm-up, unless the field is of the whole run. */
struct sms__cluster_record {
    struct sms__ledger_record ledger;
    struct sms__work_record work;
    struct sms__cards_record cards;
    uint64_t arrived, placed;         /* pods; one that is placed again counts once */
    uint64_t layout_changes;          /* instances of GPUs that were made for a pod */
    uint64_t moved;                   /* how often a pod was moved to another instance of its GPU */
    uint64_t running;                 /* pods with a place at the end */
    uint64_t waiting;                 /* pods that arrived at any time and have no place at the end */
    uint64_t timed, missed;           /* pods with a deadline that ended or passed it; pods that missed it */
    uint64_t done, failed;            /* pods that ended; pods that ended in failure */
    struct sms__histogram wait;       /* of placed pods, ps */
    struct sms__histogram turnaround; /* from arrival to end of pods that are done, ps */
    uint64_t last_end_ps;             /* end of the latest pod, since the run began */
    uint64_t lasting, unended;        /* pods with a duration; of those, pods that have not ended; whole run */
    struct sms__allocation allocation[SMS__ALLOCATIONS];
    struct sms__monitor_record *monitor; /* NULL if the cluster has no monitors */
};

/* A value that changes in steps. Its integral from the start of the measured time to `t` is integral_ps + value * t. */
struct sms__steps {
    sms__integral integral_ps;
    int64_t value;
};

/* A node, or all nodes of an entry of `nodes:`. */
struct sms__node_record {
    struct sms__steps gpu, cpu; /* thousandths allocated */
    uint64_t placements;
};

/* The series divides a run with a duration into equal parts, from which the warm-up is found. There is a row for all
 * tenants together and, up to SMS__SERIES_VMS tenants, one for each. */
enum { SMS__SERIES = 1000, SMS__SERIES_VMS = 100 };

struct sms__record {
    const struct sms_scenario *scenario;
    uint64_t from_ps, to_ps;   /* the measured time */
    struct sms__vm_record *vm; /* [vms] */
    size_t *first_kernel;      /* [vms + 1]: index into kernel */
    struct sms__kernel_record *kernel;
    size_t *model; /* [devices]: its model's number; neighbours of one model have the same */
    size_t models;
    struct sms__device_record *device;   /* [devices] */
    struct sms__cluster_record *cluster; /* NULL if the scenario has no nodes */
    struct sms__node_record *node;       /* [rows of the cluster]; NULL if there are none */
    uint64_t *series;           /* [rows][SMS__SERIES]: kernels that ended in each part of the whole run; or NULL */
    uint64_t series_ps;         /* length of a part; 0 if there is no series */
    size_t bins;                /* intervals of the occupancy record */
    uint64_t bin_ps;            /* length of an interval */
    uint64_t *bin;              /* [SMs of all devices][bins]: threads x ps */
    char why[256];              /* the error that ended the run, or "" */
    const struct sms__node *at; /* where the scenario is at fault; NULL if the library or a policy is */
    uint64_t events;
    uint64_t stall[SMS__STALLS]; /* processes that wait for ever, by what they wait for */
};

void sms__record_init(struct sms__record *record, struct sms__arena *arena, const struct sms_scenario *scenario);

/* Counts a kernel of the VM that ends now. */
static inline void sms__record_kernel(struct sms__record *record, size_t vm, uint64_t now)
{
    uint64_t part = record->series ? now / record->series_ps : SMS__SERIES;
    if (part >= SMS__SERIES)
        return;
    record->series[part]++;
    if (record->scenario->vms <= SMS__SERIES_VMS)
        record->series[(vm + 1) * SMS__SERIES + part]++;
}
/* Returns the spans of a kernel, summed over all devices. */
struct sms__span_record sms__record_spans(const struct sms__record *record, size_t kernel);
/* Returns the number of rows: 1 for all tenants, and 1 for each unless they are too many. */
size_t sms__series_rows(const struct sms_scenario *scenario);
/* Returns the length of a part; 0 if such a scenario has no series. */
uint64_t sms__series_ps(const struct sms_scenario *scenario);

/* Returns the time in which its kernels had the device, ps. */
static inline uint64_t sms__service_ps(const struct sms__process_record *process)
{
    return process->state_ps[SMS_PHASE_KERNEL] - process->sliced_ps;
}

/* Reset a process and a device, except for the fields of the whole run. */
void sms__process_record_restart(struct sms__process_record *process);
void sms__device_record_restart(struct sms__device_record *device);
/* Counts a job that arrived at `since_ps` and ends now. `deadline_ps` counts from its arrival; 0 means none. Returns
 * whether it missed it. Call it inside a guard of the record's arena. */
bool sms__record_job(struct sms__vm_record *record, uint64_t since_ps, double deadline_ps, uint64_t now);
/* Counts a job that was under way when its tenant began, and ends now. It has neither a latency nor a deadline. */
void sms__record_rest_of_job(struct sms__vm_record *record, uint64_t now);

/* Returns how much of a job is done, in parts, when it is at `step` of its workload, `times` launches of that step have
 * ended and `parts` of the next are done. Each launch, copy, allocation and host span weighs the same. */
uint64_t sms__job_parts(const struct sms__workload *workload, size_t step, uint64_t times, uint64_t parts);

/* Records an error of the scenario at `at`: the `what` called `name` would last longer than the clock can count.
 * Returns SMS_EINPUT. */
int sms__record_beyond(struct sms__record *record, const struct sms__node *at, const char *what, const char *name);

/* Counts what was measured on device 0 for `devices` devices, of which only that one was simulated. The series and
 * histograms stay as they are, because they are of what was simulated. */
void sms__record_repeat(struct sms__record *record, size_t devices);

/* Discards all measurements, and starts again at `now`. */
void sms__record_restart(struct sms__record *record, uint64_t now);

#endif
