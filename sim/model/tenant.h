/* The tenants of a scenario: VMs, or processes on shared devices, which pods with workloads are, too. */
#ifndef SMS_MODEL_TENANT_H
#define SMS_MODEL_TENANT_H

#include <smsched/share.h>

#include "fit.h"

enum sms__arrivals { SMS__CLOSED, SMS__POISSON, SMS__REGULAR };

/* A tenant of the block level. */
struct sms__vm {
    const char *name;
    const char *workload_name;
    const struct sms__node *node, *workload_node;
    const struct sms__workload *workload;
    double start_ps, deadline_ps;            /* deadline 0: none */
    uint64_t type;                           /* by which --format simtbs groups VMs */
    uint64_t repeat;                         /* jobs; 0: for ever */
    uint64_t streams;                        /* jobs at once, per device */
    int arrivals;                            /* enum sms__arrivals */
    double interval_ps;                      /* mean time between arrivals, per device */
    const struct sms__fit **fit;             /* [devices] -> [kernels] */
    const struct sms__process_spec *process; /* what is said of it as a process; NULL where the scenario has `vms:` */
};

/* One workload of several that may be drawn for a process. `first` is its first kernel's number
 * among those of the VM's workload, which is the union of all. */
struct sms__choice {
    const struct sms__workload *workload;
    size_t first;
};

/* One of the streams of a process: its jobs come one after another. */
struct sms__process_stream {
    double priority; /* among those of the process: pending blocks of a higher one go first */
    uint64_t repeat; /* jobs; 0: for ever */
};

struct sms__process_spec {
    double priority, weight;
    double active_threads;      /* under mps: share of the SMs, 0..1 */
    long device;                /* the only one on which it may run; -1: any */
    struct sms__choice *choice; /* [choices], choices >= 1; with 1 nothing is drawn */
    size_t choices;
    uint64_t memory_most; /* of a pod: device memory that it may hold; 0: all that is free */
    double period_ps;     /* of a pod: from the start of a job to that of the next; 0: when it has ended */
    const struct sms__process_stream *stream; /* [the VM's streams] */
    bool own; /* stream i does choice i; else all do the same, and several are drawn from */
};

/* scenario.c: into a struct sms__vm. */
void sms__read_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__arrival_fields[];

/* process.c: `processes:`; `at` is the scenario. */
void sms__read_processes(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__process_fields[];
extern const struct sms__table sms__process_tables[3];
/* The i-th of the workloads of which a tenant may be doing one; `first` is its first kernel's number. NULL beyond. */
const struct sms__workload *sms__workload_of(const struct sms__vm *vm, size_t i, size_t *first);
/* Whether a process is of the same entry as the one before it, and so the same in all but name and start. */
bool sms__is_like_last(const struct sms_scenario *scenario, size_t v);
/* What a scenario calls its tenants: "VM" or "process". */
const char *sms__tenant_word(const struct sms_scenario *scenario);

/* streams.c: `streams:` of a process. */
struct sms__streams {
    struct sms__process_stream *stream; /* [count] */
    const struct sms__node **workload;  /* [count], or NULL: all do the workload of the process */
    const struct sms__node **node;      /* [count]: where each is given */
    size_t count;
};
/* `node`: NULL for one stream; `repeat`: of those that do not say. */
struct sms__streams sms__read_streams(struct sms__reader *reader, const struct sms__node *node, uint64_t repeat);
/* Complains of streams that cannot run beside each other; `process` has its choices. */
void sms__check_streams(struct sms__reader *reader, const struct sms__streams *streams,
                        const struct sms__process_spec *process);
/* Streams of a process at most: as many as kernels run at once in one context. */
enum { SMS__STREAMS_MAX = 128 };
extern const struct sms__field sms__stream_fields[];
extern const struct sms__table sms__stream_tables[2];

#endif
