/* The one place that knows in which order a scenario is resolved: names of what it asks, devices, tenants with the
 * footprints of their kernels, policies. Reading comes before and knows nothing of this. Each check may rely on those
 * above it, so checks that need a sound scenario are left out once there is an error. Warnings come last. */
#include "beyond_full.h"
#include "file.h"
#include "lacking.h"
#include "layout.h"
#include "phase.h"
#include "scenario.h"

#include <string.h>

/* Metrics of nodes have a row for each node up to so many. */
enum { NODE_ROWS_MAX = 2000 };

static void check_curves(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__curves *curves = scenario->contention.curves;
    for (size_t c = 0; curves && c < curves->count; c++)
        if (sms__united_index(scenario, curves->resource[c]) < 0)
            sms__complain_unknown_resource(reader, curves->node[c], scenario);
}

/* Finds a tenant before this one that does the same workload, so that each demand is resolved once for a device. */
static const struct sms__tenant *find_like(const struct sms_scenario *scenario, size_t v)
{
    const struct sms__tenant *vm = scenario->vm;
    if (sms__is_like_last(vm, v))
        return &vm[v - 1];
    for (size_t u = 0; u < v; u++)
        if (vm[u].workload == vm[v].workload && vm[u].profile == vm[v].profile)
            return &vm[u];
    return NULL;
}

/* Whether the device is of the tenant's profile: an instance, or for most tenants a whole device. Pods on instances are
 * compared with themselves alone on the whole device, which is therefore of their profile, too. */
static bool has_profile(const struct sms_scenario *scenario, const struct sms__tenant *vm,
                        const struct sms__device *device)
{
    const char *name = vm->profile ? scenario->cluster->profiles.name[vm->profile - 1] : NULL;
    if (!name)
        return !device->mig.profile;
    if (device->mig.profile)
        return !strcmp(name, device->mig.profile->name);
    return device->mig.sheet && sms__find_profile(device->mig.sheet, name);
}

/* A tenant has no footprints on a device that lacks a resource which some kernel of it demands. */
static void find_footprints(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__tenant *vm)
{
    sms__check_demands(reader, scenario, vm->workload);
    vm->fit = SMS__NEW(reader->arena, const struct sms__footprint *, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        if (d > 0 && device == scenario->device[d - 1])
            vm->fit[d] = vm->fit[d - 1];
        else if (has_profile(scenario, vm, device) && !sms__find_lacking(vm->workload, device).kernel)
            vm->fit[d] = sms__footprints(reader, scenario, vm, device);
    }
}

static void resolve_footprints(struct sms__reader *reader, struct sms_scenario *scenario)
{
    if (!scenario->vm)
        return; /* a cluster may have no tenants */
    for (size_t v = 0; v < scenario->vms && reader->errors->count <= SMS_ERRORS_MAX; v++) {
        struct sms__tenant *vm = &scenario->vm[v];
        const struct sms__tenant *like = find_like(scenario, v);
        if (like)
            vm->fit = like->fit;
        else
            find_footprints(reader, scenario, vm);
        if (!scenario->cluster)
            sms__check_lacking(reader, scenario, vm);
    }
}

/* Resolves what both kinds of scenarios have: tenants on devices. */
static void resolve_tenants(struct sms__reader *reader, struct sms_scenario *scenario)
{
    sms__check_tenants(reader, scenario);
    resolve_footprints(reader, scenario);
    check_curves(reader, scenario);
    if (!reader->errors->count)
        sms__check_backgrounds(reader, scenario);
    if (reader->errors->count)
        return;
    for (size_t p = 0; p < scenario->policies; p++)
        if (scenario->policy[p].mode.parts && !scenario->cluster)
            sms__make_instances(reader, scenario, &scenario->policy[p]);
    if (reader->errors->count)
        return;
    if (scenario->shares || scenario->cluster)
        sms__check_modes(reader, scenario);
    sms__check_parts(reader, scenario);
    if (!reader->errors->count)
        sms__check_policies(reader, scenario);
}

/* Reports a list without entries, because its tables have no rows. One that is empty itself was reported before. */
static void require(struct sms__reader *reader, const struct sms_scenario *scenario, const char *key, size_t count)
{
    const struct sms__node *list = sms__node_get(scenario->node, key);
    if (count == 0 && list)
        sms__complain(reader, list, "%s: its tables have no rows", key);
}

static void resolve_cluster(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    if (reader->errors->count)
        return;
    require(reader, scenario, "nodes", cluster->nodes);
    require(reader, scenario, "pods", cluster->groups);
    if (reader->errors->count)
        return;
    sms__check_cluster(reader, scenario);
    if (!reader->errors->count && scenario->vms)
        resolve_tenants(reader, scenario);
    sms__find_held(&file->arena, cluster);
}

/* Whether each entry of `devices` was found with its resources, so that a name which they lack is surely wrong. */
static bool found_devices(const struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__node *list = sms__node_get(scenario->node, "devices");
    bool found = scenario->devices > 0;
    for (size_t i = 0; found && i < list->items; i++)
        found = sms__node_get(list->item[i], "model") && !sms__is_wrong(reader, list->item[i], "model");
    for (size_t d = 0; found && d < scenario->devices; d++)
        found = scenario->device[d]->resources > 0;
    return found;
}

/* What can be said of demands although something else is wrong, because users want all errors at once. */
static void check_names(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++)
        if (scenario->vm[v].workload)
            sms__check_demands(reader, scenario, scenario->vm[v].workload);
    check_curves(reader, scenario);
}

static void resolve_devices(struct sms__reader *reader, struct sms_scenario *scenario)
{
    if (reader->errors->count && found_devices(reader, scenario))
        check_names(reader, scenario);
    if (!reader->errors->count)
        resolve_tenants(reader, scenario);
}

void sms__resolve_scenario(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    if (cluster)
        cluster->rows = cluster->nodes <= NODE_ROWS_MAX   ? cluster->nodes
                        : cluster->kinds <= NODE_ROWS_MAX ? cluster->kinds
                                                          : 0;
    sms__unite_resources(reader->arena, scenario);
    sms__check_expects(reader, scenario);
    sms__check_equal_devices(reader, scenario);
    if (cluster)
        resolve_cluster(reader, file, scenario);
    else
        resolve_devices(reader, scenario);
    sms__check_caps(reader, scenario);
    if (!reader->errors->count && !cluster)
        sms__find_phases(reader->arena, scenario);
    if (!reader->errors->count)
        sms__warn(file, scenario);
    if (!reader->errors->count && scenario->vm)
        sms__warn_beyond_full(reader, file, scenario);
}
