/* Arrivals of jobs, and those that wait. Invariant: while a stream is idle, no job waits. */
#include "jobs.h"

/* `coming`: arrivals that are not among those of the counters yet. */
static bool has_more(const struct sms__jobs *jobs, uint64_t coming)
{
    const struct sms__tenant *vm = jobs->vm;
    bool listed = vm->arrivals != SMS__LISTED || jobs->arrived < vm->times->count;
    return listed && (!vm->repeat || jobs->taken + jobs->backlog_count + coming < vm->repeat);
}

static uint64_t next_arrival(const struct sms__jobs *jobs, uint64_t now)
{
    const struct sms__tenant *vm = jobs->vm;
    if (vm->arrivals == SMS__LISTED)
        return sms__after_if_any((uint64_t)(vm->start_ps + 0.5), vm->times->ps[jobs->arrived]);
    return sms__after(now, vm->interval_ps * (vm->arrivals == SMS__POISSON ? sms__exponential(jobs->random) : 1));
}

void sms__jobs_init(struct sms__jobs *jobs, uint64_t seed, size_t device)
{
    jobs->random = sms__stream(jobs->arena, seed, sms__print(jobs->arena, "arrivals of %s", jobs->vm->name), device);
}

void sms__jobs_start(struct sms__jobs *jobs)
{
    jobs->coming = true;
    sms__engine_at(jobs->engine, jobs->source, next_arrival(jobs, (uint64_t)(jobs->vm->start_ps + 0.5)));
}

/* Doubles the ring, with the oldest job first. */
static void grow_backlog(struct sms__jobs *jobs)
{
    size_t size = jobs->backlog_size ? 2 * jobs->backlog_size : 16;
    uint64_t *grown = SMS__NEW(jobs->arena, uint64_t, size);
    for (size_t i = 0; i < jobs->backlog_count; i++)
        grown[i] = jobs->backlog[(jobs->backlog_first + i) % jobs->backlog_size];
    jobs->backlog = grown;
    jobs->backlog_size = size;
    jobs->backlog_first = 0;
}

static void take(struct sms__jobs *jobs, struct sms__taker *taker, uint64_t arrived_ps, uint64_t now)
{
    jobs->taken++;
    jobs->take(taker->stream, arrived_ps, now);
}

static void admit(struct sms__jobs *jobs, uint64_t now)
{
    struct sms__taker *taker = jobs->idle;
    if (taker) {
        jobs->idle = taker->next_idle;
        take(jobs, taker, now, now);
    } else if (jobs->backlog_count == SMS__BACKLOG_MAX) {
        jobs->record->rejected++;
    } else {
        if (jobs->backlog_count == jobs->backlog_size)
            grow_backlog(jobs);
        jobs->backlog[(jobs->backlog_first + jobs->backlog_count) % jobs->backlog_size] = now;
        jobs->backlog_count++;
    }
}

void sms__jobs_arrive(struct sms__jobs *jobs, uint64_t now)
{
    jobs->arrived++;
    jobs->coming = has_more(jobs, 1);
    sms__engine_at(jobs->engine, jobs->source, jobs->coming ? next_arrival(jobs, now) : SMS__NEVER);
    admit(jobs, now);
}

void sms__jobs_serve(struct sms__jobs *jobs, struct sms__taker *taker, uint64_t now)
{
    if (jobs->backlog_count == 0) {
        taker->next_idle = jobs->idle;
        jobs->idle = taker;
        return;
    }
    uint64_t arrived_ps = jobs->backlog[jobs->backlog_first];
    jobs->backlog_first = (jobs->backlog_first + 1) % jobs->backlog_size;
    jobs->backlog_count--;
    take(jobs, taker, arrived_ps, now);
}

void sms__jobs_stop(struct sms__jobs *jobs)
{
    jobs->coming = false;
    jobs->backlog_count = 0;
    sms__engine_at(jobs->engine, jobs->source, SMS__NEVER);
}

bool sms__jobs_are_over(const struct sms__jobs *jobs) { return jobs->backlog_count == 0 && !has_more(jobs, 0); }
