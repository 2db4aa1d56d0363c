/* The state of the master of a policy whose decisions take time (Kang 2022, Algorithm 2). docs/evidence/realtime.md. */
#ifndef SMS_GUESTS_REALTIME_MASTER_H
#define SMS_GUESTS_REALTIME_MASTER_H

#include "../../levels/cluster/cluster_run.h"
#include "../../levels/cluster/observer.h"
#include "../../levels/cluster/scheduler.h"
#include "monitor.h"

struct sms__master {
    struct sms_place_pace pace;
    struct sms__queue waiting; /* pods, by their next try */
    size_t pods;               /* in that queue */
    size_t in_vain;            /* pods tried in a row while nothing else was to happen */
    bool *queued;              /* [pods]: no node qualified when the pod was tried */
    size_t source;
    uint32_t pod;  /* the pod under way; SMS__NO_POD */
    uint32_t node; /* chosen for it; SMS__NO_NODE */
    bool answered;
    uint64_t acts_ps;                /* the master's next event; SMS__NEVER */
    struct sms_monitored *monitored; /* [nodes] */
};

/* The state of the scheduler, and that of the observer: a run with a master has monitors. */
static inline struct sms__master *sms__master(const struct sms__cluster_run *run) { return run->scheduling; }
static inline struct sms__monitor *sms__monitor(const struct sms__cluster_run *run) { return run->observing; }

/* ranking.c: asks all nodes for the pod and notes their answers. Returns the best of those that qualify, of equal ones
 * the lowest, or SMS__NO_NODE. Stops the run where the policy's score is no number. */
uint32_t sms__rank_nodes(struct sms__cluster_run *run, const struct sms_pod_view *pod, uint64_t now);
/* Tells `smsched explain` how the nodes were ranked. */
void sms__explain_ranking(struct sms__cluster_run *run, uint32_t pod, const struct sms_pod_view *view, uint64_t now);
/* observer.c: the present usage of the node's GPUs. */
struct sms__node_use sms__use_of_node(const struct sms__cluster_run *run, size_t node);

extern const struct sms__observer sms__monitor_observer;
/* master.c: real-time nodes (Kang 2022): a master whose decisions take time, as a scheduler, and the monitors of the
 * nodes that it asks, as an observer. */
extern const struct sms__guest sms__realtime_guest;

#endif
