/* Most allocated: the node of which the largest share is used once the pod is there, on the mean of CPUs, memory and
 * GPUs.
 *
 * Wins, like best fit, when whole nodes must stay free; unlike it, by shares of the node's own size. Source:
 * kube-scheduler, NodeResourcesFit with MostAllocated, which rounds down to a hundredth; this one does not. */
#include <smsched/place.h>

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    (void)view, (void)chosen;
    return -sms_node_share_left(node, pod);
}

const struct sms_place_policy sms_placing_most_allocated = {
    .name = "most_allocated",
    .help = "the node whose CPUs, memory and GPUs are used most afterwards, on the mean",
    .search = SMS_PLACE_BEST,
    .score = score,
};
