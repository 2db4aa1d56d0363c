/* Results as tables for people. They show the metrics that matter most, and leave the others to files. */
#include "output.h"
#include "walk.h"

#include "../base/escape.h"

/* A metric without a value is "-", and so is one that the subject does not have. */
static void add_estimate(struct sms__table_out *table, const struct sms_results *results, size_t policy,
                         enum sms_subject subject, size_t idx, const char *metric)
{
    const struct sms__result row = sms__result_of(results, subject, idx, metric);
    const struct sms_estimate e = sms__result_estimate(&row, policy);
    if (isnan(e.mean))
        sms__table_add(table, "-");
    else if (!isnan(e.ci95))
        sms__table_add(table, "%.5g ± %.2g", e.mean, e.ci95);
    else
        sms__table_add(table, "%.5g", e.mean);
}

/* A table with a row for each subject or policy, and a column for each metric. */
struct columns {
    const char *const *metric;
    size_t count;
};

#define COLUMNS(metrics) ((struct columns){metrics, sizeof(metrics) / sizeof *(metrics)})

static struct sms__table_out *begin_table(const char *corner, struct columns columns)
{
    struct sms__table_out *table = sms__table_new(1 + columns.count);
    sms__table_add(table, "%s", corner);
    for (size_t c = 0; c < columns.count; c++)
        sms__table_add(table, "%s", columns.metric[c]);
    return table;
}

static void add_estimates(struct sms__table_out *table, const struct sms_results *results, size_t policy,
                          enum sms_subject subject, size_t idx, struct columns columns)
{
    for (size_t c = 0; c < columns.count; c++)
        add_estimate(table, results, policy, subject, idx, columns.metric[c]);
}

/* A table with a column for each policy. */
static struct sms__table_out *begin_policies(const struct sms_results *results, const char *corner)
{
    struct sms__table_out *table = sms__table_new(1 + sms_results_policies(results));
    sms__table_add(table, "%s", corner);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        sms__table_add(table, "%s", sms_results_policy(results, p));
    return table;
}

static void end_table(struct sms__table_out *table, FILE *to)
{
    sms__table_print(table, to);
    fputc('\n', to);
}

/* With a last row for the host, if it is wanted. */
static void print_subjects(const struct sms_results *results, size_t policy, enum sms_subject subject,
                           struct columns columns, bool with_host, FILE *to)
{
    struct sms__table_out *table = begin_table(sms_results_policy(results, policy), columns);
    for (size_t i = 0; i < sms_results_subjects(results, subject); i++) {
        sms__table_add(table, "%s", sms_results_subject(results, subject, i));
        add_estimates(table, results, policy, subject, i, columns);
    }
    if (with_host) {
        sms__table_add(table, "host");
        add_estimates(table, results, policy, SMS_HOST, 0, columns);
    }
    end_table(table, to);
}

/* ", kernels_per_s of host to ± 0.83 %". */
static void print_until(const struct sms_results *results, FILE *to)
{
    struct sms_until until;
    if (!sms_results_until(results, &until) || isinf(until.reached) || sms_results_exact(results))
        return;
    fprintf(to, ", %s of %s to ± %.2g %%", sms__metric_name(until.subject, until.metric),
            sms_results_subject(results, until.subject, until.idx), 100 * until.reached);
}

static void print_runs(const struct sms_results *results, FILE *to)
{
    size_t replications = sms_results_replications(results);
    fprintf(to, "seed %llu, %zu replication%s", (unsigned long long)sms_results_seed(results), replications,
            replications == 1 ? "" : "s");
    if (sms_results_exact(results))
        fputs(", exact: nothing is drawn", to);
    print_until(results, to);
    if (sms_results_scenario(results)->find_warmup)
        fprintf(to, ", warm-up found: %.4g ms", sms_results_warmup_ps(results) / 1e9);
    fputs("\n\n", to);
}

void sms__print_heading(const struct sms_results *results, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    fprintf(to, "%s%s", scenario->name, scenario->question[0] ? ": " : "");
    sms__print_visible(to, scenario->question);
    if (scenario->cluster)
        fprintf(to, "\n  %zu nodes with %.10g GPUs, ", scenario->cluster->nodes,
                (double)sms__gpus_of(scenario->cluster));
    else
        fprintf(to, "\n  contention %s, queue %s, ", scenario->contention.label, scenario->queue->name);
    print_runs(results, to);
}

void sms__print_notes(const struct sms_results *results, FILE *to)
{
    size_t count;
    const char *const *notes = sms_results_notes(results, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(to, "  note: %s\n", notes[i]);
    if (count)
        fputc('\n', to);
}

/* Normalized progress comes first. Kernels of different tenants are not alike, so their number says least. */
static const char *const vm_columns[] = {
    "normalized_progress_ratio", "ntt_ratio",     "jobs_per_s",    "job_latency_p50_ns",
    "job_latency_p99_ns",        "kernels_per_s", "block_wait_ns", "block_slowdown_ratio"};

static const char *const process_columns[] = {"turnaround_ns", "slowdown_ratio", "waiting_ns",  "service_ns",
                                              "paused_ns",     "suspended_ns",   "failed_count"};
/* Processes that repeat for ever have no turnaround, so their jobs are shown. */
static const char *const job_columns[] = {"normalized_progress_ratio", "ntt_ratio",          "jobs_per_s",
                                          "job_latency_p50_ns",        "job_latency_p99_ns", "kernels_per_s"};
static const char *const device_columns[] = {"switches_count",          "switch_ratio", "busy_ratio",
                                             "memory_high_water_bytes", "memory_ratio", "energy_j"};

/* "warning: fifo: 3 processes wait for ever: 2 for memory, 1 to be resumed". */
static void print_stall(const struct sms_results *results, size_t policy, FILE *to)
{
    static const char *const words[SMS__STALLS] = {"for a device",   "for memory",    "for leave to launch",
                                                   "to be restored", "to be resumed", "for an SM that takes a block"};
    uint64_t sum;
    const uint64_t *stall = sms__results_stall(results, policy, &sum);
    const char *between = "";
    if (!sum)
        return;
    fprintf(to, "  warning: %s: %llu process%s for ever: ", sms_results_policy(results, policy),
            (unsigned long long)sum, sum == 1 ? " waits" : "es wait");
    for (int s = 0; s < SMS__STALLS; s++) {
        if (stall[s])
            fprintf(to, "%s%llu %s", between, (unsigned long long)stall[s], words[s]);
        between = stall[s] ? ", " : between;
    }
    fputs("\n\n", to);
}

static bool any_lasts(const struct sms_scenario *scenario)
{
    bool lasts = false;
    for (size_t v = 0; v < scenario->vms; v++)
        lasts |= scenario->vm[v].repeat == 0;
    return lasts;
}

static void print_shares(const struct sms_results *results, size_t policy, FILE *to)
{
    print_subjects(results, policy, SMS_PROCESS, COLUMNS(process_columns), false, to);
    if (any_lasts(sms_results_scenario(results)))
        print_subjects(results, policy, SMS_VM, COLUMNS(job_columns), false, to);
    print_subjects(results, policy, SMS_DEVICE, COLUMNS(device_columns), false, to);
    print_stall(results, policy, to);
}

static const char *const host_columns[] = {"stp_ratio",     "antt_ratio",      "fairness_ratio",   "makespan_ns",
                                           "kernels_per_s", "occupancy_ratio", "sm_activity_ratio"};

static void print_hosts(const struct sms_results *results, FILE *to)
{
    struct sms__table_out *table = begin_table("host by policy", COLUMNS(host_columns));
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        sms__table_add(table, "%s", sms_results_policy(results, p));
        add_estimates(table, results, p, SMS_HOST, 0, COLUMNS(host_columns));
    }
    end_table(table, to);
}

static double mean_percent(const struct sms_results *results, size_t policy, size_t resource, const char *metric)
{
    const struct sms__result row = sms__result_of(results, SMS_RESOURCE, resource, metric);
    return 100 * sms__result_estimate(&row, policy).mean;
}

static bool is_used(const struct sms_results *results, size_t resource)
{
    bool used = false;
    for (size_t p = 0; p < sms_results_policies(results); p++)
        used |= mean_percent(results, p, resource, "usage_ratio") > 0;
    return used;
}

static void print_resources(const struct sms_results *results, FILE *to)
{
    struct sms__table_out *table = begin_policies(results, "usage (time oversubscribed)");
    for (size_t r = 0; r < sms_results_subjects(results, SMS_RESOURCE); r++) {
        if (!is_used(results, r))
            continue;
        sms__table_add(table, "%s", sms_results_subject(results, SMS_RESOURCE, r));
        for (size_t p = 0; p < sms_results_policies(results); p++)
            sms__table_add(table, "%.1f %% (%.1f %%)", mean_percent(results, p, r, "usage_ratio"),
                           mean_percent(results, p, r, "oversubscribed_time_ratio"));
    }
    end_table(table, to);
}

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
        struct columns columns;
        bool shown;
    } part[] = {{COLUMNS(cluster_columns), true},
                {COLUMNS(failure_columns), cluster->failures > 0},
                {COLUMNS(failed_columns), scenario->vms > 0 || cluster->gpushare},
                {COLUMNS(workload_columns), scenario->vms > 0},
                {COLUMNS(monitor_columns), cluster->monitor != NULL},
                {COLUMNS(gpushare_columns), cluster->gpushare != NULL}};
    for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
        size_t count = part[p].shown ? part[p].columns.count : 0;
        if (i < count)
            return part[p].columns.metric[i];
        i -= count;
    }
    return NULL;
}

/* Rows are metrics and columns policies, because names of metrics are long and policies few. */
static void print_cluster(const struct sms_results *results, FILE *to)
{
    size_t policies = sms_results_policies(results);
    struct sms__table_out *table = begin_policies(results, "cluster by policy");
    for (size_t c = 0; sms__cluster_column(results, c); c++) {
        sms__table_add(table, "%s", sms__cluster_column(results, c));
        for (size_t p = 0; p < policies; p++)
            add_estimate(table, results, p, SMS_CLUSTER, 0, sms__cluster_column(results, c));
    }
    end_table(table, to);
    for (size_t p = 0; p < policies; p++)
        print_stall(results, p, to);
}

void sms__print_results(const struct sms_results *results, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    sms__print_heading(results, to);
    if (scenario->cluster)
        print_cluster(results, to);
    for (size_t p = 0; p < sms_results_policies(results) && !scenario->cluster; p++)
        if (scenario->shares)
            print_shares(results, p, to);
        else
            print_subjects(results, p, SMS_VM, COLUMNS(vm_columns), true, to);
    if (!scenario->cluster) {
        print_hosts(results, to);
        print_resources(results, to);
    }
    sms__print_notes(results, to);
}
