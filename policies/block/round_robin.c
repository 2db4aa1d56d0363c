/* The next SM in the ring that has room takes the next block: only the hardware
 * limits count, so that any other resource may be oversubscribed.
 *
 * Wins when blocks are alike and slow each other no more than they share.
 * Fails when SMs fill up with blocks of one bottleneck.
 * Source: specification 004, section II ("RR"). */
#include <smsched/policy.h>

const struct sms_block_policy sms_block_round_robin = {
    .name = "round_robin",
    .help = "the next SM in the ring within the hardware limits",
    .search = SMS_SEARCH_RING,
};
