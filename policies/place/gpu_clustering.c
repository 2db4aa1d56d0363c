/* GPU clustering: nodes whose pods all ask for as many GPUs as this pod, then nodes with such pods among others, then
 * nodes without pods on GPUs, then the rest. Within each group the fullest node comes first.
 *
 * Wins if pods of few sizes come and go, because a pod fits where one of its size has left. Fails if there are many
 * sizes. Source: kubernetes-scheduler-simulator, GpuClusteringScore, after Gandiva (Xiao et al., OSDI 2018). There and
 * here, pods with a part of a GPU are a size of their own. */
#include <smsched/place.h>

enum { LEVELS };
enum { WHOLE = 1000 };

static const struct sms_param params[] = {
    {"levels", SMS_UNIT_COUNT, 0, 1000, 0,
     "rounds the score down to this many levels, as the simulator of FGD does with 100; 0: exact"},
    {0},
};

/* What the pods on a node ask for, compared with a pod; in rising preference. */
enum node_group { OTHER_SIZES, NO_GPU_PODS, MIXED_SIZES, SAME_SIZE };

static enum node_group group_of(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    uint64_t parts = node->parts, ones = node->pods_by_gpus[1] - parts, same = 0, sizes = 0;
    for (uint32_t n = 2; n <= SMS_NODE_GPUS_MAX; n++)
        sizes += node->pods_by_gpus[n] > 0;
    sizes += (parts > 0) + (ones > 0);
    if (pod->gpus > 1)
        same = node->pods_by_gpus[pod->gpus];
    else
        same = sms_pod_is_part(pod) ? parts : ones;
    if (sizes == 0)
        return NO_GPU_PODS;
    if (same == 0)
        return OTHER_SIZES;
    return sizes == 1 ? SAME_SIZE : MIXED_SIZES;
}

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    uint64_t all = WHOLE * (uint64_t)view->gpus_most, levels = (uint64_t)view->params[LEVELS];
    (void)chosen;
    if (pod->gpus == 0 || all == 0)
        return 0;
    uint64_t exact = (uint64_t)group_of(node, pod) * all + (all - sms_node_gpu_left(node));
    return (double)(levels ? exact * levels / (4 * all) : exact);
}

const struct sms_place_policy sms_place_policy_gpu_clustering = {
    .name = "gpu_clustering",
    .help = "takes the fullest of the nodes whose pods request the same number of GPUs",
    .params = params,
    .search = SMS_PLACE_BEST,
    .score = score,
};
