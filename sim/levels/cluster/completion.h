/* How pods with workloads end: all their processes have ended, one has failed, or what they run on fails. Where no pod
 * has a workload there is nothing to do. */
#ifndef SMS_LEVELS_CLUSTER_COMPLETION_H
#define SMS_LEVELS_CLUSTER_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

struct sms__cluster_run;

/* Registers the source that fires when pods have completed, with the run as its subject. Hosts are prepared, but not
 * there yet. */
void sms__completion_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now));
/* A pod that was to last as long as it takes alone has lasted. */
void sms__hosts_lasted(struct sms__cluster_run *run, uint32_t pod);
/* All pods that have completed at this instant leave their nodes now. False: there are none. */
bool sms__hosts_end(struct sms__cluster_run *run, uint64_t now);
/* Aborts the processes of a pod whose node or GPU fails. True: it had completed, or failed by itself; then it has
 * ended, and is not to be cut off. */
bool sms__hosts_abort(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Whether pods with workloads will end by themselves. Where a policy does not let them go on they may stay for ever:
 * then no event is due. */
bool sms__hosts_go_on(struct sms__cluster_run *run);

#endif
