/* Round robin as in simtbs: kernels in launch order; the next SM in the ring with room takes the next block. Under
 * `compat: simtbs` the ring stops at an SM that is full.
 *
 * Wins and fails as round_robin does. In addition, a large block at the head holds up all others.
 * Source: simtbs (oslab-ewha), policy rr (docs/evidence/simtbs.md). */
#include <smsched/policy.h>

const struct sms_block_policy sms_block_rr = {
    .name = "rr",
    .help = "simtbs: the next SM in the ring with room, kernels in launch order",
    .search = SMS_SEARCH_RING,
    .queue = &sms_queue_fifo,
};
