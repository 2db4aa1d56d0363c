/* Whether a pod fits a node, what is left of the node, and how much of that is a fragment, of no use to the pods that
 * come (FGD, ATC'23, section 3.2). */
#include <smsched/place.h>

#include <math.h>

enum { WHOLE = 1000 }; /* thousandths */

/* Pods without GPUs run on any node. */
static bool may_run_on(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    if (pod->gpus == 0)
        return true;
    return pod->gpus <= node->gpus && node->model >= 0 && (pod->models >> node->model & 1);
}

bool sms_node_fits(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    if (!node || !pod || (pod->labels & ~node->labels) || node->cpu_left < pod->cpu_milli ||
        node->memory_left < pod->memory || !may_run_on(node, pod))
        return false;
    uint32_t fit = 0;
    for (uint32_t i = 0; i < node->gpus && fit < pod->gpus; i++)
        fit += sms_gpu_fits(&node->gpu[i], pod);
    return fit >= pod->gpus;
}

uint64_t sms_node_gpu_left(const struct sms_node_view *node)
{
    uint64_t left = 0;
    for (uint32_t i = 0; node && i < node->gpus; i++)
        left += node->gpu[i].milli_left;
    return left;
}

/* Whether the pod would share an instance, on the fullest GPU that it fits. */
static bool shares_instance(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    uint32_t best = node->gpus;
    for (uint32_t i = 0; i < node->gpus; i++)
        if (sms_gpu_fits(&node->gpu[i], pod) &&
            (best == node->gpus || node->gpu[i].milli_left < node->gpu[best].milli_left))
            best = i;
    const int slice = best < node->gpus ? sms_layout_first(node->mig, &node->layout[best], pod->profile) : -1;
    return slice >= 0 && node->layout[best].pods[slice] > 0;
}

uint64_t sms_node_gpu_left_with(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    const uint64_t left = sms_node_gpu_left(node);
    if (!node || !pod || (pod->profile && node->layout && shares_instance(node, pod)))
        return left;
    return left - (uint64_t)pod->gpus * sms_node_milli(node, pod);
}

size_t sms_node_shares(const struct sms_node_view *node, const struct sms_pod_view *pod,
                       double left[SMS_NODE_RESOURCES])
{
    if (!node || !pod || !left)
        return 0;
    const uint64_t all[SMS_NODE_RESOURCES] = {node->cpu_milli, node->memory, 1000 * (uint64_t)node->gpus};
    const uint64_t rest[SMS_NODE_RESOURCES] = {node->cpu_left - pod->cpu_milli, node->memory_left - pod->memory,
                                               sms_node_gpu_left_with(node, pod)};
    size_t shares = 0;
    for (int r = 0; r < SMS_NODE_RESOURCES; r++)
        if (all[r] > 0)
            left[shares++] = (double)rest[r] / (double)all[r];
    return shares;
}

double sms_node_share_left(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    double left[SMS_NODE_RESOURCES], sum = 0;
    size_t shares = sms_node_shares(node, pod, left);
    for (size_t i = 0; i < shares; i++)
        sum += left[i];
    return shares ? sms_rounded(sum / (double)shares) : 0;
}

double sms_rounded(double score) { return nearbyint(0x1p40 * score) * 0x1p-40; }

/* A node that is weighed. Most of its GPUs are full or whole, so few are looked at for a pod. */
struct weighed {
    const struct sms_node_view *node;
    uint64_t left;                         /* on all GPUs */
    uint32_t whole;                        /* GPUs with all left */
    uint32_t milli[SMS_NODE_GPUS_MAX + 1]; /* left of each other one, falling; then 0 */
};

static void weigh(struct weighed *weighed, const struct sms_node_view *node)
{
    uint32_t gpus = 0;
    *weighed = (struct weighed){.node = node};
    for (uint32_t i = 0; i < node->gpus; i++) {
        const uint32_t milli = node->gpu[i].milli_left;
        weighed->left += milli;
        weighed->whole += milli == WHOLE;
        if (milli == 0 || milli == WHOLE)
            continue;
        uint32_t at = gpus++;
        for (; at > 0 && weighed->milli[at - 1] < milli; at--)
            weighed->milli[at] = weighed->milli[at - 1];
        weighed->milli[at] = milli;
    }
}

/* The thousandths left of GPUs that the pod fits; 0: there are fewer than it asks for. */
static uint64_t usable_one_by_one(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    uint64_t usable = 0;
    uint32_t fit = 0;
    for (uint32_t i = 0; i < node->gpus; i++)
        if (sms_gpu_fits(&node->gpu[i], pod)) {
            usable += node->gpu[i].milli_left;
            fit++;
        }
    return fit >= pod->gpus ? usable : 0;
}

static uint64_t usable_by_milli(const struct weighed *weighed, const struct sms_pod_view *pod)
{
    uint64_t usable = (uint64_t)weighed->whole * WHOLE;
    uint32_t fit = 0;
    for (; weighed->milli[fit] >= pod->gpu_milli; fit++)
        usable += weighed->milli[fit];
    return weighed->whole + fit >= pod->gpus ? usable : 0;
}

/* The thousandths of GPUs that a pod can use, where it fits by CPUs and memory. */
static uint64_t usable_of_gpus(const struct weighed *weighed, const struct sms_pod_view *pod)
{
    const struct sms_node_view *node = weighed->node;
    if (pod->gpus == 0 || (pod->labels & ~node->labels) || !may_run_on(node, pod))
        return 0;
    bool by_milli = pod->gpu_milli > 0 && !pod->gpu_memory && !pod->profile && !node->layout;
    return by_milli ? usable_by_milli(weighed, pod) : usable_one_by_one(node, pod);
}

/* The pods of the kind of the first, and from there on, that fit by CPUs and memory. */
static uint64_t fit_of_kind(const struct sms_typical_pod *first, const struct sms_typical_pod *end,
                            const struct sms_node_view *node)
{
    uint64_t pods = 0;
    for (const struct sms_typical_pod *t = first; t < end; t = t->alike ? t + t->alike : end)
        pods += node->cpu_left >= t->pod.cpu_milli && node->memory_left >= t->pod.memory ? t->pods : 0;
    return pods;
}

/* All pods lose what is left, but for what those that fit can use. Most typical pods differ in CPUs alone, so GPUs are
 * looked at once for all of a kind, and CPUs only if it can use any. */
static uint64_t weigh_afresh(const struct sms_typical_pod *typical, size_t count, const struct sms_node_view *node)
{
    struct weighed weighed;
    weigh(&weighed, node);
    if (!weighed.left)
        return 0;
    uint64_t sum = weighed.left * typical[count - 1].counted;
    for (size_t t = 0; t < count; t += 1 + typical[t].skip) {
        uint64_t usable = usable_of_gpus(&weighed, &typical[t].pod);
        if (usable)
            sum -= usable * fit_of_kind(&typical[t], typical + count, node);
    }
    return sum;
}

uint64_t sms_node_weigh_fragments(const struct sms_typical_pod *typical, size_t count, const struct sms_node_view *node)
{
    if (!typical || !count || !node)
        return 0;
    struct sms_weighed *kept = node->weighed;
    if (!kept || kept->node != node)
        return weigh_afresh(typical, count, node);
    if (kept->typical != typical || kept->count != count)
        *kept = (struct sms_weighed){node, typical, count, weigh_afresh(typical, count, node)};
    return kept->sum;
}
