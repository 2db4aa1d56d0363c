/* together: as mps without its limits. */
#include "modes.h"

static const struct sms_param params[] = {SMS__LAUNCH_WAIT, {0}};

static void read(const double *values, struct sms__mode *mode) { mode->launch_wait_ps = values[0]; }

const struct sms__mode_form sms__mode_form_together = {
    .name = "together",
    .help = "kernels of all processes at once",
    .params = params,
    .read = read,
};
