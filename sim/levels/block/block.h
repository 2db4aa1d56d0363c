/* The block level: the SMs of one device, the blocks on them, and the kernels
 * whose blocks wait for a place.
 *
 * Blocks of one launch on one SM form a group. All of a group run at one speed,
 * so the group has a clock of work done per block, and a block is the reading of
 * that clock at which it ends: when speeds change only the groups' clocks are
 * touched, never the blocks. A clock is brought to now only when its speed
 * changes, so what it shows does not depend on who looks at it, or when.
 *
 * reference.c does the same the plain way: it is what all the rest is tested
 * against, bit by bit. */
#ifndef SMS_LEVELS_BLOCK_H
#define SMS_LEVELS_BLOCK_H

#include "../../base/rng.h"
#include "../../engine/engine.h"
#include "../../record/record.h"

enum { SMS__NONE = UINT16_MAX };

/* One or more equal blocks that came and will go together. */
struct sms__resident {
    double end; /* on the group's clock */
    uint32_t blocks;
    uint16_t next, prev; /* in the SM's pool; by rising end */
};

/* The same, as far as it matters only when it comes and when it goes. */
struct sms__visit {
    uint64_t start; /* ps */
    uint64_t work;  /* ps at full speed */
};

/* A kernel launch on a device: a counter of blocks, not a list. */
struct sms__launch {
    const struct sms__fit *fit;
    const struct sms__kernel *kernel;
    const char *vm;
    struct sms__kernel_record *record;
    struct sms__span_record *span; /* of the record, on the launch's device */
    gsl_rng *stream;
    void (*ended)(void *subject, uint64_t now); /* once its last block has left */
    void *subject;
    size_t kind;          /* which (VM, kernel), among all of the run */
    size_t owner;         /* of which dispatch queue */
    size_t tenant;        /* for policies, as deadline_ps and what the next block has */
    uint64_t deadline_ps; /* UINT64_MAX: none */
    uint64_t number;
    struct sms__blocks *device;
    struct sms__policy_room *own; /* the policy's state of it, or NULL */
    uint64_t blocks;              /* of the grid */
    uint64_t waiting, resident;
    uint64_t launched_ps;
    uint64_t served_ps; /* when its latest block was placed, or it was launched */
    uint64_t place;     /* in its queue, among those of its priority: earlier ones are lower */
    struct sms__shape *shape;
    struct sms__dispatch_queue *queue;
    struct sms__lane *lane;
    struct sms__launch *next, *prev;    /* of its queue */
    struct sms__launch *alike, *before; /* the same, of its lane */
    double priority;
    uint64_t explained;     /* device->leaves when it was last explained, + 1 */
    uint64_t in_wave;       /* blocks in a round (wave.c) */
    uint64_t parts;         /* of the work of its resident blocks, as of the latest sms__blocks_add_partial */
    uint64_t left, counted; /* kept and looked at by check.c only */
};

/* The SMs that kernels of one owner may use. May change while nothing of the owner is under way. */
struct sms__allowed {
    size_t owner;
    uint64_t *row; /* a bit each */
};

static inline bool sms__may_use(const struct sms__allowed *allowed, size_t sm)
{
    return !allowed || (allowed->row[sm / 64] >> (sm % 64) & 1);
}

/* Launches whose blocks need and demand the same, and may use the same SMs: what refuses one refuses all. */
struct sms__shape {
    const struct sms__fit *fit;
    const struct sms__allowed *allowed; /* NULL: all SMs */
    struct sms_block_request request;   /* of a policy that looks at nothing else */
    uint64_t *row;                      /* SMs that may take such a block: a bit each */
    uint64_t *summary;                  /* words of the row that are not 0: a bit each */
    size_t candidates;                  /* bits of the row */
    size_t newest;                      /* the SM whose bit was set last */
    uint64_t seen;                      /* leaves that the row knows of */
    uint64_t refused_at;                /* device->leaves when it last fitted nowhere, + 1 */
};

/* Launches of one shape that wait in one queue, in the queue's order. */
struct sms__lane {
    struct sms__launch *head, *tail;
};

/* State of a policy for one launch. */
struct sms__policy_room {
    struct sms__policy_room *next; /* of those that are free */
    max_align_t bytes[];
};

/* Since when who takes turns has begun with whom. */
struct sms__turn {
    const void *began;
    size_t blocks; /* placed since */
};

/* A dispatch queue: the launches of one owner that wait, by falling priority, then by place. */
struct sms__dispatch_queue {
    struct sms__launch *head, *tail;
    struct sms__launch *at; /* the next to be asked in this dispatch; those before it were refused */
    uint64_t dispatch;      /* of which `at` is */
    struct sms__turn turn;
    struct sms__lane *lane;                  /* by shape; NULL before the first launch */
    struct sms__dispatch_queue *next, *prev; /* queues in which a launch waits, the least recently served first */
};

struct sms__group {
    struct sms__launch *launch;
    double base;        /* ps of work done by a block that was there from the start, at `since` */
    double speed, slow; /* slow = 1 / speed */
    double own;         /* slowdown by the SM's own resources */
    uint64_t since;
    uint64_t due;                    /* when the first resident leaves; of a group that is bound: not kept */
    struct sms__device_clock *bound; /* the device's clock that it follows, or NULL (clock.c) */
    double mark;                     /* that clock's reading when this one's was `base` */
    uint32_t blocks;
    uint16_t first, last; /* residents */
};

struct sms__sm_state {
    double usage[SMS_RESOURCES_MAX]; /* parts; of scope device: this SM's part of the device's */
    uint64_t used[SMS_LIMITS];
    uint64_t integrated_ps;
    uint32_t over;                  /* bit r: own resource r is over 100 %, as of the last rating */
    uint16_t groups, free;          /* free: first of the pool's free list */
    uint16_t next_group;            /* the only one that ends at the next event, or SMS__NONE: look */
    struct sms__group *group;       /* [limit of blocks]; in the order in which they came */
    struct sms__resident *resident; /* [limit of blocks] */
    struct sms__visit *visit;       /* [limit of blocks] */
    struct sms__blocks *device;
    size_t source;
    uint32_t idx; /* in the device */
    bool dirty;
};

/* The device's own resources, as far as one set of them slows those that use it:
 * the clock of work that such a block does where the device alone slows it. */
struct sms__device_clock {
    struct sms__blocks *device;
    uint32_t resources; /* a bit each */
    double base, speed, slow;
    uint64_t since;
    size_t source;
    struct sms__queue key;   /* by SM: the first end of a bound group, as the bits of a reading */
    struct sms__queue rises; /* by SM: the least slowdown of its own of a group that is not bound */
    struct sms__queue falls; /* by SM: the greatest of one that is, bits turned over */
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
    bool device_scope;               /* a demand on a resource of scope device exists */
    double total[SMS_RESOURCES_MAX]; /* usage of the device, for those of scope device */
    uint64_t total_since_ps;
    bool pressed;    /* one of those was over 100 % when SMs were last rated */
    uint32_t *dirty; /* SMs to rate again at this instant */
    size_t dirties;
    uint32_t own;                 /* bit r: resource r is of scope sm */
    struct sms_group *rate_group; /* scratch, as the next two */
    double *rate_speed, *rate_scratch;
    struct sms__device_clock *clock; /* [clocks]: for models that say how much a resource slows */
    size_t clocks, max_clocks;
    struct sms__action dispatch;
    int discipline;       /* enum sms_queue */
    bool takes_turns;     /* kernels of a queue offer one block each in turn */
    bool passes_over;     /* a kernel whose block fits nowhere does not hold up the others of its queue */
    uint64_t patience_ps; /* until it does; SMS__NEVER: it never does */

    /* queue.c: kernels that wait. */
    struct sms__dispatch_queue *queue;        /* [queues] */
    struct sms__dispatch_queue *first, *last; /* of those in which a launch waits */
    size_t queues, waiting;
    struct sms__turn turn; /* of the queues */
    uint64_t places, dispatches;
    struct sms__shape *shape;     /* [shapes] */
    struct sms__shape **shape_of; /* [kinds] */
    size_t shapes;
    size_t varied; /* waiting launches whose blocks' work is drawn */

    /* search.c: where there is room. */
    uint64_t leaves; /* times that a block left an SM */
    uint32_t *left;  /* [room_left]: the SMs of the latest of those, in a ring */
    size_t room_left;
    size_t full; /* SMs with as many blocks as they hold: no block fits there, whatever it is */
    size_t ring; /* the SM at which a ring search starts */
    size_t words;
    struct sms__wave *wave;
    bool in_rounds; /* rounds of this dispatch are kept */

    uint64_t checked_ps;              /* the latest check */
    struct sms__reference *reference; /* reference.c, instead of all that is above; or NULL */
    const struct sms_run_options *options;
    const struct sms__allowed *const *allowed; /* [kinds], each may be NULL; NULL: nobody is kept to SMs of its own */
    const char *label;                         /* of the policy, for observers; NULL: nobody watches */
    size_t tenants;                            /* for policies */
    bool promised;                             /* the policy is pure and monotone, or asks for nothing but room */
    bool pure;                                 /* it looks at nothing but a block's shape */
    void *of_run;                              /* the policy's state, as the next */
    struct sms__policy_room *rooms;
    uint64_t launches;
    size_t owners; /* of launches, each with a dispatch queue; 0: one for all */
    bool watched;  /* decisions are told to an observer */
    bool held;     /* no block is dispatched */
};

/* What the kernels of the run are on this device: by (VM, kernel); NULL for those that do not run. */
void sms__blocks_init(struct sms__blocks *device, struct sms__arena *arena, const struct sms__fit *const *kinds,
                      size_t n_kinds);

/* Says that the SMs allowed to kernels of this kind have changed. None of them is under way. */
void sms__blocks_reallow(struct sms__blocks *device, size_t kind);

/* Puts a kernel in queue; its blocks are dispatched at the end of this instant. */
void sms__blocks_launch(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);

/* Takes a kernel off the device, and out of queue, before its last block has left: it has not ended, and nobody is
 * told. The room is dispatched into at the end of this instant. */
void sms__blocks_drop(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);

/* Brings the integrals of SMs and device to `now`. */
void sms__blocks_integrate(struct sms__blocks *device, uint64_t now);

/* Adds what blocks under way have had so far to their kernels' records (sign 1), or takes it away (-1). */
void sms__blocks_add_partial(struct sms__blocks *device, int sign, uint64_t now);

/* How much of a launch under way is done, in parts; to be called once after each credit. */
uint64_t sms__launch_parts(struct sms__launch *launch);

/* Dispatches no more blocks until it is let go. */
void sms__blocks_hold(struct sms__blocks *device, bool hold);

/* The work of a block: drawn, if the kernel's varies. */
bool sms__is_drawn(const struct sms__kernel *kernel);
uint64_t sms__draw(const struct sms__fit *fit, const struct sms__kernel *kernel, gsl_rng *stream);

bool sms__blocks_busy(const struct sms__blocks *device);

#endif
