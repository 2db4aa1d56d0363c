/* The dispatcher of a device: what a launch costs before its first block may start, and how soon a block may start
 * after the one before. A device without `dispatch:` has neither, and no event of this file. */
#ifndef SMS_LEVELS_BLOCK_DISPATCHER_H
#define SMS_LEVELS_BLOCK_DISPATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sms__blocks;
struct sms__launch;

struct sms__dispatcher {
    uint64_t interval_ps;             /* least time between the starts of two blocks; 0: none */
    uint64_t free_ps;                 /* the next block starts no earlier */
    bool blocked;                     /* in this dispatch a block fits that must wait for the dispatcher */
    struct sms__launch *first, *last; /* launches whose cost is not yet over, the first to be ready first */
    size_t source;                    /* of events */
    uint64_t checked_start_ps;        /* the latest start that check.c has seen */
    bool checked;                     /* there is one */
};

void sms__dispatcher_init(struct sms__blocks *device);
/* Takes a launch. It joins its queue when its cost is over. */
void sms__dispatcher_take(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);
/* Removes a launch whose cost is not yet over. */
void sms__dispatcher_forget(struct sms__blocks *device, struct sms__launch *launch);
/* Sets the next event. Call this at the end of a dispatch. */
void sms__dispatcher_schedule(struct sms__blocks *device);

#endif
