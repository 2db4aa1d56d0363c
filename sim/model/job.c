/* Measures one job of a workload from its steps, without simulating it. */
#include "estimate.h"

#include <math.h>
#include <stdio.h>

/* Uniform times of coefficient of variation 1 reach down to 1 - sqrt(3) of the mean. */
static double least_share(const struct sms__kernel *kernel)
{
    return kernel->spread == SMS__EXPONENTIAL ? 0 : fmax(1 - kernel->jitter * sqrt(3), 0);
}

/* One launch takes full waves, one after another. */
static struct sms__job measure_launch(const struct sms__kernel *kernel, const struct sms__footprint *fit,
                                      const struct sms__device *device)
{
    double held = (double)device->sms * (double)(fit->per_sm ? fit->per_sm : 1);
    double blocks = (double)kernel->blocks, waves = ceil(blocks / held);
    struct sms__job launch = {.ps = fit->work_ps * fit->alone, .least_ps = fit->work_ps * least_share(kernel)};
    if (kernel->whole)
        return launch;
    launch.ps = launch.ps * waves + (double)fit->launch_ps;
    if (device->dispatch.block_ps) /* blocks start, and end, one by one */
        launch.ps = fmax(launch.ps, (double)fit->launch_ps + blocks * (double)device->dispatch.block_ps);
    return launch;
}

struct sms__job sms__measure_step(const struct sms__workload *workload, size_t s, const struct sms__footprint *fit,
                                  const struct sms__device *device)
{
    const struct sms__step *step = &workload->step[s];
    bool copy = (step->kind == SMS__COPY_IN || step->kind == SMS__COPY_OUT) && device->link_bandwidth > 0;
    struct sms__job one = {0};
    if (step->kind == SMS__LAUNCH)
        return measure_launch(&workload->kernel[step->kernel], &fit[step->kernel], device);
    if (step->kind == SMS__HOST || copy)
        one.ps = one.least_ps = copy ? step->amount / device->link_bandwidth * 1e12 : step->amount;
    return one;
}

struct sms__job sms__measure_job(const struct sms__workload *workload, const struct sms__footprint *fit,
                                 const struct sms__device *device)
{
    struct sms__job job = {0};
    for (size_t s = 0; s < workload->steps; s++) {
        const struct sms__job one = sms__measure_step(workload, s, fit, device);
        double times = sms__step_times(&workload->step[s]);
        job.ps += times * one.ps;
        job.least_ps += times * one.least_ps;
    }
    return job;
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
