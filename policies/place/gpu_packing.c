/* GPU packing: first GPUs that are shared already, then free GPUs of a node in use, then a free node.
 *
 * Wins if most pods ask for parts of GPUs. Fails if the rests of shared GPUs add up to whole GPUs that no pod can use.
 * Source: kubernetes-scheduler-simulator, GpuPackingScore (a score from 0 to 100, in whole numbers). */
#include <smsched/place.h>

enum { MOST = 100, WHOLE = 1000 };

static int64_t at_least(int64_t value, int64_t least) { return value < least ? least : value; }

/* Returns the number of free GPUs of the node; with `chosen`, only among the chosen ones. */
static int64_t free_gpus(const struct sms_node_view *node, const uint8_t *chosen)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < node->gpus; i++)
        count += node->gpu[i].milli_left == WHOLE && (!chosen || chosen[i]);
    return count;
}

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    int64_t idle = free_gpus(node, NULL), needed = free_gpus(node, chosen), left = 0;
    (void)view;
    if (pod->gpus == 0)
        return 0;
    if (idle == node->gpus)
        return (double)at_least(MOST / 3 - idle, idle);
    if (needed > 0)
        return (double)at_least(MOST / 2 - needed, MOST / 3);
    for (uint32_t i = 0; i < node->gpus; i++)
        left += chosen[i] ? node->gpu[i].milli_left * 100 / WHOLE : 0;
    return (double)at_least(MOST - left / 10, MOST / 2);
}

const struct sms_place_policy sms_place_policy_gpu_packing = {
    .name = "gpu_packing",
    .help = "takes shared GPUs first, then free GPUs of a node in use, then a free node",
    .search = SMS_PLACE_BEST,
    .score = score,
};
