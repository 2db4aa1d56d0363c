/* Begins a trace, hands the events of a run on, and ends the trace. */
#define _GNU_SOURCE /* fopencookie */
#include "parts.h"

#include "../base/escape.h"
#include "../base/suffix.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

void sms__trace_add(struct sms__trace *trace, const struct sms_run_event *event)
{
    switch (event->kind) {
    case SMS_RUN_STAY:
        sms__trace_stay(trace, event->policy, event->stay);
        break;
    case SMS_RUN_KERNEL:
        sms__trace_kernel(trace, event->policy, event->kernel);
        break;
    case SMS_RUN_SPAN:
        sms__trace_span(trace, event->policy, event->span);
        break;
    case SMS_RUN_MISS:
        sms__trace_miss(trace, event->policy, event->miss);
        break;
    case SMS_RUN_PLACEMENT:
        sms__trace_placement(trace, event->policy, event->placement);
        break;
    case SMS_RUN_DEPARTURE:
        sms__trace_departure(trace, event->policy, event->departure);
        break;
    default:
        break;
    }
}

static int init(void *user)
{
    struct sms__trace *trace = user;
    const struct sms_scenario *scenario = trace->scenario;
    trace->first_stream = SMS__NEW(&trace->arena, size_t, scenario->vms + 1);
    trace->first_track = SMS__NEW(&trace->arena, size_t, scenario->devices + 1);
    trace->part = SMS__NEW(&trace->arena, struct sms__trace_part, scenario->policies + 1);
    trace->named = SMS__NEW(&trace->arena, bool, sms__trace_pids(trace));
    for (size_t v = 0; v < scenario->vms; v++)
        trace->first_stream[v + 1] = trace->first_stream[v] + scenario->vm[v].streams;
    for (size_t d = 0; d < scenario->devices; d++)
        trace->first_track[d + 1] = trace->first_track[d] + scenario->device[d]->sms + sms__trace_streams(trace);
    trace->tracks = scenario->cluster
                        ? scenario->cluster->nodes * SMS_NODE_GPUS_MAX + 1
                        : trace->first_track[scenario->devices] + sms__trace_streams(trace) + sms__trace_pids(trace);
    trace->track = SMS__NEW(&trace->arena, struct sms__trace_track, trace->tracks + 1);
    for (size_t p = 0; p < scenario->policies; p++)
        if (sms__is_chosen(scenario, p, trace->options.policies))
            trace->part[trace->parts++].label = scenario->policy[p].label;
    trace->current = trace->parts;
    return SMS_OK;
}

static ssize_t compress_bytes(void *gzip, const char *bytes, size_t size)
{
    return gzwrite(gzip, bytes, (unsigned)size); /* at most stdio's buffer */
}

/* Opens the file, and a stream that compresses into it if its name says so. */
static int open_file(struct sms__trace *trace, const char *path, struct sms_errors *errors)
{
    int code = sms__write_begin(&trace->write, path, errors);
    trace->to = trace->write.to;
    if (code || !sms__ends_with(path, ".gz"))
        return code;
    const int fd = dup(fileno(trace->write.to));
    if (fd < 0)
        return sms__fail(errors, SMS_EIO, path, "cannot be made: %s", strerror(errno));
    trace->gzip = gzdopen(fd, "wb1");
    trace->to = trace->gzip ? fopencookie(trace->gzip, "w", (cookie_io_functions_t){.write = compress_bytes}) : NULL;
    if (!trace->gzip)
        close(fd);
    return trace->to ? SMS_OK : sms__fail(errors, SMS_ENOMEM, path, "no memory");
}

/* Ends the compression, if there is one. Returns 0, or an errno if not all of it is in the file. */
static int end_compression(struct sms__trace *trace)
{
    if (!trace->gzip)
        return 0;
    bool failed = trace->to && ferror(trace->to);
    failed |= trace->to && fclose(trace->to) != 0;
    errno = 0;
    const int code = gzclose(trace->gzip);
    trace->to = NULL;
    trace->gzip = NULL;
    return code == Z_MEM_ERROR ? ENOMEM : !failed && code == Z_OK ? 0 : errno ? errno : EIO;
}

int sms__trace_begin(const struct sms_scenario *scenario, const struct sms__trace_settings *options,
                     struct sms__trace **out, struct sms_errors *errors)
{
    *out = NULL;
    *errors = (struct sms_errors){0};
    struct sms__trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return sms__fail(errors, SMS_ENOMEM, options->path, "no memory");
    trace->scenario = scenario;
    trace->options = *options;
    int code = open_file(trace, options->path, errors);
    if (code == SMS_OK && sms__guard(&trace->arena, init, trace))
        code = sms__fail(errors, SMS_ENOMEM, options->path, "no memory");
    if (code) {
        sms__trace_free(trace);
        return code;
    }
    sms__trace_json_begin(trace);
    *out = trace;
    return SMS_OK;
}

static void print_summary(const struct sms__trace *trace, const struct sms__trace_part *part, FILE *to)
{
    uint64_t seen = 0, kept = 0;
    for (size_t c = 0; c < SMS__TRACE_CLASSES; c++) {
        seen += part->count[c].seen;
        kept += part->count[c].kept;
    }
    sms__print_visible(to, trace->options.path);
    fprintf(to, ": %s: ", part->label);
    if (kept < seen)
        fprintf(to,
                "%" PRIu64 " of %" PRIu64
                " events, those that ended first; --trace-events and --trace-from select others",
                kept, seen);
    else if (trace->scenario->cluster)
        fprintf(to, "all %" PRIu64 " stays and waits of pods", part->count[SMS__TRACE_PODS].kept);
    else
        fprintf(to, "all %" PRIu64 " blocks and %" PRIu64 " kernels", part->count[SMS__TRACE_BLOCKS].blocks,
                part->count[SMS__TRACE_KERNELS].seen);
    if (kept == seen && trace->scenario->shares)
        fprintf(to, ", and %" PRIu64 " spans of processes", part->count[SMS__TRACE_SPANS].seen);
    fputc('\n', to);
}

int sms__trace_end(struct sms__trace *trace, FILE *summary, struct sms_errors *errors)
{
    const char *path = trace->options.path;
    char *file = sms__path_text(trace->scenario->node->mark.file);
    *errors = (struct sms_errors){0};
    if (file)
        sms__trace_json_end(trace, file);
    const int why = end_compression(trace);
    trace->out_of_memory |= !file || why == ENOMEM;
    free(file);
    if (trace->out_of_memory)
        return sms__fail(errors, SMS_ENOMEM, path, "no memory");
    if (why)
        return sms__fail(errors, SMS_EIO, path, "cannot be written: %s", strerror(why));
    int code = sms__write_end(&trace->write, errors);
    for (size_t p = 0; summary && code == SMS_OK && p < trace->parts; p++)
        print_summary(trace, &trace->part[p], summary);
    return code;
}

void sms__trace_free(struct sms__trace *trace)
{
    if (!trace)
        return;
    end_compression(trace);
    sms__write_abandon(&trace->write);
    for (size_t t = 0; t < trace->tracks && trace->track; t++)
        free(trace->track[t].lane);
    sms__arena_release(&trace->arena);
    free(trace);
}
