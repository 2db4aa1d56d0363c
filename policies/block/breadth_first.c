/* Breadth first: the emptiest SM, which is the one whose fullest hardware limit or hard resource is least used with
 * the block on it; among equals the lowest SM.
 *
 * Wins for grids smaller than the device, because they spread over all SMs. Fails if large blocks come later and find
 * every SM half full.
 * Source: simtbs (oslab-ewha), policy bfa. */
#include <smsched/policy.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return -sms_share_after(device, sm, block);
}

const struct sms_block_policy sms_block_policy_breadth_first = {
    .name = "breadth_first",
    .help = "takes the SM whose fullest hardware limit is lowest with the block on it",
    .search = SMS_SEARCH_BEST,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE | SMS_LOCAL,
};
