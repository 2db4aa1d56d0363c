/* Stranded memory: memory that is left on GPUs where no waiting pod can use it, as each asks for more. GPUs are counted
 * by how many of the sizes that pods ask for still fit. */
#include "gpushare_run.h"

#include <stdlib.h>

struct sms__stranded {
    uint64_t *size; /* [sizes]: that pods ask for, ascending */
    size_t sizes;
    uint64_t *waits;   /* [sizes]: pods that have arrived and are not bound */
    uint64_t *left;    /* [sizes + 1]: bytes left on GPUs with room for so many of the sizes */
    uint64_t *counted; /* [GPUs]: bytes left of each, as counted */
    bool counts;
    uint64_t seen;  /* the ledger's log up to there */
    uint64_t bytes; /* stranded, when it was counted last */
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
    stranded->left = SMS__NEW(run->arena, uint64_t, stranded->sizes + 1);
    stranded->counted = SMS__NEW(run->arena, uint64_t, sms__gpus_of(cluster));
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

static uint64_t sum_afresh(const struct sms__cluster_run *run, uint64_t least)
{
    uint64_t left[SMS_NODE_GPUS_MAX] = {0}, sum = 0;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        find_left(run, n, left);
        for (uint32_t i = 0; i < run->ledger.node[n].gpus; i++)
            sum += left[i] < least ? left[i] : 0;
    }
    return sum;
}

static void count_node(struct sms__cluster_run *run, size_t n)
{
    struct sms__stranded *stranded = sms__gpushare(run)->stranded;
    uint64_t left[SMS_NODE_GPUS_MAX] = {0}, *counted = stranded->counted + sms__first_gpu(&run->ledger, n);
    find_left(run, n, left);
    for (uint32_t i = 0; i < run->ledger.node[n].gpus; i++) {
        stranded->left[rank_of(stranded, counted[i])] -= counted[i];
        stranded->left[rank_of(stranded, left[i])] += left[i];
        counted[i] = left[i];
    }
}

/* Counts the nodes that changed, or all where that is not known. */
static void count_nodes(struct sms__cluster_run *run)
{
    struct sms__stranded *stranded = sms__gpushare(run)->stranded;
    bool all = !stranded->counts || !sms__log_reaches(&run->ledger, stranded->seen);
    for (size_t n = 0; n < run->cluster->nodes && all; n++)
        count_node(run, n);
    for (uint32_t n; !all && sms__log_next(&run->ledger, &stranded->seen, &n);)
        count_node(run, n);
    stranded->counts = true;
    stranded->seen = run->ledger.logged;
}

static uint64_t count_stranded(struct sms__cluster_run *run)
{
    struct sms__stranded *stranded = sms__gpushare(run)->stranded;
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
