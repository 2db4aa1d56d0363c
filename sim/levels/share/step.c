/* The steps of a stream, one after another, and its jobs. The policy may pause or fail the process in any of its
 * functions, so each step begins only if the process is not stopped. */
#include "host.h"
#include "stream.h"

static void observe_miss(const struct sms__stream *stream, double allowed_ps, uint64_t now)
{
    const struct sms__process *process = stream->process;
    struct sms__run_observer *observer = process->share->spec->observer;
    if (!sms__observes(observer, SMS_RUN_MISS))
        return;
    const struct sms_miss miss = {.vm = process->arrival.vm,
                                  .name = process->arrival.name,
                                  .device = process->share->setup.vms ? (size_t)process->arrival.gpu : 0,
                                  .arrived_ps = stream->job.arrived_ps,
                                  .end_ps = now,
                                  .allowed_ps = allowed_ps};
    sms__observe(observer, (struct sms_run_event){SMS_RUN_MISS, .miss = &miss});
}

/* From the job's arrival to its deadline, ps; 0: it has none. */
static double allowed_ps(const struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    const struct sms__job *job = &stream->job;
    if (process->arrival.job_deadline_ps <= 0)
        return process->vm->deadline_ps;
    return job->uses_device ? process->arrival.job_deadline_ps + (double)(job->used_ps - job->arrived_ps) : 0;
}

static void end_job(struct sms__stream *stream, uint64_t now)
{
    struct sms__process *process = stream->process;
    const double allowed = allowed_ps(stream);
    sms__job_use_device(stream, false, now);
    stream->job.ended++;
    stream->job.under_way = false;
    if (stream->job.is_rest)
        sms__record_rest_of_job(process->vm_record, now);
    else if (sms__record_job(process->vm_record, stream->job.arrived_ps, allowed, now))
        observe_miss(stream, allowed, now);
    stream->job.is_rest = false;
    if (stream->held) /* what the job has not freed */
        sms__stream_release(stream, stream->held, now);
}

/* Bytes of the step's copy, or ps of its host step. */
static double amount_left(const struct sms__stream *stream)
{
    return stream->workload->step[stream->step].amount * (1 - stream->done);
}

static void end_host_step(void *subject, uint64_t now) { sms__stream_end_step(subject, now); }

static void end_copy(void *subject, uint64_t now)
{
    struct sms__stream *stream = subject;
    struct sms__process_record *record = stream->process->record;
    bool in = stream->phase == SMS_PHASE_COPY_IN;
    if (record)
        *(in ? &record->copied_in : &record->copied_out) += amount_left(stream);
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    sms__tell(stream->process, in ? SMS_EVENT_COPIED_IN : SMS_EVENT_COPIED_OUT);
    sms__stream_end_step(stream, now);
}

static void free_memory(struct sms__stream *stream, const struct sms__step *step, uint64_t now)
{
    uint64_t bytes = step->amount > 0 ? (uint64_t)step->amount : stream->held;
    sms__stream_release(stream, bytes < stream->held ? bytes : stream->held, now);
    sms__tell(stream->process, SMS_EVENT_FREED);
}

/* True if the policy suspends the process before this call of the driver. */
static bool is_called_off(struct sms__stream *stream, const struct sms__step *step, uint64_t now)
{
    const struct sms_share_policy *policy = stream->process->share->policy.policy;
    if (!policy->call || step->kind == SMS__HOST || sms__is_event(step) || stream->excused)
        return false;
    stream->excused = true;
    const enum sms_answer answer = sms__stream_consult(stream, policy->call);
    const bool off = answer == SMS_SUSPEND;
    if (answer == SMS_DEFER || answer == SMS_REFUSE)
        sms__share_refuse(stream->process->share, "share policy %s answered a call with %s, and may grant or suspend",
                          policy->name, answer == SMS_DEFER ? "SMS_DEFER" : "SMS_REFUSE");
    if (off && !sms__has_ended(stream))
        sms__stream_suspend(stream, now);
    return off || sms__has_ended(stream);
}

/* Whether the event that the step waits for is recorded. A stream has at most one record of it, which is over when the
 * stream has left that step of the job. */
static bool is_recorded(const struct sms__stream *stream, const struct sms__step *step)
{
    if (stream->job.ended < step->jobs_ago)
        return true;
    uint64_t job = stream->job.ended - step->jobs_ago;
    for (const struct sms__stream *other = stream->process->stream; other; other = other->next) {
        size_t record = sms__find_record(other->workload, step->event);
        bool in_job = other->job.under_way && other->job.ended == job && other->step > record;
        if (record != SIZE_MAX)
            return other->job.ended > job || in_job;
    }
    return true; /* the model has seen to it that some stream records it */
}

/* Lets the streams go on whose events are recorded. */
static void go_on_waiting(void *subject, uint64_t now)
{
    struct sms__process *process = subject;
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        if (stream->awaiting && is_recorded(stream, &stream->workload->step[stream->step])) {
            sms__process_advance(process, now);
            stream->awaiting = false;
            sms__stream_end_step(stream, now);
        }
}

/* Looks again at the streams that wait for events, once this one has left its step. */
static void announce(struct sms__process *process)
{
    bool awaited = false;
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next)
        awaited |= stream->awaiting;
    process->recorded.act = go_on_waiting;
    process->recorded.subject = process;
    if (awaited)
        sms__engine_defer(process->share->engine, &process->recorded);
}

static bool awaits(struct sms__stream *stream, const struct sms__step *step, uint64_t now)
{
    if (is_recorded(stream, step))
        return false;
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    stream->awaiting = true;
    return true;
}

/* A VM neither holds memory nor waits for a link of which nothing is known. */
static bool takes_no_time(const struct sms__stream *stream, const struct sms__step *step)
{
    const struct sms__process *process = stream->process;
    bool copies = step->kind == SMS__COPY_IN || step->kind == SMS__COPY_OUT;
    return process->share->setup.vms &&
           (step->kind == SMS__ALLOCATE || step->kind == SMS__FREE ||
            (copies && (process->instance->type->link_bandwidth <= 0 || step->amount <= 0)));
}

/* Begins a step. Returns true if it has ended at once. */
static bool begin_step(struct sms__stream *stream, const struct sms__step *step, uint64_t now)
{
    if (step->kind != SMS__HOST && !sms__is_event(step))
        sms__job_use_device(stream, true, now);
    if (step->kind != SMS__LAUNCH)
        stream->host_ps = 0; /* it has seen the end of the kernels */
    if (takes_no_time(stream, step))
        return true;
    switch (step->kind) {
    case SMS__RECORD:
        announce(stream->process);
        return true;
    case SMS__WAIT:
        return !awaits(stream, step, now);
    case SMS__HOST:
        sms__stream_enter(stream, SMS_PHASE_HOST, now);
        if (step->amount < 1)
            return true;
        sms__stream_compute(stream, amount_left(stream), end_host_step, now);
        return false;
    case SMS__ALLOCATE:
        stream->wanted = (uint64_t)step->amount;
        return sms__stream_request(stream, SMS_PHASE_ALLOCATE, now);
    case SMS__FREE:
        free_memory(stream, step, now);
        return true;
    case SMS__LAUNCH:
        if (stream->times >= step->times)
            return true;
        return sms__stream_request(stream, SMS_PHASE_LAUNCH, now);
    default:
        sms__stream_enter(stream, step->kind == SMS__COPY_IN ? SMS_PHASE_COPY_IN : SMS_PHASE_COPY_OUT, now);
        sms__stream_copy(stream, step->kind == SMS__COPY_IN, amount_left(stream), end_copy, now);
        return false;
    }
}

static void host_is_ready(void *subject, uint64_t now)
{
    struct sms__stream *stream = subject;
    stream->host_ps = now;
    sms__stream_go_on(stream, now);
}

/* True if the host is still busy with launches before, and so has not come to the stream's next step. */
static bool awaits_host(struct sms__stream *stream, uint64_t now)
{
    const bool in_step = stream->step < stream->workload->steps;
    const struct sms__step *step = &stream->workload->step[stream->step];
    if (stream->host_ps <= now || (in_step && !sms__is_call(step, stream->times)))
        return false;
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    sms__stream_compute(stream, (double)(stream->host_ps - now), host_is_ready, now);
    return true;
}

/* The time at which the next job is to start if jobs have a period; else 0. */
static uint64_t next_start(const struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    double period = process->vm->period_ps;
    return period > 0 ? sms__after(process->arrived_ps, period * (double)stream->job.ended) : 0;
}

static void end_stream(struct sms__stream *stream, uint64_t now)
{
    struct sms__process *process = stream->process;
    if (--process->unended > 0) {
        sms__stream_enter(stream, SMS_PHASE_DONE, now);
        return;
    }
    process->vm_record->unended--;
    sms__process_end(process, SMS_PHASE_DONE, now);
}

/* Only processes of one stream have a period. */
static void begin_periodic_job(struct sms__process *process, uint64_t now)
{
    sms__stream_begin_job(process->stream, now);
}

/* True if the policy has failed the process, once it is told. */
static bool fails_freed(struct sms__stream *stream, bool freed)
{
    if (freed)
        sms__tell(stream->process, SMS_EVENT_FREED);
    return sms__has_ended(stream);
}

/* Waits for a job to arrive. After the last job, idle streams end with this one. */
static void next_arrived(struct sms__stream *stream, bool freed, uint64_t now)
{
    struct sms__process *process = stream->process;
    if (fails_freed(stream, freed))
        return;
    if (!sms__process_jobs_are_over(process)) {
        sms__stream_await_job(stream, now);
        return;
    }
    struct sms__stream *idle = process->jobs->idle;
    process->jobs->idle = NULL;
    for (; idle; idle = idle->next_idle)
        end_stream(idle, now);
    end_stream(stream, now);
}

/* Whether no job is left for the stream. The streams of a VM take them from one number of jobs. */
static bool has_done_all(const struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    uint64_t repeat = sms__stream_repeat(process->vm, stream->idx);
    return repeat && (process->share->setup.vms ? process->begun : stream->job.ended) >= repeat;
}

/* `freed`: the last job has left memory behind, which is free now. */
static void next_job(struct sms__stream *stream, bool freed, uint64_t now)
{
    struct sms__process *process = stream->process;
    if (process->jobs) {
        next_arrived(stream, freed, now);
        return;
    }
    if (has_done_all(stream)) {
        end_stream(stream, now);
        return;
    }
    uint64_t start = next_start(stream);
    stream->job.arrived_ps = start > 0 && start < now ? start : now;
    if (fails_freed(stream, freed))
        return;
    if (start <= now) {
        sms__stream_begin_job(stream, now); /* the recursion ends, because the model sees to it that a job takes time */
        return;
    }
    stream->job.arrived_ps = start;
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    sms__process_after(process, (double)(start - now), begin_periodic_job, now);
}

/* The stream comes to the step with which it begins. The part of its job that is done does not count. */
static void begin_within_job(struct sms__stream *stream)
{
    const bool launch = stream->workload->step[stream->step].kind == SMS__LAUNCH;
    stream->job.is_rest = true;
    stream->times = stream->begins.times;
    stream->done = stream->begins.done;
    stream->begins = (struct sms__phase){0};
    sms__job_add_partial(stream, -1, launch ? sms__parts(stream->done, 1) : 0);
}

/* Whether the step was done before the stream began. It has the memory that its steps hold. */
static bool is_over(const struct sms__stream *stream, const struct sms__step *step)
{
    return stream->step < stream->begins.step && step->kind != SMS__ALLOCATE && step->kind != SMS__FREE;
}

/* True if the stream waits for an event: its process is stopped, or a step is under way. */
static bool stops_at_step(struct sms__stream *stream, uint64_t now)
{
    const struct sms__step *step = &stream->workload->step[stream->step];
    if (is_over(stream, step))
        return false;
    if (stream->step == stream->begins.step && sms__is_within(&stream->begins))
        begin_within_job(stream);
    return is_called_off(stream, step, now) || !begin_step(stream, step, now);
}

void sms__stream_go_on(struct sms__stream *stream, uint64_t now)
{
    for (; !sms__has_ended(stream); sms__stream_next_step(stream)) {
        stream->halted = sms__is_stopped(stream);
        if (stream->halted) {
            stream->host_ps = 0;
            sms__process_drain(stream->process, now);
            return;
        }
        if (awaits_host(stream, now))
            return;
        if (stream->step == stream->workload->steps)
            break;
        if (stops_at_step(stream, now))
            return;
    }
    if (sms__has_ended(stream))
        return;
    bool freed = stream->held > 0;
    stream->host_ps = 0;
    if (stream->job.under_way)
        end_job(stream, now);
    next_job(stream, freed, now);
}
