/* Two classes: processes of a priority above 0 run on one part of the SMs, the others on the rest. A mode says how
 * processes share a device: how many there may be, on how many SMs each, and whether they take turns. With several
 * processes in a class the parts overlap; a share policy keeps them apart (sms_share_use_sms). */
#include <smsched/plugin.h>

enum { HIGH, LAUNCH_WAIT };

static const struct sms_param params[] = {
    {"high", SMS_UNIT_RATIO, 0.05, 0.95, 0.75, "part of the SMs that the high class has", NULL},
    SMS_MODE_LAUNCH_WAIT,
    {0},
};

static uint64_t sms(const double *param, const struct sms_device_view *device, const struct sms_mode_process *process)
{
    const uint64_t high = (uint64_t)(param[HIGH] * (double)device->sms + 0.5);
    return process->priority > 0 ? high : device->sms - high;
}

static const struct sms_sharing_mode mode = {
    .name = "@NAME@",
    .help = "runs kernels of all processes at the same time, each on the part of its class",
    .params = params,
    .sms = sms,
};

SMS_PLUGIN(.mode = {&mode});
