/* Dominant share: the node of which the pod takes the largest share of CPUs, memory or GPUs. A share is the request
 * divided by what is left after it. If nothing is left, it counts as 1.
 *
 * The policy packs, because nearly full nodes score high. Source: open-simulator, the score of its plug-in Simon. Simon
 * divides by what an empty node would have left (`capacity`), so that the smallest node that fits wins, whatever runs
 * on it. `free` takes the node's pods into account. */
#include <smsched/place.h>

enum { BASE };
enum { FREE, CAPACITY };

static const char *const bases[] = {"free", "capacity", NULL};

static const struct sms_param params[] = {
    {"of", SMS_UNIT_CHOICE, 0, 1, FREE,
     "divides by what the request leaves of the free resources (free) or of the node's capacity (capacity)",
     .choices = bases},
    {0},
};

static double share(uint64_t asked, uint64_t from)
{
    if (asked == 0)
        return 0;
    return from > asked ? (double)asked / (double)(from - asked) : 1;
}

static double larger(double a, double b) { return a > b ? a : b; }

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    bool of_capacity = view->params[BASE] == CAPACITY;
    uint64_t gpus = of_capacity ? 1000 * (uint64_t)node->gpus : sms_node_gpu_left(node);
    double most = share(pod->cpu_milli, of_capacity ? node->cpu_milli : node->cpu_left);
    (void)chosen;
    most = larger(most, share(pod->memory, of_capacity ? node->memory : node->memory_left));
    return larger(most, share(sms_pod_gpu_milli(pod), gpus));
}

const struct sms_place_policy sms_place_policy_dominant_share = {
    .name = "dominant_share",
    .help = "takes the node of which the pod takes the largest share of some resource",
    .params = params,
    .search = SMS_PLACE_BEST,
    .score = score,
};
