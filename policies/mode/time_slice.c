/* time_slice: contexts take turns on the device. */
#include <smsched/mode.h>

enum { REPLICAS = SMS_MODE_TURNS_COUNT };

static const struct sms_param params[] = {
    SMS_MODE_TURNS,
    SMS_MODE_REPLICAS(
        1024,
        "sets the maximum number of processes on a device, as Kubernetes' device plugin counts them; 0: no limit"),
    {0},
};

static uint64_t most_processes(const double *param, const struct sms_device_view *device)
{
    (void)device;
    return param[REPLICAS] > 0 ? (uint64_t)param[REPLICAS] : UINT64_MAX;
}

const struct sms_sharing_mode sms_sharing_mode_time_slice = {
    .name = "time_slice",
    .help = "makes contexts take turns; a context by itself is never switched",
    .params = params,
    .slices = true,
    .most_processes = most_processes,
};
