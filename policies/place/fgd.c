/* Fragmentation gradient descent: the node and GPU where the pod increases fragmentation least, or decreases it most.
 * The fragment of a node is the part of its free GPUs that the typical pods could not use (Weng et al., USENIX ATC
 * 2023).
 *
 * Of instances the fragment is the same measure: free slices where no instance of the profile that a typical pod asks
 * for can be had (the paper knows no instances).
 *
 * Wins if pods resemble the typical ones and the cluster fills up. Is no better than best fit if all pods are alike.
 * The paper's simulator sorts by int(100 * sigmoid(decrease / 1000)), so that decreases which differ by up to about 40
 * thousandths of a GPU are equal. `exact` sorts by the decrease itself. */
#include <smsched/place.h>

enum { SHARE, ORDER };
enum { TRUNCATED, EXACT };
enum { WHOLE = 1000 };

static const char *const orders[] = {"truncated", "exact", NULL};

static const struct sms_param params[] = {
    {"share", SMS_UNIT_RATIO, 0.01, 1, 0.95,
     "sets the share of pods that the typical pod shapes, the most frequent ones, make up together"},
    {"order", SMS_UNIT_CHOICE, 0, 1, TRUNCATED,
     "says how nodes are ordered: by whole numbers from 0 to 100 as in the paper's simulator (truncated), or by the "
     "growth itself (exact)",
     .choices = orders},
    {0},
};

/* e^x for |x| < 64 or so. It uses only + * /, so that the result is the same on every machine. */
static double exponential(double x)
{
    double term = 1, sum = 1, part = x / 1024;
    for (int i = 1; i < 12; i++) {
        term *= part / i;
        sum += term;
    }
    for (int i = 0; i < 10; i++)
        sum *= sum;
    return sum;
}

static double truncated(double decrease)
{
    double x = decrease / WHOLE;
    x = x > 40 ? 40 : x < -40 ? -40 : x;
    return (double)(int)(100 / (1 + exponential(-x)));
}

/* The fragments of a node for the typical pods, in whole numbers, so that equally good nodes get equal scores. */
struct fragments {
    size_t typicals;
    uint64_t sum; /* before the pod comes */
};

static struct fragments fragments_of(const struct sms_place_view *view, const struct sms_node_view *node)
{
    size_t typicals = 0, most = view->typicals; /* the fewest that make up the share, by halves */
    while (typicals < most) {
        size_t middle = (typicals + most) / 2;
        if (view->typical[middle].covered < view->params[SHARE])
            typicals = middle + 1;
        else
            most = middle;
    }
    typicals += typicals < view->typicals;
    return (struct fragments){typicals, sms_node_weigh_fragments(view->typical, typicals, node)};
}

/* Returns by how much the fragment of the node shrinks, on average over the typical pods. */
static double decrease(const struct sms_place_view *view, const struct fragments *before,
                       const struct sms_node_view *after)
{
    int64_t less = (int64_t)(before->sum - sms_node_weigh_fragments(view->typical, before->typicals, after));
    uint64_t pods = before->typicals ? view->typical[before->typicals - 1].counted : 0;
    double mean = pods > 0 ? (double)less / (double)pods : 0;
    return view->params[ORDER] == TRUNCATED ? truncated(mean) : mean;
}

static double score_of(const struct sms_place_view *view, const struct fragments *before,
                       const struct sms_node_view *node, const struct sms_pod_view *pod, const uint8_t *chosen)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_layout layout[SMS_NODE_GPUS_MAX];
    struct sms_node_view after = sms_node_with(node, pod, chosen, gpu, layout);
    return decrease(view, before, &after);
}

/* True if an earlier GPU has exactly as much left, so that this one need not be tried. */
static bool has_twin(const struct sms_node_view *node, uint32_t gpu)
{
    const struct sms_gpu_view *self = &node->gpu[gpu];
    const struct sms_layout *layout = node->layout;
    for (uint32_t i = 0; i < gpu; i++)
        if (node->gpu[i].milli_left == self->milli_left && node->gpu[i].memory_left == self->memory_left &&
            (!layout || sms_layouts_alike(&layout[i], &layout[gpu])))
            return true;
    return false;
}

/* The best GPU so far, and what is chosen of it. */
struct best {
    uint32_t gpu;
    uint8_t chosen;
    double score;
};

static void try_gpu(const struct sms_place_view *view, const struct fragments *before, const struct sms_node_view *node,
                    const struct sms_pod_view *pod, uint32_t gpu, uint8_t chosen, struct best *best)
{
    uint8_t only[SMS_NODE_GPUS_MAX] = {0};
    only[gpu] = chosen;
    double score = score_of(view, before, node, pod, only);
    if (best->gpu == node->gpus || score > best->score)
        *best = (struct best){gpu, chosen, score};
}

/* Tries each slice at which the instance of a pod with a profile may begin. */
static double best_gpu(const struct sms_place_view *view, const struct fragments *before,
                       const struct sms_node_view *node, const struct sms_pod_view *pod,
                       uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    struct best best = {.gpu = node->gpus};
    for (uint32_t i = 0; i < node->gpus; i++) {
        if (!sms_gpu_fits(&node->gpu[i], pod) || has_twin(node, i))
            continue;
        uint32_t starts = pod->profile ? sms_layout_starts(node->mig, &node->layout[i], pod->profile) : 0;
        if (!pod->profile)
            try_gpu(view, before, node, pod, i, 1, &best);
        for (uint8_t s = 0; starts >> s; s++)
            if (starts >> s & 1)
                try_gpu(view, before, node, pod, i, SMS_SLICE + s, &best);
    }
    for (uint32_t i = 0; i < node->gpus; i++)
        chosen[i] = i == best.gpu ? best.chosen : 0;
    return best.score;
}

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    struct fragments before = fragments_of(view, node);
    if (sms_pod_is_part(pod) || pod->profile)
        return best_gpu(view, &before, node, pod, chosen);
    return score_of(view, &before, node, pod, chosen);
}

const struct sms_place_policy sms_place_policy_fgd = {
    .name = "fgd",
    .help = "takes the node and GPU where fragments that typical pods cannot use grow least",
    .params = params,
    .search = SMS_PLACE_BEST,
    .costly = true,
    .score = score,
};
