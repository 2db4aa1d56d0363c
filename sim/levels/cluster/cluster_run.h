/* The state of one run of a cluster, as all files of the level see it, and then the functions of each of these files.
 * State that a single file needs is behind a struct that only this file defines. Quantities are whole numbers:
 * thousandths of GPUs and cores, bytes, picoseconds.
 */
#ifndef SMS_LEVELS_CLUSTER_CLUSTER_RUN_H
#define SMS_LEVELS_CLUSTER_CLUSTER_RUN_H

#include "../../engine/engine.h"
#include "../simulate.h"
#include "../oracle.h"
#include "ledger.h"

#define SMS__NO_POD UINT32_MAX
#define SMS__NO_NODE UINT32_MAX

struct sms__pod {
    uint64_t arrival_ps, duration_ps; /* duration 0: it stays for ever */
    uint64_t since_ps;                /* since when it waits, or has its place */
    uint32_t shape, group;            /* in the model's cluster */
    uint32_t template;                /* its group there, or the row that it was drawn from */
    uint32_t number;                  /* within the group, from 0 */
    uint32_t gang;                    /* the number of its gang's first pod; a gang's pods follow each other */
    uint32_t next, prev;              /* in the list of pods that wait, or of those on the node; SMS__NO_POD */
    uint32_t node;                    /* SMS__NO_NODE: it waits, or has not arrived */
    uint32_t attempt;                 /* how often it lost its place before its end */
    struct sms__seat seat;            /* on the node */
    uint16_t tenant;                  /* the scenario's VM that it runs, plus 1; 0: it lasts its duration */
    uint8_t left;                     /* its processes that have not ended */
    bool ended, failed;
    bool stuck; /* its containers failed to start, and it only holds its place */
};

struct sms__cluster_run {
    const struct sms__run_spec *spec;
    const struct sms_scenario *scenario;
    const struct sms__cluster *cluster;
    const struct sms_place_policy *policy;
    enum sms_place_search order; /* in which the policy searches the nodes */
    bool reference;              /* the reference engine: nothing is cached */
    struct sms__arena *arena;
    struct sms__cluster_record *record;
    struct sms_place_view view; /* what place policies see of the cluster */
    struct sms__engine engine;

    struct sms__pod *pod;   /* [pods], in order of arrival */
    size_t pods, arrived;   /* the first `arrived` of them have arrived */
    uint64_t arrived_milli; /* what these asked for */

    struct sms__ledger ledger;
    struct sms__node_search *search;
    struct sms__pod_samples *samples;
    struct sms__ends *ends;
    struct sms__audit *audit;         /* NULL before the first check */
    struct sms__hosts *hosts;         /* NULL: no pod has a workload */
    struct sms__drained *drained;     /* [shapes]: the GPU that drains for it; NULL: none ever did */
    struct sms__arranging *arranging; /* open_pods.h; NULL: no pod leaves its profile open */

    const struct sms__scheduler *scheduler;
    void *scheduling;                     /* its state */
    const struct sms__observer *observer; /* NULL: nobody observes pods and nodes */
    void *observing;                      /* its state */
};

static inline const struct sms_pod_view *sms__pod_shape(const struct sms__cluster_run *run, uint32_t pod)
{
    return &run->cluster->shape[run->pod[pod].shape];
}

static inline bool sms__same_gang(const struct sms__cluster_run *run, uint32_t a, uint32_t b)
{
    return run->pod[a].group == run->pod[b].group && run->pod[a].gang == run->pod[b].gang;
}

/* Thousandths of GPUs as a share of all of the cluster's. */
static inline double sms__share_of_gpus(const struct sms__cluster_run *run, uint64_t milli)
{
    return run->cluster->gpu_milli ? (double)milli / (double)run->cluster->gpu_milli : 0;
}

/* Ends the run, as the place policy gave an answer that it may not give; `why` completes "place policy NAME". */
void sms__cluster_stop(struct sms__cluster_run *run, const char *why);
void sms__pod_name(const struct sms__cluster_run *run, uint32_t pod, char *out, size_t size);
/* Deadlines of the pod and of each of its jobs; 0: none. */
double sms__pod_deadline(const struct sms__cluster_run *run, const struct sms__pod *pod);
uint64_t sms__job_deadline_ps(const struct sms__cluster_run *run, const struct sms__pod *pod);
/* From its placement to the start of what takes the duration, ps: the scheduler's delay, and a change of the layout. */
uint64_t sms__pod_delay(const struct sms__cluster_run *run, uint32_t pod);
/* The GPUs of its node on which a container of the pod runs. */
uint16_t sms__container_gpus(const struct sms__cluster_run *run, uint32_t pod, size_t container);

/* Tells `smsched explain` what happened to the pod. A longer text is cut. */
enum { SMS__MESSAGE_BYTES = 4096 };
void sms__explain_pod(const struct sms__cluster_run *run, uint32_t pod, uint64_t now, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* pod_arrivals.c: the pods of a run, and when they come. */
/* Makes the list of pods, with the random numbers of this run. */
void sms__pods_init(struct sms__cluster_run *run);
/* Registers the source at whose times pods arrive. */
void sms__arrivals_init(struct sms__cluster_run *run);
/* At the end of the run: takes the last sample of the allocation by load. */
void sms__arrivals_close(struct sms__cluster_run *run);

/* node_search.c: the search for a node that takes a pod, by the order and the scores of the place policy. */
void sms__node_search_init(struct sms__cluster_run *run);

/* The node for a pod of the shape; SMS__NO_NODE: it fits none. The run is stopped where the policy's score is no
 * number.
 */
uint32_t sms__find_node(struct sms__cluster_run *run, uint32_t shape);
/* The same among the given nodes, in ascending order, all of which are feasible; there is at least one. */
uint32_t sms__find_among(struct sms__cluster_run *run, uint32_t shape, const uint32_t *node, size_t nodes);

/* The GPUs that the policy chooses for a pod on a node that it fits, and the policy's score of that. */
double sms__score_node(const struct sms__cluster_run *run, const struct sms_node_view *node,
                       const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX]);
/* The same, checked, as a seat. Returns NULL, or what is wrong with the policy's answer. */
const char *sms__choose_seat(struct sms__cluster_run *run, const struct sms_node_view *node,
                             const struct sms_pod_view *pod, struct sms__seat *seat);

/* why_waits.c: tells `smsched explain` why the pod, which has been tried, finds no place. */
void sms__explain_pod_waits(const struct sms__cluster_run *run, uint32_t pod, uint64_t now);

/* no_instance.c: a pod of the shape, which asks for a profile, has been tried and found no instance. */
void sms__no_instance(struct sms__cluster_run *run, uint32_t shape);
/* A pod of the shape has been placed, after others of it may have found none. */
void sms__instance_found(struct sms__cluster_run *run, uint32_t shape);
bool sms__drain_is_over(const struct sms__cluster_run *run, uint32_t shape);

/* arrange.c: pods that leave their profile open. */
/* The pod holds an instance then; others may have moved. False: it waits, or the run has been stopped. */
bool sms__hold_open(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Pods move on GPUs that others have left. */
void sms__arrange_left(struct sms__cluster_run *run, uint64_t now);

/* life.c: what happens to a pod: it takes its place, its run begins, and it ends or is cut off. Each step is told to
 * the scheduler, the observer and whoever watches the run. */
/* The pod takes that seat on the node. */
void sms__pod_put(struct sms__cluster_run *run, uint32_t pod, uint32_t node, struct sms__seat seat, uint64_t now);
/* The same with the GPUs that the policy chooses. False: the run has been stopped, as these were wrong. */
bool sms__pod_take(struct sms__cluster_run *run, uint32_t pod, uint32_t node, uint64_t now);
/* The same in two steps, between which the pod can give the place back as if nothing had been. */
bool sms__pod_hold(struct sms__cluster_run *run, uint32_t pod, uint32_t node, uint64_t now);
/* The same on a seat that is known. */
void sms__pod_hold_at(struct sms__cluster_run *run, uint32_t pod, uint32_t node, struct sms__seat seat, uint64_t now);
void sms__pod_seat(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
void sms__pod_release(struct sms__cluster_run *run, uint32_t pod);
/* The pod's run begins on the place that it has. */
void sms__pod_begin(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Its run is over, and it gives its place back. Pods that wait are not served yet. */
void sms__pod_end(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* Its run is cut off, and it gives its place back. It neither ended nor waits; if it is added to those that wait, its
 * next run begins anew. `ended` as in struct sms_departure. */
void sms__pod_cut(struct sms__cluster_run *run, uint32_t pod, const char *ended, uint64_t now);
/* Tells whoever watches the run that the pod no longer holds its GPUs. */
void sms__pod_departs(const struct sms__cluster_run *run, uint32_t pod, const char *ended, uint64_t now);

/* ends.c: when runs of pods end that last a duration known at their begin. Ends of runs that were cut off are
 * forgotten. */
/* Registers the source that fires when pods end, with the run as its subject. */
void sms__ends_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now));
/* The pod's present run ends then; SMS__NEVER: beyond the clock. */
void sms__ends_add(struct sms__cluster_run *run, uint32_t pod, uint64_t time);
/* Takes out a pod that ends now, the first to arrive first; SMS__NO_POD: there is none. */
uint32_t sms__ends_pop(struct sms__cluster_run *run, uint64_t now);
/* Sets the source to the first end, after ends were added or runs cut off. */
void sms__ends_await(struct sms__cluster_run *run);
/* Whether any end is to come. */
bool sms__ends_pending(const struct sms__cluster_run *run);

/* conclude.c: what follows an event of the cluster. */
/* The scheduler serves pods that wait, if it keeps any. */
void sms__cluster_serve_waiting(struct sms__cluster_run *run, uint64_t now);
/* The same; then pods on GPUs that others left get their instances anew. */
void sms__cluster_serve(struct sms__cluster_run *run, uint64_t now);
/* Pods have given their places back, which may serve others. */
void sms__cluster_freed(struct sms__cluster_run *run, uint64_t now);
/* Under --check: ends the run if invariants do not hold. To be called after each event that may have changed which pods
 * wait and which have a place. */
void sms__cluster_check(struct sms__cluster_run *run);

/* node_counters.c: counters of each node, or of the nodes of each entry, that the record keeps. Integrals of the ledger
 * are up to now when these are called. */
/* Thousandths of its GPUs and CPUs that are allocated in addition. */
void sms__count_allocated(struct sms__cluster_run *run, size_t node, int64_t gpu_milli, int64_t cpu_milli);
void sms__count_placement(struct sms__cluster_run *run, size_t node);

/* hosts.c: nodes whose pods run workloads. Each is a host of the share level on the cluster's engine. A pod has one
 * process on each of its GPUs. If no pod has a workload, these functions do nothing. */
/* Finds times alone, and adds the event sources of hosts. Call it before the engine is initialized. Codes are those of
 * sms__simulate. */
int sms__hosts_prepare(struct sms__cluster_run *run, size_t sources[SMS__LEVELS]);
void sms__hosts_init(struct sms__cluster_run *run);
/* How long the pod's workload takes alone on its node, ps; 0: for ever. It fails at the end of that if `failed`. */
uint64_t sms__hosts_time_alone(const struct sms__cluster_run *run, uint32_t pod, bool *failed);
/* Lets the processes of a pod come to its node. */
void sms__hosts_begin(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
/* The number of processes of the pod, once it has all its GPUs. */
uint8_t sms__pod_processes(const struct sms__cluster_run *run, uint32_t pod);

/* The next four do for all hosts what functions of the share level do for one. */
void sms__hosts_advance(struct sms__cluster_run *run, int partial, uint64_t now);
void sms__hosts_forget(struct sms__cluster_run *run);
int sms__hosts_close(struct sms__cluster_run *run, uint64_t now);
bool sms__hosts_busy(const struct sms__cluster_run *run);

/* True if processes are simulated, so that observers see each job. Otherwise pods last as long as they take alone. */
bool sms__hosts_simulate(const struct sms__cluster_run *run);
/* The mean usage of the cores of the node's GPUs, 0..1, and their memory, bytes. Returns false if the node has no host.
 */
bool sms__hosts_use(const struct sms__cluster_run *run, size_t node, double *core, uint64_t *memory,
                    uint64_t *memory_used);

/* For schedulers under which a pod's memory is not that of its processes. If the node has a host: the bytes of a GPU
 * that are in use, and a function that takes memory for pods without a workload, or gives it back (bytes < 0). */
bool sms__hosts_has(const struct sms__cluster_run *run, size_t node);
uint64_t sms__hosts_held(const struct sms__cluster_run *run, size_t node, uint32_t gpu);
void sms__hosts_take(struct sms__cluster_run *run, size_t node, uint32_t gpu, int64_t bytes, uint64_t now);
/* The most bytes that a process of the pod's workload holds. */
uint64_t sms__hosts_bytes(const struct sms__cluster_run *run, uint32_t pod);

/* completion.c: how pods with workloads end: all their processes have ended, or one has failed. Where no pod has a
 * workload there is nothing to do. */
/* Registers the source that fires when pods have completed, with the run as its subject. Hosts are prepared, but not
 * there yet. */
void sms__completion_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now));
/* A pod that was to last as long as it takes alone has lasted. */
void sms__hosts_lasted(struct sms__cluster_run *run, uint32_t pod);
/* All pods that have completed at this instant leave their nodes now. False: there are none. */
bool sms__hosts_end(struct sms__cluster_run *run, uint64_t now);
/* Whether pods with workloads will end by themselves. Where a policy does not let them go on they may stay for ever:
 * then no event is due. */
bool sms__hosts_go_on(struct sms__cluster_run *run);

/* coarse.c: coarse kernels, made of kernels of blocks. */
/* The scenario's VMs with every kernel coarse: its time and demand are those of simulating it alone, block by block.
 * Codes are those of sms__simulate. */
int sms__coarsen(struct sms__arena *arena, const struct sms__run_spec *spec, const struct sms__tenant **out);

/* predict.c: predictions of the contention model, for place policies that ask for them. */
/* Codes are those of sms__simulate. */
int sms__predict_init(struct sms__cluster_run *run);
/* Keeps the list of workloads on a GPU: a pod comes, or goes. */
void sms__predict_move(struct sms_gpu_view *gpu, const struct sms_pod_view *pod, bool comes);

#endif
