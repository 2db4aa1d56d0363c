/* Flows: work that goes on at rates. Rates change only when a flow starts, stops, resumes or ends; the owner of the
 * flows says what they are then. Copies and host steps are flows (transfer.c), and so are coarse kernels
 * (coarse_kernel.h).
 *
 * A fluid is even while all its flows are alike and so have one rate, as copies over one link. Then it has a clock,
 * which counts the units that each has done; a flow ends at a reading of it, and no change looks at all of them. */
#ifndef SMS_LEVELS_SHARE_FLUID_H
#define SMS_LEVELS_SHARE_FLUID_H

#include "../../engine/engine.h"

/* Embedded in the owner's state of the work. */
struct sms__flow {
    double left; /* units; in an even fluid, the reading of its clock at which it ends */
    double rate; /* units per ps; INFINITY: it ends at once, 1 ps later; unused in an even fluid */
    bool stopped;
    void (*done)(void *subject, uint64_t now);
    void *subject;
    struct sms__fluid *fluid;      /* while it is under way; else NULL */
    struct sms__flow *next, *prev; /* in the order of their start, in an even fluid of their ends */
};

struct sms__fluid {
    struct sms__engine *engine;
    size_t source;                               /* its handler calls sms__fluid_fire */
    void (*set_rates)(struct sms__fluid *fluid); /* of all its flows */
    /* Whether the two are alike, and the rate of each of the fluid's flows if all are. NULL: it is never even. */
    bool (*is_like)(const struct sms__flow *a, const struct sms__flow *b);
    double (*rate_each)(const struct sms__fluid *fluid);
    bool even;
    double clock, rate;   /* if it is even */
    bool active;          /* false: all flows stand still, and keep their rates; not of one that may be even */
    uint64_t advanced_ps; /* time up to which flows are advanced */
    uint64_t active_ps;   /* time for which it was active until then */
    uint64_t changes;     /* so often a flow came, went, stopped or resumed */
    size_t count;
    struct sms__flow *first, *last;
};

/* Starts a flow. `done` is called when `amount` has gone through, at the earliest 1 ps later. */
void sms__flow_start(struct sms__fluid *fluid, struct sms__flow *flow, double amount, uint64_t now);
/* A stopped flow keeps what it has done. The next two do nothing to a flow that is not under way. */
void sms__flow_set_stopped(struct sms__flow *flow, bool stopped, uint64_t now);
void sms__flow_drop(struct sms__flow *flow, uint64_t now);
void sms__fluid_set_active(struct sms__fluid *fluid, bool active, uint64_t now);
/* Its rates have become others for a reason of their owner's. */
void sms__fluid_change(struct sms__fluid *fluid, uint64_t now);
/* Ends the flows that end now. */
void sms__fluid_fire(void *fluid, uint64_t now);
/* True if a flow is under way and not stopped. */
bool sms__fluid_is_busy(const struct sms__fluid *fluid);

#endif
