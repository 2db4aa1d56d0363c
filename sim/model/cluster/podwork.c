/* Reads pods that run workloads: an entry becomes a tenant of the scenario. */
#include "../file.h"
#include "../lacking.h"

/* Most entries of pods with workloads of one scenario. */
enum { TENANTS_MAX = 10000 };

uint64_t sms__models_with_devices(const struct sms__cluster *cluster)
{
    uint64_t models = 0;
    for (size_t k = 0; k < cluster->kinds; k++)
        if (cluster->node[k].device >= 0)
            models |= (uint64_t)1 << cluster->node[k].model;
    return models;
}

/* Models of GPUs on which the workload can run: those that have all resources that its kernels demand. Sets `lacking`
 * and `on` for the first of `models` that has not. */
static uint64_t find_able(const struct sms_scenario *scenario, const struct sms__workload *workload, uint64_t models,
                          struct sms__lacking *lacking, const struct sms__device **on)
{
    const struct sms__cluster *cluster = scenario->cluster;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        if (kind->device < 0 || !(models >> kind->model & 1))
            continue;
        const struct sms__lacking found = sms__find_lacking(workload, scenario->device[kind->device]);
        if (!found.kernel)
            continue;
        models &= ~((uint64_t)1 << kind->model);
        if (!lacking->kernel) {
            *lacking = found;
            *on = scenario->device[kind->device];
        }
    }
    return models;
}

/* Keeps pods off nodes whose devices lack a resource. */
static void keep_off(struct sms__reader *reader, const struct sms__workload *workload,
                     const struct sms_scenario *scenario, struct sms_pod_view *view)
{
    const struct sms__device *on = NULL;
    struct sms__lacking lacking = {NULL, NULL};
    if (!sms__has_wrong_model(reader, scenario->cluster))
        sms__check_demands(reader, scenario, workload);
    view->models = find_able(scenario, workload, view->models, &lacking, &on);
    if (lacking.kernel && !view->models && !sms__has_error(reader->errors, &lacking.demand->node->mark, NULL))
        sms__complain(reader, lacking.demand->node,
                      "%s: no node on which pods with workload '%.60s' may run has a device with all that it demands",
                      sms__print_lacking(reader->arena, &lacking, on), workload->name);
}

/* Adds a tenant like this one, which does the workload on a stream of its own. */
static void add_tenant(struct sms__reader *reader, const struct sms__tenant *like, const struct sms__workload *workload,
                       uint64_t memory_most, struct sms_scenario *scenario)
{
    struct sms__process_stream *stream = SMS__NEW(reader->arena, struct sms__process_stream, 1);
    struct sms__choice *choice = SMS__NEW(reader->arena, struct sms__choice, 1);
    struct sms__tenant *vm = SMS__APPEND(reader->arena, scenario->vm, scenario->vms);
    stream->repeat = like->repeat;
    choice->workload = workload;
    *vm = *like;
    vm->workload = workload;
    vm->choice = choice;
    vm->choices = 1;
    vm->stream = stream;
    vm->memory_most = memory_most;
}

/* Refuses what only pods with a workload have, unless it is the default. */
static void check_none(struct sms__reader *reader, const struct sms__tenant *vm)
{
    const struct {
        const char *key;
        bool usual;
    } keys[] = {{"repeat", vm->repeat == 1},
                {"period", false},
                {"weight", vm->weight == 1},
                {"active_threads", vm->active_threads == 1},
                {"class", false}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (sms__node_get(vm->node, keys[i].key) && !keys[i].usual && !sms__is_wrong(reader, vm->node, "workload"))
            sms__complain(reader, sms__node_get(vm->node, keys[i].key), "%s is of pods with a workload", keys[i].key);
}

static bool check(struct sms__reader *reader, const struct sms__node *node, const struct sms_scenario *scenario,
                  struct sms_pod_view *view)
{
    uint64_t able = sms__models_with_devices(scenario->cluster);
    const struct sms__guest *guest = scenario->cluster->guest;
    const struct sms__node *duration = sms__node_get(node, "duration");
    size_t before = reader->errors->count;
    if (duration)
        sms__complain(reader, duration, "a pod has either a workload or a duration");
    if (view->gpus == 0)
        sms__complain(reader, node, "a pod with a workload needs a GPU");
    const bool is_named = sms__node_get(node, "models") != NULL;
    if (!(view->models & able) && (is_named ? view->models != 0 : !sms__has_wrong_model(reader, scenario->cluster)))
        sms__complain(reader, sms__node_get(node, "workload"), "no node on which it may run has devices%s",
                      guest && !view->gpu_memory ? guest->without_memory
                                                 : ": a node that runs workloads has devices: {model: v100, count: 8}, "
                                                   "not gpus and a model");
    if (scenario->vms == TENANTS_MAX)
        sms__complain(reader, node, "more than %d entries of pods with workloads", TENANTS_MAX);
    view->models &= able;
    return reader->errors->count == before;
}

uint16_t sms__read_podwork(struct sms__reader *reader, const struct sms__node *workload_name,
                           const struct sms__tenant *vm, struct sms_scenario *scenario, struct sms_pod_view *view)
{
    if (!workload_name) {
        check_none(reader, vm);
        return 0;
    }
    const struct sms__workload *workload = sms__find_workload(reader->user, workload_name->text, workload_name);
    uint64_t limit = scenario->cluster->guest ? 0 : view->gpu_memory; /* guests isolate nobody */
    if (!check(reader, vm->node, scenario, view) || !workload)
        return 0;
    keep_off(reader, workload, scenario, view);
    sms__check_no_waits(reader, vm->node, workload);
    add_tenant(reader, vm, workload, limit, scenario);
    return (uint16_t)scenario->vms;
}
