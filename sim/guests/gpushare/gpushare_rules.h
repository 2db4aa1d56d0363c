/* `scheduler: {kind: gpushare}`: Alibaba's scheduler extender and device plugin (docs/evidence/gpushare.md). Sizes are
 * bytes, whole numbers of the unit; times ps. */
#ifndef SMS_GUESTS_GPUSHARE_GPUSHARE_RULES_H
#define SMS_GUESTS_GPUSHARE_GPUSHARE_RULES_H

#include "../../model/scenario.h"

enum sms__bind_failure { SMS__BIND_ERROR, SMS__BIND_SILENT };
enum sms__start_failure { SMS__START_FAILS, SMS__START_HOLDS };

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
    int gib;                      /* the unit is GiB, else MiB */
    int default_filter;           /* of GPU memory, before the extender's */
    int bind_failure, on_failure; /* the enums above */
    uint64_t cards_per_pod;
    struct sms__quirks quirks;
    uint64_t unit, card_most; /* the unit; the largest card, in bytes that are counted */
    uint64_t memory_models;   /* bit m: GPUs of model m are shared by memory, the others are given whole */
};

/* Nodes of an entry. */
struct sms__share_node {
    bool memory;  /* shared by memory; else its cards are given whole */
    uint64_t raw; /* memory that a card has; what is counted of it is less, or what the node says */
    double added_ps;
    struct sms__sick *sick;
    size_t sicks;
};

/* gpushare_rules.c: reads `scheduler:` of that kind, nodes and pods, as guest.h says. */
void sms__gpushare_read(struct sms__reader *reader, const struct sms__node *node, struct sms__cluster *cluster);
void sms__gpushare_read_nodes(struct sms__reader *reader, struct sms_scenario *scenario);
void sms__gpushare_read_pod(struct sms__reader *reader, const struct sms__node *node,
                            const struct sms__cluster *cluster, struct sms__request *request,
                            struct sms_pod_view *view);
size_t sms__gpushare_count_slots(const struct sms__cluster *cluster);
extern const struct sms__field sms__gpushare_fields[];
extern const struct sms__table sms__gpushare_tables[3]; /* ends with a title of NULL */

#endif
