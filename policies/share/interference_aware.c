/* Best-effort kernels beside high-priority ones only where they do not hurt (after Orion, Strati et al. 2024): while a
 * process of a higher priority has a kernel on the device, another may launch only if the two press on different
 * resources (classes differ) and together ask for no more than a share of the device. */
#include <smsched/share.h>

#include <string.h>

enum { SHARE };

static const struct sms_param params[] = {
    {"share", SMS_UNIT_RATIO, 0, 16, 1.0, "of the device, that kernels may ask for together"},
    {0},
};

/* Whether a kernel of `own` may run beside one of `other`. */
static bool suits(const struct sms_share *share, const struct sms_process_view *own,
                  const struct sms_process_view *other)
{
    bool known = own->cls[0] && other->cls[0];
    return known && strcmp(own->cls, other->cls) != 0 && own->core_next + other->core <= sms_share_param(share, SHARE);
}

static enum sms_answer launch(struct sms_share *share, size_t process)
{
    struct sms_process_view own = sms_share_process(share, process);
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct sms_process_view other = sms_share_process(share, p);
        bool above = p != process && other.device == own.device && other.phase == SMS_PHASE_KERNEL &&
                     other.priority > own.priority;
        if (!above || suits(share, &own, &other))
            continue;
        sms_share_say(share, process, "waits for the kernel of %s", other.name);
        return SMS_DEFER;
    }
    return SMS_GRANT;
}

const struct sms_share_policy sms_sharing_interference_aware = {
    .name = "interference_aware",
    .help = "kernels of lower priority wait while one of a higher priority runs that they would slow (after Orion)",
    .params = params,
    .launch = launch,
};
