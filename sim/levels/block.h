/* The block level: the SMs of one device, the blocks on them, and the kernels
 * whose blocks wait for a place.
 *
 * Blocks of one launch on one SM form a group. All of a group run at one speed,
 * so the group keeps a clock of work done per block, and a block is the reading
 * of that clock at which it ends: when speeds change only the groups' clocks are
 * touched, never the blocks. */
#ifndef SMS_LEVELS_BLOCK_H
#define SMS_LEVELS_BLOCK_H

#include "../base/rng.h"
#include "../engine/engine.h"
#include "../record/record.h"

enum { SMS__NONE = UINT16_MAX };

/* One or more equal blocks that came and will go together. */
struct sms__resident {
    double end;     /* on the group's clock */
    uint64_t start; /* ps */
    uint32_t blocks;
    uint16_t next, prev; /* in the SM's pool; by rising end */
};

/* A kernel launch on a device: a counter of blocks, not a list. */
struct sms__launch {
    const struct sms__fit *fit;
    const struct sms__kernel *kernel;
    const char *vm;
    struct sms__kernel_record *record;
    gsl_rng *stream;
    void (*ended)(void *subject, uint64_t now); /* once its last block has left */
    void *subject;
    size_t kind;     /* which (VM, kernel): the row of device->candidate */
    uint64_t blocks; /* of the grid */
    uint64_t waiting, resident;
    uint64_t launched_ps;
    struct sms__launch *next, *prev; /* in the ring of those that wait */
    uint64_t refused_at;             /* device->leaves when it last fitted nowhere, + 1 */
};

struct sms__group {
    struct sms__launch *launch;
    double clock; /* ps of work done by a block that was there from the start */
    double speed;
    uint32_t blocks;
    uint16_t first, last; /* residents */
};

struct sms__sm_state {
    double usage[SMS_RESOURCES_MAX]; /* parts; of scope device: this SM's part of the device's */
    uint64_t used[SMS_LIMITS];
    uint64_t settled_ps;
    struct sms__group *group;       /* [limit of blocks] */
    struct sms__resident *resident; /* [limit of blocks] */
    uint16_t groups, free;          /* free: first of the pool's free list */
    uint32_t source;
    uint32_t idx; /* in the device */
    bool dirty, over;
    struct sms__blocks *device;
};

/* The state of a device at this level. */
struct sms__blocks {
    struct sms__engine *engine;
    struct sms__arena *arena;
    const struct sms__device *model;
    const struct sms__policy_use *policy;
    const struct sms_contention *contention;
    struct sms_contention_view contention_view;
    struct sms__device_record *record;
    struct sms__record *run;
    size_t idx, first_sm;     /* of the device; of its SMs among all */
    struct sms__sm_state *sm; /* [sms] */
    size_t sms;
    bool device_wide;                /* a demand on a resource of scope device exists */
    double total[SMS_RESOURCES_MAX]; /* usage of the device, for those of scope device */
    uint64_t total_since_ps;
    bool pressed;    /* one of those was over 100 % when SMs were last rated */
    uint32_t *dirty; /* SMs to rate again at this instant */
    size_t dirties;
    struct sms_group *rate_group; /* scratch */
    double *rate_scratch;
    struct sms__action dispatch;
    int queue;                              /* enum sms_queue */
    struct sms__launch *head, *tail, *turn; /* waiting kernels, by launch; whose turn it is */
    size_t waiting;
    uint64_t leaves;     /* instants at which a block left or a kernel came */
    size_t full;         /* SMs with as many blocks as they hold: no block fits there, whatever it is */
    size_t ring;         /* the SM at which a ring search starts */
    uint64_t *candidate; /* [kinds][words]: SMs that may take such a block */
    size_t words;
    const struct sms_run_options *options;
    const char *label; /* of the policy, for observers; NULL: nobody watches */
};

/* `kinds` is the number of (VM, kernel) pairs. */
void sms__blocks_init(struct sms__blocks *device, struct sms__arena *arena, size_t kinds);

/* Puts a kernel in line; its blocks are dispatched at the end of this instant. */
void sms__blocks_launch(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);

/* Brings all clocks and integrals to `now`. */
void sms__blocks_settle(struct sms__blocks *device, uint64_t now);

/* sm.c: one SM. */
void sms__sm_fire(void *subject, uint64_t now);
void sms__sm_settle(struct sms__sm_state *sm, uint64_t now);
void sms__sm_place(struct sms__sm_state *sm, struct sms__launch *launch, uint64_t now);

/* rate.c: speeds and next events of the SMs that changed. */
void sms__rate(struct sms__blocks *device, uint64_t now);
void sms__settle_total(struct sms__blocks *device, uint64_t now);

/* What a policy or a model sees of an SM's usage: device-wide resources averaged. `patched` is room for it. */
const double *sms__seen_usage(const struct sms__sm_state *sm, double patched[SMS_RESOURCES_MAX]);

/* search.c: the SM for the next block of a launch, or -1. */
long sms__search(struct sms__blocks *device, struct sms__launch *launch);
enum { SMS__ALLOWED = -1, SMS__REFUSED_BY_LIMIT = 1000 };
/* SMS__ALLOWED, the index of the resource that refuses, or SMS__REFUSED_BY_LIMIT + the limit. */
int sms__verdict(const struct sms__blocks *device, size_t sm, const struct sms__fit *fit);

/* explain.c: tells the observer of a decision. `ring` is where a ring search started. */
void sms__explain(struct sms__blocks *device, const struct sms__launch *launch, size_t ring, long sm, uint64_t now);

#endif
