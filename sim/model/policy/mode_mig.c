/* mig: contexts take turns on each instance. */
#include "modes.h"

const struct sms__mode_form sms__mode_form_mig = {
    .name = "mig",
    .help = "each instance is a device of its own; processes in it take turns",
    .params = sms__slice_params,
    .read = sms__read_slices,
    .instances = true,
    .slices = true,
};
