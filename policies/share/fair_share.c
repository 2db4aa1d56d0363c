/* Weighted fair sharing by service time: the next slice goes to who has had least of the device for its weight
 * (stride scheduling, Waldspurger and Weihl 1995, with time in place of quanta). One that comes late does not catch
 * up on what others had before it: it starts level with the one at work that has had least. */
#include <smsched/share.h>

struct process {
    double level; /* service per weight that counts as had, on top of its own */
    bool known;   /* it has launched a kernel before */
};

static struct process *process_of(struct sms_share *share, size_t p)
{
    struct process **processes = sms_share_state(share);
    return &(*processes)[p];
}

static void start(struct sms_share *share)
{
    struct process **processes = sms_share_state(share);
    *processes = sms_share_alloc(share, sms_share_processes(share), sizeof **processes);
}

static double had(struct sms_share *share, size_t p)
{
    struct sms_process_view view = sms_share_process(share, p);
    return process_of(share, p)->level + (double)view.service_ps / view.weight;
}

/* The least that any other with a kernel on the device has had; 0 if there is none. */
static double level_of(struct sms_share *share, size_t device, size_t but)
{
    double least = 0;
    bool any = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct sms_process_view view = sms_share_process(share, p);
        if (p == but || view.phase != SMS_PHASE_KERNEL || view.device != (long)device)
            continue;
        double own = had(share, p);
        least = any && least < own ? least : own;
        any = true;
    }
    return least;
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct process *process = process_of(share, event->process);
    if (event->kind == SMS_EVENT_ARRIVED)
        *process = (struct process){0};
    if (event->kind != SMS_EVENT_LAUNCHED || process->known)
        return;
    process->known = true;
    process->level = level_of(share, (size_t)sms_share_process(share, event->process).device, event->process);
}

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    size_t best = 0;
    (void)device;
    for (size_t i = 1; i < count; i++)
        if (had(share, ready[i]) < had(share, ready[best]))
            best = i;
    return best;
}

const struct sms_share_policy sms_sharing_fair_share = {
    .name = "fair_share",
    .help = "the next slice to who has had least service for its weight",
    .state = sizeof(struct process *),
    .start = start,
    .next = next,
    .event = event,
};
