/* mig: instances, each with a mode of its own. */
#include "modes.h"

const struct sms__mode_form sms__mode_form_mig = {
    .name = "mig",
    .help = "each instance is a device of its own; processes in it take turns, or what `inside` or the instance says",
    .instances = true,
};
