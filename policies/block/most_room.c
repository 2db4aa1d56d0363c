/* The SM that could hold the most further blocks of the same kernel, by its free
 * threads, warps, registers, shared memory and block slots; of equal ones the
 * lowest.
 *
 * Wins where breadth_first does, and sees the limit that binds for this kernel.
 * Fails, as it does, to look at anything but the hardware limits.
 * Source: what Gilman et al. (PER 2020) found NVIDIA's block scheduler to do. */
#include <smsched/policy.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return sms_room(device, sm, block);
}

const struct sms_block_policy sms_block_most_room = {
    .name = "most_room",
    .help = "the SM with room for the most further blocks of the kernel",
    .search = SMS_SEARCH_BEST,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE,
};
