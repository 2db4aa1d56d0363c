/* A kernel launch at the block level. It counts its blocks and does not list them. */
#ifndef SMS_LEVELS_BLOCK_LAUNCH_H
#define SMS_LEVELS_BLOCK_LAUNCH_H

#include "../../base/rng.h"
#include "../../record/record.h"

/* The SMs that kernels of one owner may use. */
struct sms__allowed {
    size_t owner;
    uint64_t *row; /* one bit per SM */
};

static inline bool sms__may_use(const struct sms__allowed *allowed, size_t sm)
{
    return !allowed || (allowed->row[sm / 64] >> (sm % 64) & 1);
}

__extension__ typedef unsigned __int128 sms__order;

struct sms__launch_list {
    struct sms__launch *first, *last;
};

struct sms__launch_link {
    struct sms__launch *next, *prev;
};

/* The lists that a launch may be in at the same time: its dispatch queue, its lane there, one of the dispatcher. */
enum sms__launch_lists { SMS__QUEUE, SMS__LANE, SMS__PENDING, SMS__LAUNCH_LISTS };

/* Where a launch stands in its dispatch queue. Kept by dispatch_queue.c. */
struct sms__queue_entry {
    struct sms__dispatch_queue *queue;
    struct sms__launch_list *lane;
    sms__order order;         /* of its priority and rank: lower ones go first */
    uint64_t position;        /* among those of the same order: earlier launches are lower */
    uint64_t lane_position;   /* the position by which it is in its lane, perhaps an earlier one */
    uint64_t turn, turn_left; /* blocks of a turn; those left of this one */
    uint64_t served_ps;       /* time of the latest placement, or of the launch */
};

/* The cost of a launch, and its wait until that is over and the device has room for its grid. Kept by dispatcher.c. */
struct sms__pending_launch {
    uint64_t cost_ps;              /* from the launch until its first block may start; set by the caller */
    uint64_t ready_ps;             /* when it is over */
    struct sms__launch_list *list; /* of the dispatcher; NULL: it waits for neither */
    bool is_grid;                  /* it counts among the grids of the device */
};

/* Launches of which the last block has left an SM at this instant. Kept by refill.c. */
struct sms__launch_end {
    struct sms__launch *next; /* the next to be told that it has ended */
    bool is_due;              /* it has not been told yet */
};

/* What single files note about a launch. */
struct sms__launch_notes {
    uint64_t explained;       /* departures when its wait was last explained, + 1 (explain.c) */
    struct sms__waits *waits; /* waits.c; NULL: nobody wants to know */
    uint64_t counted;         /* its resident blocks (check.c) */
};

struct sms__launch {
    /* Set by the caller. */
    const struct sms__footprint *fit;
    const struct sms__kernel *kernel;
    const char *vm;
    struct sms__kernel_record *record;
    struct sms__span_record *span; /* of the record, on the launch's device */
    gsl_rng *stream;
    void (*ended)(void *subject, uint64_t now); /* called once its last block has left */
    void *subject;
    size_t kernel_type;   /* index of its pair of VM and kernel in the whole run */
    size_t owner;         /* index of its dispatch queue */
    size_t tenant;        /* for policies, like deadline_ps */
    uint64_t deadline_ps; /* UINT64_MAX if it has none */
    uint64_t blocks; /* of the kernel's grid, those up to which it goes: the kernel's unless another launch follows */
    uint64_t done;   /* of these, blocks that ended before it */
    double priority;

    /* Kept by the block level. */
    struct sms__blocks *device;
    uint64_t number; /* on the device, from 1 */
    uint64_t launched_ps;
    uint64_t waiting, resident, left; /* blocks */
    uint64_t parts;                   /* done by its resident blocks, as of the latest sms__blocks_add_partial */
    struct sms__launch_link in[SMS__LAUNCH_LISTS];
    struct sms__pending_launch pending;
    struct sms__shape *shape;
    const void *kin; /* blocks of launches with the same kin are one group on an SM: the shape, or the launch itself */
    struct sms__queue_entry entry;
    struct sms__policy_state *policy_state; /* the policy's state for it, or NULL */
    struct sms__launch_end end;
    struct sms__launch_notes notes;
};

/* Inserts the launch after `prev`, or in front if that is NULL. */
static inline void sms__launch_insert(struct sms__launch_list *list, enum sms__launch_lists which,
                                      struct sms__launch *launch, struct sms__launch *prev)
{
    struct sms__launch *next = prev ? prev->in[which].next : list->first;
    launch->in[which].prev = prev;
    launch->in[which].next = next;
    *(prev ? &prev->in[which].next : &list->first) = launch;
    *(next ? &next->in[which].prev : &list->last) = launch;
}

static inline void sms__launch_remove(struct sms__launch_list *list, enum sms__launch_lists which,
                                      struct sms__launch *launch)
{
    struct sms__launch *next = launch->in[which].next, *prev = launch->in[which].prev;
    *(prev ? &prev->in[which].next : &list->first) = next;
    *(next ? &next->in[which].prev : &list->last) = prev;
}

/* True if a further launch does the rest of the kernel's blocks. */
static inline bool sms__launch_goes_on(const struct sms__launch *launch)
{
    return launch->blocks < launch->kernel->blocks;
}

/* Returns the work of a block, ps at full speed; a random draw if sms__is_drawn. */
uint64_t sms__draw(const struct sms__footprint *fit, const struct sms__kernel *kernel, gsl_rng *stream);

#endif
