/* Requests to the block policy, and its state. */
#ifndef SMS_LEVELS_BLOCK_POLICY_STATE_H
#define SMS_LEVELS_BLOCK_POLICY_STATE_H

#include "search.h"

/* A policy's state for one launch. */
struct sms__policy_state {
    struct sms__policy_state *next; /* in the free list */
    max_align_t bytes[];
};

struct sms__block_policy_run {
    bool cacheable;       /* refusals can be cached: the policy is pure and monotone, or only asks for room */
    bool pure;            /* the policy looks only at a block's shape */
    uint64_t patience_ps; /* time after which a refused kernel stops its queue; SMS__NEVER if never */
    void *state;          /* for the run, or NULL; of each tenant where they are apart */
    size_t state_step;    /* bytes from one tenant's to the next; 0: all have the same */
    struct sms__policy_state *free_states;
};

void sms__policy_state_init(struct sms__blocks *device);
struct sms_block_request sms__full_request(const struct sms__blocks *device, const struct sms__sm_state *sm,
                                           const struct sms__launch *launch);
void sms__notify_policy(struct sms__launch *launch, enum sms_block_event event, const struct sms__sm_state *sm,
                        uint64_t blocks);

#endif
