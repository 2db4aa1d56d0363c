/* Checks that `compat: simtbs` can run a scenario: one device, whole ticks, whole units, one launch for each VM.
 * Anything else is refused. */
#include "scenario.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX 4294967295.0 /* its numbers are unsigned int */

enum { RESOURCES_OF_SM = 12, RESOURCES_OF_DEVICE = 2 };

static bool is_class(const struct sms__resource *resource, enum sms_class cls)
{
    return resource->scope == SMS_SCOPE_SM && resource->cls == (int)cls;
}

const char *sms__simtbs_shape(const struct sms__device *device, struct sms__simtbs_shape *shape)
{
    const struct sms__resource *resource = device->resource;
    size_t n = device->resources, at = 0;
    for (size_t r = 0; r < n; r++)
        if (!resource[r].capacity)
            return "each resource has a capacity";
    while (at < n && resource[at].hard)
        at++;
    shape->hard = at;
    for (at = 0; at < n && is_class(&resource[at], SMS_COMPUTE);)
        at++;
    shape->compute = at;
    while (at < n && is_class(&resource[at], SMS_MEMORY))
        at++;
    shape->sm = at;
    shape->device = n - at;
    for (size_t r = shape->hard; r < n; r++)
        if (resource[r].hard)
            return "hard resources come first";
    for (; at < n; at++)
        if (resource[at].scope == SMS_SCOPE_SM)
            return "resources of class compute come first, then memory, then those of scope device";
    if (shape->hard < 1 || shape->sm > RESOURCES_OF_SM)
        return "there are 1 to 12 resources of scope sm, the first of them hard";
    if (shape->device < 1 || shape->device > RESOURCES_OF_DEVICE)
        return "there are one or two resources of scope device";
    return NULL;
}

static void check_device(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__device *device = scenario->device[0];
    const struct sms__node *node = sms__node_get(scenario->node, "devices");
    struct sms__simtbs_shape shape;
    const char *problem = sms__simtbs_shape(device, &shape);
    if (scenario->devices > 1)
        sms__complain(reader, node, "compat simtbs knows one device");
    if (device->backgrounds)
        sms__complain(reader, node, "compat simtbs knows no background");
    if (problem)
        sms__complain(reader, node, "compat simtbs: %s", problem);
    for (size_t r = 0; r < device->resources; r++)
        if ((double)device->resource[r].capacity > COUNT_MAX)
            sms__complain(reader, node, "compat simtbs: the capacity of '%.60s' is over 4294967295",
                          device->resource[r].name);
}

static void check_policies(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    static const char *const known[] = {"rr", "rrf", "bfa", "dfa", "smk", "fua"};
    for (size_t p = 0; p < scenario->policies; p++) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= !strcmp(known[i], scenario->policy[p].policy->name);
        if (!found)
            sms__complain(reader, scenario->policy[p].node,
                          "compat simtbs knows the policies rr, rrf, bfa, dfa, smk, fua; not '%.60s'",
                          scenario->policy[p].policy->name);
    }
}

/* Whether it is a whole number of ticks that simtbs can count. */
static bool is_ticks(double ps)
{
    return ps >= SMS__TICK_PS && ps / SMS__TICK_PS <= COUNT_MAX && fmod(ps, SMS__TICK_PS) == 0;
}

static void check_demands(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const struct sms__device *device = scenario->device[0];
    const struct sms__kernel *kernel = &vm->workload->kernel[0];
    for (size_t d = 0; d < kernel->demands; d++)
        if (!kernel->demand[d].bare || kernel->demand[d].ratio > COUNT_MAX)
            sms__complain(reader, kernel->demand[d].value,
                          "compat simtbs: a demand is a count of units, at most 4294967295");
    for (size_t r = 0; r < device->resources; r++)
        if (device->resource[r].hard && vm->fit[0][0].count[r] == 0)
            sms__complain(reader, kernel->node, "compat simtbs: kernel '%.60s' takes nothing of '%.60s', which is hard",
                          kernel->name, device->resource[r].name);
}

static void check_vm(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const struct sms__workload *workload = vm->workload;
    const struct sms__kernel *kernel = &workload->kernel[0];
    bool one = workload->kernels == 1 && workload->steps == 1 && workload->step[0].kind == SMS__LAUNCH &&
               workload->step[0].times == 1 && vm->repeat == 1 && vm->arrivals == SMS__CLOSED;
    if (!one) {
        sms__complain(reader, vm->node, "compat simtbs: a VM launches one kernel once");
        return;
    }
    if (vm->priority != 0)
        sms__complain(reader, sms__node_get(vm->node, "priority"), "compat simtbs knows no priorities");
    if (!is_ticks(vm->start_ps))
        sms__complain(reader, vm->node, "compat simtbs: VM '%.60s' starts after a whole number of us, at least 1",
                      vm->name);
    if (kernel->jitter > 0 || kernel->spread == SMS__EXPONENTIAL || !is_ticks(vm->fit[0][0].work_ps))
        sms__complain(reader, kernel->node, "compat simtbs: block_time is a whole number of us that does not vary");
    if ((double)kernel->blocks > COUNT_MAX)
        sms__complain(reader, kernel->node, "compat simtbs: more than 4294967295 blocks");
    check_demands(reader, scenario, vm);
}

void sms__check_simtbs(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    check_device(reader, scenario);
    check_policies(reader, scenario);
    if (!scenario->contention.model->curves)
        sms__complain(reader, scenario->node, "compat simtbs needs contention curve");
    if (scenario->warmup_ps > 0 || scenario->find_warmup ||
        (scenario->duration_ps > 0 && !is_ticks(scenario->duration_ps)))
        sms__complain(reader, sms__node_get(scenario->node, "run"),
                      "compat simtbs has no warm-up, and a duration of whole us");
    for (size_t v = 0; v < scenario->vms && reader->errors->count <= SMS_ERRORS_MAX; v++) {
        check_vm(reader, scenario, &scenario->vm[v]);
        if (v > 0 && scenario->vm[v].start_ps < scenario->vm[v - 1].start_ps)
            sms__complain(reader, scenario->vm[v].node,
                          "VM '%.60s' starts before the one above it: simtbs would never end", scenario->vm[v].name);
    }
}
