/* Device clocks: resources of scope device, without visiting every SM. */
#ifndef SMS_LEVELS_BLOCK_DEVICE_CLOCK_H
#define SMS_LEVELS_BLOCK_DEVICE_CLOCK_H

#include "block.h"
#include "tournament.h"

#include <math.h>

struct sms__sm_state;
struct sms__block_group;

enum { SMS__TOGETHER = 64 }; /* SMs that share a bound */

/* A number for each SM, of which those below a limit are looked for. To set one costs few instructions, since a bound
 * is left as it is when the least number rises; a search that finds nothing below it puts it right. */
struct sms__bounds {
    double *value; /* [sms]; INFINITY: none */
    double *least; /* of each 64 SMs, or less */
    double first;  /* of all SMs, or less */
};

/* What a clock keeps of the groups of an SM that follow it. INFINITY: none. */
struct sms__next_ends {
    double first;                   /* end, as the clock's reading */
    struct sms__block_group *group; /* of the first end */
    double second;
};

/* The least sm_slow of a group of an SM that may follow a clock and does not, and the greatest of one that does,
 * negative. INFINITY: none. */
struct sms__crossings {
    double rises, falls;
};

/* The clock of blocks that one set of resources of scope device slows more than their SMs do. It counts the work that
 * such a block does. */
struct sms__device_clock {
    struct sms__blocks *device;
    uint32_t resources; /* one bit each */
    double base, speed, slow;
    uint64_t since;
    uint64_t due;                    /* no group ends before; SMS__NEVER: none ends */
    struct sms__next_ends *next;     /* [sms] */
    struct sms__tournament keys;     /* the first of them, with the SM in place of its last bits */
    struct sms__bounds rises, falls; /* by SM, as in struct sms__crossings */
};

static inline double sms__device_clock_reading(const struct sms__device_clock *clock, uint64_t now)
{
    return clock->base + (double)(int64_t)(now - clock->since) * clock->speed; /* signed: a shorter conversion */
}

/* Returns the key of a reading, which has the SM in place of its last bits. */
static inline uint64_t sms__reading_key(const struct sms__device_clock *clock, double reading, size_t sm)
{
    const double least = 0x1p-1022; /* of SMS__LEAST_KEY */
    return ((union sms__key){.number = reading > least ? reading : least}.bits & ~clock->keys.mask) | sm;
}

/* Returns a reading that is not above any that has this key. */
static inline double sms__key_reading(const struct sms__device_clock *clock, uint64_t key)
{
    return (union sms__key){.bits = key & ~clock->keys.mask}.number;
}

/* Returns the time of a reading. INFINITY is never read, nor is what SMS__NO_KEY stands for. */
static inline uint64_t sms__device_clock_due(const struct sms__device_clock *clock, double reading)
{
    return sms__after(clock->since, (reading - clock->base) * clock->slow);
}

/* Sets when the clock is due. Call this after SMs are rated. */
static inline void sms__device_clock_schedule(struct sms__device_clock *clock, uint64_t now)
{
    uint64_t first = sms__device_clock_due(clock, sms__key_reading(clock, sms__tournament_first(&clock->keys)));
    clock->due = first > now ? first : now; /* a key may stand for a reading that has passed */
}

static inline void sms__bounds_set(struct sms__bounds *bounds, size_t sm, double value)
{
    if (bounds->value[sm] == value)
        return;
    bounds->value[sm] = value;
    bounds->least[sm / SMS__TOGETHER] = sms__lower(bounds->least[sm / SMS__TOGETHER], value);
    bounds->first = sms__lower(bounds->first, value);
}

/* Updates what the clock keeps of an SM whose speeds have changed. */
static inline void sms__device_clock_bound(struct sms__device_clock *clock, size_t sm, const struct sms__crossings *at)
{
    sms__bounds_set(&clock->rises, sm, at->rises);
    sms__bounds_set(&clock->falls, sm, at->falls);
}

/* The same of one whose blocks have changed. Returns true if the first of them ends at another reading. */
static inline bool sms__device_clock_keep(struct sms__device_clock *clock, size_t sm, const struct sms__next_ends *next)
{
    double before = clock->next[sm].first;
    clock->next[sm] = *next;
    if (next->first == before)
        return false;
    sms__tournament_set(&clock->keys, sm,
                        next->first == INFINITY ? SMS__NO_KEY : sms__reading_key(clock, next->first, sm));
    return true;
}

/* Has the SM rated at the end of this instant. */
void sms__mark_changed(struct sms__sm_state *sm);

void sms__device_clock_init(struct sms__blocks *device);
struct sms__device_clock *sms__device_clock_of(const struct sms__blocks *device, const struct sms__footprint *fit);
/* Gives clocks their speeds, no more. Returns whether one changed. */
bool sms__device_clock_advance(struct sms__blocks *device, uint64_t now);
void sms__device_clock_update(struct sms__blocks *device, uint64_t now); /* before SMs are rated */
/* Returns the SM of which groups end now, which is when the clock is due; NULL if there may be several. Its key stays
 * until it is rated. */
struct sms__sm_state *sms__device_clock_only(struct sms__device_clock *clock, uint64_t now);
/* Gives each SM of which a group ends now an event at this instant, so that they fire in order. */
void sms__device_clock_end(struct sms__device_clock *clock, uint64_t now);

#endif
