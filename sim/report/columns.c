/* The metrics of a cluster, and of classes, that tables show. */
#include "output.h"
#include "walk.h"

#include <math.h>

#define COLUMNS(metrics) metrics, sizeof(metrics) / sizeof *(metrics)

static const char *const cluster_columns[] = {
    "placed_count",         "waiting_count",  "gpu_allocation_ratio", "gpu_allocation_mean_ratio",
    "cpu_allocation_ratio", "fragment_ratio", "wait_mean_ns",         "wait_p99_ns",
    "makespan_ns"};

/* Also, if pods can fail: those that run workloads, and all under guests. */
static const char *const failed_columns[] = {"failed_count"};

/* Also, if pods that run no workloads have a deadline. */
static const char *const late_columns[] = {"deadline_miss_ratio"};

/* Also, if pods run workloads. */
static const char *const workload_columns[] = {"done_count",          "jobs_per_s",          "turnaround_mean_ns",
                                               "turnaround_p95_ns",   "slowdown_mean_ratio", "slowdown_p95_ratio",
                                               "deadline_miss_ratio", "stp_ratio",           "gpu_busy_ratio"};

/* Also, if nodes have monitors. */
static const char *const monitor_columns[] = {"timed_jobs_count",   "job_miss_ratio", "job_miss_seen_ratio",
                                              "jobs_in_time_per_s", "float_mean_ns",  "queued_count",
                                              "messages_count"};

const char *const sms__class_columns[] = {"jobs_in_time_per_s", "deadline_miss_ratio", "job_latency_p99_ns",
                                          "jobs_per_s",         "stp_ratio",           NULL};

static bool has_deadlines(const struct sms_results *results)
{
    const struct sms__result missed = sms__result_of(results, SMS_CLUSTER, 0, "deadline_miss_ratio");
    bool any = false;
    for (size_t p = 0; p < sms_results_policies(results); p++)
        any |= !isnan(sms__result_estimate(&missed, p).mean);
    return any;
}

static size_t count_columns(const char *const *metric)
{
    size_t count = 0;
    while (metric && metric[count])
        count++;
    return count;
}

const char *sms__cluster_column(const struct sms_results *results, size_t i)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    const struct sms__cluster *cluster = scenario->cluster;
    const char *const *of_guest = cluster->guest ? cluster->guest->columns : NULL;
    const struct {
        const char *const *metric;
        size_t count;
        bool shown;
    } part[] = {{COLUMNS(cluster_columns), true},
                {COLUMNS(failed_columns), scenario->vms > 0 || cluster->guest},
                {COLUMNS(late_columns), scenario->vms == 0 && has_deadlines(results)},
                {COLUMNS(workload_columns), scenario->vms > 0},
                {COLUMNS(monitor_columns), cluster->monitor != NULL},
                {of_guest, count_columns(of_guest), true}};
    for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
        size_t count = part[p].shown ? part[p].count : 0;
        if (i < count)
            return part[p].metric[i];
        i -= count;
    }
    return NULL;
}
