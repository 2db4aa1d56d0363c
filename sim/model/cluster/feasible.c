/* Whether a pod fits a node, what is left of the node, and how much of that is a fragment, of no use to the pods that
 * come (FGD, ATC'23, section 3.2). */
#include <smsched/place.h>

/* Typical pods for which what they lose of GPUs is kept while a node is weighed. */
enum { LOST_MOST = 1000 };

/* Pods without GPUs run on any node. */
static bool may_run_on(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    if (pod->gpus == 0)
        return true;
    return pod->gpus <= node->gpus && node->model >= 0 && (pod->models >> node->model & 1);
}

bool sms_node_fits(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    if (!node || !pod || node->down || (pod->labels & ~node->labels) || node->cpu_left < pod->cpu_milli ||
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

size_t sms_node_shares(const struct sms_node_view *node, const struct sms_pod_view *pod,
                       double left[SMS_NODE_RESOURCES])
{
    if (!node || !pod || !left)
        return 0;
    const uint64_t all[SMS_NODE_RESOURCES] = {node->cpu_milli, node->memory, 1000 * (uint64_t)node->gpus};
    const uint64_t rest[SMS_NODE_RESOURCES] = {node->cpu_left - pod->cpu_milli, node->memory_left - pod->memory,
                                               sms_node_gpu_left(node) -
                                                   (uint64_t)pod->gpus * sms_node_milli(node, pod)};
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
    return shares ? sum / (double)shares : 0;
}

uint64_t sms_node_fragment(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    uint64_t lost = 0;
    if (!node || !pod || pod->gpus == 0 || !sms_node_fits(node, pod))
        return sms_node_gpu_left(node);
    for (uint32_t i = 0; i < node->gpus; i++)
        if (!sms_gpu_fits(&node->gpu[i], pod))
            lost += node->gpu[i].milli_left;
    return lost;
}

/* A node that is weighed. Most of its GPUs are full, so few are looked at for a pod if those with most left come first.
 */
struct weighed {
    const struct sms_node_view *node;
    uint64_t left;                         /* on all GPUs */
    uint32_t milli[SMS_NODE_GPUS_MAX + 1]; /* left of each, falling; then 0 */
};

static void weigh(struct weighed *weighed, const struct sms_node_view *node)
{
    weighed->node = node;
    weighed->left = sms_node_gpu_left(node);
    uint32_t gpus = 0;
    for (uint32_t i = 0; weighed->left && i < node->gpus; i++) {
        uint32_t at = gpus, milli = node->gpu[i].milli_left;
        for (; at > 0 && weighed->milli[at - 1] < milli; at--)
            weighed->milli[at] = weighed->milli[at - 1];
        weighed->milli[at] = milli;
        gpus += milli > 0;
    }
    weighed->milli[gpus] = 0;
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

static uint64_t usable_by_milli(const uint32_t *milli, const struct sms_pod_view *pod)
{
    uint64_t usable = 0;
    uint32_t fit = 0;
    for (; milli[fit] >= pod->gpu_milli; fit++)
        usable += milli[fit];
    return fit >= pod->gpus ? usable : 0;
}

/* The thousandths of GPUs that a pod cannot use, where it fits by CPUs and memory. */
static uint64_t lost_of_gpus(const struct weighed *weighed, const struct sms_pod_view *pod)
{
    const struct sms_node_view *node = weighed->node;
    if (node->down || pod->gpus == 0 || (pod->labels & ~node->labels) || !may_run_on(node, pod))
        return weighed->left;
    bool by_milli = pod->gpu_milli > 0 && !pod->gpu_memory && !pod->profile && !node->layout;
    return weighed->left - (by_milli ? usable_by_milli(weighed->milli, pod) : usable_one_by_one(node, pod));
}

/* Most typical pods differ in CPUs alone, so GPUs are looked at once for all that ask for the same of them. */
uint64_t sms_node_weigh_fragments(const struct sms_typical_pod *typical, size_t count, const struct sms_node_view *node)
{
    struct weighed weighed;
    uint64_t lost[LOST_MOST], sum = 0;
    weigh(&weighed, node);
    for (size_t t = 0; typical && weighed.left && t < count; t++) {
        const struct sms_pod_view *pod = &typical[t].pod;
        size_t like = typical[t].like;
        uint64_t own = like && like <= t && like <= LOST_MOST ? lost[like - 1] : lost_of_gpus(&weighed, pod);
        bool fits = node->cpu_left >= pod->cpu_milli && node->memory_left >= pod->memory;
        if (t < LOST_MOST)
            lost[t] = own;
        sum += typical[t].pods * (fits ? own : weighed.left);
    }
    return sum;
}

double sms_node_fragments(const struct sms_place_view *view, const struct sms_node_view *node)
{
    double sum = 0;
    for (size_t i = 0; view && i < view->typicals; i++)
        sum += view->typical[i].share * (double)sms_node_fragment(node, &view->typical[i].pod);
    return sum;
}
