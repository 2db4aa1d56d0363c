/* Nodes whose GPUs are split into instances (MIG) or have a mode of their own, and pods that ask for an instance by its
 * profile. */
#ifndef SMS_MODEL_CLUSTER_NODE_MIG_H
#define SMS_MODEL_CLUSTER_NODE_MIG_H

#include "cluster.h"

struct sms__device;
struct sms__mode;
struct sms__policy_use;

/* How a GPU begins. */
struct sms__split {
    struct sms_layout layout;
    const struct sms__mode *mode[SMS_SLICES_MAX]; /* of the instance that begins at the slice; NULL: the policy's */
};

/* Of nodes that are alike. Nodes with a device that can be split have it where profiles are named anywhere. */
struct sms__node_mig {
    struct sms_mig_view view;
    struct sms__split gpu[SMS_NODE_GPUS_MAX]; /* not split: whole, or as the policy's mode says */
    double change_ps[SMS_NODE_GPUS_MAX];      /* how long a change of its layout takes */
    long device[SMS_PROFILES_MAX + 1];        /* by profile: of the scenario, such an instance; -1: no pod runs on it */
};

/* node_mig.c: `mig:` of an entry of nodes, whose device is `device`. */
struct sms__node_mig *sms__read_node_mig(struct sms__reader *reader, const struct sms__node *list,
                                         const struct sms__device *device, uint64_t gpus, struct sms__cluster *cluster);
extern const struct sms__field sms__node_mig_fields[];
/* `mode:` of an entry of nodes, whose `mig:` is read. NULL with the problem reported. */
const struct sms__mode *sms__read_node_mode(struct sms__reader *reader, const struct sms__node *node,
                                            const struct sms__nodes *nodes, struct sms__cluster *cluster);
/* `profile:` of a pod: what the pod asks for. Nodes are read. */
void sms__read_pod_profile(struct sms__reader *reader, const struct sms__node *pod, struct sms_scenario *scenario,
                           struct sms_pod_view *view);
/* `profiles:` of a pod, which leaves its profile open. Returns how long it takes on the first; 0: there is none. */
double sms__read_pod_profiles(struct sms__reader *reader, const struct sms__node *pod, struct sms_scenario *scenario,
                              struct sms_pod_view *view);
/* Once pods and policies are read: numbers the profiles of policies' modes, and makes the instances that pods with
 * workloads run on devices of the scenario. */
void sms__complete_mig(struct sms__reader *reader, struct sms_scenario *scenario);

/* How a GPU of nodes of kind `k` begins under a policy; NULL: it is whole. */
const struct sms__split *sms__first_split(const struct sms__cluster *cluster, const struct sms__policy_use *use,
                                          size_t k, size_t gpu);
/* The mode of processes in an instance of that GPU, which begins at the slice. */
const struct sms__mode *sms__mode_inside(const struct sms__split *split, const struct sms__policy_use *use,
                                         size_t slice);
/* The pods that such an instance takes. */
uint16_t sms__pods_inside(const struct sms__split *split, const struct sms__policy_use *use, size_t slice);

#endif
