/* What is counted of each node, or of the nodes of each entry. An integral of a value that changes in steps is
 * the last value times the time, less each change times its time. */
#include "cluster.h"

static void shift(struct sms__steps *level, int64_t by, uint64_t now)
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

void sms__tally_pod(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod, int by)
{
    struct sms__node_record *row = row_of(run, n);
    if (!row)
        return;
    shift(&row->cpu, by * (int64_t)pod->cpu_milli, run->settled_ps);
    row->placements += by > 0;
}

void sms__tally_gpu(struct sms__cluster_run *run, size_t n, int64_t milli)
{
    struct sms__node_record *row = row_of(run, n);
    if (row)
        shift(&row->gpu, milli, run->settled_ps);
}

void sms__tally_down(struct sms__cluster_run *run, size_t n, int nodes, int gpus)
{
    struct sms__node_record *row = row_of(run, n);
    if (!row)
        return;
    shift(&row->down, nodes, run->settled_ps);
    shift(&row->gpu_down, gpus * (int64_t)1000, run->settled_ps);
}

void sms__tally_failure(struct sms__cluster_run *run, size_t n)
{
    struct sms__node_record *row = row_of(run, n);
    run->record->failures++;
    if (row)
        row->failures++;
}
