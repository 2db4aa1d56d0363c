/* The metrics of processes and devices, in scenarios with `processes:`. Invariant: the last row of either is "all",
 * folded from the rows before it. */
#include "metrics.h"

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

double sms__turnaround_ps(const struct sms__record *record, size_t v)
{
    const struct sms__process_record *process = &record->process[v];
    if (process->failed || process->ended_ps == 0)
        return NAN;
    return (double)process->ended_ps - record->scenario->vm[v].start_ps;
}

static double ns(uint64_t ps) { return (double)ps / 1e3; }

void sms__measure_process(const struct sms__record *record, double *rows)
{
    const size_t processes = record->scenario->vms;
    double *row = rows;
    for (size_t v = 0; v < processes; v++, row += PROCESS_METRICS) {
        const struct sms__process_record *process = &record->process[v];
        const uint64_t *state = process->state_ps;
#define PROCESS(name, better, fold, value, words, formula)                                                             \
    row[SMS__PROCESS_##name - SMS__FIRST_PROCESS] = (double)(value);
#include "metrics.def"
    }
    fold_rows(rows, processes, PROCESS_METRICS, process_fold);
}

void sms__measure_slowdowns(const struct sms_scenario *scenario, const struct sms__alone *alone, double *rows)
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
        held += (double)record->shared[d].held_ps;
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
        const struct sms__shared_record *shared = &record->shared[d];
        const double memory = (double)record->scenario->device[d]->memory;
#define DEVICE(name, better, fold, value, words, formula) row[SMS__DEVICE_##name - SMS__FIRST_DEVICE] = (double)(value);
#include "metrics.def"
    }
    fold_rows(rows, devices, DEVICE_METRICS, device_fold);
    row[SMS__DEVICE_memory_ratio - SMS__FIRST_DEVICE] = held_ratio(record);
}

double sms__share_energy_j(const struct sms__record *record)
{
    double energy = record->scenario->host.power_w * sms__measured_ps(record) / 1e12;
    for (size_t d = 0; d < record->scenario->devices; d++)
        energy += record->shared[d].energy_j;
    return energy;
}

double sms__share_makespan_ns(const struct sms__record *record)
{
    double last = NAN;
    for (size_t v = 0; v < record->scenario->vms; v++) {
        const struct sms__process_record *process = &record->process[v];
        bool ends = record->scenario->vm[v].repeat > 0 && !process->failed;
        double end = ns(process->ended_ps ? process->ended_ps : record->to_ps);
        if (ends && !(end <= last))
            last = end;
    }
    return last;
}
