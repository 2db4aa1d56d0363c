/* Alibaba's scheduler extender and device plugin as the scheduler of a cluster (docs/gpushare.md): kube-scheduler asks
 * the extender where a pod may go and lets it bind the pod to a GPU; the plugin on the node says to the kubelet which
 * GPU the containers get. The place policy chooses among nodes that passed, and among GPUs that have the memory. */
#ifndef SMS_LEVELS_CLUSTER_GPUSHARE_GPUSHARE_H
#define SMS_LEVELS_CLUSTER_GPUSHARE_GPUSHARE_H

#include "../run.h"
#include "../scheduler.h"

enum sms__candidate_state {
    SMS__CANDIDATE_OUT,      /* it has not come, or is gone */
    SMS__CANDIDATE_QUEUED,   /* in the active queue */
    SMS__CANDIDATE_BACKOFF,  /* waits for the end of its back-off, or for a change */
    SMS__CANDIDATE_CYCLE,    /* its scheduling cycle is under way */
    SMS__CANDIDATE_BINDING,  /* its bind request is */
    SMS__CANDIDATE_CLAIMED,  /* its bind failed and nobody was told: kube-scheduler assumes that it is on the node */
    SMS__CANDIDATE_ASSUMED,  /* bound; Allocate is still to be called */
    SMS__CANDIDATE_STARTING, /* its containers have GPUs and start */
    SMS__CANDIDATE_STUCK,    /* its containers did not start; it holds its memory */
    SMS__CANDIDATE_RUNNING
};

/* Of each pod. */
struct sms__candidate {
    uint8_t state;                      /* enum sms__candidate_state */
    bool assigned;                      /* annotation ASSIGNED */
    bool again;                         /* its first start is over, or was cut short */
    bool started;                       /* its time to start has been recorded */
    uint8_t matched;                    /* bit c: container c has been matched (without the quirk whole_pod) */
    uint16_t gpus[SMS__CONTAINERS_MAX]; /* of each container: which it really got */
    uint32_t node;                      /* which kube-scheduler assumes that it is on, while BINDING or CLAIMED */
    uint32_t next, previous;            /* among those of its node that are bound and do not run */
    uint64_t delay_ps, not_before;      /* the last back-off; when it is over */
    uint64_t allocate_ps, assume_ps;    /* when the kubelet calls Allocate; annotation ASSUME_TIME */
    uint64_t tried;                     /* at which version of the cluster it was tried last */
    uint64_t stamp;                     /* when it was queued, as a count of all */
};

/* What pods take of a node that kube-scheduler assumes there and that are not in the books. */
struct sms__claim {
    uint64_t cpu_milli, memory, bytes;
};

/* What the filters say of a node: first those of kube-scheduler, then those of the extender. */
enum sms__verdict {
    SMS__NODE_PASSES,
    SMS__NODE_ABSENT,
    SMS__NODE_DOWN,
    SMS__NODE_LACKS_HOST,
    SMS__NODE_LACKS_MEMORY,
    SMS__NODE_OF_OTHER_MODEL,
    SMS__NODE_LACKS_CARDS,
    SMS__NODE_GONE, /* it has failed since */
    SMS__NODE_NOT_SHARED,
    SMS__NODE_LACKS_DEVICE,
    SMS__VERDICTS
};

/* What they say of all nodes for a shape of pods. */
struct sms__filter {
    uint8_t *verdict; /* [nodes]: enum sms__verdict; NULL: not remembered */
    uint64_t count[SMS__VERDICTS];
    uint64_t seen; /* the log of nodes that changed, up to there */
};

/* Memory that no pod which waits could use. */
struct sms__stranded {
    uint64_t *size; /* [sizes]: that pods ask for, ascending */
    size_t sizes;
    uint64_t *waits;   /* [sizes]: pods that have come and are not bound */
    uint64_t *left;    /* [sizes + 1]: on GPUs with room for so many of the sizes */
    uint64_t *counted; /* [GPUs]: as what is left of each */
    bool counts;
    uint64_t seen;  /* the log of nodes that changed, up to there */
    uint64_t bytes; /* when it was settled last */
};

struct sms__health {
    uint64_t time;
    uint32_t node, gpu; /* SMS_NODE_GPUS_MAX: the node joins */
    bool well;
};

/* Pods whose back-off has grown to the longest wait equally long: who is tried first comes first again. */
struct sms__turns {
    uint32_t *pod; /* a ring of `mask` + 1, by when their back-off is over, of those the order of the queue */
    size_t first, pods, mask;
};

struct sms__gpushare_state {
    const struct sms__gpushare *rules;
    struct sms__candidate *client; /* [pods] */
    struct sms__queue active;      /* pods, by priority and then by when they were queued */
    struct sms__queue timers;      /* what happens to a pod next, by its state */
    struct sms__turns turns;       /* beside these, but under `plain` */
    uint64_t queued;               /* so many times a pod was queued */
    uint64_t version;              /* how often something was freed, from 1 */
    uint64_t waiting, untried;     /* pods in the queue or backing off; of those, not tried at this version */
    uint64_t under_way;            /* pods from the start of their cycle to that of their containers */
    uint32_t *parked;              /* [parks]: pods that back off until something changes */
    size_t parks;

    uint32_t cycle, bind; /* the pods of the requests under way; SMS__NO_POD */
    uint64_t cycle_version;
    struct sms__filter *filter;     /* [shapes] */
    struct sms__filter *remembered; /* of the pod of the cycle; NULL: every node is asked */
    size_t passed;                  /* so many nodes: the default filter, then the extender's */
    uint32_t *kept;                 /* [passed]: which, where nothing is remembered */
    struct sms__claim *claim;       /* [nodes] */

    uint16_t *absent, *unhealthy;   /* [nodes]: bit i: GPU i is unhealthy; absent: the node has not joined */
    uint8_t *reasons;               /* [GPUs]: how many there are for it */
    uint64_t *in_use;               /* [GPUs]: bytes that containers really use */
    uint32_t *first, *last;         /* [nodes]: bound and not running, by ASSUME_TIME */
    struct sms__health *health;     /* [healths], by time */
    size_t healths, healed;         /* of which the first are over */
    const struct sms__nodes **kind; /* [nodes] */

    struct sms__action act;
    size_t timer_source, bind_source, filter_source, health_source;
    struct sms__stranded stranded;
    uint64_t integrated_ps;
    bool changed; /* since that was counted */
};

extern const struct sms__scheduler sms__gpushare_scheduler;

static inline struct sms__gpushare_state *sms__gpushare(const struct sms__cluster_run *run) { return run->scheduling; }

/* gpushare.c */
static inline const struct sms__pods *sms__like(const struct sms__cluster_run *run, uint32_t p)
{
    return &run->cluster->pod[run->pod[p].like];
}
/* The pod asks for memory of a GPU, so that the extender sees it. */
static inline bool sms__is_shared(const struct sms_pod_view *pod) { return pod->gpus > 0 && pod->gpu_memory > 0; }
/* It has come, or lost its place. */
void sms__candidate_comes(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Into the active queue; out of it, as its cycle begins. */
void sms__candidate_queue(struct sms__cluster_run *run, uint32_t pod);
void sms__candidate_begin(struct sms__cluster_run *run, uint32_t pod);
/* Found no node, at the version of its cycle, or (`tried` 0) lost one. */
void sms__candidate_back_off(struct sms__cluster_run *run, uint32_t pod, uint64_t tried, uint64_t now);
void sms__candidate_timer(struct sms__cluster_run *run, uint32_t pod, uint64_t time);
/* Nodes may have been freed: as `freed` of a scheduler. */
void sms__gpushare_freed(struct sms__cluster_run *run, uint64_t now);
/* Something has been freed, or come. */
void sms__gpushare_changed(struct sms__cluster_run *run);

/* Whether something goes on beside pods that back off, workloads aside. */
bool sms__gpushare_goes_on(const struct sms__cluster_run *run);

/* turns.c */
void sms__turns_init(struct sms__cluster_run *run);
void sms__turns_add(struct sms__cluster_run *run, uint32_t pod);
/* When the first back-off is over, or SMS__NEVER; takes its pod out. */
uint64_t sms__turns_next(const struct sms__gpushare_state *gpushare);
uint32_t sms__turns_pop(struct sms__gpushare_state *gpushare);
/* Counts tries that fail in no time up to the next event that may change that. */
void sms__turns_skip(struct sms__cluster_run *run);

/* extender.c */
void sms__extender_cycles(struct sms__cluster_run *run, uint64_t now);
void sms__extender_filtered(void *run, uint64_t now);
void sms__extender_bound(void *run, uint64_t now);
void sms__claim_release(struct sms__cluster_run *run, uint32_t pod);

/* filter.c: for the pod of the cycle; how many nodes pass. */
size_t sms__filter_by_default(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
size_t sms__filter_by_extender(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* What the filters say now for pods of the shape; NULL: that is not remembered. */
struct sms__filter *sms__filter_of(struct sms__cluster_run *run, uint32_t shape);
/* How many nodes pass the default filter. */
size_t sms__filter_passed(const struct sms__filter *filter);
/* Counts the nodes that the one or the other leaves out, so many times. */
void sms__filter_count(struct sms__cluster_run *run, const struct sms__filter *filter, bool extender, uint64_t times);
/* The node as the extender sees it; `gpu` has room for its GPUs. */
struct sms_node_view sms__extender_view(const struct sms__cluster_run *run, size_t node, struct sms_gpu_view *gpu);
/* How the search for a node sees nodes. */
extern const struct sms__node_filter sms__gpushare_filter;

/* stranded.c */
void sms__stranded_init(struct sms__cluster_run *run);
/* The pod begins to wait, or ends. */
void sms__stranded_wait(struct sms__cluster_run *run, uint32_t pod, int by);
uint64_t sms__stranded_bytes(struct sms__cluster_run *run);

/* plugin.c */
void sms__plugin_assumed(struct sms__cluster_run *run, uint32_t pod, uint64_t now); /* the pod was bound */
void sms__plugin_fire(struct sms__cluster_run *run, uint32_t pod, uint64_t now);    /* of a pod that is */
void sms__plugin_left(struct sms__cluster_run *run, uint32_t pod, uint64_t now);    /* it gives its place back */

/* Ends a pod whose node or GPU fails; as `abort` of a scheduler. */
bool sms__plugin_abort(struct sms__cluster_run *run, uint32_t pod, uint64_t now);

/* faults.c: memory that containers use, what keeps them from starting, and nodes and GPUs that fail. */
size_t sms__containers(const struct sms__cluster_run *run, uint32_t pod);
/* Of number `c`, of all GPUs that it asks for. */
uint64_t sms__container_bytes(const struct sms__cluster_run *run, uint32_t pod, size_t c);
/* Gives or takes the memory that the containers really use. */
void sms__containers_use(struct sms__cluster_run *run, uint32_t pod, bool begins, uint64_t now);
/* NULL, or why they fail when they are to use their GPUs. */
const char *sms__find_fault(const struct sms__cluster_run *run, uint32_t pod);
/* As `container_gpus` and `find_disagreement` of a scheduler. */
uint16_t sms__running_gpus(const struct sms__cluster_run *run, uint32_t pod, size_t container);
const char *sms__gpushare_disagreement(struct sms__cluster_run *run);
/* Bytes really used of a GPU, by others as well. */
uint64_t sms__gpu_used(const struct sms__cluster_run *run, size_t node, uint32_t gpu);

/* protocol.c: what `smsched explain` prints. */
bool sms__is_pod_explained(const struct sms__cluster_run *run);
void sms__explain_pod(const struct sms__cluster_run *run, uint32_t pod, uint64_t now, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Of all GPUs that are shared, at the end of the run. */
void sms__report_gpus(const struct sms__cluster_run *run);
/* "0, 2" */
const char *sms__gpu_list(uint16_t gpus, char *out, size_t size);
/* "8138 MiB" */
const char *sms__units(const struct sms__cluster_run *run, uint64_t bytes, char *out, size_t size);

#endif
