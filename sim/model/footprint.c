/* Resolves kernels on a device: their demand in parts of its resources, what a block needs of an SM, their work. It is
 * the only place where a kernel's demand meets a device. */
#include "file.h"
#include "no_load.h"
#include "retarget.h"
#include "scenario.h"

#include <math.h>
#include <string.h>

struct fitting {
    struct sms__reader *reader;
    const struct sms_scenario *scenario;
    const struct sms__tenant *vm;
    const struct sms__kernel *kernel;
    const struct sms__device *device;
    const struct sms__device *profiled; /* on which the kernel was measured; NULL: it is taken as it is */
};

/* A kernel that is scaled from the device on which it was measured. */
struct scaling {
    struct sms__placed from, to;
    struct sms__retargeted by;
};

/* The share of the device's resource `r` that an instance has. */
static double share_of(const struct fitting *f, size_t r)
{
    bool device_scope = f->device->resource[r].scope == SMS_SCOPE_DEVICE;
    return device_scope ? sms__share_of_board(f->device) : (double)f->device->sms / (double)f->device->mig.board->sms;
}

/* A ratio is of what one SM's share is on the whole device; on an instance that is the same number of bytes per
 * second and another share. Counts come out right by the instance's capacity. */
static double on_instance(const struct fitting *f, size_t r, const struct sms__footprint *fit)
{
    if (!f->device->mig.board || fit->count[r])
        return fit->demand[r];
    return nearbyint(fit->demand[r] * (double)f->device->sms / sms__capacity_sms(f->device, r));
}

static void fit_resource(const struct fitting *f, size_t r, const struct sms__demand *demand,
                         struct sms__footprint *fit)
{
    const struct sms__resource *resource = &f->device->resource[r];
    bool device_scope = resource->scope == SMS_SCOPE_DEVICE && demand->ratio > 0;
    fit->demand[r] = f->kernel->whole ? sms_parts(demand->ratio) : on_instance(f, r, fit);
    fit->hard |= resource->hard && demand->ratio > 0;
    fit->adds[r] = device_scope && !f->kernel->whole ? fit->demand[r] / (double)f->device->sms : fit->demand[r];
    fit->device_scope |= device_scope;
    uint32_t *set = device_scope ? &fit->of_device : &fit->of_sm;
    *set |= (uint32_t)(fit->demand[r] > 0) << r;
}

/* Returns false if the kernel is taken as it is. */
static bool scale(const struct fitting *f, struct scaling *scaling)
{
    double use[SMS_RESOURCES_MAX] = {0};
    const struct sms__kernel *kernel = f->kernel;
    if (!f->profiled || sms__retarget_place(f->profiled, kernel, &scaling->from) ||
        sms__retarget_place(sms__whole_device(f->device), kernel, &scaling->to))
        return false;
    double mean = kernel->whole ? 1 : (double)kernel->blocks / ((double)f->profiled->sms * scaling->from.length);
    for (size_t d = 0; d < kernel->demands; d++) {
        int r = sms__resource_index(f->profiled, kernel->demand[d].resource);
        if (r >= 0 && !(f->profiled->resource[r].capacity && kernel->demand[d].bare))
            use[r] = kernel->demand[d].ratio * mean;
    }
    scaling->by = sms__retarget(&scaling->from, &scaling->to, kernel->whole ? 0 : kernel->blocks, use);
    return true;
}

/* The demand on the device that the kernel runs on, rounded down so that full waves do not oversubscribe it. */
static struct sms__demand scaled_demand(const struct fitting *f, const struct scaling *scaling, size_t to_r,
                                        const struct sms__demand *demand)
{
    struct sms__demand scaled = *demand;
    int r = sms__resource_index(f->profiled, demand->resource);
    if (r < 0 || (f->profiled->resource[r].capacity && demand->bare))
        return scaled;
    double sms = f->kernel->whole ? (double)f->profiled->sms / (double)scaling->to.device->sms : 1;
    scaled.ratio = sms__retarget_demand(&scaling->from, &scaling->to, (size_t)r, to_r, demand->ratio * sms,
                                        scaling->by.block_time);
    scaled.ratio = floor(scaled.ratio * 1e5 + 1e-6) / 1e5;
    return scaled;
}

static void fit_demand(const struct fitting *f, const struct scaling *scaling, struct sms__footprint *fit)
{
    for (size_t d = 0; d < f->kernel->demands; d++) {
        const struct sms__demand *demand = &f->kernel->demand[d];
        struct sms__demand scaled;
        int r = sms__resource_index(f->device, demand->resource);
        if (r < 0)
            continue; /* no device has it, which is reported, or the demand is 0 */
        if (scaling) {
            scaled = scaled_demand(f, scaling, (size_t)r, demand);
            demand = &scaled;
        }
        if (f->kernel->whole ||
            sms__demand_parts(f->reader, f->device, (size_t)r, demand, &fit->demand[r], &fit->count[r]))
            fit_resource(f, (size_t)r, demand, fit);
    }
}

static bool fit_block(const struct fitting *f, struct sms__footprint *fit)
{
    static const double none[SMS_RESOURCES_MAX];
    const char *word = sms__tenant_word(f->scenario);
    const char *problem = sms__block_needs(&f->device->sm, f->kernel, fit->needs);
    if (problem) {
        sms__complain(f->reader, f->kernel->node, "kernel '%.60s' of %s '%.60s' fits no SM of %s: %s", f->kernel->name,
                      word, f->vm->name, f->device->name, problem);
        return false;
    }
    int refusing = sms__hard_refuses(f->device, fit, none);
    if (refusing >= 0)
        sms__complain(f->reader, f->kernel->node,
                      "kernel '%.60s' of %s '%.60s' fits no SM of %s: a block takes %.6g %% of '%.60s'",
                      f->kernel->name, word, f->vm->name, f->device->name, fit->demand[refusing] / SMS_FULL * 100,
                      f->device->resource[refusing].name);
    return true;
}

double sms__slowdown_on(const struct sms__footprint *fit, const struct sms__device *device, double part)
{
    double slow = 1;
    if (fit->by_share)
        return fmax(sms__time_ratio(fit->by_share, fit->share * part) / fit->slowed, 1);
    for (size_t r = 0; r < device->resources; r++)
        if (device->resource[r].cls == SMS_COMPUTE)
            slow = fmax(slow, fit->demand[r] / SMS_FULL / part);
    return fmax(slow, fit->room / part);
}

void sms__press_less(struct sms__footprint *fit, size_t r, double times, double most)
{
    double demand = nearbyint(fmin(fit->demand[r] / times, most));
    double pressure = fit->demand[r] > 0 ? fmin(fit->pressure[r] / times, most * fit->pressure[r] / fit->demand[r]) : 0;
    fit->adds[r] = fit->demand[r] = demand;
    fit->pressure[r] = nearbyint(pressure);
}

void sms__set_core(struct sms__footprint *fit)
{
    double most = 0;
    for (size_t r = 0; r < SMS_RESOURCES_MAX; r++)
        most = fmax(most, fit->demand[r]);
    fit->core = most > 0 ? most : SMS_FULL;
}

double sms__clock_at(const struct sms__device *device, double power_w)
{
    double spare_w = device->limit_w - device->idle_w;
    return spare_w > 0 && power_w > spare_w ? cbrt(spare_w / power_w) : 1;
}

void sms__draw_less(struct sms__footprint *fit, const struct sms__device *device, double slow)
{
    double whole_w = fit->power_w;
    fit->power_w /= slow;
    if (!fit->by_share)
        fit->work_ps *= sms__clock_at(device, whole_w) / sms__clock_at(device, fit->power_w);
}

/* By which factor the kernel takes longer on the instance. */
static double slowdown_on_instance(const struct fitting *f, const struct sms__footprint *fit)
{
    double sms = (double)f->device->sms / (double)f->device->mig.board->sms;
    double most = fit->by_share ? sms__slowdown_on(fit, f->device, sms) : 1;
    for (size_t r = 0; r < f->device->resources; r++)
        if (!fit->by_share || f->device->resource[r].scope == SMS_SCOPE_DEVICE)
            most = fmax(most, fit->demand[r] / share_of(f, r) / SMS_FULL);
    return fit->by_share ? most : fmax(most, fit->room / sms);
}

static void fit_instance(const struct fitting *f, struct sms__footprint *fit)
{
    double slow = slowdown_on_instance(f, fit), sms = (double)f->device->sms / (double)f->device->mig.board->sms;
    for (size_t r = 0; r < f->device->resources; r++)
        sms__press_less(fit, r, share_of(f, r) * slow, SMS_FULL);
    fit->room = fmin(fit->room / (sms * slow), 1);
    fit->work_ps *= slow;
    sms__draw_less(fit, f->device, slow);
    fit->share = sms;
    fit->slowed = slow;
}

/* On an instance a coarse kernel takes greater shares. If a share exceeds the whole resource, the kernel takes longer
 * by as much instead. A time measured at two shares of the SMs has that in it, but for the memory of the instance. */
static bool fit_whole(const struct fitting *f, struct sms__footprint *fit)
{
    if (!f->scenario->shares && !f->scenario->cluster) {
        sms__complain(f->reader, f->kernel->node,
                      "kernel '%.60s' of VM '%.60s' is given by its time: that needs a scenario with processes",
                      f->kernel->name, f->vm->name);
        return false;
    }
    fit->launches = f->kernel->launches;
    fit->power_w = f->kernel->power_w;
    fit->by_share = f->kernel->by_share;
    fit->share = 1;
    fit->slowed = 1;
    fit->room = f->kernel->room;
    if (f->device->mig.board)
        fit_instance(f, fit);
    sms__set_core(fit);
    sms__block_needs(&f->device->sm, f->kernel, fit->needs); /* of one thread, which is no matter */
    return true;
}

/* The cost of a launch. `timed` is the device on which the kernel's times were measured: what they contain of launches
 * there is the kernel's own cost, and scales with what launches cost here if both device files say so. */
static double launch_ps(const struct fitting *f, const struct sms__device *timed)
{
    double own = f->kernel->launch_ps >= 0 ? f->kernel->launch_ps : timed->dispatch.launch_ps;
    double there = timed->dispatch.launch_ps, here = f->device->dispatch.launch_ps;
    return there > 0 && here > 0 ? own * here / there : own;
}

/* A coarse kernel stands for all of its device, so what it slows itself is known before an instance is looked at. */
static bool fit_on_device(const struct fitting *f, struct sms__footprint *fit)
{
    enum sms_limit binds;
    bool whole = f->kernel->whole;
    if (!whole && !fit_block(f, fit))
        return false;
    fit->per_sm = whole ? 1 : sms__blocks_per_sm(f->device->view.capacity, fit->needs, &binds);
    sms__find_no_load(f->scenario, f->kernel, f->device, fit);
    return !whole || fit_whole(f, fit);
}

static void fit_kernel(const struct fitting *f, struct sms__footprint *fit)
{
    const struct sms__quantity *time = &f->kernel->block_time;
    struct scaling scaling;
    bool scaled = scale(f, &scaling);
    fit_demand(f, scaled ? &scaling : NULL, fit);
    const struct sms__device *timed = scaled ? f->profiled : f->device;
    fit->work_ps = time->cycles ? sms__cycles_to_ps(time->value, timed->clock_hz) : time->value;
    if (scaled) {
        fit->work_ps *= scaling.by.block_time;
        fit->scaled = 1 + (int)scaling.by.bound;
    }
    if (!fit_on_device(f, fit))
        return;
    if (!f->kernel->whole)
        fit->launch_ps = (uint64_t)(launch_ps(f, timed) + 0.5);
    fit->work = fit->work_ps <= SMS__TIME_MAX_PS ? (uint64_t)(fit->work_ps + 0.5) : 0;
    if (isinf(fit->alone))
        sms__complain(f->reader, f->kernel->node,
                      "contention model '%s', with measured_alone, stops kernel '%s' alone on %s",
                      f->scenario->contention.model->name, f->kernel->name, f->device->name);
    else if (fit->work_ps < 1 || fit->work_ps > SMS__TIME_MAX_PS)
        sms__complain(f->reader, f->kernel->node, "%s of kernel '%.60s' on %s is not between 1 ps and 104 days",
                      f->kernel->whole ? "time" : "block_time", f->kernel->name, f->device->name);
}

/* The device of the workload's profile, if it is scaled from there and the file of that is known. */
static const struct sms__device *profiled_elsewhere(const struct sms__reader *reader,
                                                    const struct sms__workload *workload,
                                                    const struct sms__device *device)
{
    if (!*workload->device || sms__runs_as_profiled(device, workload->device))
        return NULL;
    return sms__find_profiled(reader->user, workload->device);
}

struct sms__footprint *sms__footprints(struct sms__reader *reader, const struct sms_scenario *scenario,
                                       const struct sms__tenant *vm, const struct sms__device *device)
{
    struct sms__footprint *fit = SMS__NEW(reader->arena, struct sms__footprint, vm->workload->kernels);
    const struct sms__workload *workload;
    size_t first;
    for (size_t i = 0; (workload = sms__workload_of(vm, i, &first)); i++) {
        const struct sms__device *profiled = profiled_elsewhere(reader, workload, sms__whole_device(device));
        for (size_t k = 0; k < workload->kernels; k++) {
            struct fitting f = {reader, scenario, vm, &vm->workload->kernel[first + k], device, profiled};
            fit_kernel(&f, &fit[first + k]);
            fit[first + k].cls = sms__pair_class(scenario->contention.pairs, workload->cls);
        }
    }
    return fit;
}
