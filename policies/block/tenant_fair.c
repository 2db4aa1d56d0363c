/* No tenant with a kernel under way holds more than an equal part of what the device has most wanted by it: of threads,
 * registers, shared memory or block slots, whichever is scarcest for it.
 *
 * Wins when one tenant launches many or long kernels and another few. Fails on
 * throughput when tenants cannot use their part.
 * Source: dominant resource fairness, Ghodsi et al. (NSDI 2011); over the blocks of an SM as in SMK, Wang et al.
 * (HPCA 2016). */
#include <smsched/policy.h>

#include <stdio.h>

struct holding {
    uint64_t launches;         /* under way */
    uint64_t used[SMS_LIMITS]; /* by its blocks, on all SMs */
};

struct state {
    uint64_t active; /* tenants with a launch under way */
    struct holding of[];
};

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    const struct state *state = block->of_run;
    const struct holding *own = &state->of[block->tenant];
    bool fair = true;
    (void)param, (void)sm;
    for (int l = 0; l < SMS_LIMITS; l++)
        fair &= (own->used[l] + block->needs[l]) * state->active <= device->capacity[l] * device->sms;
    return fair || own->used[SMS_BLOCKS] == 0 ? SMS_ADMIT : SMS_NOT_HERE;
}

static void note(const double *param, const struct sms_device_view *device, enum sms_block_event event,
                 const struct sms_sm_view *sm, const struct sms_block_request *block, uint64_t blocks)
{
    struct state *state = block->of_run;
    struct holding *own = &state->of[block->tenant];
    (void)param, (void)device, (void)sm;
    if (event == SMS_BLOCKS_LAUNCHED)
        state->active += own->launches++ == 0;
    else if (event == SMS_BLOCKS_ENDED)
        state->active -= --own->launches == 0;
    for (int l = 0; l < SMS_LIMITS; l++) {
        if (event == SMS_BLOCKS_PLACED)
            own->used[l] += blocks * block->needs[l];
        else if (event == SMS_BLOCKS_LEFT)
            own->used[l] -= blocks * block->needs[l];
    }
}

static void reason(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size)
{
    (void)param, (void)device, (void)sm;
    snprintf(out, size, "%.60s has its part of the device, one of %llu", block->tenant_name,
             (unsigned long long)((const struct state *)block->of_run)->active);
}

const struct sms_block_policy sms_block_tenant_fair = {
    .name = "tenant_fair",
    .help = "round robin while the tenant's dominant share of the device is at most an equal part",
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .run_bytes = sizeof(struct state),
    .tenant_bytes = sizeof(struct holding),
    .note = note,
    .reason = reason,
};
