/* LithOS (Coppock et al., SOSP 2025; AureliusJustin/lithos-reproduction @ 4d7fb046): each process has a quota of SMs of
 * its own, as many as the mode gives it (`active_threads`), or an equal part of all. A launch may also use the SMs of
 * processes that have run no kernel for a while (stealing), and SMs of nobody. It keeps them until it has ended, as the
 * hardware does. So long kernels are launched in atoms, and the owner waits for one at most. Atoms are not so short
 * that what each costs is more than `overhead` of its time (src/atomizer.c, effective_atom_us). With `slip` a kernel
 * has the fewest SMs of its process on which it takes no more than so many times as long (right-sizing), and others may
 * have the rest. Loses where processes pause for a little longer than `idle`: each return then waits for the thief. */
#include <smsched/share.h>

#include <string.h>

enum { STEAL, IDLE, ATOM, SLIP, COST, OVERHEAD };

static const char *const booleans[] = {"false", "true", NULL};

static const struct sms_param params[] = {
    {"steal", SMS_UNIT_CHOICE, 0, 1, 1, "says whether launches use SMs of other processes that are idle", booleans},
    {"idle", SMS_UNIT_TIME, 1e6, 3.6e15, 1e9, "sets the time without a kernel after which a process is idle"},
    {"atom", SMS_UNIT_TIME, 0, 3.6e15, 0,
     "sets the maximum length of a launch of kernels that are given by blocks; 0: any"},
    {"slip", SMS_UNIT_RATIO, 1, 16, 1,
     "sets how much longer a kernel may take on fewer SMs; 1: it has all SMs of its process"},
    {"cost", SMS_UNIT_TIME, 0, 3.6e15, 0, "sets what an atom costs; atoms take at least this divided by `overhead`"},
    {"overhead", SMS_UNIT_RATIO, 1e-6, 1, 0.1, "sets the maximum part of an atom's time that `cost` may be"},
    {0},
};

struct process {
    long device; /* on which it is, or -1 */
    size_t quota;
    size_t wanted;      /* of its quota, the SMs that its kernel takes */
    uint64_t active_ps; /* when its latest kernel ended */
};

/* An SM of a device, and which of its owner's SMs it is. */
struct sm {
    size_t owner, rank; /* number of the process from 1, or 0 */
};

struct state {
    struct process *process; /* [processes] */
    struct sm *sm;           /* [devices][most SMs] */
    double *beside;          /* [devices] processes on each, in the mean */
    uint64_t *row;           /* scratch: a bit for each SM */
    size_t most;
    uint64_t looks_ps; /* when a launch without SMs looks again */
    uint64_t *full_ps; /* [devices] when a process without a quota found no SM, if no event came since */
};

static struct process *process_of(const struct sms_share *share, size_t p)
{
    return &((struct state *)sms_share_state(share))->process[p];
}

/* The SMs of the device on which the process is. */
static struct sm *sms_of(const struct sms_share *share, size_t p)
{
    const struct state *state = sms_share_state(share);
    return &state->sm[(size_t)state->process[p].device * state->most];
}

static size_t count_of(const struct sms_share *share, size_t p)
{
    return sms_share_device(share, (size_t)process_of(share, p)->device).sms;
}

/* Counts on each device the processes that are there if each is as likely on every device that it may use. One that may
 * use none counts on all: it is a free slot of a cluster's node, and any pod may take it. */
static void count_beside(const struct sms_share *share, double *beside)
{
    const size_t devices = sms_share_devices(share);
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        size_t allowed = 0;
        for (size_t d = 0; d < devices; d++)
            allowed += sms_share_allows(share, p, d);
        for (size_t d = 0; d < devices; d++)
            if (allowed == 0 || sms_share_allows(share, p, d))
                beside[d] += 1 / (double)(allowed ? allowed : devices);
    }
}

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    const size_t processes = sms_share_processes(share), devices = sms_share_devices(share);
    for (size_t d = 0; d < devices; d++)
        state->most = sms_share_device(share, d).sms > state->most ? sms_share_device(share, d).sms : state->most;
    state->process = sms_share_alloc(share, processes, sizeof *state->process);
    state->sm = sms_share_alloc(share, devices * state->most, sizeof *state->sm);
    state->row = sms_share_alloc(share, state->most / 64 + 1, sizeof *state->row);
    for (size_t p = 0; p < processes; p++)
        state->process[p].device = -1;
    state->full_ps = sms_share_alloc(share, devices, sizeof *state->full_ps);
    state->beside = sms_share_alloc(share, devices, sizeof *state->beside);
    count_beside(share, state->beside);
}

/* What the mode gives the process, or an equal part where that is all of the device. */
static size_t quota_of(const struct sms_share *share, size_t p)
{
    const size_t sms = count_of(share, p), given = sms_share_process(share, p).sms;
    const struct state *state = sms_share_state(share);
    const double mean = state->beside[state->process[p].device];
    const size_t beside = mean > 1 ? (size_t)(mean + 1 - 1e-9) : 1; /* rounded up */
    return given < sms ? given : sms > beside ? sms / beside : 1;
}

/* Takes the first SMs that nobody owns. A process that comes when there are none lives on what others leave, and tries
 * again at each launch. */
static void take(struct sms_share *share, size_t p)
{
    struct process *process = process_of(share, p);
    struct sm *sm = sms_of(share, p);
    const size_t quota = quota_of(share, p), count = count_of(share, p);
    for (size_t s = 0; s < count && process->quota < quota; s++)
        if (sm[s].owner == 0)
            sm[s] = (struct sm){p + 1, process->quota++};
    process->wanted = process->quota;
}

static void leave(struct sms_share *share, size_t p)
{
    struct process *process = process_of(share, p);
    for (size_t s = 0; process->device >= 0 && s < count_of(share, p); s++)
        if (sms_of(share, p)[s].owner == p + 1)
            sms_of(share, p)[s] = (struct sm){0, 0};
    process->device = -1;
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    const struct state *state = sms_share_state(share);
    for (size_t d = 0; d < sms_share_devices(share); d++)
        state->full_ps[d] = UINT64_MAX;
    if (event->kind == SMS_EVENT_ENDED || event->kind == SMS_EVENT_FAILED || event->kind == SMS_EVENT_SUSPENDED)
        leave(share, event->process);
    if (event->kind == SMS_EVENT_PLACED || event->kind == SMS_EVENT_RESTORED) {
        *process_of(share, event->process) = (struct process){.device = sms_share_process(share, event->process).device,
                                                              .active_ps = sms_share_now(share)};
        take(share, event->process);
    }
    if (event->kind == SMS_EVENT_KERNEL_ENDED)
        process_of(share, event->process)->active_ps = sms_share_now(share);
}

static bool is_idle(const struct sms_share *share, size_t p)
{
    if (sms_share_now(share) - process_of(share, p)->active_ps < (uint64_t)sms_share_param(share, IDLE))
        return false;
    const enum sms_phase phase = sms_share_process(share, p).phase;
    return phase != SMS_PHASE_KERNEL && phase != SMS_PHASE_LAUNCH;
}

/* True if the process may use the SM: it owns it and wants it, or its owner does not. */
static bool may_use(const struct sms_share *share, size_t p, const struct sm *sm)
{
    if (sm->owner == p + 1)
        return sm->rank < process_of(share, p)->wanted;
    return sms_share_param(share, STEAL) > 0 &&
           (sm->owner == 0 || sm->rank >= process_of(share, sm->owner - 1)->wanted || is_idle(share, sm->owner - 1));
}

/* The fewest SMs of its quota, two by two as they share a TPC, on which the kernel takes no more than `slip` times as
 * long as on all. */
static size_t size_of(const struct sms_share *share, size_t p)
{
    const double slip = sms_share_param(share, SLIP);
    size_t sms = process_of(share, p)->quota;
    const double most_ps = slip * (double)sms_share_kernel_ps(share, p, sms);
    while (slip > 1 && sms > 2 && (double)sms_share_kernel_ps(share, p, sms - 2) <= most_ps)
        sms -= 2;
    return sms;
}

/* With no SM to use, it looks again when a process will have become idle. */
static enum sms_answer wait(struct sms_share *share, size_t p)
{
    struct state *state = sms_share_state(share);
    const uint64_t now = sms_share_now(share), idle = (uint64_t)sms_share_param(share, IDLE);
    uint64_t soonest = UINT64_MAX;
    for (size_t q = 0; q < sms_share_processes(share); q++) {
        const struct process *other = &state->process[q];
        if (other->device == state->process[p].device && other->active_ps + idle > now)
            soonest = other->active_ps + idle < soonest ? other->active_ps + idle : soonest;
    }
    if (soonest < UINT64_MAX && (state->looks_ps <= now || state->looks_ps > soonest)) {
        sms_share_wake(share, soonest - now, 0);
        state->looks_ps = soonest;
    }
    return SMS_DEFER;
}

static enum sms_answer launch(struct sms_share *share, size_t p)
{
    const struct state *state = sms_share_state(share);
    const struct sm *sm = sms_of(share, p);
    const size_t count = count_of(share, p);
    uint64_t *full_ps = &state->full_ps[process_of(share, p)->device];
    size_t any = 0;
    if (process_of(share, p)->quota == 0 && *full_ps == sms_share_now(share))
        return SMS_DEFER; /* as another one just before, and there may be many */
    if (process_of(share, p)->quota == 0)
        take(share, p);
    for (size_t q = 0; q < sms_share_processes(share) && sms_share_param(share, SLIP) > 1; q++)
        if (state->process[q].device >= 0 && sms_share_process(share, q).phase == SMS_PHASE_LAUNCH)
            process_of(share, q)->wanted = size_of(share, q);
    memset(state->row, 0, (state->most / 64 + 1) * sizeof *state->row);
    for (size_t s = 0; s < count; s++) {
        const bool may = may_use(share, p, &sm[s]);
        state->row[s / 64] |= (uint64_t)may << (s % 64);
        any += may;
    }
    if (any == 0) {
        /* Without events, SMs come free where a kernel takes fewer, or between the atoms of one. */
        if (process_of(share, p)->quota == 0 && sms_share_param(share, SLIP) <= 1 && sms_share_param(share, ATOM) <= 0)
            *full_ps = sms_share_now(share);
        return wait(share, p);
    }
    sms_share_use_sms(share, p, state->row);
    return SMS_GRANT;
}

static uint64_t atom(struct sms_share *share, size_t p)
{
    const double atom = sms_share_param(share, ATOM),
                 least = sms_share_param(share, COST) / sms_share_param(share, OVERHEAD);
    (void)p;
    return (uint64_t)(atom > 0 && least > atom ? least : atom);
}

const struct sms_share_policy sms_share_policy_lithos = {
    .name = "lithos",
    .help = "gives each process a quota of SMs, which others use while it is idle, and launches long kernels in atoms "
            "(LithOS)",
    .params = params,
    .state = sizeof(struct state),
    .repartitions = true,
    .start = start,
    .launch = launch,
    .atom = atom,
    .event = event,
};
