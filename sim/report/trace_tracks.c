/* Where events of a trace are shown: the "processes", tracks and lanes of the viewer, numbered and named. */
#include "trace_writer.h"

#include <stdlib.h>

enum { WINDOWS_SHOWN = 1000 };

static uint64_t streams_of(const struct sms__trace *trace) { return trace->first_stream[trace->scenario->vms]; }

/* Of a device: the mark of windows, the streams, then the SMs, lane by lane. */
static uint64_t tids_of(const struct sms__trace *trace, size_t device)
{
    const struct sms__device *model = trace->scenario->device[device];
    return 1 + streams_of(trace) + model->sms * model->sm.blocks;
}

/* With processes, one of the viewer's "processes" more than devices, which has a track for each of their streams. */
static uint64_t pids_of(const struct sms__trace *trace)
{
    if (trace->scenario->cluster) /* nodes, and those that wait */
        return trace->scenario->cluster->nodes + 1;
    return trace->scenario->devices + (trace->scenario->shares ? 1 : 0);
}

size_t sms__trace_device(const struct sms__trace *trace, uint32_t track)
{
    size_t device = 0;
    while (track >= trace->first_track[device + 1])
        device++;
    return device;
}

void sms__trace_event(struct sms__trace_writer *writer, const char *phase)
{
    sms__put(&writer->text, writer->events++ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    sms__put(&writer->text, phase);
    sms__put_char(&writer->text, '"');
}

void sms__trace_name(struct sms__trace_writer *writer, const char *what, uint64_t pid, uint64_t tid)
{
    sms__trace_event(writer, "M");
    sms__put_string(&writer->text, ",\"name\":", what);
    sms__put_field(&writer->text, ",\"pid\":", pid);
    sms__put_field(&writer->text, ",\"tid\":", tid);
    sms__put(&writer->text, ",\"args\":{");
}

/* A track's place is its number. */
void sms__trace_sort_index(struct sms__trace_writer *writer, const char *what, uint64_t pid, uint64_t tid, uint64_t idx)
{
    sms__trace_name(writer, what, pid, tid);
    sms__put_field(&writer->text, "\"sort_index\":", idx);
    sms__put(&writer->text, "}}");
}

static size_t tenant_of(const struct sms__trace *trace, size_t stream)
{
    size_t v = 0;
    while (stream >= trace->first_stream[v + 1])
        v++;
    return v;
}

static void name_stream(struct sms__trace_writer *writer, size_t stream)
{
    const struct sms__trace *trace = writer->trace;
    size_t v = tenant_of(trace, stream);
    sms__put(&writer->text, "\"name\":\"");
    sms__put_escaped(&writer->text, trace->scenario->vm[v].name);
    sms__put(&writer->text, ", stream ");
    sms__put_number(&writer->text, stream - trace->first_stream[v]);
    sms__put(&writer->text, "\"}}");
}

/* As its spans name it. */
static void name_process(struct sms__trace_writer *writer, size_t stream)
{
    const struct sms__trace *trace = writer->trace;
    size_t v = tenant_of(trace, stream);
    sms__put(&writer->text, "\"name\":\"");
    sms__put_escaped(&writer->text, trace->scenario->vm[v].name);
    if (trace->scenario->vm[v].streams > 1) {
        sms__put(&writer->text, "/");
        sms__put_number(&writer->text, stream - trace->first_stream[v] + 1);
    }
    sms__put(&writer->text, "\"}}");
}

static void name_sm(struct sms__trace_writer *writer, size_t sm, size_t lane)
{
    sms__put(&writer->text, "\"name\":\"SM ");
    sms__put_number(&writer->text, sm);
    if (lane) {
        sms__put(&writer->text, " +");
        sms__put_number(&writer->text, lane);
    }
    sms__put(&writer->text, "\"}}");
}

/* The lane whose last event ended last, among those that are free: in this order of
 * events (by rising end) that never takes more lanes than events overlap. -1: a new one. */
static long free_lane(const struct sms__lanes *lanes, uint64_t start)
{
    long best = -1;
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->end[i] <= start && (best < 0 || lanes->end[i] > lanes->end[best]))
            best = (long)i;
    return best;
}

static int add_lane(struct sms__lanes *lanes)
{
    uint64_t *grown = realloc(lanes->end, (lanes->count + 1) * sizeof *grown);
    if (!grown)
        return -1;
    lanes->end = grown;
    lanes->end[lanes->count++] = 0;
    return 0;
}

long sms__trace_lane(struct sms__lanes *lanes, const struct sms__trace_record *record, size_t most, bool *is_new)
{
    long lane = free_lane(lanes, record->start_ps);
    *is_new = lane < 0;
    if (*is_new && (lanes->count >= most || add_lane(lanes)))
        return -1;
    lane = *is_new ? (long)lanes->count - 1 : lane;
    lanes->end[lane] = record->end_ps;
    return lane;
}

int sms__trace_place(struct sms__trace_writer *writer, const struct sms__trace_record *record,
                     struct sms__trace_place *place)
{
    const struct sms__trace *trace = writer->trace;
    const struct sms_scenario *scenario = trace->scenario;
    size_t device = sms__trace_device(trace, record->track), at = record->track - trace->first_track[device];
    size_t sms = scenario->device[device]->sms;
    bool is_new;
    long lane = sms__trace_lane(&writer->lanes[record->track], record, SIZE_MAX, &is_new);
    if (lane < 0)
        return SMS_ENOMEM;
    uint64_t first_tid = writer->first_tid;
    for (size_t d = 0; d < device; d++)
        first_tid += tids_of(trace, d);
    place->is_kernel = at >= sms;
    uint64_t idx = place->is_kernel ? 1 + at - sms
                                    : 1 + streams_of(trace) + at * scenario->device[device]->sm.blocks + (size_t)lane;
    place->pid = writer->first_pid + device;
    place->tid = first_tid + idx;
    if (!is_new)
        return SMS_OK;
    sms__trace_name(writer, "thread_name", place->pid, place->tid);
    if (place->is_kernel)
        name_stream(writer, at - sms);
    else
        name_sm(writer, at, (size_t)lane);
    sms__trace_sort_index(writer, "thread_sort_index", place->pid, place->tid, idx);
    return SMS_OK;
}

/* The first track of processes of this part. */
uint64_t sms__trace_process_tid(const struct sms__trace_writer *writer)
{
    uint64_t tid = writer->first_tid;
    for (size_t d = 0; d < writer->trace->scenario->devices; d++)
        tid += tids_of(writer->trace, d);
    return tid;
}

/* Names the tracks of processes, one for each of their streams. */
static void put_process_names(struct sms__trace_writer *writer)
{
    const struct sms_scenario *scenario = writer->trace->scenario;
    uint64_t pid = writer->first_pid + scenario->devices, tid = sms__trace_process_tid(writer);
    sms__trace_name(writer, "process_name", pid, tid);
    sms__put(&writer->text, "\"name\":\"");
    sms__put_escaped(&writer->text, writer->part->label);
    sms__put(&writer->text, ", processes\"}}");
    sms__trace_sort_index(writer, "process_sort_index", pid, tid, pid);
    for (size_t i = 0; i < streams_of(writer->trace); i++) {
        sms__trace_name(writer, "thread_name", pid, tid + i);
        name_process(writer, i);
        sms__trace_sort_index(writer, "thread_sort_index", pid, tid + i, i);
    }
}

/* Shows the windows that are whole. */
static void put_windows(struct sms__trace_writer *writer, uint64_t pid, uint64_t tid)
{
    const struct sms__trace_part *part = writer->part;
    uint64_t from = writer->trace->options.from_ps;
    if (!part->period || !part->window || part->last / part->period >= WINDOWS_SHOWN)
        return;
    sms__trace_name(writer, "thread_name", pid, tid);
    sms__put(&writer->text, "\"name\":\"complete\"}}");
    sms__trace_sort_index(writer, "thread_sort_index", pid, tid, 0);
    for (uint64_t w = 0; w <= part->last / part->period && w * part->period < part->last; w++) {
        sms__trace_event(writer, "X");
        sms__put(&writer->text, ",\"cat\":\"window\",\"name\":\"complete\"");
        sms__put_field(&writer->text, ",\"pid\":", pid);
        sms__put_field(&writer->text, ",\"tid\":", tid);
        sms__put(&writer->text, ",\"ts\":");
        sms__put_us(&writer->text, from + w * part->period);
        sms__put(&writer->text, ",\"dur\":");
        sms__put_us(&writer->text, part->window);
        sms__put(&writer->text, ",\"args\":{}}");
    }
}

static void put_processes(struct sms__trace_writer *writer)
{
    const struct sms_scenario *scenario = writer->trace->scenario;
    uint64_t tid = writer->first_tid;
    for (size_t d = 0; d < scenario->devices; d++) {
        uint64_t pid = writer->first_pid + d;
        sms__trace_name(writer, "process_name", pid, tid);
        sms__put(&writer->text, "\"name\":\"");
        sms__put_escaped(&writer->text, writer->part->label);
        sms__put(&writer->text, ", device ");
        sms__put_number(&writer->text, d);
        sms__put(&writer->text, " (");
        sms__put_escaped(&writer->text, scenario->device[d]->name);
        sms__put(&writer->text, ")\"}}");
        sms__trace_sort_index(writer, "process_sort_index", pid, tid, pid);
        put_windows(writer, pid, tid);
        tid += tids_of(writer->trace, d);
    }
}

/* The processes of a policy are numbered after those of the one before. */
void sms__trace_go_to(struct sms__trace_writer *writer, size_t p)
{
    const struct sms__trace *trace = writer->trace;
    uint64_t tids = trace->scenario->shares ? streams_of(trace) : 0;
    if (trace->scenario->cluster)
        tids = sms__trace_pod_tids(trace);
    for (size_t d = 0; d < trace->scenario->devices && !trace->scenario->cluster; d++)
        tids += tids_of(trace, d);
    writer->part = &trace->part[p];
    writer->first_pid = 1 + p * pids_of(trace);
    writer->first_tid = 1 + trace->parts * pids_of(trace) + p * tids;
}

void sms__trace_name_tracks(struct sms__trace_writer *writer)
{
    put_processes(writer);
    if (writer->trace->scenario->shares)
        put_process_names(writer);
}
