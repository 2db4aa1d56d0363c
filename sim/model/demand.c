/* Demands on a device's resources: shares of an SM, or counts of the units of a
 * resource that has a capacity; and what is hard, never used beyond what there is. */
#include "footprint.h"

#include <math.h>

static bool is_count(const struct sms__resource *resource, const struct sms__demand *demand)
{
    return resource->capacity && demand->bare;
}

bool sms__expect_share(struct sms__reader *reader, const struct sms__demand *demand, double most)
{
    const struct sms__quantity share = {.value = demand->ratio};
    return sms__expect_range(reader, demand->value, SMS__RATIO, 0, most, &share);
}

static bool check(struct sms__reader *reader, const struct sms__resource *resource, const struct sms__demand *demand)
{
    const struct sms__node *at = demand->value;
    if (!is_count(resource, demand))
        return !sms__is_bare_percentage(reader, at, demand->ratio) &&
               sms__expect_share(reader, demand, SMS__DEMAND_MAX);
    if (demand->ratio != floor(demand->ratio))
        sms__complain(reader, at, "'%.40s' is not a whole number of the %llu units of '%.60s'", at->text,
                      (unsigned long long)resource->capacity, resource->name);
    else if (demand->ratio > SMS__DEMAND_MAX * (double)resource->capacity)
        sms__complain(reader, at, "'%.40s' is more than %g times the %llu units of '%.60s'", at->text, SMS__DEMAND_MAX,
                      (unsigned long long)resource->capacity, resource->name);
    else
        return true;
    return false;
}

/* Whole units are rounded down to parts: as many blocks as fit never exceed 100 %. */
bool sms__demand_parts(struct sms__reader *reader, const struct sms__device *device, size_t r,
                       const struct sms__demand *demand, double *parts, uint64_t *count)
{
    const struct sms__resource *resource = &device->resource[r];
    double sms = resource->scope == SMS_SCOPE_DEVICE ? (double)device->sms : 1;
    if (!check(reader, resource, demand))
        return false;
    bool counted = is_count(resource, demand);
    *count = counted ? (uint64_t)demand->ratio : 0;
    *parts = counted ? floor(demand->ratio * SMS_FULL * sms / (double)resource->capacity)
                     : nearbyint(demand->ratio * SMS_FULL);
    return true;
}

int sms__hard_refuses(const struct sms__device *device, const struct sms__footprint *fit, const double *usage)
{
    for (size_t r = 0; r < device->resources; r++)
        if (device->resource[r].hard && usage[r] + fit->demand[r] > SMS_FULL)
            return (int)r;
    return -1;
}
