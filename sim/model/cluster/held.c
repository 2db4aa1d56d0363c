/* Which pods no node could ever hold, and why. */
#include "node_mig.h"

#include <math.h>

/* Shapes of pods times kinds of nodes that are compared; beyond, nothing is said. */
#define COMPARED_MAX 5e7

static bool has_labels(const struct sms__nodes *node, const struct sms_pod_view *pod)
{
    return !(pod->labels & ~node->labels);
}

/* Whether some GPU of the node may have such an instance; where a mode splits it, any. */
static bool can_have(const struct sms__nodes *node, const struct sms_pod_view *pod)
{
    const uint32_t profile = pod->profile;
    bool any = false;
    for (size_t g = 0; node->mig && g < node->gpus && !any; g++) {
        const struct sms_layout *layout = &node->mig->gpu[g].layout;
        any = layout->split ? sms_layout_starts(&node->mig->view, layout, profile) != 0
                            : node->mig->view.profile[profile].slices > 0;
    }
    return any;
}

/* GPUs of the node that its `mig:` does not split; those take no pods without a profile. */
static size_t whole_gpus(const struct sms__nodes *node)
{
    size_t whole = node->gpus;
    for (size_t g = 0; node->mig && g < node->gpus; g++)
        whole -= node->mig->gpu[g].layout.split;
    return whole;
}

/* Whether a node with nothing on it has what the pod asks for. */
static bool holds(const struct sms__nodes *node, const struct sms_pod_view *pod)
{
    if (pod->cpu_milli > node->cpu_milli || pod->memory > node->memory || !has_labels(node, pod))
        return false;
    if (pod->profile ? !can_have(node, pod) : pod->gpus > whole_gpus(node))
        return false;
    return !pod->gpus || (pod->gpus <= node->gpus && pod->gpu_memory <= node->gpu_memory && node->model >= 0 &&
                          pod->models >> node->model & 1);
}

/* A node that holds such a pod holds at most so many at once. */
static double most_at_once(const struct sms__nodes *node, const struct sms_pod_view *pod)
{
    double most = pod->cpu_milli ? floor((double)node->cpu_milli / (double)pod->cpu_milli) : INFINITY;
    if (pod->memory)
        most = fmin(most, floor((double)node->memory / (double)pod->memory));
    if (!pod->gpus || pod->profile)
        return most;
    double of_gpu = pod->gpu_milli ? 1000 / pod->gpu_milli : 1000;
    if (pod->gpu_memory)
        of_gpu = fmin(of_gpu, floor((double)node->gpu_memory / (double)pod->gpu_memory));
    return fmin(most, floor((double)whole_gpus(node) * of_gpu / pod->gpus));
}

/* Whether nodes with nothing on them could hold the pod, or all pods of its gang. */
static bool all_hold(const struct sms__cluster *cluster, const struct sms_pod_view *pod)
{
    double most = 0;
    for (size_t k = 0; k < cluster->kinds && most < pod->replicas; k++)
        if (holds(&cluster->node[k], pod))
            most += pod->replicas > 1 ? (double)cluster->node[k].count * most_at_once(&cluster->node[k], pod) : 1;
    return most >= pod->replicas;
}

void sms__find_held(struct sms__arena *arena, struct sms__cluster *cluster)
{
    if ((double)cluster->shapes * (double)cluster->kinds > COMPARED_MAX)
        return;
    bool *held = SMS__NEW(arena, bool, cluster->shapes);
    for (size_t s = 0; s < cluster->shapes; s++)
        held[s] = all_hold(cluster, &cluster->shape[s]);
    for (size_t s = 0; s < cluster->shapes; s++) { /* one that leaves its profile open needs any of them */
        const uint32_t t = cluster->shape[s].times;
        for (size_t i = 0; t && i < cluster->profiles.times[t - 1].profiles; i++)
            held[s] |= held[cluster->profiles.times[t - 1].shape[cluster->profiles.times[t - 1].profile[i]]];
    }
    cluster->held = held;
}

/* Whether a kind of nodes has the one thing that is looked at. */
static bool any_has(const struct sms__cluster *cluster, const struct sms_pod_view *pod,
                    bool (*has)(const struct sms__nodes *node, const struct sms_pod_view *pod))
{
    bool any = false;
    for (size_t k = 0; k < cluster->kinds && !any; k++)
        any = has(&cluster->node[k], pod);
    return any;
}

const char *sms__why_not_held(struct sms__arena *arena, const struct sms__cluster *cluster,
                              const struct sms_pod_view *pod)
{
    const char *words[] = {"CPUs", "GiB of memory", "GPUs", "GiB on each GPU"};
    const double gib = 1024.0 * 1024 * 1024;
    const double asked[] = {(double)pod->cpu_milli / 1000, (double)pod->memory / gib, pod->profile ? 0 : pod->gpus,
                            pod->gpus ? (double)pod->gpu_memory / gib : 0};
    double most[4] = {0};
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *node = &cluster->node[k];
        const double has[] = {(double)node->cpu_milli / 1000, (double)node->memory / gib, (double)whole_gpus(node),
                              (double)node->gpu_memory / gib};
        if (whole_gpus(node) < node->gpus)
            words[2] = "GPUs that are not split";
        for (size_t i = 0; i < 4; i++)
            most[i] = fmax(most[i], has[i]);
    }
    for (size_t i = 0; i < 4; i++)
        if (asked[i] > most[i])
            return sms__print(arena, "; it asks for %g %s, and no node has more than %g", asked[i], words[i], most[i]);
    if (!any_has(cluster, pod, has_labels))
        return "; no node has the labels that it asks for";
    if (pod->profile && !any_has(cluster, pod, can_have))
        return sms__print(arena, "; no GPU has an instance %s, or gets one", cluster->profiles.name[pod->profile - 1]);
    return "";
}
