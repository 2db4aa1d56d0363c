/* Fills an SM up to its hardware limits before it goes on to the next in the ring.
 *
 * Wins when few SMs are enough and others could sleep. Fails on throughput: the
 * blocks of a small grid crowd on few SMs while others stand idle.
 * Source: simtbs (oslab-ewha), policy rrf. */
#include <smsched/policy.h>

const struct sms_block_policy sms_block_round_robin_full = {
    .name = "round_robin_full",
    .help = "one SM until it is full, then the next in the ring",
    .search = SMS_SEARCH_STAY,
};
