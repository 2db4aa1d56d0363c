/* The observer that shows the nodes' monitors what happens to pods: a pod is a container, and each job of its workload
 * a task, from its first use of a GPU on. A pod that lasts a duration is a single task. */
#include "../../levels/cluster/cluster_run.h"
#include "master.h"

static void init(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    run->observing = sms__monitor_new(run->arena, cluster->monitor, cluster->nodes, run->pods, run->spec->seed,
                                      run->record->monitor);
}

/* Whether the pod's run is its only job, as far as is known. */
static bool is_one_job(const struct sms__cluster_run *run, uint32_t p)
{
    return sms__pod_shape(run, p)->gpus > 0 && !(run->pod[p].tenant && sms__hosts_simulate(run));
}

static void begin(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    sms__monitor_created(sms__monitor(run), pod->node, p, sms__job_deadline_ps(run, pod), now);
    if (is_one_job(run, p))
        sms__monitor_began(sms__monitor(run), p, pod->attempt, now);
}

static void begin_job(struct sms__cluster_run *run, uint32_t p, uint64_t number, uint64_t now)
{
    sms__monitor_began(sms__monitor(run), p, number, now);
}

static void end_job(struct sms__cluster_run *run, uint32_t p, uint64_t number, bool failed, uint64_t now)
{
    sms__monitor_ended(sms__monitor(run), p, number, !failed, now);
}

static void cut(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    sms__monitor_removed(sms__monitor(run), p, now);
}

static void end(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    if (is_one_job(run, p))
        end_job(run, p, pod->attempt, pod->failed, now);
    cut(run, p, now);
}

static void finish(struct sms__cluster_run *run, uint64_t now) { sms__monitor_finish(sms__monitor(run), now); }

static const char *find_disagreement(struct sms__cluster_run *run)
{
    bool agrees = sms__monitor_agrees(sms__monitor(run));
    for (size_t p = 0; p < run->arrived && agrees; p++) {
        const struct sms__pod *pod = &run->pod[p];
        bool placed = pod->node != SMS__NO_NODE && !pod->ended;
        agrees = sms__monitor_node(sms__monitor(run), p) == (placed ? pod->node : SIZE_MAX);
    }
    return agrees ? NULL : "a node's monitor does not watch its pods";
}

static bool is_wanted(const struct sms__cluster_run *run) { return run->cluster->monitor != NULL; }

const struct sms__observer sms__monitor_observer = {.is_wanted = is_wanted,
                                                    .init = init,
                                                    .begin = begin,
                                                    .end = end,
                                                    .cut = cut,
                                                    .begin_job = begin_job,
                                                    .end_job = end_job,
                                                    .close = finish,
                                                    .find_disagreement = find_disagreement};

struct sms__node_use sms__use_of_node(const struct sms__cluster_run *run, size_t n)
{
    const struct sms_node_view *node = &run->ledger.node[n];
    uint64_t left = 0, all = 0;
    struct sms__node_use use;
    if (sms__hosts_use(run, n, &use.core, &use.memory, &use.memory_used))
        return use;
    for (uint32_t i = 0; i < node->gpus; i++) {
        all += 1000;
        left += node->gpu[i].milli_left;
        use.memory += node->gpu_memory;
        use.memory_used += node->gpu_memory - node->gpu[i].memory_left;
    }
    use.core = all ? (double)(all - left) / (double)all : 0;
    return use;
}
