/* Interference aware: best-effort kernels run beside high-priority ones only if they do no harm (after Orion, Strati et
 * al. 2024). While a process of a higher priority has a kernel on the device, another may launch only under two
 * conditions. The two use different resources, that is, their classes differ; and together they ask for no more than a
 * share of the device. */
#include <smsched/share.h>

#include <string.h>

enum { SHARE };

static const struct sms_param params[] = {
    {"share", SMS_UNIT_RATIO, 0, 16, 1.0, "share of the device for which kernels may ask together"},
    {0},
};

/* True if a kernel of `self` may run beside one of `other`. */
static bool may_run_beside(const struct sms_share *share, const struct sms_process_view *self,
                           const struct sms_process_view *other)
{
    bool known = self->cls[0] && other->cls[0];
    return known && strcmp(self->cls, other->cls) != 0 &&
           self->core_next + other->core <= sms_share_param(share, SHARE);
}

static enum sms_answer launch(struct sms_share *share, size_t process)
{
    struct sms_process_view self = sms_share_process(share, process);
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct sms_process_view other = sms_share_process(share, p);
        bool has_precedence = p != process && other.device == self.device && other.phase == SMS_PHASE_KERNEL &&
                              other.priority > self.priority;
        if (!has_precedence || may_run_beside(share, &self, &other))
            continue;
        sms_share_say(share, process, "waits for the kernel of %s", other.name);
        return SMS_DEFER;
    }
    return SMS_GRANT;
}

const struct sms_share_policy sms_sharing_interference_aware = {
    .name = "interference_aware",
    .help = "kernels wait while a kernel of a higher priority runs that they would slow (after Orion)",
    .params = params,
    .launch = launch,
};
