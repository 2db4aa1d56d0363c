/* SM quota: SMs are split evenly and permanently. Each tenant has a contiguous range of its own.
 *
 * Wins in isolation: no tenant slows another through the resources of an SM. Fails if tenants differ or come and go,
 * because their SMs stay idle.
 * Source: spatial multitasking, Adriaens et al. (HPCA 2012), the even split; Spart (Aguilera et al., 2014) moves
 * SMs between tenants as well, which this does not. */
#include <smsched/policy.h>

#include <stdio.h>

/* The first SM of the tenant's range. If there are more tenants than SMs, several tenants share an SM. */
static size_t first_of(size_t tenant, const struct sms_device_view *device, const struct sms_block_request *block)
{
    return tenant * device->sms / block->tenants;
}

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    size_t from = first_of(block->tenant, device, block), to = first_of(block->tenant + 1, device, block);
    (void)param;
    return sm->sm == from || (sm->sm > from && sm->sm < to) ? SMS_ADMIT : SMS_NOT_HERE;
}

static void reason(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size)
{
    (void)param, (void)device, (void)sm;
    snprintf(out, size, "not one of the SMs of %.60s", block->tenant_name);
}

const struct sms_block_policy sms_block_policy_sm_quota = {
    .name = "sm_quota",
    .help = "goes round robin over the tenant's own SMs, an equal part for each tenant",
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .reason = reason,
};
