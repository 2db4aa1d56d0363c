/* The policy of simtbs that looks at classes: kernels in launch order, round robin over SMs on which each class stays
 * within the limit. A class counts as its fullest resource plus the block's largest demand in the class.
 *
 * Wins and fails as utilization_aware does. Its default limit of 150 % admits blocks that contend.
 * Source: simtbs (oslab-ewha), policy smk (docs/evidence/simtbs.md). */
#include <smsched/policy.h>

enum { LIMIT };

static const struct sms_param params[] = {
    {"limit", SMS_UNIT_RATIO, 0.01, 16, 1.5, "usage up to which a class is filled, inclusive"},
    {0},
};

/* Returns the fullest resource of the class if its usage plus the block's largest demand exceeds the limit. */
static int refusing_resource(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                             const struct sms_block_request *block, enum sms_class cls)
{
    double usage = 0, adds = 0;
    int fullest = 0;
    for (size_t r = 0; r < device->resources; r++) {
        if (device->resource[r].cls != cls || device->resource[r].scope != SMS_SCOPE_SM)
            continue;
        if (block->adds[r] > adds)
            adds = block->adds[r];
        if (sm->usage[r] > usage) {
            usage = sm->usage[r];
            fullest = (int)r;
        }
    }
    return usage + adds > sms_parts(param[LIMIT]) ? fullest : SMS_ADMIT;
}

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    int refusing = refusing_resource(param, device, sm, block, SMS_COMPUTE);
    return refusing != SMS_ADMIT ? refusing : refusing_resource(param, device, sm, block, SMS_MEMORY);
}

const struct sms_block_policy sms_block_smk = {
    .name = "smk",
    .help = "simtbs: round robin over SMs where classes stay within the limit, kernels in launch order",
    .params = params,
    .search = SMS_SEARCH_RING,
    .queue = &sms_queue_fifo,
    .admits = admits,
    .promises = SMS_PURE | SMS_MONOTONE,
};
