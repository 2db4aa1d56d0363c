/* Checks a scenario's parts against each other, and works out what runs need:
 * each kernel's demand and needs on each device. */
#include "effort.h"
#include "file.h"
#include "scenario.h"

#include <string.h>

static const char *resource_name(const void *user, size_t i)
{
    return ((const struct sms__device *)user)->resource[i].name;
}

/* Equal devices share the fits; they stand next to each other. */
static void fit_all(struct sms__reader *reader, struct sms_scenario *scenario, struct sms__vm *vm)
{
    if (sms__is_like_last(scenario, (size_t)(vm - scenario->vm))) {
        vm->fit = vm[-1].fit;
        return;
    }
    vm->fit = SMS__NEW(reader->arena, const struct sms__fit *, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++) {
        bool same = d > 0 && scenario->device[d] == scenario->device[d - 1];
        vm->fit[d] = same ? vm->fit[d - 1] : sms__fit_tenant(reader, scenario, vm, scenario->device[d], NULL);
    }
}

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
    size_t tenants;
};

/* The launch has just come. */
static struct sms_block_request launch_alone(const struct probe *probe, const struct sms__vm *vm, size_t tenant,
                                             size_t kernel, const struct sms__fit *fit)
{
    const struct sms_block_policy *policy = probe->use->policy;
    memset(probe->of_run, 0, policy->run_bytes + probe->tenants * policy->tenant_bytes);
    memset(probe->of_launch, 0, policy->launch_bytes);
    return (struct sms_block_request){.adds = fit->adds,
                                      .needs = fit->needs,
                                      .tenant = tenant,
                                      .tenants = probe->tenants,
                                      .tenant_name = vm->name,
                                      .kernel_name = vm->workload->kernel[kernel].name,
                                      .launch = 1,
                                      .waiting = vm->workload->kernel[kernel].blocks,
                                      .deadline_ps = UINT64_MAX,
                                      .of_run = probe->of_run,
                                      .of_launch = probe->of_launch};
}

/* Whether some SM takes the block. Of SMs with a background the run will tell, if those may be the ones: all are alike
 * to a policy that looks at nothing else. */
static bool placeable(const struct probe *probe, const struct sms__device *device,
                      const struct sms_block_request *request)
{
    const struct sms_block_policy *policy = probe->use->policy;
    const uint64_t none[SMS_LIMITS] = {0};
    const double empty[SMS_RESOURCES_MAX] = {0};
    if (policy->note)
        policy->note(probe->use->param, &device->view, SMS_BLOCKS_LAUNCHED, NULL, request, request->waiting);
    for (size_t s = 0; s < device->sms; s++) {
        struct sms_sm_view view = {s, empty, none};
        if (!has_background(device, s) && policy->admits(probe->use->param, &device->view, &view, request) == SMS_ADMIT)
            return true;
    }
    return device->backgrounds >= (policy->promises & SMS_PURE ? device->sms : 1);
}

/* Of a resource of the whole device a block takes more where there are fewer SMs. Equal devices stand together. */
static bool placeable_everywhere(const struct probe *probe, const struct sms_scenario *scenario,
                                 const struct sms__vm *vm, size_t kernel)
{
    bool placed = true;
    const struct sms__instances *instances = probe->use->instances;
    const struct sms__device *const *device = instances ? instances->device : scenario->device;
    const struct sms__fit *const *fit = instances ? instances->fit[vm - scenario->vm] : vm->fit;
    for (size_t d = 0; placed && d < (instances ? instances->count : scenario->devices); d++) {
        if (d > 0 && device[d] == device[d - 1])
            continue;
        struct sms_block_request request =
            launch_alone(probe, vm, (size_t)(vm - scenario->vm), kernel, &fit[d][kernel]);
        placed = placeable(probe, device[d], &request);
    }
    return placed;
}

static void check_policy(struct sms__reader *reader, const struct sms_scenario *scenario,
                         const struct sms__policy_use *use)
{
    const struct sms_block_policy *policy = use->policy;
    struct probe probe = {use, NULL, NULL, scenario->vms};
    probe.of_run = sms__alloc(reader->arena, 1, policy->run_bytes + scenario->vms * policy->tenant_bytes);
    probe.of_launch = sms__alloc(reader->arena, 1, policy->launch_bytes);
    for (size_t v = 0; policy->admits && v < scenario->vms; v++) {
        const struct sms__vm *vm = &scenario->vm[v];
        for (size_t k = 0; !sms__is_like_last(scenario, v) && k < vm->workload->kernels; k++)
            if (!vm->workload->kernel[k].whole && !placeable_everywhere(&probe, scenario, vm, k))
                sms__complain(reader, use->node,
                              "%s would never place a block of kernel '%.60s' of %s '%.60s': "
                              "no SM admits one, even while it is empty",
                              use->label, vm->workload->kernel[k].name, sms__tenant_word(scenario), vm->name);
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
        if (step->kind == SMS__LAUNCH || (step->amount >= 1 && (copy ? linked : step->kind == SMS__HOST)))
            return true;
    }
    return false;
}

static const char *policy_label(const void *user, size_t i)
{
    return ((const struct sms_scenario *)user)->policy[i].label;
}

static void check_label(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__expect *e,
                        const char *key, const char **label)
{
    if (!*label)
        return;
    for (size_t i = 0; i < scenario->policies; i++) {
        if (!sms__is_labelled(&scenario->policy[i], *label))
            continue;
        *label = scenario->policy[i].label;
        return;
    }
    sms__complain_unknown(reader, sms__node_get(e->node, key), "policy of this scenario", scenario->policies,
                          policy_label, scenario);
}

static const char *vm_name(const void *user, size_t i) { return ((const struct sms_scenario *)user)->vm[i].name; }

static void check_tenant(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__expect *e,
                         const char *key, const char *name)
{
    bool found = !name;
    for (size_t v = 0; name && v < scenario->vms; v++)
        found |= !strcmp(scenario->vm[v].name, name);
    if (!found)
        sms__complain_unknown(reader, sms__node_get(e->node, key), sms__tenant_word(scenario), scenario->vms, vm_name,
                              scenario);
}

static const char *row_name(const void *user, size_t i) { return ((const char *const *)user)[i]; }

static void check_node(struct sms__reader *reader, const struct sms__cluster *cluster, const struct sms__expect *e)
{
    char name[256];
    bool found = !e->of_node;
    for (size_t i = 0; i < cluster->rows && !found; i++) {
        sms__row_name(cluster, i, name, sizeof name);
        found = !strcmp(name, e->of_node);
    }
    if (found)
        return;
    const char **names = SMS__NEW(reader->arena, const char *, cluster->rows);
    for (size_t i = 0; i < cluster->rows; i++) {
        sms__row_name(cluster, i, name, sizeof name);
        names[i] = sms__print(reader->arena, "%s", name);
    }
    sms__complain_unknown(reader, sms__node_get(e->node, "node"), "node", cluster->rows, row_name, names);
}

static void check_subject(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__expect *e)
{
    if (e->cluster) {
        if (e->vm || e->process || e->resource || e->device >= 0)
            sms__complain(reader, e->node, "a cluster and its nodes have metrics, and nothing else");
        check_node(reader, scenario->cluster, e);
        return;
    }
    if (e->of_node)
        sms__complain(reader, sms__node_get(e->node, "node"), "there are no nodes in a scenario of devices");
    check_tenant(reader, scenario, e, "vm", e->vm);
    check_tenant(reader, scenario, e, "process", e->process);
    if (e->process && !scenario->shares)
        sms__complain(reader, e->node, "there are no processes in a scenario with vms");
    if (e->device >= 0 && !scenario->shares)
        sms__complain(reader, e->node, "devices have metrics in scenarios with processes");
    else if (e->device >= (long)scenario->devices)
        sms__complain(reader, sms__node_get(e->node, "device"), "there is no device %ld; the scenario has %zu",
                      e->device, scenario->devices);
    if (e->resource && sms__resource_index(scenario->device[0], e->resource) < 0)
        sms__complain_unknown(reader, sms__node_get(e->node, "resource"), "resource", scenario->device[0]->resources,
                              resource_name, scenario->device[0]);
    if ((e->vm != NULL) + (e->process != NULL) + (e->resource != NULL) + (e->device >= 0) > 1)
        sms__complain(reader, e->node, "of one of vm, process, device, resource, not of several");
}

static const char *metric_name(const void *user, size_t i) { return ((const struct sms_metric *)user)[i].name; }

enum sms_subject sms__expect_subject(const struct sms__expect *e)
{
    return e->of_node       ? SMS_NODE
           : e->cluster     ? SMS_CLUSTER
           : e->vm          ? SMS_VM
           : e->process     ? SMS_PROCESS
           : e->device >= 0 ? SMS_DEVICE
           : e->resource    ? SMS_RESOURCE
                            : SMS_HOST;
}

const struct sms_metric *sms__find_metric(enum sms_subject subject, const char *name)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t m = 0; m < count; m++)
        if (!strcmp(metric[m].name, name))
            return &metric[m];
    return NULL;
}

static void check_metric(struct sms__reader *reader, const struct sms__expect *e)
{
    const struct sms__node *name = sms__node_get(e->node, "metric");
    size_t count;
    const struct sms_metric *metric = sms_metrics(sms__expect_subject(e), &count);
    if (!strcmp(e->metric, "gain") && !e->cluster) {
        if (!e->over)
            sms__complain(reader, e->node, "a gain is over another policy: key 'over' is missing");
        return;
    }
    if (sms__find_metric(sms__expect_subject(e), e->metric))
        return;
    if (e->of_node && sms__find_metric(SMS_CLUSTER, e->metric))
        sms__complain(reader, name, "'%s' is a metric of the cluster, not of a node of it", e->metric);
    else if (e->cluster && sms__find_metric(SMS_NODE, e->metric))
        sms__complain(reader, name, "'%s' is a metric of a node: key 'node' says of which", e->metric);
    else
        sms__complain_unknown(reader, name, "metric", count, metric_name, metric);
}

void sms__check_expect(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__expect *e)
{
    check_metric(reader, e);
    check_subject(reader, scenario, e);
}

/* What is asked is what is to be known. */
static void take_answer(struct sms__expect *of, const struct sms__expect *answer)
{
    const struct sms__node *node = of->node;
    *of = *answer;
    of->node = node;
}

static void check_until(struct sms__reader *reader, struct sms_scenario *scenario)
{
    struct sms__expect *of = &scenario->until.of;
    const struct sms__until *until = &scenario->until;
    if (until->most < scenario->replications)
        sms__complain(reader, until->node, "at most %llu replications are fewer than the %llu that the run begins with",
                      (unsigned long long)until->most, (unsigned long long)scenario->replications);
    of->cluster = scenario->cluster != NULL;
    if (!of->metric && !of->vm && !of->process && !of->of_node)
        take_answer(of, &scenario->answer.of);
    if (!of->metric)
        of->metric = of->cluster ? "gpu_allocation_mean_ratio" : of->process ? "turnaround_ns" : "kernels_per_s";
    if (!strcmp(of->metric, "gain"))
        sms__complain(reader, of->node, "a gain is of two policies, and a precision of each: name another metric");
    else
        check_metric(reader, of);
    check_subject(reader, scenario, of);
}

void sms__check_expects(struct sms__reader *reader, struct sms_scenario *scenario)
{
    sms__link_answer(reader, scenario);
    if (scenario->until.node)
        check_until(reader, scenario);
    for (size_t i = 0; i < scenario->expects; i++) {
        struct sms__expect *e = &scenario->expect[i];
        if (!e->metric || !e->policy)
            continue;
        check_metric(reader, e);
        check_label(reader, scenario, e, "policy", &e->policy);
        check_label(reader, scenario, e, "over", &e->over);
        check_subject(reader, scenario, e);
    }
}

/* Whether what does the i-th of its workloads does it more than once. */
static bool repeats(const struct sms__vm *vm, size_t i)
{
    return (vm->process && vm->process->own ? vm->process->stream[i].repeat : vm->repeat) != 1;
}

static void check_vm(struct sms__reader *reader, struct sms_scenario *scenario, struct sms__vm *vm)
{
    const char *word = sms__tenant_word(scenario);
    const struct sms__node *start = sms__node_get(vm->node, "start");
    const struct sms__workload *workload;
    size_t first;
    if (scenario->compat == SMS__COMPAT_OFF && scenario->duration_ps > 0 && vm->start_ps >= scenario->duration_ps)
        sms__complain(reader, start ? start : vm->node, "%s '%.60s' starts when the run is over", word, vm->name);
    if (sms__is_like_last(scenario, (size_t)(vm - scenario->vm)))
        return;
    if (vm->repeat == 0 && scenario->duration_ps <= 0)
        sms__complain(reader, vm->node, "%s '%.60s' repeats forever: the run needs a duration", word, vm->name);
    for (size_t i = 0; vm->repeat != 1 && (workload = sms__workload_of(vm, i, &first)); i++)
        if (repeats(vm, i) && !takes_time(scenario, workload))
            sms__complain(reader, vm->node, "a job of %s '%.60s' takes no time and repeats", word, vm->name);
}

/* Memory that processes ask for is of devices that say how much they have. */
static void check_process(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__vm *vm)
{
    const struct sms__workload *workload = vm->workload;
    if (sms__is_like_last(scenario, (size_t)(vm - scenario->vm)))
        return;
    if (vm->process->device >= (long)scenario->devices)
        sms__complain(reader, sms__node_get(vm->node, "device"), "there is no device %ld; the scenario has %zu",
                      vm->process->device, scenario->devices);
    bool takes = workload->declared || workload->statics > 0 || scenario->host.context_bytes > 0;
    for (size_t d = 0; takes && d < scenario->devices; d++)
        if (scenario->device[d]->memory == 0) {
            sms__complain(reader, vm->node, "%s '%.60s' takes device memory, and %s does not say how much it has",
                          sms__tenant_word(scenario), vm->name, scenario->device[d]->name);
            return;
        }
}

static const struct sms__kernel *first_kernel(const struct sms__vm *vm, bool whole)
{
    for (size_t k = 0; k < vm->workload->kernels; k++)
        if (vm->workload->kernel[k].whole == whole)
            return &vm->workload->kernel[k];
    return NULL;
}

/* Whether there are kernels of both kinds, of different processes that may be on one device: reports them. */
static bool is_mixed(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__policy_use *use,
                     const struct sms__vm *vm)
{
    const struct sms__kernel *whole = first_kernel(vm, true);
    for (size_t v = 0; whole && v < scenario->vms; v++) {
        const struct sms__vm *other = &scenario->vm[v];
        const struct sms__kernel *block = other == vm ? NULL : first_kernel(other, false);
        bool apart =
            vm->process->device >= 0 && other->process->device >= 0 && vm->process->device != other->process->device;
        if (!block || apart)
            continue;
        sms__complain(reader, use->node,
                      "%s runs kernels beside each other that are all given by time or all by blocks; "
                      "'%.60s' of '%.60s' is by time, '%.60s' of '%.60s' by blocks",
                      use->mode.label, whole->name, vm->name, block->name, other->name);
        return true;
    }
    return false;
}

static void check_mode(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__policy_use *use)
{
    bool in_blocks = !scenario->cluster || scenario->fidelity == SMS__AS_BLOCKS;
    bool mixed = !in_blocks || !sms__mode_runs_beside(&use->mode);
    for (size_t v = 0; v < scenario->vms && !mixed; v++)
        mixed = is_mixed(reader, scenario, use, &scenario->vm[v]);
    if (use->mode.instances)
        sms__build_instances(reader, scenario, use);
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

void sms__link_tenants(struct sms__reader *reader, struct sms_scenario *scenario)
{
    bool processes = scenario->shares || scenario->cluster;
    check_devices(reader, scenario);
    sms__check_classes(reader, scenario);
    for (size_t v = 0; v < scenario->vms; v++) {
        check_vm(reader, scenario, &scenario->vm[v]);
        if (processes)
            check_process(reader, scenario, &scenario->vm[v]);
        fit_all(reader, scenario, &scenario->vm[v]);
    }
    check_curves(reader, scenario);
    if (scenario->compat != SMS__COMPAT_OFF)
        sms__check_compat(reader, scenario);
    sms__check_expects(reader, scenario);
    if (scenario->compat != SMS__COMPAT_OFF)
        return; /* a block that never fits just waits there */
    bool sound = reader->errors->count == 0;
    for (size_t p = 0; p < scenario->policies && processes && sound; p++)
        check_mode(reader, scenario, &scenario->policy[p]);
    for (size_t p = 0; p < scenario->policies && !reader->errors->count; p++)
        check_policy(reader, scenario, &scenario->policy[p]);
    if (!reader->errors->count)
        check_policy(reader, scenario, scenario->alone);
}

void sms__link_scenario(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    if (scenario->cluster) {
        sms__link_cluster(reader, file, scenario);
        return;
    }
    bool whole = require(reader, scenario->node, "devices", scenario->devices);
    if (scenario->shares && scenario->compat != SMS__COMPAT_OFF)
        sms__complain(reader, sms__node_get(scenario->node, "compat"), "compat simtbs knows no processes");
    const char *tenants = scenario->shares ? "processes" : "vms";
    whole &= scenario->compat != SMS__COMPAT_OFF || require(reader, scenario->node, tenants, scenario->vms);
    whole &= require(reader, scenario->node, "policies", scenario->policies);
    for (size_t v = 0; v < scenario->vms; v++)
        whole &= scenario->vm[v].workload != NULL;
    if (!whole || reader->errors->count)
        return;
    if (!sms__fits_in_memory(reader, file, scenario))
        return;
    sms__check_alike(reader, scenario);
    sms__link_tenants(reader, scenario);
    if (!reader->errors->count)
        sms__check_clock(reader, scenario);
    if (reader->errors->count)
        return;
    sms__warn_of_effort(file, scenario);
    sms__warn_of_devices(file, scenario);
}
