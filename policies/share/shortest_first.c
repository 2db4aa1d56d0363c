/* Shortest job first: of the processes that wait for a device the one with least time alone goes first. Best with mode
 * exclusive, where processes wait at all. */
#include <smsched/share.h>

static bool is_shortest(const struct sms_share *share, size_t process)
{
    uint64_t own = sms_share_left(share, process);
    long only = sms_share_process(share, process).only;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct sms_process_view view = sms_share_process(share, p);
        bool apart = only >= 0 && view.only >= 0 && only != view.only;
        if (p == process || view.phase != SMS_PHASE_UNPLACED || apart)
            continue;
        uint64_t other = sms_share_left(share, p);
        if (other < own || (other == own && p < process))
            return false;
    }
    return true;
}

static long place(struct sms_share *share, size_t process)
{
    return is_shortest(share, process) ? sms_share_choose(share, process) : SMS_WAIT;
}

const struct sms_share_policy sms_sharing_shortest_first = {
    .name = "shortest_first",
    .help = "the process with least time alone gets the next free device",
    .place = place,
};
