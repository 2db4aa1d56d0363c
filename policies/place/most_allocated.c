/* Most allocated: the node with the largest used share once the pod is there, averaged over CPUs, memory and GPUs.
 *
 * Wins, like best fit, if whole nodes must stay free. Unlike best fit, it counts shares of each node's own size.
 * Source: kube-scheduler, NodeResourcesFit with MostAllocated, which rounds down to a hundredth; this policy does not
 * round. */
#include <smsched/place.h>

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    (void)view, (void)chosen;
    return -sms_node_share_left(node, pod);
}

const struct sms_place_policy sms_place_policy_most_allocated = {
    .name = "most_allocated",
    .help = "takes the node whose CPUs, memory and GPUs are used most afterwards, on average",
    .search = SMS_PLACE_BEST,
    .score = score,
};
