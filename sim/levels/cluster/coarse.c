/* Coarse kernels, made of kernels of blocks: each is simulated alone, and its coarse kernel takes that time and asks
 * for the mean demand and occupancy of its blocks. */
#include "coarse.h"
#include "../share/share.h"

#include <math.h>

/* Launches over which the time of a kernel whose blocks vary is averaged. */
enum { DRAWN_LAUNCHES = 16 };

struct making {
    struct sms__arena *arena;
    const struct sms__run_spec *spec;
    struct sms__vm *vm; /* copies of the scenario's, in the end with wholes */
    size_t number;      /* of that which is being made, with its kernels and their fits on the device */
    struct sms__kernel *kernel;
    size_t device;
    struct sms__fit *fit;
};

static const struct sms__vm *original(const struct making *making)
{
    return &making->spec->scenario->vm[making->number];
}

/* Of the VM as it would be did it launch this kernel and nothing else. */
static int measure(struct making *making, size_t k, struct sms__solo *out)
{
    struct sms__vm *vm = &making->vm[making->number], kept = *vm;
    struct sms__workload workload = *vm->workload;
    uint64_t times = sms__is_drawn(&original(making)->workload->kernel[k]) ? DRAWN_LAUNCHES : 1;
    struct sms__step step = {.kind = SMS__LAUNCH, .kernel = k, .times = times};
    workload.step = &step;
    workload.steps = 1;
    workload.statics = 0;
    const struct sms__process_stream stream = {.repeat = 1};
    struct sms__process process = *vm->process;
    process.stream = &stream;
    process.memory_most = 0;
    vm->workload = &workload;
    vm->process = &process;
    vm->repeat = 1;
    int code = sms__share_solo(making->spec, making->spec->policy, making->vm, making->number, making->device, out);
    *vm = kept;
    return code;
}

/* What the blocks asked for on average, of the whole device. */
static void set_demand(const struct making *making, const struct sms__solo *solo, struct sms__fit *fit)
{
    const struct sms__device *model = making->spec->scenario->device[making->device];
    for (size_t r = 0; r < model->resources; r++) {
        double mean = fit->demand[r] * solo->resident_ps / ((double)model->sms * solo->kernel_ps);
        fit->adds[r] = fit->demand[r] = mean < SMS_FULL ? nearbyint(mean) : SMS_FULL;
    }
}

/* The limit that its blocks take most of, on average over all SMs. */
static void set_room(const struct making *making, const struct sms__solo *solo, struct sms__fit *fit)
{
    const struct sms__device *model = making->spec->scenario->device[making->device];
    double blocks = solo->resident_ps / ((double)model->sms * solo->kernel_ps);
    fit->room = 0;
    for (int l = 0; l < SMS_LIMITS; l++)
        fit->room = fmax(fit->room, blocks * (double)fit->needs[l] / (double)model->view.capacity[l]);
}

static void set_work(struct sms__fit *fit, double ps)
{
    fit->work_ps = ps;
    fit->work = (uint64_t)(fmin(ps, SMS__TIME_MAX_PS) + 0.5);
}

static void make_whole(struct sms__kernel *kernel)
{
    kernel->whole = kernel->made = true;
    kernel->jitter = 0;
    kernel->spread = SMS__UNIFORM;
}

/* A model under which a whole by itself is slowed must slow it to the time that was measured, not beyond. */
static int make_fit(struct making *making, size_t k)
{
    struct sms__kernel kept = making->kernel[k];
    struct sms__solo solo, again;
    int code = measure(making, k, &solo);
    if (code || solo.kernel_ps <= 0)
        return code;
    set_demand(making, &solo, &making->fit[k]);
    set_room(making, &solo, &making->fit[k]);
    set_work(&making->fit[k], solo.kernel_ps);
    make_whole(&making->kernel[k]);
    code = measure(making, k, &again);
    making->kernel[k] = kept;
    if (code == SMS_OK && again.kernel_ps > solo.kernel_ps + 1)
        set_work(&making->fit[k], solo.kernel_ps * solo.kernel_ps / again.kernel_ps);
    return code;
}

/* The fits on a device, which are of blocks before. */
static int make_fits(struct making *making, const struct sms__fit **fit)
{
    size_t kernels = making->vm[making->number].workload->kernels;
    int code = SMS_OK;
    making->fit = SMS__NEW(making->arena, struct sms__fit, kernels);
    for (size_t k = 0; k < kernels; k++)
        making->fit[k] = (*fit)[k];
    *fit = making->fit;
    for (size_t k = 0; k < kernels && code == SMS_OK; k++)
        if (!making->kernel[k].whole)
            code = make_fit(making, k);
    return code;
}

static int make_vm(struct making *making)
{
    const struct sms_scenario *scenario = making->spec->scenario;
    struct sms__vm *vm = &making->vm[making->number];
    struct sms__workload *workload = SMS__NEW(making->arena, struct sms__workload, 1);
    const struct sms__fit **fit = SMS__NEW(making->arena, const struct sms__fit *, scenario->devices);
    int code = SMS_OK;
    *workload = *vm->workload;
    making->kernel = SMS__NEW(making->arena, struct sms__kernel, workload->kernels);
    for (size_t k = 0; k < workload->kernels; k++)
        making->kernel[k] = workload->kernel[k];
    workload->kernel = making->kernel;
    vm->workload = workload;
    for (size_t d = 0; d < scenario->devices; d++)
        fit[d] = vm->fit[d];
    vm->fit = fit;
    for (making->device = 0; making->device < scenario->devices && code == SMS_OK; making->device++)
        code = make_fits(making, &fit[making->device]);
    for (size_t k = 0; k < workload->kernels; k++)
        if (!making->kernel[k].whole)
            make_whole(&making->kernel[k]);
    return code;
}

int sms__coarsen(struct sms__arena *arena, const struct sms__run_spec *spec, const struct sms__vm **out)
{
    const struct sms_scenario *scenario = spec->scenario;
    struct making making = {.arena = arena, .spec = spec};
    int code = SMS_OK;
    making.vm = SMS__NEW(arena, struct sms__vm, scenario->vms);
    for (size_t v = 0; v < scenario->vms; v++)
        making.vm[v] = scenario->vm[v];
    for (; making.number < scenario->vms && code == SMS_OK; making.number++)
        code = make_vm(&making);
    *out = making.vm;
    return code;
}
