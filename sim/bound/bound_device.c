/* Describes a device and the load of a scenario on it, as the linear program needs them. */
#include "bound.h"

#include "../levels/run_setup.h"

#include <math.h>
#include <stdio.h>

/* ---- kernels and VMs ---- */

static double launches_of_job(const struct sms__workload *workload, size_t k)
{
    double times = 0;
    for (size_t i = 0; i < workload->steps; i++)
        if (workload->step[i].kind == SMS__LAUNCH && workload->step[i].kernel == k)
            times += (double)workload->step[i].times;
    return times;
}

static void describe_kernel(struct sms__bound_device *device, const struct sms__tenant *vm, size_t idx, size_t k)
{
    const struct sms__kernel *kernel = &vm->workload->kernel[k];
    double times = launches_of_job(vm->workload, k);
    if (times <= 0)
        return;
    device->kernel[device->kernels++] = (struct sms__bound_kernel){
        .fit = &vm->fit[idx][k],
        .times = times,
        .blocks = (double)kernel->blocks,
        .work_ps = vm->fit[idx][k].work_ps,
        .cv = kernel->spread == SMS__EXPONENTIAL ? 1 : kernel->jitter,
        .bounded = kernel->spread == SMS__UNIFORM,
    };
}

/* A job's steps that are no launches. Steps of less than a picosecond take no time. */
static void add_step(const struct sms__device *model, const struct sms__step *step, struct sms__bound_vm *out)
{
    int way = step->kind == SMS__COPY_OUT;
    out->operations += step->kind == SMS__LAUNCH ? (double)step->times : 1;
    out->others += step->kind != SMS__LAUNCH;
    if (step->kind == SMS__HOST && step->amount >= 1)
        out->other_ps += step->amount;
    if ((step->kind != SMS__COPY_IN && step->kind != SMS__COPY_OUT) || model->link_bandwidth <= 0)
        return;
    out->bytes[way] += step->amount;
    out->hairs[way] += step->amount > 0;
    out->other_ps += fmax(0, step->amount / (model->link_bandwidth / 1e12) - 0.5);
}

static void describe_vm(struct sms__bound_device *device, const struct sms__tenant *vm, size_t idx)
{
    struct sms__bound_vm *out = &device->vm[device->vms++];
    *out = (struct sms__bound_vm){.vm = vm, .alike = 1, .first = device->kernels, .streams = (double)vm->streams};
    for (size_t k = 0; k < vm->workload->kernels; k++)
        describe_kernel(device, vm, idx, k);
    out->kernels = device->kernels - out->first;
    for (size_t i = 0; i < vm->workload->steps; i++)
        add_step(device->model, &vm->workload->step[i], out);
    bool lasts = vm->arrivals == SMS__POISSON || vm->arrivals == SMS__REGULAR;
    out->jobs_per_s = lasts ? 1e12 / vm->interval_ps : INFINITY;
    out->most_jobs = vm->repeat ? (double)vm->repeat : INFINITY;
}

static bool is_alike(const struct sms__tenant *a, const struct sms__tenant *b, size_t idx)
{
    return a->workload == b->workload && a->fit[idx] == b->fit[idx] && a->streams == b->streams &&
           a->repeat == b->repeat && a->start_ps == b->start_ps && a->draws_phase == b->draws_phase &&
           a->arrivals == b->arrivals && a->interval_ps == b->interval_ps && a->times == b->times;
}

/* Looks from the last on, because those of one entry follow each other. */
static bool describe_vms(struct sms__bound_device *device, const struct sms_scenario *scenario, size_t idx)
{
    for (size_t v = 0; v < scenario->vms && device->vms <= SMS__BOUND_VMS; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        size_t same = sms__may_be_on(vm, idx) ? device->vms : 0;
        while (same > 0 && !is_alike(vm, device->vm[same - 1].vm, idx))
            same--;
        if (same > 0)
            device->vm[same - 1].alike++;
        else if (sms__may_be_on(vm, idx))
            describe_vm(device, vm, idx);
        device->of[v] = !sms__may_be_on(vm, idx) ? SIZE_MAX : (same > 0 ? same : device->vms) - 1;
    }
    return device->vms <= SMS__BOUND_VMS;
}

/* ---- limits of the SMs ---- */

static bool is_equal(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Appends the row, unless it says the same as one before. */
static void add_row(struct sms__bound_device *device, struct sms__bound_row row)
{
    for (size_t j = 0; row.limit && j < device->rows; j++)
        if (is_equal(device->row[j].use, row.use, device->kernels))
            return;
    device->row[device->rows++] = row;
}

/* A dual feasible function (Fekete and Schepers, Math. Program. 91, 2001): the shares of blocks that fit on an SM
 * together add up to 1 at most. A block has 1/m of the SM if the SM holds `m` blocks of its kernel.
 * With m = 0 it has what it needs. */
static double whole_share(uint64_t needs, uint64_t capacity, uint64_t m)
{
    uint64_t times = (m + 1) * needs, whole = times / capacity;
    return m && times % capacity ? (double)whole / (double)m : (double)needs / (double)capacity;
}

static void add_shares(struct sms__arena *arena, struct sms__bound_device *device, int limit, uint64_t capacity,
                       uint64_t m)
{
    double *use = SMS__NEW(arena, double, device->kernels);
    struct sms__bound_row row = {.use = use, .capacity = (double)device->model->sms, .limit = true};
    for (size_t k = 0; k < device->kernels; k++)
        use[k] = whole_share(device->kernel[k].fit->needs[limit], capacity, m);
    snprintf(row.name, sizeof row.name, m ? "%s (%llu whole blocks an SM)" : "%s", sms__limit_names[limit],
             (unsigned long long)m);
    add_row(device, row);
}

enum { WHOLE_MAX = 64, WHOLE_ROWS = 12 };

/* For the kernels of which an SM holds fewest: there the rest of the SM matters. */
static void add_limit(struct sms__arena *arena, struct sms__bound_device *device, int limit)
{
    uint64_t capacity = device->model->view.capacity[limit];
    bool holds[WHOLE_MAX] = {false};
    int rows = 0;
    if (capacity == 0)
        return;
    add_shares(arena, device, limit, capacity, 0);
    for (size_t k = 0; k < device->kernels; k++) {
        uint64_t needs = device->kernel[k].fit->needs[limit];
        if (needs && capacity % needs && capacity / needs < WHOLE_MAX)
            holds[capacity / needs] = true;
    }
    for (uint64_t m = 1; m < WHOLE_MAX && rows < WHOLE_ROWS; m++)
        if (holds[m]) {
            add_shares(arena, device, limit, capacity, m);
            rows++;
        }
}

/* ---- resources ---- */

/* The most that blocks on one SM can demand of it, by each limit alone. */
static double most_demand(const struct sms__bound_device *device, size_t r)
{
    double least = INFINITY;
    for (size_t j = 0; j < device->rows; j++) {
        double most = 0;
        for (size_t k = 0; device->row[j].limit && k < device->kernels; k++) {
            double demand = device->kernel[k].fit->pressure[r] / SMS_FULL;
            if (demand > 0)
                most = fmax(most, device->row[j].use[k] > 0 ? demand / device->row[j].use[k] : INFINITY);
        }
        if (device->row[j].limit && most < least)
            least = most;
    }
    return least;
}

/* Static load on the SM, or of all SMs for sm == SIZE_MAX. */
static double background(const struct sms__device *model, size_t r, uint64_t sm)
{
    double sum = 0;
    for (size_t i = 0; i < model->backgrounds; i++)
        for (size_t d = 0; d < model->background[i].demands; d++) {
            const struct sms__demand *demand = &model->background[i].demand[d];
            bool here = sm == SIZE_MAX || model->background[i].sm == sm;
            sum += here && sms__resource_index(model, demand->resource) == (int)r ? demand->ratio : 0;
        }
    return sum;
}

/* Returns how much of the resource the device delivers to its blocks, in SMs. */
static double delivered(const struct sms_scenario *scenario, const struct sms_contention_view *view,
                        const struct sms__device *model, size_t r, double most)
{
    double (*delivers)(const struct sms_contention_view *, size_t, double, double) =
        scenario->contention.model->delivers;
    double sms = (double)model->sms, sum = 0;
    if (model->resource[r].scope == SMS_SCOPE_DEVICE)
        return sms * delivers(view, r, background(model, r, SIZE_MAX) / sms, most);
    if (model->backgrounds == 0)
        return sms * delivers(view, r, 0, most);
    for (uint64_t sm = 0; sm < model->sms; sm++)
        sum += delivers(view, r, background(model, r, sm), most);
    return sum;
}

/* Returns whether the contention model answers with 0 or more. */
static bool add_resource(struct sms__arena *arena, const struct sms_scenario *scenario,
                         const struct sms_contention_view *view, struct sms__bound_device *device, size_t r)
{
    double *use = SMS__NEW(arena, double, device->kernels);
    double most = most_demand(device, r);
    for (size_t k = 0; k < device->kernels; k++)
        use[k] = device->kernel[k].fit->pressure[r] / SMS_FULL;
    struct sms__bound_row row = {.use = use, .capacity = INFINITY};
    if (most > 0)
        row.capacity = delivered(scenario, view, device->model, r, most);
    snprintf(row.name, sizeof row.name, "%s", device->model->resource[r].name);
    if (isfinite(row.capacity))
        add_row(device, row);
    return row.capacity >= 0;
}

/* ---- launches ---- */

/* A launch takes full waves of blocks, or as long as a resource makes it. Random work has this least time in the mean:
 * a block, or the work of all blocks over what runs at once. A part of a launch needs no full waves, and may have the
 * shorter half of random blocks: uniform ones are shorter by sqrt(3) cv at most. */
static void find_least_times(const struct sms__bound_device *device, struct sms__bound_kernel *kernel)
{
    size_t k = (size_t)(kernel - device->kernel);
    double waves = kernel->blocks / ((double)device->model->sms * (double)kernel->fit->per_sm), part = fmax(1, waves);
    for (size_t j = 0; j < device->rows; j++)
        if (device->row[j].capacity > 0)
            part = fmax(part, kernel->blocks * device->row[j].use[k] / device->row[j].capacity);
    kernel->least_ps = kernel->work_ps * (kernel->cv > 0 ? part : fmax(part, ceil(waves)));
    double shorter = kernel->bounded || kernel->cv <= 0 ? fmin(1, sqrt(3) * kernel->cv) : 1;
    kernel->part_ps = kernel->work_ps * part * (1 - shorter);
}

const char *sms__bound_describe(struct sms__arena *arena, const struct sms_scenario *scenario, size_t idx,
                                struct sms__bound_device *out)
{
    const struct sms__device *model = scenario->device[idx];
    size_t kernels = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        kernels += scenario->vm[v].workload->kernels;
    *out = (struct sms__bound_device){.model = model};
    out->kernel = SMS__NEW(arena, struct sms__bound_kernel, kernels);
    out->vm = SMS__NEW(arena, struct sms__bound_vm, scenario->vms);
    out->of = SMS__NEW(arena, size_t, scenario->vms);
    out->row = SMS__NEW(arena, struct sms__bound_row, SMS_LIMITS * (1 + WHOLE_ROWS) + SMS_RESOURCES_MAX);
    if (!describe_vms(out, scenario, idx))
        return "it is not computed for more than 2000 different VMs on a device";
    for (int l = 0; l < SMS_LIMITS; l++)
        add_limit(arena, out, l);
    struct sms_contention_view view = sms__contention_view(arena, scenario, model);
    for (size_t r = 0; scenario->contention.model->delivers && r < model->resources; r++)
        if (!add_resource(arena, scenario, &view, out, r))
            return "'delivers' of its contention model answers with less than 0, or with no number";
    for (size_t k = 0; k < out->kernels; k++)
        find_least_times(out, &out->kernel[k]);
    return NULL;
}

/* ---- the least time in which all can be done ---- */

/* The work of `count` blocks or launches may happen to be less by so many of them. */
static double deviation(double cv, double count) { return SMS__BOUND_Z * cv * sqrt(count); }

static double row_makespan(const struct sms__bound_device *device, const struct sms__bound_row *row)
{
    double need = 0;
    for (size_t v = 0; v < device->vms; v++)
        for (size_t i = 0; i < device->vm[v].kernels; i++) {
            size_t k = device->vm[v].first + i;
            const struct sms__bound_kernel *kernel = &device->kernel[k];
            double blocks = device->vm[v].most_jobs * kernel->times * kernel->blocks;
            double work = fmax(kernel->work_ps - 0.5, kernel->work_ps / 2);
            need += device->vm[v].alike * row->use[k] * work * fmax(0, blocks - deviation(kernel->cv, blocks));
        }
    return row->capacity > 0 ? need / row->capacity : 0;
}

/* One of the streams does as many jobs as their mean, rounded up if nothing is random. */
static double vm_makespan(const struct sms__bound_device *device, const struct sms__bound_vm *vm)
{
    double job = vm->other_ps, least = 0, cycles = ceil(vm->most_jobs / vm->streams);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++) {
        const struct sms__bound_kernel *kernel = &device->kernel[k];
        double launches = vm->most_jobs * kernel->times, tick = 1 - 0.5 / fmax(kernel->work_ps, 1);
        cycles = kernel->cv > 0 ? vm->most_jobs / vm->streams : cycles;
        job += kernel->times * kernel->least_ps * tick;
        least += kernel->least_ps * deviation(kernel->cv, launches) / vm->streams;
    }
    const struct sms__times *times = vm->vm->times;
    double last_arrival = vm->vm->arrivals == SMS__REGULAR ? vm->most_jobs * vm->vm->interval_ps : 0;
    last_arrival = times ? times->ps[(size_t)vm->most_jobs - 1] : last_arrival;
    return vm->vm->start_ps + fmax(last_arrival, cycles * job - least);
}

static double link_makespan(const struct sms__bound_device *device, int way)
{
    double bytes = 0, rate = device->model->link_bandwidth / 1e12;
    for (size_t v = 0; v < device->vms; v++)
        bytes += device->vm[v].alike * device->vm[v].most_jobs *
                 fmax(0, device->vm[v].bytes[way] - 0.5 * rate * device->vm[v].hairs[way]);
    return rate > 0 ? bytes / rate : 0;
}

static void raise(double *greatest, double value, char name[SMS__BOUND_NAME], const char *prefix, const char *what)
{
    if (value <= *greatest)
        return;
    *greatest = value;
    snprintf(name, SMS__BOUND_NAME, "%s%s", prefix, what);
}

double sms__bound_makespan_ps(const struct sms__bound_device *device, char name[SMS__BOUND_NAME])
{
    double greatest = 0, start = device->vms ? INFINITY : 0;
    name[0] = '\0';
    for (size_t v = 0; v < device->vms; v++)
        start = device->vm[v].vm->start_ps < start ? device->vm[v].vm->start_ps : start;
    for (size_t j = 0; j < device->rows; j++)
        raise(&greatest, start + row_makespan(device, &device->row[j]), name, "", device->row[j].name);
    for (int way = 0; way < 2; way++)
        raise(&greatest, start + link_makespan(device, way), name, "", way ? "copies out" : "copies in");
    for (size_t v = 0; v < device->vms; v++) {
        bool open = device->vm[v].vm->arrivals != SMS__CLOSED;
        raise(&greatest, vm_makespan(device, &device->vm[v]), name, open ? "arrivals of " : "streams of ",
              device->vm[v].vm->name);
    }
    return greatest;
}
