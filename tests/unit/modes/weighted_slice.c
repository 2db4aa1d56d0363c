/* weighted_slice: a mode in one file, which test_added_mode adds. */
#include <smsched/mode.h>

static const struct sms_param params[] = {SMS_MODE_TURNS, {0}};

static double slice_ps(const double *param, const struct sms_device_view *device,
                       const struct sms_mode_process *process, double slice)
{
    (void)param, (void)device;
    return slice * process->weight;
}

extern const struct sms_sharing_mode sms_sharing_mode_weighted_slice;
const struct sms_sharing_mode sms_sharing_mode_weighted_slice = {
    .name = "weighted_slice",
    .help = "makes contexts take turns, in slices proportional to the weights of their processes",
    .params = params,
    .slices = true,
    .slice_ps = slice_ps,
};
