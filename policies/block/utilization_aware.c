/* Utilization aware: round robin that skips an SM if compute or memory as a whole would exceed the limit. A class is as
 * full as its fullest resource, and a block adds to it its largest demand in the class.
 *
 * Wins over round robin if mixes oversubscribe. Fails if blocks of one class have different bottlenecks, such as FP32
 * and FP64, because it separates blocks that would fit together.
 * Source: "Thread-block scheduling by fine-grained resource utilization" (2022), section II ("UA"). */
#include <smsched/policy.h>

enum { LIMIT, PATIENCE };

static const struct sms_param params[] = {
    {"limit", SMS_UNIT_RATIO, 0.01, 16, 1.0, "sets the usage up to which a class is filled, inclusive"},
    {"patience", SMS_UNIT_TIME, 0, SMS_PATIENCE_MAX, SMS_PATIENCE_MAX,
     "sets how long other kernels may overtake a kernel whose block fits nowhere"},
    {0},
};

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    double usage[] = {[SMS_COMPUTE] = 0, [SMS_MEMORY] = 0}, adds[] = {[SMS_COMPUTE] = 0, [SMS_MEMORY] = 0};
    double limit = sms_parts(param[LIMIT]);
    int fullest[] = {[SMS_COMPUTE] = 0, [SMS_MEMORY] = 0};
    for (size_t r = 0; r < device->resources; r++) {
        enum sms_class cls = device->resource[r].cls;
        adds[cls] = block->adds[r] > adds[cls] ? block->adds[r] : adds[cls];
        fullest[cls] = sm->usage[r] > usage[cls] ? (int)r : fullest[cls];
        usage[cls] = sm->usage[r] > usage[cls] ? sm->usage[r] : usage[cls];
    }
    if (usage[SMS_COMPUTE] + adds[SMS_COMPUTE] > limit)
        return fullest[SMS_COMPUTE];
    return usage[SMS_MEMORY] + adds[SMS_MEMORY] > limit ? fullest[SMS_MEMORY] : SMS_ADMIT;
}

static uint64_t patience(const double *param) { return (uint64_t)param[PATIENCE]; }

const struct sms_block_policy sms_block_policy_utilization_aware = {
    .name = "utilization_aware",
    .help = "goes round robin over SMs whose fullest compute and memory resources stay within the limit",
    .params = params,
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .patience = patience,
    .promises = SMS_PURE | SMS_MONOTONE,
};
