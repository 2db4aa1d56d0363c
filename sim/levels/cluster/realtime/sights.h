/* What has happened on nodes and their monitors have not seen, and how they get to see it. For monitor.c and sights.c
 * alone. */
#ifndef SMS_LEVELS_CLUSTER_REALTIME_SIGHTS_H
#define SMS_LEVELS_CLUSTER_REALTIME_SIGHTS_H

#include "table.h"

#include <gsl/gsl_rng.h>

enum sms__sight_kind { SMS__SIGHT_CREATED, SMS__SIGHT_BEGAN, SMS__SIGHT_ENDED, SMS__SIGHT_REMOVED };

/* What has happened and has not been seen. */
struct sms__sight {
    struct sms__sight *next;
    uint64_t at; /* calibrated: when it is seen; cycle: when it happened */
    enum sms__sight_kind kind;
    struct sms__watched *watched;
    uint64_t task;
};

struct sms__worker {
    struct sms__sight *first, *last; /* by `at`, of equal ones in the order of the calls */
    uint64_t sample_ps;              /* cycle: of the next that is not published */
    uint64_t containers;             /* in the list of containers as last seen */
    uint64_t since_ps;               /* it runs; UINT64_MAX: it does not */
    struct sms__task_table table;
};

struct sms__monitor {
    const struct sms__monitor_rules *rules;
    struct sms__arena *arena;
    struct sms__monitor_record *record;
    uint64_t seed;
    struct sms__worker *worker; /* [nodes] */
    size_t nodes;
    struct sms__watched **watched; /* [containers]; NULL: on no node */
    gsl_rng **delays;              /* [containers]; calibrated: drawn from; NULL before */
    struct sms__task_pool pool;
    struct sms__sight *old; /* to use again */
};

static inline bool sms__in_cycles(const struct sms__monitor *monitor)
{
    return monitor->rules->model == SMS__MONITOR_CYCLE;
}

/* A cycle: the device is queried, then containers are listed, then the processes of each. */
uint64_t sms__period_ps(const struct sms__monitor *monitor, uint64_t containers);
/* The node sees what it sees until now. */
void sms__catch_up(struct sms__monitor *monitor, size_t node, uint64_t now);
/* To be used again. */
void sms__keep_sight(struct sms__monitor *monitor, struct sms__sight *sight);

#endif
