/* The counters of a trace. Usage follows from who was there: what a stay adds is
 * its time on the device, summed by kind of block, and demands are multiplied in
 * at the end. Whole numbers throughout, so that no order of stays matters. */
#include "trace.h"

#include <stdlib.h>

/* The first intervals are 2^10 ps long. */
enum { FIRST_SHIFT = 10, BINS_LEAST = 16, BINS_MOST = 2048, CELLS_MOST = 1 << 20 };

static size_t count_series(const struct sms__trace *trace)
{
    size_t series = 0;
    for (size_t d = 0; d < trace->scenario->devices; d++) {
        series++;
        for (size_t r = 0; r < trace->scenario->device[d]->resources; r++)
            series += sms__usage_exists(trace, d, r);
    }
    return series;
}

int sms__usage_init(struct sms__trace_usage *usage, const struct sms__trace *trace, size_t events)
{
    size_t series = count_series(trace), bins = BINS_MOST;
    usage->rows = trace->scenario->devices * trace->kinds;
    usage->shift = FIRST_SHIFT;
    /* A series ends with one event more, a 0. */
    while (bins >= BINS_LEAST && ((bins + 1) * series > events || bins * usage->rows > CELLS_MOST))
        bins /= 2;
    if (bins < BINS_LEAST)
        return 0;
    usage->bins = bins;
    usage->sum = calloc(usage->rows * bins + 1, sizeof *usage->sum);
    return usage->sum ? 0 : -1;
}

static void fold(struct sms__trace_usage *usage)
{
    usage->shift++;
    for (size_t row = 0; row < usage->rows; row++) {
        sms__u128 *sum = usage->sum + row * usage->bins;
        for (size_t b = 0; b < usage->bins / 2; b++)
            sum[b] = sum[2 * b] + sum[2 * b + 1];
        for (size_t b = usage->bins / 2; b < usage->bins; b++)
            sum[b] = 0;
    }
}

void sms__usage_add(struct sms__trace_usage *usage, size_t row, uint64_t start, uint64_t end, uint64_t blocks)
{
    if (!usage->bins)
        return;
    while ((end - 1) >> usage->shift >= usage->bins)
        fold(usage);
    sms__u128 *sum = usage->sum + row * usage->bins;
    size_t last = (size_t)((end - 1) >> usage->shift);
    for (size_t b = (size_t)(start >> usage->shift); b < last; b++) {
        uint64_t next = (uint64_t)(b + 1) << usage->shift;
        sum[b] += (sms__u128)(next - start) * blocks;
        start = next;
    }
    sum[last] += (sms__u128)(end - start) * blocks;
}

static uint64_t demand_of(const struct sms__trace *trace, size_t device, size_t kind, size_t resource)
{
    const struct sms__trace_kind *at = &trace->kind[kind];
    return (uint64_t)trace->scenario->vm[at->vm].fit[device][at->kernel].demand[resource];
}

/* What is always there, in parts, summed over the SMs. */
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

bool sms__usage_exists(const struct sms__trace *trace, size_t device, size_t resource)
{
    for (size_t k = 0; k < trace->kinds; k++)
        if (demand_of(trace, device, k, resource))
            return true;
    return background_of(trace->scenario->device[device], resource) > 0;
}

static uint64_t width_of(const struct sms__trace_part *part, size_t bin)
{
    uint64_t start = (uint64_t)bin << part->usage.shift, width = (uint64_t)1 << part->usage.shift;
    return part->last - start < width ? part->last - start : width;
}

uint64_t sms__usage_of(const struct sms__trace *trace, const struct sms__trace_part *part, size_t device,
                       size_t resource, size_t bin)
{
    const struct sms__device *model = trace->scenario->device[device];
    const struct sms__trace_usage *usage = &part->usage;
    uint64_t width = width_of(part, bin);
    sms__u128 parts = (sms__u128)background_of(model, resource) * width;
    for (size_t k = 0; k < trace->kinds; k++)
        parts += usage->sum[(device * trace->kinds + k) * usage->bins + bin] * demand_of(trace, device, k, resource);
    return (uint64_t)(parts / ((sms__u128)width * model->sms) / (uint64_t)(SMS_FULL / 1e6));
}

uint64_t sms__usage_blocks(const struct sms__trace *trace, const struct sms__trace_part *part, size_t device,
                           size_t bin)
{
    const struct sms__trace_usage *usage = &part->usage;
    sms__u128 sum = 0;
    for (size_t k = 0; k < trace->kinds; k++)
        sum += usage->sum[(device * trace->kinds + k) * usage->bins + bin];
    return (uint64_t)(sum * 1000 / width_of(part, bin));
}
