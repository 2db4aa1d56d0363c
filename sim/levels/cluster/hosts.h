/* Nodes whose pods run workloads. Each is a host of the share level on the cluster's engine. A pod has one process on
 * each of its GPUs. If no pod has a workload, these functions do nothing. */
#ifndef SMS_LEVELS_CLUSTER_HOSTS_H
#define SMS_LEVELS_CLUSTER_HOSTS_H

#include "../../engine/engine.h"

struct sms__cluster_run;

/* Finds times alone, and adds the event sources of hosts. Call it before the engine is initialized. Codes are those of
 * sms__simulate. */
int sms__hosts_prepare(struct sms__cluster_run *run, size_t sources[SMS__LEVELS]);
void sms__hosts_init(struct sms__cluster_run *run);
/* How long the pod's workload takes alone on its node, ps; 0: for ever. It fails at the end of that if `failed`. */
uint64_t sms__hosts_time_alone(const struct sms__cluster_run *run, uint32_t pod, bool *failed);
/* Lets the processes of a pod come to its node. */
void sms__hosts_begin(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* The number of processes of the pod, once it has all its GPUs. */
uint8_t sms__pod_processes(const struct sms__cluster_run *run, uint32_t pod);

/* The next four do for all hosts what functions of the share level do for one. */
void sms__hosts_advance(struct sms__cluster_run *run, int partial, uint64_t now);
void sms__hosts_forget(struct sms__cluster_run *run);
int sms__hosts_close(struct sms__cluster_run *run, uint64_t now);
bool sms__hosts_busy(const struct sms__cluster_run *run);

/* True if processes are simulated, so that observers see each job. Otherwise pods last as long as they take alone. */
bool sms__hosts_simulate(const struct sms__cluster_run *run);
/* The mean usage of the cores of the node's GPUs that are up, 0..1, and their memory, bytes. Returns false if the node
 * has no host. */
bool sms__hosts_use(const struct sms__cluster_run *run, size_t node, double *core, uint64_t *memory,
                    uint64_t *memory_used);

/* For schedulers under which a pod's memory is not that of its processes. If the node has a host: the bytes of a GPU
 * that are in use, and a function that takes memory for pods without a workload, or gives it back (bytes < 0). */
bool sms__hosts_has(const struct sms__cluster_run *run, size_t node);
uint64_t sms__hosts_held(const struct sms__cluster_run *run, size_t node, uint32_t gpu);
void sms__hosts_take(struct sms__cluster_run *run, size_t node, uint32_t gpu, int64_t bytes, uint64_t now);
/* The most bytes that a process of the pod's workload holds. */
uint64_t sms__hosts_bytes(const struct sms__cluster_run *run, uint32_t pod);

#endif
