/* Tally (Zhao et al., ASPLOS 2025; tally-project/tally @ 86feb12): a kernel of a process of a lower priority launches
 * only while no other process has a kernel on the device. It does so in atoms of a bounded time: a kernel of a higher
 * priority waits for the rest of an atom at most. Loses where a process of high priority has kernels with short
 * pauses between them: an atom begins in each pause, and the next kernel waits for it. */
#include <smsched/share.h>

enum { BOUND };

static const struct sms_param params[] = {
    {"bound", SMS_UNIT_TIME, 0, 3.6e15, 31.6e6,
     "sets the maximum length of a launch of best-effort kernels that are given by blocks; 0: any"},
    {0},
};

static enum sms_answer launch(struct sms_share *share, size_t process)
{
    const struct sms_process_view self = sms_share_process(share, process);
    const bool is_alone = sms_share_device(share, (size_t)self.device).kernels == self.kernels;
    return is_alone || !sms_share_is_outranked(share, &self) ? SMS_GRANT : SMS_DEFER;
}

static uint64_t atom(struct sms_share *share, size_t process)
{
    const struct sms_process_view self = sms_share_process(share, process);
    return sms_share_is_outranked(share, &self) ? (uint64_t)sms_share_param(share, BOUND) : 0;
}

const struct sms_share_policy sms_share_policy_tally = {
    .name = "tally",
    .help = "launches kernels of a lower priority while the device has no other, in atoms of a bounded time (Tally)",
    .params = params,
    .launch = launch,
    .atom = atom,
};
