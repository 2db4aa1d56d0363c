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

static void begin_part(struct sms__trace *trace, size_t part)
{
    trace->current = part;
    trace->left = trace->options.events / trace->parts;
    for (size_t t = 0; t < trace->tracks; t++)
        trace->track[t].lanes = trace->track[t].was_kernel = 0;
    memset(trace->named, 0, sms__trace_pids(trace) * sizeof *trace->named);
    if (!trace->scenario->cluster)
        name_devices(trace);
}

bool sms__trace_observe(struct sms__trace *trace, const char *policy, uint64_t start_ps, uint64_t end_ps)
{
    size_t p = trace->current;
    if (p == trace->parts || strcmp(trace->part[p].label, policy) != 0)
        for (p = 0; p < trace->parts && strcmp(trace->part[p].label, policy) != 0;)
            p++;
    if (p == trace->parts || trace->out_of_memory || start_ps >= trace->options.to_ps ||
        end_ps <= trace->options.from_ps)
        return false;
    if (p != trace->current)
        begin_part(trace, p);
    return true;
}
