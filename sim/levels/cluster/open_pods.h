/* Pods that leave their profile open (`profiles:`): how long they take on each, and what they have done. */
#ifndef SMS_LEVELS_CLUSTER_OPEN_PODS_H
#define SMS_LEVELS_CLUSTER_OPEN_PODS_H

#include "cluster_run.h"

struct sms__left_gpu {
    uint32_t node, gpu;
};

struct sms__arranging {
    double *done;               /* [pods]: the part of its work that the pod had done when it came to its instance */
    bool *was_left;             /* [GPUs]: a pod has left it, and others of it may move */
    struct sms__left_gpu *left; /* [lefts]: such GPUs */
    size_t lefts;
    bool moves; /* pods that leave their instances come to others */
};

void sms__arranging_init(struct sms__cluster_run *run);
/* How long the pod takes on each profile; NULL: it does not leave that open. */
const struct sms__profile_times *sms__pod_times(const struct sms__cluster_run *run, uint32_t pod);
/* How long the pod's run lasts from its begin on the place that it has, ps; 0: for ever. */
uint64_t sms__pod_lasts(const struct sms__cluster_run *run, uint32_t pod);
/* The pod gives its instance back, so others may move. */
void sms__pod_leaves_instance(struct sms__cluster_run *run, uint32_t pod);
/* The pod was cut off, and asks again for what it asked for at first. */
void sms__pod_begins_anew(struct sms__cluster_run *run, uint32_t pod);

#endif
