/* Timers of the share policy: a binary heap by time, then number. */
#include "host.h"

struct timer {
    uint64_t time, number;
    size_t tag;
};

struct sms__timers {
    struct timer *timer; /* [room], a heap */
    size_t count, room;
    uint64_t set;  /* timers set so far */
    uint64_t idle; /* timers in succession that found nothing under way */
    size_t source;
};

/* A policy whose timers go on for ever while nothing else is under way waits for something that never comes. It gets no
 * more of them after so many. */
enum { IDLE_MAX = 1 << 16 };

static bool is_before(const struct timer *a, const struct timer *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void swap(struct timer *a, struct timer *b)
{
    struct timer kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(struct timer *timer, size_t count)
{
    for (size_t i = 0, child = 1; child < count; i = child, child = 2 * i + 1) {
        child += child + 1 < count && is_before(&timer[child + 1], &timer[child]);
        if (!is_before(&timer[child], &timer[i]))
            return;
        swap(&timer[child], &timer[i]);
    }
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

void sms__timers_note_progress(struct sms_share *share) { share->timers->idle = 0; }

static bool is_idle(const struct sms_share *share)
{
    bool busy =
        share->pending > 0 || sms__fluid_is_busy(&share->flows.compute) || sms__fluid_is_busy(&share->flows.copies);
    for (size_t g = 0; g < share->setup.gpus; g++)
        busy |= share->gpu[g].kernels > 0;
    return !busy;
}

static void fire(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    struct sms__timers *timers = share->timers;
    size_t tag = timers->timer[0].tag;
    (void)now;
    timers->timer[0] = timers->timer[--timers->count];
    sift_down(timers->timer, timers->count);
    schedule(share);
    timers->idle = is_idle(share) ? timers->idle + 1 : 0;
    if (timers->idle > IDLE_MAX) {
        timers->count = 0;
        schedule(share);
        return;
    }
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
    struct timer *grown = SMS__NEW(share->arena, struct timer, room);
    for (size_t i = 0; i < timers->count; i++)
        grown[i] = timers->timer[i];
    timers->timer = grown;
    timers->room = room;
}

void sms__timers_add(struct sms_share *share, uint64_t time, size_t tag)
{
    struct sms__timers *timers = share->timers;
    make_room(share, timers);
    size_t i = timers->count++;
    timers->timer[i] = (struct timer){time, ++timers->set, tag};
    for (; i > 0 && is_before(&timers->timer[i], &timers->timer[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&timers->timer[i], &timers->timer[(i - 1) / 2]);
    schedule(share);
}
