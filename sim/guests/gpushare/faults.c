/* The memory that containers really use of the GPUs that the plugin gave them, and why they fail there: too little
 * memory, or an unhealthy GPU. On nodes whose GPUs run workloads, the hosts account for memory. */
#include "../../levels/cluster/cluster_run.h"
#include "gpushare_run.h"

/* A pod with a single container may ask for memory of several cards. */
uint64_t sms__container_bytes(const struct sms__cluster_run *run, uint32_t p, size_t c)
{
    const struct sms__request *request = &sms__pod_template(run, p)->request;
    const struct sms_pod_view *view = sms__pod_shape(run, p);
    return request->containers ? request->container[c] : view->gpus * view->gpu_memory;
}

size_t sms__containers(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__request *request = &sms__pod_template(run, p)->request;
    return request->containers ? request->containers : 1;
}

uint16_t sms__running_gpus(const struct sms__cluster_run *run, uint32_t p, size_t c)
{
    const struct sms__share_candidate *candidate = &sms__gpushare(run)->candidate[p];
    return candidate->state == SMS__CANDIDATE_RUNNING ? candidate->gpus[c] : 0;
}

/* Returns how much memory container `c` uses on each of its GPUs while it runs. Without a workload that is what it asks
 * for, and with one the most that the workload holds. Where hosts simulate the workload they account for its memory,
 * and this returns 0. */
static uint64_t use_of(const struct sms__cluster_run *run, uint32_t p, size_t c)
{
    uint16_t gpus = sms__gpushare(run)->candidate[p].gpus[c];
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
        bytes += sms__gpushare(run)->candidate[p].gpus[c] >> i & 1 ? use_of(run, p, c) : 0;
    return bytes;
}

void sms__containers_use(struct sms__cluster_run *run, uint32_t p, bool begins, uint64_t now)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint32_t node = run->pod[p].node;
    uint64_t *in_use = gpushare->in_use + sms__first_gpu(&run->ledger, node);
    for (uint32_t i = 0; i < run->ledger.node[node].gpus; i++) {
        uint64_t bytes = use_of_gpu(run, p, i);
        in_use[i] = begins ? in_use[i] + bytes : in_use[i] - bytes;
        if (bytes && sms__hosts_has(run, node))
            sms__hosts_take(run, node, i, begins ? (int64_t)bytes : -(int64_t)bytes, now);
    }
}

uint64_t sms__gpu_used(const struct sms__cluster_run *run, size_t node, uint32_t i)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    if (sms__hosts_has(run, node))
        return sms__hosts_held(run, node, i);
    return gpushare->in_use[sms__first_gpu(&run->ledger, node) + i] + gpushare->kind[node]->others[i];
}

const char *sms__find_fault(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint32_t node = run->pod[p].node;
    const struct sms__share_candidate *candidate = &gpushare->candidate[p];
    uint16_t gpus = 0;
    for (size_t c = 0; c < SMS__CONTAINERS_MAX; c++)
        gpus |= candidate->gpus[c];
    for (uint32_t i = 0; i < run->ledger.node[node].gpus; i++) {
        if ((gpus >> i & 1) && (sms__unhealthy_gpus(run, node) >> i & 1))
            return "its GPU is unhealthy";
        if ((gpus >> i & 1) && sms__gpu_used(run, node, i) + use_of_gpu(run, p, i) > gpushare->kind[node]->shared->raw)
            return "out of memory";
    }
    return NULL;
}

/* Counts pods that wait, and pods between the start of their cycle and that of their containers. */
static bool counts_agree(const struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint64_t waiting = 0, under_way = 0;
    for (size_t p = 0; p < run->arrived; p++) {
        uint8_t state = gpushare->candidate[p].state;
        waiting += state == SMS__CANDIDATE_QUEUED || state == SMS__CANDIDATE_BACKOFF;
        under_way += state >= SMS__CANDIDATE_CYCLE && state <= SMS__CANDIDATE_STARTING;
    }
    return waiting == gpushare->waiting && under_way == gpushare->under_way;
}

/* The memory in use must be that of the pods that run. */
const char *sms__gpushare_disagreement(struct sms__cluster_run *run)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    size_t gpus = sms__gpus_of(run->cluster);
    uint64_t sum = 0, all = 0;
    for (uint32_t p = 0; p < run->arrived; p++) {
        if (gpushare->candidate[p].state != SMS__CANDIDATE_RUNNING)
            continue;
        for (uint32_t i = 0; i < SMS_NODE_GPUS_MAX; i++)
            sum += use_of_gpu(run, p, i);
    }
    for (size_t g = 0; g < gpus; g++)
        all += gpushare->in_use[g];
    if (sum != all || !sms__oracle->audit_hosts(run, gpushare->in_use))
        return "GPU memory in use is not that of the pods that run";
    return counts_agree(run) ? NULL : "pods that wait or start are not those that are counted";
}
