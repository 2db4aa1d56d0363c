/* Mobile CUDA: runs more processes than fit into device memory (docs/evidence/mobile-cuda.md). A library between
 * processes and driver asks a manager before each allocation. A process that finds no room moves to the host and waits
 * there. It continues on the first device with room, which may be another one. Processes that allocate inside kernels
 * need a device of their own (exclusive processes). */
#include <smsched/share.h>

enum { MESSAGE, REQUEST, MOVES, ASSIGNED, CONNECTING };

#define MICROSECOND 1e6

static const struct sms_param params[] = {
    {"message", SMS_UNIT_TIME, 0, 1e15, 50 * MICROSECOND,
     "sets the time of a message from a process to the manager and back"},
    {"request", SMS_UNIT_TIME, 0, 1e15, 0, "sets the time that the manager takes for each request, one after another"},
    {"moves", SMS_UNIT_COUNT, 1, 1e6, 1e6,
     "sets the maximum number of processes that move to or from the host at the same time"},
    {"assigned", SMS_UNIT_COUNT, 1, 1e6, 4,
     "sets the maximum number of processes assigned or suspended, for each device"},
    {"connecting", SMS_UNIT_COUNT, 1, 1e6, 4,
     "sets the maximum number of processes on a device that have no context yet"},
    {0},
};

static const size_t BRING_BACK = SIZE_MAX; /* the tag of a timer */

/* A request travels to the manager, which then processes it. After that it waits there until it can be granted. */
enum message { NONE, UNDER_WAY, ARRIVED };

struct process {
    enum message message;
    bool assigned, signalled, moving;
    size_t connecting; /* the device to which it connects, plus 1; 0 if none */
    size_t generation; /* how many processes had this number before it */
    bool sent_second;  /* it has sent its second request to connect */
    size_t claim;      /* the device that this exclusive process claims, plus 1; 0 if none */
    bool suspended;    /* it is in the waiting set */
    size_t next;       /* in the waiting set, plus 1 */
};

struct state {
    struct process *process; /* [processes] */
    size_t *owner;           /* [devices]: the exclusive process that has or claims it, plus 1 */
    size_t *connecting;      /* [devices]: processes that connect to it */
    size_t assigned, moving;
    uint64_t free_ps;   /* time at which the manager has processed all requests so far */
    size_t first, last; /* of the waiting set, the suspended processes; plus 1 */
};

static struct state *state_of(const struct sms_share *share) { return sms_share_state(share); }

static void start(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->process = sms_share_alloc(share, sms_share_processes(share), sizeof *state->process);
    state->owner = sms_share_alloc(share, sms_share_devices(share), sizeof *state->owner);
    state->connecting = sms_share_alloc(share, sms_share_devices(share), sizeof *state->connecting);
}

/* True if the process's request has arrived. The first call sends it. The manager processes one request after another,
 * and answers at the end of an instant, when it knows what memory has become free. */
static bool has_arrived(struct sms_share *share, size_t p)
{
    struct state *state = state_of(share);
    const uint64_t now = sms_share_now(share), travel = (uint64_t)sms_share_param(share, MESSAGE);
    if (state->process[p].message == NONE) {
        state->free_ps = (state->free_ps > now ? state->free_ps : now) + (uint64_t)sms_share_param(share, REQUEST);
        state->process[p].message = UNDER_WAY;
        sms_share_wake(share, state->free_ps + travel - now,
                       p + state->process[p].generation * sms_share_processes(share));
    }
    return state->process[p].message == ARRIVED;
}

/* Returns the device with the most free memory, at least `bytes`, that no exclusive process owns; or SMS_WAIT. */
static long most_free(const struct sms_share *share, size_t p, uint64_t bytes, bool connecting)
{
    const struct state *state = state_of(share);
    long best = SMS_WAIT;
    uint64_t most = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        uint64_t free = sms_share_device(share, d).free;
        bool is_barred = connecting && (double)state->connecting[d] >= sms_share_param(share, CONNECTING);
        if (state->owner[d] || is_barred || !sms_share_admits(share, p, d) || free < bytes ||
            (best >= 0 && free <= most))
            continue;
        best = (long)d;
        most = free;
    }
    return best;
}

/* Returns the device with the fewest processes among those that are large enough and that no exclusive process owns; or
 * SMS_WAIT. */
static long emptiest(const struct sms_share *share, size_t p)
{
    const struct state *state = state_of(share);
    struct sms_process_view process = sms_share_process(share, p);
    long best = SMS_WAIT;
    size_t least = SIZE_MAX;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        struct sms_share_device_view view = sms_share_device(share, d);
        if (state->owner[d] || !sms_share_allows(share, p, d) || view.memory < process.declared ||
            view.processes >= least)
            continue;
        best = (long)d;
        least = view.processes;
    }
    return best;
}

/* Claims a device for an exclusive process, and signals the processes there to leave. */
static void claim(struct sms_share *share, size_t p)
{
    struct state *state = state_of(share);
    long device = emptiest(share, p);
    if (device < 0)
        return;
    state->owner[device] = p + 1;
    state->process[p].claim = (size_t)device + 1;
    sms_share_say(share, p, "claims device %ld, which has %zu processes", device,
                  sms_share_device(share, (size_t)device).processes);
    for (size_t q = 0; q < sms_share_processes(share); q++)
        state->process[q].signalled |= sms_share_process(share, q).device == device;
}

static long place_exclusive(struct sms_share *share, size_t p)
{
    const struct process *process = &state_of(share)->process[p];
    if (!process->claim)
        claim(share, p);
    if (!process->claim || !sms_share_admits(share, p, process->claim - 1))
        return SMS_WAIT;
    return (long)process->claim - 1;
}

/* True if the process is assigned or can be. */
static bool may_be_assigned(const struct sms_share *share, size_t p)
{
    const struct state *state = state_of(share);
    double most = sms_share_param(share, ASSIGNED) * (double)sms_share_devices(share);
    return state->process[p].assigned || (double)state->assigned < most;
}

/* The process counts as assigned until its end, on the host too. */
static void assign(struct state *state, size_t p)
{
    state->assigned += !state->process[p].assigned;
    state->process[p].assigned = true;
}

/* True if the second request to connect has arrived. It follows the first, and tells the manager of static variables.
 * The first request would reserve less memory and release it again, which is not modelled. */
static bool has_connected_again(struct sms_share *share, size_t p)
{
    struct process *process = &state_of(share)->process[p];
    if (!process->sent_second)
        process->message = NONE;
    process->sent_second = true;
    return has_arrived(share, p);
}

/* True if no device that the process may use is so large. It would wait for ever. */
static bool fits_nowhere(const struct sms_share *share, size_t p, uint64_t bytes)
{
    for (size_t d = 0; d < sms_share_devices(share); d++)
        if (sms_share_allows(share, p, d) && sms_share_device(share, d).memory >= bytes)
            return false;
    return true;
}

/* True if `q` has waited for longer than `p`, and some device could take its context. */
static bool is_before(const struct sms_share *share, size_t q, const struct sms_process_view *process, size_t p)
{
    struct sms_process_view other = sms_share_process(share, q);
    bool waits = other.phase == SMS_PHASE_UNPLACED && !state_of(share)->process[q].assigned;
    bool earlier = other.arrived_ps < process->arrived_ps || (other.arrived_ps == process->arrived_ps && q < p);
    return waits && earlier && !fits_nowhere(share, q, other.context);
}

/* True if the exclusive process `p` would overtake a process that has waited longer. Processes that are not assigned
 * wait in order of arrival (2.3, step 1), because the manager learns only from CONNECT that a process is exclusive.
 * Processes that are not exclusive need no such check: they are asked in order of arrival and want equally much, while
 * an exclusive one could take a device that has no room for them. */
static bool is_overtaking(const struct sms_share *share, size_t p)
{
    struct sms_process_view process = sms_share_process(share, p);
    bool before = false;
    for (size_t q = 0; !before && q < sms_share_processes(share); q++)
        before = is_before(share, q, &process, p);
    return before;
}

/* CONNECT. An exclusive process may be assigned and still wait for its device. */
static long place(struct sms_share *share, size_t p)
{
    struct state *state = state_of(share);
    if (!may_be_assigned(share, p) || !has_arrived(share, p))
        return SMS_WAIT;
    struct sms_process_view view = sms_share_process(share, p);
    if (view.context > sms_share_context(share) && !has_connected_again(share, p))
        return SMS_WAIT;
    if (fits_nowhere(share, p, view.exclusive ? view.declared : view.context)) {
        sms_share_say(share, p, "fails: no device is large enough");
        sms_share_fail(share, p);
        return SMS_WAIT;
    }
    if (view.exclusive && !state->process[p].assigned && is_overtaking(share, p))
        return SMS_WAIT;
    if (view.exclusive)
        assign(state, p);
    long device = view.exclusive ? place_exclusive(share, p) : most_free(share, p, view.context, true);
    if (device < 0)
        return SMS_WAIT;
    assign(state, p);
    state->process[p].message = NONE;
    state->process[p].connecting = (size_t)device + 1;
    state->connecting[device]++;
    sms_share_say(share, p, "connects to device %ld", device);
    return device;
}

static bool may_move(const struct sms_share *share)
{
    return (double)state_of(share)->moving < sms_share_param(share, MOVES);
}

static void begin_move(struct state *state, size_t p)
{
    state->process[p].moving = true;
    state->moving++;
}

static void end_move(struct state *state, size_t p)
{
    state->moving -= state->process[p].moving;
    state->process[p].moving = false;
}

/* CUDAMALLOC: the process that asks is the one that moves (2.3, step 4). */
static enum sms_answer decide(struct sms_share *share, size_t p)
{
    struct sms_process_view view = sms_share_process(share, p);
    if (fits_nowhere(share, p, view.held + view.wanted))
        return SMS_REFUSE;
    if (sms_share_device(share, (size_t)view.device).free >= view.wanted)
        return SMS_GRANT;
    if (!may_move(share))
        return SMS_DEFER;
    sms_share_say(share, p, "device %ld has no room: moves to the host", view.device);
    begin_move(state_of(share), p);
    return SMS_SUSPEND;
}

static enum sms_answer allocate(struct sms_share *share, size_t p)
{
    if (!has_arrived(share, p))
        return SMS_DEFER;
    enum sms_answer answer = decide(share, p);
    if (answer != SMS_DEFER)
        state_of(share)->process[p].message = NONE;
    return answer;
}

/* QUERY: at its next driver call a signalled process asks the manager why, and moves to the host. */
static enum sms_answer call(struct sms_share *share, size_t p)
{
    struct process *process = &state_of(share)->process[p];
    if (!process->signalled || !may_move(share))
        return SMS_GRANT;
    process->signalled = false;
    begin_move(state_of(share), p);
    sms_share_say(share, p, "leaves device %ld to an exclusive process", sms_share_process(share, p).device);
    return SMS_SUSPEND;
}

/* Appends the process to the waiting set. */
static void join_waiting(struct state *state, size_t p)
{
    state->process[p].suspended = true;
    state->process[p].signalled = false;
    state->process[p].next = 0;
    *(state->last ? &state->process[state->last - 1].next : &state->first) = p + 1;
    state->last = p + 1;
}

/* Removes the process from the waiting set. `before` is its predecessor there, plus 1; 0 if it is the first. */
static void leave_waiting(struct state *state, size_t before, size_t p)
{
    state->process[p].suspended = false;
    *(before ? &state->process[before - 1].next : &state->first) = state->process[p].next;
    if (state->last == p + 1)
        state->last = before;
}

/* Restores suspended processes in the order in which they were suspended, skipping those that fit nowhere. */
static void bring_back(struct sms_share *share)
{
    struct state *state = state_of(share);
    for (size_t before = 0, at = state->first, next; at && may_move(share); at = next) {
        size_t p = at - 1;
        struct sms_process_view view = sms_share_process(share, p);
        next = state->process[p].next;
        long device = most_free(share, p, view.context + view.held + view.wanted, false);
        if (device < 0 || !sms_share_restore(share, p, (size_t)device)) {
            before = at;
            continue;
        }
        sms_share_say(share, p, "continues on device %ld", device);
        begin_move(state, p);
        leave_waiting(state, before, p);
    }
}

/* At the end of the instant, when all memory that becomes free is. */
static void bring_back_later(struct sms_share *share) { sms_share_wake(share, 0, BRING_BACK); }

/* A request arrives; ignores that of a process that has ended meanwhile. */
static void timer(struct sms_share *share, size_t tag)
{
    struct process *process = &state_of(share)->process[tag % sms_share_processes(share)];
    if (tag == BRING_BACK)
        bring_back(share);
    else if (process->generation == tag / sms_share_processes(share))
        process->message = ARRIVED;
}

static void end_connect(struct state *state, size_t p)
{
    if (state->process[p].connecting)
        state->connecting[state->process[p].connecting - 1]--;
    state->process[p].connecting = 0;
}

/* Releases everything that an ended process holds. It may have failed while it moved, or on the host. */
static void release_all(struct state *state, size_t p)
{
    size_t before = 0;
    end_connect(state, p);
    end_move(state, p);
    for (size_t at = state->first; state->process[p].suspended && at != p + 1; at = state->process[at - 1].next)
        before = at;
    if (state->process[p].suspended)
        leave_waiting(state, before, p);
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
    case SMS_EVENT_ARRIVED:
        state->process[p] = (struct process){.generation = state->process[p].generation + 1};
        break;
    case SMS_EVENT_PLACED:
        end_connect(state, p);
        break;
    case SMS_EVENT_SUSPENDED:
        end_move(state, p);
        join_waiting(state, p);
        bring_back_later(share);
        break;
    case SMS_EVENT_RESTORED:
        end_move(state, p);
        bring_back_later(share);
        break;
    case SMS_EVENT_FREED:
        bring_back_later(share);
        break;
    case SMS_EVENT_ENDED:
    case SMS_EVENT_FAILED:
        release_all(state, p);
        bring_back_later(share);
        break;
    default:
        break;
    }
}

const struct sms_share_policy sms_share_policy_mobile_cuda = {
    .name = "mobile_cuda",
    .help = "moves processes that find no memory to the host, and back to a device with room (Mobile CUDA)",
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
