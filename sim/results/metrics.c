/* The metrics of all but clusters, and those that compare with stand-alone runs. */
#include "metrics.h"

static double seconds_of(const struct sms__record *record) { return sms__measured_ps(record) / 1e12; }

void sms__measure_kernel(const struct sms__record *record, double *row)
{
    const double seconds = seconds_of(record);
    const size_t kernels = record->scenario->drawn ? 0 : record->first_kernel[record->scenario->vms];
    for (size_t k = 0; k < kernels; k++, row += SMS__FIRST_PROCESS - SMS__FIRST_KERNEL) {
        const struct sms__kernel_record *kernel = &record->kernel[k];
        const struct sms__span_record span = sms__record_spans(record, k);
#define KERNEL(name, better, value, words, formula) row[SMS__KERNEL_##name - SMS__FIRST_KERNEL] = (double)(value);
#include "metrics.def"
    }
}

/* The counters of VMs, added up. */
struct sum {
    double blocks, launches, residence, work, wait, placed; /* of their kernels */
    double jobs, timed_jobs, missed;                        /* timed: with a deadline */
    double ended, latency_ps;                               /* jobs that have a latency, and its sum */
    double alone_ps;                                        /* pods that ended: time alone x processes */
    size_t timed;                                           /* VMs */
};

static void add_jobs(struct sum *sum, const struct sms__record *record, size_t v)
{
    const struct sms__vm_record *vm = &record->vm[v];
    sum->jobs += sms__count(vm->jobs, vm->job_parts);
    sum->timed_jobs += (double)vm->timed;
    sum->missed += (double)vm->missed;
    sum->ended += (double)vm->latency.count;
    sum->latency_ps += vm->latency.sum;
    sum->timed += record->scenario->vm[v].deadline_ps > 0 || vm->timed > 0;
    sum->alone_ps += (double)vm->alone_ps;
}

static struct sum sum_vms(const struct sms__record *record, size_t from, size_t to)
{
    struct sum sum = {0};
    for (size_t k = record->first_kernel[from]; k < record->first_kernel[to]; k++) {
        const struct sms__kernel_record *kernel = &record->kernel[k];
        const struct sms__span_record span = sms__record_spans(record, k);
        sum.blocks += sms__count(kernel->blocks, kernel->block_parts);
        sum.launches += sms__count(kernel->launches, kernel->launch_parts);
        sum.residence += (double)span.residence_ps;
        sum.work += (double)span.work_ps;
        sum.wait += (double)kernel->wait_ps;
        sum.placed += (double)kernel->placed;
    }
    for (size_t v = from; v < to; v++)
        add_jobs(&sum, record, v);
    return sum;
}

void sms__measure_vm(const struct sms__record *record, double *row)
{
    const double seconds = seconds_of(record);
    for (size_t v = 0; v < record->scenario->vms; v++, row += SMS__FIRST_RESOURCE - SMS__FIRST_VM) {
        const struct sms__vm_record *vm = &record->vm[v];
        const struct sum sum = sum_vms(record, v, v + 1);
#define VM(name, better, value, words, formula) row[SMS__VM_##name - SMS__FIRST_VM] = (double)(value);
#include "metrics.def"
    }
}

enum { CLASS_METRICS = SMS__ALL_METRICS - SMS__FIRST_CLASS };

void sms__measure_class(const struct sms__record *record, double *row)
{
    const struct sms_scenario *scenario = record->scenario;
    const double seconds = seconds_of(record);
    for (size_t c = 0; c < scenario->cls.count; c++, row += CLASS_METRICS) {
        uint64_t bucket[SMS__BUCKETS] = {0};
        struct sms__histogram latency = {.least = UINT64_MAX, .bucket = bucket};
        struct sum sum = {0};
        if (record->cluster && !record->cluster->work.devices)
            continue; /* pods last their durations, and do no jobs */
        for (size_t v = 0; v < scenario->vms; v++)
            if (scenario->vm[v].cls == scenario->cls.name[c]) {
                add_jobs(&sum, record, v);
                sms__histogram_merge(&latency, &record->vm[v].latency);
            }
        const double progress = sum.alone_ps > 0 ? sms__over(sum.alone_ps, sms__measured_ps(record)) : NAN;
#define CLASS(name, better, value, words, formula) row[SMS__CLASS_##name - SMS__FIRST_CLASS] = (double)(value);
#define CLASS_ALONE CLASS
#include "metrics.def"
    }
}

/* SMs x T, ps; of the devices that have the resource, unless it is NULL. */
static double sm_time_ps(const struct sms__record *record, const char *resource)
{
    double sms = 0;
    for (size_t d = 0; d < record->scenario->devices; d++)
        if (!resource || sms__resource_index(record->scenario->device[d], resource) >= 0)
            sms += (double)record->scenario->device[d]->sms;
    return sms * sms__measured_ps(record);
}

/* The static load of a device's backgrounds on a resource: parts of one SM, added up. */
static double background(const struct sms__device *device, size_t r)
{
    double sum = 0;
    for (size_t i = 0; i < device->backgrounds; i++) {
        const struct sms__background *load = &device->background[i];
        for (size_t d = 0; d < load->demands; d++)
            sum += sms__resource_index(device, load->demand[d].resource) == (int)r ? load->demand[d].ratio : 0;
    }
    return sum;
}

/* The next device of another model than `d` and those before it. */
static size_t next_model(const struct sms__record *record, size_t d)
{
    size_t model = record->model[d];
    while (d < record->scenario->devices && record->model[d] == model)
        d++;
    return d;
}

/* How much of a resource was used, in SM time at 100 %, ps. */
struct load {
    double used, delivered, excess, over_ps;
};

/* Adds what a VM's kernels used on the devices of the model of device `d`. */
static void add_usage(const struct sms__record *record, size_t v, size_t d, size_t r, struct load *load)
{
    const struct sms__tenant *vm = &record->scenario->vm[v];
    for (size_t k = 0; vm->fit[d] && k < vm->workload->kernels; k++) {
        const struct sms__span_record *span = &record->kernel[record->first_kernel[v] + k].span[record->model[d]];
        const struct sms__footprint *fit = &vm->fit[d][k];
        /* The demand of a coarse kernel is of all SMs. */
        double sms = vm->workload->kernel[k].whole ? (double)record->scenario->device[d]->sms : 1;
        load->used += fit->demand[r] / SMS_FULL * sms * (double)span->residence_ps;
        load->delivered += fit->pressure[r] / SMS_FULL * sms * (double)span->work_ps;
    }
}

/* Over the devices that have it. */
static struct load load_of(const struct sms__record *record, const char *resource)
{
    const struct sms_scenario *scenario = record->scenario;
    struct load load = {0};
    for (size_t d = 0; d < scenario->devices; d = next_model(record, d)) {
        const int r = sms__resource_index(scenario->device[d], resource);
        for (size_t v = 0; v < scenario->vms && r >= 0; v++)
            add_usage(record, v, d, (size_t)r, &load);
    }
    for (size_t d = 0; d < scenario->devices; d++) {
        const int r = sms__resource_index(scenario->device[d], resource);
        if (r < 0)
            continue;
        load.used += background(scenario->device[d], (size_t)r) * sms__measured_ps(record);
        load.excess += (double)record->device[d].excess[r] / SMS_FULL;
        load.over_ps += (double)record->device[d].over[r] / SMS_FULL;
    }
    return load;
}

void sms__measure_resource(const struct sms__record *record, double *row)
{
    const struct sms_scenario *scenario = record->scenario;
    for (size_t r = 0; r < scenario->resources; r++, row += SMS__FIRST_KERNEL - SMS__FIRST_RESOURCE) {
        const double sm_time = sm_time_ps(record, scenario->resource[r]);
        const struct load load = load_of(record, scenario->resource[r]);
#define RESOURCE(name, better, value, words, formula) row[SMS__RESOURCE_##name - SMS__FIRST_RESOURCE] = (double)(value);
#include "metrics.def"
    }
}

/* The end of the last VM or process that was to end and did not fail. */
static double makespan_ns(const struct sms__record *record)
{
    double last = NAN;
    for (size_t v = 0; v < record->scenario->vms; v++) {
        const struct sms__vm_record *vm = &record->vm[v];
        const double end_ps = vm->unended ? sms__unended_ps(record) : (double)vm->end_ps;
        if (record->scenario->vm[v].repeat == 0 || vm->process.failed)
            continue;
        if (isnan(end_ps))
            return NAN;
        last = fmax(last, end_ps / 1e3);
    }
    return last;
}

/* By the number of processes where the device says what several take, else by the share of its SMs that are active. */
static double device_energy_j(const struct sms__record *record, size_t d)
{
    const struct sms__device *device = record->scenario->device[d];
    const struct sms__device_record *of = &record->device[d];
    double busy_s = (double)of->active / SMS_FULL / 1e12 / (double)device->sms, several_s = 0;
    if (record->scenario->shares && device->shared_w > 0) {
        busy_s = (double)of->single_ps / 1e12;
        several_s = (double)of->several_ps / 1e12;
    }
    return device->idle_w * seconds_of(record) + (device->busy_w - device->idle_w) * busy_s +
           (device->shared_w - device->idle_w) * several_s;
}

static double energy_j(const struct sms__record *record)
{
    double energy = record->scenario->host.power_w * sms__measured_ps(record) / 1e12;
    for (size_t d = 0; d < record->scenario->devices; d++)
        energy += device_energy_j(record, d);
    return energy;
}

/* Coarse kernels have no per-block records. */
static bool has_coarse(const struct sms_scenario *scenario)
{
    bool any = false;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++)
            any |= scenario->vm[v].workload->kernel[k].whole;
    return any;
}

/* The thread time of a VM's kernels on the devices of the model of device `d`. */
static double thread_time(const struct sms__record *record, size_t v, size_t d, double threads)
{
    const struct sms__tenant *vm = &record->scenario->vm[v];
    for (size_t k = 0; vm->fit[d] && k < vm->workload->kernels; k++)
        threads += (double)record->kernel[record->first_kernel[v] + k].span[record->model[d]].residence_ps *
                   (double)vm->fit[d][k].needs[SMS_THREADS];
    return threads;
}

static double occupancy(const struct sms__record *record)
{
    const struct sms_scenario *scenario = record->scenario;
    double threads = 0, most = 0;
    for (size_t d = 0; d < scenario->devices; d++)
        most += (double)scenario->device[d]->sms * (double)scenario->device[d]->sm.threads;
    for (size_t d = 0; d < scenario->devices; d = next_model(record, d))
        for (size_t v = 0; v < scenario->vms; v++)
            threads = thread_time(record, v, d, threads);
    return has_coarse(scenario) ? NAN : sms__over(threads, most * sms__measured_ps(record));
}

static double activity(const struct sms__record *record)
{
    double active = 0;
    for (size_t d = 0; d < record->scenario->devices; d++)
        active += (double)record->device[d].active / SMS_FULL;
    return has_coarse(record->scenario) ? NAN : sms__over(active, sm_time_ps(record, NULL));
}

void sms__measure_host(const struct sms__record *record, double *row)
{
    const double seconds = seconds_of(record);
    const struct sum sum = sum_vms(record, 0, record->scenario->vms);
#define HOST(name, better, value, words, formula) row[SMS__HOST_##name - SMS__FIRST_HOST] = (double)(value);
#include "metrics.def"
}

/* From the arrival of a VM or process to the end of its last job; NAN if it has not ended or has failed. */
static double own_time_ps(const struct sms__record *record, size_t v)
{
    const struct sms__vm_record *vm = &record->vm[v];
    return vm->unended || vm->process.failed ? NAN : (double)vm->end_ps - record->scenario->vm[v].start_ps;
}

/* ---- processes and devices: the last row of either is "all", folded from the rows before it ---- */

enum {
    PROCESS_METRICS = SMS__FIRST_DEVICE - SMS__FIRST_PROCESS,
    DEVICE_METRICS = SMS__FIRST_CLUSTER - SMS__FIRST_DEVICE
};

/* How a metric of "all" comes from those of each. */
enum fold { MEAN, SUM, GREATEST };

static const enum fold process_fold[PROCESS_METRICS] = {
#define PROCESS(name, better, fold, value, words, formula) [SMS__PROCESS_##name - SMS__FIRST_PROCESS] = (fold),
#define PROCESS_ALONE PROCESS
#include "metrics.def"
};

static const enum fold device_fold[DEVICE_METRICS] = {
#define DEVICE(name, better, fold, value, words, formula) [SMS__DEVICE_##name - SMS__FIRST_DEVICE] = (fold),
#include "metrics.def"
};

/* Metric m over the rows that have it. The mean is NAN if none has. */
static double fold_one(const double *rows, size_t count, size_t width, size_t m, enum fold fold)
{
    double sum = 0, greatest = 0, values = 0;
    for (size_t i = 0; i < count; i++) {
        double value = rows[i * width + m];
        if (isnan(value))
            continue;
        sum += value;
        greatest = value > greatest ? value : greatest;
        values++;
    }
    if (fold == GREATEST)
        return greatest;
    return fold == SUM ? sum : values > 0 ? sum / values : NAN;
}

static void fold_rows(double *rows, size_t count, size_t width, const enum fold *fold)
{
    for (size_t m = 0; m < width; m++)
        rows[count * width + m] = fold_one(rows, count, width, m, fold[m]);
}

static double ns(uint64_t ps) { return (double)ps / 1e3; }

void sms__measure_process(const struct sms__record *record, double *rows)
{
    const size_t processes = record->scenario->vms;
    double *row = rows;
    for (size_t v = 0; v < processes; v++, row += PROCESS_METRICS) {
        const struct sms__process_record *process = &record->vm[v].process;
        const uint64_t *state = process->state_ps;
#define PROCESS(name, better, fold, value, words, formula)                                                             \
    row[SMS__PROCESS_##name - SMS__FIRST_PROCESS] = (double)(value);
#include "metrics.def"
    }
    fold_rows(rows, processes, PROCESS_METRICS, process_fold);
}

static void measure_slowdowns(const struct sms_scenario *scenario, const struct sms__alone *alone, double *rows)
{
    double *row = rows;
    for (size_t v = 0; v < scenario->vms; v++, row += PROCESS_METRICS) {
        const double alone_ps = alone[v].end_ps, own_ns = row[SMS__PROCESS_turnaround_ns - SMS__FIRST_PROCESS];
#define PROCESS_ALONE(name, better, fold, value, words, formula)                                                       \
    row[SMS__PROCESS_##name - SMS__FIRST_PROCESS] = (double)(value);
#include "metrics.def"
    }
    fold_rows(rows, scenario->vms, PROCESS_METRICS, process_fold);
}

/* The ratio of sums, because the mean of ratios would weigh small devices like large ones. */
static double held_ratio(const struct sms__record *record)
{
    double held = 0, memory = 0;
    for (size_t d = 0; d < record->scenario->devices; d++) {
        held += (double)record->device[d].held_ps;
        memory += (double)record->scenario->device[d]->memory;
    }
    return sms__over(held, memory * sms__measured_ps(record));
}

void sms__measure_device(const struct sms__record *record, double *rows)
{
    const size_t devices = record->scenario->devices;
    const double time_ps = sms__measured_ps(record);
    double *row = rows;
    for (size_t d = 0; d < devices; d++, row += DEVICE_METRICS) {
        const struct sms__device_record *shared = &record->device[d];
        const double memory = (double)record->scenario->device[d]->memory;
        const double switch_ps = (double)shared->switch_ps / (double)record->scenario->device[d]->sms;
#define DEVICE(name, better, fold, value, words, formula) row[SMS__DEVICE_##name - SMS__FIRST_DEVICE] = (double)(value);
#include "metrics.def"
    }
    fold_rows(rows, devices, DEVICE_METRICS, device_fold);
    row[SMS__DEVICE_memory_ratio - SMS__FIRST_DEVICE] = held_ratio(record);
}

/* ---- all of a run ---- */

static void count(const struct sms__record *record, double *counted)
{
    const struct sms__cluster_record *cluster = record->cluster;
    double *pods = counted + record->scenario->vms;
    for (size_t v = 0; v < record->scenario->vms; v++)
        counted[v] = (double)record->vm[v].jobs / (double)sms__devices_for_one(record->scenario);
    pods[SMS__COUNT_WAITS] = cluster ? (double)cluster->wait.count : 0;
    pods[SMS__COUNT_TURNAROUNDS] = cluster ? (double)cluster->turnaround.count : 0;
    pods[SMS__COUNT_SLOWDOWNS] = cluster ? (double)cluster->work.slowdown.count : 0;
    pods[SMS__COUNT_TIMED] = cluster ? (double)cluster->timed : 0;
}

void sms__measure(const struct sms__record *record, struct sms__values *values)
{
    static void (*const measure[SMS_SUBJECTS])(const struct sms__record *, double *) = {
#define SUBJECT(subject, word, plural, kind, level) [SMS_##subject] = sms__measure_##word,
#include "metrics.def"
    };
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t n = sms__subject_count(record->scenario, (enum sms_subject)s) * sms__metric_count((enum sms_subject)s);
        for (size_t i = 0; i < n; i++)
            values->of[s][i] = NAN;
        if (n)
            measure[s](record, values->of[s]);
    }
    for (size_t v = 0; v < record->scenario->vms; v++)
        values->end_ps[v] = own_time_ps(record, v);
    count(record, values->counted);
}

struct sms__alone sms__measure_alone(const struct sms__record *record, size_t v)
{
    return (struct sms__alone){own_time_ps(record, v), sms__over(sum_vms(record, v, v + 1).blocks, seconds_of(record))};
}

/* The metrics of a VM. */
static double *row_of(const struct sms__values *values, size_t v)
{
    return values->of[SMS_VM] + v * sms__metric_count(SMS_VM);
}

/* Normalized progress, added up over VMs. */
struct progress_sum {
    double progress, squares, slowdowns, least, greatest, vms;
};

static void add_progress(struct progress_sum *sum, double progress, double alone_blocks_per_s, double *row)
{
#define VM_ALONE(name, better, value, words, formula) row[SMS__VM_##name - SMS__FIRST_VM] = (double)(value);
#include "metrics.def"
    sum->progress += progress;
    sum->squares += progress * progress;
    sum->slowdowns += sms__over(1, progress);
    sum->least = isnan(progress) || progress < sum->least ? progress : sum->least; /* one without makes all NAN */
    sum->greatest = progress > sum->greatest ? progress : sum->greatest;
    sum->vms++;
}

static void measure_host_progress(const struct progress_sum *all, double *row)
{
    if (all->vms == 0)
        return;
#define HOST_ALONE(name, better, value, words, formula) row[SMS__HOST_##name - SMS__FIRST_HOST] = (double)(value);
#include "metrics.def"
}

/* The sums of classes' tenants, of which those that failed have no progress. */
static void measure_class_progress(const struct sms_scenario *scenario, const struct sms__values *values)
{
    double *row = values->of[SMS_CLASS];
    for (size_t c = 0; c < scenario->cls.count; c++, row += CLASS_METRICS) {
        double progress = NAN;
        for (size_t v = 0; v < scenario->vms; v++) {
            const double own = row_of(values, v)[SMS__VM_normalized_progress_ratio - SMS__FIRST_VM];
            if (scenario->vm[v].cls == scenario->cls.name[c] && !isnan(own))
                progress = isnan(progress) ? own : progress + own;
        }
#define CLASS_ALONE(name, better, value, words, formula) row[SMS__CLASS_##name - SMS__FIRST_CLASS] = (double)(value);
#include "metrics.def"
    }
}

double sms__speed_over(const struct sms__alone *run, const struct sms__alone *other)
{
    if (!isnan(run->end_ps) && !isnan(other->end_ps))
        return sms__over(other->end_ps, run->end_ps);
    return sms__over(run->blocks_per_s, other->blocks_per_s);
}

static double progress_of(const struct sms__values *mix, const struct sms__alone *alone, size_t v)
{
    const double blocks_per_s = row_of(mix, v)[SMS__VM_blocks_per_s - SMS__FIRST_VM];
    return sms__speed_over(&(struct sms__alone){mix->end_ps[v], blocks_per_s}, alone);
}

static bool has_failed(const struct sms__values *values, size_t process)
{
    const double *row = values->of[SMS_PROCESS] + process * sms__metric_count(SMS_PROCESS);
    return row[SMS__PROCESS_failed_count - SMS__FIRST_PROCESS] > 0;
}

void sms__measure_progress(const struct sms_scenario *scenario, struct sms__values *values,
                           const struct sms__alone *alone)
{
    struct progress_sum sum = {.least = INFINITY};
    if (scenario->shares)
        measure_slowdowns(scenario, alone, values->of[SMS_PROCESS]);
    for (size_t v = 0; v < scenario->vms; v++)
        if (!scenario->shares || !has_failed(values, v))
            add_progress(&sum, progress_of(values, &alone[v], v), alone[v].blocks_per_s, row_of(values, v));
    measure_host_progress(&sum, values->of[SMS_HOST]);
    measure_class_progress(scenario, values);
}
