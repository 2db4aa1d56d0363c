/* Place policies: which node, and which of its GPUs, takes a pod. For authors of policies.
 *
 * A policy is one file, policies/place/NAME.c, that ends with
 *
 *     const struct sms_place_policy sms_place_policy_NAME = { .name = "NAME", ... };
 *
 * A policy proposes, the engine disposes: before the engine asks, it has checked that the pod fits the node (CPU,
 * memory, GPU models, and enough GPUs with enough left on each), and it keeps the ledger itself.
 *
 * GPUs are counted in thousandths, as in the traces of the field: a pod asks for `gpus` GPUs and for `gpu_milli` of
 * each. CPUs are counted in thousandths too. Sizes are in bytes, times in ps. */
#ifndef SMSCHED_PLACE_H
#define SMSCHED_PLACE_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { SMS_NODE_GPUS_MAX = 16, SMS_GPU_MODELS_MAX = 64, SMS_NODE_RESOURCES = 3 };

/* Slices of a GPU that is split into instances (NVIDIA's MIG), and names of profiles in a cluster, at most. */
enum { SMS_SLICES_MAX = 8, SMS_PROFILES_MAX = 31 };

/* What a pod asks for. Pods that ask for the same have the same pod shape. */
struct sms_pod_view {
    uint32_t gpus;       /* 0: none */
    uint32_t gpu_milli;  /* of each GPU, 1..1000; if only memory counts (docs/evidence/gpushare.md), its share, rounded
                            down */
    uint64_t gpu_memory; /* of each GPU, in addition to gpu_milli; 0: not asked for */
    uint64_t cpu_milli;
    uint64_t memory;
    uint64_t models;      /* bit m: may run on GPU model m; all bits set: on any */
    uint64_t labels;      /* bit i: its node must have label i */
    int32_t priority;     /* in thousandths; the waiting pod with the highest is tried first */
    uint32_t kind;        /* number of its workload, from 1; 0: none */
    uint32_t replicas;    /* so many pods start together, each of which asks for the above */
    uint32_t profile;     /* number of the profile of which it asks for one instance, from 1; then gpu_milli is the
                             least that this is of any model of GPUs, and gpu_memory is 0. 0: it asks for GPUs */
    uint64_t deadline_ps; /* of each of its jobs; without jobs, from its arrival to its end; 0: none */
    uint32_t times;       /* it leaves its profile open: the number of its table of times by profile, from 1, and
                             `profile` is the smallest of them until it has its place. 0: it does not */
};

struct sms_gpu_view {
    uint32_t milli_left; /* of 1000 */
    uint32_t pods;       /* on the GPU */
    uint64_t memory_left;
    uint32_t workloads; /* pods on the GPU that run a workload; only for policies with `asks` */
    uint32_t profiles;  /* bit p - 1: a pod that asks for profile p fits now; SMS_GPU_SPLIT: no other pod ever does */
    uint16_t *kind;     /* [workloads]: the workloads' numbers, ascending; the engine's; NULL without `asks` */
};

/* The GPU is split into instances, or is to be. */
#define SMS_GPU_SPLIT (UINT32_C(1) << SMS_PROFILES_MAX)

/* A profile, as a model of GPUs has it. Its number is that of its name in the cluster. */
struct sms_profile_view {
    uint32_t slices; /* of the GPU's memory that an instance takes; 0: the model has no such profile */
    uint32_t starts; /* bit s: an instance may begin at slice s */
    uint64_t sms, memory;
};

/* What a model of GPUs can be split into. */
struct sms_mig_view {
    uint32_t slices;                                       /* of the GPU */
    struct sms_profile_view profile[SMS_PROFILES_MAX + 1]; /* by number; [0] is of no use */
};

/* When instances may be made that are not there: never; where no pod is in the way; once no pod is on the GPU; the
 * same, and the GPU takes no further pods while one waits for that. */
enum sms_layout_changes { SMS_LAYOUT_FIXED, SMS_LAYOUT_FREE, SMS_LAYOUT_EMPTY, SMS_LAYOUT_DRAIN };

/* The instances of one GPU. */
struct sms_layout {
    uint8_t profile[SMS_SLICES_MAX]; /* the number of that of the instance that begins at the slice; 0: none begins */
    uint16_t pods[SMS_SLICES_MAX];   /* that have the instance which begins at the slice */
    uint16_t most[SMS_SLICES_MAX];   /* pods that one which begins there takes; 0 counts as 1 */
    uint8_t changes;                 /* enum sms_layout_changes */
    bool split;                      /* false: the GPU is whole */
    bool drains;                     /* it takes no pods until it is empty */
};

/* What a node's monitor reports when it is asked. It is as old and as wrong as the monitor (docs/evidence/realtime.md).
 */
struct sms_monitored {
    bool answers;         /* false: it cannot take a container, and sends no message */
    bool full;            /* one reason not to answer: its cores, or its GPUs' memory, are full */
    uint32_t misses;      /* the other reason: containers whose latest job missed its deadline */
    uint32_t timed;       /* containers with a deadline for which it has a record */
    double float_ps;      /* sum over these containers of the time that the latest job left until its deadline */
    double core;          /* utilization of its GPUs' cores, 0..1 */
    uint64_t memory_left; /* on its GPUs, measured, whatever pods have asked for */
};

/* A pod that leaves its profile open, for `arrange`. */
struct sms_open_pod {
    const double *time_ps;   /* by profile: how long it takes in all on such an instance, more than 0; 0: not at all */
    uint32_t profile, slice; /* the instance that it has, and is to have; profile 0: it has none yet */
};

/* The engine's: the latest sum of sms_node_weigh_fragments for one of its views. It is of the view at that address
 * alone, because a copy may differ. */
struct sms_weighed {
    const struct sms_node_view *node;
    const struct sms_typical_pod *typical;
    size_t count; /* 0: the view has changed since */
    uint64_t sum;
};

/* One node, and what its pods leave. */
struct sms_node_view {
    size_t node;
    int model;       /* of its GPUs; -1 if it has none */
    uint64_t labels; /* bit i: it has label i */
    uint32_t gpus;
    const struct sms_gpu_view *gpu;  /* [gpus] */
    const struct sms_mig_view *mig;  /* what its GPUs can be split into; NULL: all are whole */
    const struct sms_layout *layout; /* [gpus]; NULL likewise */
    uint64_t gpu_memory;             /* of each GPU when it is empty */
    uint64_t cpu_milli, cpu_left;
    uint64_t memory, memory_left;
    /* Pods on the node by the number of GPUs for which they ask: [0] without GPUs, [1] with one GPU or a part of one.
     */
    uint32_t pods_by_gpus[SMS_NODE_GPUS_MAX + 1];
    uint32_t parts;                        /* pods with a part of one GPU */
    const struct sms_monitored *monitored; /* for policies with `pace`; otherwise NULL */
    struct sms_weighed *weighed;           /* NULL: sums are not kept */
};

/* A typical pod shape of the scenario, and its share among the pods (FGD, ATC'23, section 4.1). Those that ask for the
 * same of GPUs and labels are of one kind. All may be kinds of their own: `alike` and `skip` are then 0. */
struct sms_typical_pod {
    struct sms_pod_view pod;
    double share;     /* shares of all typical pods add up to 1 */
    uint64_t pods;    /* the share as a number of pods, for exact sums */
    double covered;   /* the sum of shares up to this one */
    uint64_t counted; /* the sum of pods up to this one */
    uint32_t alike;   /* so many places later the next of this kind comes; 0: none */
    uint32_t skip;    /* of the first of a kind: so many that follow are of kinds that came before */
};

struct sms_place_view {
    const double *params;                  /* values, in the order of the policy's table; times in ps */
    const struct sms_typical_pod *typical; /* `typicals` of them; most frequent first */
    size_t typicals;
    uint64_t cpu_most, memory_most; /* the most that any node of the cluster has */
    uint32_t gpus_most;
    const struct sms_place_model *model; /* for sms_place_slowdowns; NULL if no pod has a workload */
    uint32_t random;                     /* uniform random, for `choose` when it places a pod; otherwise 0 */
};

/* In `chosen`, plus the first slice of the instance that the pod takes. */
enum { SMS_SLICE = 2 };

enum sms_place_search {
    SMS_PLACE_BEST,  /* the node with the highest score; among equals the lowest */
    SMS_PLACE_FIRST, /* the lowest node that fits */
    SMS_PLACE_RANDOM /* any node that fits, all equally likely */
};

/* The latency of decisions, ps. Decisions are made one after another, in three steps. First the nodes are asked; their
 * answers arrive after query_ps and show the state at that time. Then, after decide_ps, the pod goes to the best of the
 * nodes that answered. If none qualifies, the pod is tried again after retry_ps, behind those that wait by then. All
 * are finite, and retry_ps is above 0; others end the run with SMS_EBUG. */
struct sms_place_pace {
    double query_ps, decide_ps, retry_ps;
};

struct sms_place_policy {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;               /* one sentence, no full stop */
    const struct sms_param *params; /* or NULL */
    enum sms_place_search search;
    bool asks;       /* it calls sms_place_slowdowns */
    bool costly;     /* `score` takes long, and does not ask: scores are kept for nodes that look the same */
    bool same_order; /* The order of nodes by score is the same for all pods, as two pods' scores of a node differ by as
                      * much on any node, and scores are whole numbers below 2^53. Nodes are scored once, for a pod that
                      * asks for nothing. */
    enum sms_place_search (*search_by)(const double *params); /* returns the search, if it depends on a parameter; or
                                                               * NULL to use `search` */

    /* Required for SMS_PLACE_BEST: returns how well the node suits, a finite number, or -INFINITY if the pod must not
     * go there. `chosen[i]` is 1 if the pod takes GPU i, otherwise 0; of a pod that asks for a profile it may be
     * SMS_SLICE + s, for the instance that begins at slice s. It holds the choice of `choose`, or else the
     * engine's best fit, and the function may change it. The function must depend only on its arguments, and not on the
     * node's number, because the engine keeps scores until a node changes. */
    double (*score)(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX]);

    /* Chooses GPUs of a node that fits. NULL takes those with the least left that have enough, among equals the
     * lowest. */
    void (*choose)(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                   uint8_t chosen[SMS_NODE_GPUS_MAX]);

    /* For pods that leave their profile open: chooses the instances of all that are on one GPU, or are to be, 1 to
     * SMS_SLICES_MAX of them in order of arrival. `taken` are the slices that other pods have, a bit each; the layout
     * changes freely. Sets what each of `pods` is to have, and returns how well the GPU suits, a finite number; or
     * -INFINITY if they do not all fit, and sets nothing. The pod that comes goes to the GPU with the highest, among
     * equals the lowest; -INFINITY may also stand for a score that is not above `beat`. Pods whose instance changes
     * keep what they have done, and wait until the layout has changed. NULL: such a pod takes the first profile of its
     * list that it finds, and stays there. */
    double (*arrange)(const struct sms_place_view *view, const struct sms_mig_view *mig, uint32_t taken,
                      struct sms_open_pod *pod, uint32_t pods, double beat);

    /* For SMS_PLACE_BEST: returns how long decisions take in a cluster of `nodes` nodes. Such a policy sees what the
     * nodes' monitors report, and nodes that do not answer are not scored. NULL: decisions take no time, and no monitor
     * is asked. */
    struct sms_place_pace (*pace)(const struct sms_place_view *view, size_t nodes);
};

/* True if the GPU has left what the pod asks of each GPU. */
static inline bool sms_gpu_fits(const struct sms_gpu_view *gpu, const struct sms_pod_view *pod)
{
    if (!gpu || !pod || pod->profile)
        return gpu && pod && (gpu->profiles >> (pod->profile - 1) & 1);
    return gpu->milli_left >= pod->gpu_milli && gpu->memory_left >= pod->gpu_memory && !gpu->profiles;
}

/* True if the pod asks for a part of one GPU. */
static inline bool sms_pod_is_part(const struct sms_pod_view *pod)
{
    return pod && pod->gpus == 1 && pod->gpu_milli < 1000;
}

/* Returns the thousandths of GPUs for which the pod asks, over all its GPUs. */
static inline uint64_t sms_pod_gpu_milli(const struct sms_pod_view *pod)
{
    return pod ? (uint64_t)pod->gpus * pod->gpu_milli : 0;
}

/* What the pod takes of each of its GPUs, if it is on the node: thousandths and bytes. Pods that share an instance take
 * it once. */
static inline uint32_t sms_node_milli(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    if (!node || !pod || !pod->profile || !node->mig)
        return pod ? pod->gpu_milli : 0;
    return node->mig->profile[pod->profile].slices * 1000 / node->mig->slices;
}
static inline uint64_t sms_node_bytes(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    if (!node || !pod || !pod->profile || !node->mig)
        return pod ? pod->gpu_memory : 0;
    return node->mig->profile[pod->profile].memory;
}

/* Returns the slices, a bit each, of an instance of the profile that begins at the slice. */
static inline uint32_t sms_instance_slices(const struct sms_mig_view *mig, uint32_t profile, uint32_t slice)
{
    const bool none = !mig || profile > SMS_PROFILES_MAX || slice >= SMS_SLICES_MAX;
    return none ? 0 : ((UINT32_C(1) << mig->profile[profile].slices) - 1) << slice;
}

/* True if both GPUs have the same instances, pods have the same of these, and the layouts change alike; also if both
 * are NULL. */
bool sms_layouts_alike(const struct sms_layout *a, const struct sms_layout *b);

/* Returns the slices of the GPU that pods have, a bit each. */
uint32_t sms_layout_busy(const struct sms_mig_view *mig, const struct sms_layout *layout);

/* Returns the slices, a bit each, at which an instance of the profile begins, or may be made to begin, that a pod can
 * have now. */
uint32_t sms_layout_starts(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t profile);

/* Returns the slice of the instance that the engine gives to a pod where the policy leaves that open: the first that is
 * there already and takes another pod, else the first that can be made. -1: there is none. */
int sms_layout_first(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t profile);

/* Gives the instance of the profile that begins at the slice, one of sms_layout_starts, to a pod; another slice changes
 * nothing. Returns whether it was made for that; idle instances in its way are gone then. */
bool sms_layout_take(const struct sms_mig_view *mig, struct sms_layout *layout, uint32_t profile, uint32_t slice);

/* Takes it back from one pod; the instance stays. */
void sms_layout_give(struct sms_layout *layout, uint32_t slice);

/* Returns the value of sms_gpu_view.profiles for a GPU with these instances; 0: it is whole. */
uint32_t sms_layout_profiles(const struct sms_mig_view *mig, const struct sms_layout *layout);

/* Returns the node once the pod has the chosen GPUs, or instances of them. `gpu` and `layout` have room for those of
 * the node, and must outlive the view. */
struct sms_node_view sms_node_with(const struct sms_node_view *node, const struct sms_pod_view *pod,
                                   const uint8_t chosen[SMS_NODE_GPUS_MAX], struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX],
                                   struct sms_layout layout[SMS_NODE_GPUS_MAX]);

/* True if the pod fits the node by CPU, memory, labels, GPU model and GPUs. */
bool sms_node_fits(const struct sms_node_view *node, const struct sms_pod_view *pod);

/* Returns the thousandths left on all GPUs of the node. */
uint64_t sms_node_gpu_left(const struct sms_node_view *node);

/* The same once the pod is there, which must fit: of a pod that asks for a profile, on the fullest GPU that it fits. It
 * takes nothing more of an instance that it shares. */
uint64_t sms_node_gpu_left_with(const struct sms_node_view *node, const struct sms_pod_view *pod);

/* Writes the shares, 0..1, of the node's CPUs, memory and GPUs that are free once the pod is there. The pod must fit.
 * Leaves out what the node does not have. Returns the number of shares. */
size_t sms_node_shares(const struct sms_node_view *node, const struct sms_pod_view *pod,
                       double left[SMS_NODE_RESOURCES]);

/* Returns the mean of these shares, rounded; 0 if there are none. */
double sms_node_share_left(const struct sms_node_view *node, const struct sms_pod_view *pod);

/* Returns a score below 4096 in whole parts of 2^-40. A sum in another order is another one by what a double rounds,
 * and that should not choose among nodes that are equal. */
double sms_rounded(double score);

/* Returns the sum of the predicted slowdowns, each at least 1, of the workloads on a GPU of the node, with `pod` added
 * unless it is NULL. They follow from the contention model and from the room on the SMs; if processes take turns, each
 * slowdown is the number of workloads. 0 if no workload runs. For policies with `asks`. */
double sms_place_slowdowns(const struct sms_place_view *view, const struct sms_node_view *node, uint32_t gpu,
                           const struct sms_pod_view *pod);

/* Returns the fragments of the node (FGD, ATC'23, section 3.2) for the first `count` typical pods, each times its
 * number of pods. A fragment is the thousandths of GPUs that are left but that such a pod cannot use: all of them if it
 * does not fit, otherwise those on GPUs with too little for it. A sum of whole numbers is exact in any order. */
uint64_t sms_node_weigh_fragments(const struct sms_typical_pod *typical, size_t count,
                                  const struct sms_node_view *node);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
