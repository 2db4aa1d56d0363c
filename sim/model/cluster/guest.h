/* Guests: schedulers of other systems, and what watches their nodes. Each has a folder of its own, sim/guests/NAME, and
 * the rest knows it by this table only; a build without guests has none (sim/guests/no_guests.c). What a guest keeps in
 * a cluster is cluster->rules. */
#ifndef SMS_MODEL_CLUSTER_GUEST_H
#define SMS_MODEL_CLUSTER_GUEST_H

#include "../../yaml/fields.h"

#include <smsched/place.h>

struct sms__cluster;
struct sms__nodes;
struct sms__observer;
struct sms__request;
struct sms__scheduler;
struct sms_scenario;

/* A guest does not do what is NULL. A scenario asks for a guest that has a `kind` by `scheduler: {kind:
 * KIND}`; it knows no gangs, no instances of GPUs and no monitors, and shares GPUs by memory. */
struct sms__guest {
    const char *kind;
    const struct sms__table *tables; /* of its `scheduler:`, for `smsched list fields` */
    /* Reads `scheduler:` of that kind, and makes cluster->rules. */
    void (*read)(struct sms__reader *reader, const struct sms__node *node, struct sms__cluster *cluster);
    /* Then the nodes, before pods are read, and what a pod asks for, in bytes that it counts. */
    void (*read_nodes)(struct sms__reader *reader, struct sms_scenario *scenario);
    void (*read_pod)(struct sms__reader *reader, const struct sms__node *node, const struct sms__cluster *cluster,
                     struct sms__request *request, struct sms_pod_view *view);
    const char *without_memory;                                /* where pods without gpu_memory may run */
    size_t (*count_slots)(const struct sms__cluster *cluster); /* pods with workloads on one GPU at most */
    const char *const *columns; /* metrics of clusters that tables show, too; ends with NULL */

    const struct sms__scheduler *scheduler; /* of runs: levels/cluster/scheduler.h and observer.h */
    const struct sms__observer *observer;
};

/* sim/guests/guests.c: those of this build, ends with NULL; the kinds of schedulers, "default" first; the forms of
 * `scheduler:` of the others. */
extern const struct sms__guest *const sms__guests[];
extern const char *const sms__scheduler_kinds[];
extern const struct sms__field *const sms__scheduler_forms[];

/* guest.c: the guest of that kind, or NULL. */
const struct sms__guest *sms__find_guest(const char *kind);
/* Complains of what only guests know, such as "'share'". */
void sms__refuse_guest_key(struct sms__reader *reader, const struct sms__node *node, const char *what);
/* Reads the nodes as the scheduler of the cluster sees them. */
void sms__read_guest_nodes(struct sms__reader *reader, struct sms_scenario *scenario);

#endif
