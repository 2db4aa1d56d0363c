/* Things that go on at the same time and share what carries them: copies share links, host steps share cores.
 * Rates are max-min fair: nobody gets more than it can take (`most`), no pool gives more than it has, and what one
 * leaves, others get (progressive filling; Bertsekas and Gallager, Data Networks, section 6.5.2). */
#ifndef SMS_LEVELS_FLOW_H
#define SMS_LEVELS_FLOW_H

#include "../../engine/engine.h"

/* What flows share; all members are units per ps. Set up by its owner. */
struct sms__pool {
    double capacity; /* 0: without limit */
    double spread;   /* each further flow that goes on makes all of the pool's take so much more time */
    double left;     /* scratch, as `open` */
    size_t going, open;
};

enum { SMS__POOLS_OF_FLOW = 2 };

/* Embedded in whoever copies or computes. */
struct sms__flow {
    double left, rate;
    double most;                                /* units per ps; 0: as much as the pools give */
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
    uint64_t settled_ps;
    struct sms__flow *first, *last;
};

/* Takes one source of the engine, at the level of links. */
void sms__flows_init(struct sms__flows *flows, struct sms__engine *engine);

/* Starts it; `done` is called when `amount` is through, at the earliest 1 ps later. A flow that nothing limits
 * ends at once, that is 1 ps later. */
void sms__flow_start(struct sms__flows *flows, struct sms__flow *flow, double amount, uint64_t now);

/* A stopped flow keeps what it has done. These do nothing to a flow that is not under way. */
void sms__flow_stop(struct sms__flow *flow, uint64_t now);
void sms__flow_go(struct sms__flow *flow, uint64_t now);
void sms__flow_drop(struct sms__flow *flow, uint64_t now);

/* Whether any of them goes on. */
bool sms__flows_go(const struct sms__flows *flows);

#endif
