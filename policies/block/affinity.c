/* The SM that runs most blocks of the same launch already, if it has room; else the one with most room.
 *
 * Wins where neighbouring blocks share what the L1 cache holds, which no contention
 * model here rewards: it shows what such a placement costs. Fails as depth_first does.
 * Source: block-pair scheduling of CTAs that share data, Lee et al. (HPCA 2014). */
#include <smsched/policy.h>

/* Room is at most 2^32 blocks: any resident of the launch outweighs it. */
static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return 4294967296.0 * (double)block->resident_here + sms_room(device, sm, block);
}

const struct sms_block_policy sms_block_affinity = {
    .name = "affinity",
    .help = "the SM with most blocks of the same launch, else the one with most room",
    .search = SMS_SEARCH_BEST,
    .score = score,
};
