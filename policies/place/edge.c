/* Edge: instances are packed from the edge of the fullest GPU. A pod takes the GPU with the least left on which it
 * finds an instance, and there the last slice at which its instance may begin.
 *
 * Wins if small pods come first: they gather at one end, and the other keeps places for large instances. Fails if pods
 * end in another order than they came, since what is left is then in pieces. The rule is best fit with NVIDIA's places
 * of profiles read from the end (MIG User Guide: 1g may begin at slices 0 to 6, so the first goes to 6 and leaves 4g
 * and 3g their place at 0). Pods that ask for GPUs go to the node where best fit leaves least of them. */
#include <smsched/place.h>

static uint32_t last_of(uint32_t starts) { return 31 - (uint32_t)__builtin_clz(starts); }

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    uint32_t best = node->gpus;
    (void)view;
    if (!pod->profile)
        return -(double)sms_node_gpu_left(node);
    for (uint32_t i = 0; i < node->gpus; i++) {
        chosen[i] = 0;
        if (sms_gpu_fits(&node->gpu[i], pod) &&
            (best == node->gpus || node->gpu[i].milli_left < node->gpu[best].milli_left))
            best = i;
    }
    chosen[best] = (uint8_t)(SMS_SLICE + last_of(sms_layout_starts(node->mig, &node->layout[best], pod->profile)));
    return -(double)node->gpu[best].milli_left;
}

const struct sms_place_policy sms_place_policy_edge = {
    .name = "edge",
    .help = "packs instances from the last slice of the fullest GPU that has a place",
    .search = SMS_PLACE_BEST,
    .score = score,
};
