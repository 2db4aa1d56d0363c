/* Balanced allocation: the node whose CPUs, memory and GPUs are used most evenly once the pod is there.
 *
 * Wins if one resource runs out on nodes that have much of another. Ignores how full a node is. Source: kube-scheduler,
 * NodeResourcesBalancedAllocation, which sorts by the standard deviation of the shares, rounded down to a hundredth.
 * This policy sorts by their exact variance, which gives the same order without the rounding. */
#include <smsched/place.h>

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    double left[SMS_NODE_RESOURCES], mean = sms_node_share_left(node, pod), variance = 0;
    size_t shares = sms_node_shares(node, pod, left);
    (void)view, (void)chosen;
    for (size_t i = 0; i < shares; i++)
        variance += (left[i] - mean) * (left[i] - mean);
    return shares ? -sms_rounded(variance / (double)shares) : 0;
}

const struct sms_place_policy sms_place_policy_balanced = {
    .name = "balanced",
    .help = "takes the node whose CPUs, memory and GPUs are used most evenly afterwards",
    .search = SMS_PLACE_BEST,
    .score = score,
};
