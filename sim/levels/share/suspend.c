/* Suspended processes: all that a process holds goes to the host, and comes back to the same instance or another. */
#include "host.h"
#include "stream.h"

static void end_suspend(void *subject, uint64_t now)
{
    struct sms__stream *stream = subject;
    struct sms__process *process = stream->process;
    process->record->moved += (double)process->memory.held;
    sms__process_move_out(process, now);
    sms__stream_enter(stream, SMS_PHASE_SUSPENDED, now);
    sms__tell(process, SMS_EVENT_SUSPENDED);
}

static bool uses_device(const struct sms__process *process)
{
    bool uses = process->kernels > 0;
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next)
        uses |= stream->phase == SMS_PHASE_COPY_IN || stream->phase == SMS_PHASE_COPY_OUT;
    return uses;
}

void sms__process_drain(struct sms__process *process, uint64_t now)
{
    struct sms__stream *stream = process->migrating;
    if (stream && stream->phase == SMS_PHASE_SUSPENDING && !stream->transfer.flow.fluid && !uses_device(process))
        sms__stream_copy(stream, false, (double)process->memory.held, end_suspend, now);
}

void sms__stream_suspend(struct sms__stream *stream, uint64_t now)
{
    sms__share_note_suspend(stream->process->share);
    stream->process->record->suspends++;
    stream->process->migrating = stream;
    sms__stream_enter(stream, SMS_PHASE_SUSPENDING, now);
    sms__process_drain(stream->process, now);
}

/* If the stream was suspended at an allocation, that is granted: its memory has come with the rest. */
static void end_restore(void *subject, uint64_t now)
{
    struct sms__stream *stream = subject;
    struct sms__process *process = stream->process;
    bool allocating = stream->wanted > 0;
    process->record->moved += (double)(process->memory.held - stream->wanted);
    stream->wanted = 0;
    stream->excused = true;
    process->migrating = NULL;
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    sms__process_show(process, now);
    sms__tell(process, SMS_EVENT_RESTORED);
    if (allocating)
        sms__stream_end_step(stream, now);
    else
        process->share->go_on(stream, now);
    if (process->stream->next) {
        sms__process_go_on(process, now);
        sms__changed(process->share);
    }
}

static void copy_back(struct sms__process *process, uint64_t now)
{
    struct sms__stream *stream = process->migrating;
    sms__stream_copy(stream, true, (double)(process->memory.held - stream->wanted), end_restore, now);
}

/* True if the context, and all that the process held and wanted, fit on the instance, and within the mode's limit. */
static bool has_room(const struct sms__instance *instance, const struct sms__process *process)
{
    const uint64_t all = sms__process_context_bytes(process) + process->memory.held + process->migrating->wanted;
    return sms__instance_admits(instance, process) && all <= sms__instance_free(instance) &&
           all <= sms__mode_bytes(instance->mode, instance->type, process->vm);
}

bool sms__process_restore(struct sms__process *process, struct sms__instance *instance, uint64_t now)
{
    struct sms__stream *stream = process->migrating;
    if (!stream || stream->phase != SMS_PHASE_SUSPENDED || !has_room(instance, process))
        return false;
    process->record->migrations += instance != process->previous;
    stream->held += stream->wanted;
    process->memory.held += stream->wanted;
    sms__process_move_in(process, instance, now);
    sms__stream_enter(stream, SMS_PHASE_RESTORING, now);
    sms__process_after(process, process->share->scenario->host.context_ps, copy_back, now);
    return true;
}
