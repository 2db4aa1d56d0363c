/* One SM: the groups of blocks on it. */
#ifndef SMS_LEVELS_BLOCK_SM_H
#define SMS_LEVELS_BLOCK_SM_H

#include "composition.h"
#include "device_clock.h"

enum { SMS__NONE = UINT16_MAX };

/* One or more equal blocks that were placed and will leave together. */
struct sms__resident {
    double end; /* reading of the group's clock at which they end */
    uint32_t blocks;
    uint16_t next, prev; /* in the SM's pool; by rising end */
};

/* The part of a resident that is used only when it is placed and when it leaves. */
struct sms__resident_cold {
    struct sms__launch *launch;
    uint64_t start; /* ps */
    uint64_t work;  /* ps at full speed */
};

/* The blocks of one shape on an SM, or of one launch if the model or the policy tells launches apart. */
struct sms__block_group {
    const void *kin;                  /* that of their launches */
    const struct sms__footprint *fit; /* of a launch of their shape, at hand: events visit all groups of an SM */
    struct sms__device_clock *wide;   /* the device clock that the group may follow, or NULL */
    uint32_t shape;                   /* index */
    double base;                      /* the clock's reading at `since`: ps of work done per block */
    double speed, slow;               /* slow = 1 / speed */
    double sm_slow;                   /* slowdown by the SM's own resources; where slowdowns add up, their sum */
    uint64_t since;                   /* ps */
    struct sms__device_clock *clock;  /* `wide` while the group follows it, or NULL */
    double clock_base;                /* reading of that clock when the group's reading was `base` */
    uint32_t blocks;
    uint16_t first, last; /* residents */
};

struct sms__sm_state {
    struct sms__composition *composition;
    const struct sms__composition *rated; /* that of the last rating; NULL if it must be rated anew in any case */
    uint64_t integrated_ps;               /* time up to which the integrals are complete */
    uint64_t may;                         /* shapes that may use it, one bit each; if compositions know room */
    uint16_t groups, free;                /* number of groups; head of the pool's free list */
    struct sms__block_group *next_group;  /* the only group that ends at the next event; NULL if not known */
    struct sms__block_group *group;       /* [limit of blocks]; in order of arrival */
    struct sms__resident *resident;       /* [limit of blocks]; the pool; NULL in the reference engine */
    struct sms__resident_cold *cold;      /* [limit of blocks]; by index in the pool */
    struct sms__blocks *device;
    uint32_t idx; /* in the device */
    bool dirty;   /* to be rated again at the end of this instant */
    bool coupled; /* a group's speed depends on those of groups that a resource of scope device stops (levels.c) */
};

/* Returns the reading of the group's clock. */
static inline double sms__group_clock(const struct sms__block_group *group, uint64_t now)
{
    if (group->clock)
        return group->base + (sms__device_clock_reading(group->clock, now) - group->clock_base);
    return group->base + (double)(int64_t)(now - group->since) * group->speed;
}

/* Returns the time at which the clock will read `end` if speeds stay as they are. */
static inline uint64_t sms__group_due(const struct sms__block_group *group, double end)
{
    const struct sms__device_clock *clock = group->clock;
    if (clock)
        return sms__after(clock->since, (group->clock_base + (end - group->base) - clock->base) * clock->slow);
    return sms__after(group->since, (end - group->base) * group->slow);
}

static inline void sms__record_leave(struct sms__launch *launch, uint64_t work, uint64_t elapsed, uint32_t blocks)
{
    launch->resident -= blocks;
    launch->left += blocks;
    launch->record->blocks += blocks;
    launch->span->residence_ps += (sms__integral)elapsed * blocks;
    launch->span->work_ps += (sms__integral)work * blocks;
}

static inline void sms__record_placed(struct sms__launch *launch, uint64_t now)
{
    launch->waiting--;
    launch->resident++;
    launch->record->placed++;
    launch->record->wait_ps += now - launch->launched_ps;
}

/* Adds the resident threads since the last integration to the intervals that this time spans. */
void sms__sm_fill_bins(struct sms__sm_state *sm, uint64_t now);
void sms__sm_touch(struct sms__sm_state *sm, uint64_t now);
/* Adds a block of the launch to its group, but not to the composition. */
void sms__sm_put(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now);
/* Places a block. */
void sms__sm_place(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now);

void sms__start_group(struct sms__block_group *group, struct sms__launch *launch, uint64_t now);
void sms__remove_group(struct sms__sm_state *sm, struct sms__block_group *group);
uint64_t sms__draw_work(const struct sms__launch *launch);
void sms__record_part(struct sms__launch *launch, uint64_t work, double left, uint64_t elapsed, int64_t blocks);
/* Only if an observer wants it. */
void sms__emit_block_span(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch, uint64_t start,
                          uint64_t end, uint32_t blocks);

#endif
