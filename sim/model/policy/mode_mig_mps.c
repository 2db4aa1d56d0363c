/* mig_mps: an MPS server in each instance, so that kernels of its processes run at once. */
#include "modes.h"

const struct sms__mode_form sms__mode_form_mig_mps = {
    .name = "mig_mps",
    .help = "each instance is a device of its own; kernels of its processes run at once, as under mps",
    .params = sms__mps_params,
    .read = sms__read_mps,
    .instances = true,
    .most_processes = sms__most_clients,
    .sms = sms__active_threads,
};
