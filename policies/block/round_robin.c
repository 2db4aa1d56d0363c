/* Round robin: the next SM in the ring that has room takes the next block. Only the hardware limits count, so any other
 * resource may be oversubscribed.
 *
 * Wins if blocks are alike and an oversubscribed resource still delivers its full capacity. Fails if SMs fill up with
 * blocks that have the same bottleneck.
 * Source: "Thread-block scheduling by fine-grained resource utilization" (2022), section II ("RR"). */
#include <smsched/policy.h>

const struct sms_block_policy sms_block_policy_round_robin = {
    .name = "round_robin",
    .help = "takes the next SM in the ring on which the block is within the hardware limits",
    .search = SMS_SEARCH_RING,
};
