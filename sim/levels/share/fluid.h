/* Flows that share pools: copies share links, host steps share cores. Rates are max-min fair: no flow gets more than
 * its `most`, no pool gives more than it has, and what one flow leaves, others get (progressive filling; Bertsekas and
 * Gallager, Data Networks, section 6.5.2). */
#ifndef SMS_LEVELS_SHARE_FLUID_H
#define SMS_LEVELS_SHARE_FLUID_H

#include "../../engine/engine.h"

/* Set up by its owner. Rates are in units per ps. */
struct sms__pool {
    double capacity; /* 0: without limit */
    double spread;   /* each further active flow makes all flows of the pool take so much more time */
    double left;     /* scratch, as `open` */
    size_t active, open;
};

enum { SMS__POOLS_OF_FLOW = 2 };

/* Embedded in the caller's state of the copy or step. */
struct sms__flow {
    double left, rate;
    double most;                                /* 0: as much as the pools give */
    struct sms__pool *pool[SMS__POOLS_OF_FLOW]; /* or NULL */
    void (*done)(void *subject, uint64_t now);
    void *subject;
    struct sms__flows *flows; /* while it is under way; else NULL */
    bool stopped;
    struct sms__flow *next, *prev; /* in the order of their start */
};

struct sms__flows {
    struct sms__engine *engine;
    size_t source;
    uint64_t advanced_ps;
    struct sms__flow *first, *last;
};

/* Takes one source of the engine, at the level of links. */
void sms__flows_init(struct sms__flows *flows, struct sms__engine *engine);

/* Starts a flow. `done` is called when `amount` has gone through, at the earliest 1 ps later. That is when a flow that
 * nothing limits ends. */
void sms__flow_start(struct sms__flows *flows, struct sms__flow *flow, double amount, uint64_t now);

/* A stopped flow keeps what it has done. These do nothing to a flow that is not under way. */
void sms__flow_stop(struct sms__flow *flow, uint64_t now);
void sms__flow_resume(struct sms__flow *flow, uint64_t now);
void sms__flow_drop(struct sms__flow *flow, uint64_t now);

/* True if a flow is under way and not stopped. */
bool sms__flows_are_active(const struct sms__flows *flows);

#endif
