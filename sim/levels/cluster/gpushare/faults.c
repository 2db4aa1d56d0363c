/* What containers really use of the GPUs that the plugin gave them, and what goes wrong there: too little memory, GPUs
 * that are unhealthy, nodes and GPUs that fail. On nodes whose GPUs run workloads, memory is the hosts'. */
#include "../hosts.h"
#include "gpushare.h"

#include <stdio.h>

/* A pod of one container may ask for memory of several cards. */
uint64_t sms__container_bytes(const struct sms__cluster_run *run, uint32_t p, size_t c)
{
    const struct sms__request *request = &sms__like(run, p)->request;
    const struct sms_pod_view *view = sms__shape(run, p);
    return request->containers ? request->container[c] : view->gpus * view->gpu_memory;
}

size_t sms__containers(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__request *request = &sms__like(run, p)->request;
    return request->containers ? request->containers : 1;
}

uint16_t sms__gpushare_container(const struct sms__cluster_run *run, uint32_t p, size_t c)
{
    return c < SMS__CONTAINERS_MAX ? run->gpushare->client[p].gpus[c] : 0;
}

uint16_t sms__gpushare_gpus(const struct sms__cluster_run *run, uint32_t p)
{
    uint16_t gpus = 0;
    for (size_t c = 0; c < SMS__CONTAINERS_MAX; c++)
        gpus |= run->gpushare->client[p].gpus[c];
    return gpus;
}

bool sms__gpushare_runs(const struct sms__cluster_run *run, uint32_t p)
{
    return run->gpushare->client[p].state == SMS__CANDIDATE_RUNNING;
}

/* What container `c` uses of each of its GPUs from its start to its end: what it asks for; of a workload what that
 * holds at most, or, where hosts simulate it, nothing that is known before. */
static uint64_t use_of(const struct sms__cluster_run *run, uint32_t p, size_t c)
{
    uint16_t gpus = sms__gpushare_container(run, p, c);
    if (!gpus)
        return 0;
    if (run->pod[p].tenant)
        return sms__hosts_simulate(run) ? 0 : sms__hosts_bytes(run, p);
    return sms__container_bytes(run, p, c) / (uint64_t)__builtin_popcount(gpus);
}

static uint64_t use_of_gpu(const struct sms__cluster_run *run, uint32_t p, uint32_t i)
{
    uint64_t bytes = 0;
    for (size_t c = 0; c < sms__containers(run, p); c++)
        bytes += sms__gpushare_container(run, p, c) >> i & 1 ? use_of(run, p, c) : 0;
    return bytes;
}

void sms__containers_use(struct sms__cluster_run *run, uint32_t p, bool begins, uint64_t now)
{
    const struct sms__gpushare_state *gpushare = run->gpushare;
    uint32_t node = run->pod[p].node;
    uint64_t *in_use = gpushare->in_use + sms__first_gpu(run, node);
    for (uint32_t i = 0; i < run->node[node].gpus; i++) {
        uint64_t bytes = use_of_gpu(run, p, i);
        in_use[i] = begins ? in_use[i] + bytes : in_use[i] - bytes;
        if (bytes && sms__hosts_has(run, node))
            sms__hosts_take(run, node, i, begins ? (int64_t)bytes : -(int64_t)bytes, now);
    }
}

uint64_t sms__gpu_used(const struct sms__cluster_run *run, size_t node, uint32_t i)
{
    const struct sms__gpushare_state *gpushare = run->gpushare;
    if (sms__hosts_has(run, node))
        return sms__hosts_held(run, node, i);
    return gpushare->in_use[sms__first_gpu(run, node) + i] + gpushare->kind[node]->shared->others[i];
}

const char *sms__find_fault(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__gpushare_state *gpushare = run->gpushare;
    uint32_t node = run->pod[p].node;
    uint16_t gpus = sms__gpushare_gpus(run, p);
    for (uint32_t i = 0; i < run->node[node].gpus; i++) {
        if ((gpus >> i & 1) && (gpushare->sick_now[node] >> i & 1))
            return "its GPU is unhealthy";
        if ((gpus >> i & 1) && sms__gpu_used(run, node, i) + use_of_gpu(run, p, i) > gpushare->kind[node]->shared->raw)
            return "out of memory";
    }
    return NULL;
}

bool sms__gpushare_is_stuck(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return run->gpushare && run->gpushare->client[pod - run->pod].state == SMS__CANDIDATE_STUCK;
}

void sms__gpushare_tell(const struct sms__cluster_run *run, uint32_t p, uint64_t now, const char *text)
{
    if (run->gpushare)
        sms__tell(run, p, now, "%s", text);
}

uint32_t sms__gpushare_timeouts(const struct sms__cluster_run *run, uint32_t p)
{
    return run->gpushare ? run->gpushare->client[p].timeouts : 0;
}

/* Pods in the queue or backing off, and those between the start of their cycle and that of their containers. */
static bool counts_agree(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = run->gpushare;
    uint64_t waiting = 0, under_way = 0;
    for (size_t p = 0; p < run->come; p++) {
        uint8_t state = gpushare->client[p].state;
        waiting += state == SMS__CANDIDATE_QUEUED || state == SMS__CANDIDATE_BACKOFF;
        under_way += state >= SMS__CANDIDATE_CYCLE && state <= SMS__CANDIDATE_STARTING;
    }
    return waiting == gpushare->waiting && under_way == gpushare->under_way;
}

/* The memory that containers use is that of the pods that run; nobody is on a GPU that is down. */
static const char *find_disagreement(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = run->gpushare;
    size_t gpus = sms__gpus_of(run->cluster);
    uint64_t sum = 0, all = 0;
    for (uint32_t p = 0; p < run->come; p++) {
        if (!sms__gpushare_runs(run, p))
            continue;
        if (sms__gpushare_gpus(run, p) & run->book[run->pod[p].node].lost)
            return "a pod runs on a GPU that is down";
        for (uint32_t i = 0; i < SMS_NODE_GPUS_MAX; i++)
            sum += use_of_gpu(run, p, i);
    }
    for (size_t g = 0; g < gpus; g++)
        all += gpushare->in_use[g];
    if (sum != all || !sms__hosts_agree(run, gpushare->in_use))
        return "GPU memory in use is not that of the pods that run";
    return counts_agree(run) ? NULL : "pods that wait or start are not those that are counted";
}

bool sms__gpushare_agrees(struct sms__cluster_run *run)
{
    const char *wrong = find_disagreement(run);
    if (wrong)
        snprintf(run->spec->record->why, sizeof run->spec->record->why, "%s", wrong);
    return !wrong;
}
