/* Results as tables for people. They show the metrics that matter most, and leave the others to files. */
#include "output.h"
#include "walk.h"

#include "../base/escape.h"
#include "../results/results.h"

static void add_estimate(struct sms__table_out *table, const struct sms_results *results, size_t policy,
                         enum sms_subject subject, size_t idx, const char *metric)
{
    const struct sms__result row = sms__result_of(results, subject, idx, metric);
    const struct sms_estimate e = sms__result_estimate(&row, policy);
    sms__table_value(table, metric, e.mean, e.ci95);
}

/* A table of metrics, of all subjects of a kind under all policies. */
struct columns {
    const char *const *metric;
    size_t count;
};

#define COLUMNS(metrics) ((struct columns){metrics, sizeof(metrics) / sizeof *(metrics)})
enum { SHOWN_MOST = 64 };

/* Whether all values are the same without a spread, or there is none; the value is in `e`. One value alone is not, and
 * neither are values that some lack. */
static bool is_constant(const struct sms_results *results, enum sms_subject subject, const char *metric,
                        struct sms_estimate *e)
{
    struct sms__result row = sms__result_of(results, subject, 0, metric);
    size_t values = 0, none = 0;
    *e = (struct sms_estimate){.mean = NAN};
    for (size_t p = 0; p < sms_results_policies(results); p++)
        for (row.idx = 0; row.idx < sms_results_subjects(results, subject); row.idx++, values++) {
            const struct sms_estimate next = sms__result_estimate(&row, p);
            if (next.ci95 > 0 || (!isnan(next.mean) && !isnan(e->mean) && next.mean != e->mean))
                return false;
            none += isnan(next.mean);
            *e = isnan(next.mean) ? *e : next;
        }
    return values > 1 && (none == 0 || none == values);
}

/* Puts the metrics that are shown into `shown`, and says the others once: those that are the same in all rows. */
static struct columns say_constant(const struct sms_results *results, enum sms_subject subject, struct columns columns,
                                   const char *shown[SHOWN_MOST], const struct sms__screen *screen)
{
    struct columns kept = {shown, 0};
    const char *between = "  the same throughout: ";
    for (size_t c = 0; c < columns.count && kept.count < SHOWN_MOST; c++) {
        struct sms_estimate e;
        if (!is_constant(results, subject, columns.metric[c], &e)) {
            shown[kept.count++] = columns.metric[c];
            continue;
        }
        if (isnan(e.mean))
            continue;
        fprintf(screen->to, "%s%.*s %s", between, SMS__SHOWN(columns.metric[c]),
                sms__value(columns.metric[c], e.mean, NAN).text);
        between = ", ";
    }
    if (*between == ',')
        fputs(kept.count ? "\n" : "\n\n", screen->to);
    return kept;
}

static void add_row(struct sms__table_out *table, const struct sms_results *results, size_t policy,
                    enum sms_subject subject, size_t idx, struct columns columns)
{
    for (size_t c = 0; c < columns.count; c++)
        add_estimate(table, results, policy, subject, idx, columns.metric[c]);
}

static void end_table(struct sms__table_out *table, const struct sms__screen *screen)
{
    sms__table_print(table, screen);
    fputc('\n', screen->to);
}

/* The rows of a policy: its name, and below it a row for each subject, and for the host if that is wanted. */
static void add_policy(struct sms__table_out *table, const struct sms_results *results, size_t policy,
                       enum sms_subject subject, struct columns columns, bool with_host)
{
    sms__table_add(table, "%s", sms_results_policy(results, policy));
    for (size_t c = 0; c < columns.count; c++)
        sms__table_add(table, "%s", "");
    for (size_t i = 0; i < sms_results_subjects(results, subject); i++) {
        sms__table_add(table, "  %s", sms_results_subject(results, subject, i));
        add_row(table, results, policy, subject, i, columns);
    }
    if (with_host) {
        sms__table_add(table, "  host");
        add_row(table, results, policy, SMS_HOST, 0, columns);
    }
}

static void print_subjects(const struct sms_results *results, enum sms_subject subject, struct columns columns,
                           bool with_host, const struct sms__screen *screen)
{
    const char *shown[SHOWN_MOST];
    columns = say_constant(results, subject, columns, shown, screen);
    if (columns.count == 0)
        return;
    struct sms__table_out *table = sms__table_new(1 + columns.count);
    sms__table_add(table, "%s by policy", sms__subject_word(subject));
    for (size_t c = 0; c < columns.count; c++)
        sms__table_add(table, "%.*s", SMS__SHOWN(columns.metric[c]));
    for (size_t p = 0; p < sms_results_policies(results); p++)
        add_policy(table, results, p, subject, columns, with_host);
    end_table(table, screen);
}

/* A table with a column for each policy, or a row if they are many. */
static struct sms__table_out *begin_policies(const struct sms_results *results, const char *corner)
{
    struct sms__table_out *table = sms__table_new(1 + sms_results_policies(results));
    sms__table_add(table, "%s", corner);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        sms__table_add(table, "%s", sms_results_policy(results, p));
    return table;
}

static void end_policies(struct sms__table_out *table, const struct sms_results *results,
                         const struct sms__screen *screen)
{
    if (sms_results_policies(results) > SMS__POLICY_COLUMNS)
        sms__table_transpose(table);
    end_table(table, screen);
}

/* Metrics of the host or of the cluster, under all policies. */
static void print_whole(const struct sms_results *results, enum sms_subject subject, struct columns columns,
                        const struct sms__screen *screen)
{
    const char *shown[SHOWN_MOST];
    columns = say_constant(results, subject, columns, shown, screen);
    if (columns.count == 0)
        return;
    char corner[40];
    snprintf(corner, sizeof corner, "%s by policy", sms__subject_word(subject));
    struct sms__table_out *table = begin_policies(results, corner);
    for (size_t c = 0; c < columns.count; c++) {
        sms__table_add(table, "%.*s", SMS__SHOWN(columns.metric[c]));
        for (size_t p = 0; p < sms_results_policies(results); p++)
            add_estimate(table, results, p, subject, 0, columns.metric[c]);
    }
    end_policies(table, results, screen);
}

/* ", kernels_per_s of host to ± 0.83 %". */
static void print_until(const struct sms_results *results, FILE *to)
{
    struct sms_until until;
    if (!sms_results_until(results, &until) || isinf(until.reached) || sms_results_exact(results))
        return;
    const char *metric = sms__metric_name(until.subject, until.metric);
    fprintf(to, ", %.*s of %s to ± %.*g %%", SMS__SHOWN(metric), sms_results_subject(results, until.subject, until.idx),
            sms__digits(100 * until.reached, 2), 100 * until.reached);
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

/* The queue of all policies that ran. */
static const char *queue_of(const struct sms_results *results)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    const struct sms_queue_discipline *one = sms__queue_of(scenario, sms__ran(results, 0));
    for (size_t p = 1; p < results->policies; p++)
        if (sms__queue_of(scenario, sms__ran(results, p)) != one)
            return "by policy";
    return one->name;
}

void sms__print_heading(const struct sms_results *results, bool named, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    if (named)
        fprintf(to, "%s%s", scenario->name, scenario->question[0] ? ": " : "\n");
    else if (scenario->question[0])
        fputs("  ", to);
    sms__print_visible(to, scenario->question);
    fputs(scenario->question[0] ? "\n  " : "  ", to);
    if (scenario->cluster) {
        const size_t nodes = scenario->cluster->nodes, gpus = sms__gpus_of(scenario->cluster);
        fprintf(to, "%zu node%s with %zu GPU%s, ", nodes, nodes == 1 ? "" : "s", gpus, gpus == 1 ? "" : "s");
    } else
        fprintf(to, "contention %s, queue %s, ", scenario->contention.label, queue_of(results));
    print_runs(results, to);
}

void sms__print_notes(const struct sms_results *results, const struct sms__screen *screen)
{
    size_t count;
    const char *const *notes = sms_results_notes(results, &count);
    if (screen->brief && count)
        fprintf(screen->to, "  %zu note%s: --notes prints %s\n", count, count == 1 ? "" : "s",
                count == 1 ? "it" : "them");
    for (size_t i = 0; i < count && !screen->brief; i++)
        fprintf(screen->to, "  note: %s\n", notes[i]);
    if (count)
        fputc('\n', screen->to);
}

/* Normalized progress comes first. Kernels of different tenants are not alike, so their number says least. */
static const char *const vm_columns[] = {
    "normalized_progress_ratio", "ntt_ratio",     "jobs_per_s",    "job_latency_p50_ns",  "job_latency_p99_ns",
    "deadline_miss_ratio",       "kernels_per_s", "block_wait_ns", "block_slowdown_ratio"};

static const char *const process_columns[] = {"turnaround_ns", "slowdown_ratio", "waiting_ns",  "service_ns",
                                              "paused_ns",     "suspended_ns",   "failed_count"};
/* Of processes that do several jobs, or have a deadline. Turnarounds say the progress of those that end. */
enum { PROGRESS = 2 };
static const char *const job_columns[] = {
    "normalized_progress_ratio", "ntt_ratio",           "jobs_per_s",   "job_latency_p50_ns",
    "job_latency_p99_ns",        "deadline_miss_ratio", "kernels_per_s"};
static const char *const device_columns[] = {"switches_count",          "switch_ratio", "busy_ratio",
                                             "memory_high_water_bytes", "memory_ratio", "energy_j"};

/* "warning: fifo: 3 processes wait for ever: 2 for memory, 1 to be resumed". */
static void print_stall(const struct sms_results *results, size_t policy, const struct sms__screen *screen)
{
    FILE *to = screen->to;
    static const char *const words[SMS__STALLS] = {"for a device",   "for memory",    "for permission to launch",
                                                   "to be restored", "to be resumed", "for an SM that takes a block"};
    uint64_t sum;
    const uint64_t *stall = sms__results_stall(results, policy, &sum);
    const struct sms_scenario *scenario = sms_results_scenario(results);
    const char *word = scenario->shares || scenario->cluster ? "process" : "VM", *between = "";
    if (!sum)
        return;
    fprintf(to, "  warning: %s: %llu %s%s for ever: ", sms_results_policy(results, policy), (unsigned long long)sum,
            word,
            sum == 1       ? " waits"
            : *word == 'V' ? "s wait"
                           : "es wait");
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

static void print_shares(const struct sms_results *results, const struct sms__screen *screen)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    const size_t first = any_lasts(scenario) ? 0 : PROGRESS;
    const struct columns jobs = {job_columns + first, COLUMNS(job_columns).count - first};
    print_subjects(results, SMS_PROCESS, COLUMNS(process_columns), false, screen);
    if (sms__shows_jobs(scenario))
        print_subjects(results, SMS_VM, jobs, false, screen);
    print_subjects(results, SMS_DEVICE, COLUMNS(device_columns), false, screen);
}

static const char *const host_columns[] = {"stp_ratio",     "antt_ratio",      "fairness_ratio",   "makespan_ns",
                                           "kernels_per_s", "occupancy_ratio", "sm_activity_ratio"};

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

static void print_resources(const struct sms_results *results, const struct sms__screen *screen)
{
    const size_t resources = sms_results_subjects(results, SMS_RESOURCE);
    size_t first = 0;
    while (first < resources && !is_used(results, first))
        first++;
    if (first == resources)
        return;
    struct sms__table_out *table = begin_policies(results, "usage (time oversubscribed)");
    for (size_t r = first; r < resources; r++) {
        if (!is_used(results, r))
            continue;
        sms__table_add(table, "%s", sms_results_subject(results, SMS_RESOURCE, r));
        for (size_t p = 0; p < sms_results_policies(results); p++) {
            const double used = mean_percent(results, p, r, "usage_ratio");
            sms__table_add(table, isnan(used) ? "-" : "%.1f %% (%.1f %%)", used,
                           mean_percent(results, p, r, "oversubscribed_time_ratio"));
        }
    }
    end_policies(table, results, screen);
}

static void print_cluster(const struct sms_results *results, const struct sms__screen *screen)
{
    const char *metric[SHOWN_MOST];
    struct columns columns = {metric, 0};
    while (columns.count < SHOWN_MOST && sms__cluster_column(results, columns.count)) {
        metric[columns.count] = sms__cluster_column(results, columns.count);
        columns.count++;
    }
    print_whole(results, SMS_CLUSTER, columns, screen);
}

void sms__print_results(const struct sms_results *results, const struct sms__screen *screen)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    sms__print_heading(results, true, screen->to);
    if (scenario->cluster)
        print_cluster(results, screen);
    else if (scenario->shares)
        print_shares(results, screen);
    else
        print_subjects(results, SMS_VM, COLUMNS(vm_columns), true, screen);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        print_stall(results, p, screen);
    if (scenario->cls.count)
        print_subjects(results, SMS_CLASS, (struct columns){sms__class_columns, SMS__CLASS_COLUMNS}, false, screen);
    if (!scenario->cluster) {
        print_whole(results, SMS_HOST, COLUMNS(host_columns), screen);
        print_resources(results, screen);
    }
    if (sms__print_few(results, screen->to))
        fputc('\n', screen->to);
    sms__print_notes(results, screen);
}
