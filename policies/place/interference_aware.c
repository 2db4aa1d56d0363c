/* Interference-aware: the node, and the GPUs, where the predicted slowdowns of all pods add up to the least more. The
 * prediction is the scenario's contention model, asked with what each workload's kernels demand of a device on average
 * while they run.
 *
 * Wins when workloads press on different resources, or pairs of classes differ in how they slow each other. Fails where
 * kernels seldom meet, as it takes them to run all the time. Where pods take turns (time slices) it counts them.
 * It spreads: a GPU to oneself is never worse. Pods without workloads go to the lowest node. */
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
            double more = sms_place_slowdowns(view, node, i, pod) - sms_place_slowdowns(view, node, i, NULL);
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

const struct sms_place_policy sms_placing_interference_aware = {
    .name = "interference_aware",
    .help = "where the slowdowns that the contention model predicts for all pods grow least",
    .search = SMS_PLACE_BEST,
    .asks = true,
    .score = score,
};
