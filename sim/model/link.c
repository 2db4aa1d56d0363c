/* Checks a scenario's parts against each other, and works out what runs need:
 * each kernel's demand and needs on each device. */
#include "model.h"

#include <string.h>

static const char *resource_name(const void *user, size_t i)
{
    return ((const struct sms__device *)user)->resource[i].name;
}

static void fit_demand(struct sms__reader *reader, const struct sms__kernel *kernel, const struct sms__device *device,
                       struct sms__fit *fit, bool compat)
{
    for (size_t d = 0; d < kernel->demands; d++) {
        const struct sms__demand *demand = &kernel->demand[d];
        int r = sms__resource_index(device, demand->resource);
        if (r < 0) {
            sms__complain_unknown(reader, demand->node, "resource", device->resources, resource_name, device);
            continue;
        }
        const struct sms__resource *resource = &device->resource[r];
        if (!sms__demand_parts(reader, device, (size_t)r, demand, compat, &fit->demand[r], &fit->count[r]))
            continue;
        bool wide = resource->scope == SMS_SCOPE_DEVICE && demand->ratio > 0;
        fit->hard |= resource->hard && demand->ratio > 0;
        fit->adds[r] = wide ? fit->demand[r] / (double)device->sms : fit->demand[r];
        fit->device_wide |= wide;
        uint32_t *set = wide ? &fit->wide : &fit->own;
        *set |= (uint32_t)(fit->demand[r] > 0) << r;
    }
}

static void fit_kernel(struct sms__reader *reader, const struct sms__vm *vm, const struct sms__kernel *kernel,
                       const struct sms__device *device, struct sms__fit *fit, bool compat)
{
    static const double none[SMS_RESOURCES_MAX];
    enum sms_limit binds;
    fit_demand(reader, kernel, device, fit, compat);
    const char *problem = sms__block_needs(&device->sm, kernel, fit->needs);
    if (problem) {
        sms__complain(reader, kernel->node, "kernel '%.60s' of VM '%.60s' fits no SM of %s: %s", kernel->name, vm->name,
                      device->name, problem);
        return;
    }
    int refusing = compat ? -1 : sms__hard_refuses(device, fit, none);
    if (refusing >= 0)
        sms__complain(reader, kernel->node,
                      "kernel '%.60s' of VM '%.60s' fits no SM of %s: a block takes %.6g %% of '%.60s'", kernel->name,
                      vm->name, device->name, fit->demand[refusing] / SMS_FULL * 100, device->resource[refusing].name);
    fit->per_sm = sms__blocks_per_sm(device->view.capacity, fit->needs, &binds);
    fit->work_ps = kernel->block_time.cycles ? sms__cycles_to_ps(kernel->block_time.value, device->clock_hz)
                                             : kernel->block_time.value;
    fit->work = fit->work_ps <= SMS__TIME_MAX_PS ? (uint64_t)(fit->work_ps + 0.5) : 0;
    if (fit->work_ps < 1 || fit->work_ps > SMS__TIME_MAX_PS)
        sms__complain(reader, kernel->node, "block_time of kernel '%.60s' on %s is not between 1 ps and 104 days",
                      kernel->name, device->name);
}

static struct sms__fit *fit_vm(struct sms__reader *reader, const struct sms__vm *vm, const struct sms__device *device,
                               bool compat)
{
    struct sms__fit *fit = SMS__NEW(reader->arena, struct sms__fit, vm->workload->kernels);
    for (size_t k = 0; k < vm->workload->kernels; k++)
        fit_kernel(reader, vm, &vm->workload->kernel[k], device, &fit[k], compat);
    return fit;
}

/* Equal devices share the fits; they stand next to each other. */
static void fit_all(struct sms__reader *reader, struct sms_scenario *scenario, struct sms__vm *vm)
{
    vm->fit = SMS__NEW(reader->arena, const struct sms__fit *, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++) {
        bool same = d > 0 && scenario->device[d] == scenario->device[d - 1];
        vm->fit[d] = same ? vm->fit[d - 1] : fit_vm(reader, vm, scenario->device[d], scenario->compat);
    }
}

/* Whether some SM, with nothing but its background, takes the block. */
static bool placeable(const struct sms__policy_use *use, const struct sms__device *device, const struct sms__fit *fit)
{
    const uint64_t none[SMS_LIMITS] = {0};
    const struct sms_block_request request = {fit->adds, fit->needs};
    if (!use->policy->admits)
        return true;
    double empty[SMS_RESOURCES_MAX] = {0};
    struct sms_sm_view view = {0, empty, none};
    if (device->backgrounds < device->sms)
        return use->policy->admits(use->param, &device->view, &view, &request) == SMS_ADMIT;
    return true; /* every SM has a background: the run will tell */
}

/* Of a resource of the whole device a block takes more where there are fewer SMs. Equal devices stand together. */
static bool placeable_everywhere(const struct sms__policy_use *use, const struct sms_scenario *scenario,
                                 const struct sms__vm *vm, size_t kernel)
{
    bool placed = true;
    for (size_t d = 0; placed && d < scenario->devices; d++)
        if (d == 0 || scenario->device[d] != scenario->device[d - 1])
            placed = placeable(use, scenario->device[d], &vm->fit[d][kernel]);
    return placed;
}

static void check_policy(struct sms__reader *reader, const struct sms_scenario *scenario,
                         const struct sms__policy_use *use)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__vm *vm = &scenario->vm[v];
        for (size_t k = 0; k < vm->workload->kernels; k++)
            if (!placeable_everywhere(use, scenario, vm, k))
                sms__complain(reader, use->node,
                              "%s would never place a block of kernel '%.60s' of VM '%.60s': "
                              "its demand is over the limit on an empty SM",
                              use->label, vm->workload->kernel[k].name, vm->name);
    }
}

static void check_curves(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t c = 0; scenario->curves && c < scenario->curves->count; c++)
        if (sms__resource_index(scenario->device[0], scenario->curves->resource[c]) < 0)
            sms__complain_unknown(reader, scenario->curves->node[c], "resource", scenario->device[0]->resources,
                                  resource_name, scenario->device[0]);
}

/* On every device: a copy without a link takes none. */
static bool takes_time(const struct sms_scenario *scenario, const struct sms__workload *workload)
{
    bool linked = true;
    for (size_t d = 0; d < scenario->devices; d++)
        linked &= scenario->device[d]->link_bandwidth > 0;
    for (size_t i = 0; i < workload->steps; i++) {
        const struct sms__step *step = &workload->step[i];
        bool copy = step->kind == SMS__COPY_IN || step->kind == SMS__COPY_OUT;
        if (step->kind == SMS__LAUNCH || (step->amount >= 1 && (linked || !copy)))
            return true;
    }
    return false;
}

static const char *policy_label(const void *user, size_t i)
{
    return ((const struct sms_scenario *)user)->policy[i].label;
}

static void check_label(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__expect *e,
                        const char *key, const char *label)
{
    if (!label)
        return;
    for (size_t i = 0; i < scenario->policies; i++)
        if (!strcmp(scenario->policy[i].label, label))
            return;
    sms__complain_unknown(reader, sms__node_get(e->node, key), "policy of this scenario", scenario->policies,
                          policy_label, scenario);
}

static const char *vm_name(const void *user, size_t i) { return ((const struct sms_scenario *)user)->vm[i].name; }

static void check_subject(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__expect *e)
{
    bool vm_found = !e->vm;
    for (size_t v = 0; e->vm && v < scenario->vms; v++)
        vm_found |= !strcmp(scenario->vm[v].name, e->vm);
    if (!vm_found)
        sms__complain_unknown(reader, sms__node_get(e->node, "vm"), "VM", scenario->vms, vm_name, scenario);
    if (e->resource && sms__resource_index(scenario->device[0], e->resource) < 0)
        sms__complain_unknown(reader, sms__node_get(e->node, "resource"), "resource", scenario->device[0]->resources,
                              resource_name, scenario->device[0]);
    if (e->vm && e->resource)
        sms__complain(reader, e->node, "of a VM or of a resource, not both");
}

static const char *metric_name(const void *user, size_t i) { return ((const struct sms_metric *)user)[i].name; }

static void check_metric(struct sms__reader *reader, const struct sms__expect *e)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(e->vm ? SMS_VM : e->resource ? SMS_RESOURCE : SMS_HOST, &count);
    if (!strcmp(e->metric, "gain")) {
        if (!e->over)
            sms__complain(reader, e->node, "a gain is over another policy: key 'over' is missing");
        return;
    }
    for (size_t m = 0; m < count; m++)
        if (!strcmp(metric[m].name, e->metric))
            return;
    sms__complain_unknown(reader, sms__node_get(e->node, "metric"), "metric", count, metric_name, metric);
}

static void check_expects(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t i = 0; i < scenario->expects; i++) {
        const struct sms__expect *e = &scenario->expect[i];
        if (!e->metric || !e->policy)
            continue;
        check_metric(reader, e);
        check_label(reader, scenario, e, "policy", e->policy);
        check_label(reader, scenario, e, "over", e->over);
        check_subject(reader, scenario, e);
    }
}

static void check_vm(struct sms__reader *reader, struct sms_scenario *scenario, struct sms__vm *vm)
{
    if (vm->repeat == 0 && scenario->duration_ps <= 0)
        sms__complain(reader, vm->node, "VM '%.60s' repeats forever: the run needs a duration", vm->name);
    if (scenario->compat == SMS__COMPAT_OFF && scenario->duration_ps > 0 && vm->start_ps >= scenario->duration_ps)
        sms__complain(reader, sms__node_get(vm->node, "start"), "VM '%.60s' starts when the run is over", vm->name);
    if (vm->repeat != 1 && !takes_time(scenario, vm->workload))
        sms__complain(reader, vm->node, "a job of VM '%.60s' takes no time and repeats", vm->name);
}

/* A table and its resources have one order on all devices of a scenario. */
static void check_devices(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__device *first = scenario->device[0];
    for (size_t d = 1; d < scenario->devices; d++) {
        const struct sms__device *other = scenario->device[d];
        bool same = other->resources == first->resources;
        for (size_t r = 0; same && r < first->resources; r++)
            same = !strcmp(other->resource[r].name, first->resource[r].name);
        if (same)
            continue;
        sms__complain(reader, scenario->node, "devices %s and %s have different resources; a scenario needs one set",
                      first->name, other->name);
        return;
    }
}

static bool require(struct sms__reader *reader, const struct sms__node *node, const char *key, size_t count)
{
    const struct sms__node *list = sms__node_get(node, key);
    if (count == 0 && list && list->kind == SMS__LIST && list->items == 0)
        sms__complain(reader, list, "%s: there are none", key);
    return count > 0;
}

/* What a run needs grows with the scenario, not with time; one that needs more is refused, not begun. */
#define MEMORY_MAX (4.0 * 1024 * 1024 * 1024)

struct need {
    const char *key, *what;
    double bytes;
};

enum { NEED_SMS, NEED_JOBS, NEED_STATISTICS, NEED_FITS, NEED_VALUES, NEEDS };

/* About what the levels, the record and the results allocate for each. */
static void estimate(const struct sms_scenario *scenario, struct need need[NEEDS])
{
    const bool compat = scenario->compat != SMS__COMPAT_OFF; /* one job a VM and no stand-alone runs */
    const double slot = 104, sm = 320, job = 320, statistics = compat ? 200 : 60000, fit = 512, pointer = 8, value = 8;
    double devices = (double)scenario->devices, vms = (double)scenario->vms, kernels = 0, streams = 0;
    double sms = 0, slots = 0, kinds_of_device = 0;
    for (size_t v = 0; v < scenario->vms; v++) {
        kernels += (double)scenario->vm[v].workload->kernels;
        streams += (double)scenario->vm[v].streams;
    }
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        sms += (double)device->sms;
        slots += (double)device->sms * (double)device->sm.blocks;
        kinds_of_device += d == 0 || device != scenario->device[d - 1];
    }
    double runs = (double)scenario->policies * (double)scenario->replications;
    need[NEED_SMS] = (struct need){"devices", "the blocks that all SMs hold", (compat ? 0 : slots * slot) + sms * sm};
    need[NEED_JOBS] = (struct need){"vms", "the jobs under way at once on all devices", streams * devices * job};
    need[NEED_STATISTICS] = (struct need){"vms", "the statistics of VMs and kernels", (vms + kernels) * statistics};
    need[NEED_FITS] =
        (struct need){"vms", "every kernel on every device",
                      kernels * (kinds_of_device * fit + devices * 192 + sms / 8) + vms * devices * pointer};
    double values = runs * (vms * 18 + kernels * 9 + SMS_RESOURCES_MAX * 4 + 16);
    double alone = compat ? 0 : vms * (double)scenario->replications * 2;
    need[NEED_VALUES] = (struct need){"run", "the values of every replication", (values + alone) * value};
}

static bool fits_in_memory(struct sms__reader *reader, struct sms_file *file, const struct sms_scenario *scenario)
{
    struct need need[NEEDS], *most = need;
    estimate(scenario, need);
    file->bytes += (double)scenario->devices * 16 + need[NEED_FITS].bytes;
    double sum = file->bytes - need[NEED_FITS].bytes;
    for (int i = 0; i < NEEDS; i++) {
        sum += need[i].bytes;
        most = need[i].bytes > most->bytes ? &need[i] : most;
    }
    if (sum <= MEMORY_MAX)
        return true;
    const struct sms__node *at = sms__node_get(scenario->node, most->key);
    sms__complain(reader, at ? at : scenario->node,
                  "the scenario needs about %.3g GiB of memory, more than %g, most for %s", sum / (1 << 30),
                  MEMORY_MAX / (1 << 30), most->what);
    return false;
}

void sms__link_scenario(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    bool whole = require(reader, scenario->node, "devices", scenario->devices);
    whole &= scenario->compat != SMS__COMPAT_OFF || require(reader, scenario->node, "vms", scenario->vms);
    whole &= require(reader, scenario->node, "policies", scenario->policies);
    for (size_t v = 0; v < scenario->vms; v++)
        whole &= scenario->vm[v].workload != NULL;
    if (!whole || reader->errors->count)
        return;
    if (!fits_in_memory(reader, file, scenario))
        return;
    check_devices(reader, scenario);
    for (size_t v = 0; v < scenario->vms; v++) {
        check_vm(reader, scenario, &scenario->vm[v]);
        fit_all(reader, scenario, &scenario->vm[v]);
    }
    check_curves(reader, scenario);
    if (scenario->compat != SMS__COMPAT_OFF)
        sms__check_compat(reader, scenario);
    check_expects(reader, scenario);
    if (scenario->compat != SMS__COMPAT_OFF)
        return; /* a block that never fits just waits there */
    for (size_t p = 0; p < scenario->policies && !reader->errors->count; p++)
        check_policy(reader, scenario, &scenario->policy[p]);
    if (!reader->errors->count)
        check_policy(reader, scenario, scenario->alone);
}
