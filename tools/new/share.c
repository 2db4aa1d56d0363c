/* The next slice to the process that has had the device for the shortest time. A share policy says which process may
 * use a device, and when. */
#include <smsched/plugin.h>

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    size_t best = 0;
    (void)device;
    for (size_t i = 1; i < count; i++)
        if (sms_share_process(share, ready[i]).service_ps < sms_share_process(share, ready[best]).service_ps)
            best = i;
    return best;
}

static const struct sms_share_policy policy = {
    .name = "@NAME@",
    .help = "gives the next slice to the process that has had the device for the shortest time",
    .next = next,
};

SMS_PLUGIN(.share = {&policy});
