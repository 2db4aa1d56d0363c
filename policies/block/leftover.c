/* What NVIDIA's hardware does: kernels in launch order, a later one gets blocks
 * placed only when no earlier one has a block left to place, and takes the SM with
 * most room. It brings its queue discipline along: the scenario's does not apply.
 *
 * Wins in simplicity: no starvation of the first, no state. Fails to overlap
 * kernels larger than the device by more than their last wave.
 * Source: Xu et al. (ISCA 2016) and Gilman et al. (PER 2020). */
#include <smsched/policy.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return sms_room(device, sm, block);
}

const struct sms_block_policy sms_block_leftover = {
    .name = "leftover",
    .help = "kernels in launch order, each on the SMs with most room that earlier ones leave",
    .search = SMS_SEARCH_BEST,
    .queue = SMS_QUEUE_FIFO,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE,
};
