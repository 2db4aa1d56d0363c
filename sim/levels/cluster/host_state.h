/* The state of the nodes that are hosts, for the files that simulate and check them: hosts.c, completion.c, predict.c
 * and audit.c. */
#ifndef SMS_LEVELS_CLUSTER_HOST_STATE_H
#define SMS_LEVELS_CLUSTER_HOST_STATE_H

#include "../../model/cluster/node_mig.h"
#include "../share/gpu.h"
#include "../share/process.h"
#include "cluster_run.h"

struct sms__hosts {
    struct sms__cluster_run *run;
    struct sms__run_spec spec;         /* the cluster's */
    const struct sms__tenant *vm;      /* what pods run: the scenario's VMs, or copies with coarse kernels */
    struct sms__stand_alone *own;      /* [vms][devices]: times alone under the policy's block policy */
    struct sms__stand_alone *alone;    /* the same under that of `alone:` */
    struct sms__mixes *mixes;          /* of all hosts, whose pods run the same kernels */
    bool simulated;                    /* false: pods last as long as they take alone */
    struct sms_share **host;           /* [nodes]; NULL: it has no devices */
    size_t (*type)[SMS_NODE_GPUS_MAX]; /* [kinds]: the devices that their GPUs are, all the same */
    struct sms__place **place;         /* [kinds]: GPUs and instances of those whose GPUs are split; NULL of others */
    size_t *places;                    /* [kinds] */
    uint32_t *completed;               /* [completions]: pods whose processes have all ended at this instant */
    size_t completions, room;
    size_t ending;                                                            /* pods on hosts that will end */
    size_t source;                                                            /* of events: completed pods leave */
    void (*ended)(void *subject, struct sms__process *process, uint64_t now); /* called when a process has ended */
};

/* The device of the scenario, an instance or a whole one, on which the pod runs. */
static inline size_t sms__pod_device(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    const struct sms__nodes *kind = sms__node_kind(run->cluster, pod->node);
    const uint32_t profile = run->cluster->shape[pod->shape].profile;
    return (size_t)(profile ? kind->mig->device[profile] : kind->device);
}

/* The same, or the one that its instance is cut from. */
static inline size_t sms__pod_whole_device(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return (size_t)sms__node_kind(run->cluster, pod->node)->device;
}

static inline struct sms__stand_alone *sms__hosts_stand_alone(const struct sms__hosts *hosts,
                                                              struct sms__stand_alone *list, size_t vm, size_t device)
{
    return &list[vm * hosts->spec.scenario->devices + device];
}

#endif
