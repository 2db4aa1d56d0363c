/* The policy that runs now, which is a part of the trace. Each policy begins with all of its share of the budget. */
#include "parts.h"

#include <string.h>

static void name_devices(struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    for (size_t d = 0; d < scenario->devices; d++) {
        char name[256];
        snprintf(name, sizeof name, "device %zu (%s)", d, scenario->device[d]->name);
        sms__trace_name_pid(trace, d, name);
    }
}

void sms__trace_end_part(struct sms__trace *trace)
{
    if (trace->current == trace->parts || trace->scenario->cluster)
        return;
    trace->part[trace->current].interval_ps = trace->usage.bins ? (uint64_t)1 << trace->usage.shift : 0;
    sms__usage_write(trace);
}

static void begin_part(struct sms__trace *trace, size_t part)
{
    const size_t events = (size_t)trace->options.events / trace->parts;
    sms__trace_end_part(trace);
    trace->current = part;
    trace->left = events;
    for (size_t t = 0; t < trace->tracks; t++)
        trace->track[t].lanes = trace->track[t].was_kernel = 0;
    memset(trace->named, 0, sms__trace_pids(trace) * sizeof *trace->named);
    if (trace->scenario->cluster)
        return;
    trace->left = events - events / 4;
    trace->out_of_memory |= sms__usage_begin(trace, events / 4) != SMS_OK;
    name_devices(trace);
}

bool sms__trace_observe(struct sms__trace *trace, const char *policy, uint64_t *start_ps, uint64_t *end_ps)
{
    const uint64_t from = trace->options.from_ps, to = trace->options.to_ps;
    size_t p = trace->current;
    if (p == trace->parts || strcmp(trace->part[p].label, policy) != 0)
        for (p = 0; p < trace->parts && strcmp(trace->part[p].label, policy) != 0;)
            p++;
    if (p == trace->parts || trace->out_of_memory || *start_ps >= to || *end_ps <= from)
        return false;
    if (p != trace->current)
        begin_part(trace, p);
    *start_ps = *start_ps > from ? *start_ps - from : 0;
    *end_ps = (*end_ps < to ? *end_ps : to) - from;
    *end_ps += *end_ps == *start_ps;
    trace->usage.last_ps = *end_ps > trace->usage.last_ps ? *end_ps : trace->usage.last_ps;
    return true;
}
