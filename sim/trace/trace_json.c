/* Writes a trace as Chrome trace events, in JSON. */
#include "parts.h"

#include "../base/escape.h"

#include <inttypes.h>

enum { PS_PER_US = 1000000 };

/* The length of what needs no escape. */
static size_t plain_length(const char *text)
{
    size_t length = 0, next;
    while (text[length] != '"' && text[length] != '\\' && (next = sms__char_length(text + length)))
        length += next;
    return length;
}

/* Prints a string without its quotes. */
static void print(FILE *to, const char *text)
{
    char piece[8];
    while (*text) {
        const size_t plain = plain_length(text);
        fwrite(text, 1, plain, to);
        text += plain;
        if (*text)
            fputs(sms__json_piece(&text, piece), to);
    }
}

void sms__trace_json_begin(struct sms__trace *trace)
{
    fputs("{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[", trace->to);
}

/* The first event of all is a name, because a "process" is named before its events. */
static void begin_name(struct sms__trace *trace, const char *what, uint64_t pid, uint64_t tid)
{
    fprintf(trace->to,
            "%s\n{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"args\":{\"name\":\"",
            trace->begun ? "," : "", what, pid, tid);
    trace->begun = true;
}

static void end_name(FILE *to, const char *what, uint64_t pid, uint64_t tid, uint64_t sort_index)
{
    fprintf(to,
            "\"}},\n{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
            ",\"args\":{\"sort_index\":%" PRIu64 "}}",
            what, pid, tid, sort_index);
}

void sms__trace_json_process(struct sms__trace *trace, uint64_t pid, const char *name)
{
    FILE *to = trace->to;
    begin_name(trace, "process", pid, pid);
    print(to, trace->part[trace->current].label);
    fputs(", ", to);
    print(to, name);
    end_name(to, "process", pid, pid, pid);
}

void sms__trace_json_lane(struct sms__trace *trace, const struct sms__trace_slice *slice, size_t lane)
{
    FILE *to = trace->to;
    char name[SMS__TRACE_NAME_BYTES];
    const uint64_t pid = sms__trace_pid(trace, slice->pid), tid = trace->track[slice->track].lane[lane].tid;
    slice->name_track(trace, slice->track, name);
    begin_name(trace, "thread", pid, tid);
    print(to, name);
    if (lane)
        fprintf(to, " +%zu", lane);
    end_name(to, "thread", pid, tid, slice->sort_index + lane);
}

static void print_us(FILE *to, const char *key, uint64_t ps)
{
    fprintf(to, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, ps / PS_PER_US, ps % PS_PER_US);
}

void sms__trace_json_put(struct sms__trace *trace, const struct sms__trace_slice *slice, uint64_t tid)
{
    FILE *to = trace->to;
    fprintf(to, ",\n{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":\"", slice->instant ? "i" : "X", slice->category);
    print(to, slice->name);
    fputs(slice->kernel ? "/" : "", to);
    print(to, slice->kernel ? slice->kernel : "");
    fprintf(to, "\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, sms__trace_pid(trace, slice->pid), tid);
    print_us(to, "ts", slice->start_ps);
    if (slice->instant)
        fputs(",\"s\":\"t\"", to);
    else
        print_us(to, "dur", slice->end_ps - slice->start_ps);
    fputs(",\"args\":{", to);
    if (slice->detail.text)
        fprintf(to, "\"%s\":\"%s\",", slice->detail.name, slice->detail.text);
    else if (slice->detail.name)
        fprintf(to, "\"%s\":%" PRIu64 ",", slice->detail.name, slice->detail.number);
    if (slice->sms)
        fprintf(to, "\"sms\":%zu,", slice->sms);
    fprintf(to, "\"start_ps\":%" PRIu64 ",\"end_ps\":%" PRIu64 "}}", slice->start_ps, slice->end_ps);
}

static void write_part(const struct sms__trace *trace, size_t p, FILE *to)
{
    static const char *const names[SMS__TRACE_CLASSES] = {"stays", "kernels", "spans", "instants", "pods"};
    const struct sms__trace_part *part = &trace->part[p];
    fprintf(to, "%s\n{\"policy\":\"", p ? "," : "");
    print(to, part->label);
    fprintf(to, "\",\"first_pid\":%zu", 1 + p * sms__trace_pids(trace));
    for (size_t c = 0; c < SMS__TRACE_CLASSES; c++)
        if (c == SMS__TRACE_INSTANTS || (c == SMS__TRACE_PODS) == (trace->scenario->cluster != NULL))
            fprintf(to, ",\"%s\":%" PRIu64 ",\"%s_kept\":%" PRIu64, names[c], part->count[c].seen, names[c],
                    part->count[c].kept);
    if (!trace->scenario->cluster)
        fprintf(to, ",\"blocks\":%" PRIu64 ",\"blocks_kept\":%" PRIu64, part->count[SMS__TRACE_BLOCKS].blocks,
                part->count[SMS__TRACE_BLOCKS].blocks_kept);
    fputs("}", to);
}

/* Ends the list of events and adds what the trace is of. */
void sms__trace_json_end(struct sms__trace *trace, const char *file)
{
    FILE *to = trace->to;
    fputs("\n],\n\"otherData\":{\"program\":\"smsched " SMSCHED_VERSION "\",\"scenario\":\"", to);
    print(to, trace->scenario->name);
    fputs("\",\"file\":\"", to);
    print(to, file);
    fprintf(to, "\",\"seed\":%" PRIu64 ",\"replication\":1,\"from_ps\":%" PRIu64, trace->options.seed,
            trace->options.from_ps);
    if (trace->options.to_ps != UINT64_MAX)
        fprintf(to, ",\"to_ps\":%" PRIu64, trace->options.to_ps);
    fputs(",\"runs\":[", to);
    for (size_t p = 0; p < trace->parts; p++)
        write_part(trace, p, to);
    fputs("]}}\n", to);
}
