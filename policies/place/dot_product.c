/* Dot product: the node whose vector of free CPUs and GPUs has the smallest dot product with the pod's request, both as
 * shares of the cluster's largest node.
 *
 * Among nodes with equally much left it takes the one with less of what the pod needs most, so it packs. Tetris (Grandl
 * et al., SIGCOMM 2014) takes the largest product. kubernetes-scheduler-simulator (DotProductScore, `merge`, `max`),
 * which has published results, takes the smallest, and so does this policy. */
#include <smsched/place.h>

enum { LEVELS };

static const struct sms_param params[] = {
    {"levels", SMS_UNIT_COUNT, 0, 1000, 0,
     "rounds the score down to this many levels, as the simulator of FGD does with 100; 0: exact"},
    {0},
};

static double share(uint64_t part, uint64_t most) { return most ? (double)part / (double)most : 0; }

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    uint64_t gpu_most = 1000 * (uint64_t)view->gpus_most;
    double cpu = share(node->cpu_left, view->cpu_most) * share(pod->cpu_milli, view->cpu_most);
    double gpu = share(sms_node_gpu_left(node), gpu_most) * share(sms_pod_gpu_milli(pod), gpu_most);
    double product = (cpu + gpu) / 2, levels = view->params[LEVELS];
    (void)chosen;
    return levels > 0 ? (double)(uint64_t)(levels * (1 - product)) : -sms_rounded(product);
}

const struct sms_place_policy sms_place_policy_dot_product = {
    .name = "dot_product",
    .help = "takes the node whose free CPUs and GPUs match the request least, which packs",
    .params = params,
    .search = SMS_PLACE_BEST,
    .score = score,
};
