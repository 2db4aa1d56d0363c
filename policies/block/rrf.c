/* Round robin that fills, as in simtbs: kernels in launch order, one SM until it is full, then the next in the ring.
 *
 * Wins and fails as round_robin_full does. In addition, a large block at the head holds up all others.
 * Source: simtbs (oslab-ewha), policy rrf (docs/evidence/simtbs.md). */
#include <smsched/policy.h>

const struct sms_block_policy sms_block_rrf = {
    .name = "rrf",
    .help = "simtbs: one SM until it is full, then the next, kernels in launch order",
    .search = SMS_SEARCH_STAY,
    .queue = &sms_queue_fifo,
};
