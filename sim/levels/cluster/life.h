/* The life of a pod: it takes its place, its run begins, and it ends or is cut off. Each step is told to the scheduler,
 * the observer and whoever watches the run. */
#ifndef SMS_LEVELS_CLUSTER_LIFE_H
#define SMS_LEVELS_CLUSTER_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct sms__cluster_run;

/* The pod takes those GPUs of the node. */
void sms__pod_put(struct sms__cluster_run *run, uint32_t pod, uint32_t node, uint16_t gpus, uint64_t now);
/* The same with the GPUs that the policy chooses. False: the run has been stopped, as these were wrong. */
bool sms__pod_take(struct sms__cluster_run *run, uint32_t pod, uint32_t node, uint64_t now);
/* The same in two steps, between which the pod can give the place back as if nothing had been. */
bool sms__pod_hold(struct sms__cluster_run *run, uint32_t pod, uint32_t node, uint64_t now);
void sms__pod_seat(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__pod_release(struct sms__cluster_run *run, uint32_t pod);
/* The pod's run begins on the place that it has. */
void sms__pod_begin(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Its run is over, and it gives its place back. Pods that wait are not served yet. */
void sms__pod_end(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Its run is cut off, and it gives its place back. It neither ended nor waits; if it is added to those that wait, its
 * next run begins anew. `ended` as in struct sms_departure. */
void sms__pod_cut(struct sms__cluster_run *run, uint32_t pod, const char *ended, uint64_t now);
/* Tells whoever watches the run that the pod no longer holds its GPUs. */
void sms__pod_departs(const struct sms__cluster_run *run, uint32_t pod, const char *ended, uint64_t now);

#endif
