/* Metrics of processes and devices, in scenarios with `processes:`. */
#include "metrics_share.h"

#include <math.h>

#define PROCESS(id) (SMS__ALL_PROCESS_##id - SMS__FIRST_PROCESS)
#define DEVICE(id) (SMS__ALL_DEVICE_##id - SMS__FIRST_DEVICE)

enum {
    PROCESS_METRICS = SMS__FIRST_DEVICE - SMS__FIRST_PROCESS,
    DEVICE_METRICS = SMS__FIRST_CLUSTER - SMS__FIRST_DEVICE
};

/* How a metric of all subjects comes from those of each. */
enum fold { MEAN, SUM, GREATEST };

static const enum fold process_fold[PROCESS_METRICS] = {
    [PROCESS(PAUSES)] = SUM, [PROCESS(SUSPENDS)] = SUM, [PROCESS(MIGRATIONS)] = SUM,  [PROCESS(COPIED)] = SUM,
    [PROCESS(MOVED)] = SUM,  [PROCESS(REFUSED)] = SUM,  [PROCESS(MEMORY)] = GREATEST, [PROCESS(FAILED)] = SUM,
};

static const enum fold device_fold[DEVICE_METRICS] = {
    [DEVICE(SWITCHES)] = SUM,
    [DEVICE(SWITCH_TIME)] = SUM,
    [DEVICE(MEMORY)] = GREATEST,
    [DEVICE(ENERGY)] = SUM,
};

/* Metric m over `rows` subjects, of those that have it: the mean, NAN if none has. */
static double fold_one(const double *out, size_t rows, size_t width, size_t m, enum fold fold)
{
    double sum = 0, greatest = 0, count = 0;
    for (size_t i = 0; i < rows; i++) {
        double value = out[i * width + m];
        if (isnan(value))
            continue;
        sum += value;
        greatest = value > greatest ? value : greatest;
        count++;
    }
    if (fold == GREATEST)
        return greatest;
    return fold == SUM ? sum : count > 0 ? sum / count : NAN;
}

/* The row of all subjects, which comes after theirs. */
static void fold_rows(double *out, size_t rows, size_t width, const enum fold *fold)
{
    for (size_t m = 0; m < width; m++)
        out[rows * width + m] = fold_one(out, rows, width, m, fold[m]);
}

double sms__turnaround_ps(const struct sms__record *record, size_t v)
{
    const struct sms__process_record *process = &record->process[v];
    if (process->failed || process->ended_ps == 0)
        return NAN;
    return (double)process->ended_ps - record->scenario->vm[v].start_ps;
}

static double ns(uint64_t ps) { return (double)ps / 1e3; }

static void measure_times(const struct sms__process_record *process, double *out)
{
    const uint64_t *state = process->state_ps;
    out[PROCESS(WAITING)] =
        ns(state[SMS_PHASE_UNPLACED] + state[SMS_PHASE_ALLOCATE] + state[SMS_PHASE_LAUNCH] + process->sliced_ps);
    out[PROCESS(HOST_TIME)] = ns(state[SMS_PHASE_HOST]);
    out[PROCESS(COPY_IN)] = ns(state[SMS_PHASE_COPY_IN]);
    out[PROCESS(KERNEL_TIME)] = ns(state[SMS_PHASE_KERNEL]);
    out[PROCESS(COPY_OUT)] = ns(state[SMS_PHASE_COPY_OUT]);
    out[PROCESS(PAUSED)] = ns(process->paused_ps);
    out[PROCESS(SUSPENDED)] = ns(state[SMS_PHASE_SUSPENDING] + state[SMS_PHASE_SUSPENDED] + state[SMS_PHASE_RESTORING]);
    out[PROCESS(SERVICE)] = ns(process->service_ps);
}

static void measure_counts(const struct sms__process_record *process, double *out)
{
    out[PROCESS(PAUSES)] = (double)process->pauses;
    out[PROCESS(SUSPENDS)] = (double)process->suspends;
    out[PROCESS(MIGRATIONS)] = (double)process->migrations;
    out[PROCESS(COPIED)] = process->copied_in + process->copied_out;
    out[PROCESS(MOVED)] = process->moved;
    out[PROCESS(MEMORY)] = (double)process->peak_held;
    out[PROCESS(REFUSED)] = (double)process->refused;
    out[PROCESS(FAILED)] = process->failed;
}

void sms__measure_processes(const struct sms__record *record, double *out)
{
    size_t processes = record->scenario->vms;
    for (size_t v = 0; v < processes; v++) {
        double *row = out + v * PROCESS_METRICS;
        row[PROCESS(TURNAROUND)] = sms__turnaround_ps(record, v) / 1e3;
        row[PROCESS(SLOWDOWN)] = NAN;
        measure_times(&record->process[v], row);
        measure_counts(&record->process[v], row);
    }
    fold_rows(out, processes, PROCESS_METRICS, process_fold);
}

void sms__measure_slowdowns(const struct sms_scenario *scenario, const struct sms__alone *alone, double *out)
{
    const size_t m = PROCESS(SLOWDOWN);
    for (size_t v = 0; v < scenario->vms; v++) {
        double *row = out + v * PROCESS_METRICS;
        row[m] = alone[v].end_ps > 0 ? row[PROCESS(TURNAROUND)] * 1e3 / alone[v].end_ps : NAN;
    }
    out[scenario->vms * PROCESS_METRICS + m] = fold_one(out, scenario->vms, PROCESS_METRICS, m, MEAN);
}

bool sms__has_failed(const double *out, size_t v) { return out[v * PROCESS_METRICS + PROCESS(FAILED)] > 0; }

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

static double measured_ps(const struct sms__record *record) { return (double)(record->to_ps - record->from_ps); }

static void measure_device(const struct sms__record *record, size_t d, double *out)
{
    const struct sms__shared_record *shared = &record->shared[d];
    double memory = (double)record->scenario->device[d]->memory, time_ps = measured_ps(record);
    out[DEVICE(SWITCHES)] = (double)shared->switches;
    out[DEVICE(SWITCH_TIME)] = ns(shared->switch_ps);
    out[DEVICE(SWITCH)] = over((double)shared->switch_ps, time_ps);
    out[DEVICE(BUSY)] = over((double)shared->busy_ps, time_ps);
    out[DEVICE(MEMORY)] = (double)shared->peak_held;
    out[DEVICE(HELD)] = over((double)shared->held_ps, memory * time_ps);
    out[DEVICE(ENERGY)] = shared->energy_j;
}

/* Of all memory, not the mean of devices with more and with less of it. */
static double held_ratio(const struct sms__record *record)
{
    double held = 0, memory = 0;
    for (size_t d = 0; d < record->scenario->devices; d++) {
        held += (double)record->shared[d].held_ps;
        memory += (double)record->scenario->device[d]->memory;
    }
    return over(held, memory * measured_ps(record));
}

void sms__measure_devices(const struct sms__record *record, double *out)
{
    size_t devices = record->scenario->devices;
    for (size_t d = 0; d < devices; d++)
        measure_device(record, d, out + d * DEVICE_METRICS);
    fold_rows(out, devices, DEVICE_METRICS, device_fold);
    out[devices * DEVICE_METRICS + DEVICE(HELD)] = held_ratio(record);
}

double sms__share_energy_j(const struct sms__record *record)
{
    double energy = record->scenario->host.power_w * measured_ps(record) / 1e12;
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
