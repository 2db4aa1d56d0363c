/* Utilization aware: round robin that skips an SM if compute or memory as a whole would exceed the limit. A class is as
 * full as its fullest resource, and a block adds to it its largest demand in the class.
 *
 * Wins over round robin if mixes oversubscribe. Fails if blocks of one class have different bottlenecks, such as FP32
 * and FP64, because it separates blocks that would fit together.
 * Source: specification 004, section II ("UA"). */
#include <smsched/policy.h>

enum { LIMIT, PATIENCE };

static const struct sms_param params[] = {
    {"limit", SMS_UNIT_RATIO, 0.01, 16, 1.0, "usage up to which a class is filled, inclusive"},
    {"patience", SMS_UNIT_TIME, 0, SMS_PATIENCE_MAX, SMS_PATIENCE_MAX,
     "time for which others may overtake a kernel whose block fits nowhere"},
    {0},
};

/* Returns the fullest resource of the class if its usage plus the block's largest demand exceeds the limit. */
static int refusing_resource(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                             const struct sms_block_request *block, enum sms_class cls)
{
    double usage = 0, adds = 0;
    int fullest = 0;
    for (size_t r = 0; r < device->resources; r++) {
        if (device->resource[r].cls != cls)
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

static uint64_t patience(const double *param) { return (uint64_t)param[PATIENCE]; }

const struct sms_block_policy sms_block_utilization_aware = {
    .name = "utilization_aware",
    .help = "round robin over SMs whose fullest compute and memory resources stay within the limit",
    .params = params,
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .patience = patience,
    .promises = SMS_PURE | SMS_MONOTONE,
};
