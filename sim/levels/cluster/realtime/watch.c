/* What happens to pods, as the nodes' monitors get to see it: a pod is a container, each job of its workload a task,
 * from its first use of a GPU on. One that is a duration is a single task. */
#include "../cluster.h"
#include "../hosts.h"

#include <stdio.h>

void sms__watch_init(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    if (cluster->monitor)
        run->monitor = sms__monitor_new(run->arena, cluster->monitor, cluster->nodes, run->pods, run->spec->seed,
                                        run->record->monitor);
}

/* Whether the pod's run is all that is known of its jobs: it is one of them. */
static bool is_one_job(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return run->cluster->shape[pod->shape].gpus > 0 && !(pod->tenant && sms__hosts_simulate(run));
}

void sms__watch_begin(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    if (!run->monitor)
        return;
    sms__monitor_created(run->monitor, pod->node, p, sms__job_deadline_ps(run, pod), now);
    if (is_one_job(run, pod))
        sms__monitor_began(run->monitor, p, pod->attempt, now);
}

void sms__watch_end(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    if (!run->monitor)
        return;
    if (is_one_job(run, pod))
        (pod->failed ? sms__monitor_failed : sms__monitor_ended)(run->monitor, p, pod->attempt, now);
    sms__monitor_removed(run->monitor, p, now);
}

void sms__watch_cut(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    if (run->monitor)
        sms__monitor_removed(run->monitor, p, now);
}

void sms__watch_node(struct sms__cluster_run *run, size_t n, uint64_t now)
{
    if (!run->monitor)
        return;
    if (run->node[n].down)
        sms__monitor_stopped(run->monitor, n, now);
    else
        sms__monitor_started(run->monitor, n, now);
}

bool sms__watch_agrees(struct sms__cluster_run *run)
{
    bool agrees = sms__monitor_agrees(run->monitor);
    for (size_t p = 0; p < run->come && agrees; p++) {
        const struct sms__pod *pod = &run->pod[p];
        bool placed = pod->node != SMS__NO_NODE && !pod->ended;
        agrees = sms__monitor_node(run->monitor, p) == (placed ? pod->node : SIZE_MAX);
    }
    if (!agrees)
        snprintf(run->spec->record->why, sizeof run->spec->record->why, "a node's monitor does not watch its pods");
    return agrees;
}

struct sms__node_use sms__use_of_node(const struct sms__cluster_run *run, size_t n)
{
    const struct sms_node_view *node = &run->node[n];
    uint64_t left = 0, all = 0;
    uint16_t lost = sms__lost_gpus(run, n);
    struct sms__node_use use;
    if (sms__hosts_use(run, n, &use))
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
