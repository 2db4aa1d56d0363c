/* The block level: the SMs of one device, the blocks on them, and the kernels whose blocks wait. This header is all
 * that other levels need.
 *
 * Blocks of one shape on one SM form a group. All blocks of a group run at one speed, so the group has a clock that
 * counts the work done per block, and each block ends at a fixed reading of that clock. When speeds change, only the
 * groups' clocks change, never the blocks. A clock is brought up to date only when its speed changes, so its reading
 * does not depend on who reads it, or when.
 *
 * reference.c computes the same in the simplest way. All other code is tested against it, bit by bit. */
#ifndef SMS_LEVELS_BLOCK_BLOCK_H
#define SMS_LEVELS_BLOCK_BLOCK_H

#include "../../engine/engine.h"
#include "../run_observer.h"
#include "launch.h"

/* What a device needs from its level. Everything must outlive the device. */
struct sms__blocks_setup {
    struct sms__engine *engine;
    const struct sms__device *model;
    const struct sms__policy_use *policy;
    const struct sms_contention *contention;
    struct sms_contention_view contention_view;
    struct sms__device_record *record;
    struct sms__record *run;
    const struct sms_run_options *options;
    struct sms__run_observer *observer; /* or NULL */
    size_t idx, first_sm;               /* index of the device; index of its first SM among all SMs of the run */
    /* The kernel types of the run as they are on this device, indexed by pairs of VM and kernel; NULL for types that do
     * not run here. The array may be freed once the device is made. */
    const struct sms__footprint *const *kernel_type;
    size_t kernel_types;
    /* [kernel_types], each may be NULL; NULL: every kernel may use all SMs. */
    const struct sms__allowed *const *allowed;
    size_t tenants; /* for policies */
    bool apart;     /* each has SMs of its own, so the policy sees it alone */
    size_t owners;  /* of launches, each with a dispatch queue; 0: one queue for all */
    const struct sms_queue_discipline *discipline;
    size_t max_clocks; /* sets of resources of scope device that kernels may demand */
    bool device_scope; /* some kernel or background demands a resource of scope device */
};

/* Makes the state of a device. It lives in the arena. */
struct sms__blocks *sms__blocks_new(struct sms__arena *arena, const struct sms__blocks_setup *setup);
/* The least bytes that it takes. */
size_t sms__blocks_bytes(const struct sms__device *model);
const struct sms__blocks_setup *sms__blocks_setup(const struct sms__blocks *device);

/* Call this when the SMs allowed to kernels of this type have changed. Blocks of such kernels that run elsewhere go on.
 * If some have become allowed while blocks wait, call sms__blocks_hold, which dispatches them. */
void sms__blocks_update_allowed(struct sms__blocks *device, size_t kernel_type);

/* Adds a kernel to its queue. Its blocks are dispatched at the end of this instant. */
void sms__blocks_launch(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);

/* Advances the integrals of the SMs and the device to `now`. */
void sms__blocks_integrate(struct sms__blocks *device, uint64_t now);

/* Adds the work of blocks under way to their kernels' records (sign 1), or subtracts it (-1). */
void sms__blocks_add_partial(struct sms__blocks *device, int sign, uint64_t now);

/* Adds what is done of a kernel under way to its record (sign 1), or subtracts it (-1), and returns it, in parts. Call
 * it once after each sms__blocks_add_partial. */
uint64_t sms__launch_add_partial(struct sms__launch *launch, int sign);

/* Stops the dispatch of blocks, or starts it again. */
void sms__blocks_hold(struct sms__blocks *device, bool hold);

/* True if a block is on some SM. */
bool sms__blocks_busy(const struct sms__blocks *device);
/* Returns how many launches have blocks that wait, or wait for room for their grids. */
size_t sms__blocks_waiting(const struct sms__blocks *device);
/* True if blocks of the launch wait in a queue, and the policy would refuse one on each SM that it may use, if that
 * were empty. */
bool sms__blocks_refuse(const struct sms__blocks *device, const struct sms__launch *launch);

#endif
