/* together: as mps without its limits. */
#include <smsched/mode.h>

static const struct sms_param params[] = {SMS_MODE_LAUNCH_WAIT, {0}};

const struct sms_sharing_mode sms_sharing_mode_together = {
    .name = "together",
    .help = "runs kernels of all processes at the same time",
    .params = params,
};
