/* The node with the most GPUs left. A place policy says which node takes the next pod. */
#include <smsched/plugin.h>

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    double left = 0;
    (void)view, (void)pod, (void)chosen;
    for (uint32_t i = 0; i < node->gpus; i++)
        left += node->gpu[i].milli_left;
    return left;
}

static const struct sms_place_policy policy = {
    .name = "@NAME@",
    .help = "takes the node with the most GPUs left",
    .search = SMS_PLACE_BEST,
    .score = score,
};

SMS_PLUGIN(.place = {&policy});
