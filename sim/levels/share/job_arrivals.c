/* Jobs that arrive at a process. A free stream takes a job that arrives; without one the job waits, and the oldest that
 * waits goes to the next free stream, which is in the phase of host steps until then. Invariant: while a stream is
 * idle, no job waits. An arrival that is scheduled is something that the host waits for. */
#include "host.h"
#include "stream.h"

/* `coming`: arrivals that are not among those of the counters yet. */
static bool has_more(const struct sms__process *process, uint64_t coming)
{
    const struct sms__tenant *vm = process->vm;
    const struct sms__jobs *jobs = process->jobs;
    bool listed = vm->arrivals != SMS__LISTED || jobs->arrived < vm->times->count;
    return listed && (!vm->repeat || jobs->taken + jobs->backlog_count + coming < vm->repeat);
}

uint64_t sms__arrival_of_job(const struct sms__tenant *vm, uint64_t job, uint64_t before, gsl_rng *random)
{
    if (vm->arrivals == SMS__LISTED)
        return sms__after_if_any((uint64_t)(vm->start_ps + 0.5), vm->times->ps[job]);
    return sms__after(before, vm->interval_ps * (vm->arrivals == SMS__POISSON ? sms__exponential(random) : 1));
}

/* Schedules the arrival after this one. */
static void expect_next(struct sms__process *process, uint64_t before)
{
    struct sms__jobs *jobs = process->jobs;
    uint64_t next = jobs->coming ? sms__arrival_of_job(process->vm, jobs->arrived, before, jobs->random) : SMS__NEVER;
    sms__engine_at(process->share->engine, jobs->source, next);
}

/* Doubles the ring, with the oldest job first. */
static void grow_backlog(struct sms__arena *arena, struct sms__jobs *jobs)
{
    size_t size = jobs->backlog_size ? 2 * jobs->backlog_size : 16;
    uint64_t *grown = SMS__NEW(arena, uint64_t, size);
    for (size_t i = 0; i < jobs->backlog_count; i++)
        grown[i] = jobs->backlog[(jobs->backlog_first + i) % jobs->backlog_size];
    jobs->backlog = grown;
    jobs->backlog_size = size;
    jobs->backlog_first = 0;
}

static void take(struct sms__stream *stream, uint64_t arrived_ps, uint64_t now)
{
    stream->process->jobs->taken++;
    stream->job.arrived_ps = arrived_ps;
    sms__stream_begin_job(stream, now);
}

static void admit(struct sms__process *process, uint64_t now)
{
    struct sms__jobs *jobs = process->jobs;
    struct sms__stream *stream = jobs->idle;
    if (stream) {
        jobs->idle = stream->next_idle;
        take(stream, now, now);
    } else {
        if (jobs->backlog_count == jobs->backlog_size)
            grow_backlog(process->share->arena, jobs);
        jobs->backlog[(jobs->backlog_first + jobs->backlog_count) % jobs->backlog_size] = now;
        jobs->backlog_count++;
    }
}

static void arrive(void *subject, uint64_t now)
{
    struct sms__process *process = subject;
    struct sms__jobs *jobs = process->jobs;
    const bool rejected = !jobs->idle && jobs->backlog_count == SMS__BACKLOG_MAX;
    jobs->arrived++;
    jobs->coming = has_more(process, !rejected); /* it is none of those to do, so that another comes in its place */
    process->share->pending -= !jobs->coming;
    expect_next(process, now);
    process->vm_record->rejected += rejected;
    if (!rejected)
        admit(process, now);
}

void sms__process_receive_jobs(struct sms__process *process, uint64_t seed, size_t number)
{
    struct sms_share *share = process->share;
    const char *name = sms__print(share->arena, "arrivals of %s", process->vm->name);
    struct sms__jobs *jobs = process->jobs = SMS__NEW(share->arena, struct sms__jobs, 1);
    *jobs = (struct sms__jobs){.source = sms__engine_source(share->engine, SMS__LEVEL_TENANT, arrive, process),
                               .random = sms__stream(share->arena, seed, name, number),
                               .coming = true};
    expect_next(process, (uint64_t)(process->vm->start_ps + 0.5));
    share->pending++;
}

bool sms__process_jobs_are_over(const struct sms__process *process)
{
    return process->jobs->backlog_count == 0 && !has_more(process, 0);
}

void sms__stream_await_job(struct sms__stream *stream, uint64_t now)
{
    struct sms__jobs *jobs = stream->process->jobs;
    stream->step = stream->workload->steps; /* nothing is left to do, as after a job */
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    if (jobs->backlog_count == 0) {
        stream->next_idle = jobs->idle;
        jobs->idle = stream;
        return;
    }
    uint64_t arrived_ps = jobs->backlog[jobs->backlog_first];
    jobs->backlog_first = (jobs->backlog_first + 1) % jobs->backlog_size;
    jobs->backlog_count--;
    take(stream, arrived_ps, now);
}
