/* Writes the events of a trace as JSON, and gives them their tracks and lanes. A track or "process" of the viewer is
 * named when it gets its first event. */
#include "parts.h"

#include "../base/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PS_PER_US = 1000000 };

void sms__trace_print(FILE *to, const char *text)
{
    char piece[8];
    while (*text)
        fputs(sms__json_piece(&text, piece), to);
}

char *sms__trace_escape(const char *text)
{
    char piece[8], *copy = malloc(6 * strlen(text) + 1), *end = copy;
    while (copy && *text)
        end = stpcpy(end, sms__json_piece(&text, piece));
    if (copy)
        *end = '\0';
    return copy;
}

size_t sms__trace_pids(const struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    return scenario->cluster ? scenario->cluster->nodes + 1 : scenario->devices + 1;
}

static uint64_t pid_of(const struct sms__trace *trace, size_t pid)
{
    return 1 + trace->current * sms__trace_pids(trace) + pid;
}

/* Processes and threads share one range of numbers, because viewers expect that. */
static uint64_t new_tid(struct sms__trace *trace) { return trace->parts * sms__trace_pids(trace) + ++trace->next_tid; }

/* The first event of all is a name, because a "process" is named before its events. */
static void begin_name(struct sms__trace *trace, const char *what, uint64_t pid, uint64_t tid)
{
    fprintf(trace->write.to,
            "%s\n{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"args\":{\"name\":\"",
            trace->has_events ? "," : "", what, pid, tid);
    trace->has_events = true;
}

static void end_name(FILE *to, const char *what, uint64_t pid, uint64_t tid, uint64_t sort_index)
{
    fprintf(to,
            "\"}},\n{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
            ",\"args\":{\"sort_index\":%" PRIu64 "}}",
            what, pid, tid, sort_index);
}

void sms__trace_name_pid(struct sms__trace *trace, size_t pid, const char *name)
{
    FILE *to = trace->write.to;
    const uint64_t number = pid_of(trace, pid);
    if (trace->named[pid])
        return;
    trace->named[pid] = true;
    begin_name(trace, "process", number, number);
    sms__trace_print(to, trace->part[trace->current].label);
    fputs(", ", to);
    sms__trace_print(to, name);
    end_name(to, "process", number, number, number);
}

static void name_lane(struct sms__trace *trace, const struct sms__trace_slice *slice, size_t lane, uint64_t tid)
{
    FILE *to = trace->write.to;
    const uint64_t pid = pid_of(trace, slice->pid);
    begin_name(trace, "thread", pid, tid);
    slice->name_thread(trace, slice->track, to);
    if (lane)
        fprintf(to, " +%zu", lane);
    end_name(to, "thread", pid, tid, slice->sort_index + lane);
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
        struct sms__trace_lane *grown = realloc(track->lane, (lane + 1) * sizeof *grown);
        trace->out_of_memory |= !grown;
        if (!grown)
            return NULL;
        track->lane = grown;
        track->lane[track->lanes++].tid = new_tid(trace);
        name_lane(trace, slice, lane, track->lane[lane].tid);
    }
    track->lane[lane].end_ps = slice->end_ps;
    return &track->lane[lane];
}

bool sms__trace_put(struct sms__trace *trace, enum sms__trace_class class, const struct sms__trace_slice *slice)
{
    struct sms__trace_count *count = &trace->part[trace->current].count[class];
    const uint64_t start = slice->start_ps, end = slice->end_ps;
    count->seen++;
    if (!trace->left)
        return false;
    const struct sms__trace_lane *lane = take_lane(trace, slice);
    if (!lane)
        return false;
    count->kept++;
    trace->left--;
    fprintf(trace->write.to,
            ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"cname\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
            ",\"ts\":%" PRIu64 ".%06" PRIu64 ",\"dur\":%" PRIu64 ".%06" PRIu64 ",\"args\":{%s\"start_ps\":%" PRIu64
            ",\"end_ps\":%" PRIu64 "}}",
            slice->category, slice->name, slice->color, pid_of(trace, slice->pid), lane->tid, start / PS_PER_US,
            start % PS_PER_US, (end - start) / PS_PER_US, (end - start) % PS_PER_US, slice->detail, start, end);
    return true;
}

void sms__trace_counter(struct sms__trace *trace, size_t device, const char *name, const char *unit, uint64_t time_ps,
                        uint64_t value, int decimals)
{
    FILE *to = trace->write.to;
    const uint64_t scale = decimals == 3 ? 1000 : 10000;
    fputs(",\n{\"ph\":\"C\",\"name\":\"", to);
    sms__trace_print(to, name);
    fprintf(to, "\",\"pid\":%" PRIu64 ",\"ts\":%" PRIu64 ".%06" PRIu64 ",\"args\":{\"%s\":%" PRIu64 ".%0*" PRIu64 "}}",
            pid_of(trace, device), time_ps / PS_PER_US, time_ps % PS_PER_US, unit, value / scale, decimals,
            value % scale);
}
