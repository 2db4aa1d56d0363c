/* Weighted fair sharing by service time: the next slice goes to the process that has received the least service
 * relative to its weight (stride scheduling, Waldspurger and Weihl 1995, with time in place of quanta). A process that
 * arrives late does not catch up on what others received before. It starts level with the active process that has
 * received least. */
#include <smsched/share.h>

struct process {
    double level;      /* service per weight that counts in addition to its own, ps */
    bool has_launched; /* it has launched a kernel before */
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

/* Service received per weight, ps. */
static double service_received(struct sms_share *share, size_t p)
{
    struct sms_process_view view = sms_share_process(share, p);
    return process_of(share, p)->level + (double)view.service_ps / view.weight;
}

/* Returns the least service received of all other processes with a kernel on the device; if there is none, of those
 * there that had one; and else 0. */
static double level_of(struct sms_share *share, size_t device, size_t except)
{
    double least = 0;
    bool any = false, active = false;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        const struct sms_process_view view = sms_share_process(share, p);
        const bool has_kernel = view.phase == SMS_PHASE_KERNEL;
        if (p == except || view.device != (long)device || !process_of(share, p)->has_launched || active > has_kernel)
            continue;
        const double received = service_received(share, p);
        least = any && active == has_kernel && least < received ? least : received;
        active = has_kernel;
        any = true;
    }
    return least;
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    struct process *process = process_of(share, event->process);
    if (event->kind == SMS_EVENT_ARRIVED)
        *process = (struct process){0};
    if (event->kind != SMS_EVENT_LAUNCHED || process->has_launched)
        return;
    process->has_launched = true;
    process->level = level_of(share, (size_t)sms_share_process(share, event->process).device, event->process);
}

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    size_t best = 0;
    (void)device;
    for (size_t i = 1; i < count; i++)
        if (service_received(share, ready[i]) < service_received(share, ready[best]))
            best = i;
    return best;
}

const struct sms_share_policy sms_share_policy_fair_share = {
    .name = "fair_share",
    .help = "gives the next slice to the process that received the least service per weight",
    .state = sizeof(struct process *),
    .start = start,
    .next = next,
    .event = event,
};
