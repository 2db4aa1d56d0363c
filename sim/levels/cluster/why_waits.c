/* Why a pod that has been tried finds no place, for `smsched explain`. */
#include "cluster_run.h"
#include "../run_observer.h"
#include "../../base/buffer.h"

#include <stdio.h>

/* Why a GPU has no instance for a pod, and why a node does not take one that asks for GPUs or for none. Of each the
 * first that holds counts. */
enum reason {
    OTHER_MODEL,
    OTHER_LABELS,
    NOT_SPLIT,
    DRAINS,
    FIXED,
    IN_USE,
    NODE_FULL,
    NOT_CREATED,
    OTHER_GPUS,
    LACKS_LABELS,
    TOO_SMALL,
    SPLIT,
    HOST_FULL,
    GPUS_FULL,
    GANG,
    NOT_CHOSEN,
    REASONS
};

static const char *const reasons[REASONS] = {
    [OTHER_MODEL] = "of a model without this profile or that the pod does not accept",
    [OTHER_LABELS] = "on a node without the labels that it asks for",
    [NOT_SPLIT] = "not split into instances",
    [DRAINS] = "being drained",
    [FIXED] = "with a fixed layout without such a free instance",
    [IN_USE] = "where running pods are in the way",
    [NODE_FULL] = "on a node without room for the pod",
    [NOT_CREATED] = "where the policy creates none although one fits",
    [OTHER_GPUS] = "without a GPU that it accepts",
    [LACKS_LABELS] = "without the labels that it asks for",
    [TOO_SMALL] = "too small for it even when empty",
    [SPLIT] = "with too few GPUs that are not split into instances",
    [HOST_FULL] = "with too little CPU or memory left",
    [GPUS_FULL] = "with too few GPUs on which enough is left",
    [GANG] = "with room for it, but not enough for its gang",
    [NOT_CHOSEN] = "on which the policy does not place it",
};

static enum reason gpu_reason(const struct sms_node_view *node, uint32_t gpu, const struct sms_pod_view *pod)
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

static bool holds_when_empty(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    return node->cpu_milli >= pod->cpu_milli && node->memory >= pod->memory && node->gpus >= pod->gpus &&
           (pod->gpus == 0 || node->gpu_memory >= pod->gpu_memory);
}

static enum reason node_reason(const struct sms_node_view *node, const struct sms_pod_view *pod)
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
    size_t count[REASONS] = {0};
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
    for (size_t r = 0; r < REASONS; r++)
        if (count[r]) {
            sms__append(text, sizeof text, "%s %zu %s", comma, count[r], reasons[r]);
            comma = ",";
        }
    sms__explain_pod(run, p, now, "%s", text);
}
