/* Measures one job of a workload from its steps, without simulating it. */
#include "job.h"

#include <math.h>

/* One launch takes full waves, one after another. */
static double measure_launch(const struct sms__kernel *kernel, const struct sms__footprint *fit,
                             const struct sms__device *device)
{
    double held = (double)device->sms * (double)(fit->per_sm ? fit->per_sm : 1);
    double blocks = (double)kernel->blocks, waves = ceil(blocks / held);
    double one_ps = fit->work_ps * fit->alone;
    if (kernel->whole)
        return one_ps;
    /* Where the dispatcher takes time, blocks start, and end, one by one. */
    return (double)fit->launch_ps + fmax(one_ps * waves, blocks * (double)device->dispatch.block_ps);
}

double sms__measure_step(const struct sms__workload *workload, size_t s, const struct sms__footprint *fit,
                         const struct sms__device *device)
{
    const struct sms__step *step = &workload->step[s];
    const bool copy = (step->kind == SMS__COPY_IN || step->kind == SMS__COPY_OUT) && device->link_bandwidth > 0;
    const double most = step->kind == SMS__COPY_IN ? device->copy_in_most : device->copy_out_most;
    const double rate = most > 0 ? fmin(most, device->link_bandwidth) : device->link_bandwidth;
    if (step->kind == SMS__LAUNCH) /* of an asynchronous one, whichever is longer */
        return fmax(measure_launch(&workload->kernel[step->kernel], &fit[step->kernel], device), step->amount);
    return copy ? step->amount / rate * 1e12 : step->kind == SMS__HOST ? step->amount : 0;
}

double sms__measure_job(const struct sms__workload *workload, const struct sms__footprint *fit,
                        const struct sms__device *device)
{
    double ps = 0;
    for (size_t s = 0; s < workload->steps; s++)
        ps += sms__step_times(&workload->step[s]) * sms__measure_step(workload, s, fit, device);
    return ps;
}
