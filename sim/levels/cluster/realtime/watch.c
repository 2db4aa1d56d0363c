/* What happens to pods, as the nodes' monitors get to see it: a pod is a container, each job of its workload a task,
 * from its first use of a GPU on. One that is a duration is a single task. */
#include "../cluster.h"
#include "../hosts.h"

#include <stdio.h>

void sms__watch_init(struct sms__placing *placing)
{
    const struct sms__cluster *cluster = placing->cluster;
    if (cluster->monitor)
        placing->monitor = sms__monitor_new(placing->arena, cluster->monitor, cluster->nodes, placing->pods,
                                            placing->spec->seed, placing->record->monitor);
}

/* Whether the pod's run is all that is known of its jobs: it is one of them. */
static bool is_one_job(const struct sms__placing *placing, const struct sms__pod *pod)
{
    return placing->cluster->shape[pod->shape].gpus > 0 && !(pod->tenant && sms__hosts_simulate(placing));
}

void sms__watch_begin(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &placing->pod[p];
    if (!placing->monitor)
        return;
    sms__monitor_created(placing->monitor, pod->node, p, sms__job_deadline_ps(placing, pod), now);
    if (is_one_job(placing, pod))
        sms__monitor_began(placing->monitor, p, pod->run, now);
}

void sms__watch_end(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &placing->pod[p];
    if (!placing->monitor)
        return;
    if (is_one_job(placing, pod))
        (pod->failed ? sms__monitor_failed : sms__monitor_ended)(placing->monitor, p, pod->run, now);
    sms__monitor_removed(placing->monitor, p, now);
}

void sms__watch_cut(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    if (placing->monitor)
        sms__monitor_removed(placing->monitor, p, now);
}

void sms__watch_node(struct sms__placing *placing, size_t n, uint64_t now)
{
    if (!placing->monitor)
        return;
    if (placing->node[n].down)
        sms__monitor_stopped(placing->monitor, n, now);
    else
        sms__monitor_started(placing->monitor, n, now);
}

bool sms__watch_agrees(struct sms__placing *placing)
{
    bool agrees = sms__monitor_agrees(placing->monitor);
    for (size_t p = 0; p < placing->come && agrees; p++) {
        const struct sms__pod *pod = &placing->pod[p];
        bool placed = pod->node != SMS__NO_NODE && !pod->ended;
        agrees = sms__monitor_node(placing->monitor, p) == (placed ? pod->node : SIZE_MAX);
    }
    if (!agrees)
        snprintf(placing->spec->record->why, sizeof placing->spec->record->why,
                 "a node's monitor does not watch its pods");
    return agrees;
}

struct sms__node_use sms__use_of_node(const struct sms__placing *placing, size_t n)
{
    const struct sms_node_view *node = &placing->node[n];
    uint64_t left = 0, all = 0;
    uint16_t lost = sms__lost_gpus(placing, n);
    struct sms__node_use use;
    if (sms__hosts_use(placing, n, &use))
        return use;
    for (uint32_t i = 0; i < node->gpus; i++) {
        if (lost >> i & 1)
            continue;
        all += 1000;
        left += node->gpu[i].milli_left;
        use.memory += node->gpu_memory;
        use.memory_used += node->gpu_memory - node->gpu[i].memory_left;
    }
    use.core = all ? (double)(all - left) / (double)all : 0;
    return use;
}
