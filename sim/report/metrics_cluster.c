/* Metrics of a cluster, in scenarios with `nodes:`. */
#include "metrics.h"

#include <math.h>

#define CLUSTER(id) (SMS__ALL_CLUSTER_##id - SMS__FIRST_CLUSTER)

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

static double fragment_ratio(const struct sms__record *record)
{
    const struct sms__cluster *cluster = record->scenario->cluster;
    double left = (double)(cluster->gpu_milli - record->cluster->gpu_milli);
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
    out[CLUSTER(FAILED)] = (double)own->failed;
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
    double gpus = (double)cluster->gpu_milli, cpus = (double)cluster->cpu_milli;
    out[CLUSTER(PODS)] = (double)own->arrived;
    out[CLUSTER(PLACED)] = (double)own->placed;
    out[CLUSTER(WAITING)] = (double)own->waiting;
    out[CLUSTER(GPU)] = over((double)own->gpu_milli, gpus);
    out[CLUSTER(GPU_MEAN)] = over((double)own->gpu_ps, gpus * time_ps);
    out[CLUSTER(CPU)] = over((double)own->cpu_milli, cpus);
    out[CLUSTER(CPU_MEAN)] = over((double)own->cpu_ps, cpus * time_ps);
    out[CLUSTER(FRAGMENTS)] = fragment_ratio(record);
    measure_waits(&own->wait, out);
    out[CLUSTER(PLACED_RATE)] = over((double)own->placed, time_ps / 1e12);
    out[CLUSTER(MAKESPAN)] = makespan_ns(record);
    out[CLUSTER(MEMORY)] = over((double)own->bytes, memory_of(cluster));
    out[CLUSTER(MEMORY_MEAN)] = over((double)own->bytes_ps, memory_of(cluster) * time_ps);
    for (int m = CLUSTER(REJECTIONS); m <= CLUSTER(STRANDED_MEAN); m++)
        out[m] = NAN;
    if (cluster->gpushare)
        measure_gpushare(record, out);
    out[CLUSTER(MISSES)] = over((double)own->missed, (double)own->timed);
}
