/* What bounds a kernel that runs alone. Profiles and workload files are classified by the same rule. */
#include "derive_internal.h"

#include <math.h>
#include <string.h>

const char *const sms__class_names[] = {"latency", "compute", "memory", "mixed"};

static const double BUSY = 0.5, NEAR = 0.1;

enum sms__bottleneck sms__derive_bottleneck(const struct sms__device *device, const double *use, int *top)
{
    double most[SMS_CLASSES] = {0, 0};
    *top = -1;
    for (size_t r = 0; r < device->resources; r++) {
        double *of_class = &most[device->resource[r].cls];
        *of_class = use[r] > *of_class ? use[r] : *of_class;
        if (use[r] > (*top < 0 ? 0 : use[*top]))
            *top = (int)r;
    }
    if (*top < 0 || use[*top] < BUSY)
        return SMS__LATENCY_BOUND;
    if (fabs(most[SMS_COMPUTE] - most[SMS_MEMORY]) <= NEAR)
        return SMS__MIXED_BOUND;
    return most[SMS_COMPUTE] > most[SMS_MEMORY] ? SMS__COMPUTE_BOUND : SMS__MEMORY_BOUND;
}

/* The demand as a ratio of one SM. Demands in units of the resource's capacity are converted. */
static double sm_ratio(const struct sms__device *device, const struct sms__resource *resource,
                       const struct sms__demand *demand)
{
    double sms = resource->scope == SMS_SCOPE_DEVICE ? (double)device->sms : 1;
    return resource->capacity && demand->bare ? demand->ratio * sms / (double)resource->capacity : demand->ratio;
}

bool sms__derive_class(struct sms__arena *arena, const struct sms__device *device, const struct sms__kernel *kernel,
                       struct sms__class *found)
{
    struct sms__occupancy modelled;
    struct sms__occupancy_model model;
    sms__occupancy_begin(&model, arena, device, device);
    *found = (struct sms__class){.top = -1};
    double block_s = kernel->block_time.value * (kernel->block_time.cycles ? 1 / device->clock_hz : 1e-12);
    double launch_s = (kernel->launch_ps >= 0 ? kernel->launch_ps : device->dispatch.launch_ps) * 1e-12;
    double interval = (double)device->dispatch.block_ps * 1e-12 / block_s;
    if (sms__occupancy_of(&model, device, kernel, kernel->jitter, interval, &modelled))
        return false;
    modelled.mean_per_sm *= 1 - launch_s / (launch_s + modelled.length * block_s);
    for (size_t d = 0; d < kernel->demands; d++) {
        int r = sms__resource_index(device, kernel->demand[d].resource);
        if (r >= 0)
            found->use[r] = sm_ratio(device, &device->resource[r], &kernel->demand[d]) * modelled.mean_per_sm;
    }
    found->bottleneck = sms__derive_bottleneck(device, found->use, &found->top);
    return true;
}
