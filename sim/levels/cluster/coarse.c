/* Coarse kernels, made of kernels of blocks: each is simulated alone, and its coarse kernel takes that time and asks
 * for the mean demand and occupancy of its blocks. */
#include "cluster_run.h"
#include "../block/block.h"
#include "../../model/no_load.h"
#include "../share/share_level.h"

#include <math.h>

/* Launches over which the time of a kernel whose blocks vary is averaged. */
enum { DRAWN_LAUNCHES = 16 };

struct maker {
    struct sms__arena *arena;
    const struct sms__run_spec *spec;
    struct sms__tenant *vm; /* copies of the scenario's, in the end with coarse kernels */
    size_t number;          /* the VM at hand; then its kernels, the device at hand, and their fits on it */
    struct sms__kernel *kernel;
    size_t device;
    struct sms__footprint *fit;
};

static const struct sms__tenant *original(const struct maker *maker)
{
    return &maker->spec->scenario->vm[maker->number];
}

/* Simulates the VM alone as if it launched this kernel and nothing else. */
static int measure(struct maker *maker, size_t k, struct sms__stand_alone *out)
{
    struct sms__tenant *vm = &maker->vm[maker->number], kept = *vm;
    struct sms__workload workload = *vm->workload;
    uint64_t times = sms__is_drawn(&original(maker)->workload->kernel[k]) ? DRAWN_LAUNCHES : 1;
    struct sms__step step = {.kind = SMS__LAUNCH, .kernel = k, .times = times};
    workload.step = &step;
    workload.steps = 1;
    workload.statics = 0;
    const struct sms__process_stream stream = {.repeat = 1};
    vm->stream = &stream;
    vm->memory_most = 0;
    vm->workload = &workload;
    vm->repeat = 1;
    int code = sms__share_stand_alone(maker->spec, maker->spec->policy, maker->vm, maker->number, maker->device, out);
    *vm = kept;
    return code;
}

/* Sets what the blocks asked of the device on average. */
static void set_demand(const struct maker *maker, const struct sms__stand_alone *alone, struct sms__footprint *fit)
{
    const struct sms__device *model = maker->spec->scenario->device[maker->device];
    for (size_t r = 0; r < model->resources; r++) {
        double mean = fit->demand[r] * alone->resident_ps / ((double)model->sms * alone->kernel_ps);
        fit->adds[r] = fit->demand[r] = mean < SMS_FULL ? nearbyint(mean) : SMS_FULL;
    }
    sms__set_core(fit);
}

/* Sets the occupancy: the share of the limit that its blocks take most of, on average over all SMs. */
static void set_occupancy(const struct maker *maker, const struct sms__stand_alone *alone, struct sms__footprint *fit)
{
    const struct sms__device *model = maker->spec->scenario->device[maker->device];
    double blocks = alone->resident_ps / ((double)model->sms * alone->kernel_ps);
    fit->room = 0;
    for (int l = 0; l < SMS_LIMITS; l++)
        fit->room = fmax(fit->room, blocks * (double)fit->needs[l] / (double)model->view.capacity[l]);
}

static void set_work(struct sms__footprint *fit, double ps)
{
    fit->work_ps = ps;
    fit->work = (uint64_t)(fmin(ps, SMS__TIME_MAX_PS) + 0.5);
}

static void make_coarse(struct sms__kernel *kernel)
{
    kernel->whole = kernel->made = true;
    kernel->jitter = 0;
    kernel->spread = SMS__UNIFORM;
}

/* Where the contention model slows a coarse kernel that runs alone, its work is less, so that it takes the time that
 * was measured. */
static int coarsen_fit(struct maker *maker, size_t k)
{
    struct sms__kernel kept = maker->kernel[k];
    struct sms__stand_alone alone, again;
    int code = measure(maker, k, &alone);
    if (code || alone.kernel_ps <= 0)
        return code;
    set_demand(maker, &alone, &maker->fit[k]);
    set_occupancy(maker, &alone, &maker->fit[k]);
    make_coarse(&maker->kernel[k]);
    maker->fit[k].work_ps = alone.kernel_ps;
    maker->fit[k].per_sm = 1;
    sms__find_no_load(maker->spec->scenario, &maker->kernel[k], maker->spec->scenario->device[maker->device],
                      &maker->fit[k]);
    set_work(&maker->fit[k], maker->fit[k].work_ps);
    code = measure(maker, k, &again);
    maker->kernel[k] = kept;
    if (code == SMS_OK && again.kernel_ps > alone.kernel_ps + 1)
        set_work(&maker->fit[k], maker->fit[k].work_ps * alone.kernel_ps / again.kernel_ps);
    return code;
}

/* Coarsens the fits of a VM's kernels on the device at hand. */
static int coarsen_fits(struct maker *maker, const struct sms__footprint **fit)
{
    size_t kernels = maker->vm[maker->number].workload->kernels;
    int code = SMS_OK;
    maker->fit = SMS__NEW(maker->arena, struct sms__footprint, kernels);
    for (size_t k = 0; k < kernels; k++)
        maker->fit[k] = (*fit)[k];
    *fit = maker->fit;
    for (size_t k = 0; k < kernels && code == SMS_OK; k++)
        if (!maker->kernel[k].whole)
            code = coarsen_fit(maker, k);
    return code;
}

static int coarsen_vm(struct maker *maker)
{
    const struct sms_scenario *scenario = maker->spec->scenario;
    struct sms__tenant *vm = &maker->vm[maker->number];
    struct sms__workload *workload = SMS__NEW(maker->arena, struct sms__workload, 1);
    const struct sms__footprint **fit = SMS__NEW(maker->arena, const struct sms__footprint *, scenario->devices);
    int code = SMS_OK;
    *workload = *vm->workload;
    maker->kernel = SMS__NEW(maker->arena, struct sms__kernel, workload->kernels);
    for (size_t k = 0; k < workload->kernels; k++)
        maker->kernel[k] = workload->kernel[k];
    workload->kernel = maker->kernel;
    vm->workload = workload;
    for (size_t d = 0; d < scenario->devices; d++)
        fit[d] = vm->fit[d];
    vm->fit = fit;
    for (maker->device = 0; maker->device < scenario->devices && code == SMS_OK; maker->device++)
        code = fit[maker->device] ? coarsen_fits(maker, &fit[maker->device]) : SMS_OK;
    for (size_t k = 0; k < workload->kernels; k++)
        if (!maker->kernel[k].whole)
            make_coarse(&maker->kernel[k]);
    return code;
}

int sms__coarsen(struct sms__arena *arena, const struct sms__run_spec *spec, const struct sms__tenant **out)
{
    const struct sms_scenario *scenario = spec->scenario;
    struct maker maker = {.arena = arena, .spec = spec};
    int code = SMS_OK;
    maker.vm = SMS__NEW(arena, struct sms__tenant, scenario->vms);
    for (size_t v = 0; v < scenario->vms; v++)
        maker.vm[v] = scenario->vm[v];
    for (; maker.number < scenario->vms && code == SMS_OK; maker.number++)
        code = coarsen_vm(&maker);
    *out = maker.vm;
    return code;
}
