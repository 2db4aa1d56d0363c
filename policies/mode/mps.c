/* mps: kernels of all processes run at once, those of each on its part of the SMs. */
#include <smsched/mode.h>

#include <math.h>

enum { CLIENTS, GRANULE, LAUNCH_WAIT, DRIVER, REPLICAS };

static const struct sms_param params[] = {
    SMS_MODE_CLIENTS,
    {"granule", SMS_UNIT_COUNT, 1, 1024, 1, "sets the number of SMs of which active_threads gives a multiple"},
    SMS_MODE_LAUNCH_WAIT,
    SMS_MODE_DRIVER,
    SMS_MODE_REPLICAS(100, "sets n: at most n processes are on a device, each with at most 1/n of its memory and "
                           "threads, as set by Kubernetes' device plugin; 0: no such caps"),
    {0},
};

static uint64_t most_processes(const double *param, const struct sms_device_view *device)
{
    const uint64_t most = sms_mps_clients(device, param[CLIENTS], param[DRIVER]);
    const uint64_t replicas = (uint64_t)param[REPLICAS];
    return replicas && replicas < most ? replicas : most;
}

static uint64_t sms(const double *param, const struct sms_device_view *device, const struct sms_mode_process *process)
{
    /* the device plugin sets whole per cent; a client may ask for less, not for more */
    const uint64_t percent = param[REPLICAS] > 0 ? 100 / (uint64_t)param[REPLICAS] : 100;
    const double cap = (double)percent / 100;
    const double threads = process->active_threads < cap ? process->active_threads : cap;
    if (threads >= 1)
        return device->sms;
    /* 29 % of 100 are 29 */
    return (uint64_t)(floor(threads * (double)device->sms / param[GRANULE] + 1e-9) * param[GRANULE]);
}

/* The device plugin sets this, less what is no whole MiB (NVIDIA/k8s-device-plugin, mps/daemon.go). */
static uint64_t bytes(const double *param, const struct sms_device_view *device, const struct sms_mode_process *process)
{
    (void)process;
    return param[REPLICAS] > 0 ? device->memory / (uint64_t)param[REPLICAS] : UINT64_MAX;
}

const struct sms_sharing_mode sms_sharing_mode_mps = {
    .name = "mps",
    .help = "runs kernels of all processes at the same time, each on its active_threads share of the SMs",
    .params = params,
    .caps = true,
    .most_processes = most_processes,
    .sms = sms,
    .bytes = bytes,
};
