/* The SM with the most free threads. A block policy says on which SM the next block goes. */
#include <smsched/plugin.h>

static double score(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)param, (void)block;
    return (double)(device->capacity[SMS_THREADS] - sm->used[SMS_THREADS]);
}

static const struct sms_block_policy policy = {
    .name = "@NAME@",
    .help = "takes the SM with the most free threads",
    .search = SMS_SEARCH_BEST,
    .score = score,
    .promises = SMS_PURE | SMS_MONOTONE | SMS_LOCAL, /* what the score looks at, and what not: smsched/policy.h */
};

SMS_PLUGIN(.block = {&policy});
