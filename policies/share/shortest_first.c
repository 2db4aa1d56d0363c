/* Shortest job first: among the processes that wait for a device, the one whose job takes the least time alone goes
 * first, however many jobs it has. It is most useful in mode exclusive, because there processes wait for devices. */
#include <smsched/share.h>

/* True if p waits for this device, too, and goes first. */
static bool goes_before(const struct sms_share *share, size_t p, size_t process, size_t device)
{
    const struct sms_process_view view = sms_share_process(share, p);
    if (p == process || view.phase != SMS_PHASE_UNPLACED || !sms_share_allows(share, p, device))
        return false;
    const uint64_t left = sms_share_left(share, process), other_left = sms_share_left(share, p);
    const uint64_t arrived_ps = sms_share_process(share, process).arrived_ps;
    const bool earlier = view.arrived_ps != arrived_ps ? view.arrived_ps < arrived_ps : p < process;
    return other_left < left || (other_left == left && earlier);
}

struct state {
    size_t shortest; /* of those that waited when all were looked at last, so that few look at all */
};

static bool is_shortest(const struct sms_share *share, size_t process, size_t device)
{
    struct state *state = sms_share_state(share);
    if (goes_before(share, state->shortest, process, device))
        return false;
    state->shortest = process;
    for (size_t p = 0; p < sms_share_processes(share); p++)
        if (goes_before(share, p, process, device) &&
            (state->shortest == process || goes_before(share, p, state->shortest, device)))
            state->shortest = p;
    return state->shortest == process;
}

static long place(struct sms_share *share, size_t process)
{
    const long device = sms_share_choose(share, process);
    return device >= 0 && is_shortest(share, process, (size_t)device) ? device : SMS_WAIT;
}

const struct sms_share_policy sms_share_policy_shortest_first = {
    .name = "shortest_first",
    .help = "gives the next free device to the process whose job takes the least time alone",
    .state = sizeof(struct state),
    .place = place,
};
