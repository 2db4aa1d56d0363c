/* Contention-aware pausing of containers (Kang 2022; specification 000). A monitor polls the device and publishes
 * which container holds how much of it; a manager lets the first container run, pauses the others while they copy
 * their input, and lets them go on, in the order of their process numbers, as the use of the cores allows.
 *
 * Monitor and manager are as slow as the commands that they call: what they see is as old as the query. */
#include <smsched/share.h>

#include <string.h>

enum {
    SMI,
    PAUSE,
    UNPAUSE,
    PS,
    TOP,
    MEMORY,
    CORE,
    BATCH,
    GATE,
    WHEN,
};

enum { GATE_OBSERVED, GATE_LITERAL };
enum { WHEN_FOUND, WHEN_INPUT };

static const char *const batch_names[] = {"batch", "sequential", NULL};
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
    {"core", SMS_UNIT_RATIO, 0, 1, 0.995, "from this use on the cores are full"},
    {"commands", SMS_UNIT_CHOICE, 0, 1, 0, "pause all in one command, or one after another", .choices = batch_names},
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
enum command { RELEASE_HEAD, PAUSE_OTHERS, RELEASE_NEXT, LOOK, PAUSE_AGAIN };

/* A container as the monitor and the manager know it. */
struct container {
    size_t number;               /* of its process: they rise in the order of their start; 0: it has none yet */
    uint64_t sampled, published; /* bytes of device memory in the latest sample, in the table */
    double sampled_core, published_core;
    bool steady;                   /* the same memory in two samples one after another */
    bool released, paused, chosen; /* chosen: for the command under way */
};

struct state {
    struct container *container; /* [processes] */
    size_t numbers, version, seen;
    bool busy;
    bool full, crowded; /* cores and memory, as of the table or of the manager's own look */
    enum command command;
    size_t subject, latest; /* of the command; the container released last */
    bool any_latest;
};

static double param(const struct sms_share *share, int idx) { return sms_share_param(share, (size_t)idx); }

static struct state *state_of(struct sms_share *share) { return sms_share_state(share); }

static double core_of_all(const struct sms_share *share)
{
    double core = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++)
        core += sms_share_device(share, d).core;
    return core / (double)sms_share_devices(share);
}

static double memory_used(const struct sms_share *share)
{
    double most = 0;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        struct sms_share_device_view view = sms_share_device(share, d);
        double used = 1 - (double)view.free / (double)view.memory;
        most = used > most ? used : most;
    }
    return most;
}

static void look(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->full = core_of_all(share) >= param(share, CORE);
    state->crowded = memory_used(share) > param(share, MEMORY);
}

/* What the device's query finds, at its end. Returns how many containers are on the device. */
static size_t sample(struct sms_share *share)
{
    struct state *state = state_of(share);
    size_t found = 0;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct container *container = &state->container[p];
        struct sms_process_view view = sms_share_process(share, p);
        container->steady = view.held == container->sampled && view.held > 0;
        container->sampled = view.held;
        container->sampled_core = view.core;
        found += view.held > 0;
    }
    return found;
}

static bool differs(const struct container *container)
{
    uint64_t mebibyte = 1 << 20, a = container->sampled, b = container->published;
    double core = container->sampled_core - container->published_core;
    return (a > 0) != (b > 0) || (a > b ? a - b : b - a) >= mebibyte || core >= 0.01 || core <= -0.01;
}

/* The table goes out if it differs from the one before. */
static void publish(struct sms_share *share)
{
    struct state *state = state_of(share);
    bool changed = false;
    for (size_t p = 0; p < sms_share_processes(share); p++)
        changed |= differs(&state->container[p]);
    /* That a container's memory has come to rest is news for the gate, though not for the table. */
    state->version += changed || (state->any_latest && state->container[state->latest].steady);
    for (size_t p = 0; changed && p < sms_share_processes(share); p++) {
        state->container[p].published = state->container[p].sampled;
        state->container[p].published_core = state->container[p].sampled_core;
    }
}

static void command(struct sms_share *share, enum command what, size_t subject, double delay)
{
    struct state *state = state_of(share);
    state->busy = true;
    state->command = what;
    state->subject = subject;
    sms_share_wake(share, (uint64_t)delay, COMMANDED);
}

/* The first by number of those that are on the device and not released; or none. With `paused` of all, else of those
 * that are not paused. */
static bool first_of(struct sms_share *share, bool paused, size_t *first)
{
    const struct state *state = state_of(share);
    bool any = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        const struct container *container = &state->container[p];
        if (!container->published || container->released || (container->paused && !paused))
            continue;
        if (!any || container->number < state->container[*first].number)
            *first = p;
        any = true;
    }
    return any;
}

static bool any_released(struct sms_share *share)
{
    const struct state *state = state_of(share);
    bool any = false;
    for (size_t p = 0; p < sms_share_processes(share); p++)
        any |= state->container[p].released;
    return any;
}

/* Those that are found and neither released nor paused are paused, all at once or the first of them. */
static void pause_others(struct sms_share *share)
{
    struct state *state = state_of(share);
    size_t first = 0;
    if (!first_of(share, false, &first))
        return;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct container *container = &state->container[p];
        bool found = container->published && !container->released && !container->paused;
        container->chosen = found && (param(share, BATCH) == 0 || p == first);
    }
    command(share, PAUSE_OTHERS, first, param(share, PAUSE));
}

static void release(struct sms_share *share, enum command what, size_t p)
{
    struct state *state = state_of(share);
    struct container *container = &state->container[p];
    container->released = true;
    state->latest = p;
    state->any_latest = true;
    command(share, what, p, container->paused ? param(share, UNPAUSE) : 0);
}

/* Whether the cores are free for another container: as the table has it, or only once the latest one is at work. */
static bool gate_passes(struct sms_share *share)
{
    const struct state *state = state_of(share);
    const struct container *latest = &state->container[state->latest];
    if (state->full)
        return false;
    return param(share, GATE) == GATE_LITERAL || (state->any_latest && latest->steady && latest->sampled_core > 0);
}

/* Algorithm 2, for the table that is there now. */
static void manage(struct sms_share *share)
{
    struct state *state = state_of(share);
    size_t first = 0;
    if (state->busy || state->seen == state->version)
        return;
    state->seen = state->version;
    for (size_t p = 0; p < sms_share_processes(share); p++)
        if (!state->container[p].published)
            state->container[p].released = state->container[p].paused = false;
    if (!first_of(share, true, &first))
        return;
    if (!any_released(share)) {
        sms_share_say(share, first, "nobody runs: it is let go, the others are paused");
        release(share, RELEASE_HEAD, first);
    } else if (state->full) {
        pause_others(share);
    } else if (gate_passes(share)) {
        sms_share_say(share, first, "cores are free: it is let go");
        release(share, RELEASE_NEXT, first);
    }
}

static void resume(struct sms_share *share, size_t p)
{
    state_of(share)->container[p].paused = false;
    sms_share_resume(share, p);
}

/* With the paper's future work a container is stopped where it would launch (launch()), not on its way there. */
static void stop(struct sms_share *share, size_t p)
{
    state_of(share)->container[p].paused = true;
    if (param(share, WHEN) == WHEN_FOUND)
        sms_share_pause(share, p);
}

static void stop_chosen(struct sms_share *share)
{
    struct state *state = state_of(share);
    for (size_t p = 0; p < sms_share_processes(share); p++)
        if (state->container[p].chosen) {
            state->container[p].chosen = false;
            sms_share_say(share, p, "paused");
            stop(share, p);
        }
    pause_others(share); /* sequential: the next one */
}

/* After a release: is there room for yet another? */
static void look_and_go_on(struct sms_share *share)
{
    struct state *state = state_of(share);
    size_t next = 0;
    look(share);
    if (state->crowded) {
        sms_share_say(share, state->subject, "memory is nearly full: it is paused again");
        state->container[state->subject].released = false;
        command(share, PAUSE_AGAIN, state->subject, param(share, PAUSE));
    } else if (gate_passes(share) && first_of(share, true, &next)) {
        release(share, RELEASE_NEXT, next);
    }
}

static void command_over(struct sms_share *share)
{
    struct state *state = state_of(share);
    state->busy = false;
    switch (state->command) {
    case RELEASE_HEAD:
        resume(share, state->subject);
        pause_others(share);
        break;
    case RELEASE_NEXT:
        resume(share, state->subject);
        command(share, LOOK, state->subject, param(share, SMI));
        break;
    case LOOK:
        look_and_go_on(share);
        break;
    case PAUSE_OTHERS:
        stop_chosen(share);
        break;
    case PAUSE_AGAIN:
        stop(share, state->subject);
        break;
    }
    manage(share);
}

static void timer(struct sms_share *share, size_t tag)
{
    size_t found;
    switch ((enum tag)tag) {
    case SAMPLED:
        found = sample(share);
        look(share);
        sms_share_wake(share, found ? (uint64_t)(param(share, PS) + (double)found * param(share, TOP)) : 0, PUBLISHED);
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

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct state *state = state_of(share);
    if (event->kind == SMS_EVENT_PLACED)
        state->container[event->process].number = ++state->numbers;
}

static enum sms_answer launch(struct sms_share *share, size_t process)
{
    const struct container *container = &state_of(share)->container[process];
    return param(share, WHEN) == WHEN_INPUT && container->paused ? SMS_DEFER : SMS_GRANT;
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
