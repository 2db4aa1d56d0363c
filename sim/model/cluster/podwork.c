/* Pods that run workloads on the devices of their nodes: their entries as tenants of the scenario, its nodes' devices
 * as its devices. */
#include "../file.h"
#include "../scenario.h"

#include <string.h>

/* Entries of pods with workloads, of one scenario. */
enum { TENANTS_MAX = 10000 };
/* Of a GPU; as many do not fit in memory. */
#define SLOTS_MAX 1e9

/* Capacities are powers of two. */
static bool is_full(size_t count) { return (count & (count - 1)) == 0; }

/* Devices that are the same, by pointer, are one. */
static long add_device(struct sms__reader *reader, struct sms_scenario *scenario, const struct sms__device *device)
{
    for (size_t d = 0; d < scenario->devices; d++)
        if (scenario->device[d] == device)
            return (long)d;
    if (is_full(scenario->devices)) {
        size_t room = scenario->devices ? 2 * scenario->devices : 1;
        const struct sms__device **grown = SMS__NEW(reader->arena, const struct sms__device *, room);
        for (size_t d = 0; d < scenario->devices; d++)
            grown[d] = scenario->device[d];
        scenario->device = grown;
    }
    scenario->device[scenario->devices] = device;
    return (long)scenario->devices++;
}

long sms__read_node_devices(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario,
                            uint64_t *count)
{
    struct sms_scenario own = {.name = ""};
    sms__read_device_use(reader, node, &own);
    if (own.devices == 0)
        return -1;
    if (own.devices > SMS_NODE_GPUS_MAX)
        sms__complain(reader, node, "a node has at most %d GPUs", SMS_NODE_GPUS_MAX);
    *count = own.devices < SMS_NODE_GPUS_MAX ? own.devices : SMS_NODE_GPUS_MAX;
    return add_device(reader, scenario, own.device[0]);
}

/* GPU models whose nodes have devices, a bit each. */
static uint64_t models_with_devices(const struct sms__cluster *cluster)
{
    uint64_t models = 0;
    for (size_t k = 0; k < cluster->kinds; k++)
        if (cluster->node[k].device >= 0)
            models |= (uint64_t)1 << cluster->node[k].model;
    return models;
}

static struct sms__vm *add_vm(struct sms__reader *reader, struct sms_scenario *scenario)
{
    if (is_full(scenario->vms)) {
        struct sms__vm *grown = SMS__NEW(reader->arena, struct sms__vm, scenario->vms ? 2 * scenario->vms : 1);
        for (size_t v = 0; v < scenario->vms; v++)
            grown[v] = scenario->vm[v];
        scenario->vm = grown;
    }
    return &scenario->vm[scenario->vms++];
}

static const struct sms__process_spec *process_of(struct sms__reader *reader, const struct sms__podwork *work,
                                                  const struct sms__workload *workload, uint64_t memory_most)
{
    struct sms__process_spec *process = SMS__NEW(reader->arena, struct sms__process_spec, 1);
    struct sms__process_stream *stream = SMS__NEW(reader->arena, struct sms__process_stream, 1);
    stream->repeat = work->repeat;
    *process = (struct sms__process_spec){.priority = work->priority,
                                          .weight = work->weight,
                                          .active_threads = work->active_threads,
                                          .device = -1,
                                          .choice = SMS__NEW(reader->arena, struct sms__choice, 1),
                                          .choices = 1,
                                          .stream = stream,
                                          .memory_most = memory_most,
                                          .period_ps = work->period_ps};
    process->choice->workload = workload;
    return process;
}

/* Of nodes whose devices have been told to be wrong it is not known which they have: pods of any model may run there.
 */
static bool may_run_on_wrong(const struct sms__reader *reader, const struct sms__node *pod,
                             const struct sms__cluster *cluster)
{
    bool any = reader->errors->count > 0 && !sms__node_get(pod, "models");
    for (size_t k = 0; k < cluster->kinds && any; k++)
        if (cluster->node[k].device < 0 && sms__node_get(cluster->node[k].node, "devices"))
            return true;
    return false;
}

/* What is of workloads only. */
static void check_none(struct sms__reader *reader, const struct sms__node *node)
{
    static const char *const keys[] = {"repeat", "period", "weight", "active_threads"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (sms__node_get(node, keys[i]))
            sms__complain(reader, sms__node_get(node, keys[i]), "%s is of pods with a workload", keys[i]);
}

static bool check(struct sms__reader *reader, const struct sms__node *node, const struct sms_scenario *scenario,
                  struct sms_pod_view *view)
{
    uint64_t able = models_with_devices(scenario->cluster);
    const struct sms__node *duration = sms__node_get(node, "duration");
    size_t before = reader->errors->count;
    if (duration)
        sms__complain(reader, duration, "a pod has either a workload or a duration");
    if (view->gpus == 0)
        sms__complain(reader, node, "a pod with a workload needs a GPU");
    if (!(view->models & able) && !may_run_on_wrong(reader, node, scenario->cluster))
        sms__complain(reader, sms__node_get(node, "workload"), "no node on which it may run has devices%s",
                      scenario->cluster->gpushare && !view->gpu_memory
                          ? ": without gpu_memory that is one with share: cards"
                          : "");
    if (scenario->vms == TENANTS_MAX)
        sms__complain(reader, node, "more than %d entries of pods with workloads", TENANTS_MAX);
    view->models &= able;
    return reader->errors->count == before;
}

uint16_t sms__read_podwork(struct sms__reader *reader, const struct sms__node *node, const char *name,
                           const struct sms__podwork *work, struct sms_scenario *scenario, struct sms_pod_view *view)
{
    if (!work->workload) {
        check_none(reader, node);
        return 0;
    }
    const struct sms__workload *workload = sms__find_workload(reader->user, work->workload->text, work->workload);
    uint64_t limit = scenario->cluster->gpushare ? 0 : view->gpu_memory; /* gpushare isolates nobody */
    if (!check(reader, node, scenario, view) || !workload)
        return 0;
    *add_vm(reader, scenario) = (struct sms__vm){.name = name,
                                                 .node = node,
                                                 .workload = workload,
                                                 .repeat = work->repeat,
                                                 .streams = 1,
                                                 .process = process_of(reader, work, workload, limit)};
    return (uint16_t)scenario->vms;
}

/* Nodes of one model of GPUs all have devices, or none has. */
static void check_models(struct sms__reader *reader, const struct sms__cluster *cluster)
{
    uint64_t able = models_with_devices(cluster);
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        if (kind->model >= 0 && kind->device < 0 && (able >> kind->model & 1))
            sms__complain(reader, kind->node, "GPUs of model '%.60s' are devices on other nodes, and numbers here",
                          cluster->model[kind->model]);
    }
}

/* Under gpushare: by the least memory that a process is placed by. GPUs may be swapped until one has the processes of
 * all of its node, unless Allocate knows its pod. */
static size_t count_shared_slots(const struct sms__cluster *cluster)
{
    double most = 1, pods = 0, gpus = 1;
    for (size_t k = 0; k < cluster->kinds && cluster->gpushare->quirks.any_pod; k++)
        gpus = (double)cluster->node[k].gpus > gpus ? (double)cluster->node[k].gpus : gpus;
    for (size_t g = 0; g < cluster->groups; g++) {
        const struct sms__pods *group = &cluster->pod[g];
        size_t containers = group->request.containers ? group->request.containers : 1;
        double bytes = (double)cluster->shape[group->shape].gpu_memory;
        if (group->rows || !group->tenant)
            continue;
        double card = (double)cluster->gpushare->card_most * (double)containers;
        most = bytes > 0 && gpus * card / bytes > most ? gpus * card / bytes : most;
        pods += group->pool ? SLOTS_MAX : (double)group->count * (double)containers;
    }
    most = most < pods ? most : pods;
    return (size_t)(most < SLOTS_MAX ? most : SLOTS_MAX);
}

/* By the least that any of them asks for, and by how many there are. */
static size_t count_slots(const struct sms__cluster *cluster)
{
    uint64_t slots = 1000, pods = 0;
    uint32_t least = 1000;
    for (size_t g = 0; g < cluster->groups; g++) {
        const struct sms__pods *group = &cluster->pod[g];
        if (group->rows) {
            pods += group->until > 0 ? 1000 : group->count;
            continue;
        }
        uint32_t milli = group->tenant ? cluster->shape[group->shape].gpu_milli : 1000;
        least = milli < least ? milli : least;
        pods += group->tenant && !group->pool ? group->count : 0;
    }
    slots = slots / least < pods ? slots / least : pods;
    return slots ? slots : 1;
}

/* What is of workloads only, of the scenario. */
static void check_keys(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    static const char *const keys[] = {"host", "contention", "queue", "alone", "fidelity"};
    for (size_t i = 0; scenario->vms == 0 && i < sizeof keys / sizeof *keys; i++)
        if (sms__node_get(scenario->node, keys[i]))
            sms__complain(reader, sms__node_get(scenario->node, keys[i]),
                          "%s is for pods with workloads, and there are none", keys[i]);
}

static void check_parts(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t p = 0; p < scenario->policies; p++) {
        const struct sms__policy_use *use = &scenario->policy[p];
        if (use->below && scenario->vms == 0)
            sms__complain(reader, use->node, "share, mode and block are for pods with workloads, and there are none");
        else if (use->mode.instances && scenario->cluster->gpushare)
            sms__complain(reader, use->node, "gpushare knows no instances of GPUs, which mode mig makes");
        else if (use->mode.instances && scenario->fidelity != SMS__AS_BLOCKS)
            sms__complain(reader, use->node, "mode mig needs fidelity blocks");
    }
}

void sms__link_podwork(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    check_models(reader, cluster);
    check_parts(reader, scenario);
    check_keys(reader, scenario);
    if (scenario->vms == 0) {
        sms__check_expects(reader, scenario);
        return;
    }
    cluster->slots = cluster->gpushare ? count_shared_slots(cluster) : count_slots(cluster);
    if (reader->errors->count || !sms__fits_in_memory(reader, file, scenario))
        return;
    sms__link_tenants(reader, scenario);
}
