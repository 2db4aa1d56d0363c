/* weighted_slice: a mode in one file, which test_added_mode adds. */
#include "sim/model/policy/modes.h"

static double weigh_slice(double slice_ps, double weight) { return slice_ps * weight; }

extern const struct sms__mode_form sms__mode_form_weighted_slice;
const struct sms__mode_form sms__mode_form_weighted_slice = {
    .name = "weighted_slice",
    .help = "contexts take turns, in slices that are as long as the weights of their processes are great",
    .params = sms__slice_params,
    .read = sms__read_slices,
    .slices = true,
    .most_processes = sms__most_replicas,
    .slice_ps = weigh_slice,
};
