/* Shortest job first: among the processes that wait for a device, the one whose job takes the least time alone goes
 * first, however many jobs it has. It is most useful in mode exclusive, because there processes wait for devices. */
#include <smsched/share.h>

/* True if p waits for this device, too, and goes first. The device holds its context, or it would wait for ever. */
static bool goes_before(const struct sms_share *share, size_t p, size_t process, size_t device)
{
    const struct sms_process_view view = sms_share_process(share, p);
    if (p == process || view.phase != SMS_PHASE_UNPLACED || !sms_share_allows(share, p, device) ||
        view.context > sms_share_device(share, device).memory)
        return false;
    const uint64_t left = sms_share_left(share, process), other_left = sms_share_left(share, p);
    const uint64_t arrived_ps = sms_share_process(share, process).arrived_ps;
    const bool earlier = view.arrived_ps != arrived_ps ? view.arrived_ps < arrived_ps : p < process;
    return other_left < left || (other_left == left && earlier);
}

struct state {
    size_t *shortest; /* [devices] of those that waited when all were looked at last, so that few look at all */
    bool held_back;   /* one that could have had a device since the last one was placed */
};

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    state->shortest = sms_share_alloc(share, sms_share_devices(share), sizeof *state->shortest);
}

static bool is_shortest(const struct sms_share *share, size_t process, size_t device)
{
    size_t *shortest = &((struct state *)sms_share_state(share))->shortest[device];
    if (goes_before(share, *shortest, process, device))
        return false;
    *shortest = process;
    for (size_t p = 0; p < sms_share_processes(share); p++)
        if (goes_before(share, p, process, device) &&
            (*shortest == process || goes_before(share, p, *shortest, device)))
            *shortest = p;
    return *shortest == process;
}

/* Once a process is placed, those that waited for it may have what is still free. */
static long place(struct sms_share *share, size_t process)
{
    struct state *state = sms_share_state(share);
    const long device = sms_share_choose(share, process);
    const bool goes = device >= 0 && is_shortest(share, process, (size_t)device);
    if (goes && state->held_back)
        sms_share_wake(share, 0, 0);
    state->held_back = !goes && (state->held_back || device >= 0);
    return goes ? device : SMS_WAIT;
}

const struct sms_share_policy sms_share_policy_shortest_first = {
    .name = "shortest_first",
    .help = "gives the next free device to the process whose job takes the least time alone",
    .state = sizeof(struct state),
    .start = start,
    .place = place,
};
