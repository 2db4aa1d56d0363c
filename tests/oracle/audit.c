/* Audits the ledger: what pods hold and what is left must add up to each node, and sums over nodes must be those that
 * the ledger keeps. */
#include "oracle.h"

#include "../../sim/levels/cluster/cluster_run.h"
#include "../../sim/levels/share/host.h"
#include "../../sim/levels/cluster/host_state.h"

#include <string.h>

/* Sums over pods of what they hold of each node. */
struct sms__audit {
    struct sms_node_view *node; /* [nodes]: `left` is what is held */
    struct sms_gpu_view *gpu;   /* of all nodes */
};

/* Whether pods have those instances that the layout says, `starts` a bit each, none of its instances overlap, and pods
 * are told what fits. */
static bool instances_agree(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t starts,
                            uint32_t profiles)
{
    uint32_t slices = 0, apart = 1, busy = 0;
    for (uint32_t s = 0; s < mig->slices; s++)
        if (layout->profile[s]) {
            uint32_t own = ((UINT32_C(1) << mig->profile[layout->profile[s]].slices) - 1) << s;
            apart &= !(slices & own) && (mig->profile[layout->profile[s]].starts >> s & 1);
            slices |= own;
        }
    for (uint32_t s = 0; s < SMS_SLICES_MAX; s++)
        busy |= (uint32_t)(layout->pods[s] > 0) << s;
    return apart && slices < UINT32_C(1) << mig->slices && busy == starts &&
           profiles == sms_layout_profiles(mig, layout);
}

static bool node_agrees(const struct sms__cluster_run *run, size_t n)
{
    const struct sms_node_view *node = &run->ledger.node[n], *sum = &run->audit->node[n];
    bool agrees =
        sum->cpu_left + node->cpu_left == node->cpu_milli && sum->memory_left + node->memory_left == node->memory;
    for (uint32_t i = 0; i < node->gpus; i++) {
        const struct sms_gpu_view *gpu = &node->gpu[i];
        agrees &= !node->layout || instances_agree(node->mig, &node->layout[i], sum->gpu[i].profiles, gpu->profiles);
        agrees &= sum->gpu[i].milli_left + gpu->milli_left == 1000 &&
                  sum->gpu[i].memory_left + gpu->memory_left == node->gpu_memory && sum->gpu[i].pods == gpu->pods;
    }
    return agrees && sum->parts == node->parts &&
           !memcmp(sum->pods_by_gpus, node->pods_by_gpus, sizeof sum->pods_by_gpus);
}

static void sum_pods(struct sms__cluster_run *run)
{
    struct sms__audit *audit = run->audit;
    memset(audit->gpu, 0, sms__gpus_of(run->cluster) * sizeof *audit->gpu);
    for (size_t n = 0; n < run->cluster->nodes; n++)
        audit->node[n] = (struct sms_node_view){.gpu = audit->gpu + sms__first_gpu(&run->ledger, n)};
    for (uint32_t p = 0; p < run->arrived; p++) {
        const struct sms__pod *pod = &run->pod[p];
        const struct sms_pod_view *shape = sms__pod_shape(run, p);
        if (pod->node == SMS__NO_NODE || pod->ended)
            continue;
        struct sms_node_view *node = &audit->node[pod->node];
        struct sms_gpu_view *gpu = audit->gpu + sms__first_gpu(&run->ledger, pod->node);
        node->cpu_left += shape->cpu_milli;
        node->memory_left += shape->memory;
        node->pods_by_gpus[shape->gpus]++;
        node->parts += sms_pod_is_part(shape);
        for (uint32_t i = 0; i < SMS_NODE_GPUS_MAX; i++)
            if (pod->seat.gpus >> i & 1) {
                const bool shared =
                    shape->profile && gpu[i].profiles >> pod->seat.slice & 1; /* an earlier pod has it */
                gpu[i].milli_left += shared ? 0 : sms_node_milli(&run->ledger.node[pod->node], shape);
                gpu[i].memory_left += shared ? 0 : sms_node_bytes(&run->ledger.node[pod->node], shape);
                gpu[i].profiles |= shape->profile ? UINT32_C(1) << pod->seat.slice : 0;
                gpu[i].pods++;
            }
    }
}

/* The sum of what pods hold of its GPUs. */
static uint64_t held_milli(const struct sms__cluster_run *run, size_t n)
{
    uint64_t milli = 0;
    for (uint32_t i = 0; i < run->ledger.node[n].gpus; i++)
        milli += run->audit->node[n].gpu[i].milli_left;
    return milli;
}

/* Whether some gang has pods with a place and pods without one. Pods of a gang follow each other. */
static bool any_gang_split(const struct sms__cluster_run *run)
{
    bool placed = false, waits = false, split = false;
    for (uint32_t p = 0; p < run->arrived; p++) {
        const struct sms__pod *pod = &run->pod[p];
        bool begins = p == 0 || !sms__same_gang(run, p - 1, p), left = !pod->ended;
        placed = (placed && !begins) || (left && pod->node != SMS__NO_NODE);
        waits = (waits && !begins) || (left && pod->node == SMS__NO_NODE);
        split |= placed && waits;
    }
    return split;
}

const char *sms__audit_ledger(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    uint64_t fragments = 0, milli = 0;
    bool agrees = true;
    if (!run->audit) {
        run->audit = SMS__NEW(run->arena, struct sms__audit, 1);
        run->audit->node = SMS__NEW(run->arena, struct sms_node_view, cluster->nodes);
        run->audit->gpu = SMS__NEW(run->arena, struct sms_gpu_view, sms__gpus_of(cluster) + 1);
    }
    if (any_gang_split(run))
        return "a gang has started in part";
    sum_pods(run);
    for (size_t n = 0; n < cluster->nodes; n++) {
        agrees &= node_agrees(run, n);
        struct sms_node_view afresh = run->ledger.node[n];
        afresh.weighed = NULL;
        fragments += sms__weigh_fragments(cluster, &afresh);
        milli += held_milli(run, n);
    }
    if (!agrees || milli != run->ledger.gpu_milli)
        return "a node's ledger is not that of its pods";
    return fragments == run->ledger.fragments ? NULL : "the cluster's fragments are not those of its nodes";
}

/* The same of a GPU of a host with places: processes are of pods that are there, and no others take memory. */
static bool places_agree(const struct sms__cluster_run *run, const struct sms_share *host, size_t n, uint32_t gpu)
{
    uint64_t bytes = 0;
    bool agrees = true;
    for (size_t i = 0; i < host->setup.places; i++) {
        const struct sms__place *place = &host->setup.place[i];
        for (size_t c = 0; place->gpu == gpu && c < place->slots; c++) {
            const struct sms__process *process = &host->process[host->instance[i].first_process + c];
            const struct sms__pod *pod = &run->pod[process->arrival.tag];
            bytes += process->instance ? sms__process_held(process) : 0;
            agrees &= !process->in_slot || (pod->node == n && (pod->seat.gpus >> gpu & 1) &&
                                            (!host->instance[i].type->mig.board || pod->seat.slice == place->slice));
        }
    }
    return agrees && bytes == host->gpu[gpu].held;
}

/* Whether a container of the pod runs on the GPU. */
static bool runs_on(const struct sms__cluster_run *run, uint32_t pod, uint32_t gpu)
{
    bool runs = false;
    for (size_t c = 0; c < SMS__CONTAINERS_MAX; c++)
        runs |= sms__container_gpus(run, pod, c) >> gpu & 1;
    return runs;
}

/* `bytes` are in use of the GPU beside those of its processes. */
static bool gpu_agrees(const struct sms__cluster_run *run, size_t n, uint32_t gpu, uint64_t bytes)
{
    const struct sms_share *host = run->hosts->host[n];
    if (host->setup.place)
        return places_agree(run, host, n, gpu);
    uint64_t memory = host->gpu[gpu].type->memory, *of = sms__node_kind(run->cluster, n)->others;
    uint64_t others = of ? of[gpu] : 0;
    bytes += others < memory ? others : memory;
    for (size_t c = gpu * host->setup.slots; c < (gpu + 1) * host->setup.slots; c++) {
        const struct sms__process *process = &host->process[c];
        uint32_t pod = (uint32_t)process->arrival.tag;
        bytes += process->instance ? sms__process_held(process) : 0;
        if (process->in_slot && (run->pod[pod].node != n || !runs_on(run, pod, gpu)))
            return false;
    }
    return bytes == host->gpu[gpu].held && bytes == host->instance[gpu].held && bytes <= memory;
}

bool sms__audit_hosts(const struct sms__cluster_run *run, const uint64_t *bytes)
{
    bool all = true;
    for (size_t n = 0; n < run->cluster->nodes; n++)
        for (uint32_t i = 0; i < run->ledger.node[n].gpus && sms__hosts_has(run, n); i++)
            all &= gpu_agrees(run, n, i, bytes[sms__first_gpu(&run->ledger, n) + i]);
    return all;
}
