/* mig: instances, each with a mode of its own. */
#include <smsched/mode.h>

const struct sms_sharing_mode sms_sharing_mode_mig = {
    .name = "mig",
    .help = "makes each instance a separate device, whose processes take turns unless `inside` or the instance names "
            "another mode",
    .instances = true,
};
