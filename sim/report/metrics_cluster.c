/* Metrics of a cluster, in scenarios with `nodes:`. */
#include "metrics.h"

#include <math.h>

#define CLUSTER(id) (SMS__ALL_CLUSTER_##id - SMS__FIRST_CLUSTER)
#define NODE(id) (SMS__ALL_NODE_##id - SMS__FIRST_NODE)

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

static double fragment_ratio(const struct sms__record *record)
{
    const struct sms__cluster *cluster = record->scenario->cluster;
    double left = (double)(cluster->gpu_milli - record->cluster->down_milli - record->cluster->gpu_milli);
    return over((double)record->cluster->fragments, (double)cluster->typical_pods * left);
}

static double makespan_ns(const struct sms__record *record)
{
    if (record->cluster->lasting == 0)
        return NAN;
    return (double)(record->cluster->unended ? record->to_ps : record->cluster->last_end_ps) / 1e3;
}

static void measure_waits(const struct sms__histogram *wait, double *out)
{
    out[CLUSTER(WAIT)] = over(wait->sum / 1e3, (double)wait->count);
    out[CLUSTER(WAIT_P50)] = sms__histogram_rank(wait, 0.50) / 1e3;
    out[CLUSTER(WAIT_P95)] = sms__histogram_rank(wait, 0.95) / 1e3;
    out[CLUSTER(WAIT_P99)] = sms__histogram_rank(wait, 0.99) / 1e3;
}

static void measure_runs(const struct sms__record *record, double time_ps, double *out)
{
    const struct sms__cluster_record *own = record->cluster;
    const struct sms__histogram *turnaround = &own->turnaround, *slowdown = &own->slowdown;
    double jobs = 0;
    for (size_t v = 0; v < record->scenario->vms; v++)
        jobs += sms__count(record->vm[v].jobs, record->vm[v].job_parts);
    out[CLUSTER(DONE)] = (double)own->done;
    out[CLUSTER(FAILED)] = (double)(own->failed + own->gpushare.failed);
    out[CLUSTER(DONE_RATE)] = over((double)own->done, time_ps / 1e12);
    out[CLUSTER(JOBS)] = own->devices ? over(jobs, time_ps / 1e12) : NAN;
    out[CLUSTER(TURNAROUND)] = over(turnaround->sum / 1e3, (double)turnaround->count);
    out[CLUSTER(TURNAROUND_P50)] = sms__histogram_rank(turnaround, 0.50) / 1e3;
    out[CLUSTER(TURNAROUND_P95)] = sms__histogram_rank(turnaround, 0.95) / 1e3;
    out[CLUSTER(TURNAROUND_P99)] = sms__histogram_rank(turnaround, 0.99) / 1e3;
    out[CLUSTER(SLOWDOWN)] = over(slowdown->sum / SMS__SLOWDOWN_ONE, (double)slowdown->count);
    out[CLUSTER(SLOWDOWN_P95)] = sms__histogram_rank(slowdown, 0.95) / SMS__SLOWDOWN_ONE;
    out[CLUSTER(SLOWDOWN_P99)] = sms__histogram_rank(slowdown, 0.99) / SMS__SLOWDOWN_ONE;
    out[CLUSTER(STP)] = slowdown->count ? over((double)own->alone_ps, time_ps) : NAN;
    out[CLUSTER(BUSY)] = over((double)own->busy_ps, (double)own->devices * time_ps);
}

/* Bytes of all GPUs, as they are counted. */
static double memory_of(const struct sms__cluster *cluster)
{
    double sum = 0;
    for (size_t k = 0; k < cluster->kinds; k++)
        sum += (double)cluster->node[k].count * (double)cluster->node[k].gpus * (double)cluster->node[k].gpu_memory;
    return sum;
}

/* Of the protocol of gpushare; NAN under another scheduler. */
static void measure_gpushare(const struct sms__record *record, double *out)
{
    const struct sms__gpushare_record *own = &record->cluster->gpushare;
    double time_ps = (double)(record->to_ps - record->from_ps);
    out[CLUSTER(REJECTIONS)] = (double)own->rejections;
    out[CLUSTER(LEFT_OUT_HOST)] = (double)own->left_out[SMS__LEFT_OUT_HOST];
    out[CLUSTER(LEFT_OUT_GPUS)] = (double)own->left_out[SMS__LEFT_OUT_GPUS];
    out[CLUSTER(LEFT_OUT_MEMORY)] = (double)own->left_out[SMS__LEFT_OUT_MEMORY];
    out[CLUSTER(LEFT_OUT_NOT_SHARED)] = (double)own->left_out[SMS__LEFT_OUT_NOT_SHARED];
    out[CLUSTER(LEFT_OUT_DEVICE)] = (double)own->left_out[SMS__LEFT_OUT_DEVICE];
    out[CLUSTER(BIND_FAILURES)] = (double)own->bind_failures;
    out[CLUSTER(ASSUME_TIMEOUTS)] = (double)own->assume_timeouts;
    out[CLUSTER(ALLOCATE_FAILURES)] = (double)own->allocate_failures;
    out[CLUSTER(MISALLOCATIONS)] = (double)own->misallocations;
    out[CLUSTER(FAULTS)] = (double)own->faults;
    out[CLUSTER(PENDING)] = over(own->pending.sum / 1e3, (double)own->pending.count);
    out[CLUSTER(PENDING_P99)] = sms__histogram_rank(&own->pending, 0.99) / 1e3;
    out[CLUSTER(STRANDED)] = (double)own->stranded;
    out[CLUSTER(STRANDED_MEAN)] = over((double)own->stranded_ps, time_ps);
}

void sms__measure_cluster(const struct sms__record *record, double *out)
{
    const struct sms__cluster *cluster = record->scenario->cluster;
    const struct sms__cluster_record *own = record->cluster;
    double time_ps = (double)(record->to_ps - record->from_ps);
    double gpus = (double)(cluster->gpu_milli - own->down_milli);
    double cpus = (double)(cluster->cpu_milli - own->down_cpu_milli);
    double gpu_ps = (double)cluster->gpu_milli * time_ps, up_ps = gpu_ps - (double)own->down_ps;
    double cpu_ps = (double)cluster->cpu_milli * time_ps - (double)own->down_cpu_ps;
    out[CLUSTER(PODS)] = (double)own->arrived;
    out[CLUSTER(PLACED)] = (double)own->placed;
    out[CLUSTER(RUNNING)] = (double)own->running;
    out[CLUSTER(WAITING)] = (double)own->waiting;
    out[CLUSTER(GPU)] = over((double)own->gpu_milli, gpus);
    out[CLUSTER(GPU_MEAN)] = over((double)own->gpu_ps, up_ps);
    out[CLUSTER(CPU)] = over((double)own->cpu_milli, cpus);
    out[CLUSTER(CPU_MEAN)] = over((double)own->cpu_ps, cpu_ps);
    out[CLUSTER(FRAGMENTS)] = fragment_ratio(record);
    measure_waits(&own->wait, out);
    measure_runs(record, time_ps, out);
    out[CLUSTER(PLACED_RATE)] = over((double)own->placed, time_ps / 1e12);
    out[CLUSTER(MAKESPAN)] = makespan_ns(record);
    out[CLUSTER(MEMORY)] = over((double)own->bytes, memory_of(cluster));
    out[CLUSTER(MEMORY_MEAN)] = over((double)own->bytes_ps, memory_of(cluster) * time_ps);
    for (int m = CLUSTER(REJECTIONS); m <= CLUSTER(STRANDED_MEAN); m++)
        out[m] = NAN;
    if (cluster->gpushare)
        measure_gpushare(record, out);
    out[CLUSTER(MISSES)] = over((double)own->missed, (double)own->timed);
    out[CLUSTER(FAILURES)] = (double)own->failures;
    out[CLUSTER(RESTARTS)] = (double)own->restarts;
    out[CLUSTER(LOST)] = (double)own->lost;
    out[CLUSTER(UP)] = over(up_ps, gpu_ps);
    out[CLUSTER(WASTED)] = over((double)own->wasted_ps, (double)own->gpu_ps);
    sms__measure_monitor(own->monitor, time_ps, out);
}

static double integral(const struct sms__steps *level, const struct sms__record *record)
{
    return (double)(level->integral_ps + (sms__integral)level->value * record->to_ps);
}

static void measure_node(const struct sms__record *record, size_t row, double *out)
{
    const struct sms__cluster *cluster = record->scenario->cluster;
    const struct sms__node_record *own = &record->node[row];
    bool each = cluster->rows == cluster->nodes;
    const struct sms__nodes *kind = each ? sms__node_kind(cluster, row) : &cluster->node[row];
    double node_ps = (each ? 1 : (double)kind->count) * (double)(record->to_ps - record->from_ps);
    double gpu_ps = node_ps * (double)kind->gpus * 1000, down_ps = integral(&own->gpu_down, record);
    out[NODE(GPU_MEAN)] = over(integral(&own->gpu, record), gpu_ps - down_ps);
    out[NODE(CPU_MEAN)] = over(integral(&own->cpu, record), node_ps * (double)kind->cpu_milli);
    out[NODE(PLACEMENTS)] = (double)own->placements;
    out[NODE(FAILURES)] = (double)own->failures;
    out[NODE(DOWN)] = over(integral(&own->down, record), node_ps);
    out[NODE(GPU_DOWN)] = over(down_ps, gpu_ps);
}

void sms__measure_nodes(const struct sms__record *record, double *out)
{
    for (size_t i = 0; i < record->scenario->cluster->rows; i++)
        measure_node(record, i, out + i * (SMS__ALL_METRICS - SMS__FIRST_NODE));
}
