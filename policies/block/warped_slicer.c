/* Warped slicer: water filling decides how many blocks of each launch an SM holds. One block at a time goes to the
 * launch whose speed on the SM, relative to its speed alone there, is lowest; of equal ones to that of the highest
 * priority, because the others wait for it.
 *
 * Wins if kernels with different bottlenecks are under way, because each gets what it can use. Fails if demands are
 * wrong, and if a launch has too few blocks for its slice.
 * Source: Warped-Slicer, Xu et al. (ISCA 2016). There the speed is measured for each number of blocks. Here it rises
 * with the number of blocks until the resource that they demand most is full. */
#include <smsched/policy.h>

#include <stdio.h>
#include <string.h>

/* The slice of an SM for a launch under way. */
struct slice {
    struct slice *next, *prev;
    uint64_t needs[SMS_LIMITS];
    double most;     /* blocks that can run at full speed on an SM; may be a fraction */
    double alone;    /* blocks with which it reaches its greatest speed alone on an SM */
    uint64_t blocks; /* blocks that it may have on an SM */
    double priority;
};

struct state {
    struct slice *first, *last; /* by priority, and of equal ones in launch order */
};

static uint64_t room_on_empty_sm(const struct sms_device_view *device, const struct sms_block_request *block)
{
    const uint64_t none[SMS_LIMITS] = {0};
    const struct sms_sm_view empty = {0, NULL, none};
    return (uint64_t)sms_room(device, &empty, block);
}

static void add_slice(const struct sms_device_view *device, const struct sms_block_request *block)
{
    struct state *state = block->of_run;
    struct slice *slice = block->of_launch;
    double demand = 0;
    for (size_t r = 0; r < device->resources; r++) {
        double sms = device->resource[r].scope == SMS_SCOPE_DEVICE ? (double)device->sms : 1;
        demand = block->adds[r] * sms > demand ? block->adds[r] * sms : demand;
    }
    memcpy(slice->needs, block->needs, sizeof slice->needs);
    slice->alone = (double)room_on_empty_sm(device, block);
    slice->most = demand > 0 ? SMS_FULL / demand : slice->alone;
    slice->alone = slice->most < slice->alone ? slice->most : slice->alone;
    slice->priority = block->priority;
    slice->prev = state->last;
    while (slice->prev && slice->prev->priority < slice->priority)
        slice->prev = slice->prev->prev;
    struct slice **before = slice->prev ? &slice->prev->next : &state->first;
    slice->next = *before;
    *(slice->next ? &slice->next->prev : &state->last) = slice;
    *before = slice;
}

static void remove_slice(struct state *state, struct slice *slice)
{
    *(slice->prev ? &slice->prev->next : &state->first) = slice->next;
    *(slice->next ? &slice->next->prev : &state->last) = slice->prev;
}

static bool fits(const struct sms_device_view *device, const uint64_t used[SMS_LIMITS], const struct slice *slice)
{
    bool fit = true;
    for (int l = 0; l < SMS_LIMITS; l++)
        fit &= used[l] + slice->needs[l] <= device->capacity[l];
    return fit;
}

/* Returns the slice with the lowest relative speed among those that gain by another block and have room for it. None is
 * lower than the first without a block. */
static struct slice *slowest(const struct sms_device_view *device, const struct state *state,
                             const uint64_t used[SMS_LIMITS])
{
    struct slice *best = NULL;
    for (struct slice *slice = state->first; slice && (!best || best->blocks); slice = slice->next) {
        bool gains = (double)slice->blocks < slice->most && fits(device, used, slice);
        if (gains && (!best || (double)slice->blocks / slice->alone < (double)best->blocks / best->alone))
            best = slice;
    }
    return best;
}

static void fill(const struct sms_device_view *device, struct state *state)
{
    uint64_t used[SMS_LIMITS] = {0};
    for (struct slice *slice = state->first; slice; slice = slice->next)
        slice->blocks = 0;
    for (struct slice *slice; (slice = slowest(device, state, used)) != NULL;) {
        slice->blocks++;
        for (int l = 0; l < SMS_LIMITS; l++)
            used[l] += slice->needs[l];
    }
}

/* An empty SM takes a block of any launch, because one without a slice may hold up the queue for ever. */
static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    (void)param, (void)device;
    const uint64_t blocks = ((const struct slice *)block->of_launch)->blocks;
    return block->resident_here < blocks || sm->used[SMS_BLOCKS] == 0 ? SMS_ADMIT : SMS_NOT_HERE;
}

static void note(const double *param, const struct sms_device_view *device, enum sms_block_event event,
                 const struct sms_sm_view *sm, const struct sms_block_request *block, uint64_t blocks)
{
    (void)param, (void)sm, (void)blocks;
    if (event == SMS_BLOCKS_LAUNCHED)
        add_slice(device, block);
    else if (event == SMS_BLOCKS_ENDED)
        remove_slice(block->of_run, block->of_launch);
    else
        return;
    fill(device, block->of_run);
}

static void reason(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size)
{
    (void)param, (void)device, (void)sm;
    snprintf(out, size, "%llu blocks of the launch are here, and its slice of an SM is %llu",
             (unsigned long long)block->resident_here,
             (unsigned long long)((const struct slice *)block->of_launch)->blocks);
}

const struct sms_block_policy sms_block_policy_warped_slicer = {
    .name = "warped_slicer",
    .help = "goes round robin over SMs on which the launch has less than its slice, found by water filling",
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .run_bytes = sizeof(struct state),
    .launch_bytes = sizeof(struct slice),
    .note = note,
    .reason = reason,
};
