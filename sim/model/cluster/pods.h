/* `pods:` of a cluster: what comes, when, and what it asks for. */
#ifndef SMS_MODEL_CLUSTER_PODS_H
#define SMS_MODEL_CLUSTER_PODS_H

#include <smsched/place.h>

#include "../../yaml/fields.h"

/* The clock's 213 days; the sum of a pod's start and duration may not pass them. */
#define SMS__POD_LASTS_MAX 1.8e19

struct sms__cluster;
struct sms_scenario;
struct sms__tenant;

/* How pods come. 0: not said; then, if all is 0, all at the start. */
struct sms__arriving {
    double poisson_ps, every_ps; /* from one to the next, mean or exact */
    uint64_t batch;              /* so many come each time */
};

enum sms__pod_spread { SMS__POD_FIXED, SMS__POD_EXPONENTIAL };

enum { SMS__CONTAINERS_MAX = 8 };

/* Memory of each of its GPUs that a pod asks for: one number, or one for each container. */
struct sms__request {
    uint64_t bytes;
    uint64_t *container; /* [containers]; NULL: one container asks for all */
    size_t containers;
};

/* Pods of one entry or of one row of a table. `pool`: they are only drawn from, by samples. */
struct sms__pods {
    const char *name;
    const struct sms__node *node;
    size_t shape;
    uint64_t count;
    double start_ps; /* of the first */
    struct sms__arriving arriving;
    double duration_ps;     /* 0: for ever */
    int spread;             /* enum sms__pod_spread, of the duration */
    double deadline_ps;     /* from arrival to end; 0: none */
    double job_deadline_ps; /* of each job, from its first use of the GPU to its end; 0: none */
    bool pool;
    size_t rows, first_row; /* of a sample: the pods that it draws from; rows 0: it is none */
    double row_milli;       /* of a sample: what a row asks for on average, in thousandths of GPUs */
    bool row_spread;        /* and some row's duration is drawn */
    double until;           /* of a sample: GPUs asked for at the end, as a share of the cluster's; 0: `count` pods */
    bool lasts;             /* of a sample: its duration stands in the place of the rows' */
    uint16_t tenant;        /* the scenario's VM that each of them runs, plus 1; 0: they last their duration */
    /* Delays of its first start, for guests; -1: the scheduler's. */
    double allocate_delay_ps, start_delay_ps;
    struct sms__request request;
};

/* read_pods.c: reads them, once nodes are read; `at` is the scenario. */
void sms__read_pods(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__pod_fields[];
extern const struct sms__table sms__pod_tables[2];
/* Keys that only guests know (guest.h); ends with NULL. */
extern const char *const sms__guest_pod_keys[];
/* Keys that a sample takes from its table, so it must not have them; ends with NULL. */
extern const char *const sms__sampled_keys[];

/* cluster_arrivals.c: into a struct sms__arriving; the mean time between its pods. */
void sms__read_pod_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at);
double sms__mean_interval(const struct sms__arriving *arriving);
extern const struct sms__field sms__pod_arrival_fields[];
extern const struct sms__table sms__arrival_tables[2];

/* podwork.c: pods that run workloads. */
/* Adds the tenant that pods of an entry run, or none if `workload` is NULL. `vm` has all of it but the workload.
 * Returns its number plus 1, or 0. What the pods ask for, `view`, is brought in line with it. */
uint16_t sms__read_podwork(struct sms__reader *reader, const struct sms__node *workload, const struct sms__tenant *vm,
                           struct sms_scenario *scenario, struct sms_pod_view *view);
/* GPU models whose nodes have devices, a bit each. */
uint64_t sms__models_with_devices(const struct sms__cluster *cluster);

#endif
