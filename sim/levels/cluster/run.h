/* The state of one run of a cluster, as all files of the level see it. State that a single file needs is behind a
 * struct that only this file defines. Quantities are whole numbers: thousandths of GPUs and cores, bytes, picoseconds.
 */
#ifndef SMS_LEVELS_CLUSTER_RUN_H
#define SMS_LEVELS_CLUSTER_RUN_H

#include "../../engine/engine.h"
#include "../simulate.h"
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
    uint32_t cuts;                    /* how often this was because its node or GPU failed */
    uint16_t gpus;                    /* bit i: GPU i of the node is allocated to it */
    uint16_t tenant;                  /* the scenario's VM that it runs, plus 1; 0: it lasts its duration */
    uint8_t left;                     /* its processes that have not ended */
    bool ended, failed, lost;
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
    struct sms__samples *samples;
    struct sms__ends *ends;
    struct sms__failures *failures; /* NULL: nothing fails */
    struct sms__audit *audit;       /* NULL before the first check */
    struct sms__hosts *hosts;       /* NULL: no pod has a workload */

    const struct sms__scheduler *scheduler;
    void *scheduling; /* its state */
    size_t wake_source;
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
/* The GPUs of its node on which a container of the pod, or any of them, runs. */
uint16_t sms__container_gpus(const struct sms__cluster_run *run, uint32_t pod, size_t container);
uint16_t sms__pod_gpus(const struct sms__cluster_run *run, uint32_t pod);
/* Tells `smsched explain` what happened to the pod, if the scheduler explains pods. */
void sms__pod_explain(const struct sms__cluster_run *run, uint32_t pod, uint64_t now, const char *text);

#endif
