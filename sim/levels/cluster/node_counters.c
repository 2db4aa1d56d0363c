/* Counters of nodes. The integral of a value that changes in steps is its last value times the time, less each change
 * times the time of that change; so nothing is to be done for nodes that do not change. */
#include "cluster_run.h"

static void step(struct sms__steps *level, int64_t by, uint64_t now)
{
    level->integral_ps -= (sms__integral)by * now;
    level->value += by;
}

static struct sms__node_record *row_of(const struct sms__cluster_run *run, size_t n)
{
    const struct sms__cluster *cluster = run->cluster;
    struct sms__node_record *rows = run->spec->record->node;
    if (!rows)
        return NULL;
    return cluster->rows == cluster->nodes ? &rows[n] : &rows[sms__node_kind(cluster, n) - cluster->node];
}

void sms__count_allocated(struct sms__cluster_run *run, size_t n, int64_t gpu_milli, int64_t cpu_milli)
{
    struct sms__node_record *row = row_of(run, n);
    if (!row)
        return;
    step(&row->gpu, gpu_milli, run->ledger.integrated_ps);
    step(&row->cpu, cpu_milli, run->ledger.integrated_ps);
}

void sms__count_placement(struct sms__cluster_run *run, size_t n)
{
    struct sms__node_record *row = row_of(run, n);
    if (row)
        row->placements++;
}
