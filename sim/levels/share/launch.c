/* Kernels of streams: into a context, and out of it. */
#include "stream.h"
#include "time_slice.h"

#include <math.h>
#include <string.h>

/* What a kernel asks of the device, parts of SMS_FULL: one of blocks asks for all of it. */
static double core_of(const struct sms__stream *stream, size_t k)
{
    return stream->workload->kernel[k].whole ? sms__instance_fit(stream->process->instance, stream, k)->core : SMS_FULL;
}

double sms__stream_core(const struct sms__stream *stream, size_t kernel)
{
    double core = core_of(stream, kernel);
    return core < SMS_FULL ? core / SMS_FULL : 1;
}

static struct sms__context *context_of(const struct sms__stream *stream)
{
    return sms__context_of(stream->process->instance, stream->process);
}

/* Blocks of the stream's kernel that were done before the run began. */
static uint64_t blocks_before(const struct sms__stream *stream)
{
    return sms__blocks_done(stream->kernel.launch.kernel, stream->done);
}

static void observe_kernel(const struct sms__stream *stream, uint64_t now)
{
    const struct sms__process *process = stream->process;
    struct sms__run_observer *observer = process->share->spec->observer;
    if (!sms__observes(observer, SMS_RUN_KERNEL))
        return;
    const struct sms_kernel_run run = {.device = process->share->setup.first_gpu + process->instance->gpu->idx,
                                       .stream = stream->idx,
                                       .vm = process->arrival.name,
                                       .kernel = stream->kernel.launch.kernel->name,
                                       .launch_ps = stream->kernel.launched_ps,
                                       .end_ps = now,
                                       .blocks = stream->kernel.launch.blocks - blocks_before(stream)};
    sms__observe(observer, (struct sms_run_event){SMS_RUN_KERNEL, .kernel = &run});
}

static void leave_device(struct sms__stream *stream, uint64_t now)
{
    struct sms__process *process = stream->process;
    stream->kernel.on_device = false;
    process->kernels--;
    if (!process->record)
        return;
    sms__instance_kernel(process->instance, stream->kernel.core, -1, now);
}

/* The last launch of a kernel has ended. Pieces have left its latency to this. */
static void count_kernel(struct sms__stream *stream, uint64_t now)
{
    struct sms__process *process = stream->process;
    observe_kernel(stream, now);
    sms__record_kernel(process->share->spec->record, process->arrival.vm, now);
    if (stream->cut && stream->done <= 0)
        sms__histogram_add(&stream->kernel.launch.record->latency, now - stream->kernel.launched_ps);
    stream->times++;
    stream->done = 0;
    stream->cut = 0;
    stream->excused = false;
}

static void end_kernel(struct sms__stream *stream, uint64_t now)
{
    struct sms__process *process = stream->process;
    const bool goes_on = sms__launch_goes_on(&stream->kernel.launch);
    stream->cut = goes_on ? stream->kernel.launch.blocks : stream->cut;
    if (!goes_on)
        count_kernel(stream, now);
    sms__slicer_end_kernel(stream->kernel.context);
    leave_device(stream, now);
    sms__stream_enter(stream, SMS_PHASE_HOST, now);
    if (!goes_on)
        sms__tell(process, SMS_EVENT_KERNEL_ENDED);
    if (process->doomed && process->kernels == 0)
        sms__process_fail(process, now);
    else
        process->share->go_on(stream, now);
}

/* The block before which the launch of the kernel from block `from` ends. */
static uint64_t end_of_piece(const struct sms__stream *stream, size_t k, uint64_t from)
{
    uint64_t blocks = stream->workload->kernel[k].blocks;
    if (stream->piece_ps == 0 || stream->workload->kernel[k].whole)
        return blocks;
    double alone = sms__instance_kernel_ps(stream->process->instance, stream, k);
    double most = fmax(1, floor((double)stream->piece_ps / alone * (double)blocks + 1e-9));
    return most < (double)(blocks - from) ? from + (uint64_t)most : blocks;
}

/* The host has called for the launch, before now if it was ahead of the kernels, and goes on if it does not wait. */
static void end_call(struct sms__stream *stream, uint64_t now)
{
    const struct sms__step *step = &stream->workload->step[stream->step];
    const uint64_t called = stream->host_ps ? stream->host_ps : now;
    if (sms__is_call(step, stream->times) && !stream->cut)
        stream->host_ps = step->is_async ? sms__after(called, step->amount) : 0;
}

/* Sets the launch of the stream's kernel k. It is large, so it is set in place. */
static void set_launch(struct sms__stream *stream, size_t k)
{
    const struct sms__process *process = stream->process;
    const struct sms_share *share = process->share;
    struct sms__record *record = share->spec->record;
    size_t of_vm = stream->first_kernel + k;
    const struct sms__kernel *kernel = &process->vm->workload->kernel[of_vm];
    const struct sms__footprint *fit = sms__instance_fit(process->instance, stream, k);
    if (stream->kernel.fit && kernel->whole)
        fit = memcpy(stream->kernel.fit, fit, sizeof *fit);
    struct sms__kernel_record *own = &record->kernel[record->first_kernel[process->arrival.vm] + of_vm];
    const uint64_t from = stream->cut ? stream->cut : sms__blocks_done(kernel, stream->done);
    const uint64_t times = stream->cut && !stream->times ? 1 : stream->times; /* a piece is no first launch */
    const bool goes_on = stream->done > 0 && !stream->cut;
    const bool pays = !goes_on && sms__is_call(&stream->workload->step[stream->step], times);
    stream->kernel.launch = (struct sms__launch){
        .fit = fit,
        .pending.cost_ps = pays ? fit->launch_ps : 0,
        .kernel = kernel,
        .vm = process->arrival.name,
        .record = own,
        .span = &own->span[record->model[share->setup.type[process->instance->gpu->idx]]],
        .stream = process->jitter[of_vm],
        .priority = sms__stream_priority(process->vm, stream->idx),
        .kernel_type = process->first_kernel_type + of_vm,
        .blocks = end_of_piece(stream, k, from),
        .done = from,
    };
}

static void set_kernel(struct sms__stream *stream, size_t k, uint64_t now)
{
    struct sms__stream_kernel *kernel = &stream->kernel;
    kernel->idx = k;
    kernel->on_device = true;
    kernel->launched_ps = stream->cut ? kernel->launched_ps : now;
    kernel->deadline_ps = sms__job_deadline(stream);
    kernel->done = stream->done;
    kernel->core = core_of(stream, k);
    kernel->overhead = stream->process->share->policy.policy->intercepts ? stream->workload->overhead : 0;
    kernel->ended = end_kernel;
    kernel->stream = stream;
    set_launch(stream, k);
    end_call(stream, now);
}

void sms__stream_launch(struct sms__stream *stream, uint64_t now)
{
    struct sms__process *process = stream->process;
    struct sms__context *context = context_of(stream);
    size_t k = stream->workload->step[stream->step].kernel;
    set_kernel(stream, k, now);
    process->kernels++;
    sms__stream_enter(stream, SMS_PHASE_KERNEL, now);
    if (process->record)
        sms__instance_kernel(process->instance, stream->kernel.core, 1, now);
    sms__context_launch(context, &stream->kernel, now);
    if (stream->done > 0 && !stream->cut)
        sms__context_add_partial(context, &stream->kernel, -1, now);
    sms__slicer_add(context, now);
    sms__tell(process, SMS_EVENT_LAUNCHED);
}
