/* The metrics of a cluster that tables show. */
#include "output.h"

#define COLUMNS(metrics) metrics, sizeof(metrics) / sizeof *(metrics)

static const char *const cluster_columns[] = {
    "placed_count",         "waiting_count",  "gpu_allocation_ratio", "gpu_allocation_mean_ratio",
    "cpu_allocation_ratio", "fragment_ratio", "wait_mean_ns",         "wait_p99_ns",
    "makespan_ns"};

/* Also, if something may fail. */
static const char *const failure_columns[] = {"failures_count", "restarts_count", "lost_count", "gpu_wasted_ratio"};

/* Also, if pods can fail: those that run workloads, and all under gpushare. */
static const char *const failed_columns[] = {"failed_count"};

/* Also, if pods run workloads. */
static const char *const workload_columns[] = {"done_count",          "jobs_per_s",          "turnaround_mean_ns",
                                               "turnaround_p95_ns",   "slowdown_mean_ratio", "slowdown_p95_ratio",
                                               "deadline_miss_ratio", "stp_ratio",           "gpu_busy_ratio"};

/* Also, if nodes have monitors. */
static const char *const monitor_columns[] = {"timed_jobs_count",   "job_miss_ratio", "job_miss_seen_ratio",
                                              "jobs_in_time_per_s", "float_mean_ns",  "queued_count",
                                              "messages_count"};

/* Also, under gpushare. */
static const char *const gpushare_columns[] = {"gpu_memory_allocation_ratio",
                                               "gpu_memory_allocation_mean_ratio",
                                               "rejections_count",
                                               "bind_failures_count",
                                               "assume_timeouts_count",
                                               "misallocations_count",
                                               "pending_mean_ns",
                                               "pending_p99_ns",
                                               "stranded_mean_bytes"};

const char *sms__cluster_column(const struct sms_results *results, size_t i)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    const struct sms__cluster *cluster = scenario->cluster;
    const struct {
        const char *const *metric;
        size_t count;
        bool shown;
    } part[] = {{COLUMNS(cluster_columns), true},
                {COLUMNS(failure_columns), cluster->failures > 0},
                {COLUMNS(failed_columns), scenario->vms > 0 || cluster->gpushare},
                {COLUMNS(workload_columns), scenario->vms > 0},
                {COLUMNS(monitor_columns), cluster->monitor != NULL},
                {COLUMNS(gpushare_columns), cluster->gpushare != NULL}};
    for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
        size_t count = part[p].shown ? part[p].count : 0;
        if (i < count)
            return part[p].metric[i];
        i -= count;
    }
    return NULL;
}
