/* Finds the SM for the next block of a launch. */
#ifndef SMS_LEVELS_BLOCK_SEARCH_H
#define SMS_LEVELS_BLOCK_SEARCH_H

#include "sm.h"

/* A block shape. Launches share it if their blocks have the same needs, demands, also at no load, class and allowed
 * SMs. So a refusal of one is a refusal of all, and they count the same in a composition. */
struct sms__shape {
    const struct sms__footprint *fit;
    const struct sms__allowed *allowed; /* NULL: all SMs */
    struct sms_block_request request;   /* for a policy that looks only at the shape */
    uint64_t *row;                      /* candidates: SMs that may take such a block, one bit each */
    uint64_t *summary;                  /* which words of `row` are not 0, one bit each */
    size_t candidates;                  /* bits set in `row` */
    size_t newest;                      /* the SM whose bit was set last */
    uint64_t seen_departures;           /* the departures that `row` takes into account */
    uint64_t refused_at;                /* the departures when it last fitted nowhere, + 1 */
};

struct sms__search {
    struct sms__shape *shape;     /* [shapes] */
    struct sms__shape **shape_of; /* [kernel types] */
    size_t shapes;
    uint64_t departures; /* how often a block has left an SM */
    uint32_t *recent;    /* [recent_size]: the SMs of the latest departures, a ring */
    size_t recent_size;
    size_t full_sms;   /* SMs that hold their maximum of blocks, so that no block of any shape fits */
    size_t ring_start; /* the SM at which a ring search starts */
    size_t words;
};

static inline bool sms__is_refused(const struct sms__search *search, const struct sms__shape *shape)
{
    return shape->refused_at == search->departures + 1;
}

void sms__search_init(struct sms__blocks *device);
/* Returns the SM for the next block of the launch, or -1. Its shape must not be refused already. */
long sms__search(struct sms__blocks *device, struct sms__launch *launch);
/* Returns the SM that a block left if the next block of the launch will take its place; otherwise NULL. */
struct sms__sm_state *sms__search_refill(struct sms__blocks *device, const struct sms__launch *launch);
void sms__log_departure(struct sms__blocks *device, uint32_t sm);

enum { SMS__ALLOWED = -1, SMS__REFUSED_BY_LIMIT = 1000 };
/* Returns SMS__ALLOWED, the answer of `admits` or of a hard resource, or SMS__REFUSED_BY_LIMIT. */
int sms__verdict(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);
int sms__refusing_limit(const struct sms__blocks *device, const struct sms__sm_state *sm,
                        const struct sms__footprint *fit);
double sms__score(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch);

#endif
