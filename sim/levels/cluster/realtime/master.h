/* The master of a policy whose decisions take time (Kang 2022, Algorithm 2): one pod after another it asks the nodes,
 * ranks those that answer, and places the pod or tries it again later. docs/realtime.md. */
#ifndef SMS_LEVELS_CLUSTER_REALTIME_MASTER_H
#define SMS_LEVELS_CLUSTER_REALTIME_MASTER_H

#include "../cluster.h"
#include "monitor.h"

struct sms__master {
    struct sms_place_pace pace;
    struct sms__queue waiting; /* pods, by when they are tried next */
    size_t pods;               /* of those */
    size_t in_vain;            /* tried in a row while nothing else was to happen */
    size_t source;
    uint32_t pod;  /* under way; SMS__NO_POD */
    uint32_t node; /* for it; SMS__NO_NODE */
    bool answered;
    bool stirred;                    /* something has failed or returned since nodes were asked last */
    uint64_t asked_ps;               /* for the pod under way */
    uint64_t acts_ps;                /* next; SMS__NEVER */
    struct sms_monitored *monitored; /* [nodes] */
};

/* ranking.c: asks all nodes for the pod, notes their answers; returns the best of those that qualify, of equal ones the
 * lowest, or SMS__NO_NODE. */
uint32_t sms__rank_nodes(struct sms__cluster_run *run, const struct sms_pod_view *pod, uint64_t now);
/* Says to who watches how the nodes were ranked. */
void sms__tell_ranking(struct sms__cluster_run *run, uint32_t pod, const struct sms_pod_view *view, uint64_t now);

#endif
