/* Jobs that arrive at a process. A stream without a job is in the phase of host steps. */
#include "host.h"
#include "stream.h"

static void take(void *subject, uint64_t arrived_ps, uint64_t now)
{
    struct sms__stream *stream = subject;
    stream->job.arrived_ps = arrived_ps;
    sms__stream_begin_job(stream, now);
}

/* An arrival that is scheduled is something that the host waits for. */
static void arrive(void *subject, uint64_t now)
{
    struct sms__process *process = subject;
    process->share->pending--;
    sms__jobs_arrive(process->jobs, now);
    process->share->pending += process->jobs->coming;
}

void sms__process_receive_jobs(struct sms__process *process, uint64_t seed, size_t number)
{
    struct sms_share *share = process->share;
    struct sms__jobs *jobs = process->jobs = SMS__NEW(share->arena, struct sms__jobs, 1);
    *jobs = (struct sms__jobs){.vm = process->vm,
                               .record = process->vm_record,
                               .engine = share->engine,
                               .arena = share->arena,
                               .source = sms__engine_source(share->engine, SMS__LEVEL_TENANT, arrive, process),
                               .take = take};
    for (struct sms__stream *stream = process->stream; stream; stream = stream->next)
        stream->taker.stream = stream;
    sms__jobs_init(jobs, seed, number);
    sms__jobs_start(jobs);
    share->pending++;
}

void sms__stream_await_job(struct sms__stream *stream, uint64_t now)
{
    stream->step = stream->workload->steps; /* nothing is left to do, as after a job */
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    sms__jobs_serve(stream->process->jobs, &stream->taker, now);
}
