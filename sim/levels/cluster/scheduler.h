/* A scheduler: how pods that wait come to nodes. The core of the cluster level knows this table only. Operations that
 * are NULL have nothing to do, unless a comment says what the core does instead. Times are ps; `pod` and `node` are
 * indices; `gpus` has bit i for GPU i of a node. */
#ifndef SMS_LEVELS_CLUSTER_SCHEDULER_H
#define SMS_LEVELS_CLUSTER_SCHEDULER_H

#include "../../engine/engine.h"

#include <smsched/place.h>

struct sms__cluster_run;

struct sms__scheduler {
    /* True if the scenario or the policy asks for this scheduler. NULL: always. */
    bool (*is_wanted)(const struct sms__cluster_run *run);
    /* Event sources that `init` and `start` register, by level. */
    size_t sources[SMS__LEVELS];
    /* Make run->scheduling. Pods and the ledger are there. At equal times, the sources that `init` registers fire after
     * pods arrive and before hosts act, and those that `start` registers fire after hosts. */
    void (*init)(struct sms__cluster_run *run);
    void (*start)(struct sms__cluster_run *run);

    /* The pod has arrived. */
    void (*add)(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
    /* The nodes in the ledger's list of freed nodes may have more room; empties the list. */
    void (*freed)(struct sms__cluster_run *run, uint64_t now);
    /* Gives pods that wait their places. Called after `add` and `freed`, once or more often at an instant. */
    void (*serve)(struct sms__cluster_run *run, uint64_t now);

    /* The pod has given back what it held of its node, which run->pod still names. */
    void (*leave)(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
    /* The GPUs on which a container of the pod runs; none before it does. NULL: container 0 has all GPUs of the pod. */
    uint16_t (*container_gpus)(const struct sms__cluster_run *run, uint32_t pod, size_t container);
    bool explains; /* `smsched explain` tells when a pod fails */

    /* Brings the scheduler's integrals up to now; `ends`: the run is over. */
    void (*integrate)(struct sms__cluster_run *run, bool ends, uint64_t now);
    /* Under --check: NULL, or which invariant does not hold. */
    const char *(*find_disagreement)(struct sms__cluster_run *run);

    /* The node as place policies are shown it; `gpu` has room for its GPUs. Such a scheduler finds out by itself which
     * nodes are feasible, and chooses with sms__find_among. NULL: as the ledger has it. */
    struct sms_node_view (*view)(const struct sms__cluster_run *run, size_t node, struct sms_gpu_view *gpu);
};

/* wait_queue.c: the default. A pod takes its place at once, or waits in a queue of its shape. */
extern const struct sms__scheduler sms__wait_queue_scheduler;

#endif
