/* The place level: pods come to a cluster, wait until a node has what they ask for, and take it for their duration.
 * docs/cluster-level.md has the model. Pods are numbered in the order in which they come, so a pod's number is its
 * place among all that wait. Books are whole numbers. */
#ifndef SMS_LEVELS_CLUSTER_CLUSTER_H
#define SMS_LEVELS_CLUSTER_CLUSTER_H

#include "../../engine/engine.h"
#include "../simulate.h"
#include "realtime/monitor.h"

#include <gsl/gsl_rng.h>

#define SMS__NO_POD UINT32_MAX
#define SMS__NO_NODE UINT32_MAX

struct sms__pod {
    uint64_t arrival_ps, duration_ps; /* duration 0: for ever */
    uint64_t since_ps;                /* it waits, or has its place */
    uint32_t shape, group, like;      /* in the model's cluster; like: the group, or the row that it was drawn from */
    uint32_t number;                  /* within the group, from 0 */
    uint32_t next, prev;              /* that waits and is of the same shape, or is on the same node; SMS__NO_POD */
    uint32_t ticket;                  /* the order in which pods began to wait */
    uint32_t node;                    /* SMS__NO_NODE: it waits, or has not come */
    uint32_t attempt;                 /* how often its run was cut short */
    uint16_t gpus;                    /* bit i: it has GPU i of the node */
    uint16_t tenant;                  /* the scenario's VM that it runs, plus 1; 0: it lasts its duration */
    uint8_t left;                     /* of its processes, those that are not through */
    bool ended, failed, lost;
    bool queued; /* no node qualified for it when it was tried first */
};

/* Books of nodes with the same contents have one entry, which keeps what has been computed of them. The table has
 * one place for each hash; who comes later takes it. */
struct sms__alike {
    uint64_t stamp; /* changes with the contents; 0: empty */
    uint64_t hash;
    size_t node;        /* whose contents these were; compared, never trusted to the hash alone */
    uint64_t fragments; /* UINT64_MAX: not computed */
    struct sms_node_view view;
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    double *score; /* [shapes]; NAN: not computed */
};

/* Of each node, beside its view. */
struct sms__book {
    uint64_t fragments; /* summed over the typical pods by their weights */
    uint64_t stamp;     /* of its entry `alike`; 0: it has none */
    uint32_t alike;
    uint64_t changed_at; /* the place of its last change in the log, from 1; 0: none */
    bool freed;          /* it is in that list */
    uint16_t lost;       /* bit i: GPU i is down, by itself or with the node */
    uint32_t first_pod;  /* on it, if there are failures; SMS__NO_POD */
};

/* Where pods of one shape may go, brought up to date when it is asked. */
struct sms__search {
    bool built;
    uint64_t seen; /* the log up to there */
    /* Best score: a tournament. */
    double *score;    /* [leaves]; -INFINITY: it does not fit */
    uint32_t *winner; /* [2 * leaves]: 1 is the root */
    /* Any that fits: a bit a node, and how many below each node of a tree over words of 64. */
    uint64_t *bits;
    uint32_t *count;
};

/* Pods of one shape that wait. */
struct sms__line {
    uint32_t first, last; /* SMS__NO_POD */
    bool blocked;         /* nothing that it fits has been freed since it failed */
    uint32_t in_blocked;  /* its place in that list */
    uint64_t delay_ps;    /* the next back-off */
    uint64_t not_before;
};

/* How many entries of `failures:` have the node and its GPUs down. */
struct sms__downs {
    uint32_t node, gpu[SMS_NODE_GPUS_MAX];
};

struct sms__end {
    uint64_t time;
    uint32_t pod, attempt; /* of the pod */
};

struct sms__cluster_run {
    const struct sms__run_spec *spec;
    const struct sms_scenario *scenario;
    const struct sms__cluster *cluster;
    const struct sms_place_policy *policy;
    enum sms_place_search order; /* the policy's */
    struct sms__arena *arena;
    struct sms__cluster_record *record;
    struct sms_place_view view;
    struct sms__engine engine;
    size_t end_source, fail_source, arrival_source, wake_source;
    bool plain; /* remembers nothing */

    struct sms__pod *pod; /* [pods], in order of arrival */
    size_t room;          /* for pods */
    size_t pods, come;    /* of which the first `come` have */

    /* books.c */
    struct sms_node_view *node; /* [nodes] */
    struct sms_gpu_view *gpu;   /* of all nodes */
    struct sms__book *book;     /* [nodes] */
    struct sms__alike *alike;   /* [alikes], a power of two; NULL under `plain` */
    size_t alikes;
    uint64_t stamps;
    uint64_t gpu_milli, cpu_milli, gpu_bytes; /* allocated */
    uint64_t fragments, arrived_milli;        /* lost; asked for by all that have come */
    uint64_t down_milli, down_cpu_milli;      /* of what is down */
    uint64_t settled_ps;                      /* integrals are up to there */
    uint32_t *log;                            /* nodes that changed, in a ring */
    size_t log_size;
    uint64_t logged;
    struct sms_node_view *sum; /* under --check: what pods take of each node; NULL before */
    struct sms_gpu_view *sum_gpu;

    /* search.c */
    struct sms__search *search; /* [shapes] */
    size_t leaves, words, count_leaves;
    double search_bytes;
    size_t last; /* the node chosen last */
    gsl_rng *random, *random_gpus;
    const char *wrong; /* of an answer of the policy; NULL */

    /* lines.c */
    struct sms__line *line;   /* [shapes] */
    struct sms__queue ready;  /* shapes by their first pod, those that may be tried */
    struct sms__queue waking; /* shapes by the end of their back-off, those that only wait for that */
    uint32_t *blocked;        /* [blocks]: shapes that wait for something to be freed */
    size_t blocks;
    size_t waiting;   /* pods in lines */
    uint32_t tickets; /* that were given */
    uint32_t *freed;  /* [frees]: nodes, at this instant */
    size_t frees;

    /* life.c */
    struct sms__end *end; /* [ends] of [ends_most]: a heap */
    size_t ends, ends_most;

    /* fail.c */
    struct sms__cause *cause; /* [causes] */
    size_t causes;
    struct sms__queue failing;  /* causes by when they turn next */
    struct sms__downs *downs;   /* [nodes]; NULL without failures, as the next */
    struct sms_gpu_view *aside; /* [GPUs]: books of those that are down, for when they return */
    size_t given, returning;    /* causes: at given times and not through; down, and to return */
    uint32_t *cut;              /* [cuts]: pods that lost their place at this instant */
    size_t cuts;

    /* realtime/ */
    struct sms__master *master;   /* NULL: decisions take no time */
    struct sms__monitor *monitor; /* NULL: there is none */

    struct sms__hosts *hosts; /* hosts.h; NULL: no pod has a workload */

    /* cluster.c */
    size_t marks;                  /* points of the record's allocation that are filled */
    struct sms__allocation latest; /* after the last pod that came and asked for GPUs */

    struct sms__gpushare_state *gpushare; /* the scheduler that takes the place of lines.c; or NULL */
};

/* arrive.c: makes the list of pods, with the random numbers of this run. */
void sms__pods_come(struct sms__cluster_run *run);
void sms__pod_name(const struct sms__cluster_run *run, uint32_t pod, char *out, size_t size);

/* books.c */
void sms__books_init(struct sms__cluster_run *run);
/* Notes what was allocated up to now. */
void sms__books_settle(struct sms__cluster_run *run, uint64_t now);
/* Which GPUs the pod gets on a node that it fits, after the policy. Returns NULL, or what is wrong with its answer. */
const char *sms__choose_gpus(struct sms__cluster_run *run, const struct sms_node_view *node,
                             const struct sms_pod_view *pod, uint16_t *gpus);
void sms__books_take(struct sms__cluster_run *run, size_t node, const struct sms_pod_view *pod, uint16_t gpus);
void sms__books_give(struct sms__cluster_run *run, size_t node, const struct sms_pod_view *pod, uint16_t gpus);
/* What of the node is down from now on. Nothing is left of it, nor allocated; pods that stay have it when it returns.
 */
void sms__books_lose(struct sms__cluster_run *run, size_t node, bool down, uint16_t gpus);
/* Something that decides what fits the node is not what it was; the books log their own changes. */
void sms__log_change(struct sms__cluster_run *run, size_t node);
/* Whether the log still has all changes since the first `seen` ones. */
static inline bool sms__log_reaches(const struct sms__cluster_run *run, uint64_t seen)
{
    return run->logged - seen <= run->log_size;
}
/* The next node that has changed since then, each once. False if there is none: then all has been seen. */
static inline bool sms__log_next(const struct sms__cluster_run *run, uint64_t *seen, uint32_t *node)
{
    while (*seen < run->logged) {
        *node = run->log[*seen & (run->log_size - 1)];
        if (run->book[*node].changed_at == ++*seen) /* else it changed again, and that comes later */
            return true;
    }
    return false;
}
/* What is left of GPU `i` of the node as if it were up. */
struct sms_gpu_view *sms__gpu_book(const struct sms__cluster_run *run, size_t node, uint32_t i);
/* The entry of nodes that are like this one. */
struct sms__alike *sms__alike(struct sms__cluster_run *run, size_t node);
/* The GPUs for the pod on a node that it fits, and the policy's score of that. */
double sms__score_node(const struct sms__cluster_run *run, const struct sms_node_view *node,
                       const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX]);
/* Thousandths of GPUs of the node that the typical pods cannot use, summed by their weights: whole numbers, so that
 * their sum over the cluster is exact in any order. */
uint64_t sms__weigh_fragments(const struct sms__cluster_run *run, const struct sms_node_view *node);
/* agree.c, under --check: whether the books agree with the pods; else says why not in the record. */
bool sms__books_agree(struct sms__cluster_run *run);

/* predict.c: for policies that ask; a code as of sms__simulate. A pod comes to a GPU, or goes. */
int sms__predict_init(struct sms__cluster_run *run);
void sms__predict_move(struct sms_gpu_view *gpu, const struct sms_pod_view *pod, bool comes);

/* search.c */
void sms__places_search_init(struct sms__cluster_run *run);
/* Whether there is room to remember so much of a shape; then it is taken. */
bool sms__search_room(struct sms__cluster_run *run, double bytes);
/* The node for a pod of the shape, or SMS__NO_NODE if it fits none. Under gpushare: of those that passed its filters,
 * which are remembered for the shape. */
uint32_t sms__find_node(struct sms__cluster_run *run, uint32_t shape);

/* lines.c: pods that wait. A pod waits behind all that wait already. */
void sms__lines_init(struct sms__cluster_run *run);
void sms__lines_add(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* The node may have room that it had not. */
void sms__note_freed(struct sms__cluster_run *run, uint32_t node);
/* What was freed may let those in that were blocked. */
void sms__lines_unblock(struct sms__cluster_run *run, uint64_t now);
/* Places all that can be placed, the first come first. */
void sms__lines_serve(struct sms__cluster_run *run, uint64_t now);
void sms__lines_wake(void *run, uint64_t now);

/* life.c: what happens to a pod. It takes GPUs of the node. */
void sms__pod_put(struct sms__cluster_run *run, uint32_t pod, uint32_t node, uint16_t gpus, uint64_t now);
/* The same with the policy's choice of GPUs; false if the run has been stopped, as that was wrong. */
bool sms__pod_take(struct sms__cluster_run *run, uint32_t pod, uint32_t node, uint64_t now);
/* Its run begins on the place that it has. */
void sms__pod_begin(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Its run ends its duration from now, after the delay of the scheduler. */
void sms__pod_last(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Its run is over: it gives its place back. Those that wait are not served yet. */
void sms__pod_end(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Its run is cut short: it gives its place back and has none; it neither ended nor waits. Its next run, if it is put
 * into its line again, begins anew. `ended` as in struct sms_departure. */
void sms__pod_cut(struct sms__cluster_run *run, uint32_t pod, const char *ended, uint64_t now);
/* Tells whoever watches that its stay on its GPUs is over. */
void sms__pod_departs(const struct sms__cluster_run *run, uint32_t pod, const char *ended, uint64_t now);
/* All whose duration is over now. */
void sms__pods_end(struct sms__cluster_run *run, uint64_t now);
double sms__pod_deadline(const struct sms__cluster_run *run, const struct sms__pod *pod);
uint64_t sms__job_deadline_ps(const struct sms__cluster_run *run, const struct sms__pod *pod); /* 0: none */
/* Bit i: GPU i is down, by itself or with the node. */
static inline uint16_t sms__lost_gpus(const struct sms__cluster_run *run, size_t node)
{
    return run->downs ? run->book[node].lost : 0;
}
/* Thousandths of GPUs as a share of all of the cluster. */
double sms__share_of_gpus(const struct sms__cluster_run *run, uint64_t milli);

/* fail.c: failures. When the next one is to happen, to be asked after each event. */
void sms__failures_init(struct sms__cluster_run *run);
void sms__failures_await(struct sms__cluster_run *run);
/* All that fails and returns now; who waits is served. */
void sms__failures_come(struct sms__cluster_run *run, uint64_t now);

/* tally.c: what is counted of nodes; integrals are settled. `by` 1: the pod takes its place, -1: it gives it back;
 * so many more of them are down. */
void sms__tally_pod(struct sms__cluster_run *run, size_t node, const struct sms_pod_view *pod, int by);
void sms__tally_gpu(struct sms__cluster_run *run, size_t node, int64_t milli);
void sms__tally_down(struct sms__cluster_run *run, size_t node, int nodes, int gpus);
void sms__tally_failure(struct sms__cluster_run *run, size_t node);
/* realtime/master.c: pods that wait for a decision that takes time. */
void sms__master_init(struct sms__cluster_run *run);
void sms__master_add(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__master_act(void *run, uint64_t now);
/* Whether pods wait for it. */
bool sms__master_waits(const struct sms__cluster_run *run);
/* A node or GPU has failed or returned: who did not qualify before may now. */
void sms__master_stir(struct sms__cluster_run *run);
/* When the next event is, if not that of the master; SMS__NEVER, if there is none. */
uint64_t sms__next_beside_master(struct sms__cluster_run *run);

/* realtime/watch.c: what the nodes' monitors get to see. */
void sms__watch_init(struct sms__cluster_run *run);
void sms__watch_begin(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__watch_end(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* It loses its place. The node has failed, or returned. */
void sms__watch_cut(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__watch_node(struct sms__cluster_run *run, size_t node, uint64_t now);
/* Under --check: whether monitors watch the pods that are there; else says why not in the record. */
bool sms__watch_agrees(struct sms__cluster_run *run);
struct sms__node_use sms__use_of_node(const struct sms__cluster_run *run, size_t node);

/* gpushare/: the scheduler that stands in the place of lines.c where the scenario asks for it. */
void sms__gpushare_init(struct sms__cluster_run *run);
void sms__gpushare_add(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__gpushare_freed(struct sms__cluster_run *run);
/* Nothing more happens that could let a pod in that waits, or end one. */
bool sms__gpushare_is_over(struct sms__cluster_run *run);
/* Whether the pod's containers run; on which GPUs, all of them or that of number `c`. */
bool sms__gpushare_runs(const struct sms__cluster_run *run, uint32_t pod);
uint16_t sms__gpushare_gpus(const struct sms__cluster_run *run, uint32_t pod);
uint16_t sms__gpushare_container(const struct sms__cluster_run *run, uint32_t pod, size_t c);
/* A GPU fails, or returns. */
void sms__gpushare_sicken(struct sms__cluster_run *run, size_t node, uint32_t gpu, bool sick);
/* The node of a pod that does not run fails. True if it has failed itself before, and only held its place: then it has
 * ended. */
bool sms__gpushare_stop(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Whether its containers did not start, and it has failed, though it keeps its place. False under another scheduler. */
bool sms__gpushare_is_stuck(const struct sms__cluster_run *run, const struct sms__pod *pod);
/* The next does nothing, and that after is 0, under another scheduler: how often the pod was not assigned in time. */
void sms__gpushare_tell(const struct sms__cluster_run *run, uint32_t pod, uint64_t now, const char *text);
uint32_t sms__gpushare_timeouts(const struct sms__cluster_run *run, uint32_t pod);
/* The pod is about to lose its place on its node. */
void sms__gpushare_left(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Notes what was stranded up to now. */
void sms__gpushare_settle(struct sms__cluster_run *run, uint64_t now);
bool sms__gpushare_agrees(struct sms__cluster_run *run);

/* cluster.c: ends the run, as the policy answered what it may not. */
void sms__cluster_stop(struct sms__cluster_run *run, const char *why);
/* Under --check: checks, and ends the run if something is wrong. */
void sms__cluster_check(struct sms__cluster_run *run);
/* After each event that may have changed what waits and what has a place. */
void sms__cluster_conclude(struct sms__cluster_run *run);
/* Pods have given their places back: serves those that wait. */
void sms__cluster_freed(struct sms__cluster_run *run, uint64_t now);

/* In a guard of `arena`; codes as of sms__simulate. */
int sms__cluster_simulate(struct sms__arena *arena, const struct sms__run_spec *spec);

#endif
