/* Speeds and next events of the SMs that changed, and the usage of the whole device. */
#ifndef SMS_LEVELS_BLOCK_RATE_H
#define SMS_LEVELS_BLOCK_RATE_H

#include "../../model/policy/join.h"
#include "../filling.h"
#include "device_usage.h"
#include "sm.h"

/* What the contention model has answered for a usage. Usages are sums of whole parts and come again. */
struct sms__known_slowdown {
    double usage, slowdown; /* slowdown 0: not asked yet */
};
enum { SMS__KNOWN = 256 };

/* The blocks of an SM that have one shape. */
struct sms__equal_blocks {
    uint32_t shape;
    size_t blocks;
    const struct sms__footprint *fit;
    double speed;
};

/* The users of a resource of scope device, all at the speeds that SMs alone allow: those below a speed, and the others.
 */
struct sms__water {
    uint64_t cut;          /* that speed, in parts (levels.c) */
    uint64_t below, above; /* the slower ones are no faster, and the others no slower; in parts */
    int64_t demand;        /* of the others */
    sms__integral left;    /* what the slower ones leave to them, in parts of 2^-48 */
};

/* For models that are max-min: how fast the SMs and the resources of scope device let blocks run. */
struct sms__levels {
    double slow[SMS_RESOURCES_MAX]; /* by a resource of scope device; at most 1: it is not full */
    double *own_slow; /* [sms][limit of blocks]: of blocks by shape, by SMs with compositions of their own */
    struct sms__equal_blocks *equal; /* [shapes]: the blocks of the SM that is looked at, by rising shape */
    struct sms__user *blocks;        /* the same, scratch */
    size_t shapes;
    struct sms__level_user *user;               /* [users], in no order */
    size_t users, coupled;                      /* `coupled`: number of coupled SMs */
    int64_t uneven;                             /* SMs whose composition is not `even` */
    struct sms__water water[SMS_RESOURCES_MAX]; /* of the shared compositions that SMs have */
};

struct sms__rating {
    double total[SMS_RESOURCES_MAX]; /* usage of the whole device, parts; for resources of scope device */
    struct sms_join join;            /* how slowdowns join (join.h) */
    bool adds;                       /* they add up, rather than that the greatest counts */
    double felt[SMS_RESOURCES_MAX];  /* the pressure that blocks feel of resources of scope device, if `adds` */
    uint32_t knees;                  /* bit r: resource r slows its users even at 100 %; only with `slowdown` */
    bool free_below_full; /* no resource slows its users at 100 % or below, by the model's promise or on this device */
    double *pressure;     /* the same at no load; `total` unless the contention model tells them apart */
    struct sms__implied implied;
    bool spreads;        /* only the model knows what the device-wide usage of one SM means to others */
    bool oversubscribed; /* a resource of scope device was over 100 % at the last rating */
    uint32_t *dirty;     /* SMs to rate again at the end of this instant */
    size_t dirty_count;
    uint32_t sm_scope, device_scope;   /* bit r: resource r is of this scope */
    struct sms__known_slowdown *known; /* [knees][SMS__KNOWN]: slowdowns of the resources of `knees`, in order */
    struct sms_group *group;           /* what contention models read and write, like the next */
    double *speed;
    struct sms__levels levels;
};

void sms__rate_init(struct sms__blocks *device);
void sms__rate(struct sms__blocks *device, uint64_t now);
/* The same if this is the only SM whose composition has changed, and not `spreads`. */
void sms__rate_changed(struct sms__sm_state *sm, uint64_t now);
/* The same if blocks of one SM have changed, but not its composition. */
void sms__schedule_as_rated(struct sms__sm_state *sm, uint64_t now);
/* Gives the only group of an SM its speed, for models with `slowdown`, and returns when its next block ends. There are
 * no resources of scope device. */
uint64_t sms__rate_only(struct sms__sm_state *sm, uint64_t now);
/* Finds by how much the resources of scope sm slow their users. Returns those that may, one bit each, of which alone
 * `slowdown` is set. For models with `slowdown`. */
uint32_t sms__sm_slowdowns(const struct sms__blocks *device, const struct sms__composition *composition,
                           double slowdown[SMS_RESOURCES_MAX]);
/* Returns what the slowdowns of these resources join to, a sum that begins with 1. */
static inline double sms__sum(const double *slowdown, uint32_t resources, double exponent)
{
    double sum = 1;
    for (; resources; resources &= resources - 1)
        sum = sms__join(sum, slowdown[__builtin_ctz(resources)], exponent);
    return sum;
}
/* Returns by how much the resources of scope sm slow a block; only the sum if slowdowns add up and the device adds to
 * it. */
static inline double sms__sm_slow(const struct sms__rating *rating, const double *slowdown, uint32_t slowing,
                                  const struct sms__footprint *fit)
{
    double sum = sms__sum(slowdown, slowing & fit->of_sm, rating->join.exponent);
    return fit->of_device ? sum : sms__joined(sum, rating->join.exponent);
}
/* Gives the groups of an SM the speeds that the contention model computes. */
void sms__rate_groups(struct sms__sm_state *sm, uint64_t now);
/* For sms__check: whether a model with `rate` gives the groups the same speeds when it is asked again. */
bool sms__rates_alike(struct sms__sm_state *sm);

/* Returns the usage of an SM of this composition as policies see it: for resources of scope device, the average over
 * the SMs. The result may lie in `buffer`. */
const double *sms__visible_usage(const struct sms__blocks *device, const struct sms__composition *composition,
                                 double buffer[SMS_RESOURCES_MAX]);

#endif
