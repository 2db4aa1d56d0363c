/* The counters of a trace: resident blocks and the usage of resources, as means over intervals of the whole run. Each
 * stay adds its time to the sum of its kernel, and demands are multiplied in at the end. All sums are integers, so the
 * order of stays does not matter. */
#include "parts.h"

#include <stdlib.h>

/* The first intervals are 2^10 ps long. */
enum { FIRST_SHIFT = 10, BINS_MIN = 16, BINS_MAX = 2048, CELLS_MAX = 1 << 20 };

/* Stands for resident blocks in place of a resource. */
enum { RESIDENT = -1 };

static uint64_t demand_of(const struct sms__trace *trace, size_t device, size_t kind, size_t resource)
{
    const struct sms__trace_kind *kernel = &trace->kind[kind];
    const struct sms__footprint *fit = trace->scenario->vm[kernel->vm].fit[device];
    return fit ? (uint64_t)fit[kernel->kernel].demand[resource] : 0;
}

/* The background demand, in parts, summed over the SMs. */
static uint64_t background_of(const struct sms__device *device, size_t resource)
{
    uint64_t parts = 0;
    for (size_t i = 0; i < device->backgrounds; i++)
        for (size_t d = 0; d < device->background[i].demands; d++) {
            const struct sms__demand *demand = &device->background[i].demand[d];
            if (sms__resource_index(device, demand->resource) == (int)resource)
                parts += (uint64_t)(demand->ratio * SMS_FULL + 0.5);
        }
    return parts;
}

/* Whether any kernel or background demands the resource. */
static bool is_demanded(const struct sms__trace *trace, size_t device, size_t resource)
{
    for (size_t k = 0; k < trace->kinds; k++)
        if (demand_of(trace, device, k, resource))
            return true;
    return background_of(trace->scenario->device[device], resource) > 0;
}

int sms__usage_begin(struct sms__trace *trace, size_t events)
{
    struct sms__trace_usage *usage = &trace->usage;
    size_t series = trace->scenario->devices, bins = BINS_MAX;
    for (size_t d = 0; d < trace->scenario->devices; d++)
        for (size_t r = 0; r < trace->scenario->device[d]->resources; r++)
            series += is_demanded(trace, d, r);
    free(usage->sum);
    *usage = (struct sms__trace_usage){.rows = trace->scenario->devices * trace->kinds, .shift = FIRST_SHIFT};
    /* Each series ends with one more event, a 0. */
    while (bins >= BINS_MIN && ((bins + 1) * series > events || bins * usage->rows > CELLS_MAX))
        bins /= 2;
    if (bins < BINS_MIN)
        return SMS_OK;
    usage->sum = calloc(usage->rows * bins + 1, sizeof *usage->sum);
    usage->bins = usage->sum ? bins : 0;
    return usage->sum ? SMS_OK : SMS_ENOMEM;
}

static void merge_intervals(struct sms__trace_usage *usage)
{
    usage->shift++;
    for (size_t row = 0; row < usage->rows; row++) {
        sms__u128 *sum = usage->sum + row * usage->bins;
        for (size_t b = 0; b < usage->bins; b++)
            sum[b] = b < usage->bins / 2 ? sum[2 * b] + sum[2 * b + 1] : 0;
    }
}

void sms__usage_add(struct sms__trace_usage *usage, size_t row, uint64_t start, uint64_t end, uint64_t blocks)
{
    if (!usage->bins)
        return;
    while ((end - 1) >> usage->shift >= usage->bins)
        merge_intervals(usage);
    sms__u128 *sum = usage->sum + row * usage->bins;
    size_t last = (size_t)((end - 1) >> usage->shift);
    for (size_t b = (size_t)(start >> usage->shift); b < last; b++) {
        uint64_t next = (uint64_t)(b + 1) << usage->shift;
        sum[b] += (sms__u128)(next - start) * blocks;
        start = next;
    }
    sum[last] += (sms__u128)(end - start) * blocks;
}

/* The mean over an interval that is cut at the last end: resident blocks in 10^-3, or the usage in 10^-4 %. */
static uint64_t mean_of(const struct sms__trace *trace, size_t device, long resource, size_t bin)
{
    const struct sms__device *model = trace->scenario->device[device];
    const struct sms__trace_usage *usage = &trace->usage;
    uint64_t start = (uint64_t)bin << usage->shift, width = (uint64_t)1 << usage->shift;
    width = usage->last_ps - start < width ? usage->last_ps - start : width;
    sms__u128 sum = resource == RESIDENT ? 0 : (sms__u128)background_of(model, (size_t)resource) * width;
    for (size_t k = 0; k < trace->kinds; k++)
        sum += usage->sum[(device * trace->kinds + k) * usage->bins + bin] *
               (resource == RESIDENT ? 1 : demand_of(trace, device, k, (size_t)resource));
    if (resource == RESIDENT)
        return (uint64_t)(sum * 1000 / width);
    return (uint64_t)(sum / ((sms__u128)width * model->sms) / (uint64_t)(SMS_FULL / 1e6));
}

/* Writes one counter of a device where its value changes, and 0 at the end. */
static void write_series(struct sms__trace *trace, size_t device, long resource)
{
    const struct sms__trace_usage *usage = &trace->usage;
    uint64_t from = trace->options.from_ps, before = UINT64_MAX;
    const bool is_resident = resource == RESIDENT;
    const struct sms__trace_series series = {
        .device = device,
        .name = is_resident ? "resident" : trace->scenario->device[device]->resource[resource].name,
        .unit = is_resident ? "blocks" : "%",
        .decimals = is_resident ? 3 : 4};
    for (size_t b = 0; b < usage->bins && (uint64_t)b << usage->shift < usage->last_ps; b++) {
        uint64_t value = mean_of(trace, device, resource, b);
        if (value != before)
            sms__trace_json_count(trace, &series, from + ((uint64_t)b << usage->shift), value);
        before = value;
    }
    sms__trace_json_count(trace, &series, from + usage->last_ps, 0);
}

void sms__usage_write(struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    for (size_t d = 0; trace->usage.bins && d < scenario->devices; d++) {
        write_series(trace, d, RESIDENT);
        for (size_t r = 0; r < scenario->device[d]->resources; r++)
            if (is_demanded(trace, d, r))
                write_series(trace, d, (long)r);
    }
}
