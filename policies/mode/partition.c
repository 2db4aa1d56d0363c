/* partition: static partitions of MPS (its daemon started with -S). The SMs of a process are its alone, whole chunks of
 * the device; memory, L2 and bandwidth are not divided. Source: NVIDIA's MPS guide. */
#include <smsched/mode.h>

enum { CLIENTS, LAUNCH_WAIT, DRIVER };

static const struct sms_param params[] = {SMS_MODE_CLIENTS, SMS_MODE_LAUNCH_WAIT, SMS_MODE_DRIVER, {0}};

static uint64_t most_processes(const double *param, const struct sms_device_view *device)
{
    return sms_mps_clients(device, param[CLIENTS], param[DRIVER]);
}

static uint64_t sms(const double *param, const struct sms_device_view *device, const struct sms_mode_process *process)
{
    (void)param;
    return process->chunks * device->chunk;
}

const struct sms_sharing_mode sms_sharing_mode_partition = {
    .name = "partition",
    .help = "runs kernels of all processes at the same time, each on SMs of its own: chunks of the device",
    .params = params,
    .reserves = true,
    .needs = "chunks",
    .most_processes = most_processes,
    .sms = sms,
};
