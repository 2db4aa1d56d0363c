/* Least allocated: the node of which the smallest share is used once the pod is there, on the mean of CPUs, memory and
 * GPUs.
 *
 * What kube-scheduler does unless told otherwise: it spreads. Fails when large pods come late. Source: kube-scheduler,
 * NodeResourcesFit with LeastAllocated, which rounds down to a hundredth; this one does not. */
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
    return counted ? left / counted : 0;
}

const struct sms_place_policy sms_placing_least_allocated = {
    .name = "least_allocated",
    .help = "the node whose CPUs, memory and GPUs are used least afterwards, on the mean",
    .search = SMS_PLACE_BEST,
    .score = score,
};
