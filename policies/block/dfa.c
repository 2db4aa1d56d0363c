/* Depth first as in simtbs: kernels in launch order, each block on the SM whose fullest hard resource is most used with
 * the block on it; among equals the lowest SM. If no resource is hard, the hardware limits decide.
 *
 * Wins if large blocks need empty SMs. Fails on throughput for anything that contends.
 * Source: simtbs (oslab-ewha), policy dfa (docs/evidence/simtbs.md). */
#include <smsched/policy.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    double fullest = 0;
    bool any = false;
    (void)param;
    for (size_t r = 0; r < device->resources; r++) {
        double after = device->resource[r].hard ? (sm->usage[r] + block->adds[r]) / SMS_FULL : 0;
        any |= device->resource[r].hard;
        fullest = after > fullest ? after : fullest;
    }
    return (any ? fullest : sms_share_after(device, sm, block));
}

const struct sms_block_policy sms_block_dfa = {
    .name = "dfa",
    .help = "simtbs: the SM whose hard resources are most used with the block on it, kernels in launch order",
    .search = SMS_SEARCH_BEST,
    .queue = &sms_queue_fifo,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE,
};
