/* Checks nodes, pods and schedulers of a cluster against each other, and counts the slots of GPUs that runs need. */
#include "../lacking.h"
#include "../policy/modes.h"
#include "node_mig.h"

#include <string.h>

/* Nodes of one model of GPUs all have devices, or none has. */
static void check_models(struct sms__reader *reader, const struct sms__cluster *cluster)
{
    uint64_t able = sms__models_with_devices(cluster);
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        if (kind->model >= 0 && kind->device < 0 && (able >> kind->model & 1))
            sms__complain(reader, kind->node, "GPUs of model '%.60s' are devices on other nodes, and numbers here",
                          cluster->model[kind->model]);
    }
}

/* Pods are kept off models of GPUs that lack a resource, so all GPUs of one model have the same. */
static void check_resources(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__cluster *cluster = scenario->cluster;
    const struct sms__device *first[SMS_GPU_MODELS_MAX] = {NULL};
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        if (kind->device < 0)
            continue;
        const struct sms__device *device = scenario->device[kind->device];
        const struct sms__device **like = &first[kind->model];
        *like = *like ? *like : device;
        if (!sms__have_same_resources(*like, device))
            sms__complain(
                reader, kind->node,
                "GPUs of model '%.60s' have other resources on other nodes: describe these as a device of another name",
                device->name);
    }
}

/* The most pods of one job of the group: of a sample, of any row. */
static uint64_t most_replicas(const struct sms__cluster *cluster, const struct sms__pods *group)
{
    const struct sms__pods *row = group->rows ? &cluster->pod[group->first_row] : group;
    uint64_t most = 1;
    for (size_t r = 0; r < (group->rows ? group->rows : 1); r++)
        most = cluster->shape[row[r].shape].replicas > most ? cluster->shape[row[r].shape].replicas : most;
    return most;
}

/* Counts slots by the least share of a GPU that any of the pods asks for, and by how many pods there are. */
static size_t count_slots(const struct sms__cluster *cluster)
{
    uint64_t slots = 1000, pods = 0;
    uint32_t least = 1000;
    for (size_t g = 0; g < cluster->groups; g++) {
        const struct sms__pods *group = &cluster->pod[g];
        if (group->rows) {
            pods += group->until > 0 ? 1000 : group->count * most_replicas(cluster, group);
            continue;
        }
        uint32_t milli = group->tenant ? cluster->shape[group->shape].gpu_milli : 1000;
        least = milli < least ? milli : least;
        pods += group->tenant && !group->pool ? group->count * most_replicas(cluster, group) : 0;
    }
    slots = slots / least < pods ? slots / least : pods;
    return slots ? slots : 1;
}

/* Refuses keys of the scenario that only pods with workloads need. */
static void check_keys(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    static const char *const keys[] = {"host", "contention", "queue", "alone", "fidelity"};
    for (size_t i = 0; scenario->vms == 0 && i < sizeof keys / sizeof *keys; i++)
        if (sms__node_get(scenario->node, keys[i]))
            sms__complain(reader, sms__node_get(scenario->node, keys[i]),
                          "%s is for pods with workloads, and there are none", keys[i]);
}

/* Modes of nodes, where nobody would ask for them. */
static void check_node_modes(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__cluster *cluster = scenario->cluster;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__node *node = sms__node_get(cluster->node[k].node, "mode");
        if (cluster->node[k].mode && cluster->guest)
            sms__complain(reader, node, "%s knows no modes of nodes", cluster->guest->kind);
        else if (cluster->node[k].mode && scenario->vms == 0)
            sms__complain(reader, node, "mode is for pods with workloads, and there are none");
        for (size_t p = 0; cluster->node[k].mode && p < scenario->policies; p++)
            if (scenario->policy[p].place->asks)
                sms__complain(reader, scenario->policy[p].node,
                              "%s knows one mode of all whole GPUs, and '%.60s' has %s",
                              scenario->policy[p].place->name, cluster->node[k].name, cluster->node[k].mode->label);
    }
}

/* The first entry of gangs, or NULL. */
static const struct sms__pods *find_gang(const struct sms__cluster *cluster)
{
    for (size_t g = 0; g < cluster->groups; g++)
        if (!cluster->pod[g].rows && cluster->shape[cluster->pod[g].shape].replicas > 1)
            return &cluster->pod[g];
    return NULL;
}

/* The first entry of pods that ask for GPUs and no profile where all GPUs are devices, which a mode may split; or NULL.
 */
static const struct sms__pods *find_whole(const struct sms__cluster *cluster)
{
    for (size_t k = 0; k < cluster->kinds; k++)
        if (cluster->node[k].gpus && (cluster->node[k].device < 0 || cluster->node[k].mode))
            return NULL;
    for (size_t g = 0; g < cluster->groups; g++)
        if (!cluster->pod[g].rows && cluster->shape[cluster->pod[g].shape].gpus &&
            !cluster->shape[cluster->pod[g].shape].profile)
            return &cluster->pod[g];
    return NULL;
}

/* Whether the layout of any GPU changes freely, as the policies need that arrange GPUs. */
static bool has_free_layout(const struct sms__cluster *cluster)
{
    bool any = false;
    for (size_t k = 0; k < cluster->kinds; k++)
        for (size_t g = 0; cluster->node[k].mig && g < cluster->node[k].gpus; g++)
            any |= cluster->node[k].mig->gpu[g].layout.split &&
                   cluster->node[k].mig->gpu[g].layout.changes == SMS_LAYOUT_FREE;
    return any;
}

/* Pods that leave their profile open. */
static void check_open(struct sms__reader *reader, const struct sms__cluster *cluster,
                       const struct sms__policy_use *use)
{
    if (use->place->arrange && !has_free_layout(cluster))
        sms__complain(reader, use->node,
                      "%s moves pods with profiles on GPUs with changes: free, and there are none: a node has them as "
                      "mig: [{changes: free, change: 10 s}]",
                      use->place->name);
    else if (use->place->pace)
        sms__complain(reader, use->node, "policies whose decisions take time know no pods with several profiles");
}

/* The modes that the GPUs and instances of the cluster have under a policy. */
static void check_mode(struct sms__reader *reader, const struct sms_scenario *scenario,
                       const struct sms__policy_use *use)
{
    const struct sms__guest *guest = scenario->cluster->guest;
    const struct sms__mode *mode = &use->mode, *shared;
    if (!mode->form) {
        sms__complain(reader, use->node, "%s is for processes: GPUs have the mode of the policy, or that of their node",
                      mode->label);
        return;
    }
    if (mode->instances && guest) {
        sms__complain(reader, use->node, "%s knows no instances of GPUs, which mode mig makes", guest->kind);
        return;
    }
    for (size_t i = 0; (shared = sms__mode_shared(mode, i)); i++)
        if (shared->form->needs) {
            sms__complain(reader, use->node, "mode %s is for processes: pods have no %s", shared->form->name,
                          shared->form->needs);
            return;
        }
    if (mode->instances && find_whole(scenario->cluster))
        sms__complain(reader, use->node,
                      "%s splits all GPUs, and pod '%.60s' asks for one: give it a profile, or split some by mig: "
                      "of their nodes",
                      mode->form->name, find_whole(scenario->cluster)->name);
}

/* The first mode in which pods may share an instance, or NULL. */
static const struct sms__mode *find_replicas(const struct sms__cluster *cluster, const struct sms__policy_use *use)
{
    const struct sms__mode *found = NULL;
    for (size_t k = 0; k < cluster->kinds; k++)
        for (size_t g = 0; g < cluster->node[k].gpus && !found; g++) {
            const struct sms__split *split = sms__first_split(cluster, use, k, g);
            for (size_t s = 0; split && s < SMS_SLICES_MAX; s++)
                found = sms__pods_inside(split, use, s) > 1 ? sms__mode_inside(split, use, s) : found;
        }
    return found;
}

/* Policies that know one pod in an instance. */
static void check_replicas(struct sms__reader *reader, const struct sms__cluster *cluster,
                           const struct sms__policy_use *use)
{
    const bool arranges = use->place->arrange && cluster->profiles.tables;
    const struct sms__mode *mode = arranges || use->place->asks ? find_replicas(cluster, use) : NULL;
    if (mode)
        sms__complain(reader, use->node, "%s knows one pod in an instance, and %s has replicas", use->place->name,
                      mode->label);
}

static void check_parts(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t p = 0; p < scenario->policies; p++) {
        const struct sms__policy_use *use = &scenario->policy[p];
        if (use->below && scenario->vms == 0)
            sms__complain(reader, use->node, "share, mode and block are for pods with workloads, and there are none");
        else
            check_mode(reader, scenario, use);
        if (scenario->cluster->profiles.tables)
            check_open(reader, scenario->cluster, use);
        if (use->place->pace && find_gang(scenario->cluster))
            sms__complain(reader, use->node, "policies whose decisions take time know no gangs, and %s is one",
                          find_gang(scenario->cluster)->name);
    }
}

static bool has_observer(void)
{
    bool any = false;
    for (const struct sms__guest *const *guest = sms__guests; *guest; guest++)
        any |= (*guest)->observer != NULL;
    return any;
}

void sms__check_cluster(struct sms__reader *reader, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    const struct sms__guest *guest = cluster->guest;
    check_models(reader, cluster);
    check_resources(reader, scenario);
    check_parts(reader, scenario);
    check_node_modes(reader, scenario);
    check_keys(reader, scenario);
    sms__complete_mig(reader, scenario);
    const size_t sound = reader->errors->count ? 0 : scenario->policies;
    for (size_t p = 0; p < sound; p++)
        check_replicas(reader, cluster, &scenario->policy[p]);
    if (guest && cluster->monitor)
        sms__complain(reader, sms__node_get(scenario->node, "scheduler"),
                      "%s knows no monitors, which `monitor:` and policies whose decisions take time need",
                      guest->kind);
    if (cluster->monitor && !has_observer())
        sms__complain(reader, scenario->node, "this build is without monitors, which the cluster needs");
    if (scenario->vms)
        cluster->slots = guest ? guest->count_slots(cluster) : count_slots(cluster);
}
