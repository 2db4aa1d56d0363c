/* The shapes of a run's blocks. */
#ifndef SMS_LEVELS_BLOCK_BLOCK_SHAPES_H
#define SMS_LEVELS_BLOCK_BLOCK_SHAPES_H

#include "block.h"

enum { SMS__SHAPES_MAX = 64 }; /* the bits of a set of shapes */
enum { SMS__NO_INDEX = INT32_MAX };

/* A block shape. Launches share it if their blocks have the same needs, demands, also at no load, class and allowed
 * SMs. So a refusal of one is a refusal of all, and they count the same in a composition. */
struct sms__shape {
    size_t idx;  /* SMS__NO_INDEX: none, because too many others have one; only while no launch is under way */
    size_t live; /* launches with blocks that wait or are on SMs */
    const struct sms__footprint *fit;
    const struct sms__allowed *allowed; /* NULL: all SMs */
    struct sms_block_request request;   /* for a policy that looks only at the shape */
    uint64_t *row;                      /* candidates: SMs that may take such a block, one bit each */
    uint64_t *summary;                  /* which words of `row` are not 0, one bit each */
    size_t candidates;                  /* bits set in `row` */
    size_t launches;                    /* with waiting blocks; if compositions know which SMs have room */
    /* If they do not: */
    uint64_t seen_departures; /* the departures that `row` takes into account */
    uint64_t refused_at;      /* the departures when it last fitted nowhere, + 1 */
    uint64_t allowed_ps;      /* when its allowed SMs were changed last; for check.c */
};

/* Finds the shapes of the run's kernel types, each once. */
void sms__shapes_init(struct sms__blocks *device);

/* Gives the shape an index. */
void sms__shape_admit(struct sms__blocks *device, struct sms__shape *shape);

/* Call this when a launch of the shape joins its queue, before anything asks for the shape's index. */
static inline void sms__shape_begin(struct sms__blocks *device, struct sms__shape *shape)
{
    shape->live++;
    if (shape->idx == SMS__NO_INDEX)
        sms__shape_admit(device, shape);
}

/* Call this when the last block of the launch has left. */
static inline void sms__shape_end(struct sms__shape *shape) { shape->live--; }

#endif
