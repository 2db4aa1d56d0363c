/* VMs of the block level. A stream that has ended its job takes the oldest job that waits. */
#include "vm_feed.h"

static void next_step(struct sms__vm_stream *stream, uint64_t now);
static void start_job(struct sms__vm_stream *stream, uint64_t arrived_ps, uint64_t now);

static void observe_kernel(const struct sms__vm_stream *stream, uint64_t now)
{
    const struct sms__feed *feed = stream->feed;
    const struct sms__launch *launch = &stream->launch;
    const struct sms__blocks_setup *device = sms__blocks_setup(feed->device);
    if (!sms__observes(device->observer, SMS_RUN_KERNEL))
        return;
    struct sms_kernel_run run = {
        device->idx, (size_t)(stream - feed->stream), launch->vm, launch->kernel->name, launch->launched_ps,
        now,         launch->blocks - launch->done};
    sms__observe(device->observer, (struct sms_run_event){SMS_RUN_KERNEL, .kernel = &run});
}

static void launch_ended(void *subject, uint64_t now)
{
    struct sms__vm_stream *stream = subject;
    observe_kernel(stream, now);
    sms__record_kernel(sms__blocks_setup(stream->feed->device)->run,
                       (size_t)(stream->feed->vm - stream->feed->scenario->vm), now);
    stream->done = 0;
    stream->times++;
    next_step(stream, now);
}

static void step_ended(void *subject, uint64_t now)
{
    struct sms__vm_stream *stream = subject;
    stream->done = 0;
    stream->step++;
    next_step(stream, now);
}

static uint64_t deadline_of(const struct sms__vm_stream *stream)
{
    double allowed = stream->feed->vm->deadline_ps;
    return allowed > 0 ? sms__after(stream->arrived_ps, allowed) : UINT64_MAX;
}

static void launch(struct sms__vm_stream *stream, size_t k, uint64_t now)
{
    struct sms__feed *feed = stream->feed;
    const struct sms__blocks_setup *device = sms__blocks_setup(feed->device);
    struct sms__record *run = device->run;
    size_t kind = run->first_kernel[feed->vm - feed->scenario->vm] + k;
    const struct sms__kernel *kernel = &feed->vm->workload->kernel[k];
    stream->launch = (struct sms__launch){
        .fit = &feed->vm->fit[device->idx][k],
        .kernel = kernel,
        .vm = feed->vm->name,
        .record = &run->kernel[kind],
        .span = &run->kernel[kind].span[run->model[device->idx]],
        .stream = feed->jitter[k],
        .ended = launch_ended,
        .subject = stream,
        .kernel_type = kind,
        .tenant = feed->tenant,
        .deadline_ps = deadline_of(stream),
        .priority = feed->vm->priority,
        .pending.cost_ps = stream->done > 0 ? 0
                                            : sms__launch_cost(&feed->vm->workload->step[stream->step], stream->times,
                                                               feed->vm->fit[device->idx][k].launch_ps),
        .blocks = kernel->blocks,
        .done = sms__blocks_done(kernel, stream->done),
    };
    sms__blocks_launch(feed->device, &stream->launch, now);
}

static void observe_miss(const struct sms__vm_stream *stream, uint64_t now)
{
    const struct sms__feed *feed = stream->feed;
    const struct sms__blocks_setup *device = sms__blocks_setup(feed->device);
    if (!sms__observes(device->observer, SMS_RUN_MISS))
        return;
    struct sms_miss miss = {(size_t)(feed->vm - feed->scenario->vm),
                            feed->vm->name,
                            device->idx,
                            stream->arrived_ps,
                            now,
                            feed->vm->deadline_ps};
    sms__observe(device->observer, (struct sms_run_event){SMS_RUN_MISS, .miss = &miss});
}

static void end_job(struct sms__vm_stream *stream, uint64_t now)
{
    struct sms__feed *feed = stream->feed;
    if (stream->is_rest)
        sms__record_rest_of_job(feed->record, now);
    else if (sms__record_job(feed->record, stream->arrived_ps, feed->vm->deadline_ps, now))
        observe_miss(stream, now);
    stream->in_job = stream->is_rest = false;
    if (++feed->ended == feed->vm->repeat && --*feed->running == 0)
        feed->engine->stopped = true;
}

/* Gives a free stream the oldest job that waits, or without arrivals the next one. */
static void take_job(struct sms__vm_stream *stream, uint64_t now)
{
    struct sms__feed *feed = stream->feed;
    if (feed->vm->arrivals != SMS__CLOSED)
        sms__jobs_serve(&feed->jobs, &stream->taker, now);
    else if (!feed->vm->repeat || feed->started < feed->vm->repeat)
        start_job(stream, now, now);
}

/* Begins a step. Returns true if it has ended at once: the block level simulates neither memory nor streams that wait
 * for each other. */
static bool begin_step(struct sms__vm_stream *stream, const struct sms__step *step, uint64_t now)
{
    const struct sms__feed *feed = stream->feed;
    struct sms__link *link = step->kind == SMS__COPY_IN ? feed->in : feed->out;
    switch (step->kind) {
    case SMS__LAUNCH:
        if (stream->times >= step->times)
            return true;
        launch(stream, step->kernel, now);
        return false;
    case SMS__HOST:
        if (step->amount < 1)
            return true;
        sms__engine_at(feed->engine, stream->source, sms__after(now, step->amount * (1 - stream->done)));
        return false;
    case SMS__COPY_IN:
    case SMS__COPY_OUT:
        if (link->bytes_per_ps <= 0 || step->amount <= 0)
            return true;
        sms__link_copy(link, &stream->copy, step->amount * (1 - stream->done), now);
        return false;
    default:
        return true;
    }
}

/* Begins the next step that takes time, or ends the job. */
static void next_step(struct sms__vm_stream *stream, uint64_t now)
{
    const struct sms__workload *workload = stream->feed->vm->workload;
    for (; stream->step < workload->steps; stream->step++) {
        if (!begin_step(stream, &workload->step[stream->step], now))
            return;
        stream->times = 0;
    }
    end_job(stream, now);
    take_job(stream, now);
}

static void add_partial(struct sms__vm_stream *stream, int sign)
{
    const struct sms__workload *workload = stream->feed->vm->workload;
    uint64_t parts = 0;
    if (workload->step[stream->step].kind == SMS__LAUNCH) {
        parts = sms__launch_parts(&stream->launch);
        stream->launch.record->launch_parts += sign * (sms__integral)parts;
    }
    parts = sms__job_parts(workload, stream->step, stream->times, parts);
    stream->feed->record->job_parts += sign * (sms__integral)parts;
}

static void start_job(struct sms__vm_stream *stream, uint64_t arrived_ps, uint64_t now)
{
    stream->arrived_ps = arrived_ps;
    stream->in_job = true;
    stream->step = stream->begins.step;
    stream->times = stream->begins.times;
    stream->done = stream->begins.done;
    stream->is_rest = sms__is_within(&stream->begins);
    stream->begins = (struct sms__phase){0};
    stream->feed->started++;
    next_step(stream, now);
    if (stream->is_rest)
        add_partial(stream, -1);
}

static void take_arrived(void *stream, uint64_t arrived_ps, uint64_t now) { start_job(stream, arrived_ps, now); }

/* The end of a host step, or of the time until the stream begins. */
static void time_is_over(void *subject, uint64_t now)
{
    struct sms__vm_stream *stream = subject;
    if (stream->in_job)
        step_ended(stream, now);
    else
        take_job(stream, now);
}

/* Fires at the VM's start, and then at each arrival of a job. */
static void arrive(void *subject, uint64_t now)
{
    struct sms__feed *feed = subject;
    if (feed->vm->arrivals != SMS__CLOSED) {
        sms__jobs_arrive(&feed->jobs, now);
        return;
    }
    for (size_t i = 0; i < feed->vm->streams; i++) {
        struct sms__vm_stream *stream = &feed->stream[i];
        if (stream->begins.delay_ps > 0)
            sms__engine_at(feed->engine, stream->source, sms__after(now, stream->begins.delay_ps));
        else
            take_job(stream, now);
    }
}

/* Each stream draws how far it is in a job. Alone, a VM begins its first. */
static void draw_phases(struct sms__feed *feed, struct sms__arena *arena, const struct sms__run_spec *spec,
                        size_t device)
{
    const struct sms__tenant *vm = feed->vm;
    const char *name = sms__print(arena, "phase of %s", vm->name);
    gsl_rng *random = sms__stream(arena, spec->seed, name, device);
    for (size_t i = 0; i < vm->streams; i++)
        feed->stream[i].begins = sms__phase_at(spec->scenario, vm->workload, vm->fit[device],
                                               spec->scenario->device[device], gsl_rng_uniform(random));
}

void sms__feed_init(struct sms__feed *feed, struct sms__arena *arena, const struct sms__run_spec *spec, size_t vm,
                    size_t device)
{
    const struct sms__workload *workload = feed->vm->workload;
    feed->record = &spec->record->vm[vm];
    feed->stream = SMS__NEW(arena, struct sms__vm_stream, feed->vm->streams);
    feed->jitter = SMS__NEW(arena, gsl_rng *, workload->kernels);
    for (size_t k = 0; k < workload->kernels; k++) {
        const char *name = sms__print(arena, "blocks of %s/%s", feed->vm->name, workload->kernel[k].name);
        feed->jitter[k] = sms__stream(arena, spec->seed, name, device);
    }
    for (size_t i = 0; i < feed->vm->streams; i++) {
        struct sms__vm_stream *stream = &feed->stream[i];
        stream->feed = feed;
        stream->taker = (struct sms__taker){stream, i + 1 < feed->vm->streams ? &stream[1].taker : NULL};
        stream->copy.done = step_ended;
        stream->copy.subject = stream;
        stream->source = sms__engine_source(feed->engine, SMS__LEVEL_TENANT, time_is_over, stream);
    }
    if (feed->vm->draws_phase && spec->only_vm < 0)
        draw_phases(feed, arena, spec, device);
    feed->source = sms__engine_source(feed->engine, SMS__LEVEL_TENANT, arrive, feed);
    if (feed->vm->arrivals == SMS__CLOSED) {
        sms__engine_at(feed->engine, feed->source, (uint64_t)(feed->vm->start_ps + 0.5));
        return;
    }
    feed->jobs = (struct sms__jobs){.vm = feed->vm,
                                    .record = feed->record,
                                    .engine = feed->engine,
                                    .arena = arena,
                                    .source = feed->source,
                                    .take = take_arrived,
                                    .idle = &feed->stream->taker};
    sms__jobs_init(&feed->jobs, spec->seed, device);
    sms__jobs_start(&feed->jobs);
}

void sms__feed_add_partial(struct sms__feed *feed, int sign)
{
    for (size_t i = 0; i < feed->vm->streams; i++)
        if (feed->stream[i].in_job)
            add_partial(&feed->stream[i], sign);
}
