/* What the contention model says of workloads that would run side by side on a GPU, for place policies that ask. Each
 * is a group of one block that demands of the device what the workload's kernels do on average while they run. */
#include "../device.h"
#include "hosts.h"

struct sms_place_model {
    const struct sms_scenario *scenario;
    struct sms_contention_view *contention; /* [devices] */
    long device[SMS_GPU_MODELS_MAX];        /* by GPU model; -1: it has none */
    double (*demand)[SMS_RESOURCES_MAX];    /* [vms][devices], parts of SMS_FULL */
    struct sms_group *group;                /* [slots + 1] */
    double *speed;                          /* the same */
};

static void find_demand(const struct sms__vm *vm, size_t device, size_t resources, double *demand)
{
    double time = 0;
    for (size_t s = 0; s < vm->workload->steps; s++) {
        const struct sms__step *step = &vm->workload->step[s];
        if (step->kind != SMS__LAUNCH)
            continue;
        const struct sms__fit *fit = &vm->fit[device][step->kernel];
        double lasts = fit->work_ps * (double)step->times;
        time += lasts;
        for (size_t r = 0; r < resources; r++)
            demand[r] += lasts * fit->demand[r];
    }
    for (size_t r = 0; r < resources && time > 0; r++)
        demand[r] /= time;
}

int sms__predict_init(struct sms__placing *placing)
{
    const struct sms_scenario *scenario = placing->scenario;
    const struct sms__cluster *cluster = placing->cluster;
    const struct sms__vm *vm;
    if (!placing->policy->asks || !placing->hosts)
        return SMS_OK;
    int code = sms__make_wholes(placing->arena, &placing->hosts->spec, &vm);
    struct sms_place_model *model = SMS__NEW(placing->arena, struct sms_place_model, 1);
    model->scenario = scenario;
    model->contention = SMS__NEW(placing->arena, struct sms_contention_view, scenario->devices);
    model->demand = sms__alloc(placing->arena, scenario->vms * scenario->devices, sizeof *model->demand);
    model->group = SMS__NEW(placing->arena, struct sms_group, cluster->slots + 1);
    model->speed = SMS__NEW(placing->arena, double, cluster->slots + 1);
    for (size_t d = 0; d < scenario->devices; d++)
        model->contention[d] = sms__contention_view(placing->arena, scenario, scenario->device[d]);
    for (size_t i = 0; code == SMS_OK && i < scenario->vms * scenario->devices; i++)
        find_demand(&vm[i / scenario->devices], i % scenario->devices,
                    scenario->device[i % scenario->devices]->resources, model->demand[i]);
    for (size_t k = 0; k < cluster->kinds; k++)
        if (cluster->node[k].model >= 0)
            model->device[cluster->node[k].model] = cluster->node[k].device;
    placing->view.model = model;
    return code;
}

static double slowdown_of(const struct sms_place_model *model, const struct sms_contention_view *view,
                          const double *usage, size_t i)
{
    const struct sms_contention *contention = model->scenario->contention;
    double most = 1;
    if (!contention->slowdown)
        return 1 / model->speed[i];
    for (size_t r = 0; r < view->resources; r++) {
        double slowdown = model->group[i].demand[r] > 0 ? contention->slowdown(view, r, usage[r]) : 1;
        most = slowdown > most ? slowdown : most;
    }
    return most;
}

static void add(const struct sms_place_model *model, size_t i, size_t vm, size_t device)
{
    model->speed[i] = 1;
    model->group[i] = (struct sms_group){.blocks = 1,
                                         .demand = model->demand[vm * model->scenario->devices + device],
                                         .speed = &model->speed[i],
                                         .cls = model->scenario->vm[vm].fit[device][0].cls};
}

double sms_place_slowdowns(const struct sms_place_view *view, const struct sms_node_view *node, uint32_t gpu,
                           const struct sms_pod_view *pod)
{
    const struct sms_place_model *model = view->model;
    const struct sms_gpu_view *own = &node->gpu[gpu];
    double usage[SMS_RESOURCES_MAX] = {0}, sum = 0;
    size_t count = 0;
    if (!model || node->model < 0 || model->device[node->model] < 0)
        return 0;
    size_t device = (size_t)model->device[node->model];
    const struct sms_contention_view *contention = &model->contention[device];
    for (uint32_t i = 0; i < own->workloads; i++)
        add(model, count++, own->kind[i] - 1u, device);
    if (pod && pod->kind)
        add(model, count++, pod->kind - 1, device);
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < contention->resources; r++)
            usage[r] += model->group[i].demand[r];
    if (!model->scenario->contention->slowdown && model->scenario->contention->rate && count)
        model->scenario->contention->rate(contention, usage, model->group, count);
    for (size_t i = 0; i < count; i++)
        sum += slowdown_of(model, contention, usage, i);
    return sum;
}

/* Kinds stay in order, so that nodes with the same pods are asked the same. */
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
