/* Events on nodes that their monitors are still to observe. For monitor.c and observations.c alone. */
#ifndef SMS_GUESTS_REALTIME_OBSERVATIONS_H
#define SMS_GUESTS_REALTIME_OBSERVATIONS_H

#include "../../engine/engine.h"
#include "table.h"

#include <gsl/gsl_rng.h>

enum sms__observation_kind { SMS__OBSERVED_CREATED, SMS__OBSERVED_BEGAN, SMS__OBSERVED_ENDED, SMS__OBSERVED_REMOVED };

/* An event that its node has not observed yet. */
struct sms__observation {
    struct sms__observation *next;
    uint64_t at; /* calibrated: when it is observed; cycle: when it happened */
    enum sms__observation_kind kind;
    struct sms__monitored_pod *pod;
    uint64_t task;
};

struct sms__worker {
    struct sms__observation *first, *last; /* by `at`, of equal ones in the order of the calls */
    uint64_t sample_ps;                    /* cycle: the time of the next sample that is not published */
    uint64_t containers;                   /* in the list of containers as last observed */
    struct sms__task_table table;
};

struct sms__monitor {
    const struct sms__monitor_rules *rules;
    struct sms__arena *arena;
    struct sms__monitor_record *record;
    uint64_t seed;
    struct sms__worker *worker; /* [nodes] */
    size_t nodes;
    struct sms__monitored_pod **pod; /* [containers]; NULL: on no node */
    gsl_rng **delays;                /* [containers]; calibrated: streams of delays; NULL: none yet */
    struct sms__task_pool pool;
    struct sms__observation *unused; /* for reuse */
    size_t expected;                 /* observations to be made, of all nodes */
};

static inline bool sms__monitors_in_cycles(const struct sms__monitor *monitor)
{
    return monitor->rules->model == SMS__MONITOR_CYCLE;
}

/* The length of a cycle: the device is queried, then containers are listed, then the processes of each. */
uint64_t sms__monitor_period_ps(const struct sms__monitor *monitor, uint64_t containers);
/* The node observes all that it observes up to now. */
void sms__monitor_catch_up(struct sms__monitor *monitor, size_t node, uint64_t now);

#endif
