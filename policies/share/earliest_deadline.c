/* Earliest deadline first (Liu and Layland 1973). It preempts at the end of a slice only. */
#include <smsched/share.h>

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    size_t best = 0;
    (void)device;
    for (size_t i = 1; i < count; i++)
        if (sms_share_process(share, ready[i]).deadline_ps < sms_share_process(share, ready[best]).deadline_ps)
            best = i;
    return best;
}

const struct sms_share_policy sms_share_policy_earliest_deadline = {
    .name = "earliest_deadline",
    .help = "gives the next slice to the job whose deadline comes first",
    .next = next,
};
