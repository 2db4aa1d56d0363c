/* What is no error and yet hardly meant: pods for which there is no node. */
#include "../file.h"
#include "cluster.h"

/* Shapes of pods times kinds of nodes that are compared; beyond, nothing is said. */
#define COMPARED_MAX 5e7

/* Whether a node with nothing on it has what the pod asks for. */
static bool holds(const struct sms__nodes *node, const struct sms_pod_view *pod)
{
    if (pod->cpu_milli > node->cpu_milli || pod->memory > node->memory)
        return false;
    return !pod->gpus || (pod->gpus <= node->gpus && pod->gpu_memory <= node->gpu_memory && node->model >= 0 &&
                          pod->models >> node->model & 1);
}

static bool any_holds(const struct sms__cluster *cluster, const struct sms_pod_view *pod)
{
    for (size_t k = 0; k < cluster->kinds; k++)
        if (holds(&cluster->node[k], pod))
            return true;
    return false;
}

void sms__warn_of_pods(struct sms_file *file, struct sms__cluster *cluster)
{
    if ((double)cluster->shapes * (double)cluster->kinds > COMPARED_MAX)
        return;
    bool *held = SMS__NEW(&file->arena, bool, cluster->shapes);
    for (size_t s = 0; s < cluster->shapes; s++)
        held[s] = any_holds(cluster, &cluster->shape[s]);
    cluster->held = held;
    for (size_t g = 0; g < cluster->groups; g++) {
        const struct sms__pods *pods = &cluster->pod[g];
        if (!pods->rows && !held[pods->shape])
            sms__error(&file->warnings, SMS_OK, pods->node->mark,
                       "no node can hold pod '%.60s', even with nothing on it: it will wait for ever", pods->name);
    }
}
