/* Device clocks: resources of scope device, without visiting every SM. */
#ifndef SMS_LEVELS_BLOCK_DEVICE_CLOCK_H
#define SMS_LEVELS_BLOCK_DEVICE_CLOCK_H

#include "block.h"

struct sms__sm_state;

/* A number for each SM, of which those below a limit are looked for. To set one costs few instructions, since a bound
 * is left as it is when the least number rises; a search that finds nothing below it puts it right. */
struct sms__bounds {
    double *value; /* [sms]; INFINITY: none */
    double *least; /* of each 64 SMs, or less */
    double first;  /* of all SMs, or less */
};

/* The first two ends of groups of an SM that follow a clock, as its readings, and the group of the first. */
struct sms__next_ends {
    double first, second; /* INFINITY: none */
    size_t group;
};

/* The clock of blocks that one set of resources of scope device slows more than their SMs do. It counts the work that
 * such a block does. */
struct sms__device_clock {
    struct sms__blocks *device;
    uint32_t resources; /* one bit each */
    double base, speed, slow;
    uint64_t since;
    size_t source;
    struct sms__next_ends *next; /* [sms] */
    uint64_t *node;              /* [2 leaves]: a tournament, by SM: the first of them, but for some bits */
    size_t leaves;
    uint64_t mask;            /* those bits, which have the SM */
    bool changed;             /* a first end has, since `first` was found */
    size_t first;             /* the SM of which a group ends first; if there is one */
    double reading;           /* that of its end; INFINITY: none */
    uint64_t later;           /* no group of another SM ends before this key */
    struct sms__bounds rises; /* by SM: the least sm_slow of a group that does not follow the clock */
    struct sms__bounds falls; /* by SM: the greatest sm_slow of a group that does, negative */
};

static inline double sms__device_clock_reading(const struct sms__device_clock *clock, uint64_t now)
{
    return clock->base + (double)(int64_t)(now - clock->since) * clock->speed; /* signed: a shorter conversion */
}

/* Has the SM rated at the end of this instant. */
void sms__mark_changed(struct sms__sm_state *sm);

void sms__device_clock_init(struct sms__blocks *device);
struct sms__device_clock *sms__device_clock_of(const struct sms__blocks *device, const struct sms__footprint *fit);
bool sms__device_clock_advance(struct sms__device_clock *clock, uint64_t now); /* true if its speed changed */
void sms__device_clock_update(struct sms__blocks *device, uint64_t now);       /* before SMs are rated */
/* Updates what the clock keeps of an SM that was rated. */
void sms__device_clock_track(struct sms__device_clock *clock, const struct sms__sm_state *sm);
void sms__device_clock_schedule(struct sms__blocks *device); /* after all are */

#endif
