/* mps, and together, which is mps without its limits: kernels of all processes run at once. */
#include "modes.h"

enum { CLIENTS, GRANULE, LAUNCH_WAIT };

#define WAIT                                                                                                           \
    {                                                                                                                  \
        "launch_wait", SMS_UNIT_TIME, 0, 1e12, 0,                                                                      \
            "by which each other process with a kernel under way lengthens a launch of a coarse kernel"                \
    }

const struct sms_param sms__mps_params[] = {
    {"clients", SMS_UNIT_COUNT, 1, 1024, 48, "processes on a device at most"},
    {"granule", SMS_UNIT_COUNT, 1, 1024, 1, "SMs of active_threads are a multiple of it"},
    WAIT,
    {0},
};

static const struct sms_param params_of_together[] = {WAIT, {0}};

void sms__read_mps(const double *values, struct sms__mode *mode)
{
    mode->clients = (uint64_t)values[CLIENTS];
    mode->granule = (uint64_t)values[GRANULE];
    mode->launch_wait_ps = values[LAUNCH_WAIT];
}

static void read_wait(const double *values, struct sms__mode *mode) { mode->launch_wait_ps = values[0]; }

uint64_t sms__most_clients(const struct sms__mode *mode) { return mode->clients; }

const struct sms__mode_form sms__mode_mps = {
    .name = "mps",
    .help = "kernels of all processes at once, each on its active_threads share of the SMs",
    .params = sms__mps_params,
    .read = sms__read_mps,
    .limits_sms = true,
    .most_processes = sms__most_clients,
};

const struct sms__mode_form sms__mode_together = {
    .name = "together",
    .help = "kernels of all processes at once",
    .params = params_of_together,
    .read = read_wait,
};
