/* Lottery scheduling (Waldspurger and Weihl 1994): a random draw among the ready processes decides who gets the next
 * slice, with probabilities proportional to their weights. It is fair on average and keeps no state. */
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

const struct sms_share_policy sms_share_policy_lottery = {
    .name = "lottery",
    .help = "draws the process of the next slice, with probabilities by weight",
    .next = next,
};
