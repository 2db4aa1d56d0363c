/* `failures:` of a cluster: nodes and GPUs that fail and return. */
#ifndef SMS_MODEL_CLUSTER_FAILURES_H
#define SMS_MODEL_CLUSTER_FAILURES_H

#include "../../yaml/fields.h"

struct sms__nodes;

/* One entry. */
struct sms__failure {
    const struct sms__node *node;
    double units;            /* how many nodes and GPUs fail by it, each by itself */
    size_t first, nodes;     /* of them */
    long gpu;                /* its number, or one of these: */
    double at_ps, for_ps;    /* for 0: it does not return */
    double mtbf_ps, mttr_ps; /* mtbf 0: it is at the given time */
};
enum { SMS__NO_GPU = -1, SMS__EACH_GPU = -2 };

/* Reads them once nodes are read; `at` is the scenario. */
void sms__read_failures(struct sms__reader *reader, const struct sms__node *node, void *at);
/* The units that an entry lets fail on a node of the kind. Bit i is GPU i; bit SMS_NODE_GPUS_MAX is the node. */
uint32_t sms__units_of(const struct sms__nodes *kind, const struct sms__failure *failure);
extern const struct sms__field sms__failure_fields[];
extern const struct sms__table sms__failure_tables[2];

#endif
