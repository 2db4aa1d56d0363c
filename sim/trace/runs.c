/* Blocks, kernels, spans of processes and missed deadlines, for a trace. */
#include "parts.h"

#include "../base/member.h"

#include <string.h>

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
    if (!sms__trace_observe(trace, policy, stay->start_ps, stay->end_ps))
        return;
    struct sms__trace_count *count = &trace->part[trace->current].count[SMS__TRACE_BLOCKS];
    struct sms__trace_slice slice = {.category = "block",
                                     .name = stay->vm,
                                     .kernel = stay->kernel,
                                     .track = trace->first_track[stay->device] + stay->sm,
                                     .pid = stay->device,
                                     .start_ps = stay->start_ps,
                                     .end_ps = stay->end_ps,
                                     .name_track = name_sm,
                                     .lanes_max = SIZE_MAX,
                                     .detail = {"blocks", NULL, stay->blocks}};
    slice.sort_index = sms__trace_streams(trace) + 1 + stay->sm * trace->scenario->device[stay->device]->sm.blocks;
    count->blocks += stay->blocks;
    count->blocks_kept += sms__trace_put(trace, SMS__TRACE_BLOCKS, &slice) ? stay->blocks : 0;
}

void sms__trace_kernel(struct sms__trace *trace, const char *policy, const struct sms_kernel_run *run)
{
    const struct sms_scenario *scenario = trace->scenario;
    if (!sms__trace_observe(trace, policy, run->launch_ps, run->end_ps))
        return;
    const size_t v = sms__find_name(run->vm, scenario->vms, SMS__NAMES(scenario->vm, name));
    struct sms__trace_slice slice = {.category = "kernel",
                                     .name = run->vm,
                                     .kernel = run->kernel,
                                     .pid = run->device,
                                     .start_ps = run->launch_ps,
                                     .end_ps = run->end_ps,
                                     .name_track = name_stream,
                                     .sort_index = trace->first_stream[v] + run->stream,
                                     .lanes_max = SIZE_MAX,
                                     .detail = {"blocks", NULL, run->blocks}};
    slice.track = trace->first_track[run->device] + scenario->device[run->device]->sms + slice.sort_index;
    sms__trace_put(trace, SMS__TRACE_KERNELS, &slice);
    trace->track[trace->first_track[scenario->devices] + slice.sort_index].kernel_end_ps = run->end_ps;
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
    slice.end_ps = slice.start_ps;
    slice.instant = true;
    sms__trace_put(trace, SMS__TRACE_INSTANTS, &slice);
}

void sms__trace_span(struct sms__trace *trace, const char *policy, const struct sms_span *span)
{
    const struct sms_scenario *scenario = trace->scenario;
    if (span->process >= scenario->vms || !sms__trace_observe(trace, policy, span->start_ps, span->end_ps))
        return;
    struct sms__trace_slice slice = {.category = "process",
                                     .name = span->state,
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
        slice.sms = span->sms;
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
    if (!sms__trace_observe(trace, policy, miss->end_ps - 1, miss->end_ps)) /* what ends then is of the same interval */
        return;
    const double late_ps = (double)(miss->end_ps - miss->arrived_ps) - miss->allowed_ps;
    struct sms__trace_slice slice = {.category = "miss",
                                     .name = miss->name,
                                     .pid = pid,
                                     .track = trace->first_track[scenario->devices] + sms__trace_streams(trace) + pid,
                                     .start_ps = miss->end_ps,
                                     .end_ps = miss->end_ps,
                                     .instant = true,
                                     .name_track = name_misses,
                                     .sort_index = sms__trace_streams(trace),
                                     .lanes_max = SIZE_MAX,
                                     .detail = {"late_ps", NULL, (uint64_t)late_ps}};
    if (scenario->shares)
        sms__trace_name_pid(trace, pid, "processes");
    sms__trace_put(trace, SMS__TRACE_INSTANTS, &slice);
}
