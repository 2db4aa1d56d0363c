/* Contexts. The clock of a context's engine stands still while the context is not active, so that its blocks neither
 * run nor end. Coarse kernels need no such clock: they are told to stand still. */
#include "context.h"
#include "../run_setup.h"
#include "sm_part.h"

/* The time on the clock of the context's engine. */
static uint64_t inner_now(const struct sms__context *context, uint64_t now)
{
    return context->active ? now - context->offset : context->engine->now;
}

static struct sms_share *share_of(const struct sms__context *context) { return context->instance->share; }

/* Coarse kernels set the source themselves. What the context's engine has deferred is due at the end of the instant, by
 * `flush`: others may still stop the context. */
static void schedule(struct sms__context *context)
{
    if (context->coarse.fluid.count)
        return;
    uint64_t next = sms__engine_next(context->engine);
    bool comes =
        context->active && !context->flush.queued && next != SMS__NEVER && next <= SMS__NEVER - context->offset;
    sms__engine_at(share_of(context)->engine, context->source, comes ? next + context->offset : SMS__NEVER);
}

static void check_drained(struct sms__context *context, uint64_t now)
{
    if (context->on_hold && !sms__context_runs(context))
        context->drained(context, now);
}

static void run_blocks(struct sms__context *context, uint64_t now, int (*advance)(struct sms__engine *, uint64_t))
{
    struct sms_share *share = share_of(context);
    int code = context->active ? advance(context->engine, inner_now(context, now)) : SMS_OK;
    if (code && !share->code)
        share->code = code;
    if (share->code || context->engine->stopped)
        share->engine->stopped = true;
    schedule(context);
    check_drained(context, now);
}

static void flush(void *subject, uint64_t now) { run_blocks(subject, now, sms__engine_advance); }

/* Lets the context's engine do what has come up at this instant. The run's does it anyway. */
static void flush_later(struct sms__context *context)
{
    if (!share_of(context)->setup.vms)
        sms__engine_defer(share_of(context)->engine, &context->flush);
}

/* Kernels that the host launches at this instant wait when the places of blocks that end are filled. */
static void fire(void *subject, uint64_t now)
{
    struct sms__context *context = subject;
    if (context->coarse.fluid.count) {
        sms__fluid_fire(&context->coarse.fluid, now);
    } else if (sms__engine_next_other(share_of(context)->engine, context->source) > now) {
        run_blocks(context, now, sms__engine_advance);
    } else {
        flush_later(context);
        run_blocks(context, now, sms__engine_advance_open);
    }
}

static void add_vm(const struct sms__context *context, size_t vm, size_t first, const struct sms__footprint **types)
{
    const struct sms__footprint *fits = sms__instance_fits(context->instance, vm);
    for (size_t k = 0; fits && k < share_of(context)->setup.vm[vm].workload->kernels; k++)
        types[first + k] = &fits[k];
}

static void add_stream(const struct sms__context *context, const struct sms__stream *stream,
                       const struct sms__footprint **types)
{
    const struct sms__process *process = stream->process;
    size_t first = share_of(context)->spec->record->first_kernel[process->idx] + stream->first_kernel;
    if (!process->takes_part || !sms__instance_fits(context->instance, process->arrival.vm) ||
        (context->owner && context->owner != process))
        return;
    for (size_t k = 0; k < stream->workload->kernels; k++)
        types[first + k] = sms__instance_fit(context->instance, stream, k);
}

/* The kernel types that may run in the context, as they are on its device. A slot may get any VM. */
static const struct sms__footprint *const *find_types(const struct sms__context *context)
{
    const struct sms_share *share = share_of(context);
    const size_t *first = share->spec->record->first_kernel;
    const struct sms__footprint **types = SMS__NEW(share->arena, const struct sms__footprint *, share->kernel_types);
    size_t vms = share->setup.slots || share->setup.vms ? share->scenario->vms : 0;
    for (size_t start = 0; vms && start < share->kernel_types; start += first[vms])
        for (size_t v = 0; v < vms; v++)
            if (share->setup.slots || sms__may_be_on(&share->setup.vm[v], context->instance->gpu->idx))
                add_vm(context, v, start + first[v], types);
    for (size_t s = 0; !vms && s < share->streams; s++)
        add_stream(context, &share->stream[s], types);
    return types;
}

static void init_engine(struct sms__context *context)
{
    struct sms_share *share = share_of(context);
    const struct sms__device *type = context->instance->type;
    const size_t sources[SMS__LEVELS] = {[SMS__LEVEL_BLOCK] = sms__block_sources(share->spec, type)};
    context->engine = share->setup.vms ? share->engine : SMS__NEW(share->arena, struct sms__engine, 1);
    if (!share->setup.vms)
        sms__run_engine_init(context->engine, share->arena, sources, share->spec);
}

/* Kernels that may use all SMs wait in one dispatch queue, whatever their process. Each part has a queue of its own. */
static size_t queue_of(const struct sms__stream *stream)
{
    const struct sms__sm_part *part = stream->part;
    return part->is_on && part->sms < stream->process->instance->type->sms ? 1 + part->allowed.owner : 0;
}

/* Called for the first kernel that runs block by block. The clock of a context with an owner is not that of the run, so
 * its blocks have no observer. Nor have those of an instance, whose SMs have no numbers of the GPU's. */
static void add_blocks(struct sms__context *context)
{
    struct sms_share *share = share_of(context);
    const struct sms__instance *instance = context->instance;
    const struct sms__footprint *const *types = find_types(context);
    init_engine(context);
    struct sms__blocks_setup setup =
        sms__device_blocks(share->spec, instance->type, &instance->contention, types, share->kernel_types);
    setup.engine = context->engine;
    setup.record = instance->gpu->record;
    setup.idx = share->setup.first_gpu + instance->gpu->idx;
    setup.first_sm = instance->gpu->first_sm;
    setup.allowed = sms__parts_of(share);
    setup.tenants =
        share->slot ? instance->processes_most : sms__instance_tenants(instance, 0, sms__among(share->spec)->vms);
    setup.apart = instance->mode->form->reserves;
    setup.owners = 1 + (share->limits_sms ? share->processes + share->streams : 0);
    setup.observer =
        context->owner || sms__whole_device(instance->type) != instance->type ? NULL : share->spec->observer;
    context->blocks = sms__blocks_new(share->arena, &setup);
    context->has_blocks = true;
}

static void init_context(struct sms__context *context, struct sms__instance *instance, struct sms__process *owner)
{
    struct sms_share *share = instance->share;
    const struct sms__device *type = instance->type;
    *context = (struct sms__context){.instance = instance, .owner = owner, .active = owner == NULL};
    if (!share->setup.vms) /* theirs are on the engine of the run */
        context->source = sms__engine_source(share->engine, SMS__LEVEL_BLOCK, fire, context);
    context->last_held = &context->held;
    context->flush = (struct sms__action){.act = flush, .subject = context};
    context->coarse = (struct sms__coarse_kernels){
        .rater = {.contention = share->scenario->contention.model,
                  .view = &instance->contention,
                  .arena = share->arena,
                  .record = share->spec->record,
                  .launch_wait_ps = instance->mode->launch_wait_ps,
                  .limited = type->limit_w > type->idle_w ? type : NULL},
        .mixes = share->mixes,
        .record = instance->gpu->record,
        .type = instance->type,
        .next = instance->gpu->coarse,
        .on_gpu = &instance->gpu->coarse,
    };
    instance->gpu->coarse = &context->coarse;
    sms__coarse_kernels_init(&context->coarse, share->engine, context->source, context->active);
}

void sms__contexts_begin_blocks(struct sms_share *share)
{
    size_t bytes = 0;
    for (size_t i = 0; share->setup.vms && i < share->instances; i++)
        bytes += sms__blocks_bytes(share->instance[i].type);
    sms__arena_expect(share->arena, bytes);
    for (size_t i = 0; share->setup.vms && i < share->instances; i++)
        add_blocks(share->instance[i].context);
}

void sms__contexts_init(struct sms__instance *instance)
{
    struct sms_share *share = instance->share;
    bool sliced = sms__is_sliced(instance);
    instance->contexts = sms__contexts_of(&share->setup, instance->idx, share->processes);
    instance->context = SMS__NEW(share->arena, struct sms__context, instance->contexts);
    for (size_t c = 0; c < instance->contexts; c++)
        init_context(&instance->context[c], instance, sliced ? &share->process[instance->first_process + c] : NULL);
}

/* The kernel as it is on the whole device. */
static const struct sms__footprint *whole_fit(const struct sms__stream_kernel *kernel)
{
    const struct sms__stream *stream = kernel->stream;
    const struct sms__host_setup *setup = &stream->process->share->setup;
    size_t type = setup->type[kernel->context->instance->gpu->idx];
    return &setup->vm[stream->process->arrival.vm].fit[type][stream->first_kernel + kernel->idx];
}

/* A coarse kernel that runs longer here than on the whole device, under a cap or on an instance, takes less of it by as
 * much. It uses what it was measured to use, also where it slows itself less than on the whole device. */
static double part_of_whole(const struct sms__footprint *whole, const struct sms__footprint *here)
{
    return whole->work_ps < here->work_ps ? whole->work_ps * whole->alone / (here->work_ps * here->alone) : 1;
}

/* Adds what it ran and drew as the times for which it would take as much at its demand and its pressure on the whole
 * device. */
static void add_to_span(struct sms__stream_kernel *kernel, int sign, sms__integral ran_ps, sms__integral drawn_ps)
{
    const struct sms__footprint *whole = kernel->coarse.whole, *here = kernel->coarse.fit;
    if (whole->work_ps < here->work_ps) {
        ran_ps = (sms__integral)((double)ran_ps * kernel->coarse.part + 0.5);
        drawn_ps = (sms__integral)((double)drawn_ps * (whole->work_ps / here->work_ps) + 0.5);
    }
    kernel->launch.span->residence_ps += sign * ran_ps;
    kernel->launch.span->work_ps += sign * drawn_ps;
}

static void end_coarse(void *subject, uint64_t now)
{
    struct sms__stream_kernel *kernel = subject;
    struct sms__kernel_record *record = kernel->launch.record;
    record->launches++;
    record->blocks++;
    add_to_span(kernel, 1, sms__coarse_kernel_ran_ps(&kernel->context->coarse, &kernel->coarse, now),
                kernel->coarse.drawn_ps);
    if (kernel->done <= 0)
        sms__histogram_add(&record->latency, now - kernel->launched_ps);
    check_drained(kernel->context, now);
    kernel->context->kernels--;
    kernel->ended(kernel->stream, now);
}

static void end_blocks(void *subject, uint64_t inner)
{
    struct sms__stream_kernel *kernel = subject;
    (void)inner; /* the handler wants the clock of the run */
    kernel->context->kernels--;
    kernel->ended(kernel->stream, share_of(kernel->context)->engine->now);
}

static uint64_t add_partial_coarse(const struct sms__context *context, struct sms__stream_kernel *kernel, int sign,
                                   uint64_t now)
{
    const struct sms__coarse_kernel *coarse = &kernel->coarse;
    uint64_t parts = sms__coarse_kernel_parts(&context->coarse, coarse, now);
    sms__integral work = (sms__integral)coarse->drawn_ps * parts / SMS__PARTS;
    kernel->launch.record->block_parts += sign * (sms__integral)parts;
    add_to_span(kernel, sign, sms__coarse_kernel_ran_ps(&context->coarse, coarse, now), work);
    return parts;
}

uint64_t sms__context_add_partial(const struct sms__context *context, struct sms__stream_kernel *kernel, int sign,
                                  uint64_t now)
{
    if (!kernel->launch.kernel->whole)
        return sms__launch_add_partial(&kernel->launch, sign);
    uint64_t parts = add_partial_coarse(context, kernel, sign, now);
    kernel->launch.record->launch_parts += sign * (sms__integral)parts;
    return parts;
}

/* A latency and a deadline count on the clock of the run. A deadline that was over before the context's clock began is
 * 0. */
static void set_clock(const struct sms__context *context, struct sms__stream_kernel *kernel)
{
    uint64_t deadline = kernel->deadline_ps;
    kernel->launch.launched_ps = kernel->launched_ps - context->offset;
    kernel->launch.deadline_ps = deadline == UINT64_MAX       ? deadline
                                 : deadline > context->offset ? deadline - context->offset
                                                              : 0;
}

/* Nothing was due in between, or it would have fired. */
static void catch_up(struct sms__context *context, bool went_on, uint64_t now)
{
    if (went_on && context->engine->now < now - context->offset)
        context->engine->now = now - context->offset;
}

static void launch_blocks(struct sms__context *context, struct sms__stream_kernel *kernel, uint64_t now)
{
    const struct sms__process *process = kernel->stream->process;
    if (!context->has_blocks)
        add_blocks(context);
    kernel->launch.ended = end_blocks;
    kernel->launch.tenant = process->tenant;
    kernel->launch.owner = queue_of(kernel->stream);
    kernel->launch.subject = kernel;
    /* While it had no kernels nobody stopped its clock, so that its dispatcher is ready for the first one. */
    catch_up(context, context->active || context->kernels == 1, now);
    set_clock(context, kernel);
    sms__blocks_launch(context->blocks, &kernel->launch, inner_now(context, now));
    set_clock(context, kernel);
    flush_later(context);
}

/* The kernel is of another stream than the one that drains, and starts in the next slice. */
static void hold_coarse(struct sms__context *context, struct sms__stream_kernel *kernel)
{
    kernel->next_held = NULL;
    *context->last_held = kernel;
    context->last_held = &kernel->next_held;
}

static void start_held(struct sms__context *context, uint64_t now)
{
    struct sms__stream_kernel *kernel = context->held;
    context->held = NULL;
    context->last_held = &context->held;
    for (; kernel; kernel = kernel->next_held)
        sms__coarse_kernel_start(&context->coarse, &kernel->coarse, now);
}

/* The part of the SMs that a coarse kernel keeps active, parts of SMS_FULL: of those that it may use at most. */
static double active_of(const struct sms__stream_kernel *kernel)
{
    const size_t sms = kernel->context->instance->type->sms;
    const double part = (double)sms__stream_sms(kernel->stream) / (double)sms * SMS_FULL;
    return kernel->core < part ? kernel->core : part;
}

/* A coarse kernel takes longer by what the policy's interception of calls costs. One that was made from blocks has that
 * time in it already. */
static void launch_coarse(struct sms__context *context, struct sms__stream_kernel *kernel, uint64_t now)
{
    const struct sms__launch *launch = &kernel->launch;
    const struct sms__footprint *whole = whole_fit(kernel);
    const bool drawn = sms__is_drawn(launch->kernel);
    const uint64_t drawn_ps = drawn ? sms__draw(launch->fit, launch->kernel, launch->stream) : launch->fit->work;
    double work = drawn ? (double)drawn_ps : launch->fit->work_ps;
    if (!launch->kernel->made)
        work *= 1 + kernel->overhead;
    launch->record->placed++;
    kernel->coarse =
        (struct sms__coarse_kernel){.flow = {.left = work * (1 - kernel->done), .done = end_coarse, .subject = kernel},
                                    .fit = launch->fit,
                                    .whole = whole,
                                    .part = part_of_whole(whole, launch->fit),
                                    .work = work,
                                    .drawn_ps = drawn_ps,
                                    .active = active_of(kernel),
                                    .process = kernel->stream->process->idx};
    if (context->on_hold)
        hold_coarse(context, kernel);
    else
        sms__coarse_kernel_start(&context->coarse, &kernel->coarse, now);
}

void sms__context_launch(struct sms__context *context, struct sms__stream_kernel *kernel, uint64_t now)
{
    context->kernels++;
    kernel->context = context;
    (kernel->launch.kernel->whole ? launch_coarse : launch_blocks)(context, kernel, now);
}

static void start_clock(struct sms__context *context, uint64_t now)
{
    context->offset = now - context->engine->now;
    for (struct sms__stream *stream = context->owner->stream; stream; stream = stream->next)
        set_clock(context, &stream->kernel);
    flush_later(context);
}

void sms__context_set_active(struct sms__context *context, bool active, uint64_t now)
{
    if (context->active == active)
        return;
    if (context->has_blocks)
        run_blocks(context, now, sms__engine_advance);
    sms__process_advance(context->owner, now);
    context->active = active;
    sms__process_show(context->owner, now);
    sms__coarse_kernels_count(&context->coarse, now);
    sms__fluid_set_active(&context->coarse.fluid, active, now);
    if (!context->has_blocks)
        return;
    if (active)
        start_clock(context, now);
    schedule(context);
}

void sms__context_hold(struct sms__context *context, bool hold, uint64_t now)
{
    context->on_hold = hold;
    if (!hold)
        start_held(context, now);
    if (!context->has_blocks)
        return;
    sms__blocks_hold(context->blocks, hold);
    flush_later(context);
}

void sms__context_offer(struct sms__context *context, uint64_t now)
{
    if (!context->has_blocks)
        return;
    catch_up(context, context->active, now);
    sms__blocks_hold(context->blocks, context->on_hold);
    flush_later(context);
}

bool sms__context_runs(const struct sms__context *context)
{
    return context->coarse.fluid.count > 0 || (context->has_blocks && sms__blocks_busy(context->blocks));
}

bool sms__context_is_under_way(const struct sms__context *context)
{
    bool waits = context->has_blocks && sms__blocks_waiting(context->blocks) > 0;
    return context->kernels > 0 && (!waits || sms__context_runs(context));
}

void sms__context_advance(struct sms__context *context, int partial, uint64_t now)
{
    sms__coarse_kernels_count(&context->coarse, now);
    if (!context->has_blocks)
        return;
    sms__blocks_integrate(context->blocks, inner_now(context, now));
    if (partial)
        sms__blocks_add_partial(context->blocks, partial, inner_now(context, now));
}

uint64_t sms__context_events(const struct sms__context *context)
{
    return context->has_blocks && !share_of(context)->setup.vms ? context->engine->events : 0;
}
