/* Lottery scheduling (Waldspurger and Weihl 1994): each slice is drawn among the processes that are ready, with chances
 * by weight. Fair on average, and nobody has to keep books. */
#include <smsched/share.h>

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    double weights = 0, drawn;
    size_t winner = 0;
    (void)device;
    for (size_t i = 0; i < count; i++)
        weights += sms_share_process(share, ready[i]).weight;
    drawn = sms_share_random(share) * weights;
    for (; winner + 1 < count; winner++) {
        drawn -= sms_share_process(share, ready[winner]).weight;
        if (drawn < 0)
            break;
    }
    return winner;
}

const struct sms_share_policy sms_sharing_lottery = {
    .name = "lottery",
    .help = "the next slice by lot, with chances by weight",
    .next = next,
};
