/* time_slice: contexts take turns on the device. */
#include "modes.h"

enum { SLICE, SWITCH, DRAIN, NEWCOMER, AHEAD, STOP, REPLICAS };

static const char *const booleans[] = {"false", "true", NULL};

/* As sms__newcomers, after the one that leaves it to the device. */
static const char *const newcomers[] = {"as_device", "whole_slice", "rest_of_slice", NULL};

/* The defaults are those of the project's specification, part C. Slice and switch are from S000, which measures only
 * their ratio. They hold where neither the scenario nor the device says otherwise. */
const struct sms_param sms__slice_params[] = {
    {"slice", SMS_UNIT_TIME, 1e6, 3.6e15, 2e9, "time that a context has the device while others wait"},
    {"switch", SMS_UNIT_TIME, 0, 6e13, 0.147e9, "time that a change of context takes"},
    {"drain", SMS_UNIT_CHOICE, 0, 1, 0, "blocks that run when a slice ends are waited for, not stopped", booleans},
    {"newcomer", SMS_UNIT_CHOICE, 0, 2, 0, "says what a context waits for that comes to one that had the device alone",
     newcomers},
    {"ahead", SMS_UNIT_COUNT, 0, 1e6, 0,
     "kernels launched ahead, which end before the share policy stops a process early"},
    {"stop", SMS_UNIT_TIME, 0, 6e13, 0, "time that it takes to stop a process early, before the switch"},
    {"replicas", SMS_UNIT_COUNT, 0, 1024, 0,
     "processes on a device at most, as Kubernetes' device plugin counts them; 0: no limit"},
    {0},
};

static bool is_given(const struct sms__mode *mode, unsigned param) { return mode->given >> param & 1; }

void sms__read_slices(const double *values, struct sms__mode *mode)
{
    mode->turns.slice_ps = is_given(mode, SLICE) ? values[SLICE] : 0;
    mode->turns.switch_ps = is_given(mode, SWITCH) ? values[SWITCH] : -1;
    mode->turns.newcomer = (int)values[NEWCOMER] - 1;
    mode->drain = values[DRAIN] > 0;
    mode->ahead = (uint64_t)values[AHEAD];
    mode->stop_ps = values[STOP];
    mode->clients = (uint64_t)values[REPLICAS];
}

uint64_t sms__most_replicas(const struct sms__mode *mode, const struct sms__device *device)
{
    (void)device;
    return mode->clients ? mode->clients : UINT64_MAX;
}

const struct sms__mode_form sms__mode_form_time_slice = {
    .name = "time_slice",
    .help = "contexts take turns; one alone is never switched",
    .params = sms__slice_params,
    .read = sms__read_slices,
    .slices = true,
    .most_processes = sms__most_replicas,
};
