/* A cluster: nodes, the pods that come to them, and what stands between. */
#ifndef SMS_MODEL_CLUSTER_CLUSTER_H
#define SMS_MODEL_CLUSTER_CLUSTER_H

#include <smsched/place.h>

#include "../../yaml/fields.h"
#include "guest.h"
#include "pods.h"

struct sms_file;
struct sms_scenario;
struct sms__nodes;

/* ---- `monitor:` of a cluster: how its nodes see tasks of their GPUs begin and end (docs/evidence/realtime.md) ---- */

/* calibrated: what happens is seen and stamped a random time later; cycle: by samples, one after another. */
enum sms__monitor_model { SMS__MONITOR_CALIBRATED, SMS__MONITOR_CYCLE };

struct sms__monitor_rules {
    int model;                            /* enum sms__monitor_model */
    double query_ps, list_ps, top_ps;     /* cycle: of the device, of the containers, of one's processes */
    double start_least_ps, start_most_ps; /* calibrated: from what happens to when it is seen */
    double end_least_ps, end_most_ps;
    int eager;   /* a task that runs beyond its deadline is a miss at once */
    double full; /* from this use of the cores or of the memory on a node is full */
};

/* Reads it; and one as it is unless told, where a policy asks. */
void sms__read_monitor(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__complete_monitor(struct sms__reader *reader, struct sms_scenario *scenario);
extern const struct sms__field sms__monitor_fields[], sms__monitor_cycle_fields[];

/* ---- the cluster ---- */

/* `scheduler:` of kind default. */
struct sms__default_scheduler {
    int kind;              /* the number of the kind among all */
    double start_delay_ps; /* from placement to the start of what takes the duration */
};

/* GPU `gpu` of each node of an entry is unhealthy. */
struct sms__sick {
    uint64_t gpu;
    double from_ps, to_ps; /* to 0: it stays so */
};
enum { SMS__SICKS_MAX = 100 };
extern const struct sms__field sms__sick_fields[];

/* What an entry of nodes says to guests. The scheduler may not be read yet. */
struct sms__share_said {
    int share; /* enum sms__share; -1: nothing */
    const struct sms__node *others, *sick;
    double added_ps;
};
enum sms__share { SMS__SHARE_MEMORY, SMS__SHARE_CARDS };

/* Most memory of one GPU. */
#define SMS__GPU_BYTES_MAX 1e15

/* Nodes of a cluster that are alike, from `first` on. */
struct sms__nodes {
    const char *name; /* of several NAME1, NAME2, ... */
    const struct sms__node *node;
    size_t first;
    uint64_t count, gpus;
    int model; /* in the cluster's list; -1: it has no GPUs */
    uint64_t gpu_memory, cpu_milli, memory;
    uint64_t labels;                /* bit i: it has the cluster's label i */
    long device;                    /* of the scenario: its GPUs can run workloads; -1: they are numbers */
    uint64_t *others;               /* [gpus]: memory that others than pods use; NULL: none */
    struct sms__share_said said;    /* for guests */
    struct sms__share_node *shared; /* what the guest makes of it; else NULL */
    struct sms__node_mig *mig;      /* how its GPUs are split (node_mig.h); NULL: they are whole */
    /* In which pods share its whole GPUs, or with parts for each of them; NULL: the policy's. */
    const struct sms__mode *mode;
};

enum { SMS__LABELS_MAX = 64 };
struct sms__labels {
    const char *text[SMS__LABELS_MAX]; /* "NAME: VALUE" */
    size_t count;
};

/* `profiles:` of a pod, which leaves its profile open. */
struct sms__profile_times {
    double ps[SMS_PROFILES_MAX + 1];      /* by profile: how long it takes; 0: it does not run on it */
    uint32_t milli[SMS_PROFILES_MAX + 1]; /* of a GPU, as of sms_pod_view */
    uint32_t shape[SMS_PROFILES_MAX + 1]; /* what it asks for once it has such an instance */
    uint32_t profile[SMS_PROFILES_MAX];   /* [profiles], in the order given */
    size_t profiles;
};

/* Profiles of instances that layouts and pods name. Profile p of the public header is name[p - 1]. */
struct sms__profiles {
    const char *name[SMS_PROFILES_MAX];
    size_t count;
    struct sms__profile_times *times; /* [tables] */
    size_t tables;
    struct sms__modes *modes; /* that nodes give their GPUs and instances; NULL: no node has `mig:` or `mode:` */
};

/* How pods with workloads are simulated: as the time that they take alone; as steps, with coarse kernels; as kernels
 * block by block. */
enum sms__fidelity { SMS__AS_DURATION, SMS__AS_PROCESSES, SMS__AS_BLOCKS };

/* Of nodes with equal scores the lowest is taken; or the first of an order that is drawn once for each run; or any, all
 * equally likely. */
enum sms__ties { SMS__TIES_LOWEST, SMS__TIES_SHUFFLED, SMS__TIES_RANDOM };

/* A cluster, in the place of devices and tenants. Its scenario's devices and VMs are what pods with workloads run on
 * and are; there may be none. */
struct sms__cluster {
    struct sms__nodes *node; /* [kinds] */
    size_t kinds, nodes;
    int ties;              /* enum sms__ties */
    size_t rows;           /* of metrics of nodes: nodes, or if these are too many kinds, or if these are 0 */
    struct sms__pods *pod; /* [groups] */
    size_t groups;
    struct sms_pod_view *shape; /* [shapes], in the order of their first pods */
    size_t shapes;
    /* [shapes]: some node could hold such a pod, or all nodes its gang, were nothing on them; NULL: too many. */
    const bool *held;
    struct sms_typical_pod *typical; /* most frequent first */
    size_t typicals;
    uint64_t typical_pods; /* of all of them */
    const char *model[SMS_GPU_MODELS_MAX];
    size_t models;
    struct sms__profiles profiles;
    struct sms__labels labels;
    bool priorities; /* of pods: some have another than 0 */
    struct sms__default_scheduler waits;
    uint64_t gpu_milli, cpu_milli;      /* of all nodes */
    double pods, load;                  /* about how many come, and how many GPUs they ask for as a share of all */
    size_t slots;                       /* pods with workloads that one GPU may have at once, at most */
    struct sms__monitor_rules *monitor; /* NULL: nobody looks */
    const struct sms__guest *guest;     /* the scheduler, if it is one; else NULL */
    void *rules;                        /* the guest's */
};

/* The GPUs of all nodes. */
static inline size_t sms__gpus_of(const struct sms__cluster *cluster) { return (size_t)(cluster->gpu_milli / 1000); }

/* cluster.c: all of a scenario with `nodes:` and `pods:`. */
void sms__read_cluster(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
extern const struct sms__table sms__cluster_tables[9]; /* ends with a title of NULL */

/* nodes.c: `nodes:`; `at` is the scenario. */
void sms__read_nodes(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__node_fields[];
/* Keys that only guests know (guest.h); ends with NULL. */
extern const char *const sms__guest_node_keys[];
/* The entry that a node is of, by its number. */
const struct sms__nodes *sms__node_kind(const struct sms__cluster *cluster, size_t node);
/* The name of a node, by its number. */
void sms__node_name(const struct sms__cluster *cluster, size_t node, char *out, size_t size);
/* The name of a row of metrics of nodes. */
void sms__row_name(const struct sms__cluster *cluster, size_t row, char *out, size_t size);

/* models.c: the number of a GPU model, which is added if it is new. */
int sms__intern_model(struct sms__reader *reader, const struct sms__node *node, const char *name,
                      struct sms__cluster *cluster);
/* Whether the devices or the model of some node could not be read: then a pod of any model or profile may run there. */
bool sms__has_wrong_model(const struct sms__reader *reader, const struct sms__cluster *cluster);
/* Reads a GPU model or a list of them, of which each must be on some node. Returns a bit each; all if `node` is NULL.
 */
uint64_t sms__read_models(struct sms__reader *reader, const struct sms__node *node, const struct sms__cluster *cluster);

/* shapes.c: what is known of all pods, whose groups have these views: shapes, typical pods, about how many come. */
void sms__find_shapes(struct sms__arena *arena, struct sms__cluster *cluster, const struct sms_pod_view *view);
/* How many GPUs each of the groups from `first` on asks for, on average, in thousandths. */
double sms__mean_milli(const struct sms_pod_view *view, size_t first, size_t count);

/* node_labels.c: bits of a map of labels, or 0 where there is none. Those of a pod must be of some node. */
uint64_t sms__read_labels(struct sms__reader *reader, const struct sms__node *map, struct sms__cluster *cluster,
                          bool of_node);

/* check_cluster.c: checks parts of the cluster against each other, and counts the slots of its GPUs. */
void sms__check_cluster(struct sms__reader *reader, struct sms_scenario *scenario);
/* held.c: finds which pods some node could hold. */
void sms__find_held(struct sms__arena *arena, struct sms__cluster *cluster);
/* What every node lacks for such a pod, as "; it asks for 2 GPUs, and no node has more than 1". "": nothing that all
 * lack. */
const char *sms__why_not_held(struct sms__arena *arena, const struct sms__cluster *cluster,
                              const struct sms_pod_view *pod);

#endif
