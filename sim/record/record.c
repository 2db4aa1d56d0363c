/* Counters, integrals and histograms of a run. Invariant: integrals and counts are sums of whole numbers, so they do
 * not depend on the order in which they are added. */
#include "record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sms__histogram_init(struct sms__histogram *histogram, struct sms__arena *arena)
{
    *histogram = (struct sms__histogram){.least = UINT64_MAX, .arena = arena};
}

/* Values below 2^HALF_BITS have a bucket each. Above that, each power of two has 2^HALF_BITS buckets. */
static size_t bucket_of(uint64_t value)
{
    if (value >> SMS__HALF_BITS == 0)
        return (size_t)value;
    int shift = 63 - __builtin_clzll(value) - SMS__HALF_BITS;
    return ((size_t)shift << SMS__HALF_BITS) + (size_t)(value >> shift);
}

/* The middle of a bucket. */
static double bucket_value(size_t bucket)
{
    if (bucket >> SMS__HALF_BITS < 2)
        return (double)bucket;
    size_t shift = (bucket >> SMS__HALF_BITS) - 1;
    double low = ldexp((double)(bucket - (shift << SMS__HALF_BITS)), (int)shift);
    return low + (ldexp(1, (int)shift) - 1) / 2;
}

void sms__histogram_add(struct sms__histogram *histogram, uint64_t value)
{
    if (histogram->count == 1 &&
        !histogram->bucket) { /* a single value needs no buckets: it is the least and the greatest */
        histogram->bucket = SMS__NEW(histogram->arena, uint64_t, SMS__BUCKETS);
        histogram->bucket[bucket_of(histogram->least)]++;
    }
    histogram->count++;
    histogram->sum += (double)value;
    if (histogram->bucket)
        histogram->bucket[bucket_of(value)]++;
    if (value < histogram->least)
        histogram->least = value;
    if (value > histogram->greatest)
        histogram->greatest = value;
}

void sms__histogram_merge(struct sms__histogram *into, const struct sms__histogram *from)
{
    for (size_t b = 0; from->bucket && b < SMS__BUCKETS; b++)
        into->bucket[b] += from->bucket[b];
    if (!from->bucket && from->count)
        into->bucket[bucket_of(from->least)]++;
    into->count += from->count;
    into->least = from->least < into->least ? from->least : into->least;
    into->greatest = from->greatest > into->greatest ? from->greatest : into->greatest;
}

uint64_t sms__histogram_bucket(const struct sms__histogram *histogram, size_t bucket, double *value)
{
    *value = fmin(fmax(bucket_value(bucket), (double)histogram->least), (double)histogram->greatest);
    return histogram->bucket[bucket];
}

static void clear(struct sms__histogram *histogram)
{
    struct sms__histogram empty = {.least = UINT64_MAX, .bucket = histogram->bucket, .arena = histogram->arena};
    if (histogram->bucket)
        memset(histogram->bucket, 0, SMS__BUCKETS * sizeof *histogram->bucket);
    *histogram = empty;
}

double sms__histogram_rank(const struct sms__histogram *histogram, double p)
{
    if (histogram->count == 0)
        return NAN;
    uint64_t rank = (uint64_t)fmax(ceil(p * (double)histogram->count), 1), seen = 0;
    size_t bucket = 0;
    if (rank >= histogram->count)
        return (double)histogram->greatest;
    for (seen = histogram->bucket[0]; seen < rank; seen += histogram->bucket[bucket])
        bucket++;
    double value;
    sms__histogram_bucket(histogram, bucket, &value);
    return value;
}

static struct sms__monitor_record *new_monitor_record(struct sms__arena *arena)
{
    struct sms__monitor_record *monitor = SMS__NEW(arena, struct sms__monitor_record, 1);
    struct sms__float_record *const floats[] = {&monitor->actual, &monitor->observed};
    for (size_t i = 0; i < 2; i++) {
        sms__histogram_init(&floats[i]->late, arena);
        sms__histogram_init(&floats[i]->early, arena);
    }
    return monitor;
}

bool sms__record_job(struct sms__vm_record *record, uint64_t since_ps, double deadline_ps, uint64_t now)
{
    uint64_t latency = now - since_ps;
    record->jobs++;
    record->end_ps = now;
    record->timed += deadline_ps > 0;
    sms__histogram_add(&record->latency, latency);
    if (deadline_ps <= 0 || (double)latency <= deadline_ps)
        return false;
    record->missed++;
    record->tardiness_ps += (double)latency - deadline_ps;
    return true;
}

void sms__record_rest_of_job(struct sms__vm_record *record, uint64_t now)
{
    record->job_parts += (sms__integral)SMS__PARTS;
    record->end_ps = now;
}

struct sms__span_record sms__record_spans(const struct sms__record *record, size_t kernel)
{
    struct sms__span_record sum = {0};
    for (size_t m = 0; m < record->models; m++) {
        sum.residence_ps += record->kernel[kernel].span[m].residence_ps;
        sum.work_ps += record->kernel[kernel].span[m].work_ps;
    }
    return sum;
}

uint64_t sms__job_parts(const struct sms__workload *workload, size_t step, uint64_t times, uint64_t parts)
{
    double done = (double)times + (double)parts / (double)SMS__PARTS, all = 0;
    for (size_t s = 0; s < workload->steps; s++) {
        done += s < step ? sms__step_times(&workload->step[s]) : 0;
        all += sms__step_times(&workload->step[s]);
    }
    return all > 0 ? sms__parts(done, all) : 0;
}

uint64_t sms__series_ps(const struct sms_scenario *scenario)
{
    bool none = scenario->duration_ps <= 0 || scenario->cluster;
    return none ? 0 : (uint64_t)(scenario->duration_ps / SMS__SERIES) + 1;
}

size_t sms__series_rows(const struct sms_scenario *scenario)
{
    return 1 + (scenario->vms <= SMS__SERIES_VMS ? scenario->vms : 0);
}

static void init_kernels(struct sms__record *record, struct sms__arena *arena)
{
    const struct sms_scenario *scenario = record->scenario;
    size_t kernels = record->first_kernel[scenario->vms];
    record->model = SMS__NEW(arena, size_t, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++) {
        bool same = d > 0 && scenario->device[d] == scenario->device[d - 1];
        record->models += !same;
        record->model[d] = record->models - 1;
    }
    record->kernel = SMS__NEW(arena, struct sms__kernel_record, kernels);
    struct sms__span_record *span = SMS__NEW(arena, struct sms__span_record, kernels * record->models);
    for (size_t k = 0; k < kernels; k++) {
        record->kernel[k].span = span + k * record->models;
        sms__histogram_init(&record->kernel[k].latency, arena);
    }
}

static void init_cluster(struct sms__record *record, struct sms__arena *arena, const struct sms__cluster *cluster)
{
    record->cluster = SMS__NEW(arena, struct sms__cluster_record, 1);
    struct sms__histogram *const histograms[] = {&record->cluster->wait, &record->cluster->turnaround,
                                                 &record->cluster->work.slowdown, &record->cluster->cards.pending};
    for (size_t i = 0; i < sizeof histograms / sizeof *histograms; i++)
        sms__histogram_init(histograms[i], arena);
    record->node = cluster->rows ? SMS__NEW(arena, struct sms__node_record, cluster->rows) : NULL;
    if (cluster->monitor)
        record->cluster->monitor = new_monitor_record(arena);
}

void sms__record_init(struct sms__record *record, struct sms__arena *arena, const struct sms_scenario *scenario)
{
    *record = (struct sms__record){.scenario = scenario};
    record->vm = SMS__NEW(arena, struct sms__vm_record, scenario->vms);
    record->first_kernel = SMS__NEW(arena, size_t, scenario->vms + 1);
    for (size_t v = 0; v < scenario->vms; v++) {
        record->first_kernel[v + 1] = record->first_kernel[v] + scenario->vm[v].workload->kernels;
        sms__histogram_init(&record->vm[v].latency, arena);
    }
    init_kernels(record, arena);
    record->device = SMS__NEW(arena, struct sms__device_record, scenario->devices);
    if (scenario->cluster)
        init_cluster(record, arena, scenario->cluster);
    record->series_ps = sms__series_ps(scenario);
    if (record->series_ps)
        record->series = SMS__NEW(arena, uint64_t, sms__series_rows(scenario) * SMS__SERIES);
}

void sms__process_record_restart(struct sms__process_record *process)
{
    *process = (struct sms__process_record){.service_before_ps = process->service_before_ps + sms__service_ps(process),
                                            .peak_held = process->peak_held,
                                            .failed = process->failed,
                                            .choice = process->choice};
}

void sms__device_record_restart(struct sms__device_record *device)
{
    *device = (struct sms__device_record){.peak_held = device->peak_held};
}

static void restart_floats(struct sms__float_record *record)
{
    clear(&record->late);
    clear(&record->early);
    *record = (struct sms__float_record){.late = record->late, .early = record->early};
}

static void restart_monitor(struct sms__monitor_record *monitor)
{
    restart_floats(&monitor->actual);
    restart_floats(&monitor->observed);
    *monitor = (struct sms__monitor_record){.actual = monitor->actual, .observed = monitor->observed};
}

static void restart_cluster(struct sms__cluster_record *cluster)
{
    clear(&cluster->wait);
    clear(&cluster->turnaround);
    clear(&cluster->work.slowdown);
    clear(&cluster->cards.pending);
    cluster->ledger = (struct sms__ledger_record){0};
    cluster->work = (struct sms__work_record){.slowdown = cluster->work.slowdown};
    cluster->cards = (struct sms__cards_record){.pending = cluster->cards.pending, .stranded = cluster->cards.stranded};
    cluster->arrived = cluster->placed = cluster->timed = cluster->missed = cluster->done = cluster->failed = 0;
    cluster->layout_changes = 0;
    cluster->moved = 0;
    if (cluster->monitor)
        restart_monitor(cluster->monitor);
}

static void restart_level(struct sms__steps *level, uint64_t now)
{
    level->integral_ps = -(sms__integral)now * level->value;
}

static void restart_node(struct sms__node_record *node, uint64_t now)
{
    restart_level(&node->gpu, now);
    restart_level(&node->cpu, now);
    node->placements = 0;
}

void sms__record_restart(struct sms__record *record, uint64_t now)
{
    const struct sms_scenario *scenario = record->scenario;
    record->from_ps = now;
    for (size_t v = 0; v < scenario->vms; v++) {
        struct sms__vm_record *vm = &record->vm[v];
        clear(&vm->latency);
        sms__process_record_restart(&vm->process);
        *vm = (struct sms__vm_record){
            .latency = vm->latency, .end_ps = vm->end_ps, .unended = vm->unended, .process = vm->process};
    }
    for (size_t k = 0; k < record->first_kernel[scenario->vms]; k++) {
        struct sms__kernel_record *kernel = &record->kernel[k];
        clear(&kernel->latency);
        memset(kernel->span, 0, record->models * sizeof *kernel->span);
        *kernel = (struct sms__kernel_record){.latency = kernel->latency, .span = kernel->span};
    }
    for (size_t d = 0; d < scenario->devices; d++)
        sms__device_record_restart(&record->device[d]);
    if (record->cluster)
        restart_cluster(record->cluster);
    for (size_t i = 0; record->node && i < scenario->cluster->rows; i++)
        restart_node(&record->node[i], now);
}

static void repeat_vm(struct sms__vm_record *vm, size_t times)
{
    vm->jobs *= times;
    vm->timed *= times;
    vm->missed *= times;
    vm->job_parts *= (sms__integral)times;
    vm->rejected *= times;
    vm->tardiness_ps *= (double)times;
    vm->unended *= times;
}

static void repeat_kernel(struct sms__kernel_record *kernel, size_t models, size_t times)
{
    kernel->blocks *= times;
    kernel->launches *= times;
    kernel->block_parts *= (sms__integral)times;
    kernel->launch_parts *= (sms__integral)times;
    kernel->wait_ps *= (sms__integral)times;
    kernel->placed *= times;
    for (size_t m = 0; m < models; m++) {
        kernel->span[m].residence_ps *= (sms__integral)times;
        kernel->span[m].work_ps *= (sms__integral)times;
    }
}

void sms__record_repeat(struct sms__record *record, size_t devices)
{
    const struct sms_scenario *scenario = record->scenario;
    for (size_t v = 0; v < scenario->vms && devices > 1; v++)
        repeat_vm(&record->vm[v], devices);
    for (size_t k = 0; k < record->first_kernel[scenario->vms] && devices > 1; k++)
        repeat_kernel(&record->kernel[k], record->models, devices);
    for (size_t d = 1; d < devices; d++) {
        record->device[d] = record->device[0];
        size_t each = scenario->device[0]->sms * record->bins;
        if (record->bins)
            memcpy(record->bin + d * each, record->bin, each * sizeof *record->bin);
    }
}

int sms__record_beyond(struct sms__record *record, const struct sms__node *at, const char *what, const char *name)
{
    snprintf(record->why, sizeof record->why,
             "%s '%.60s' would go on beyond the clock's 213 days; give the run a duration", what, name);
    record->at = at;
    return SMS_EINPUT;
}
