/* two_classes: a mode in one file, which test_added_mode adds. Processes of a priority above 0 run on one part of the
 * SMs, the others on the rest. */
#include <smsched/mode.h>

enum { HIGH, LAUNCH_WAIT };

static const struct sms_param params[] = {
    {"high", SMS_UNIT_RATIO, 0.01, 0.99, 0.5, "part of the high class"},
    SMS_MODE_LAUNCH_WAIT,
    {0},
};

static uint64_t sms(const double *param, const struct sms_device_view *device, const struct sms_mode_process *process)
{
    return (uint64_t)((process->priority > 0 ? param[HIGH] : 1 - param[HIGH]) * (double)device->sms);
}

extern const struct sms_sharing_mode sms_sharing_mode_two_classes;
const struct sms_sharing_mode sms_sharing_mode_two_classes = {
    .name = "two_classes",
    .help = "runs kernels of all processes at the same time, each on the part of its class",
    .params = params,
    .sms = sms,
};
