/* Flows that share pools: copies share links, host steps share cores. Rates are max-min fair: no flow gets more than
 * its `most`, no pool gives more than it has, and what one flow leaves, others get (progressive filling; Bertsekas and
 * Gallager, Data Networks, section 6.5.2). */
#ifndef SMS_LEVELS_SHARE_POOL_H
#define SMS_LEVELS_SHARE_POOL_H

#include "fluid.h"

/* Set up by its owner. Rates are in units per ps. */
struct sms__pool {
    double capacity;     /* 0: without limit */
    double spread;       /* each further active flow makes all flows of the pool take so much more time */
    double left;         /* scratch, like the next two */
    size_t active, open; /* flows: not stopped; without a rate yet */
};

enum { SMS__POOLS_OF_FLOW = 2 };

struct sms__pooled_flow {
    struct sms__flow flow;                      /* the first member */
    double most;                                /* 0: as much as the pools give */
    struct sms__pool *pool[SMS__POOLS_OF_FLOW]; /* or NULL */
};

/* All flows of the fluid are to be of the kind above, and no others may use their pools. Takes one source of the
 * engine, at this level. */
void sms__pooled_flows_init(struct sms__fluid *fluid, struct sms__engine *engine, enum sms__level level);

#endif
