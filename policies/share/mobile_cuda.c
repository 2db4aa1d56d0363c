/* Mobile CUDA: more processes than device memory holds (specification 002). A library between processes and driver
 * asks a manager before each allocation. Who finds no room is moved to the host and waits there, and goes on where room
 * comes first, maybe on another device. Processes that allocate inside kernels need a device for themselves. */
#include <smsched/share.h>

enum { MESSAGE, ASSIGNED, CONNECTING };

#define MICROSECOND 1e6

static const struct sms_param params[] = {
    {"message", SMS_UNIT_TIME, 0, 1e15, 50 * MICROSECOND, "from a process to the manager and back"},
    {"assigned", SMS_UNIT_COUNT, 1, 1e6, 4, "most processes assigned or suspended, for each device"},
    {"connecting", SMS_UNIT_COUNT, 1, 1e6, 4, "most processes on a device that have no context yet"},
    {0},
};

/* A message takes its time: asked, under way, answered. */
enum message { NONE, UNDER_WAY, ANSWERED };

struct process {
    enum message message;
    bool assigned, connecting, signalled;
    size_t claim; /* of an exclusive one: its device, plus 1 */
    bool suspended;
    size_t next; /* in the waiting set, plus 1 */
};

struct state {
    struct process *process; /* [processes] */
    size_t *owner;           /* [devices]: the exclusive process that has or awaits it, plus 1 */
    size_t *connecting;      /* [devices] */
    size_t assigned;
    size_t first, last; /* of the waiting set, plus 1 */
};

static struct state *state_of(struct sms_share *share) { return sms_share_state(share); }

static void start(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->process = sms_share_alloc(share, sms_share_processes(share), sizeof *state->process);
    state->owner = sms_share_alloc(share, sms_share_devices(share), sizeof *state->owner);
    state->connecting = sms_share_alloc(share, sms_share_devices(share), sizeof *state->connecting);
}

/* Whether the answer to a message of the process is there. */
static bool is_answered(struct sms_share *share, size_t p)
{
    struct process *process = &state_of(share)->process[p];
    if (process->message == ANSWERED || sms_share_param(share, MESSAGE) < 1) {
        process->message = NONE;
        return true;
    }
    if (process->message == NONE) {
        process->message = UNDER_WAY;
        sms_share_wake(share, (uint64_t)sms_share_param(share, MESSAGE), p);
    }
    return false;
}

static void timer(struct sms_share *share, size_t tag) { state_of(share)->process[tag].message = ANSWERED; }

/* The device with most free memory that nobody owns and that has room for `bytes`; or SMS_WAIT. */
static long roomiest(struct sms_share *share, uint64_t bytes, bool connecting)
{
    const struct state *state = state_of(share);
    long best = SMS_WAIT;
    uint64_t most = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        struct sms_share_device_view view = sms_share_device(share, d);
        bool barred = connecting && (double)state->connecting[d] >= sms_share_param(share, CONNECTING);
        if (state->owner[d] || barred || view.free < bytes || (best >= 0 && view.free <= most))
            continue;
        best = (long)d;
        most = view.free;
    }
    return best;
}

/* An exclusive process claims the device with the fewest residents; those are asked to leave. */
static void claim(struct sms_share *share, size_t p)
{
    struct state *state = state_of(share);
    size_t best = SIZE_MAX, least = SIZE_MAX;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        size_t residents = sms_share_device(share, d).processes;
        if (state->owner[d] || residents >= least)
            continue;
        best = d;
        least = residents;
    }
    if (best == SIZE_MAX)
        return;
    state->owner[best] = p + 1;
    state->process[p].claim = best + 1;
    sms_share_say(share, p, "claims device %zu, which has %zu residents", best, least);
    for (size_t q = 0; q < sms_share_processes(share); q++)
        state->process[q].signalled |= sms_share_process(share, q).device == (long)best;
}

static long place_exclusive(struct sms_share *share, size_t p)
{
    struct process *process = &state_of(share)->process[p];
    if (!process->claim)
        claim(share, p);
    if (!process->claim || sms_share_device(share, process->claim - 1).processes > 0)
        return SMS_WAIT;
    return (long)process->claim - 1;
}

/* CONNECT. */
static long place(struct sms_share *share, size_t p)
{
    struct state *state = state_of(share);
    struct process *process = &state->process[p];
    double most = sms_share_param(share, ASSIGNED) * (double)sms_share_devices(share);
    bool exclusive = sms_share_process(share, p).exclusive;
    if (!process->claim && ((double)state->assigned >= most || !is_answered(share, p)))
        return SMS_WAIT;
    long device = exclusive ? place_exclusive(share, p) : roomiest(share, sms_share_context(share), true);
    if (device < 0)
        return SMS_WAIT;
    state->assigned++;
    state->connecting[device]++;
    process->assigned = process->connecting = true;
    sms_share_say(share, p, "connects to device %ld", device);
    return device;
}

static bool fits_nowhere(const struct sms_share *share, uint64_t bytes)
{
    uint64_t most = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        uint64_t memory = sms_share_device(share, d).memory;
        most = memory > most ? memory : most;
    }
    return bytes > most;
}

/* CUDAMALLOC: the one that asks is the one that goes (2.3, step 4). */
static enum sms_answer allocate(struct sms_share *share, size_t p)
{
    struct sms_process_view view = sms_share_process(share, p);
    if (!is_answered(share, p))
        return SMS_DEFER;
    if (fits_nowhere(share, view.held + view.wanted))
        return SMS_REFUSE;
    if (sms_share_device(share, (size_t)view.device).free >= view.wanted)
        return SMS_GRANT;
    sms_share_say(share, p, "device %ld has no room for it: it goes to the host", view.device);
    return SMS_SUSPEND;
}

/* At its next call of the driver a process that has been signalled asks what is the matter. */
static enum sms_answer call(struct sms_share *share, size_t p)
{
    struct process *process = &state_of(share)->process[p];
    bool signalled = process->signalled;
    process->signalled = false;
    return signalled ? SMS_SUSPEND : SMS_GRANT;
}

static void join(struct state *state, size_t p)
{
    state->process[p].suspended = true;
    state->process[p].signalled = false;
    state->process[p].next = 0;
    *(state->last ? &state->process[state->last - 1].next : &state->first) = p + 1;
    state->last = p + 1;
}

static void part(struct state *state, size_t before, size_t p)
{
    state->process[p].suspended = false;
    *(before ? &state->process[before - 1].next : &state->first) = state->process[p].next;
    if (state->last == p + 1)
        state->last = before;
}

/* Those on the host, in the order in which they came, passing over those that fit nowhere. */
static void bring_back(struct sms_share *share)
{
    struct state *state = state_of(share);
    for (size_t before = 0, at = state->first, next; at; at = next) {
        size_t p = at - 1;
        struct sms_process_view view = sms_share_process(share, p);
        next = state->process[p].next;
        long device = roomiest(share, sms_share_context(share) + view.held + view.wanted, false);
        if (device < 0 || !sms_share_restore(share, p, (size_t)device)) {
            before = at;
            continue;
        }
        sms_share_say(share, p, "goes on on device %ld", device);
        part(state, before, p);
    }
}

static void disown(struct state *state, size_t p)
{
    if (state->process[p].claim)
        state->owner[state->process[p].claim - 1] = 0;
    state->process[p].claim = 0;
    state->assigned -= state->process[p].assigned;
    state->process[p].assigned = false;
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct state *state = state_of(share);
    size_t p = event->process;
    switch (event->kind) {
    case SMS_EVENT_PLACED:
        state->connecting[sms_share_process(share, p).device] -= state->process[p].connecting;
        state->process[p].connecting = false;
        break;
    case SMS_EVENT_SUSPENDED:
        join(state, p);
        bring_back(share);
        break;
    case SMS_EVENT_FREED:
        bring_back(share);
        break;
    case SMS_EVENT_ENDED:
    case SMS_EVENT_FAILED:
        disown(state, p);
        bring_back(share);
        break;
    default:
        break;
    }
}

const struct sms_share_policy sms_sharing_mobile_cuda = {
    .name = "mobile_cuda",
    .help = "moves processes that find no memory to the host, and on to where there is some (Mobile CUDA)",
    .params = params,
    .state = sizeof(struct state),
    .intercepts = true,
    .start = start,
    .place = place,
    .allocate = allocate,
    .call = call,
    .event = event,
    .timer = timer,
};
