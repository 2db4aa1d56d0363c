/* Shortest job first: among the processes that wait for a device, the one with the least time alone goes first. It is
 * most useful in mode exclusive, because there processes wait for devices. */
#include <smsched/share.h>

/* True if there is a device that both may use. */
static bool compete(const struct sms_share *share, size_t p, size_t q)
{
    bool any = false;
    for (size_t d = 0; d < sms_share_devices(share) && !any; d++)
        any = sms_share_allows(share, p, d) && sms_share_allows(share, q, d);
    return any;
}

static bool is_shortest(const struct sms_share *share, size_t process)
{
    struct sms_process_view self = sms_share_process(share, process);
    uint64_t time_left = sms_share_left(share, process);
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct sms_process_view view = sms_share_process(share, p);
        bool earlier = view.arrived_ps != self.arrived_ps ? view.arrived_ps < self.arrived_ps : p < process;
        if (p == process || view.phase != SMS_PHASE_UNPLACED || !compete(share, p, process))
            continue;
        uint64_t other_left = sms_share_left(share, p);
        if (other_left < time_left || (other_left == time_left && earlier))
            return false;
    }
    return true;
}

static long place(struct sms_share *share, size_t process)
{
    return is_shortest(share, process) ? sms_share_choose(share, process) : SMS_WAIT;
}

const struct sms_share_policy sms_share_policy_shortest_first = {
    .name = "shortest_first",
    .help = "gives the next free device to the process with the shortest solo time",
    .place = place,
};
