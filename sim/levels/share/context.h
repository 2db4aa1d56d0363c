/* A context runs kernels at once: block by block, on an engine of the block level of its own, or coarse ones.
 *
 * Under time slices each process has a context on each instance, whose clock stands still while others have the
 * instance. Otherwise an instance has one context for all processes. Blocks of VMs are on the engine of the run. */
#ifndef SMS_LEVELS_SHARE_CONTEXT_H
#define SMS_LEVELS_SHARE_CONTEXT_H

#include "host.h"

struct sms__context {
    struct sms__instance *instance;
    struct sms__process *owner; /* NULL: all processes of the instance use it */
    bool active;                /* its clock runs */
    uint64_t offset;            /* clock of the run less its own, while it is active */
    size_t kernels;             /* under way */
    size_t source;              /* of the run's engine */
    bool has_blocks;            /* the next two are set up */
    struct sms__engine *engine; /* its own, or the run's */
    struct sms__blocks *blocks;
    struct sms__coarse_kernels coarse;
    struct sms__action flush;
    bool on_hold;                                                /* it drains, and starts nothing */
    struct sms__stream_kernel *held, **last_held;                /* coarse kernels launched meanwhile */
    void (*drained)(struct sms__context *context, uint64_t now); /* nothing runs any more while it is on hold */
    struct sms__context *next, *prev;                            /* in the round of time_slice.c, like the next */
    bool in_round;
    bool stuck;        /* when its latest turn ended, no SM took its blocks, and nothing has changed since */
    bool renewed;      /* it belongs to another process than when it ran last */
    bool leaving;      /* it has been asked to make room, and has not done so yet: */
    uint64_t heeds_ps; /* when it stops to launch kernels */
    uint64_t ahead;    /* kernels that were launched by then, and end first */
};

/* The context of the process on the instance, whether the process is there or not. */
static inline struct sms__context *sms__context_of(const struct sms__instance *instance,
                                                   const struct sms__process *process)
{
    return &instance->context[sms__is_sliced(instance) ? process->idx - instance->first_process : 0];
}

/* Sets up the contexts of an instance. */
void sms__contexts_init(struct sms__instance *instance);
/* Sets up the blocks of VMs, GPU by GPU, so that the order of their events does not depend on who launches first. */
void sms__contexts_begin_blocks(struct sms_share *share);
/* Starts the kernel. Its `ended` is called when it is over. */
void sms__context_launch(struct sms__context *context, struct sms__stream_kernel *kernel, uint64_t now);
/* Adds what is done of a kernel under way to its record (sign 1), or subtracts it (-1), and returns it, in parts. Call
 * it once after each sms__context_advance with `partial`. */
uint64_t sms__context_add_partial(const struct sms__context *context, struct sms__stream_kernel *kernel, int sign,
                                  uint64_t now);
void sms__context_set_active(struct sms__context *context, bool active, uint64_t now);
/* While it is on hold it dispatches no block and starts no coarse kernel. */
void sms__context_hold(struct sms__context *context, bool hold, uint64_t now);
/* Dispatches the blocks that wait, because SMs have been added to those that they may use. */
void sms__context_offer(struct sms__context *context, uint64_t now);
/* True if a block or a coarse kernel runs. */
bool sms__context_runs(const struct sms__context *context);
/* True if a kernel will end some day: not if all there is are blocks that no SM takes. */
bool sms__context_is_under_way(const struct sms__context *context);
/* Advances integrals, as sms__share_advance. */
void sms__context_advance(struct sms__context *context, int partial, uint64_t now);
uint64_t sms__context_events(const struct sms__context *context); /* of its engine */

#endif
