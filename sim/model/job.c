#include "job.h"

#include <math.h>
#include <stdio.h>

/* Uniform times of coefficient of variation 1 reach down to 1 - sqrt(3) of the mean. */
static double least_of(const struct sms__kernel *kernel)
{
    if (kernel->spread == SMS__EXPONENTIAL)
        return 0;
    double least = 1 - kernel->jitter * sqrt(3);
    return least > 0 ? least : 0;
}

/* Of one launch: full waves, one after another. */
static struct sms__job measure_launch(const struct sms__kernel *kernel, const struct sms__fit *fit,
                                      const struct sms__device *device, bool in_blocks)
{
    double sms = (double)device->sms, held = sms * (double)(fit->per_sm ? fit->per_sm : 1);
    double blocks = (double)kernel->blocks, waves = ceil(blocks / held);
    bool drawn = kernel->jitter > 0 || kernel->spread == SMS__EXPONENTIAL;
    if (kernel->whole)
        return (struct sms__job){fit->work_ps, fit->work_ps * least_of(kernel), 1, 0};
    struct sms__job launch = {waves * fit->work_ps, fit->work_ps * least_of(kernel), 1, fit->work_ps * blocks / held};
    if (in_blocks)
        launch.events = drawn ? blocks : waves * fmin(blocks, sms); /* equal blocks of an SM end together */
    return launch;
}

struct sms__job sms__measure_job(const struct sms__workload *workload, const struct sms__fit *fit,
                                 const struct sms__device *device, bool in_blocks)
{
    struct sms__job job = {0};
    for (size_t s = 0; s < workload->steps; s++) {
        const struct sms__step *step = &workload->step[s];
        struct sms__job one = {.events = 1};
        double times = 1;
        if (step->kind == SMS__LAUNCH) {
            one = measure_launch(&workload->kernel[step->kernel], &fit[step->kernel], device, in_blocks);
            times = (double)step->times;
        } else if (step->kind == SMS__HOST) {
            one.ps = one.least_ps = step->amount;
        } else if ((step->kind == SMS__COPY_IN || step->kind == SMS__COPY_OUT) && device->link_bandwidth > 0) {
            one.ps = one.least_ps = step->amount / device->link_bandwidth * 1e12;
        }
        job.ps += times * one.ps;
        job.least_ps += times * one.least_ps;
        job.events += times * one.events;
        job.device_ps += times * one.device_ps;
    }
    return job;
}

const struct sms__node *sms__at_key(const struct sms__node *map, const char *key)
{
    const struct sms__node *value = map && map->kind == SMS__MAP ? sms__node_get(map, key) : NULL;
    return value ? value : map;
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
