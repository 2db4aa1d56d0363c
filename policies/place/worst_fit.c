/* Worst fit: the node with the most left once the pod is there. A thousandth of a GPU counts as `gpu_weight`
 * thousandths of a CPU.
 *
 * Wins if pods on one node disturb each other, because it spreads them. Fails if large pods come late, because no node
 * is free for them. Source: kubernetes-scheduler-simulator, WorstFitScore, weights 1 and 100. */
#include <smsched/place.h>

enum { GPU_WEIGHT };

static const struct sms_param params[] = {
    {"gpu_weight", SMS_UNIT_COUNT, 0, 1e6, 100, "sets the weight of a thousandth of a GPU, in thousandths of a CPU"},
    {0},
};

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    uint64_t cpu = node->cpu_left - pod->cpu_milli;
    uint64_t gpu = sms_node_gpu_left_with(node, pod);
    (void)chosen;
    return (double)(cpu + gpu * (uint64_t)view->params[GPU_WEIGHT]);
}

const struct sms_place_policy sms_place_policy_worst_fit = {
    .name = "worst_fit",
    .help = "takes the node with the most CPUs and GPUs left afterwards",
    .params = params,
    .search = SMS_PLACE_BEST,
    .same_order = true,
    .score = score,
};
