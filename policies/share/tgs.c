/* Rate control, as TGS has it (Wu et al., NSDI 2023; pkusys/TGS @ e1c6a31): while a process of a higher
 * priority is on its device, a process may launch so many blocks in a window. The limit grows while production, the
 * processes of higher priority, launches blocks at its best known rate, first by half, later by steps; and falls when
 * their rate is off by more than 3 %. Where production is idle there is no limit. Loses where a request of production
 * is shorter than what it waits for between requests: its rate stays the same while its latency grows. */
#include <smsched/share.h>

#include <math.h>
#include <string.h>

enum { PERIOD, WINDOW, POLL, FIRST, LEAST };

static const struct sms_param params[] = {
    {"period", SMS_UNIT_TIME, 1e9, 3.6e15, 5e12, "sets the time between two checks of the rate of production"},
    {"window", SMS_UNIT_TIME, 1e6, 3.6e15, 50e9,
     "sets the time window to which the limit of best-effort launches applies"},
    {"poll", SMS_UNIT_TIME, 1e6, 3.6e15, 10e9, "sets the time after which a waiting launch checks again"},
    {"first", SMS_UNIT_COUNT, 1, 1e12, 20000, "sets the number of blocks of the first limit"},
    {"least", SMS_UNIT_COUNT, 1, 1e12, 1000,
     "sets the minimum step of the limit in blocks; production with fewer blocks in a period is idle"},
    {0},
};

enum { PAST = 5, SETTLED = 15, PATIENCE = 20 }; /* periods */

static const double UNLIMITED = 0x1p40, NEAR = 0.03;

struct control {
    bool on;           /* a best-effort process is beside production */
    double limit;      /* blocks */
    double best;       /* of production, in a period */
    double past[PAST]; /* of production, the latest first */
    double now;        /* of production, in this period */
    double used;       /* of best-effort processes, in this window */
    uint64_t window;   /* which one */
    size_t learning;   /* periods until the best rate is known */
    size_t reports;    /* since then */
    size_t far;        /* in a row, with a rate far from the best */
    bool steady;       /* the limit goes by steps */
};

struct state {
    struct control *control; /* [devices] */
    uint64_t *asks_ps;       /* [processes], when it looks again */
};

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    state->control = sms_share_alloc(share, sms_share_devices(share), sizeof *state->control);
    state->asks_ps = sms_share_alloc(share, sms_share_processes(share), sizeof *state->asks_ps);
}

/* True if not all of its processes have one priority. */
static bool has_best_effort(const struct sms_share *share, size_t device)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        const struct sms_process_view view = sms_share_process(share, p);
        if (view.device != (long)device)
            continue;
        least = fmin(least, view.priority);
        most = fmax(most, view.priority);
    }
    return least < most;
}

/* The greatest mean of two periods that follow each other. Then `rate` is the latest. */
static double shift(struct control *control, double rate)
{
    double greatest = 0;
    for (size_t i = 1; i < PAST; i++)
        greatest = fmax(greatest, (control->past[i] + control->past[i - 1]) / 2);
    memmove(control->past + 1, control->past, (PAST - 1) * sizeof *control->past);
    control->past[0] = rate;
    return greatest;
}

static bool is_off(const struct control *control, double mean, double by)
{
    return fabs(mean - control->best) > by * control->best;
}

/* The best rate follows another one but for 2.5 %. */
static void follow(struct control *control, double mean)
{
    if (mean > control->best)
        control->best = fmax(control->best, 0.975 * mean);
    else
        control->best = fmin(control->best, 1.025 * mean);
}

/* Five periods, and one more while the rate is off. */
static void learn(struct control *control, double mean)
{
    const bool off = is_off(control, mean, 0.05);
    if (off)
        follow(control, mean);
    else
        control->best = fmax(control->best, mean);
    control->learning -= control->learning > 1 || !off;
}

static void set(struct control *control, double limit, bool steady)
{
    control->limit = limit;
    control->steady = steady;
}

static void step(struct control *control, double off, double least)
{
    if (off > NEAR)
        control->limit -= fmax(control->limit * 0.08, least);
    else
        control->limit += fmax(control->best * 0.00025, least);
    if (off >= 3 * NEAR)
        set(control, control->limit / 10, false);
}

static void update(struct control *control, double rate, double least)
{
    const double off = fabs(rate - control->best) / control->best;
    if (control->steady)
        step(control, off, least);
    else if (off <= NEAR)
        control->limit = control->limit * 1.5 + 1;
    else
        set(control, control->limit / 1.5, true);
    control->far = off >= 0.12 ? control->far + 1 : 0;
    if (control->far == PATIENCE) {
        control->best *= 0.8;
        control->far = 0;
        set(control, control->limit / 2, false);
    }
    control->limit = fmin(fmax(control->limit, 0), UNLIMITED);
}

/* Periods of the latest five in which production was idle. */
static size_t idle_periods(const struct control *control, double least)
{
    size_t idle = 0;
    for (size_t i = 0; i < PAST; i++)
        idle += control->past[i] < least;
    return idle;
}

static void report(struct control *control, double first, double least)
{
    const double rate = fmax(control->now, 1), mean = shift(control, rate);
    control->now = 0;
    if (control->learning > 0) {
        learn(control, mean);
        return;
    }
    if (is_off(control, mean, 0.2)) {
        follow(control, mean);
        control->learning = PAST;
        return;
    }
    control->best = is_off(control, mean, 0.1) ? control->best : fmax(control->best, mean);
    const size_t idle = idle_periods(control, least), reports = ++control->reports;
    if (reports == 1 || (idle == 2 && reports > SETTLED))
        set(control, first, false);
    else if (idle <= 2 || reports < SETTLED)
        update(control, rate, least);
    else
        set(control, UNLIMITED, false);
}

/* Tags from the number of devices on let the engine ask again for a launch. */
static void timer(struct sms_share *share, size_t tag)
{
    struct state *state = sms_share_state(share);
    if (tag >= sms_share_devices(share))
        return;
    struct control *of_device = &state->control[tag];
    of_device->on = has_best_effort(share, tag);
    if (!of_device->on)
        return;
    report(of_device, sms_share_param(share, FIRST), sms_share_param(share, LEAST));
    sms_share_wake(share, (uint64_t)sms_share_param(share, PERIOD), tag);
}

/* Production launches. Its first launch beside a best-effort process turns the control on. */
static enum sms_answer count(struct sms_share *share, const struct sms_process_view *view)
{
    struct state *state = sms_share_state(share);
    struct control *control = &state->control[view->device];
    if (!control->on && has_best_effort(share, (size_t)view->device)) {
        *control = (struct control){.on = true, .learning = PAST};
        sms_share_wake(share, (uint64_t)sms_share_param(share, PERIOD), (size_t)view->device);
    }
    control->now += (double)view->blocks;
    return SMS_GRANT;
}

static enum sms_answer launch(struct sms_share *share, size_t p)
{
    struct state *state = sms_share_state(share);
    const struct sms_process_view view = sms_share_process(share, p);
    const uint64_t now = sms_share_now(share), poll = (uint64_t)sms_share_param(share, POLL);
    struct control *control = &state->control[view.device];
    if (!sms_share_is_outranked(share, &view))
        return count(share, &view);
    if (!control->on)
        return SMS_GRANT;
    if (now < state->asks_ps[p])
        return SMS_DEFER;
    const uint64_t window = now / (uint64_t)sms_share_param(share, WINDOW);
    if (window != control->window)
        control->used = 0;
    control->window = window;
    if (control->used > control->limit) {
        state->asks_ps[p] = now + poll;
        sms_share_wake(share, poll, sms_share_devices(share) + p);
        return SMS_DEFER;
    }
    control->used += (double)view.blocks;
    return SMS_GRANT;
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct state *state = sms_share_state(share);
    if (event->kind == SMS_EVENT_ARRIVED)
        state->asks_ps[event->process] = 0;
}

const struct sms_share_policy sms_share_policy_tgs = {
    .name = "tgs",
    .help =
        "lets processes of a lower priority launch only as many blocks as do not change the rate of the others (TGS)",
    .params = params,
    .state = sizeof(struct state),
    .intercepts = true,
    .start = start,
    .launch = launch,
    .event = event,
    .timer = timer,
};
