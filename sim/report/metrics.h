/* Metrics as numbers: from the record of one run to a row of doubles. */
#ifndef SMS_REPORT_METRICS_H
#define SMS_REPORT_METRICS_H

#include "../record/record.h"

/* Indices into the metrics of a subject: SMS__HOST_KERNELS and so on.
 * One enum out of the one list, subject after subject. */
#define METRIC(subject, id, name, better, formula) SMS__ALL_##subject##_##id,
enum sms__all_metrics {
#include "metrics.def"
    SMS__ALL_METRICS
};
#undef METRIC

enum {
    SMS__FIRST_HOST = SMS__ALL_HOST_KERNELS,
    SMS__FIRST_VM = SMS__ALL_VM_KERNELS,
    SMS__FIRST_RESOURCE = SMS__ALL_RESOURCE_UTILIZATION,
    SMS__FIRST_KERNEL = SMS__ALL_KERNEL_LAUNCHES,
    SMS__FIRST_PROCESS = SMS__ALL_PROCESS_TURNAROUND,
    SMS__FIRST_DEVICE = SMS__ALL_DEVICE_SWITCHES,
    SMS__FIRST_CLUSTER = SMS__ALL_CLUSTER_PODS,
    SMS__FIRST_NODE = SMS__ALL_NODE_GPU_MEAN
};

/* The values of one run, subject by subject: [subjects][metrics of the subject]. */
struct sms__values {
    double *of[SMS_SUBJECTS];
    double *end_ps; /* [vms]: the time a VM took until its last job, NAN if it has not ended */
    uint64_t stall[SMS__STALLS];
};

/* Processes and devices are followed by one more subject, "all" of them. Kernels are none where
 * processes draw their workloads: there may be thousands, of which most do not run. */
size_t sms__subject_count(const struct sms_scenario *scenario, enum sms_subject subject);

/* metrics_cluster.c: the row of the cluster; those of its nodes. */
void sms__measure_cluster(const struct sms__record *record, double *out);
void sms__measure_nodes(const struct sms__record *record, double *out);
/* metrics_monitor.c: of that, what monitors tell, of so much time; NULL: there are none. */
void sms__measure_monitor(const struct sms__monitor_record *own, double time_ps, double *out);

/* Everything but what needs the stand-alone runs, which is NAN so far. */
void sms__measure(const struct sms__record *record, struct sms__values *values);

/* What is kept of the stand-alone run of a VM. */
struct sms__alone {
    double end_ps, blocks_per_s; /* as in its values */
};
struct sms__alone sms__measure_alone(const struct sms__record *record, size_t v);

/* Fills that in: `alone[v]` is of VM v. */
void sms__measure_progress(const struct sms_scenario *scenario, struct sms__values *values,
                           const struct sms__alone *alone);

/* The same for a run under compat simtbs, whose stand-alone times come from a formula. Of VMs that have ended. */
void sms__measure_simtbs_progress(const struct sms__record *record, struct sms__values *values);

/* How many processes waited for ever, by what for (enum sms__stall), in the replication in which most did; `sum`: in
 * all. */
const uint64_t *sms__results_stall(const struct sms_results *results, size_t policy, uint64_t *sum);
extern const char *const sms__stall_names[SMS__STALLS];

/* What --format simtbs prints of a policy's first replication; NULL for other scenarios. */
const struct sms__simtbs_record *sms__results_simtbs(const struct sms_results *results, size_t policy);

#endif
