/* Gives the events of a trace their tracks and lanes, within the budget. A track or "process" of the viewer is begun
 * when it gets its first event. Each policy is a part of the trace, and begins with all of its share of the budget. */
#include "parts.h"
#include "../base/room.h"

#include <string.h>

/* A new number of a track. Processes and tracks share one range of numbers, because viewers expect that. */
static uint64_t new_tid(struct sms__trace *trace) { return trace->parts * sms__trace_pids(trace) + ++trace->next_tid; }

void sms__trace_name_pid(struct sms__trace *trace, size_t pid, const char *name)
{
    if (!trace->named[pid])
        sms__trace_json_process(trace, sms__trace_pid(trace, pid), name);
    trace->named[pid] = true;
}

/* The lane whose last event ended last, among those that are free. Since events arrive by rising end, that never takes
 * more lanes than events overlap. Returns the number of lanes if there is no free one. */
static size_t free_lane(const struct sms__trace_track *track, uint64_t start_ps)
{
    size_t best = track->lanes;
    for (size_t i = 0; i < track->lanes; i++)
        if (track->lane[i].end_ps <= start_ps &&
            (best == track->lanes || track->lane[i].end_ps > track->lane[best].end_ps))
            best = i;
    return best;
}

/* The lane that shows the event, or NULL if there is none. */
static struct sms__trace_lane *take_lane(struct sms__trace *trace, const struct sms__trace_slice *slice)
{
    struct sms__trace_track *track = &trace->track[slice->track];
    const size_t lane = free_lane(track, slice->start_ps);
    if (lane == track->lanes) {
        if (lane == slice->lanes_max)
            return NULL;
        struct sms__trace_lane *grown = sms__room(track->lane, lane, sizeof *grown);
        trace->out_of_memory |= !grown;
        if (!grown)
            return NULL;
        track->lane = grown;
        track->lane[track->lanes++] = (struct sms__trace_lane){.tid = new_tid(trace)};
        sms__trace_json_lane(trace, slice, lane);
    }
    track->lane[lane].end_ps = slice->end_ps;
    return &track->lane[lane];
}

bool sms__trace_put(struct sms__trace *trace, enum sms__trace_class class, const struct sms__trace_slice *slice)
{
    struct sms__trace_count *count = &trace->part[trace->current].count[class];
    count->seen++;
    struct sms__trace_lane *lane = trace->left ? take_lane(trace, slice) : NULL;
    if (!lane)
        return false;
    count->kept++;
    trace->left--;
    sms__trace_json_put(trace, slice, lane->tid);
    return true;
}

/* ---- the policy that runs ---- */

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
