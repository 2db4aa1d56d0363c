/* Nodes whose pods run their workloads: each is a host of the share level, on the cluster's engine. A pod has one
 * process on each of its GPUs, and is through with the last of them; if one fails, all do. */
#ifndef SMS_LEVELS_CLUSTER_HOSTS_H
#define SMS_LEVELS_CLUSTER_HOSTS_H

#include "../share/share.h"
#include "cluster.h"

struct sms__hosts {
    struct sms__cluster_run *run;
    struct sms__run_spec spec;          /* the cluster's, without observers of devices and processes */
    struct sms_run_options options;     /* of that */
    const struct sms__vm *vm;           /* what pods are: the scenario's, or with every kernel as a whole */
    struct sms__solo *own, *alone;      /* [vms][devices]: by the policy's block policy; by that of `alone:` */
    bool simulated;                     /* false: pods last as long as they take alone */
    struct sms_share **host;            /* [nodes]; NULL: it has no devices */
    size_t (*model)[SMS_NODE_GPUS_MAX]; /* [kinds]: of their GPUs, all the same */
    uint32_t *over;                     /* [overs]: pods that are through at this instant */
    size_t overs, room;
    uint32_t cut;  /* whose processes end because something fails, or SMS__NO_POD */
    size_t ending; /* pods on hosts that will end */
    size_t source;
};

/* Before the engine is there: times alone, and what hosts take of an engine. A code as of sms__simulate. */
int sms__hosts_prepare(struct sms__cluster_run *run, size_t sources[SMS__LEVELS]);
void sms__hosts_init(struct sms__cluster_run *run);
/* The run of a pod with a workload begins. */
void sms__hosts_begin(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
static inline struct sms__solo *sms__hosts_solo(const struct sms__hosts *hosts, struct sms__solo *list, size_t vm,
                                                size_t device)
{
    return &list[vm * hosts->spec.scenario->devices + device];
}

/* How many processes the pod has, once it has all its GPUs. */
uint8_t sms__pod_processes(const struct sms__cluster_run *run, uint32_t pod);

/* over.c: a process of a pod is through. The pod gives its place back when all else of this instant has happened: */
void sms__hosts_through(void *subject, struct sms__client *client, uint64_t now);
void sms__hosts_free(void *subject, uint64_t now);
/* A pod that was to last as long as it takes alone has. */
void sms__hosts_lasted(struct sms__cluster_run *run, uint32_t pod);
/* All that are through leave their nodes now. */
void sms__hosts_end(struct sms__cluster_run *run, uint64_t now);
/* Ends the processes of a pod whose node or GPU fails. True if it was through, or had failed by itself: then it has
 * ended, and is not cut. */
bool sms__hosts_cut(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Whether there are pods that end by themselves. They may stay for ever where a policy does not let them go on: then
 * the engine has nothing else to do. */
bool sms__hosts_go_on(struct sms__cluster_run *run);
/* As of the share level. They do nothing where no pod has a workload. */
void sms__hosts_settle(struct sms__cluster_run *run, int credit, uint64_t now);
void sms__hosts_forget(struct sms__cluster_run *run);
int sms__hosts_close(struct sms__cluster_run *run, uint64_t now);
bool sms__hosts_busy(const struct sms__cluster_run *run);
/* Whether jobs of pods with workloads are told to monitors one by one (watch.c). */
bool sms__hosts_simulate(const struct sms__cluster_run *run);
/* Under gpushare, where each node is a whole one for all on it. Memory of a GPU that is taken, whoever has it; that
 * pods without a workload take, or give back (`bytes` < 0); what a process of the workload holds at most. */
bool sms__hosts_has(const struct sms__cluster_run *run, size_t node);
uint64_t sms__hosts_held(const struct sms__cluster_run *run, size_t node, uint32_t gpu);
void sms__hosts_take(struct sms__cluster_run *run, size_t node, uint32_t gpu, int64_t bytes, uint64_t now);
uint64_t sms__hosts_bytes(const struct sms__cluster_run *run, uint32_t pod);
/* Under --check: whether memory that is taken of each GPU is that of its processes, who were given it, and `bytes`
 * [GPUs]. */
bool sms__hosts_agree(const struct sms__cluster_run *run, const uint64_t *bytes);
/* What the GPUs of a node with a host are used for; false: it has none. */
bool sms__hosts_use(const struct sms__cluster_run *run, size_t node, struct sms__node_use *use);

/* wholes.c: the scenario's VMs with every kernel as a whole, whose time and demand are what simulating the kernel by
 * itself, block by block, has shown. A code as of sms__simulate. */
int sms__make_wholes(struct sms__arena *arena, const struct sms__run_spec *spec, const struct sms__vm **out);

#endif
