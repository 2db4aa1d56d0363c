/* Compositions: the blocks on an SM, by shape, and what follows from them alone. */
#ifndef SMS_LEVELS_BLOCK_COMPOSITION_H
#define SMS_LEVELS_BLOCK_COMPOSITION_H

#include "block.h"

struct sms__sm_state;
struct sms__shape;

/* A shared composition's part about one shape. */
struct sms__composed {
    uint32_t blocks;
    double slow, speed; /* of these blocks, by scope sm (sms__sm_slow); speed = 1 / slow. Not set for models with only
                         * `rate` */
    double score; /* of an SM with this composition for one more such block; only if `scored` has the shape's bit */
    struct sms__composition *more, *less; /* with one such block more, one less; NULL until needed */
};

/* Blocks that demand resources of scope device, and that their SM alone allows one speed; for `is_max_min`. */
struct sms__level_user {
    double speed;
    uint64_t parts;                     /* the same in whole parts (levels.c) */
    uint64_t demand[SMS_RESOURCES_MAX]; /* of each resource of scope device, added up, parts */
};

struct sms__composition {
    double usage[SMS_RESOURCES_MAX]; /* parts; for scope device: this SM's part of the device's usage */
    double *pressure; /* [resources]: the same sums at no load; `usage` unless the contention model tells them apart */
    uint64_t used[SMS_LIMITS];
    uint32_t over;                /* bit r: resource r of scope sm is over 100 % */
    size_t sms;                   /* SMs that have it */
    size_t place;                 /* in `with_sms`, if there are any */
    struct sms__level_user *user; /* [users]; for models with `is_max_min` */
    size_t users;
    uint64_t *row;         /* the SMs that have it, one bit each; NULL unless `keeps_scores` */
    bool is_closed;        /* it takes no block of any shape */
    bool even;             /* speeds follow from `shape` and device clocks alone; of a shared one */
    bool is_rated;         /* levels.c knows the speeds that it allows alone; only if it is not shared */
    sms__integral time_ps; /* SMs have spent in it, and it is not in the record yet */
    uint64_t fits;         /* shapes of which it takes a block, one bit each; if compositions know that (search.h) */
    uint64_t scored;       /* shapes of which the score is known, one bit each */
    struct sms__composition *next; /* in its bucket, or in the free list */
    struct sms__composed shape[];  /* [shapes]; none in one that is not shared */
};

/* The compositions of a device. */
struct sms__compositions {
    bool shared;       /* SMs with equal blocks have the same one, which never changes. Otherwise each SM has its own */
    bool keeps_scores; /* the policy's scores depend on nothing else */
    struct sms__composition **bucket; /* by hash of its blocks; if shared */
    uint32_t *wanted;                 /* [shapes]: the blocks of the one that is looked for */
    struct sms__composition *free;
    size_t count, most;
    bool counts_sms;                    /* `with_sms` is kept, because somebody looks at it */
    struct sms__composition **with_sms; /* [present]: those that SMs have, in no order; if they are counted */
    size_t present;
    uint64_t moves, made; /* changes of SMs' compositions, and those made for them, since the table was emptied */
};

/* Gives every SM its composition: that of its background. Call this once shapes and policy are known. */
void sms__compositions_init(struct sms__blocks *device);

/* The shapes of these indexes, one bit each, of which no block is on an SM, lose them. */
void sms__compositions_drop(struct sms__blocks *device, uint64_t shapes);
/* The shape has got its index. If compositions know room. */
void sms__compositions_add(struct sms__blocks *device, const struct sms__shape *shape);
/* Gives each SM a composition of its own, equal to its shared one. */
void sms__compositions_part(struct sms__blocks *device);

/* Adds `blocks` blocks of the shape to the SM's composition; removes them if negative. */
void sms__compose(struct sms__sm_state *sm, const struct sms__shape *shape, int64_t blocks, uint64_t now);

/* Finds the shared composition with one block of the shape more, or less; NULL if SMs have just got their own. */
struct sms__composition *sms__composition_find(struct sms__blocks *device, struct sms__composition *from, size_t shape,
                                               bool more);

/* The same, for one that has probably been found already. */
static inline struct sms__composition *sms__composition_next(struct sms__blocks *device, struct sms__composition *from,
                                                             size_t shape, bool more)
{
    struct sms__composition *next = more ? from->shape[shape].more : from->shape[shape].less;
    return next ? next : sms__composition_find(device, from, shape, more);
}

/* The SM goes from one shared composition to another. If `counts_sms`. */
void sms__compositions_count(struct sms__blocks *device, size_t sm, struct sms__composition *from,
                             struct sms__composition *to);

/* Adds the time that SMs have spent in each composition to the record. Integrate all SMs first. */
void sms__compositions_record(struct sms__blocks *device);

/* Adds the time that SMs have spent in one of them. */
void sms__composition_record(struct sms__blocks *device, struct sms__composition *composition);

/* Adds what the SM's background demands. */
void sms__add_background(const struct sms__device *model, size_t sm, double *usage);

#endif
