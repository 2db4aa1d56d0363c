#include "device.h"

/* At most as many as kernels. */
size_t sms__device_clocks_max(const struct sms_scenario *scenario, const struct sms__device *device)
{
    size_t kernels = 0, sets = 1;
    for (size_t r = 0; r < device->resources; r++)
        sets *= device->resource[r].scope == SMS_SCOPE_DEVICE ? 2 : 1;
    for (size_t v = 0; v < scenario->vms; v++)
        kernels += scenario->vm[v].workload->kernels;
    return kernels < sets ? kernels : sets;
}

static const struct sms_curve *curves_of(struct sms__arena *arena, const struct sms_scenario *scenario,
                                         const struct sms__device *model)
{
    const struct sms__curves *given = scenario->contention.curves;
    if (!given)
        return NULL;
    struct sms_curve *curves = SMS__NEW(arena, struct sms_curve, SMS_RESOURCES_MAX);
    for (size_t c = 0; c < given->count; c++)
        curves[sms__resource_index(model, given->resource[c])] = given->curve[c];
    return curves;
}

struct sms_contention_view sms__contention_view(struct sms__arena *arena, const struct sms_scenario *scenario,
                                                const struct sms__device *model)
{
    return (struct sms_contention_view){.params = scenario->contention.param,
                                        .curves = curves_of(arena, scenario, model),
                                        .resources = model->resources,
                                        .resource = model->resource_view,
                                        .pairs = scenario->contention.pairs ? &scenario->contention.pairs->pairs : NULL};
}
