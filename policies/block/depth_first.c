/* Depth first: the fullest SM that still has room, which is best fit by hardware limits and hard resources;
 * among equals the lowest SM.
 *
 * Wins if large blocks need empty SMs. Fails on throughput for anything that contends, because it puts blocks together
 * that could be apart.
 * Source: simtbs (oslab-ewha), policy dfa. */
#include <smsched/policy.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return sms_share_after(device, sm, block);
}

const struct sms_block_policy sms_block_policy_depth_first = {
    .name = "depth_first",
    .help = "takes the SM whose fullest hardware limit is highest with the block on it",
    .search = SMS_SEARCH_BEST,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE | SMS_LOCAL,
};
