/* Why a pod that has been tried finds no place, for `smsched explain`. */
#include "cluster_run.h"
#include "../run_observer.h"
#include "../../base/buffer.h"

#include <stdio.h>

enum { REASONS_MOST = 8 };

/* Why a GPU has no instance for the pod; the first that holds. */
enum gpu_reason { OTHER_MODEL, OTHER_LABELS, NOT_SPLIT, DRAINS, FIXED, IN_USE, NODE_FULL, NOT_CREATED };

static const char *const gpu_reasons[REASONS_MOST] = {
    "of a model without this profile or that the pod does not accept",
    "on a node without the labels that it asks for",
    "not split into instances",
    "being drained",
    "with a fixed layout without such a free instance",
    "where running pods are in the way",
    "on a node without room for the pod",
    "where the policy creates none although one fits",
};

static int gpu_reason(const struct sms_node_view *node, uint32_t gpu, const struct sms_pod_view *pod)
{
    const struct sms_layout *layout = node->layout ? &node->layout[gpu] : NULL;
    if (!(pod->models >> node->model & 1) || !node->mig || node->mig->profile[pod->profile].slices == 0)
        return OTHER_MODEL;
    if (pod->labels & ~node->labels)
        return OTHER_LABELS;
    if (!layout || !layout->split)
        return NOT_SPLIT;
    if (node->gpu[gpu].profiles >> (pod->profile - 1) & 1)
        return sms_node_fits(node, pod) ? NOT_CREATED : NODE_FULL;
    return layout->drains ? DRAINS : layout->changes == SMS_LAYOUT_FIXED ? FIXED : IN_USE;
}

/* Why a node does not take a pod that asks for GPUs, or for none; the first that holds. */
enum node_reason { OTHER_GPUS, LACKS_LABELS, TOO_SMALL, SPLIT, HOST_FULL, GPUS_FULL, GANG, NOT_CHOSEN };

static const char *const node_reasons[REASONS_MOST] = {
    "without a GPU that it accepts",
    "without the labels that it asks for",
    "too small for it even when empty",
    "with too few GPUs that are not split into instances",
    "with too little CPU or memory left",
    "with too few GPUs on which enough is left",
    "with room for it, but not enough for its gang",
    "on which the policy does not place it",
};

static bool holds_when_empty(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    return node->cpu_milli >= pod->cpu_milli && node->memory >= pod->memory && node->gpus >= pod->gpus &&
           (pod->gpus == 0 || node->gpu_memory >= pod->gpu_memory);
}

static int node_reason(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    uint32_t whole = 0;
    if (pod->gpus && (node->model < 0 || !(pod->models >> node->model & 1)))
        return OTHER_GPUS;
    if (pod->labels & ~node->labels)
        return LACKS_LABELS;
    if (!holds_when_empty(node, pod))
        return TOO_SMALL;
    for (uint32_t i = 0; i < node->gpus; i++)
        whole += !node->gpu[i].profiles;
    if (whole < pod->gpus)
        return SPLIT;
    if (node->cpu_left < pod->cpu_milli || node->memory_left < pod->memory)
        return HOST_FULL;
    if (!sms_node_fits(node, pod))
        return GPUS_FULL;
    return pod->replicas > 1 ? GANG : NOT_CHOSEN;
}

void sms__explain_pod_waits(const struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms_pod_view *pod = sms__pod_shape(run, p);
    const char *const *reasons = pod->profile ? gpu_reasons : node_reasons;
    size_t count[REASONS_MOST] = {0};
    char text[800];
    if (!sms__explains(run->spec->observer, SMS_RUN_MESSAGE, now))
        return;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        const struct sms_node_view *node = &run->ledger.node[n];
        for (uint32_t i = 0; pod->profile && i < node->gpus; i++)
            count[gpu_reason(node, i, pod)]++;
        if (!pod->profile)
            count[node_reason(node, pod)]++;
    }
    if (pod->profile)
        snprintf(text, sizeof text, "waits for an instance %s; GPUs that have none for it:",
                 run->cluster->profiles.name[pod->profile - 1]);
    else
        snprintf(text, sizeof text, "waits; nodes that do not take it:");
    const char *comma = "";
    for (size_t r = 0; r < REASONS_MOST; r++)
        if (count[r]) {
            sms__append(text, sizeof text, "%s %zu %s", comma, count[r], reasons[r]);
            comma = ",";
        }
    sms__explain_pod(run, p, now, "%s", text);
}
