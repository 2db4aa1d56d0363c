/* Strict priorities: under time slices a process runs only while no process of a higher priority has a kernel ready. */
#include <smsched/share.h>

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    size_t best = 0;
    (void)device;
    for (size_t i = 1; i < count; i++)
        if (sms_share_process(share, ready[i]).priority > sms_share_process(share, ready[best]).priority)
            best = i;
    return best;
}

const struct sms_share_policy sms_sharing_priority = {
    .name = "priority",
    .help = "the next slice to the process with the highest priority, in turn among equals",
    .next = next,
};
