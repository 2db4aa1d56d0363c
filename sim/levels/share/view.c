/* What share policies see of a host, and do to it: smsched/share.h. A policy that breaks its contract ends the run. */
#include "../../model/job.h"
#include "context.h"
#include "host.h"
#include "sm_part.h"
#include "stream.h"
#include "time_slice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_process(const struct sms_share *share, size_t process)
{
    return share &&
           (process < share->processes || sms__share_refuse(share, "share policy %s named process %zu of %zu",
                                                            share->policy.policy->name, process, share->processes));
}

static bool is_device(const struct sms_share *share, size_t device)
{
    return share &&
           (device < share->instances || sms__share_refuse(share, "share policy %s named device %zu of %zu",
                                                           share->policy.policy->name, device, share->instances));
}

uint64_t sms_share_now(const struct sms_share *share) { return share ? share->engine->now : 0; }

void *sms_share_state(const struct sms_share *share) { return share ? share->policy.state : NULL; }

double sms_share_param(const struct sms_share *share, size_t idx)
{
    return share && idx < sms__count_params(share->policy.policy->params) ? share->use->share_param[idx] : NAN;
}

size_t sms_share_processes(const struct sms_share *share) { return share ? share->processes : 0; }

size_t sms_share_devices(const struct sms_share *share) { return share ? share->instances : 0; }

uint64_t sms_share_context(const struct sms_share *share) { return share ? share->context_bytes : 0; }

void *sms_share_alloc(struct sms_share *share, size_t count, size_t size)
{
    return share ? sms__alloc(share->arena, count, size) : NULL;
}

/* The instance that the process is on, or the first one that it may use; NULL of a slot that is free. */
static const struct sms__instance *instance_of(const struct sms__process *process)
{
    const struct sms_share *share = process->share;
    size_t i = 0;
    if (process->instance)
        return process->instance;
    while (i < share->instances && !sms__instance_allows(&share->instance[i], process))
        i++;
    return i < share->instances ? &share->instance[i] : NULL;
}

/* Time alone of a step, as far as it is known before the step ends: of kernels on the SMs of their stream. */
static double step_ps(const struct sms__stream *stream, size_t s)
{
    const struct sms__instance *instance = instance_of(stream->process);
    const struct sms__step *step = &stream->workload->step[s];
    if (!instance)
        return 0;
    if (step->kind != SMS__LAUNCH)
        return sms__measure_step(stream->workload, s, NULL, instance->type);
    return (double)step->times * fmax(sms__instance_kernel_ps(instance, stream, step->kernel), step->amount);
}

/* Time alone of the steps that have not ended. The step under way counts in full. */
static double steps_left_ps(const struct sms__stream *stream)
{
    double left = 0;
    for (size_t s = stream->step; s < stream->workload->steps; s++)
        left += step_ps(stream, s);
    return left;
}

/* Streams run beside each other, so the longest counts. */
static double left_ps(const struct sms__process *process)
{
    double most = steps_left_ps(process->stream);
    for (const struct sms__stream *stream = process->stream->next; stream; stream = stream->next) {
        double left = stream->phase == SMS_PHASE_DONE ? 0 : steps_left_ps(stream);
        most = left > most ? left : most;
    }
    return most;
}

static size_t kernel_of(const struct sms__stream *stream) { return stream->workload->step[stream->step].kernel; }

static double kernel_ps(const struct sms__stream *stream)
{
    const struct sms__instance *instance = stream->process->instance;
    bool has_kernel = stream->phase == SMS_PHASE_KERNEL || stream->phase == SMS_PHASE_LAUNCH;
    return has_kernel && instance ? sms__instance_kernel_ps(instance, stream, kernel_of(stream)) : 0;
}

/* A stream whose jobs arrive keeps the arrival of the last one, which has no deadline any more. */
static bool has_deadline(const struct sms__stream *stream)
{
    return stream->phase != SMS_PHASE_DONE && (stream->job.under_way || !stream->process->jobs);
}

static uint64_t earliest_deadline(const struct sms__process *process)
{
    uint64_t earliest = UINT64_MAX;
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next)
        if (has_deadline(stream) && sms__job_deadline(stream) < earliest)
            earliest = sms__job_deadline(stream);
    return earliest;
}

static uint64_t to_uint(double ps) { return ps < 9.2e18 ? (uint64_t)ps : UINT64_MAX / 2; }

/* The current stream of the process: the one about which the policy is asked, or at whose call the process is
 * suspended, or the first one in the process's phase. */
static const struct sms__stream *current_stream(const struct sms__process *process)
{
    const struct sms__stream *asking = process->share->policy.asking;
    if (asking && asking->process == process)
        return asking;
    if (process->migrating)
        return process->migrating;
    const struct sms__stream *stream = process->stream;
    while (stream->phase != sms__process_phase(process))
        stream = stream->next;
    return stream;
}

/* What all its kernels ask for, at most 1. */
static double core_of(const struct sms__process *process)
{
    double core = 0;
    for (const struct sms__stream *stream = process->stream; stream; stream = stream->next)
        core += stream->kernel.on_device ? fmin(stream->kernel.core / SMS_FULL, 1) : 0;
    return core < 1 ? core : 1;
}

struct sms_process_view sms_share_process(const struct sms_share *share, size_t process)
{
    if (!is_process(share, process))
        return (struct sms_process_view){.name = "", .phase = SMS_PHASE_DONE, .device = -1};
    const struct sms__process *of = &share->process[process];
    const struct sms__stream *stream = current_stream(of);
    const bool asked = stream == share->policy.asking;
    const double alone_ps = kernel_ps(stream);
    return (struct sms_process_view){
        .name = of->arrival.name,
        .cls = stream->workload->cls,
        .phase = stream->phase,
        .paused = of->paused,
        .exclusive = of->exclusive,
        .device = of->instance ? (long)of->instance->idx : -1,
        .context = sms__process_context_bytes(of),
        .held = sms__process_held(of),
        .wanted = stream->wanted,
        .declared = sms__process_declared(of),
        .core = core_of(of),
        .core_next = stream->phase == SMS_PHASE_LAUNCH ? sms__stream_core(stream, kernel_of(stream)) : 0,
        .priority = of->vm->priority,
        .weight = of->vm->weight,
        .arrived_ps = of->arrived_ps,
        .deadline_ps = asked ? sms__job_deadline(stream) : earliest_deadline(of),
        .service_ps = sms__process_service(of, share->engine->now),
        .kernel_ps = to_uint(alone_ps),
        .blocks = alone_ps > 0 ? stream->workload->kernel[kernel_of(stream)].blocks : 0,
        .sms = !of->instance         ? 0
               : of->parts.all.is_on ? of->parts.all.sms
                                     : of->instance->type->sms,
        .kernels = of->kernels,
    };
}

bool sms_share_is_outranked(const struct sms_share *share, const struct sms_process_view *self)
{
    return self && self->device >= 0 && is_device(share, (size_t)self->device) &&
           sms__instance_top_priority(&share->instance[self->device]) > self->priority;
}

uint64_t sms_share_left(const struct sms_share *share, size_t process)
{
    return is_process(share, process) ? to_uint(left_ps(&share->process[process])) : 0;
}

uint64_t sms_share_kernel_ps(const struct sms_share *share, size_t process, size_t sms)
{
    if (!is_process(share, process))
        return 0;
    const struct sms__instance *instance = share->process[process].instance;
    const struct sms__stream *stream = current_stream(&share->process[process]);
    if (sms == 0 || kernel_ps(stream) <= 0 || sms > instance->type->sms)
        return 0;
    return to_uint(sms__instance_kernel_ps_on(instance, stream, kernel_of(stream), sms));
}

struct sms_share_device_view sms_share_device(const struct sms_share *share, size_t device)
{
    if (!is_device(share, device))
        return (struct sms_share_device_view){.name = ""};
    const struct sms__instance *instance = &share->instance[device];
    return (struct sms_share_device_view){
        .name = instance->type->name,
        .memory = instance->type->memory,
        .free = sms__instance_free(instance),
        .declared = instance->declared,
        .processes = instance->processes,
        .sms = instance->type->sms,
        .threads = instance->type->sm.threads,
        .core = instance->core < SMS_FULL ? instance->core / SMS_FULL : 1,
        .kernels = instance->kernels,
    };
}

long sms_share_choose(const struct sms_share *share, size_t process)
{
    return is_process(share, process) ? sms__instance_choose(share, &share->process[process]) : SMS_WAIT;
}

bool sms_share_allows(const struct sms_share *share, size_t process, size_t device)
{
    return is_process(share, process) && is_device(share, device) &&
           sms__instance_allows(&share->instance[device], &share->process[process]);
}

bool sms_share_admits(const struct sms_share *share, size_t process, size_t device)
{
    return is_process(share, process) && is_device(share, device) &&
           sms__instance_admits(&share->instance[device], &share->process[process]);
}

/* In a function of the policy that may change nothing, ends the run and returns false. */
static bool may_act(struct sms_share *share, const char *what)
{
    return !share->policy.pure_call || sms__share_refuse(share, "share policy %s called %s in its function %s",
                                                         share->policy.policy->name, what, share->policy.pure_call);
}

void sms_share_pause(struct sms_share *share, size_t process)
{
    if (is_process(share, process) && may_act(share, "sms_share_pause"))
        sms__process_set_paused(&share->process[process], true, share->engine->now);
}

void sms_share_resume(struct sms_share *share, size_t process)
{
    if (is_process(share, process) && may_act(share, "sms_share_resume"))
        sms__process_set_paused(&share->process[process], false, share->engine->now);
}

/* A policy that keeps processes to SMs must say so before the run, because kernels on all SMs are simulated faster. */
static bool may_repartition(const struct sms_share *share)
{
    const struct sms_share_policy *policy = share->policy.policy;
    return policy->repartitions ||
           sms__share_refuse(share, "share policy %s called sms_share_use_sms and does not declare repartitions",
                             policy->name);
}

static void change_sms(struct sms__process *process, const uint64_t *sms, uint64_t now)
{
    sms__part_change(process, sms);
    sms__process_show(process, now);
    sms__context_offer(sms__context_of(process->instance, process), now);
    sms__slicer_wake(process->instance, now);
    sms__changed(process->share);
}

static void change_sms_later(void *subject, uint64_t now)
{
    struct sms__process *process = subject;
    if (process->parts.changes && process->instance) /* it may have left meanwhile */
        change_sms(process, process->parts.next, now);
    process->parts.changes = false;
}

/* A policy may be told of an event while a device looks for room for blocks of the process. So the SMs of a process
 * with a kernel under way change at the end of the instant. */
static void repartition(struct sms__process *process, const uint64_t *sms)
{
    struct sms_share *share = process->share;
    process->parts.changes = process->kernels > 0;
    if (!process->parts.changes) {
        change_sms(process, sms, share->engine->now);
        return;
    }
    memcpy(process->parts.next, sms, (process->instance->type->sms + 63) / 64 * sizeof *sms);
    process->parts.change.act = change_sms_later;
    process->parts.change.subject = process;
    sms__engine_defer(share->engine, &process->parts.change);
}

bool sms_share_use_sms(struct sms_share *share, size_t process, const uint64_t *sms)
{
    if (!is_process(share, process) || !sms || !may_act(share, "sms_share_use_sms") || !may_repartition(share) ||
        !share->process[process].instance)
        return false;
    repartition(&share->process[process], sms);
    return true;
}

double sms_share_random(struct sms_share *share)
{
    if (!share)
        return 0;
    if (!share->policy.random)
        share->policy.random = sms__stream(share->arena, share->spec->seed, "share policy", share->setup.number);
    return gsl_rng_uniform(share->policy.random);
}

bool sms_share_restore(struct sms_share *share, size_t process, size_t device)
{
    return is_process(share, process) && is_device(share, device) && may_act(share, "sms_share_restore") &&
           sms__process_restore(&share->process[process], &share->instance[device], share->engine->now);
}

void sms_share_fail(struct sms_share *share, size_t process)
{
    if (is_process(share, process) && may_act(share, "sms_share_fail"))
        sms__process_fail(&share->process[process], share->engine->now);
}

void sms_share_say(struct sms_share *share, size_t process, const char *format, ...)
{
    if (!is_process(share, process) || !format)
        return;
    struct sms__run_observer *observer = share->spec->observer;
    uint64_t now = share->engine->now;
    char text[256];
    va_list args;
    if (!sms__explains(observer, SMS_RUN_MESSAGE, now))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct sms_message message = {now, share->process[process].stream->name, text};
    sms__observe(observer, (struct sms_run_event){SMS_RUN_MESSAGE, .message = &message});
}

void sms_share_wake(struct sms_share *share, uint64_t delay_ps, size_t tag)
{
    if (!share || !may_act(share, "sms_share_wake"))
        return;
    uint64_t now = share->engine->now;
    sms__timers_add(share, delay_ps > SMS__NEVER - 1 - now ? SMS__NEVER - 1 : now + delay_ps, tag);
}
