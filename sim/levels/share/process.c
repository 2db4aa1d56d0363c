/* The state of a process: its phase, its memory, its spans of the timeline, its timer, its jobs, and its end. The
 * integrals of a process are advanced before its state changes. */
#include "context.h"
#include "sm_part.h"
#include "stream.h"

static const char *const phase_names[SMS_PHASES] = {"future",    "unplaced", "host",     "allocate",   "launch",
                                                    "copy_in",   "kernel",   "copy_out", "suspending", "suspended",
                                                    "restoring", "done",     "failed"};

/* The phase of a process is the one of its streams that has the greatest weight. Streams that have ended have none. */
static const int weight[SMS_PHASES] = {
    [SMS_PHASE_FUTURE] = 1,    [SMS_PHASE_UNPLACED] = 2,  [SMS_PHASE_ALLOCATE] = 3, [SMS_PHASE_LAUNCH] = 4,
    [SMS_PHASE_HOST] = 5,      [SMS_PHASE_COPY_OUT] = 6,  [SMS_PHASE_COPY_IN] = 7,  [SMS_PHASE_SUSPENDING] = 8,
    [SMS_PHASE_SUSPENDED] = 8, [SMS_PHASE_RESTORING] = 8, [SMS_PHASE_KERNEL] = 9,
};

/* A stream that waits for an event is in the phase of the host, and the stream that it waits for counts. */
static int weigh(const struct sms__stream *stream) { return stream->awaiting ? 1 : weight[stream->phase]; }

enum sms_phase sms__process_phase(const struct sms__process *process)
{
    const struct sms__stream *busiest = process->stream;
    for (const struct sms__stream *stream = process->stream->next; stream; stream = stream->next)
        busiest = weigh(stream) > weigh(busiest) ? stream : busiest;
    return busiest->phase;
}

/* The phase on the timeline. Kernels and copies go on while their process is about to be suspended; other streams show
 * the phase of the one at whose call it is. */
static enum sms_phase shown_phase(const struct sms__stream *stream)
{
    const struct sms__stream *migrating = stream->process->migrating;
    bool keeps_own = stream->phase == SMS_PHASE_KERNEL || stream->phase == SMS_PHASE_COPY_IN ||
                     stream->phase == SMS_PHASE_COPY_OUT || sms__has_ended(stream);
    return migrating && !keeps_own ? migrating->phase : stream->phase;
}

/* A kernel on the device goes on while its process is paused. A process that has not arrived does nothing yet. */
static bool stands_still(const struct sms__process *process, enum sms_phase phase)
{
    return process->paused && phase != SMS_PHASE_KERNEL && weight[phase] > weight[SMS_PHASE_FUTURE];
}

/* True if a kernel is under way and another process has the time slice. */
static bool awaits_slice(const struct sms__process *process, enum sms_phase phase)
{
    return phase == SMS_PHASE_KERNEL && process->instance && !sms__context_of(process->instance, process)->active;
}

uint64_t sms__process_service(const struct sms__process *process, uint64_t now)
{
    const enum sms_phase phase = sms__process_phase(process);
    const bool is_served = phase == SMS_PHASE_KERNEL && !awaits_slice(process, phase);
    return process->record->service_before_ps + sms__service_ps(process->record) +
           (is_served ? now - process->phase_since_ps : 0);
}

static const char *state_of(const struct sms__stream *stream)
{
    enum sms_phase phase = shown_phase(stream);
    if (awaits_slice(stream->process, phase))
        return "waiting";
    return stands_still(stream->process, phase) ? "paused" : phase_names[phase];
}

static bool has_timeline(const struct sms__process *process)
{
    return sms__observes(process->share->spec->observer, SMS_RUN_SPAN);
}

/* Call it if there is a timeline. */
static void emit_span(const struct sms__stream *stream, uint64_t now)
{
    const struct sms__timeline_span *span = &stream->span;
    bool shown = span->phase != SMS_PHASE_FUTURE && span->phase != SMS_PHASE_DONE && span->phase != SMS_PHASE_FAILED &&
                 now > span->since_ps;
    if (shown) {
        struct sms_span seen = {stream->process->idx, stream->name, span->state, span->instance,
                                span->since_ps,       now,          stream->idx, span->sms};
        sms__observe(stream->process->share->spec->observer, (struct sms_run_event){SMS_RUN_SPAN, .span = &seen});
    }
}

void sms__process_advance(struct sms__process *process, uint64_t now)
{
    struct sms__process_record *record = process->record;
    if (!record)
        return;
    uint64_t elapsed = now - process->phase_since_ps;
    enum sms_phase phase = sms__process_phase(process);
    process->phase_since_ps = now;
    record->sliced_ps += awaits_slice(process, phase) ? elapsed : 0;
    *(stands_still(process, phase) ? &record->paused_ps : &record->state_ps[phase]) += elapsed;
}

static void show(struct sms__stream *stream, uint64_t now)
{
    if (!has_timeline(stream->process))
        return;
    const struct sms__instance *instance = stream->process->instance;
    long idx = instance ? (long)instance->idx : -1;
    const char *state = state_of(stream);
    const size_t sms = sms__stream_sms(stream);
    if (stream->span.state == state && stream->span.instance == idx && stream->span.sms == sms)
        return;
    emit_span(stream, now);
    stream->span = (struct sms__timeline_span){state, shown_phase(stream), idx, sms, now};
}

void sms__process_show(struct sms__process *process, uint64_t now)
{
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        show(stream, now);
}

void sms__process_close(struct sms__process *process, uint64_t now)
{
    for (const struct sms__stream *stream = process->stream; stream && has_timeline(process); stream = stream->next)
        emit_span(stream, now);
}

/* A policy cannot make a stream enter these again and again without the end of a step. */
static bool is_progress(enum sms_phase phase)
{
    return phase == SMS_PHASE_KERNEL || phase == SMS_PHASE_UNPLACED || phase == SMS_PHASE_DONE ||
           phase == SMS_PHASE_FAILED;
}

void sms__stream_enter(struct sms__stream *stream, enum sms_phase phase, uint64_t now)
{
    struct sms__process *process = stream->process;
    if (!process->record) {
        stream->phase = phase;
        return;
    }
    sms__process_advance(process, now);
    stream->phase = phase;
    if (is_progress(phase))
        sms__note_progress(process->share);
    if (process->migrating == stream)
        sms__process_show(process, now);
    else
        show(stream, now);
}

void sms__process_enter(struct sms__process *process, enum sms_phase phase, uint64_t now)
{
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        sms__stream_enter(stream, phase, now);
}

static void record_peak(struct sms__process *process)
{
    if (sms__process_held(process) > process->record->peak_held)
        process->record->peak_held = sms__process_held(process);
}

void sms__stream_hold(struct sms__stream *stream, uint64_t bytes, uint64_t now)
{
    struct sms__process *process = stream->process;
    sms__instance_hold(process->instance, (int64_t)bytes, now);
    stream->held += bytes;
    process->memory.held += bytes;
    record_peak(process);
}

void sms__stream_release(struct sms__stream *stream, uint64_t bytes, uint64_t now)
{
    sms__instance_hold(stream->process->instance, -(int64_t)bytes, now);
    stream->held -= bytes;
    stream->process->memory.held -= bytes;
}

void sms__process_move_in(struct sms__process *process, struct sms__instance *instance, uint64_t now)
{
    sms__instance_enter(instance, process, now);
    sms__part_enter(process);
    process->has_context = true;
    sms__instance_hold(instance, (int64_t)sms__process_held(process), now);
    record_peak(process);
    sms__process_show(process, now);
}

void sms__process_move_out(struct sms__process *process, uint64_t now)
{
    struct sms__instance *instance = process->instance;
    if (!instance)
        return;
    sms__instance_hold(instance, -(int64_t)sms__process_held(process), now);
    process->has_context = false;
    sms__part_leave(process);
    sms__instance_leave(instance, process, now);
}

/* Gives up the job under way, if there is one. It counts for nothing. */
static void give_up_job(struct sms__stream *stream)
{
    if (stream->job.under_way)
        stream->process->vm_record->job_parts += stream->job.parts_before;
    stream->job.under_way = false;
}

void sms__process_end(struct sms__process *process, enum sms_phase phase, uint64_t now)
{
    struct sms_share *share = process->share;
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next) {
        sms__job_use_device(stream, false, now);
        give_up_job(stream);
    }
    if (process->jobs) {
        share->pending -= process->jobs->coming;
        process->jobs->coming = false;
        process->jobs->backlog_count = 0;
        sms__engine_at(share->engine, process->jobs->source, SMS__NEVER);
    }
    sms__process_move_out(process, now);
    sms__process_advance(process, now);
    process->unended = process->memory.held = 0;
    process->migrating = NULL;
    process->paused = false;
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next) {
        stream->held = stream->wanted = 0;
        stream->halted = stream->awaiting = false;
    }
    sms__process_enter(process, phase, now);
    share->active--;
    sms__tell(process, phase == SMS_PHASE_DONE ? SMS_EVENT_ENDED : SMS_EVENT_FAILED);
    process->in_slot = false;
    sms__timers_update(share);
    share->setup.ended(share->setup.subject, process, now);
}

/* Kernels on a device cannot be taken back, so a process that has some fails when they have ended. */
void sms__process_fail(struct sms__process *process, uint64_t now)
{
    if (process->unended == 0)
        return;
    if (process->kernels) {
        process->doomed = true;
        return;
    }
    process->record->failed = true;
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        sms__flow_drop(&stream->transfer.flow, now);
    process->share->pending -= process->timer.then != NULL;
    process->timer.then = NULL;
    sms__engine_at(process->share->engine, process->timer.source, SMS__NEVER);
    sms__process_end(process, SMS_PHASE_FAILED, now);
}

void sms__process_set_paused(struct sms__process *process, bool paused, uint64_t now)
{
    if (process->paused == paused || process->unended == 0)
        return;
    sms__process_advance(process, now);
    process->paused = paused;
    process->record->pauses += paused;
    sms__process_show(process, now);
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        sms__flow_set_stopped(&stream->transfer.flow, paused, now);
    if (paused)
        return;
    sms__process_go_on(process, now);
    sms__changed(process->share);
}

void sms__process_go_on(struct sms__process *process, uint64_t now)
{
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        if (stream->halted)
            process->share->go_on(stream, now);
}

void sms__process_after(struct sms__process *process, double delay_ps,
                        void (*then)(struct sms__process *process, uint64_t now), uint64_t now)
{
    sms__process_at(process, sms__after(now, delay_ps), then);
}

void sms__process_at(struct sms__process *process, uint64_t time,
                     void (*then)(struct sms__process *process, uint64_t now))
{
    process->share->pending += process->timer.then == NULL;
    process->timer.then = then;
    sms__engine_at(process->share->engine, process->timer.source, time);
}

static void fire(void *subject, uint64_t now)
{
    struct sms__process *process = subject;
    void (*then)(struct sms__process *, uint64_t) = process->timer.then;
    process->timer.then = NULL;
    process->share->pending--;
    then(process, now);
}

void sms__process_register(struct sms__process *process)
{
    process->timer.source = sms__engine_source(process->share->engine, SMS__LEVEL_TENANT, fire, process);
}

/* The modules of a workload, and their static variables, are loaded once. */
void sms__process_add_stream(struct sms__process *process, const struct sms__stream *stream)
{
    bool is_loaded = false;
    for (const struct sms__stream *other = process->stream; other != stream; other = other->next)
        is_loaded |= other->workload == stream->workload;
    process->memory.statics += is_loaded ? 0 : (uint64_t)stream->workload->statics;
    process->memory.declared += stream->workload->declared;
    process->exclusive |= stream->workload->exclusive;
}

/* ---- what a stream has done of the job under way, and when it is due ---- */

void sms__job_use_device(struct sms__stream *stream, bool uses, uint64_t now)
{
    const struct sms__host_setup *setup = &stream->process->share->setup;
    if (stream->job.uses_device == uses)
        return;
    stream->job.uses_device = uses;
    stream->job.used_ps = uses ? now : stream->job.used_ps;
    if (setup->job)
        setup->job(setup->subject, stream, uses, now);
}

void sms__job_add_partial(struct sms__stream *stream, int sign, uint64_t parts)
{
    if (!stream->job.under_way || sms__is_within(&stream->begins)) /* it has not come to where it begins */
        return;
    uint64_t done = sms__job_parts(stream->workload, stream->step, stream->times, parts);
    stream->process->vm_record->job_parts += sign * (sms__integral)done;
    stream->job.parts_before = sign < 0 ? done : stream->job.parts_before;
}

uint64_t sms__job_deadline(const struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    double allowed = process->vm->deadline_ps;
    if (process->arrival.due_ps != UINT64_MAX)
        return process->arrival.due_ps;
    return allowed > 0 ? sms__after(stream->job.arrived_ps, allowed) : UINT64_MAX;
}

void sms__stream_next_step(struct sms__stream *stream)
{
    stream->step++;
    stream->times = 0;
    stream->done = 0;
    stream->excused = false;
    sms__note_progress(stream->process->share);
}

void sms__stream_end_step(struct sms__stream *stream, uint64_t now)
{
    sms__stream_next_step(stream);
    stream->process->share->go_on(stream, now);
}

void sms__stream_begin_job(struct sms__stream *stream, uint64_t now)
{
    stream->process->begun++;
    stream->job.under_way = true;
    stream->job.parts_before = 0;
    stream->step = 0;
    stream->times = 0;
    stream->excused = false;
    stream->process->share->go_on(stream, now);
}

void sms__stream_begin(struct sms__stream *stream, uint64_t now)
{
    const struct sms_share *share = stream->process->share;
    if (!share->setup.vms) {
        sms__stream_begin_job(stream, now);
        return;
    }
    stream->step = stream->workload->steps; /* as after a job */
    share->go_on(stream, now);
}
