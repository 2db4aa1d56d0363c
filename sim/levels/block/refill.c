/* The steady state of a full device in one step: a block has left an SM, another takes its place, and afterwards no
 * waiting block fits anywhere. Invariant: the result is that of a search for each waiting launch. This holds because
 * compositions know which SMs have room: if no waiting shape had any before the block left, only its SM can have got
 * some; the first launch of which a block fits there gets it, as in any dispatch; and what the SM has room for then is
 * known before the block is placed. */
#include "internal.h"

enum { LOOKED_AT = 8 }; /* launches; where the first ones do not fit, a search over their shapes is faster */

/* True if an SM has room for a waiting shape. */
static bool has_room(const struct sms__search *search)
{
    bool any = false;
    for (uint64_t left = search->waiting; left; left &= left - 1)
        any |= search->shape[__builtin_ctzll(left)].candidates > 0;
    return any;
}

static bool takes(const struct sms__sm_state *sm, const struct sms__composition *composition,
                  const struct sms__shape *shape)
{
    return composition->fits >> (shape - sm->device->search.shape) & 1 && sms__may_use(shape->allowed, sm->idx);
}

/* Returns the launch of which a block is placed on the SM with this composition; NULL if it is not among the first. */
static struct sms__launch *find_launch(const struct sms__sm_state *sm, const struct sms__composition *composition)
{
    const struct sms__dispatch_queues *queues = &sm->device->queues;
    size_t left = LOOKED_AT;
    for (const struct sms__dispatch_queue *queue = queues->first; queue; queue = queue->next)
        for (struct sms__launch *launch = queue->head; sms__dispatch_queue_may_go(queue, launch);
             launch = queues->passes_over ? launch->entry.next : NULL) {
            if (left-- == 0)
                return NULL;
            if (takes(sm, composition, launch->shape))
                return launch;
        }
    return NULL;
}

/* Returns the only SM that has changed, if it owes a block. */
static struct sms__sm_state *find_sm(const struct sms__blocks *device)
{
    struct sms__sm_state *sm = device->rating.dirty_count == 1 ? &device->sm[device->rating.dirty[0]] : NULL;
    return sm && sm->owed ? sm : NULL;
}

static bool may_refill(const struct sms__blocks *device, uint64_t now)
{
    return device->search.knows_room && !device->in_rounds && device->policy.patience_ps == SMS__NEVER &&
           !sms__dispatcher_is_busy(device, now) && !has_room(&device->search);
}

bool sms__refill(struct sms__blocks *device, uint64_t now)
{
    struct sms__sm_state *sm = find_sm(device);
    if (!sm || !may_refill(device, now))
        return false;
    struct sms__composition *without = sms__composition_next(device, sm->composition, sm->owed, false);
    struct sms__launch *launch = without ? find_launch(sm, without) : NULL;
    struct sms__composition *then = launch ? sms__composition_next(device, without, launch->shape, true) : NULL;
    if (!then || then->fits & device->search.waiting)
        return false;
    sms__compose_refill(sm, then, sm->owed, launch->shape, now);
    sms__sm_place(sm, launch, 1, now);
    sms__search_move_ring(device, sm->idx);
    sms__dispatcher_start(device, now);
    sms__dispatch_queue_serve(device, launch);
    return true;
}
