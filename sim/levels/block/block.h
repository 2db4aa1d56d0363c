/* The block level: the SMs of one device, the blocks on them, and the kernels whose blocks wait.
 *
 * Blocks of one launch on one SM form a group. All blocks of a group run at one speed, so the group has a clock that
 * counts the work done per block, and each block ends at a fixed reading of that clock. When speeds change, only the
 * groups' clocks change, never the blocks. A clock is brought up to date only when its speed changes, so its reading
 * does not depend on who reads it, or when.
 *
 * reference.c computes the same in the simplest way. All other code is tested against it, bit by bit. */
#ifndef SMS_LEVELS_BLOCK_H
#define SMS_LEVELS_BLOCK_H

#include "../../base/rng.h"
#include "../../engine/engine.h"
#include "../../record/record.h"

enum { SMS__NONE = UINT16_MAX };

/* One or more equal blocks that were placed and will leave together. */
struct sms__resident {
    double end; /* reading of the group's clock at which they end */
    uint32_t blocks;
    uint16_t next, prev; /* in the SM's pool; by rising end */
};

/* The part of a resident that is used only when it is placed and when it leaves. */
struct sms__resident_cold {
    uint64_t start; /* ps */
    uint64_t work;  /* ps at full speed */
};

/* A kernel launch on a device. It counts its blocks and does not list them. */
struct sms__launch {
    const struct sms__fit *fit;
    const struct sms__kernel *kernel;
    const char *vm;
    struct sms__kernel_record *record;
    struct sms__span_record *span; /* of the record, on the launch's device */
    gsl_rng *stream;
    void (*ended)(void *subject, uint64_t now); /* called once its last block has left */
    void *subject;
    size_t kernel_type;   /* index of its pair of VM and kernel in the whole run */
    size_t owner;         /* index of its dispatch queue */
    size_t tenant;        /* for policies, like deadline_ps and number */
    uint64_t deadline_ps; /* UINT64_MAX if it has none */
    uint64_t number;
    struct sms__blocks *device;
    struct sms__policy_state *policy_state; /* the policy's state for it, or NULL */
    uint64_t blocks;                        /* of the grid */
    uint64_t waiting, resident;             /* blocks */
    uint64_t launched_ps;
    uint64_t served_ps; /* time of the latest placement, or of the launch */
    uint64_t position;  /* in its queue, within its priority: earlier launches are lower */
    struct sms__shape *shape;
    struct sms__dispatch_queue *queue;
    struct sms__lane *lane;
    struct sms__launch *next, *prev;           /* in its queue */
    struct sms__launch *lane_next, *lane_prev; /* in its lane */
    double priority;
    uint64_t explained;     /* device->departures when its wait was last explained, + 1 */
    uint64_t in_round;      /* its blocks in a round (wave.c) */
    uint64_t parts;         /* done by its resident blocks, as of the latest sms__blocks_add_partial */
    uint64_t left, counted; /* blocks; for check.c only */
};

/* The SMs that kernels of one owner may use. They may change only while no kernel of the owner is under way. */
struct sms__allowed {
    size_t owner;
    uint64_t *row; /* one bit per SM */
};

static inline bool sms__may_use(const struct sms__allowed *allowed, size_t sm)
{
    return !allowed || (allowed->row[sm / 64] >> (sm % 64) & 1);
}

/* A block shape. Launches share it if their blocks have the same needs, demands and allowed SMs, so that a refusal of
 * one is a refusal of all. */
struct sms__shape {
    const struct sms__fit *fit;
    const struct sms__allowed *allowed; /* NULL: all SMs */
    struct sms_block_request request;   /* for a policy that looks only at the shape */
    uint64_t *row;                      /* candidates: SMs that may take such a block, one bit each */
    uint64_t *summary;                  /* which words of `row` are not 0, one bit each */
    size_t candidates;                  /* bits set in `row` */
    size_t newest;                      /* the SM whose bit was set last */
    uint64_t seen_departures;           /* device->departures that `row` takes into account */
    uint64_t refused_at;                /* device->departures when it last fitted nowhere, + 1 */
};

/* The launches of one shape in one queue, in the queue's order. */
struct sms__lane {
    struct sms__launch *head, *tail;
};

/* A policy's state for one launch. */
struct sms__policy_state {
    struct sms__policy_state *next; /* in the free list */
    max_align_t bytes[];
};

/* A cycle of turns among launches of a queue, or among queues. */
struct sms__turn {
    const void *first; /* the one that had the first turn of the cycle */
    size_t blocks;     /* placed since then */
};

/* A dispatch queue: the waiting launches of one owner, by falling priority, then by position. */
struct sms__dispatch_queue {
    struct sms__launch *head, *tail;
    struct sms__launch *current; /* the next to ask in this dispatch; those before it were refused */
    uint64_t dispatch;           /* the dispatch for which `current` is valid */
    struct sms__turn turn;
    struct sms__lane *lane;                  /* by shape; NULL before the first launch */
    struct sms__dispatch_queue *next, *prev; /* queues with a waiting launch, the least recently served first */
};

struct sms__group {
    struct sms__launch *launch;
    double base;                     /* the clock's reading at `since`: ps of work done per block */
    double speed, slow;              /* slow = 1 / speed */
    double sm_slow;                  /* slowdown by the SM's own resources */
    uint64_t since;                  /* ps */
    uint64_t due;                    /* time at which the first resident leaves; only if `clock` is NULL */
    struct sms__device_clock *clock; /* the device clock that the group follows, or NULL (device_clock.c) */
    double clock_base;               /* reading of that clock when the group's reading was `base` */
    uint32_t blocks;
    uint16_t first, last; /* residents */
};

struct sms__sm_state {
    double usage[SMS_RESOURCES_MAX]; /* parts; for scope device: this SM's part of the device's usage */
    uint64_t used[SMS_LIMITS];
    uint64_t integrated_ps;          /* time up to which the integrals are complete */
    uint32_t oversubscribed;         /* bit r: resource r of scope sm was over 100 % at the last rating */
    uint16_t groups, free;           /* number of groups; head of the pool's free list */
    uint16_t next_group;             /* the only group that ends at the next event; SMS__NONE if not known */
    struct sms__group *group;        /* [limit of blocks]; in order of arrival */
    struct sms__resident *resident;  /* [limit of blocks]; the pool */
    struct sms__resident_cold *cold; /* [limit of blocks]; by index in the pool */
    struct sms__blocks *device;
    size_t source;
    uint32_t idx; /* in the device */
    bool dirty;   /* to be rated again at the end of this instant */
};

/* The clock of blocks that one set of resources of scope device slows more than their SMs do. It counts the work that
 * such a block does. */
struct sms__device_clock {
    struct sms__blocks *device;
    uint32_t resources; /* one bit each */
    double base, speed, slow;
    uint64_t since;
    size_t source;
    struct sms__queue key;   /* by SM: the first end of a group that follows the clock, as the bits of a reading */
    struct sms__queue rises; /* by SM: the least sm_slow of a group that does not follow the clock */
    struct sms__queue falls; /* by SM: the greatest sm_slow of a group that does, with its bits inverted */
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
    size_t idx, first_sm;     /* index of the device; index of its first SM among all SMs of the run */
    struct sms__sm_state *sm; /* [sms] */
    size_t sms;
    bool device_scope;               /* some kernel demands a resource of scope device */
    double total[SMS_RESOURCES_MAX]; /* usage of the whole device, parts; for resources of scope device */
    uint64_t total_since_ps;
    bool oversubscribed; /* a resource of scope device was over 100 % at the last rating */
    uint32_t *dirty;     /* SMs to rate again at the end of this instant */
    size_t dirty_count;
    uint32_t sm_scope;            /* bit r: resource r is of scope sm */
    struct sms_group *rate_group; /* scratch, like the next two */
    double *rate_speed, *rate_scratch;
    struct sms__device_clock *clock; /* [clocks]; for models with a `slowdown` function */
    size_t clocks, max_clocks;
    struct sms__action dispatch;
    int discipline;       /* enum sms_queue */
    bool takes_turns;     /* the kernels of a queue offer one block each in turn */
    bool passes_over;     /* a kernel whose block fits nowhere does not stop its queue */
    uint64_t patience_ps; /* time after which it does; SMS__NEVER if never */

    /* dispatch_queue.c: kernels whose blocks wait. */
    struct sms__dispatch_queue *queue;        /* [queues] */
    struct sms__dispatch_queue *first, *last; /* queues with a waiting launch */
    size_t queues, waiting;
    struct sms__turn turn; /* among the queues */
    uint64_t positions, dispatches;
    struct sms__shape *shape;     /* [shapes] */
    struct sms__shape **shape_of; /* [kernel types] */
    size_t shapes;
    size_t waiting_random; /* waiting launches with random work per block */

    /* search.c: SMs with room. */
    uint64_t departures; /* how often a block has left an SM */
    uint32_t *recent;    /* [recent_size]: the SMs of the latest departures, a ring */
    size_t recent_size;
    size_t full_sms;   /* SMs that hold their maximum of blocks, so that no block of any shape fits */
    size_t ring_start; /* the SM at which a ring search starts */
    size_t words;
    struct sms__wave *wave;
    bool in_rounds; /* this dispatch logs its rounds */

    uint64_t checked_ps;              /* time of the latest check */
    struct sms__reference *reference; /* reference.c, which replaces all of the above; or NULL */
    const struct sms_run_options *options;
    const struct sms__allowed *const
        *allowed;           /* [kernel types], each may be NULL; NULL: every kernel may use all SMs */
    const char *label;      /* the policy's label, for observers; NULL if there are none */
    size_t tenants;         /* for policies */
    bool cacheable;         /* refusals can be cached: the policy is pure and monotone, or only asks
                             * for room */
    bool pure;              /* the policy looks only at a block's shape */
    void *policy_run_state; /* the policy's state for the run, or NULL */
    struct sms__policy_state *free_states;
    uint64_t launches;
    size_t owners; /* of launches, each with a dispatch queue; 0: one queue for all */
    bool observed; /* an observer gets every decision */
    bool held;     /* no block is dispatched */
};

/* Prepares the device. `kernel_types` has the kernel types of the run as they are on this device, indexed by pairs of
 * VM and kernel; NULL for types that do not run here. */
void sms__blocks_init(struct sms__blocks *device, struct sms__arena *arena, const struct sms__fit *const *kernel_types,
                      size_t n_kernel_types);

/* Call this when the SMs allowed to kernels of this type have changed. None of them may be under way. */
void sms__blocks_update_allowed(struct sms__blocks *device, size_t kernel_type);

/* Adds a kernel to its queue. Its blocks are dispatched at the end of this instant. */
void sms__blocks_launch(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);

/* Removes a kernel from the device and its queue before its last block has left. It has not ended, and its `ended` is
 * not called. The freed room is dispatched to at the end of this instant. */
void sms__blocks_drop(struct sms__blocks *device, struct sms__launch *launch, uint64_t now);

/* Advances the integrals of the SMs and the device to `now`. */
void sms__blocks_integrate(struct sms__blocks *device, uint64_t now);

/* Adds the work of blocks under way to their kernels' records (sign 1), or subtracts it (-1). */
void sms__blocks_add_partial(struct sms__blocks *device, int sign, uint64_t now);

/* Returns how much of a launch under way is done, in parts. Call it once after each sms__blocks_add_partial. */
uint64_t sms__launch_parts(struct sms__launch *launch);

/* Stops the dispatch of blocks, or starts it again. */
void sms__blocks_hold(struct sms__blocks *device, bool hold);

/* True if the work of the kernel's blocks is random. */
bool sms__is_drawn(const struct sms__kernel *kernel);
/* Returns the work of a block, ps at full speed; a random draw if sms__is_drawn. */
uint64_t sms__draw(const struct sms__fit *fit, const struct sms__kernel *kernel, gsl_rng *stream);

/* True if a block is on some SM. */
bool sms__blocks_busy(const struct sms__blocks *device);

#endif
