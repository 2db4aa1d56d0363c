/* Stranded memory: what is left on GPUs and no pod that waits could use, as it asks for more. GPUs are counted by the
 * sizes that pods ask for: from which of them on what is left is too little. */
#include "gpushare.h"

#include <stdlib.h>

static int compare_sizes(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* How many sizes are at most that. */
static size_t rank_of(const struct sms__stranded *stranded, uint64_t bytes)
{
    size_t from = 0, to = stranded->sizes;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (stranded->size[middle] <= bytes)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void sms__stranded_init(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    struct sms__stranded *stranded = &sms__gpushare(run)->stranded;
    size_t all = 0;
    stranded->size = SMS__NEW(run->arena, uint64_t, cluster->shapes);
    for (size_t s = 0; s < cluster->shapes; s++)
        if (sms__is_shared(&cluster->shape[s]))
            stranded->size[all++] = cluster->shape[s].gpu_memory;
    if (all)
        qsort(stranded->size, all, sizeof *stranded->size, compare_sizes);
    for (size_t i = 0; i < all; i++)
        if (stranded->sizes == 0 || stranded->size[i] != stranded->size[stranded->sizes - 1])
            stranded->size[stranded->sizes++] = stranded->size[i];
    stranded->waits = SMS__NEW(run->arena, uint64_t, stranded->sizes + 1);
    stranded->left = SMS__NEW(run->arena, uint64_t, stranded->sizes + 1);
    stranded->counted = SMS__NEW(run->arena, uint64_t, sms__gpus_of(cluster));
}

void sms__stranded_wait(struct sms__cluster_run *run, uint32_t p, int by)
{
    struct sms__stranded *stranded = &sms__gpushare(run)->stranded;
    const struct sms_pod_view *pod = sms__pod_shape(run, p);
    if (sms__is_shared(pod))
        stranded->waits[rank_of(stranded, pod->gpu_memory) - 1] += (uint64_t)by;
}

/* What is left of the node's GPUs, [gpus]; nothing of those that are down, or have not come. */
static void look_at(const struct sms__cluster_run *run, size_t n, uint64_t *left)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view view = sms__extender_view(run, n, gpu);
    for (uint32_t i = 0; i < view.gpus; i++)
        left[i] = sms__gpushare(run)->absent[n] || (run->ledger.entry[n].lost >> i & 1) ? 0 : gpu[i].memory_left;
}

static uint64_t sum_afresh(const struct sms__cluster_run *run, uint64_t least)
{
    uint64_t left[SMS_NODE_GPUS_MAX] = {0}, sum = 0;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        look_at(run, n, left);
        for (uint32_t i = 0; i < run->ledger.node[n].gpus; i++)
            sum += left[i] < least ? left[i] : 0;
    }
    return sum;
}

static void count_node(struct sms__cluster_run *run, size_t n)
{
    struct sms__stranded *stranded = &sms__gpushare(run)->stranded;
    uint64_t left[SMS_NODE_GPUS_MAX] = {0}, *counted = stranded->counted + sms__first_gpu(&run->ledger, n);
    look_at(run, n, left);
    for (uint32_t i = 0; i < run->ledger.node[n].gpus; i++) {
        stranded->left[rank_of(stranded, counted[i])] -= counted[i];
        stranded->left[rank_of(stranded, left[i])] += left[i];
        counted[i] = left[i];
    }
}

/* All of them where it is not known which changed. */
static void count_nodes(struct sms__cluster_run *run)
{
    struct sms__stranded *stranded = &sms__gpushare(run)->stranded;
    bool all = !stranded->counts || !sms__log_reaches(&run->ledger, stranded->seen);
    for (size_t n = 0; n < run->cluster->nodes && all; n++)
        count_node(run, n);
    for (uint32_t n; !all && sms__log_next(&run->ledger, &stranded->seen, &n);)
        count_node(run, n);
    stranded->counts = true;
    stranded->seen = run->ledger.logged;
}

uint64_t sms__stranded_bytes(struct sms__cluster_run *run)
{
    struct sms__stranded *stranded = &sms__gpushare(run)->stranded;
    uint64_t sum = 0;
    size_t least = 0;
    while (least < stranded->sizes && !stranded->waits[least])
        least++;
    if (least == stranded->sizes)
        return 0;
    if (run->reference)
        return sum_afresh(run, stranded->size[least]);
    count_nodes(run);
    for (size_t i = 0; i <= least; i++)
        sum += stranded->left[i];
    return sum;
}
