/* Interference aware: the node and GPUs where the sum of the predicted slowdowns of all pods grows least. The
 * prediction comes from the scenario's contention model, with the demand that each workload's kernels place on a device
 * on average while they run. If pods take turns (time slices), the slowdown is their number.
 *
 * Wins if workloads use different resources, or if pairs of classes differ in how they slow each other. Fails if
 * kernels seldom run at the same time, because it assumes that they always run. It spreads, because a GPU of its own is
 * never worse for a pod. Pods without workloads go to the lowest node. */
#include <smsched/place.h>

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    double sum = 0;
    if (pod->kind == 0)
        return 0;
    for (uint32_t i = 0; i < node->gpus; i++)
        chosen[i] = 0;
    for (uint32_t taken = 0; taken < pod->gpus; taken++) {
        uint32_t best = node->gpus;
        double least = 0;
        for (uint32_t i = 0; i < node->gpus; i++) {
            if (chosen[i] || !sms_gpu_fits(&node->gpu[i], pod))
                continue;
            double more =
                sms_rounded(sms_place_slowdowns(view, node, i, pod) - sms_place_slowdowns(view, node, i, NULL));
            if (best < node->gpus && more >= least)
                continue;
            best = i;
            least = more;
        }
        if (best < node->gpus)
            chosen[best] = 1;
        sum += least;
    }
    return -sum;
}

const struct sms_place_policy sms_place_policy_interference_aware = {
    .name = "interference_aware",
    .help = "takes the node and GPUs where the slowdowns that the contention model predicts for all pods grow least",
    .search = SMS_PLACE_BEST,
    .asks = true,
    .score = score,
};
