/* Complains of policies under which something could never run: a block that no SM would admit, kernels that cannot be
 * beside each other. */
#include "scenario.h"

#include <string.h>

static bool has_background(const struct sms__device *device, size_t sm)
{
    bool has = false;
    for (size_t i = 0; i < device->backgrounds; i++)
        has |= device->background[i].sm == sm;
    return has;
}

/* A policy that is asked about a launch alone on an empty device. */
struct probe {
    const struct sms__policy_use *use;
    char *of_run, *of_launch; /* its state */
    size_t tenant, tenants;
};

/* The launch has just come. */
static struct sms_block_request launch_alone(const struct probe *probe, const struct sms__tenant *vm, size_t kernel,
                                             const struct sms__footprint *fit)
{
    const struct sms_block_policy *policy = probe->use->policy;
    memset(probe->of_run, 0, policy->run_bytes + probe->tenants * policy->tenant_bytes);
    memset(probe->of_launch, 0, policy->launch_bytes);
    return (struct sms_block_request){.adds = fit->adds,
                                      .needs = fit->needs,
                                      .tenant = probe->tenant,
                                      .tenants = probe->tenants,
                                      .tenant_name = vm->name,
                                      .kernel_name = vm->workload->kernel[kernel].name,
                                      .launch = 1,
                                      .waiting = vm->workload->kernel[kernel].blocks,
                                      .deadline_ps = UINT64_MAX,
                                      .of_run = probe->of_run,
                                      .of_launch = probe->of_launch};
}

/* Whether some SM of the row, or of all, takes the block. If only SMs with a background may do so, the run will tell.
 * A pure policy treats all others alike. */
static bool is_placeable(const struct probe *probe, const struct sms__device *device, const uint64_t *row,
                         const struct sms_block_request *request)
{
    const struct sms_block_policy *policy = probe->use->policy;
    const uint64_t none[SMS_LIMITS] = {0};
    const double empty[SMS_RESOURCES_MAX] = {0};
    if (policy->note)
        policy->note(probe->use->param, &device->view, SMS_BLOCKS_LAUNCHED, NULL, request, request->waiting);
    for (size_t s = 0; s < device->sms; s++) {
        struct sms_sm_view view = {s, empty, none};
        if (!has_background(device, s) && (!row || sms__has_sm(row, s)) &&
            policy->admits(probe->use->param, &device->view, &view, request) == SMS_ADMIT)
            return true;
    }
    return device->backgrounds >= (policy->promises & SMS_PURE ? device->sms : 1);
}

/* A block takes more of a resource of the whole device where there are fewer SMs. */
static bool is_placeable_everywhere(const struct probe *probe, const struct sms_scenario *scenario, size_t v,
                                    size_t kernel)
{
    bool placed = true;
    const struct sms__tenant *vm = &scenario->vm[v];
    const struct sms__instances *instances = probe->use->instances;
    const struct sms__device *const *device = instances ? instances->device : scenario->device;
    const struct sms__footprint *const *fit = instances ? instances->fit[v] : vm->fit;
    for (size_t d = 0; placed && d < (instances ? instances->count : scenario->devices); d++) {
        if (!fit[d] || (d > 0 && device[d] == device[d - 1]))
            continue;
        struct sms_block_request request = launch_alone(probe, vm, kernel, &fit[d][kernel]);
        placed = is_placeable(probe, device[d], NULL, &request);
    }
    return placed;
}

/* The kernels of the stream on the SMs of its green context. */
static bool is_placeable_on(const struct probe *probe, const struct sms__site *site, const struct sms__footprint *fit,
                            const struct sms__tenant *vm, size_t stream, const uint64_t *row)
{
    const struct sms__choice *choice = &vm->choice[vm->own ? stream : 0];
    bool placed = true;
    for (size_t k = 0; k < choice->workload->kernels && placed; k++) {
        const struct sms_block_request request = launch_alone(probe, vm, choice->first + k, &fit[choice->first + k]);
        placed = choice->workload->kernel[k].whole || is_placeable(probe, site->device, row, &request);
    }
    return placed;
}

/* Green contexts of a process that has all SMs of the site, so that theirs are known before it comes. */
static void check_greens_at(struct sms__reader *reader, const struct probe *probe, const struct sms__site *site,
                            const struct sms__footprint *fit, const struct sms__tenant *vm)
{
    const size_t sms = site->device->sms;
    const struct sms__sm_choice from = {NULL, SMS__NEW(reader->arena, uint32_t, sms), sms, sms};
    for (size_t s = 0; s < vm->streams; s++) {
        const struct sms__green *green = vm->stream[s].green;
        if (!green || (s > 0 && vm->stream[s - 1].green == green))
            continue;
        uint64_t *row = SMS__NEW(reader->arena, uint64_t, (sms + 63) / 64);
        sms__choose_green(&from, green, site->device, row);
        if (!is_placeable_on(probe, site, fit, vm, s, row) && !sms__has_error(reader->errors, &green->node->mark, NULL))
            sms__complain(reader, green->node,
                          "%s would never place a block of process '%.60s' on the SMs of this green context",
                          probe->use->label, vm->name);
    }
}

static void check_greens(struct sms__reader *reader, const struct sms_scenario *scenario, struct probe *probe, size_t v)
{
    const struct sms__policy_use *use = probe->use;
    const struct sms__tenant *vm = &scenario->vm[v];
    const bool known = scenario->shares && !(use->policy->promises & SMS_PURE) && !use->share->repartitions;
    struct sms__site site;
    for (size_t i = 0; known && (site = sms__site_of(scenario, use, i)).device; i++) {
        if (!vm->stream || !sms__site_takes(&site, vm) || sms__mode_sms(site.mode, site.device, vm) < site.device->sms)
            continue;
        probe->tenant = sms__tenants_at(scenario, &site, 0, v);
        probe->tenants = sms__tenants_at(scenario, &site, 0, scenario->vms);
        check_greens_at(reader, probe, &site, use->instances ? use->instances->fit[v][i] : vm->fit[i], vm);
    }
    probe->tenants = scenario->vms;
}

static void check_policy(struct sms__reader *reader, const struct sms_scenario *scenario,
                         const struct sms__policy_use *use)
{
    const struct sms_block_policy *policy = use->policy;
    struct probe probe = {use, NULL, NULL, 0, scenario->vms};
    probe.of_run = sms__alloc(reader->arena, 1, policy->run_bytes + scenario->vms * policy->tenant_bytes);
    probe.of_launch = sms__alloc(reader->arena, 1, policy->launch_bytes);
    for (size_t v = 0; policy->admits && v < scenario->vms; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        probe.tenant = v;
        for (size_t k = 0; !sms__is_like_last(scenario->vm, v) && k < vm->workload->kernels; k++)
            if (!vm->workload->kernel[k].whole && !is_placeable_everywhere(&probe, scenario, v, k))
                sms__complain(reader, use->node,
                              "%s would never place a block of kernel '%.60s' of %s '%.60s': "
                              "no SM admits one, even while it is empty",
                              use->label, vm->workload->kernel[k].name, sms__tenant_word(scenario), vm->name);
        check_greens(reader, scenario, &probe, v);
    }
}

void sms__check_policies(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t p = 0; p < scenario->policies && !reader->errors->count; p++)
        check_policy(reader, scenario, &scenario->policy[p]);
    if (!reader->errors->count)
        check_policy(reader, scenario, scenario->alone);
}

/* True if both may be on a device, or instance, where kernels of different processes run at once. */
static bool may_meet(const struct sms_scenario *scenario, const struct sms__policy_use *use,
                     const struct sms__tenant *one, const struct sms__tenant *other)
{
    struct sms__site site;
    bool meet = scenario->cluster && sms__mode_runs_beside(&use->mode);
    for (size_t i = 0; !scenario->cluster && (site = sms__site_of(scenario, use, i)).device && !meet; i++)
        meet = sms__mode_runs_beside(site.mode) && sms__site_takes(&site, one) && sms__site_takes(&site, other);
    return meet && !sms__are_apart(one, other);
}

/* Whether there are kernels of both kinds, of different processes that may meet: reports them. */
static bool is_mixed(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__policy_use *use,
                     const struct sms__tenant *vm)
{
    const struct sms__kernel *whole = sms__find_kernel(vm->workload, true);
    for (size_t v = 0; whole && v < scenario->vms; v++) {
        const struct sms__tenant *other = &scenario->vm[v];
        const struct sms__kernel *block = other == vm ? NULL : sms__find_kernel(other->workload, false);
        if (!block || !may_meet(scenario, use, vm, other))
            continue;
        sms__complain_mixed(reader, use->node, sms__print(reader->arena, "%s runs", use->mode.label), whole, vm->name,
                            block, other->name);
        return true;
    }
    return false;
}

/* A background is on single SMs, and a coarse kernel on all alike, so how one slows the other is not known. */
void sms__check_backgrounds(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        const bool made = scenario->cluster && scenario->fidelity == SMS__AS_PROCESSES;
        const struct sms__kernel *whole =
            made && vm->workload->kernels ? vm->workload->kernel : sms__find_kernel(vm->workload, true);
        size_t d = 0;
        while (d < scenario->devices && !(scenario->device[d]->backgrounds && sms__may_be_on(vm, d)))
            d++;
        if (whole && d < scenario->devices) {
            sms__complain(reader, whole->node, "kernel '%.60s' of %s '%.60s' is %s: %s has a background", whole->name,
                          sms__tenant_word(scenario), vm->name,
                          whole->whole ? "given by its time" : "coarse under fidelity: processes",
                          scenario->device[d]->name);
            return;
        }
    }
}

void sms__check_modes(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    bool in_blocks = !scenario->cluster || scenario->fidelity == SMS__AS_BLOCKS;
    for (size_t p = 0; p < scenario->policies && in_blocks; p++) {
        const struct sms__policy_use *use = &scenario->policy[p];
        bool together = sms__mode_runs_beside(&use->mode);
        for (size_t v = 0; v < scenario->vms && together; v++)
            together = !is_mixed(reader, scenario, use, &scenario->vm[v]);
    }
}
