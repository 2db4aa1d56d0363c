/* The metrics of a cluster, of what the monitors of its nodes observed, of guests, and of nodes. */
#include "metrics.h"

/* Bytes of a message: state, memory and float of a node (Kang 2022, Table 3). */
enum { MESSAGE = 1 + 5 + 10 };

static double makespan_ns(const struct sms__record *record)
{
    if (record->cluster->lasting == 0)
        return NAN;
    return (record->cluster->unended ? sms__unended_ps(record) : (double)record->cluster->last_end_ps) / 1e3;
}

static double count_jobs(const struct sms__record *record)
{
    double jobs = 0;
    for (size_t v = 0; v < record->scenario->vms; v++)
        jobs += sms__count(record->vm[v].jobs, record->vm[v].job_parts);
    return jobs;
}

/* Bytes of all GPUs, as they are counted. */
static double memory_of(const struct sms__cluster *cluster)
{
    double sum = 0;
    for (size_t k = 0; k < cluster->kinds; k++)
        sum += (double)cluster->node[k].count * (double)cluster->node[k].gpus * (double)cluster->node[k].gpu_memory;
    return sum;
}

static double ns_of(sms__integral ps) { return (double)ps / 1e3; }

static double least_ns(const struct sms__spread_record *spread) { return spread->count ? ns_of(spread->least) : NAN; }

static double spread_ns(const struct sms__spread_record *spread)
{
    return sms__over(ns_of(spread->sum), (double)spread->count);
}

static double greatest_ns(const struct sms__spread_record *spread)
{
    return spread->count ? ns_of(spread->greatest) : NAN;
}

/* The value of rank ceil(p * count) of jobs by their floats, the latest first. */
static double float_ns(const struct sms__float_record *floats, double p)
{
    double late = (double)floats->late.count, early = (double)floats->early.count;
    double rank = ceil(p * (late + early));
    if (late + early == 0)
        return NAN;
    rank = rank < 1 ? 1 : rank;
    if (rank > late)
        return sms__rank_ns(&floats->early, (rank - late - 0.5) / early);
    return -sms__rank_ns(&floats->late, (late - rank + 0.5) / late);
}

static void measure_monitor(const struct sms__monitor_record *of, double time_ps, double *row)
{
#define MONITOR(name, better, value, words, formula) row[SMS__CLUSTER_##name - SMS__FIRST_CLUSTER] = (double)(value);
#include "metrics.def"
}

static void measure_cards(const struct sms__cards_record *of, double time_ps, double *row)
{
#define CARDS(name, better, value, words, formula) row[SMS__CLUSTER_##name - SMS__FIRST_CLUSTER] = (double)(value);
#include "metrics.def"
}

void sms__measure_cluster(const struct sms__record *record, double *row)
{
    const struct sms__cluster *cluster = record->scenario->cluster;
    const struct sms__cluster_record *of = record->cluster;
    const double time_ps = sms__measured_ps(record), memory = memory_of(cluster);
    const double gpu_ps = (double)cluster->gpu_milli * time_ps;
#define CLUSTER(name, better, value, words, formula) row[SMS__CLUSTER_##name - SMS__FIRST_CLUSTER] = (double)(value);
#include "metrics.def"
    if (of->monitor)
        measure_monitor(of->monitor, time_ps, row);
    if (cluster->guest)
        measure_cards(&of->cards, time_ps, row);
}

static double integral(const struct sms__steps *level, const struct sms__record *record)
{
    return (double)(level->integral_ps + (sms__integral)level->value * record->to_ps);
}

void sms__measure_node(const struct sms__record *record, double *row)
{
    const struct sms__cluster *cluster = record->scenario->cluster;
    const bool each = cluster->rows == cluster->nodes;
    for (size_t i = 0; i < cluster->rows; i++, row += SMS__FIRST_CLASS - SMS__FIRST_NODE) {
        const struct sms__node_record *of = &record->node[i];
        const struct sms__nodes *kind = each ? sms__node_kind(cluster, i) : &cluster->node[i];
        const double node_ps = (each ? 1 : (double)kind->count) * sms__measured_ps(record);
        const double gpu_ps = node_ps * (double)kind->gpus * 1000;
#define NODE(name, better, value, words, formula) row[SMS__NODE_##name - SMS__FIRST_NODE] = (double)(value);
#include "metrics.def"
    }
}
