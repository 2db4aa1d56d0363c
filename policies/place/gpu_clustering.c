/* GPU clustering: nodes whose pods all ask for as many GPUs as this one, then nodes that have such pods among others,
 * then nodes without pods on GPUs, then the rest; of each kind the fullest.
 *
 * Wins when pods of one size come and go: what one leaves, the next fits. Fails when sizes are many. Source:
 * kubernetes-scheduler-simulator, GpuClusteringScore, after Gandiva (Xiao et al., OSDI 2018). Pods with a part of a GPU
 * are a size of their own, as there. */
#include <smsched/place.h>

enum { LEVELS };
enum { WHOLE = 1000 };

static const struct sms_param params[] = {
    {"levels", SMS_UNIT_COUNT, 0, 1000, 0,
     "round the score down to so many levels, as the simulator of FGD does with 100; 0: exact"},
    {0},
};

enum kind { OTHERS, IDLE, MIXED, ALONE };

static enum kind kind_of(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    uint64_t parts = node->parts, ones = node->pods_by_gpus[1] - parts, same = 0, kinds = 0;
    for (uint32_t n = 2; n <= SMS_NODE_GPUS_MAX; n++)
        kinds += node->pods_by_gpus[n] > 0;
    kinds += (parts > 0) + (ones > 0);
    if (pod->gpus > 1)
        same = node->pods_by_gpus[pod->gpus];
    else
        same = sms_pod_is_part(pod) ? parts : ones;
    if (kinds == 0)
        return IDLE;
    if (same == 0)
        return OTHERS;
    return kinds == 1 ? ALONE : MIXED;
}

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    uint64_t all = WHOLE * (uint64_t)view->gpus_most, levels = (uint64_t)view->params[LEVELS];
    (void)chosen;
    if (pod->gpus == 0 || all == 0)
        return 0;
    uint64_t exact = (uint64_t)kind_of(node, pod) * all + (all - sms_node_gpu_left(node));
    return (double)(levels ? exact * levels / (4 * all) : exact);
}

const struct sms_place_policy sms_placing_gpu_clustering = {
    .name = "gpu_clustering",
    .help = "nodes whose pods ask for as many GPUs, the fullest of them",
    .params = params,
    .search = SMS_PLACE_BEST,
    .score = score,
};
