/* mps: kernels of all processes run at once, those of each on its part of the SMs. */
#include "../tenant.h"
#include "modes.h"

enum { CLIENTS, GRANULE, LAUNCH_WAIT };

const struct sms_param sms__mps_params[] = {
    {"clients", SMS_UNIT_COUNT, 1, 1024, 48, "processes on a device at most"},
    {"granule", SMS_UNIT_COUNT, 1, 1024, 1, "SMs of active_threads are a multiple of it"},
    SMS__LAUNCH_WAIT,
    {0},
};

void sms__read_mps(const double *values, struct sms__mode *mode)
{
    mode->clients = (uint64_t)values[CLIENTS];
    mode->granule = (uint64_t)values[GRANULE];
    mode->launch_wait_ps = values[LAUNCH_WAIT];
}

uint64_t sms__most_clients(const struct sms__mode *mode) { return mode->clients; }

double sms__active_threads(const struct sms__mode *mode, const struct sms__tenant *process)
{
    (void)mode;
    return process->active_threads;
}

const struct sms__mode_form sms__mode_mps = {
    .name = "mps",
    .help = "kernels of all processes at once, each on its active_threads share of the SMs",
    .params = sms__mps_params,
    .read = sms__read_mps,
    .most_processes = sms__most_clients,
    .part = sms__active_threads,
};
