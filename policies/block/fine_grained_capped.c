/* Like fine_grained, but the blocks of a launch occupy at most `sms` SMs at once.
 *
 * Wins if a kernel scales badly, or must leave whole SMs to others. Fails if the device is otherwise empty, because the
 * other SMs stay idle.
 * Source: the limit of fine_grained; SM counts for a kernel as in KRISP (Chow et al., HPCA 2023). */
#include <smsched/policy.h>

#include <stdio.h>

enum { LIMIT, SMS, PATIENCE };

static const struct sms_param params[] = {
    {"limit", SMS_UNIT_RATIO, 0.01, 16, 1.0, "sets the usage up to which a resource is filled, inclusive"},
    {"sms", SMS_UNIT_COUNT, 1, 65536, 20, "sets the maximum number of SMs that the blocks of one launch may occupy"},
    {"patience", SMS_UNIT_TIME, 0, SMS_PATIENCE_MAX, SMS_PATIENCE_MAX,
     "sets how long other kernels may overtake a kernel whose block fits nowhere"},
    {0},
};

struct spread {
    uint64_t sms; /* SMs on which the launch has a block */
};

static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    const struct spread *spread = block->of_launch;
    if (block->resident_here == 0 && (double)spread->sms >= param[SMS])
        return SMS_NOT_HERE;
    for (size_t r = 0; r < device->resources; r++)
        if (sm->usage[r] + block->adds[r] > sms_parts(param[LIMIT]))
            return (int)r;
    return SMS_ADMIT;
}

static void note(const double *param, const struct sms_device_view *device, enum sms_block_event event,
                 const struct sms_sm_view *sm, const struct sms_block_request *block, uint64_t blocks)
{
    struct spread *spread = block->of_launch;
    (void)param, (void)device, (void)sm;
    if (event == SMS_BLOCKS_PLACED && block->resident_here == blocks)
        spread->sms++;
    else if (event == SMS_BLOCKS_LEFT && block->resident_here == 0)
        spread->sms--;
}

static void reason(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size)
{
    (void)param, (void)device, (void)sm;
    snprintf(out, size, "the launch is on %llu SMs, as many as it may be on",
             (unsigned long long)((const struct spread *)block->of_launch)->sms);
}

static uint64_t patience(const double *param) { return (uint64_t)param[PATIENCE]; }

const struct sms_block_policy sms_block_policy_fine_grained_capped = {
    .name = "fine_grained_capped",
    .help = "works like fine_grained, with a limit on the SMs that the blocks of a launch occupy",
    .params = params,
    .search = SMS_SEARCH_RING,
    .admits = admits,
    .patience = patience,
    .launch_bytes = sizeof(struct spread),
    .note = note,
    .reason = reason,
};
