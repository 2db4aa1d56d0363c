/* Stranded memory: memory that is left on GPUs where no waiting pod can use it, as each asks for more. */
#include "gpushare_run.h"

#include <stdlib.h>

struct sms__stranded {
    uint64_t *size; /* [sizes]: that pods ask for, ascending */
    size_t sizes;
    uint64_t *waits; /* [sizes]: pods that have arrived and are not bound */
    uint64_t bytes;  /* stranded, when it was counted last */
    uint64_t integrated_ps;
};

static int compare_sizes(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The number of sizes that are at most that. */
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
    struct sms__stranded *stranded = SMS__NEW(run->arena, struct sms__stranded, 1);
    size_t all = 0;
    sms__gpushare(run)->stranded = stranded;
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
}

void sms__stranded_wait(struct sms__cluster_run *run, uint32_t p, int by)
{
    struct sms__stranded *stranded = sms__gpushare(run)->stranded;
    const struct sms_pod_view *pod = sms__pod_shape(run, p);
    if (sms__is_shared(pod))
        stranded->waits[rank_of(stranded, pod->gpu_memory) - 1] += (uint64_t)by;
}

/* Finds the memory left of each GPU of the node; 0 of nodes that have not joined. */
static void find_left(const struct sms__cluster_run *run, size_t n, uint64_t *left)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view view = sms__extender_view(run, n, gpu);
    for (uint32_t i = 0; i < view.gpus; i++)
        left[i] = sms__is_absent(run, n) ? 0 : gpu[i].memory_left;
}

static uint64_t sum_below(const struct sms__cluster_run *run, uint64_t least)
{
    uint64_t left[SMS_NODE_GPUS_MAX] = {0}, sum = 0;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        find_left(run, n, left);
        for (uint32_t i = 0; i < run->ledger.node[n].gpus; i++)
            sum += left[i] < least ? left[i] : 0;
    }
    return sum;
}

static uint64_t count_stranded(const struct sms__cluster_run *run)
{
    const struct sms__stranded *stranded = sms__gpushare(run)->stranded;
    size_t least = 0;
    while (least < stranded->sizes && !stranded->waits[least])
        least++;
    return least < stranded->sizes ? sum_below(run, stranded->size[least]) : 0;
}

void sms__stranded_integrate(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__stranded *stranded = gpushare->stranded;
    struct sms__cards_record *record = &run->record->cards;
    record->stranded_ps += (sms__integral)(now - stranded->integrated_ps) * stranded->bytes;
    stranded->integrated_ps = now;
    if (gpushare->changed)
        stranded->bytes = count_stranded(run);
    gpushare->changed = false;
    record->stranded = stranded->bytes;
}
