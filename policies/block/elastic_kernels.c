/* Elastic kernels: each launch under way gets an equal part of an SM. Its part is the number of its blocks that fit on
 * an empty SM, divided by the number of launches, and at least 1.
 *
 * Wins if large grids would keep small ones out. Fails if a launch has too few blocks to use its part, because no other
 * launch gets the rest.
 * Source: elastic kernels, Pai et al. (ASPLOS 2013). There kernels are rewritten to run with a smaller grid; here their
 * blocks are held back. */
#include <smsched/policy.h>

#include <stdio.h>

struct state {
    uint64_t launches; /* launches under way on the device */
};

static uint64_t cap(const struct sms_device_view *device, const struct sms_block_request *block)
{
    const uint64_t none[SMS_LIMITS] = {0};
    const struct sms_sm_view empty = {0, NULL, none};
    uint64_t most = (uint64_t)sms_room(device, &empty, block) / ((const struct state *)block->of_run)->launches;
    return most > 0 ? most : 1;
}

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    (void)param, (void)sm;
    return block->resident_here < cap(device, block) ? SMS_ADMIT : SMS_NOT_HERE;
}

static void note(const double *param, const struct sms_device_view *device, enum sms_block_event event,
                 const struct sms_sm_view *sm, const struct sms_block_request *block, uint64_t blocks)
{
    struct state *state = block->of_run;
    (void)param, (void)device, (void)sm, (void)blocks;
    state->launches += event == SMS_BLOCKS_LAUNCHED;
    state->launches -= event == SMS_BLOCKS_ENDED;
}

static void reason(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size)
{
    (void)param, (void)sm;
    snprintf(out, size, "%llu blocks of the launch are here, which is its part (other launches: %llu)",
             (unsigned long long)cap(device, block),
             (unsigned long long)((const struct state *)block->of_run)->launches - 1);
}

const struct sms_block_policy sms_block_policy_elastic_kernels = {
    .name = "elastic_kernels",
    .help = "goes round robin over SMs on which the launch has less than an equal part of the blocks that fit",
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .run_bytes = sizeof(struct state),
    .note = note,
    .reason = reason,
};
