/* Contention-aware pausing of containers (Kang 2022; docs/evidence/kang-2022-contention.md). A monitor polls the device
 * and publishes a table of how much each container holds (Algorithm 1). A manager lets the first container run, pauses
 * the others while they copy their input, and releases them one by one as the utilization of the cores allows
 * (Algorithm 2).
 *
 * Monitor and manager are as slow as the commands that they run, so they act on data that is as old as the query. */
#include <smsched/share.h>

enum {
    SMI,
    PAUSE_TIME,
    UNPAUSE,
    PS,
    TOP,
    MEMORY,
    CROWDED,
    CORE,
    COMMANDS,
    GATE,
    WHEN,
};

enum { CROWDED_ABOVE, CROWDED_FROM };
enum { COMMANDS_BATCH, COMMANDS_SEQUENTIAL };
enum { GATE_OBSERVED, GATE_LITERAL };
enum { WHEN_FOUND, WHEN_INPUT };

static const char *const crowded_names[] = {"above", "from", NULL};
static const char *const commands_names[] = {"batch", "sequential", NULL};
static const char *const gate_names[] = {"observed", "literal", NULL};
static const char *const when_names[] = {"found", "input", NULL};

#define SECOND 1e12

static const struct sms_param params[] = {
    {"smi", SMS_UNIT_TIME, 1, 1e15, 0.06 * SECOND, "sets the time of a query of the device (Kang 2022, 4.2)"},
    {"pause", SMS_UNIT_TIME, 1, 1e15, 0.06 * SECOND, "sets the time to pause a container (Kang 2022, 4.2)"},
    {"unpause", SMS_UNIT_TIME, 1, 1e15, 0.06 * SECOND, "sets the time to unpause a container (Kang 2022, 4.2)"},
    {"ps", SMS_UNIT_TIME, 0, 1e15, 0, "sets the time to list the containers"},
    {"top", SMS_UNIT_TIME, 0, 1e15, 0, "sets the time to list the processes of one container"},
    {"memory", SMS_UNIT_RATIO, 0, 1, 0.95,
     "sets the utilization of memory above which a container that was just released is paused again"},
    {"crowded", SMS_UNIT_CHOICE, 0, 1, CROWDED_ABOVE,
     "says when memory is too full: above that utilization (above, as in Algorithm 2), or also at it (from, as in the "
     "paper's text)",
     .choices = crowded_names},
    {"core", SMS_UNIT_RATIO, 0, 1, 0.995, "sets the utilization from which the cores are full"},
    {"commands", SMS_UNIT_CHOICE, 0, 1, COMMANDS_BATCH,
     "says whether containers are paused in one command (batch) or one after another (sequential)",
     .choices = commands_names},
    {"gate", SMS_UNIT_CHOICE, 0, 1, GATE_OBSERVED,
     "says when the cores are free: only once a kernel of the latest container was seen (observed), or as in the "
     "paper's Algorithm 2 (literal)",
     .choices = gate_names},
    {"when", SMS_UNIT_CHOICE, 0, 1, WHEN_FOUND,
     "says when a container is paused: as soon as it is found (found), or once its input is on the device (input, the "
     "paper's future work)",
     .choices = when_names},
    {0},
};

enum tag { SAMPLED, PUBLISHED, COMMANDED, DECIDED };
enum command { RELEASE_HEAD, PAUSE, RELEASE_NEXT, QUERY_AGAIN, PAUSE_AGAIN };

/* What the device query and the process lists report about one container. */
struct entry {
    uint64_t memory; /* device memory, bytes; 0: the container is not in the table */
    double core;
};

struct container {
    size_t turn;     /* position among the waiting; rises with the process number; new when a container returns */
    size_t released; /* number of its latest release, from 1; 0 if it may not run */
    bool paused;
    bool to_pause;     /* by the command under way, or by one that follows it */
    bool steady;       /* it held memory, and equally much, in the latest two samples */
    bool settled;      /* published: it is steady, and its kernel was seen */
    bool freed_memory; /* it gave up all its memory once */
    struct entry sampled, published;
};

struct state {
    struct container *container; /* [processes] */
    size_t turns, releases;
    size_t version, handled;   /* version of the table; version to which the manager has reacted */
    bool full_in_sample, full; /* the cores are full, in the latest sample and in the table */
    bool busy;                 /* a command of the manager is under way */
    uint64_t ends_ps;          /* when it ends; 0 once it has taken effect */
    enum command command;      /* the latest command */
    size_t subject;            /* the container of that command */
    bool gone;                 /* the subject has ended, and another process has its number */
};

static double param(const struct sms_share *share, int idx) { return sms_share_param(share, (size_t)idx); }

static bool chosen(const struct sms_share *share, int idx, int choice) { return (int)param(share, idx) == choice; }

static struct state *state_of(struct sms_share *share) { return sms_share_state(share); }

/* True if the cores are full; with several devices, the cores of all. */
static bool cores_full(const struct sms_share *share)
{
    double core = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++)
        core += sms_share_device(share, d).core;
    return core >= param(share, CORE) * (double)sms_share_devices(share);
}

/* True if memory is crowded; with several devices, the memory of any. */
static bool memory_crowded(const struct sms_share *share)
{
    double most = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        struct sms_share_device_view view = sms_share_device(share, d);
        double used = (double)(view.memory - view.free) / (double)view.memory;
        most = used > most ? used : most;
    }
    return chosen(share, CROWDED, CROWDED_FROM) ? most >= param(share, MEMORY) : most > param(share, MEMORY);
}

/* The monitor: Algorithm 1. */

/* The end of the device query. Returns true if it finds a container. */
static bool sample(struct sms_share *share)
{
    struct state *state = state_of(share);
    bool found = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct container *container = &state->container[p];
        struct sms_process_view view = sms_share_process(share, p);
        container->steady = view.held == container->sampled.memory && view.held > 0;
        container->sampled = (struct entry){view.held, view.core};
        found |= view.held > 0;
    }
    state->full_in_sample = cores_full(share);
    return found;
}

static bool is_up(const struct sms_share *share, size_t p)
{
    enum sms_phase phase = sms_share_process(share, p).phase;
    return phase != SMS_PHASE_FUTURE && phase != SMS_PHASE_DONE && phase != SMS_PHASE_FAILED;
}

/* The time to list the containers, and then the processes of each. */
static double time_to_list(const struct sms_share *share)
{
    size_t containers = 0;
    for (size_t p = 0; p < sms_share_processes(share); p++)
        containers += is_up(share, p);
    return param(share, PS) + (double)containers * param(share, TOP);
}

static bool differ(struct entry a, struct entry b)
{
    const uint64_t mebibyte = 1 << 20;
    uint64_t memory = a.memory > b.memory ? a.memory - b.memory : b.memory - a.memory;
    double core = a.core > b.core ? a.core - b.core : b.core - a.core;
    return (a.memory > 0) != (b.memory > 0) || memory >= mebibyte || core >= 0.01;
}

/* Publishes a container's entry. A container that gave up its memory and takes some again goes behind all others. */
static void publish_entry(struct sms_share *share, size_t p)
{
    struct state *state = state_of(share);
    struct container *container = &state->container[p];
    if (differ(container->sampled, container->published))
        sms_share_say(share, p, "published: %.0f MiB, cores %.0f %%", (double)container->sampled.memory / (1 << 20),
                      100 * container->sampled.core);
    if (container->freed_memory && container->sampled.memory && !container->published.memory)
        container->turn = ++state->turns;
    container->freed_memory |= container->published.memory && !container->sampled.memory;
    container->published = container->sampled;
}

/* Returns the container that was released last among those that may run, or NULL. */
static struct container *latest_of(struct sms_share *share)
{
    const struct state *state = state_of(share);
    struct container *latest = NULL;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct container *container = &state->container[p];
        if (container->released > (latest ? latest->released : 0))
            latest = container;
    }
    return latest;
}

/* Updates which containers are settled. Returns true if the one that was released last has just settled. This must
 * publish a new version by itself: memory is steady one sample after it changed, when the table may not change. */
static bool update_settled(struct sms_share *share)
{
    const struct state *state = state_of(share);
    const struct container *latest = latest_of(share);
    bool latest_settled = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct container *container = &state->container[p];
        bool settled = container->steady && container->sampled.core > 0;
        latest_settled |= container == latest && settled && !container->settled;
        container->settled = settled;
    }
    return latest_settled;
}

/* Publishes the table if it differs from the one before. */
static void publish(struct sms_share *share)
{
    struct state *state = state_of(share);
    bool changed = false, settled = update_settled(share);
    for (size_t p = 0; p < sms_share_processes(share); p++)
        changed |= differ(state->container[p].sampled, state->container[p].published);
    for (size_t p = 0; changed && p < sms_share_processes(share); p++)
        publish_entry(share, p);
    if (changed)
        state->full = state->full_in_sample;
    state->version += changed || settled;
}

/* The manager: Algorithm 2. */

static void command(struct sms_share *share, enum command what, size_t subject, double delay)
{
    struct state *state = state_of(share);
    state->busy = true;
    state->command = what;
    state->subject = subject;
    state->gone = false;
    state->ends_ps = sms_share_now(share) + (uint64_t)delay;
    sms_share_wake(share, (uint64_t)delay, COMMANDED);
}

/* True if the container neither runs nor is gone. A paused one waits even without memory, because it may have given it
 * up while the command that paused it was under way. */
static bool waits(const struct container *container)
{
    return !container->released && (container->published.memory || container->paused);
}

/* True for a "new arrival", as the paper calls it. */
static bool is_new(const struct container *container) { return waits(container) && !container->paused; }

static bool is_to_pause(const struct container *container) { return container->to_pause; }

/* Finds the first container by turn for which `is` holds. Returns false if there is none. */
static bool first_of(struct sms_share *share, bool (*is)(const struct container *), size_t *first)
{
    const struct state *state = state_of(share);
    bool any = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        const struct container *container = &state->container[p];
        if (!is(container) || (any && container->turn > state->container[*first].turn))
            continue;
        *first = p;
        any = true;
    }
    return any;
}

static void release(struct sms_share *share, enum command what, size_t p)
{
    struct state *state = state_of(share);
    struct container *container = &state->container[p];
    container->released = ++state->releases;
    command(share, what, p, container->paused ? param(share, UNPAUSE) : 0);
}

static void choose_new(struct sms_share *share)
{
    struct state *state = state_of(share);
    for (size_t p = 0; p < sms_share_processes(share); p++)
        state->container[p].to_pause = is_new(&state->container[p]);
}

/* True if the cores are free for another container: as the table shows, or also only once the latest one is settled. */
static bool gate_passes(struct sms_share *share)
{
    const struct container *latest = latest_of(share);
    if (state_of(share)->full)
        return false;
    return chosen(share, GATE, GATE_LITERAL) || (latest && latest->settled);
}

/* One iteration of the loops in lines 8 and 18. */
static void release_next(struct sms_share *share)
{
    size_t next;
    if (!gate_passes(share) || !first_of(share, waits, &next))
        return;
    sms_share_say(share, next, "cores are free: released");
    release(share, RELEASE_NEXT, next);
}

/* Pauses the chosen containers, all at once or the first of them. After the last one it releases the next to
 * run. */
static void pause_chosen(struct sms_share *share)
{
    size_t first;
    if (first_of(share, is_to_pause, &first))
        command(share, PAUSE, first, param(share, PAUSE_TIME));
    else
        release_next(share);
}

/* Marks containers without memory as no longer running: "output copy finished" in the paper. */
static void drop_finished(struct sms_share *share)
{
    struct state *state = state_of(share);
    for (size_t p = 0; p < sms_share_processes(share); p++)
        if (!state->container[p].published.memory)
            state->container[p].released = 0;
}

/* Reacts to a new version of the table. */
static void manage(struct sms_share *share)
{
    struct state *state = state_of(share);
    size_t first;
    if (state->busy || state->handled == state->version)
        return;
    state->handled = state->version;
    drop_finished(share);
    if (!first_of(share, waits, &first))
        return;
    if (!latest_of(share)) {
        sms_share_say(share, first, "no container runs: released");
        release(share, RELEASE_HEAD, first);
        choose_new(share);
    } else if (state->full) {
        choose_new(share);
        pause_chosen(share);
    } else {
        release_next(share);
    }
}

static void resume(struct sms_share *share, size_t p)
{
    state_of(share)->container[p].paused = false;
    sms_share_resume(share, p);
}

/* With `when: input` a container is not paused at once but where it would launch its kernel; see launch(). */
static void stop(struct sms_share *share, size_t p, const char *why)
{
    struct container *container = &state_of(share)->container[p];
    container->to_pause = false;
    if (!is_up(share, p))
        return;
    sms_share_say(share, p, "%s", why);
    container->paused = true;
    if (chosen(share, WHEN, WHEN_FOUND))
        sms_share_pause(share, p);
}

/* The query after a release has ended: undoes the release if memory is crowded, or else tries the next one. */
static void end_query(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->full = cores_full(share);
    if (memory_crowded(share) && !state->gone) {
        state->container[state->subject].released = 0;
        command(share, PAUSE_AGAIN, state->subject, param(share, PAUSE_TIME));
    } else {
        release_next(share);
    }
}

/* What the command under way does, once it ends: before a query that ends at that instant, whichever began first. */
static void take_effect(struct sms_share *share)
{
    struct state *state = state_of(share);
    if (state->ends_ps == 0 || state->ends_ps > sms_share_now(share))
        return;
    state->ends_ps = 0;
    if (state->command == PAUSE)
        for (size_t p = 0; p < sms_share_processes(share); p++)
            if (state->container[p].to_pause && (p == state->subject || chosen(share, COMMANDS, COMMANDS_BATCH)))
                stop(share, p, "paused");
    if (state->command == PAUSE_AGAIN && !state->gone)
        stop(share, state->subject, "memory is nearly full: paused again");
    if ((state->command == RELEASE_HEAD || state->command == RELEASE_NEXT) && !state->gone)
        resume(share, state->subject);
}

/* What the manager does next. It knows a table that is published at that instant. */
static void decide(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->busy = false;
    if (state->command == RELEASE_HEAD || state->command == PAUSE)
        pause_chosen(share);
    else if (state->command == RELEASE_NEXT && !state->gone)
        command(share, QUERY_AGAIN, state->subject, param(share, SMI));
    else if (state->command == QUERY_AGAIN)
        end_query(share);
    manage(share);
}

static void end_lists(struct sms_share *share)
{
    publish(share);
    manage(share);
    sms_share_wake(share, (uint64_t)param(share, SMI), SAMPLED);
}

static void end_sample(struct sms_share *share)
{
    const uint64_t lists_ps = sample(share) ? (uint64_t)time_to_list(share) : 0;
    if (lists_ps > 0)
        sms_share_wake(share, lists_ps, PUBLISHED);
    else
        end_lists(share);
}

static void timer(struct sms_share *share, size_t tag)
{
    take_effect(share);
    switch ((enum tag)tag) {
    case SAMPLED:
        end_sample(share);
        break;
    case PUBLISHED:
        end_lists(share);
        break;
    case COMMANDED:
        sms_share_wake(share, 0, DECIDED);
        break;
    case DECIDED:
        decide(share);
        break;
    }
}

static void start(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->container = sms_share_alloc(share, sms_share_processes(share), sizeof *state->container);
    sms_share_wake(share, (uint64_t)param(share, SMI), SAMPLED);
}

/* Turns are given in order of arrival, because process numbers rise in the order in which processes start. With `when:
 * input` a container may end while it is paused, and waits no longer. */
static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct state *state = state_of(share);
    if (event->kind == SMS_EVENT_ENDED || event->kind == SMS_EVENT_FAILED)
        state->container[event->process].paused = false;
    if (event->kind != SMS_EVENT_ARRIVED)
        return;
    state->container[event->process] = (struct container){.turn = ++state->turns};
    state->gone |= event->process == state->subject;
}

static enum sms_answer launch(struct sms_share *share, size_t process)
{
    bool held = chosen(share, WHEN, WHEN_INPUT) && state_of(share)->container[process].paused;
    return held ? SMS_DEFER : SMS_GRANT;
}

const struct sms_share_policy sms_share_policy_container_pause = {
    .name = "container_pause",
    .help = "pauses containers while others use the cores, and releases them in turn (Kang 2022)",
    .params = params,
    .state = sizeof(struct state),
    .start = start,
    .launch = launch,
    .event = event,
    .timer = timer,
};
