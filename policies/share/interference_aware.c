/* Interference aware: best-effort kernels run beside high-priority ones only if they do no harm (after Orion, Strati et
 * al. 2024; eth-easl/orion @ aded65d, src/scheduler/scheduler_eval.cpp, busy_wait_profile). While a process of a higher
 * priority has a kernel on the device, another may launch only under two conditions. The two use different resources,
 * that is, their classes differ; and together they ask for no more than a share of the device. And best-effort kernels
 * throttle themselves: once those that were launched since the last wait take more than `durations` in all, no further
 * one launches before all of them have ended. */
#include <smsched/share.h>

#include <string.h>

enum { SHARE, DURATIONS };

static const struct sms_param params[] = {
    {"share", SMS_UNIT_RATIO, 0, 16, 1.0, "sets the share of the device for which kernels may ask together"},
    {"durations", SMS_UNIT_TIME, 0, 3.6e15, 0,
     "sets the total time of best-effort kernels after which all must end before more launch; 0: no limit"},
    {0},
};

/* True if a kernel of `self` may run beside one of `other`. Shares are whole parts of 10^-9, but for rounding. */
static bool may_run_beside(const struct sms_share *share, const struct sms_process_view *self,
                           const struct sms_process_view *other)
{
    bool known = self->cls[0] && other->cls[0];
    return known && strcmp(self->cls, other->cls) != 0 &&
           self->core_next + other->core <= sms_share_param(share, SHARE) + 1e-12;
}

/* Of the best-effort kernels of a device. */
struct throttle {
    double sum_ps; /* time alone of those that were launched since the last wait */
    bool closed;
};

struct state {
    struct throttle *throttle; /* [devices] */
    size_t *kernels;           /* [processes], on the device: while one stream asks, a view shows no other's */
};

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    state->throttle = sms_share_alloc(share, sms_share_devices(share), sizeof *state->throttle);
    state->kernels = sms_share_alloc(share, sms_share_processes(share), sizeof *state->kernels);
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    const struct state *state = sms_share_state(share);
    state->kernels[event->process] += event->kind == SMS_EVENT_LAUNCHED;
    state->kernels[event->process] -= event->kind == SMS_EVENT_KERNEL_ENDED;
}

static bool runs_best_effort(const struct sms_share *share, long device)
{
    const struct state *state = sms_share_state(share);
    bool runs = false;
    for (size_t p = 0; p < sms_share_processes(share) && !runs; p++) {
        if (state->kernels[p] == 0)
            continue;
        struct sms_process_view other = sms_share_process(share, p);
        runs = other.device == device && sms_share_is_outranked(share, &other);
    }
    return runs;
}

/* Grants a launch unless the best-effort kernels before it have to end first. */
static enum sms_answer throttle(struct sms_share *share, size_t process, const struct sms_process_view *self)
{
    const struct state *state = sms_share_state(share);
    struct throttle *throttle = &state->throttle[self->device];
    double most_ps = sms_share_param(share, DURATIONS);
    if (most_ps <= 0 || !sms_share_is_outranked(share, self))
        return SMS_GRANT;
    if (!runs_best_effort(share, self->device) && throttle->closed)
        *throttle = (struct throttle){0};
    if (throttle->closed) {
        sms_share_say(share, process, "waits for the best-effort kernels before it");
        return SMS_DEFER;
    }
    throttle->sum_ps += (double)self->kernel_ps;
    throttle->closed = throttle->sum_ps > most_ps;
    return SMS_GRANT;
}

static enum sms_answer launch(struct sms_share *share, size_t process)
{
    struct sms_process_view self = sms_share_process(share, process);
    const struct state *state = sms_share_state(share);
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        if (state->kernels[p] == 0) /* most wait, and all of those are asked after each event */
            continue;
        struct sms_process_view other = sms_share_process(share, p);
        bool has_precedence = p != process && other.device == self.device && other.phase == SMS_PHASE_KERNEL &&
                              other.priority > self.priority;
        if (!has_precedence || may_run_beside(share, &self, &other))
            continue;
        sms_share_say(share, process, "waits for the kernel of %s", other.name);
        return SMS_DEFER;
    }
    return throttle(share, process, &self);
}

const struct sms_share_policy sms_share_policy_interference_aware = {
    .name = "interference_aware",
    .help = "makes kernels wait while a kernel of a higher priority runs that they would slow (after Orion)",
    .params = params,
    .state = sizeof(struct state),
    .start = start,
    .launch = launch,
    .event = event,
};
