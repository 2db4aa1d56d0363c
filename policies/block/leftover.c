/* Leftover, as NVIDIA's hardware does it: kernels in launch order. A later kernel gets blocks placed only when no
 * earlier one has blocks left to place. Each block goes to the SM with the most room. The policy has its own queue
 * discipline; the scenario's does not apply.
 *
 * Wins by simplicity: it never starves the first kernel and needs no state. Fails to overlap kernels larger than the
 * device, except in their last wave.
 * Source: Xu et al. (ISCA 2016) and Gilman et al. (PER 2020). */
#include <smsched/policy.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param;
    return sms_room(device, sm, block);
}

const struct sms_block_policy sms_block_policy_leftover = {
    .name = "leftover",
    .help = "serves kernels in launch order, each on the SMs with the most room that earlier kernels leave",
    .search = SMS_SEARCH_BEST,
    .queue = &sms_queue_discipline_leftover,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE | SMS_LOCAL,
};
