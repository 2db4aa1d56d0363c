/* Finds the SM for the next block of a launch. */
#ifndef SMS_LEVELS_BLOCK_SEARCH_H
#define SMS_LEVELS_BLOCK_SEARCH_H

#include "block_shapes.h"
#include "sm.h"

struct sms__block_search {
    struct sms__shape *all; /* [count]: shapes of the run */
    size_t count;
    struct sms__shape **shape; /* [shapes]: those that have an index; NULL: no shape has this one */
    size_t shapes;
    uint64_t unused;              /* indexes that no shape has, one bit each */
    struct sms__shape **shape_of; /* [kernel types] */
    uint64_t departures;          /* how often a block has left an SM */
    uint32_t *recent;             /* [recent_size]: the SMs of the latest departures, a ring */
    size_t recent_size;
    bool knows_room;   /* what SMs take follows from their compositions: candidates are those that take the block */
    uint64_t waiting;  /* shapes with waiting launches, one bit each; if `knows_room` */
    uint64_t open;     /* shapes with candidates, the same */
    size_t closed_sms; /* SMs that take no block of any shape; if not `knows_room` */
    size_t ring_step;  /* from the SM of a block to the start of the next search */
    size_t words;
};

static inline bool sms__is_refused(const struct sms__block_search *search, const struct sms__shape *shape)
{
    return search->knows_room ? shape->candidates == 0 : shape->refused_at == search->departures + 1;
}

void sms__search_init(struct sms__blocks *device);
/* Returns the SM for the next block of the launch, or -1. Its shape must not be refused already. */
long sms__search(struct sms__blocks *device, struct sms__launch *launch);
void sms__log_departure(struct sms__blocks *device, uint32_t sm);
/* Finds the SMs that the shape may use, and those of them that take it. If compositions know which have room. */
void sms__search_allow(struct sms__blocks *device, struct sms__shape *shape);
/* The SM has got or lost room for these shapes, one bit each. If compositions know that. */
void sms__search_room(struct sms__blocks *device, uint32_t sm, uint64_t shapes);
/* Compositions do not know any more which SMs have room. */
void sms__search_forget(struct sms__blocks *device);
/* A launch of the shape begins to wait; has no waiting block any more. */
void sms__search_wait(struct sms__blocks *device, struct sms__shape *shape);
void sms__search_stop_waiting(struct sms__blocks *device, struct sms__shape *shape);
/* True if an SM of this shared composition takes a block of the shape. If compositions know that. */
bool sms__takes(const struct sms__blocks *device, const struct sms__composition *composition,
                const struct sms__shape *shape);

enum { SMS__ALLOWED = -1, SMS__REFUSED_BY_LIMIT = 1000 };
/* Returns SMS__ALLOWED, the answer of `admits` or of a hard resource, or SMS__REFUSED_BY_LIMIT. */
int sms__verdict(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);
int sms__refusing_limit(const struct sms__blocks *device, const struct sms__sm_state *sm,
                        const struct sms__footprint *fit);
double sms__score(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);

#endif
