/* partition: static partitions of MPS (its daemon started with -S). The SMs of a process are its alone, whole chunks of
 * the device; memory, L2 and bandwidth are not divided. Source: NVIDIA's MPS guide. */
#include "../tenant.h"
#include "modes.h"

enum { CLIENTS, LAUNCH_WAIT, DRIVER, QUEUES };

static const struct sms_param params[] = {SMS__CLIENTS, SMS__LAUNCH_WAIT, SMS__DRIVER, SMS__QUEUES, {0}};

static void read(const double *values, struct sms__mode *mode)
{
    mode->clients = (uint64_t)values[CLIENTS];
    mode->launch_wait_ps = values[LAUNCH_WAIT];
    mode->driver = (int)values[DRIVER];
    mode->one_queue = values[QUEUES] != 0;
}

static uint64_t sms(const struct sms__mode *mode, const struct sms__device *device, const struct sms__tenant *process)
{
    (void)mode;
    return sms__chunk_sms(process, device);
}

const struct sms__mode_form sms__mode_form_partition = {
    .name = "partition",
    .help = "kernels of all processes at once, each on SMs that are its alone: chunks of the device",
    .params = params,
    .read = read,
    .most_processes = sms__most_clients,
    .sms = sms,
    .reserves = true,
    .needs = "chunks",
};
