/* Measures one job of a workload from its steps, without simulating it. */
#include "job.h"

#include <math.h>
#include <stdio.h>

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
    bool copy = (step->kind == SMS__COPY_IN || step->kind == SMS__COPY_OUT) && device->link_bandwidth > 0;
    if (step->kind == SMS__LAUNCH)
        return measure_launch(&workload->kernel[step->kernel], &fit[step->kernel], device);
    return copy ? step->amount / device->link_bandwidth * 1e12 : step->kind == SMS__HOST ? step->amount : 0;
}

double sms__measure_job(const struct sms__workload *workload, const struct sms__footprint *fit,
                        const struct sms__device *device)
{
    double ps = 0;
    for (size_t s = 0; s < workload->steps; s++)
        ps += sms__step_times(&workload->step[s]) * sms__measure_step(workload, s, fit, device);
    return ps;
}

const char *sms__say_time(char *out, size_t size, double ps)
{
    static const struct {
        double seconds;
        const char *name;
    } unit[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    size_t i = 0;
    while (unit[i].seconds > 1 && ps / 1e12 < 2 * unit[i].seconds)
        i++;
    snprintf(out, size, "%.3g %s", ps / 1e12 / unit[i].seconds, unit[i].name);
    return out;
}
