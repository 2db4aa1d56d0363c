/* Under --check: whether books, hosts and pods agree. */
#include "../share/client.h"
#include "hosts.h"

#include <stdio.h>
#include <string.h>

static bool node_agrees(const struct sms__cluster_run *run, size_t n)
{
    const struct sms_node_view *node = &run->node[n], *sum = &run->sum[n];
    uint64_t up = !node->down;
    bool agrees = sum->cpu_left + node->cpu_left == up * node->cpu_milli &&
                  sum->memory_left + node->memory_left == up * node->memory;
    for (uint32_t i = 0; i < node->gpus; i++) {
        const struct sms_gpu_view *gpu = sms__gpu_book(run, n, i);
        bool lost = run->book[n].lost >> i & 1;
        agrees &= sum->gpu[i].milli_left + gpu->milli_left == 1000 &&
                  sum->gpu[i].memory_left + gpu->memory_left == node->gpu_memory && sum->gpu[i].pods == gpu->pods &&
                  !(node->down && !lost) &&
                  !(lost && (node->gpu[i].milli_left || node->gpu[i].memory_left || node->gpu[i].pods));
    }
    return agrees && sum->parts == node->parts &&
           !memcmp(sum->pods_by_gpus, node->pods_by_gpus, sizeof sum->pods_by_gpus);
}

/* What the pods on each node take, added up. */
static void sum_pods(struct sms__cluster_run *run)
{
    struct sms_node_view *sum = run->sum;
    for (size_t n = 0; n < run->cluster->nodes; n++)
        sum[n] = (struct sms_node_view){.gpu = run->sum_gpu + (run->node[n].gpu - run->gpu)};
    for (size_t p = 0; p < run->come; p++) {
        const struct sms__pod *pod = &run->pod[p];
        const struct sms_pod_view *view = &run->cluster->shape[pod->shape];
        if (pod->node == SMS__NO_NODE || pod->ended)
            continue;
        struct sms_gpu_view *own = run->sum_gpu + (sum[pod->node].gpu - run->sum_gpu);
        sum[pod->node].cpu_left += view->cpu_milli;
        sum[pod->node].memory_left += view->memory;
        sum[pod->node].pods_by_gpus[view->gpus]++;
        sum[pod->node].parts += sms_pod_is_part(view);
        for (uint32_t i = 0; i < SMS_NODE_GPUS_MAX; i++)
            if (pod->gpus >> i & 1) {
                own[i].milli_left += view->gpu_milli;
                own[i].memory_left += view->gpu_memory;
                own[i].pods++;
            }
    }
}

/* What pods have of GPUs that are up. */
static uint64_t up_milli(const struct sms__cluster_run *run, size_t n)
{
    uint64_t milli = 0;
    for (uint32_t i = 0; i < run->node[n].gpus; i++)
        milli += run->book[n].lost >> i & 1 ? 0 : run->sum[n].gpu[i].milli_left;
    return milli;
}

bool sms__books_agree(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    size_t gpus = sms__gpus_of(cluster);
    uint64_t fragments = 0, milli = 0;
    bool agrees = true;
    if (!run->sum) {
        run->sum = SMS__NEW(run->arena, struct sms_node_view, cluster->nodes);
        run->sum_gpu = SMS__NEW(run->arena, struct sms_gpu_view, gpus + 1);
    }
    memset(run->sum_gpu, 0, gpus * sizeof *run->sum_gpu);
    sum_pods(run);
    for (size_t n = 0; n < cluster->nodes; n++) {
        agrees &= node_agrees(run, n);
        fragments += sms__weigh_fragments(run, &run->node[n]);
        milli += up_milli(run, n);
    }
    agrees &= milli == run->gpu_milli;
    if (agrees && fragments == run->fragments)
        return true;
    snprintf(run->spec->record->why, sizeof run->spec->record->why, "%s",
             agrees ? "the cluster's fragments are not those of its nodes"
                    : "a node's books are not those of its pods");
    return false;
}

/* On a GPU, beside what is taken of it by `bytes`. */
static bool agrees(const struct sms__cluster_run *run, size_t n, uint32_t gpu, uint64_t bytes)
{
    const struct sms_share *host = run->hosts->host[n];
    const struct sms__share_node *shared = sms__node_kind(run->cluster, n)->shared;
    uint64_t memory = host->board[gpu].model->memory, others = shared->others[gpu];
    bytes += others < memory ? others : memory;
    for (size_t c = gpu * host->setup.slots; c < (gpu + 1) * host->setup.slots; c++) {
        const struct sms__client *client = &host->client[c];
        bytes += client->place ? sms__client_held(client) : 0;
        if (client->taken &&
            (run->pod[client->tag].node != n || !(sms__gpushare_gpus(run, (uint32_t)client->tag) >> gpu & 1)))
            return false;
    }
    return bytes == host->board[gpu].held && bytes == host->place[gpu].held && bytes <= memory;
}

bool sms__hosts_agree(const struct sms__cluster_run *run, const uint64_t *bytes)
{
    bool all = true;
    for (size_t n = 0; n < run->cluster->nodes; n++)
        for (uint32_t i = 0; i < run->node[n].gpus && sms__hosts_has(run, n); i++)
            all &= agrees(run, n, i, bytes[run->node[n].gpu - run->gpu + i]);
    return all;
}
