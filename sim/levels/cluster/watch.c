/* What happens to pods, as the nodes' monitors get to see it: a pod is a container. One that is a duration is a single
 * task, from its beginning to its end. */
#include "cluster.h"

void sms__watch_init(struct sms__placing *placing)
{
    const struct sms__cluster *cluster = placing->cluster;
    if (cluster->monitor)
        placing->monitor = sms__monitor_new(placing->arena, cluster->monitor, cluster->nodes, placing->pods,
                                            placing->spec->seed, placing->record->monitor);
}

static bool has_gpus(const struct sms__placing *placing, uint32_t pod)
{
    return placing->cluster->shape[placing->pod[pod].shape].gpus > 0;
}

void sms__watch_begin(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &placing->pod[p];
    double deadline = sms__pod_deadline(placing, pod);
    if (!placing->monitor)
        return;
    sms__monitor_created(placing->monitor, pod->node, p, (uint64_t)(deadline + 0.5), now);
    if (has_gpus(placing, p))
        sms__monitor_began(placing->monitor, p, pod->run, now);
}

void sms__watch_end(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    if (!placing->monitor)
        return;
    sms__monitor_ended(placing->monitor, p, placing->pod[p].run, now);
    sms__monitor_removed(placing->monitor, p, now);
}

struct sms__node_use sms__use_of_node(const struct sms__placing *placing, size_t n)
{
    const struct sms_node_view *node = &placing->node[n];
    uint64_t left = 0, all = (uint64_t)node->gpus * 1000;
    struct sms__node_use use = {.memory = node->gpus * node->gpu_memory};
    for (uint32_t i = 0; i < node->gpus; i++) {
        left += node->gpu[i].milli_left;
        use.memory_used += node->gpu_memory - node->gpu[i].memory_left;
    }
    use.core = all ? (double)(all - left) / (double)all : 0;
    return use;
}
