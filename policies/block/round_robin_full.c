/* Round robin that fills: it fills an SM up to its hardware limits before it moves to the next in the ring.
 *
 * Wins if few SMs are enough and the others could sleep. Fails on throughput, because the blocks of a small grid crowd
 * on few SMs while others stay idle.
 * Source: simtbs (oslab-ewha), policy rrf. */
#include <smsched/policy.h>

const struct sms_block_policy sms_block_policy_round_robin_full = {
    .name = "round_robin_full",
    .help = "fills one SM, then the next in the ring",
    .search = SMS_SEARCH_STAY,
};
