/* Most room: the SM that could hold the most further blocks of the same kernel, by its free threads, warps, registers,
 * shared memory and block slots; among equals the lowest SM.
 *
 * Wins where breadth_first does, and sees the limit that binds for this kernel. Like breadth_first, it ignores
 * everything but the hardware limits.
 * Source: NVIDIA's block scheduler as Gilman et al. (PER 2020) observed it. */
#include <smsched/policy.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return sms_room(device, sm, block);
}

const struct sms_block_policy sms_block_policy_most_room = {
    .name = "most_room",
    .help = "takes the SM with room for the most additional blocks of the kernel",
    .search = SMS_SEARCH_BEST,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE | SMS_LOCAL,
};
