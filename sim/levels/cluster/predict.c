/* Predicts with the contention model how workloads would slow each other down on a GPU. Each workload is one kernel,
 * whose demand and occupancy are the means of the workload's kernels while they run. */
#include "cluster_run.h"
#include "../run_setup.h"
#include "../../model/no_load.h"
#include "host_state.h"

struct sms_place_model {
    const struct sms_scenario *scenario;
    bool exclusive;                  /* under the mode one process runs at a time */
    struct sms__rater *rater;        /* [devices] */
    long device[SMS_GPU_MODELS_MAX]; /* by GPU model; -1: it has none */
    struct sms__footprint *mean;     /* [vms][devices]; of work 1 */
    struct sms__rated *rated;        /* [slots + 1] */
    double *solo;                    /* [vms][devices]: the speed of each alone, of which it is slowed */
    double *speed, *alone;           /* [slots + 1]: speed of each, and of each alone */
};

static void find_mean(const struct sms_scenario *scenario, const struct sms__tenant *vm, size_t device,
                      struct sms__footprint *mean)
{
    static const struct sms__kernel coarse = {.whole = true};
    size_t resources = scenario->device[device]->resources;
    double time = 0;
    mean->cls = vm->fit[device][0].cls;
    for (size_t s = 0; s < vm->workload->steps; s++) {
        const struct sms__step *step = &vm->workload->step[s];
        if (step->kind != SMS__LAUNCH)
            continue;
        const struct sms__footprint *fit = &vm->fit[device][step->kernel];
        double lasts = fit->work_ps * fit->alone * (double)step->times;
        time += lasts;
        mean->room += lasts * fit->room;
        for (size_t r = 0; r < resources; r++)
            mean->demand[r] += lasts * fit->demand[r];
    }
    mean->room /= time > 0 ? time : 1;
    for (size_t r = 0; r < resources && time > 0; r++)
        mean->demand[r] /= time;
    mean->per_sm = 1;
    mean->work_ps = 1;
    sms__find_no_load(scenario, &coarse, scenario->device[device], mean);
}

static void make_raters(struct sms__arena *arena, const struct sms_scenario *scenario, struct sms_place_model *model)
{
    struct sms_contention_view *view = SMS__NEW(arena, struct sms_contention_view, scenario->devices);
    model->rater = SMS__NEW(arena, struct sms__rater, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++) {
        view[d] = sms__contention_view(arena, scenario, scenario->device[d]);
        model->rater[d] =
            (struct sms__rater){.contention = scenario->contention.model, .view = &view[d], .arena = arena};
    }
}

static void add(const struct sms_place_model *model, size_t i, size_t vm, size_t device)
{
    const struct sms__footprint *mean = &model->mean[vm * model->scenario->devices + device];
    model->speed[i] = 1;
    model->alone[i] = model->solo[vm * model->scenario->devices + device];
    model->rated[i] =
        (struct sms__rated){.demand = mean->pressure, .room = mean->room, .cls = mean->cls, .speed = &model->speed[i]};
}

/* A workload alone is not slowed. That holds to the last bit if its speed alone is what the model says, and nodes whose
 * GPUs are empty are equal then, whatever their devices. */
static void find_solo(struct sms_place_model *model, size_t vm, size_t device)
{
    const bool measured = model->scenario->contention.model && model->scenario->contention.model->measured_alone;
    add(model, 0, vm, device);
    if (measured)
        sms__rate_coarse(&model->rater[device], model->rated, 1);
    model->solo[vm * model->scenario->devices + device] = model->speed[0];
}

int sms__predict_init(struct sms__cluster_run *run)
{
    const struct sms_scenario *scenario = run->scenario;
    const struct sms__cluster *cluster = run->cluster;
    if (!run->policy->asks || !run->hosts)
        return SMS_OK;
    const struct sms__tenant *vm = run->hosts->vm; /* coarse ones, if those run */
    int code = scenario->fidelity == SMS__AS_PROCESSES ? SMS_OK : sms__coarsen(run->arena, &run->hosts->spec, &vm);
    struct sms_place_model *model = SMS__NEW(run->arena, struct sms_place_model, 1);
    model->scenario = scenario;
    model->exclusive = !sms__mode_runs_beside(&run->hosts->spec.policy->mode);
    model->mean = SMS__NEW(run->arena, struct sms__footprint, scenario->vms * scenario->devices);
    model->solo = SMS__NEW(run->arena, double, scenario->vms * scenario->devices);
    model->rated = SMS__NEW(run->arena, struct sms__rated, cluster->slots + 1);
    model->speed = SMS__NEW(run->arena, double, cluster->slots + 1);
    model->alone = SMS__NEW(run->arena, double, cluster->slots + 1);
    make_raters(run->arena, scenario, model);
    for (size_t i = 0; code == SMS_OK && i < scenario->vms * scenario->devices; i++) {
        const size_t v = i / scenario->devices, d = i % scenario->devices;
        if (!sms__may_be_on(&vm[v], d))
            continue;
        find_mean(scenario, &vm[v], d, &model->mean[i]);
        find_solo(model, v, d);
    }
    for (size_t k = 0; k < cluster->kinds; k++)
        if (cluster->node[k].model >= 0)
            model->device[cluster->node[k].model] = cluster->node[k].device;
    run->view.model = model;
    return code;
}

double sms_place_slowdowns(const struct sms_place_view *view, const struct sms_node_view *node, uint32_t gpu,
                           const struct sms_pod_view *pod)
{
    const struct sms_place_model *model = view ? view->model : NULL;
    double sum = 0;
    size_t count = 0;
    if (!model || !node || gpu >= node->gpus || node->model < 0 || model->device[node->model] < 0)
        return 0;
    const struct sms_gpu_view *here = &node->gpu[gpu];
    if (here->profiles) /* instances do not slow each other, and each has one pod */
        return here->workloads + (pod && pod->kind);
    size_t device = (size_t)model->device[node->model];
    for (uint32_t i = 0; i < here->workloads; i++)
        add(model, count++, here->kind[i] - 1u, device);
    if (pod && pod->kind)
        add(model, count++, pod->kind - 1, device);
    if (model->exclusive)
        return (double)count * (double)count;
    sms__rate_coarse(&model->rater[device], model->rated, count);
    for (size_t i = 0; i < count; i++)
        sum += model->alone[i] / model->speed[i];
    return sum;
}

/* Kinds stay sorted, so that GPUs with the same workloads get the same prediction. */
void sms__predict_move(struct sms_gpu_view *gpu, const struct sms_pod_view *pod, bool comes)
{
    uint32_t at = 0;
    if (pod->kind == 0 || !gpu->kind)
        return;
    while (at < gpu->workloads && gpu->kind[at] < pod->kind)
        at++;
    if (comes) {
        for (uint32_t i = gpu->workloads++; i > at; i--)
            gpu->kind[i] = gpu->kind[i - 1];
        gpu->kind[at] = (uint16_t)pod->kind;
        return;
    }
    gpu->workloads--;
    for (uint32_t i = at; i < gpu->workloads; i++)
        gpu->kind[i] = gpu->kind[i + 1];
}
