/* Finds resources that some devices of a scenario lack, and tenants that need them there (lacking.h). */
#include "lacking.h"

int sms__united_index(const struct sms_scenario *scenario, const char *name)
{
    const size_t r = sms__find_name(name, scenario->resources, sms__text_at, scenario->resource);
    return r < scenario->resources ? (int)r : -1;
}

void sms__unite_resources(struct sms__arena *arena, struct sms_scenario *scenario)
{
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        for (size_t r = 0; r < device->resources && (d == 0 || device != scenario->device[d - 1]); r++)
            if (sms__united_index(scenario, device->resource[r].name) < 0)
                *SMS__APPEND(arena, scenario->resource, scenario->resources) = device->resource[r].name;
    }
}

enum { MODELS_NAMED = 4 };

/* Finds the names of the scenario's devices, each once, but no more than MODELS_NAMED. Returns their number. */
static size_t name_models(const struct sms_scenario *scenario, const char *name[MODELS_NAMED])
{
    size_t models = 0;
    for (size_t d = 0; d < scenario->devices && models < MODELS_NAMED; d++) {
        const char *model = scenario->device[d]->name;
        if (sms__find_name(model, models, sms__text_at, name) == models && !scenario->device[d]->mig.profile)
            name[models++] = model;
    }
    return models;
}

/* Names the devices that lack it, if they are of several models. */
void sms__complain_unknown_resource(struct sms__reader *reader, const struct sms__node *node,
                                    const struct sms_scenario *scenario)
{
    const char *name[MODELS_NAMED], *what = "resource";
    const size_t models = name_models(scenario, name);
    for (size_t m = 0; m < models && models > 1; m++)
        what = sms__print(reader->arena, "%s%s%s%s", what, m ? ", " : " on ", name[m], m + 1 < models ? "" : ":");
    sms__complain_unknown(reader, node, what, scenario->resources, sms__text_at, scenario->resource);
}

void sms__check_demands(struct sms__reader *reader, const struct sms_scenario *scenario,
                        const struct sms__workload *workload)
{
    for (size_t k = 0; k < workload->kernels; k++)
        for (size_t d = 0; d < workload->kernel[k].demands; d++) {
            const struct sms__demand *demand = &workload->kernel[k].demand[d];
            if (sms__united_index(scenario, demand->resource) < 0 &&
                !sms__has_error(reader->errors, &demand->node->mark, NULL))
                sms__complain_unknown_resource(reader, demand->node, scenario);
        }
}

bool sms__have_same_resources(const struct sms__device *a, const struct sms__device *b)
{
    size_t same = 0;
    for (size_t r = 0; r < a->resources; r++)
        same += sms__resource_index(b, a->resource[r].name) >= 0;
    return same == a->resources && same == b->resources;
}

struct sms__lacking sms__find_lacking(const struct sms__workload *workload, const struct sms__device *device)
{
    for (size_t k = 0; k < workload->kernels; k++) {
        const struct sms__kernel *kernel = &workload->kernel[k];
        for (size_t d = 0; d < kernel->demands; d++)
            if (kernel->demand[d].ratio > 0 && sms__resource_index(device, kernel->demand[d].resource) < 0)
                return (struct sms__lacking){kernel, &kernel->demand[d]};
    }
    return (struct sms__lacking){NULL, NULL};
}

const char *sms__print_lacking(struct sms__arena *arena, const struct sms__lacking *lacking,
                               const struct sms__device *device)
{
    const struct sms__demand *demand = lacking->demand;
    return sms__print(arena, "kernel '%.60s' demands %.40s of %.60s, and %.60s has none", lacking->kernel->name,
                      demand->value->text, demand->resource, device->name);
}

/* The first device on which the tenant could run, were it not for its `device`; or `devices`. */
static size_t find_able(const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    size_t d = 0;
    while (d < scenario->devices && !vm->fit[d])
        d++;
    return d;
}

/* The first device on which the tenant would have to run, and cannot; or `devices`. A VM runs on all. */
static size_t find_unable(const struct sms_scenario *scenario, const struct sms__tenant *vm, size_t able)
{
    size_t d = 0;
    if (vm->device >= (long)scenario->devices)
        return scenario->devices; /* which is reported */
    if (vm->device >= 0)
        return vm->fit[vm->device] ? scenario->devices : (size_t)vm->device;
    if (scenario->shares && able < scenario->devices)
        return scenario->devices;
    while (d < scenario->devices && vm->fit[d])
        d++;
    return d;
}

void sms__check_lacking(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const char *word = sms__tenant_word(scenario);
    const size_t able = find_able(scenario, vm), unable = find_unable(scenario, vm, able);
    if (unable == scenario->devices)
        return;
    const struct sms__device *device = scenario->device[unable];
    const struct sms__lacking lacking = sms__find_lacking(vm->workload, device);
    if (!lacking.kernel || sms__has_error(reader->errors, &lacking.demand->node->mark, NULL))
        return;
    const char *why = sms__print_lacking(reader->arena, &lacking, device);
    if (able < scenario->devices)
        sms__complain(reader, lacking.demand->node, "%s: 'device: %zu' puts %s '%.60s' on %.60s, which has it", why,
                      able, word, vm->name, scenario->device[able]->name);
    else
        sms__complain(reader, lacking.demand->node, "%s: no device has all that %s '%.60s' demands", why, word,
                      vm->name);
}
