/* mps: kernels of all processes run at once, those of each on its part of the SMs. */
#include "../tenant.h"
#include "modes.h"

#include <math.h>

enum { CLIENTS, GRANULE, LAUNCH_WAIT, DRIVER, QUEUES, REPLICAS };

/* Of Volta and newer before 60 came (NVIDIA's MPS guide); what a device without `mps:` takes. */
enum { CLIENTS_USUAL = 48 };

const char *const sms__drivers[] = {"today", "before", NULL};
const char *const sms__queues_of_mps[] = {"own", "shared", NULL};

const struct sms_param sms__mps_params[] = {
    SMS__CLIENTS,
    {"granule", SMS_UNIT_COUNT, 1, 1024, 1, "SMs of active_threads are a multiple of it"},
    SMS__LAUNCH_WAIT,
    SMS__DRIVER,
    SMS__QUEUES,
    {"replicas", SMS_UNIT_COUNT, 0, 100, 0,
     "n: at most n processes on a device, each with at most 1/n of its memory and threads, as Kubernetes' device "
     "plugin "
     "sets it; 0: no such caps"},
    {0},
};

void sms__read_mps(const double *values, struct sms__mode *mode)
{
    mode->clients = (uint64_t)values[CLIENTS];
    mode->granule = (uint64_t)values[GRANULE];
    mode->launch_wait_ps = values[LAUNCH_WAIT];
    mode->driver = (int)values[DRIVER];
    mode->one_queue = values[QUEUES] != 0;
    mode->replicas = (uint64_t)values[REPLICAS];
}

uint64_t sms__most_clients(const struct sms__mode *mode, const struct sms__device *device)
{
    const bool before = mode->driver && device->mps.clients_before;
    const uint64_t own = before ? device->mps.clients_before : device->mps.clients;
    const uint64_t most = mode->clients ? mode->clients : own ? own : CLIENTS_USUAL;
    return mode->replicas && mode->replicas < most ? mode->replicas : most;
}

uint64_t sms__active_threads(const struct sms__mode *mode, const struct sms__device *device,
                             const struct sms__tenant *process)
{
    double granule = mode->granule ? (double)mode->granule : 1;
    /* the device plugin sets whole per cent; a client may ask for less, not for more */
    const uint64_t percent = mode->replicas ? 100 / mode->replicas : 100;
    const double cap = (double)percent / 100;
    const double threads = process->active_threads < cap ? process->active_threads : cap;
    if (threads >= 1)
        return device->sms;
    /* 29 % of 100 are 29 */
    return (uint64_t)(floor(threads * (double)device->sms / granule + 1e-9) * granule);
}

const struct sms__mode_form sms__mode_form_mps = {
    .name = "mps",
    .help = "kernels of all processes at once, each on its active_threads share of the SMs",
    .params = sms__mps_params,
    .read = sms__read_mps,
    .most_processes = sms__most_clients,
    .sms = sms__active_threads,
};
