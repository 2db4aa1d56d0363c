/* Strict priorities: under time slices a process runs only while no process of a higher priority has a kernel ready.
 * With `preempt` it makes room at once, else when its slice ends. Loses where kernels of high priority come often and
 * are short: each then costs two switches. As the policy of fixed priorities of XSched (OSDI 2025; XpuOS/xsched @
 * bd494cb, sched/src/policy/hpf.cpp). */
#include <smsched/share.h>

enum { PREEMPT };

static const char *const booleans[] = {"false", "true", NULL};

static const struct sms_param params[] = {
    {"preempt", SMS_UNIT_CHOICE, 0, 1, 0,
     "says whether a process makes room for a higher priority before its slice ends", booleans},
    {0},
};

static double priority_of(const struct sms_share *share, size_t process)
{
    return sms_share_process(share, process).priority;
}

static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    size_t best = 0;
    (void)device;
    for (size_t i = 1; i < count; i++)
        if (priority_of(share, ready[i]) > priority_of(share, ready[best]))
            best = i;
    return best;
}

static bool preempts(struct sms_share *share, size_t device, size_t running, size_t other)
{
    (void)device;
    return sms_share_param(share, PREEMPT) > 0 && priority_of(share, other) > priority_of(share, running);
}

const struct sms_share_policy sms_share_policy_priority = {
    .name = "priority",
    .help = "gives the next slice to the process with the highest priority, in turn among equals",
    .params = params,
    .next = next,
    .preempts = preempts,
};
