/* mig: instances, each with a mode of its own. */
#include <smsched/mode.h>

const struct sms_sharing_mode sms_sharing_mode_mig = {
    .name = "mig",
    .help = "each instance is a device of its own; processes in it take turns, or what `inside` or the instance says",
    .instances = true,
};
