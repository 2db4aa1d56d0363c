/* The dispatcher of a device: what a launch costs before its first block may start, how soon a block may start after
 * the one before, and how many grids the device has at once. A device without `dispatch:` has neither cost, and no
 * event of this file unless a kernel has a `launch` of its own. */
#ifndef SMS_LEVELS_BLOCK_DISPATCHER_H
#define SMS_LEVELS_BLOCK_DISPATCHER_H

#include "launch.h"

struct sms__blocks;

struct sms__dispatcher {
    uint64_t interval_ps;            /* least time between the starts of two blocks; 0: none */
    uint64_t free_ps;                /* the next block starts no earlier */
    bool blocked;                    /* in this dispatch a block fits that must wait for the dispatcher */
    struct sms__launch_list costing; /* launches whose cost is not yet over, the first to be ready first */
    struct sms__launch_list held;    /* launches for whose grids there is no room, the first to be let in first */
    size_t grids, held_back;         /* that the device has; launches held */
    uint64_t next_ps;                /* time of the next event; SMS__NEVER: there is none */
    size_t source;                   /* of these events, in the reference engine */
    uint64_t checked_start_ps;       /* the latest start that check.c has seen */
    bool checked;                    /* there is one */
};

void sms__dispatcher_init(struct sms__blocks *device);
/* Takes a launch. It joins its queue when its cost is over and the device has room for its grid. */
void sms__dispatcher_take(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);
/* Removes a launch that has ended. */
void sms__dispatcher_forget(struct sms__blocks *device, struct sms__launch *launch);
/* Lets in launches that were held back, as far as there is room. Call this at the beginning of a dispatch. */
void sms__dispatcher_admit(struct sms__blocks *device, uint64_t now);
/* Launches are ready, or a block may start. */
void sms__dispatcher_fire(void *device, uint64_t now);
/* Sets the next event. Call this at the end of a dispatch. */
void sms__dispatcher_schedule(struct sms__blocks *device);

#endif
