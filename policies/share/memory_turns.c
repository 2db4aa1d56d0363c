/* Turns of a GPU at the ends of phases, as reinforcement learning jobs take them (llm-d time slicing: acquire, restore,
 * run, snapshot, yield). A phase begins with an allocation, which waits until it fits, in order of arrival, and ends
 * when its memory is freed. One that the device could never hold is refused. What a phase brings along and takes away
 * are copies in its steps, so that a turn costs their bytes. Loses where a process holds memory and asks for more: two
 * may then wait for each other for ever; and where small allocations would fit beside a large one that waits. */
#include <smsched/share.h>

struct state {
    uint64_t *ticket; /* [processes], 0: it waits for nothing */
    uint64_t last;
};

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    state->ticket = sms_share_alloc(share, sms_share_processes(share), sizeof *state->ticket);
}

/* True if another process of the device has waited for longer. Its phase may be that of another of its streams. */
static bool is_behind(const struct sms_share *share, size_t self, long device)
{
    const struct state *state = sms_share_state(share);
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        const struct sms_process_view other = sms_share_process(share, p);
        if (other.device == device && state->ticket[p] > 0 && state->ticket[p] < state->ticket[self])
            return true;
    }
    return false;
}

static enum sms_answer allocate(struct sms_share *share, size_t process)
{
    struct state *state = sms_share_state(share);
    const struct sms_process_view view = sms_share_process(share, process);
    const struct sms_share_device_view device = sms_share_device(share, (size_t)view.device);
    if (view.context + view.wanted > device.memory)
        return SMS_REFUSE;
    if (state->ticket[process] == 0)
        state->ticket[process] = ++state->last;
    if (view.wanted > device.free || is_behind(share, process, view.device))
        return SMS_DEFER;
    state->ticket[process] = 0;
    return SMS_GRANT;
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct state *state = sms_share_state(share);
    if (event->kind == SMS_EVENT_ENDED || event->kind == SMS_EVENT_FAILED)
        state->ticket[event->process] = 0;
}

const struct sms_share_policy sms_share_policy_memory_turns = {
    .name = "memory_turns",
    .help = "makes an allocation wait until it fits, in order of arrival, so that phases take turns with the memory",
    .state = sizeof(struct state),
    .start = start,
    .allocate = allocate,
    .event = event,
};
