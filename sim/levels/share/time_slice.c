/* Time slices: the contexts of an instance that have kernels take turns, in a round or as the share policy says. At
 * most one context is active at a time. While a change of context takes time, no context is active. */
#include "time_slice.h"

#include <math.h>

struct sms__slicer {
    struct sms__context *first, *last; /* contexts with kernels, in the order of the round */
    size_t ready;                      /* number of them */
    size_t stuck;                      /* number of those that were stuck when their latest turn ended */
    struct sms__context *current;      /* the active one */
    struct sms__context *latest;       /* the one that was active last */
    struct sms__context *coming;       /* the one that is active once the switch is over */
    uint64_t since_ps;                 /* time up to which the switch under way is recorded */
    size_t source;                     /* end of the slice, or of the switch */
    size_t *candidates;                /* [contexts], scratch */
    struct sms__action check;
    bool slicing; /* the slice has an end: */
    uint64_t end_ps;
    size_t leaving; /* number of contexts that leave */
    struct sms__turns turns;
    uint64_t began_ps; /* when the current slice began, or the first of those that the context has had alone */
    uint64_t came_ps;  /* when the current context became active */
};

static void set_source(struct sms__instance *instance, uint64_t time)
{
    sms__engine_at(instance->share->engine, instance->slicer->source, time);
}

static bool is_draining(const struct sms__slicer *slicer) { return slicer->current && slicer->current->on_hold; }

/* The source is due at the end of the slice, or earlier when the context heeds that it has to make room. */
static void set_end(struct sms__instance *instance, uint64_t end_ps)
{
    const struct sms__context *current = instance->slicer->current;
    const bool heeds = current->leaving && current->heeds_ps > instance->share->engine->now;
    instance->slicer->end_ps = end_ps;
    set_source(instance, heeds && current->heeds_ps < end_ps ? current->heeds_ps : end_ps);
}

static void set_leaving(struct sms__context *context, bool leaving)
{
    struct sms__slicer *slicer = context->instance->slicer;
    slicer->leaving = slicer->leaving - context->leaving + leaving;
    context->leaving = leaving;
}

static bool can_leave(const struct sms__context *context, uint64_t now)
{
    return context->leaving && now >= context->heeds_ps && context->ahead == 0;
}

static void append(struct sms__slicer *slicer, struct sms__context *context)
{
    context->next = NULL;
    context->prev = slicer->last;
    *(slicer->last ? &slicer->last->next : &slicer->first) = context;
    slicer->last = context;
    context->in_round = true;
    slicer->ready++;
}

static void take_out(struct sms__slicer *slicer, struct sms__context *context)
{
    *(context->prev ? &context->prev->next : &slicer->first) = context->next;
    *(context->next ? &context->next->prev : &slicer->last) = context->prev;
    context->in_round = false;
    slicer->ready--;
    slicer->stuck -= context->stuck;
    context->stuck = false;
}

/* Something has changed. */
static void forget_stuck(struct sms__slicer *slicer)
{
    for (struct sms__context *context = slicer->first; context && slicer->stuck; context = context->next)
        context->stuck = false;
    slicer->stuck = 0;
}

/* The length of a slice of the current context. */
static double slice_ps(const struct sms__instance *instance)
{
    const double usual_ps = instance->slicer->turns.slice_ps;
    const double ps =
        sms__mode_slice_ps(instance->mode, instance->type, instance->slicer->current->owner->vm, usual_ps);
    if (ps >= 1 && isfinite(ps))
        return ps;
    sms__share_refuse(instance->share, "mode %s gave a slice of %g ps", instance->mode->form->name, ps);
    return usual_ps;
}

/* All that the context has are blocks that no SM takes, whatever time goes by. */
static bool is_stuck(const struct sms__context *context)
{
    bool dispatches = !context->on_hold && !context->flush.queued;
    return context->kernels > 0 && dispatches && !sms__context_is_under_way(context) &&
           sms__engine_next(context->engine) == SMS__NEVER;
}

/* Contexts that are all stuck take no turns, which would go on for ever. */
static bool is_at_rest(const struct sms__slicer *slicer) { return slicer->ready > 1 && slicer->stuck >= slicer->ready; }

/* The slice ends only if another context waits for its end. */
static void begin_slice(struct sms__instance *instance, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    slicer->slicing = slicer->ready > 1 && !is_at_rest(slicer);
    slicer->began_ps = now;
    set_end(instance, slicer->slicing ? sms__after(now, slice_ps(instance)) : SMS__NEVER);
}

/* Another context has come to the current one, which was alone and whose slices had no end. */
static void welcome(struct sms__instance *instance, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    double over = fmod((double)(now - slicer->began_ps), slice_ps(instance));
    if (slicer->turns.newcomer != SMS__REST_OF_SLICE) {
        begin_slice(instance, now);
        return;
    }
    slicer->slicing = true;
    set_end(instance, sms__after(now, slice_ps(instance) - over));
}

void sms__slicer_advance(struct sms__instance *instance, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    if (!slicer || !slicer->coming)
        return;
    instance->gpu->record->switch_ps += (sms__integral)(now - slicer->since_ps) * instance->type->sms;
    slicer->since_ps = now;
}

/* Whether the policy wants the current context to make room for one that is ready. */
static bool is_preempted(const struct sms__instance *instance)
{
    struct sms_share *share = instance->share;
    const struct sms__context *current = instance->slicer->current;
    const struct sms_share_policy *policy = share->policy.policy;
    bool preempted = false;
    share->policy.pure_call = "preempts";
    for (const struct sms__context *context = instance->slicer->first; context && !preempted; context = context->next)
        preempted =
            context != current && policy->preempts(share, instance->idx, current->owner->idx, context->owner->idx);
    share->policy.pure_call = NULL;
    return preempted;
}

static void check_later(struct sms__context *context)
{
    const struct sms__instance *instance = context->instance;
    sms__engine_defer(instance->share->engine, &instance->slicer->check);
}

static void activate(struct sms__instance *instance, struct sms__context *context, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    sms__slicer_advance(instance, now);
    slicer->coming = NULL;
    slicer->current = slicer->latest = context;
    slicer->came_ps = now;
    context->renewed = false;
    sms__context_set_active(context, true, now);
    set_leaving(context, context->leaving && is_preempted(instance));
    begin_slice(instance, now);
    if (context->leaving)
        check_later(context);
}

/* Activates the context, after a switch if another was active last. */
static void switch_to(struct sms__instance *instance, struct sms__context *context, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    if (slicer->latest && (slicer->latest != context || context->renewed)) {
        instance->gpu->record->switches++;
        if (slicer->turns.switch_ps >= 1) {
            slicer->coming = context;
            slicer->since_ps = now;
            set_source(instance, sms__after(now, slicer->turns.switch_ps));
            return;
        }
    }
    activate(instance, context, now);
}

/* The context that is next: the first of the round, unless the policy chooses. One whose slice ended before it could
 * leave comes first, because what it has launched stays on the device; but no two such follow each other, because the
 * process for which they make room would wait until both have left. */
static struct sms__context *choose(const struct sms__instance *instance)
{
    struct sms_share *share = instance->share;
    const struct sms__slicer *slicer = instance->slicer;
    const struct sms_share_policy *policy = share->policy.policy;
    if (slicer->leaving && !slicer->latest->leaving)
        for (struct sms__context *context = slicer->first; context; context = context->next)
            if (context->leaving && !context->stuck)
                return context;
    if (!policy->next || slicer->ready == 1)
        return slicer->first;
    size_t count = 0;
    for (const struct sms__context *context = slicer->first; context; context = context->next)
        slicer->candidates[count++] = context->owner->idx;
    share->policy.pure_call = "next";
    size_t chosen = policy->next(share, instance->idx, slicer->candidates, count);
    share->policy.pure_call = NULL;
    struct sms__context *context = slicer->first;
    for (size_t i = 0; context && i < chosen && context->next; i++)
        context = context->next;
    return context;
}

static void release(struct sms__context *context, uint64_t now)
{
    if (context->on_hold)
        sms__context_hold(context, false, now);
}

/* What could begin at this very instant begins in the next slice. */
static void stop_current(struct sms__instance *instance, uint64_t now)
{
    struct sms__context *context = instance->slicer->current;
    sms__context_hold(context, true, now);
    sms__context_set_active(context, false, now);
    instance->slicer->current = NULL;
    release(context, now);
}

/* The current context goes to the end of the round. */
static void end_turn(struct sms__instance *instance, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    struct sms__context *context = slicer->current;
    take_out(slicer, context);
    append(slicer, context);
    if (can_leave(context, now))
        set_leaving(context, false);
    context->stuck = is_stuck(context);
    if (context->stuck)
        slicer->stuck++;
    else
        forget_stuck(slicer);
    struct sms__context *next = choose(instance);
    if (next == context) {
        release(context, now);
        begin_slice(instance, now);
        return;
    }
    stop_current(instance, now);
    switch_to(instance, next, now);
}

/* A context that became active at this very instant has begun no kernel, so there is nothing to drain. */
static void end_slice(struct sms__instance *instance, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    struct sms__context *context = slicer->current;
    if (!context)
        return;
    if (!context->kernels || slicer->ready < 2) {
        release(context, now);
        set_leaving(context, false);
    } else if (instance->mode->drain && now > slicer->came_ps && sms__context_runs(context)) {
        slicer->slicing = false; /* so that the turn ends once nothing runs, whatever is launched by then */
        set_source(instance, SMS__NEVER);
        sms__context_hold(context, true, now);
    } else {
        end_turn(instance, now);
    }
}

/* Asks the current context to make room if the policy wants it. Returns true if it can leave at once. */
static bool preempt(struct sms__instance *instance, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    struct sms__context *current = slicer->current;
    const double stop_ps = instance->mode->stop_ps;
    if (!instance->share->policy.policy->preempts || !current || current->leaving || is_draining(slicer) ||
        !is_preempted(instance))
        return false;
    set_leaving(current, true);
    current->heeds_ps = stop_ps >= 1 ? sms__after(now, stop_ps) : now;
    current->ahead = instance->mode->ahead;
    set_end(instance, slicer->end_ps);
    return can_leave(current, now);
}

static void fire(void *subject, uint64_t now)
{
    struct sms__instance *instance = subject;
    struct sms__slicer *slicer = instance->slicer;
    if (slicer->coming) {
        slicer->slicing = false;
        activate(instance, slicer->coming, now);
        if (preempt(instance, now))
            end_slice(instance, now);
    } else if (now < slicer->end_ps && slicer->current->ahead) {
        set_source(instance, slicer->end_ps);
    } else {
        slicer->slicing = false;
        end_slice(instance, now);
    }
}

static void drained(struct sms__context *context, uint64_t now)
{
    (void)now;
    check_later(context);
}

static void stop_idle(struct sms__instance *instance, struct sms__context *context, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    stop_current(instance, now);
    slicer->slicing = false;
    set_source(instance, SMS__NEVER);
    set_leaving(context, false);
    take_out(slicer, context);
    if (slicer->ready)
        switch_to(instance, choose(instance), now);
}

/* At the end of the instant. The kernel that ended may have been followed by another of the same context, whose slice
 * may have ended in between. */
static void check(void *subject, uint64_t now)
{
    struct sms__instance *instance = subject;
    struct sms__slicer *slicer = instance->slicer;
    struct sms__context *context = slicer->current;
    if (!context) { /* the one that was coming has been dropped */
        if (slicer->ready && !slicer->coming)
            switch_to(instance, choose(instance), now);
    } else if (!context->kernels && (context->owner->recorded.queued || sms__will_ask(instance->share))) {
        check_later(context); /* another stream may launch a kernel yet */
    } else if (!context->kernels) {
        stop_idle(instance, context, now);
    } else if (can_leave(context, now) && slicer->slicing) {
        end_slice(instance, now);
    } else if (is_draining(slicer) ? !sms__context_runs(context)
                                   : slicer->ready > 1 && !slicer->slicing && !is_at_rest(slicer)) {
        end_turn(instance, now);
    }
}

void sms__slicer_init(struct sms__instance *instance)
{
    struct sms_share *share = instance->share;
    if (!sms__is_sliced(instance))
        return;
    struct sms__slicer *slicer = instance->slicer = SMS__NEW(share->arena, struct sms__slicer, 1);
    slicer->turns = sms__mode_turns(instance->mode, instance->type);
    slicer->source = sms__engine_source(share->engine, SMS__LEVEL_TENANT, fire, instance);
    slicer->check = (struct sms__action){.act = check, .subject = instance};
    slicer->candidates = SMS__NEW(share->arena, size_t, instance->contexts);
    for (size_t c = 0; c < instance->contexts; c++)
        instance->context[c].drained = drained;
}

void sms__slicer_wake(struct sms__instance *instance, uint64_t now)
{
    struct sms__slicer *slicer = instance->slicer;
    if (!slicer || !slicer->stuck)
        return;
    bool rested = slicer->current && is_at_rest(slicer);
    forget_stuck(slicer);
    if (rested)
        begin_slice(instance, now);
}

void sms__slicer_add(struct sms__context *context, uint64_t now)
{
    struct sms__instance *instance = context->instance;
    struct sms__slicer *slicer = instance->slicer;
    sms__slicer_wake(instance, now);
    if (!slicer || context->in_round)
        return;
    append(slicer, context);
    if (slicer->coming)
        return;
    if (slicer->current && !slicer->slicing && !is_draining(slicer))
        welcome(instance, now);
    if (!slicer->current && !instance->share->policy.policy->next)
        switch_to(instance, choose(instance), now);
    else if (!slicer->current || preempt(instance, now))
        check_later(context); /* so that the policy chooses among all that come at this instant */
}

/* After the last kernel that was launched ahead the next is held back. */
void sms__slicer_end_kernel(struct sms__context *context)
{
    struct sms__slicer *slicer = context->instance->slicer;
    const uint64_t now = context->instance->share->engine->now;
    if (!slicer)
        return;
    if (slicer->current == context && context->leaving && now >= context->heeds_ps && context->ahead &&
        --context->ahead == 0)
        sms__context_hold(context, true, now);
    check_later(context);
}
