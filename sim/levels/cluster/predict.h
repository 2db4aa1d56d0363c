/* Predictions of the contention model, for place policies that ask for them. */
#ifndef SMS_LEVELS_CLUSTER_PREDICT_H
#define SMS_LEVELS_CLUSTER_PREDICT_H

#include <smsched/place.h>

#include <stdbool.h>

struct sms__cluster_run;

/* Codes are those of sms__simulate. */
int sms__predict_init(struct sms__cluster_run *run);
/* Keeps the list of workloads on a GPU: a pod comes, or goes. */
void sms__predict_move(struct sms_gpu_view *gpu, const struct sms_pod_view *pod, bool comes);

#endif
