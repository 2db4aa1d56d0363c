/* Observes a run and writes its trace. Each policy begins with all of its share of the budget. */
#include "gzip_stream.h"
#include "parts.h"

#include "../base/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Colors that chrome://tracing knows by name. Tenants take them in turn. */
static const char *const colors[] = {"rail_response",
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

/* States of processes, each of which has the color at the same place. Others have the last one. */
static const char *const states[] = {"unplaced", "allocate", "launch", "waiting",    "host",      "copy_in",
                                     "kernel",   "copy_out", "paused", "suspending", "suspended", "restoring"};

enum { COLORS = sizeof colors / sizeof *colors, STATES = sizeof states / sizeof *states };
_Static_assert((int)STATES == (int)COLORS, "a color for each state");

/* ---- the policy that runs now ---- */

static void name_devices(struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    for (size_t d = 0; d < scenario->devices; d++) {
        char name[256];
        snprintf(name, sizeof name, "device %zu (%s)", d, scenario->device[d]->name);
        sms__trace_name_pid(trace, d, name);
    }
}

static void end_part(struct sms__trace *trace)
{
    if (trace->current == trace->parts || trace->scenario->cluster)
        return;
    trace->part[trace->current].interval_ps = trace->usage.bins ? (uint64_t)1 << trace->usage.shift : 0;
    sms__usage_write(trace);
}

static void begin_part(struct sms__trace *trace, size_t part)
{
    const size_t events = (size_t)trace->options.events / trace->parts;
    end_part(trace);
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

/* ---- blocks, kernels and processes ---- */

static size_t find_kind(const struct sms__trace *trace, const char *vm, const char *kernel)
{
    size_t i = 0;
    for (; i < trace->kinds; i++) {
        const struct sms__tenant *candidate = &trace->scenario->vm[trace->kind[i].vm];
        if (!strcmp(candidate->name, vm) && !strcmp(candidate->workload->kernel[trace->kind[i].kernel].name, kernel))
            break;
    }
    return i;
}

/* The index of a kernel, or `kinds`. The same name is nearly always the same pointer, because names come from the
 * scenario. */
static size_t kind_of(struct sms__trace *trace, const char *vm, const char *kernel)
{
    size_t slot = (((uintptr_t)vm >> 3) + ((uintptr_t)kernel >> 3) * 31) % SMS__TRACE_CACHE;
    if (trace->cache[slot].vm != vm || trace->cache[slot].kernel != kernel) {
        trace->cache[slot].vm = vm;
        trace->cache[slot].kernel = kernel;
        trace->cache[slot].kind = find_kind(trace, vm, kernel);
    }
    return trace->cache[slot].kind;
}

static size_t count_streams(const struct sms__trace *trace) { return trace->first_stream[trace->scenario->vms]; }

static size_t tenant_of(const struct sms__trace *trace, size_t stream)
{
    size_t v = 0;
    while (stream >= trace->first_stream[v + 1])
        v++;
    return v;
}

/* The device of a track. Makes `*track` its number among the tracks of the device. */
static const struct sms__device *device_of(const struct sms__trace *trace, size_t *track)
{
    size_t d = 0;
    while (*track >= trace->first_track[d + 1])
        d++;
    *track -= trace->first_track[d];
    return trace->scenario->device[d];
}

static void name_sm(const struct sms__trace *trace, size_t track, char name[SMS__TRACE_NAME_BYTES])
{
    device_of(trace, &track);
    snprintf(name, SMS__TRACE_NAME_BYTES, "SM %zu", track);
}

static void name_stream(const struct sms__trace *trace, size_t track, char name[SMS__TRACE_NAME_BYTES])
{
    track -= device_of(trace, &track)->sms;
    size_t v = tenant_of(trace, track);
    snprintf(name, SMS__TRACE_NAME_BYTES, "%s, stream %zu", trace->scenario->vm[v].name,
             track - trace->first_stream[v]);
}

static void name_process(const struct sms__trace *trace, size_t track, char name[SMS__TRACE_NAME_BYTES])
{
    size_t stream = track - trace->first_track[trace->scenario->devices], v = tenant_of(trace, stream);
    const struct sms__tenant *vm = &trace->scenario->vm[v];
    int length = snprintf(name, SMS__TRACE_NAME_BYTES, "%s", vm->name);
    if (vm->streams > 1)
        snprintf(name + length, SMS__TRACE_NAME_BYTES - (size_t)length, "/%zu", stream - trace->first_stream[v] + 1);
}

static void name_misses(const struct sms__trace *trace, size_t track, char name[SMS__TRACE_NAME_BYTES])
{
    (void)trace;
    (void)track;
    snprintf(name, SMS__TRACE_NAME_BYTES, "missed deadlines");
}

void sms__trace_stay(struct sms__trace *trace, const char *policy, const struct sms_stay *stay)
{
    uint64_t start = stay->start_ps, end = stay->end_ps;
    if (!sms__trace_observe(trace, policy, &start, &end))
        return;
    const size_t kind = kind_of(trace, stay->vm, stay->kernel);
    if (kind == trace->kinds)
        return;
    struct sms__trace_count *count = &trace->part[trace->current].count[SMS__TRACE_BLOCKS];
    struct sms__trace_slice slice = {.category = "block",
                                     .name = trace->kind[kind].name,
                                     .name_id = kind + 1,
                                     .color = colors[trace->kind[kind].vm % COLORS],
                                     .track = trace->first_track[stay->device] + stay->sm,
                                     .pid = stay->device,
                                     .start_ps = stay->start_ps,
                                     .end_ps = stay->end_ps,
                                     .name_track = name_sm,
                                     .slots = true,
                                     .lanes_max = SIZE_MAX,
                                     .detail = {"blocks", NULL, stay->blocks}};
    slice.sort_index = count_streams(trace) + 1 + stay->sm * trace->scenario->device[stay->device]->sm.blocks;
    sms__usage_add(&trace->usage, stay->device * trace->kinds + kind, start, end, stay->blocks);
    count->blocks += stay->blocks;
    count->blocks_kept += sms__trace_put(trace, SMS__TRACE_BLOCKS, &slice) ? stay->blocks : 0;
}

void sms__trace_kernel(struct sms__trace *trace, const char *policy, const struct sms_kernel_run *run)
{
    uint64_t start = run->launch_ps, end = run->end_ps;
    if (!sms__trace_observe(trace, policy, &start, &end))
        return;
    const size_t kind = kind_of(trace, run->vm, run->kernel);
    if (kind == trace->kinds)
        return;
    struct sms__trace_slice slice = {.category = "kernel",
                                     .name = trace->kind[kind].name,
                                     .name_id = kind + 1,
                                     .color = colors[trace->kind[kind].vm % COLORS],
                                     .pid = run->device,
                                     .start_ps = run->launch_ps,
                                     .end_ps = run->end_ps,
                                     .name_track = name_stream,
                                     .sort_index = trace->first_stream[trace->kind[kind].vm] + run->stream,
                                     .lanes_max = SIZE_MAX,
                                     .detail = {"blocks", NULL, run->blocks}};
    slice.track = trace->first_track[run->device] + trace->scenario->device[run->device]->sms + slice.sort_index;
    sms__trace_put(trace, SMS__TRACE_KERNELS, &slice);
    trace->track[trace->first_track[trace->scenario->devices] + slice.sort_index].kernel_end_ps = run->end_ps;
}

/* Whether the span begins because the process is suspended, or its time slice ends, with a kernel under way. */
static bool is_preempted(const struct sms__trace_track *track, const struct sms__trace_slice *span)
{
    const bool waits = !strcmp(span->name, "waiting");
    return !strcmp(span->name, "suspending") || (waits && track->was_kernel && track->kernel_end_ps != span->start_ps);
}

/* A span in which a process is held up begins with an instant, as many spans are too short to be seen. */
static void put_hold(struct sms__trace *trace, const struct sms__trace_slice *span)
{
    const bool paused = !strcmp(span->name, "paused"), preempted = is_preempted(&trace->track[span->track], span);
    if ((!paused && !preempted) || span->start_ps < trace->options.from_ps)
        return;
    struct sms__trace_slice slice = *span;
    slice.category = slice.name = paused ? "pause" : "preemption";
    slice.name_id = STATES + (paused ? 1 : 2);
    slice.end_ps = slice.start_ps;
    slice.instant = true;
    sms__trace_put(trace, SMS__TRACE_INSTANTS, &slice);
}

void sms__trace_span(struct sms__trace *trace, const char *policy, const struct sms_span *span)
{
    const struct sms_scenario *scenario = trace->scenario;
    uint64_t start = span->start_ps, end = span->end_ps;
    size_t state = 0;
    if (span->process >= scenario->vms || !sms__trace_observe(trace, policy, &start, &end))
        return;
    while (state < STATES && strcmp(states[state], span->state) != 0)
        state++;
    struct sms__trace_slice slice = {.category = "process",
                                     .name = span->state,
                                     .name_id = state < STATES ? state + 1 : 0,
                                     .color = colors[state < STATES ? state : STATES - 1],
                                     .pid = scenario->devices,
                                     .start_ps = span->start_ps,
                                     .end_ps = span->end_ps,
                                     .name_track = name_process,
                                     .sort_index = trace->first_stream[span->process] + span->stream,
                                     .lanes_max = SIZE_MAX};
    slice.track = trace->first_track[scenario->devices] + slice.sort_index;
    if (span->device >= 0) {
        slice.detail.name = "device";
        slice.detail.number = (uint64_t)span->device;
    }
    sms__trace_name_pid(trace, scenario->devices, "processes");
    put_hold(trace, &slice);
    trace->track[slice.track].was_kernel = !strcmp(span->state, "kernel");
    sms__trace_put(trace, SMS__TRACE_SPANS, &slice);
}

void sms__trace_miss(struct sms__trace *trace, const char *policy, const struct sms_miss *miss)
{
    const struct sms_scenario *scenario = trace->scenario;
    const size_t pid = scenario->shares ? scenario->devices : miss->device;
    uint64_t start = miss->end_ps - 1, end = miss->end_ps; /* what ends then is of the same interval */
    if (!sms__trace_observe(trace, policy, &start, &end))
        return;
    const double late_ps = (double)(miss->end_ps - miss->arrived_ps) - miss->allowed_ps;
    struct sms__trace_slice slice = {.category = "miss",
                                     .name = miss->name,
                                     .name_id = miss->vm + 1,
                                     .color = "terrible",
                                     .pid = pid,
                                     .track = trace->first_track[scenario->devices] + count_streams(trace) + pid,
                                     .start_ps = miss->end_ps,
                                     .end_ps = miss->end_ps,
                                     .instant = true,
                                     .name_track = name_misses,
                                     .sort_index = count_streams(trace),
                                     .lanes_max = SIZE_MAX,
                                     .detail = {"late_ps", NULL, (uint64_t)late_ps}};
    if (scenario->shares)
        sms__trace_name_pid(trace, pid, "processes");
    sms__trace_put(trace, SMS__TRACE_INSTANTS, &slice);
}

/* ---- begin ---- */

static int init_kinds(struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++) {
            const char *vm = scenario->vm[v].name, *kernel = scenario->vm[v].workload->kernel[k].name;
            char *name = malloc(strlen(vm) + strlen(kernel) + 2);
            if (!name)
                return -1;
            stpcpy(stpcpy(stpcpy(name, vm), "/"), kernel);
            trace->kind[trace->kinds++] = (struct sms__trace_kind){v, k, name};
        }
    return 0;
}

static int init(struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    size_t kinds = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        kinds += scenario->vm[v].workload->kernels;
    trace->kind = calloc(kinds + 1, sizeof *trace->kind);
    trace->first_stream = calloc(scenario->vms + 1, sizeof *trace->first_stream);
    trace->first_track = calloc(scenario->devices + 1, sizeof *trace->first_track);
    trace->part = calloc(scenario->policies, sizeof *trace->part);
    trace->named = calloc(sms__trace_pids(trace), sizeof *trace->named);
    if (!trace->kind || !trace->first_stream || !trace->first_track || !trace->part || !trace->named ||
        init_kinds(trace))
        return -1;
    for (size_t v = 0; v < scenario->vms; v++)
        trace->first_stream[v + 1] = trace->first_stream[v] + scenario->vm[v].streams;
    for (size_t d = 0; d < scenario->devices; d++)
        trace->first_track[d + 1] = trace->first_track[d] + scenario->device[d]->sms + count_streams(trace);
    trace->tracks = scenario->cluster
                        ? scenario->cluster->nodes * SMS_NODE_GPUS_MAX + 1
                        : trace->first_track[scenario->devices] + count_streams(trace) + sms__trace_pids(trace);
    trace->track = calloc(trace->tracks + 1, sizeof *trace->track);
    for (size_t p = 0; p < scenario->policies; p++)
        if (sms__is_chosen(&scenario->policy[p], trace->options.policies))
            trace->part[trace->parts++].label = scenario->policy[p].label;
    trace->current = trace->parts;
    return trace->track ? 0 : -1;
}

/* Whether the first `length` bytes of a path end so. */
static bool ends_with(const char *path, size_t length, const char *suffix)
{
    return length >= strlen(suffix) && !strncmp(path + length - strlen(suffix), suffix, strlen(suffix));
}

/* Opens the file in the format and the compression that its name ends with. */
static int open_file(struct sms__trace *trace, const char *path, struct sms_errors *errors)
{
    size_t length = strlen(path);
    bool compress = ends_with(path, length, SMS__TRACE_GZIP);
    length -= compress ? strlen(SMS__TRACE_GZIP) : 0;
    trace->format = ends_with(path, length, SMS__TRACE_PERFETTO) ? &sms__trace_perfetto : &sms__trace_json;
    int code = sms__write_begin(&trace->write, path, errors);
    FILE *stream = code == SMS_OK && compress ? sms__gzip_stream(trace->write.to) : NULL;
    if (code == SMS_OK && compress && !stream)
        return sms__fail(errors, SMS_ENOMEM, path, "no memory");
    trace->compressed = stream ? trace->write.to : NULL;
    trace->write.to = stream ? stream : trace->write.to;
    return code;
}

/* Ends the compression. What failed is seen in the file, or is a lack of memory. */
static void end_compression(struct sms__trace *trace)
{
    if (!trace->compressed)
        return;
    bool failed = ferror(trace->write.to);
    failed |= fclose(trace->write.to) != 0;
    trace->out_of_memory |= failed && !ferror(trace->compressed);
    trace->write.to = trace->compressed;
    trace->compressed = NULL;
}

int sms__trace_begin(const struct sms_scenario *scenario, const struct sms__trace_options *options,
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
    if (code == SMS_OK && init(trace))
        code = sms__fail(errors, SMS_ENOMEM, options->path, "no memory");
    if (code) {
        sms__trace_free(trace);
        return code;
    }
    trace->format->begin(trace);
    *out = trace;
    return SMS_OK;
}

/* ---- end ---- */

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
        fprintf(to, "%" PRIu64 " of %" PRIu64 " events, those that ended first", kept, seen);
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
    char *file = sms__path_text(trace->scenario->path);
    *errors = (struct sms_errors){0};
    end_part(trace);
    if (file)
        trace->format->end(trace, file);
    end_compression(trace);
    trace->out_of_memory |= !file;
    free(file);
    if (trace->out_of_memory)
        return sms__fail(errors, SMS_ENOMEM, path, "no memory");
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
    for (size_t k = 0; k < trace->kinds; k++)
        free(trace->kind[k].name);
    for (size_t t = 0; trace->track && t < trace->tracks; t++)
        free(trace->track[t].lane);
    free(trace->kind);
    free(trace->first_stream);
    free(trace->first_track);
    free(trace->part);
    free(trace->named);
    free(trace->track);
    free(trace->usage.sum);
    free(trace);
}
