/* Alibaba's scheduler extender and device plugin as the scheduler of a cluster (docs/evidence/gpushare.md).
 * kube-scheduler asks the extender where a pod may go, and lets it bind the pod to a GPU; the plugin on the node tells
 * the kubelet which GPU the containers get. The place policy chooses among the nodes that pass both filters, and among
 * GPUs that have the memory. */
#ifndef SMS_GUESTS_GPUSHARE_GPUSHARE_RUN_H
#define SMS_GUESTS_GPUSHARE_GPUSHARE_RUN_H

#include "../../levels/cluster/cluster_run.h"
#include "../../levels/cluster/scheduler.h"
#include "gpushare_rules.h"

enum sms__candidate_state {
    SMS__CANDIDATE_OUT,      /* it has not arrived, or is gone */
    SMS__CANDIDATE_QUEUED,   /* it is in the active queue */
    SMS__CANDIDATE_BACKOFF,  /* it waits for the end of its back-off, or for a change */
    SMS__CANDIDATE_CYCLE,    /* its scheduling cycle is under way */
    SMS__CANDIDATE_BINDING,  /* its bind request is under way */
    SMS__CANDIDATE_CLAIMED,  /* its bind failed silently: kube-scheduler assumes that it is on the node */
    SMS__CANDIDATE_ASSUMED,  /* it is bound, and Allocate is still to be called */
    SMS__CANDIDATE_STARTING, /* its containers have GPUs and start */
    SMS__CANDIDATE_STUCK,    /* its containers failed to start, and it holds its memory */
    SMS__CANDIDATE_RUNNING
};

/* A pod, as this scheduler sees it. */
struct sms__share_candidate {
    uint8_t state;                      /* enum sms__candidate_state */
    bool assigned;                      /* annotation ASSIGNED */
    bool again;                         /* its first start is over, or was cut off */
    bool started;                       /* its time to start has been recorded */
    uint8_t matched;                    /* bit c: container c has been matched (without the quirk whole_pod) */
    uint16_t gpus[SMS__CONTAINERS_MAX]; /* the GPUs that each container really got */
    uint32_t node;                      /* on which kube-scheduler assumes it, while BINDING or CLAIMED */
    uint32_t next, previous;            /* among the pods of its node that are bound and do not run */
    uint64_t delay_ps, not_before;      /* its latest back-off, and when that is over */
    uint64_t allocate_ps, assume_ps;    /* when the kubelet calls Allocate; annotation ASSUME_TIME */
    uint64_t tried;                     /* the version of the cluster at which it was tried last */
    uint64_t stamp;                     /* when it was queued, counted over all pods */
};

/* What pods take of a node that kube-scheduler assumes there, and that the ledger does not have there. */
struct sms__claim {
    uint64_t cpu_milli, memory, bytes;
};

/* The verdicts of the filters on a node: first those of kube-scheduler, then those of the extender. */
enum sms__verdict {
    SMS__NODE_PASSES,
    SMS__NODE_ABSENT,
    SMS__NODE_LACKS_HOST,
    SMS__NODE_LACKS_MEMORY,
    SMS__NODE_OF_OTHER_MODEL,
    SMS__NODE_LACKS_CARDS,
    SMS__NODE_NOT_SHARED,
    SMS__NODE_LACKS_DEVICE,
    SMS__VERDICTS
};

/* The scheduling cycle under way, and the bind request. */
struct sms__cycle {
    uint32_t pod, binding; /* SMS__NO_POD */
    uint64_t version;      /* of the cluster, when the cycle began */
    size_t passed;         /* nodes that pass the default filter, then the extender's */
    uint32_t *kept;        /* [passed]: these nodes */
    size_t filter_source, bind_source;
};

struct sms__gpushare_state {
    const struct sms__gpushare *rules;
    struct sms__share_candidate *candidate; /* [pods] */
    struct sms__queue active;               /* pods to be tried, by priority and then by when they were queued */
    struct sms__queue timers;               /* when something happens to a pod next, according to its state */
    uint64_t queued;                        /* how often pods were queued */
    uint64_t version;                       /* how often something was freed, from 1 */
    uint64_t waiting, untried;              /* pods that are queued or back off; those not tried at this version */
    uint64_t under_way;                     /* pods from the start of their cycle to that of their containers */

    struct sms__cycle cycle;
    struct sms__claim *claim; /* [nodes] */

    struct sms__health *health;
    uint64_t *in_use;               /* [GPUs]: bytes that containers really use */
    uint32_t *first, *last;         /* [nodes]: pods that are bound and do not run, by ASSUME_TIME */
    const struct sms__nodes **kind; /* [nodes] */

    struct sms__action act; /* at the end of an instant */
    size_t timer_source;
    struct sms__stranded *stranded;
    bool changed; /* stranded memory is to be counted again */
};

extern const struct sms__guest sms__gpushare_guest;

static inline struct sms__gpushare_state *sms__gpushare(const struct sms__cluster_run *run) { return run->scheduling; }
static inline const struct sms__pods *sms__pod_template(const struct sms__cluster_run *run, uint32_t p)
{
    return &run->cluster->pod[run->pod[p].template];
}
/* Sets when something happens to the pod next, according to its state; SMS__NEVER: nothing. */
static inline void sms__candidate_timer(struct sms__cluster_run *run, uint32_t p, uint64_t time)
{
    sms__queue_set(&sms__gpushare(run)->timers, p, time);
}
/* Whether the pod asks for memory of a GPU, so that the extender sees it. */
static inline bool sms__is_shared(const struct sms_pod_view *pod) { return pod->gpus > 0 && pod->gpu_memory > 0; }

/* queue.c: the queue of kube-scheduler. The pod has arrived, or lost its place. */
void sms__candidate_comes(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Puts the pod into the active queue; takes it out, as its cycle begins. */
void sms__candidate_queue(struct sms__cluster_run *run, uint32_t pod);
void sms__candidate_begin(struct sms__cluster_run *run, uint32_t pod);
/* The pod found no node at that version of the cluster, or (`tried` 0) lost one. */
void sms__candidate_back_off(struct sms__cluster_run *run, uint32_t pod, uint64_t tried, uint64_t now);
/* Nodes may have been freed; `freed` of the scheduler. */
void sms__gpushare_freed(struct sms__cluster_run *run, uint64_t now);
/* Something has been freed, or has joined: all pods may be tried again. */
void sms__gpushare_changed(struct sms__cluster_run *run);

/* extender.c: begins scheduling cycles until one waits for the extender. */
void sms__cycles_begin(struct sms__cluster_run *run, uint64_t now);
/* The answers of the extender: to the filter request, to the bind request. The subject is the run. */
void sms__extender_filtered(void *subject, uint64_t now);
void sms__extender_bound(void *subject, uint64_t now);
/* kube-scheduler no longer assumes the pod on its node. */
void sms__claim_release(struct sms__cluster_run *run, uint32_t pod);

/* filter.c: asks the default filter about all nodes for the pod of the cycle, or the extender about those that it let
 * pass. Returns how many pass. */
size_t sms__filter_nodes(struct sms__cluster_run *run, uint32_t pod, bool extender, uint64_t now);
/* The node as the extender sees it; `gpu` has room for its GPUs. */
struct sms_node_view sms__extender_view(const struct sms__cluster_run *run, size_t node, struct sms_gpu_view *gpu);

/* health.c: registers the source that fires when health changes, with the run as its subject. */
void sms__health_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now));
/* Makes all changes of now. True: pods may find more room than before. */
bool sms__health_apply(struct sms__cluster_run *run, uint64_t now);
/* Bit i: GPU i of the node is unhealthy. Whether the node has not joined. Whether health changes, or nodes join, later.
 */
uint16_t sms__unhealthy_gpus(const struct sms__cluster_run *run, size_t node);
bool sms__is_absent(const struct sms__cluster_run *run, size_t node);
bool sms__health_will_change(const struct sms__cluster_run *run);

/* stranded.c: memory that no waiting pod can use. by 1: the pod begins to wait; -1: it ends. */
void sms__stranded_init(struct sms__cluster_run *run);
void sms__stranded_wait(struct sms__cluster_run *run, uint32_t pod, int by);
/* Brings the integral of stranded memory up to now, and counts it again if something has changed. */
void sms__stranded_integrate(struct sms__cluster_run *run, uint64_t now);

/* plugin.c: the pod was bound; the timer of a bound pod; the pod gives its place back. */
void sms__plugin_assumed(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__plugin_fire(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__plugin_left(struct sms__cluster_run *run, uint32_t pod, uint64_t now);

/* faults.c: memory that containers use, and why they fail to start. */
size_t sms__containers(const struct sms__cluster_run *run, uint32_t pod);
/* The memory that container `c` asks for, of all its GPUs together. */
uint64_t sms__container_bytes(const struct sms__cluster_run *run, uint32_t pod, size_t c);
/* Takes or gives back the memory that the containers really use. */
void sms__containers_use(struct sms__cluster_run *run, uint32_t pod, bool begins, uint64_t now);
/* NULL, or why the containers fail when they are to use their GPUs. */
const char *sms__find_fault(const struct sms__cluster_run *run, uint32_t pod);
/* `container_gpus` and `find_disagreement` of the scheduler. */
uint16_t sms__running_gpus(const struct sms__cluster_run *run, uint32_t pod, size_t container);
const char *sms__gpushare_disagreement(struct sms__cluster_run *run);
/* Bytes of a GPU that are really in use, by others than pods as well. */
uint64_t sms__gpu_used(const struct sms__cluster_run *run, size_t node, uint32_t gpu);

/* protocol.c: what `smsched explain` and reports say. Reports all shared GPUs at the end of the run. */
void sms__report_gpus(const struct sms__cluster_run *run);
/* "0, 2" */
const char *sms__gpu_list(uint16_t gpus, char *out, size_t size);
/* "8138 MiB" */
const char *sms__units(const struct sms__cluster_run *run, uint64_t bytes, char *out, size_t size);

#endif
