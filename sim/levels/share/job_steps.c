/* Jobs: what a stream has done of the one under way, and when it is due. */
#include "host.h"
#include "stream.h"

void sms__job_use_device(struct sms__stream *stream, bool uses, uint64_t now)
{
    const struct sms__host_setup *setup = &stream->process->share->setup;
    if (stream->job.uses_device == uses)
        return;
    stream->job.uses_device = uses;
    if (setup->job)
        setup->job(setup->subject, stream, uses, now);
}

void sms__job_add_partial(struct sms__stream *stream, int sign, uint64_t parts)
{
    if (!stream->job.under_way)
        return;
    uint64_t done = sms__job_parts(stream->workload, stream->step, stream->times, parts);
    stream->process->vm_record->job_parts += sign * (sms__integral)done;
    stream->job.parts_before = sign < 0 ? done : stream->job.parts_before;
}

void sms__job_give_up(struct sms__stream *stream)
{
    if (stream->job.under_way)
        stream->process->vm_record->job_parts += stream->job.parts_before;
    stream->job.under_way = false;
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
