/* Most allocated: the node of which the largest share is used once the pod is there, on the mean of CPUs, memory and
 * GPUs.
 *
 * Wins, like best fit, when whole nodes must stay free; unlike it, by shares of the node's own size. Source:
 * kube-scheduler, NodeResourcesFit with MostAllocated, which rounds down to a hundredth; this one does not. */
#include <smsched/place.h>

/* Of one resource; nothing, and not counted, where the node has none. */
static double share(uint64_t part, uint64_t all, int *counted)
{
    *counted += all > 0;
    return all ? (double)part / (double)all : 0;
}

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    int counted = 0;
    uint64_t gpus = 1000 * (uint64_t)node->gpus, gpu = (uint64_t)pod->gpus * pod->gpu_milli;
    double left = share(node->cpu_left - pod->cpu_milli, node->cpu_milli, &counted) +
                  share(node->memory_left - pod->memory, node->memory, &counted) +
                  share(sms_node_gpu_left(node) - gpu, gpus, &counted);
    (void)view, (void)chosen;
    return counted ? -left / counted : 0;
}

const struct sms_place_policy sms_placing_most_allocated = {
    .name = "most_allocated",
    .help = "the node whose CPUs, memory and GPUs are used most afterwards, on the mean",
    .search = SMS_PLACE_BEST,
    .score = score,
};
