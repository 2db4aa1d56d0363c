/* two_classes: a mode in one file, which test_added_mode adds. Processes of a priority above 0 run on one part of the
 * SMs, the others on the rest. */
#include "sim/model/policy/modes.h"
#include "sim/model/tenant.h"

enum { HIGH, LAUNCH_WAIT };

static const struct sms_param params[] = {
    {"high", SMS_UNIT_RATIO, 0.01, 0.99, 0.5, "part of the high class"},
    SMS__LAUNCH_WAIT,
    {0},
};

static void read(const double *values, struct sms__mode *mode) { mode->launch_wait_ps = values[LAUNCH_WAIT]; }

static uint64_t sms(const struct sms__mode *mode, const struct sms__device *device, const struct sms__tenant *process)
{
    double part = process->priority > 0 ? mode->param[HIGH] : 1 - mode->param[HIGH];
    return (uint64_t)(part * (double)device->sms);
}

extern const struct sms__mode_form sms__mode_form_two_classes;
const struct sms__mode_form sms__mode_form_two_classes = {
    .name = "two_classes",
    .help = "kernels of all processes at once, each on the part of its class",
    .params = params,
    .read = read,
    .sms = sms,
};
