/* Balanced allocation: the node whose CPUs, memory and GPUs are used most evenly once the pod is there.
 *
 * Wins when a resource runs out on nodes that have much of another. Says nothing of how full a node is. Source:
 * kube-scheduler, NodeResourcesBalancedAllocation, which orders by the standard deviation of the shares, rounded down
 * to a hundredth; this one by their variance, exactly, which is the same order. */
#include <smsched/place.h>

enum { RESOURCES = 3 };

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    const uint64_t all[RESOURCES] = {node->cpu_milli, node->memory, 1000 * (uint64_t)node->gpus};
    const uint64_t left[RESOURCES] = {node->cpu_left - pod->cpu_milli, node->memory_left - pod->memory,
                                      sms_node_gpu_left(node) - (uint64_t)pod->gpus * pod->gpu_milli};
    double share[RESOURCES], mean = 0, variance = 0;
    int counted = 0;
    (void)view, (void)chosen;
    for (int r = 0; r < RESOURCES; r++)
        if (all[r] > 0)
            mean += share[counted++] = (double)left[r] / (double)all[r];
    for (int r = 0; r < counted; r++)
        variance += (share[r] - mean / counted) * (share[r] - mean / counted);
    return counted ? -variance / counted : 0;
}

const struct sms_place_policy sms_placing_balanced = {
    .name = "balanced",
    .help = "the node whose CPUs, memory and GPUs are used most evenly afterwards",
    .search = SMS_PLACE_BEST,
    .score = score,
};
