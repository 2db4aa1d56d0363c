/* For authors of place policies: which node, and which of its GPUs, takes a pod.
 *
 * A policy is one file, policies/place/NAME.c, that ends with
 *
 *     const struct sms_place_policy sms_placing_NAME = { .name = "NAME", ... };
 *
 * A policy proposes and the engine disposes: the engine has already checked that the pod fits the node (CPU, memory,
 * GPU models, enough GPUs with enough left of each) when it asks, and it keeps the books itself.
 *
 * GPUs are counted in thousandths, as the traces of the field do: a pod asks for `gpus` GPUs and `gpu_milli` of each.
 * CPUs are counted in thousandths too. Sizes are bytes, times ps. */
#ifndef SMSCHED_PLACE_H
#define SMSCHED_PLACE_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { SMS_NODE_GPUS_MAX = 16, SMS_GPU_MODELS_MAX = 64, SMS_NODE_RESOURCES = 3 };

/* What a pod asks for. Pods that ask for the same are of one shape. */
struct sms_pod_view {
    uint32_t gpus;      /* 0: none */
    uint32_t gpu_milli; /* of each; 1..1000; where memory alone is counted (docs/gpushare.md) its share, rounded down */
    uint64_t gpu_memory; /* of each, on top of that; 0: not asked for */
    uint64_t cpu_milli;
    uint64_t memory;
    uint64_t models;      /* bit m: may run on GPU model m; all bits: on any */
    uint64_t labels;      /* bit i: its node must have label i */
    int32_t priority;     /* in thousandths; of pods that wait the highest is tried first */
    uint32_t kind;        /* of the workload that it runs, from 1; 0: none */
    uint64_t deadline_ps; /* of each of its jobs, or, where it has none, from its arrival to its end; 0: none */
};

struct sms_gpu_view {
    uint32_t milli_left; /* of 1000 */
    uint32_t pods;       /* on it */
    uint64_t memory_left;
    uint32_t workloads; /* for policies that ask: how many pods on it run some, and which, ascending */
    uint16_t *kind;     /* [workloads], kept by the engine; else NULL */
};

/* What a node's monitor says of it when it is asked: as old and as wrong as the monitor is (docs/realtime.md). */
struct sms_monitored {
    bool answers;         /* false: it cannot take a container, and sends no message */
    bool full;            /* that is why: its cores, or the memory of its GPUs */
    uint32_t misses;      /* or that: containers whose latest job missed its deadline */
    uint32_t timed;       /* containers with a deadline of which it has a record */
    double float_ps;      /* time that the latest job of each of these left until its deadline, added up */
    double core;          /* use of its GPUs' cores, 0..1 */
    uint64_t memory_left; /* of its GPUs, whatever pods have asked for */
};

/* One node, as its pods have left it. */
struct sms_node_view {
    size_t node;
    bool down;       /* it takes no pods, and nothing of it is left; a GPU that is down has nothing left, and no pods */
    int model;       /* of its GPUs; -1: it has none */
    uint64_t labels; /* bit i: it has label i */
    uint32_t gpus;
    const struct sms_gpu_view *gpu; /* [gpus] */
    uint64_t gpu_memory;            /* of each, when nobody is on it */
    uint64_t cpu_milli, cpu_left;
    uint64_t memory, memory_left;
    /* Pods on it, each once, by the number of GPUs they ask for; [0] those without GPUs, [1] those with a part of one
     * or one. */
    uint32_t pods_by_gpus[SMS_NODE_GPUS_MAX + 1];
    uint32_t parts;                        /* pods with a part of one GPU */
    const struct sms_monitored *monitored; /* where the policy has a `pace`; else NULL */
};

/* A shape that is typical for the pods of the scenario, and its share among them (FGD, ATC'23, section 4.1). */
struct sms_typical_pod {
    struct sms_pod_view pod;
    double share;  /* of all typical ones: they add up to 1 */
    uint64_t pods; /* the same as a count, for sums that are exact */
};

struct sms_place_view {
    const double *params;                  /* in the order of the policy's table; times in ps */
    const struct sms_typical_pod *typical; /* [typicals]; most frequent first */
    size_t typicals;
    uint64_t cpu_most, memory_most; /* of any node of the cluster */
    uint32_t gpus_most;
    const struct sms_place_model *model; /* for sms_place_slowdowns; NULL where no pod has a workload */
    uint32_t random; /* for `choose`, when a pod takes its place: drawn anew, any value as likely; else 0 */
};

enum sms_place_search {
    SMS_PLACE_BEST,  /* highest score, of equal ones the lowest node */
    SMS_PLACE_FIRST, /* the lowest node that fits */
    SMS_PLACE_NEXT,  /* the next that fits after the node chosen last, itself the last; at first from node 0 */
    SMS_PLACE_RANDOM /* each that fits is as likely */
};

/* The time that decisions take, ps. One is made after another, each in three steps: the nodes are asked, and their
 * answers are those of query_ps later; decide_ps later the pod goes to the best of the nodes that answered, or, if none
 * qualifies, it is tried again after retry_ps, behind those that wait by then. */
struct sms_place_pace {
    double query_ps, decide_ps, retry_ps;
};

struct sms_place_policy {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;               /* one sentence, no full stop */
    const struct sms_param *params; /* or NULL */
    enum sms_place_search search;
    bool asks; /* sms_place_slowdowns; scores are then not kept for nodes that are alike */
    enum sms_place_search (*search_by)(
        const double *params); /* instead of `search`, where a parameter says it; or NULL */

    /* SMS_PLACE_BEST, which must have it: how well the node suits; finite, or -INFINITY: the pod does not go there.
     * `chosen[i]` is 1 where GPU i is taken, else
     * 0; it holds what `choose`, or the engine's best fit, says, and may be changed. The function must depend on its
     * arguments alone, and not on the node's number: the engine keeps scores of nodes that are alike. */
    double (*score)(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX]);

    /* Which GPUs of a node that fits; NULL: those with least left that have enough, of equal ones the lowest. */
    void (*choose)(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                   uint8_t chosen[SMS_NODE_GPUS_MAX]);

    /* With SMS_PLACE_BEST: how long decisions take in a cluster of so many nodes. Such a policy sees what the nodes'
     * monitors say, and nodes that do not answer are not scored. NULL: no time; nobody is asked. */
    struct sms_place_pace (*pace)(const struct sms_place_view *view, size_t nodes);
};

/* Whether the GPU has what the pod asks of each. */
static inline bool sms_gpu_fits(const struct sms_gpu_view *gpu, const struct sms_pod_view *pod)
{
    return gpu && pod && gpu->milli_left >= pod->gpu_milli && gpu->memory_left >= pod->gpu_memory;
}

/* Whether the pod has a part of one GPU. */
static inline bool sms_pod_is_part(const struct sms_pod_view *pod)
{
    return pod && pod->gpus == 1 && pod->gpu_milli < 1000;
}

/* Thousandths that the pod asks for, of all its GPUs. */
static inline uint64_t sms_pod_gpu_milli(const struct sms_pod_view *pod)
{
    return pod ? (uint64_t)pod->gpus * pod->gpu_milli : 0;
}

/* Whether the pod fits the node: CPU, memory, labels, model, and enough GPUs. */
bool sms_node_fits(const struct sms_node_view *node, const struct sms_pod_view *pod);

/* Thousandths left on all GPUs of the node. */
uint64_t sms_node_gpu_left(const struct sms_node_view *node);

/* The shares, 0..1, of the node's CPUs, memory and GPUs that nobody has once a pod that fits is there; in that order,
 * without those of which the node has none. Returns how many they are. */
size_t sms_node_shares(const struct sms_node_view *node, const struct sms_pod_view *pod,
                       double left[SMS_NODE_RESOURCES]);

/* Their mean; 0 if there are none. */
double sms_node_share_left(const struct sms_node_view *node, const struct sms_pod_view *pod);

/* Of what the node has left, how many thousandths of GPUs a pod of this shape cannot use (FGD, ATC'23, section 3.2):
 * all, if it does not fit, else those on GPUs that lack enough for it. */
uint64_t sms_node_fragment(const struct sms_node_view *node, const struct sms_pod_view *pod);

/* By how much the workloads on a GPU of the node slow each other, added up, each at least 1: by the contention model
 * and for want of room on the SMs, or, in a mode of turns, as many times as they are; with `pod` among them unless it
 * is NULL. 0 where no workloads run. For policies with `asks`. */
double sms_place_slowdowns(const struct sms_place_view *view, const struct sms_node_view *node, uint32_t gpu,
                           const struct sms_pod_view *pod);

/* Fragments, averaged over the typical pods. */
double sms_node_fragments(const struct sms_place_view *view, const struct sms_node_view *node);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
