/* The fine-grained policy of simtbs: kernels in launch order, round robin over SMs on which every single resource of
 * scope sm stays within the limit.
 *
 * Wins where fine_grained does. Its default limit of 150 % admits blocks that contend.
 * Source: simtbs (oslab-ewha), policy fua (docs/evidence/simtbs.md). */
#include <smsched/policy.h>

enum { LIMIT };

static const struct sms_param params[] = {
    {"limit", SMS_UNIT_RATIO, 0.01, 16, 1.5, "usage up to which a resource is filled, inclusive"},
    {0},
};

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    for (size_t r = 0; r < device->resources; r++)
        if (device->resource[r].scope == SMS_SCOPE_SM && sm->usage[r] + block->adds[r] > sms_parts(param[LIMIT]))
            return (int)r;
    return SMS_ADMIT;
}

const struct sms_block_policy sms_block_fua = {
    .name = "fua",
    .help = "simtbs: round robin over SMs where every resource stays within the limit, kernels in launch order",
    .params = params,
    .search = SMS_SEARCH_RING,
    .queue = &sms_queue_fifo,
    .admits = admits,
    .promises = SMS_PURE | SMS_MONOTONE,
};
