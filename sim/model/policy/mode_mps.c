/* mps: kernels of all processes run at once, those of each on its part of the SMs. */
#include "../tenant.h"
#include "modes.h"

enum { CLIENTS, GRANULE, LAUNCH_WAIT, DRIVER, QUEUES };

/* Of Volta and newer before 60 came (NVIDIA's MPS guide); what a device without `mps:` takes. */
enum { CLIENTS_USUAL = 48 };

static const char *const drivers[] = {"today", "before", NULL};
static const char *const queues[] = {"own", "shared", NULL};

const struct sms_param sms__mps_params[] = {
    {"clients", SMS_UNIT_COUNT, 0, 1024, 0, "processes on a device at most; 0: as the device says, else 48"},
    {"granule", SMS_UNIT_COUNT, 1, 1024, 1, "SMs of active_threads are a multiple of it"},
    SMS__LAUNCH_WAIT,
    {"driver", SMS_UNIT_CHOICE, 0, 1, 0, "the clients that a device takes depend on it", drivers},
    {"queues", SMS_UNIT_CHOICE, 0, 1, 0,
     "whether each process has a dispatch queue, and these take turns of one block, or all share one", queues},
    {0},
};

void sms__read_mps(const double *values, struct sms__mode *mode)
{
    mode->clients = (uint64_t)values[CLIENTS];
    mode->granule = (uint64_t)values[GRANULE];
    mode->launch_wait_ps = values[LAUNCH_WAIT];
    mode->driver = (int)values[DRIVER];
    mode->one_queue = values[QUEUES] != 0;
}

uint64_t sms__most_clients(const struct sms__mode *mode, const struct sms__device *device)
{
    const bool before = mode->driver && device->mps.clients_before;
    const uint64_t own = before ? device->mps.clients_before : device->mps.clients;
    return mode->clients ? mode->clients : own ? own : CLIENTS_USUAL;
}

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
