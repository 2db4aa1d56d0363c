/* Flows that share pools: copies share links, host steps share cores. */
#ifndef SMS_LEVELS_SHARE_POOL_H
#define SMS_LEVELS_SHARE_POOL_H

#include "../filling.h"
#include "fluid.h"

enum { SMS__POOLS_OF_FLOW = 2 };

/* Set up by its owner. Rates are in units per ps. */
struct sms__pooled_flow {
    struct sms__flow flow; /* the first member */
    double most;           /* 0: as much as the pools give */
    double
        spread; /* each further flow of its first pool makes all of them take so much more time; not of a stopped one */
    struct sms__pool *pool[SMS__POOLS_OF_FLOW]; /* or NULL */
    struct sms__user user;                      /* scratch */
};

/* All flows of the fluid are to be of the kind above, and no others may use their pools. Takes one source of the
 * engine, at this level. */
void sms__pooled_flows_init(struct sms__fluid *fluid, struct sms__engine *engine, enum sms__level level);

#endif
