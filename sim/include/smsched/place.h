/* For authors of place policies: which node, and which of its GPUs, takes a pod.
 *
 * A policy is one file, policies/place/NAME.c, that ends with
 *
 *     const struct sms_place_policy sms_placing_NAME = { .name = "NAME", ... };
 *
 * A policy proposes and the engine disposes: the engine has already checked that the pod fits the node (CPU, memory,
 * GPU models, enough GPUs with enough left of each) when it asks, and it keeps the books itself.
 *
 * GPUs are counted in thousandths, as the traces of the field do: a pod asks for `gpus` GPUs and `gpu_milli` of each,
 * which is 1000 where it asks for more than one. CPUs are counted in thousandths too. Sizes are bytes, times ps. */
#ifndef SMSCHED_PLACE_H
#define SMSCHED_PLACE_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SMS_NODE_GPUS_MAX = 16, SMS_GPU_MODELS_MAX = 64, SMS_NODE_RESOURCES = 3 };

/* What a pod asks for. Pods that ask for the same are of one shape. */
struct sms_pod_view {
    uint32_t gpus;      /* 0: none */
    uint32_t gpu_milli; /* of each; 1..1000; where memory alone is counted (docs/gpushare.md) its share, rounded down */
    uint64_t gpu_memory; /* of each, on top of that; 0: not asked for */
    uint64_t cpu_milli;
    uint64_t memory;
    uint64_t models; /* bit m: may run on GPU model m; all bits: on any */
};

struct sms_gpu_view {
    uint32_t milli_left; /* of 1000 */
    uint32_t pods;       /* on it */
    uint64_t memory_left;
};

/* One node, as its pods have left it. */
struct sms_node_view {
    size_t node;
    int model; /* of its GPUs; -1: it has none */
    uint32_t gpus;
    const struct sms_gpu_view *gpu; /* [gpus] */
    uint64_t gpu_memory;            /* of each, when nobody is on it */
    uint64_t cpu_milli, cpu_left;
    uint64_t memory, memory_left;
    /* Pods on it, each once, by the number of GPUs they ask for; [0] those without GPUs, [1] those with a part of one
     * or one. */
    uint32_t pods_by_gpus[SMS_NODE_GPUS_MAX + 1];
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
    uint32_t random; /* for `choose`, when a pod takes its place: drawn anew, any value as likely; else 0 */
};

enum sms_place_search {
    SMS_PLACE_BEST,  /* highest score, of equal ones the lowest node */
    SMS_PLACE_FIRST, /* the lowest node that fits */
    SMS_PLACE_NEXT,  /* the next that fits after the node chosen last, itself the last; at first from node 0 */
    SMS_PLACE_RANDOM /* each that fits is as likely */
};

struct sms_place_policy {
    const char *name;
    const char *help;               /* one sentence, no full stop */
    const struct sms_param *params; /* or NULL */
    enum sms_place_search search;
    enum sms_place_search (*search_by)(
        const double *params); /* instead of `search`, where a parameter says it; or NULL */

    /* SMS_PLACE_BEST, which must have it: how well the node suits; finite. `chosen[i]` is 1 where GPU i is taken, else
     * 0; it holds what `choose`, or the engine's best fit, says, and may be changed. The function must depend on its
     * arguments alone, and not on the node's number: the engine keeps scores of nodes that are alike. */
    double (*score)(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX]);

    /* Which GPUs of a node that fits; NULL: those with least left that have enough, of equal ones the lowest. */
    void (*choose)(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                   uint8_t chosen[SMS_NODE_GPUS_MAX]);
};

/* Whether the GPU has what the pod asks of each. */
static inline bool sms_gpu_fits(const struct sms_gpu_view *gpu, const struct sms_pod_view *pod)
{
    return gpu->milli_left >= pod->gpu_milli && gpu->memory_left >= pod->gpu_memory;
}

/* Thousandths that the pod asks for, of all its GPUs. */
static inline uint64_t sms_pod_gpu_milli(const struct sms_pod_view *pod)
{
    return (uint64_t)pod->gpus * pod->gpu_milli;
}

/* Whether the pod fits the node: CPU, memory, model, and enough GPUs. */
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

/* The same, averaged over the typical pods. */
double sms_node_fragments(const struct sms_place_view *view, const struct sms_node_view *node);

#ifdef __cplusplus
}
#endif

#endif
