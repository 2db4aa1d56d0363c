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

/* Whether a pod without a profile fits a whole GPU. */
static bool has_left(const struct sms_gpu_view *gpu, const struct sms_pod_view *pod)
{
    return gpu->milli_left >= pod->gpu_milli && gpu->memory_left >= pod->gpu_memory;
}

/* The thousandths of GPUs that a pod cannot use, where it fits by CPUs and memory. */
static uint64_t lost_of_gpus(const struct sms_node_view *node, const struct sms_pod_view *pod, uint64_t left)
{
    uint64_t usable = 0;
    uint32_t fit = 0;
    if (node->down || pod->gpus == 0 || (pod->labels & ~node->labels) || !may_run_on(node, pod))
        return left;
    const bool plain = !node->layout && !pod->profile; /* as most are, and this loop takes most of the time of fgd */
    for (uint32_t i = 0; i < node->gpus; i++)
        if (plain ? has_left(&node->gpu[i], pod) : sms_gpu_fits(&node->gpu[i], pod)) {
            usable += node->gpu[i].milli_left;
            fit++;
        }
    return fit >= pod->gpus ? left - usable : left;
}

/* Most typical pods differ in CPUs alone, so GPUs are looked at once for all that ask for the same of them. */
uint64_t sms_node_weigh_fragments(const struct sms_typical_pod *typical, size_t count, const struct sms_node_view *node)
{
    uint64_t lost[LOST_MOST], left = sms_node_gpu_left(node), sum = 0;
    for (size_t t = 0; typical && left && t < count; t++) {
        const struct sms_pod_view *pod = &typical[t].pod;
        size_t like = typical[t].like;
        uint64_t own = like && like <= t && like <= LOST_MOST ? lost[like - 1] : lost_of_gpus(node, pod, left);
        bool fits = node->cpu_left >= pod->cpu_milli && node->memory_left >= pod->memory;
        if (t < LOST_MOST)
            lost[t] = own;
        sum += typical[t].pods * (fits ? own : left);
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
