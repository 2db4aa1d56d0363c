/* A tenant: a VM, a process on shared devices, or a pod with a workload, whose process it then is. `vms:`, `processes:`
 * and `pods:` are three spellings of it. Times are picoseconds, sizes bytes. */
#ifndef SMS_MODEL_TENANT_H
#define SMS_MODEL_TENANT_H

#include "footprint.h"

enum sms__arrivals { SMS__CLOSED, SMS__POISSON, SMS__REGULAR, SMS__LISTED };

/* Times at which jobs arrive, after the start of their tenant, in order. */
struct sms__times {
    double *ps;
    size_t count; /* >= 1 */
};

/* One of the workloads that a tenant may do. */
struct sms__choice {
    const struct sms__workload *workload;
    size_t first; /* number of its first kernel in the tenant's workload, which is the union of all */
};

/* `sms:` of a stream: the SMs of its green context, which reserves none of them. */
struct sms__green {
    uint64_t count;      /* 0: `set` says which */
    const uint64_t *set; /* [words]: bit s is the SM with that number among those of the process */
    size_t words;
    const struct sms__node *node;
};

/* One of the streams of a process. Its jobs come one after another. */
struct sms__process_stream {
    double priority;                /* is added to that of the process: pending blocks of a higher sum go first */
    uint64_t repeat;                /* jobs; 0: for ever */
    const struct sms__green *green; /* that of its entry of the list; NULL: all SMs of the process */
};

struct sms__tenant {
    const char *name;
    const struct sms__node *node;
    const struct sms__workload *workload;
    const struct sms__choice *choice; /* [choices], choices >= 1; with 1 nothing is drawn */
    size_t choices;
    const struct sms__footprint **fit; /* [devices] -> [kernels]; NULL where it is never: the device lacks a
                                        resource (lacking.h), or is not of its profile */
    const char *cls;                   /* the name in the scenario's `cls`; NULL: it is of no class */
    double start_ps, deadline_ps;      /* deadline 0: none */
    bool draws_phase;                  /* it begins somewhere in a job of its own, which is drawn (phase.h) */
    uint64_t repeat;                   /* jobs; 0: for ever */
    uint64_t streams;                  /* jobs at once; of a VM on each device */

    int arrivals;                   /* enum sms__arrivals */
    double interval_ps;             /* mean time between arrivals: of a VM on each device, of a process in all */
    const struct sms__times *times; /* under SMS__LISTED; else NULL */

    /* Of processes. */
    const struct sms__process_stream *stream; /* [streams]; NULL: of a VM, whose streams are alike */
    bool own; /* stream i does choice i; otherwise all do the same, and several are drawn from */
    double priority, weight;
    double active_threads; /* under mps: share of the SMs, 0..1 */
    uint64_t chunks;       /* under partition: of its static partition; 0: it has none */
    long device;           /* the only one on which it may run; -1: any, and a VM on all */
    long instance;         /* under mig: the only one of a device on which it may run; -1: any */
    uint64_t memory_most;  /* of a pod: device memory that it may hold; 0: all that is free */
    uint32_t profile;      /* of a pod: number of the profile of its instance; 0: it runs on whole devices */
    double period_ps;      /* of a pod: from the start of a job to that of the next; 0: when it has ended */
};

/* The defaults of all tenants. */
#define SMS__TENANT_DEFAULTS                                                                                           \
    .name = "", .repeat = 1, .streams = 1, .weight = 1, .active_threads = 1, .device = -1, .instance = -1

/* The i-th of the workloads of which a tenant may do one; `first` is its first kernel's number. NULL beyond. */
static inline const struct sms__workload *sms__workload_of(const struct sms__tenant *vm, size_t i, size_t *first)
{
    *first = i < vm->choices ? vm->choice[i].first : 0;
    return i < vm->choices ? vm->choice[i].workload : NULL;
}

/* Jobs and priority of a stream. Those of a VM share its jobs. A stream's priority is above or below its process's. */
static inline uint64_t sms__stream_repeat(const struct sms__tenant *vm, size_t stream)
{
    return vm->stream ? vm->stream[stream].repeat : vm->repeat;
}
static inline double sms__stream_priority(const struct sms__tenant *vm, size_t stream)
{
    return vm->priority + (vm->stream ? vm->stream[stream].priority : 0);
}

static inline bool sms__may_be_on(const struct sms__tenant *vm, size_t device)
{
    return (vm->device < 0 || (size_t)vm->device == device) && (!vm->fit || vm->fit[device]);
}

/* Whether it may be on the device, which is whole, or the instance with that number of its device. */
static inline bool sms__may_have(const struct sms__tenant *vm, const struct sms__device *device, size_t number)
{
    return vm->instance < 0 || !device->mig.board || (size_t)vm->instance == number;
}

/* The first device on which it may be. */
static inline size_t sms__first_device(const struct sms__tenant *vm)
{
    size_t d = vm->device < 0 ? 0 : (size_t)vm->device;
    while (!sms__may_be_on(vm, d))
        d++;
    return d;
}

/* Whether the two are never on the same device. */
static inline bool sms__are_apart(const struct sms__tenant *a, const struct sms__tenant *b)
{
    return a->device >= 0 && b->device >= 0 && a->device != b->device;
}

/* Whether a tenant is of the same entry as the one before it in the list, and so differs in name and start alone. */
static inline bool sms__is_like_last(const struct sms__tenant *vm, size_t v)
{
    return v > 0 && vm[v].choice == vm[v - 1].choice;
}

/* tenants.c: `vms:`, `processes:` and `host:`; `at` is the scenario, reader->user its file. */
void sms__read_vms(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_processes(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_host(struct sms__reader *reader, const struct sms__node *node, void *at);
/* Lists the classes of the scenario's tenants, and lets each tenant point to the name in the list. */
void sms__list_classes(struct sms__reader *reader, struct sms_scenario *scenario);
extern const struct sms__field sms__vm_fields[], sms__process_fields[], sms__host_fields[], sms__arrival_fields[];
extern const struct sms__table sms__process_tables[3];

/* arrivals.c: `arrivals:`, into the tenant `at`. */
void sms__read_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at);

/* streams.c: `streams:` of a process. */
struct sms__streams {
    struct sms__process_stream *stream; /* [count] */
    const struct sms__node **workload;  /* [count], or NULL: all do the workload of the process */
    const struct sms__node **node;      /* [count]: where each is given */
    size_t count;
};
/* `node`: NULL for one stream; `repeat`: of those that do not say. */
struct sms__streams sms__read_streams(struct sms__reader *reader, const struct sms__node *node, uint64_t repeat);
/* Complains of streams that cannot run beside each other, which do these choices. */
void sms__check_streams(struct sms__reader *reader, const struct sms__streams *streams,
                        const struct sms__choice *choice, size_t choices);
/* wanted_sms.c: `sms:` of a stream; `at` is a const struct sms__green *. */
void sms__read_green(struct sms__reader *reader, const struct sms__node *node, void *at);
/* Whether the SM is in a row of one bit per SM. */
static inline bool sms__has_sm(const uint64_t *row, size_t sm) { return row[sm / 64] >> (sm % 64) & 1; }
/* Where SMs are chosen. */
struct sms__sm_choice {
    const uint64_t *within; /* one bit per SM: those that count; NULL: all */
    uint32_t *claims;       /* [sms]: how often each is taken */
    size_t most, sms;       /* SMs that count; of the device */
};
/* Takes the SM for the `row` of one bit per SM. Returns 1. */
static inline size_t sms__take_sm(uint64_t *row, uint32_t *claims, size_t sm)
{
    row[sm / 64] |= (uint64_t)1 << (sm % 64);
    claims[sm]++;
    return 1;
}
/* Takes so many SMs, at most all that count: those that are taken least, of equal ones the first. The row is empty
 * before. Both return how many SMs there are in it. */
size_t sms__choose_sms(const struct sms__sm_choice *from, size_t wanted, uint64_t *row);
/* Takes those of a green context. A set has their numbers among those that count; what is beyond is left out. */
size_t sms__choose_green(const struct sms__sm_choice *from, const struct sms__green *green,
                         const struct sms__device *device, uint64_t *row);
/* Complains of streams of one workload in different green contexts. */
void sms__check_greens(struct sms__reader *reader, const struct sms__streams *streams,
                       const struct sms__choice *choice);
/* Complains of chunks and green contexts that the devices cannot have under the scenario's policies. */
void sms__check_parts(struct sms__reader *reader, const struct sms_scenario *scenario);

/* stream_events.c: complains of streams with workloads of their own that would wait for ever. */
void sms__check_events(struct sms__reader *reader, const struct sms__streams *streams,
                       const struct sms__choice *choice);
/* Complains of a workload that waits for events, where no other stream can record them. */
void sms__check_no_waits(struct sms__reader *reader, const struct sms__node *node,
                         const struct sms__workload *workload);
/* The first kernel of a workload that is given by its time, or by its blocks; or NULL. */
const struct sms__kernel *sms__find_kernel(const struct sms__workload *workload, bool whole);
/* Complains that kernels of both kinds would be beside each other; `who` is "streams run". */
void sms__complain_mixed(struct sms__reader *reader, const struct sms__node *node, const char *who,
                         const struct sms__kernel *whole, const char *whole_of, const struct sms__kernel *block,
                         const char *block_of);
/* Most streams of a process: as many as kernels run at once in one context. */
enum { SMS__STREAMS_MAX = 128 };
/* Most SMs of a green context, and the highest number of one. */
enum { SMS__GREEN_MAX = 4096 };
extern const struct sms__field sms__stream_fields[];
extern const struct sms__table sms__stream_tables[2];

/* check_tenants.c: complains of tenants that the scenario's devices or its run cannot have. */
void sms__check_tenants(struct sms__reader *reader, const struct sms_scenario *scenario);

#endif
