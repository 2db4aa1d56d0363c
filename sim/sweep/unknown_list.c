/* Lists what is not known of a scenario, each parameter once, with its name and spread. */
#include "draw_unknowns.h"

#include "../model/policy/modes.h"
#include "../model/retarget.h"

#include <math.h>
#include <string.h>

/* 80 % of a normal distribution are within so many standard deviations. */
#define EIGHTY_PERCENT 1.2815515655446004

/* The median of the fits at hand for DRAM, 2.2 on a V100 and 8 on an A6000: their geometric mean. */
#define KNEE_OF_DRAM 4.2

struct lister {
    struct sms__arena *arena;
    const struct sms_scenario *scenario;
    struct sms__unknown_list *list;
};

/* Adds a parameter, unless it is known. */
static struct sms__parameter *add(const struct lister *l, const char *name, double spread)
{
    if (!(spread > 0))
        return NULL;
    struct sms__parameter *added = SMS__APPEND(l->arena, l->list->parameter, l->list->parameters);
    *added = (struct sms__parameter){.name = name, .spread = spread};
    return added;
}

static void add_place(const struct lister *l, struct sms__parameter *parameter, struct sms__drawn_place place)
{
    *SMS__APPEND(l->arena, parameter->place, parameter->places) = place;
}

/* ---- workloads ---- */

/* A count of units is no measurement. */
static bool is_count(const struct sms_scenario *scenario, const struct sms__demand *demand)
{
    bool count = false;
    for (size_t d = 0; d < scenario->devices && demand->bare; d++) {
        const int r = sms__resource_index(scenario->device[d], demand->resource);
        count |= r >= 0 && scenario->device[d]->resource[r].capacity;
    }
    return count;
}

bool sms__draws_demand(const struct sms_scenario *scenario, const struct sms__demand *demand)
{
    return demand->ratio > 0 && !is_count(scenario, demand);
}

static bool has_demand(const struct lister *l, size_t first, const char *resource)
{
    for (size_t i = first; i < l->list->parameters; i++)
        if (!strcmp(l->list->parameter[i].resource, resource))
            return true;
    return false;
}

/* As the scenario says, else as the workload does. */
static double spread_of_demand(const struct lister *l, const struct sms__workload *workload, const char *resource)
{
    double spread = 0.1;
    for (size_t i = 0; i < workload->uncertainties; i++)
        if (!strcmp(workload->uncertainty[i].resource, resource))
            spread = workload->uncertainty[i].ratio;
    return l->scenario->unknowns.spread[SMS__UNKNOWN_DEMAND] >= 0 ? l->scenario->unknowns.spread[SMS__UNKNOWN_DEMAND]
                                                                  : spread;
}

static void add_demands(const struct lister *l, const struct sms__workload *workload)
{
    const size_t first = l->list->parameters;
    for (size_t k = 0; k < workload->kernels; k++)
        for (size_t d = 0; d < workload->kernel[k].demands; d++) {
            const struct sms__demand *demand = &workload->kernel[k].demand[d];
            if (!sms__draws_demand(l->scenario, demand) || has_demand(l, first, demand->resource))
                continue;
            struct sms__parameter *added =
                add(l, sms__print(l->arena, "demand of %s of %s", demand->resource, workload->name),
                    spread_of_demand(l, workload, demand->resource));
            if (added)
                added->resource = demand->resource;
        }
}

/* The part of a resource that the blocks of a kernel want at once, alone on the device. */
static double full_wave(const struct sms__device *device, const struct sms__kernel *kernel,
                        const struct sms__footprint *fit, size_t r)
{
    const double blocks = (double)kernel->blocks / (double)device->sms;
    const bool device_scope = device->resource[r].scope == SMS_SCOPE_DEVICE;
    const double resident = fmin((double)fit->per_sm, device_scope ? blocks : ceil(blocks));
    return fit->demand[r] / SMS_FULL * (kernel->whole || device->resource[r].hard ? 1 : resident);
}

/* Lowers the limits of a kernel's factors to what a device allows. */
static void limit(const struct sms__device *device, const struct sms__kernel *kernel, const struct sms__footprint *fit,
                  double *most)
{
    for (size_t d = 0; d < kernel->demands; d++) {
        const int r = sms__resource_index(device, kernel->demand[d].resource);
        const double wants = r < 0 ? 0 : full_wave(device, kernel, fit, (size_t)r);
        const double given = wants > 0 ? fmax(1 / wants, 1) : 1;
        most[d] = fmin(most[d], given);
    }
}

static void limit_tenant(const struct lister *l, const struct sms__tenant *vm, size_t first,
                         struct sms__drawn_workload *drawn)
{
    for (size_t d = 0; d < l->scenario->devices; d++)
        for (size_t k = 0;
             k < drawn->workload->kernels && sms__may_be_on(vm, d) && (d == 0 || vm->fit[d] != vm->fit[d - 1]); k++)
            limit(l->scenario->device[d], &drawn->workload->kernel[k], &vm->fit[d][first + k],
                  drawn->most + k * SMS_RESOURCES_MAX);
}

/* What the fields of kernels take, whether a device can have the workload or not. */
static double *field_limits(const struct lister *l, const struct sms__workload *workload)
{
    double *most = SMS__NEW(l->arena, double, workload->kernels *SMS_RESOURCES_MAX);
    for (size_t k = 0; k < workload->kernels; k++)
        for (size_t d = 0; d < workload->kernel[k].demands; d++)
            most[k * SMS_RESOURCES_MAX + d] =
                (workload->kernel[k].whole ? 1 : SMS__DEMAND_MAX) / workload->kernel[k].demand[d].ratio;
    return most;
}

/* How far a block time may be off. Of kernels that are scaled from another device 80 % of those held back were within a
 * factor, which depends on what binds them; the greatest of the workload counts. */
static double spread_of_times(const struct lister *l, const struct sms__tenant *vm, size_t first,
                              const struct sms__workload *workload)
{
    const double given = l->scenario->unknowns.spread[SMS__UNKNOWN_BLOCK_TIME];
    double factor = *workload->scaled_from ? sms__retarget_factor(SMS__BOUND_COMPUTE) : 1;
    for (size_t d = 0; d < l->scenario->devices; d++)
        for (size_t k = 0; k < workload->kernels && vm->fit[d] && (d == 0 || vm->fit[d] != vm->fit[d - 1]); k++) {
            const int scaled = vm->fit[d][first + k].scaled;
            factor = scaled ? fmax(factor, sms__retarget_factor((enum sms__bound)(scaled - 1))) : factor;
        }
    return given >= 0 ? given : fmax(log(factor) / EIGHTY_PERCENT, 0.1);
}

static void add_workload(const struct lister *l, const struct sms__tenant *vm, size_t first,
                         const struct sms__workload *workload)
{
    struct sms__drawn_workload *drawn = SMS__APPEND(l->arena, l->list->workload, l->list->workloads);
    *drawn = (struct sms__drawn_workload){.workload = workload, .first = l->list->parameters};
    drawn->most = field_limits(l, workload);
    add_demands(l, workload);
    add(l, sms__print(l->arena, "block time of %s", workload->name), spread_of_times(l, vm, first, workload));
    drawn->parameters = l->list->parameters - drawn->first;
}

static struct sms__drawn_workload *find_drawn(const struct lister *l, const struct sms__workload *workload)
{
    for (size_t w = 0; w < l->list->workloads; w++)
        if (l->list->workload[w].workload == workload)
            return &l->list->workload[w];
    return NULL;
}

static void add_workloads(const struct lister *l)
{
    const struct sms__workload *workload;
    size_t first;
    for (size_t v = 0; v < l->scenario->vms; v++) {
        const struct sms__tenant *vm = &l->scenario->vm[v];
        for (size_t i = 0; !sms__is_like_last(l->scenario->vm, v) && (workload = sms__workload_of(vm, i, &first));
             i++) {
            if (!find_drawn(l, workload))
                add_workload(l, vm, first, workload);
            limit_tenant(l, vm, first, find_drawn(l, workload));
        }
    }
}

/* ---- contention ---- */

/* A model's parameter that says how much it slows, times a factor. A slope of at least 1, which conserves work, stays
 * so. */
static void add_param(const struct lister *l, const char *name, enum sms__unknown_kind kind)
{
    const struct sms__contention_use *use = &l->scenario->contention;
    for (size_t i = 0; use->model->params && use->model->params[i].name; i++) {
        const struct sms_param *param = &use->model->params[i];
        const double value = use->param[i];
        if (strcmp(param->name, name) != 0 || value <= 0)
            continue;
        struct sms__parameter *added = add(l, name, l->scenario->unknowns.spread[kind]);
        const double least = kind == SMS__UNKNOWN_SLOPE && value >= 1 ? 1 : param->min;
        if (added)
            add_place(l, added,
                      (struct sms__drawn_place){sms__print(l->arena, "contention.%s", name), value, least, param->max});
    }
}

static void add_curves(const struct lister *l)
{
    const struct sms__curves *curves = l->scenario->contention.curves;
    for (size_t c = 0; curves && c < curves->count; c++) {
        struct sms__parameter *added = add(l, sms__print(l->arena, "curve of %s", curves->resource[c]),
                                           l->scenario->unknowns.spread[SMS__UNKNOWN_CURVE]);
        if (!added)
            continue;
        added->resource = curves->resource[c];
        added->curve = true;
    }
}

/* ---- knees ---- */

/* The knee of a resource, or the median of those of DRAM where a device has none; 0: it has a corner. */
static double knee_of(const struct lister *l, const struct sms__device *device, size_t r)
{
    const struct sms__resource *resource = &device->resource[r];
    const bool any = l->scenario->contention.param[0] > 0; /* the exponent of all that have none */
    return resource->knee > 0 || any || strcmp(resource->name, "dram") != 0 ? resource->knee : KNEE_OF_DRAM;
}

/* The parameter of this name, which may have places already; added if it is new. */
static struct sms__parameter *add_once(const struct lister *l, const char *name, double spread)
{
    const size_t i = sms__find_name(name, l->list->parameters, SMS__NAMES(l->list->parameter, name));
    return i < l->list->parameters ? &l->list->parameter[i] : add(l, name, spread);
}

/* Adds the knees of a device that the document names at `path`. Devices of one model share them. */
static void add_knees(const struct lister *l, const struct sms__device *device, const char *path)
{
    for (size_t r = 0; r < device->resources; r++) {
        const char *resource = device->resource[r].name;
        const char *name = sms__print(l->arena, "knee of %s of %s", resource, device->name);
        const double knee = knee_of(l, device, r);
        struct sms__parameter *parameter =
            knee > 0 ? add_once(l, name, l->scenario->unknowns.spread[SMS__UNKNOWN_KNEE]) : NULL;
        if (parameter)
            add_place(l, parameter,
                      (struct sms__drawn_place){sms__print(l->arena, "%s.resources.%s.knee", path, resource), knee, 1,
                                                SMS_KNEE_MAX});
    }
}

static const struct sms__device *device_called(const struct sms_scenario *scenario, const struct sms__node *use)
{
    const struct sms__node *model = use ? sms__node_get(use, "model") : NULL;
    for (size_t d = 0; model && d < scenario->devices; d++)
        if (!strcmp(scenario->device[d]->name, model->text))
            return scenario->device[d];
    return NULL;
}

/* Does it for each device that the document names, and where. */
static void for_devices(const struct lister *l,
                        void (*add_of)(const struct lister *l, const struct sms__device *device, const char *path))
{
    const bool cluster = l->scenario->cluster;
    const struct sms__node *list = sms__node_get(l->scenario->node, cluster ? "nodes" : "devices");
    for (size_t i = 0; list && i < list->items; i++) {
        const struct sms__node *use = cluster ? sms__node_get(list->item[i], "devices") : list->item[i];
        const struct sms__device *device = device_called(l->scenario, use);
        if (device)
            add_of(l, device, sms__print(l->arena, cluster ? "nodes.%zu.devices" : "devices.%zu", i));
    }
}

/* ---- modes ---- */

/* The spread of three generations of GPUs: slices of 2.0, 2.17 and 2.21 ms, rounded up for drivers that nobody
 * measured; switches of 77, 147 and 226 us. */
#define SPREAD_OF_SLICE 0.1
#define SPREAD_OF_SWITCH 0.5

static const struct sms_param turn_param[] = {SMS_MODE_TURNS};

/* Adds how contexts take turns on a device, where some mode leaves to it what it does not say. */
static void add_turns(const struct lister *l, const struct sms__device *device, const char *path)
{
    const struct sms__turns turns = sms__mode_turns(NULL, device);
    bool slice = false, change = false;
    for (size_t p = 0; p < l->scenario->policies; p++) {
        const struct sms__mode *mode = &l->scenario->policy[p].mode;
        for (size_t d = 0; d < (mode->form ? 1 : mode->parts); d++) {
            if (!mode->form && strcmp(l->scenario->device[d]->name, device->name) != 0)
                continue;
            const struct sms__mode *shared;
            for (size_t i = 0; (shared = sms__mode_shared(sms__mode_of_device(mode, d), i)); i++) {
                slice |= sms__mode_unsaid(shared, device).slice;
                change |= sms__mode_unsaid(shared, device).change;
            }
        }
    }
    struct sms__parameter *added =
        slice ? add_once(l, sms__print(l->arena, "slice of %s", device->name), SPREAD_OF_SLICE) : NULL;
    if (added)
        add_place(l, added,
                  (struct sms__drawn_place){sms__print(l->arena, "%s.time_slice.slice", path), turns.slice_ps,
                                            turn_param[0].min, turn_param[0].max, " ps"});
    added = change ? add_once(l, sms__print(l->arena, "switch of %s", device->name), SPREAD_OF_SWITCH) : NULL;
    if (added)
        add_place(l, added,
                  (struct sms__drawn_place){sms__print(l->arena, "%s.time_slice.switch", path), turns.switch_ps,
                                            turn_param[1].min, turn_param[1].max, " ps"});
}

void sms__list_unknowns(struct sms__arena *arena, const struct sms_scenario *scenario, struct sms__unknown_list *list)
{
    const struct lister l = {arena, scenario, list};
    *list = (struct sms__unknown_list){.scenario = scenario};
    if (scenario->vms == 0)
        return; /* pods that are only placed press on nothing */
    add_workloads(&l);
    add_param(&l, "slope", SMS__UNKNOWN_SLOPE);
    add_param(&l, "exponent", SMS__UNKNOWN_KNEE);
    add_param(&l, "floor", SMS__UNKNOWN_CURVE);
    add_curves(&l);
    if (scenario->contention.model->measured_alone)
        for_devices(&l, add_knees);
    if (scenario->shares && scenario->vms > 1)
        for_devices(&l, add_turns);
}
