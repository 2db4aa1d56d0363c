/* Best fit: the node with the least left once the pod is there. CPUs and GPUs count as shares of the cluster's largest
 * node, with equal weight.
 *
 * Wins if small pods come first, because whole nodes stay free for large ones. Fails if GPUs are left on nodes without
 * free CPUs, because it ignores what later pods could use. Source: kubernetes-scheduler-simulator, BestFitScore. */
#include <smsched/place.h>

enum { LEVELS };

static const struct sms_param params[] = {
    {"levels", SMS_UNIT_COUNT, 0, 1000, 0,
     "rounds the score down to this many levels, as the simulator of FGD does with 100; 0: exact"},
    {0},
};

/* Computes in whole numbers: the mean share left, times 2 * cpu_most * gpu_most. */
static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    uint64_t cpu_most = view->cpu_most ? view->cpu_most : 1, gpu_most = view->gpus_most ? 1000 * view->gpus_most : 1;
    uint64_t cpu = node->cpu_left - pod->cpu_milli;
    uint64_t gpu = sms_node_gpu_left_with(node, pod);
    uint64_t left = cpu * gpu_most + gpu * cpu_most, all = 2 * cpu_most * gpu_most;
    uint64_t levels = (uint64_t)view->params[LEVELS], level = (all - left) * levels / all;
    (void)chosen;
    return levels ? (double)level : -(double)left;
}

const struct sms_place_policy sms_place_policy_best_fit = {
    .name = "best_fit",
    .help = "takes the node with the least CPUs and GPUs left afterwards",
    .params = params,
    .search = SMS_PLACE_BEST,
    .score = score,
};
