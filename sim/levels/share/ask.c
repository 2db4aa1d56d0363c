/* What a stream asks the share policy for: an instance, memory, and leave to launch. A policy may suspend or fail the
 * process while it is asked. */
#include "host.h"
#include "stream.h"

enum sms_answer sms__stream_consult(struct sms__stream *stream,
                                    enum sms_answer (*ask)(struct sms_share *share, size_t process))
{
    struct sms_share *share = stream->process->share;
    const struct sms__stream *before = share->policy.asking;
    sms__share_note_call(share);
    share->policy.asking = stream;
    enum sms_answer answer = ask(share, stream->process->idx);
    share->policy.asking = before;
    if ((unsigned)answer <= SMS_SUSPEND)
        return answer;
    sms__share_refuse(share, "share policy %s gave the answer %d, which is none of enum sms_answer",
                      share->policy.policy->name, (int)answer);
    return SMS_DEFER;
}

/* The result of asking. */
enum outcome {
    WAITS, /* the stream waits on */
    GONE,  /* what it asked for is under way, or the process is elsewhere */
    OVER   /* the step has ended */
};

/* True if the context, and what the process holds and wants, exceed what its pod or the mode of its instance lets it
 * have. No policy can lift that. */
static bool exceeds_limit(const struct sms__stream *stream, const struct sms__instance *instance)
{
    const struct sms__process *process = stream->process;
    uint64_t pod = process->vm->memory_most, context = sms__process_context_bytes(process);
    uint64_t most = instance ? sms__mode_bytes(instance->mode, instance->type, process->vm) : UINT64_MAX;
    uint64_t held = process->memory.held;
    most = pod && pod < most ? pod : most;
    return context > most || held > most - context || stream->wanted > most - context - held;
}

/* What `explain` prints of a process that fails. */
static void say_refused(struct sms__process *process, const struct sms__stream *stream)
{
    const struct sms__instance *instance = process->instance;
    const double mib = 1024.0 * 1024.0;
    if (!instance)
        sms_share_say(process->share, process->idx, "fails: its context takes %.6g MiB, more than its limit",
                      (double)sms__process_context_bytes(process) / mib);
    else if (stream->wanted)
        sms_share_say(process->share, process->idx,
                      "fails: an allocation of %.6g MiB is refused; it holds %.6g MiB, and %.6g MiB are free",
                      (double)stream->wanted / mib, (double)process->memory.held / mib,
                      (double)sms__instance_free(instance) / mib);
    else
        sms_share_say(process->share, process->idx, "fails: the share policy refuses its launch");
}

static enum outcome refuse(struct sms__stream *stream, uint64_t now)
{
    struct sms__process *process = stream->process;
    say_refused(process, stream);
    process->record->refused++;
    sms__process_fail(process, now);
    return GONE;
}

static void begin_later(void *stream, uint64_t now) { sms__stream_begin(stream, now); }

/* A process has waited for the delay of its main stream, a VM has not. The policy may fail it at any stream. */
static void begin_jobs(struct sms__process *process, uint64_t now)
{
    const struct sms__stream *on_time = process->share->setup.vms ? NULL : process->stream;
    sms__tell(process, SMS_EVENT_PLACED);
    for (struct sms__stream *stream = process->stream; stream && process->unended; stream = stream->next) {
        if (process->jobs)
            sms__stream_await_job(stream, now);
        else if (stream != on_time && stream->begins.delay_ps > 0)
            sms__stream_compute(stream, stream->begins.delay_ps, begin_later, now);
        else
            sms__stream_begin(stream, now);
    }
}

static enum outcome try_place(struct sms__process *process, uint64_t now)
{
    struct sms_share *share = process->share;
    const struct sms_share_policy *policy = share->policy.policy;
    if (exceeds_limit(process->stream, NULL))
        return refuse(process->stream, now);
    sms__share_note_call(share);
    long chosen = policy->place ? policy->place(share, process->idx) : sms__instance_choose(share, process);
    if (sms__has_ended(process->stream))
        return GONE;
    if (chosen < SMS_WAIT || (chosen >= 0 && (size_t)chosen >= share->instances))
        sms__share_refuse(share, "share policy %s placed a process on device %ld of %zu", policy->name, chosen,
                          share->instances);
    if (share->engine->stopped || chosen < 0 || !sms__instance_admits(&share->instance[chosen], process))
        return WAITS;
    sms__process_move_in(process, &share->instance[chosen], now);
    sms__process_enter(process, SMS_PHASE_HOST, now);
    /* At the earliest 1 ps later: policies know all that arrive at an instant before one of these launches. */
    sms__process_after(process, share->scenario->host.context_ps + process->stream->begins.delay_ps, begin_jobs, now);
    return GONE;
}

static enum outcome allocate(struct sms__stream *stream, uint64_t now)
{
    if (stream->wanted > sms__instance_free(stream->process->instance))
        return WAITS;
    sms__stream_hold(stream, stream->wanted, now);
    stream->wanted = 0;
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    sms__tell(stream->process, SMS_EVENT_ALLOCATED);
    return OVER;
}

/* For all answers but the one that grants, and for a process that the policy has failed meanwhile. */
static enum outcome turn_down(struct sms__stream *stream, enum sms_answer answer, uint64_t now)
{
    if (sms__has_ended(stream))
        return GONE;
    if (answer == SMS_DEFER)
        return WAITS;
    if (answer == SMS_SUSPEND) {
        sms__stream_suspend(stream, now);
        return GONE;
    }
    return refuse(stream, now);
}

static enum outcome try_allocate(struct sms__stream *stream, uint64_t now)
{
    const struct sms_share_policy *policy = stream->process->share->policy.policy;
    if (exceeds_limit(stream, stream->process->instance))
        return refuse(stream, now);
    bool fits = stream->wanted <= sms__instance_free(stream->process->instance);
    enum sms_answer answer = policy->allocate ? sms__stream_consult(stream, policy->allocate)
                             : fits           ? SMS_GRANT
                                              : SMS_REFUSE;
    bool granted = answer == SMS_GRANT && !sms__has_ended(stream);
    return granted ? allocate(stream, now) : turn_down(stream, answer, now);
}

static uint64_t ask_for_piece(struct sms__stream *stream)
{
    struct sms_share *share = stream->process->share;
    const struct sms__stream *before = share->policy.asking;
    share->policy.asking = stream;
    uint64_t piece_ps = share->policy.policy->atom(share, stream->process->idx);
    share->policy.asking = before;
    return piece_ps;
}

static enum outcome try_launch(struct sms__stream *stream, uint64_t now)
{
    const struct sms_share_policy *policy = stream->process->share->policy.policy;
    if (stream->part->is_on && !stream->part->sms)
        return WAITS;
    enum sms_answer answer = policy->launch ? sms__stream_consult(stream, policy->launch) : SMS_GRANT;
    if (answer != SMS_GRANT || sms__has_ended(stream))
        return turn_down(stream, answer, now);
    stream->piece_ps = policy->atom ? ask_for_piece(stream) : 0;
    if (sms__has_ended(stream)) /* the policy has failed it meanwhile */
        return GONE;
    sms__stream_launch(stream, now);
    return GONE;
}

static enum outcome ask(struct sms__stream *stream, uint64_t now)
{
    switch (stream->phase) {
    case SMS_PHASE_UNPLACED:
        return try_place(stream->process, now);
    case SMS_PHASE_ALLOCATE:
        return try_allocate(stream, now);
    case SMS_PHASE_LAUNCH:
        return try_launch(stream, now);
    default:
        return GONE; /* it has been suspended meanwhile */
    }
}

bool sms__stream_ask_again(struct sms__stream *stream, uint64_t now)
{
    bool waits = sms__is_stopped(stream) && !sms__has_ended(stream);
    enum outcome outcome = waits ? WAITS : ask(stream, now);
    if (outcome == OVER)
        sms__stream_end_step(stream, now);
    return outcome != WAITS;
}

/* True if the policy's answer to a launch may depend on others that come at this instant: those above it, or all. */
static bool depends_on_others(const struct sms__stream *stream)
{
    const struct sms__process *self = stream->process;
    const struct sms_share_policy *policy = self->share->policy.policy;
    return policy->launch && (policy->repartitions || sms__instance_top_priority(self->instance) > self->vm->priority);
}

bool sms__stream_request(struct sms__stream *stream, enum sms_phase phase, uint64_t now)
{
    sms__stream_enter(stream, phase, now);
    const bool later = phase == SMS_PHASE_LAUNCH && depends_on_others(stream);
    enum outcome outcome = later ? WAITS : ask(stream, now);
    if (outcome == WAITS)
        sms__wait(stream);
    if (later)
        sms__changed(stream->process->share);
    return outcome == OVER;
}

static void arrive(struct sms__process *process, uint64_t now)
{
    process->arrived_ps = now;
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        stream->job.arrived_ps = now;
    if (process->share->setup.vms) {
        sms__instance_enter(&process->share->instance[process->arrival.gpu], process, now);
        begin_jobs(process, now);
        return;
    }
    sms__process_enter(process, SMS_PHASE_UNPLACED, now);
    sms__tell(process, SMS_EVENT_ARRIVED);
    if (!sms__stream_ask_again(process->stream, now))
        sms__wait(process->stream);
}

void sms__process_arrive_at(struct sms__process *process, uint64_t start)
{
    process->share->active++;
    sms__process_at(process, start, arrive);
    sms__timers_update(process->share);
}
