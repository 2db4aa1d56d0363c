/* What the share policy is told and asked again: streams that wait for its answer, and its timers. A stream is in the
 * list at most once, and keeps its position until it goes on, unless one of higher priority waits to launch as well. */
#include "host.h"

#include "../../base/heap.h"

#include <math.h>

struct sms__waiting {
    struct sms__stream *first, **last;
    struct sms__action ask_all;
    bool (*ask_again)(struct sms__stream *stream, uint64_t now);
    bool goes_last; /* behind all that was deferred when its turn came */
    bool any_event; /* any event may change the policy's answers; the default policy looks at memory only */
    double least;   /* priority of those that wait to launch, or lower */
};

/* On every device, blocks that wait fill the places of this instant first. */
static void ask_all(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    struct sms__waiting *waiting = share->waiting;
    struct sms__stream *stream = waiting->first, *next;
    waiting->goes_last = !waiting->goes_last && share->engine->first;
    if (waiting->goes_last) {
        sms__engine_defer(share->engine, &waiting->ask_all);
        return;
    }
    waiting->first = NULL;
    waiting->last = &waiting->first;
    waiting->least = INFINITY;
    for (; stream && !share->engine->stopped; stream = next) {
        next = stream->next_waiting;
        stream->waiting = false;
        if (!waiting->ask_again(stream, now))
            sms__wait(stream);
    }
}

void sms__waiting_init(struct sms_share *share, bool (*ask_again)(struct sms__stream *stream, uint64_t now))
{
    const struct sms_share_policy *policy = share->policy.policy;
    struct sms__waiting *waiting = SMS__NEW(share->arena, struct sms__waiting, 1);
    *waiting = (struct sms__waiting){
        .last = &waiting->first,
        .ask_all = {.act = ask_all, .subject = share},
        .ask_again = ask_again,
        .any_event = policy->place || policy->allocate || policy->launch,
        .least = INFINITY,
    };
    share->waiting = waiting;
}

static double priority_of(const struct sms__stream *stream) { return stream->process->vm->priority; }

/* True if the stream launches before the other: by priority, and of equal ones a kernel that is under way, in pieces.
 */
static bool launches_before(const struct sms__stream *stream, const struct sms__stream *other)
{
    return other->phase == SMS_PHASE_LAUNCH &&
           (priority_of(stream) > priority_of(other) ||
            (priority_of(stream) == priority_of(other) && stream->cut && !other->cut));
}

void sms__wait(struct sms__stream *stream)
{
    struct sms__waiting *waiting = stream->process->share->waiting;
    struct sms__stream **link = waiting->last;
    if (stream->waiting)
        return;
    if (stream->phase == SMS_PHASE_LAUNCH && (priority_of(stream) > waiting->least || stream->cut))
        for (link = &waiting->first; *link && !launches_before(stream, *link); link = &(*link)->next_waiting) {
        }
    if (stream->phase == SMS_PHASE_LAUNCH)
        waiting->least = fmin(waiting->least, priority_of(stream));
    stream->waiting = true;
    stream->next_waiting = *link;
    waiting->last = *link ? waiting->last : &stream->next_waiting;
    *link = stream;
}

void sms__stop_waiting(struct sms__stream *stream)
{
    struct sms__waiting *waiting = stream->process->share->waiting;
    struct sms__stream **link = &waiting->first;
    if (!stream->waiting)
        return;
    while (*link && *link != stream)
        link = &(*link)->next_waiting;
    if (*link) { /* not while all are being asked: then no list has it */
        *link = stream->next_waiting;
        waiting->last = *link ? waiting->last : link;
    }
    stream->waiting = false;
}

void sms__changed(struct sms_share *share)
{
    if (share->waiting->first)
        sms__engine_defer(share->engine, &share->waiting->ask_all);
}

bool sms__will_ask(const struct sms_share *share) { return share->waiting->ask_all.queued; }

void sms__tell(struct sms__process *process, enum sms_share_event_kind kind)
{
    struct sms_share *share = process->share;
    const struct sms_share_event event = {kind, process->idx};
    if (share->policy.policy->event)
        share->policy.policy->event(share, &event);
    if (share->waiting->any_event)
        sms__changed(share);
}

/* ---- timers ---- */

struct timer {
    uint64_t time, number; /* when; how many were set before it */
    size_t tag;
};

struct sms__timers {
    struct timer *timer; /* [room], a heap */
    size_t count, room;
    uint64_t set;      /* timers so far */
    uint64_t idle;     /* since a process went on: timers that found nothing under way */
    uint64_t fired_ps; /* the last one */
    size_t source;
};

/* A policy whose timers go on for ever while nothing else is under way waits for something that never comes. It gets no
 * more of them after so many. */
enum { IDLE_MAX = 1 << 20 };

static bool is_before(const void *a, const void *b)
{
    const struct timer *x = a, *y = b;
    return x->time != y->time ? x->time < y->time : x->number < y->number;
}

static void schedule(struct sms_share *share)
{
    const struct sms__timers *timers = share->timers;
    bool asleep = share->setup.slots && share->active == 0;
    uint64_t now = share->engine->now, time = timers->count && !asleep ? timers->timer[0].time : SMS__NEVER;
    sms__engine_at(share->engine, timers->source, time > now ? time : now);
}

void sms__timers_update(struct sms_share *share)
{
    if (share->setup.slots)
        schedule(share);
}

void sms__note_progress(struct sms_share *share)
{
    share->timers->idle = 0;
    share->policy.suspended = 0;
}

/* Kernels may be such that no SM takes their blocks. Then nothing else is to happen. */
static bool is_idle(const struct sms_share *share)
{
    bool busy = share->pending > 0 || sms__flows_are_busy(share);
    for (size_t g = 0; g < share->setup.gpus; g++)
        busy |= share->gpu[g].kernels > 0;
    return !busy || sms__engine_next_other(share->engine, share->timers->source) == SMS__NEVER;
}

/* A process may run for no time between two timers of one instant: a policy that resumes it only to pause it again lets
 * nothing go on. */
static void count_idle(struct sms_share *share, uint64_t now)
{
    struct sms__timers *timers = share->timers;
    if (is_idle(share))
        timers->idle++;
    else if (now > timers->fired_ps)
        timers->idle = 0;
    timers->fired_ps = now;
}

static void fire(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    struct sms__timers *timers = share->timers;
    const size_t tag = timers->timer[0].tag;
    sms__heap_pop(timers->timer, --timers->count, sizeof *timers->timer, is_before);
    schedule(share);
    count_idle(share, now);
    if (timers->idle > IDLE_MAX) {
        timers->count = 0;
        schedule(share);
        return;
    }
    sms__share_note_call(share);
    if (share->policy.policy->timer)
        share->policy.policy->timer(share, tag);
    sms__changed(share);
}

void sms__timers_init(struct sms_share *share)
{
    share->timers = SMS__NEW(share->arena, struct sms__timers, 1);
    share->timers->source = sms__engine_source(share->engine, SMS__LEVEL_POLICY, fire, share);
}

static void make_room(struct sms_share *share, struct sms__timers *timers)
{
    if (timers->count < timers->room)
        return;
    size_t room = timers->room ? 2 * timers->room : 16;
    timers->timer = sms__enlarge(share->arena, timers->timer, timers->count, room, sizeof *timers->timer);
    timers->room = room;
}

void sms__timers_add(struct sms_share *share, uint64_t time, size_t tag)
{
    struct sms__timers *timers = share->timers;
    make_room(share, timers);
    const struct timer set = {time, timers->set++, tag};
    sms__heap_add(timers->timer, timers->count++, &set, sizeof set, is_before);
    schedule(share);
}
