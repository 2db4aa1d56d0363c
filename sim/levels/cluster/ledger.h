/* The ledger: what is allocated of each node and what is left. Equal nodes share what has been computed of them, and a
 * log of changed nodes lets others bring up to date what they derived. What pods hold and what is left add up to the
 * node; audit.c checks that. */
#ifndef SMS_LEVELS_CLUSTER_LEDGER_H
#define SMS_LEVELS_CLUSTER_LEDGER_H

#include "../../model/cluster/cluster.h"

struct sms__cluster_run;

/* Nodes of the same class look the same to a policy. A class has one place in the table, chosen by its hash; a new
 * class replaces the one before. */
struct sms__node_class {
    uint64_t stamp; /* changes with the contents; 0: empty */
    uint64_t hash;
    uint64_t fragments; /* UINT64_MAX: not computed */
    struct sms_node_view view;
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_layout layout[SMS_NODE_GPUS_MAX];
    double *score; /* [shapes]; NAN: not computed. Of costly policies only */
};

/* What shows most pods that they do not fit a node. Changes of nodes are logged so, because a log is read in order,
 * while the nodes themselves lie all over the memory. */
struct sms__room {
    uint64_t cpu_left, memory_left, labels;
    uint64_t models;     /* bit m: it has GPUs of model m */
    uint32_t node;       /* in the log also SMS__CHANGED_AGAIN */
    uint16_t most_milli; /* left of one GPU */
    uint8_t gpus, free;  /* `free` GPUs have all left */
};
#define SMS__CHANGED_AGAIN UINT32_MAX

/* A node's state beside its view. */
struct sms__ledger_entry {
    uint64_t fragments;   /* summed over the typical pods by their weights */
    uint64_t class_stamp; /* of its class; 0: to be looked up */
    uint32_t class_index;
    uint64_t changed_at; /* the position of its latest change in the log, from 1; 0: none */
    bool freed;          /* it is in the list of freed nodes */
    uint32_t first_pod;  /* on it, where pods move; SMS__NO_POD */
    struct sms_weighed weighed;
};

struct sms__ledger {
    struct sms_node_view *node;           /* [nodes] */
    struct sms_gpu_view *gpu;             /* of all nodes */
    struct sms_layout *layout;            /* of all GPUs; NULL: all are whole */
    uint64_t (*ready_ps)[SMS_SLICES_MAX]; /* of all GPUs, likewise: when the instance is made that begins there */
    struct sms__ledger_entry *entry;      /* [nodes] */
    struct sms__node_class *node_class;   /* [classes], a power of two; NULL in the reference engine */
    double *score;                        /* [classes * scores]: those of a class follow each other */
    size_t classes, scores;
    uint64_t stamps;
    uint64_t gpu_milli, cpu_milli, gpu_bytes; /* allocated */
    uint64_t fragments;                       /* summed over nodes */
    uint64_t integrated_ps;                   /* integrals are up to there */
    struct sms__room *log;                    /* a ring of nodes that changed */
    size_t log_size;                          /* a power of two */
    uint64_t logged;
    uint32_t *freed; /* [frees]: nodes that may have more room than when pods were tried last */
    size_t frees;
};

void sms__ledger_init(struct sms__cluster_run *run);
/* Brings the integrals of what is allocated up to now. */
void sms__ledger_integrate(struct sms__cluster_run *run, uint64_t now);
/* Where a pod is on its node. */
struct sms__seat {
    uint16_t gpus; /* bit i: GPU i */
    uint8_t slice; /* of a pod with a profile: where its instance begins */
    bool made;     /* its instance was made for it */
    bool moved;    /* it came from another of the GPU */
};
/* Allocates to a pod, sets `made`, and takes back. Integrals are up to now. */
void sms__ledger_take(struct sms__cluster_run *run, size_t node, const struct sms_pod_view *pod,
                      struct sms__seat *seat);
void sms__ledger_give(struct sms__cluster_run *run, size_t node, const struct sms_pod_view *pod,
                      const struct sms__seat *seat);
/* The GPU takes no more pods until it is empty; or takes them again. */
void sms__ledger_drain(struct sms__cluster_run *run, size_t node, uint32_t gpu, bool drains);
struct sms__node_class *sms__node_class(struct sms__cluster_run *run, size_t node);
/* Thousandths of GPUs of the node that the typical pods cannot use, summed by their weights: whole numbers, so that
 * their sum over the cluster is exact in any order. */
uint64_t sms__weigh_fragments(const struct sms__cluster *cluster, const struct sms_node_view *node);

/* The node may have room that it had not; the list is emptied by the scheduler. */
void sms__ledger_note_freed(struct sms__ledger *ledger, uint32_t node);
void sms__ledger_clear_freed(struct sms__ledger *ledger);

/* False: it shows that no such pod fits. */
static inline bool sms__room_may_fit(const struct sms__room *room, const struct sms_pod_view *pod)
{
    if (room->cpu_left < pod->cpu_milli || room->memory_left < pod->memory || (pod->labels & ~room->labels))
        return false;
    if (pod->profile) /* what it takes depends on the model */
        return (pod->models & room->models) && room->gpus;
    return pod->gpus == 0 || ((pod->models & room->models) && room->most_milli >= pod->gpu_milli &&
                              (pod->gpu_milli == 1000 ? room->free : room->gpus) >= pod->gpus);
}
struct sms__room sms__room_of(const struct sms__ledger *ledger, size_t node);
/* Whether the log still has all changes after the first `seen` ones. */
static inline bool sms__log_reaches(const struct sms__ledger *ledger, uint64_t seen)
{
    return ledger->logged - seen <= ledger->log_size;
}
static inline struct sms__room *sms__log_at(const struct sms__ledger *ledger, uint64_t position)
{
    return &ledger->log[position & (ledger->log_size - 1)];
}
/* The next node that has changed since then, each once. False if there is none: then all have been seen. */
static inline bool sms__log_next(const struct sms__ledger *ledger, uint64_t *seen, uint32_t *node)
{
    while (*seen < ledger->logged) {
        *node = sms__log_at(ledger, (*seen)++)->node;
        if (*node != SMS__CHANGED_AGAIN) /* which comes later */
            return true;
    }
    return false;
}
/* The position of the node's first GPU among those of all nodes. */
static inline size_t sms__first_gpu(const struct sms__ledger *ledger, size_t node)
{
    return (size_t)(ledger->node[node].gpu - ledger->gpu);
}
/* Of the instance that a pod with a profile has on the node. */
static inline uint64_t *sms__ready_ps(const struct sms__ledger *ledger, size_t node, const struct sms__seat *seat)
{
    return &ledger->ready_ps[sms__first_gpu(ledger, node) + (size_t)__builtin_ctz(seat->gpus)][seat->slice];
}

#endif
