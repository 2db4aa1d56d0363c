/* GPU sharing by memory, as in Alibaba's scheduler extender. It takes the first node where some GPU has enough memory,
 * or the one with the most or the least allocated memory. Among the node's GPUs with enough memory
 * it takes the one with the least left, and among equals the lowest.
 *
 * Wins if memory is what runs out, because GPUs with much memory left stay free for large pods. It counts only memory:
 * if pods ask for none, all GPUs look equal. Users of the extender asked for `spread` (its issues 61 and 207). Source:
 * gpushare-scheduler-extender, nodeinfo.go. */
#include <smsched/place.h>

enum { NODE_SCORE, GPU_SELECT };
enum { NODE_FIRST, NODE_MOST, NODE_LEAST, NODE_RANDOM };
enum { BINPACK, SPREAD, FIRST, RANDOM };

static const char *const node_scores[] = {"first", "most_alloc", "least_alloc", "random", NULL};
static const char *const selects[] = {"binpack", "spread", "first", "random", NULL};

static const struct sms_param params[] = {
    {"node_score", SMS_UNIT_CHOICE, 0, 3, NODE_FIRST,
     "says which node that fits is taken: the first, the one with the largest or smallest share of its GPU memory "
     "allocated, where an unhealthy GPU counts as allocated, or any",
     .choices = node_scores},
    {"gpu_select", SMS_UNIT_CHOICE, 0, 3, BINPACK,
     "says which GPU that fits is taken: the one with the least or most memory left, the lowest, or any",
     .choices = selects},
    {0},
};

static enum sms_place_search search_by(const double *values)
{
    if (values[NODE_SCORE] == NODE_FIRST)
        return SMS_PLACE_FIRST;
    return values[NODE_SCORE] == NODE_RANDOM ? SMS_PLACE_RANDOM : SMS_PLACE_BEST;
}

/* The allocated share of the node's GPU memory. */
static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    double all = (double)node->gpus * (double)node->gpu_memory, left = 0;
    (void)pod, (void)chosen;
    for (uint32_t i = 0; i < node->gpus; i++)
        left += (double)node->gpu[i].memory_left;
    double share = all > 0 ? (all - left) / all : 0;
    return view->params[NODE_SCORE] == NODE_LEAST ? -share : share;
}

/* True if `a` suits better than `b`, which has the lower number. */
static bool is_better(double select, const struct sms_gpu_view *a, const struct sms_gpu_view *b)
{
    return (select == BINPACK && a->memory_left < b->memory_left) ||
           (select == SPREAD && a->memory_left > b->memory_left);
}

static bool may_take(const struct sms_node_view *node, const struct sms_pod_view *pod, const uint8_t *chosen,
                     uint32_t gpu)
{
    return !chosen[gpu] && sms_gpu_fits(&node->gpu[gpu], pod);
}

static uint32_t find_best(double select, const struct sms_node_view *node, const struct sms_pod_view *pod,
                          const uint8_t *chosen)
{
    uint32_t best = node->gpus;
    for (uint32_t i = 0; i < node->gpus; i++)
        if (may_take(node, pod, chosen, i) &&
            (best == node->gpus || is_better(select, &node->gpu[i], &node->gpu[best])))
            best = i;
    return best;
}

/* Draws one of the GPUs that fit. The low bits of the random number remain for the next draw. */
static uint32_t draw(uint32_t *random, const struct sms_node_view *node, const struct sms_pod_view *pod,
                     const uint8_t *chosen)
{
    uint32_t fit = 0, i = 0;
    for (uint32_t g = 0; g < node->gpus; g++)
        fit += may_take(node, pod, chosen, g);
    uint64_t product = (uint64_t)*random * fit;
    *random = (uint32_t)product;
    for (uint32_t k = (uint32_t)(product >> 32); i < node->gpus && (!may_take(node, pod, chosen, i) || k-- > 0);)
        i++;
    return i;
}

static void choose(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                   uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    double select = view->params[GPU_SELECT];
    uint32_t random = view->random;
    for (uint32_t i = 0; i < node->gpus; i++)
        chosen[i] = 0;
    for (uint32_t taken = 0; taken < pod->gpus; taken++) {
        uint32_t gpu = select == RANDOM ? draw(&random, node, pod, chosen) : find_best(select, node, pod, chosen);
        if (gpu < node->gpus)
            chosen[gpu] = 1;
    }
}

const struct sms_place_policy sms_place_policy_gpushare = {
    .name = "gpushare",
    .help = "takes the first node that fits, and on it the GPU with the least memory left that fits",
    .params = params,
    .search = SMS_PLACE_FIRST,
    .search_by = search_by,
    .score = score,
    .choose = choose,
};
