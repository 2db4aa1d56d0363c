/* Tenant fair: no tenant holds more than an equal part of its dominant resource, which is the hardware limit of which
 * it holds the largest share. The parts are equal among the tenants with a kernel under way.
 *
 * Wins if one tenant launches many or long kernels and another few. Fails on throughput if tenants cannot use their
 * part.
 * Source: dominant resource fairness, Ghodsi et al. (NSDI 2011); over the blocks of an SM as in SMK, Wang et al.
 * (HPCA 2016). */
#include <smsched/policy.h>

#include <stdio.h>

struct holding {
    uint64_t launches;         /* launches under way */
    uint64_t used[SMS_LIMITS]; /* by its blocks, on all SMs */
};

struct state {
    uint64_t active;          /* tenants with a launch under way */
    struct holding holding[]; /* by tenant */
};

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    const struct state *state = block->of_run;
    const struct holding *holding = &state->holding[block->tenant];
    bool fair = true;
    (void)param, (void)sm;
    for (int l = 0; l < SMS_LIMITS; l++)
        fair &= (holding->used[l] + block->needs[l]) * state->active <= device->capacity[l] * device->sms;
    return fair || holding->used[SMS_BLOCKS] == 0 ? SMS_ADMIT : SMS_NOT_HERE;
}

static void note(const double *param, const struct sms_device_view *device, enum sms_block_event event,
                 const struct sms_sm_view *sm, const struct sms_block_request *block, uint64_t blocks)
{
    struct state *state = block->of_run;
    struct holding *holding = &state->holding[block->tenant];
    (void)param, (void)device, (void)sm;
    if (event == SMS_BLOCKS_LAUNCHED)
        state->active += holding->launches++ == 0;
    else if (event == SMS_BLOCKS_ENDED)
        state->active -= --holding->launches == 0;
    for (int l = 0; l < SMS_LIMITS; l++) {
        if (event == SMS_BLOCKS_PLACED)
            holding->used[l] += blocks * block->needs[l];
        else if (event == SMS_BLOCKS_LEFT)
            holding->used[l] -= blocks * block->needs[l];
    }
}

static void reason(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size)
{
    (void)param, (void)device, (void)sm;
    snprintf(out, size, "%.60s has its part of the device, one of %llu", block->tenant_name,
             (unsigned long long)((const struct state *)block->of_run)->active);
}

const struct sms_block_policy sms_block_policy_tenant_fair = {
    .name = "tenant_fair",
    .help = "goes round robin while the tenant's dominant share of the device is at most an equal part",
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .run_bytes = sizeof(struct state),
    .tenant_bytes = sizeof(struct holding),
    .note = note,
    .reason = reason,
};
