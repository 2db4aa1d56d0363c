/* Least allocated: the node with the smallest used share once the pod is there, averaged over CPUs, memory and GPUs.
 *
 * This is the default of kube-scheduler, and it spreads pods. Fails if large pods come late. Source: kube-scheduler,
 * NodeResourcesFit with LeastAllocated, which rounds down to a hundredth; this policy does not round. */
#include <smsched/place.h>

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    (void)view, (void)chosen;
    return sms_node_share_left(node, pod);
}

const struct sms_place_policy sms_place_policy_least_allocated = {
    .name = "least_allocated",
    .help = "takes the node whose CPUs, memory and GPUs are used least afterwards, on average",
    .search = SMS_PLACE_BEST,
    .score = score,
};
