/* `scheduler: {kind: gpushare}`: Alibaba's scheduler extender and device plugin (docs/evidence/gpushare.md). Sizes are
 * bytes, whole numbers of the unit; times ps. */
#ifndef SMS_MODEL_GPUSHARE_H
#define SMS_MODEL_GPUSHARE_H

#include "../../yaml/fields.h"

enum { SMS__CONTAINERS_MAX = 8, SMS__SICKS_MAX = 100 };

/* Most memory of one GPU. */
#define SMS__GPU_BYTES_MAX 1e15

enum sms__bind_failure { SMS__BIND_ERROR, SMS__BIND_SILENT };
enum sms__start_failure { SMS__START_FAILS, SMS__START_HOLDS };
enum sms__retry_when { SMS__RETRY_TIMER, SMS__RETRY_CHANGE };

/* Peculiarities of the real software, all on by default. */
struct sms__quirks {
    int whole_pod;    /* Allocate compares a container's request with that of a whole pod */
    int any_pod;      /* and takes the first pod on the node that asks for as much */
    int others_blind; /* memory that others use is not seen */
    int unhealthy;    /* unhealthy GPUs are left out */
    int single_gpu;   /* without a match, the only GPU of a node is used */
};

struct sms__gpushare {
    double round_trip_ps, retry_ps, retry_most_ps, assume_timeout_ps, allocate_delay_ps, start_delay_ps;
    int gib;                            /* the unit is GiB, else MiB */
    int default_filter;                 /* of GPU memory, before the extender's */
    int bind_failure, on_failure, when; /* the enums above */
    uint64_t cards_per_pod;
    struct sms__quirks quirks;
    uint64_t unit, card_most; /* the unit; the largest card, in bytes that are counted */
    uint64_t memory_models;   /* bit m: GPUs of model m are shared by memory, the others are given whole */
};

/* GPU `gpu` of each node of an entry is unhealthy. */
struct sms__sick {
    uint64_t gpu;
    double from_ps, to_ps; /* to 0: it stays so */
};

/* Keys of an entry of nodes. The scheduler may not be read yet. */
struct sms__share_said {
    int share; /* enum sms__share; -1: nothing */
    const struct sms__node *others, *sick;
    double added_ps;
};
enum sms__share { SMS__SHARE_MEMORY, SMS__SHARE_CARDS };

/* The same, resolved once the scheduler is known. */
struct sms__share_node {
    bool memory;      /* shared by memory; else its cards are given whole */
    uint64_t raw;     /* memory that a card has; what is counted of it is less, or what the node says */
    uint64_t *others; /* [gpus]: used by others */
    double added_ps;
    struct sms__sick *sick;
    size_t sicks;
};

/* Memory of each of its GPUs that a pod asks for: one number, or one for each container. */
struct sms__request {
    uint64_t bytes;
    uint64_t *container; /* [containers]; NULL: one container asks for all */
    size_t containers;
};

struct sms__cluster;
struct sms_scenario;
struct sms_pod_view;

/* Reads `scheduler:` of that kind into the cluster. */
void sms__read_gpushare(struct sms__reader *reader, const struct sms__node *node, struct sms__cluster *cluster);
/* Once nodes and scheduler are read, before pods are: what is counted of each node; complains of keys that have no
 * meaning under another scheduler. */
void sms__gpushare_nodes(struct sms__reader *reader, struct sms_scenario *scenario);
/* About what a run allocates beside what others do. */
double sms__gpushare_bytes(const struct sms__cluster *cluster);
/* Rounds what a pod asks for, the view and the request, to what gpushare counts. */
void sms__gpushare_pod(struct sms__reader *reader, const struct sms__node *node, const struct sms__gpushare *rules,
                       struct sms__request *request, struct sms_pod_view *view);
/* A struct sms__request. */
void sms__read_request(struct sms__reader *reader, const struct sms__node *node, void *at);
/* Its `scheduler:`, and what stands in its nodes. */
extern const struct sms__field sms__gpushare_fields[], sms__sick_fields[];
extern const char *const sms__share_names[];
/* Keys of nodes and of pods that only this scheduler knows; both lists end with NULL. */
extern const char *const sms__gpushare_node_keys[], *const sms__gpushare_pod_keys[];
extern const struct sms__table sms__gpushare_tables[4];

#endif
