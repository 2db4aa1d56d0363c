/* Counters of each node, or of the nodes of each entry, that the record keeps. Integrals of the ledger are up to now
 * when these are called. */
#ifndef SMS_LEVELS_CLUSTER_NODE_COUNTERS_H
#define SMS_LEVELS_CLUSTER_NODE_COUNTERS_H

#include <smsched/place.h>

#include <stddef.h>
#include <stdint.h>

struct sms__cluster_run;

/* by 1: the pod takes its place; -1: it gives it back. */
void sms__count_pod(struct sms__cluster_run *run, size_t node, const struct sms_pod_view *pod, int by);
void sms__count_placement(struct sms__cluster_run *run, size_t node);
/* Thousandths of its GPUs that are allocated in addition. */
void sms__count_gpu(struct sms__cluster_run *run, size_t node, int64_t milli);
/* Nodes (-1, 0 or 1) and GPUs that are down in addition. */
void sms__count_down(struct sms__cluster_run *run, size_t node, int nodes, int gpus);
void sms__count_failure(struct sms__cluster_run *run, size_t node);

#endif
