/* mps, and together, which is mps without its limits: kernels of all processes run at once. */
#include "modes.h"

enum { CLIENTS, GRANULE, LAUNCH_WAIT };

#define WAIT                                                                                                           \
    {                                                                                                                  \
        "launch_wait", SMS_UNIT_TIME, 0, 1e12, 0,                                                                      \
            "by which each other process with a kernel under way lengthens a launch of a coarse kernel"                \
    }

static const struct sms_param params[] = {
    {"clients", SMS_UNIT_COUNT, 1, 1024, 48, "processes on a device at most"},
    {"granule", SMS_UNIT_COUNT, 1, 1024, 1, "SMs of active_threads are a multiple of it"},
    WAIT,
    {0},
};

static const struct sms_param params_of_together[] = {WAIT, {0}};

static void read_limits(const double *values, struct sms__mode *mode)
{
    mode->clients = (uint64_t)values[CLIENTS];
    mode->granule = (uint64_t)values[GRANULE];
    mode->launch_wait_ps = values[LAUNCH_WAIT];
}

static void read_wait(const double *values, struct sms__mode *mode) { mode->launch_wait_ps = values[0]; }

static uint64_t most_processes(const struct sms__mode *mode) { return mode->clients; }

const struct sms__mode_form sms__mode_mps = {
    .name = "mps",
    .help = "kernels of all processes at once, each on its active_threads share of the SMs",
    .params = params,
    .read = read_limits,
    .limits_sms = true,
    .most_processes = most_processes,
};

const struct sms__mode_form sms__mode_together = {
    .name = "together",
    .help = "kernels of all processes at once",
    .params = params_of_together,
    .read = read_wait,
};
