/* Weighted fair sharing by service time: the next slice goes to who has had least of the device for its weight
 * (stride scheduling, Waldspurger and Weihl 1995, with time in place of quanta). One that comes late does not catch
 * up on what others had before it: it starts from the least that those ready have had. */
#include <smsched/share.h>

struct state {
    double *behind; /* [processes]: service per weight that is taken as had, on top of its own */
    bool *known;
};

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    state->behind = sms_share_alloc(share, sms_share_processes(share), sizeof *state->behind);
    state->known = sms_share_alloc(share, sms_share_processes(share), sizeof *state->known);
}

static double had(struct sms_share *share, size_t p)
{
    const struct state *state = sms_share_state(share);
    struct sms_process_view view = sms_share_process(share, p);
    return state->behind[p] + (double)view.service_ps / view.weight;
}

/* Whether it has run before: nobody is asked who runs while one is alone. */
static bool is_known(struct sms_share *share, size_t p)
{
    const struct state *state = sms_share_state(share);
    return state->known[p] || sms_share_process(share, p).service_ps > 0;
}

/* The least of those ready that have run before; 0 if none has. */
static double least_known(struct sms_share *share, const size_t *ready, size_t count)
{
    double least = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        double own = had(share, ready[i]);
        if (!is_known(share, ready[i]) || (any && own >= least))
            continue;
        least = own;
        any = true;
    }
    return least;
}

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    struct state *state = sms_share_state(share);
    double level = least_known(share, ready, count);
    size_t best = 0;
    (void)device;
    for (size_t i = 0; i < count; i++) {
        if (!is_known(share, ready[i]))
            state->behind[ready[i]] = level;
        state->known[ready[i]] = true;
    }
    for (size_t i = 1; i < count; i++)
        if (had(share, ready[i]) < had(share, ready[best]))
            best = i;
    return best;
}

const struct sms_share_policy sms_sharing_fair_share = {
    .name = "fair_share",
    .help = "the next slice to who has had least service for its weight",
    .state = sizeof(struct state),
    .start = start,
    .next = next,
};
