/* When the next block of each SM ends by the speed of its SM. Those that follow a device clock end by that
 * (device_clock.h). */
#ifndef SMS_LEVELS_BLOCK_SM_TIMES_H
#define SMS_LEVELS_BLOCK_SM_TIMES_H

#include "../../engine/event_queue.h"
#include "tournament.h"

/* Many more than the SMs that stay in a cache (events.c), or few would be alone in their slots. */
enum { SMS__TIME_SLOTS = 2048 };

struct sms__sm_times {
    uint64_t *time; /* [sms] ps; SMS__NEVER: none */
    uint32_t *slot; /* [SMS__TIME_SLOTS]: how many SMs have such a time, by its last bits */
    size_t sms;
    struct sms__tournament keys; /* a time, then the SM; none of times that do not fit */
    unsigned bits;               /* of the SM */
    uint64_t far;                /* the first time that does not fit, after 20 hours with 80 SMs */
    bool any_far;                /* some time did not fit. Then the first is looked for */
};

void sms__sm_times_init(struct sms__sm_times *times, struct sms__arena *arena, size_t sms);

/* Writes down the time at which a block of the SM ends. Returns its key. */
static inline uint64_t sms__sm_times_note(struct sms__sm_times *times, size_t sm, uint64_t time)
{
    times->slot[times->time[sm] % SMS__TIME_SLOTS]--;
    times->slot[time % SMS__TIME_SLOTS]++;
    times->time[sm] = time;
    if (time < times->far)
        return (time << times->bits) + (sm + SMS__LEAST_KEY);
    times->any_far |= time != SMS__NEVER;
    return SMS__NO_KEY;
}

/* Sets the time at which a block of the SM ends, in place of any other. */
static inline void sms__sm_times_set(struct sms__sm_times *times, size_t sm, uint64_t time)
{
    if (times->time[sm] != time)
        sms__tournament_set(&times->keys, sm, sms__sm_times_note(times, sm, time));
}

/* The same of many SMs, before sms__tournament_play. */
static inline void sms__sm_times_put(struct sms__sm_times *times, size_t sm, uint64_t time)
{
    times->keys.node[times->keys.leaves + sm] = (union sms__key){sms__sm_times_note(times, sm, time)}.number;
}

/* Returns the lowest of the SMs with the earliest time. */
size_t sms__sm_times_look(const struct sms__sm_times *times);

/* The same; any SM if none has a time. */
static inline size_t sms__sm_times_sm(const struct sms__sm_times *times)
{
    uint64_t first = sms__tournament_first(&times->keys);
    return first == SMS__NO_KEY ? sms__sm_times_look(times) : first & times->keys.mask;
}

/* True if a single SM has this time, which is the earliest, as the slots tell; false if they cannot tell. */
static inline bool sms__sm_times_alone(const struct sms__sm_times *times, uint64_t time)
{
    return !times->any_far && times->slot[time % SMS__TIME_SLOTS] == 1;
}

/* Returns the earliest time; SMS__NEVER: there is none. */
static inline uint64_t sms__sm_times_first(const struct sms__sm_times *times)
{
    uint64_t time = times->time[sms__tournament_first(&times->keys) & times->keys.mask];
    return time < times->far || !times->any_far ? time : times->time[sms__sm_times_look(times)];
}

#endif
