/* Queue disciplines: which kernel offers the next block. For authors of disciplines.
 *
 * A discipline is one file, policies/queue/NAME.c, that ends with
 *
 *     const struct sms_queue_discipline sms_queue_discipline_NAME = { .name = "NAME", ... };
 *
 * The build finds the file, and `queue: NAME` in a scenario selects the discipline. A program may add its own with
 * sms_load_options.
 *
 * A dispatch queue holds the launches of one owner that have blocks waiting. While a launch waits, those of lower
 * priorities wait behind it, whatever the discipline. Among equal priorities the discipline decides three things: the
 * order, how long a turn is, and what happens when a block fits nowhere. */
#ifndef SMSCHED_QUEUE_H
#define SMSCHED_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A launch as it joins its queue. None of this changes while it waits. */
struct sms_queued {
    size_t tenant; /* index of the VM or process */
    const char *tenant_name, *kernel_name;
    uint64_t launch; /* number of the launch on the device, from 1 */
    uint64_t blocks; /* of the grid */
    double block_ps; /* mean time of a block at full speed */
    double priority;
    uint64_t launched_ps; /* on the device's clock */
    uint64_t deadline_ps; /* of the job; UINT64_MAX if it has none */
};

struct sms_queue_discipline {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help; /* one sentence, no full stop */

    /* Returns the rank of a launch, a finite number; lower ranks go first, also before a launch that has begun, whose
     * resident blocks stay. Among equal ranks launches go in the order in which they arrived. NULL: all ranks are
     * equal. Called once for each launch, as it joins its queue: a rank cannot follow the blocks that are left. */
    double (*rank)(const struct sms_queued *launch);

    /* Returns after how many of its blocks the launch's turn ends, at least 1. Then it goes behind the others of its
     * rank. NULL: a turn lasts until all blocks are placed. Called once for each launch. */
    uint64_t (*turn)(const struct sms_queued *launch);

    /* A launch whose block fits nowhere lets the next one offer its block. Otherwise it stops the queue until a block
     * has left an SM. */
    bool passes_over;
};

/* The library's disciplines that block policies bring along (sms_block_policy.queue). */
extern const struct sms_queue_discipline sms_queue_discipline_fifo, sms_queue_discipline_leftover;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
