/* Affinity: of the SMs with room, the one that already runs the most blocks of the same launch; otherwise the one with
 * the most room.
 *
 * Wins if neighbouring blocks share data in the L1 cache. No contention model here rewards that, so the policy shows
 * what such a placement costs. Fails as depth_first does.
 * Source: block-pair scheduling of CTAs that share data, Lee et al. (HPCA 2014). */
#include <smsched/policy.h>

/* The room is at most 2^32 blocks, so any resident block of the launch outweighs it. */
static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return 4294967296.0 * (double)block->resident_here + sms_room(device, sm, block);
}

const struct sms_block_policy sms_block_policy_affinity = {
    .name = "affinity",
    .help = "takes the SM with the most blocks of the same launch, otherwise the one with the most room",
    .search = SMS_SEARCH_BEST,
    .score = score,
};
