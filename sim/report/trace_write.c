/* Writes a trace: JSON by hand, since there may be millions of events. */
#include "trace.h"
#include "trace_text.h"

#include <stdlib.h>
#include <string.h>

/* Colours by name that chrome://tracing knows, VM by VM; then they begin again. */
static const char *const colours[] = {"rail_response",
                                      "rail_idle",
                                      "rail_load",
                                      "rail_animation",
                                      "detailed_memory_dump",
                                      "background_memory_dump",
                                      "yellow",
                                      "olive",
                                      "thread_state_runnable",
                                      "light_memory_dump",
                                      "generic_work",
                                      "thread_state_running"};

enum { COLOURS = sizeof colours / sizeof *colours, WINDOWS_SHOWN = 1000, CANCEL_EVERY = 4096 };

/* Events of one track never overlap, as viewers demand; an SM has as many lanes as it needs. */
struct lanes {
    uint64_t *end;
    size_t count;
};

struct writer {
    const struct sms__trace *trace;
    const struct sms__trace_part *part;
    struct lanes *lanes;           /* [tracks] */
    uint64_t first_pid, first_tid; /* of this part */
    uint64_t events;
    struct sms__text text;
};

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
    return trace->scenario->devices + (trace->scenario->shares ? 1 : 0);
}

static bool is_span(const struct sms__trace *trace, const struct sms__trace_record *record)
{
    return record->track >= trace->first_track[trace->scenario->devices];
}

static size_t device_of(const struct sms__trace *trace, uint32_t track)
{
    size_t device = 0;
    while (track >= trace->first_track[device + 1])
        device++;
    return device;
}

static void begin_event(struct writer *writer, const char *phase)
{
    sms__put(&writer->text, writer->events++ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    sms__put(&writer->text, phase);
    sms__put_char(&writer->text, '"');
}

static void put_metadata(struct writer *writer, const char *what, uint64_t pid, uint64_t tid)
{
    begin_event(writer, "M");
    sms__put_string(&writer->text, ",\"name\":", what);
    sms__put_field(&writer->text, ",\"pid\":", pid);
    sms__put_field(&writer->text, ",\"tid\":", tid);
    sms__put(&writer->text, ",\"args\":{");
}

/* A track's place is its number. */
static void put_sort_index(struct writer *writer, const char *what, uint64_t pid, uint64_t tid, uint64_t idx)
{
    put_metadata(writer, what, pid, tid);
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

static void name_stream(struct writer *writer, size_t stream)
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
static void name_process(struct writer *writer, size_t stream)
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

static void name_sm(struct writer *writer, size_t sm, size_t lane)
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
static long free_lane(const struct lanes *lanes, uint64_t start)
{
    long best = -1;
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->end[i] <= start && (best < 0 || lanes->end[i] > lanes->end[best]))
            best = (long)i;
    return best;
}

static int add_lane(struct lanes *lanes)
{
    uint64_t *grown = realloc(lanes->end, (lanes->count + 1) * sizeof *grown);
    if (!grown)
        return -1;
    lanes->end = grown;
    lanes->end[lanes->count++] = 0;
    return 0;
}

/* Where a record is shown. */
struct place {
    uint64_t pid, tid;
    bool is_kernel;
};

static int find_place(struct writer *writer, const struct sms__trace_record *record, struct place *place)
{
    const struct sms__trace *trace = writer->trace;
    const struct sms_scenario *scenario = trace->scenario;
    struct lanes *lanes = &writer->lanes[record->track];
    size_t device = device_of(trace, record->track), at = record->track - trace->first_track[device];
    size_t sms = scenario->device[device]->sms;
    long lane = free_lane(lanes, record->start_ps);
    bool is_new = lane < 0;
    if (is_new && add_lane(lanes))
        return SMS_ENOMEM;
    lane = is_new ? (long)lanes->count - 1 : lane;
    lanes->end[lane] = record->end_ps;
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
    put_metadata(writer, "thread_name", place->pid, place->tid);
    if (place->is_kernel)
        name_stream(writer, at - sms);
    else
        name_sm(writer, at, (size_t)lane);
    put_sort_index(writer, "thread_sort_index", place->pid, place->tid, idx);
    return SMS_OK;
}

static int put_record(struct writer *writer, const struct sms__trace_record *record)
{
    const struct sms__trace_kind *kind = &writer->trace->kind[record->kind];
    const struct sms__vm *vm = &writer->trace->scenario->vm[kind->vm];
    struct place place;
    int code = find_place(writer, record, &place);
    if (code)
        return code;
    begin_event(writer, "X");
    sms__put(&writer->text, place.is_kernel ? ",\"cat\":\"kernel\",\"name\":\"" : ",\"cat\":\"block\",\"name\":\"");
    sms__put_escaped(&writer->text, vm->name);
    sms__put_char(&writer->text, '/');
    sms__put_escaped(&writer->text, vm->workload->kernel[kind->kernel].name);
    sms__put_string(&writer->text, "\",\"cname\":", colours[kind->vm % COLOURS]);
    sms__put_field(&writer->text, ",\"pid\":", place.pid);
    sms__put_field(&writer->text, ",\"tid\":", place.tid);
    sms__put(&writer->text, ",\"ts\":");
    sms__put_us(&writer->text, record->start_ps);
    sms__put(&writer->text, ",\"dur\":");
    sms__put_us(&writer->text, record->end_ps - record->start_ps);
    sms__put_field(&writer->text, ",\"args\":{\"blocks\":", record->blocks);
    sms__put_field(&writer->text, ",\"start_ps\":", record->start_ps);
    sms__put_field(&writer->text, ",\"end_ps\":", record->end_ps);
    sms__put(&writer->text, "}}");
    return SMS_OK;
}

/* The first track of processes of this part. */
static uint64_t first_process_tid(const struct writer *writer)
{
    uint64_t tid = writer->first_tid;
    for (size_t d = 0; d < writer->trace->scenario->devices; d++)
        tid += tids_of(writer->trace, d);
    return tid;
}

static void put_span(struct writer *writer, const struct sms__trace_record *record)
{
    const struct sms__trace *trace = writer->trace;
    size_t devices = trace->scenario->devices;
    begin_event(writer, "X");
    sms__put_string(&writer->text, ",\"cat\":\"process\",\"name\":", writer->part->state[record->kind]);
    sms__put_string(&writer->text, ",\"cname\":", colours[record->kind % COLOURS]);
    sms__put_field(&writer->text, ",\"pid\":", writer->first_pid + devices);
    sms__put_field(&writer->text, ",\"tid\":", first_process_tid(writer) + record->track - trace->first_track[devices]);
    sms__put(&writer->text, ",\"ts\":");
    sms__put_us(&writer->text, record->start_ps);
    sms__put(&writer->text, ",\"dur\":");
    sms__put_us(&writer->text, record->end_ps - record->start_ps);
    sms__put(&writer->text, ",\"args\":{");
    if (record->blocks > 0)
        sms__put_field(&writer->text, "\"device\":", record->blocks - 1);
    sms__put_field(&writer->text, record->blocks > 0 ? ",\"start_ps\":" : "\"start_ps\":", record->start_ps);
    sms__put_field(&writer->text, ",\"end_ps\":", record->end_ps);
    sms__put(&writer->text, "}}");
}

/* Names the tracks of processes, one for each of their streams. */
static void put_process_names(struct writer *writer)
{
    const struct sms_scenario *scenario = writer->trace->scenario;
    uint64_t pid = writer->first_pid + scenario->devices, tid = first_process_tid(writer);
    put_metadata(writer, "process_name", pid, tid);
    sms__put(&writer->text, "\"name\":\"");
    sms__put_escaped(&writer->text, writer->part->label);
    sms__put(&writer->text, ", processes\"}}");
    put_sort_index(writer, "process_sort_index", pid, tid, pid);
    for (size_t i = 0; i < streams_of(writer->trace); i++) {
        put_metadata(writer, "thread_name", pid, tid + i);
        name_process(writer, i);
        put_sort_index(writer, "thread_sort_index", pid, tid + i, i);
    }
}

static bool is_canceled(const struct writer *writer)
{
    const atomic_bool *cancel = writer->trace->options.cancel;
    return cancel && atomic_load(cancel);
}

static int put_records(struct writer *writer)
{
    int code = SMS_OK;
    for (size_t i = 0; i < writer->part->records && code == SMS_OK; i++) {
        const struct sms__trace_record *record = &writer->part->record[i];
        if (is_span(writer->trace, record))
            put_span(writer, record);
        else
            code = put_record(writer, record);
        if (i % CANCEL_EVERY == 0 && code == SMS_OK && (is_canceled(writer) || ferror(writer->text.to)))
            code = is_canceled(writer) ? SMS_ECANCELED : SMS_EIO;
    }
    return code;
}

/* `name` and `unit` are what the viewer shows; a value of so many decimals. */
static void put_counter(struct writer *writer, size_t device, const char *name, const char *unit, uint64_t at_ps,
                        uint64_t value, int decimals)
{
    begin_event(writer, "C");
    sms__put_string(&writer->text, ",\"name\":", name);
    sms__put_field(&writer->text, ",\"pid\":", writer->first_pid + device);
    sms__put(&writer->text, ",\"ts\":");
    sms__put_us(&writer->text, at_ps);
    sms__put_string(&writer->text, ",\"args\":{", unit);
    sms__put_char(&writer->text, ':');
    sms__put_fixed(&writer->text, value, decimals);
    sms__put(&writer->text, "}}");
}

/* One counter of a device: resident blocks, or the usage of a resource. Only where it changes, and 0 at the end. */
static void put_series(struct writer *writer, size_t device, long resource)
{
    const struct sms__trace *trace = writer->trace;
    const struct sms__trace_part *part = writer->part;
    uint64_t from = trace->options.from_ps, before = UINT64_MAX;
    const char *name = resource < 0 ? "resident" : trace->scenario->device[device]->resource[resource].name;
    const char *unit = resource < 0 ? "blocks" : "%";
    int decimals = resource < 0 ? 3 : 4;
    for (size_t b = 0; b < part->usage.bins && (uint64_t)b << part->usage.shift < part->last; b++) {
        uint64_t value = resource < 0 ? sms__usage_blocks(trace, part, device, b)
                                      : sms__usage_of(trace, part, device, (size_t)resource, b);
        if (value != before)
            put_counter(writer, device, name, unit, from + ((uint64_t)b << part->usage.shift), value, decimals);
        before = value;
    }
    put_counter(writer, device, name, unit, from + part->last, 0, decimals);
}

static void put_counters(struct writer *writer)
{
    const struct sms_scenario *scenario = writer->trace->scenario;
    for (size_t d = 0; writer->part->usage.bins && d < scenario->devices; d++) {
        put_series(writer, d, -1);
        for (size_t r = 0; r < scenario->device[d]->resources; r++)
            if (sms__usage_exists(writer->trace, d, r))
                put_series(writer, d, (long)r);
    }
}

/* Shows the windows that are whole. */
static void put_windows(struct writer *writer, uint64_t pid, uint64_t tid)
{
    const struct sms__trace_part *part = writer->part;
    uint64_t from = writer->trace->options.from_ps;
    if (!part->period || !part->window || part->last / part->period >= WINDOWS_SHOWN)
        return;
    put_metadata(writer, "thread_name", pid, tid);
    sms__put(&writer->text, "\"name\":\"complete\"}}");
    put_sort_index(writer, "thread_sort_index", pid, tid, 0);
    for (uint64_t w = 0; w <= part->last / part->period && w * part->period < part->last; w++) {
        begin_event(writer, "X");
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

static void put_processes(struct writer *writer)
{
    const struct sms_scenario *scenario = writer->trace->scenario;
    uint64_t tid = writer->first_tid;
    for (size_t d = 0; d < scenario->devices; d++) {
        uint64_t pid = writer->first_pid + d;
        put_metadata(writer, "process_name", pid, tid);
        sms__put(&writer->text, "\"name\":\"");
        sms__put_escaped(&writer->text, writer->part->label);
        sms__put(&writer->text, ", device ");
        sms__put_number(&writer->text, d);
        sms__put(&writer->text, " (");
        sms__put_escaped(&writer->text, scenario->device[d]->name);
        sms__put(&writer->text, ")\"}}");
        put_sort_index(writer, "process_sort_index", pid, tid, pid);
        put_windows(writer, pid, tid);
        tid += tids_of(writer->trace, d);
    }
}

static int put_part(struct writer *writer)
{
    put_processes(writer);
    if (writer->trace->scenario->shares)
        put_process_names(writer);
    put_counters(writer);
    return put_records(writer);
}

static const char *what_is_kept(const struct sms__trace_part *part)
{
    if (!part->period)
        return "everything";
    return part->window ? "all that was there in the first window_ps of each period_ps" : "counters only";
}

/* What there was and what is in the file. */
static void put_summary(struct writer *writer, const struct sms__trace_part *part)
{
    const struct sms__trace *trace = writer->trace;
    uint64_t stays = 0, blocks = 0, spans = 0;
    for (size_t i = 0; i < part->records; i++) {
        if (is_span(trace, &part->record[i])) {
            spans++;
            continue;
        }
        size_t device = device_of(trace, part->record[i].track);
        if (part->record[i].track - trace->first_track[device] >= trace->scenario->device[device]->sms)
            continue;
        stays++;
        blocks += part->record[i].blocks;
    }
    sms__put_string(&writer->text, "{\"policy\":", part->label);
    sms__put_field(&writer->text, ",\"first_pid\":", writer->first_pid);
    sms__put_field(&writer->text, ",\"stays\":", part->stays);
    sms__put_field(&writer->text, ",\"stays_kept\":", stays);
    sms__put_field(&writer->text, ",\"blocks\":", part->blocks);
    sms__put_field(&writer->text, ",\"blocks_kept\":", blocks);
    sms__put_field(&writer->text, ",\"kernels\":", part->kernels);
    sms__put_field(&writer->text, ",\"kernels_kept\":", part->records - stays - spans);
    if (trace->scenario->shares) {
        sms__put_field(&writer->text, ",\"spans\":", part->spans);
        sms__put_field(&writer->text, ",\"spans_kept\":", spans);
    }
    sms__put_string(&writer->text, ",\"kept\":", what_is_kept(part));
    sms__put_field(&writer->text, ",\"window_ps\":", part->window);
    sms__put_field(&writer->text, ",\"period_ps\":", part->period);
    sms__put_field(&writer->text, ",\"counter_interval_ps\":", part->usage.bins ? (uint64_t)1 << part->usage.shift : 0);
    sms__put(&writer->text, "}");
}

/* The processes of a policy are numbered after those of the one before. */
static void go_to_part(struct writer *writer, size_t p)
{
    const struct sms__trace *trace = writer->trace;
    uint64_t tids = trace->scenario->shares ? streams_of(trace) : 0;
    for (size_t d = 0; d < trace->scenario->devices; d++)
        tids += tids_of(trace, d);
    writer->part = &trace->part[p];
    writer->first_pid = 1 + p * pids_of(trace);
    writer->first_tid = 1 + trace->parts * pids_of(trace) + p * tids;
}

static void put_header(struct writer *writer)
{
    const struct sms__trace *trace = writer->trace;
    sms__put(&writer->text, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"program\":\"smsched " SMSCHED_VERSION "\"");
    sms__put_string(&writer->text, ",\"scenario\":", trace->scenario->name);
    sms__put_string(&writer->text, ",\"file\":", trace->scenario->path);
    sms__put_field(&writer->text, ",\"seed\":", trace->options.seed);
    sms__put_field(&writer->text, ",\"replication\":", 1);
    sms__put_field(&writer->text, ",\"from_ps\":", trace->options.from_ps);
    if (trace->options.to_ps != UINT64_MAX)
        sms__put_field(&writer->text, ",\"to_ps\":", trace->options.to_ps);
    sms__put(&writer->text, ",\n\"runs\":[");
    for (size_t p = 0; p < trace->parts; p++) {
        sms__put(&writer->text, p ? ",\n" : "");
        go_to_part(writer, p);
        put_summary(writer, writer->part);
    }
    sms__put(&writer->text, "]},\n\"traceEvents\":[");
}

static int put_all(struct writer *writer)
{
    const struct sms__trace *trace = writer->trace;
    size_t tracks = trace->first_track[trace->scenario->devices];
    int code = SMS_OK;
    put_header(writer);
    for (size_t p = 0; p < trace->parts && code == SMS_OK; p++) {
        go_to_part(writer, p);
        for (size_t t = 0; t < tracks; t++)
            writer->lanes[t].count = 0;
        code = put_part(writer);
    }
    sms__put(&writer->text, "\n]}\n");
    sms__text_flush(&writer->text);
    return code;
}

int sms__trace_write(const struct sms__trace *trace)
{
    size_t tracks = trace->first_track[trace->scenario->devices];
    struct writer *writer = calloc(1, sizeof *writer);
    struct lanes *lanes = calloc(tracks + 1, sizeof *lanes);
    int code = SMS_ENOMEM;
    if (writer && lanes) {
        writer->trace = trace;
        writer->text.to = trace->file;
        writer->lanes = lanes;
        code = put_all(writer);
    }
    for (size_t t = 0; lanes && t < tracks; t++)
        free(lanes[t].end);
    free(lanes);
    free(writer);
    return code;
}
