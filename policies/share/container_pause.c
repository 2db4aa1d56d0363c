/* Contention-aware pausing of containers (Kang 2022; docs/kang-2022-contention.md). A monitor polls the device and
 * publishes which container holds how much of it (Algorithm 1); a manager lets the first container run, pauses the
 * others while they copy their input, and lets them go on in turn as the use of the cores allows (Algorithm 2).
 *
 * Monitor and manager are as slow as the commands that they call: what they see is as old as the query. */
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
    {"smi", SMS_UNIT_TIME, 1, 1e15, 0.06 * SECOND, "time of a query of the device (Kang 2022, 4.2)"},
    {"pause", SMS_UNIT_TIME, 1, 1e15, 0.06 * SECOND, "time to pause a container (Kang 2022, 4.2)"},
    {"unpause", SMS_UNIT_TIME, 1, 1e15, 0.06 * SECOND, "time to let one go on (Kang 2022, 4.2)"},
    {"ps", SMS_UNIT_TIME, 0, 1e15, 0, "time to list the containers"},
    {"top", SMS_UNIT_TIME, 0, 1e15, 0, "time to list the processes of one container"},
    {"memory", SMS_UNIT_RATIO, 0, 1, 0.95,
     "above this use of the memory a container that was let go on is paused again"},
    {"crowded", SMS_UNIT_CHOICE, 0, 1, CROWDED_ABOVE,
     "above: as Algorithm 2 has it; from: at just that use of the memory, too, as the paper's prose has it",
     .choices = crowded_names},
    {"core", SMS_UNIT_RATIO, 0, 1, 0.995, "from this use on the cores are full"},
    {"commands", SMS_UNIT_CHOICE, 0, 1, COMMANDS_BATCH, "pause all in one command, or one after another",
     .choices = commands_names},
    {"gate", SMS_UNIT_CHOICE, 0, 1, GATE_OBSERVED,
     "observed: the cores are free only once a kernel of the latest container was seen; literal: as the paper's "
     "Algorithm 2 reads",
     .choices = gate_names},
    {"when", SMS_UNIT_CHOICE, 0, 1, WHEN_FOUND,
     "found: a container is paused as soon as it is found; input: once its input is on the device (the paper's future "
     "work)",
     .choices = when_names},
    {0},
};

enum tag { SAMPLED, PUBLISHED, COMMANDED };
enum command { RELEASE_HEAD, PAUSE, RELEASE_NEXT, LOOK, PAUSE_AGAIN };

/* What the device's query and the containers' lists say of one container. */
struct entry {
    uint64_t memory; /* bytes of the device; 0: the container is not in the table */
    double core;
};

struct container {
    size_t turn;     /* rises with the process number; one that comes again gets another. 0: it has none yet */
    size_t released; /* when it was let go last, counted in releases; 0: it is not allowed to run */
    bool paused;
    bool to_pause;  /* by the command under way, or one of those that follow it */
    bool same;      /* as much memory in the latest sample as in the one before, and not none */
    bool settled;   /* published: that, and its kernel was seen */
    bool came_back; /* it gave up all memory once */
    struct entry sampled, published;
};

struct state {
    struct container *container; /* [processes] */
    size_t turns, releases;
    size_t version, seen;            /* of the table; the one that the manager has acted upon */
    bool full_in_sample, full, busy; /* the cores, as sampled and in the table; a command of the manager is under way */
    enum command command;
    size_t subject; /* of that */
    bool gone;      /* the subject is, and another process has its number */
};

static double param(const struct sms_share *share, int idx) { return sms_share_param(share, (size_t)idx); }

static bool chosen(const struct sms_share *share, int idx, int choice) { return (int)param(share, idx) == choice; }

static struct state *state_of(struct sms_share *share) { return sms_share_state(share); }

/* On several devices: all of them. */
static bool cores_full(const struct sms_share *share)
{
    double core = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++)
        core += sms_share_device(share, d).core;
    return core >= param(share, CORE) * (double)sms_share_devices(share);
}

/* On several devices: any of them. */
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

/* The device's query, at its end. Returns whether it finds anybody. */
static bool sample(struct sms_share *share)
{
    struct state *state = state_of(share);
    bool found = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct container *container = &state->container[p];
        struct sms_process_view view = sms_share_process(share, p);
        container->same = view.held == container->sampled.memory && view.held > 0;
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

/* The containers are listed, then the processes of each. */
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

/* A container that gave up its memory and takes some again queues up behind all others. */
static void enter_table(struct sms_share *share, size_t p)
{
    struct state *state = state_of(share);
    struct container *container = &state->container[p];
    if (differ(container->sampled, container->published))
        sms_share_say(share, p, "published: %.0f MiB, cores %.0f %%", (double)container->sampled.memory / (1 << 20),
                      100 * container->sampled.core);
    if (container->came_back && container->sampled.memory && !container->published.memory)
        container->turn = ++state->turns;
    container->came_back |= container->published.memory && !container->sampled.memory;
    container->published = container->sampled;
}

/* The container that was let go last, of those that may run. */
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

/* Whether the one who was let go last has settled just now. Its memory comes to rest one sample after it changed, when
 * the table may be the same again. */
static bool settle(struct sms_share *share)
{
    const struct state *state = state_of(share);
    const struct container *latest = latest_of(share);
    bool news = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct container *container = &state->container[p];
        bool settled = container->same && container->sampled.core > 0;
        news |= container == latest && settled && !container->settled;
        container->settled = settled;
    }
    return news;
}

/* The table goes out if it differs from the one before. */
static void publish(struct sms_share *share)
{
    struct state *state = state_of(share);
    bool changed = false, settled = settle(share);
    for (size_t p = 0; p < sms_share_processes(share); p++)
        changed |= differ(state->container[p].sampled, state->container[p].published);
    for (size_t p = 0; changed && p < sms_share_processes(share); p++)
        enter_table(share, p);
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
    sms_share_wake(share, (uint64_t)delay, COMMANDED);
}

/* Neither running nor gone. One may have given up its memory while the command that paused it was on its way. */
static bool waits(const struct container *container)
{
    return !container->released && (container->published.memory || container->paused);
}

/* A new arrival, in the paper's words. */
static bool is_new(const struct container *container) { return waits(container) && !container->paused; }

static bool is_to_pause(const struct container *container) { return container->to_pause; }

/* The first of those, in the order of their turns. Returns whether there is one. */
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

/* Whether the cores are free for another container: as the table has it, or only once the latest one is at work. */
static bool gate_passes(struct sms_share *share)
{
    const struct container *latest = latest_of(share);
    if (state_of(share)->full)
        return false;
    return chosen(share, GATE, GATE_LITERAL) || (latest && latest->settled);
}

/* The loops of lines 8 and 18, one turn. */
static void release_next(struct sms_share *share)
{
    size_t next;
    if (!gate_passes(share) || !first_of(share, waits, &next))
        return;
    sms_share_say(share, next, "cores are free: let go");
    release(share, RELEASE_NEXT, next);
}

/* The chosen ones, all at once or the first of them; after that, the next to run. */
static void pause_chosen(struct sms_share *share)
{
    size_t first;
    if (first_of(share, is_to_pause, &first))
        command(share, PAUSE, first, param(share, PAUSE_TIME));
    else
        release_next(share);
}

/* "Output copy finished". */
static void drop_those_through(struct sms_share *share)
{
    struct state *state = state_of(share);
    for (size_t p = 0; p < sms_share_processes(share); p++)
        if (!state->container[p].published.memory)
            state->container[p].released = 0;
}

/* Acts upon a table that it has not seen. */
static void manage(struct sms_share *share)
{
    struct state *state = state_of(share);
    size_t first;
    if (state->busy || state->seen == state->version)
        return;
    state->seen = state->version;
    drop_those_through(share);
    if (!first_of(share, waits, &first))
        return;
    if (!latest_of(share)) {
        sms_share_say(share, first, "nobody runs: let go");
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

/* With `input` a container is stopped where it would launch (launch()), not on its way there. */
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

static void pause_over(struct sms_share *share)
{
    struct state *state = state_of(share);
    for (size_t p = 0; p < sms_share_processes(share); p++)
        if (state->container[p].to_pause && (p == state->subject || chosen(share, COMMANDS, COMMANDS_BATCH)))
            stop(share, p, "paused");
    pause_chosen(share);
}

/* After a release: is there room for yet another? */
static void look_over(struct sms_share *share)
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

static void command_over(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->busy = false;
    switch (state->command) {
    case RELEASE_HEAD:
        if (!state->gone)
            resume(share, state->subject);
        pause_chosen(share);
        break;
    case PAUSE:
        pause_over(share);
        break;
    case RELEASE_NEXT:
        if (state->gone)
            break;
        resume(share, state->subject);
        command(share, LOOK, state->subject, param(share, SMI));
        break;
    case LOOK:
        look_over(share);
        break;
    case PAUSE_AGAIN:
        if (!state->gone)
            stop(share, state->subject, "memory is nearly full: paused again");
        break;
    }
    manage(share);
}

static void timer(struct sms_share *share, size_t tag)
{
    switch ((enum tag)tag) {
    case SAMPLED:
        sms_share_wake(share, sample(share) ? (uint64_t)time_to_list(share) : 0, PUBLISHED);
        break;
    case PUBLISHED:
        publish(share);
        manage(share);
        sms_share_wake(share, (uint64_t)param(share, SMI), SAMPLED);
        break;
    case COMMANDED:
        command_over(share);
        break;
    }
}

static void start(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->container = sms_share_alloc(share, sms_share_processes(share), sizeof *state->container);
    sms_share_wake(share, (uint64_t)param(share, SMI), SAMPLED);
}

/* Process numbers rise in the order of their start. */
static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct state *state = state_of(share);
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

const struct sms_share_policy sms_sharing_container_pause = {
    .name = "container_pause",
    .help = "pauses containers while others use the cores, and lets them go on in turn (Kang 2022)",
    .params = params,
    .state = sizeof(struct state),
    .start = start,
    .launch = launch,
    .event = event,
    .timer = timer,
};
