/* Writes a trace: JSON by hand, since there may be millions of events. */
#include "trace_writer.h"

#include "../base/escape.h"

#include <stdlib.h>

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

enum { COLOURS = sizeof colours / sizeof *colours, CANCEL_EVERY = 4096 };

/* Where events are shown side by side. */
static size_t tracks_of(const struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    return scenario->cluster ? scenario->cluster->nodes * SMS_NODE_GPUS_MAX + 1 : trace->first_track[scenario->devices];
}

static bool is_span(const struct sms__trace *trace, const struct sms__trace_record *record)
{
    return record->track >= trace->first_track[trace->scenario->devices];
}

static int put_record(struct sms__trace_writer *writer, const struct sms__trace_record *record)
{
    const struct sms__trace_kind *kind = &writer->trace->kind[record->kind];
    const struct sms__vm *vm = &writer->trace->scenario->vm[kind->vm];
    struct sms__trace_place place;
    int code = sms__trace_place(writer, record, &place);
    if (code)
        return code;
    sms__trace_event(writer, "X");
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

static void put_span(struct sms__trace_writer *writer, const struct sms__trace_record *record)
{
    const struct sms__trace *trace = writer->trace;
    size_t devices = trace->scenario->devices;
    sms__trace_event(writer, "X");
    sms__put_string(&writer->text, ",\"cat\":\"process\",\"name\":", writer->part->state[record->kind]);
    sms__put_string(&writer->text, ",\"cname\":", colours[record->kind % COLOURS]);
    sms__put_field(&writer->text, ",\"pid\":", writer->first_pid + devices);
    sms__put_field(&writer->text,
                   ",\"tid\":", sms__trace_process_tid(writer) + record->track - trace->first_track[devices]);
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

static bool is_canceled(const struct sms__trace_writer *writer)
{
    const atomic_bool *cancel = writer->trace->options.cancel;
    return cancel && atomic_load(cancel);
}

static int put_records(struct sms__trace_writer *writer)
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
static void put_counter(struct sms__trace_writer *writer, size_t device, const char *name, const char *unit,
                        uint64_t at_ps, uint64_t value, int decimals)
{
    sms__trace_event(writer, "C");
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
static void put_series(struct sms__trace_writer *writer, size_t device, long resource)
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

static void put_counters(struct sms__trace_writer *writer)
{
    const struct sms_scenario *scenario = writer->trace->scenario;
    for (size_t d = 0; writer->part->usage.bins && d < scenario->devices; d++) {
        put_series(writer, d, -1);
        for (size_t r = 0; r < scenario->device[d]->resources; r++)
            if (sms__usage_exists(writer->trace, d, r))
                put_series(writer, d, (long)r);
    }
}

static int put_part(struct sms__trace_writer *writer)
{
    if (writer->trace->scenario->cluster)
        return sms__trace_put_pods(writer);
    sms__trace_name_tracks(writer);
    put_counters(writer);
    return put_records(writer);
}

static const char *what_is_kept(const struct sms__trace_part *part)
{
    if (!part->period)
        return "everything";
    return part->window ? "all that was there in the first window_ps of each period_ps" : "counters only";
}

/* The same of a cluster. */
static void put_pods_summary(struct sms__trace_writer *writer, const struct sms__trace_part *part)
{
    sms__put_string(&writer->text, "{\"policy\":", part->label);
    sms__put_field(&writer->text, ",\"first_pid\":", writer->first_pid);
    sms__put_field(&writer->text, ",\"pods\":", part->spans);
    sms__put_field(&writer->text, ",\"pods_kept\":", part->records);
    sms__put(&writer->text, "}");
}

/* What there was and what is in the file. */
static void put_summary(struct sms__trace_writer *writer, const struct sms__trace_part *part)
{
    const struct sms__trace *trace = writer->trace;
    uint64_t stays = 0, blocks = 0, spans = 0;
    for (size_t i = 0; i < part->records; i++) {
        if (is_span(trace, &part->record[i])) {
            spans++;
            continue;
        }
        size_t device = sms__trace_device(trace, part->record[i].track);
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

static void put_header(struct sms__trace_writer *writer)
{
    const struct sms__trace *trace = writer->trace;
    sms__put(&writer->text, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"program\":\"smsched " SMSCHED_VERSION "\"");
    sms__put_string(&writer->text, ",\"scenario\":", trace->scenario->name);
    sms__put_string(&writer->text, ",\"file\":", writer->file);
    sms__put_field(&writer->text, ",\"seed\":", trace->options.seed);
    sms__put_field(&writer->text, ",\"replication\":", 1);
    sms__put_field(&writer->text, ",\"from_ps\":", trace->options.from_ps);
    if (trace->options.to_ps != UINT64_MAX)
        sms__put_field(&writer->text, ",\"to_ps\":", trace->options.to_ps);
    sms__put(&writer->text, ",\n\"runs\":[");
    for (size_t p = 0; p < trace->parts; p++) {
        sms__put(&writer->text, p ? ",\n" : "");
        sms__trace_go_to(writer, p);
        if (trace->scenario->cluster)
            put_pods_summary(writer, writer->part);
        else
            put_summary(writer, writer->part);
    }
    sms__put(&writer->text, "]},\n\"traceEvents\":[");
}

static int put_all(struct sms__trace_writer *writer)
{
    const struct sms__trace *trace = writer->trace;
    size_t tracks = tracks_of(trace);
    int code = SMS_OK;
    put_header(writer);
    for (size_t p = 0; p < trace->parts && code == SMS_OK; p++) {
        sms__trace_go_to(writer, p);
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
    size_t tracks = tracks_of(trace);
    struct sms__trace_writer *writer = calloc(1, sizeof *writer);
    struct sms__lanes *lanes = calloc(tracks + 1, sizeof *lanes);
    char *file = sms__path_text(trace->scenario->path);
    int code = SMS_ENOMEM;
    if (writer && lanes && file) {
        writer->file = file;
        writer->trace = trace;
        writer->text.to = trace->file;
        writer->lanes = lanes;
        code = put_all(writer);
    }
    for (size_t t = 0; lanes && t < tracks; t++)
        free(lanes[t].end);
    free(lanes);
    free(file);
    free(writer);
    return code;
}
