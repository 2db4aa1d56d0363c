/* Fine grained: round robin that skips an SM if any single resource would exceed the limit. It counts FP32 and FP64,
 * DRAM and cache separately.
 *
 * Wins if blocks with different bottlenecks wait for one device, because it puts them together. Fails, like every
 * admission control, if the profiles are wrong. Gains nothing if an oversubscribed resource still delivers its full
 * capacity.
 * Source: "Thread-block scheduling by fine-grained resource utilization" (2022), section II ("FG", the proposal). */
#include <smsched/policy.h>

enum { LIMIT, PATIENCE };

static const struct sms_param params[] = {
    {"limit", SMS_UNIT_RATIO, 0.01, 16, 1.0, "sets the usage up to which a resource is filled, inclusive"},
    {"patience", SMS_UNIT_TIME, 0, SMS_PATIENCE_MAX, SMS_PATIENCE_MAX,
     "sets how long other kernels may overtake a kernel whose block fits nowhere"},
    {0},
};

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    for (size_t r = 0; r < device->resources; r++)
        if (sm->usage[r] + block->adds[r] > sms_parts(param[LIMIT]))
            return (int)r;
    return SMS_ADMIT;
}

static uint64_t patience(const double *param) { return (uint64_t)param[PATIENCE]; }

const struct sms_block_policy sms_block_policy_fine_grained = {
    .name = "fine_grained",
    .help = "goes round robin over SMs on which every single resource stays within the limit",
    .params = params,
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .patience = patience,
    .promises = SMS_PURE | SMS_MONOTONE,
};
