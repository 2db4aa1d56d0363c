/* A pod that asks for a profile and finds no instance: a GPU may drain for it. */
#include "cluster_run.h"
#include "scheduler.h"

/* A GPU that drains for a shape, which may be more than one's. */
struct sms__drained {
    uint32_t node; /* SMS__NO_NODE: none drains for it */
    uint32_t gpu;
};

/* Whether the GPU would have an instance for the pod, were it empty, and becomes empty only if it drains. */
static bool may_drain(const struct sms_node_view *node, uint32_t gpu, const struct sms_pod_view *pod)
{
    const struct sms_layout *layout = &node->layout[gpu];
    return layout->split && layout->changes == SMS_LAYOUT_DRAIN && sms_layout_busy(node->mig, layout) &&
           node->mig->profile[pod->profile].slices > 0;
}

/* Whether pods of the shape may be on the node, whatever is on it now. */
static bool may_be_on(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    return node->layout && !(pod->labels & ~node->labels) && (pod->models >> node->model & 1) &&
           node->cpu_milli >= pod->cpu_milli && node->memory >= pod->memory;
}

/* Whether only the drain keeps the pod off the GPU: then it does not ask for that. */
static bool fits_undrained(const struct sms_node_view *node, uint32_t gpu, const struct sms_pod_view *pod)
{
    struct sms_layout open = node->layout[gpu];
    open.drains = false;
    return sms_layout_starts(node->mig, &open, pod->profile) != 0;
}

/* The search for a GPU that is to drain. */
struct choice {
    uint32_t node, gpu, busy; /* slices that pods have of it; UINT32_MAX: there is none */
    bool drains;              /* it does already */
};

static void consider(const struct sms__cluster_run *run, uint32_t n, uint32_t gpu, const struct sms_pod_view *pod,
                     struct choice *best)
{
    const struct sms_node_view *node = &run->ledger.node[n];
    if (best->drains || !may_drain(node, gpu, pod))
        return;
    const struct sms_layout *layout = &node->layout[gpu];
    uint32_t busy = (uint32_t)__builtin_popcount(sms_layout_busy(node->mig, layout));
    if (layout->drains || busy < best->busy)
        *best = (struct choice){n, gpu, busy, layout->drains};
}

/* Whether the GPU that drained for the shape takes pods again, without one of the shape. */
bool sms__drain_is_over(const struct sms__cluster_run *run, uint32_t shape)
{
    const struct sms__drained *gpu = run->drained ? &run->drained[shape] : NULL;
    return gpu && gpu->node != SMS__NO_NODE && !run->ledger.node[gpu->node].layout[gpu->gpu].drains;
}

/* Lets that GPU take no more pods of which pods have the fewest slices, the lowest of equal ones; unless one drains
 * for the shape, or one that the pod could have. */
static void drain(struct sms__cluster_run *run, uint32_t shape)
{
    const struct sms_pod_view *pod = &run->cluster->shape[shape];
    struct choice best = {.busy = UINT32_MAX};
    if (run->drained[shape].node != SMS__NO_NODE && !sms__drain_is_over(run, shape))
        return;
    run->drained[shape].node = SMS__NO_NODE;
    for (uint32_t n = 0; n < run->cluster->nodes; n++)
        for (uint32_t i = 0; may_be_on(&run->ledger.node[n], pod) && i < run->ledger.node[n].gpus; i++)
            consider(run, n, i, pod, &best);
    if (best.busy == UINT32_MAX || (best.drains && fits_undrained(&run->ledger.node[best.node], best.gpu, pod)))
        return;
    if (!best.drains)
        sms__ledger_drain(run, best.node, best.gpu, true);
    run->drained[shape] = (struct sms__drained){best.node, best.gpu};
}

void sms__no_instance(struct sms__cluster_run *run, uint32_t shape)
{
    const size_t shapes = run->cluster->shapes;
    if (!run->drained) {
        run->drained = SMS__NEW(run->arena, struct sms__drained, shapes);
        for (size_t s = 0; s < shapes; s++)
            run->drained[s].node = SMS__NO_NODE;
    }
    drain(run, shape);
}

/* Whether the GPU drains for any shape. */
static bool is_wanted(const struct sms__cluster_run *run, struct sms__drained gpu)
{
    bool any = false;
    for (size_t s = 0; s < run->cluster->shapes && !any; s++)
        any = run->drained[s].node == gpu.node && run->drained[s].gpu == gpu.gpu;
    return any;
}

void sms__instance_found(struct sms__cluster_run *run, uint32_t shape)
{
    if (!run->drained || run->drained[shape].node == SMS__NO_NODE)
        return;
    const struct sms__drained gpu = run->drained[shape];
    run->drained[shape].node = SMS__NO_NODE;
    if (is_wanted(run, gpu) || !run->ledger.node[gpu.node].layout[gpu.gpu].drains)
        return;
    sms__ledger_drain(run, gpu.node, gpu.gpu, false);
    sms__ledger_note_freed(&run->ledger, gpu.node);
}
