/* Timers of the share policy, sorted. Policies set few, so insertion is a walk. */
#include "host.h"

struct timer {
    uint64_t time;
    size_t tag;
};

struct sms__timers {
    struct timer *timer; /* [room], by falling time; of equal times the one that was set last comes first */
    size_t count, room;
    uint64_t idle; /* timers in succession that found nothing under way */
    size_t source;
};

/* A policy whose timers go on for ever while nothing else is under way waits for something that never comes. It gets no
 * more of them after so many. */
enum { IDLE_MAX = 1 << 16 };

static void schedule(struct sms_share *share)
{
    const struct sms__timers *timers = share->timers;
    bool asleep = share->setup.slots && share->active == 0;
    uint64_t now = share->engine->now,
             time = timers->count && !asleep ? timers->timer[timers->count - 1].time : SMS__NEVER;
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
    bool busy = share->pending > 0 || sms__flows_are_busy(share);
    for (size_t g = 0; g < share->setup.gpus; g++)
        busy |= share->gpu[g].kernels > 0;
    return !busy;
}

static void fire(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    struct sms__timers *timers = share->timers;
    size_t tag = timers->timer[--timers->count].tag;
    (void)now;
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
    for (; i > 0 && timers->timer[i - 1].time <= time; i--)
        timers->timer[i] = timers->timer[i - 1];
    timers->timer[i] = (struct timer){time, tag};
    schedule(share);
}
