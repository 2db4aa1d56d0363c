/* A share policy without sense: what it does is drawn from the number of things that it has done so far. */
#include "share.h"

#include "draws.h"

struct state {
    uint64_t rng;
    unsigned moves; /* so far; beyond MOVES it only lets go */
};

enum { MOVES = 150, TICK = 1 };

static bool is_over(const struct state *state) { return state->moves > MOVES; }

static bool likes(struct sms_share *share, uint64_t percent)
{
    struct state *state = sms_share_state(share);
    state->moves++;
    return !is_over(state) && chance(&state->rng, percent);
}

static size_t someone(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    return draw(&state->rng) % sms_share_processes(share);
}

static void let_go(struct sms_share *share)
{
    const uint64_t all = UINT64_MAX; /* devices of these scenarios have fewer SMs than 64 */
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        sms_share_use_sms(share, p, &all);
        sms_share_resume(share, p);
        for (size_t d = 0; d < sms_share_devices(share); d++)
            sms_share_restore(share, p, d);
    }
}

static void act(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    size_t p = someone(share), d = draw(&state->rng) % sms_share_devices(share);
    if (likes(share, 30))
        sms_share_pause(share, p);
    if (likes(share, 30))
        sms_share_resume(share, someone(share));
    if (likes(share, 50))
        sms_share_restore(share, p, d);
    if (likes(share, 3))
        sms_share_fail(share, p);
    const uint64_t sms = likes(share, 50) ? draw(&state->rng) : 0;
    if (likes(share, 30))
        sms_share_use_sms(share, p, &sms);
    sms_share_say(share, p, "%s", sms_share_process(share, p).name);
    if (is_over(state))
        let_go(share);
}

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    state->rng = sms_share_processes(share);
    sms_share_wake(share, 1000000, TICK);
}

static void timer(struct sms_share *share, size_t tag)
{
    struct state *state = sms_share_state(share);
    act(share);
    bool left = false; /* someone whom nobody else would wake */
    for (size_t p = 0; p < sms_share_processes(share); p++)
        left |= sms_share_process(share, p).phase == SMS_PHASE_SUSPENDED || sms_share_process(share, p).paused ||
                (sms_share_process(share, p).device >= 0 && sms_share_process(share, p).sms == 0);
    if (!is_over(state) || left)
        sms_share_wake(share, (1 + draw(&state->rng) % 8) * 250000000, tag);
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    (void)event;
    if (likes(share, 40))
        act(share);
}

static long place(struct sms_share *share, size_t process)
{
    return likes(share, 20) ? SMS_WAIT : sms_share_choose(share, process);
}

static enum sms_answer answer(struct sms_share *share, enum sms_answer otherwise)
{
    if (likes(share, 15))
        return SMS_DEFER;
    return likes(share, 15) ? SMS_SUSPEND : otherwise;
}

static enum sms_answer allocate(struct sms_share *share, size_t process)
{
    struct sms_process_view view = sms_share_process(share, process);
    bool fits = view.device >= 0 && view.wanted <= sms_share_device(share, (size_t)view.device).free;
    return answer(share, fits ? SMS_GRANT : SMS_REFUSE);
}

static enum sms_answer launch(struct sms_share *share, size_t process)
{
    (void)process;
    return answer(share, SMS_GRANT);
}

static uint64_t atom(struct sms_share *share, size_t process)
{
    return likes(share, 50) ? 0 : sms_share_kernel_ps(share, process, 1) / 7 + 1;
}

static enum sms_answer call(struct sms_share *share, size_t process)
{
    (void)process;
    return likes(share, 10) ? SMS_SUSPEND : SMS_GRANT;
}

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    struct state *state = sms_share_state(share);
    (void)device;
    (void)ready;
    return draw(&state->rng) % count;
}

static bool preempts(struct sms_share *share, size_t device, size_t running, size_t other)
{
    struct state *state = sms_share_state(share);
    (void)device;
    return running != other && chance(&state->rng, 30);
}

const struct sms_share_policy chaos = {
    .name = "chaos",
    .help = "does anything",
    .state = sizeof(struct state),
    .intercepts = true,
    .repartitions = true,
    .start = start,
    .place = place,
    .allocate = allocate,
    .launch = launch,
    .atom = atom,
    .call = call,
    .next = next,
    .preempts = preempts,
    .event = event,
    .timer = timer,
};
