#include "metrics_share.h"

#include <math.h>
#include <string.h>

#define METRIC(subject, id, name, better, formula) {name, better, formula},
static const struct sms_metric all[] = {
#include "metrics.def"
};
#undef METRIC

static const size_t first[SMS_SUBJECTS + 1] = {SMS__FIRST_HOST,    SMS__FIRST_VM,      SMS__FIRST_RESOURCE,
                                               SMS__FIRST_KERNEL,  SMS__FIRST_PROCESS, SMS__FIRST_DEVICE,
                                               SMS__FIRST_CLUSTER, SMS__FIRST_NODE,    SMS__ALL_METRICS};

const struct sms_metric *sms_metrics(enum sms_subject subject, size_t *count)
{
    bool known = (unsigned)subject < SMS_SUBJECTS;
    if (count)
        *count = known ? first[subject + 1] - first[subject] : 0;
    return known ? &all[first[subject]] : NULL;
}

long sms_metric_index(enum sms_subject subject, const char *name)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t m = 0; name && m < count; m++)
        if (!strcmp(metric[m].name, name))
            return (long)m;
    return -1;
}

size_t sms__subject_count(const struct sms_scenario *scenario, enum sms_subject subject)
{
    size_t kernels = 0, together = 1;
    if (scenario->cluster && subject == SMS_NODE)
        return scenario->cluster->rows;
    if (scenario->cluster || subject == SMS_CLUSTER || subject == SMS_NODE)
        return scenario->cluster && subject == SMS_CLUSTER;
    switch (subject) {
    case SMS_HOST:
        return 1;
    case SMS_VM:
        return scenario->vms;
    case SMS_RESOURCE:
        return scenario->device[0]->resources;
    case SMS_PROCESS:
        return scenario->shares ? scenario->vms + together : 0;
    case SMS_DEVICE:
        return scenario->shares ? scenario->devices + together : 0;
    default:
        for (size_t v = 0; v < scenario->vms && !scenario->drawn; v++)
            kernels += scenario->vm[v].workload->kernels;
        return kernels;
    }
}

/* The row of subject `i`, addressed by the metric's number in the whole list. */
static double *row(const struct sms__values *values, enum sms_subject subject, size_t i)
{
    size_t width = first[subject + 1] - first[subject];
    return values->of[subject] + i * width - first[subject];
}

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

static double seconds(const struct sms__record *record) { return (double)(record->to_ps - record->from_ps) / 1e12; }

static double mean_ns(const struct sms__histogram *h) { return h->count ? h->sum / (double)h->count / 1e3 : NAN; }

static double rank_ns(const struct sms__histogram *h, double p) { return sms__histogram_rank(h, p) / 1e3; }

static void measure_kernel(const struct sms__record *record, size_t k, double *out)
{
    const struct sms__kernel_record *kernel = &record->kernel[k];
    const struct sms__span_record span = sms__record_spans(record, k);
    out[SMS__ALL_KERNEL_LAUNCHES] = over(sms__count(kernel->launches, kernel->launch_parts), seconds(record));
    out[SMS__ALL_KERNEL_BLOCKS] = over(sms__count(kernel->blocks, kernel->block_parts), seconds(record));
    out[SMS__ALL_KERNEL_LATENCY] = mean_ns(&kernel->latency);
    out[SMS__ALL_KERNEL_LATENCY_P50] = rank_ns(&kernel->latency, 0.50);
    out[SMS__ALL_KERNEL_LATENCY_P95] = rank_ns(&kernel->latency, 0.95);
    out[SMS__ALL_KERNEL_LATENCY_P99] = rank_ns(&kernel->latency, 0.99);
    out[SMS__ALL_KERNEL_LATENCY_MIN] = kernel->latency.count ? (double)kernel->latency.least / 1e3 : NAN;
    out[SMS__ALL_KERNEL_WAIT] = over((double)kernel->wait_ps / 1e3, (double)kernel->placed);
    out[SMS__ALL_KERNEL_SLOWDOWN] = over((double)span.residence_ps, (double)span.work_ps);
}

/* The counters of a VM's kernels, or of all, added up. */
struct sum {
    double blocks, launches, residence, work, wait, placed;
};

static struct sum sum_kernels(const struct sms__record *record, size_t from, size_t to)
{
    struct sum sum = {0};
    for (size_t k = from; k < to; k++) {
        const struct sms__kernel_record *kernel = &record->kernel[k];
        const struct sms__span_record span = sms__record_spans(record, k);
        sum.blocks += sms__count(kernel->blocks, kernel->block_parts);
        sum.launches += sms__count(kernel->launches, kernel->launch_parts);
        sum.residence += (double)span.residence_ps;
        sum.work += (double)span.work_ps;
        sum.wait += (double)kernel->wait_ps;
        sum.placed += (double)kernel->placed;
    }
    return sum;
}

static void measure_vm(const struct sms__record *record, size_t v, double *out)
{
    const struct sms__vm_record *vm = &record->vm[v];
    struct sum sum = sum_kernels(record, record->first_kernel[v], record->first_kernel[v + 1]);
    double jobs = (double)vm->jobs;
    out[SMS__ALL_VM_KERNELS] = over(sum.launches, seconds(record));
    out[SMS__ALL_VM_BLOCKS] = over(sum.blocks, seconds(record));
    out[SMS__ALL_VM_JOBS] = over(sms__count(vm->jobs, vm->job_parts), seconds(record));
    out[SMS__ALL_VM_PROGRESS] = out[SMS__ALL_VM_NTT] = out[SMS__ALL_VM_ALONE] = NAN;
    out[SMS__ALL_VM_LATENCY] = mean_ns(&vm->latency);
    out[SMS__ALL_VM_LATENCY_P50] = rank_ns(&vm->latency, 0.50);
    out[SMS__ALL_VM_LATENCY_P95] = rank_ns(&vm->latency, 0.95);
    out[SMS__ALL_VM_LATENCY_P99] = rank_ns(&vm->latency, 0.99);
    out[SMS__ALL_VM_LATENCY_MAX] = vm->latency.count ? (double)vm->latency.greatest / 1e3 : NAN;
    out[SMS__ALL_VM_WAIT] = over(sum.wait / 1e3, sum.placed);
    out[SMS__ALL_VM_SLOWDOWN] = over(sum.residence, sum.work);
    out[SMS__ALL_VM_END] = vm->end_ps ? (double)vm->end_ps / 1e3 : NAN;
    bool timed = record->scenario->vm[v].deadline_ps > 0;
    out[SMS__ALL_VM_MISSES] = timed ? over((double)vm->missed, jobs) : NAN;
    out[SMS__ALL_VM_TARDINESS] = timed ? over(vm->tardiness_ps / 1e3, jobs) : NAN;
    out[SMS__ALL_VM_REJECTED] = (double)vm->rejected;
}

/* SM time measured: SMs x T, in ps. */
static double sm_time(const struct sms__record *record)
{
    double sms = 0;
    for (size_t d = 0; d < record->scenario->devices; d++)
        sms += (double)record->scenario->device[d]->sms;
    return sms * (double)(record->to_ps - record->from_ps);
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

/* Adds what a VM's kernels used of a resource on the devices of the model of device `d`, in SM time at 100 %. */
static void add_usage(const struct sms__record *record, size_t v, size_t d, size_t r, double *used, double *delivered)
{
    const struct sms__vm *vm = &record->scenario->vm[v];
    for (size_t k = 0; k < vm->workload->kernels; k++) {
        const struct sms__span_record *span = &record->kernel[record->first_kernel[v] + k].span[record->model[d]];
        double demand = vm->fit[d][k].demand[r] / SMS_FULL;
        if (vm->workload->kernel[k].whole) /* its demand is of all SMs */
            demand *= (double)record->scenario->device[d]->sms;
        *used += demand * (double)span->residence_ps;
        *delivered += demand * (double)span->work_ps;
    }
}

static void measure_resource(const struct sms__record *record, size_t r, double *out)
{
    const struct sms_scenario *scenario = record->scenario;
    double used = 0, delivered = 0, excess = 0, over_ps = 0, time = sm_time(record);
    for (size_t d = 0; d < scenario->devices; d = next_model(record, d))
        for (size_t v = 0; v < scenario->vms; v++)
            add_usage(record, v, d, r, &used, &delivered);
    for (size_t d = 0; d < scenario->devices; d++) {
        used += background(scenario->device[d], r) * (double)(record->to_ps - record->from_ps);
        excess += (double)record->device[d].excess[r] / SMS_FULL;
        over_ps += (double)record->device[d].over_ps[r];
    }
    out[SMS__ALL_RESOURCE_UTILIZATION] = over(used - excess, time);
    out[SMS__ALL_RESOURCE_USAGE] = over(used, time);
    out[SMS__ALL_RESOURCE_DELIVERED] = over(delivered, time);
    out[SMS__ALL_RESOURCE_OVER] = over(over_ps, time);
}

static double makespan_ns(const struct sms__record *record)
{
    double last = NAN;
    if (record->process)
        return sms__share_makespan_ns(record);
    for (size_t v = 0; v < record->scenario->vms; v++) {
        bool ends = record->scenario->vm[v].repeat > 0;
        double end = (double)(record->vm[v].ended ? record->vm[v].end_ps : record->to_ps) / 1e3;
        if (ends && !(end <= last))
            last = end;
    }
    return last;
}

static double energy_j(const struct sms__record *record)
{
    double energy = 0;
    if (record->process)
        return sms__share_energy_j(record);
    for (size_t d = 0; d < record->scenario->devices; d++) {
        const struct sms__device *device = record->scenario->device[d];
        double active_s = (double)record->device[d].active_ps / 1e12 / (double)device->sms;
        energy += device->idle_w * seconds(record) + (device->busy_w - device->idle_w) * active_s;
    }
    return energy;
}

/* Of whole kernels nobody knows the blocks. */
static bool has_wholes(const struct sms_scenario *scenario)
{
    bool any = false;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++)
            any |= scenario->vm[v].workload->kernel[k].whole;
    return any;
}

/* Adds the thread time of a VM's kernels on the devices of the model of device `d`. */
static void add_threads(const struct sms__record *record, size_t v, size_t d, double *threads)
{
    const struct sms__vm *vm = &record->scenario->vm[v];
    for (size_t k = 0; k < vm->workload->kernels; k++)
        *threads += (double)record->kernel[record->first_kernel[v] + k].span[record->model[d]].residence_ps *
                    (double)vm->fit[d][k].needs[SMS_THREADS];
}

/* Of all places for threads, on all devices. */
static double occupancy(const struct sms__record *record)
{
    const struct sms_scenario *scenario = record->scenario;
    double threads = 0, places = 0;
    for (size_t d = 0; d < scenario->devices; d++)
        places += (double)scenario->device[d]->sms * (double)scenario->device[d]->sm.threads;
    for (size_t d = 0; d < scenario->devices; d = next_model(record, d))
        for (size_t v = 0; v < scenario->vms; v++)
            add_threads(record, v, d, &threads);
    return over(threads, places * (double)(record->to_ps - record->from_ps));
}

static void measure_host(const struct sms__record *record, double *out)
{
    const struct sms_scenario *scenario = record->scenario;
    struct sum sum = sum_kernels(record, 0, record->first_kernel[scenario->vms]);
    double jobs = 0, timed_jobs = 0, missed = 0, active = 0;
    for (size_t v = 0; v < scenario->vms; v++) {
        bool timed = scenario->vm[v].deadline_ps > 0;
        jobs += sms__count(record->vm[v].jobs, record->vm[v].job_parts);
        timed_jobs += timed ? (double)record->vm[v].jobs : 0;
        missed += (double)record->vm[v].missed;
    }
    for (size_t d = 0; d < scenario->devices; d++)
        active += (double)record->device[d].active_ps;
    out[SMS__ALL_HOST_KERNELS] = over(sum.launches, seconds(record));
    out[SMS__ALL_HOST_BLOCKS] = over(sum.blocks, seconds(record));
    out[SMS__ALL_HOST_JOBS] = over(jobs, seconds(record));
    out[SMS__ALL_HOST_MAKESPAN] = makespan_ns(record);
    out[SMS__ALL_HOST_OCCUPANCY] = has_wholes(scenario) ? NAN : occupancy(record);
    out[SMS__ALL_HOST_ACTIVITY] = has_wholes(scenario) ? NAN : over(active, sm_time(record));
    out[SMS__ALL_HOST_WAIT] = over(sum.wait / 1e3, sum.placed);
    out[SMS__ALL_HOST_ENERGY] = energy_j(record);
    out[SMS__ALL_HOST_ENERGY_KERNEL] = over(energy_j(record), sum.launches);
    out[SMS__ALL_HOST_MISSES] = over(missed, timed_jobs);
    out[SMS__ALL_HOST_STP] = out[SMS__ALL_HOST_ANTT] = out[SMS__ALL_HOST_HMS] = NAN;
    out[SMS__ALL_HOST_FAIRNESS] = out[SMS__ALL_HOST_JAIN] = NAN;
}

static double own_time_ps(const struct sms__record *record, size_t v)
{
    if (record->process)
        return sms__turnaround_ps(record, v);
    return record->vm[v].ended ? (double)record->vm[v].end_ps - record->scenario->vm[v].start_ps : NAN;
}

void sms__measure(const struct sms__record *record, struct sms__values *values)
{
    const struct sms_scenario *scenario = record->scenario;
    if (record->cluster) {
        sms__measure_cluster(record, values->of[SMS_CLUSTER]);
        sms__measure_nodes(record, values->of[SMS_NODE]);
        return;
    }
    measure_host(record, row(values, SMS_HOST, 0));
    for (size_t v = 0; v < scenario->vms; v++) {
        measure_vm(record, v, row(values, SMS_VM, v));
        values->end_ps[v] = own_time_ps(record, v);
    }
    for (size_t r = 0; r < sms__subject_count(scenario, SMS_RESOURCE); r++)
        measure_resource(record, r, row(values, SMS_RESOURCE, r));
    for (size_t k = 0; k < sms__subject_count(scenario, SMS_KERNEL); k++)
        measure_kernel(record, k, row(values, SMS_KERNEL, k));
    if (record->process) {
        sms__measure_processes(record, values->of[SMS_PROCESS]);
        sms__measure_devices(record, values->of[SMS_DEVICE]);
    }
}

struct sms__alone sms__measure_alone(const struct sms__record *record, size_t v)
{
    struct sum sum = sum_kernels(record, record->first_kernel[v], record->first_kernel[v + 1]);
    return (struct sms__alone){own_time_ps(record, v), over(sum.blocks, seconds(record))};
}

static double progress(const struct sms__values *mix, const struct sms__alone *alone, size_t v)
{
    if (!isnan(mix->end_ps[v]) && !isnan(alone->end_ps))
        return over(alone->end_ps, mix->end_ps[v]);
    return over(row(mix, SMS_VM, v)[SMS__ALL_VM_BLOCKS], alone->blocks_per_s);
}

/* Normalized progress of VMs, on the way to the host's metrics. */
struct progress_sum {
    double sum, squares, slowdowns, least, greatest, vms;
};

/* `alone`: blocks per second of the VM alone. */
static void add_progress(struct progress_sum *sum, double own, double alone, double *vm)
{
    vm[SMS__ALL_VM_PROGRESS] = own;
    vm[SMS__ALL_VM_NTT] = over(1, own);
    vm[SMS__ALL_VM_ALONE] = alone;
    sum->sum += own;
    sum->squares += own * own;
    sum->slowdowns += over(1, own);
    sum->least = own < sum->least ? own : sum->least;
    sum->greatest = own > sum->greatest ? own : sum->greatest;
    sum->vms++;
}

static void measure_host_progress(const struct progress_sum *sum, double *host)
{
    host[SMS__ALL_HOST_STP] = sum->sum;
    host[SMS__ALL_HOST_ANTT] = sum->slowdowns / sum->vms;
    host[SMS__ALL_HOST_HMS] = over(sum->vms, sum->slowdowns);
    host[SMS__ALL_HOST_FAIRNESS] = over(sum->least, sum->greatest);
    host[SMS__ALL_HOST_JAIN] = over(sum->sum * sum->sum, sum->vms * sum->squares);
}

void sms__measure_progress(const struct sms_scenario *scenario, struct sms__values *values,
                           const struct sms__alone *alone)
{
    struct progress_sum sum = {.least = INFINITY};
    if (scenario->shares)
        sms__measure_slowdowns(scenario, alone, values->of[SMS_PROCESS]);
    for (size_t v = 0; v < scenario->vms; v++) {
        if (scenario->shares && sms__has_failed(values->of[SMS_PROCESS], v))
            continue;
        add_progress(&sum, progress(values, &alone[v], v), alone[v].blocks_per_s, row(values, SMS_VM, v));
    }
    if (sum.vms > 0)
        measure_host_progress(&sum, row(values, SMS_HOST, 0));
}

void sms__measure_simtbs_progress(const struct sms__record *record, struct sms__values *values)
{
    struct progress_sum sum = {.least = INFINITY};
    for (size_t v = 0; v < record->scenario->vms; v++) {
        double alone_ps = record->simtbs->kernel[v].alone * SMS__TICK_PS;
        if (record->vm[v].ended && alone_ps > 0)
            add_progress(&sum, alone_ps / values->end_ps[v], (double)record->kernel[v].blocks / (alone_ps / 1e12),
                         row(values, SMS_VM, v));
    }
    if (sum.vms > 0)
        measure_host_progress(&sum, row(values, SMS_HOST, 0));
}
