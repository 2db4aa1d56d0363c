/* `run: unknowns:` of a scenario: how often what is not known is drawn, and how far it may be off. sim/sweep draws it
 * (docs/explanation/statistics.md). */
#ifndef SMS_MODEL_UNKNOWNS_H
#define SMS_MODEL_UNKNOWNS_H

#include "../yaml/fields.h"

enum sms__unknown_kind {
    SMS__UNKNOWN_DEMAND,
    SMS__UNKNOWN_BLOCK_TIME,
    SMS__UNKNOWN_SLOPE,
    SMS__UNKNOWN_KNEE,
    SMS__UNKNOWN_CURVE,
    SMS__UNKNOWN_KINDS
};

/* A parameter is drawn as its value times a factor whose logarithm is normal with mean 0. Its standard deviation is the
 * spread: for small ones the relative error. 0: the parameter is known. */
struct sms__unknowns_ask {
    uint64_t draws;                    /* 0: the scenario does not ask */
    uint64_t replications;             /* of each draw */
    double spread[SMS__UNKNOWN_KINDS]; /* of demands and times below 0: as their workload tells */
};

/* The defaults of a scenario that does not say. */
void sms__default_unknowns(struct sms__unknowns_ask *ask);
/* `at` is a struct sms__unknowns_ask with its defaults. */
void sms__read_unknowns(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__unknowns_fields[];

enum { SMS__DRAWS_MAX = 10000 };

#endif
